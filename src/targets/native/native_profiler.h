/* SPDX-License-Identifier: MIT
 *
 * native_profiler.h: the memory profiler of a process that is recorded (ubiheap/extension/target_profiler.h): its recording is started and
 * stopped, and results are read, as `ubiheap control` does it, for clients of the remote protocol.
 */
#ifndef UBI_TARGETS_NATIVE_PROFILER_H
#define UBI_TARGETS_NATIVE_PROFILER_H

#include <sys/types.h>

#include <ubiheap/extension/target_profiler.h>

#include "recording/recording_names.h"

/** What those who open the profiler of a process share: who has started it. */
typedef struct ubi__native_share {
    pid_t pid;
    const ubi_allocator *allocator;
    ubi__recording_namer *namer; /* of frames; NULL: they stay modules and addresses */
    uint32_t generation;         /* how often it was stopped: starts of before are void */
    uint32_t n_starters;         /* who has started it since then, and is there still */
} ubi__native_share;

/** One who has begun to record, or has not. */
typedef struct ubi__native_starter {
    ubi__native_share *share;
    uint32_t generation;
    bool has_started; /* in that generation */
} ubi__native_starter;

/** Records from now on; nothing when it does. Errors: those of ubi__control_ask. */
ubi_status ubi__native_starter_start(ubi__native_starter *starter);
/** For all. */
void ubi__native_starter_stop(ubi__native_starter *starter);
/** Leaves: it is stopped when this was the last of those that have started it. */
void ubi__native_starter_leave(ubi__native_starter *starter);

/** @param share  borrowed until it is closed. Errors: UBI_EMISMATCH (a scope was given), UBI_ENOMEM. */
ubi_status ubi__native_profiler_open(ubi_target_profiler *out, ubi__native_share *share, const ubi_target_scope *scope);

#endif
