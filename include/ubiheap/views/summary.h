/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/summary.h: a heap by class: counts, shallow and retained sizes.
 *
 *     ubi_summary *summary;
 *     ubi_summary_new(&summary, look, NULL, NULL);
 *     const ubi_summary_row *row = ubi_summary_row_at(summary, 0);        the class that retains most
 *     ubi_look_class_get(look, row->class_ix, &class);                    what it is called
 *     ubi_summary_members(nodes, &n, summary, row->class_ix, 20);         its twenty nodes that retain most
 *
 * Classes, sizes, distances and filters are those of the lens; for V8 this is the Summary of Chrome's DevTools. Nodes without
 * a size are left out, and so are those that the lens's view neither reaches nor adopts.
 *
 * What a class retains is the sum of the retained sizes of its nodes, but of nodes that hold others of their class only the
 * outermost count: a list retains what its head does, once.
 */
#ifndef UBIHEAP_SUMMARY_H
#define UBIHEAP_SUMMARY_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Immutable: any number of threads may read it. Borrows the look, which must outlive it. */
typedef struct ubi_summary ubi_summary;

/** A class with at least one node. 40 bytes. */
typedef struct ubi_summary_row {
    ubi_class_ix class_ix;
    ubi_node_ix first;       /**< of its nodes that are counted, in file order */
    uint32_t count;          /**< of its nodes that are counted, at least 1 */
    uint32_t distance;       /**< the least of theirs (ubi_look_distances); UBI_NONE: none of them is reached */
    uint32_t n_unreached;    /**< how many have no distance; where there are any, DevTools show -5 for the class */
    uint64_t size_bytes;     /**< their own sizes */
    uint64_t retained_bytes; /**< what they keep alive together, themselves included; modulo 2^64 */
} ubi_summary_row;

typedef struct ubi_summary_options {
    uint32_t version; /**< UBI_SUMMARY_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;     /**< stages "finding dominators", "summing up" */
    unsigned threads;          /**< 0: one per core; two are used, for dominators and distances */
    const uint32_t *distances; /**< distance[n_nodes] of ubi_look_distances; NULL: made. Must outlive the summary */
    const uint64_t *only;      /**< a bit per node: the others are left out. NULL: all. Borrowed during the call */
} ubi_summary_options;

#define UBI_SUMMARY_OPTIONS_VERSION 1
#define UBI_SUMMARY_OPTIONS_INIT                                                                                       \
    { .version = UBI_SUMMARY_OPTIONS_VERSION }

/**
 * Sums up the nodes that the look's filter shows.
 *
 * @param out         owned; untouched on failure.
 * @param look        borrowed; must outlive the summary.
 * @param dominators  of the look's view, with sets; borrowed, must outlive the summary. NULL: made, and freed with it.
 * Cost: beside dominators and distances O(nodes + classes * log classes) time, also on the deepest trees; a bit per node
 * and 40 bytes per class stay, 12 bytes per level of the dominator tree and 1 per class are used meanwhile.
 * Errors: UBI_EINVAL (options, dominators without sets), UBI_EMISMATCH (dominators of another graph), UBI_ENOMEM,
 * UBI_ECANCELLED.
 * Source: aggregates of front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts in Chrome's DevTools.
 */
UBI_API ubi_status ubi_summary_new(ubi_summary **out, const ubi_look *look, const ubi_dominators *dominators,
                                   const ubi_summary_options *options);
UBI_API void ubi_summary_free(ubi_summary *summary); /**< NULL is fine */

/** How many classes there are, O(1), as are all up to ubi_summary_find. */
UBI_API uint32_t ubi_summary_row_count(const ubi_summary *summary);
/** In the order of what they retain, the most first; equal ones by place and name. Borrowed. */
UBI_API const ubi_summary_row *ubi_summary_row_at(const ubi_summary *summary, uint32_t index);
/** Nodes that are counted, and their own sizes. */
UBI_API uint64_t ubi_summary_node_count(const ubi_summary *summary);
UBI_API uint64_t ubi_summary_size_bytes(const ubi_summary *summary);
/** Whether the node is counted. */
UBI_API bool ubi_summary_counts(const ubi_summary *summary, ubi_node_ix node);
/** Those it was made with, given or own. Borrowed. distances[n_nodes]. */
UBI_API const ubi_dominators *ubi_summary_dominators(const ubi_summary *summary);
UBI_API const uint32_t *ubi_summary_distances(const ubi_summary *summary);
/** The row of a class, or NULL: none of its nodes is counted. Borrowed. Cost: O(rows). */
UBI_API const ubi_summary_row *ubi_summary_find(const ubi_summary *summary, ubi_class_ix class_ix);

typedef enum ubi_summary_key {
    UBI_SUMMARY_BY_RETAINED, /**< the order of ubi_summary_row_at */
    UBI_SUMMARY_BY_SIZE,
    UBI_SUMMARY_BY_COUNT,
    UBI_SUMMARY_BY_DISTANCE, /**< ascending, as the next */
    UBI_SUMMARY_BY_NAME
} ubi_summary_key;

/**
 * The rows in another order: the largest first, equal ones in the order of ubi_summary_row_at.
 * @param order  order[ubi_summary_row_count()], caller's; indices for ubi_summary_row_at.
 * Cost: O(rows * log rows). Errors: UBI_ENOMEM.
 */
UBI_API ubi_status ubi_summary_sorted(uint32_t *order, const ubi_summary *summary, ubi_summary_key key);

/**
 * The nodes of a class that are counted, those that retain most first; equal ones by id.
 * @param nodes  nodes[min(max, count of the row)], caller's.
 * @param n      how many are stored.
 * Cost: O(nodes + count * log max) time, 24 bytes for each that is stored. Errors: UBI_ENOMEM; then both are untouched.
 */
UBI_API ubi_status ubi_summary_members(ubi_node_ix *nodes, uint32_t *n, const ubi_summary *summary,
                                       ubi_class_ix class_ix, uint32_t max);

#ifdef __cplusplus
}
#endif
#endif
