/* SPDX-License-Identifier: MIT
 *
 * tuple_table.c: see tuple_table.h.
 */
#include "recording/tuple_table.h"

#include "base/assert.h"
#include "base/hash.h"

void ubi__tuple_table_init(ubi__tuple_table *t, size_t width, const char *what, const ubi_allocator *allocator) {
    *t = (ubi__tuple_table){ .allocator = allocator, .width = width, .what = what };
}

void ubi__tuple_table_fini(ubi__tuple_table *t) {
    ubi__vec_u64_fini(&t->words, t->allocator);
    ubi__row_table_fini(&t->table, t->allocator);
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

static bool tuple_is(const ubi__tuple_table *t, uint32_t row, const uint64_t *tuple) {
    return is_equal(t->words.at + (size_t)row * t->width, tuple, t->width);
}
UBI_ROW_LOOKUP(tuple, const ubi__tuple_table *, const uint64_t *, tuple_is);

void ubi__tuple_table_check(const ubi__tuple_table *t) {
    UBI_ASSERT(t->width >= 1 && t->width <= UBI__TUPLE_WIDTH_MAX);
    UBI_ASSERT(t->words.n == t->table.n * t->width);
    if (UBI_CHECKS)
        for (uint32_t i = 0; i < t->table.n; i++) {
            const uint64_t *tuple = t->words.at + (size_t)i * t->width;
            UBI_ASSERT(tuple_find(&t->table, t, tuple, hash_of(tuple, t->width)) == i);
        }
}

/* The next number, for a slot that is empty. */
static ubi_status add_tuple(ubi__tuple_table *t, ubi__row_slot *slot, uint64_t hash, const uint64_t *tuple) {
    uint32_t row = (uint32_t)t->table.n;
    if (t->base + t->table.n >= UBI_NONE - 1)
        return ubi__fail(UBI_ELIMIT, "a recording has at most %u %s", UBI_NONE - 1, t->what);
    UBI_TRY(ubi__vec_u64_reserve(&t->words, t->allocator, t->width));
    for (size_t i = 0; i < t->width; i++)
        t->words.at[t->words.n++] = tuple[i];
    ubi__row_table_fill(&t->table, slot, hash, row);
    UBI_ASSERT(t->words.n == t->table.n * t->width);
    return UBI_OK;
}

ubi_status ubi__tuple_table_number(ubi__tuple_table *t, uint32_t *out, bool *is_new, const uint64_t *tuple) {
    uint64_t hash = hash_of(tuple, t->width);
    UBI_TRY(ubi__row_table_reserve(&t->table, t->allocator, 1));
    ubi__row_slot *slot = tuple_place(&t->table, t, tuple, hash);
    *is_new = !ubi__row_is_used(slot);
    if (*is_new)
        UBI_TRY(add_tuple(t, slot, hash, tuple));
    *out = (uint32_t)(t->base + slot->row);
    return UBI_OK;
}

void ubi__tuple_table_start_anew(ubi__tuple_table *t) {
    ubi__tuple_table_check(t);
    t->base = ubi__tuple_table_count(t);
    ubi__tuple_table_fini(t);
}
