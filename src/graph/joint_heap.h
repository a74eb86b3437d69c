/* SPDX-License-Identifier: MIT
 *
 * joint_heap.h: several graphs as one heap: a root with a named edge to the root of each, which has that name, too. So the runtimes of a
 * process, each captured by itself, are saved as one snapshot.
 *
 * Ids stay, but each is one node's: graphs that were captured one after the other may have the same address for different things. The later
 * one gets the next id that no node has.
 */
#ifndef UBI_GRAPH_JOINT_HEAP_H
#define UBI_GRAPH_JOINT_HEAP_H

#include <ubiheap/core/graph.h>

#include "base/server_api.h"

typedef struct ubi__joint_part {
    const ubi_graph *graph;
    ubi_text name; /**< of the edge that leads to it, and of its root */
} ubi__joint_part;

typedef struct ubi__joint_heap ubi__joint_heap;

/**
 * @param out    owned. @param parts  parts[n_parts], n_parts > 0; graphs and names are borrowed as long as it lives.
 * @param allocator  NULL: the default. Errors: UBI_ENOMEM. Cost: O(nodes); 24 to 32 bytes per node while it runs.
 */
UBI__SERVER_API ubi_status ubi__joint_heap_new(ubi__joint_heap **out, const ubi__joint_part *parts, uint32_t n_parts,
                                               const ubi_allocator *allocator);
UBI__SERVER_API void ubi__joint_heap_free(ubi__joint_heap *heap); /**< NULL is fine */
/** Its root, a list of roots; valid as long as the heap. */
UBI__SERVER_API ubi_node ubi__joint_heap_root(const ubi__joint_heap *heap);

#endif
