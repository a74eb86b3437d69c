/* SPDX-License-Identifier: MIT
 *
 * live_table.c: see live_table.h.
 */
#include "recording/live_table.h"

#include <string.h>

/* ---- events ------------------------------------------------------------------------------------------------------ */

static bool is_live_at(const void *unused, const ubi__live *live, uint64_t address) {
    (void)unused;
    return live->address == address;
}
UBI_TABLE_LOOKUP(live, ubi__live_slots, ubi__live, ubi__live_is_used, const void *, uint64_t, is_live_at);

void ubi__live_table_init(ubi__live_table *t, const ubi_allocator *allocator) {
    *t = (ubi__live_table){ .allocator = allocator };
}

void ubi__live_table_fini(ubi__live_table *t) {
    ubi__live_slots_fini(&t->table, t->allocator);
}

ubi_status ubi__live_table_reserve(ubi__live_table *t, size_t n) {
    return ubi__live_slots_reserve(&t->table, t->allocator, n);
}

void ubi__live_table_put(ubi__live_table *t, uint64_t address, ubi__event_ix event) {
    ubi__live *live = live_place(&t->table, NULL, address, ubi__hash_u64(address));
    if (!ubi__live_is_used(live))
        ubi__live_slots_added(&t->table);
    *live = (ubi__live){ .address = address, .event = event };
}

ubi__live *ubi__live_table_find(const ubi__live_table *t, uint64_t address) {
    return address ? live_find(&t->table, NULL, address, ubi__hash_u64(address)) : NULL;
}

void ubi__live_table_remove(ubi__live_table *t, ubi__live *live) {
    ubi__live_slots_remove(&t->table, live);
}

void ubi__live_table_clear(ubi__live_table *t) {
    ubi__live_slots_clear(&t->table);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

_Static_assert(sizeof(ubi__block) == 16, "a block takes 16 bytes");

static bool is_block_at(const void *unused, const ubi__block *block, uint64_t address) {
    (void)unused;
    return block->address == address;
}
UBI_TABLE_LOOKUP(block, ubi__block_slots, ubi__block, ubi__block_is_used, const void *, uint64_t, is_block_at);

void ubi__block_table_init(ubi__block_table *t, const ubi_allocator *allocator) {
    *t = (ubi__block_table){ .allocator = allocator };
}

void ubi__block_table_fini(ubi__block_table *t) {
    ubi__block_slots_fini(&t->table, t->allocator);
}

ubi_status ubi__block_table_reserve(ubi__block_table *t) {
    return ubi__block_slots_reserve(&t->table, t->allocator, 1);
}

void ubi__block_table_prefetch(const ubi__block_table *t, uint64_t address) {
    ubi__block_slots_prefetch(&t->table, ubi__hash_u64(address));
}

ubi__block ubi__block_table_put(ubi__block_table *t, ubi__block block) {
    ubi__block *slot = block_place(&t->table, NULL, block.address, ubi__hash_u64(block.address)), before = *slot;
    if (!ubi__block_is_used(slot))
        ubi__block_slots_added(&t->table);
    *slot = block;
    return before;
}

ubi__block *ubi__block_table_find(const ubi__block_table *t, uint64_t address) {
    return address ? block_find(&t->table, NULL, address, ubi__hash_u64(address)) : NULL;
}

void ubi__block_table_remove(ubi__block_table *t, ubi__block *block) {
    ubi__block_slots_remove(&t->table, block);
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

size_t ubi__mapping_at(const ubi__mapping_list *list, uint64_t address) {
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].high > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

ubi_status ubi__mapping_add(ubi__mapping_list *list, const ubi_allocator *allocator, ubi__mapping mapping) {
    UBI_TRY(ubi__mapping_list_reserve(list, allocator, 1));
    size_t i = ubi__mapping_at(list, mapping.low);
    memmove(&list->at[i + 1], &list->at[i], (list->n - i) * sizeof *list->at);
    list->at[i] = mapping;
    list->n++;
    return UBI_OK;
}

void ubi__mapping_remove(ubi__mapping_list *list, size_t i) {
    memmove(&list->at[i], &list->at[i + 1], (list->n - i - 1) * sizeof *list->at);
    list->n--;
}
