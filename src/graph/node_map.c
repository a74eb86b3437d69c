/* SPDX-License-Identifier: MIT
 *
 * node_map.c: nodes to words (node_map.h).
 */
#include "graph/node_map.h"

static bool slot_has_node(const void *unused, const ubi__node_map_slot *slot, ubi_node node) {
    (void)unused;
    return slot->ref == node.ref && slot->not_heap == ~(uintptr_t)node.heap;
}
UBI_TABLE_LOOKUP(node, ubi__node_table, ubi__node_map_slot, ubi__node_map_slot_is_used, const void *, ubi_node,
                 slot_has_node);

void ubi__node_map_init(ubi__node_map *m, const ubi_allocator *a) {
    *m = (ubi__node_map){ .allocator = a };
}

void ubi__node_map_fini(ubi__node_map *m) {
    ubi__node_table_fini(&m->table, m->allocator);
}

uint64_t *ubi__node_map_get(const ubi__node_map *m, ubi_node node) {
    ubi__node_map_slot *slot = node_find(&m->table, NULL, node, ubi__node_map_hash(~(uintptr_t)node.heap, node.ref));
    return slot ? &slot->data : NULL;
}

ubi_status ubi__node_map_put(ubi__node_map *m, ubi_node node, uint64_t data) {
    UBI_TRY(ubi__node_table_reserve(&m->table, m->allocator, 1));
    uintptr_t not_heap = ~(uintptr_t)node.heap;
    ubi__node_map_slot *slot = node_place(&m->table, NULL, node, ubi__node_map_hash(not_heap, node.ref));
    *slot = (ubi__node_map_slot){ not_heap, node.ref, data };
    ubi__node_table_added(&m->table);
    return UBI_OK;
}
