/* SPDX-License-Identifier: MIT
 *
 * access_edges.h: the property, element or variable by which one node refers to another.
 */
#ifndef UBI_RENDER_ACCESS_EDGES_H
#define UBI_RENDER_ACCESS_EDGES_H

#include <ubiheap/core/graph.h>

#include "render/edge_words.h"

/** Two nodes that may be joined by an edge. */
typedef struct ubi__node_pair {
    ubi_node_ix from, to; /**< `from` UBI_NONE: no node */
} ubi__node_pair;

/**
 * What a script writes to get from one node to the other, such as "store" or "[17]": the first such edge of each pair.
 *
 * @param out    words[n]; UBI__EDGE_SILENT: there is no such edge.
 * @param pairs  pairs[n]
 * Cost: O(edges of all different `from` * log n). Errors: UBI_ENOMEM.
 */
ubi_status ubi__find_accesses(ubi__edge_words *out, const ubi_graph *graph, const ubi__node_pair *pairs, size_t n);

#endif
