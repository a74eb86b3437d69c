/* SPDX-License-Identifier: MIT
 *
 * peer.c: see peer.h.
 */
#include "rdp/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"

#define READ_BYTES ((size_t)256 << 10)
#define POLL_MS 100
#define PATIENCE_US ((uint64_t)5000000)

/* What the packets that come are for. */
typedef enum errand_kind { ERRAND_NONE, ERRAND_REPLY, ERRAND_BULK } errand_kind;

typedef struct errand {
    errand_kind kind;
    const char *actor, *type;
    bool is_done;
    bool is_in_bulk;
    ubi_text reply;
    ubi_write_fn write;
    void *payload;
    uint64_t n_bytes, n_left;
} errand;

struct ubi__rdp_peer {
    ubi__rdp_peer_options options;
    const ubi_allocator *allocator;
    int fd;
    ubi__rdp_packets packets;
    ubi_text input; /* of `bytes`, not read yet */
    ubi__vec_u8 out;
    bool has_had_bulk; /* a JSON reply may follow it */
    const char *stage;
    ubi__remote_wait wait;
    uint64_t wait_since_us; /* or since something came of what is waited for */
    char bytes[READ_BYTES];
};

/* ---- members -------------------------------------------------------------------------------------------------------- */

bool ubi__rdp_member_word(char *out, size_t n, ubi_text object, const char *name) {
    ubi__json_value value;
    if (!ubi__json_object_find(&value, object, name) || value.type != UBI__JSON_STRING || value.has_escapes ||
        value.raw.len >= n)
        return false;
    memcpy(out, value.raw.ptr, value.raw.len);
    out[value.raw.len] = '\0';
    return true;
}

/* A string without escapes, or NULL text. */
static ubi_text plain_member(ubi_text object, const char *name) {
    ubi__json_value value;
    bool is_plain = ubi__json_object_find(&value, object, name) && value.type == UBI__JSON_STRING && !value.has_escapes;
    return is_plain ? value.raw : (ubi_text){ NULL, 0 };
}

/* ---- the socket ----------------------------------------------------------------------------------------------------- */

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void wait_begin(ubi__rdp_peer *c, ubi__remote_wait wait) {
    c->wait = wait;
    c->wait_since_us = now_us();
}

/* Words about a silence that has become long; NULL: there is none, or nothing to say about it. */
static const char *silence_words(const ubi__rdp_peer *c, const errand *e) {
    const ubi__remote_scheme *scheme = c->options.scheme;
    if (!scheme || !scheme->silences[c->wait] || (e && e->kind == ERRAND_NONE))
        return NULL;
    uint64_t patience_us = scheme->patience_us ? scheme->patience_us : PATIENCE_US;
    return now_us() - c->wait_since_us >= patience_us ? scheme->silences[c->wait] : NULL;
}

static ubi_status peer_report(const ubi__rdp_peer *c, const errand *e) {
    bool is_transfer = e && e->is_in_bulk;
    const char *silence = silence_words(c, e);
    const char *stage = silence ? silence : is_transfer ? "transferring" : c->stage;
    bool is_wanted = ubi__progress(c->options.progress, stage, is_transfer ? e->n_bytes - e->n_left : 0,
                                   is_transfer ? e->n_bytes : 0);
    return is_wanted ? UBI_OK : ubi__fail_cancelled();
}

/* Waits until the socket is ready, or for POLL_MS. */
static ubi_status peer_poll(const ubi__rdp_peer *c, short events, int ms, bool *is_ready) {
    struct pollfd one = { .fd = c->fd, .events = events };
    int n = poll(&one, 1, ms);
    if (n < 0 && errno != EINTR)
        return ubi__fail_errno(errno, "cannot wait for the connection");
    *is_ready = n > 0;
    return UBI_OK;
}

/* The one sentence for it, however it shows. */
static ubi_status peer_fail_ended(const ubi__rdp_peer *c) {
    const char *why = c->options.scheme ? c->options.scheme->unwelcome : NULL;
    if (c->wait != UBI__REMOTE_GREETING)
        return ubi__fail(UBI_EIO, "the program, worker or tab has ended, or the connection to it");
    return ubi__fail(UBI_EIO, "the other side closed the connection without a greeting%s%s", why ? ": " : "",
                     why ? why : "");
}

static ubi_status peer_fail_errno(const ubi__rdp_peer *c, int error) {
    bool is_left = error == ECONNRESET || error == EPIPE;
    return is_left ? peer_fail_ended(c) : ubi__fail_errno(error, "the connection broke");
}

