/* SPDX-License-Identifier: MIT
 *
 * ubirec_copy.h: a recording rewritten, record by record: with other texts, to be shown to others; or a part of one that is being made.
 *
 * Everything that is counted stays as it is, in that part: events and their order, times since the process began, sizes, stacks, symbols and
 * their lines. Records that this version does not know are left out, since their content is unknown.
 */
#ifndef UBI_FORMATS_UBIREC_UBIREC_COPY_H
#define UBI_FORMATS_UBIREC_UBIREC_COPY_H

#include <ubiheap/core/formats.h>

#include "base/deflate.h"
#include "base/source.h"
#include "formats/ubirec/recording_timeline.h"

#define UBI__RECORDING_COPY_DAY UINT64_MAX

/** A part: allocations from one on, with what became of them, until a place of the file. It is of this process alone. */
typedef struct ubi__recording_part {
    uint64_t first_allocation, first_ns; /* number of the first one; what was measured earlier is left out */
    uint64_t end_bytes, end_ns;          /* where a block ends, and when that was; 0, 0: at the end of the file */
} ubi__recording_part;

typedef struct ubi__recording_copy {
    ubi_text_map_fn map_text; /* in: what replaces each text; NULL: they stay */
    void *map_text_payload;
    /* in: by how much the process is said to have begun earlier than it did; or UBI__RECORDING_COPY_DAY: at the begin of its day */
    uint64_t earlier_ns;
    uint64_t recording; /* in: number that the files of processes recorded together have in common; 0: of one alone */
    ubi__recording_namer *namer;     /* in: finds symbols that the file lacks, impossible from a copy; NULL: none */
    ubi_progress progress;           /* in */
    const ubi__recording_part *part; /* in: what is copied; NULL: all */

    uint64_t input_bytes, output_bytes;     /* out */
    uint64_t n_allocations;                 /* out */
    uint64_t torn_bytes;                    /* out: of an unfinished block at the end of the input */
    char fault[UBI__RECORDING_FAULT_BYTES]; /* out: what is wrong in the input, after which nothing was read; "" */
} ubi__recording_copy;

/**
 * @param allocator  or NULL.
 * Errors: UBI_EFORMAT: not even the first record is good; those of the source, of `write`, map_text and namer; UBI_ENOMEM, UBI_ELIMIT,
 * UBI_ECANCELLED. What was written then is useless.
 * Cost: O(records). Memory: 1.7 MiB and the tables of the file (ubirec_tables.h) twice; nothing for events.
 */
ubi_status ubi__recording_copy_write(ubi__recording_copy *copy, ubi__source *source, ubi__write_fn write, void *payload,
                                     const ubi_allocator *allocator);

#endif
