/* SPDX-License-Identifier: MIT
 *
 * cdp_workers.c: see cdp_remote.h.
 *
 * Node.js reaches them through the program itself (NodeWorker): each that there is comes in an event before the reply to NodeWorker.enable, with
 * a session, in whose name messages to it are carried. All sessions end with NodeWorker.disable.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_remote.h"

/* A list is no reason to keep more of what another side sends. */
#define MOST_WORKERS 10000

static void worker_fini(ubi__cdp_worker *w, const ubi_allocator *a) {
    ubi__vec_u8_fini(&w->title, a);
    ubi__vec_u8_fini(&w->url, a);
}

static void workers_clear(ubi__remote *r) {
    for (size_t i = 0; i < r->workers.n; i++)
        worker_fini(&r->workers.at[i], r->allocator);
    r->workers.n = 0;
}

void ubi__cdp_workers_close(ubi__remote *r) {
    workers_clear(r);
    ubi__cdp_workers_fini(&r->workers, r->allocator);
}

/* ---- what is said about them ---------------------------------------------------------------------------------------- */

/* Its title has it, as in "Worker 3" and "[worker 3] resizer"; 0: another title. */
static uint64_t title_number(ubi_text title) {
    uint64_t number = 0;
    size_t i = ubi__text_begins(title, "Worker ") ? 7 : ubi__text_begins(title, "[worker ") ? 8 : title.len;
    for (; i < title.len && ubi__is_digit(title.ptr[i]) && number < UINT32_MAX; i++)
        number = 10 * number + (uint64_t)(title.ptr[i] - '0');
    return number;
}

static bool session_read(char out[UBI__CDP_SESSION_BYTES], ubi_text params) {
    ubi__json_value session;
    if (!ubi__json_object_find(&session, params, "sessionId") || session.type != UBI__JSON_STRING ||
        session.has_escapes || session.raw.len == 0 || session.raw.len >= UBI__CDP_SESSION_BYTES)
        return false;
    memcpy(out, session.raw.ptr, session.raw.len);
    out[session.raw.len] = '\0';
    return true;
}

/* Text of a member, as owned bytes. */
static ubi_status member_copy(ubi__vec_u8 *out, ubi_text object, const char *name, const ubi_allocator *a) {
    ubi__vec_u8 scratch = { NULL, 0, 0 };
    ubi_text text;
    ubi_status status = ubi__json_member_value_text(&text, object, name, &scratch, a);
    if (status == UBI_OK && text.ptr)
        status = ubi__bytes_append(out, text.ptr, text.len, a);
    ubi__vec_u8_fini(&scratch, a);
    return status;
}

static ubi_status worker_add(ubi__remote *r, ubi_text params) {
    const ubi_allocator *a = r->allocator;
    ubi__cdp_worker w = { .number = 0 };
    ubi__json_value info;
    if (r->workers.n == MOST_WORKERS || !session_read(w.session, params) ||
        !ubi__json_object_find(&info, params, "workerInfo") || info.type != UBI__JSON_OBJECT)
        return UBI_OK;
    ubi_status status = member_copy(&w.title, info.raw, "title", a);
    if (status == UBI_OK)
        status = member_copy(&w.url, info.raw, "url", a);
    w.number = title_number((ubi_text){ (const char *)w.title.at, w.title.n });
    if (w.number == 0)
        w.number = r->workers.n + 1;
    if (status == UBI_OK)
        status = ubi__cdp_workers_push(&r->workers, a, w);
    if (status != UBI_OK)
        worker_fini(&w, a);
    return status;
}

ubi_status ubi__cdp_workers_event(ubi__remote *r, ubi_text method, ubi_text params) {
    char session[UBI__CDP_SESSION_BYTES];
    if (r->is_finding_workers && ubi__text_is(method, "NodeWorker.attachedToWorker"))
        return worker_add(r, params);
    if (r->worker[0] && ubi__text_is(method, "NodeWorker.detachedFromWorker") && session_read(session, params) &&
        strcmp(session, r->worker) == 0)
        r->has_ended = r->is_worker_over = true;
    return UBI_OK;
}

/* ---- finding them --------------------------------------------------------------------------------------------------- */

static int workers_compare(const void *left, const void *right) {
    const ubi__cdp_worker *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* They are watched then. UBI_ESTATE: it knows of none. */
static ubi_status workers_find(ubi__remote *r) {
    ubi_text result;
    workers_clear(r);
    r->is_finding_workers = true;
    ubi_status status = ubi__cdp_peer_ask(r->peer, "NodeWorker.enable", "{\"waitForDebuggerOnStart\":false}", &result);
    r->is_finding_workers = false;
    r->are_workers_watched = status == UBI_OK;
    if (r->workers.n)
        qsort(r->workers.at, r->workers.n, sizeof *r->workers.at, workers_compare);
    return status;
}

/*
 * Once for a connection, and no longer than it takes: a worker that ends does not wait for us then, and Node.js 20 may crash if it exits in the
 * moment between the two.
 */
ubi_status ubi__cdp_workers_count(ubi__remote *r) {
    ubi_text result;
    if (r->knows_workers)
        return UBI_OK;
    r->knows_workers = true;
    ubi_status status = workers_find(r);
    r->are_workers_watched = false;
    if (status == UBI_OK)
        status = ubi__cdp_peer_ask(r->peer, "NodeWorker.disable", NULL, &result);
    return status == UBI_ESTATE ? UBI_OK : status;
}

/* ---- one of them ---------------------------------------------------------------------------------------------------- */

static bool worker_is_chosen(const ubi__remote_address *address, const ubi__cdp_worker *w) {
    if (address->choice == UBI__REMOTE_WORKER)
        return w->number == address->number;
    return ubi__remote_name_fits(address, (ubi_text){ (const char *)w->title.at, w->title.n },
                                 (ubi_text){ (const char *)w->url.at, w->url.n });
}

static const ubi__cdp_worker *worker_choose(const ubi__remote *r) {
    for (size_t i = 0; i < r->workers.n; i++)
        if (worker_is_chosen(r->address, &r->workers.at[i]))
            return &r->workers.at[i];
    return NULL;
}

ubi_status ubi__cdp_workers_attach(ubi__remote *r) {
    ubi_status status = workers_find(r);
    if (status == UBI_ESTATE)
        return ubi__fail(UBI_ESTATE, "has no worker threads that it lets others look into");
    UBI_TRY(status);
    const ubi__cdp_worker *chosen = worker_choose(r);
    if (!chosen)
        return ubi__remote_fail_missing(r->address, r->workers.n);
    memcpy(r->worker, chosen->session, sizeof r->worker);
    ubi__cdp_peer_set_session(r->peer, r->worker);
    return UBI_OK;
}

/* Nothing is waited for. */
void ubi__cdp_workers_leave(ubi__remote *r) {
    if (r->peer)
        ubi__cdp_peer_set_session(r->peer, "");
    r->worker[0] = '\0';
    r->is_worker_over = false;
    if (r->peer && r->are_workers_watched)
        (void)ubi__cdp_peer_note(r->peer, "NodeWorker.disable", NULL);
    r->are_workers_watched = false;
}
