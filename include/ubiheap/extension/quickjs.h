/* SPDX-License-Identifier: MIT
 *
 * ubiheap/extension/quickjs.h: memory tools for a program that embeds QuickJS; not in `ubiheap.h`.
 *
 * The tools are compiled together with the engine's own source, which stays as it is: see docs/how-to/build-with-your-own-
 * quickjs.md. The engine's header and symbols do not change. A program attaches them to its runtime:
 *
 *     ubi_quickjs *tools;
 *     ubi_quickjs_attach(&tools, runtime, NULL);
 *     ubi_target_save(ubi_quickjs_target(tools), NULL, "app.fxsnapshot", NULL, NULL);
 *     ...
 *     ubi_quickjs_detach(tools);            before JS_FreeRuntime
 *
 * Nothing is exposed to scripts unless asked for (ubi_quickjs_add_debugger, ubi_quickjs_add_heap_module).
 *
 * Threads: everything except ubi_quickjs_request belongs to the thread that runs the runtime. Tools of different
 * runtimes know nothing of each other.
 * Source: docs/explanation/quickjs.md.
 */
#ifndef UBIHEAP_QUICKJS_H
#define UBIHEAP_QUICKJS_H

#include <quickjs.h>

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/profiler.h>
#include <ubiheap/core/stacks.h>
#include <ubiheap/core/timeline.h>
#include <ubiheap/extension/console.h>
#include <ubiheap/extension/target.h>
#include <ubiheap/extension/tracking.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tools of a runtime ------------------------------------------------------------------------------------------- */

/** The tools of one JSRuntime. */
typedef struct ubi_quickjs ubi_quickjs;

typedef struct ubi_quickjs_options {
    uint32_t version;               /**< UBI_QUICKJS_OPTIONS_VERSION */
    const ubi_allocator *allocator; /**< of the tools' own tables, never the engine's; NULL: the default */
    /** A number in [0, 1) for sampling; NULL: a generator seeded by the system. For tests. */
    double (*random)(void *payload);
    void *random_payload;
    /** Microseconds of a clock that never goes back; NULL: since the start of the process. For tests. */
    uint64_t (*clock_us)(void *payload);
    void *clock_payload;
} ubi_quickjs_options;

#define UBI_QUICKJS_OPTIONS_VERSION 1
#define UBI_QUICKJS_OPTIONS_INIT                                                                                       \
    { .version = UBI_QUICKJS_OPTIONS_VERSION }

/**
 * Attaches tools. Cost while nothing is tracked: a predicted branch per birth and death of an object. (An engine that is
 * compiled with our adapter also stores the interpreter's place before it allocates, attached or not.)
 * Errors: UBI_EBUSY (it has tools already), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_quickjs_attach(ubi_quickjs **out, JSRuntime *runtime, const ubi_quickjs_options *options);
/** Ends everything and frees the tools; before JS_FreeRuntime, after the values that scripts hold of them are freed. */
UBI_API void ubi_quickjs_detach(ubi_quickjs *tools);
/** The tools of a runtime, or NULL. */
UBI_API ubi_quickjs *ubi_quickjs_of(JSRuntime *runtime);
/** As the generic interface: census, save, collect, measure. Valid until detach. */
UBI_API ubi_target ubi_quickjs_target(ubi_quickjs *tools);

/** What the engine's heap holds, in bytes: its own count of blocks. O(1). The runtime's thread. */
UBI_API uint64_t ubi_quickjs_heap_bytes(const ubi_quickjs *tools);

/** What the tools call when the engine's heap could not give memory (JS_SetMemoryLimit or the system); see options of run. */
typedef void (*ubi_quickjs_oom_fn)(void *payload, ubi_quickjs *tools);
/**
 * Called at most once per failure streak, in the middle of the call that needs memory: `fn` may freeze, census and save, but
 * run no script and allocate nothing on the engine's heap. NULL: no call.
 */
UBI_API void ubi_quickjs_set_oom_hook(ubi_quickjs *tools, ubi_quickjs_oom_fn fn, void *payload);

/* ---- safe points -------------------------------------------------------------------------------------------------- */

/**
 * To be called by the program's event loop between jobs, outside of any script: delivers what waits, that is garbage
 * collection events, requests of other threads. Cheap when nothing waits: one load.
 * @return true when something was delivered.
 */
UBI_API bool ubi_quickjs_safe_point(ubi_quickjs *tools);
/**
 * To be called from the program's JS_SetInterruptHandler callback, so that requests reach a script that does not return to
 * the event loop: runs requests, but no script code. Cheap when nothing waits.
 */
