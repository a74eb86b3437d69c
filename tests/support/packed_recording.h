/* SPDX-License-Identifier: MIT
 *
 * packed_recording.h: a recording and its places as the bytes of an index, and back, without sessions and files.
 */
#ifndef UBI_TESTS_PACKED_RECORDING_H
#define UBI_TESTS_PACKED_RECORDING_H

#include "packed_heap.h"
#include "recording/recording_sites.h"

typedef struct packed_recording {
    ubi__column_file *file; /* NULL: not (yet) */
    ubi__column_memory memory;
    ubi__recording_summary summary;
    ubi__sites sites;
} packed_recording;

/** @param sites  of the summary. Errors: those of writing, UBI_ENOMEM. */
ubi_status recording_pack(packed_bytes *out, const ubi__recording_summary *summary, const ubi__sites *sites,
                          const ubi_allocator *allocator);
/** Reads all of it. Undone by recording_release, after a failure as well. */
ubi_status recording_unpack(packed_recording *out, packed_bytes bytes, const ubi_allocator *allocator);
void recording_release(packed_recording *recording);
/** Asks for each string, frame, stack, info, thread, marker, sum and place once. The sum of all answers. */
double packed_recording_visit(const packed_recording *recording);

#endif
