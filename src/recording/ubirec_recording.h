/* SPDX-License-Identifier: MIT
 *
 * ubirec_recording.h: a recording file as the tables of names, traces and events that nsIMemoryProfiler gives.
 *
 * A name is a function and its position, "parse (/src/parse.c:31:7)", or module and address where nothing else is known;
 * inlined functions have traces of their own. Mappings are left out, for those tables are of the heap.
 *
 * For programs, as ubi_recording_open. A file of which not even the first record is good is none; else what comes before a fault counts.
 */
#ifndef UBI_RECORDING_UBIREC_RECORDING_H
#define UBI_RECORDING_UBIREC_RECORDING_H

#include "base/source.h"
#include "recording/recording.h"

/**
 * @param out  the caller's, to be given to ubi__recording_fini. Untouched on failure.
 * A file with several sampling periods has the first.
 * Errors: those of ubirec_reader.h, UBI_ENOMEM, UBI_ELIMIT. Cost: O(records), and the names of each trace are put together once.
 */
ubi_status ubi__recording_read(ubi__recording *out, ubi__source *source, const ubi_allocator *allocator);

#endif
