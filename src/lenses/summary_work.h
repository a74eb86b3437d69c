/* SPDX-License-Identifier: MIT
 *
 * summary_work.h: the inside of a summary.
 */
#ifndef UBI_LENSES_SUMMARY_WORK_H
#define UBI_LENSES_SUMMARY_WORK_H

#include <ubiheap/views/summary.h>

#include "base/alloc.h"
#include "base/parallel.h"

struct ubi__columns;

UBI_VEC_DECLARE(ubi__vec_summary_row, ubi_summary_row);

struct ubi_summary {
    const ubi_allocator *allocator;
    const ubi_look *look;             /* borrowed */
    const ubi_dominators *dominators; /* borrowed from the caller, or own_dominators */
    ubi_dominators *own_dominators;
    const uint32_t *distances; /* [n_nodes], the same */
    uint32_t *own_distances;
    uint64_t *counted; /* a bit per node; counted[n_words] */
    size_t n_words;
    ubi__vec_summary_row rows; /* while counting one per class, then those with nodes, sorted */
    uint64_t n_counted, size_bytes;
};

static inline bool ubi__summary_counts(const ubi_summary *s, ubi_node_ix node) {
    return s->counted[node >> 6] >> (node & 63) & 1;
}

/** Adds up what classes retain: rows are one per class. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__summary_add_retained(ubi_summary *s, const ubi_progress *progress, ubi__helper *helper);
/**
 * Passes a summary of all nodes as columns (base/column_file.h). Read, *summary is new, borrows the look, the tree and the distances, and
 * is untouched on failure.
 */
ubi_status ubi__summary_pass(struct ubi__columns *c, ubi_summary **summary, const ubi_look *look,
                             const ubi_dominators *dominators, const uint32_t *distances);
/** Brings the rows into their order. Errors: UBI_ENOMEM. */
ubi_status ubi__summary_sort_rows(ubi_summary *s);

#endif
