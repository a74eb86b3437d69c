/* SPDX-License-Identifier: MIT
 *
 * ask_route.c: asking a question, and waiting for its job.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"
#include "jobs/indexing.h"

#define LEAST_COLUMNS 40
#define MOST_COLUMNS 1000

/* ---- what is asked ----------------------------------------------------------------------------------------------------------- */

static ubi_status heap_add(ubi__exchange *e, const char *id) {
    const ubi__shelf_heap *heap = NULL;
    if (e->n_heaps == UBI__HTTP_MOST_HEAPS)
        return ubi__fail(UBI_ELIMIT, "a question is about %d heaps at most", UBI__HTTP_MOST_HEAPS);
    UBI_TRY(ubi__shelf_get(&heap, e->server->shelf, id));
    e->heaps[e->n_heaps++] = heap;
    return UBI_OK;
}

/* Ids between commas. */
static ubi_status heaps_add(ubi__exchange *e, const char *ids) {
    char id[UBI__SHELF_ID_BYTES];
    while (ids && *ids) {
        size_t n = strcspn(ids, ",");
        size_t n_kept = n < sizeof id - 1 ? n : sizeof id - 1;
        memcpy(id, ids, n_kept);
        id[n_kept] = '\0';
        UBI_TRY(heap_add(e, id));
        ids += n + (ids[n] == ',');
    }
    return UBI_OK;
}

static ubi_status columns_read(ubi__exchange *e, const char *columns) {
    uint64_t n = 0;
    if (!columns)
        return UBI_OK;
    UBI_TRY(ubi__parse_number(&n, columns, "pageColumns"));
    if (n < LEAST_COLUMNS || n > MOST_COLUMNS)
        return ubi__fail(UBI_EINVAL, "pageColumns: expected %d to %d, not %s", LEAST_COLUMNS, MOST_COLUMNS, columns);
    e->columns = (unsigned)n;
    return UBI_OK;
}

static ubi_status form_read(ubi__exchange *e) {
    for (uint32_t i = 0; i < e->address.n_pairs; i++) {
        const ubi__http_pair *pair = &e->address.pairs[i];
        if (strcmp(pair->name, "format") == 0 && ubi__http_is_own_pair(pair))
            e->is_page = strcmp(pair->value, "page") == 0;
    }
    return columns_read(e, ubi__http_address_value(&e->address, "pageColumns"));
}

/* As a parameter, or as RFC 7240 says it. */
static ubi_status async_read(ubi__exchange *e) {
    static const char *const words[] = { "", "1", "true", "0", "false" };
    const char *given = ubi__http_address_value(&e->address, "async");
    const char *prefer = ubi__exchange_header(e, "Prefer");
    size_t i = 0, n = sizeof words / sizeof *words;
    while (given && i < n && strcmp(given, words[i]) != 0)
        i++;
    if (i == n)
        return ubi__fail(UBI_EINVAL, "async: expected true or false, not '%.40s'", given);
    e->is_async = given ? i < 3 : prefer && strstr(prefer, "respond-async") != NULL;
    return UBI_OK;
}

/* Which of them should count? Parameters of the question are checked alike, and `with` is a list. */
static ubi_status own_pairs_check(const ubi__exchange *e) {
    for (uint32_t i = 0; i < e->address.n_pairs; i++)
        for (uint32_t k = 0; k < i; k++) {
            const ubi__http_pair *pair = &e->address.pairs[i], *other = &e->address.pairs[k];
            if (strcmp(pair->name, other->name) == 0 && strcmp(pair->name, "with") != 0 &&
                ubi__http_is_own_pair(pair) && ubi__http_is_own_pair(other))
                return ubi__fail(UBI_EINVAL, "%s is given twice", pair->name);
        }
    return UBI_OK;
}

static ubi_status further_heaps_add(ubi__exchange *e) {
    for (uint32_t i = 0; i < e->address.n_pairs; i++)
        if (strcmp(e->address.pairs[i].name, "with") == 0)
            UBI_TRY(heaps_add(e, e->address.pairs[i].value));
    return UBI_OK;
}

static ubi_status body_only(const ubi__exchange *e) {
    for (uint32_t i = 0; i < e->address.n_pairs; i++)
        if (!ubi__http_is_own_pair(&e->address.pairs[i]))
            return ubi__fail(UBI_EINVAL, "%.60s: parameters of a POST are in its body", e->address.pairs[i].name);
    return UBI_OK;
}

static ubi_status parameters_read(ubi__exchange *e) {
    ubi__vec_u8 json = { 0 };
    ubi_text body = { (const char *)e->body.at, e->body.n };
    if (e->route->body == UBI__HTTP_JSON_BODY) {
        UBI_TRY(body_only(e));
        return ubi__json_values_read(&e->values, e->question->usage, body.len ? body : ubi__text("{}"));
    }
    UBI_TRY(ubi__http_parameters_write(&json, e->question->usage, &e->address));
    ubi_status status =
        ubi__json_values_read(&e->values, e->question->usage, (ubi_text){ (const char *)json.at, json.n });
    ubi__vec_u8_fini(&json, ubi_allocator_default());
    return status;
}

static ubi_status request_read(ubi__exchange *e) {
    UBI_TRY(heap_add(e, ubi__exchange_name(e, 3)));
    UBI_TRY(ubi__question_get(&e->question, ubi__exchange_name(e, 4)));
    UBI_TRY(own_pairs_check(e));
    UBI_TRY(further_heaps_add(e));
    UBI_TRY(form_read(e));
    UBI_TRY(async_read(e));
    return parameters_read(e);
}

