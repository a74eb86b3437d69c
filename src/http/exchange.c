/* SPDX-License-Identifier: MIT
 *
 * exchange.c: the life of a request; see http.h.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "base/deflate.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- birth and death -------------------------------------------------------------------------------------------------- */

static ubi__http_link *link_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        ubi__mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

ubi__exchange *ubi__exchange_new(ubi_http_server *server, struct MHD_Connection *connection, const char *address) {
    ubi__exchange *e = UBI_NEW(memory(), ubi__exchange);
    if (!e)
        return NULL;
    e->server = server;
    e->connection = connection;
    e->link = link_of(connection);
    atomic_init(&e->n_refs, 1);
    atomic_fetch_add(&server->n_exchanges, 1);
    e->text = ubi__calloc_array(memory(), strlen(address) + 1, 1);
    if (e->text)
        memcpy(e->text, address, strlen(address));
    e->watcher = (ubi__desk_watcher){ .wake = ubi__exchange_wake, .payload = e };
    pthread_mutex_init(&e->lock, NULL);
    return e;
}

static void exchange_free(ubi__exchange *e) {
    if (e->job)
        ubi__desk_leave(e->job, &e->watcher);
    ubi__deflate_free(e->deflate);
    for (uint32_t i = 0; i < e->n_heaps; i++)
        ubi__shelf_heap_unref(e->heaps[i]);
    ubi__json_values_fini(&e->values);
    ubi__vec_u8_fini(&e->body, memory());
    ubi__vec_u8_fini(&e->piece, memory());
    ubi__http_address_fini(&e->address);
    if (e->text)
        ubi__free_array(memory(), e->text, strlen(e->text) + 1, 1);
    pthread_mutex_destroy(&e->lock);
    atomic_fetch_sub(&e->server->n_exchanges, 1);
    UBI_DELETE(memory(), e);
}

void ubi__exchange_unref(ubi__exchange *e) {
    if (atomic_fetch_sub(&e->n_refs, 1) == 1)
        exchange_free(e);
}

void ubi__exchange_close(ubi__exchange *e) {
    ubi__http_upload_drop(e);
    pthread_mutex_lock(&e->lock);
    UBI_ASSERT(!e->is_suspended);
    e->is_woken = e->is_gone = true; /* nothing suspends it any more */
    pthread_mutex_unlock(&e->lock);
    ubi__lookout_allow(e->server, e->link, e->server->idle_seconds * UINT64_C(1000));
    ubi__exchange_unref(e);
}

/* ---- suspending --------------------------------------------------------------------------------------------------------- */

void ubi__exchange_wake(void *exchange) {
    ubi__exchange *e = exchange;
    pthread_mutex_lock(&e->lock);
    e->is_woken = true;
    if (e->is_suspended) {
        e->is_suspended = false;
        ubi__lookout_watch(e->server, e->link, NULL);
        ubi__mhd.MHD_resume_connection(e->connection);
    }
    pthread_mutex_unlock(&e->lock);
}

bool ubi__exchange_suspend(ubi__exchange *e) {
    pthread_mutex_lock(&e->lock);
    bool was_woken = e->is_woken;
    e->is_woken = e->is_gone;
    if (!was_woken) {
        e->is_suspended = true;
        ubi__mhd.MHD_suspend_connection(e->connection);
        ubi__lookout_watch(e->server, e->link, e);
    }
    pthread_mutex_unlock(&e->lock);
    return !was_woken;
}

bool ubi__exchange_is_gone(ubi__exchange *e) {
    pthread_mutex_lock(&e->lock);
    bool is_gone = e->is_gone;
    pthread_mutex_unlock(&e->lock);
    return is_gone;
}

/* ---- taking a request --------------------------------------------------------------------------------------------------- */

const char *ubi__exchange_header(const ubi__exchange *e, const char *name) {
    return ubi__mhd.MHD_lookup_connection_value(e->connection, MHD_HEADER_KIND, name);
}

bool ubi__exchange_is_of_browser(const ubi__exchange *e) {
    const char *accept = ubi__exchange_header(e, MHD_HTTP_HEADER_ACCEPT);
    return accept && strstr(accept, "text/html");
}

const char *ubi__exchange_name(const ubi__exchange *e, uint32_t segment) {
    return segment < e->address.n_segments ? e->address.segments[segment] : "";
}

