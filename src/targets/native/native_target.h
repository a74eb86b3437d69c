/* SPDX-License-Identifier: MIT
 *
 * native_target.h: processes that are recorded, as live heaps of kind "native". They are looked at from outside: their sizes are the
 * system's, their profiler is their recording (native_profiler.h), and all else that a target may do they cannot.
 *
 * Nothing is asked of the program itself: what others ask of a target runs on one thread here, which all targets of a recording have in
 * common, so that neither the program nor its recorder waits for it.
 *
 *     ubi__native_targets_start(&targets);
 *     ubi__native_target_new(&process, targets, pid);        ubi__native_target_of(process) can be offered
 *     ubi__native_target_end(process, leave, payload);       its process has ended
 *     ubi__native_targets_stop(targets);
 */
#ifndef UBI_TARGETS_NATIVE_TARGET_H
#define UBI_TARGETS_NATIVE_TARGET_H

#include <sys/types.h>

#include <ubiheap/extension/target.h>

#include "recording/recording_names.h"

typedef struct ubi__native_targets ubi__native_targets;
typedef struct ubi__native_target ubi__native_target;

/** Starts the thread. Errors: UBI_EIO, UBI_ENOMEM. */
ubi_status ubi__native_targets_start(ubi__native_targets **out, const ubi_allocator *allocator);
/** What finds names of frames for their profilers; before there are targets. */
void ubi__native_targets_set_namer(ubi__native_targets *targets, ubi__recording_namer *namer);
/** After what was asked for has been done; each target has been ended before. NULL is fine. */
void ubi__native_targets_stop(ubi__native_targets *targets);

/**
 * A process, which has a `/proc/PID` of its own from now on, whatever process gets its number later.
 * Errors: UBI_EIO (there is no such process), UBI_ENOMEM.
 */
ubi_status ubi__native_target_new(ubi__native_target **out, ubi__native_targets *targets, pid_t pid);
/** Any thread. Measuring gives `unattributedSize`, `residentSize` and `residentUniqueSize`. */
ubi_target ubi__native_target_of(ubi__native_target *target);
/**
 * Frees it on the targets' thread, after what was asked for until now and after `leave`, which takes back what it was offered to.
 * Returns at once.
 */
void ubi__native_target_end(ubi__native_target *target, void (*leave)(void *payload, ubi_target target), void *payload);

#endif
