/* SPDX-License-Identifier: MIT
 *
 * cdp_peer.c: see cdp_peer.h.
 */
#include "cdp/cdp_peer.h"

#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/web_socket.h"

#define MOST_CLOSE_NS ((uint64_t)500000000)

struct ubi__cdp_peer {
    const ubi_allocator *allocator;
    ubi__web_socket *socket;
    ubi__cdp_messages messages;
    uint64_t n_commands; /* each has a reply; of one that is carried, both */
    ubi_status (*silence)(void *payload, uint64_t waited_us);
    bool (*is_ending)(void *payload);
    const char *(*end_words)(void *payload);
    uint64_t ending_since_ns; /* 0: it is not, as far as we know */
};

static ubi_status part_take(void *payload, const void *bytes, size_t n, bool is_last) {
    ubi__cdp_peer *p = payload;
    return ubi__cdp_messages_take(&p->messages, bytes, n, is_last);
}

/*
 * Node.js may crash when it has something to say to a connection in the moment in which that ends. A program that is busy says nothing, and is
 * not waited for. The message of what failed before stays.
 */
static void answers_await(ubi__cdp_peer *p) {
    static const ubi_progress silent = { NULL, NULL };
    char why[600];
    snprintf(why, sizeof why, "%s", ubi_error_message());
    uint64_t start_ns = ubi_process_clock_ns();
    p->messages.event = NULL;
    ubi__web_socket_set_progress(p->socket, &silent);
    while (p->messages.n_answers < p->n_commands && ubi_process_clock_ns() - start_ns < MOST_CLOSE_NS &&
           ubi__web_socket_serve(p->socket) == UBI_OK)
        continue;
    (void)ubi__fail(UBI_OK, "%s", why);
}

void ubi__cdp_peer_close(ubi__cdp_peer *p) {
    if (!p)
        return;
    const ubi_allocator *a = p->allocator;
    if (p->socket)
        answers_await(p);
    ubi__web_socket_close(p->socket);
    ubi__cdp_messages_fini(&p->messages);
    UBI_DELETE(a, p);
}

ubi_status ubi__cdp_peer_open(ubi__cdp_peer **out, const ubi__cdp_peer_options *options, const char *path) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi__cdp_peer *p = UBI_NEW(a, ubi__cdp_peer);
    if (!p)
        return ubi__fail_nomem();
    p->allocator = a;
    p->silence = options->silence;
    p->is_ending = options->is_ending;
    p->end_words = options->end_words;
    p->messages = (ubi__cdp_messages){ .allocator = a, .event = options->event, .payload = options->payload };
    const ubi__web_options web = { .host = options->host,
                                   .port = options->port,
                                   .scheme = options->scheme,
                                   .progress = options->progress,
                                   .allocator = a,
                                   .take = part_take,
                                   .payload = p,
                                   .patience_us = options->patience_us,
                                   .end_words = options->end_words,
                                   .end_payload = options->payload };
    ubi_status status = ubi__web_socket_open(&p->socket, &web, path);
    if (status == UBI_OK)
        *out = p;
    else
        ubi__cdp_peer_close(p);
    return status;
}

/* @param params  NULL: it has none. */
static ubi_status command_write(ubi__cdp_peer *p, ubi__vec_u8 *text, const char *method, const char *params) {
    ubi__bytes_sink sink = { text, p->allocator };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_object_begin(&json);
    ubi__json_member_u64(&json, "id", ++p->n_commands);
    ubi__json_member_string(&json, "method", method);
    if (p->messages.is_flat)
        ubi__json_member_string(&json, "sessionId", p->messages.session);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    if (params) {
        UBI_TRY(ubi__bytes_append(text, ",\"params\":", 10, p->allocator));
        UBI_TRY(ubi__bytes_append(text, params, strlen(params), p->allocator));
    }
    return ubi__bytes_append(text, "}", 1, p->allocator);
}

/* A command to the worker thread, as what another one carries. */
static ubi_status carrier_write(ubi__cdp_peer *p, ubi__vec_u8 *text, ubi_text command) {
    ubi__vec_u8 params = { NULL, 0, 0 };
    ubi__bytes_sink sink = { &params, p->allocator };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "sessionId", p->messages.session);
    ubi__json_member_text(&json, "message", command);
    ubi__json_object_end(&json);
    ubi_status status = ubi__json_flush(&json) == UBI_OK ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = ubi__bytes_append(&params, "", 1, p->allocator);
    if (status == UBI_OK)
        status = command_write(p, text, "NodeWorker.sendMessageToWorker", (const char *)params.at);
    ubi__vec_u8_fini(&params, p->allocator);
    return status;
}

static ubi_text text_of(const ubi__vec_u8 *bytes) {
    return (ubi_text){ (const char *)bytes->at, bytes->n };
}