UBI_API void ubi_quickjs_interrupt(ubi_quickjs *tools);
/** Queues `fn` for the next safe point or interrupt. Any thread, not from signal handlers. Errors: UBI_ENOMEM. */
UBI_API ubi_status ubi_quickjs_request(ubi_quickjs *tools, ubi_safe_point_fn fn, void *payload);

/* ---- which part of the heap --------------------------------------------------------------------------------------- */

/**
 * A part of the heap: the realms (contexts) of it. A walk of a scope starts from their globals and counts what these lead
 * to without passing through what belongs to another realm (docs/explanation/quickjs.md says what that is, by one rule).
 * Realms are kept by number, not alive: one that dies drops out.
 */
typedef struct ubi_quickjs_scope ubi_quickjs_scope;
UBI_API ubi_status ubi_quickjs_scope_new(ubi_quickjs_scope **out, ubi_quickjs *tools);
UBI_API void ubi_quickjs_scope_free(ubi_quickjs_scope *scope);
/** Errors: UBI_ENOMEM, UBI_EMISMATCH (a realm of another runtime). Adding twice is fine. */
UBI_API ubi_status ubi_quickjs_scope_add(ubi_quickjs_scope *scope, JSContext *realm);
/** For ubi_target_census, _save and _capture. Borrowed from the scope. */
UBI_API ubi_target_scope ubi_quickjs_scope_get(const ubi_quickjs_scope *scope);
/** The realm whose global object this value is; NULL: it is not a global object. Borrowed. */
UBI_API JSContext *ubi_quickjs_realm_of_global(ubi_quickjs *tools, JSValueConst global);

/** The id in snapshots of an object, string, symbol or big integer: false for other values. Stable while it lives. */
UBI_API bool ubi_quickjs_node_id(ubi_quickjs *tools, JSValueConst value, uint64_t *id);

/* ---- observers: Debugger.Memory in C ------------------------------------------------------------------------------ */

/**
 * Watches the allocations and collections of some realms, its debuggees: what a `Debugger` of scripts does through its
 * `memory`. The rules are those of docs/reference/debugger-memory.md. An object is marked with its site when a debuggee
 * realm allocates it, some observer of that realm tracks, and a trial succeeds with the greatest probability among all
 * observers of the realm; then every tracking observer of the realm also logs it.
 */
typedef struct ubi_quickjs_observer ubi_quickjs_observer;
UBI_API ubi_status ubi_quickjs_observer_new(ubi_quickjs_observer **out, ubi_quickjs *tools);
/** Ends its tracking; sites already marked stay. NULL is fine. */
UBI_API void ubi_quickjs_observer_free(ubi_quickjs_observer *observer);
/** Errors: UBI_EBUSY (tracking, and the realm has a foreign allocation hook): not added. Adding twice is fine. */
UBI_API ubi_status ubi_quickjs_observer_add_realm(ubi_quickjs_observer *observer, JSContext *realm);
/** Entries already logged stay. */
UBI_API void ubi_quickjs_observer_remove_realm(ubi_quickjs_observer *observer, JSContext *realm);
UBI_API bool ubi_quickjs_observer_has_realm(const ubi_quickjs_observer *observer, JSContext *realm);
/** Realms in the order of adding: fills realms[0..min(n, max)), returns n. */
UBI_API uint32_t ubi_quickjs_observer_realms(const ubi_quickjs_observer *observer, JSContext **realms, uint32_t max);
/** The part of the heap that belongs to its debuggees. Borrowed; follows the debuggees. */
UBI_API ubi_target_scope ubi_quickjs_observer_scope(ubi_quickjs_observer *observer);

/** All or nothing. Errors: UBI_EBUSY (a debuggee has a foreign allocation hook), UBI_ENOMEM. Off: empties the log. */
UBI_API ubi_status ubi_quickjs_observer_set_tracking(ubi_quickjs_observer *observer, bool on);
UBI_API bool ubi_quickjs_observer_tracking(const ubi_quickjs_observer *observer);
/** Errors: UBI_EINVAL (not within 0 to 1, or not a number). */
UBI_API ubi_status ubi_quickjs_observer_set_probability(ubi_quickjs_observer *observer, double probability);
UBI_API double ubi_quickjs_observer_probability(const ubi_quickjs_observer *observer);

#define UBI_QUICKJS_LOG_LENGTH UBI_ALLOCATION_LOG_LENGTH /**< default limit of the log */
/** Drops the oldest entries at once when it becomes shorter. Errors: UBI_EINVAL (0). */
UBI_API ubi_status ubi_quickjs_observer_set_log_limit(ubi_quickjs_observer *observer, uint32_t entries);
UBI_API uint32_t ubi_quickjs_observer_log_limit(const ubi_quickjs_observer *observer);
UBI_API uint32_t ubi_quickjs_observer_log_length(const ubi_quickjs_observer *observer);
/** An entry was lost since the last drain because the log was full. */
UBI_API bool ubi_quickjs_observer_log_overflowed(const ubi_quickjs_observer *observer);

