/* SPDX-License-Identifier: MIT
 *
 * node_map.h: a map from abstract nodes to a word each, for walks over heaps without dense indices.
 *
 * Open addressing on (heap, ref); 24 bytes per slot at a load of at most 3/4.
 */
#ifndef UBI_GRAPH_NODE_MAP_H
#define UBI_GRAPH_NODE_MAP_H

#include <ubiheap/node.h>

#include "base/alloc.h"

typedef struct ubi__node_map_slot {
    void *heap;
    uint64_t ref;
    uint64_t data;
} ubi__node_map_slot;

typedef struct ubi__node_map {
    const ubi_allocator *allocator;
    ubi__node_map_slot *slots;
    uint8_t *used; /* per slot */
    size_t n_slots;
    size_t n;
} ubi__node_map;

void ubi__node_map_init(ubi__node_map *m, const ubi_allocator *a);
void ubi__node_map_fini(ubi__node_map *m);
/** The word of `node`, or NULL. Borrowed until the next put. */
uint64_t *ubi__node_map_get(const ubi__node_map *m, ubi_node node);
/** Adds `node`, which must not be there. */
ubi_status ubi__node_map_put(ubi__node_map *m, ubi_node node, uint64_t data);

#endif
