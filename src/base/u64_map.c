/* SPDX-License-Identifier: MIT
 *
 * u64_map.c: see u64_map.h.
 */
#include "base/u64_map.h"

#include "base/assert.h"
#include "base/hash.h"

#define FIRST_SLOTS 16

void ubi__u64_map_init(ubi__u64_map *map, const ubi_allocator *allocator) {
    *map = (ubi__u64_map){ .allocator = allocator };
}

void ubi__u64_map_fini(ubi__u64_map *map) {
    ubi__free_array(map->allocator, map->slots, map->n_slots, sizeof *map->slots);
    *map = (ubi__u64_map){ .allocator = map->allocator };
}

/** The slot that holds `key`, or the empty one where it belongs. There is always an empty slot. */
static ubi__u64_slot *slot_of(ubi__u64_slot *slots, size_t n_slots, uint64_t key) {
    size_t i = ubi__hash_u64(key) & (n_slots - 1);
    while (slots[i].value != UBI_NONE && slots[i].key != key)
        i = (i + 1) & (n_slots - 1);
    return &slots[i];
}

uint32_t ubi__u64_map_get(const ubi__u64_map *map, uint64_t key) {
    return map->n_slots ? slot_of(map->slots, map->n_slots, key)->value : UBI_NONE;
}

static ubi_status grow(ubi__u64_map *map) {
    size_t n_slots = map->n_slots ? map->n_slots * 2 : FIRST_SLOTS;
    ubi__u64_slot *slots = ubi__alloc_array(map->allocator, n_slots, sizeof *slots);
    if (!slots)
        return ubi__fail_nomem();
    for (size_t i = 0; i < n_slots; i++)
        slots[i] = (ubi__u64_slot){ 0, UBI_NONE };
    for (size_t i = 0; i < map->n_slots; i++)
        if (map->slots[i].value != UBI_NONE)
            *slot_of(slots, n_slots, map->slots[i].key) = map->slots[i];
    ubi__free_array(map->allocator, map->slots, map->n_slots, sizeof *map->slots);
    map->slots = slots;
    map->n_slots = n_slots;
    return UBI_OK;
}

ubi_status ubi__u64_map_put(ubi__u64_map *map, uint64_t key, uint32_t value) {
    UBI_ASSERT(value != UBI_NONE);
    if (map->n * 3 >= map->n_slots * 2)
        UBI_TRY(grow(map));
    ubi__u64_slot *slot = slot_of(map->slots, map->n_slots, key);
    map->n += slot->value == UBI_NONE;
    *slot = (ubi__u64_slot){ key, value };
    return UBI_OK;
}
