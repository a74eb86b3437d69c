/* SPDX-License-Identifier: MIT
 *
 * block_table.c: see block_table.h.
 */
#include "recording/block_table.h"

#include <string.h>

#include "base/assert.h"
#include "base/table.h"

void ubi__block_table_init(ubi__block_table *t, const ubi_allocator *allocator) {
    *t = (ubi__block_table){ .allocator = allocator };
}

/* With what it takes to align them. */
static size_t block_groups_bytes(size_t n_groups) {
    return (n_groups + 1) * sizeof(ubi__block_group);
}

void ubi__block_table_fini(ubi__block_table *t) {
    ubi__block_table_check(t);
    if (t->memory)
        t->allocator->free(t->allocator->ctx, t->memory, block_groups_bytes(t->n_groups));
    ubi__block_table_init(t, t->allocator);
}

/* Whether all groups from one to another are full, without the latter. */
static bool block_groups_are_full(const ubi__block_table *t, size_t from, size_t to) {
    for (size_t i = from; i != to; i = ubi__block_group_next(t, i))
        if (ubi__block_group_find(&t->groups[i], 0))
            return false;
    return true;
}

void ubi__block_table_check(const ubi__block_table *t) {
    size_t n = 0;
    for (size_t i = 0; UBI_CHECKS && i < t->n_groups; i++)
        for (unsigned k = 0; k < UBI__BLOCK_GROUP; k++) {
            uint64_t address = t->groups[i].slots[k].address;
            n += address != 0;
            UBI_ASSERT(address == 0 || block_groups_are_full(t, ubi__block_home(address, t->n_groups), i));
        }
    UBI_ASSERT(!UBI_CHECKS || n == t->n);
    UBI_ASSERT(t->n <= t->n_max && t->n_max <= t->n_groups * UBI__BLOCK_GROUP);
}

/*
 * Full groups cost look-ups and removals a second one, so there are few of them while that takes little memory. Later it is as full as other
 * tables.
 */
static size_t block_groups_capacity(size_t n_groups) {
    size_t n_slots = n_groups * UBI__BLOCK_GROUP;
    return n_groups <= UBI__BLOCK_ROOMY_GROUPS ? n_slots / 8 * 3 : ubi__table_capacity(n_slots);
}

/* Groups in place of `n_groups`: as a table of entries grows. 0: too many. */
static size_t block_groups_grown(size_t n_groups, size_t n) {
    size_t n_slots = ubi__table_grown(n_groups * UBI__BLOCK_GROUP, n, sizeof(ubi__block));
    return n_slots / UBI__BLOCK_GROUP + (n_slots % UBI__BLOCK_GROUP != 0);
}

ubi_status ubi__block_table_grow(ubi__block_table *t) {
    size_t n_groups = block_groups_grown(t->n_groups, t->n + 1), bytes = block_groups_bytes(n_groups);
    void *memory = n_groups ? t->allocator->alloc(t->allocator->ctx, bytes) : NULL;
    if (!memory)
        return ubi__fail_nomem();
    memset(memory, 0, bytes);
    uintptr_t aligned = ((uintptr_t)memory + sizeof *t->groups - 1) & ~(uintptr_t)(sizeof *t->groups - 1);
    ubi__block_table grown = { .allocator = t->allocator,
                               .groups = (ubi__block_group *)aligned,
                               .n_groups = n_groups,
                               .n_max = block_groups_capacity(n_groups),
                               .memory = memory };
    for (size_t i = 0; i < t->n_groups; i++)
        for (unsigned k = 0; k < UBI__BLOCK_GROUP; k++)
            if (t->groups[i].slots[k].address)
                (void)ubi__block_table_put(&grown, t->groups[i].slots[k]);
    UBI_ASSERT(grown.n == t->n);
    ubi__block_table_fini(t);
    *t = grown;
    ubi__block_table_check(t);
    return UBI_OK;
}

/* The slot of a group whose block belongs to `group` or before it, as seen from there; UBI__BLOCK_GROUP: there is none. */
static unsigned block_that_passed(const ubi__block_table *t, size_t i, size_t group) {
    size_t distance = ubi__table_distance(group, i, t->n_groups);
    for (unsigned k = 0; k < UBI__BLOCK_GROUP; k++) {
        uint64_t address = t->groups[i].slots[k].address;
        if (address && ubi__table_distance(ubi__block_home(address, t->n_groups), i, t->n_groups) >= distance)
            return k;
    }
    return UBI__BLOCK_GROUP;
}

void ubi__block_table_close_gap(ubi__block_table *t, size_t group, unsigned gap) {
    for (size_t i = ubi__block_group_next(t, group);; i = ubi__block_group_next(t, i)) {
        bool is_full = ubi__block_group_find(&t->groups[i], 0) == 0;
        unsigned k = block_that_passed(t, i, group);
        if (k < UBI__BLOCK_GROUP) {
            t->groups[group].slots[gap] = t->groups[i].slots[k];
            t->groups[i].slots[k] = (ubi__block){ 0 };
            group = i;
            gap = k;
        }
        if (!is_full)
            return;
    }
}
