/* SPDX-License-Identifier: MIT
 *
 * object_rows.h: nodes as rows for people: how far from the root, how large, what they retain, what they are called.
 *
 *     Distance  Own size  Retained  Retainer
 *            5    9.4 KiB  82.7 KiB  {374} in (array)  82433
 */
#ifndef UBI_CLI_OBJECT_ROWS_H
#define UBI_CLI_OBJECT_ROWS_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/views/lens.h>

#include "base/json_writer.h"
#include "cli/command.h"
#include "render/text_table.h"

/** What rows are made from. Borrowed, all of it. */
typedef struct ubi__object_rows {
    const ubi_look *look;
    const ubi_dominators *dominators;
    const uint32_t *distances; /**< distances[n_nodes], as ubi_look_distances gives them */
    ubi__text_table table;     /**< not for JSON */
} ubi__object_rows;

/** `name` is the title of the last column. */
void ubi__object_rows_init(ubi__object_rows *rows, ubi__cli *cli, const ubi_look *look,
                           const ubi_dominators *dominators, const uint32_t *distances, const char *name);
/** The numbers of a node. `distance` UBI_NONE: not within reach. */
void ubi__object_rows_numbers(const ubi__object_rows *rows, ubi_node_ix node, uint32_t distance);
/** What the node is called and its id, in at most `columns`; columns written. Detached nodes are red. */
size_t ubi__object_rows_name(const ubi__object_rows *rows, ubi_node_ix node, size_t columns);
/** A row of numbers and a name, and its end. */
void ubi__object_rows_line(const ubi__object_rows *rows, ubi_node_ix node);

/** "3", "-" for what only the system's roots reach, "none". Static or in `out`. */
const char *ubi__distance_text(char out[24], uint32_t distance, bool unicode);

/** In an open object: nodeId, displayName, className, shallowSize, retainedSize, distance (null: none), detachedness. */
void ubi__object_json(ubi__json *json, const ubi__object_rows *rows, ubi_node_ix node, uint32_t distance);

#endif