/* ---- asking ------------------------------------------------------------------------------------------------------------------ */

static ubi_status desk_ask(ubi__exchange *e) {
    ubi_session *sessions[UBI__HTTP_MOST_HEAPS];
    ubi__desk_job *job = NULL;
    for (uint32_t i = 0; i < e->n_heaps; i++)
        sessions[i] = e->heaps[i]->session;
    ubi__desk_request request = { .terms = { .question = e->question,
                                             .values = e->values.values,
                                             .is_page = e->is_page,
                                             .columns = e->columns,
                                             .compat = e->server->compat },
                                  .sessions = sessions,
                                  .n = e->n_heaps,
                                  .is_kept = e->is_async };
    UBI_TRY(ubi__indexing_sequel(&request.sequel, e->server->desk, e->heaps, e->n_heaps));
    ubi_status status = ubi__desk_ask(&job, &e->job_id, e->server->desk, &request, e->is_async ? NULL : &e->watcher);
    if (status != UBI_OK)
        request.sequel.release(request.sequel.payload);
    UBI_TRY(status);
    e->job = e->is_async ? NULL : job;
    return UBI_OK;
}

/* What a client has kept is right still, and nothing is computed. */
static bool is_unchanged(enum MHD_Result *result, ubi__exchange *e) {
    const char *wanted = ubi__exchange_header(e, MHD_HTTP_HEADER_IF_NONE_MATCH);
    for (int is_packed = 0; wanted && is_packed < 2; is_packed++) {
        char tag[UBI__HTTP_TAG_BYTES];
        ubi__http_answer_tag(tag, e, is_packed);
        if (ubi__http_tag_matches(wanted, tag)) {
            *result = ubi__reply_unchanged(e, tag);
            return true;
        }
    }
    return false;
}

enum MHD_Result ubi__http_ask(ubi__exchange *e) {
    enum MHD_Result result;
    ubi_status status = request_read(e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    if (!e->is_async && is_unchanged(&result, e))
        return result;
    status = desk_ask(e);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    return e->is_async ? ubi__http_job_accepted(e) : ubi__http_job_look(e);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------------------- */

static enum MHD_Result job_reply(ubi__exchange *e, const ubi__desk_report *report) {
    if (report->state == UBI__DESK_DONE)
        return e->is_errand ? ubi__http_errand_reply(e, report->answer) : ubi__reply_answer(e, report->answer);
    (void)ubi__fail(report->status, "%s", report->message);
    return ubi__reply_error(e, report->status);
}

enum MHD_Result ubi__http_job_look(ubi__exchange *e) {
    ubi__desk_report report;
    do {
        if (ubi__exchange_is_gone(e))
            return MHD_NO; /* the end of the exchange leaves the job */
        ubi__desk_look(&report, e->job);
        if (ubi__desk_is_finished(report.state))
            return job_reply(e, &report);
    } while (!ubi__exchange_suspend(e));
    return MHD_YES;
}

/* ---- errands ------------------------------------------------------------------------------------------------------------------- */

static enum MHD_Result errand_drop(ubi__exchange *e, const ubi__desk_errand *errand, ubi_status status) {
    if (errand->release)
        errand->release(errand->payload);
    return ubi__reply_error(e, status);
}

enum MHD_Result ubi__http_errand_now(ubi__exchange *e, const ubi__desk_errand *errand) {
    ubi__desk_job *job = NULL;
    e->is_errand = true;
    ubi_status status =
        ubi__desk_run(&job, &e->job_id, e->server->desk, errand, e->is_async, e->is_async ? NULL : &e->watcher);
    if (status != UBI_OK)
        return errand_drop(e, errand, status);
    e->job = e->is_async ? NULL : job;
    return e->is_async ? ubi__http_job_accepted(e) : ubi__http_job_look(e);
}

enum MHD_Result ubi__http_errand(ubi__exchange *e, const ubi__desk_errand *errand) {
    ubi_status status = async_read(e);
    return status == UBI_OK ? ubi__http_errand_now(e, errand) : errand_drop(e, errand, status);
}

/* Where a document says that it is. */
static void self_read(char out[80], ubi_text document) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    out[0] = '\0';
    ubi__json_cursor_open(&c, document, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (ubi__json_value_is(&key, "self") && value.raw.len < 80) {
            memcpy(out, value.raw.ptr, value.raw.len);
            out[value.raw.len] = '\0';
        }
}

enum MHD_Result ubi__http_errand_reply(ubi__exchange *e, ubi_text document) {
    ubi__vec_u8 copy = { 0 };
    char self[80];
    bool is_new = e->route->action == UBI__HTTP_TARGET_SAVE;
    if (!ubi__http_bytes_write(&copy, document.ptr, document.len)) {
        ubi__vec_u8_fini(&copy, ubi_allocator_default());
        return ubi__reply_error(e, ubi__fail_nomem());
    }
    if (e->route->action == UBI__HTTP_FRONT)
        return ubi__reply_page(e, &copy);
    self_read(self, document);
    return ubi__reply_document(e, is_new ? MHD_HTTP_CREATED : MHD_HTTP_OK, &copy, is_new ? self : NULL);
}
