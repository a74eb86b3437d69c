/* SPDX-License-Identifier: MIT
 *
 * ubirec_cursor.h: numbers and texts of variable length, one after the other, from bytes that may be anything.
 *
 * A cursor cannot leave its bytes; the first thing that is wrong sticks there, so that fields can be read in one go and checked at the end.
 * docs/formats/ubirec.md says how numbers are written.
 */
#ifndef UBI_RECORDING_UBIREC_CURSOR_H
#define UBI_RECORDING_UBIREC_CURSOR_H

#include <ubiheap/core/base.h>

#include "base/bits.h"
#include "recording/ubirec_layout.h"

#define UBI__NO_FAULT NULL

typedef struct ubi__cursor {
    const uint8_t *at, *end;
    const char *fault; /* what was expected and is not there; NULL: all is well */
} ubi__cursor;

static inline void ubi__cursor_fail(ubi__cursor *c, const char *expected) {
    if (!c->fault)
        c->fault = expected;
    c->at = c->end;
}

static inline uint64_t ubi__cursor_get_slow(ubi__cursor *c) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint8_t byte = *c->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
    ubi__cursor_fail(c, "a number of at most 64 bits");
    return 0;
}

static inline uint64_t ubi__cursor_get(ubi__cursor *c) {
    if (ubi__likely(c->at < c->end && *c->at < 128))
        return *c->at++;
    return ubi__cursor_get_slow(c);
}

static inline uint64_t ubi__cursor_get_below(ubi__cursor *c, uint64_t limit, const char *expected) {
    uint64_t value = ubi__cursor_get(c);
    if (value < limit)
        return value;
    ubi__cursor_fail(c, expected);
    return 0;
}

static inline uint32_t ubi__cursor_get_index(ubi__cursor *c, uint32_t n, const char *expected) {
    return (uint32_t)ubi__cursor_get_below(c, n, expected);
}

static inline uint32_t ubi__cursor_get_u32(ubi__cursor *c) {
    return (uint32_t)ubi__cursor_get_below(c, (uint64_t)UINT32_MAX + 1, "a number of at most 32 bits");
}

static inline ubi_text ubi__cursor_get_text(ubi__cursor *c) {
    uint64_t n = ubi__cursor_get(c);
    if (n > UBI__UBIREC_TEXT_MAX || n > (size_t)(c->end - c->at)) {
        ubi__cursor_fail(c, "a text of at most 65536 bytes within its record");
        return (ubi_text){ "", 0 };
    }
    ubi_text text = { (const char *)c->at, (size_t)n };
    c->at += n;
    return text;
}

#endif
