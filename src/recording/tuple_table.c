/* SPDX-License-Identifier: MIT
 *
 * tuple_table.c: see tuple_table.h.
 */
#include "recording/tuple_table.h"

#include "base/hash.h"

#define FIRST_SLOTS 64

void ubi__tuple_table_init(ubi__tuple_table *t, size_t width, const char *what, const ubi_allocator *allocator) {
    *t = (ubi__tuple_table){ .allocator = allocator, .width = width, .what = what };
}

void ubi__tuple_table_fini(ubi__tuple_table *t) {
    ubi__vec_u64_fini(&t->rows, t->allocator);
    ubi__slots_fini(&t->slots, t->allocator);
}

static uint64_t hash_of_tuple(const uint64_t *tuple, size_t width) {
    uint64_t hash = ubi__hash_u64(tuple[0]);
    for (size_t i = 1; i < width; i++)
        hash = ubi__hash_combine(hash, tuple[i]);
    return hash;
}

static uint64_t hash_of_row(const void *table, uint32_t row) {
    const ubi__tuple_table *t = table;
    return hash_of_tuple(t->rows.at + row * t->width, t->width);
}

/* The slot that has the tuple, or the empty one where it would be. */
static size_t slot_of(const ubi__tuple_table *t, const uint64_t *tuple) {
    size_t i = hash_of_tuple(tuple, t->width) & (t->slots.n - 1);
    while (t->slots.at[i] != UBI_NONE &&
           memcmp(t->rows.at + t->slots.at[i] * t->width, tuple, t->width * sizeof *tuple) != 0)
        i = ubi__slots_next(&t->slots, i);
    return i;
}

ubi_status ubi__tuple_table_number(ubi__tuple_table *t, uint32_t *out, bool *is_new, const uint64_t *tuple) {
    size_t n = t->rows.n / t->width;
    UBI_TRY(ubi__slots_grow(&t->slots, t, n, hash_of_row, FIRST_SLOTS, t->allocator));
    size_t slot = slot_of(t, tuple);
    *is_new = t->slots.at[slot] == UBI_NONE;
    if (*is_new) {
        if (t->base + n >= UBI_NONE - 1)
            return ubi__fail(UBI_ELIMIT, "a recording has at most %u %s", UBI_NONE - 1, t->what);
        UBI_TRY(ubi__vec_u64_reserve(&t->rows, t->allocator, t->width));
        memcpy(t->rows.at + t->rows.n, tuple, t->width * sizeof *tuple);
        t->rows.n += t->width;
        t->slots.at[slot] = (uint32_t)n;
    }
    *out = (uint32_t)(t->base + t->slots.at[slot]);
    return UBI_OK;
}

void ubi__tuple_table_start_anew(ubi__tuple_table *t) {
    t->base = ubi__tuple_table_count(t);
    ubi__tuple_table_fini(t);
}
