/* SPDX-License-Identifier: MIT
 *
 * graph_check.c: every invariant of a graph, checked the slow and obvious way (ubi_graph_check).
 */
#include <string.h>

#include "base/text.h"
#include "graph/graph_columns.h"

static ubi_status broken(const char *what, uint64_t at) {
    return ubi__fail(UBI_EFORMAT, "graph invariant broken: %s, at %llu", what, (unsigned long long)at);
}

static ubi_status check_lengths(const ubi_graph *g) {
    size_t n = g->n_nodes;
    if (n == 0 || g->root >= n)
        return broken("there is a root", g->root);
    if (g->id.n != n || g->size_bytes.n != n || g->kind.n != n || g->first_edge.n != n + 1)
        return broken("node columns have one entry per node", n);
    if (g->stack.n != 0 && g->stack.n != n)
        return broken("the stack column is empty or has one entry per node", g->stack.n);
    if (g->target.n != g->n_edges || g->name.n != g->n_edges)
        return broken("edge columns have one entry per edge", g->n_edges);
    if (g->first_edge.at[0] != 0 || g->first_edge.at[n] != g->n_edges)
        return broken("edge ranges cover all edges", g->n_edges);
    return UBI_OK;
}

static bool string_ok(const ubi_graph *g, ubi_str_ix ix) {
    return ix == UBI_NONE || ix < ubi__strtab_count(&g->strings);
}

static ubi_status check_strings(const ubi_graph *g) {
    const ubi__strtab *t = &g->strings;
    if (t->canonical.n != t->end.n)
        return broken("each string has a canonical entry", t->canonical.n);
    for (uint32_t i = 0; i < ubi__strtab_count(t); i++) {
        uint32_t c = t->canonical.at[i];
        if (t->end.at[i] > t->bytes.n || (i && t->end.at[i] < t->end.at[i - 1]))
            return broken("string offsets ascend within the arena", i);
        if (c > i || t->canonical.at[c] != c)
            return broken("a canonical string is the first of its kind", i);
        if (!ubi__text_equal(ubi__strtab_get(t, c), ubi__strtab_get(t, i)))
            return broken("a canonical string has the same text", i);
    }
    return UBI_OK;
}

static ubi_status check_kinds(const ubi_graph *g) {
    for (size_t i = 0; i < g->kinds.rows.n; i++) {
        const ubi_kind *k = &g->kinds.rows.at[i];
        if (k->type_name == UBI_NONE || !string_ok(g, k->type_name) || !string_ok(g, k->class_name) ||
            !string_ok(g, k->script_filename) || !string_ok(g, k->descriptive_name))
            return broken("a kind's strings exist", i);
        if ((unsigned)k->coarse_type >= UBI_COARSE_TYPE_COUNT)
            return broken("a kind's coarse type is in 0..4", i);
    }
    return UBI_OK;
}

static ubi_status check_frames(const ubi_graph *g) {
    const ubi__frames *f = &g->frames;
    if (f->canonical.n != f->rows.n)
        return broken("each frame has a canonical entry", f->canonical.n);
    for (size_t i = 0; i < f->rows.n; i++) {
        const ubi__frame_row *row = &f->rows.at[i];
        uint32_t c = f->canonical.at[i];
        if (row->parent != UBI_NONE && row->parent >= i)
            return broken("a frame's parent comes before it", i);
        if (row->source == UBI_NONE || !string_ok(g, row->source) || !string_ok(g, row->function_name))
            return broken("a frame's strings exist", i);
        if (c > i || f->canonical.at[c] != c)
            return broken("a canonical frame is the first of its kind", i);
    }
    return UBI_OK;
}

static ubi_status check_nodes(const ubi_graph *g) {
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (g->kind.at[n] >= g->kinds.rows.n)
            return broken("a node's kind exists", n);
        if (g->stack.n && g->stack.at[n] != UBI_NONE && g->stack.at[n] >= g->frames.rows.n)
            return broken("a node's stack exists", n);
        if (g->first_edge.at[n] > g->first_edge.at[n + 1])
            return broken("edge ranges ascend", n);
        if (ubi__id_index_find(&g->ids, g->id.at, g->id.at[n]) != n)
            return broken("the id index finds each node", n);
    }
    return UBI_OK;
}

static ubi_status check_edges(const ubi_graph *g) {
    for (uint64_t e = 0; e < g->n_edges; e++) {
        if (g->target.at[e] >= g->n_nodes)
            return broken("an edge leads to a node", e);
        if (!string_ok(g, g->name.at[e]))
            return broken("an edge's name exists", e);
    }
    return UBI_OK;
}

/* Compares what loading found out about reachability with a plain walk. */
static ubi_status compare_reachable(const ubi_graph *g, const ubi_node_ix *order, const uint32_t *distance) {
    uint32_t n_reachable = 0, n_visits = ubi_graph_visit_count(g), root_rank = UBI_NONE;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        n_reachable += distance[n] != UBI_NONE;
        if (ubi__graph_reachable(g, n) != (distance[n] != UBI_NONE))
            return broken("reachability bits equal a walk's result", n);
    }
    if (n_reachable != g->n_reachable)
        return broken("the count of reachable nodes is right", g->n_reachable);
    for (uint32_t i = 0; i < n_visits; i++) {
        if (order[i] >= g->n_nodes || distance[order[i]] == UBI_NONE)
            return broken("visit order lists reachable nodes", i);
        if (order[i] == g->root)
            root_rank = i;
        else if (i > 0 && order[i - 1] != g->root && distance[order[i - 1]] > distance[order[i]])
            return broken("visit order is by distance", i);
        if (g->breadth_first && i > 0 && order[i] != g->root && order[i - 1] != g->root && order[i - 1] >= order[i])
            return broken("visit order of a breadth-first file is file order", i);
    }
    return root_rank == g->root_visit_rank ? UBI_OK : broken("the root's place in visit order is right", root_rank);
}

static ubi_status check_reachable(const ubi_graph *g) {
    const ubi_allocator *a = g->allocator;
    uint32_t n = g->n_nodes;
    ubi_node_ix *order = ubi__alloc_array(a, n, sizeof *order);
    uint32_t *distance = ubi__alloc_array(a, n, sizeof *distance);
    ubi_status status = order && distance ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = ubi_graph_distances(distance, g, NULL, g->root);
    if (status == UBI_OK)
        status = ubi_graph_visit_order(order, g);
    if (status == UBI_OK)
        status = compare_reachable(g, order, distance);
    ubi__free_array(a, order, n, sizeof *order);
    ubi__free_array(a, distance, n, sizeof *distance);
    return status;
}

ubi_status ubi_graph_check(const ubi_graph *g) {
    UBI_TRY(check_lengths(g));
    UBI_TRY(check_strings(g));
    UBI_TRY(check_kinds(g));
    UBI_TRY(check_frames(g));
    UBI_TRY(check_nodes(g));
    UBI_TRY(check_edges(g));
    return check_reachable(g);
}
