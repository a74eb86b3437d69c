/* SPDX-License-Identifier: MIT
 *
 * cdp_heap.c: see cdp_heap.h.
 */
#include "cdp/cdp_heap.h"

#include <string.h>

#include "base/status.h"
#include "base/text.h"
#include "cdp/cdp_remote.h"

/* ---- targets -------------------------------------------------------------------------------------------------------- */

/* A program that is not busy has answered by then; a list is no reason to wait for longer. */
#define LIST_PATIENCE_US ((uint64_t)3000000)

typedef struct listing {
    ubi__remote *remote;
    ubi__remote_each *each;
    void *payload;
    uint64_t n;
    bool is_found; /* what the address chooses */
} listing;

static ubi_text list_text(const ubi__remote *r) {
    return (ubi_text){ (const char *)r->list.at, r->list.n };
}

/* A worker of a page has an address as its page knows it. NULL text: unknown. */
static ubi_text worker_url(const ubi__remote *r, const ubi__cdp_target *target) {
    const char *slash = strrchr(target->path, '/');
    for (size_t i = 0; slash && i < r->workers.n; i++)
        if (strcmp(r->workers.at[i].target, slash + 1) == 0)
            return (ubi_text){ (const char *)r->workers.at[i].url.at, r->workers.at[i].url.n };
    return (ubi_text){ NULL, 0 };
}

static ubi_status target_list(void *payload, const ubi__cdp_target *target) {
    listing *l = payload;
    l->n++;
    const ubi__remote_row row = { .choice = UBI__REMOTE_TAB,
                                  .number = l->n,
                                  .is_selected = l->n == 1,
                                  .is_program = ubi__text_is(target->type, "node"),
                                  .title = target->title.len ? target->title : target->type,
                                  .url = target->url.len ? target->url : worker_url(l->remote, target) };
    return l->each(l->payload, &row);
}

static ubi_status worker_note(void *payload, const ubi__cdp_target *target) {
    bool *has_workers = payload;
    *has_workers = *has_workers || (ubi__text_is(target->type, "worker") && target->url.len == 0);
    return UBI_OK;
}

static ubi_status page_workers_look(ubi__remote *r) {
    bool has_workers = false;
    UBI_TRY(ubi__cdp_targets_read(list_text(r), worker_note, &has_workers, r->allocator));
    r->patience_us = r->address->patience_us ? 0 : LIST_PATIENCE_US;
    ubi_status status = has_workers ? ubi__cdp_page_workers_gather(r) : UBI_OK;
    r->patience_us = 0;
    return status;
}

/* A program of Node.js has one, and is alone in its list. */
static ubi_status program_note(void *payload, const ubi__cdp_target *target) {
    ubi__remote *r = payload;
    if (!r->is_node && ubi__text_is(target->type, "node")) {
        r->is_node = target->path[0] != '\0';
        memcpy(r->path, target->path, sizeof r->path);
    }
    return UBI_OK;
}

/* The server of the list answers also for a program that is busy, or held. Its threads are missing from the list then. */
static ubi_status workers_look(ubi__remote *r) {
    UBI_TRY(ubi__cdp_targets_read(list_text(r), program_note, r, r->allocator));
    if (!r->is_node)
        return page_workers_look(r);
    r->patience_us = r->address->patience_us ? 0 : LIST_PATIENCE_US;
    ubi_status status = ubi__cdp_remote_connect(r);
    if (status == UBI_OK)
        status = ubi__cdp_workers_count(r);
    r->patience_us = 0;
    r->are_workers_missing = status == UBI_EIO && !r->is_ending;
    return r->are_workers_missing ? UBI_OK : status;
}

static ubi_status workers_list(const ubi__remote *r, ubi__remote_each *each, void *payload) {
    for (size_t i = 0; i < r->workers.n; i++) {
        const ubi__cdp_worker *w = &r->workers.at[i];
        const ubi__remote_row row = { .choice = UBI__REMOTE_WORKER,
                                      .number = w->number,
                                      .title = { (const char *)w->title.at, w->title.n },
                                      .url = { (const char *)w->url.at, w->url.n } };
        UBI_TRY(each(payload, &row));
    }
    return UBI_OK;
}

static ubi_status remote_list(ubi__remote *r, ubi__remote_each *each, void *payload) {
    listing l = { .remote = r, .each = each, .payload = payload };
    const ubi__remote_row row = {
        .choice = UBI__REMOTE_TAB, .number = 1, .is_selected = true, .title = ubi__text(r->path)
    };
    if (r->address->path[0])
        return each(payload, &row);
    UBI_TRY(workers_look(r));
    UBI_TRY(ubi__cdp_targets_read(list_text(r), target_list, &l, r->allocator));
    return r->is_node ? workers_list(r, each, payload) : UBI_OK;
}

static ubi_status target_choose(void *payload, const ubi__cdp_target *target) {
    listing *l = payload;
    ubi__remote *r = l->remote;
    const ubi__remote_address *address = r->address;
    bool is_first = ++l->n == 1, may_be_host = false, fits = is_first;
    if (address->choice == UBI__REMOTE_TAB) {
        fits = l->n == address->number;
    } else if (address->choice == UBI__REMOTE_NAMED) {
        fits = ubi__remote_name_fits(address, target->title, target->url) ||
               (!address->name && strstr(target->path, address->text)); /* it ends with the target's id */
        if (fits && l->is_found && !address->name)
            return ubi__fail(UBI_EINVAL, "has several with '%s' in their titles or addresses", address->text);
        fits = fits && !l->is_found;
        may_be_host = is_first && ubi__text_is(target->type, "node"); /* the name may be that of a worker of it */
    }
    if (!fits && !may_be_host)
        return UBI_OK;
    l->is_found = l->is_found || fits;
    if (!target->path[0])
        return ubi__fail(UBI_ESTATE, "has a target that no one else can attach to: is a debugger attached already?");
    memcpy(r->path, target->path, sizeof r->path);
    r->is_node = ubi__text_is(target->type, "node");
    r->is_page = ubi__text_is(target->type, "page");
    r->is_page_worker =
        ubi__text_is(target->type, "worker") && r->address->scheme->has_names && !r->address->scheme->has_workers;
    return UBI_OK;
}

