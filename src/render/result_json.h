/* SPDX-License-Identifier: MIT
 *
 * result_json.h: results as parts of a larger JSON document.
 *
 * Each function writes one JSON value to a writer positioned where a value may come. Write errors stick in the writer.
 */
#ifndef UBI_RENDER_RESULT_JSON_H
#define UBI_RENDER_RESULT_JSON_H

#include <ubiheap/core/census.h>
#include <ubiheap/core/diff.h>
#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/core/treemap.h>

#include "base/json_writer.h"
#include "base/server_api.h"

/** Errors: UBI_ENOMEM. */
UBI__SERVER_API ubi_status ubi__render_report(ubi__json *json, const ubi_report *report);
/** Errors: UBI_ENOMEM. */
UBI__SERVER_API ubi_status ubi__render_delta(ubi__json *json, const ubi_delta *delta);
/** Errors: UBI_ENOMEM. */
UBI__SERVER_API ubi_status ubi__render_census_tree(ubi__json *json, const ubi_census_tree *tree);
/** Opens the object of a row and writes all of it but its children. */
void ubi__render_census_node_begin(ubi__json *json, const ubi_census_node *node);
/** The boxes of a tree map, as in ubi_render_treemap_json. */
void ubi__render_treemap(ubi__json *json, const ubi_treemap *map);
/** `{"source", "line", "column", "functionDisplayName"}`. */
void ubi__render_frame(ubi__json *json, const ubi_frame *frame);
/** `"edgeKind": "property"` in an open object; nothing if the producer does not record kinds. */
void ubi__render_edge_kind(ubi__json *json, const ubi_graph *graph, ubi_edge_ix edge);
/** An array of frames, youngest first. */
void ubi__render_stack(ubi__json *json, ubi_stack stack);
/** An array of strings and stacks; null when the label says nothing. */
UBI__SERVER_API void ubi__render_label(ubi__json *json, const ubi_label *label);
/** Rows of a dominator tree, as in ubi_render_dominator_tree_json. Errors: UBI_ENOMEM. */
ubi_status ubi__render_dominator_tree(ubi__json *json, const ubi_dominator_node *tree);
/** Opens the object of a row and writes all of it but its children. */
UBI__SERVER_API void ubi__render_dominator_row(ubi__json *json, const ubi_dominator_row *row);
/** Writes further members of a row, whose object is open. */
typedef ubi_status ubi__dominator_row_fn(void *payload, ubi__json *json, const ubi_dominator_row *row);
/** The same, with what `more` adds to each row. Errors: also those of `more`. */
UBI__SERVER_API ubi_status ubi__render_dominator_tree_with(ubi__json *json, const ubi_dominator_node *tree,
                                                           ubi__dominator_row_fn *more, void *payload);
/** The same as an array: each row before those below it, without `children`, with `depth` from 0. `more` may be NULL. */
ubi_status ubi__render_dominator_rows(ubi__json *json, const ubi_dominator_node *tree, ubi__dominator_row_fn *more,
                                      void *payload);
/** Levels that the rows of a tree have. Cost: O(rows). Errors: UBI_ENOMEM. */
ubi_status ubi__dominator_tree_depth(uint32_t *out, const ubi_dominator_node *tree);

#endif
