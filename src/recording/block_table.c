/* SPDX-License-Identifier: MIT
 *
 * block_table.c: see block_table.h.
 */
#include "recording/block_table.h"

_Static_assert(sizeof(ubi__block) == 16, "a block takes 16 bytes");

static bool is_at(const void *unused, const ubi__block *block, uint64_t address) {
    (void)unused;
    return block->address == address;
}
UBI_TABLE_LOOKUP(block, ubi__block_slots, ubi__block, ubi__block_is_used, const void *, uint64_t, is_at);

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
