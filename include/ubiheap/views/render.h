/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/render.h: results as JSON, tree maps as SVG.
 *
 * What is written is exact: numbers as JavaScript prints doubles, node ids as numbers when a double holds them exactly and
 * as strings of digits otherwise, lone surrogates as \uXXXX, and bytes that are not UTF-8 as the four characters \xNN.
 */
#ifndef UBIHEAP_RENDER_H
#define UBIHEAP_RENDER_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/diff.h>
#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/core/treemap.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A report as takeCensus gives it. A Map becomes
 * `[{"stack": [{source, line, column, functionDisplayName}, ... youngest first] | "noStack" | null, "report": ...}, ...]`.
 * Errors: UBI_EIO, UBI_ENOMEM. Cost: linear in the output; nothing is held in memory.
 */
UBI_API ubi_status ubi_render_report_json(ubi_write_fn fn, void *payload, const ubi_report *report);

/**
 * A delta in the shape of a report, with signed numbers, as CensusUtils.diff gives it. A list of node ids (bucket) is
 * written only where the start had none; elsewhere stands `{}`.
 * Errors: UBI_EIO, UBI_ENOMEM. Cost: linear in the output; nothing is held in memory.
 */
UBI_API ubi_status ubi_render_delta_json(ubi_write_fn fn, void *payload, const ubi_delta *delta);

/**
 * A census tree, nested: `{name, bytes, totalBytes, count, totalCount, id, parent?, reportLeafIndex?, children?}`;
 * `name` is null, a string or a frame object; `reportLeafIndex` a number, or an array where inversion merged leaves.
 */
UBI_API ubi_status ubi_render_census_tree_json(ubi_write_fn fn, void *payload, const ubi_census_tree *tree);

/**
 * The boxes of a tree map, in the map's order, as an array of
 * `{name, type, parent, depth, colorType, bytes, count, nodeId?, x, y, width, height}`; `name` is null, a string or a frame
 * object, `type` "row", "node", "own" or "rest", `parent` the index of a box; the first box is the root, which is not drawn.
 */
UBI_API ubi_status ubi_render_treemap_json(ubi_write_fn fn, void *payload, const ubi_treemap *map);

typedef struct ubi_treemap_picture_options {
    uint32_t version;         /**< UBI_TREEMAP_PICTURE_OPTIONS_VERSION */
    ubi_text title;           /**< such as the file's name */
    ubi_text subtitle;        /**< NULL text: what the map holds in total */
    bool with_firefox_colors; /**< Firefox's colours; ours have more contrast and distinguish more */
} ubi_treemap_picture_options;

#define UBI_TREEMAP_PICTURE_OPTIONS_VERSION 1
#define UBI_TREEMAP_PICTURE_OPTIONS_INIT                                                                               \
    { UBI_TREEMAP_PICTURE_OPTIONS_VERSION, { NULL, 0 }, { NULL, 0 }, false }

/**
 * A tree map as one SVG document: as wide as the map and two margins, and higher by its title. It has no scripts, refers to
 * nothing outside, and follows the viewer's choice of a light or dark page. The same map gives the same bytes. Boxes thinner
 * than 2 pixels are left out. Text from snapshots is made safe as for a terminal, then escaped.
 *
 * Errors: UBI_EINVAL (options), UBI_EIO, UBI_ENOMEM. Cost: linear in the boxes and their depth; 140 KiB and 2 bytes per box.
 */
UBI_API ubi_status ubi_render_treemap_svg(ubi_write_fn fn, void *payload, const ubi_treemap *map,
                                          const ubi_treemap_picture_options *options);

/**
 * Rows of a dominator tree, nested, with Firefox's names:
 * `{nodeId, label, shallowSize, retainedSize, moreChildrenAvailable, parentId?, children?}`; `label` is an array of strings
 * and stacks (arrays of frames), or null.
 * Errors: UBI_EIO, UBI_ENOMEM. Cost: linear in the output.
 */
UBI_API ubi_status ubi_render_dominator_tree_json(ubi_write_fn fn, void *payload, const ubi_dominator_node *tree);

#ifdef __cplusplus
}
#endif
#endif
