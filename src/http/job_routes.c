/* SPDX-License-Identifier: MIT
 *
 * job_routes.c: jobs: the list, one of them, its events, its answer, and its end.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/status.h"
#include "base/text.h"
#include "http/http.h"

#define EVENT_BLOCK_BYTES ((size_t)4 << 10)

/* ---- documents ------------------------------------------------------------------------------------------------------------------ */

/* Where it is, and where its answer is. */
static void addresses_put(ubi__json *json, const ubi__desk_report *r) {
    char address[80];
    snprintf(address, sizeof address, "/api/1/jobs/j%llu", (unsigned long long)r->id);
    ubi__json_member_string(json, "self", address);
    snprintf(address, sizeof address, "/api/1/jobs/j%llu/events", (unsigned long long)r->id);
    ubi__json_member_string(json, "events", address);
    snprintf(address, sizeof address, "/api/1/jobs/j%llu/answer", (unsigned long long)r->id);
    ubi__json_member_string(json, "answer", address);
}

static void report_put(ubi__json *json, const void *payload) {
    const ubi__desk_report *r = payload;
    char id[24];
    snprintf(id, sizeof id, "j%llu", (unsigned long long)r->id);
    ubi__json_member_string(json, "id", id);
    ubi__json_member_string(json, "title", r->title);
    ubi__json_member_string(json, "state", ubi__desk_state_name(r->state));
    ubi__json_member_bool(json, "isKept", r->is_kept);
    ubi__json_member_u64(json, "ageMs", r->age_us / 1000);
    if (r->stage && r->stage[0])
        ubi__json_member_string(json, "stage", r->stage);
    if (r->fraction >= 0) {
        ubi__json_key(json, "fraction");
        ubi__json_double(json, r->fraction);
    }
    if (r->state == UBI__DESK_FAILED || r->state == UBI__DESK_CANCELLED) {
        ubi__json_member_string(json, "status", ubi__http_error_of(r->status)->name);
        ubi__json_member_string(json, "message", r->message);
    }
    addresses_put(json, r);
}

static enum MHD_Result job_reply(ubi__exchange *e, unsigned code, const ubi__desk_report *report,
                                 const char *location) {
    return ubi__http_document_reply(e, code, "ubiheap.job/1", report_put, report, location);
}

/* ---- one job ------------------------------------------------------------------------------------------------------------------------ */

static ubi_status id_read(uint64_t *out, const ubi__exchange *e) {
    const char *name = ubi__exchange_name(e, 3);
    if (name[0] != 'j' || ubi__parse_number(out, name + 1, "job") != UBI_OK)
        return ubi__fail(UBI_ENOTFOUND, "there is no job '%.40s'", name);
    return UBI_OK;
}

static bool report_find(ubi__desk_report *out, ubi__exchange *e, uint64_t id) {
    return id > 0 && ubi__desk_next(out, e->server->desk, id - 1) && out->id == id;
}

enum MHD_Result ubi__http_job(ubi__exchange *e) {
    ubi__desk_report report;
    uint64_t id = 0;
    ubi_status status = id_read(&id, e);
    if (status == UBI_OK && !report_find(&report, e, id))
        status = ubi__fail(UBI_ENOTFOUND, "there is no job %s", ubi__exchange_name(e, 3));
    return status == UBI_OK ? job_reply(e, MHD_HTTP_OK, &report, NULL) : ubi__reply_error(e, status);
}

enum MHD_Result ubi__http_job_accepted(ubi__exchange *e) {
    ubi__desk_report report;
    char location[40];
    if (!report_find(&report, e, e->job_id)) /* it was one of too many to keep at once */
        return ubi__reply_error(e, ubi__fail(UBI_EBUSY, "too many jobs are kept"));
    snprintf(location, sizeof location, "/api/1/jobs/j%llu", (unsigned long long)report.id);
    return job_reply(e, MHD_HTTP_ACCEPTED, &report, location);
}

