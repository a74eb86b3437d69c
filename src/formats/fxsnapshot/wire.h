/* SPDX-License-Identifier: MIT
 *
 * wire.h: the protobuf wire format, as far as fxsnapshot needs it.
 *
 * Functions that read may load a word beyond their input: callers guarantee UBI__STREAM_PADDING readable bytes
 * after their limit and compare the returned position with it. NULL means that no number of further bytes would help.
 * Functions that write need room for UBI__WIRE_VARINT_MAX bytes, however small the number.
 */
#ifndef UBI_FXSNAPSHOT_WIRE_H
#define UBI_FXSNAPSHOT_WIRE_H

#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/status.h"

enum {
    UBI__WIRE_VARINT = 0,
    UBI__WIRE_FIXED64 = 1,
    UBI__WIRE_BYTES = 2,
    UBI__WIRE_GROUP = 3,
    UBI__WIRE_GROUP_END = 4,
    UBI__WIRE_FIXED32 = 5
};

#define UBI__TAG(field, wire) ((uint32_t)(field) << 3 | (uint32_t)(wire))

/** Protobuf's own bound on the length of a field or message. */
#define UBI__WIRE_MAX_LENGTH ((uint64_t)INT32_MAX - 16)

/** Nested messages and groups below a Node that protobuf accepts there: 3 * MAX_STACK_DEPTH. Each frame takes two. */
#define UBI__FXS_MAX_NESTING 180
#define UBI__FXS_MAX_FRAMES (UBI__FXS_MAX_NESTING / 2)
_Static_assert(2 * UBI__FXS_MAX_FRAMES == UBI__FXS_MAX_NESTING, "a frame is two messages");

/**
 * Metadata: the program that wrote the file, bytes of UTF-8. Fields of ours, which Firefox has not, are numbered from 1000 on;
 * docs/formats/fxsnapshot.md lists them.
 */
#define UBI__FXS_WRITER_FIELD 1000
/** Node: true when it was allocated while no frame was on the stack, which the format otherwise cannot distinguish from "unknown". */
#define UBI__FXS_EMPTY_STACK_FIELD 1000

/** A varint of nine or ten bytes; bits beyond 64 are dropped. NULL when an eleventh byte would be needed. */
static inline const uint8_t *ubi__wire_long_varint(const uint8_t *p, uint64_t *out) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 10; i++) {
        value |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) {
            *out = value;
            return p + i + 1;
        }
    }
    return NULL;
}

/** A varint; without a branch on its length up to eight bytes, because the lengths of ids and references vary. */
static inline const uint8_t *ubi__wire_varint(const uint8_t *p, uint64_t *out) {
    uint64_t w;
    memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    uint64_t stops = ~w & UINT64_C(0x8080808080808080);
    if (ubi__unlikely(stops == 0))
        return ubi__wire_long_varint(p, out);
    w &= stops ^ (stops - 1); /* keep the bytes up to the first without continuation bit */
    /* Squeeze 8 x 7 bits together, pairs first. */
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    *out = (w & UINT64_C(0x0fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
    return p + (__builtin_ctzll(stops) >> 3) + 1;
}

/** The same for numbers that rarely take more than four bytes: half the work. */
static inline const uint8_t *ubi__wire_short_varint(const uint8_t *p, uint64_t *out) {
    uint32_t w;
    memcpy(&w, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap32(w);
#endif
    uint32_t stops = ~w & UINT32_C(0x80808080);
    if (ubi__unlikely(stops == 0))
        return ubi__wire_varint(p, out);
    w &= stops ^ (stops - 1);
    w = (w & UINT32_C(0x007f007f)) | (w & UINT32_C(0x7f007f00)) >> 1;
    *out = (w & UINT32_C(0x00003fff)) | (w & UINT32_C(0x3fff0000)) >> 2;
    return p + (__builtin_ctz(stops) >> 3) + 1;
}

/** A tag: at most five bytes. */
static inline const uint8_t *ubi__wire_tag(const uint8_t *p, uint32_t *out) {
    if (ubi__likely(*p < 0x80)) {
        *out = *p;
        return p + 1;
    }
    uint32_t value = 0;
    for (unsigned i = 0; i < 5; i++) {
        value |= (uint32_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) {
            *out = value;
            return p + i + 1;
        }
    }
    return NULL;
}

/** The length of a field; NULL also when it is above UBI__WIRE_MAX_LENGTH. */
static inline const uint8_t *ubi__wire_length(const uint8_t *p, uint64_t *out) {
    const uint8_t *q = ubi__wire_varint(p, out);
    return q && q - p <= 5 && *out < UBI__WIRE_MAX_LENGTH ? q : NULL;
}

typedef enum ubi__wire_skip { UBI__SKIP_DONE, UBI__SKIP_SHORT, UBI__SKIP_BAD } ubi__wire_skip;

/**
 * Steps over an unknown field whose tag was read.
 *
 * @param p      in: after the tag; out (DONE): after the field.
 * @param levels nesting levels that are still allowed; a group takes one, and so does each group in it.
 * @return SHORT when the field ends beyond `limit`.
 */
ubi__wire_skip ubi__wire_skip_field(const uint8_t **p, const uint8_t *limit, uint32_t tag, unsigned levels);

/* ---- writing ----------------------------------------------------------------------------------------------------- */

#define UBI__WIRE_VARINT_MAX 10

/** Eight bytes, the lowest first; a caller writes over those that are too many. */
static inline void ubi__wire_put_word(uint8_t *p, uint64_t w) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    memcpy(p, &w, sizeof w);
}
static inline uint64_t ubi__wire_get_word(const uint8_t *p) {
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/** Bytes that a varint takes: 1 to 10. */
static inline unsigned ubi__wire_varint_bytes(uint64_t x) {
    return (unsigned)(70 - __builtin_clzll(x | 1)) / 7;
}

/** Writes a varint, without a branch on its length up to eight bytes; returns where it ended. */
static inline uint8_t *ubi__wire_put_varint(uint8_t *p, uint64_t x) {
    unsigned n = ubi__wire_varint_bytes(x);
    if (ubi__unlikely(n > 8)) {
        for (; x >= 0x80; x >>= 7)
            *p++ = (uint8_t)(x | 0x80);
        *p++ = (uint8_t)x;
        return p;
    }
    /* The reverse of ubi__wire_varint: 8 x 7 bits apart, halves first; then all bytes but the last get bit 7. */
    uint64_t w = (x & UINT64_C(0x0fffffff)) | (x & UINT64_C(0x00fffffff0000000)) << 4;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x0fffc0000fffc000)) << 2;
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x3f803f803f803f80)) << 1;
    w |= UINT64_C(0x8080808080808080) & ((UINT64_C(1) << 8 * (n - 1)) - 1);
    ubi__wire_put_word(p, w);
    UBI_ASSERT(p[n - 1] < 0x80 && (n == 1 || p[n - 2] >= 0x80));
    return p + n;
}

/** The same for numbers that mostly take one or two bytes. */
static inline uint8_t *ubi__wire_put_short_varint(uint8_t *p, uint64_t x) {
    if (x >= 0x4000)
        return ubi__wire_put_varint(p, x);
    p[0] = (uint8_t)(x | (x >= 0x80 ? 0x80 : 0));
    p[1] = (uint8_t)(x >> 7);
    return p + 1 + (x >= 0x80);
}

#endif
