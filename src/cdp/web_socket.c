/* SPDX-License-Identifier: MIT
 *
 * web_socket.c: see web_socket.h.
 */
#include "cdp/web_socket.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/lws_calls.h"

#define TICK_US 100000
#define PATIENCE_NS ((uint64_t)5000000000)
#define RECEIVE_BYTES ((size_t)256 << 10)

struct ubi__web_socket {
    ubi__web_options options;
    const ubi_allocator *allocator;
    struct lws_context *context;
    struct lws *wsi; /* NULL: closed, or not there yet */
    lws_sorted_usec_list_t tick;
    bool is_open, is_over, is_idle;
    unsigned http_status;
    ubi_status status; /* what failed in a call back, with its words: */
    char why[512];
    ubi__vec_u8 out;   /* LWS_PRE bytes, and a message to be sent; empty: it is sent */
    ubi__vec_u8 *body; /* of a fetch */
    const char *stage;
    uint64_t done, total;
    ubi__remote_wait wait;
    uint64_t wait_since_ns; /* or since something came */
};

/* ---- what fails ----------------------------------------------------------------------------------------------------- */

/* Keeps an error until the call that we are in returns. -1, which closes the connection. */
static int socket_note(ubi__web_socket *s, ubi_status status, const char *why) {
    if (s->status == UBI_OK) {
        s->status = status;
        snprintf(s->why, sizeof s->why, "%s", why);
        ubi__json_words_line(s->why);
    }
    return -1;
}

static ubi_status socket_fail_ended(const ubi__web_socket *s) {
    if (!s->is_open)
        return ubi__fail(UBI_EIO, "the other side closed the connection without an answer");
    const char *words = s->options.end_words ? s->options.end_words(s->options.end_payload) : NULL;
    return ubi__fail(UBI_EIO, "%s", words ? words : "the program, worker or tab has ended, or the connection to it");
}

/* ---- what libwebsockets calls --------------------------------------------------------------------------------------- */

static int message_send(ubi__web_socket *s) {
    size_t n = s->out.n - LWS_PRE;
    if (s->out.n == 0)
        return 0;
    s->out.n = 0;
    if (ubi__lws.lws_write(s->wsi, s->out.at + LWS_PRE, n, LWS_WRITE_TEXT) < 0)
        return socket_note(s, UBI_EIO, "the connection broke while it was sent to");
    return 0;
}

static int message_take(ubi__web_socket *s, const void *bytes, size_t n) {
    s->wait_since_ns = ubi_process_clock_ns();
    if (s->status != UBI_OK)
        return -1;
    ubi_status status = s->options.take(s->options.payload, bytes, n, ubi__lws.lws_is_final_fragment(s->wsi) != 0);
    return status == UBI_OK ? 0 : socket_note(s, status, ubi_error_message());
}

static int body_take(ubi__web_socket *s, const void *bytes, size_t n) {
    s->wait_since_ns = ubi_process_clock_ns();
    if (!s->body || s->body->n + n > UBI__WEB_FETCH_BYTES)
        return socket_note(s, UBI_ELIMIT, "sent a longer answer than is read");
    if (ubi__bytes_append(s->body, bytes, n, s->allocator) != UBI_OK)
        return socket_note(s, UBI_ENOMEM, ubi_error_message());
    return 0;
}

/* Has libwebsockets hand out what it received, to body_take. */
static int body_read(struct lws *wsi) {
    char room[LWS_PRE + 4096];
    char *at = room + LWS_PRE;
    int n = sizeof room - LWS_PRE;
    return ubi__lws.lws_http_client_read(wsi, &at, &n) < 0 ? -1 : 0;
}

static int failure_note(ubi__web_socket *s, const char *reason, size_t n) {
    char why[400];
    s->wsi = NULL;
    if (!reason || n == 0)
        return socket_note(s, UBI_EIO, "cannot connect");
    snprintf(why, sizeof why, "cannot connect: %.*s", (int)(n < 300 ? n : 300), reason);
    return socket_note(s, UBI_EIO, why);
}

static int socket_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len) {
    (void)user;
    ubi__web_socket *s = ubi__lws.lws_context_user(ubi__lws.lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        return failure_note(s, in, in ? len : 0);
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        s->is_open = true;
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE:
        return message_take(s, in, len);
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        return message_send(s);
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
        s->http_status = ubi__lws.lws_http_client_http_response(wsi);
        return 0;
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ:
        return body_take(s, in, len);
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP:
        return body_read(wsi);
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
        s->is_over = true;
        return -1; /* no more is asked of this connection */
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
    case LWS_CALLBACK_CLIENT_CLOSED:
        s->wsi = NULL;
        return 0;
    default:
        return 0;
    }
}

