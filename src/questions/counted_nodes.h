/* SPDX-License-Identifier: MIT
 *
 * counted_nodes.h: the nodes that were counted in some part of a census or a difference, those first that retain most, a page at a time.
 */
#ifndef UBI_QUESTIONS_COUNTED_NODES_H
#define UBI_QUESTIONS_COUNTED_NODES_H

#include "questions/node_rows.h"

typedef struct ubi__counted_nodes {
    const ubi_allocator *allocator; /* NULL: nothing is to be freed */
    ubi__vec_u32 nodes;             /* all of them, each once, by index */
    uint64_t shallow_bytes;         /* of all */
    const ubi_look *look;           /* borrowed */
    uint64_t offset;
    ubi_labels *labels;
    ubi__vec_dominator_row rows; /* those of the page */
} ubi__counted_nodes;

/** Without nodes yet: who has the answer fills `nodes` with them, each once and by index, with this allocator. */
void ubi__counted_nodes_init(ubi__counted_nodes *counted, const ubi_allocator *allocator);
/** Fills in nodes by their ids, which are in the order of the graph. Errors: UBI_ENOTFOUND, UBI_ENOMEM. Cost: a search for each. */
ubi_status ubi__counted_nodes_find(ubi__counted_nodes *counted, const ubi_graph *graph, const uint64_t *ids,
                                   uint64_t n);
/**
 * Makes the rows of a page: `most` from the `offset`-th on.
 * @param labels  JSON of the breakdown that labels are made by.
 * Errors: UBI_EINVAL, UBI_ENOMEM. Cost: O(nodes), and sorting those up to the end of the page.
 */
ubi_status ubi__counted_nodes_list(ubi__counted_nodes *counted, const ubi_dominators *dominators, const ubi_look *look,
                                   ubi_text labels, uint64_t offset, uint64_t most);
/** An object: how many there are, and the rows of the page. */
ubi_status ubi__counted_nodes_put(ubi__json *json, const ubi__counted_nodes *counted);
void ubi__counted_nodes_fini(ubi__counted_nodes *counted);

#endif
