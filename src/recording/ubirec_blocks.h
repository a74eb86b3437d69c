/* SPDX-License-Identifier: MIT
 *
 * ubirec_blocks.h: the blocks of a recording file, one after the other: read, compared with their sums, and inflated.
 *
 * With a second thread, it does this with the next block while the caller takes the records of one apart.
 * Memory: 0.6 MiB, with a second thread 0.9 MiB.
 */
#ifndef UBI_RECORDING_UBIREC_BLOCKS_H
#define UBI_RECORDING_UBIREC_BLOCKS_H

#include "base/source.h"
#include "recording/ubirec_layout.h"

typedef struct ubi__ubirec_blocks ubi__ubirec_blocks;

/** What came next. */
typedef struct ubi__ubirec_block {
    const uint8_t *records; /* records[n], borrowed until the next one; NULL: a block of another type, or the end */
    size_t n;
    uint64_t at, end;    /* in the source: where it begins, and what was read after it */
    uint64_t torn_bytes; /* at the end: those of an unfinished block, which are ignored */
    bool is_end;
} ubi__ubirec_block;

/** Reads the header of the file. @param source  borrowed. Errors: UBI_EFORMAT, UBI_ENOMEM, those of the source. */
ubi_status ubi__ubirec_blocks_new(ubi__ubirec_blocks **out, ubi__source *source, const ubi_allocator *allocator);
/** NULL is fine. */
void ubi__ubirec_blocks_free(ubi__ubirec_blocks *b);
/** Before anything is read: the next block begins at this byte. Errors: UBI_EINVAL (the source cannot be read from there). */
ubi_status ubi__ubirec_blocks_go(ubi__ubirec_blocks *b, uint64_t position);
/**
 * From now on blocks are read ahead, if `threads` is 2 or more, and the system has a thread and memory for it. Not of a source
 * that calls back, whose owner may count on the thread; nor where what comes is to be seen at once.
 */
void ubi__ubirec_blocks_read_ahead(ubi__ubirec_blocks *b, unsigned threads);
/** After the end, it may be called again when the source has more. Errors: as ubi__ubirec_blocks_new; `out` has how far it came. */
ubi_status ubi__ubirec_blocks_next(ubi__ubirec_blocks *b, ubi__ubirec_block *out);

#endif
