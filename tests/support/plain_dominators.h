/* SPDX-License-Identifier: MIT
 *
 * plain_dominators.h: dominators by plain iteration, to compare with.
 *
 * The algorithm of Cooper, Harvey and Kennedy (A Simple, Fast Dominance Algorithm, 2001), which Firefox uses, and a walk
 * that shares no code with the library. Quadratic on some graphs: for up to some 10,000 nodes.
 */
#ifndef UBI_TESTS_PLAIN_DOMINATORS_H
#define UBI_TESTS_PLAIN_DOMINATORS_H

#include <ubiheap/core/graph.h>

/**
 * Nodes of the view in post-order, last edges first, the root last.
 *
 * @param order  order[n_nodes], the caller's. @return how many are stored.
 */
uint32_t plain_post_order(ubi_node_ix *order, const ubi_view *view);

/** @param immediate  immediate[n_nodes], the caller's; UBI_NONE for the root and outside the tree. */
void plain_dominators(ubi_node_ix *immediate, const ubi_view *view);

#endif
