/* SPDX-License-Identifier: MIT
 *
 * inflate.h: decompression behind one call, with two engines.
 *
 * The fast engine (ISA-L) is what every sound file goes through. The exact engine (zlib) delivers, for a damaged or cut
 * file, precisely the bytes that Firefox's reader (protobuf's GzipInputStream over zlib) would see: output is made in
 * blocks of 64 KiB that restart with each member, and a block is delivered only if the inflate call that made it did
 * not fail. After anything but a clean end, readers with the fast engine repeat with the exact one.
 *
 * The fast engine reports all the damage that zlib does, with one exception: a block whose Huffman code is incomplete
 * (no encoder writes one) decodes when it can and the checksum is right. Input of at most 128 KiB always goes through the
 * exact engine.
 *
 * Members follow each other as one stream; gzip and zlib wrappers are distinguished by their first bytes; bytes after the
 * last member are ignored. Input that has neither wrapper passes through unchanged.
 */
#ifndef UBI_BASE_INFLATE_H
#define UBI_BASE_INFLATE_H

#include "base/source.h"

typedef enum ubi__stream_end {
    UBI__END_NOT_YET,
    UBI__END_CLEAN,     /* the input ended where it should, or unrelated bytes follow */
    UBI__END_TRUNCATED, /* the input ended inside a member */
    UBI__END_DAMAGED    /* the compressed data is wrong */
} ubi__stream_end;

#define UBI__INFLATE_BLOCK_BYTES ((size_t)65536)

typedef struct ubi__inflater ubi__inflater;

/**
 * `source` is borrowed. Reads the first bytes to see what it is. `exact` false: the fast engine where it pays.
 */
ubi_status ubi__inflater_new(ubi__inflater **out, ubi__source *source, bool exact, const ubi_allocator *a);
void ubi__inflater_free(ubi__inflater *inflater);
/**
 * Up to `capacity` bytes, at least UBI__INFLATE_BLOCK_BYTES; *n 0 means that the stream has ended.
 * Damage is not a failure: it ends the stream. Fails only with UBI_EIO or UBI_ENOMEM.
 */
ubi_status ubi__inflater_fill(ubi__inflater *inflater, uint8_t *buffer, size_t capacity, size_t *n);

const char *ubi__inflater_compression(const ubi__inflater *inflater); /* "gzip", "zlib", "none" */
bool ubi__inflater_is_exact(const ubi__inflater *inflater);           /* exact engine, or nothing to inflate */
ubi__stream_end ubi__inflater_end(const ubi__inflater *inflater);
/** What is wrong with the compressed data, and where in the input; "" if nothing. */
const char *ubi__inflater_note(const ubi__inflater *inflater);
/** What users can do about it. */
const char *ubi__damage_advice(ubi__stream_end end);
uint64_t ubi__inflater_input_bytes(const ubi__inflater *inflater); /* consumed so far */

/* ---- chunks, made ahead ------------------------------------------------------------------------------------------- */

/*
 * A chunk stays in the cache between the thread that inflates it and the one that reads it. In front of its first byte
 * lie UBI__STREAM_HEADROOM writable bytes, where the reader may put what it left over from the chunk before, so that a
 * record which straddles two chunks is contiguous; after its last byte are UBI__STREAM_PADDING readable zero bytes, so
 * that a decoder may load whole words.
 */

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
