/* SPDX-License-Identifier: MIT
 *
 * query_scalar.h: one value of an expression while it is evaluated, and its arithmetic.
 *
 * Whole numbers have 128 bits: what callers bring has 64 and a sign, so sums, differences and most products are exact. A
 * result that would not fit becomes a double, as does a quotient with a remainder.
 */
#ifndef UBI_ANALYSES_QUERY_SCALAR_H
#define UBI_ANALYSES_QUERY_SCALAR_H

#include <ubiheap/core/base.h>

__extension__ typedef __int128 ubi__whole;

typedef enum ubi__scalar_kind {
    UBI__SCALAR_MISSING,
    UBI__SCALAR_BOOL,
    UBI__SCALAR_WHOLE,
    UBI__SCALAR_REAL, /**< never NaN */
    UBI__SCALAR_TEXT
} ubi__scalar_kind;

typedef struct ubi__scalar {
    ubi__scalar_kind kind;
    union {
        bool is_true;
        ubi__whole whole;
        double real;
        ubi_text text; /**< never NULL text */
    };
} ubi__scalar;

static inline ubi__scalar ubi__scalar_missing(void) {
    return (ubi__scalar){ .kind = UBI__SCALAR_MISSING };
}
static inline ubi__scalar ubi__scalar_whole(ubi__whole whole) {
    return (ubi__scalar){ .kind = UBI__SCALAR_WHOLE, .whole = whole };
}
/*
 * Arithmetic of numbers into the first; missing if one of them is, and for x / 0. Scalars are passed by address: copies of
 * what was just written in pieces cost more than the arithmetic.
 */
void ubi__scalar_negate(ubi__scalar *a);
void ubi__scalar_add(ubi__scalar *a, const ubi__scalar *b);
void ubi__scalar_subtract(ubi__scalar *a, const ubi__scalar *b);
void ubi__scalar_multiply(ubi__scalar *a, const ubi__scalar *b);
void ubi__scalar_divide(ubi__scalar *a, const ubi__scalar *b);

/** Two of one type, or null: equal, or both missing. */
bool ubi__scalar_equal(const ubi__scalar *a, const ubi__scalar *b);
/** Below, equal to or above 0; both are numbers or both texts. Numbers compare exactly, texts by their bytes. */
int ubi__scalar_compare(const ubi__scalar *a, const ubi__scalar *b);

#endif
