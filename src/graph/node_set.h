/* SPDX-License-Identifier: MIT
 *
 * node_set.h: nodes of any heap, each once, in the order in which they were added.
 *
 * That order makes one structure of what a breadth-first walk otherwise keeps twice, the nodes visited and the queue:
 *
 *     add(root);  for (i = 0; i < set.n; i++) { node = at(set, i); ... add(each referent) ... }
 *
 * A node is known by its number. The `ref` of node i lies in a chunk of refs; what all nodes of a heap share, (ops, heap),
 * is one "space"; a table of 32-bit slots finds numbers by hash, and a slot's spare bits hold a part of the hash, so that
 * refs are compared only when they are very likely equal.
 *
 * Memory: 8 bytes per node for the ref and 5.3 to 7.2 for slots, also while it grows: at most 15.2 bytes. 4 to 8 more
 * per node when there is more than one space. (Slots of base/table.h have 8 bytes instead of 4, and there are two tables while
 * one grows.)
 */
#ifndef UBI_GRAPH_NODE_SET_H
#define UBI_GRAPH_NODE_SET_H

#include <ubiheap/core/node.h>

#include "base/alloc.h"
#include "base/table.h"

UBI_VEC_DECLARE(ubi__vec_refs, uint64_t *);
UBI_VEC_DECLARE(ubi__vec_space, ubi_node); /* ref unused */

#define UBI__NODE_SET_CHUNK_BITS 12
#define UBI__NODE_SET_BATCH 64 /**< nodes that ubi__node_set_add_all takes at once */

typedef struct ubi__node_set {
    const ubi_allocator *allocator;
    uint32_t n;
    ubi__vec_refs chunks; /* 2^UBI__NODE_SET_CHUNK_BITS refs each */
    uint32_t *slots;      /* slots[n_slots] */
    size_t n_slots;
    unsigned index_bits; /* of a slot; numbers are below 2^index_bits - 1 */
    ubi__vec_space spaces;
    ubi__row_table space_table;
    uint32_t last_space;   /* found last */
    ubi__vec_u32 space_of; /* by number; empty while there is one space */
} ubi__node_set;

void ubi__node_set_init(ubi__node_set *s, const ubi_allocator *a);
void ubi__node_set_fini(ubi__node_set *s);
/** Numbers fit their slots and their chunks, the table has empty slots, and every node says its space if there are two. O(1). */
void ubi__node_set_check(const ubi__node_set *s);
/** Adds nodes[0..n), n <= UBI__NODE_SET_BATCH, in order; added[i]: it was not there. Many at once hide cache misses. */
ubi_status ubi__node_set_add_all(ubi__node_set *s, const ubi_node *nodes, uint32_t n, bool *added);
/** The i-th node; i < s->n. */
ubi_node ubi__node_set_at(const ubi__node_set *s, uint32_t i);

#endif
