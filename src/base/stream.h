/* SPDX-License-Identifier: MIT
 *
 * stream.h: inflated input as a sequence of chunks, made ahead on a helper thread.
 *
 * A chunk stays in the cache between the thread that inflates it and the one that reads it. In front of its first byte
 * lie UBI__STREAM_HEADROOM writable bytes, where the reader may put what it left over from the chunk before, so that a
 * record which straddles two chunks is contiguous; after its last byte are UBI__STREAM_PADDING readable zero bytes, so
 * that a decoder may load whole words.
 */
#ifndef UBI_BASE_STREAM_H
#define UBI_BASE_STREAM_H

#include "base/inflate.h"

#define UBI__STREAM_CHUNK_BYTES ((size_t)256 << 10)
#define UBI__STREAM_HEADROOM ((size_t)16 << 10)
#define UBI__STREAM_PADDING ((size_t)64)

typedef struct ubi__stream ubi__stream;

/** `source` is borrowed. Everything happens in ubi__stream_next until ubi__stream_run_ahead. `exact`: inflate.h. */
ubi_status ubi__stream_new(ubi__stream **out, ubi__source *source, unsigned threads, bool exact,
                           const ubi_allocator *a);
/** From here on chunks are made ahead, on a helper thread; nothing with one thread. */
void ubi__stream_run_ahead(ubi__stream *s);
/** Stops the helper and frees. Waits until it has read what it waits for. */
void ubi__stream_free(ubi__stream *s);
/** Next chunk, borrowed until the next call; *n 0 at the end, however often it is asked for. */
ubi_status ubi__stream_next(ubi__stream *s, uint8_t **data, size_t *n);

/* About the stream. How it ended is known once a chunk of 0 bytes was seen; before, it is NOT_YET and "". */
const char *ubi__stream_compression(const ubi__stream *s);
bool ubi__stream_is_exact(const ubi__stream *s);
ubi__stream_end ubi__stream_end_of(const ubi__stream *s);
const char *ubi__stream_note(const ubi__stream *s);
uint64_t ubi__stream_input_bytes(ubi__stream *s);

#endif
