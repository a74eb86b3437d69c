/* SPDX-License-Identifier: MIT
 *
 * tree_node.h: the inside of a row of a dominator tree.
 */
#ifndef UBI_DOMINATORS_TREE_NODE_H
#define UBI_DOMINATORS_TREE_NODE_H

#include <stdatomic.h>

#include <ubiheap/core/dominator_tree.h>

#include "base/alloc.h"

/* One block with its list of children, whose length is known when it is made. 80 bytes and 8 per child. */
struct ubi_dominator_node {
    _Atomic uint32_t references;
    ubi_node_ix node;
    const ubi_allocator *allocator;
    union {
        ubi_labels *labels;            /* a reference */
        ubi_dominator_node *next_dead; /* while the row is being freed */
    };
    const ubi_label *label;
    uint64_t node_id, parent_id;
    uint64_t retained_bytes, shallow_bytes;
    uint32_t n_dominated;
    bool has_parent, has_children, has_more_children;
    uint32_t n_children, capacity; /* of `children` */
    ubi_dominator_node *children[];
};
_Static_assert(sizeof(ubi_dominator_node) <= 88, "rows are small: there may be millions");

/** References are left, and children fit the row's block. O(1). */
void ubi__dominator_node_check(const ubi_dominator_node *row);

/** UBI_EINVAL unless the graph has such a node. */
ubi_status ubi__dominator_row_check(const ubi_labels *labels, ubi_node_ix node);

/** A row without parent and children, with room for `capacity` of them. */
ubi_status ubi__dominator_row_new(ubi_dominator_node **out, const ubi_dominators *dominators, ubi_labels *labels,
                                  ubi_node_ix node, uint32_t capacity, const ubi_allocator *allocator);

/** A copy with a list of its children so far (references to them) and room for `extra` more. */
ubi_status ubi__dominator_row_copy(ubi_dominator_node **out, ubi_dominator_node *row, uint32_t extra,
                                   const ubi_allocator *allocator);

#endif
