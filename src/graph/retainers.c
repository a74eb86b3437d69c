/* SPDX-License-Identifier: MIT
 *
 * retainers.c: edges backwards (ubiheap/core/graph.h).
 *
 * A counting sort of the edges by target. Threads take consecutive parts of the edges and count for themselves; the sums
 * then say where each thread's edges to a node begin, so that all write to places of their own and edges stay in order.
 *
 * The counters of a big heap do not fit a cache. Real files lead mostly to nodes nearby, and a straight loop is as fast as
 * any; for the rest both loops ask for memory some edges ahead. Sorting into ranges of targets first, so that all writes
 * stay in cache, would save a third on random graphs and cost real ones twice the time.
 */
#include "graph/retainers.h"

#include <stdatomic.h>
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "graph/graph_columns.h"

/* Each thread has counters for all nodes. */
#define MOST_THREADS 4
#define EDGES_PER_THREAD (UINT64_C(1) << 18)

/* Stage of progress. */
#define STAGE "collecting retainers"

/* How many edges ahead memory is asked for: a counter, and then the place that it points to. */
#define COUNTER_AHEAD 64
#define PLACE_AHEAD 24

/** A column of uint32_t, or of uint64_t if `wide`. Functions that take `wide` are compiled once for each. */
typedef void *column;

static inline __attribute__((always_inline)) uint64_t get_place(column c, bool wide, uint64_t i) {
    return wide ? ((const uint64_t *)c)[i] : ((const uint32_t *)c)[i];
}
static inline __attribute__((always_inline)) void put_place(column c, bool wide, uint64_t i, uint64_t value) {
    if (wide)
        ((uint64_t *)c)[i] = value;
    else
        ((uint32_t *)c)[i] = (uint32_t)value;
}
static inline __attribute__((always_inline)) void prefetch_place(column c, bool wide, uint64_t i) {
    __builtin_prefetch(wide ? (const void *)((const uint64_t *)c + i) : (const void *)((const uint32_t *)c + i), 1);
}
static size_t place_width(bool wide) {
    return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

typedef struct sorter {
    ubi_retainers *retainers;
    const ubi_edge_set *set;
    unsigned n_parts;
    column counters[MOST_THREADS]; /* per part and node: how many edges, then where the next one goes */
    ubi__pulse *pulse;
} sorter;

static inline __attribute__((always_inline)) bool edge_counts(const ubi_edge_set *set, ubi_edge_ix edge) {
    return ubi__edge_set_has(set, edge);
}

static inline __attribute__((always_inline)) void count_edges(const sorter *s, uint64_t begin, uint64_t end,
                                                              column counters, bool wide, const ubi_edge_set *set) {
    const ubi_node_ix *target = s->retainers->graph->target.at;
    for (ubi_edge_ix e = begin; e < end; e++) {
        prefetch_place(counters, wide, target[end - e > COUNTER_AHEAD ? e + COUNTER_AHEAD : e]);
        if (edge_counts(set, e))
            put_place(counters, wide, target[e], get_place(counters, wide, target[e]) + 1);
    }
}

static inline __attribute__((always_inline)) void place_edges(const sorter *s, uint64_t begin, uint64_t end,
                                                              column next, bool wide, const ubi_edge_set *set) {
    const ubi_node_ix *target = s->retainers->graph->target.at;
    column edges = s->retainers->edges;
    for (ubi_edge_ix e = begin; e < end; e++) {
        prefetch_place(next, wide, target[end - e > COUNTER_AHEAD ? e + COUNTER_AHEAD : e]);
        prefetch_place(edges, wide, get_place(next, wide, target[end - e > PLACE_AHEAD ? e + PLACE_AHEAD : e]));
        if (!edge_counts(set, e))
            continue;
        uint64_t at = get_place(next, wide, target[e]);
        put_place(edges, wide, at, e);
        put_place(next, wide, target[e], at + 1);
    }
}

static void count_range(const sorter *s, uint64_t begin, uint64_t end, unsigned part) {
    column counters = s->counters[part];
    if (s->retainers->is_wide)
        count_edges(s, begin, end, counters, true, s->set);
    else if (s->set)
        count_edges(s, begin, end, counters, false, s->set);
    else
        count_edges(s, begin, end, counters, false, NULL);
}

static void place_range(const sorter *s, uint64_t begin, uint64_t end, unsigned part) {
    column next = s->counters[part];
    if (s->retainers->is_wide)
        place_edges(s, begin, end, next, true, s->set);
    else if (s->set)
        place_edges(s, begin, end, next, false, s->set);
    else
        place_edges(s, begin, end, next, false, NULL);
}

static void count_part(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    count_range(payload, begin, end, part);
}

static void place_part(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    place_range(payload, begin, end, part);
}

/* Turns counts into places, node by node and within a node part by part. */
static ubi_status add_up(const sorter *s) {
    ubi_retainers *r = s->retainers;
    uint64_t at = 0;
    for (uint32_t node = 0; node < r->graph->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__pulse_at(s->pulse, STAGE, node, r->graph->n_nodes))
            return ubi__fail_cancelled();
        r->first[node] = at;
        for (unsigned part = 0; part < s->n_parts; part++) {
            uint64_t n = get_place(s->counters[part], r->is_wide, node);
            put_place(s->counters[part], r->is_wide, node, at);
            at += n;
        }
    }
    r->first[r->graph->n_nodes] = at;
    return UBI_OK;
}

/* Places are filled in no order: pages that come one by one then would come in the midst of a piece, all at once. */
#define PAGES (UINT64_C(1) << 16)