static ubi_status peer_send(ubi__rdp_peer *c) {
    size_t at = 0;
    bool is_ready = false;
    while (at < c->out.n) {
        ssize_t n = send(c->fd, c->out.at + at, c->out.n - at, MSG_NOSIGNAL);
        if (n > 0)
            at += (size_t)n;
        else if (n < 0 && errno != EINTR && errno != EAGAIN)
            return peer_fail_errno(c, errno);
        UBI_TRY(peer_report(c, NULL));
        if (n < 0)
            UBI_TRY(peer_poll(c, POLLOUT, POLL_MS, &is_ready));
    }
    return UBI_OK;
}

/* More input, which is used up. Nothing comes in `ms`: that is fine. */
static ubi_status peer_receive(ubi__rdp_peer *c, const errand *e, int ms) {
    bool is_ready = false;
    UBI_TRY(peer_report(c, e));
    UBI_TRY(peer_poll(c, POLLIN, ms, &is_ready));
    if (!is_ready)
        return UBI_OK;
    ssize_t n = recv(c->fd, c->bytes, sizeof c->bytes, 0);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? UBI_OK : peer_fail_errno(c, errno);
    if (n == 0)
        return peer_fail_ended(c);
    c->input = (ubi_text){ c->bytes, (size_t)n };
    return UBI_OK;
}

/* ---- packets -------------------------------------------------------------------------------------------------------- */

/* Types of packets that no one asked for, of the actors that are asked here. */
static bool is_event_type(ubi_text type) {
    static const char *const events[] = {
        "tabListChanged",
        "addonListChanged",
        "workerListChanged",
        "processListChanged",
        "forwardingCancelled",
        "serviceWorkerRegistrationListChanged",
        "garbage-collection",
        "allocations",
        "target-available-form",
        "target-destroyed-form",
        "descriptor-destroyed",
        "resources-available-array",
        "resource-available-form",
        "resources-updated-array",
        "resources-destroyed-array",
        "tabNavigated",
        "tabDetached",
        "frameUpdate",
    };
    for (size_t i = 0; type.ptr && i < sizeof events / sizeof *events; i++)
        if (ubi__text_is(type, events[i]))
            return true;
    return false;
}

