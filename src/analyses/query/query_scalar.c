/* SPDX-License-Identifier: MIT
 *
 * query_scalar.c: arithmetic and exact comparison of whole numbers and doubles.
 */
#include "analyses/query/query_scalar.h"

#include <math.h>

#include "base/text.h"

#define TWO_TO_127 0x1p127

static double as_real(const ubi__scalar *a) {
    return a->kind == UBI__SCALAR_WHOLE ? (double)a->whole : a->real;
}

static void set_real(ubi__scalar *a, double real) {
    a->kind = isnan(real) ? UBI__SCALAR_MISSING : UBI__SCALAR_REAL;
    a->real = real;
}

static bool either_missing(const ubi__scalar *a, const ubi__scalar *b) {
    return a->kind == UBI__SCALAR_MISSING || b->kind == UBI__SCALAR_MISSING;
}

static bool both_whole(const ubi__scalar *a, const ubi__scalar *b) {
    return a->kind == UBI__SCALAR_WHOLE && b->kind == UBI__SCALAR_WHOLE;
}

void ubi__scalar_negate(ubi__scalar *a) {
    ubi__scalar zero = ubi__scalar_whole(0);
    ubi__scalar_subtract(&zero, a);
    *a = zero;
}

void ubi__scalar_add(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole sum;
    if (both_whole(a, b) && !__builtin_add_overflow(a->whole, b->whole, &sum))
        a->whole = sum;
    else if (either_missing(a, b))
        a->kind = UBI__SCALAR_MISSING;
    else
        set_real(a, as_real(a) + as_real(b));
}

void ubi__scalar_subtract(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole difference;
    if (both_whole(a, b) && !__builtin_sub_overflow(a->whole, b->whole, &difference))
        a->whole = difference;
    else if (either_missing(a, b))
        a->kind = UBI__SCALAR_MISSING;
    else
        set_real(a, as_real(a) - as_real(b));
}

void ubi__scalar_multiply(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole product;
    if (both_whole(a, b) && !__builtin_mul_overflow(a->whole, b->whole, &product))
        a->whole = product;
    else if (either_missing(a, b))
        a->kind = UBI__SCALAR_MISSING;
    else
        set_real(a, as_real(a) * as_real(b));
}

static bool has_64_bits(ubi__whole a) {
    return a >= INT64_MIN && a <= INT64_MAX;
}

/* False when a / b is no whole number, or none that fits: -2^127 / -1, of which the machine must not even be asked. */
static bool divide_whole(ubi__whole *quotient, ubi__whole a, ubi__whole b) {
    if (b == -1)
        return !__builtin_sub_overflow((ubi__whole)0, a, quotient);
    if (has_64_bits(a) && has_64_bits(b)) /* many times quicker */
        *quotient = (int64_t)a / (int64_t)b;
    else
        *quotient = a / b;
    return *quotient * b == a;
}

void ubi__scalar_divide(ubi__scalar *a, const ubi__scalar *b) {
    ubi__whole quotient;
    if (either_missing(a, b) || as_real(b) == 0)
        a->kind = UBI__SCALAR_MISSING;
    else if (both_whole(a, b) && divide_whole(&quotient, a->whole, b->whole))
        a->whole = quotient;
    else
        set_real(a, as_real(a) / as_real(b));
}

static int compare_whole(ubi__whole a, ubi__whole b) {
    return (a > b) - (a < b);
}

/* Without rounding `a`: its nearest double may equal `b` where it does not. */
static int compare_whole_to_real(ubi__whole a, double b) {
    if (b >= TWO_TO_127)
        return -1;
    if (b < -TWO_TO_127)
        return 1;
    ubi__whole toward_zero = (ubi__whole)b;
    if (a != toward_zero)
        return compare_whole(a, toward_zero);
    return ((double)toward_zero > b) - ((double)toward_zero < b);
}

int ubi__scalar_compare(const ubi__scalar *a, const ubi__scalar *b) {
    if (a->kind == UBI__SCALAR_TEXT)
        return ubi__text_compare(a->text, b->text);
    if (both_whole(a, b))
        return compare_whole(a->whole, b->whole);
    if (a->kind == UBI__SCALAR_WHOLE)
        return compare_whole_to_real(a->whole, b->real);
    if (b->kind == UBI__SCALAR_WHOLE)
        return -compare_whole_to_real(b->whole, a->real);
    return (a->real > b->real) - (a->real < b->real);
}

bool ubi__scalar_equal(const ubi__scalar *a, const ubi__scalar *b) {
    if (either_missing(a, b))
        return a->kind == b->kind;
    if (a->kind == UBI__SCALAR_BOOL)
        return a->truth == b->truth;
    return ubi__scalar_compare(a, b) == 0;
}
