/* SPDX-License-Identifier: MIT
 *
 * containment_plan.c: see containment_plan.h.
 */
#include "cli/commands/containment/containment_plan.h"

#include "base/merge_sort.h"

#define RANK_BEFORE(ctx, a, b) ((a).rank < (b).rank)
UBI_SORT_DEFINE(sort_children, ubi__containment_child, void *, RANK_BEFORE);

ubi_status ubi__containment_list(ubi__containment_children *out, const ubi__containment_plan *plan, ubi_node_ix node) {
    const ubi_allocator *a = ubi_allocator_default();
    const ubi_graph *g = plan->graph;
    ubi_edge_ix begin = g->first_edge.at[node], end = g->first_edge.at[node + 1];
    UBI_TRY(ubi__containment_children_reserve(out, a, end - begin));
    for (ubi_edge_ix e = begin; e < end; e++)
        out->at[out->n++] =
            (ubi__containment_child){ ~ubi_dominators_retained_bytes(plan->dominators, g->target.at[e]), e };
    if (out->n < 2)
        return UBI_OK;
    ubi__containment_child *spare = ubi__alloc_array(a, out->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_children(out->at, spare, out->n, NULL);
    ubi__free_array(a, spare, out->n, sizeof *spare);
    return UBI_OK;
}

/* A row that the limit would hide alone is shown: saying so would take as much room. */
size_t ubi__containment_shown(const ubi__containment_plan *plan, size_t n) {
    uint64_t limit = plan->limits.edges;
    return limit && n > limit + 1 ? (size_t)limit : n;
}

/* ---- level by level ---------------------------------------------------------------------------------------------- */

UBI_VEC_DECLARE(node_queue, ubi_node_ix);

typedef struct opening {
    ubi__containment_plan *plan;
    node_queue queue; /* opened, the nearest first */
    uint64_t n_rows;  /* below the first */
} opening;

static ubi_status open_node(opening *o, ubi_node_ix node, ubi_edge_ix by) {
    o->plan->opened_by[node] = by;
    return node_queue_push(&o->queue, ubi_allocator_default(), node);
}

/* Whether there is room for the rows below a node. The first one's are shown in any case, for else there would be nothing. */
static bool has_room(const opening *o, ubi_node_ix node, size_t n_shown) {
    uint64_t most = o->plan->limits.rows;
    return most == 0 || node == o->plan->start || (o->n_rows < most && n_shown <= most - o->n_rows);
}

/* Closes the nodes at[from..n), which were to open. */
static void close_rest(opening *o, size_t from) {
    const ubi_graph *g = o->plan->graph;
    for (size_t i = from; i < o->queue.n; i++) {
        ubi_node_ix node = o->queue.at[i];
        o->plan->opened_by[node] = UBI__CONTAINMENT_CLOSED;
        o->plan->is_cut |= g->first_edge.at[node + 1] > g->first_edge.at[node];
    }
    o->queue.n = from;
}

/* Opens what the children of a node lead to, if that is still closed. */
static ubi_status open_below(opening *o, ubi_node_ix node, bool is_last_level) {
    const ubi_graph *g = o->plan->graph;
    ubi__containment_children children = { 0 };
    ubi_status status = ubi__containment_list(&children, o->plan, node);
    size_t n_shown = ubi__containment_shown(o->plan, children.n);
    o->n_rows += n_shown;
    for (size_t i = 0; status == UBI_OK && !is_last_level && i < n_shown; i++) {
        ubi_edge_ix e = children.at[i].edge;
        if (o->plan->opened_by[g->target.at[e]] == UBI__CONTAINMENT_CLOSED)
            status = open_node(o, g->target.at[e], e);
    }
    ubi__containment_children_fini(&children, ubi_allocator_default());
    return status;
}

static ubi_status open_levels(opening *o) {
    const ubi_graph *g = o->plan->graph;
    uint64_t depth = o->plan->limits.depth;
    size_t level_end = 1;
    UBI_TRY(open_node(o, o->plan->start, UBI__CONTAINMENT_FIRST));
    for (size_t at = 0, level = 1; at < o->queue.n; at++) {
        if (at == level_end) {
            level++;
            level_end = o->queue.n;
        }
        ubi_node_ix node = o->queue.at[at];
        size_t n_edges = (size_t)(g->first_edge.at[node + 1] - g->first_edge.at[node]);
        if (!has_room(o, node, ubi__containment_shown(o->plan, n_edges))) {
            close_rest(o, at);
            return UBI_OK;
        }
        UBI_TRY(open_below(o, node, level == depth));
    }
    return UBI_OK;
}

ubi_status ubi__containment_plan_make(ubi__containment_plan *out) {
    opening o = { .plan = out };
    out->opened_by = ubi__alloc_array(ubi_allocator_default(), out->graph->n_nodes, sizeof *out->opened_by);
    if (!out->opened_by)
        return ubi__fail_nomem();
    for (ubi_node_ix node = 0; node < out->graph->n_nodes; node++)
        out->opened_by[node] = UBI__CONTAINMENT_CLOSED;
    ubi_status status = open_levels(&o);
    node_queue_fini(&o.queue, ubi_allocator_default());
    return status;
}

void ubi__containment_plan_free(ubi__containment_plan *plan) {
    if (plan->opened_by)
        ubi__free_array(ubi_allocator_default(), plan->opened_by, plan->graph->n_nodes, sizeof *plan->opened_by);
    plan->opened_by = NULL;
}