/* A text of the server's, for a message of ours. */
static ubi_status message_copy(char *out, size_t n, ubi_text object, const char *name, const ubi_allocator *a) {
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi__json_value value;
    ubi_text text = { "", 0 };
    ubi_status status = UBI_OK;
    if (ubi__json_object_find(&value, object, name) && value.type == UBI__JSON_STRING)
        status = ubi__json_value_text(&text, &value, &scratch, a);
    snprintf(out, n, "%.*s", (int)(text.len < n ? text.len : n), status == UBI_OK && text.ptr ? text.ptr : "");
    ubi__json_words_line(out);
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

/* How servers name that what was asked has gone. */
static bool is_name_of_end(const char *name) {
    return strcmp(name, "noSuchActor") == 0 || strcmp(name, UBI__RDP_TAB_DESTROYED) == 0;
}

/* The process of a tab has gone: what was asked of its actors is not answered any more. */
static bool is_end_of_actor(const errand *e, ubi_text type, ubi_text json) {
    if (!e || e->kind == ERRAND_NONE || !ubi__text_is(type, "forwardingCancelled"))
        return false;
    ubi_text prefix = plain_member(json, "prefix");
    return prefix.len > 0 && prefix.len <= strlen(e->actor) && memcmp(e->actor, prefix.ptr, prefix.len) == 0;
}

/* UBI_ESTATE, in the server's words, when the reply is an error; UBI_EIO when it has ended. */
static ubi_status reply_check(ubi__rdp_peer *c, const errand *e, ubi_text json) {
    ubi__json_value error;
    char name[64], message[512];
    if (!ubi__json_object_find(&error, json, "error") || error.type == UBI__JSON_NULL)
        return UBI_OK;
    UBI_TRY(message_copy(name, sizeof name, json, "error", c->allocator));
    UBI_TRY(message_copy(message, sizeof message, json, "message", c->allocator));
    if (is_name_of_end(name))
        return peer_fail_ended(c);
    if (!e->type)
        return ubi__fail(UBI_ESTATE, "does not let this connection in: %s", message[0] ? message : name);
    return ubi__fail(UBI_ESTATE, "refuses %s: %s%s%s", e->type, name, message[0] ? ": " : "", message);
}

static ubi_status json_take(ubi__rdp_peer *c, errand *e, ubi_text json) {
    ubi__json_cursor cursor;
    ubi__json_value whole;
    if (!ubi__json_value_whole(&cursor, &whole, json) || whole.type != UBI__JSON_OBJECT)
        return ubi__fail(UBI_EFORMAT, "sent a packet that is no JSON object");
    ubi_text from = plain_member(json, "from"), type = plain_member(json, "type");
    bool is_reply = e && e->kind != ERRAND_NONE && ubi__text_is(from, e->actor) && !is_event_type(type);
    if (is_end_of_actor(e, type, json))
        return peer_fail_ended(c);
    if (!is_reply) {
        if (c->options.event)
            c->options.event(c->options.payload, from, type, json);
        return UBI_OK;
    }
    UBI_TRY(reply_check(c, e, json));
    if (e->kind == ERRAND_BULK && c->has_had_bulk)
        return UBI_OK; /* that belongs to the one before */
    if (e->kind == ERRAND_BULK)
        return ubi__fail(UBI_EFORMAT, "answered %s with JSON in place of a file", e->type);
    e->reply = json;
    e->is_done = true;
    return UBI_OK;
}

static ubi_status bulk_begin(ubi__rdp_peer *c, errand *e, const ubi__rdp_piece *piece) {
    if (!e || e->kind != ERRAND_BULK || !ubi__text_is(piece->actor, e->actor))
        return ubi__fail(UBI_EFORMAT, "sent a file that was not asked for");
    e->is_in_bulk = true;
    e->n_bytes = e->n_left = piece->n_left;
    e->is_done = piece->n_left == 0;
    c->has_had_bulk = true;
    return UBI_OK;
}

static ubi_status piece_take(ubi__rdp_peer *c, errand *e, const ubi__rdp_piece *piece) {
    switch (piece->kind) {
    case UBI__RDP_NO_PIECE:
        return UBI_OK;
    case UBI__RDP_JSON:
        return json_take(c, e, piece->bytes);
    case UBI__RDP_BULK_BEGIN:
        return bulk_begin(c, e, piece);
    case UBI__RDP_BULK_BYTES:
        if (!e->write(e->payload, piece->bytes.ptr, piece->bytes.len))
            return ubi__fail(UBI_EIO, "cannot write what is transferred");
        e->n_left = piece->n_left;
        e->is_done = piece->n_left == 0;
        c->wait_since_us = now_us();
        return UBI_OK;
    case UBI__RDP_FATAL:
        break;
    }
    char why[256];
    snprintf(why, sizeof why, "%s", ubi_error_message());
    return ubi__fail(piece->status, "does not speak the remote debugging protocol: %s", why);
}

/* Until the errand is done, or nothing is left of the input. */
static ubi_status input_take(ubi__rdp_peer *c, errand *e) {
    ubi__rdp_piece piece = { .kind = UBI__RDP_NO_PIECE };
    do {
        ubi__rdp_packets_next(&c->packets, &c->input, &piece);
        UBI_TRY(piece_take(c, e, &piece));
    } while (piece.kind != UBI__RDP_NO_PIECE && !e->is_done);
    return UBI_OK;
}

static ubi_status errand_await(ubi__rdp_peer *c, errand *e) {
    UBI_TRY(input_take(c, e));
    while (!e->is_done) {
        UBI_TRY(peer_receive(c, e, POLL_MS));
        UBI_TRY(input_take(c, e));
    }
    return UBI_OK;
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

static ubi_status request_write(ubi__rdp_peer *c, const char *actor, const char *type, const char *members) {
    char header[24];
    ubi__vec_u8 text = { NULL, 0, 0 };
    ubi__bytes_sink sink = { &text, c->allocator };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "to", actor);
    ubi__json_member_string(&json, "type", type);
    if (ubi__json_flush(&json) != UBI_OK)
        return ubi__fail_nomem();
    ubi_status status = UBI_OK;
    if (members) {
        status = ubi__bytes_append(&text, ",", 1, c->allocator);
        if (status == UBI_OK)
            status = ubi__bytes_append(&text, members, strlen(members), c->allocator);
    }
    if (status == UBI_OK)
        status = ubi__bytes_append(&text, "}", 1, c->allocator);
    c->out.n = 0;
    wait_begin(c, UBI__REMOTE_ANSWER);
    if (status == UBI_OK)
        status = ubi__bytes_append(&c->out, header, ubi__rdp_json_header(header, text.n), c->allocator);
    if (status == UBI_OK)
        status = ubi__bytes_append(&c->out, text.at, text.n, c->allocator);
    ubi__vec_u8_fini(&text, c->allocator);
    return status;
}

ubi_status ubi__rdp_peer_ask(ubi__rdp_peer *peer, const char *actor, const char *type, const char *members,
                             ubi_text *reply) {
    errand e = { .kind = ERRAND_REPLY, .actor = actor, .type = type };
    UBI_TRY(request_write(peer, actor, type, members));
    UBI_TRY(peer_send(peer));
    UBI_TRY(errand_await(peer, &e));
    *reply = e.reply;
    return UBI_OK;
}

ubi_status ubi__rdp_peer_fetch(ubi__rdp_peer *peer, const char *actor, const char *type, const char *members,
                               ubi_write_fn write, void *payload) {
    errand e = { .kind = ERRAND_BULK, .actor = actor, .type = type, .write = write, .payload = payload };
    UBI_TRY(request_write(peer, actor, type, members));
    UBI_TRY(peer_send(peer));
    return errand_await(peer, &e);
}

ubi_status ubi__rdp_peer_wait(ubi__rdp_peer *peer, uint64_t microseconds, const bool *is_over) {
    uint64_t until = now_us() + microseconds;
    errand e = { .kind = ERRAND_NONE };
    while (!is_over || !*is_over) {
        UBI_TRY(input_take(peer, &e));
        uint64_t now = now_us();
        if (now >= until || (is_over && *is_over))
            break;
        uint64_t ms = (until - now + 999) / 1000;
        UBI_TRY(peer_receive(peer, &e, ms < POLL_MS ? (int)ms : POLL_MS));
    }
    return UBI_OK;
}

void ubi__rdp_peer_set_stage(ubi__rdp_peer *peer, const char *stage) {
    peer->stage = stage;
}

/* ---- connections ---------------------------------------------------------------------------------------------------- */

static ubi_status greeting_await(ubi__rdp_peer *c) {
    errand e = { .kind = ERRAND_REPLY, .actor = "root", .type = NULL };
    ubi__json_value type;
    c->stage = "waiting for a greeting";
    wait_begin(c, UBI__REMOTE_GREETING);
    UBI_TRY(errand_await(c, &e));
    if (!ubi__json_object_find(&type, e.reply, "applicationType"))
        return ubi__fail(UBI_EFORMAT, "does not greet like a server of the remote debugging protocol");
    c->stage = "waiting for an answer";
    wait_begin(c, UBI__REMOTE_ANSWER);
    return UBI_OK;
}

static void peer_free(ubi__rdp_peer *c) {
    const ubi_allocator *a = c->allocator;
    if (c->fd >= 0)
        close(c->fd);
    ubi__rdp_packets_fini(&c->packets);
    ubi__vec_u8_fini(&c->out, a);
    UBI_DELETE(a, c);
}

static ubi__rdp_peer *peer_new(const ubi__rdp_peer_options *options) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi__rdp_peer *c = UBI_NEW(a, ubi__rdp_peer);
    if (!c)
        return NULL;
    c->options = *options;
    c->allocator = a;
    c->fd = -1;
    c->stage = "connecting";
    wait_begin(c, UBI__REMOTE_CONNECTING);
    ubi__rdp_packets_init(&c->packets, UBI__RDP_REPLY_BYTES, a);
    return c;
}

