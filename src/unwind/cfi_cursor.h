/* SPDX-License-Identifier: MIT
 *
 * cfi_cursor.h: reading the numbers of DWARF tables out of bytes that are not to be trusted.
 *
 * Invariant: low <= at <= high, and only [at, high) is read. A read that finds too little gives 0 and sets `is_short`, which
 * stays set; callers look at it where it matters, at the latest before they believe what they have read.
 */
#ifndef UBI_UNWIND_CFI_CURSOR_H
#define UBI_UNWIND_CFI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"

typedef struct ubi__cursor {
    const uint8_t *at, *high;
    bool is_short;
} ubi__cursor;

static inline size_t ubi__cursor_left(const ubi__cursor *c) {
    return (size_t)(c->high - c->at);
}

/** The next n bytes; NULL if there are fewer. */
static inline const uint8_t *ubi__cursor_take(ubi__cursor *c, uint64_t n) {
    if (n > ubi__cursor_left(c)) {
        c->is_short = true;
        c->at = c->high;
        return NULL;
    }
    const uint8_t *p = c->at;
    UBI_ASSERT(p <= c->high);
    c->at += n;
    return p;
}

/** A little-endian number of n bytes, at most 8. */
static inline uint64_t ubi__cursor_unsigned(ubi__cursor *c, size_t n) {
    const uint8_t *p = ubi__cursor_take(c, n);
    uint64_t value = 0;
    if (p)
        memcpy(&value, p, n);
    return value;
}

static inline int64_t ubi__cursor_signed(ubi__cursor *c, size_t n) {
    unsigned unused = 64 - 8 * (unsigned)n;
    return (int64_t)(ubi__cursor_unsigned(c, n) << unused) >> unused;
}

static inline uint8_t ubi__cursor_u8(ubi__cursor *c) {
    return (uint8_t)ubi__cursor_unsigned(c, 1);
}

/** LEB128: 7 bits a byte, least first. Bits beyond 64 are dropped. */
static inline uint64_t ubi__cursor_uleb(ubi__cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = ubi__cursor_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static inline int64_t ubi__cursor_sleb(ubi__cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        uint8_t byte = ubi__cursor_u8(c);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift = shift < 64 ? shift + 7 : shift;
        if (byte & 0x80)
            continue;
        if (shift < 64 && (byte & 0x40))
            value |= UINT64_MAX << shift;
        return (int64_t)value;
    }
}

#endif
