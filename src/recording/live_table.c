/* SPDX-License-Identifier: MIT
 *
 * live_table.c: see live_table.h.
 */
#include "recording/live_table.h"

#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS 64

void ubi__live_table_init(ubi__live_table *t, const ubi_allocator *allocator) {
    *t = (ubi__live_table){ .allocator = allocator };
}

void ubi__live_table_fini(ubi__live_table *t) {
    ubi__free_array(t->allocator, t->slots, t->n_slots, sizeof *t->slots);
    ubi__live_table_init(t, t->allocator);
}

static size_t home_of(const ubi__live_table *t, uint64_t address) {
    return (size_t)ubi__hash_u64(address) & (t->n_slots - 1);
}

/* Where the address is, or the empty slot where it would be. */
static size_t slot_of(const ubi__live_table *t, uint64_t address) {
    size_t i = home_of(t, address);
    while (t->slots[i].address && t->slots[i].address != address)
        i = (i + 1) & (t->n_slots - 1);
    return i;
}

ubi_status ubi__live_table_reserve(ubi__live_table *t) {
    if ((t->n + 1) * 3 <= t->n_slots * 2)
        return UBI_OK;
    ubi__live_table larger = { .allocator = t->allocator, .n = t->n };
    larger.n_slots = t->n_slots ? 2 * t->n_slots : FIRST_SLOTS;
    larger.slots = ubi__calloc_array(t->allocator, larger.n_slots, sizeof *larger.slots);
    if (!larger.slots)
        return ubi__fail_nomem();
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->slots[i].address)
            larger.slots[slot_of(&larger, t->slots[i].address)] = t->slots[i];
    ubi__live_table_fini(t);
    *t = larger;
    return UBI_OK;
}

void ubi__live_table_put(ubi__live_table *t, uint64_t address, ubi__event_ix event) {
    ubi__live *live = &t->slots[slot_of(t, address)];
    t->n += live->address == 0;
    *live = (ubi__live){ .address = address, .event = event };
}

ubi__live *ubi__live_table_find(const ubi__live_table *t, uint64_t address) {
    if (t->n == 0 || address == 0)
        return NULL;
    ubi__live *live = &t->slots[slot_of(t, address)];
    return live->address ? live : NULL;
}

/* What probed past this slot would not be found any more: it moves into the gap, which moves on. */
void ubi__live_table_remove(ubi__live_table *t, ubi__live *live) {
    size_t mask = t->n_slots - 1, gap = (size_t)(live - t->slots);
    for (size_t i = (gap + 1) & mask; t->slots[i].address; i = (i + 1) & mask) {
        size_t home = home_of(t, t->slots[i].address);
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            t->slots[gap] = t->slots[i];
            gap = i;
        }
    }
    t->slots[gap].address = 0;
    t->n--;
}

void ubi__live_table_clear(ubi__live_table *t) {
    if (t->n)
        memset(t->slots, 0, t->n_slots * sizeof *t->slots);
    t->n = 0;
}
