/* SPDX-License-Identifier: MIT
 *
 * jsonl_out.h: bytes on their way to a file of JSON lines.
 *
 * A fixed buffer. Short things are added into room that was reserved, texts of any length are put. Progress is told and
 * cancelling asked for whenever the buffer is emptied.
 */
#ifndef UBI_FORMATS_JSONL_OUT_H
#define UBI_FORMATS_JSONL_OUT_H

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/deflate.h"

#define UBI__JSONL_BUFFER_BYTES ((size_t)64 * 1024)

typedef struct ubi__jsonl_out {
    ubi__write_fn write;
    void *payload;
    ubi_progress progress;
    uint64_t n_done, n_total; /* nodes */
    uint64_t n_written;       /* bytes */
    uint8_t *buffer;          /* buffer[UBI__JSONL_BUFFER_BYTES] */
    size_t n;
} ubi__jsonl_out;

ubi_status ubi__jsonl_out_init(ubi__jsonl_out *out, const ubi_allocator *a);
void ubi__jsonl_out_fini(ubi__jsonl_out *out, const ubi_allocator *a);

/** Writes what is there. Errors: UBI_ECANCELLED, or those of `write`. */
ubi_status ubi__jsonl_drain(ubi__jsonl_out *out);

/** Makes room for n bytes, at most the buffer's. */
static inline ubi_status ubi__jsonl_reserve(ubi__jsonl_out *out, size_t n) {
    UBI_ASSERT(n <= UBI__JSONL_BUFFER_BYTES && out->n <= UBI__JSONL_BUFFER_BYTES);
    return ubi__likely(UBI__JSONL_BUFFER_BYTES - out->n >= n) ? UBI_OK : ubi__jsonl_drain(out);
}

/* The next four write into room that was reserved; a number takes at most 32 bytes. */

static inline void ubi__jsonl_add(ubi__jsonl_out *out, const char *text, size_t n) {
    UBI_ASSERT(n <= UBI__JSONL_BUFFER_BYTES - out->n);
    memcpy(out->buffer + out->n, text, n);
    out->n += n;
}

void ubi__jsonl_add_digits(ubi__jsonl_out *out, uint64_t value);
/** A string of digits when no double holds it. */
void ubi__jsonl_add_id(ubi__jsonl_out *out, uint64_t id);
/** The double nearest to it. */
void ubi__jsonl_add_size(ubi__jsonl_out *out, uint64_t size_bytes);

/** Text of any length, into room that need not be reserved. */
ubi_status ubi__jsonl_put(ubi__jsonl_out *out, ubi_text text);

#endif