static const struct lws_protocols protocols[] = {
    { .name = "devtools", .callback = socket_event, .rx_buffer_size = RECEIVE_BYTES },
    { .name = NULL },
};

/* Serving returns. */
static void tick_pass(lws_sorted_usec_list_t *tick) {
    (void)tick;
}

/* ---- waiting -------------------------------------------------------------------------------------------------------- */

static void wait_begin(ubi__web_socket *s, ubi__remote_wait wait) {
    s->wait = wait;
    s->wait_since_ns = ubi_process_clock_ns();
}

/* Words about a silence that has become long; NULL: there is none, or nothing to say about it. */
static const char *silence_words(const ubi__web_socket *s) {
    const ubi__remote_scheme *scheme = s->options.scheme;
    if (!scheme || s->is_idle || !scheme->silences[s->wait])
        return NULL;
    uint64_t patience_ns = scheme->patience_us ? scheme->patience_us * 1000 : PATIENCE_NS;
    return ubi_process_clock_ns() - s->wait_since_ns >= patience_ns ? scheme->silences[s->wait] : NULL;
}

static ubi_status socket_report(const ubi__web_socket *s) {
    const char *silence = silence_words(s);
    bool is_wanted =
        ubi__progress(s->options.progress, silence ? silence : s->stage, silence ? 0 : s->done, silence ? 0 : s->total);
    return is_wanted ? UBI_OK : ubi__fail_cancelled();
}

static ubi_status socket_turn(ubi__web_socket *s) {
    UBI_TRY(socket_report(s));
    ubi__lws.lws_sul_schedule(s->context, 0, &s->tick, tick_pass, TICK_US);
    ubi__lws.lws_service(s->context, 0);
    return s->status == UBI_OK ? UBI_OK : ubi__fail(s->status, "%s", s->why);
}

ubi_status ubi__web_socket_serve(ubi__web_socket *s) {
    return s->wsi ? socket_turn(s) : socket_fail_ended(s);
}

ubi_status ubi__web_socket_look(ubi__web_socket *s) {
    if (!s->wsi)
        return socket_fail_ended(s);
    s->is_idle = true;
    ubi__lws.lws_cancel_service(s->context); /* serving returns at once */
    return socket_turn(s);
}

ubi_status ubi__web_socket_send(ubi__web_socket *s, ubi_text text) {
    static const uint8_t room[LWS_PRE];
    UBI_ASSERT(s->out.n == 0);
    if (!s->wsi)
        return socket_fail_ended(s);
    UBI_TRY(ubi__bytes_append(&s->out, room, sizeof room, s->allocator));
    ubi_status status = ubi__bytes_append(&s->out, text.ptr, text.len, s->allocator);
    if (status != UBI_OK) {
        s->out.n = 0;
        return status;
    }
    s->is_idle = false;
    wait_begin(s, UBI__REMOTE_ANSWER);
    ubi__lws.lws_callback_on_writable(s->wsi);
    while (status == UBI_OK && s->out.n)
        status = s->wsi ? socket_turn(s) : socket_fail_ended(s);
    s->out.n = 0;
    return status;
}

void ubi__web_socket_set_progress(ubi__web_socket *s, const ubi_progress *progress) {
    s->options.progress = progress;
}

void ubi__web_socket_set_idle(ubi__web_socket *s) {
    s->is_idle = true;
}

void ubi__web_socket_set_stage(ubi__web_socket *s, const char *stage, uint64_t done, uint64_t total) {
    s->stage = stage;
    s->done = done;
    s->total = total;
}

/* ---- connecting ----------------------------------------------------------------------------------------------------- */

void ubi__web_socket_close(ubi__web_socket *s) {
    if (!s)
        return;
    const ubi_allocator *a = s->allocator;
    if (s->context)
        ubi__lws.lws_context_destroy(s->context);
    ubi__vec_u8_fini(&s->out, a);
    UBI_DELETE(a, s);
}

/* A program that pauses for minutes is no reason to leave it: whether it still answers is not asked. The system asks whether its machine does. */
static const lws_retry_bo_t patient = { .retry_ms_table_count = 0 };

