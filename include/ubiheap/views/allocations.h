/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/allocations.h: what a program allocated while it was recorded: by function, by caller, over time.
 *
 *     ubi_allocations *a;
 *     ubi_allocations_new(&a, look, NULL);
 *     ubi_allocations_tops(a, &n)[0].size_bytes                     the function that allocated most
 *     ubi_allocations_callers(a, 0, 0, out, max)                    who called it
 *     ubi_allocations_samples(a, &n)[3].size_bytes                  what of the third span of time is still alive
 *
 * Chrome's "allocation instrumentation on timeline" writes all of it. Firefox writes stacks of live nodes, which gives the
 * live half of the functions. Anything else gives nothing.
 */
#ifndef UBIHEAP_ALLOCATIONS_H
#define UBIHEAP_ALLOCATIONS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Allocations of a heap. Immutable: any number of threads may read it. */
typedef struct ubi_allocations ubi_allocations;

/** Number of a function; dense. */
typedef uint32_t ubi_function_ix;

/** What was allocated at some place in the code. */
typedef struct ubi_allocation_tally {
    uint64_t count;           /**< objects ever allocated there; of Firefox's, the same as live_count */
    uint64_t size_bytes;      /**< and their sizes */
    uint64_t live_count;      /**< those in the snapshot */
    uint64_t live_size_bytes; /**< and their sizes there, as the lens sees them */
} ubi_allocation_tally;

/** Where a function stands. Texts are borrowed from the graph, never NULL text. */
typedef struct ubi_allocation_function {
    ubi_text name;         /**< "": anonymous, or top level */
    ubi_text script_name;  /**< "": unknown */
    uint32_t line, column; /**< as the file has them; 0: unknown */
} ubi_allocation_function;

/** A function that allocated, itself, not by what it called. */
typedef struct ubi_allocation_top {
    ubi_function_ix function;
    ubi_allocation_tally tally;
} ubi_allocation_top;

/** A span of time, from the sample before it. */
typedef struct ubi_allocation_sample {
    uint64_t time_us;    /**< its end, since recording began */
    uint64_t last_id;    /**< ids up to this one were given by then */
    uint64_t live_count; /**< objects from this span that are still in the snapshot */
    uint64_t size_bytes; /**< and their sizes */
} ubi_allocation_sample;

typedef struct ubi_allocations_options {
    uint32_t version; /**< UBI_ALLOCATIONS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
} ubi_allocations_options;

#define UBI_ALLOCATIONS_OPTIONS_VERSION 1
#define UBI_ALLOCATIONS_OPTIONS_INIT                                                                                   \
    { .version = UBI_ALLOCATIONS_OPTIONS_VERSION }

/**
 * @param out   owned; keeps a reference to the graph. Untouched on failure.
 * @param look  borrowed during the call.
 * Cost: O(nodes * log samples + stacks + functions * log functions); 40 bytes per frame of the graph, 24 per sample.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED.
 * Source: AllocationProfile.ts and HeapSnapshot.ts of Chrome's DevTools (front_end/entrypoints/heap_snapshot_worker).
 */
UBI_API ubi_status ubi_allocations_new(ubi_allocations **out, const ubi_look *look,
                                       const ubi_allocations_options *options);
UBI_API void ubi_allocations_free(ubi_allocations *allocations); /**< NULL is fine */

/** Whether counts and sizes are those of everything ever allocated, and not of what lives. O(1). */
UBI_API bool ubi_allocations_has_history(const ubi_allocations *allocations);

/**
 * Functions that allocated, most bytes first, equal ones in the order of the file.
 * @return tops[*n], borrowed; may be NULL when there are none. O(1).
 */
UBI_API const ubi_allocation_top *ubi_allocations_tops(const ubi_allocations *allocations, uint32_t *n);
/** O(1). */
UBI_API void ubi_allocations_function(const ubi_allocations *allocations, ubi_function_ix function,
                                      ubi_allocation_function *out);

/**
 * Spans of time in order. The first ends when recording began, and has what was there before. As in DevTools, only objects
 * of the JavaScript heap count (ids of others are even), and what came after the last sample is left out.
 * @return samples[*n], borrowed; may be NULL when there are none. O(1).
 */
UBI_API const ubi_allocation_sample *ubi_allocations_samples(const ubi_allocations *allocations, uint32_t *n);

/** A caller: what was allocated by the top when called, over whatever lies between, by this function. */
typedef struct ubi_allocation_caller {
    ubi_function_ix function;
    uint32_t parent; /**< row of what it called; UBI_NONE: the first row, which is the function itself */
    uint32_t depth;  /**< 0 for that row */
    ubi_allocation_tally tally;
} ubi_allocation_caller;

/**
 * Who called a function when it allocated: a tree upside down, each row before its callers, the largest first among those of
 * one row.
 *
 * @param rows  owned array of *n rows, to be freed with ubi_allocations_callers_free; the first is the function itself.
 * @param max_depth  levels of callers; 0: the function alone.
 * Cost: O(stacks of the function * max_depth * log); memory the same. Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_allocations_callers(ubi_allocation_caller **rows, uint32_t *n,
                                           const ubi_allocations *allocations, ubi_function_ix function,
                                           uint32_t max_depth);
UBI_API void ubi_allocations_callers_free(const ubi_allocations *allocations, ubi_allocation_caller *rows, uint32_t n);

#ifdef __cplusplus
}
#endif
#endif
