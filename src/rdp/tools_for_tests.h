/* SPDX-License-Identifier: MIT
 *
 * tools_for_tests.h: the timeline and the profiler of a target that is nothing but drawn: what they have is what a test puts there.
 */
#ifndef UBI_RDP_TOOLS_FOR_TESTS_H
#define UBI_RDP_TOOLS_FOR_TESTS_H

#include <ubiheap/extension/target_profiler.h>
#include <ubiheap/extension/target_timeline.h>

#include "base/status.h"

/* ---- a timeline: an observed target that no one but the test posts to ----------------------------------------------------- */

static void drawn_timeline_close(void *payload) {
    ubi_timeline_target_free(payload);
}
static ubi_timeline_target *drawn_timeline_observed(void *payload) {
    return payload;
}
static ubi_status drawn_timeline_open(void *payload, const ubi_target_scope *scope,
                                      const ubi_target_timeline_options *options, ubi_target_timeline *out) {
    static const ubi_target_timeline_ops ops = { .version = UBI_TARGET_TIMELINE_OPS_VERSION,
                                                 .close = drawn_timeline_close,
                                                 .observed = drawn_timeline_observed };
    ubi_timeline_target *target;
    (void)payload, (void)scope, (void)options;
    UBI_TRY(ubi_timeline_target_new(&target, NULL));
    *out = (ubi_target_timeline){ &ops, target };
    return UBI_OK;
}

/* ---- a profiler of its own for each that is opened ------------------------------------------------------------------------ */

typedef struct drawn_profiler {
    ubi_profiler *profiler;
    ubi_profiler_member *member;
} drawn_profiler;

static ubi_status drawn_profiler_frames(void *payload, ubi_profiler_frame_fn fn, void *fn_payload) {
    const ubi_profiler_frame frame = { .function_name = { "make", 4 }, .source = { "drawn.js", 8 }, .line = 1 };
    (void)payload;
    return fn(fn_payload, &frame);
}

/* Five allocations, of which the first is freed. */
static ubi_status drawn_profiler_start(void *payload) {
    drawn_profiler *p = payload;
    if (ubi_profiler_is_running(p->member))
        return UBI_OK;
    UBI_TRY(ubi_profiler_start(p->member));
    for (uintptr_t i = 1; i <= 5; i++)
        ubi_profiler_allocated(p->member, UBI_PROFILER_OBJECTS,
                               &(ubi_profiler_allocation){ 16 * i, 100, { "Object", 6 }, 0 });
    ubi_profiler_freed(p->member, UBI_PROFILER_OBJECTS, 16);
    return UBI_OK;
}
static void drawn_profiler_stop(void *payload) {
    ubi_profiler_stop(((drawn_profiler *)payload)->member);
}
static void drawn_profiler_reset(void *payload) {
    ubi_profiler_reset(((drawn_profiler *)payload)->member);
}
static bool drawn_profiler_is_running(void *payload) {
    return ubi_profiler_is_running(((drawn_profiler *)payload)->member);
}
static ubi_status drawn_profiler_results(void *payload, ubi_recording **out) {
    return ubi_profiler_results(out, ((drawn_profiler *)payload)->member);
}
static void drawn_profiler_close(void *payload) {
    drawn_profiler *p = payload;
    ubi_profiler_leave(p->member);
    ubi_profiler_free(p->profiler);
    ubi_allocator_default()->free(ubi_allocator_default()->ctx, p, sizeof *p);
}

static ubi_status drawn_profiler_open(void *payload, const ubi_target_scope *scope, ubi_target_profiler *out) {
    static const ubi_target_profiler_ops ops = { .version = UBI_TARGET_PROFILER_OPS_VERSION,
                                                 .close = drawn_profiler_close,
                                                 .start = drawn_profiler_start,
                                                 .stop = drawn_profiler_stop,
                                                 .reset = drawn_profiler_reset,
                                                 .is_running = drawn_profiler_is_running,
                                                 .results = drawn_profiler_results };
    ubi_profiler_options options = UBI_PROFILER_OPTIONS_INIT;
    const ubi_profiler_source source = { .thread = 1, .frames = drawn_profiler_frames };
    drawn_profiler *p = ubi_allocator_default()->alloc(ubi_allocator_default()->ctx, sizeof *p);
    (void)payload, (void)scope;
    if (!p)
        return ubi__fail_nomem();
    *p = (drawn_profiler){ NULL, NULL };
    options.period_bytes = 1;
    ubi_status status = ubi_profiler_new(&p->profiler, &options);
    if (status == UBI_OK)
        status = ubi_profiler_join(&p->member, p->profiler, &source);
    if (status == UBI_OK)
        *out = (ubi_target_profiler){ &ops, p };
    else
        drawn_profiler_close(p);
    return status;
}

#endif
