/* SPDX-License-Identifier: MIT
 *
 * record_ring.h: `ubiheap record --every`: profiles of a program that runs for long, the newest of which are kept.
 *
 * What is recorded goes no further than to sums in memory (recording_summary.h): a row for each live sample and for each
 * different stack and size. Every so often they become a profile of pprof, as `ubiheap export` writes it, complete or not there, and the
 * oldest file of the same name is removed when there are too many.
 */
#ifndef UBI_CLI_RECORD_RING_H
#define UBI_CLI_RECORD_RING_H

#include "targets/native/native_record.h"

typedef struct ubi__record_ring ubi__record_ring;

/**
 * Has the settings give what they record to the ring, and to no file.
 * @param name  of the files: NAME.YYYYMMDDTHHMMSSZ.pb.gz; copied. @param keep  how many.
 * Errors: UBI_ENOMEM.
 */
ubi_status ubi__record_ring_start(ubi__record_ring **out, ubi__native_settings *settings, const char *name,
                                  uint64_t every_us, uint64_t keep);
/**
 * A last profile, when something was recorded. NULL is fine.
 * @param n_written  out: how many were written, those that were removed since, too. @param newest  the last one's name; "": none.
 * Errors: of the first one that could not be written.
 */
ubi_status ubi__record_ring_finish(ubi__record_ring *ring, uint64_t *n_written, char newest[4096]);
void ubi__record_ring_free(ubi__record_ring *ring);

#endif
