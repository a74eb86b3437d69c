/* SPDX-License-Identifier: MIT
 *
 * u64_map.h: a hash map from 64-bit keys to 32-bit values, for pairs of indices.
 *
 * Open addressing, linear probing, at most 2/3 full; nothing is ever removed. The hash is seeded per process, so that
 * no file can make keys collide on purpose. Memory: 24 to 48 bytes per key.
 */
#ifndef UBI_BASE_U64_MAP_H
#define UBI_BASE_U64_MAP_H

#include "base/alloc.h"

typedef struct ubi__u64_slot {
    uint64_t key;
    uint32_t value; /* UBI_NONE: empty slot */
} ubi__u64_slot;

typedef struct ubi__u64_map {
    const ubi_allocator *allocator;
    ubi__u64_slot *slots;
    size_t n_slots; /* 0 or a power of two */
    size_t n;
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
