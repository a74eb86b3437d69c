/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/target.h: a live heap: freeze, count, save, capture, collect, measure, observe.
 *
 * A `ubi_target` is one running heap: a JavaScript runtime in this process, later a recorded program. Programs that show heaps
 * (command line, servers) know this interface and no engine.
 *
 *     ubi_target_census(&census, &target, NULL, breakdown, NULL);         counts while it stands still
 *     ubi_target_save(&target, NULL, "app.fxsnapshot", NULL, NULL);       streams it to disk
 *
 * All calls but ubi_target_run_at_safe_point belong to the thread that runs the target, outside its collector.
 *
 * Extension point: an engine implements `ubi_target_ops`. May change between minor versions.
 */
#ifndef UBIHEAP_TARGET_H
#define UBIHEAP_TARGET_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/formats.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/node.h>
#include <ubiheap/extension/tracking.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a target can do; bits. */
typedef enum ubi_target_capability {
    UBI_TARGET_WALK = 1 << 0,             /**< freeze and thaw, so also census, save, capture */
    UBI_TARGET_COLLECT_GARBAGE = 1 << 1,  /**< ubi_target_collect_garbage */
    UBI_TARGET_COLLECT_CYCLES = 1 << 2,   /**< ubi_target_collect_cycles */
    UBI_TARGET_MEASURE = 1 << 3,          /**< ubi_target_measure */
    UBI_TARGET_SAFE_POINT = 1 << 4,       /**< ubi_target_run_at_safe_point */
    UBI_TARGET_ALLOCATION_SITES = 1 << 5, /**< its nodes can have allocation stacks */
    UBI_TARGET_OBSERVE = 1 << 6,          /**< ubi_target_observe; since version 2 */
    UBI_TARGET_CONSOLE = 1 << 7,          /**< ubi_target_open_console (ubiheap/extension/console.h); since version 2 */
    UBI_TARGET_TIMELINE =
        1 << 8,                 /**< ubi_target_open_timeline (ubiheap/extension/target_timeline.h); since version 3 */
    UBI_TARGET_PROFILE = 1 << 9 /**< ubi_target_open_profiler (ubiheap/extension/target_profiler.h); since version 3 */
} ubi_target_capability;

/**
 * Which part of a heap is looked at: what its root leads to, and where a walk stops. `part` is the target's own: for
 * QuickJS see ubi_quickjs_scope_* in ubiheap/extension/quickjs.h. NULL scope: everything.
 */
typedef struct ubi_target_scope {
    const void *part;
} ubi_target_scope;

/** A heap that stands still: where to start, and which edges to follow. Valid until thaw. */
typedef struct ubi_frozen_heap {
    ubi_node root;                  /**< the root list; never counted, for no edge leads to it */
    ubi_edge_filter_fn edge_filter; /**< NULL: follow all */
    void *edge_filter_payload;
} ubi_frozen_heap;

/**
 * One line of a measurement. Two names have a meaning for all who read them: "unattributedSize", what the heap holds and no node has, and
 * "unreachableSize", nodes that no walk reaches. Others are the engine's.
 */
typedef struct ubi_measure_row {
    ubi_text name; /**< camelCase, such as "mallocSize"; borrowed during the call */
    uint64_t value;
    bool is_bytes; /**< else a count */
} ubi_measure_row;
typedef void (*ubi_measure_fn)(void *payload, const ubi_measure_row *row);

/** Runs on the target's thread at a point where its heap may be frozen and its code may be run. */
typedef void (*ubi_safe_point_fn)(void *payload);

struct ubi_console;
struct ubi_console_listener;
struct ubi_target_timeline;
struct ubi_target_timeline_options;
struct ubi_target_profiler;

/** What an engine implements; operations whose capability bit is not set may be NULL. */
typedef struct ubi_target_ops {
    uint32_t version;      /**< UBI_TARGET_OPS_VERSION, or an earlier one: then later operations are not looked at */
    const char *kind;      /**< such as "quickjs" */
    uint32_t capabilities; /**< of ubi_target_capability */
    /**
     * Makes the heap stand still. Until thaw, an allocation, a free, a collection or a start of its code on this heap is
     * an error, which is prevented where that is possible and reported by thaw in any case.
     * Errors: UBI_ESTATE (frozen already, or inside a collection or finalizer), UBI_ENOMEM.
     */
    ubi_status (*freeze)(void *payload, const ubi_target_scope *scope, ubi_frozen_heap *out);
    /** Lets it continue. Errors: UBI_ESTATE with what touched the heap meanwhile; it continues anyway. */
    ubi_status (*thaw)(void *payload);
    ubi_status (*collect_garbage)(void *payload);
    ubi_status (*collect_cycles)(void *payload);
    ubi_status (*measure)(void *payload, ubi_measure_fn fn, void *fn_payload);
    /** Any thread. Queued: runs once, soon, on the target's thread. */
    ubi_status (*run_at_safe_point)(void *payload, ubi_safe_point_fn fn, void *fn_payload);
    /* Since version 2. */
    /**
     * An observer of the realms that are in the scope now; with a NULL scope of all realms, also those that come later.
     * Errors: UBI_EMISMATCH (the scope is another target's), UBI_EBUSY, UBI_ENOMEM.
     */
    ubi_status (*observe)(void *payload, const ubi_target_scope *scope, ubi_target_observer *out);
    /** Errors: UBI_EMISMATCH (the scope is another target's), UBI_ENOMEM. */
    ubi_status (*open_console)(void *payload, const ubi_target_scope *scope,
                               const struct ubi_console_listener *listener, struct ubi_console *out);
    /* Since version 3. */
    /** Errors: UBI_EMISMATCH (the scope is another target's), UBI_ENOMEM. */
    ubi_status (*open_timeline)(void *payload, const ubi_target_scope *scope,
                                const struct ubi_target_timeline_options *options, struct ubi_target_timeline *out);
    /** Errors: UBI_EMISMATCH (the scope is another target's), UBI_ENOMEM. */
    ubi_status (*open_profiler)(void *payload, const ubi_target_scope *scope, struct ubi_target_profiler *out);
} ubi_target_ops;