static bool verdict_reply(enum MHD_Result *result, ubi__exchange *e, ubi__http_verdict verdict) {
    switch (verdict) {
    case UBI__HTTP_MAY_ENTER:
        return false;
    case UBI__HTTP_WRONG_HOST:
    case UBI__HTTP_WRONG_ORIGIN:
        *result = ubi__reply_error_code(e, MHD_HTTP_FORBIDDEN, UBI_EINVAL);
        return true;
    case UBI__HTTP_WRONG_TOKEN:
        break;
    }
    *result = ubi__reply_error_code(e, MHD_HTTP_UNAUTHORIZED, UBI_EINVAL);
    return true;
}

/* Whether it was refused, and answered. */
static bool guard_refuses(enum MHD_Result *result, ubi__exchange *e) {
    const ubi__http_claims claims = { .host = ubi__exchange_header(e, MHD_HTTP_HEADER_HOST),
                                      .origin = ubi__exchange_header(e, "Origin"),
                                      .authorization = ubi__exchange_header(e, MHD_HTTP_HEADER_AUTHORIZATION),
                                      .cookie = ubi__exchange_header(e, MHD_HTTP_HEADER_COOKIE),
                                      .token = ubi__http_address_value(&e->address, "token") };
    ubi__http_verdict verdict = ubi__http_guard_judge(&e->server->guard, &claims);
    e->is_first_visit = claims.token != NULL && verdict == UBI__HTTP_MAY_ENTER;
    return verdict_reply(result, e, verdict);
}

