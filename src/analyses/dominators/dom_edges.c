/* SPDX-License-Identifier: MIT
 *
 * dom_edges.c: see dom_edges.h.
 */
#include "analyses/dominators/dom_edges.h"

#include <string.h>

#include "analyses/dominators/dom_work.h"
#include "base/assert.h"
#include "base/bits.h"

#define POOL_BYTES_PER_NODE 26
#define POOL_EDGES_PER_BYTE 2
#define POOL_LEAST_BYTES ((uint64_t)64 << 10)
#define POOL_SORTING_PART 16 /* this part of the pool is kept free for sorting, if that much is needed */

/* ---- the pool ----------------------------------------------------------------------------------------------------- */

/* Bytes at the end of the pool that sorting a range of n_blocks takes. */
static uint64_t sorting_bytes(const ubi__dom_edges *edges, uint64_t n_blocks) {
    return sizeof(uint32_t) * (edges->range_size + 1 + n_blocks * UBI__DOM_BLOCK_EDGES);
}

/* Enough for everything, but no more than is promised; scanning again needs counts, marks and the sources of a target. */
static uint64_t pool_bytes(const ubi__dom_edges *edges, const ubi_graph *g, bool small) {
    uint64_t n = g->n_nodes, scanning = sizeof(uint32_t) * (3 * n + 1);
    scanning = ubi__larger(scanning, sizeof(ubi__dom_block)); /* full logs need a place to throw edges */
    if (small)
        return scanning;
    uint64_t n_blocks = g->n_edges / UBI__DOM_BLOCK_EDGES + edges->n_logs;
    uint64_t logs = n_blocks * sizeof(ubi__dom_block) + sorting_bytes(edges, n_blocks);
    uint64_t promised =
        ubi__larger(ubi__larger(n * POOL_BYTES_PER_NODE, g->n_edges / POOL_EDGES_PER_BYTE), POOL_LEAST_BYTES);
    return ubi__larger(ubi__smaller(logs, promised), scanning);
}

ubi_status ubi__dom_edges_init(ubi__dom_work *w) {
    ubi__dom_edges *edges = &w->edges;
    edges->pulse = w->pulse;
    edges->range_bits = w->tuning.range_bits ? w->tuning.range_bits : UBI__DOM_RANGE_BITS;
    edges->range_size = (uint32_t)ubi__smaller(UINT64_C(1) << edges->range_bits, w->graph->n_nodes);
    edges->n_logs = ((w->graph->n_nodes - 1) >> edges->range_bits) + 1;
    edges->pool_bytes = pool_bytes(edges, w->graph, w->tuning.with_small_pool);
    edges->most_sorted = w->tuning.most_sorted;
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
    for (size_t i = 0; i < 2; i++)
        ubi__helper_drop(w->helper, &edges->sortings[i].chore);
    ubi__free_array(w->allocator, edges->pool, edges->pool_bytes, 1);
    ubi__free_array(w->allocator, edges->logs, edges->n_logs, sizeof *edges->logs);
    edges->pool = NULL;
    edges->logs = NULL;
}

static ubi__dom_block *block_at(const ubi__dom_edges *edges, uint32_t place) {
    return (ubi__dom_block *)edges->pool + place;
}

static const ubi__dom_block *block_before(const ubi__dom_edges *edges, const ubi__dom_block *block) {
    return block->before == UBI_NONE ? NULL : block_at(edges, block->before);
}

void ubi__dom_edges_check(const ubi__dom_edges *edges) {
    uint32_t n_blocks = 0, n_longest = 0;
    UBI_ASSERT(edges->n_blocks * (uint64_t)sizeof(ubi__dom_block) <= edges->pool_bytes);
    if (!UBI_CHECKS || edges->is_full)
        return;
    for (uint32_t i = 0; i < edges->n_logs; i++) {
        const ubi__dom_log *log = &edges->logs[i];
        uint32_t n = 0;
        for (const ubi__dom_block *b = log->last; b; b = block_before(edges, b))
            n++;
        UBI_ASSERT(n == log->n_blocks && log->n_in_last <= UBI__DOM_BLOCK_EDGES);
        n_blocks += n;
        n_longest = n > n_longest ? n : n_longest;
    }
    UBI_ASSERT(n_blocks == edges->n_blocks && n_longest == edges->n_longest);
}

void ubi__dom_range_check(const ubi__dom_range *range, uint32_t n) {
    UBI_ASSERT(range->begin < range->end && range->end <= n);
    if (!UBI_CHECKS)
        return;
    for (uint32_t i = 0; i < range->end - range->begin; i++) {
        UBI_ASSERT(range->first[i] <= range->first[i + 1]);
        for (uint32_t k = range->first[i]; k < range->first[i + 1]; k++)
            UBI_ASSERT(range->source[k] > range->begin + i && range->source[k] < n);
    }
}