/** One logged allocation; the ops of its stack are ubi_quickjs_stack_ops(). */
typedef ubi_logged_allocation ubi_quickjs_allocation;
typedef ubi_logged_allocation_fn ubi_quickjs_allocation_fn;
/**
 * Hands over and forgets the log, oldest first. When `fn` returns false, that entry and the later ones stay.
 * Clears the overflow flag when it came to the end. Errors: UBI_ESTATE (not tracking).
 */
UBI_API ubi_status ubi_quickjs_observer_drain(ubi_quickjs_observer *observer, ubi_quickjs_allocation_fn fn,
                                              void *payload);
/** Where an object was allocated, marked by any observer. False: not tracked. *has_frame false: on an empty stack. */
UBI_API bool ubi_quickjs_allocation_site(ubi_quickjs *tools, JSValueConst object, bool *has_frame, ubi_stack *out);
/** Operations of all stacks of tools. A stack's ref is its number: equal stacks have equal refs while the tools live. */
UBI_API const ubi_stack_ops *ubi_quickjs_stack_ops(void);

/**
 * One collection of cycles. Its reason is "ALLOC_TRIGGER", "API", "DESTROY_RUNTIME" or "DEBUG_GC"; the other is "GC mode", for
 * this collector never pauses in between.
 */
typedef ubi_collection ubi_quickjs_collection;
typedef ubi_collection_fn ubi_quickjs_collection_fn;
/** Called at the safe point after each collection, in order, while there are debuggees. NULL: no call. */
UBI_API void ubi_quickjs_observer_on_collection(ubi_quickjs_observer *observer, ubi_quickjs_collection_fn fn,
                                                void *payload);

/* * An allocation hook of another tool on a realm: observers cannot track it meanwhile. `fn` is called at every birth of an
 * object of the realm; it may not touch the engine. NULL: remove.
 * Errors: UBI_EBUSY (an observer tracks it, or another hook is there).
 */
typedef void (*ubi_quickjs_allocation_hook_fn)(void *payload, uint64_t object_id);
UBI_API ubi_status ubi_quickjs_set_allocation_hook(ubi_quickjs *tools, JSContext *realm,
                                                   ubi_quickjs_allocation_hook_fn fn, void *payload);

/* ---- the memory profiler ------------------------------------------------------------------------------------------ */

/**
 * What the runtime records is then that profiler's: objects as its own stream, other blocks of the engine's heap in the
 * one that members share. Stacks are native frames with the scripts' instead of the interpreter's. The profiler outlives
 * the tools. Errors: UBI_EBUSY (it has one already), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_quickjs_join_profiler(ubi_quickjs *tools, ubi_profiler *profiler);
/** As ubi_profiler_start; a runtime that joined no profiler gets one of its own, with the default options. Off it costs nothing. */
UBI_API ubi_status ubi_quickjs_start_profiler(ubi_quickjs *tools);
UBI_API void ubi_quickjs_stop_profiler(ubi_quickjs *tools);
UBI_API void ubi_quickjs_reset_profiler(ubi_quickjs *tools);
UBI_API bool ubi_quickjs_profiler_is_running(const ubi_quickjs *tools);
/** As ubi_profiler_results. */
UBI_API ubi_status ubi_quickjs_profiler_results(ubi_recording **out, ubi_quickjs *tools);

/* ---- the timeline ------------------------------------------------------------------------------------------------- */

/**
 * Reports to a timeline what the runtime does: runs of scripts, parsing, collections, and what the functions below say (markers and
 * their fields: docs/reference/timeline.md). It is reported to `target`, which must belong to the thread that runs the runtime and
 * outlive its membership; NULL: to all targets that are observed. Joining twice is fine. A runtime may
 * join several; with NULL among them, all others are notified through that. Cost while not observed: one load and one branch per
 * call from outside, job, registered reaction and parsed script.
 * Runs are those that begin with JS_Call, JS_Eval, JS_EvalFunction or JS_ExecutePendingJob.
 * Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_quickjs_join_timeline(ubi_quickjs *tools, ubi_timeline_target *target);
/** Ends that; what is open then stays open. NULL: as it was joined. */
UBI_API void ubi_quickjs_leave_timeline(ubi_quickjs *tools, ubi_timeline_target *target);

/** Where a callback was registered; 0: unknown. A number without an owner; means nothing once observation has ended. */
typedef uint64_t ubi_quickjs_async;
/** For a callback that is registered now: a timer, a handler. Cost while observed: that of a stack. */
UBI_API ubi_quickjs_async ubi_quickjs_timeline_register(ubi_quickjs *tools);
/**
 * The same for a callback that has no place for a number: it is known by the function itself, while that lives; of several
 * registrations the last counts.
 */
