/* SPDX-License-Identifier: MIT
 *
 * json_digits.c: the plain kernel, and the choice of another (json_digits.h).
 */
#include "formats/json_digits.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/json_digit_kernels.h"

void ubi__digits_push(ubi__digits *t, uint64_t value, bool negative) {
    if (value >= UBI__DIGITS_IS_WIDE || negative) {
        t->wide[t->n_wide++] = (ubi__wide_number){ (uint32_t)t->n, negative, value };
        value = UBI__DIGITS_IS_WIDE;
    }
    t->at[t->n++] = (uint32_t)value;
}

/* Digits from `p` on; false: more than 64 bits, or a leading zero. */
static bool parse_digits(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    const uint8_t *p = *at, *start = p;
    uint64_t value = 0;
    bool fits = true;
    for (; p < end && ubi__is_digit(*p); p++) {
        fits = fits && !__builtin_mul_overflow(value, (uint64_t)10, &value);
        fits = fits && !__builtin_add_overflow(value, (uint64_t)(*p - '0'), &value);
        if (!fits)
            return false;
    }
    *at = p;
    *out = value;
    return p > start && !(*start == '0' && p > start + 1);
}

static ubi__digits_end take_number(ubi__digits *t, const uint8_t **at, const uint8_t *end) {
    const uint8_t *p = *at;
    bool negative = *p == '-';
    uint64_t value;
    if (t->after_number)
        return UBI__DIGITS_MISSING_COMMA;
    p += negative;
    if (!parse_digits(&p, end, &value))
        return UBI__DIGITS_BAD_NUMBER;
    ubi__digits_push(t, value, negative);
    t->after_number = true;
    *at = p;
    return UBI__DIGITS_ALL;
}

/* Stops after `until`, at the earliest at the end of one number. */
static ubi__digits_end take_plainly(ubi__digits *t, const uint8_t **at, const uint8_t *until, const uint8_t *end) {
    const uint8_t *p = *at;
    ubi__digits_end result = UBI__DIGITS_ALL;
    while (p < end && p < until && result == UBI__DIGITS_ALL) {
        if (t->n > UBI__DIGITS_BATCH - UBI__DIGITS_BLOCK_NUMBERS)
            result = UBI__DIGITS_FULL;
        else if (ubi__is_digit(*p) || (*p == '-' && t->negative_allowed))
            result = take_number(t, &p, end);
        else if (*p == ',' && !t->after_number)
            result = UBI__DIGITS_BAD_COMMA;
        else if (*p == ',') {
            t->after_number = false;
            p++;
        } else if (ubi__is_json_space((char)*p))
            p++;
        else
            result = UBI__DIGITS_OTHER;
    }
    *at = p;
    return result;
}

_Static_assert(UBI__DIGITS_BLOCK_NUMBERS == UBI__DIGITS_BLOCK / 2, "a digit and a comma are the shortest number");
_Static_assert(UBI__DIGITS_BLOCK <= 64, "a bit per byte of a block");

void ubi__digits_check(const ubi__digits *t) {
    UBI_ASSERT(t->n <= UBI__DIGITS_BATCH + UBI__DIGITS_BLOCK);
    UBI_ASSERT(t->n_wide <= t->n);
    for (size_t i = 0; UBI_CHECKS && i < t->n_wide; i++) {
        UBI_ASSERT(i == 0 || t->wide[i - 1].index < t->wide[i].index);
        UBI_ASSERT(t->wide[i].index < t->n && t->at[t->wide[i].index] == UBI__DIGITS_IS_WIDE);
        UBI_ASSERT(t->wide[i].value >= UBI__DIGITS_IS_WIDE || t->wide[i].negative);
    }
}

ubi__digits_end ubi__digits_take(ubi__digits *t, const uint8_t **at, const uint8_t *end) {
    ubi__digits_end result = UBI__DIGITS_ALL;
    while (result == UBI__DIGITS_ALL && *at < end) {
        const uint8_t *until = end;
        if (t->blocks && end - *at >= UBI__DIGITS_BLOCK) {
            *at = t->blocks(t, *at, end);
            until = end - *at < UBI__DIGITS_BLOCK ? end : *at + UBI__DIGITS_BLOCK;
        }
        result = take_plainly(t, at, until, end);
    }
    ubi__digits_check(t);
    return result;
}

void ubi__digits_drop(ubi__digits *t, size_t first) {
    size_t n_wide = 0;
    UBI_ASSERT(first <= t->n);
    memmove(t->at, t->at + first, (t->n - first) * sizeof *t->at);
    t->n -= first;
    for (size_t i = 0; i < t->n_wide; i++)
        if (t->wide[i].index >= first) {
            t->wide[n_wide] = t->wide[i];
            t->wide[n_wide++].index -= (uint32_t)first;
        }
    t->n_wide = n_wide;
}

/* ---- kernels ------------------------------------------------------------------------------------------------------- */

typedef struct kernel {
    const char *name;
    ubi__digits_blocks_fn *blocks;
} kernel;

/* Those that this processor can run, the fastest first. */
static size_t list_kernels(kernel out[3]) {
    size_t n = 0;
#ifdef UBI__DIGITS_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("popcnt"))
        out[n++] = (kernel){ "avx2", ubi__digits_blocks_avx2 };
    if (__builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("popcnt"))
        out[n++] = (kernel){ "sse4.1", ubi__digits_blocks_sse41 };
#endif
    out[n++] = (kernel){ "plain", NULL };
    return n;
}

const char *ubi__digits_kernel_name(size_t i) {
    kernel all[3];
    return i < list_kernels(all) ? all[i].name : NULL;
}

ubi__digits_blocks_fn *ubi__digits_kernel(size_t i) {
    kernel all[3];
    return i < list_kernels(all) ? all[i].blocks : NULL;
}

void ubi__digits_begin(ubi__digits *t, size_t kernel_number, bool negative_allowed) {
    t->blocks = ubi__digits_kernel(kernel_number);
    t->negative_allowed = negative_allowed;
    t->after_number = false;
    t->n = t->n_wide = 0;
}
