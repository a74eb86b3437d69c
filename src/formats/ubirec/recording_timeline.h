/* SPDX-License-Identifier: MIT
 *
 * recording_timeline.h: the markers of a recording (.ubirec) as a timeline, with its memory over time.
 *
 * An END is looked for on the thread of its START. A START that did not end, because the program or recording
 * ended first, is a row without an end. Stacks begin at the function that marks; inlined functions are frames of their own,
 * and code without a name is called by its module and address.
 */
#ifndef UBI_FORMATS_UBIREC_RECORDING_TIMELINE_H
#define UBI_FORMATS_UBIREC_RECORDING_TIMELINE_H

#include "base/source.h"
#include "recording/recording_names.h"
#include "timeline/timeline_data.h"

#define UBI__RECORDING_FAULT_BYTES 256

/**
 * Reads a whole file.
 *
 * @param out    initialised and empty: gets rows, what they refer to, the program, and samples: "heapLive", the bytes of heap
 *               that lived (estimates, when sampled), and "resident", resident memory. On failure it may have some.
 * @param fault  out: what is wrong in the file, and where, so that only what comes before is in `out`; "": nothing.
 * @param namer     called when everything is read; NULL: symbols are those of the file.
 * @param progress  or NULL.
 * Errors: UBI_EFORMAT: not even the first record is good; those of the source, UBI_ENOMEM, UBI_ELIMIT, UBI_ECANCELLED; the namer's.
 * Cost: O(records). Memory: the tables of the file, 32 bytes per marker, 24 to 48 per live allocation.
 */
ubi_status ubi__recording_timeline_read(ubi__timeline_data *out, char fault[UBI__RECORDING_FAULT_BYTES],
                                        ubi__source *source, ubi__recording_namer *namer, const ubi_progress *progress,
                                        const ubi_allocator *allocator);

#endif
