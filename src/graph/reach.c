/* SPDX-License-Identifier: MIT
 *
 * reach.c: what can be reached from the root, and what the root adopts.
 *
 * Files are usually written in breadth-first order. One forward sweep proves it: while sources are taken in order, every
 * edge must lead either to a node met before or to exactly the next one. Then discovery order is file order, everything
 * is reachable, and nothing needs to be stored. Other graphs are walked, with the list of discovered nodes as the queue.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "graph/adopt.h"
#include "graph/graph_columns.h"

/* ==== REACHABILITY ============================================================================================== */

/* Stage of progress. */
#define STAGE "finding what is reachable"

/* True when the graph is in breadth-first order; sets root_visit_rank on the way. A stop looks like no such order. About every third edge leads to the next
 * node, at no predictable place, so that is counted without a branch. */
static bool sweep_words(ubi_graph *g, ubi__pulse *pulse) {
    const uint32_t *target = g->target.at;
    uint32_t next = 1, root_rank = UBI_NONE;
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        bool out_of_order = n >= next; /* nothing before leads here */
        if (ubi__unlikely(n % UBI__PULSE_NODES == 0) && !ubi__pulse_at(pulse, STAGE, n, g->n_nodes))
            return false;
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
static uint32_t walk_from_root(const ubi_graph *g, uint64_t *seen, ubi_node_ix *order, ubi__pulse *pulse) {
    enum { FAR = 16, NEAR = 8 };
    walk w = { g, seen, order, 0 };
    visit_targets(&w, g->root);
    for (uint32_t i = 0; i < w.n; i++) {
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__pulse_at(pulse, STAGE, i, g->n_nodes))
            break;
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

static ubi_status walk_unordered(ubi_graph *g, ubi__pulse *pulse) {
    const ubi_allocator *a = g->allocator;
    size_t n_words = words_for(g->n_nodes);
    ubi_node_ix *order = ubi__alloc_array(a, g->n_nodes, sizeof *order);
    if (!order)
        return ubi__fail_nomem();
    ubi_status status = ubi__vec_u64_reserve(&g->reachable, a, n_words);
    if (status == UBI_OK) {
        memset(g->reachable.at, 0, n_words * sizeof(uint64_t));
        g->reachable.n = n_words;
        uint32_t n = walk_from_root(g, g->reachable.at, order, pulse);
        g->root_visit_rank = rank_of_root(g, order, n);
        g->n_reachable = n + (g->root_visit_rank == UBI_NONE);
        g->reachable.at[g->root >> 6] |= UINT64_C(1) << (g->root & 63);
        if (g->n_reachable == g->n_nodes)
            ubi__vec_u64_fini(&g->reachable, a); /* no bits: all of them */
        ubi__vec_u64_trim(&g->reachable, a);
    }
    ubi__free_array(a, order, g->n_nodes, sizeof *order);
    return status == UBI_OK && ubi__pulse_is_stopped(pulse) ? ubi__fail_cancelled() : status;
}

void ubi__reachable_check(const ubi_graph *g) {
    size_t n_words = words_for(g->n_nodes);
    uint32_t n = 0;
    UBI_ASSERT(g->reachable.n == 0 || g->reachable.n == n_words);
    UBI_ASSERT(!g->is_breadth_first || (g->root == 0 && g->reachable.n == 0));
    UBI_ASSERT(g->root_visit_rank == UBI_NONE || g->root_visit_rank < g->n_reachable);
    UBI_ASSERT(g->reachable.n == 0 || g->n_nodes % 64 == 0 || g->reachable.at[n_words - 1] >> (g->n_nodes % 64) == 0);
    UBI_ASSERT(ubi__graph_reachable(g, g->root) && (g->root_visit_rank != UBI_NONE || g->n_reachable > 0));
    for (ubi_node_ix source = 0; UBI_CHECKS && source < g->n_nodes; source++) {
        if (!ubi__graph_reachable(g, source))
            continue;
        n++;
        for (ubi_edge_ix e = g->first_edge.at[source]; e < g->first_edge.at[source + 1]; e++)
            UBI_ASSERT(ubi__graph_reachable(g, g->target.at[e]));
    }
    UBI_ASSERT(!UBI_CHECKS || g->n_reachable == n);
}

ubi_status ubi__graph_find_reachable(ubi_graph *g, ubi__pulse *pulse) {
    g->is_breadth_first = g->root == 0 && sweep_words(g, pulse);
    g->n_reachable = g->n_nodes;
    if (!g->is_breadth_first)
        UBI_TRY(walk_unordered(g, pulse));
    ubi__reachable_check(g);
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
    if (g->is_breadth_first) {
        order_from_file(order, g);
        return UBI_OK;
    }
    size_t n_words = words_for(g->n_nodes);
    uint64_t *seen = ubi__calloc_array(g->allocator, n_words, sizeof *seen);
    if (!seen)
        return ubi__fail_nomem();
    walk_from_root(g, seen, order, NULL);
    ubi__free_array(g->allocator, seen, n_words, sizeof *seen);
    return UBI_OK;
}

/* Edges and nodes between two reports: a few milliseconds. */
#define STEPS_PER_REPORT 300000

/* Whether the walk went to its end. */
static bool distances_walk(uint32_t *out, ubi_node_ix *queue, const ubi_graph *g, const ubi_edge_set *set,
                           ubi_node_ix start, const ubi_progress *progress) {
    uint32_t n = 0;
    uint64_t n_steps = 0;
    queue[n++] = start;
    out[start] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t begin = g->first_edge.at[queue[i]], end = g->first_edge.at[queue[i] + 1];
        for (uint64_t e = begin; e < end; e++) {
            ubi_node_ix t = g->target.at[e];
            if (out[t] != UBI_NONE || !ubi__edge_set_has(set, e))
                continue;
            out[t] = out[queue[i]] + 1;
            queue[n++] = t;
        }
        n_steps += end - begin + 1;
        if (n_steps >= STEPS_PER_REPORT) {
            n_steps = 0;
            if (!ubi__progress(progress, "counting distances", i, g->n_nodes))
                return false;
        }
    }
    return true;
}

void ubi__distances_check(const uint32_t *out, const ubi_graph *g, const ubi_edge_set *set, ubi_node_ix start) {
    for (ubi_node_ix n = 0; UBI_CHECKS && n < g->n_nodes; n++) {
        UBI_ASSERT((out[n] == 0) == (n == start));
        for (ubi_edge_ix e = g->first_edge.at[n]; out[n] != UBI_NONE && e < g->first_edge.at[n + 1]; e++)
            UBI_ASSERT(!ubi__edge_set_has(set, e) || out[g->target.at[e]] <= out[n] + 1);
    }
}

ubi_status ubi__graph_distances(uint32_t *out, const ubi_graph *g, const ubi_edge_set *set, ubi_node_ix start,
                                const ubi_progress *progress) {
    if (start >= g->n_nodes)
        return ubi__fail(UBI_EINVAL, "start node %u is not in the graph", start);
    ubi_node_ix *queue = ubi__alloc_array(g->allocator, g->n_nodes, sizeof *queue);
    if (!queue)
        return ubi__fail_nomem();
    memset(out, 0xff, (size_t)g->n_nodes * sizeof *out);
    bool is_whole = distances_walk(out, queue, g, set, start, progress);
    ubi__free_array(g->allocator, queue, g->n_nodes, sizeof *queue);
    if (!is_whole)
        return ubi__fail_cancelled();
    ubi__distances_check(out, g, set, start);
    return UBI_OK;
}

ubi_status ubi_graph_distances(uint32_t *out, const ubi_graph *g, const ubi_edge_set *set, ubi_node_ix start) {
    return ubi__graph_distances(out, g, set, start, NULL);
}

void ubi_graph_retainer_counts(uint32_t *out, const ubi_graph *g) {
    memset(out, 0, (size_t)g->n_nodes * sizeof *out);
    for (uint64_t e = 0; e < g->n_edges; e++) {
        uint32_t *count = &out[g->target.at[e]];
        *count += *count != UINT32_MAX;
    }
}

/* ==== ADOPTION ================================================================================================== */

typedef struct adoption {
    const ubi_view *view;
    const ubi_allocator *allocator;
    uint64_t *reached, *led_to; /* a bit per node */
    ubi__vec_u32 waiting;
} adoption;

/* All that `start` reaches. */
static ubi_status reach_from(adoption *w, ubi_node_ix start) {
    const ubi_graph *g = w->view->graph;
    ubi__put_bit(w->reached, start);
    UBI_TRY(ubi__vec_u32_push(&w->waiting, w->allocator, start));
    while (w->waiting.n) {
        ubi_node_ix n = w->waiting.at[--w->waiting.n];
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (ubi__has_bit(w->reached, target) || !ubi__edge_set_has(w->view->edges, e))
                continue;
            ubi__put_bit(w->reached, target);
            UBI_TRY(ubi__vec_u32_push(&w->waiting, w->allocator, target));
        }
    }
    return UBI_OK;
}

