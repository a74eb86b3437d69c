/* SPDX-License-Identifier: MIT
 *
 * containment_plan.h: which rows of `ubiheap containment` are opened.
 *
 * A node may be reached in as many ways as there are paths, which is exponential in the nodes. So each node is opened in one
 * place, the nearest to the first row, and of equally near ones the first; elsewhere it is a row without anything below. What
 * opens is decided level by level before anything is written, so that a limit on rows leaves out those furthest away.
 */
#ifndef UBI_CLI_COMMANDS_CONTAINMENT_PLAN_H
#define UBI_CLI_COMMANDS_CONTAINMENT_PLAN_H

#include <ubiheap/dominators.h>

#include "base/alloc.h"
#include "graph/graph_columns.h"

typedef struct ubi__containment_child {
    uint64_t rank; /**< ascending: what its target retains, the other way round */
    ubi_edge_ix edge;
} ubi__containment_child;

UBI_VEC_DECLARE(ubi__containment_children, ubi__containment_child);

typedef struct ubi__containment_limits {
    uint64_t depth; /**< levels below the first row; 0: all */
    uint64_t edges; /**< of one node; 0: all */
    uint64_t rows;  /**< below the first; 0: all */
} ubi__containment_limits;

typedef struct ubi__containment_plan {
    const ubi_graph *graph;
    const ubi_dominators *dominators;
    ubi__containment_limits limits;
    ubi_node_ix start;
    ubi_edge_ix *opened_by; /**< opened_by[n_nodes]: the edge whose row has the node's children below it */
    bool is_cut;            /**< rows are missing for limits.rows alone */
} ubi__containment_plan;

/** `opened_by` of a node that is not opened, and of the first one. */
#define UBI__CONTAINMENT_CLOSED UINT64_MAX
#define UBI__CONTAINMENT_FIRST (UINT64_MAX - 1)

/**
 * Decides what opens; `out` has the graph, the dominators, limits and start.
 * Errors: UBI_ENOMEM. Cost: O(N + E log E) for the edges of the nodes that open. Memory: 8 bytes a node. Free it also after errors.
 */
ubi_status ubi__containment_plan_make(ubi__containment_plan *out);
void ubi__containment_plan_free(ubi__containment_plan *plan);

/** The edges of a node, those whose targets retain most first, equal ones in file order. `out` is empty before. Errors: UBI_ENOMEM. */
ubi_status ubi__containment_list(ubi__containment_children *out, const ubi__containment_plan *plan, ubi_node_ix node);
/** How many of n children are shown. */
size_t ubi__containment_shown(const ubi__containment_plan *plan, size_t n);
/** Whether the row of this edge is opened. */
static inline bool ubi__containment_opens(const ubi__containment_plan *plan, ubi_edge_ix edge) {
    return plan->opened_by[plan->graph->target.at[edge]] == edge;
}

#endif
