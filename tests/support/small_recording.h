/* SPDX-License-Identifier: MIT
 *
 * small_recording.h: recordings of a few stacks and allocations, made in memory, and what they amount to. For cmocka tests.
 */
#ifndef UBI_TESTS_SMALL_RECORDING_H
#define UBI_TESTS_SMALL_RECORDING_H

#include "packing.h"
#include "recording/recording_summary.h"
#include "recording/ubirec_writer.h"

typedef struct recording {
    bytes file;
    ubi__ubirec_writer *w;
    uint32_t heap, mapping; /* kinds */
} recording;

/** Fails the test with the error's message. */
void must(ubi_status status);
void open_recording(recording *r, uint64_t period_bytes, unsigned n_threads);
/** Writes the rest into `file`; the writer is gone. */
void finish_recording(recording *r);
/** The same, and reads it. */
void close_recording(recording *r, ubi__recording_summary *s);
/** A stack by labels, outermost first, with blanks between. */
uint32_t stack(recording *r, const char *labels);
/** Its number. */
uint64_t allocate(recording *r, uint32_t kind, uint64_t size_bytes, uint32_t trace);
/** The file of one of several processes that were recorded together: `size_bytes` are allocated in main() of this pid, and not freed. */
void write_process_recording(const char *path, uint64_t pid, uint64_t size_bytes);

#endif
