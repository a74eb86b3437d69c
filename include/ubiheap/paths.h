/* SPDX-License-Identifier: MIT
 *
 * ubiheap/paths.h: the shortest ways from a node to others: why they are alive.
 *
 * A path is a list of steps: a node and the edge taken from it. It starts at the start node; the last step's edge leads to
 * the target, which is no step of its own. Several paths to one target differ in their last step: the way to that step's
 * node is always the one that a breadth-first walk found first.
 */
#ifndef UBIHEAP_PATHS_H
#define UBIHEAP_PATHS_H

#include <ubiheap/base.h>
#include <ubiheap/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ubi_path_step {
    ubi_node_ix predecessor;
    ubi_edge_ix edge; /**< one of its edges */
} ubi_path_step;

/** Immutable; keeps a reference to the graph. */
typedef struct ubi_paths ubi_paths;

typedef struct ubi_paths_options {
    uint32_t version; /**< UBI_PATHS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    ubi_node_ix start;  /**< UBI_NONE: the view's root */
    uint32_t max_paths; /**< per target, at least 1 */
} ubi_paths_options;

#define UBI_PATHS_OPTIONS_VERSION 1
#define UBI_PATHS_MAX_DEFAULT 5
#define UBI_PATHS_OPTIONS_INIT                                                                                         \
    { UBI_PATHS_OPTIONS_VERSION, NULL, { NULL, NULL }, UBI_NONE, UBI_PATHS_MAX_DEFAULT }

/**
 * Up to `max_paths` paths to each of many targets, in one breadth-first walk over the view's edges that ends when every
 * target has as many. Exactly Firefox's: parallel edges give separate paths; a path may pass through its target; a start
 * that an edge leads back to is walked twice, so the edges that leave it may give a path twice.
 *
 * @param targets  targets[n_targets], borrowed during the call; repeated ones count once.
 * Errors: UBI_EINVAL (max_paths 0, no targets, a node that is not in the graph), UBI_ENOMEM, UBI_ECANCELLED.
 * Cost: O(nodes + edges) time, 16 bytes per node while it runs; the result holds one step per path (24 bytes) and what lies
 * between the start and those.
 * Source: mozilla-central js/public/UbiNodeShortestPaths.h.
 */
UBI_API ubi_status ubi_paths_find(ubi_paths **out, const ubi_view *view, const ubi_node_ix *targets,
                                  uint32_t n_targets, const ubi_paths_options *options);
UBI_API void ubi_paths_free(ubi_paths *paths);

UBI_API ubi_node_ix ubi_paths_start(const ubi_paths *paths);
/** Different targets, in the order given. */
UBI_API uint32_t ubi_paths_target_count(const ubi_paths *paths);
UBI_API ubi_node_ix ubi_paths_target(const ubi_paths *paths, uint32_t target);
/** How many paths lead to the `target`-th target; 0: none does. */
UBI_API uint32_t ubi_paths_count(const ubi_paths *paths, uint32_t target);
/** Steps of one path. They never get shorter from one path of a target to the next. */
UBI_API uint32_t ubi_paths_length(const ubi_paths *paths, uint32_t target, uint32_t path);
/** Its steps, from the start on. @param out  out[ubi_paths_length(...)], caller's. */
UBI_API void ubi_paths_steps(ubi_path_step *out, const ubi_paths *paths, uint32_t target, uint32_t path);

#ifdef __cplusplus
}
#endif
#endif
