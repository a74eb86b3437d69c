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
 * Members follow each other as one stream; gzip and zlib wrappers are told apart by their first bytes; bytes after the
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

#endif
