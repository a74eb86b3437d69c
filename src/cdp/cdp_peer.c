/* SPDX-License-Identifier: MIT
 *
 * cdp_peer.c: see cdp_peer.h.
 */
#include "cdp/cdp_peer.h"

#include <string.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/web_socket.h"

struct ubi__cdp_peer {
    const ubi_allocator *allocator;
    ubi__web_socket *socket;
    ubi__cdp_messages messages;
    uint64_t n_commands;
    ubi_status (*silence)(void *payload, uint64_t waited_us);
};

static ubi_status part_take(void *payload, const void *bytes, size_t n, bool is_last) {
    ubi__cdp_peer *p = payload;
    return ubi__cdp_messages_take(&p->messages, bytes, n, is_last);
}

void ubi__cdp_peer_close(ubi__cdp_peer *p) {
    if (!p)
        return;
    const ubi_allocator *a = p->allocator;
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

static ubi_status command_write(ubi__cdp_peer *p, ubi__vec_u8 *text, const char *method, const char *params) {
    ubi__bytes_sink sink = { text, p->allocator };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_object_begin(&json);
    ubi__json_member_u64(&json, "id", ++p->n_commands);
    ubi__json_member_string(&json, "method", method);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    if (params) {
        UBI_TRY(ubi__bytes_append(text, ",\"params\":", 10, p->allocator));
        UBI_TRY(ubi__bytes_append(text, params, strlen(params), p->allocator));
    }
    return ubi__bytes_append(text, "}", 1, p->allocator);
}

/* The reply counts that is to the last command before. */
ubi_status ubi__cdp_peer_note(ubi__cdp_peer *p, const char *method, const char *params) {
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi_status status = command_write(p, &text, method, params);
    if (status == UBI_OK)
        status = ubi__web_socket_send(p->socket, (ubi_text){ (const char *)text.at, text.n });
    ubi__vec_u8_fini(&text, p->allocator);
    return status;
}

ubi_status ubi__cdp_peer_send(ubi__cdp_peer *p, const char *method, const char *params) {
    p->messages.awaited = p->n_commands + 1;
    p->messages.has_reply = false;
    return ubi__cdp_peer_note(p, method, params);
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
    return p->messages.has_reply ? UBI_OK : status;
}

ubi_status ubi__cdp_peer_await(ubi__cdp_peer *p, const char *method, ubi_text *result) {
    uint64_t start_ns = ubi_process_clock_ns(), waited_us = 0;
    while (!p->messages.has_reply) {
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
    while ((ubi_process_clock_ns() - start_ns) / 1000 < microseconds)
        UBI_TRY(ubi__web_socket_serve(p->socket));
    return UBI_OK;
}

void ubi__cdp_peer_set_stage(ubi__cdp_peer *p, const char *stage, uint64_t done, uint64_t total) {
    ubi__web_socket_set_stage(p->socket, stage, done, total);
}