#define UBI_TARGET_OPS_VERSION 3

/** A value; valid as long as what `payload` stands for. */
typedef struct ubi_target {
    const ubi_target_ops *ops;
    void *payload;
} ubi_target;

/** Whether its operations are of a known version and it can do all of these: bits of ubi_target_capability. Any thread. */
UBI_API bool ubi_target_can(ubi_target target, uint32_t capabilities);

/** Freezes, counts, thaws. Options as for ubi_census_take_live, whose edge filter is the scope's. */
UBI_API ubi_status ubi_target_census(ubi_census **out, ubi_target target, const ubi_target_scope *scope,
                                     const ubi_breakdown *breakdown, const ubi_census_options *options);
/**
 * Freezes, saves while walking, thaws, and then the file appears: an old one stays when the heap was touched meanwhile or
 * anything else failed. Options as for ubi_save_path, whose edge filter is the scope's.
 */
UBI_API ubi_status ubi_target_save(ubi_target target, const ubi_target_scope *scope, const char *path,
                                   const ubi_save_options *options, ubi_save_info *info);
/** Freezes, captures a graph, thaws: what dominators and paths of a live heap are computed from. */
UBI_API ubi_status ubi_target_capture(ubi_graph **out, ubi_target target, const ubi_target_scope *scope,
                                      const ubi_allocator *allocator);
/** Errors of all three: UBI_ESTATE when the target cannot do it (its capability is missing) or not now. */
UBI_API ubi_status ubi_target_collect_garbage(ubi_target target);
UBI_API ubi_status ubi_target_collect_cycles(ubi_target target);
UBI_API ubi_status ubi_target_measure(ubi_target target, ubi_measure_fn fn, void *payload);
/** Any thread. */
UBI_API ubi_status ubi_target_run_at_safe_point(ubi_target target, ubi_safe_point_fn fn, void *payload);

/* ---- allocations and collections: what Debugger.Memory knows, of any engine ---------------------------------------- */

/**
 * A new observer, which does not track yet: probability 1, a log of UBI_ALLOCATION_LOG_LENGTH entries.
 *
 * @param out    to be freed, before the target goes. @param scope  whose realms it observes from now on; NULL: all, also later ones.
 * Errors: UBI_ESTATE (the target cannot be observed), UBI_EMISMATCH (scope), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_target_observe(ubi_target_observer *out, ubi_target target, const ubi_target_scope *scope);
/** Ends its tracking; marks of objects stay. Also from within its own callbacks. */
UBI_API void ubi_target_observer_free(ubi_target_observer observer);
/** On: objects that are allocated from now on are logged. Off: empties the log. Errors: UBI_EBUSY (another tool's hook), UBI_ENOMEM. */
UBI_API ubi_status ubi_target_observer_set_tracking(ubi_target_observer observer, bool on);
/** Of logging an allocation. Errors: UBI_EINVAL (not within 0 to 1, or not a number). */
UBI_API ubi_status ubi_target_observer_set_probability(ubi_target_observer observer, double probability);
/** Drops the oldest entries at once when it becomes shorter. Errors: UBI_EINVAL (0). */
UBI_API ubi_status ubi_target_observer_set_log_limit(ubi_target_observer observer, uint32_t entries);
UBI_API void ubi_target_observer_get_state(ubi_target_observer observer, ubi_target_observer_state *out);
/**
 * Hands over and forgets the log, oldest first. When `fn` returns false, that entry and the later ones stay. Stacks that are handed over
 * are kept as long as the target. Errors: UBI_ESTATE (not tracking).
 */
UBI_API ubi_status ubi_target_observer_drain(ubi_target_observer observer, ubi_logged_allocation_fn fn, void *payload);
/** Called at the safe point after each collection, in order, while it observes a realm. NULL: no call. */
UBI_API void ubi_target_observer_on_collection(ubi_target_observer observer, ubi_collection_fn fn, void *payload);

#ifdef __cplusplus
}
#endif
#endif
