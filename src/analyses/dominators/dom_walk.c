/* SPDX-License-Identifier: MIT
 *
 * dom_walk.c: the depth-first walk that numbers nodes.
 *
 * Edges of a node are taken last first, as Firefox does; so the order in which walks of nodes end is Firefox's post-order,
 * which dominated sets are sorted by. The stack is explicit. An edge is looked at once: it finds a node, or is folded
 * into the candidate of its target (forward), or is kept for later (backward).
 */
#include "analyses/dominators/dom_work.h"

/* Edges of a new node whose targets are fetched ahead. */
#define AHEAD 4

static uint32_t number_node(ubi__dom_work *w, ubi_node_ix node, uint32_t parent) {
    uint32_t number = w->n++;
    w->number[node] = number;
    w->node[number] = node;
    w->parent[number] = parent;
    w->dominator[number] = parent;
    return number;
}

static void finish_number(ubi__dom_work *w, uint32_t number) {
    if (w->finished)
        w->finished[w->n_finished++] = number;
}

/* An edge between two numbers that is no tree edge. */
static void sort_edge(ubi__dom_work *w, uint32_t source, uint32_t target) {
    if (target >= source) {
        if (source < w->dominator[target])
            w->dominator[target] = source;
    } else if (target != 0) { /* the root has no dominator */
        ubi__dom_edges_add(&w->edges, source, target);
    }
}

/* The next edges of a walk stand in the graph at random places: their targets are fetched while others are explored. */
static inline void fetch_ahead(const ubi__dom_work *w, ubi_edge_ix begin, ubi_edge_ix next) {
    const ubi_graph *g = w->graph;
    if (next - begin > AHEAD)
        begin = next - AHEAD;
    while (next-- > begin) {
        __builtin_prefetch(&w->number[g->target.at[next]], 1);
        __builtin_prefetch(&g->first_edge.at[g->target.at[next]]);
    }
}

/* Where the edges of a node stand that is walked soon. */
static inline void fetch_edges(const ubi_graph *g, ubi_node_ix node) {
    ubi_edge_ix end = g->first_edge.at[node + 1];
    __builtin_prefetch(g->target.at + end - (end > 0));
}

/* Numbers `start`, as a child of number 0 unless it is the first, and all that it reaches. */
static inline __attribute__((always_inline)) ubi_status walk_edges(ubi__dom_work *w, ubi_node_ix start,
                                                                   const ubi_edge_set *set) {
    const ubi_graph *g = w->graph;
    ubi__dom_frame *const frames = ubi__dom_frames(w);
    uint32_t at = number_node(w, start, 0), depth = 0, fuel = UBI__DOM_CHUNK;
    ubi_edge_ix begin = g->first_edge.at[start], next = g->first_edge.at[start + 1];
    for (;;) {
        while (next > begin) {
            ubi_edge_ix edge = --next;
            if (ubi__unlikely(--fuel == 0)) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, w->n));
                fuel = UBI__DOM_CHUNK;
            }
            if (!ubi__edge_set_has(set, edge))
                continue;
            ubi_node_ix target = g->target.at[edge];
            if (w->number[target] != UBI_NONE) {
                sort_edge(w, at, w->number[target]);
                continue;
            }
            frames[depth++] = (ubi__dom_frame){ begin, next };
            if (next > begin)
                fetch_edges(g, g->target.at[next - 1]);
            at = number_node(w, target, at);
            begin = g->first_edge.at[target];
            next = g->first_edge.at[target + 1];
            fetch_ahead(w, begin, next);
        }
        finish_number(w, at);
        if (depth == 0)
            return UBI_OK;
        at = w->parent[at];
        begin = frames[--depth].begin;
        next = frames[depth].next;
    }
}

static ubi_status walk_from(ubi__dom_work *w, ubi_node_ix start) {
    return w->view->edges ? walk_edges(w, start, w->view->edges) : walk_edges(w, start, NULL);
}

/* ---- nodes that the root does not reach ------------------------------------------------------------------------------ */

static bool is_reached(const ubi__dom_work *w, ubi_node_ix node) {
    return w->number[node] != UBI_NONE;
}

static bool edge_counts(const ubi__dom_work *w, ubi_edge_ix edge) {
    return ubi__edge_set_has(w->view->edges, edge);
}

/* Marks nodes that another one leads to. Only edges of nodes that were not reached matter: the targets of all others were. */
static ubi_status mark_led_to(uint64_t *led_to, const ubi__dom_work *w) {
    const ubi_graph *g = w->graph;
    uint32_t fuel = UBI__DOM_CHUNK;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        ubi_edge_ix end = is_reached(w, node) ? 0 : g->first_edge.at[node + 1];
        for (ubi_edge_ix e = g->first_edge.at[node]; e < end; e++) {
            ubi_node_ix target = g->target.at[e];
            if (target != node && edge_counts(w, e))
                led_to[target >> 6] |= UINT64_C(1) << (target & 63);
            if (--fuel == 0) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, w->n));
                fuel = UBI__DOM_CHUNK;
            }
        }
    }
    return UBI_OK;
}

static ubi_status adopt_heads(ubi__dom_work *w, const uint64_t *led_to) {
    for (ubi_node_ix node = 0; node < w->graph->n_nodes; node++)
        if (!is_reached(w, node) && !(led_to[node >> 6] >> (node & 63) & 1))
            UBI_TRY(walk_from(w, node));
    return UBI_OK;
}

/* Children of the root without a walk: all that they lead to has a number or becomes a child of the root as well. */
static ubi_status adopt_rest(ubi__dom_work *w) {
    const ubi_graph *g = w->graph;
    uint32_t fuel = UBI__DOM_CHUNK;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (is_reached(w, node))
            continue;
        uint32_t at = number_node(w, node, 0);
        finish_number(w, at);
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            if (is_reached(w, g->target.at[e]) && edge_counts(w, e))
                sort_edge(w, at, w->number[g->target.at[e]]);
            if (--fuel == 0) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, w->n));
                fuel = UBI__DOM_CHUNK;
            }
        }
    }
    return UBI_OK;
}

static ubi_status adopt_unreached(ubi__dom_work *w) {
    size_t n_words = ((size_t)w->graph->n_nodes + 63) / 64;
    uint64_t *led_to = ubi__calloc_array(w->allocator, n_words, sizeof *led_to);
    if (!led_to)
        return ubi__fail_nomem();
    ubi_status status = mark_led_to(led_to, w);
    if (status == UBI_OK)
        status = adopt_heads(w, led_to);
    ubi__free_array(w->allocator, led_to, n_words, sizeof *led_to);
    return status == UBI_OK ? adopt_rest(w) : status;
}

ubi_status ubi__dom_walk(ubi__dom_work *w) {
    for (ubi_node_ix node = 0; node < w->graph->n_nodes; node++)
        w->number[node] = UBI_NONE;
    UBI_TRY(walk_from(w, w->view->root));
    if (w->view->orphans != UBI_ORPHANS_ADOPT || w->n == w->graph->n_nodes)
        return UBI_OK;
    if (w->finished)
        w->n_finished--; /* the root ends after all that it adopts */
    UBI_TRY(adopt_unreached(w));
    finish_number(w, 0);
    return UBI_OK;
}
