/* SPDX-License-Identifier: MIT
 *
 * live_table.c: see live_table.h.
 */
#include "recording/live_table.h"

static bool is_at(const void *unused, const ubi__live *live, uint64_t address) {
    (void)unused;
    return live->address == address;
}
UBI_TABLE_LOOKUP(live, ubi__live_slots, ubi__live, ubi__live_is_used, const void *, uint64_t, is_at);

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
