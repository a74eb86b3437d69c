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

typedef struct listing {
    ubi__remote *remote;
    ubi__remote_each *each;
    void *payload;
    uint64_t n;
} listing;

static ubi_status target_list(void *payload, const ubi__cdp_target *target) {
    listing *l = payload;
    l->n++;
    const ubi__remote_row row = { .choice = UBI__REMOTE_TAB,
                                  .number = l->n,
                                  .is_selected = l->n == 1,
                                  .title = target->title.len ? target->title : target->type,
                                  .url = target->url };
    return l->each(l->payload, &row);
}

static ubi_status remote_list(ubi__remote *r, ubi__remote_each *each, void *payload) {
    listing l = { r, each, payload, 0 };
    const ubi__remote_row row = {
        .choice = UBI__REMOTE_TAB, .number = 1, .is_selected = true, .title = ubi__text(r->path)
    };
    if (r->address->path[0])
        return each(payload, &row);
    return ubi__cdp_targets_read((ubi_text){ (const char *)r->list.at, r->list.n }, target_list, &l, r->allocator);
}

static ubi_status target_choose(void *payload, const ubi__cdp_target *target) {
    listing *l = payload;
    ubi__remote *r = l->remote;
    uint64_t number = r->address->choice == UBI__REMOTE_TAB ? r->address->number : 1;
    if (++l->n != number)
        return UBI_OK;
    if (!target->path[0])
        return ubi__fail(UBI_ESTATE, "has a target that no one else can attach to: is a debugger attached already?");
    memcpy(r->path, target->path, sizeof r->path);
    r->is_node = ubi__text_is(target->type, "node");
    return UBI_OK;
}

static ubi_status path_find(ubi__remote *r) {
    listing l = { .remote = r };
    if (r->address->choice == UBI__REMOTE_PROCESS)
        return ubi__fail(UBI_EINVAL, "has no processes: its targets are tabs, as 'ubiheap attach' lists them");
    if (r->address->path[0])
        return UBI_OK;
    UBI_TRY(ubi__cdp_targets_read((ubi_text){ (const char *)r->list.at, r->list.n }, target_choose, &l, r->allocator));
    if (r->path[0])
        return UBI_OK;
    return r->address->choice == UBI__REMOTE_TAB ? ubi__remote_fail_missing(r->address, l.n)
                                                 : ubi__fail(UBI_ENOTFOUND, "has nothing to attach to");
}

static ubi_status remote_attach(ubi__remote *r) {
    UBI_TRY(path_find(r));
    return ubi__cdp_remote_connect(r);
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
    (void)r, (void)take, (void)payload;
}

static uint64_t remote_other_heaps(ubi__remote *r, bool must_be_new) {
    bool is_new = r->n_workers != r->n_workers_said;
    if (must_be_new)
        r->n_workers_said = r->n_workers;
    return must_be_new && !is_new ? 0 : r->n_workers;
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
};
