/* SPDX-License-Identifier: MIT
 *
 * joined.h: texts of strings that the engine put together from two halves.
 *
 * `a + b` is a node of its own with edges `first` and `second`, so that a text built in a loop is a chain as deep as the loop
 * was long. A joined text is that of its parts, whole ones, until it has UBI_STRINGS_JOINED_UNITS UTF-16 units; of a part
 * with more than UBI__ROPE_PART_BYTES bytes only those count.
 */
#ifndef UBI_LENSES_JOINED_H
#define UBI_LENSES_JOINED_H

#include <ubiheap/views/strings.h>

#include "graph/graph_columns.h"

#define UBI__ROPE_PART_BYTES 4096

/** A string, and where its row is if it is a concatenation (UBI_NONE: it is not). */
typedef struct ubi__rope_part {
    ubi_node_ix node; /* UBI_NONE: no text */
    uint32_t row;
} ubi__rope_part;

/** A concatenation. 32 bytes. */
typedef struct ubi__rope {
    ubi_node_ix node;
    ubi__rope_part first, second;
    ubi__rope_part same; /* another string with exactly this text, and without a `same` of its own; no node: none */
    uint16_t units;      /* of its text, UBI_STRINGS_JOINED_UNITS if more */
    uint8_t state;
    bool is_flat; /* one half is empty */
} ubi__rope;

UBI_VEC_DECLARE(ubi__vec_rope, ubi__rope);

/** The concatenations of a graph. All zero: none. */
typedef struct ubi__joined {
    const ubi_graph *graph; /* borrowed */
    uint8_t rope_type;      /* the raw_type of concatenations */
    ubi__vec_rope cons;     /* ascending by node */
} ubi__joined;

/** How concatenations are written. Names of the edges to the halves: canonical entries, UBI_NONE where the file does not have them. */
typedef struct ubi__rope_names {
    uint8_t rope_type; /* raw_type of concatenations */
    ubi_str_ix first, second;
} ubi__rope_names;

/** Cost: O(nodes + edges of concatenations). Errors: UBI_ENOMEM; then there is something to free. */
ubi_status ubi__joined_init(ubi__joined *out, const ubi_graph *graph, ubi__rope_names names, ubi__pulse *pulse,
                            const ubi_allocator *a);
/** Rows ascend by node, all are measured, and what has the text of another string points at one with a text of its own. */
void ubi__joined_check(const ubi__joined *joined);
void ubi__joined_fini(ubi__joined *joined, const ubi_allocator *a);

/** Text of any string. Cost: O(1), of concatenations O(log of their number) and 2,048 steps at most. */
ubi_text ubi__joined_text(const ubi__joined *joined, ubi_node_ix node, ubi_look_name_buffer *buffer);
/** Text of joined->cons.at[row]. Cost: 2,048 steps at most. */
ubi_text ubi__joined_row_text(const ubi__joined *joined, uint32_t row, ubi_look_name_buffer *buffer);

/** UTF-16 units of a text, counted up to `most`. Cost: O(most). */
uint32_t ubi__utf16_units(ubi_text text, uint32_t most);

#endif
