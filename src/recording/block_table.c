/* SPDX-License-Identifier: MIT
 *
 * block_table.c: see block_table.h.
 */
#include "recording/block_table.h"

#include "base/hash.h"

#define FIRST_SLOTS 64

_Static_assert(sizeof(ubi__block) == 16, "a block takes 16 bytes");

void ubi__block_table_init(ubi__block_table *t, const ubi_allocator *allocator) {
    *t = (ubi__block_table){ .allocator = allocator };
}

void ubi__block_table_fini(ubi__block_table *t) {
    ubi__free_array(t->allocator, t->slots, t->n_slots, sizeof *t->slots);
    ubi__block_table_init(t, t->allocator);
}

/* Any number of slots: the hash is scaled to them. */
static size_t home_of(const ubi__block_table *t, uint64_t address) {
    return (size_t)((unsigned __int128)ubi__hash_u64(address) * t->n_slots >> 64);
}

static size_t next_of(const ubi__block_table *t, size_t i) {
    return i + 1 < t->n_slots ? i + 1 : 0;
}

/* How many slots one has to go on from `from` to get to `to`. */
static size_t distance(const ubi__block_table *t, size_t from, size_t to) {
    return to >= from ? to - from : to + t->n_slots - from;
}

/* Where the address is, or the empty slot where it would be. */
static size_t slot_of(const ubi__block_table *t, uint64_t address) {
    size_t i = home_of(t, address);
    while (t->slots[i].address && t->slots[i].address != address)
        i = next_of(t, i);
    return i;
}

ubi_status ubi__block_table_reserve(ubi__block_table *t) {
    if ((t->n + 1) * 3 <= t->n_slots * 2)
        return UBI_OK;
    ubi__block_table larger = { .allocator = t->allocator, .n = t->n };
    larger.n_slots = t->n_slots ? t->n_slots + t->n_slots / 16 * 5 : FIRST_SLOTS;
    larger.slots = ubi__calloc_array(t->allocator, larger.n_slots, sizeof *larger.slots);
    if (!larger.slots)
        return ubi__fail_nomem();
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].address)
            larger.slots[slot_of(&larger, t->slots[i].address)] = t->slots[i];
    ubi__block_table_fini(t);
    *t = larger;
    return UBI_OK;
}

ubi__block ubi__block_table_put(ubi__block_table *t, ubi__block block) {
    ubi__block *slot = &t->slots[slot_of(t, block.address)], before = *slot;
    t->n += before.address == 0;
    *slot = block;
    return before;
}

ubi__block *ubi__block_table_find(const ubi__block_table *t, uint64_t address) {
    if (t->n == 0 || address == 0)
        return NULL;
    ubi__block *block = &t->slots[slot_of(t, address)];
    return block->address ? block : NULL;
}

/* What probed past this slot would not be found any more: it moves into the gap, which moves on. */
void ubi__block_table_remove(ubi__block_table *t, ubi__block *block) {
    size_t gap = (size_t)(block - t->slots);
    for (size_t i = next_of(t, gap); t->slots[i].address; i = next_of(t, i))
        if (distance(t, home_of(t, t->slots[i].address), i) >= distance(t, gap, i)) {
            t->slots[gap] = t->slots[i];
            gap = i;
        }
    t->slots[gap] = (ubi__block){ 0 };
    t->n--;
}
