/* SPDX-License-Identifier: MIT
 *
 * tuple_table.c: see tuple_table.h.
 *
 * How many words a slot has is known at run time only, so the loops are its own; where to begin and when to grow is
 * base/table.h's.
 */
#include "recording/tuple_table.h"

#include "base/hash.h"
#include "base/table.h"

void ubi__tuple_table_init(ubi__tuple_table *t, size_t width, const char *what, const ubi_allocator *allocator) {
    *t = (ubi__tuple_table){ .allocator = allocator, .width = width, .what = what };
}

void ubi__tuple_table_fini(ubi__tuple_table *t) {
    ubi__free_array(t->allocator, t->slots, t->n_slots, (t->width + 1) * sizeof *t->slots);
    t->slots = NULL;
    t->n = t->n_slots = 0;
}

static uint64_t mix_word(uint64_t word, uint64_t factor) {
    uint64_t product = (word ^ ubi__hash_seed) * factor;
    return product ^ product >> 32;
}

/* Words are multiplied beside each other, and then mixed once. No loops: for so few words, they cost more than they do. */
static uint64_t hash_of(const uint64_t *tuple, size_t width) {
    uint64_t sum = mix_word(tuple[0], UINT64_C(0x9e3779b97f4a7c15));
    if (width > 1)
        sum += mix_word(tuple[1], UINT64_C(0xbf58476d1ce4e5b9));
    if (width > 2)
        sum += mix_word(tuple[2], UINT64_C(0x94d049bb133111eb));
    if (width > 3)
        sum += mix_word(tuple[3], UINT64_C(0xc2b2ae3d27d4eb4f));
    return sum * UINT64_C(0xd6e8feb86659fd93);
}

static bool is_equal(const uint64_t *a, const uint64_t *b, size_t width) {
    return a[0] == b[0] && (width <= 1 || a[1] == b[1]) && (width <= 2 || a[2] == b[2]) && (width <= 3 || a[3] == b[3]);
}

static uint64_t *home_of(const ubi__tuple_table *t, const uint64_t *tuple) {
    return t->slots + ubi__table_home(hash_of(tuple, t->width), t->n_slots) * (t->width + 1);
}

/* The slot of the tuple, or the empty one where it would be. */
static uint64_t *slot_of(const ubi__tuple_table *t, const uint64_t *tuple) {
    const uint64_t *end = t->slots + t->n_slots * (t->width + 1);
    uint64_t *slot = home_of(t, tuple);
    while (slot[0] != 0 && !is_equal(slot + 1, tuple, t->width)) {
        slot += t->width + 1;
        if (slot == end)
            slot = t->slots;
    }
    return slot;
}

static void slot_fill(uint64_t *slot, uint64_t row, const uint64_t *tuple, size_t width) {
    slot[0] = row;
    for (size_t i = 0; i < width; i++)
        slot[1 + i] = tuple[i];
}

static ubi_status tuple_table_grow(ubi__tuple_table *t) {
    ubi__tuple_table larger = *t;
    size_t stride = t->width + 1;
    larger.n_slots = ubi__table_grown(t->n_slots, t->n + 1, stride * sizeof *larger.slots);
    larger.slots = ubi__calloc_array(t->allocator, larger.n_slots, stride * sizeof *larger.slots);
    if (!larger.slots)
        return ubi__fail_nomem();
    for (size_t i = 0; i < t->n_slots; i++) {
        const uint64_t *slot = t->slots + i * stride;
        if (slot[0] != 0)
            slot_fill(slot_of(&larger, slot + 1), slot[0], slot + 1, t->width);
    }
    ubi__tuple_table_fini(t);
    *t = larger;
    return UBI_OK;
}

ubi_status ubi__tuple_table_number(ubi__tuple_table *t, uint32_t *out, bool *is_new, const uint64_t *tuple) {
    if (t->n == ubi__table_capacity(t->n_slots))
        UBI_TRY(tuple_table_grow(t));
    uint64_t *slot = slot_of(t, tuple);
    *is_new = slot[0] == 0;
    if (*is_new) {
        if (t->base + t->n >= UBI_NONE - 1)
            return ubi__fail(UBI_ELIMIT, "a recording has at most %u %s", UBI_NONE - 1, t->what);
        slot_fill(slot, ++t->n, tuple, t->width);
    }
    *out = (uint32_t)(t->base + slot[0] - 1);
    return UBI_OK;
}

void ubi__tuple_table_start_anew(ubi__tuple_table *t) {
    t->base = ubi__tuple_table_count(t);
    ubi__tuple_table_fini(t);
}
