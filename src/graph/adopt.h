/* SPDX-License-Identifier: MIT
 *
 * adopt.h: which nodes the root of a view holds though no edge of it leads there (UBI_ORPHANS_ADOPT).
 */
#ifndef UBI_GRAPH_ADOPT_H
#define UBI_GRAPH_ADOPT_H

#include "graph/graph_columns.h"

/**
 * The nodes that the root adopts: with an edge from the root to each of them, every node can be reached. First those that
 * no edge of the view leads to, then those that are left, each in the graph's order.
 *
 * @param out  appended to; the caller's.
 * Cost: O(nodes + edges) time; 2 bits per node, and 4 bytes per node that waits. Errors: UBI_ENOMEM.
 */
ubi_status ubi__view_adopted(ubi__vec_u32 *out, const ubi_view *view, const ubi_allocator *a);

#endif
