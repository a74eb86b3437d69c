/* SPDX-License-Identifier: MIT
 *
 * retaining.h: what a ubi_retaining consists of.
 */
#ifndef UBI_LENSES_RETAINING_H
#define UBI_LENSES_RETAINING_H

#include <ubiheap/views/retaining.h>

#include "base/alloc.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"

struct ubi__columns;

/** What tools that list all references but weak ones and the root's know about them. */
typedef struct ubi__retaining_rules {
    /** Distances when no edge may lead to some nodes. @param ignored  ignored[n_nodes / 64 + 1], a bit per node. */
    ubi_status (*distances_without)(uint32_t *out, const ubi_look *look, const uint64_t *ignored);
    /** Finds useless_edges, by `without`. Errors: UBI_ENOMEM. */
    ubi_status (*find_useless_edges)(ubi__vec_u64 *out, const ubi_retaining *retaining, const uint32_t *without);
} ubi__retaining_rules;

struct ubi_retaining {
    const ubi_allocator *allocator;
    const ubi_look *look;
    const ubi__retaining_rules *rules; /* the lens's; NULL: the edges of the view count */
    ubi_retainers *retainers; /* of the view's edges; with rules of all, and weak ones and the root's are passed over */
    const uint32_t *distances;    /* [n_nodes], nothing ignored */
    uint32_t *computed_distances; /* the same, if they are its own; else NULL */
    /* While something is ignored, else NULL: */
    uint64_t *ignored;          /* a bit per node */
    uint32_t *without;          /* [n_nodes] */
    ubi__vec_u64 useless_edges; /* ascending: edges of pairs whose partner is out of reach */
};

/** As ubi_retaining_new, with distances of the look that are there: borrowed as long as it lives. NULL: they are computed. */
ubi_status ubi__retaining_new(ubi_retaining **out, const ubi_look *look, const uint32_t *distances,
                              const ubi_retaining_options *options);
/**
 * Passes what was reversed as columns (base/column_file.h), with nothing ignored. Read, *retaining is new, its distances are borrowed, and
 * it is untouched on failure.
 */
ubi_status ubi__retaining_pass(struct ubi__columns *c, ubi_retaining **retaining, const ubi_look *look,
                               const uint32_t *distances);

/** The words of bits that a bit per node takes. */
static inline size_t ubi__retaining_words(const ubi_retaining *r) {
    return (size_t)r->look->graph->n_nodes / 64 + 1;
}

/** The retainers of a node one by one; *i starts at 0. False: no more. */
bool ubi__retaining_next(ubi_edge_ix *edge, const ubi_retaining *retaining, ubi_node_ix node, uint64_t *i);

#endif