enum MHD_Result ubi__http_job_cancel(ubi__exchange *e) {
    uint64_t id = 0;
    ubi_status status = id_read(&id, e);
    if (status == UBI_OK)
        status = ubi__desk_cancel(e->server->desk, id);
    return status == UBI_OK ? ubi__reply_empty(e, MHD_HTTP_NO_CONTENT) : ubi__reply_error(e, status);
}

static void jobs_put(ubi__json *json, const void *payload) {
    const ubi__exchange *e = payload;
    ubi__desk_report report = { .id = 0 };
    ubi__json_member_array(json, "jobs");
    while (ubi__desk_next(&report, e->server->desk, report.id)) {
        ubi__json_object_begin(json);
        report_put(json, &report);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

enum MHD_Result ubi__http_jobs(ubi__exchange *e) {
    return ubi__http_document_reply(e, MHD_HTTP_OK, "ubiheap.jobs/1", jobs_put, e, NULL);
}

/* ---- its answer ---------------------------------------------------------------------------------------------------------------------- */

/* The tag of an answer is that of the question, which only the address of the question has: here there is none. */
enum MHD_Result ubi__http_job_answer(ubi__exchange *e) {
    ubi__desk_report report;
    uint64_t id = 0;
    ubi_status status = id_read(&id, e);
    if (status == UBI_OK)
        status = ubi__desk_answer(&e->job, e->server->desk, id, &e->watcher);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    ubi__desk_look(&report, e->job);
    e->is_page = report.is_page;
    e->is_errand = report.is_errand;
    return ubi__http_job_look(e);
}

/* ---- its events ------------------------------------------------------------------------------------------------------------------------ */

static ubi_status event_write(ubi__exchange *e, const ubi__desk_report *report) {
    const char *name = ubi__desk_is_finished(report->state) ? "event: end\ndata: " : "event: progress\ndata: ";
    e->piece.n = e->piece_at = 0;
    if (!ubi__http_bytes_write(&e->piece, name, strlen(name)))
        return ubi__fail_nomem();
    UBI_TRY(ubi__http_document(&e->piece, "ubiheap.job/1", report_put, report)); /* ends its line */
    return ubi__http_bytes_write(&e->piece, "\n", 1) ? UBI_OK : ubi__fail_nomem();
}

/* The next event is in e->piece. False: the connection is suspended, or there is none. */
static bool event_next(ubi__exchange *e, ssize_t *result) {
    ubi__desk_report report;
    *result = MHD_CONTENT_READER_END_WITH_ERROR;
    if (e->is_ended)
        *result = MHD_CONTENT_READER_END_OF_STREAM;
    if (e->is_ended || ubi__exchange_is_gone(e))
        return false;
    if (e->has_reported && ubi__exchange_suspend(e)) {
        e->has_reported = false;
        *result = 0;
        return false;
    }
    ubi__desk_look(&report, e->job);
    e->has_reported = true;
    e->is_ended = ubi__desk_is_finished(report.state);
    return event_write(e, &report) == UBI_OK;
}

static ssize_t events_read(void *payload, uint64_t at, char *out, size_t room) {
    ubi__exchange *e = payload;
    ssize_t result;
    (void)at;
    while (e->piece_at == e->piece.n)
        if (!event_next(e, &result))
            return result;
    size_t left = e->piece.n - e->piece_at, n = left < room ? left : room;
    memcpy(out, e->piece.at + e->piece_at, n);
    e->piece_at += n;
    return (ssize_t)n;
}

enum MHD_Result ubi__http_job_events(ubi__exchange *e) {
    uint64_t id = 0;
    ubi_status status = id_read(&id, e);
    if (status == UBI_OK)
        status = ubi__desk_watch(&e->job, e->server->desk, id, &e->watcher);
    if (status != UBI_OK)
        return ubi__reply_error(e, status);
    atomic_fetch_add(&e->n_refs, 1);
    struct MHD_Response *response = ubi__mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EVENT_BLOCK_BYTES,
                                                                               events_read, e, ubi__reply_free);
    if (!response) {
        ubi__exchange_unref(e);
        return ubi__reply_no_memory(e);
    }
    ubi__reply_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/event-stream");
    ubi__reply_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    return ubi__reply_send(e, MHD_HTTP_OK, response);
}