static void mark_led_to(adoption *w) {
    const ubi_graph *g = w->view->graph;
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++)
            if (g->target.at[e] != n && ubi__edge_set_has(w->view->edges, e))
                ubi__put_bit(w->led_to, g->target.at[e]);
}

static ubi_status adopt_orphans(ubi__vec_u32 *out, adoption *w) {
    const ubi_graph *g = w->view->graph;
    UBI_TRY(reach_from(w, w->view->root));
    mark_led_to(w);
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        if (!ubi__has_bit(w->reached, n) && !ubi__has_bit(w->led_to, n)) {
            UBI_TRY(ubi__vec_u32_push(out, w->allocator, n));
            UBI_TRY(reach_from(w, n));
        }
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        if (!ubi__has_bit(w->reached, n))
            UBI_TRY(ubi__vec_u32_push(out, w->allocator, n));
    return UBI_OK;
}

ubi_status ubi__view_adopted(ubi__vec_u32 *out, const ubi_view *view, const ubi_allocator *a) {
    ubi__view_check(view);
    size_t n_words = view->graph->n_nodes / 64 + 1;
    adoption w = { .view = view,
                   .allocator = a,
                   .reached = ubi__calloc_array(a, n_words, sizeof(uint64_t)),
                   .led_to = ubi__calloc_array(a, n_words, sizeof(uint64_t)) };
    ubi_status status = w.reached && w.led_to ? adopt_orphans(out, &w) : ubi__fail_nomem();
    ubi__free_array(a, w.reached, n_words, sizeof(uint64_t));
    ubi__free_array(a, w.led_to, n_words, sizeof(uint64_t));
    ubi__vec_u32_fini(&w.waiting, a);
    return status;
}
