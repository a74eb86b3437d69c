/* SPDX-License-Identifier: MIT
 *
 * ubiheap/server/memory_bridge.h: the memory of one target as a debugger looks at it: what Firefox's MemoryBridge does, without a wire.
 *
 *     ubi_memory_bridge *bridge;
 *     ubi_memory_bridge_new(&bridge, target, NULL);
 *     ubi_memory_bridge_attach(bridge);
 *     ubi_memory_bridge_start_recording(bridge, NULL, NULL);
 *     ...                                                       the program runs
 *     ubi_memory_allocations allocations = UBI_MEMORY_ALLOCATIONS_INIT;
 *     ubi_memory_bridge_allocations(&allocations, bridge);      what was allocated since, and where
 *     ubi_memory_bridge_free(bridge);
 *
 * A bridge is detached at first. Attached it observes the target's realms: only then it counts, records, saves, and reports collections.
 * Measuring and collecting need no attaching.
 *
 * Times are milliseconds since the start of the process, on the clock of the target's log, except those of allocations, which are
 * microseconds since the epoch.
 *
 * Threads: all calls belong to the thread that runs the target, at a safe point (ubi_target_run_at_safe_point). Bridges of one target
 * do not know of each other. A bridge is freed before its target goes.
 *
 * Of a target that cannot be observed, all that needs attaching fails with UBI_ESTATE and says so. Of others, in any but the right
 * state a call fails with UBI_ESTATE and the message "Wrong state while ACTIVITY:Expected 'attached', but current
 * state is 'detached'."
 *
 * Part of libubiheap-server. May change between minor versions.
 * Source: docs/reference/remote-protocol.md; mozilla-central devtools/server/performance/memory.js.
 */
#ifndef UBIHEAP_MEMORY_BRIDGE_H
#define UBIHEAP_MEMORY_BRIDGE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/extension/target.h>
#include <ubiheap/extension/tracking.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bridges -------------------------------------------------------------------------------------------------------- */

/** The memory of a target, or of the part of it that a scope is. */
typedef struct ubi_memory_bridge ubi_memory_bridge;

typedef struct ubi_memory_bridge_options {
    uint32_t version; /**< UBI_MEMORY_BRIDGE_OPTIONS_VERSION */
    const ubi_target_scope
        *scope; /**< NULL: the whole target, with realms that come later. Borrowed while the bridge lives */
    const ubi_allocator *allocator; /**< NULL: the default */
    /** While attached, at the safe point after each collection; may call everything here but free. NULL: no call. */
    ubi_collection_fn on_collection;
    void *payload; /**< of on_collection */
} ubi_memory_bridge_options;

#define UBI_MEMORY_BRIDGE_OPTIONS_VERSION 1
#define UBI_MEMORY_BRIDGE_OPTIONS_INIT                                                                                 \
    { .version = UBI_MEMORY_BRIDGE_OPTIONS_VERSION }

/**
 * A detached bridge. Looks at nothing yet.
 * @param out  owned; untouched on failure. @param options  NULL: the defaults.
 * Errors: UBI_EINVAL (options; operations of an unknown version), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_memory_bridge_new(ubi_memory_bridge **out, ubi_target target,
                                         const ubi_memory_bridge_options *options);
/** Detaches it if that was not done. NULL is fine. */
UBI_API void ubi_memory_bridge_free(ubi_memory_bridge *bridge);

/**
 * Observes the target from now on; fine when it does. Settings are the defaults: probability 1, 5,000 entries.
 * Errors: UBI_ESTATE (the target cannot be observed), UBI_ENOMEM; it stays detached.
 */
UBI_API ubi_status ubi_memory_bridge_attach(ubi_memory_bridge *bridge);
/** Ends a recording, forgets settings and frames. Errors: UBI_ESTATE (detached: "detaching from the debugger"). */
UBI_API ubi_status ubi_memory_bridge_detach(ubi_memory_bridge *bridge);
UBI_API bool ubi_memory_bridge_is_attached(const ubi_memory_bridge *bridge);
/**
 * The target has other realms now: a page was loaded again. What the log has is dropped, frames begin at 0 again, and the scope is
 * looked at again; attaching, settings and a recording last. Detached: does nothing.
 * Errors: UBI_ENOMEM, UBI_EBUSY (a realm cannot be tracked); all is as before then.
 */
UBI_API ubi_status ubi_memory_bridge_navigated(ubi_memory_bridge *bridge);
/** The same, to a scope that is borrowed from now on in place of the one before. Errors: the same; it is detached then. */
UBI_API ubi_status ubi_memory_bridge_navigated_to(ubi_memory_bridge *bridge, const ubi_target_scope *scope);