UBI_API void ubi_quickjs_timeline_registers(ubi_quickjs *tools, JSValueConst callback);
/**
 * What runs next, and where it was registered: to be called before the call into scripts that runs it, and with NULL and 0 after
 * that. `cause` is static, such as "setTimeout handler".
 */
UBI_API void ubi_quickjs_timeline_cause(ubi_quickjs *tools, const char *cause, ubi_quickjs_async registered);
/** The run at hand will not come back: the process ends within it. */
UBI_API void ubi_quickjs_timeline_end_run(ubi_quickjs *tools);

/** console.time, console.timeEnd and console.timeStamp of a program's console, with stacks. Labels are copied. */
UBI_API void ubi_quickjs_timeline_time(ubi_quickjs *tools, const char *label);
UBI_API void ubi_quickjs_timeline_time_end(ubi_quickjs *tools, const char *label);
UBI_API void ubi_quickjs_timeline_timestamp(ubi_quickjs *tools, const char *label);

/** A message of a worker is made or read: JS_WriteObject, JS_ReadObject. `operation` as ubi_worker_operation. */
UBI_API void ubi_quickjs_timeline_begin_message(ubi_quickjs *tools, ubi_worker_operation operation);
UBI_API void ubi_quickjs_timeline_end_message(ubi_quickjs *tools, ubi_worker_operation operation);

/* ---- the console ------------------------------------------------------------------------------------------------------ */

/**
 * To be called by the program's console, before or after it prints: consoles of the target that are open hear of it
 * (ubiheap/extension/console.h). Cost while none is open: a load.
 * @param realm  whose console it is. @param arguments  arguments[n].
 */
UBI_API void ubi_quickjs_console_message(ubi_quickjs *tools, JSContext *realm, ubi_console_level level, int n,
                                         JSValueConst *arguments);
/** What console.count and console.time have beside their arguments. */
typedef struct ubi_quickjs_console_label {
    const char *text;   /**< copied */
    uint64_t count;     /**< UBI_CONSOLE_COUNT: calls with this label, this one too */
    double duration_ms; /**< UBI_CONSOLE_TIME_LOG and _TIME_END: since the timer began */
    bool is_misplaced;  /**< there is no such counter or timer; UBI_CONSOLE_TIME: there is one already */
} ubi_quickjs_console_label;
/** The same for a message with a label: of UBI_CONSOLE_COUNT and the levels that follow. */
UBI_API void ubi_quickjs_console_label_message(ubi_quickjs *tools, JSContext *realm, ubi_console_level level,
                                               const ubi_quickjs_console_label *label, int n, JSValueConst *arguments);
/** The same for an error that nothing caught, and for the reason of a rejection that nothing handled. */
UBI_API void ubi_quickjs_uncaught_error(ubi_quickjs *tools, JSContext *realm, JSValueConst thrown);

/* ---- for scripts, only when asked for ----------------------------------------------------------------------------- */

/** Defines `Debugger` on the realm's global object. 0, or -1 with a pending exception. */
UBI_API int ubi_quickjs_add_debugger(ubi_quickjs *tools, JSContext *realm);
/**
 * The built-in module `name` with HeapSnapshot, DominatorTree, readHeapSnapshot, saveHeapSnapshot, getObjectNodeId,
 * memoryProfiler, timeline.
 */
UBI_API JSModuleDef *ubi_quickjs_add_heap_module(ubi_quickjs *tools, JSContext *realm, const char *name);

/* ---- self-checks -------------------------------------------------------------------------------------------------- */

/** How complete a walk of the whole runtime is. */
typedef struct ubi_quickjs_coverage {
    uint64_t node_count, edge_count;
    uint64_t size_bytes;        /**< sum over all nodes */
    uint64_t malloc_bytes;      /**< what the engine says it uses, free slots of its own allocator taken off */
    uint64_t overcounts;        /**< nodes with more counted edges than references: always 0, else a fault of ours */
    uint64_t root_count;        /**< nodes with references from outside of the heap */
    uint64_t unreachable_count; /**< garbage cycles not collected yet */
    uint64_t unreachable_bytes;
} ubi_quickjs_coverage;
/** Walks everything. Errors: as for freezing. Cost: about that of a census. */
UBI_API ubi_status ubi_quickjs_measure_coverage(ubi_quickjs *tools, ubi_quickjs_coverage *out);
/** Name and features of the engine that the tools were compiled with, such as "2021-03-27 (UBI_BF UBI_BFDEC ...)". Static. */
UBI_API const char *ubi_quickjs_engine_description(void);

#ifdef __cplusplus
}
#endif
#endif
