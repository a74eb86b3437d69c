/* SPDX-License-Identifier: MIT
 *
 * leak_holdings.h: what an object weighs: its own size, and what it alone holds that has no life of its own.
 *
 * A Set of numbers becomes larger and stays the same object. A text or a buffer cannot: each time there is another one, under
 * the same name, in an object that stays. So of each heap are counted to an object that stays
 * - parts of the engine that it alone refers to, such as the memory behind an array buffer;
 * - what it alone holds by a name (a property, a variable) and what will not be there in the other heap: texts, buffers, arrays that
 *   are copied to larger ones. Not what stands in a list or a table: that is leaked or not, object by object.
 */
#ifndef UBI_ANALYSES_LEAK_HOLDINGS_H
#define UBI_ANALYSES_LEAK_HOLDINGS_H

#include "graph/graph_columns.h"

typedef struct ubi__leak_holdings {
    const ubi_allocator *allocator;
    const ubi_graph *graph;     /* borrowed */
    const uint64_t *size_bytes; /* borrowed */
    ubi_node_ix *sole;          /* owned sole[n_nodes]: the only node that refers to it, UBI_NONE or UBI__LEAK_MANY */
    uint8_t *how;               /* owned how[n_nodes] */
} ubi__leak_holdings;

#define UBI__LEAK_MANY (UBI_NONE - 1)

/** @param size_bytes  size_bytes[n_nodes], or NULL: the graph's. Cost: O(nodes + edges), 5 bytes per node. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_holdings_init(ubi__leak_holdings *out, const ubi_graph *graph, const uint64_t *size_bytes,
                                   const ubi_allocator *a);
void ubi__leak_holdings_fini(ubi__leak_holdings *h);

/** Which nodes are in the other heap, too (`stays`), and which are leaked: bits of marks[n_nodes]. Borrowed. */
typedef struct ubi__leak_stays {
    const uint8_t *marks;
    uint8_t stays, leaked;
} ubi__leak_stays;

/** @param weight  weight[n_nodes], caller's; that of nodes that do not stay says nothing. Cost: O(nodes). Errors: UBI_ENOMEM. */
ubi_status ubi__leak_weigh(uint64_t *weight, const ubi__leak_holdings *h, const ubi__leak_stays *stays);
/** What nodes weigh at most, whatever stays. Cost: O(nodes). */
void ubi__leak_weigh_at_most(uint64_t *weight, const ubi__leak_holdings *h);
/** What a node alone holds by names and what does not stay. */
typedef struct ubi__leak_contents {
    uint64_t bytes;   /* of all */
    ubi_node_ix main; /* that with more than half of the bytes that were asked about; UBI_NONE: none has */
} ubi__leak_contents;

/** Cost: O(edges of the node and of these). */
ubi__leak_contents ubi__leak_contents_of(const ubi__leak_holdings *h, const ubi__leak_stays *stays, ubi_node_ix node,
                                         uint64_t bytes);

#endif
