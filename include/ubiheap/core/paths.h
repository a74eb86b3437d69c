/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/paths.h: shortest retaining paths.
 *
 * A path is a list of steps: a node and the edge taken from it. It starts at the start node; the last step's edge leads to
 * the target, which is no step of its own. Several paths to one target differ in their last step: the way to that step's
 * node is always the one that a breadth-first walk found first.
 */
#ifndef UBIHEAP_PATHS_H
#define UBIHEAP_PATHS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One step of a path. */
typedef struct ubi_path_step {
    ubi_node_ix predecessor;
    ubi_edge_ix edge; /**< the edge taken, one of its edges */
} ubi_path_step;

/** Paths to some targets. Immutable: any number of threads may read it. Keeps a reference to the graph. */
typedef struct ubi_paths ubi_paths;

typedef struct ubi_paths_options {
    uint32_t version; /**< UBI_PATHS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< edges walked, of all edges */
    ubi_node_ix start;     /**< UBI_NONE: the view's root */
    uint32_t max_paths;    /**< per target, at least 1 */
} ubi_paths_options;

#define UBI_PATHS_OPTIONS_VERSION 1
#define UBI_PATHS_MAX_DEFAULT 5
#define UBI_PATHS_OPTIONS_INIT                                                                                         \
    { UBI_PATHS_OPTIONS_VERSION, NULL, { NULL, NULL }, UBI_NONE, UBI_PATHS_MAX_DEFAULT }

/**
 * Up to `max_paths` paths to each of many targets, in one breadth-first walk over the view's edges that ends when every
 * target has as many. Exactly Firefox's: parallel edges give separate paths; a path may pass through its target; a start
 * that an edge leads back to is walked twice, so the edges that leave it may give a path twice. Orphans are not walked,
 * whatever the view says of them: nothing leads to them.
 *
 * Where the view has first edges and the start is its root, paths that begin with one of them come first, however long.
 *
 * @param targets  targets[n_targets], borrowed during the call; repeated ones count once.
 * Errors: UBI_EINVAL (max_paths 0, no targets, a node that is not in the graph), UBI_ENOMEM, UBI_ECANCELLED.
 * Cost: O(nodes + edges) time. Memory while it runs: 13 bytes per node, of which only those of nodes met are touched, and 24
 * per path found. The result: 16 bytes per path, 12 per target, and 16 for each node between the start and the targets.
 * Source: mozilla-central js/public/UbiNodeShortestPaths.h.
 */
UBI_API ubi_status ubi_paths_find(ubi_paths **out, const ubi_view *view, const ubi_node_ix *targets, uint32_t n_targets,
                                  const ubi_paths_options *options);
UBI_API void ubi_paths_free(ubi_paths *paths);

/** O(1), as are the next four. */
UBI_API ubi_node_ix ubi_paths_start(const ubi_paths *paths);
/** How many different targets there are. */
UBI_API uint32_t ubi_paths_target_count(const ubi_paths *paths);
/** The `target`-th of them, in the order given. */
UBI_API ubi_node_ix ubi_paths_target(const ubi_paths *paths, uint32_t target);
/** How many paths lead to the `target`-th target; 0: none does. */
UBI_API uint32_t ubi_paths_count(const ubi_paths *paths, uint32_t target);
/**
 * Steps of one path, at least 1. They never get fewer from one path of a target to the next, except where a start that is
 * walked twice gives a path again, and behind the paths that begin with first edges of the view.
 */
UBI_API uint32_t ubi_paths_length(const ubi_paths *paths, uint32_t target, uint32_t path);
/** Its steps, from the start on. @param out  out[ubi_paths_length(...)], caller's. Cost: O(length). */
UBI_API void ubi_paths_steps(ubi_path_step *out, const ubi_paths *paths, uint32_t target, uint32_t path);

/** How many steps two paths of a target begin with in common; all of the shorter one, perhaps. Cost: O(length). */
UBI_API uint32_t ubi_paths_shared(const ubi_paths *paths, uint32_t target, uint32_t path, uint32_t other);

/* ---- the paths to a target as a graph ------------------------------------------------------------------------------- */

/** All paths to one target laid over each other: every node and edge once. Immutable; does not need the paths any more. */
typedef struct ubi_path_graph ubi_path_graph;

typedef struct ubi_path_edge {
    ubi_node_ix from, to;
    /** The first that was met of those between the two that are labelled alike: by kind, and by name or number. */
    ubi_edge_ix edge;
} ubi_path_edge;

/**
 * What Firefox's `deduplicatePaths` gives, in its order; where edges have kinds, those of two kinds stay two. Paths that pass through the target are left out, so that all edges
 * of the graph lead towards it; if the target is the start, that is all of them.
 *
 * @param allocator  NULL: the default.
 * Cost: linear in nodes and edges of the result and the number of paths, expected; not in the lengths of the paths.
 * Errors: UBI_ENOMEM, UBI_ELIMIT (more than 2^32-2 edges).
 * Source: mozilla-central devtools/shared/heapsnapshot/shortest-paths.js.
 */
UBI_API ubi_status ubi_path_graph_new(ubi_path_graph **out, const ubi_paths *paths, uint32_t target,
                                      const ubi_allocator *allocator);
/**
 * The same of paths from anywhere: also those that meet a node twice are left out.
 *
 * @param steps    the steps of all paths, one path after the other; of edges, only the labels count.
 * @param lengths  lengths[n_paths], at least 1 each.
 * Cost: linear in the number of steps, expected. Errors: UBI_EINVAL (a path without steps), UBI_ENOMEM, UBI_ELIMIT.
 */
UBI_API ubi_status ubi_path_graph_from_steps(ubi_path_graph **out, const ubi_graph *graph, ubi_node_ix target,
                                             const ubi_path_step *steps, const uint32_t *lengths, uint32_t n_paths,
                                             const ubi_allocator *allocator);
UBI_API void ubi_path_graph_free(ubi_path_graph *graph);
/** The target first, then every node that an edge leaves, in the order of the paths. @return nodes[*n], borrowed. O(1). */
UBI_API const ubi_node_ix *ubi_path_graph_nodes(const ubi_path_graph *graph, uint32_t *n);
/** Edges by `from` in the order of the nodes, then by `to` and by label as they first come. @return edges[*n], borrowed. */
UBI_API const ubi_path_edge *ubi_path_graph_edges(const ubi_path_graph *graph, uint64_t *n);

#ifdef __cplusplus
}
#endif
#endif
