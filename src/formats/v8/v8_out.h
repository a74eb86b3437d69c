/* SPDX-License-Identifier: MIT
 *
 * v8_out.h: bytes, numbers and strings of a .heapsnapshot file on their way out.
 *
 * Everything is 7-bit ASCII, as V8 writes it.
 */
#ifndef UBI_FORMATS_V8_OUT_H
#define UBI_FORMATS_V8_OUT_H

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/deflate.h"

#define UBI__V8_OUT_BYTES ((size_t)64 * 1024)
/** More than any record: at most eleven numbers of twenty digits, and what is between them. */
#define UBI__V8_RECORD_BYTES ((size_t)256)

typedef struct ubi__v8_out {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    uint64_t n_written; /* bytes handed to `write` */
    size_t n;           /* bytes that wait in `at` */
    uint8_t *at;        /* at[UBI__V8_OUT_BYTES] */
} ubi__v8_out;

/** Errors: UBI_ENOMEM; _fini is still allowed. */
ubi_status ubi__v8_out_init(ubi__v8_out *out, ubi__write_fn write, void *payload, const ubi_allocator *allocator);
void ubi__v8_out_fini(ubi__v8_out *out);
/** Hands over what waits. */
ubi_status ubi__v8_out_flush(ubi__v8_out *out);

/** Makes room for `n` bytes, at most UBI__V8_OUT_BYTES. */
static inline ubi_status ubi__v8_out_reserve(ubi__v8_out *out, size_t n) {
    UBI_ASSERT(n <= UBI__V8_OUT_BYTES && out->n <= UBI__V8_OUT_BYTES);
    return ubi__likely(UBI__V8_OUT_BYTES - out->n >= n) ? UBI_OK : ubi__v8_out_flush(out);
}

/* The next three write into room that was reserved. */

static inline void ubi__v8_out_char(ubi__v8_out *out, char c) {
    out->at[out->n++] = (uint8_t)c;
}
static inline void ubi__v8_out_bytes(ubi__v8_out *out, const char *bytes, size_t n) {
    UBI_ASSERT(n <= UBI__V8_OUT_BYTES - out->n);
    memcpy(out->at + out->n, bytes, n);
    out->n += n;
}
static inline void ubi__v8_out_number(ubi__v8_out *out, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ubi__v8_out_bytes(out, digits + at, sizeof digits - at);
}

/** Constant text of any length; makes room itself. */
ubi_status ubi__v8_out_text(ubi__v8_out *out, const char *text);
/**
 * A JSON string in quotes; makes room itself. Characters above U+FFFF become two escapes, a lone surrogate one; a byte that
 * is not WTF-8 becomes the four characters \xNN.
 */
ubi_status ubi__v8_out_string(ubi__v8_out *out, ubi_text text);

#endif
