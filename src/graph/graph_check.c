/* SPDX-License-Identifier: MIT
 *
 * graph_check.c: every invariant of a graph, checked the slow and obvious way (ubi_graph_check).
 */
#include "graph/graph_columns.h"

static ubi_status fail_broken(const char *what, uint64_t at) {
    return ubi__fail(UBI_EFORMAT, "graph invariant broken: %s, at %llu", what, (unsigned long long)at);
}

static ubi_status check_lengths(const ubi_graph *g) {
    size_t n = g->n_nodes;
    if (n == 0 || g->root >= n)
        return fail_broken("there is a root", g->root);
    if (g->id.n != n || g->size_bytes.n != n || g->kind.n != n || g->first_edge.n != n + 1)
        return fail_broken("node columns have one entry per node", n);
    if (g->stack.n != 0 && g->stack.n != n)
        return fail_broken("the stack column is empty or has one entry per node", g->stack.n);
    if (g->target.n != g->n_edges || g->name.n != g->n_edges)
        return fail_broken("edge columns have one entry per edge", g->n_edges);
    if (g->edge_kind.n != 0 && g->edge_kind.n != g->n_edges)
        return fail_broken("the column of edge kinds is empty or has one entry per edge", g->edge_kind.n);
    if (g->node_name.n != 0 && g->node_name.n != n)
        return fail_broken("the column of node names is empty or has one entry per node", g->node_name.n);
    if (g->first_edge.at[0] != 0 || g->first_edge.at[n] != g->n_edges)
        return fail_broken("edge ranges cover all edges", g->n_edges);
    if (g->reachable.n != 0 && g->reachable.n != (n + 63) / 64)
        return fail_broken("reachability is empty or has one bit per node", g->reachable.n);
    return UBI_OK;
}

static bool string_ok(const ubi_graph *g, ubi_str_ix ix) {
    return ix == UBI_NONE || ix < ubi__strtab_count(&g->strings);
}

/* Whether a canonical column equals one that was just computed. */
static ubi_status compare_canonical(const ubi__vec_u32 *stored, const ubi__vec_u32 *computed, const char *what) {
    for (size_t i = 0; i < stored->n; i++)
        if (stored->at[i] != computed->at[i])
            return fail_broken(what, i);
    return UBI_OK;
}

static ubi_status check_strings(const ubi_graph *g) {
    const ubi__strtab *t = &g->strings;
    if (t->canonical.n != t->end.n)
        return fail_broken("each string has a canonical entry", t->canonical.n);
    for (uint32_t i = 0; i < ubi__strtab_count(t); i++)
        if (t->end.at[i] > t->bytes.n || (i && t->end.at[i] < t->end.at[i - 1]))
            return fail_broken("string offsets ascend within the arena", i);
    ubi__strtab again = *t;
    again.canonical = (ubi__vec_u32){ NULL, 0, 0 };
    ubi_status status = ubi__strtab_canonicalize(&again);
    if (status == UBI_OK)
        status = compare_canonical(&t->canonical, &again.canonical, "a canonical string is the first of equal text");
    ubi__vec_u32_fini(&again.canonical, t->allocator);
    return status;
}

static ubi_status check_kinds(const ubi_graph *g) {
    for (size_t i = 0; i < g->kinds.rows.n; i++) {
        const ubi_kind *k = &g->kinds.rows.at[i];
        if (k->type_name == UBI_NONE || !string_ok(g, k->type_name) || !string_ok(g, k->class_name) ||
            !string_ok(g, k->script_filename) || !string_ok(g, k->descriptive_name))
            return fail_broken("a kind's strings exist", i);
        if ((unsigned)k->coarse_type >= UBI_COARSE_TYPE_COUNT)
            return fail_broken("a kind's coarse type is in 0..4", i);
    }
    return UBI_OK;
}

static ubi_status check_frames(const ubi_graph *g) {
    const ubi__frames *f = &g->frames;
    if (f->canonical.n != f->rows.n)
        return fail_broken("each frame has a canonical entry", f->canonical.n);
    for (size_t i = 0; i < f->rows.n; i++) {
        const ubi__frame_row *row = &f->rows.at[i];
        if (row->parent != UBI_NONE && row->parent >= i)
            return fail_broken("a frame's parent comes before it", i);
        if (row->source == UBI_NONE || !string_ok(g, row->source) || !string_ok(g, row->function_name))
            return fail_broken("a frame's strings exist", i);
    }
    ubi__frames again = *f;
    again.canonical = (ubi__vec_u32){ NULL, 0, 0 };
    ubi_status status = ubi__frames_canonicalize(&again, &g->strings);
    if (status == UBI_OK)
        status = compare_canonical(&f->canonical, &again.canonical, "a canonical frame is the first of equal content");
    ubi__vec_u32_fini(&again.canonical, f->allocator);
    return status;
}

