/* SPDX-License-Identifier: MIT
 *
 * dom_work.h: how dominators are found, and what the steps share.
 *
 * The algorithm is semi-NCA. A depth-first walk numbers the nodes; from then on a node is its *number*, so that parents
 * have smaller numbers than their children and all arrays are walked nearly in order. The *semi-dominator* of w is the
 * smallest number from which w can be entered by a path that else has numbers above w only. With these at hand, the
 * immediate dominator of w is the nearest ancestor of its parent in the dominator tree, itself included, whose number
 * is at most the semi-dominator.
 *
 *   step       does
 *   walk       numbers nodes, last edges first; sorts the edges into three kinds
 *   semi       semi-dominators, from the highest number down
 *   climb      immediate dominators, from the lowest number up
 *   result     retained sizes and dominated sets, in file order
 *
 * Kinds of edges, seen from the walk: a *tree* edge finds a new node. A *forward* edge leads to a number that is not
 * smaller: its source is an ancestor, which is a candidate for the semi-dominator as it is. A *backward* edge leads
 * to a smaller number: the semi-dominators on the path to its source must be asked, so it waits until its target's turn
 * comes (above).
 *
 * Memory, in bytes per node of the graph, beside the result: node, parent, dominator, finished 4 each, scratch 16, and a
 * pool for backward edges of at most 26: below 60 together. `number` becomes the column of immediate dominators.
 *
 *   scratch   walk    frames[n], 16 bytes each                        explicit stack
 *             semi    cells[n] (ancestor, least), then path[n]        path compression, and its stack
 *             climb   cells[n] (jump, depth)                          only when climbing becomes long
 *             result  cells[n] (retained bytes)
 *
 * Source: L. Georgiadis, Linear-Time Algorithms for Dominators and Related Problems, 2005.
 */
#ifndef UBI_DOM_WORK_H
#define UBI_DOM_WORK_H

#include <assert.h>

#include <ubiheap/core/dominators.h>

#include "analyses/dominators/dom_edges.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include "graph/graph_columns.h"

/* ---- steps -------------------------------------------------------------------------------------------------------- */

struct ubi_dominators {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    ubi_node_ix root;
    uint32_t n_nodes;         /* of the graph */
    uint32_t n_in_tree;       /* of them, reached or adopted */
    ubi_node_ix *immediate;   /* [n_nodes]; UBI_NONE for the root and outside the tree */
    uint64_t *retained_bytes; /* [n_nodes]; the block that holds the next ones, too */
    size_t columns_bytes;     /* of this block */
    uint32_t *first;          /* [n_nodes + 1], place in `dominated`; NULL without sets, as the next */
    ubi_node_ix *dominated;   /* [n_nodes], those in the tree but the root are used */
};

/**
 * Every node of the tree but the root has an immediate dominator, the set of a node holds what it immediately dominates, and
 * what it retains is its own size (of size_bytes[n_nodes]) and what these retain, modulo 2^64. O(nodes).
 */
void ubi__dominators_check(const ubi_dominators *d, const uint64_t *size_bytes);

struct ubi__columns;
/**
 * Passes a tree of a view of the graph (base/column_file.h), without sets unless it has them. Read, *d is new, and untouched on failure.
 * Errors: those of passing.
 */
ubi_status ubi__dominators_pass(struct ubi__columns *c, ubi_dominators **d, const ubi_view *view);
/** The sets alone; read, they are given to a tree that has none. */
ubi_status ubi__dominated_sets_pass(struct ubi__columns *c, ubi_dominators *d);

/** What tests turn to reach the rare ways through the code with small graphs; all zero otherwise. */
typedef struct ubi__dom_tuning {
    bool with_small_pool; /* the smallest pool that works */
    unsigned range_bits;  /* 0: UBI__DOM_RANGE_BITS */
    uint32_t most_sorted; /* backward edges that are sorted at a time; 0: what fits */
    bool with_jumps_only; /* jump pointers at once */
} ubi__dom_tuning;

/** What was done, for tests of growth. */
typedef struct ubi__dom_counts {
    uint64_t n_path_steps;  /* cells passed by path compression */
    uint64_t n_climb_steps; /* dominators passed by climbing */
    uint64_t n_edges_again; /* edges of the graph scanned again after the walk */
    bool has_used_jumps;
    bool has_sorted_ahead; /* edges, by a second thread */
} ubi__dom_counts;

typedef struct ubi__dom_frame {
    ubi_edge_ix begin, next; /* edges [begin, next) of the node have not been looked at */
} ubi__dom_frame;

