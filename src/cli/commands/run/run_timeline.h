/* SPDX-License-Identifier: MIT
 *
 * run_timeline.h: the file of --timeline: what the program, its workers and the tools did, written while it runs.
 *
 * One target is observed, which belongs to the main thread: that thread alone pulls. Workers' markers come to it as those of
 * all threads do, and pair per thread. Format: docs/formats/timeline.md.
 */
#ifndef UBI_CLI_RUN_TIMELINE_H
#define UBI_CLI_RUN_TIMELINE_H

#include <stdatomic.h>

#include "formats/timeline/timeline_write.h"
#include "targets/script_runner.h"

/** All zero: no file. */
typedef struct ubi__run_timeline {
    ubi__timeline_writer *writer; /**< NULL: no file, or closed */
    ubi_timeline_target *target;
    ubi_timeline_front *front;
    atomic_ullong heap_bytes; /**< of all runtimes */
    uint64_t markers, lost;   /**< reported so far */
} ubi__run_timeline;

/** Creates the file and begins to observe. The main thread, as all but join, measure and leave. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__run_timeline_open(ubi__run_timeline *timeline, const char *path, const char *script);
/** A runtime is on this timeline from now on. Its thread. Errors: UBI_ENOMEM. */
ubi_status ubi__run_timeline_join(ubi__run_timeline *timeline, const ubi__script_runtime *runtime);
/** What its heap holds now; *last is what was said before, 0 at first. Its thread. Cheap. */
void ubi__run_timeline_measure(ubi__run_timeline *timeline, uint64_t heap_bytes, uint64_t *last);
/** How many microseconds from now the next pull is due. */
uint64_t ubi__run_timeline_due_us(const ubi__run_timeline *timeline);
/** Writes what there is. Failures are reported at the end. */
void ubi__run_timeline_pull(ubi__run_timeline *timeline);
/** The last pull, and the end of the file. Errors: UBI_EIO, UBI_ENOMEM, also of before: something is missing. */
ubi_status ubi__run_timeline_close(ubi__run_timeline *timeline);

#endif