/* Where ids repeat, the first node of an id is the one to be found. */
static bool index_finds(const ubi_graph *g, ubi_node_ix n) {
    ubi_node_ix found = ubi__id_index_find(&g->ids, g->id.at, g->id.at[n]);
    return found == n || (g->ids_repeat && found < n && g->id.at[found] == g->id.at[n]);
}

static ubi_status check_nodes(const ubi_graph *g) {
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (g->kind.at[n] >= g->kinds.rows.n)
            return fail_broken("a node's kind exists", n);
        if (g->stack.n && ubi__graph_youngest(g, n) != UBI_NONE && g->stack.at[n] >= g->frames.rows.n)
            return fail_broken("a node's stack exists", n);
        if (g->first_edge.at[n] > g->first_edge.at[n + 1])
            return fail_broken("edge ranges ascend", n);
        if (!string_ok(g, ubi__graph_node_name(g, (ubi_node_ix)n)))
            return fail_broken("a node's name exists", n);
        if (!index_finds(g, n))
            return fail_broken("the id index finds each node", n);
    }
    return UBI_OK;
}

static ubi_status check_edges(const ubi_graph *g) {
    for (uint64_t e = 0; e < g->n_edges; e++) {
        if (g->target.at[e] >= g->n_nodes)
            return fail_broken("an edge leads to a node", e);
        if ((unsigned)ubi__graph_edge_kind(g, e) >= UBI_EDGE_KIND_COUNT)
            return fail_broken("an edge's kind exists", e);
        if (!string_ok(g, ubi__graph_edge_name(g, e)))
            return fail_broken("an edge's name exists", e);
    }
    return UBI_OK;
}

/* The plainest walk there is: what a breadth-first walk reports as first, in this order. The root starts unseen. */
static uint32_t plain_walk(const ubi_graph *g, uint8_t *seen, ubi_node_ix *order) {
    uint32_t n = 0;
    for (uint32_t i = 0; i <= n; i++) {
        ubi_node_ix origin = i == 0 ? g->root : order[i - 1];
        for (uint64_t e = g->first_edge.at[origin]; e < g->first_edge.at[origin + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (!seen[target]) {
                seen[target] = 1;
                order[n++] = target;
            }
        }
    }
    return n;
}

static bool is_file_order(const ubi_graph *g, const ubi_node_ix *order, uint32_t n) {
    ubi_node_ix next = 1;
    for (uint32_t i = 0; i < n; i++)
        if (order[i] != g->root && order[i] != next++)
            return false;
    return g->root == 0 && next == g->n_nodes;
}

/* Compares what loading found out with a walk that met order[0..n). */
static ubi_status compare_walk(const ubi_graph *g, const uint8_t *seen, const ubi_node_ix *order, uint32_t n) {
    uint32_t root_rank = UBI_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (order[i] == g->root)
            root_rank = i;
    if (root_rank != g->root_visit_rank)
        return fail_broken("the root's place in visit order is right", g->root_visit_rank);
    if (n + !seen[g->root] != g->n_reachable)
        return fail_broken("the count of reachable nodes is right", g->n_reachable);
    for (ubi_node_ix i = 0; i < g->n_nodes; i++)
        if (ubi__graph_reachable(g, i) != (seen[i] || i == g->root))
            return fail_broken("reachability bits equal a walk's result", i);
    if (g->breadth_first != is_file_order(g, order, n))
        return fail_broken("whether the file is in breadth-first order is right", g->breadth_first);
    return UBI_OK;
}

static ubi_status check_reachable(const ubi_graph *g) {
    const ubi_allocator *a = g->allocator;
    uint8_t *seen = ubi__calloc_array(a, g->n_nodes, 1);
    ubi_node_ix *order = ubi__alloc_array(a, g->n_nodes, sizeof *order);
    ubi_status status = seen && order ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        uint32_t n = plain_walk(g, seen, order);
        status = compare_walk(g, seen, order, n);
    }
    ubi__free_array(a, seen, g->n_nodes, 1);
    ubi__free_array(a, order, g->n_nodes, sizeof *order);
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
