/* SPDX-License-Identifier: MIT
 *
 * dom_edges.h: backward edges of a walk, grouped by target.
 *
 * Numbers are cut into ranges of 2^15. Each edge is written to the log of its target's range, one sequential stream per
 * range, 6 bytes per edge: so the walk touches few places, and later the counters that sort a range stay in the cache.
 * A log is a chain of blocks out of one pool:
 *
 *     pool   | block | block | block | ...  free ...  | first[], source[] of the range at hand |
 *              before, source[682] (number), target[682] (number within its range)
 *
 * One target may have most of all edges (what every object refers to), so that its log takes nearly all of the pool. Then the
 * space for sorting is what the blocks left, at least a sixteenth of the pool, and the log is handed out in batches of
 * targets, a single target in batches of sources. Each batch reads the log again; there are less than 32 of them.
 *
 * With a helper, and space for it in the pool, a range is sorted while the one above it is worked on: there are two places for
 * sorting then, which take turns.
 *
 * A graph may have any number of edges per node, the pool may not. When it does not suffice, the logs are given up, and
 * after the walk the edges of the graph are scanned again: once to count the sources of every target, then once for every
 * batch of targets whose edges fill the pool. The pool has at least half a byte per edge of the graph, so there are at
 * most 16 batches.
 */
#ifndef UBI_DOM_EDGES_H
#define UBI_DOM_EDGES_H

#include "base/alloc.h"
#include "base/assert.h"
#include "base/bits.h"
#include "base/parallel.h"

#define UBI__DOM_RANGE_BITS 15
#define UBI__DOM_BLOCK_EDGES 682

typedef struct ubi__dom_block {
    uint32_t before; /* the block of the same range that was filled before, by place in the pool; or UBI_NONE */
    uint32_t source[UBI__DOM_BLOCK_EDGES];
    uint16_t target[UBI__DOM_BLOCK_EDGES];
} ubi__dom_block;
_Static_assert(sizeof(ubi__dom_block) == 4096, "a block is a page");

/** The log of one range. */
typedef struct ubi__dom_log {
    ubi__dom_block *last; /* NULL: no edge yet */
    uint32_t n_in_last;
    uint32_t n_blocks;
} ubi__dom_log;

/** The last source that was kept for a target. */
typedef struct ubi__dom_recent {
    uint32_t target, source; /* target 0: none */
} ubi__dom_recent;

#define UBI__DOM_RECENT 4096

struct ubi__dom_edges;

/** A place in which a whole range is sorted ahead. */
typedef struct ubi__dom_sorting {
    const struct ubi__dom_edges *edges;
    uint32_t place;           /* of the range */
    uint32_t *first, *source; /* as in ubi__dom_range */
    bool is_sorted;           /* once the chore is done; else cancelled */
    ubi__chore chore;
} ubi__dom_sorting;

typedef struct ubi__dom_edges {
    ubi__pulse *pulse;
    void *pool;
    size_t pool_bytes;
    ubi__dom_log *logs;
    uint32_t n_logs;
    unsigned range_bits;
    uint32_t range_size;                     /* 2^range_bits, or all nodes when there are fewer */
    uint32_t n_blocks;                       /* used of the pool */
    uint32_t n_longest;                      /* blocks of the longest log */
    uint32_t most_sorted;                    /* edges in a batch at most; 0: as many as there is space for */
    bool is_full;                            /* the logs have been given up */
    bool is_sorted_ahead;                    /* ranges are sorted ahead, in `sortings` */
    ubi__dom_sorting sortings[2];            /* by the last bit of the range's place */
    uint32_t next;                           /* targets below this have not been handed out */
    ubi__dom_recent recent[UBI__DOM_RECENT]; /* by target, the last that came by */
    uint32_t n_given;                        /* of the sources of target `next - 1`, handed out in earlier batches */
} ubi__dom_edges;

/**
 * Sources of the edges that lead to the numbers [begin, end): source[first[i] .. first[i + 1]) for begin + i. A range of a
 * single number may be followed by others with more of its sources.
 */
typedef struct ubi__dom_range {
    uint32_t begin, end;
    const uint32_t *first;
    const uint32_t *source;
} ubi__dom_range;

struct ubi__dom_work;

/** After the walk: blocks of the logs add up to those of the pool, which holds them. O(blocks). */
void ubi__dom_edges_check(const ubi__dom_edges *edges);
/** Sources are grouped by target, and have greater numbers than it, below n. O(edges of the range). */
void ubi__dom_range_check(const ubi__dom_range *range, uint32_t n);

ubi_status ubi__dom_edges_init(struct ubi__dom_work *w);
void ubi__dom_edges_fini(struct ubi__dom_work *w);

/** Makes room for one more edge in `log`. */
void ubi__dom_edges_grow(ubi__dom_edges *edges, ubi__dom_log *log);

/**
 * Keeps the edge from number `source` to `target`, which is smaller and not 0. `source` is where the walk is.
 *
 * So all numbers above `source` are below it in the tree of the walk. If one of those has an edge to the same target, the
 * path up from there passes `source`, and this edge has nothing to add. This is so for a third of the backward edges of V8's
 * heaps, where few targets (`undefined`, maps) have most of the edges; those targets are found in a small table.
 */
static inline void ubi__dom_edges_add(ubi__dom_edges *edges, uint32_t source, uint32_t target) {
    ubi__dom_recent *recent = &edges->recent[target % UBI__DOM_RECENT];
    ubi__dom_log *log = &edges->logs[UBI_INDEX(target >> edges->range_bits, edges->n_logs)];
    UBI_ASSERT(target > 0 && target < source);
    if (recent->target == target && recent->source >= source)
        return;
    *recent = (ubi__dom_recent){ target, source };
    if (ubi__unlikely(log->n_in_last == UBI__DOM_BLOCK_EDGES))
        ubi__dom_edges_grow(edges, log);
    log->last->source[log->n_in_last] = source;
    log->last->target[log->n_in_last++] = (uint16_t)(target & ((1u << edges->range_bits) - 1));
}

/** After the walk: starts with the highest number. */
ubi_status ubi__dom_edges_begin(struct ubi__dom_work *w);
/** The next range, of lower targets or the same one, while edges.next is above 0. Valid until the next call. */
ubi_status ubi__dom_edges_next(ubi__dom_range *out, struct ubi__dom_work *w);

#endif
