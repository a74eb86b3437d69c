/* SPDX-License-Identifier: MIT
 *
 * tool_ops.h: the timeline and the profiler of a runtime, as its target hands them out.
 *
 * Both are about the whole runtime: the engine runs its realms on one stack, and allocates them in one heap.
 */
#ifndef UBI_QUICKJS_TOOL_OPS_H
#define UBI_QUICKJS_TOOL_OPS_H

#include <ubiheap/extension/target_profiler.h>
#include <ubiheap/extension/target_timeline.h>

#include "engines/quickjs/adapter/profiling.h"
#include "engines/quickjs/adapter/scope.h"
#include "tracking/tool_memory.h"

static ubi_status ubi__target_scope_belongs(const ubi_target_scope *scope, const ubi_quickjs *tools) {
    return ubi__scope_belongs(scope ? (const ubi_quickjs_scope *)scope->part : NULL, tools);
}

/* ---- the timeline --------------------------------------------------------------------------------------------------- */

/** A timeline that was opened: an observed target that the runtime has joined. */
typedef struct ubi__opened_timeline {
    ubi_quickjs *tools;
    ubi_timeline_target *observed;
} ubi__opened_timeline;

static void ubi__opened_timeline_close(void *payload) {
    ubi__opened_timeline *t = payload;
    if (t->observed) /* NULL would mean all */
        ubi_quickjs_leave_timeline(t->tools, t->observed);
    ubi_timeline_target_free(t->observed);
    ubi__tool_free(t->tools->allocator, t, 1, sizeof *t);
}

static ubi_timeline_target *ubi__opened_timeline_observed(void *payload) {
    return ((ubi__opened_timeline *)payload)->observed;
}

static const ubi_target_timeline_ops ubi__opened_timeline_ops = { .version = UBI_TARGET_TIMELINE_OPS_VERSION,
                                                                  .close = ubi__opened_timeline_close,
                                                                  .observed = ubi__opened_timeline_observed };

/* So that what is remembered for observers is forgotten as soon as there is none. */
static void ubi__opened_timeline_recording_changed(void *payload, bool is_recording) {
    (void)is_recording;
    ubi__timeline_wants(&((ubi_quickjs *)payload)->timeline);
}

static ubi_status ubi__opened_timeline_join(ubi__opened_timeline *t, bool is_per_thread) {
    ubi_timeline_target_options options = UBI_TIMELINE_TARGET_OPTIONS_INIT;
    options.is_per_thread = is_per_thread;
    options.recording_changed = ubi__opened_timeline_recording_changed;
    options.payload = t->tools;
    ubi_status status = ubi_timeline_target_new(&t->observed, &options);
    return status == UBI_OK ? ubi_quickjs_join_timeline(t->tools, t->observed) : status;
}

static ubi_status ubi__open_timeline(void *payload, const ubi_target_scope *scope,
                                     const ubi_target_timeline_options *options, ubi_target_timeline *out) {
    ubi_quickjs *tools = payload;
    ubi_status status = ubi__target_scope_belongs(scope, tools);
    if (status != UBI_OK)
        return status;
    ubi__opened_timeline *t = ubi__tool_calloc(tools->allocator, 1, sizeof *t);
    if (!t)
        return ubi_error(UBI_ENOMEM, "no memory for a timeline of a QuickJS runtime");
    t->tools = tools;
    status = ubi__opened_timeline_join(t, options->is_per_thread);
    if (status == UBI_OK)
        *out = (ubi_target_timeline){ &ubi__opened_timeline_ops, t };
    else
        ubi__opened_timeline_close(t);
    return status;
}

/* ---- the profiler --------------------------------------------------------------------------------------------------- */

/** A profiler that was opened: it may want the runtime's to record. */
typedef struct ubi__opened_profiler {
    ubi_quickjs *tools;
    uint64_t session; /* that it wants; of a later one it knows nothing */
} ubi__opened_profiler;

static bool ubi__opened_profiler_is_running(void *payload) {
    return ubi_quickjs_profiler_is_running(((ubi__opened_profiler *)payload)->tools);
}

/* Whether it is one of those that want the recording at hand. */
static bool ubi__opened_profiler_wants(const ubi__opened_profiler *p) {
    return ubi_quickjs_profiler_is_running(p->tools) && p->session == p->tools->profiling.session;
}

static ubi_status ubi__opened_profiler_start(void *payload) {
    ubi__opened_profiler *p = payload;
    ubi__profiling *profiling = &p->tools->profiling;
    if (ubi__opened_profiler_wants(p))
        return UBI_OK;
    ubi_status status = ubi__profiling_start(p->tools);
    if (status != UBI_OK)
        return status;
    p->session = profiling->session;
    profiling->n_wanting++;
    return UBI_OK;
}

static void ubi__opened_profiler_stop(void *payload) {
    ubi__opened_profiler *p = payload;
    if (!p->tools->profiling.is_wanted_by_program)
        ubi_quickjs_stop_profiler(p->tools);
}

static void ubi__opened_profiler_reset(void *payload) {
    ubi_quickjs_reset_profiler(((ubi__opened_profiler *)payload)->tools);
}

static ubi_status ubi__opened_profiler_results(void *payload, ubi_recording **out) {
    return ubi_quickjs_profiler_results(out, ((ubi__opened_profiler *)payload)->tools);
}

static void ubi__opened_profiler_close(void *payload) {
    ubi__opened_profiler *p = payload;
    if (ubi__opened_profiler_wants(p) && --p->tools->profiling.n_wanting == 0)
        ubi__opened_profiler_stop(p);
    ubi__tool_free(p->tools->allocator, p, 1, sizeof *p);
}

static const ubi_target_profiler_ops ubi__opened_profiler_ops = { .version = UBI_TARGET_PROFILER_OPS_VERSION,
                                                                  .close = ubi__opened_profiler_close,
                                                                  .start = ubi__opened_profiler_start,
                                                                  .stop = ubi__opened_profiler_stop,
                                                                  .reset = ubi__opened_profiler_reset,
                                                                  .is_running = ubi__opened_profiler_is_running,
                                                                  .results = ubi__opened_profiler_results };

static ubi_status ubi__open_profiler(void *payload, const ubi_target_scope *scope, ubi_target_profiler *out) {
    ubi_quickjs *tools = payload;
    ubi_status status = ubi__target_scope_belongs(scope, tools);
    if (status != UBI_OK)
        return status;
    ubi__opened_profiler *p = ubi__tool_calloc(tools->allocator, 1, sizeof *p);
    if (!p)
        return ubi_error(UBI_ENOMEM, "no memory for a profiler of a QuickJS runtime");
    p->tools = tools;
    *out = (ubi_target_profiler){ &ubi__opened_profiler_ops, p };
    return UBI_OK;
}

#endif
