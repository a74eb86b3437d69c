/* SPDX-License-Identifier: MIT
 *
 * live_table.c: see live_table.h.
 */
#include "recording/live_table.h"

#include <string.h>

#include "recording/probing.h"

void ubi__live_table_init(ubi__live_table *t, const ubi_allocator *allocator) {
    *t = (ubi__live_table){ .allocator = allocator };
}

void ubi__live_table_fini(ubi__live_table *t) {
    ubi__free_array(t->allocator, t->slots, t->n_slots, sizeof *t->slots);
    ubi__live_table_init(t, t->allocator);
}

static size_t home_of(const ubi__live_table *t, uint64_t address) {
    return ubi__probing_home(ubi__hash_u64(address), t->n_slots);
}

/* Where the address is, or the empty slot where it would be. */
static size_t slot_of(const ubi__live_table *t, uint64_t address) {
    size_t i = home_of(t, address);
    while (t->slots[i].address && t->slots[i].address != address)
        i = ubi__probing_next(i, t->n_slots);
    return i;
}

ubi_status ubi__live_table_reserve(ubi__live_table *t) {
    if (!ubi__probing_is_full(t->n, t->n_slots))
        return UBI_OK;
    ubi__live_table larger = { .allocator = t->allocator, .n = t->n, .n_slots = ubi__probing_grown(t->n_slots) };
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
    size_t gap = (size_t)(live - t->slots);
    for (size_t i = ubi__probing_next(gap, t->n_slots); t->slots[i].address; i = ubi__probing_next(i, t->n_slots))
        if (ubi__probing_may_move(home_of(t, t->slots[i].address), gap, i)) {
            t->slots[gap] = t->slots[i];
            gap = i;
        }
    t->slots[gap].address = 0;
    t->n--;
}

void ubi__live_table_clear(ubi__live_table *t) {
    if (t->n)
        memset(t->slots, 0, t->n_slots * sizeof *t->slots);
    t->n = 0;
}