/** Eight bytes per number that mean something else in each step. */
typedef union ubi__dom_cell {
    struct {
        uint32_t ancestor; /* nearest one of which `least` does not know */
        uint32_t least;    /* least semi-dominator from here up to below `ancestor` */
    } path;
    struct {
        uint32_t jump;  /* some dominator further up */
        uint32_t depth; /* in the dominator tree */
    } climb;
    uint64_t retained_bytes;
} ubi__dom_cell;
static_assert(sizeof(ubi__dom_cell) == 8 && sizeof(ubi__dom_frame) == 16, "memory per node is promised");

typedef struct ubi__dom_work {
    const ubi_graph *graph;
    const ubi_view *view;
    const ubi_allocator *allocator;
    ubi__pulse *pulse;
    ubi__helper *helper;
    ubi__chore touching, sets;
    _Atomic bool is_touched_enough; /* what touching has not come to is not needed any more */
    bool with_sets;
    ubi__dom_tuning tuning;
    ubi__dom_counts counts;

    uint32_t n;          /* numbers given so far */
    uint32_t n_finished; /* of them, whose walk has ended */
    uint32_t *number;    /* [n_nodes] by node; UBI_NONE: not reached */
    /* by number, [n_nodes] */
    ubi_node_ix *node;
    uint32_t *parent;    /* in the tree of the walk; from climbing on, of how many this is the immediate dominator */
    uint32_t *dominator; /* least forward candidate, then the semi-dominator, then the immediate dominator */
    uint32_t *finished;  /* numbers in the order in which walks ended: post-order. NULL without sets */
    void *scratch;       /* n_nodes * UBI__DOM_SCRATCH_BYTES, the block that holds the four above, too */
    ubi__dom_edges edges;
} ubi__dom_work;

#define UBI__DOM_SCRATCH_BYTES 16

static inline ubi__dom_frame *ubi__dom_frames(const ubi__dom_work *w) {
    return w->scratch;
}
static inline ubi__dom_cell *ubi__dom_cells(const ubi__dom_work *w) {
    return w->scratch;
}
/** After the cells. */
static inline uint32_t *ubi__dom_path(const ubi__dom_work *w) {
    return (uint32_t *)(ubi__dom_cells(w) + w->graph->n_nodes);
}

/** Steps of progress; each counts as many units as there are nodes. */
typedef enum ubi__dom_step {
    UBI__DOM_WALK,
    UBI__DOM_SEMI,
    UBI__DOM_CLIMB,
    UBI__DOM_RESULT,
    UBI__DOM_STEP_COUNT
} ubi__dom_step;

/** Nodes or edges between two reports of progress. */
#define UBI__DOM_CHUNK (UINT32_C(1) << 14)

static inline ubi_status ubi__dom_tick(const ubi__dom_work *w, ubi__dom_step step, uint64_t done) {
    uint64_t n = w->graph->n_nodes;
    if (ubi__likely(ubi__pulse_at(w->pulse, "finding dominators", step * n + done, UBI__DOM_STEP_COUNT * n)))
        return UBI_OK;
    return ubi__fail_cancelled();
}

static inline uint32_t ubi__dom_chunk_end(uint32_t begin, uint32_t end) {
    return end - begin < UBI__DOM_CHUNK ? end : begin + UBI__DOM_CHUNK;
}

/** After a step: numbers map back to their nodes; parents and dominators have smaller numbers. O(nodes). */
void ubi__dom_work_check(const ubi__dom_work *w, ubi__dom_step after);

/* The steps, in order. Each reports progress and may be cancelled. */

/** Fills number, node, parent, finished; dominator with forward candidates; and the backward edges. */
ubi_status ubi__dom_walk(ubi__dom_work *w);
/** Turns forward candidates into semi-dominators. */
ubi_status ubi__dom_find_semi(ubi__dom_work *w);
/** Turns semi-dominators into immediate dominators. */
ubi_status ubi__dom_climb(ubi__dom_work *w);
/** Fills the columns of `d`: takes over `number` as its `immediate`. */
ubi_status ubi__dom_result(ubi_dominators *d, ubi__dom_work *w);

/** ubi_dominators_new with a helper of the caller's, instead of options.threads. */
ubi_status ubi__dominators_helped(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                                  ubi__helper *helper);
/** ubi_dominators_new with tuning, and counts of what was done; both may be NULL. */
ubi_status ubi__dominators_new(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                               const ubi__dom_tuning *tuning, ubi__dom_counts *counts);

#endif
