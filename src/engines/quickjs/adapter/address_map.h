/* SPDX-License-Identifier: MIT
 *
 * address_map.h: a small hash table from an address to a number, for what is true of few nodes.
 *
 * Open addressing, at most half full. Address 0 is no key. Memory from the tools' allocator. Not base/table.h: a walk with
 * saving of 90,000 nodes takes 497 million instructions with this one, 501 million with that one.
 */
#ifndef UBI_QUICKJS_ADDRESS_MAP_H
#define UBI_QUICKJS_ADDRESS_MAP_H

#include "base/assert.h"
#include "tracking/tool_memory.h"

typedef struct ubi__address_entry {
    uint64_t address; /* 0: free */
    uint64_t value;
} ubi__address_entry;

typedef struct ubi__address_map {
    ubi__address_entry *at;
    uint32_t capacity; /* power of two, or 0 */
    uint32_t count;
} ubi__address_map;

static inline void ubi__address_map_fini(ubi__address_map *map, const ubi_allocator *a) {
    ubi__tool_free(a, map->at, map->capacity, sizeof *map->at);
    *map = (ubi__address_map){ NULL, 0, 0 };
}

static inline uint32_t ubi__address_hash(uint64_t address) {
    return (uint32_t)((address * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* The entry of `address`, or the free one where it belongs. The table must have a free entry. */
static inline ubi__address_entry *ubi__address_slot(const ubi__address_map *map, uint64_t address) {
    UBI_ASSERT(address && map->count < map->capacity && (map->capacity & (map->capacity - 1)) == 0);
    uint32_t mask = map->capacity - 1, i = ubi__address_hash(address) & mask;
    while (map->at[i].address && map->at[i].address != address)
        i = (i + 1) & mask;
    return &map->at[i];
}

static bool ubi__address_map_grow(ubi__address_map *map, const ubi_allocator *a) {
    ubi__address_map larger = { NULL, map->capacity ? map->capacity * 2 : 16, map->count };
    if (larger.capacity == 0)
        return false;
    larger.at = ubi__tool_calloc(a, larger.capacity, sizeof *larger.at);
    if (!larger.at)
        return false;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->at[i].address)
            *ubi__address_slot(&larger, map->at[i].address) = map->at[i];
    ubi__tool_free(a, map->at, map->capacity, sizeof *map->at);
    *map = larger;
    return true;
}

/** The value of an address, 0 when it is new; NULL: no memory, which one that is there does not need. Valid until the next call. */
static inline uint64_t *ubi__address_map_at(ubi__address_map *map, uint64_t address, const ubi_allocator *a) {
    ubi__address_entry *entry = map->capacity ? ubi__address_slot(map, address) : NULL;
    if (entry && entry->address)
        return &entry->value;
    if (!entry || map->count * 2 >= map->capacity) {
        if (!ubi__address_map_grow(map, a))
            return NULL;
        entry = ubi__address_slot(map, address);
    }
    *entry = (ubi__address_entry){ address, 0 };
    map->count++;
    return &entry->value;
}

/** The value of an address; NULL: it is not there. */
static inline const uint64_t *ubi__address_map_find(const ubi__address_map *map, uint64_t address) {
    if (map->count == 0)
        return NULL;
    const ubi__address_entry *entry = ubi__address_slot(map, address);
    return entry->address ? &entry->value : NULL;
}

#endif
