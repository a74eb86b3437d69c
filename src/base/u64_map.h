/* SPDX-License-Identifier: MIT
 *
 * u64_map.h: a hash map from 64-bit keys to 32-bit values, for pairs of indices.
 *
 * A table of entries (table.h). The hash is seeded per process, so that no file can make keys collide on purpose. Memory: 24
 * to 32 bytes per key.
 */
#ifndef UBI_BASE_U64_MAP_H
#define UBI_BASE_U64_MAP_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/table.h"

typedef struct ubi__u64_slot {
    uint64_t key;
    uint32_t value;
    bool is_used;
} ubi__u64_slot;

static inline bool ubi__u64_slot_is_used(const ubi__u64_slot *slot) {
    return slot->is_used;
}
static inline uint64_t ubi__u64_slot_hash(const ubi__u64_slot *slot) {
    return ubi__hash_u64(slot->key);
}
UBI_TABLE_DECLARE(ubi__u64_table, ubi__u64_slot, ubi__u64_slot_is_used, ubi__u64_slot_hash);

typedef struct ubi__u64_map {
    const ubi_allocator *allocator;
    ubi__u64_table table;
} ubi__u64_map;

static inline uint64_t ubi__u64_pair(uint32_t high, uint32_t low) {
    return (uint64_t)high << 32 | low;
}

void ubi__u64_map_init(ubi__u64_map *map, const ubi_allocator *allocator);
void ubi__u64_map_fini(ubi__u64_map *map);
/** Value of `key`, or UBI_NONE. */
uint32_t ubi__u64_map_get(const ubi__u64_map *map, uint64_t key);
/** Adds or replaces. `value` is not UBI_NONE. UBI_ENOMEM leaves the map unchanged. */
ubi_status ubi__u64_map_put(ubi__u64_map *map, uint64_t key, uint32_t value);

#endif
