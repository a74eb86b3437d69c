/* SPDX-License-Identifier: MIT
 *
 * trace_tree.c: see trace_tree.h.
 */
#include "interpose/trace_tree.h"

#include "base/assert.h"
#include "interpose/pages.h"

#define FIRST_SLOTS_LOG2 9u
#define MAX_STACKS (UINT32_MAX - 1)

static bool make_table(ubi__trace_tree *t, unsigned slots_log2) {
    size_t n = (size_t)1 << slots_log2;
    ubi__trace_slot *slots = ubi__pages_of_table(n * sizeof *slots);
    if (!slots)
        return false;
    t->slots = slots;
    t->n_slots = n;
    t->shift = 64 - slots_log2;
    return true;
}

bool ubi__trace_tree_init(ubi__trace_tree *t) {
    *t = (ubi__trace_tree){ 0 };
    return make_table(t, FIRST_SLOTS_LOG2);
}

void ubi__trace_tree_fini(ubi__trace_tree *t) {
    if (t->slots)
        ubi__pages_free(t->slots, t->n_slots * sizeof *t->slots);
    *t = (ubi__trace_tree){ 0 };
}

void ubi__trace_tree_clear(ubi__trace_tree *t) {
    /* Fresh pages are zero, and cost less than clearing many that may never be needed again. */
    ubi__trace_tree fresh;
    if (ubi__trace_tree_init(&fresh)) {
        ubi__trace_tree_fini(t);
        *t = fresh;
        return;
    }
    for (size_t i = 0; i < t->n_slots; i++)
        t->slots[i].number = 0;
    t->n = 0;
}

void ubi__trace_tree_check(const ubi__trace_tree *t) {
    size_t n = 0;
    UBI_ASSERT(t->n_slots == (size_t)1 << (64 - t->shift) && (uint64_t)t->n * 3 <= (uint64_t)t->n_slots * 2);
    for (size_t i = 0; UBI_CHECKS && i < t->n_slots; i++) {
        const ubi__trace_slot *slot = &t->slots[i];
        UBI_ASSERT(slot->number <= t->n && (slot->number == 0 || ubi__trace_tree_slot(t, slot->print) == slot));
        n += slot->number != 0;
    }
    UBI_ASSERT(!UBI_CHECKS || n == t->n);
}

static bool trace_tree_grow(ubi__trace_tree *t) {
    ubi__trace_tree old = *t;
    if (!make_table(t, 64 - t->shift + 1))
        return false;
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].number)
            *ubi__trace_tree_slot(t, old.slots[i].print) = old.slots[i];
    ubi__pages_free(old.slots, old.n_slots * sizeof *old.slots);
    ubi__trace_tree_check(t);
    return true;
}

uint32_t ubi__trace_tree_add(ubi__trace_tree *t, uint64_t print) {
    if (t->n >= MAX_STACKS || (((uint64_t)t->n + 1) * 3 > (uint64_t)t->n_slots * 2 && !trace_tree_grow(t)))
        return 0;
    UBI_ASSERT(print != 0 && ubi__trace_tree_find(t, print) == 0);
    *ubi__trace_tree_slot(t, print) = (ubi__trace_slot){ .print = print, .number = ++t->n };
    return t->n;
}
