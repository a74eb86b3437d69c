/* SPDX-License-Identifier: MIT
 *
 * report_paths.h: the shortest ways to all nodes that a report names, found in one walk.
 */
#ifndef UBI_QUESTIONS_REPORT_PATHS_H
#define UBI_QUESTIONS_REPORT_PATHS_H

#include <ubiheap/core/paths.h>

#include "render/path_words.h"

typedef struct ubi__report_path_row {
    ubi_node_ix target;
    ubi_path_step *steps; /**< owned steps[n_steps], from the root on */
    uint32_t n_steps;     /**< 0: nothing leads to it */
} ubi__report_path_row;

/** at[n], one for each node. All zero: none. */
typedef struct ubi__report_paths {
    const ubi_allocator *allocator;
    ubi__report_path_row *at;
    uint32_t n;
} ubi__report_paths;

/** @param nodes  nodes[n], repeated ones allowed. On failure there is still something to free. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__report_paths_init(ubi__report_paths *out, const ubi_view *view, const ubi_node_ix *nodes, uint32_t n,
                                  ubi_progress progress, const ubi_allocator *allocator);
void ubi__report_paths_fini(ubi__report_paths *paths);

/** The path to a node, as it is to be shown; n_steps 0: there is none. Cost: O(paths). */
ubi__path_view ubi__report_path(const ubi__report_paths *paths, const ubi_look *look, ubi_node_ix node);

#endif
