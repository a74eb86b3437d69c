/* SPDX-License-Identifier: MIT
 *
 * recording_parts.h: the parts of recordings and timelines, for questions about them.
 *
 * All are immutable and borrowed until the use ends, as those of heaps (ubiheap/extension/session.h), and have the same errors; in a
 * session of another kind they are UBI_EFORMAT. What a file has in front of a fault is read, and the fault said.
 */
#ifndef UBI_SESSION_RECORDING_PARTS_H
#define UBI_SESSION_RECORDING_PARTS_H

#include "formats/timeline/timeline_read.h"
#include "recording/recording_processes.h"
#include "session/part.h"

/** What a program did when: a timeline, or the markers of a recording. */
typedef struct ubi__session_timeline {
    ubi__timeline_file file;            /**< of a recording, has no generator, and is not compressed */
    ubi__recording_processes processes; /**< that were recorded with it, of which the file has the first one; or none */
    const ubi_allocator *allocator;
} ubi__session_timeline;

/** Of a timeline or a recording. */
ubi_status ubi__session_timeline_get(const ubi__session_timeline **out, ubi_session_use *use);

#endif
