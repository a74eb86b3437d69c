/* SPDX-License-Identifier: MIT
 *
 * dominator_tree_text.h: rows of a dominator tree as a table for people.
 */
#ifndef UBI_RENDER_DOMINATOR_TREE_TEXT_H
#define UBI_RENDER_DOMINATOR_TREE_TEXT_H

#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/views/lens.h>

#include "render/display.h"

typedef struct ubi__dominator_text_options {
    const ubi_graph *graph; /**< that the rows are of */
    uint64_t total_bytes;   /**< 100 % of shares: all that the root retains */
    uint64_t least_bytes;   /**< rows that retain less are summed up, not shown */
    const ubi_look *look;   /**< for sizes and names; NULL: those of the graph */
    bool with_names;        /**< call nodes by name where the lens knows each (V8), not by their labels */
} ubi__dominator_text_options;

/**
 * A label in words: "Array", "js::BaseScript app.js", "Point  make  app.js:3:9". The coarse type and "noStack" are left
 * out where there is anything else. A label that says nothing is replaced by the node's best name.
 * @return columns written, at most `columns`.
 */
size_t ubi__display_label(ubi__out *out, const ubi__style *style, const ubi_label *label, const ubi_graph *graph,
                          ubi_node_ix node, size_t columns);

/** A tree with the rows that it has loaded. Errors: UBI_ENOMEM. Write errors stick in `out`. */
ubi_status ubi__render_dominator_text(ubi__out *out, const ubi__style *style, const ubi_dominator_node *tree,
                                      const ubi__dominator_text_options *options);

/** Rows below each other, without what they have below. Errors: UBI_ENOMEM. */
ubi_status ubi__render_dominator_list(ubi__out *out, const ubi__style *style, ubi_dominator_node *const *rows,
                                      size_t n_rows, const ubi__dominator_text_options *options);

#endif
