/* SPDX-License-Identifier: MIT
 *
 * run_log.h: the file of --allocation-log: lines of JSON, one per allocation.
 *
 * Written as the script runs; memory does not grow with it. Format: docs/formats/allocation-log.md.
 */
#ifndef UBI_CLI_RUN_LOG_H
#define UBI_CLI_RUN_LOG_H

#include "base/alloc.h"
#include "base/json_writer.h"
#include "render/display.h"
#include "tracking/observer.h"

#define UBI__RUN_LOG_STACKS 64

/** A stack as written in the file. */
typedef struct ubi__run_log_stack {
    bool is_known;
    uint64_t ref;
    ubi__vec_u8 json;
} ubi__run_log_stack;

/** All zero: no file. */
typedef struct ubi__run_log {
    ubi__out *out; /**< NULL: no file, or closed */
    int fd;
    int error; /**< errno of the first refused write */
    uint64_t entries;
    bool has_lost_some; /**< some allocations are missing */
    /** Those of the current drain, by ref: the same few places allocate most. Later ones may reuse the numbers. */
    ubi__run_log_stack stacks[UBI__RUN_LOG_STACKS];
} ubi__run_log;

/** Creates the file. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__run_log_open(ubi__run_log *log, const char *path, const char *script, double probability);
/** Writes and forgets what an observer has logged. */
void ubi__run_log_drain(ubi__run_log *log, ubi__observer *observer, unsigned worker);
/** Writes what is held back. */
void ubi__run_log_flush(ubi__run_log *log);
/** The last line. Errors: UBI_EIO, when any write was refused. Nothing is written any more. */
ubi_status ubi__run_log_close(ubi__run_log *log);

#endif