/* 0, or what is wrong; -1: it was cancelled. */
static int socket_connect(ubi__rdp_peer *c, const struct addrinfo *to) {
    int error = 0;
    socklen_t n = sizeof error;
    bool is_ready = false;
    c->fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
    if (c->fd < 0)
        return errno;
    if (connect(c->fd, to->ai_addr, to->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    while (!is_ready)
        if (peer_report(c, NULL) != UBI_OK || peer_poll(c, POLLOUT, POLL_MS, &is_ready) != UBI_OK)
            return -1;
    return getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &n) == 0 ? error : errno;
}

static ubi_status peer_connect(ubi__rdp_peer *c) {
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM };
    struct addrinfo *list = NULL;
    char port[8];
    int error = 0;
    snprintf(port, sizeof port, "%u", (unsigned)c->options.port);
    int found = getaddrinfo(c->options.host, port, &wanted, &list);
    if (found != 0)
        return ubi__fail(UBI_EIO, "cannot find the host %s: %s", c->options.host, gai_strerror(found));
    for (const struct addrinfo *to = list; to; to = to->ai_next) {
        error = socket_connect(c, to);
        if (error <= 0)
            break;
        if (c->fd >= 0)
            close(c->fd);
        c->fd = -1;
    }
    freeaddrinfo(list);
    if (error < 0)
        return ubi__fail_cancelled();
    return error ? ubi__fail_errno(error, "cannot connect") : UBI_OK;
}

ubi_status ubi__rdp_peer_open(ubi__rdp_peer **out, const ubi__rdp_peer_options *options) {
    ubi__rdp_peer *c = peer_new(options);
    if (!c)
        return ubi__fail_nomem();
    ubi_status status = peer_connect(c);
    if (status == UBI_OK)
        status = greeting_await(c);
    if (status == UBI_OK)
        *out = c;
    else
        peer_free(c);
    return status;
}

ubi_status ubi__rdp_peer_adopt(ubi__rdp_peer **out, int fd, const ubi__rdp_peer_options *options) {
    ubi__rdp_peer *c = peer_new(options);
    if (!c) {
        close(fd);
        return ubi__fail_nomem();
    }
    c->fd = fd;
    ubi_status status = greeting_await(c);
    if (status == UBI_OK)
        *out = c;
    else
        peer_free(c);
    return status;
}

void ubi__rdp_peer_close(ubi__rdp_peer *peer) {
    if (peer)
        peer_free(peer);
}
