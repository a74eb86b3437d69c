/* SPDX-License-Identifier: MIT
 *
 * json_digits.h: the digits of a flat JSON array, as numbers.
 *
 * Nearly all of a .heapsnapshot is a few arrays of decimal numbers. Text goes in at one end in pieces that never cut a number
 * in two, numbers come out at the other in batches that stay in the nearest cache. Accepted is what JSON accepts: one comma
 * between numbers, white space anywhere, no leading zeros.
 *
 * A number is kept as 32 bits. One that does not fit, or is negative, leaves UBI__DIGITS_IS_WIDE in its place and goes to a
 * separate list, so that the usual number costs nothing extra.
 *
 * Three kernels do the same work: AVX2 and SSE4.1 take blocks of 64 bytes and leave whatever looks unusual (brackets, errors,
 * the end of a piece) to the plain one, which is the only one elsewhere. Nothing but speed depends on the choice.
 */
#ifndef UBI_FORMATS_JSON_DIGITS_H
#define UBI_FORMATS_JSON_DIGITS_H

#include <ubiheap/core/base.h>

#include "base/assert.h"

#define UBI__DIGITS_BATCH 2048
#define UBI__DIGITS_BLOCK 64
/* Numbers that one block can hold. A batch ends when another block might not fit. */
#define UBI__DIGITS_BLOCK_NUMBERS 32
#define UBI__DIGITS_IS_WIDE UINT32_MAX

/** Bytes in front of a text that kernels may read. The last must not be a digit; else any value will do. */
#define UBI__DIGITS_TEXT_MARGIN 8

typedef struct ubi__wide_number {
    uint32_t index; /* in the batch */
    bool is_negative;
    uint64_t value; /* without its sign */
} ubi__wide_number;

typedef enum ubi__digits_end {
    UBI__DIGITS_ALL, /* all of the text was taken */
    UBI__DIGITS_FULL,
    UBI__DIGITS_OTHER, /* neither number, comma nor white space */
    UBI__DIGITS_BAD_NUMBER,
    UBI__DIGITS_BAD_COMMA,    /* a comma where a number is due */
    UBI__DIGITS_MISSING_COMMA /* a number where a comma is due */
} ubi__digits_end;

typedef struct ubi__digits ubi__digits;

/** Takes whole blocks from [at, end) while nothing is unusual and the batch has room; where it stopped. */
typedef const uint8_t *ubi__digits_blocks_fn(ubi__digits *t, const uint8_t *at, const uint8_t *end);

struct ubi__digits {
    ubi__digits_blocks_fn *blocks; /* NULL: the plain kernel alone */
    bool may_be_negative;
    bool is_after_number; /* what came last was a number, not a comma */
    size_t n, n_wide;
    uint32_t at[UBI__DIGITS_BATCH + UBI__DIGITS_BLOCK];
    ubi__wide_number wide[UBI__DIGITS_BATCH + UBI__DIGITS_BLOCK]; /* ascending by index */
};

/** Names of kernels, for tests: the i-th that this processor can run, "plain" the last; then NULL. */
const char *ubi__digits_kernel_name(size_t i);
ubi__digits_blocks_fn *ubi__digits_kernel(size_t i);

/** Wide numbers ascend, and each of them has its mark in the batch. Cost: O(wide numbers). */
void ubi__digits_check(const ubi__digits *t);
/** An empty batch at the start of an array, with the i-th kernel; 0 is the fastest. */
void ubi__digits_begin(ubi__digits *t, size_t kernel, bool negative_allowed);

/**
 * Takes numbers from [*at, end) into the batch, moves *at past what was taken, and says why it stopped. A number that ends
 * at `end` counts as complete. After BAD_*, MISSING_COMMA and OTHER, *at is the byte in question.
 */
ubi__digits_end ubi__digits_take(ubi__digits *t, const uint8_t **at, const uint8_t *end);

/** Forgets all numbers but those from `first` on, which move to the front. */
void ubi__digits_drop(ubi__digits *t, size_t first);

/** The i-th number, with its sign in *negative. */
static inline uint64_t ubi__digits_number(const ubi__digits *t, size_t i, bool *negative) {
    *negative = false;
    if (__builtin_expect(t->at[i] != UBI__DIGITS_IS_WIDE, 1))
        return t->at[i];
    size_t low = 0, high = t->n_wide;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->wide[middle].index < i)
            low = middle + 1;
        else
            high = middle;
    }
    UBI_ASSERT(low < t->n_wide && t->wide[low].index == i);
    *negative = t->wide[low].is_negative;
    return t->wide[low].value;
}

#endif