/* What the address chooses, or the program of the worker that it chooses: then *is_found is false. */
static ubi_status path_find(ubi__remote *r, bool *is_found) {
    listing l = { .remote = r };
    ubi__remote_choice choice = r->address->choice;
    if (choice == UBI__REMOTE_PROCESS)
        return ubi__fail(UBI_EINVAL, "has no processes: its targets are tabs, as 'ubiheap attach' lists them");
    *is_found = choice != UBI__REMOTE_NAMED;
    if (r->address->path[0])
        return UBI_OK;
    UBI_TRY(ubi__cdp_targets_read(list_text(r), target_choose, &l, r->allocator));
    *is_found = l.is_found;
    if (r->path[0])
        return UBI_OK;
    return l.n && choice != UBI__REMOTE_ANY ? ubi__remote_fail_missing(r->address, l.n)
                                            : ubi__fail(UBI_ENOTFOUND, "has nothing to attach to");
}

static ubi_status remote_attach(ubi__remote *r) {
    bool is_found = false;
    UBI_TRY(path_find(r, &is_found));
    if (r->is_page_worker)
        return ubi__cdp_page_worker_attach(r);
    UBI_TRY(ubi__cdp_remote_connect(r));
    bool is_worker = r->address->choice == UBI__REMOTE_WORKER && r->address->number > 0;
    return is_worker || !is_found ? ubi__cdp_workers_attach(r) : UBI_OK;
}

/* ---- what else there is to ask -------------------------------------------------------------------------------------- */

static ubi_status remote_collect(ubi__remote *r) {
    ubi_text result;
    ubi__cdp_peer_set_stage(r->peer, "collecting garbage", 0, 0);
    return ubi__cdp_peer_ask(r->peer, "HeapProfiler.collectGarbage", NULL, &result);
}

static ubi_status remote_census(ubi__remote *r, ubi__remote_document *take, void *payload) {
    (void)r, (void)take, (void)payload;
    return ubi__fail(UBI_ESTATE, "does not count its heap itself; 'ubiheap census ADDRESS' counts a snapshot of it");
}

static ubi_status allocations_fail(void) {
    return ubi__fail(UBI_ESTATE, "has no log of allocations; 'profile' samples them, and 'track' has them all");
}

static ubi_status remote_record_start(ubi__remote *r, const ubi__remote_recording *options, double *start_ms) {
    (void)r, (void)options, (void)start_ms;
    return allocations_fail();
}

static ubi_status remote_record_take(ubi__remote *r, ubi__remote_document *take, void *payload) {
    (void)r, (void)take, (void)payload;
    return allocations_fail();
}

static ubi_status remote_record_stop(ubi__remote *r) {
    (void)r;
    return allocations_fail();
}

static ubi_status remote_wait(ubi__remote *r, const char *stage, uint64_t microseconds) {
    ubi__cdp_peer_set_stage(r->peer, stage, 0, 0);
    return ubi__cdp_peer_wait(r->peer, microseconds);
}

static void remote_missing(ubi__remote *r, ubi__remote_name *take, void *payload) {
    if (r->are_workers_missing)
        take(payload, ubi__text("worker threads, as far as there are any"));
    r->are_workers_missing = false;
}

static uint64_t remote_other_heaps(ubi__remote *r, bool must_be_new) {
    uint64_t n = ubi__cdp_workers_are_left(r) ? r->workers.n : 0;
    bool is_new = n != r->n_workers_said;
    if (must_be_new)
        r->n_workers_said = n;
    return must_be_new && !is_new ? 0 : n;
}

static bool remote_is_shared(ubi__remote *r) {
    return r->peer && r->address->pid && ubi__node_connection_count("", (pid_t)r->address->pid, r->port) > 1;
}

static bool remote_has_ended(ubi__remote *r) {
    return r->has_ended || r->is_ending || (r->address->pid && ubi__node_has_ended("", (pid_t)r->address->pid));
}

const ubi__remote_ops ubi__cdp_remote_ops = {
    .open = ubi__cdp_remote_open,
    .close = ubi__cdp_remote_close,
    .list = remote_list,
    .attach = remote_attach,
    .snapshot = ubi__cdp_remote_snapshot,
    .census = remote_census,
    .collect = remote_collect,
    .measure = ubi__cdp_remote_measure,
    .record_start = remote_record_start,
    .wait = remote_wait,
    .record_take = remote_record_take,
    .record_stop = remote_record_stop,
    .trace_start = ubi__cdp_remote_trace_start,
    .trace_look = ubi__cdp_remote_trace_look,
    .trace_stop = ubi__cdp_remote_trace_stop,
    .missing = remote_missing,
    .other_heaps = remote_other_heaps,
    .other_processes = ubi__cdp_cluster_others,
    .is_shared = remote_is_shared,
    .has_ended = remote_has_ended,
};
