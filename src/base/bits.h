/* SPDX-License-Identifier: MIT
 *
 * bits.h: small arithmetic that is needed everywhere. Needs <stdint.h> only, so any folder may include it.
 */
#ifndef UBI_BASE_BITS_H
#define UBI_BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

static inline uint64_t ubi__smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}
static inline uint64_t ubi__larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}
/** a + b, at most UINT64_MAX. */
static inline uint64_t ubi__add_u64(uint64_t a, uint64_t b) {
    return a + b < a ? UINT64_MAX : a + b;
}
/** a - b, at least 0. */
static inline uint64_t ubi__subtract_u64(uint64_t a, uint64_t b) {
    return a > b ? a - b : 0;
}
/** a + b, within INT64_MAX on either side of 0, so that a sum can be negated. */
static inline int64_t ubi__add_i64(int64_t a, int64_t b) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? -INT64_MAX : INT64_MAX;
    return sum;
}
static inline int64_t ubi__to_i64(uint64_t value) {
    return value > INT64_MAX ? INT64_MAX : (int64_t)value;
}

/* ---- sets of bits ---------------------------------------------------------------------------------------------------- */

/** Bit i of words[], 64 to a word. */
static inline bool ubi__has_bit(const uint64_t *words, uint64_t i) {
    return words[i / 64] >> (i % 64) & 1;
}
static inline void ubi__put_bit(uint64_t *words, uint64_t i) {
    words[i / 64] |= UINT64_C(1) << (i % 64);
}

/* ---- mixing ---------------------------------------------------------------------------------------------------------- */

#define UBI__GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 divided by the golden ratio, odd */

/**
 * A place among 2^bits, for caches that any key may be put into: multiplicative hashing, one multiplication. Keys can be made
 * to collide, which costs a cache its use and nothing else; a table takes base/hash.h.
 */
static inline size_t ubi__cache_place(uint64_t key, unsigned bits) {
    return (size_t)(key * UBI__GOLDEN >> (64 - bits));
}

/** The finalizer of SplitMix64: a bijection. Of a counter in steps of UBI__GOLDEN it makes that generator's random numbers. */
static inline uint64_t ubi__mix_u64(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
