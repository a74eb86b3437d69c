/* SPDX-License-Identifier: MIT
 *
 * census_tree_text.h: a census tree as a table for people.
 */
#ifndef UBI_RENDER_CENSUS_TREE_TEXT_H
#define UBI_RENDER_CENSUS_TREE_TEXT_H

#include <ubiheap/core/census.h>

#include "render/display.h"

/** Totals for the root of a diff's tree; its own totals are those of the older heap. */
typedef struct ubi__census_text_growth {
    int64_t bytes, count;
} ubi__census_text_growth;

typedef struct ubi__census_text_options {
    bool is_inverted; /**< the tree was inverted */
    bool
        is_compat; /**< it is one of UBI_COMPAT_FIREFOX: inverted, its numbers are meaningful on the first level only */
    bool with_indices; /**< show which leaves of the report a row represents */
    uint64_t limit;    /**< rows per level; 0: all */
    /** Levels below the root; 0: all. A frame that is a frame's only child is a quarter of one. */
    uint64_t depth;
    /** For the tree of a diff: signed numbers, growth red and the rest green, no shares. Else NULL. */
    const ubi__census_text_growth *growth;
} ubi__census_text_options;

/** Errors: UBI_ENOMEM. Write errors stick in `out`. */
ubi_status ubi__render_census_text(ubi__out *out, const ubi__style *style, const ubi_census_tree *tree,
                                   const ubi__census_text_options *options);

#endif
