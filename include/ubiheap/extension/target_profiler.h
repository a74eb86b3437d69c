/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/target_profiler.h: the memory profiler of a target: what it allocates from now on, where, and what is left of it.
 *
 *     ubi_target_profiler profiler;
 *     ubi_target_open_profiler(&profiler, target, NULL);
 *     ubi_target_profiler_start(profiler);
 *     ...                                                    the program runs
 *     ubi_target_profiler_stop(profiler);
 *     ubi_target_profiler_results(&recording, profiler);     names, traces, events; see ubiheap/core/profiler.h
 *     ubi_target_profiler_close(profiler);
 *
 * It is Mozilla's nsIMemoryProfiler of one target. A target has one profiler for all that open it: what one starts another may stop, and all
 * see the same results. Two things differ from a program that starts and stops its own: it is stopped when the last that started it closes;
 * and a profiler that the program itself has started is the program's to stop and to reset.
 *
 * Threads: all belongs to the thread that runs the target, at a safe point.
 *
 * Extension point: an engine implements ubi_target_profiler_ops. May change between minor versions.
 */
#ifndef UBIHEAP_TARGET_PROFILER_H
#define UBIHEAP_TARGET_PROFILER_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/profiler.h>
#include <ubiheap/extension/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What an engine implements; the calls are those of ubi_target_profiler_*. */
typedef struct ubi_target_profiler_ops {
    uint32_t version; /**< UBI_TARGET_PROFILER_OPS_VERSION */
    void (*close)(void *payload);
    ubi_status (*start)(void *payload);
    void (*stop)(void *payload);
    void (*reset)(void *payload);
    bool (*is_running)(void *payload);
    ubi_status (*results)(void *payload, ubi_recording **out);
} ubi_target_profiler_ops;

#define UBI_TARGET_PROFILER_OPS_VERSION 1

/** A value; valid until ubi_target_profiler_close. */
typedef struct ubi_target_profiler {
    const ubi_target_profiler_ops *ops;
    void *payload;
} ubi_target_profiler;

/**
 * Opens the profiler of a target. It does not record yet.
 * @param out  to be closed, before the target goes. @param scope  whose heap it is about; a target may record more than that: its whole
 * heap. NULL: the whole target. Borrowed.
 * Errors: UBI_ESTATE (the target has no profiler), UBI_EMISMATCH (the scope is another target's), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_target_open_profiler(ubi_target_profiler *out, ubi_target target, const ubi_target_scope *scope);
/** Stops it if nothing else wants it to record. Results stay. */
UBI_API void ubi_target_profiler_close(ubi_target_profiler profiler);
/** Records from now on, in place of what was recorded of objects before. Nothing when it records. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_target_profiler_start(ubi_target_profiler profiler);
/** Nothing when it does not record, or the program has started it. */
UBI_API void ubi_target_profiler_stop(ubi_target_profiler profiler);
/** Drops what was recorded. Nothing while it records. */
UBI_API void ubi_target_profiler_reset(ubi_target_profiler profiler);
UBI_API bool ubi_target_profiler_is_running(ubi_target_profiler profiler);
/**
 * What was recorded. Nothing is consumed.
 * @param out  owned; NULL: there is nothing, for it records still, has never started, or was reset.
 * Errors: UBI_ENOMEM. Cost: O(names + traces + events), and naming native frames.
 */
UBI_API ubi_status ubi_target_profiler_results(ubi_recording **out, ubi_target_profiler profiler);

#ifdef __cplusplus
}
#endif
#endif
