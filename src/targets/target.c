/* SPDX-License-Identifier: MIT
 *
 * target.c: what can be done with any target, from the operations that it implements (ubiheap/extension/target.h).
 */
#include <ubiheap/extension/target.h>

#include <ubiheap/core/marker.h>

#include "base/assert.h"
#include "base/status.h"
#include "formats/save.h"
#include "targets/target_need.h"

/* What operations of each version may say that they can: bits below the first of the next. */
static uint32_t version_capabilities(uint32_t version) {
    return version == 1   ? (uint32_t)UBI_TARGET_OBSERVE - 1
           : version == 2 ? (uint32_t)UBI_TARGET_TIMELINE - 1
                          : UINT32_MAX;
}

static bool ops_version_is_known(const ubi_target_ops *ops) {
    return ops->version >= 1 && ops->version <= UBI_TARGET_OPS_VERSION;
}

bool ubi_target_can(ubi_target target, uint32_t capabilities) {
    if (!target.ops || !ops_version_is_known(target.ops))
        return false;
    uint32_t can = target.ops->capabilities & version_capabilities(target.ops->version);
    return (can & capabilities) == capabilities;
}

/* What is left to ask of one that has sizes and no graph. */
static const char *refusal_advice(const ubi_target_ops *ops) {
    uint32_t can = ops->capabilities & version_capabilities(ops->version) & ~(uint32_t)UBI_TARGET_SAFE_POINT;
    return can == (UBI_TARGET_MEASURE | UBI_TARGET_OBSERVE | UBI_TARGET_PROFILE)
               ? ": it can only be measured, observed and profiled; what a native program allocates, 'ubiheap record' "
                 "shows"
               : "";
}

ubi_status ubi__target_need(ubi_target target, ubi_target_capability capability, const char *what) {
    UBI_ASSERT(target.ops && ((uint32_t)capability & ((uint32_t)capability - 1)) == 0);
    if (!ops_version_is_known(target.ops))
        return ubi__fail(UBI_EINVAL, "target operations of version %u, expected 1 to %d", target.ops->version,
                         UBI_TARGET_OPS_VERSION);
    if (ubi_target_can(target, capability))
        return UBI_OK;
    return ubi__fail(UBI_ESTATE, "a target of kind %s cannot %s%s", target.ops->kind, what, refusal_advice(target.ops));
}

/** Thaws after work that ended with `status`; what touched the heap meanwhile counts unless the work failed. */
static ubi_status target_thaw(ubi_target target, ubi_status status) {
    if (status == UBI_OK)
        return target.ops->thaw(target.payload);
    /* The first error keeps its message. */
    char message[512];
    size_t i = 0;
    for (const char *from = ubi_error_message(); from[i] && i < sizeof message - 1; i++)
        message[i] = from[i];
    message[i] = '\0';
    target.ops->thaw(target.payload);
    return ubi__fail(status, "%s", message);
}

static ubi_status target_freeze(ubi_target target, const ubi_target_scope *scope, ubi_frozen_heap *heap) {
    UBI_TRY(ubi__target_need(target, UBI_TARGET_WALK, "be walked"));
    UBI_ASSERT(target.ops->freeze && target.ops->thaw);
    *heap = (ubi_frozen_heap){ 0 };
    return target.ops->freeze(target.payload, scope, heap);
}

ubi_status ubi_target_census(ubi_census **out, ubi_target target, const ubi_target_scope *scope,
                             const ubi_breakdown *breakdown, const ubi_census_options *options) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Census");
    static const ubi_census_options defaults = UBI_CENSUS_OPTIONS_INIT;
    ubi_census_options o = options ? *options : defaults;
    ubi_frozen_heap heap;
    ubi_census *census = NULL;
    UBI_TRY(target_freeze(target, scope, &heap));
    o.edge_filter = heap.edge_filter;
    o.edge_filter_payload = heap.edge_filter_payload;
    ubi_status status = target_thaw(target, ubi_census_take_live(&census, heap.root, breakdown, &o));
    if (status == UBI_OK)
        *out = census;
    else
        ubi_census_free(census);
    return status;
}

/* A heap that is being saved. */
typedef struct saving {
    ubi_target target;
    bool is_thawed;
} saving;

static ubi_status thaw_when_written(void *payload) {
    saving *s = payload;
    s->is_thawed = true;
    return s->target.ops->thaw(s->target.payload);
}

