/* SPDX-License-Identifier: MIT
 *
 * cdp_workers.c: see cdp_remote.h.
 *
 * Node.js reaches them through the program itself (NodeWorker): each that there is comes in an event before the reply to NodeWorker.enable, with
 * a session, in whose name messages to it are carried. All sessions end with NodeWorker.disable. Browsers do the same with Target.setAutoAttach;
 * messages have their session themselves then.
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

static bool id_read(char out[UBI__CDP_SESSION_BYTES], ubi_text object, const char *name) {
    ubi__json_value session;
    if (!ubi__json_object_find(&session, object, name) || session.type != UBI__JSON_STRING || session.has_escapes ||
        session.raw.len == 0 || session.raw.len >= UBI__CDP_SESSION_BYTES)
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

static bool session_read(char out[UBI__CDP_SESSION_BYTES], ubi_text params) {
    return id_read(out, params, "sessionId");
}

static bool type_is_worker(ubi_text info) {
    ubi__json_value type;
    return ubi__json_object_find(&type, info, "type") && ubi__json_value_is(&type, "worker");
}

/* @param member  of the event, with what is said of it. */
static ubi_status worker_add(ubi__remote *r, ubi_text params, const char *member) {
    const ubi_allocator *a = r->allocator;
    ubi__cdp_worker w = { .number = 0 };
    ubi__json_value info;
    if (r->workers.n == MOST_WORKERS || !session_read(w.session, params) ||
        !ubi__json_object_find(&info, params, member) || info.type != UBI__JSON_OBJECT)
        return UBI_OK;
    if (!r->is_node && !(type_is_worker(info.raw) && id_read(w.target, info.raw, "targetId")))
        return UBI_OK; /* a frame */
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
        return worker_add(r, params, "workerInfo");
    if (r->is_finding_workers && ubi__text_is(method, "Target.attachedToTarget"))
        return worker_add(r, params, "targetInfo");
    bool is_end =
        ubi__text_is(method, "NodeWorker.detachedFromWorker") || ubi__text_is(method, "Target.detachedFromTarget");
    if (r->worker[0] && is_end && session_read(session, params) && strcmp(session, r->worker) == 0)
        r->has_ended = r->is_worker_over = true;
    return UBI_OK;
}

/* ---- finding them --------------------------------------------------------------------------------------------------- */

static int workers_compare(const void *left, const void *right) {
    const ubi__cdp_worker *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

#define AUTO_ATTACH(is_on) "{\"autoAttach\":" is_on ",\"waitForDebuggerOnStart\":false,\"flatten\":true}"

static ubi_status workers_watch(ubi__remote *r) {
    ubi_text result;
    if (r->is_node)
        return ubi__cdp_peer_ask(r->peer, "NodeWorker.enable", "{\"waitForDebuggerOnStart\":false}", &result);
    UBI_TRY(ubi__cdp_peer_ask(r->peer, "Target.setAutoAttach", AUTO_ATTACH("true"), &result));
    return ubi__cdp_peer_ask(r->peer, "Runtime.getHeapUsage", NULL, &result); /* the page has answered, too */
}

static const char *unwatch_method(const ubi__remote *r) {
    return r->is_node ? "NodeWorker.disable" : "Target.setAutoAttach";
}

static const char *unwatch_params(const ubi__remote *r) {
    return r->is_node ? NULL : AUTO_ATTACH("false");
}

/* They are watched then. UBI_ESTATE: it knows of none. */
static ubi_status workers_find(ubi__remote *r) {
    if (!r->is_gathering_workers)
        workers_clear(r);
    r->is_finding_workers = true;
    ubi_status status = workers_watch(r);
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
        status = ubi__cdp_peer_ask(r->peer, unwatch_method(r), unwatch_params(r), &result);
    return status == UBI_ESTATE ? UBI_OK : status;
}

bool ubi__cdp_workers_are_left(const ubi__remote *r) {
    return !r->address->is_alone && (r->is_page || (r->is_node && r->address->choice == UBI__REMOTE_ANY));
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

typedef struct page_search {
    ubi__remote *remote;
    char id[UBI__CDP_PATH_BYTES]; /* of the worker */
} page_search;

static ubi_status page_enter(page_search *s, const ubi__cdp_target *page) {
    ubi__remote *r = s->remote;
    memcpy(r->path, page->path, sizeof r->path);
    UBI_TRY(ubi__cdp_remote_connect(r));
    UBI_TRY(workers_find(r));
    for (size_t i = 0; i < r->workers.n; i++)
        if (strcmp(r->workers.at[i].target, s->id) == 0)
            memcpy(r->worker, r->workers.at[i].session, sizeof r->worker);
    if (r->worker[0])
        ubi__cdp_peer_set_flat_session(r->peer, r->worker);
    return UBI_OK;
}

/* One that someone else has, or that does not answer, is not the page. */
static ubi_status page_try(void *payload, const ubi__cdp_target *target) {
    page_search *s = payload;
    ubi__remote *r = s->remote;
    bool is_page = ubi__text_is(target->type, "page") || ubi__text_is(target->type, "iframe");
    if (r->worker[0] || !is_page || !target->path[0])
        return UBI_OK;
    ubi_status status = page_enter(s, target);
    if (r->worker[0] || status == UBI_ENOMEM || status == UBI_ECANCELLED)
        return status;
    ubi__cdp_workers_leave(r);
    ubi__cdp_peer_close(r->peer);
    r->peer = NULL;
    return UBI_OK;
}

static ubi_status pages_search(page_search *s) {
    const ubi_text list = { (const char *)s->remote->list.at, s->remote->list.n };
    return ubi__cdp_targets_read(list, page_try, s, s->remote->allocator);
}

ubi_status ubi__cdp_page_workers_gather(ubi__remote *r) {
    page_search s = { .remote = r };
    r->is_gathering_workers = true;
    ubi_status status = pages_search(&s);
    r->is_gathering_workers = false;
    return status;
}

ubi_status ubi__cdp_page_worker_attach(ubi__remote *r) {
    page_search s = { .remote = r };
    const char *slash = strrchr(r->path, '/');
    memcpy(s.id, slash ? slash + 1 : r->path, strlen(slash ? slash + 1 : r->path) + 1);
    UBI_TRY(pages_search(&s));
    return r->worker[0]
               ? UBI_OK
               : ubi__fail(UBI_ESTATE, "is a worker that answers through its page, and no page that answers has it");
}

/* Nothing is waited for. */
void ubi__cdp_workers_leave(ubi__remote *r) {
    if (r->peer)
        ubi__cdp_peer_set_session(r->peer, "");
    r->worker[0] = '\0';
    r->is_worker_over = false;
    if (r->peer && r->are_workers_watched)
        (void)ubi__cdp_peer_note(r->peer, unwatch_method(r), unwatch_params(r));
    r->are_workers_watched = false;
}
