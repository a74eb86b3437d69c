/* SPDX-License-Identifier: MIT
 *
 * next_drop.h: where retained sizes drop in a dominator tree.
 *
 * Going down from node to largest child, most of a large size is passed on for a while; where it drops, the memory is spread over many or
 * is the node's own. A node is such a drop when it retains a thousandth of the heap or more, and its largest child less than half of
 * that. A node that dominates nothing is one when it retains at least half of what its dominator does: elsewhere it is one of many.
 */
#ifndef UBI_QUESTIONS_DOMINATORS_NEXT_DROP_H
#define UBI_QUESTIONS_DOMINATORS_NEXT_DROP_H

#include <ubiheap/core/dominators.h>

/**
 * The first drop after a node, depth first: what the node dominates comes after it, then what is after it among its siblings; greatest
 * retained sizes first. UBI_NONE: there is none.
 * @param dominators  with dominated sets. @param after  any node; of one outside of the tree, the first drop of all.
 * Errors: UBI_ENOMEM. Cost: O(nodes) at most; subtrees below a thousandth of the heap are not entered.
 */
ubi_status ubi__next_drop_find(ubi_node_ix *out, const ubi_dominators *dominators, ubi_node_ix after,
                               const ubi_allocator *allocator);

#endif