static void touch_edges(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    (void)part;
    ubi__touch_pages((char *)payload + begin, end - begin);
}

static ubi_status sort_edges(sorter *s, uint64_t grain) {
    ubi_retainers *r = s->retainers;
    ubi__crew crew = { s->n_parts, s->pulse };
    UBI_TRY(ubi__parallel_pieces(crew, STAGE, r->graph->n_edges, grain, count_part, s));
    UBI_TRY(add_up(s));
    uint64_t n = r->first[r->graph->n_nodes];
    if (n == 0)
        return UBI_OK;
    r->edges = ubi__alloc_array(r->allocator, n, place_width(r->is_wide));
    if (!r->edges)
        return ubi__fail_nomem();
    UBI_TRY(ubi__parallel_pieces(crew, STAGE, n * place_width(r->is_wide), PAGES, touch_edges, r->edges));
    return ubi__parallel_pieces(crew, STAGE, r->graph->n_edges, grain, place_part, s);
}

static ubi_status counters_clear(const sorter *s, unsigned part) {
    const ubi_retainers *r = s->retainers;
    size_t n_bytes = r->graph->n_nodes * place_width(r->is_wide);
    if (!ubi__pulse_at(s->pulse, STAGE, 0, r->graph->n_edges) ||
        !ubi__pulse_fill(s->pulse, s->counters[part], 0, n_bytes))
        return ubi__fail_cancelled();
    return UBI_OK;
}

static ubi_status sort_with_counters(ubi_retainers *r, const ubi_edge_set *set, const ubi__retainers_how *how) {
    ubi__pulse pulse = ubi__pulse_of(how->progress);
    sorter s = { .retainers = r, .set = set, .pulse = &pulse };
    uint64_t n_grains = (r->graph->n_edges + how->grain - 1) / how->grain;
    ubi_status status = UBI_OK;
    s.n_parts = how->threads < MOST_THREADS ? how->threads : MOST_THREADS;
    if (s.n_parts > n_grains)
        s.n_parts = (unsigned)n_grains;
    for (unsigned i = 0; i < s.n_parts && status == UBI_OK; i++) {
        s.counters[i] = ubi__alloc_array(r->allocator, r->graph->n_nodes, place_width(r->is_wide));
        status = s.counters[i] ? counters_clear(&s, i) : ubi__fail_nomem();
    }
    if (status == UBI_OK)
        status = sort_edges(&s, how->grain);
    for (unsigned i = 0; i < s.n_parts; i++)
        ubi__free_array(r->allocator, s.counters[i], r->graph->n_nodes, place_width(r->is_wide));
    return status;
}

void ubi__retainers_check(const ubi_retainers *r) {
    const ubi_graph *g = r->graph;
    if (!UBI_CHECKS)
        return;
    UBI_ASSERT((r->edges != NULL) == (r->first[g->n_nodes] > r->first[0]));
    UBI_ASSERT(r->first[0] == 0 && r->first[g->n_nodes] <= g->n_edges);
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        UBI_ASSERT(r->first[node] <= r->first[node + 1]);
        for (uint64_t i = r->first[node]; i < r->first[node + 1]; i++) {
            uint64_t edge = get_place(r->edges, r->is_wide, i);
            UBI_ASSERT(edge < g->n_edges && g->target.at[edge] == node);
            UBI_ASSERT(i == r->first[node] || get_place(r->edges, r->is_wide, i - 1) < edge);
        }
    }
}

ubi__retainers_how ubi__retainers_how_of(const ubi_graph *graph, unsigned threads, const ubi_progress *progress) {
    return (ubi__retainers_how){ ubi__thread_count(threads), EDGES_PER_THREAD, graph->n_edges > UINT32_MAX, progress };
}

ubi_status ubi__retainers_new(ubi_retainers **out, const ubi_graph *graph, const ubi_edge_set *set,
                              ubi__retainers_how how, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi_retainers *r = UBI_NEW(a, ubi_retainers);
    if (!r)
        return ubi__fail_nomem();
    r->allocator = a;
    r->is_wide = how.is_wide;
    r->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)graph);
    r->first = ubi__alloc_array(a, (size_t)graph->n_nodes + 1, sizeof *r->first);
    ubi_status status = r->first ? sort_with_counters(r, set, &how) : ubi__fail_nomem();
    if (status != UBI_OK) {
        ubi_retainers_free(r);
        return status;
    }
    ubi__retainers_check(r);
    *out = r;
    return UBI_OK;
}

ubi_status ubi_retainers_new(ubi_retainers **out, const ubi_graph *graph, const ubi_edge_set *set, unsigned threads,
                             const ubi_allocator *allocator) {
    return ubi__retainers_new(out, graph, set, ubi__retainers_how_of(graph, threads, NULL), allocator);
}

void ubi_retainers_free(ubi_retainers *r) {
    if (!r)
        return;
    const ubi_allocator *a = r->allocator;
    ubi_graph *graph = r->graph;
    size_t n_first = (size_t)graph->n_nodes + 1;
    if (r->edges)
        ubi__free_array(a, r->edges, (size_t)r->first[graph->n_nodes], place_width(r->is_wide));
    ubi__free_array(a, r->first, n_first, sizeof *r->first);
    UBI_DELETE(a, r);
    ubi_graph_unref(graph);
}

uint64_t ubi_retainers_count(const ubi_retainers *r, ubi_node_ix node) {
    return r->first[node + 1] - r->first[node];
}

ubi_edge_ix ubi_retainers_edge(const ubi_retainers *r, ubi_node_ix node, uint64_t i) {
    return get_place(r->edges, r->is_wide, r->first[node] + i);
}
