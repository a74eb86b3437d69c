/* SPDX-License-Identifier: MIT
 *
 * node_map.h: a map from abstract nodes to a word each, for walks over heaps without dense indices.
 *
 * A table of entries (table.h) of 24 bytes: 36 to 48 per node.
 */
#ifndef UBI_GRAPH_NODE_MAP_H
#define UBI_GRAPH_NODE_MAP_H

#include <ubiheap/core/node.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

typedef struct ubi__node_map_slot {
    uintptr_t not_heap; /* ~heap, since NULL may be one, and nothing has the last address; 0: empty */
    uint64_t ref;
    uint64_t data;
} ubi__node_map_slot;

static inline uint64_t ubi__node_map_hash(uintptr_t not_heap, uint64_t ref) {
    return ubi__hash_combine(not_heap, ref);
}
static inline bool ubi__node_map_slot_is_used(const ubi__node_map_slot *slot) {
    return slot->not_heap != 0;
}
static inline uint64_t ubi__node_map_slot_hash(const ubi__node_map_slot *slot) {
    return ubi__node_map_hash(slot->not_heap, slot->ref);
}
UBI_TABLE_DECLARE(ubi__node_table, ubi__node_map_slot, ubi__node_map_slot_is_used, ubi__node_map_slot_hash);

typedef struct ubi__node_map {
    const ubi_allocator *allocator;
    ubi__node_table table;
} ubi__node_map;

void ubi__node_map_init(ubi__node_map *m, const ubi_allocator *a);
void ubi__node_map_fini(ubi__node_map *m);
/** The word of `node`, or NULL. Borrowed until the next put. */
uint64_t *ubi__node_map_get(const ubi__node_map *m, ubi_node node);
/** Adds `node`, which must not be there. */
ubi_status ubi__node_map_put(ubi__node_map *m, ubi_node node, uint64_t data);

#endif
