/* SPDX-License-Identifier: MIT
 *
 * site_table.h: which objects are tracked, and where each was allocated.
 *
 * Open addressing by the object's address, at most half full, linear probing. Every object that dies is looked for here
 * while anything is tracked, so that is inlined and mostly ends at the first, empty slot; a removal moves later entries back
 * instead of leaving marks, so waves of births and deaths never wear the table out. It shrinks again when most have died.
 *
 * Not base/table.h: where every object is tracked (quickjs_tracking_bench allocation 1), a whole program takes 0.9 % more
 * instructions with that one, 19 per object; nor does that one shrink.
 *
 * A serial number tells an object from a later one at the same address.
 */
#ifndef UBI_TRACKING_SITE_TABLE_H
#define UBI_TRACKING_SITE_TABLE_H

#include <ubiheap/core/base.h>

#include "base/assert.h"

typedef struct ubi__tracked {
    uintptr_t address; /* 0: empty slot */
    uint32_t value;    /* an object's stack; of bytecode the number of the script */
    uint32_t serial;
} ubi__tracked;

typedef struct ubi__site_table {
    const ubi_allocator *allocator;
    ubi__tracked *slots;
    unsigned shift; /* 64 - log2 of the slots */
    uint32_t mask;  /* slots - 1 */
    uint32_t count;
    uint32_t count_max; /* half of the slots; 0: there is no memory yet */
    uint32_t count_min; /* with fewer it shrinks */
} ubi__site_table;

void ubi__site_table_init(ubi__site_table *t, const ubi_allocator *allocator);
void ubi__site_table_fini(ubi__site_table *t);
/** Every entry is found, they are as many as are counted, and at most half of the slots are used. O(slots). */
void ubi__site_table_check(const ubi__site_table *t);
/* What put and remove do when it is not the usual. */
bool ubi__site_table_grow(ubi__site_table *t);
void ubi__site_table_close_hole(ubi__site_table *t, uint32_t hole);
void ubi__site_table_shrink(ubi__site_table *t);

static inline uint32_t ubi__site_table_home(const ubi__site_table *t, uintptr_t address) {
    return (uint32_t)(((uint64_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> t->shift);
}

/** The entry of an address, or NULL. Valid until the table changes. */
static inline ubi__tracked *ubi__site_table_find(const ubi__site_table *t, const void *address) {
    uint32_t i = ubi__site_table_home(t, (uintptr_t)address);
    while (t->slots[i].address != (uintptr_t)address) {
        if (t->slots[i].address == 0)
            return NULL;
        i = (i + 1) & t->mask;
    }
    return &t->slots[i];
}

/** Adds or replaces. False: no memory, and the table is as it was. */
static inline bool ubi__site_table_put(ubi__site_table *t, const void *address, uint32_t value, uint32_t serial) {
    if (__builtin_expect(t->count >= t->count_max, 0) && !ubi__site_table_grow(t))
        return false;
    UBI_ASSERT(address && t->count < t->count_max);
    uint32_t i = ubi__site_table_home(t, (uintptr_t)address);
    while (t->slots[i].address && t->slots[i].address != (uintptr_t)address)
        i = (i + 1) & t->mask;
    t->count += t->slots[i].address == 0;
    t->slots[i] = (ubi__tracked){ (uintptr_t)address, value, serial };
    return true;
}

/** Takes out an entry that find gave. */
static inline void ubi__site_table_remove(ubi__site_table *t, ubi__tracked *entry) {
    uint32_t hole = (uint32_t)(entry - t->slots);
    UBI_ASSERT(hole <= t->mask && entry->address && t->count > 0);
    if (t->slots[(hole + 1) & t->mask].address)
        ubi__site_table_close_hole(t, hole);
    else
        entry->address = 0;
    t->count--;
    if (__builtin_expect(t->count < t->count_min, 0))
        ubi__site_table_shrink(t);
}

#endif
