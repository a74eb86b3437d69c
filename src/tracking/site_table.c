/* SPDX-License-Identifier: MIT
 *
 * site_table.c: what changes the table of tracked objects.
 */
#include "tracking/site_table.h"

#include "tracking/tool_memory.h"

#define FIRST_SLOTS_LOG2 10

/* A table without memory is this one, so that find need not ask whether there is any. Never written. */
static ubi__tracked no_slots[2];

static void use_slots(ubi__site_table *t, ubi__tracked *slots, unsigned slots_log2) {
    t->slots = slots;
    t->shift = 64 - slots_log2;
    t->mask = (uint32_t)((UINT64_C(1) << slots_log2) - 1);
    t->count_max = slots == no_slots ? 0 : (uint32_t)(UINT64_C(1) << slots_log2) / 2;
    t->count_min = slots_log2 > FIRST_SLOTS_LOG2 ? t->count_max / 8 : 0;
}

static size_t slot_count(const ubi__site_table *t) {
    return (size_t)t->mask + 1;
}

void ubi__site_table_init(ubi__site_table *t, const ubi_allocator *allocator) {
    t->allocator = allocator;
    t->count = 0;
    use_slots(t, no_slots, 1);
}

void ubi__site_table_fini(ubi__site_table *t) {
    if (t->slots != no_slots)
        ubi__tool_free(t->allocator, t->slots, slot_count(t), sizeof *t->slots);
    ubi__site_table_init(t, t->allocator);
}

static ubi__tracked *first_free(const ubi__site_table *t, uintptr_t address) {
    uint32_t i = ubi__site_table_home(t, address);
    while (t->slots[i].address)
        i = (i + 1) & t->mask;
    return &t->slots[i];
}

static bool sites_resize(ubi__site_table *t, unsigned slots_log2) {
    if (slots_log2 > 31)
        return false;
    ubi__tracked *slots = (ubi__tracked *)ubi__tool_calloc(t->allocator, (size_t)1 << slots_log2, sizeof *slots);
    if (!slots)
        return false;
    ubi__site_table old = *t;
    use_slots(t, slots, slots_log2);
    if (old.slots == no_slots)
        return true;
    for (size_t i = 0; i < slot_count(&old); i++)
        if (old.slots[i].address)
            *first_free(t, old.slots[i].address) = old.slots[i];
    ubi__tool_free(t->allocator, old.slots, slot_count(&old), sizeof *old.slots);
    return true;
}

bool ubi__site_table_grow(ubi__site_table *t) {
    return sites_resize(t, t->slots == no_slots ? FIRST_SLOTS_LOG2 : 64 - t->shift + 1);
}

/* Every entry behind the hole that could not be found across it moves into it, and leaves the next hole. */
void ubi__site_table_close_hole(ubi__site_table *t, uint32_t hole) {
    for (uint32_t i = (hole + 1) & t->mask; t->slots[i].address; i = (i + 1) & t->mask) {
        uint32_t home = ubi__site_table_home(t, t->slots[i].address);
        if (((i - home) & t->mask) >= ((i - hole) & t->mask)) {
            t->slots[hole] = t->slots[i];
            hole = i;
        }
    }
    t->slots[hole].address = 0;
}

/* Without memory it stays as it is. */
void ubi__site_table_shrink(ubi__site_table *t) {
    unsigned slots_log2 = 64 - t->shift - 2;
    sites_resize(t, slots_log2 < FIRST_SLOTS_LOG2 ? FIRST_SLOTS_LOG2 : slots_log2);
}