/* The heap runs again before the file is on disk; a heap that was touched leaves no file. */
ubi_status ubi_target_save(ubi_target target, const ubi_target_scope *scope, const char *path,
                           const ubi_save_options *options, ubi_save_info *info) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::SaveSnapshot");
    static const ubi_save_options defaults = UBI_SAVE_OPTIONS_INIT;
    ubi_save_options o = options ? *options : defaults;
    ubi_frozen_heap heap;
    UBI_TRY(target_freeze(target, scope, &heap));
    o.edge_filter = heap.edge_filter;
    o.edge_filter_payload = heap.edge_filter_payload;
    saving s = { .target = target };
    ubi_status status = ubi__save_path_if(heap.root, path, &o, info, thaw_when_written, &s);
    return s.is_thawed ? status : target_thaw(target, status);
}

ubi_status ubi_target_capture(ubi_graph **out, ubi_target target, const ubi_target_scope *scope,
                              const ubi_allocator *allocator) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Capture");
    ubi_frozen_heap heap;
    ubi_graph *graph = NULL;
    UBI_TRY(target_freeze(target, scope, &heap));
    ubi_capture_options o = UBI_CAPTURE_OPTIONS_INIT;
    o.allocator = allocator;
    o.edge_filter = heap.edge_filter;
    o.edge_filter_payload = heap.edge_filter_payload;
    ubi_status status = target_thaw(target, ubi_graph_capture(&graph, heap.root, &o));
    if (status == UBI_OK)
        *out = graph;
    else
        ubi_graph_unref(graph);
    return status;
}

ubi_status ubi_target_collect_garbage(ubi_target target) {
    UBI_TRY(ubi__target_need(target, UBI_TARGET_COLLECT_GARBAGE, "collect garbage"));
    return target.ops->collect_garbage(target.payload);
}

ubi_status ubi_target_collect_cycles(ubi_target target) {
    UBI_TRY(ubi__target_need(target, UBI_TARGET_COLLECT_CYCLES, "collect cycles"));
    return target.ops->collect_cycles(target.payload);
}

ubi_status ubi_target_measure(ubi_target target, ubi_measure_fn fn, void *payload) {
    UBI_TRY(ubi__target_need(target, UBI_TARGET_MEASURE, "be measured"));
    return target.ops->measure(target.payload, fn, payload);
}

ubi_status ubi_target_run_at_safe_point(ubi_target target, ubi_safe_point_fn fn, void *payload) {
    UBI_TRY(ubi__target_need(target, UBI_TARGET_SAFE_POINT, "run requests at a safe point"));
    return target.ops->run_at_safe_point(target.payload, fn, payload);
}

/* ---- observers ------------------------------------------------------------------------------------------------------ */

ubi_status ubi_target_observe(ubi_target_observer *out, ubi_target target, const ubi_target_scope *scope) {
    ubi_target_observer observer = { 0 };
    UBI_TRY(ubi__target_need(target, UBI_TARGET_OBSERVE, "be observed"));
    UBI_TRY(target.ops->observe(target.payload, scope, &observer));
    if (observer.ops->version != UBI_TARGET_OBSERVER_OPS_VERSION) {
        uint32_t version = observer.ops->version;
        observer.ops->free(observer.payload); /* the first operation of any version */
        return ubi__fail(UBI_EINVAL, "observer operations of version %u, expected %d", version,
                         UBI_TARGET_OBSERVER_OPS_VERSION);
    }
    *out = observer;
    return UBI_OK;
}

void ubi_target_observer_free(ubi_target_observer observer) {
    observer.ops->free(observer.payload);
}

ubi_status ubi_target_observer_set_tracking(ubi_target_observer observer, bool on) {
    return observer.ops->set_tracking(observer.payload, on);
}

ubi_status ubi_target_observer_set_probability(ubi_target_observer observer, double probability) {
    return observer.ops->set_probability(observer.payload, probability);
}

ubi_status ubi_target_observer_set_log_limit(ubi_target_observer observer, uint32_t entries) {
    return observer.ops->set_log_limit(observer.payload, entries);
}

void ubi_target_observer_get_state(ubi_target_observer observer, ubi_target_observer_state *out) {
    observer.ops->state(observer.payload, out);
}

ubi_status ubi_target_observer_drain(ubi_target_observer observer, ubi_logged_allocation_fn fn, void *payload) {
    return observer.ops->drain(observer.payload, fn, payload);
}

void ubi_target_observer_on_collection(ubi_target_observer observer, ubi_collection_fn fn, void *payload) {
    observer.ops->on_collection(observer.payload, fn, payload);
}
