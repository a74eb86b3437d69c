/* SPDX-License-Identifier: MIT
 *
 * tuple_table.h: numbers for tuples of integers: equal ones have one number, the next free one when they are new.
 *
 * A table of rows (base/table.h). Nothing is removed. Memory: 8 bytes per word, up to twice while it grows, and 12 to 16.
 */
#ifndef UBI_RECORDING_TUPLE_TABLE_H
#define UBI_RECORDING_TUPLE_TABLE_H

#include "base/alloc.h"
#include "base/table.h"

#define UBI__TUPLE_WIDTH_MAX 4

typedef struct ubi__tuple_table {
    const ubi_allocator *allocator;
    size_t width;       /* words of a tuple, 1 to UBI__TUPLE_WIDTH_MAX */
    size_t base;        /* number of the first */
    ubi__vec_u64 words; /* of the tuples since then, by number less `base` */
    ubi__row_table table;
    const char *what; /* what they are, in the plural, for messages; static */
} ubi__tuple_table;

/** Words are those of whole tuples, and each tuple is found under its number. */
void ubi__tuple_table_check(const ubi__tuple_table *t);
void ubi__tuple_table_init(ubi__tuple_table *t, size_t width, const char *what, const ubi_allocator *allocator);
void ubi__tuple_table_fini(ubi__tuple_table *t);

static inline uint32_t ubi__tuple_table_count(const ubi__tuple_table *t) {
    return (uint32_t)(t->base + t->table.n);
}

/**
 * The number of tuple[width].
 * @param is_new  out: whether it was not there before.
 * Errors: UBI_ENOMEM, UBI_ELIMIT (2^32 - 2 numbers); the table is as it was.
 */
ubi_status ubi__tuple_table_number(ubi__tuple_table *t, uint32_t *out, bool *is_new, const uint64_t *tuple);
/** Numbers given so far stay taken, but no tuple that comes is equal to an earlier one. */
void ubi__tuple_table_start_anew(ubi__tuple_table *t);

#endif