/* ---- looking at the heap ---------------------------------------------------------------------------------------------- */

/**
 * Counts by the default breakdown. The census is owned by the caller.
 * Errors: UBI_ESTATE (detached: "taking census"), or as ubi_target_census.
 */
UBI_API ubi_status ubi_memory_bridge_census(ubi_census **out, ubi_memory_bridge *bridge);

/** What a snapshot has. */
typedef enum ubi_memory_boundaries {
    UBI_MEMORY_OF_SCOPE = 0,  /**< what the bridge's scope leads to */
    UBI_MEMORY_OF_RUNTIME = 1 /**< everything in the target */
} ubi_memory_boundaries;
/**
 * Saves a snapshot: a complete .fxsnapshot file, packed with gzip.
 * @param options  as for ubi_target_save; NULL: the defaults. @param info  may be NULL.
 * Errors: UBI_ESTATE (detached: "saveHeapSnapshot"), UBI_EINVAL (boundaries), or as ubi_target_save.
 */
UBI_API ubi_status ubi_memory_bridge_save_snapshot(ubi_memory_bridge *bridge, const char *path,
                                                   ubi_memory_boundaries boundaries, const ubi_save_options *options,
                                                   ubi_save_info *info);

/**
 * The same as a graph in memory: what is to be saved with the heaps of other runtimes, or looked into here.
 * @param out  owned. Errors: UBI_ESTATE (detached: "saveHeapSnapshot"), UBI_EINVAL (boundaries), or as ubi_target_capture.
 */
UBI_API ubi_status ubi_memory_bridge_capture(ubi_graph **out, ubi_memory_bridge *bridge,
                                             ubi_memory_boundaries boundaries);

/** Attached or not. Of the target's runtime; errors as ubi_target_collect_garbage and ubi_target_collect_cycles. */
UBI_API ubi_status ubi_memory_bridge_collect_garbage(ubi_memory_bridge *bridge);
UBI_API ubi_status ubi_memory_bridge_collect_cycles(ubi_memory_bridge *bridge);

/** What the bridge's part of the target's heap takes, in bytes. The total is the sum of the sizes after it. */
typedef struct ubi_memory_measure {
    uint32_t struct_bytes; /**< UBI_MEMORY_MEASURE_INIT */
    uint64_t total;
    uint64_t dom_size;        /**< objects of the embedding program that are nodes of a document */
    uint64_t style_size;      /**< always 0 */
    uint64_t js_objects_size; /**< objects with their properties and elements */
    uint64_t js_strings_size; /**< strings and symbols */
    uint64_t js_other_size;   /**< code, shapes, realms, and all else that a walk meets */
    uint64_t other_size;     /**< without a scope: what the engine holds and no walk meets, such as garbage in cycles */
    double js_ms, non_js_ms; /**< time that it took to find the two kinds of numbers */
} ubi_memory_measure;

#define UBI_MEMORY_MEASURE_INIT                                                                                        \
    { .struct_bytes = sizeof(ubi_memory_measure) }

/**
 * Attached or not. Of a target that has sizes and no objects to walk over, all is `other_size`.
 * Errors: as ubi_target_census. Cost: that of a census, and without a scope of ubi_target_measure.
 */
UBI_API ubi_status ubi_memory_bridge_measure(ubi_memory_measure *out, ubi_memory_bridge *bridge);

/** Memory of this process that is in RAM. */
typedef struct ubi_process_memory {
    uint32_t struct_bytes;   /**< UBI_PROCESS_MEMORY_INIT */
    uint64_t resident_bytes; /**< all of it */
    uint64_t unique_bytes;   /**< of that, what no other process has: what would be free without this one */
} ubi_process_memory;

#define UBI_PROCESS_MEMORY_INIT                                                                                        \
    { .struct_bytes = sizeof(ubi_process_memory) }

/** Any thread. Errors: UBI_EIO (the system does not say). Cost: a walk over the process's page tables by the system. */
UBI_API ubi_status ubi_process_memory_read(ubi_process_memory *out);
/**
 * The same of the process that the target is in. A target in another process than this measures rows `residentSize` and
 * `residentUniqueSize` (ubi_target_measure), and has no objects to walk over.
 * @param is_elsewhere  out: whether it is in another one; may be NULL. Errors: the same, or as ubi_target_measure.
 */
UBI_API ubi_status ubi_memory_bridge_process_memory(ubi_process_memory *out, bool *is_elsewhere,
                                                    ubi_memory_bridge *bridge);

