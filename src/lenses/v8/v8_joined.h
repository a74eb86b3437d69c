/* SPDX-License-Identifier: MIT
 *
 * v8_joined.h: texts of strings that V8 put together from two halves.
 *
 * `a + b` is a node of its own with edges `first` and `second`, so that a text built in a loop is a chain as deep as the loop
 * was long. A joined text is that of its parts, whole ones, until it has UBI_STRINGS_JOINED_UNITS UTF-16 units; of a part
 * with more than UBI__V8_PART_BYTES bytes only those count.
 */
#ifndef UBI_LENSES_V8_JOINED_H
#define UBI_LENSES_V8_JOINED_H

#include <ubiheap/strings.h>

#include "graph/graph_columns.h"

#define UBI__V8_PART_BYTES 4096

/** A string, and where its row is if it is a concatenation (UBI_NONE: it is none). */
typedef struct ubi__v8_part {
    ubi_node_ix node; /* UBI_NONE: no text */
    uint32_t row;
} ubi__v8_part;

/** A concatenation. 32 bytes. */
typedef struct ubi__v8_cons {
    ubi_node_ix node;
    ubi__v8_part first, second;
    ubi__v8_part same; /* another string with exactly this text, and without a `same` of its own; no node: none */
    uint16_t units;    /* of its text, UBI_STRINGS_JOINED_UNITS if more */
    uint8_t state;
    bool flat; /* one half is empty */
} ubi__v8_cons;

UBI_VEC_DECLARE(ubi__vec_v8_cons, ubi__v8_cons);

/** The concatenations of a graph. All zero: none. */
typedef struct ubi__v8_joined {
    const ubi_graph *graph; /* borrowed */
    ubi__vec_v8_cons cons;  /* ascending by node */
} ubi__v8_joined;

/** Names of the edges to the halves: canonical entries, UBI_NONE where the file does not have them. */
typedef struct ubi__v8_half_names {
    ubi_str_ix first, second;
} ubi__v8_half_names;

/** Cost: O(nodes + edges of concatenations). Errors: UBI_ENOMEM; then there is something to free. */
ubi_status ubi__v8_joined_init(ubi__v8_joined *out, const ubi_graph *graph, ubi__v8_half_names names,
                               const ubi_allocator *a);
void ubi__v8_joined_fini(ubi__v8_joined *joined, const ubi_allocator *a);

/** Text of any string. Cost: O(1), of concatenations O(log of their number) and 2,048 steps at most. */
ubi_text ubi__v8_joined_text(const ubi__v8_joined *joined, ubi_node_ix node, ubi_lens_name_buffer *buffer);
/** Text of joined->cons.at[row]. Cost: 2,048 steps at most. */
ubi_text ubi__v8_joined_row_text(const ubi__v8_joined *joined, uint32_t row, ubi_lens_name_buffer *buffer);

/** UTF-16 units of a text, counted up to `most`. Cost: O(most). */
uint32_t ubi__utf16_units(ubi_text text, uint32_t most);

#endif