static ubi_status context_open(ubi__web_socket *s) {
    struct lws_context_creation_info info = { .port = CONTEXT_PORT_NO_LISTEN,
                                              .retry_and_idle_policy = &patient,
                                              .ka_time = 60,
                                              .ka_probes = 6,
                                              .ka_interval = 10,
                                              .protocols = protocols,
                                              .gid = (gid_t)-1,
                                              .uid = (uid_t)-1,
                                              .user = s,
                                              .fd_limit_per_thread = 16 };
    ubi__lws.lws_set_log_level(0, NULL);
    s->context = ubi__lws.lws_create_context(&info);
    return s->context ? UBI_OK : ubi__fail(UBI_EIO, "cannot prepare a connection");
}

/* No origin: browsers let programs in, and refuse pages. */
static ubi_status connection_begin(ubi__web_socket *s, const char *path, bool is_socket) {
    char host[UBI__REMOTE_HOST_BYTES + 10];
    bool is_ipv6 = strchr(s->options.host, ':') != NULL;
    snprintf(host, sizeof host, is_ipv6 ? "[%s]:%u" : "%s:%u", s->options.host, s->options.port);
    struct lws_client_connect_info info = { .context = s->context,
                                            .address = s->options.host,
                                            .port = s->options.port,
                                            .path = path,
                                            .host = host,
                                            .ietf_version_or_minus_one = -1,
                                            .method = is_socket ? NULL : "GET",
                                            .local_protocol_name = protocols[0].name,
                                            .retry_and_idle_policy = &patient,
                                            .pwsi = &s->wsi };
    if (!ubi__lws.lws_client_connect_via_info(&info) && s->status == UBI_OK)
        return ubi__fail(UBI_EIO, "cannot connect");
    return s->status == UBI_OK ? UBI_OK : ubi__fail(s->status, "%s", s->why);
}

static ubi_status link_open(ubi__web_socket **out, const ubi__web_options *options) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    UBI_TRY(ubi__lws_load());
    ubi__web_socket *s = UBI_NEW(a, ubi__web_socket);
    if (!s)
        return ubi__fail_nomem();
    s->options = *options;
    s->allocator = a;
    s->stage = "connecting";
    wait_begin(s, UBI__REMOTE_CONNECTING);
    ubi_status status = context_open(s);
    if (status == UBI_OK)
        *out = s;
    else
        ubi__web_socket_close(s);
    return status;
}

/* A turn of what has a limit; it is over `patience_us` after what came last. */
static ubi_status limited_turn(ubi__web_socket *s) {
    char time[UBI__HUMAN_TEXT];
    uint64_t patience_us = s->options.patience_us;
    if (patience_us && ubi_process_clock_ns() - s->wait_since_ns > patience_us * 1000)
        return ubi__fail(UBI_EIO, "did not answer in %s", ubi__human_duration(time, patience_us));
    return socket_turn(s);
}

static ubi_status connection_await(ubi__web_socket *s, const char *path) {
    UBI_TRY(connection_begin(s, path, true));
    while (!s->is_open) {
        if (!s->wsi)
            return socket_fail_ended(s);
        UBI_TRY(limited_turn(s));
    }
    s->stage = "waiting for an answer";
    return UBI_OK;
}

ubi_status ubi__web_socket_open(ubi__web_socket **out, const ubi__web_options *options, const char *path) {
    ubi__web_socket *s;
    UBI_TRY(link_open(&s, options));
    ubi_status status = connection_await(s, path);
    if (status == UBI_OK)
        *out = s;
    else
        ubi__web_socket_close(s);
    return status;
}

static ubi_status fetch_await(ubi__web_socket *s, const char *path) {
    UBI_TRY(connection_begin(s, path, false));
    while (!s->is_over) {
        if (!s->wsi)
            return socket_fail_ended(s);
        UBI_TRY(limited_turn(s));
    }
    if (s->http_status != 200)
        return ubi__fail(UBI_EIO, "answers %s with status %u", path, s->http_status);
    return UBI_OK;
}

ubi_status ubi__web_fetch(ubi__vec_u8 *body, const ubi__web_options *options, const char *path) {
    ubi__web_socket *s;
    UBI_TRY(link_open(&s, options));
    body->n = 0;
    s->body = body;
    ubi_status status = fetch_await(s, path);
    ubi__web_socket_close(s);
    return status;
}
