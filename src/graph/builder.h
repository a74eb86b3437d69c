/* SPDX-License-Identifier: MIT
 *
 * builder.h: the inside of ubi_graph_builder, for readers whose loops add millions of edges.
 *
 * Nodes go into the columns of the graph to be. An edge is kept as its name, at once in its column, and its target id,
 * which waits in `pending` until there are enough to be coded in one go (id_index.h); so `target` lags behind `name`.
 * Edges that were added since the last node belong to the next node pushed.
 */
#ifndef UBI_GRAPH_BUILDER_H
#define UBI_GRAPH_BUILDER_H

#include "graph/graph_columns.h"

#define UBI__BUILDER_PENDING 1024

struct ubi_graph_builder {
    const ubi_allocator *allocator;
    ubi_graph *graph;     /* NULL once handed over */
    uint64_t node_edges;  /* where the edges of the next node begin */
    ubi__vec_u64 pending; /* capacity UBI__BUILDER_PENDING, reserved once */
};

/** Columns of nodes have one length, and every edge that has a name has a target, coded or pending. O(1). */
void ubi__builder_check(const ubi_graph_builder *b);
/** Room for n more edge names. */
static inline ubi_status ubi__builder_reserve_edges(ubi_graph_builder *b, size_t n) {
    return ubi__vec_u32_reserve(&b->graph->name, b->allocator, n);
}
/** Codes the pending targets. */
ubi_status ubi__builder_flush(ubi_graph_builder *b);
/** One edge of the next node; room was reserved. */
static inline ubi_status ubi__builder_push_edge(ubi_graph_builder *b, uint64_t target_id, ubi_str_ix name) {
    if (ubi__unlikely(b->pending.n == UBI__BUILDER_PENDING))
        UBI_TRY(ubi__builder_flush(b));
    b->pending.at[b->pending.n++] = target_id;
    ubi__vec_u32 *names = &b->graph->name;
    UBI_ASSERT(names->n < names->cap);
    names->at[names->n++] = name;
    return UBI_OK;
}
/** The node whose edges were pushed since the last node. */
ubi_status ubi__builder_push_node(ubi_graph_builder *b, uint64_t id, uint64_t size_bytes, ubi_kind_ix kind,
                                  ubi_frame_ix stack);
/** ubi_graph_builder_finish by a crew, and the reason for UBI_EFORMAT. Errors: also UBI_ECANCELLED. */
ubi_status ubi__builder_finish(ubi_graph **out, ubi_graph_builder *b, ubi__crew crew, ubi__id_fault *fault);

#endif
