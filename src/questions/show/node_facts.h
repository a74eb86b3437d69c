/* SPDX-License-Identifier: MIT
 *
 * node_facts.h: everything about one node.
 */
#ifndef UBI_QUESTIONS_NODE_FACTS_H
#define UBI_QUESTIONS_NODE_FACTS_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/paths.h>
#include <ubiheap/extension/session.h>
#include <ubiheap/views/lens.h>

#include "base/alloc.h"

/** An edge and its sort key: what its target retains, or its source's distance from the root. */
typedef struct ubi__ranked_edge {
    uint64_t rank; /**< ascending */
    ubi_edge_ix edge;
} ubi__ranked_edge;

UBI_VEC_DECLARE(ubi__ranked_edges, ubi__ranked_edge);
UBI_VEC_DECLARE(ubi__path_steps, ubi_path_step);

typedef struct ubi__node_facts {
    const ubi_allocator *memory; /**< borrowed, as is what follows */
    const ubi_graph *graph;
    const ubi_view *view;
    const ubi_look *look;
    ubi_node_ix node;
    const ubi_kind *kind;
    const ubi_dominators *dominators; /**< borrowed, with sets */
    const uint32_t *distances;        /**< borrowed: distances[n_nodes] as the lens counts; UBI_NONE: unreachable */
    ubi__ranked_edges edges;          /**< owned, as is what follows: that leave it; the largest retained size first */
    ubi__ranked_edges retainers;      /**< that lead to it; from the nearest to the root first */
    ubi__path_steps path;             /**< the shortest from the root; empty: it is the root, or nothing keeps it */
    uint32_t n_dominated;             /**< immediately */
    uint64_t n_retained;              /**< at any depth, itself not counted */
} ubi__node_facts;

/** Edges leave the node, retainers lead to it, both are sorted, and the path ends at it. O(edges + retainers + steps). */
void ubi__node_facts_check(const ubi__node_facts *facts);

/**
 * Gathers all of it. On failure there is still something to free.
 * Cost: the dominator tree and a few walks over all edges. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__node_facts_init(ubi__node_facts *out, ubi_session_use *heap, ubi_node_ix node);
void ubi__node_facts_fini(ubi__node_facts *facts);

static inline bool ubi__node_is_reachable(const ubi__node_facts *f) {
    return f->distances[f->node] != UBI_NONE;
}

#endif
