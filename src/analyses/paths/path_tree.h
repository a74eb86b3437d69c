/* SPDX-License-Identifier: MIT
 *
 * path_tree.h: how found paths are kept.
 *
 * All paths begin as ways of the breadth-first tree, so one tree holds their beginnings. A path is its last step and the
 * place in the tree where that leaves off: paths that share a beginning share its memory, and an alternative costs one step
 * however long it is.
 */
#ifndef UBI_ANALYSES_PATH_TREE_H
#define UBI_ANALYSES_PATH_TREE_H

#include <ubiheap/core/paths.h>

#include "base/alloc.h"
#include "graph/graph_columns.h"

/** An edge, and the way to its source. */
typedef struct ubi__path_end {
    ubi_edge_ix edge;
    uint32_t before; /* place in the tree of the step before; UBI_NONE: the edge leaves the start */
    uint32_t length; /* steps up to here, this one included */
} ubi__path_end;

struct ubi_paths {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    ubi_node_ix start;
    uint32_t n_targets;
    uint32_t n_tree;
    ubi_node_ix *targets; /* n_targets, in the order given */
    uint64_t *first_path; /* n_targets + 1: paths of a target in `paths` */
    ubi__path_end *paths; /* last steps, by target, then as found */
    ubi__path_end *tree;  /* n_tree; a step comes after the one before it */
};

/**
 * Steps come after the one that leads to them, which is one shorter; the paths of a target are neighbours, end there, and the
 * first is as short as any if `shortest_first`. O(steps + paths).
 */
void ubi__paths_check(const ubi_paths *paths, bool shortest_first);

/** The node that a step leaves. */
static inline ubi_node_ix ubi__path_source(const ubi_paths *paths, const ubi__path_end *step) {
    return step->before == UBI_NONE ? paths->start
                                    : paths->graph->target.at[paths->tree[UBI_INDEX(step->before, paths->n_tree)].edge];
}

/** Where a walk keeps what it found until it is over. */
typedef struct ubi__path_find {
    ubi_edge_ix edge;
    uint32_t rank;   /* of the edge's source in the order of discovery */
    uint32_t target; /* which of the targets it leads to */
} ubi__path_find;

UBI_VEC_DECLARE(ubi__path_finds, ubi__path_find);

/**
 * The breadth-first tree of a walk, by order of discovery. Rank 0 is the start, which no edge has led to yet; where one
 * does, the start has a second rank, to which no step refers.
 */
typedef struct ubi__path_ranks {
    ubi_edge_ix *edge; /* the edge that first led to the node */
    uint32_t *before;  /* rank of its source */
    uint32_t n;
} ubi__path_ranks;

/**
 * Fills `paths->tree`, `paths` and `first_path` from a finished walk.
 * @param marks  a bit per rank, of any content; overwritten, as is ranks->before.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__path_tree_build(ubi_paths *paths, ubi__path_ranks *ranks, uint64_t *marks,
                                const ubi__path_finds *finds);

/** Whether paths can be found with these. Errors: UBI_EINVAL. */
ubi_status ubi__paths_check_arguments(const ubi_view *view, const ubi_node_ix *targets, uint32_t n_targets,
                                      const ubi_paths_options *options, ubi_node_ix start);
/** An object without paths: targets[n_targets] and first_path are to be filled. Errors: UBI_ENOMEM. */
ubi_status ubi__paths_new(ubi_paths **out, const ubi_graph *graph, ubi_node_ix start, uint32_t n_targets,
                          const ubi_allocator *a);

/**
 * Walks from the view's root to the end.
 * @param n_ahead  ranks below it are of what the view's first edges lead to.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED; then nothing is to be freed.
 */
ubi_status ubi__path_ranks_find(ubi__path_ranks *out, uint32_t *n_ahead, const ubi_view *view, ubi_progress progress,
                                const ubi_allocator *allocator);
/** Frees the columns of such ranks. Columns that are NULL are fine. */
void ubi__path_ranks_fini(ubi__path_ranks *ranks, const ubi_graph *graph, const ubi_allocator *allocator);

#endif
