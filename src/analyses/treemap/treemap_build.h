/* SPDX-License-Identifier: MIT
 *
 * treemap_build.h: a tree map in the making.
 *
 * Rows are added breadth-first: the root, then the children of row 0, of row 1, and so on; then they are laid out. Each row
 * refers to its source (a row of a census tree or a node of a graph), from which the rest is read when asked for.
 */
#ifndef UBI_TREEMAP_BUILD_H
#define UBI_TREEMAP_BUILD_H

#include <ubiheap/core/treemap.h>

#include "base/alloc.h"

typedef struct ubi__treemap_entry {
    uint32_t parent; /* row, or UBI_NONE */
    uint32_t source; /* ubi_census_node_ix or ubi_node_ix; UBI_NONE for REST */
    uint8_t type;    /* ubi_treemap_row_type */
    uint8_t color;   /* ubi_treemap_color */
    bool has_children;
    ubi_text name; /* of a NODE */
    uint64_t bytes, count;
    uint64_t weight; /* if it stays a leaf */
} ubi__treemap_entry;

UBI_VEC_DECLARE(ubi__vec_treemap_entry, ubi__treemap_entry);

struct ubi_treemap {
    ubi_treemap_options options;
    const ubi_census_tree *tree; /* borrowed; NULL: a map of dominators */
    ubi_graph *graph;            /* reference; NULL: a map of a census */
    ubi__vec_treemap_entry rows;
    ubi_treemap_box *boxes; /* boxes[n_boxes] */
    size_t n_boxes;
};

/** Parents are at or before those of the row before, and one level above their children, where boxes are known. O(rows). */
void ubi__treemap_check(const ubi_treemap *map);
/** An empty map with checked options. */
ubi_status ubi__treemap_new(ubi_treemap **out, const ubi_treemap_options *options);
ubi_status ubi__treemap_add(ubi_treemap *map, const ubi__treemap_entry *entry);
/** Places all rows and drops those below the depth limit. */
ubi_status ubi__treemap_finish(ubi_treemap *map);

/* ---- layout ------------------------------------------------------------------------------------------------------- */

/** UBI_EINVAL with a message that names the first bad option. */
ubi_status ubi__treemap_check_options(const ubi_treemap_options *options);

#endif
