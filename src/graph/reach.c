/* SPDX-License-Identifier: MIT
 *
 * reach.c: what can be reached from the root, and in which order a breadth-first walk meets it.
 *
 * Files are usually written in breadth-first order. One forward sweep proves it: while sources are taken in order, every
 * edge must lead either to a node met before or to exactly the next one. Then discovery order is file order, everything
 * is reachable, and nothing needs to be stored. Other graphs are walked, with the list of discovered nodes as the queue.
 */
#include <string.h>

#include "graph/graph_columns.h"

/* True when the graph is in breadth-first order; sets root_visit_rank on the way. About every third edge leads to the next
 * node, at no predictable place, so that is counted without a branch. */
static bool sweep_words(ubi_graph *g) {
    const uint32_t *target = g->target.at;
    uint32_t next = 1, root_rank = UBI_NONE;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        bool out_of_order = n >= next; /* nothing before leads here */
        uint64_t end = g->first_edge.at[n + 1];
        for (uint64_t e = g->first_edge.at[n]; e < end; e++) {
            if (ubi__unlikely(target[e] == 0) && root_rank == UBI_NONE)
                root_rank = next - 1;
            out_of_order |= target[e] > next;
            next += target[e] == next;
        }
        if (out_of_order)
            return false;
    }
    g->root_visit_rank = root_rank;
    return true;
}

typedef struct walk {
    const ubi_graph *g;
    uint64_t *seen;
    ubi_node_ix *order;
    uint32_t n;
} walk;

static void visit_targets(walk *w, ubi_node_ix node) {
    const ubi_graph *g = w->g;
    uint64_t end = g->first_edge.at[node + 1];
    for (uint64_t e = g->first_edge.at[node]; e < end; e++) {
        ubi_node_ix t = g->target.at[e];
        uint64_t bit = UINT64_C(1) << (t & 63);
        if (w->seen[t >> 6] & bit)
            continue;
        w->seen[t >> 6] |= bit;
        w->order[w->n++] = t;
    }
}

/* Fills `order` with what a walk from the root reports as first, and `seen` with the same set. The root starts unseen: it
 * is in the list only when an edge leads to it, and its edges are then walked twice, which finds nothing new. */
static uint32_t walk_from_root(const ubi_graph *g, uint64_t *seen, ubi_node_ix *order) {
    enum { FAR = 16, NEAR = 8 };
    walk w = { g, seen, order, 0 };
    visit_targets(&w, g->root);
    for (uint32_t i = 0; i < w.n; i++) {
        /* Where edges begin, and then the edges themselves, are asked for some nodes ahead. */
        if (i + FAR < w.n) {
            __builtin_prefetch(&g->first_edge.at[order[i + FAR]]);
            __builtin_prefetch(&g->target.at[g->first_edge.at[order[i + NEAR]]]);
        }
        visit_targets(&w, order[i]);
    }
    return w.n;
}

static size_t words_for(uint32_t n_nodes) {
    return ((size_t)n_nodes + 63) / 64;
}

static uint32_t rank_of_root(const ubi_graph *g, const ubi_node_ix *order, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (order[i] == g->root)
            return i;
    return UBI_NONE;
}

static ubi_status walk_unordered(ubi_graph *g) {
    const ubi_allocator *a = g->allocator;
    size_t n_words = words_for(g->n_nodes);
    ubi_node_ix *order = ubi__alloc_array(a, g->n_nodes, sizeof *order);
    if (!order)
        return ubi__fail_nomem();
    ubi_status status = ubi__vec_u64_reserve(&g->reachable, a, n_words);
    if (status == UBI_OK) {
        memset(g->reachable.at, 0, n_words * sizeof(uint64_t));
        g->reachable.n = n_words;
        uint32_t n = walk_from_root(g, g->reachable.at, order);
        g->root_visit_rank = rank_of_root(g, order, n);
        g->n_reachable = n + (g->root_visit_rank == UBI_NONE);
        g->reachable.at[g->root >> 6] |= UINT64_C(1) << (g->root & 63);
        if (g->n_reachable == g->n_nodes)
            ubi__vec_u64_fini(&g->reachable, a); /* no bits: all of them */
        ubi__vec_u64_trim(&g->reachable, a);
    }
    ubi__free_array(a, order, g->n_nodes, sizeof *order);
    return status;
}

ubi_status ubi__graph_find_reachable(ubi_graph *g) {
    g->breadth_first = g->root == 0 && sweep_words(g);
    if (!g->breadth_first)
        return walk_unordered(g);
    g->n_reachable = g->n_nodes;
    return UBI_OK;
}

uint32_t ubi_graph_reachable_count(const ubi_graph *g) {
    return g->n_reachable;
}
bool ubi_graph_is_reachable(const ubi_graph *g, ubi_node_ix node) {
    return ubi__graph_reachable(g, node);
}
bool ubi_graph_root_has_retainer(const ubi_graph *g) {
    return g->root_visit_rank != UBI_NONE;
}
uint32_t ubi_graph_visit_count(const ubi_graph *g) {
    return g->n_reachable - (g->root_visit_rank == UBI_NONE);
}

/* File order, with the root moved to where it is met, or left out. */
static void order_from_file(ubi_node_ix *order, const ubi_graph *g) {
    uint32_t at = 0;
    for (ubi_node_ix n = 1; n <= g->n_nodes; n++) {
        if (at == g->root_visit_rank)
            order[at++] = g->root;
        if (n < g->n_nodes)
            order[at++] = n;
    }
}

ubi_status ubi_graph_visit_order(ubi_node_ix *order, const ubi_graph *g) {
    if (g->breadth_first) {
        order_from_file(order, g);
        return UBI_OK;
    }
    size_t n_words = words_for(g->n_nodes);
    uint64_t *seen = ubi__calloc_array(g->allocator, n_words, sizeof *seen);
    if (!seen)
        return ubi__fail_nomem();
    walk_from_root(g, seen, order);
    ubi__free_array(g->allocator, seen, n_words, sizeof *seen);
    return UBI_OK;
}

ubi_status ubi_graph_distances(uint32_t *out, const ubi_graph *g, const ubi_edge_set *set, ubi_node_ix start) {
    if (start >= g->n_nodes)
        return ubi__fail(UBI_EINVAL, "start node %u is not in the graph", start);
    ubi_node_ix *queue = ubi__alloc_array(g->allocator, g->n_nodes, sizeof *queue);
    if (!queue)
        return ubi__fail_nomem();
    memset(out, 0xff, (size_t)g->n_nodes * sizeof *out);
    uint32_t n = 0;
    queue[n++] = start;
    out[start] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t end = g->first_edge.at[queue[i] + 1];
        for (uint64_t e = g->first_edge.at[queue[i]]; e < end; e++) {
            ubi_node_ix t = g->target.at[e];
            if (out[t] != UBI_NONE || !ubi__edge_set_has(set, e))
                continue;
            out[t] = out[queue[i]] + 1;
            queue[n++] = t;
        }
    }
    ubi__free_array(g->allocator, queue, g->n_nodes, sizeof *queue);
    return UBI_OK;
}

void ubi_graph_retainer_counts(uint32_t *out, const ubi_graph *g) {
    memset(out, 0, (size_t)g->n_nodes * sizeof *out);
    for (uint64_t e = 0; e < g->n_edges; e++) {
        uint32_t *count = &out[g->target.at[e]];
        *count += *count != UINT32_MAX;
    }
}
