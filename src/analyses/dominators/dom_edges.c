/* SPDX-License-Identifier: MIT
 *
 * dom_edges.c: backward edges, grouped by target (dom_edges.h).
 */
#include <string.h>

#include "analyses/dominators/dom_work.h"

#define POOL_BYTES_PER_NODE 26
#define POOL_EDGES_PER_BYTE 2
#define POOL_LEAST_BYTES ((uint64_t)64 << 10)

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- the pool ----------------------------------------------------------------------------------------------------- */

/* Bytes at the end of the pool that sorting a range of n_blocks takes. */
static uint64_t sorting_bytes(const ubi__dom_edges *edges, uint64_t n_blocks) {
    return sizeof(uint32_t) * (edges->range_size + 1 + n_blocks * UBI__DOM_BLOCK_EDGES);
}

/* Enough for everything, but no more than is promised; scanning again needs counts, marks and the sources of a target. */
static uint64_t pool_bytes(const ubi__dom_edges *edges, const ubi_graph *g, bool small) {
    uint64_t n = g->n_nodes, scanning = sizeof(uint32_t) * (3 * n + 1);
    scanning = most(scanning, sizeof(ubi__dom_block)); /* full logs need a place to throw edges */
    if (small)
        return scanning;
    uint64_t n_blocks = g->n_edges / UBI__DOM_BLOCK_EDGES + edges->n_logs;
    uint64_t logs = n_blocks * sizeof(ubi__dom_block) + sorting_bytes(edges, n_blocks);
    uint64_t promised = most(most(n * POOL_BYTES_PER_NODE, g->n_edges / POOL_EDGES_PER_BYTE), POOL_LEAST_BYTES);
    return most(least(logs, promised), scanning);
}

ubi_status ubi__dom_edges_init(ubi__dom_work *w) {
    ubi__dom_edges *edges = &w->edges;
    edges->range_bits = w->tuning.range_bits ? w->tuning.range_bits : UBI__DOM_RANGE_BITS;
    edges->range_size = (uint32_t)least(UINT64_C(1) << edges->range_bits, w->graph->n_nodes);
    edges->n_logs = ((w->graph->n_nodes - 1) >> edges->range_bits) + 1;
    edges->pool_bytes = pool_bytes(edges, w->graph, w->tuning.small_pool);
    edges->pool = ubi__alloc_array(w->allocator, edges->pool_bytes, 1);
    edges->logs = ubi__calloc_array(w->allocator, edges->n_logs, sizeof *edges->logs);
    if (!edges->pool || !edges->logs)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < edges->n_logs; i++)
        edges->logs[i].n_in_last = UBI__DOM_BLOCK_EDGES; /* so that the first edge makes a block */
    return UBI_OK;
}

void ubi__dom_edges_fini(ubi__dom_work *w) {
    ubi__dom_edges *edges = &w->edges;
    ubi__free_array(w->allocator, edges->pool, edges->pool_bytes, 1);
    ubi__free_array(w->allocator, edges->logs, edges->n_logs, sizeof *edges->logs);
    edges->pool = NULL;
    edges->logs = NULL;
}

static ubi__dom_block *block_at(const ubi__dom_edges *edges, uint32_t place) {
    return (ubi__dom_block *)edges->pool + place;
}

void ubi__dom_edges_grow(ubi__dom_edges *edges, ubi__dom_log *log) {
    uint64_t n_longest = most(edges->n_longest, (uint64_t)log->n_blocks + 1);
    uint64_t bytes = ((uint64_t)edges->n_blocks + 1) * sizeof(ubi__dom_block) + sorting_bytes(edges, n_longest);
    if (bytes > edges->pool_bytes || n_longest > UINT32_MAX / UBI__DOM_BLOCK_EDGES)
        edges->full = true;
    log->n_in_last = 0;
    if (edges->full) { /* from now on edges overwrite each other, which is cheaper than asking for every one */
        log->last = block_at(edges, 0);
        return;
    }
    ubi__dom_block *block = block_at(edges, edges->n_blocks++);
    block->before = log->last ? (uint32_t)(log->last - block_at(edges, 0)) : UBI_NONE;
    log->last = block;
    log->n_blocks++;
    edges->n_longest = (uint32_t)n_longest;
}

/* ---- ranges from the logs ------------------------------------------------------------------------------------------ */

/* Where each target's sources end, from how many there are. */
static void counts_to_ends(uint32_t *first, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        first[i] = sum += first[i];
    first[n] = sum;
}

static const ubi__dom_block *block_before(const ubi__dom_edges *edges, const ubi__dom_block *block) {
    return block->before == UBI_NONE ? NULL : block_at(edges, block->before);
}