/* Bytes that stay free when the longest log has n_longest blocks. */
static uint64_t kept_for_sorting(const ubi__dom_edges *edges, uint64_t n_longest) {
    uint64_t all = sorting_bytes(edges, n_longest), part = edges->pool_bytes / POOL_SORTING_PART;
    return ubi__smaller(all, ubi__larger(part, sorting_bytes(edges, 1)));
}

void ubi__dom_edges_grow(ubi__dom_edges *edges, ubi__dom_log *log) {
    uint64_t n_longest = ubi__larger(edges->n_longest, (uint64_t)log->n_blocks + 1);
    uint64_t bytes = ((uint64_t)edges->n_blocks + 1) * sizeof(ubi__dom_block) + kept_for_sorting(edges, n_longest);
    if (bytes > edges->pool_bytes || n_longest > UINT32_MAX / UBI__DOM_BLOCK_EDGES)
        edges->is_full = true;
    log->n_in_last = 0;
    if (edges->is_full) { /* from now on edges overwrite each other, which is cheaper than asking for every one */
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

/* How many edges can be sorted at a time: what fits after the blocks and `first`. */
static uint32_t most_sorted(const ubi__dom_edges *edges) {
    uint64_t taken = (uint64_t)edges->n_blocks * sizeof(ubi__dom_block) + sorting_bytes(edges, 0);
    uint64_t n = (edges->pool_bytes - taken) / sizeof(uint32_t);
    return (uint32_t)ubi__smaller(n, edges->most_sorted ? edges->most_sorted : UINT32_MAX);
}

static uint64_t n_in_log(const ubi__dom_log *log) {
    return log->n_blocks ? (uint64_t)(log->n_blocks - 1) * UBI__DOM_BLOCK_EDGES + log->n_in_last : 0;
}

/* All logs of a heap may be one: it is sorted with a pulse of its own. */
#define BLOCKS_PER_PULSE (UBI__PULSE_EDGES / UBI__DOM_BLOCK_EDGES)

static bool log_is_wanted(ubi__pulse *pulse, uint32_t n_blocks) {
    return n_blocks % BLOCKS_PER_PULSE != 0 || ubi__pulse_again(pulse);
}

/* Counts the edges of every target of the log. False: cancelled. */
static bool count_log(uint32_t *count, const ubi__dom_edges *edges, const ubi__dom_log *log) {
    uint32_t n = log->last ? log->n_in_last : 0, n_blocks = 0;
    memset(count, 0, edges->range_size * sizeof *count);
    for (const ubi__dom_block *b = log->last; b; b = block_before(edges, b), n = UBI__DOM_BLOCK_EDGES) {
        if (!log_is_wanted(edges->pulse, n_blocks++))
            return false;
        for (uint32_t i = 0; i < n; i++)
            count[b->target[i]]++;
    }
    return true;
}

/* A counting sort of the edges to targets [begin, end) of the log, whose counts are in `first`. False: cancelled. */
static bool sort_log(uint32_t *source, uint32_t *first, const ubi__dom_edges *edges, const ubi__dom_log *log,
                     uint32_t begin, uint32_t end) {
    uint32_t n = log->n_in_last, n_targets = end - begin, n_blocks = 0;
    counts_to_ends(first + begin, n_targets);
    for (const ubi__dom_block *b = log->last; b; b = block_before(edges, b), n = UBI__DOM_BLOCK_EDGES) {
        if (!log_is_wanted(edges->pulse, n_blocks++))
            return false;
        for (uint32_t i = 0; i < n; i++)
            if (b->target[i] - begin < n_targets)
                source[--first[b->target[i]]] = b->source[i];
    }
    return true;
}

/* The next n sources of one target, after the first `skip`. */
static void pick_from_log(uint32_t *source, const ubi__dom_edges *edges, const ubi__dom_log *log, uint32_t target,
                          uint32_t skip, uint32_t n) {
    uint32_t in_block = log->n_in_last, found = 0;
    for (const ubi__dom_block *b = log->last; b && found < skip + n; b = block_before(edges, b)) {
        for (uint32_t i = 0; i < in_block && found < skip + n; i++)
            if (b->target[i] == target && found++ >= skip)
                source[found - 1 - skip] = b->source[i];
        in_block = UBI__DOM_BLOCK_EDGES;
    }
}

/* How far down targets below `end` can be sorted at once; `end` if not even one. */
static uint32_t batch_begin(const uint32_t *count, uint32_t end, uint32_t capacity) {
    uint32_t begin = end, sum = 0;
    while (begin > 0 && count[begin - 1] <= capacity - sum)
        sum += count[--begin];
    return begin;
}

static ubi_status next_from_log(ubi__dom_range *out, ubi__dom_edges *edges) {
    uint32_t place = (edges->next - 1) >> edges->range_bits, base = place << edges->range_bits;
    const ubi__dom_log *log = &edges->logs[place];
    uint32_t *first = (uint32_t *)block_at(edges, edges->n_blocks), *source = first + edges->range_size + 1;
    uint32_t capacity = most_sorted(edges), end = edges->next - base, begin = 0;
    if (!count_log(first, edges, log))
        return ubi__fail_cancelled();
    if (n_in_log(log) > capacity)
        begin = batch_begin(first, end, capacity);
    if (begin < end) {
        if (!sort_log(source, first, edges, log, begin, end))
            return ubi__fail_cancelled();
        edges->next = base + begin;
    } else {
        begin = end - 1;
        uint32_t n = (uint32_t)ubi__smaller(first[begin] - edges->n_given, capacity);
        pick_from_log(source, edges, log, begin, edges->n_given, n);
        edges->n_given += n;
        if (edges->n_given == first[begin]) {
            edges->n_given = 0;
            edges->next = base + begin;
        }
        first[begin] = 0;
        first[end] = n;
    }
    *out = (ubi__dom_range){ base + begin, base + end, first + begin, source };
    return UBI_OK;
}

/* ---- ranges from the logs, sorted ahead ------------------------------------------------------------------------------ */

static void sort_whole(void *payload) {
    ubi__dom_sorting *s = payload;
    const ubi__dom_edges *edges = s->edges;
    const ubi__dom_log *log = &edges->logs[s->place];
    s->is_sorted = count_log(s->first, edges, log) && sort_log(s->source, s->first, edges, log, 0, edges->range_size);
}

static void sort_ahead(ubi__dom_work *w, uint32_t place) {
    ubi__dom_sorting *s = &w->edges.sortings[place & 1];
    s->place = place;
    ubi__helper_give(w->helper, &s->chore, sort_whole, s);
}

/* Starts to sort ahead if the longest log fits either place and there is a helper thread. */
static void begin_ahead(ubi__dom_work *w) {
    ubi__dom_edges *edges = &w->edges;
    uint64_t each = sorting_bytes(edges, edges->n_longest);
    uint64_t taken = (uint64_t)edges->n_blocks * sizeof(ubi__dom_block);
    edges->is_sorted_ahead = w->helper->is_threaded && !edges->most_sorted && taken + 2 * each <= edges->pool_bytes;
    w->counts.has_sorted_ahead = edges->is_sorted_ahead;
    if (!edges->is_sorted_ahead)
        return;
    for (size_t i = 0; i < 2; i++) {
        uint32_t *first = (uint32_t *)((char *)edges->pool + taken + i * each);
        edges->sortings[i].edges = edges;
        edges->sortings[i].first = first;
        edges->sortings[i].source = first + edges->range_size + 1;
    }
    sort_ahead(w, (edges->next - 1) >> edges->range_bits);
}

static ubi_status next_ahead(ubi__dom_range *out, ubi__dom_work *w) {
    ubi__dom_edges *edges = &w->edges;
    uint32_t place = (edges->next - 1) >> edges->range_bits, base = place << edges->range_bits;
    ubi__dom_sorting *s = &edges->sortings[place & 1];
    ubi__helper_wait(w->helper, &s->chore, w->pulse);
    if (!s->is_sorted)
        return ubi__fail_cancelled();
    if (place > 0)
        sort_ahead(w, place - 1);
    *out = (ubi__dom_range){ base, edges->next, s->first, s->source };
    edges->next = base;
    return UBI_OK;
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
    s.capacity = (uint32_t)ubi__smaller(w->edges.pool_bytes / sizeof(uint32_t) - (2 * (uint64_t)w->n + 1), UINT32_MAX);
    return s;
}

/* Counts the sources of targets [begin, end), or stores them before the ends in `first`. */
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
    UBI_ASSERT(begin < end); /* one target has fewer sources than there are nodes */
    counts_to_ends(s.first + begin, end - begin);
    UBI_TRY(scan_edges(w, &s, begin, end, true));
    *out = (ubi__dom_range){ begin, end, s.first + begin, s.source };
    w->edges.next = begin;
    return UBI_OK;
}

/* ---- either way ------------------------------------------------------------------------------------------------------ */

ubi_status ubi__dom_edges_begin(ubi__dom_work *w) {
    ubi__dom_edges_check(&w->edges);
    w->edges.next = w->n;
    if (!w->edges.is_full) {
        begin_ahead(w);
        return UBI_OK;
    }
    scan s = scan_of(w);
    memset(s.first, 0, (size_t)w->n * sizeof *s.first);
    return scan_edges(w, &s, 0, w->n, false);
}

ubi_status ubi__dom_edges_next(ubi__dom_range *out, ubi__dom_work *w) {
    if (w->edges.is_full)
        return next_by_scan(out, w);
    return w->edges.is_sorted_ahead ? next_ahead(out, w) : next_from_log(out, &w->edges);
}
