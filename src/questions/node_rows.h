/* SPDX-License-Identifier: MIT
 *
 * node_rows.h: nodes as rows with labels, which several questions list.
 */
#ifndef UBI_QUESTIONS_NODE_ROWS_H
#define UBI_QUESTIONS_NODE_ROWS_H

#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/views/lens.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "questions/usage.h"

UBI_VEC_DECLARE(ubi__vec_dominator_row, ubi_dominator_node *);

/** The breakdown that makes labels: "types" (also when none is given) and "stack" are short names of presets. */
ubi__breakdown_spec ubi__labels_spec(const ubi__breakdown_spec *spec);
/** Labels by a breakdown in JSON. @param json  NULL text: the default. Errors: UBI_EINVAL, UBI_ENOMEM. */
ubi_status ubi__labels_make(ubi_labels **out, ubi_text json, const ubi_view *view, ubi_compat compat,
                            const ubi_allocator *allocator);

/**
 * Adds a row for each of nodes[n], which knows its parent, unlike those of ubi_dominator_node_new.
 * Errors: UBI_ENOMEM, those of ubi_labels_get; what was added stays in the list.
 */
ubi_status ubi__node_rows_add(ubi__vec_dominator_row *list, const ubi_dominators *dominators, ubi_labels *labels,
                              const ubi_node_ix *nodes, uint32_t n, const ubi_allocator *allocator);
void ubi__node_rows_fini(ubi__vec_dominator_row *list, const ubi_allocator *allocator);

/** What a node dominates immediately, in sum. */
typedef struct ubi__dominated_sums {
    uint64_t count, shallow_bytes, retained_bytes;
} ubi__dominated_sums;

/** Of nodes[n]. */
ubi__dominated_sums ubi__node_sums(const ubi_dominators *dominators, const ubi_look *look, const ubi_node_ix *nodes,
                                   uint32_t n);
/** Of all nodes that one dominates immediately. O(these). */
ubi__dominated_sums ubi__dominated_sums_of(const ubi_dominators *dominators, const ubi_look *look, ubi_node_ix node);
/** Of those that come before a node among what its dominator dominates, greatest retained size first. O(these). */
ubi__dominated_sums ubi__dominated_sums_before(const ubi_dominators *dominators, const ubi_look *look,
                                               ubi_node_ix node);
/** "childCount" and the sums, in the open object of a row. */
void ubi__dominated_sums_put(ubi__json *json, const ubi__dominated_sums *sums);

/** "title", in an open object: what people call the node; of nodes without a name, the kind of thing. */
void ubi__node_title_put(ubi__json *json, const ubi_look *look, ubi_node_ix node);
/** The same in a row, where nodes have names that labels do not say: a ubi__dominator_row_fn. @param look  a const ubi_look. */
ubi_status ubi__node_row_title_put(void *look, ubi__json *json, const ubi_dominator_row *row);

#endif