/* A counting sort, behind the blocks. */
static void sort_log(ubi__dom_range *out, const ubi__dom_edges *edges, const ubi__dom_log *log) {
    uint32_t *first = (uint32_t *)block_at(edges, edges->n_blocks), *source = first + edges->range_size + 1;
    uint32_t n = log->last ? log->n_in_last : 0, n_targets = out->end - out->begin;
    memset(first, 0, n_targets * sizeof *first);
    for (const ubi__dom_block *b = log->last; b; b = block_before(edges, b), n = UBI__DOM_BLOCK_EDGES)
        for (uint32_t i = 0; i < n; i++)
            first[b->target[i]]++;
    counts_to_ends(first, n_targets);
    n = log->n_in_last;
    for (const ubi__dom_block *b = log->last; b; b = block_before(edges, b), n = UBI__DOM_BLOCK_EDGES)
        for (uint32_t i = 0; i < n; i++)
            source[--first[b->target[i]]] = b->source[i];
    out->first = first;
    out->source = source;
}

static void next_from_log(ubi__dom_range *out, ubi__dom_edges *edges) {
    uint32_t place = (edges->next - 1) >> edges->range_bits;
    *out = (ubi__dom_range){ .begin = place << edges->range_bits, .end = edges->next };
    sort_log(out, edges, &edges->logs[place]);
    edges->next = out->begin;
}

/* ---- ranges by scanning again --------------------------------------------------------------------------------------- */

/* The pool in this mode: first[n + 1] by number, at first the count of sources; mark[n], the source that was found last,
 * so that parallel edges count once; source[]. */
typedef struct scan {
    uint32_t *first, *mark, *source;
    uint32_t capacity; /* of source */
} scan;

static scan scan_of(const ubi__dom_work *w) {
    scan s = { .first = w->edges.pool };
    s.mark = s.first + w->n + 1;
    s.source = s.mark + w->n;
    s.capacity = (uint32_t)least(w->edges.pool_bytes / sizeof(uint32_t) - (2 * (uint64_t)w->n + 1), UINT32_MAX);
    return s;
}

/* Counts the sources of targets [begin, end), or stores them behind the ends in `first`. */
static ubi_status scan_edges(ubi__dom_work *w, const scan *s, uint32_t begin, uint32_t end, bool store) {
    const ubi_graph *g = w->graph;
    uint32_t fuel = UBI__DOM_CHUNK;
    memset(s->mark + begin, 0xff, (size_t)(end - begin) * sizeof *s->mark);
    for (uint32_t source = begin + 1; source < w->n; source++) {
        ubi_edge_ix last = g->first_edge.at[w->node[source] + 1];
        for (ubi_edge_ix e = g->first_edge.at[w->node[source]]; e < last; e++) {
            w->counts.n_edges_again++;
            if (--fuel == 0) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_SEMI, w->n - end));
                fuel = UBI__DOM_CHUNK;
            }
            uint32_t target = w->number[g->target.at[e]];
            if (target - begin >= end - begin || target == 0 || target >= source || s->mark[target] == source)
                continue;
            if (!ubi__edge_set_has(w->view->edges, e))
                continue;
            s->mark[target] = source;
            if (store)
                s->source[--s->first[target]] = source;
            else
                s->first[target]++;
        }
    }
    return UBI_OK;
}

static ubi_status next_by_scan(ubi__dom_range *out, ubi__dom_work *w) {
    scan s = scan_of(w);
    uint32_t end = w->edges.next, begin = end, sum = 0;
    while (begin > 0 && s.first[begin - 1] <= s.capacity - sum)
        sum += s.first[--begin];
    assert(begin < end); /* one target has fewer sources than there are nodes */
    counts_to_ends(s.first + begin, end - begin);
    UBI_TRY(scan_edges(w, &s, begin, end, true));
    *out = (ubi__dom_range){ begin, end, s.first + begin, s.source };
    w->edges.next = begin;
    return UBI_OK;
}

/* ---- either way ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__dom_edges_begin(ubi__dom_work *w) {
    w->edges.next = w->n;
    if (!w->edges.full)
        return UBI_OK;
    scan s = scan_of(w);
    memset(s.first, 0, (size_t)w->n * sizeof *s.first);
    return scan_edges(w, &s, 0, w->n, false);
}

ubi_status ubi__dom_edges_next(ubi__dom_range *out, ubi__dom_work *w) {
    if (w->edges.full)
        return next_by_scan(out, w);
    next_from_log(out, &w->edges);
    return UBI_OK;
}
