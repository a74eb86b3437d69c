/* SPDX-License-Identifier: MIT
 *
 * paths_outside.h: paths to what no edges of a view reach, by all that keep objects alive (graph/outside_view.h).
 */
#ifndef UBI_ANALYSES_PATHS_OUTSIDE_H
#define UBI_ANALYSES_PATHS_OUTSIDE_H

#include <ubiheap/core/paths.h>

/**
 * As ubi_paths_find, of those targets that have no path in `of`, in their order.
 * @param of  of this view, with these options. @param out  NULL: there are no such targets, or the view has all edges.
 * Cost: O(nodes + edges) when there are some, and a bit per edge. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__paths_find_outside(ubi_paths **out, const ubi_paths *of, const ubi_view *view,
                                   const ubi_paths_options *options);

/** Where the paths to a target are. */
typedef struct ubi__target_paths {
    const ubi_paths *paths;
    uint32_t target; /**< its number there */
    bool is_outside;
} ubi__target_paths;

/** For each target of `paths` in order. @param n_outside  0 at first. O(1). */
static inline ubi__target_paths ubi__target_paths_next(const ubi_paths *paths, const ubi_paths *outside,
                                                       uint32_t target, uint32_t *n_outside) {
    if (!outside || ubi_paths_count(paths, target))
        return (ubi__target_paths){ paths, target, false };
    return (ubi__target_paths){ outside, (*n_outside)++, true };
}

#endif
