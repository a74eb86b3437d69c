/* SPDX-License-Identifier: MIT
 *
 * v8_numbers.c: the plain kernel, and the choice of another (v8_numbers.h).
 */
#include "formats/v8/v8_numbers.h"

#include <string.h>

#include "base/text_parts.h"
#include "formats/v8/v8_kernels.h"

static bool is_space(uint8_t c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

void ubi__v8_numbers_push(ubi__v8_numbers *t, uint64_t value, bool negative) {
    if (value >= UBI__V8_IS_WIDE || negative) {
        t->wide[t->n_wide++] = (ubi__v8_wide){ (uint32_t)t->n, negative, value };
        value = UBI__V8_IS_WIDE;
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

static ubi__v8_take take_number(ubi__v8_numbers *t, const uint8_t **at, const uint8_t *end) {
    const uint8_t *p = *at;
    bool negative = *p == '-';
    uint64_t value;
    if (t->after_number)
        return UBI__V8_TAKE_MISSING_COMMA;
    p += negative;
    if (!parse_digits(&p, end, &value))
        return UBI__V8_TAKE_BAD_NUMBER;
    ubi__v8_numbers_push(t, value, negative);
    t->after_number = true;
    *at = p;
    return UBI__V8_TAKE_ALL;
}

/* Goes on until `until` was passed, at least to the end of one number. */
static ubi__v8_take take_plainly(ubi__v8_numbers *t, const uint8_t **at, const uint8_t *until, const uint8_t *end) {
    const uint8_t *p = *at;
    ubi__v8_take result = UBI__V8_TAKE_ALL;
    while (p < end && p < until && result == UBI__V8_TAKE_ALL) {
        if (t->n > UBI__V8_BATCH - UBI__V8_BLOCK_NUMBERS)
            result = UBI__V8_TAKE_FULL;
        else if (ubi__is_digit(*p) || (*p == '-' && t->negative_allowed))
            result = take_number(t, &p, end);
        else if (*p == ',' && !t->after_number)
            result = UBI__V8_TAKE_BAD_COMMA;
        else if (*p == ',') {
            t->after_number = false;
            p++;
        } else if (is_space(*p))
            p++;
        else
            result = UBI__V8_TAKE_OTHER;
    }
    *at = p;
    return result;
}

ubi__v8_take ubi__v8_numbers_take(ubi__v8_numbers *t, const uint8_t **at, const uint8_t *end) {
    ubi__v8_take result = UBI__V8_TAKE_ALL;
    while (result == UBI__V8_TAKE_ALL && *at < end) {
        const uint8_t *until = end;
        if (t->blocks && end - *at >= UBI__V8_BLOCK) {
            *at = t->blocks(t, *at, end);
            until = end - *at < UBI__V8_BLOCK ? end : *at + UBI__V8_BLOCK;
        }
        result = take_plainly(t, at, until, end);
    }
    return result;
}

void ubi__v8_numbers_drop(ubi__v8_numbers *t, size_t first) {
    size_t n_wide = 0;
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
    ubi__v8_blocks_fn *blocks;
} kernel;

/* Those that this processor can run, the fastest first. */
static size_t list_kernels(kernel out[3]) {
    size_t n = 0;
#ifdef UBI__V8_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul") &&
        __builtin_cpu_supports("popcnt"))
        out[n++] = (kernel){ "avx2", ubi__v8_blocks_avx2 };
    if (__builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("popcnt"))
        out[n++] = (kernel){ "sse4.1", ubi__v8_blocks_sse41 };
#endif
    out[n++] = (kernel){ "plain", NULL };
    return n;
}

const char *ubi__v8_kernel_name(size_t i) {
    kernel all[3];
    return i < list_kernels(all) ? all[i].name : NULL;
}

ubi__v8_blocks_fn *ubi__v8_kernel(size_t i) {
    kernel all[3];
    return i < list_kernels(all) ? all[i].blocks : NULL;
}

void ubi__v8_numbers_begin(ubi__v8_numbers *t, size_t kernel_number, bool negative_allowed) {
    t->blocks = ubi__v8_kernel(kernel_number);
    t->negative_allowed = negative_allowed;
    t->after_number = false;
    t->n = t->n_wide = 0;
}
