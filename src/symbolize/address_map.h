/* SPDX-License-Identifier: MIT
 *
 * address_map.h: which of many ranges of addresses holds an address: symbols, units, functions, inlined calls.
 *
 * Ranges are added in any order and may nest. Once sealed, the map is a sorted list of starts, each with the value of the
 * innermost range there (the one that starts last; of those that start together, the shortest; of equal ones, the highest
 * value), so a look-up is one binary search however the ranges lie.
 *
 * Memory: 24 bytes per range, and 32 once sealed.
 */
#ifndef UBI_SYMBOLIZE_ADDRESS_MAP_H
#define UBI_SYMBOLIZE_ADDRESS_MAP_H

#include "base/alloc.h"

typedef struct ubi__address_range {
    uint64_t low, high; /* [low, high) */
    uint32_t value;
} ubi__address_range;

typedef struct ubi__address_start {
    uint64_t low;
    uint32_t value; /* from here to the next start; UBI_NONE: nothing is here */
} ubi__address_start;

_Static_assert(sizeof(ubi__address_range) == 24 && sizeof(ubi__address_start) == 16,
               "24 bytes per range, and twice 16 once sealed");

UBI_VEC_DECLARE(ubi__vec_address_range, ubi__address_range);
UBI_VEC_DECLARE(ubi__vec_address_start, ubi__address_start);

typedef struct ubi__address_map {
    ubi__vec_address_range ranges; /* until it is sealed */
    ubi__vec_address_start starts; /* then */
} ubi__address_map;

/** Sealed, it has no ranges left, and starts rise; after the last one there is nothing. */
void ubi__address_map_check(const ubi__address_map *map);
/** An empty range is left out. `value` is not UBI_NONE. Errors: UBI_ENOMEM. */
ubi_status ubi__address_map_add(ubi__address_map *map, uint64_t low, uint64_t high, uint32_t value,
                                const ubi_allocator *allocator);
/** Makes it searchable; nothing is added any more. Errors: UBI_ENOMEM, and it is as before. Cost: O(n log n). */
ubi_status ubi__address_map_seal(ubi__address_map *map, const ubi_allocator *allocator);
/** Value of the innermost range at `address`, or UBI_NONE. Only when sealed. */
uint32_t ubi__address_map_find(const ubi__address_map *map, uint64_t address);
void ubi__address_map_fini(ubi__address_map *map, const ubi_allocator *allocator);

#endif