/* @param patience_ns  how long it may have been ending. */
static ubi_status ending_check(ubi__cdp_peer *p, uint64_t patience_ns) {
    uint64_t now_ns = ubi_process_clock_ns();
    if (!p->is_ending || !p->is_ending(p->messages.payload))
        return UBI_OK;
    p->ending_since_ns = p->ending_since_ns ? p->ending_since_ns : now_ns;
    if (now_ns - p->ending_since_ns < patience_ns)
        return UBI_OK;
    return ubi__fail(UBI_EIO, "%s", p->end_words(p->messages.payload));
}

static bool session_is_carried(const ubi__cdp_peer *p) {
    return p->messages.session[0] && !p->messages.is_flat;
}

/* The reply counts that is to the last command before. */
ubi_status ubi__cdp_peer_note(ubi__cdp_peer *p, const char *method, const char *params) {
    ubi__vec_u8 text = { NULL, 0, 0 }, outer = { NULL, 0, 0 };
    bool is_carried = session_is_carried(p);
    UBI_TRY(ending_check(p, 0));
    ubi_status status = command_write(p, &text, method, params);
    if (status == UBI_OK && is_carried)
        status = carrier_write(p, &outer, text_of(&text));
    if (status == UBI_OK)
        status = ubi__web_socket_send(p->socket, text_of(is_carried ? &outer : &text));
    ubi__vec_u8_fini(&outer, p->allocator);
    ubi__vec_u8_fini(&text, p->allocator);
    return status;
}

/* What carries a command has the number after it. */
ubi_status ubi__cdp_peer_send(ubi__cdp_peer *p, const char *method, const char *params) {
    p->messages.awaited = p->n_commands + 1;
    p->messages.carrier = session_is_carried(p) ? p->n_commands + 2 : 0;
    p->messages.has_reply = false;
    return ubi__cdp_peer_note(p, method, params);
}

void ubi__cdp_peer_set_session(ubi__cdp_peer *p, const char *session) {
    UBI_ASSERT(strlen(session) < sizeof p->messages.session);
    snprintf(p->messages.session, sizeof p->messages.session, "%s", session);
    p->messages.is_flat = false;
    p->ending_since_ns = 0;
}

void ubi__cdp_peer_set_flat_session(ubi__cdp_peer *p, const char *session) {
    ubi__cdp_peer_set_session(p, session);
    p->messages.is_flat = true;
}

ubi_status ubi__cdp_peer_ask(ubi__cdp_peer *p, const char *method, const char *params, ubi_text *result) {
    UBI_TRY(ubi__cdp_peer_send(p, method, params));
    return ubi__cdp_peer_await(p, method, result);
}

bool ubi__cdp_peer_has_reply(const ubi__cdp_peer *p) {
    return p->messages.has_reply;
}

/* What came before the end of a connection counts: the reply may be the last that a program says. */
ubi_status ubi__cdp_peer_look(ubi__cdp_peer *p) {
    ubi_status status = ubi__web_socket_look(p->socket);
    if (status == UBI_OK)
        status = ending_check(p, MOST_CLOSE_NS);
    return p->messages.has_reply ? UBI_OK : status;
}

ubi_status ubi__cdp_peer_await(ubi__cdp_peer *p, const char *method, ubi_text *result) {
    uint64_t start_ns = ubi_process_clock_ns(), waited_us = 0;
    while (!p->messages.has_reply) {
        UBI_TRY(ending_check(p, MOST_CLOSE_NS));
        if (p->silence)
            UBI_TRY(p->silence(p->messages.payload, waited_us));
        ubi_status status = ubi__web_socket_serve(p->socket);
        if (status != UBI_OK && !p->messages.has_reply)
            return status;
        waited_us = (ubi_process_clock_ns() - start_ns) / 1000;
    }
    return ubi__cdp_messages_result(&p->messages, method, result);
}

ubi_status ubi__cdp_peer_wait(ubi__cdp_peer *p, uint64_t microseconds) {
    uint64_t start_ns = ubi_process_clock_ns();
    ubi__web_socket_set_idle(p->socket);
    while ((ubi_process_clock_ns() - start_ns) / 1000 < microseconds) {
        UBI_TRY(ubi__web_socket_serve(p->socket));
        UBI_TRY(ending_check(p, 0));
    }
    return UBI_OK;
}

void ubi__cdp_peer_set_stage(ubi__cdp_peer *p, const char *stage, uint64_t done, uint64_t total) {
    ubi__web_socket_set_stage(p->socket, stage, done, total);
}

void ubi__cdp_peer_set_progress(ubi__cdp_peer *p, const ubi_progress *progress) {
    ubi__web_socket_set_progress(p->socket, progress);
}