/* ---- recording allocations -------------------------------------------------------------------------------------------- */

typedef struct ubi_memory_recording_options {
    uint32_t version;   /**< UBI_MEMORY_RECORDING_OPTIONS_VERSION */
    double probability; /**< with has_probability: 0 to 1, that an allocation is recorded; else 1 */
    int32_t
        max_log_length; /**< with has_max_log_length: entries that the log keeps, the newest; else as many as before */
    bool has_probability;
    bool has_max_log_length;
} ubi_memory_recording_options;

#define UBI_MEMORY_RECORDING_OPTIONS_VERSION 1
#define UBI_MEMORY_RECORDING_OPTIONS_INIT                                                                              \
    { .version = UBI_MEMORY_RECORDING_OPTIONS_VERSION }

/**
 * Starts to record where objects are allocated; frames begin at 0, the summary is empty. While it records: changes nothing.
 *
 * @param options  NULL: the defaults. @param now_ms  when it is; may be NULL.
 * Errors: UBI_ESTATE (detached: "starting recording allocations"), UBI_EINVAL (options), UBI_EBUSY (another tool tracks a realm),
 * UBI_ENOMEM; nothing is recorded then.
 */
UBI_API ubi_status ubi_memory_bridge_start_recording(ubi_memory_bridge *bridge,
                                                     const ubi_memory_recording_options *options, double *now_ms);
/**
 * Ends it, and drops what was not asked for; fine when nothing is recorded. Frames stay until the next start.
 * Errors: UBI_ESTATE (detached: "stopping recording allocations").
 */
UBI_API ubi_status ubi_memory_bridge_stop_recording(ubi_memory_bridge *bridge, double *now_ms);
UBI_API bool ubi_memory_bridge_is_recording(const ubi_memory_bridge *bridge);

/** What recordings are made with. */
typedef struct ubi_memory_settings {
    uint32_t struct_bytes; /**< UBI_MEMORY_SETTINGS_INIT */
    uint32_t max_log_length;
    double probability;
} ubi_memory_settings;

#define UBI_MEMORY_SETTINGS_INIT                                                                                       \
    { .struct_bytes = sizeof(ubi_memory_settings) }

/** Errors: UBI_ESTATE (detached: "getting allocations settings"). */
UBI_API ubi_status ubi_memory_bridge_settings(ubi_memory_settings *out, ubi_memory_bridge *bridge);

/** One frame of a stack. Texts are borrowed as long as the frames stay. */
typedef struct ubi_memory_frame {
    ubi_text source;
    ubi_text function_name; /**< NULL text: none */
    uint32_t line, column;  /**< from 1; 0: unknown */
    uint32_t parent;        /**< index of the caller, smaller than its own; 0: it has none */
} ubi_memory_frame;

/** What was allocated since the last time, oldest first. Borrowed until the next call with the bridge. */
typedef struct ubi_memory_allocations {
    uint32_t struct_bytes;         /**< UBI_MEMORY_ALLOCATIONS_INIT */
    uint32_t frame_count;          /**< of all frames since the start, index 0 included, which is no frame */
    uint64_t count;                /**< of the three columns */
    const uint32_t *frames;        /**< index of the frame in which; 0: no script was running */
    const uint64_t *timestamps_us; /**< since the epoch, not decreasing */
    const uint64_t *size_bytes;    /**< of the object, shallow */
    bool has_overflowed;           /**< older entries were lost since the last time */
    bool has_lost_some;            /**< since the start: then the totals are too small */
    uint64_t total_count;          /**< allocations since the start that were handed over, these included */
    uint64_t total_bytes;          /**< their sizes */
    uint64_t lost_count;           /**< since the start, entries that were lost before they were asked for */
} ubi_memory_allocations;

#define UBI_MEMORY_ALLOCATIONS_INIT                                                                                    \
    { .struct_bytes = sizeof(ubi_memory_allocations) }

/**
 * Takes over what the log has. A frame keeps its index until the next start or navigation, equal frames have one index, and callers
 * come before what they called.
 * Errors: UBI_ESTATE (detached: "getting allocations"; or nothing is recorded), UBI_ENOMEM (what was taken comes with the next call).
 * Cost: O(entries times the depth of stacks that are new).
 */
UBI_API ubi_status ubi_memory_bridge_allocations(ubi_memory_allocations *out, ubi_memory_bridge *bridge);
/** The frame with an index from 1 to frame_count - 1. Errors: UBI_ENOTFOUND. O(1). */
UBI_API ubi_status ubi_memory_bridge_frame(ubi_memory_frame *out, const ubi_memory_bridge *bridge, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
