/* SPDX-License-Identifier: MIT
 *
 * live_table.c: see live_table.h.
 */
#include "recording/live_table.h"

#include <string.h>

#include "base/assert.h"

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
    UBI_ASSERT(address != 0);
    ubi__live *live = live_place(&t->table, NULL, address, ubi__hash_u64(address));
    if (!ubi__live_is_used(live))
        ubi__live_slots_added(&t->table);
    *live = (ubi__live){ .address = address, .event = event };
}

ubi__live *ubi__live_table_find(const ubi__live_table *t, uint64_t address) {
    return address ? live_find(&t->table, NULL, address, ubi__hash_u64(address)) : NULL;
}

void ubi__live_table_remove(ubi__live_table *t, ubi__live *live) {
    UBI_ASSERT(live == ubi__live_table_find(t, live->address));
    ubi__live_slots_remove(&t->table, live);
}

void ubi__live_table_clear(ubi__live_table *t) {
    ubi__live_slots_clear(&t->table);
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

/* Whether range i is right beside those next to it. */
static __attribute__((unused)) bool mapping_is_in_place(const ubi__mapping_list *list, size_t i) {
    const ubi__mapping *m = &list->at[i];
    return m->low < m->high && (i == 0 || list->at[i - 1].high <= m->low) &&
           (i + 1 == list->n || m->high <= list->at[i + 1].low);
}

void ubi__mapping_list_check(const ubi__mapping_list *list) {
    if (UBI_CHECKS)
        for (size_t i = 0; i < list->n; i++)
            UBI_ASSERT(mapping_is_in_place(list, i));
}

size_t ubi__mapping_at(const ubi__mapping_list *list, uint64_t address) {
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->at[middle].high > address)
            high = middle;
        else
            low = middle + 1;
    }
    UBI_ASSERT((low == 0 || list->at[low - 1].high <= address) && (low == list->n || list->at[low].high > address));
    return low;
}

ubi_status ubi__mapping_add(ubi__mapping_list *list, const ubi_allocator *allocator, ubi__mapping mapping) {
    UBI_TRY(ubi__mapping_list_reserve(list, allocator, 1));
    size_t i = ubi__mapping_at(list, mapping.low);
    memmove(&list->at[i + 1], &list->at[i], (list->n - i) * sizeof *list->at);
    list->at[i] = mapping;
    list->n++;
    UBI_ASSERT(mapping_is_in_place(list, i));
    return UBI_OK;
}

void ubi__mapping_remove(ubi__mapping_list *list, size_t i) {
    UBI_ASSERT(i < list->n);
    memmove(&list->at[i], &list->at[i + 1], (list->n - i - 1) * sizeof *list->at);
    list->n--;
}
