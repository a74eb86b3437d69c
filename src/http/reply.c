/* SPDX-License-Identifier: MIT
 *
 * reply.c: responses: codes, headers, bodies, and how an answer is compressed while it is sent.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/deflate.h"
#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

/* Below that, compression saves no packet. */
#define LEAST_PACKED_BYTES 1024
/* What is compressed at a time: the server's thread has others to serve. */
#define PACKED_PIECE_BYTES ((size_t)64 << 10)
#define HTML "text/html; charset=utf-8"
#define STREAM_BLOCK_BYTES ((size_t)32 << 10)

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

bool ubi__http_bytes_write(void *payload, const void *data, size_t n) {
    return ubi__bytes_append(payload, data, n, memory()) == UBI_OK;
}

/* ---- what all responses have ------------------------------------------------------------------------------------------- */

void ubi__reply_header(struct MHD_Response *response, const char *name, const char *value) {
    (void)ubi__mhd.MHD_add_response_header(response, name, value); /* fails without memory, and then it is not there */
}

#define NOTHING "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/* No browser runs, embeds, shows or passes on what comes from here, except what the policy allows. */
static void safety_headers_add(struct MHD_Response *response, const char *policy) {
    static const char *const headers[][2] = {
        { "Cross-Origin-Embedder-Policy", "require-corp" },
        { "Cross-Origin-Opener-Policy", "same-origin" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Referrer-Policy", "no-referrer" },
        { "X-Content-Type-Options", "nosniff" },
        { "X-Frame-Options", "DENY" },
    };
    ubi__reply_header(response, "Content-Security-Policy", policy ? policy : NOTHING);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        ubi__reply_header(response, headers[i][0], headers[i][1]);
}

/* From now on the browser has the token, and the address need not show it. */
static void cookie_add(struct MHD_Response *response, const ubi__exchange *e) {
    char cookie[128];
    snprintf(cookie, sizeof cookie, "%s=%s; Path=/; HttpOnly; SameSite=Strict", e->server->guard.cookie,
             e->server->guard.token);
    ubi__reply_header(response, MHD_HTTP_HEADER_SET_COOKIE, cookie);
}

enum MHD_Result ubi__reply_send(ubi__exchange *e, unsigned code, struct MHD_Response *response) {
    if (!response)
        return MHD_NO;
    safety_headers_add(response, e->policy);
    if (e->is_first_visit)
        cookie_add(response, e);
    e->phase = UBI__EXCHANGE_ANSWERED;
    enum MHD_Result result = ubi__mhd.MHD_queue_response(e->connection, code, response);
    ubi__mhd.MHD_destroy_response(response);
    return result;
}

static ssize_t text_read(ubi_text text, uint64_t at, char *out, size_t room) {
    size_t left = text.len - (size_t)at, n = left < room ? left : room;
    memcpy(out, text.ptr + at, n);
    return (ssize_t)n;
}

static ssize_t static_read(void *payload, uint64_t at, char *out, size_t room) {
    return text_read(ubi__text(payload), at, out, room);
}

/* A text that is always there: it takes no memory of ours. */
static struct MHD_Response *static_response(const char *text) {
    return ubi__mhd.MHD_create_response_from_callback(strlen(text), STREAM_BLOCK_BYTES, static_read,
                                                      (void *)(uintptr_t)text, NULL);
}

enum MHD_Result ubi__reply_no_memory(ubi__exchange *e) {
    struct MHD_Response *response =
        static_response("{\"schema\":\"ubiheap.error/1\",\"status\":\"outOfMemory\",\"message\":\"out of memory\"}\n");
    if (response) {
        ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
        ubi__reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    }
    ubi__lookout_allow(e->server, e->link, UBI__HTTP_PATIENCE_MS);
    return ubi__reply_send(e, ubi__http_error_of(UBI_ENOMEM)->code, response);
}

static void bytes_free(void *payload) {
    ubi__vec_u8 *bytes = payload;
    ubi__vec_u8_fini(bytes, memory());
    UBI_DELETE(memory(), bytes);
}

static ssize_t bytes_read(void *payload, uint64_t at, char *out, size_t room) {
    const ubi__vec_u8 *bytes = payload;
    return text_read((ubi_text){ (const char *)bytes->at, bytes->n }, at, out, room);
}

/* Takes the bytes. NULL: no memory. */
static struct MHD_Response *bytes_response(ubi__vec_u8 *bytes) {
    ubi__vec_u8 *kept = UBI_NEW(memory(), ubi__vec_u8);
    if (!kept) {
        ubi__vec_u8_fini(bytes, memory());
        return NULL;
    }
    *kept = *bytes;
    *bytes = (ubi__vec_u8){ 0 };
    struct MHD_Response *response =
        ubi__mhd.MHD_create_response_from_callback(kept->n, STREAM_BLOCK_BYTES, bytes_read, kept, bytes_free);
    if (!response)
        bytes_free(kept);
    return response;
}

static enum MHD_Result bytes_reply(ubi__exchange *e, unsigned code, ubi__vec_u8 *bytes, const char *type,
                                   const char *header, const char *value) {
    ubi__lookout_allow(e->server, e->link, UBI__HTTP_PATIENCE_MS + bytes->n / UBI__HTTP_PATIENCE_BYTES);
    struct MHD_Response *response = bytes_response(bytes);
    if (!response)
        return ubi__reply_no_memory(e);
    ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    ubi__reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (header)
        ubi__reply_header(response, header, value);
    return ubi__reply_send(e, code, response);
}

enum MHD_Result ubi__reply_document(ubi__exchange *e, unsigned code, ubi__vec_u8 *document, const char *location) {
    return bytes_reply(e, code, document, "application/json", location ? MHD_HTTP_HEADER_LOCATION : NULL, location);
}

enum MHD_Result ubi__reply_page(ubi__exchange *e, ubi__vec_u8 *html) {
    e->policy = UBI__HTML_POLICY;
    return bytes_reply(e, MHD_HTTP_OK, html, HTML, NULL, NULL);
}

enum MHD_Result ubi__reply_empty(ubi__exchange *e, unsigned code) {
    struct MHD_Response *response = static_response("");
    if (response)
        ubi__reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    return ubi__reply_send(e, code, response);
}

/* ---- errors ---------------------------------------------------------------------------------------------------------------- */

/* Of the thread's message. False: there is no memory. */
static bool error_document(ubi__vec_u8 *out, ubi_status status, unsigned code) {
    char message[UBI__DESK_MESSAGE_BYTES];
    ubi__json json;
    snprintf(message, sizeof message, "%s", ubi_error_message());
    ubi__json_init(&json, ubi__http_bytes_write, out, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "schema", "ubiheap.error/1");
    ubi__json_member_string(&json, "status", ubi__http_error_at(status, code)->name);
    ubi__json_member_string(&json, "message", message);
    ubi__json_object_end(&json);
    return ubi__json_flush(&json) == UBI_OK && ubi__http_bytes_write(out, "\n", 1);
}

static bool error_page(ubi__vec_u8 *out, unsigned code) {
    char message[UBI__DESK_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s", ubi_error_message());
    return ubi__html_error(out, code, message);
}

enum MHD_Result ubi__reply_error_header(ubi__exchange *e, unsigned code, ubi_status status, const char *header,
                                        const char *value) {
    ubi__vec_u8 body = { 0 };
    bool is_page = ubi__exchange_is_of_browser(e);
    if (is_page)
        e->policy = UBI__HTML_POLICY;
    if (is_page ? error_page(&body, code) : error_document(&body, status, code))
        return bytes_reply(e, code, &body, is_page ? HTML : "application/json", header, value);
    ubi__vec_u8_fini(&body, memory());
    return ubi__reply_no_memory(e);
}

enum MHD_Result ubi__reply_error_code(ubi__exchange *e, unsigned code, ubi_status status) {
    if (code == MHD_HTTP_UNAUTHORIZED)
        return ubi__reply_error_header(e, code, status, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer realm=\"ubiheap\"");
    if (code == MHD_HTTP_SERVICE_UNAVAILABLE)
        return ubi__reply_error_header(e, code, status, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    return ubi__reply_error_header(e, code, status, NULL, NULL);
}

enum MHD_Result ubi__reply_error(ubi__exchange *e, ubi_status status) {
    bool is_stopping = atomic_load(&e->server->is_stopping) && (status == UBI_ESTATE || status == UBI_ECANCELLED);
    return ubi__reply_error_code(e, is_stopping ? MHD_HTTP_SERVICE_UNAVAILABLE : ubi__http_error_of(status)->code,
                                 status);
}

ubi_status ubi__http_document(ubi__vec_u8 *out, const char *schema, void (*put)(ubi__json *json, const void *payload),
                              const void *payload) {
    ubi__json json;
    ubi__json_init(&json, ubi__http_bytes_write, out, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "schema", schema);
    put(&json, payload);
    ubi__json_object_end(&json);
    return ubi__json_flush(&json) == UBI_OK && ubi__http_bytes_write(out, "\n", 1) ? UBI_OK : ubi__fail_nomem();
}

enum MHD_Result ubi__http_document_reply(ubi__exchange *e, unsigned code, const char *schema,
                                         void (*put)(ubi__json *json, const void *payload), const void *payload,
                                         const char *location) {
    ubi__vec_u8 document = { 0 };
    ubi_status status = ubi__http_document(&document, schema, put, payload);
    if (status == UBI_OK)
        return ubi__reply_document(e, code, &document, location);
    ubi__vec_u8_fini(&document, memory());
    return ubi__reply_error(e, status);
}

/* ---- answers ---------------------------------------------------------------------------------------------------------------- */

void ubi__reply_free(void *exchange) {
    ubi__exchange_unref(exchange);
}

/* Kept, and asked for again by its tag. */
#define ASKED_AGAIN "private, no-cache"
#define KEPT_FOR_A_YEAR "private, max-age=31536000, immutable"

static void kept_headers_add(struct MHD_Response *response, const char *tag, const char *how) {
    if (tag[0])
        ubi__reply_header(response, MHD_HTTP_HEADER_ETAG, tag);
    ubi__reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, how);
    ubi__reply_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
}

static enum MHD_Result unchanged_reply(ubi__exchange *e, const char *tag, const char *how) {
    struct MHD_Response *response = static_response("");
    if (response)
        kept_headers_add(response, tag, how);
    return ubi__reply_send(e, MHD_HTTP_NOT_MODIFIED, response);
}

/*
 * What questions draw has a style, and a flame graph one script: that one, by its hash. Whether the browser has the answer or not, for it
 * takes the policy of either reply.
 */
#define PICTURE_POLICY                                                                                                 \
    NOTHING "; style-src 'unsafe-inline'; script-src 'sha256-JTKuY1J09ip5YzsCZlOJiD+R0jcycRx8cnPFIQ9Mjhc='"

static const char *answer_policy(const ubi__exchange *e) {
    return e->is_page ? PICTURE_POLICY : NULL;
}

enum MHD_Result ubi__reply_unchanged(ubi__exchange *e, const char *tag) {
    e->policy = answer_policy(e);
    return unchanged_reply(e, tag, ASKED_AGAIN);
}

static ubi_status packed_write(void *payload, const void *data, size_t n) {
    return ubi__http_bytes_write(payload, data, n) ? UBI_OK : ubi__fail_nomem();
}

/* The next bytes of the packed answer. */
static ubi_status piece_pack(ubi__exchange *e) {
    size_t left = e->answer.len - e->answer_at, n = left < PACKED_PIECE_BYTES ? left : PACKED_PIECE_BYTES;
    e->piece.n = e->piece_at = 0;
    if (n > 0)
        UBI_TRY(ubi__deflate_write(e->deflate, e->answer.ptr + e->answer_at, n));
    e->answer_at += n;
    if (e->answer_at < e->answer.len)
        return UBI_OK;
    e->is_ended = true;
    return ubi__deflate_finish(e->deflate);
}

static ssize_t packed_read(void *payload, uint64_t at, char *out, size_t room) {
    ubi__exchange *e = payload;
    (void)at;
    while (e->piece_at == e->piece.n) {
        if (e->is_ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (piece_pack(e) != UBI_OK)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t left = e->piece.n - e->piece_at, n = left < room ? left : room;
    memcpy(out, e->piece.at + e->piece_at, n);
    e->piece_at += n;
    return (ssize_t)n;
}

/* They have the exchange, which watches the job, whose use holds the answer. NULL: no memory. */
static struct MHD_Response *packed_response(ubi__exchange *e) {
    if (ubi__deflate_new(&e->deflate, UBI__DEFLATE_LEVEL_DEFAULT, packed_write, &e->piece, memory()) != UBI_OK)
        return NULL;
    struct MHD_Response *response = ubi__mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK_BYTES,
                                                                               packed_read, e, ubi__reply_free);
    if (response)
        ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    return response;
}

static ssize_t answer_read(void *payload, uint64_t at, char *out, size_t room) {
    return text_read(((const ubi__exchange *)payload)->answer, at, out, room);
}

static struct MHD_Response *plain_response(ubi__exchange *e) {
    return ubi__mhd.MHD_create_response_from_callback(e->answer.len, STREAM_BLOCK_BYTES, answer_read, e,
                                                      ubi__reply_free);
}

/* Of a page: text, or what a question drew or packed. */
static const char *page_type(ubi_text page) {
    static const char svg[] = "<svg ", gzip[] = "\x1f\x8b";
    if (page.len >= sizeof svg - 1 && memcmp(page.ptr, svg, sizeof svg - 1) == 0)
        return "image/svg+xml";
    return page.len >= 2 && memcmp(page.ptr, gzip, 2) == 0 ? "application/octet-stream" : "text/plain; charset=utf-8";
}

enum MHD_Result ubi__reply_answer(ubi__exchange *e, ubi_text answer) {
    char tag[UBI__HTTP_TAG_BYTES];
    e->policy = answer_policy(e);
    bool is_packed = answer.len >= LEAST_PACKED_BYTES &&
                     ubi__http_accepts_gzip(ubi__exchange_header(e, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    const char *wanted = ubi__exchange_header(e, MHD_HTTP_HEADER_IF_NONE_MATCH);
    tag[0] = '\0';
    if (e->question) /* a job that is asked for by its number may be any */
        ubi__http_answer_tag(tag, e, is_packed);
    if (tag[0] && ubi__http_tag_matches(wanted, tag))
        return ubi__reply_unchanged(e, tag);
    e->answer = answer;
    ubi__lookout_allow(e->server, e->link, UBI__HTTP_PATIENCE_MS + answer.len / UBI__HTTP_PATIENCE_BYTES);
    atomic_fetch_add(&e->n_refs, 1);
    struct MHD_Response *response = is_packed ? packed_response(e) : plain_response(e);
    if (!response) {
        ubi__exchange_unref(e);
        return ubi__reply_no_memory(e);
    }
    kept_headers_add(response, tag, ASKED_AGAIN);
    ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, e->is_page ? page_type(answer) : "application/json");
    return ubi__reply_send(e, MHD_HTTP_OK, response);
}

/* ---- files of the page ------------------------------------------------------------------------------------------------------ */

/* Scripts, styles and pictures of this server alone, and answers of it; nothing inline. */
#define PAGE_POLICY NOTHING "; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"

static ssize_t page_bytes_read(void *payload, uint64_t at, char *out, size_t room) {
    const ubi__page_bytes *bytes = payload;
    return text_read((ubi_text){ bytes->begin, (size_t)(bytes->end - bytes->begin) }, at, out, room);
}

enum MHD_Result ubi__reply_page_file(ubi__exchange *e, const ubi__page_file *file) {
    char tag[UBI__HTTP_TAG_BYTES];
    bool is_packed = ubi__http_accepts_gzip(ubi__exchange_header(e, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    const ubi__page_bytes *bytes = is_packed ? &file->packed : &file->plain;
    const char *how = file->has_tag_in_name ? KEPT_FOR_A_YEAR : ASKED_AGAIN;
    uint64_t n_bytes = (uint64_t)(bytes->end - bytes->begin);
    snprintf(tag, sizeof tag, "\"%.32s%s\"", file->tag, is_packed ? "-gz" : "");
    e->policy = PAGE_POLICY;
    if (ubi__http_tag_matches(ubi__exchange_header(e, MHD_HTTP_HEADER_IF_NONE_MATCH), tag))
        return unchanged_reply(e, tag, how);
    ubi__lookout_allow(e->server, e->link, UBI__HTTP_PATIENCE_MS + n_bytes / UBI__HTTP_PATIENCE_BYTES);
    struct MHD_Response *response = ubi__mhd.MHD_create_response_from_callback(
        n_bytes, STREAM_BLOCK_BYTES, page_bytes_read, (void *)(uintptr_t)bytes, NULL);
    if (!response)
        return ubi__reply_no_memory(e);
    kept_headers_add(response, tag, how);
    ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, file->type);
    if (is_packed)
        ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    return ubi__reply_send(e, MHD_HTTP_OK, response);
}
