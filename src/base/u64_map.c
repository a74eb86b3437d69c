/* SPDX-License-Identifier: MIT
 *
 * u64_map.c: see u64_map.h.
 */
#include "base/u64_map.h"

#include "base/assert.h"

static bool slot_has_key(const void *unused, const ubi__u64_slot *slot, uint64_t key) {
    (void)unused;
    return slot->key == key;
}
UBI_TABLE_LOOKUP(key, ubi__u64_table, ubi__u64_slot, ubi__u64_slot_is_used, const void *, uint64_t, slot_has_key);

void ubi__u64_map_init(ubi__u64_map *map, const ubi_allocator *allocator) {
    *map = (ubi__u64_map){ .allocator = allocator };
}

void ubi__u64_map_fini(ubi__u64_map *map) {
    ubi__u64_table_fini(&map->table, map->allocator);
}

uint32_t ubi__u64_map_get(const ubi__u64_map *map, uint64_t key) {
    const ubi__u64_slot *slot = key_find(&map->table, NULL, key, ubi__hash_u64(key));
    return slot ? slot->value : UBI_NONE;
}

ubi_status ubi__u64_map_put(ubi__u64_map *map, uint64_t key, uint32_t value) {
    UBI_ASSERT(value != UBI_NONE);
    UBI_TRY(ubi__u64_table_reserve(&map->table, map->allocator, 1));
    ubi__u64_slot *slot = key_place(&map->table, NULL, key, ubi__hash_u64(key));
    if (!slot->is_used)
        ubi__u64_table_added(&map->table);
    *slot = (ubi__u64_slot){ key, value, true };
    return UBI_OK;
}
