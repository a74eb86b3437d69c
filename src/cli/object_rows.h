/* SPDX-License-Identifier: MIT
 *
 * object_rows.h: nodes as rows for people: how far from the root, how large, what they retain, what they are called.
 *
 *     Distance  Own size  Retained  Retainer
 *            5    9.4 KiB  82.7 KiB  {374} in (array)  82433
 */
#ifndef UBI_CLI_OBJECT_ROWS_H
#define UBI_CLI_OBJECT_ROWS_H

#include <ubiheap/dominators.h>
#include <ubiheap/lens.h>

#include "base/json_writer.h"
#include "render/display.h"

/** What rows are made from. Borrowed, all of it. */
typedef struct ubi__object_rows {
    ubi__out *out; /**< NULL: for JSON only */
    const ubi__style *style;
    const ubi_lens_view *look;
    const ubi_dominators *dominators;
    const uint32_t *distances; /**< distances[n_nodes], as ubi_lens_distances gives them */
} ubi__object_rows;

/** Columns that the numbers of a row take, and the space behind them. */
#define UBI__OBJECT_ROW_NUMBERS 32

/** The names of the columns; `name` is that of the last. */
void ubi__object_rows_head(const ubi__object_rows *rows, const char *name);
/** The numbers of a node, UBI__OBJECT_ROW_NUMBERS columns. `distance` UBI_NONE: not within reach. */
void ubi__object_rows_numbers(const ubi__object_rows *rows, ubi_node_ix node, uint32_t distance);
/** No numbers, for rows that are of no single node. */
void ubi__object_rows_gap(const ubi__object_rows *rows);
/** What the node is called and its id, in at most `columns`; columns written. Detached nodes are red. */
size_t ubi__object_rows_name(const ubi__object_rows *rows, ubi_node_ix node, size_t columns);
/** Columns that are left for names behind `used`; some at least. */
size_t ubi__object_rows_room(const ubi__object_rows *rows, size_t used);

/** "3", "-" for what only the system's roots reach, "none". Static or in `out`. */
const char *ubi__distance_text(char out[24], uint32_t distance, bool unicode);

/** In an open object: nodeId, displayName, className, shallowSize, retainedSize, distance (null: none), detachedness. */
void ubi__object_json(ubi__json *json, const ubi__object_rows *rows, ubi_node_ix node, uint32_t distance);

#endif
