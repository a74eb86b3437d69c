/* SPDX-License-Identifier: MIT
 *
 * path_walk.h: a walk that is kept, from which paths to any targets are read.
 *
 * The breadth-first tree of a walk, and the order of its nodes, do not depend on targets. Once both are there, the paths to a node are
 * those of its edges backwards whose sources the walk met first: who looks at one node after the other walks once.
 */
#ifndef UBI_ANALYSES_PATH_WALK_H
#define UBI_ANALYSES_PATH_WALK_H

#include <ubiheap/core/paths.h>

/** A walk from a view's root to the end. Immutable: any number of threads may read it. */
typedef struct ubi__path_walk ubi__path_walk;

/**
 * @param view  what it points to is borrowed as long as the walk lives.
 * Cost: O(nodes + edges) time; 12 bytes per node, and 13 more while it runs. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__path_walk_new(ubi__path_walk **out, const ubi_view *view, ubi_progress progress,
                              const ubi_allocator *allocator);
void ubi__path_walk_free(ubi__path_walk *walk); /**< NULL is fine */

/**
 * What ubi_paths_find gives from the view's root, without its walk.
 *
 * @param retainers  of the view's edges, and perhaps of others.
 * @param options  start is not looked at; progress neither.
 * Cost: O(k) for k edges that lead to the targets, O(k log k) if all paths are wanted; and O(s log nodes) for s steps of the paths.
 * Memory: 24 bytes for each path that is wanted of a target, and 24 per step. Errors: those of ubi_paths_find.
 */
ubi_status ubi__path_walk_read(ubi_paths **out, const ubi__path_walk *walk, const ubi_retainers *retainers,
                               const ubi_node_ix *targets, uint32_t n_targets, const ubi_paths_options *options);

#endif
