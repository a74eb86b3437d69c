/* SPDX-License-Identifier: MIT
 *
 * slots.h: the array behind an open-addressing table of indices.
 *
 * A table maps keys to rows of some column; its slots hold row indices, UBI_NONE where empty. Hashing, comparing and the
 * load at which it grows are the business of the table; slot counts are powers of two, so that a mask wraps around.
 */
#ifndef UBI_BASE_SLOTS_H
#define UBI_BASE_SLOTS_H

#include <string.h>

#include "base/alloc.h"

typedef struct ubi__slots {
    uint32_t *at;
    size_t n; /* 0 (no array yet) or a power of two */
} ubi__slots;

/** `n` empty slots; n is a power of two. UBI_OK or UBI_ENOMEM (`s` unchanged). */
static inline ubi_status ubi__slots_new(ubi__slots *s, size_t n, const ubi_allocator *a) {
    UBI_ASSERT(n && (n & (n - 1)) == 0);
    uint32_t *at = (uint32_t *)ubi__alloc_array(a, n, sizeof *at);
    if (!at)
        return ubi__fail_nomem();
    memset(at, 0xff, n * sizeof *at);
    *s = (ubi__slots){ at, n };
    return UBI_OK;
}

static inline void ubi__slots_fini(ubi__slots *s, const ubi_allocator *a) {
    ubi__free_array(a, s->at, s->n, sizeof *s->at);
    *s = (ubi__slots){ NULL, 0 };
}

/** The slot after slot `i`. */
static inline size_t ubi__slots_next(const ubi__slots *s, size_t i) {
    UBI_ASSERT(i < s->n);
    return (i + 1) & (s->n - 1);
}

/** Smallest power of two, at least `least`, that `n_rows` fill by `num`/`den` at most. */
static inline size_t ubi__slots_for(size_t n_rows, size_t num, size_t den, size_t least) {
    size_t n = least;
    while (n_rows * den > n * num)
        n *= 2;
    return n;
}

#endif