uint64_t ubi__exchange_announced_bytes(const ubi__exchange *e) {
    const char *length = ubi__exchange_header(e, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length ? strtoull(length, NULL, 10) : 0;
}

ubi_status ubi__exchange_fail_length(uint64_t most_bytes) {
    return ubi__fail(UBI_ELIMIT, "the body has more than %llu bytes", (unsigned long long)most_bytes);
}

static ubi_status body_begin(ubi__exchange *e) {
    bool is_file = e->route->body == UBI__HTTP_FILE_BODY;
    uint64_t most = is_file ? e->server->most_upload_bytes : UBI__HTTP_JSON_BODY_BYTES;
    if (ubi__exchange_announced_bytes(e) > most)
        return ubi__exchange_fail_length(most);
    return is_file ? ubi__http_upload_begin(e) : UBI_OK;
}

static enum MHD_Result host_count(void *n_hosts, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind, (void)value;
    *(unsigned *)n_hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    return MHD_YES;
}

/* What a proxy in front of the server may understand otherwise. */
static ubi_status framing_check(const ubi__exchange *e) {
    const char *coding = ubi__exchange_header(e, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    unsigned n_hosts = 0;
    if (coding && strcasecmp(coding, "chunked") != 0)
        return ubi__fail(UBI_EINVAL, "Transfer-Encoding: expected chunked, not '%.40s'", coding);
    if (coding && ubi__exchange_header(e, MHD_HTTP_HEADER_CONTENT_LENGTH))
        return ubi__fail(UBI_EINVAL, "a body has Content-Length or Transfer-Encoding, and not both");
    (void)ubi__mhd.MHD_get_connection_values(e->connection, MHD_HEADER_KIND, host_count, &n_hosts);
    return n_hosts > 1 ? ubi__fail(UBI_EINVAL, "the header Host is there twice") : UBI_OK;
}

static enum MHD_Result exchange_begin(ubi__exchange *e, const char *method) {
    char allow[UBI__HTTP_ALLOW_BYTES];
    enum MHD_Result result;
    e->is_head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    e->phase = UBI__EXCHANGE_BODY;
    ubi_status status = e->text ? ubi__http_address_read(&e->address, e->text) : ubi__fail_nomem();
    if (status != UBI_OK)
        return ubi__reply_error_code(e, status == UBI_ELIMIT ? MHD_HTTP_URI_TOO_LONG : ubi__http_error_of(status)->code,
                                     status);
    if (guard_refuses(&result, e))
        return result;
    status = ubi__http_route_find(&e->route, allow, method, &e->address);
    if (status != UBI_OK)
        return allow[0] ? ubi__reply_error_header(e, MHD_HTTP_METHOD_NOT_ALLOWED, status, MHD_HTTP_HEADER_ALLOW, allow)
                        : ubi__reply_error(e, status);
    status = framing_check(e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    ubi__lookout_allow(e->server, e->link,
                       UBI__HTTP_PATIENCE_MS + ubi__exchange_announced_bytes(e) / UBI__HTTP_PATIENCE_BYTES);
    status = body_begin(e);
    return status == UBI_OK       ? MHD_YES
           : status == UBI_ELIMIT ? ubi__reply_error_code(e, UBI__HTTP_TOO_LARGE, status)
                                  : ubi__reply_error(e, status);
}

/* What is too long is passed over, so that its client reads why; what is twice as long is not read to its end. */
static enum MHD_Result body_take(ubi__exchange *e, const char *data, size_t *n_bytes) {
    size_t n = *n_bytes;
    if (e->upload)
        return ubi__http_upload_take(e, data, n_bytes);
    *n_bytes = 0;
    e->n_body_bytes += n;
    if (e->n_body_bytes > UBI__HTTP_JSON_BODY_BYTES)
        return e->n_body_bytes > 2 * UBI__HTTP_JSON_BODY_BYTES ? MHD_NO : MHD_YES;
    e->is_body_lost |= ubi__bytes_append(&e->body, data, n, memory()) != UBI_OK;
    return MHD_YES;
}

/* Whether it is there: it was answered otherwise. */
static bool body_end(enum MHD_Result *result, ubi__exchange *e) {
    if (e->n_body_bytes > UBI__HTTP_JSON_BODY_BYTES)
        *result = ubi__reply_error_code(e, UBI__HTTP_TOO_LARGE, ubi__exchange_fail_length(UBI__HTTP_JSON_BODY_BYTES));
    else if (e->is_body_lost)
        *result = ubi__reply_error(e, ubi__fail_nomem());
    else
        return true;
    return false;
}

enum MHD_Result ubi__exchange_take(ubi__exchange *e, const char *method, const char *data, size_t *n_bytes) {
    enum MHD_Result result = MHD_NO;
    switch (e->phase) {
    case UBI__EXCHANGE_NEW:
        result = exchange_begin(e, method);
        break;
    case UBI__EXCHANGE_BODY:
        if (*n_bytes) {
            result = body_take(e, data, n_bytes);
            break;
        }
        ubi__lookout_allow(e->server, e->link, UINT64_MAX);
        if (body_end(&result, e))
            result = ubi__exchange_perform(e);
        break;
    case UBI__EXCHANGE_WAITING:
        result = e->upload ? ubi__http_upload_end(e) : ubi__http_job_look(e);
        break;
    case UBI__EXCHANGE_ANSWERED:
        break;
    }
    return result;
}

/* ---- performing ----------------------------------------------------------------------------------------------------------- */

enum MHD_Result ubi__exchange_perform(ubi__exchange *e) {
    static enum MHD_Result (*const actions[])(ubi__exchange *) = {
        [UBI__HTTP_FRONT] = ubi__http_front,
        [UBI__HTTP_PAGE_FILE] = ubi__http_page_file,
        [UBI__HTTP_ROUTES] = ubi__http_routes_list,
        [UBI__HTTP_HEAPS] = ubi__http_heaps,
        [UBI__HTTP_HEAP_OPEN] = ubi__http_heap_open,
        [UBI__HTTP_HEAP_UPLOAD] = ubi__http_upload_end,
        [UBI__HTTP_HEAP] = ubi__http_heap,
        [UBI__HTTP_HEAP_CLOSE] = ubi__http_heap_close,
        [UBI__HTTP_HEAP_FILE] = ubi__http_heap_file,
        [UBI__HTTP_FILES] = ubi__http_files,
        [UBI__HTTP_QUESTIONS] = ubi__http_questions,
        [UBI__HTTP_ASK] = ubi__http_ask,
        [UBI__HTTP_JOBS] = ubi__http_jobs,
        [UBI__HTTP_JOB] = ubi__http_job,
        [UBI__HTTP_JOB_CANCEL] = ubi__http_job_cancel,
        [UBI__HTTP_JOB_EVENTS] = ubi__http_job_events,
        [UBI__HTTP_JOB_ANSWER] = ubi__http_job_answer,
        [UBI__HTTP_TARGETS] = ubi__http_targets,
        [UBI__HTTP_TARGET] = ubi__http_target_describe,
        [UBI__HTTP_TARGET_SAVE] = ubi__http_target_save,
        [UBI__HTTP_TARGET_COLLECT] = ubi__http_target_collect,
        [UBI__HTTP_TARGET_MEASURE] = ubi__http_target_measure,
        [UBI__HTTP_TARGET_RECORD] = ubi__http_target_record,
    };
    e->phase = UBI__EXCHANGE_WAITING;
    return actions[UBI_INDEX((size_t)e->route->action, sizeof actions / sizeof *actions)](e);
}
