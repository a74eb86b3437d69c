/* SPDX-License-Identifier: MIT
 *
 * native_log.h: allocations of a process that is recorded, as they come, for observers (ubiheap/extension/target.h): what its recording's file
 * gets is read once, for all observers.
 *
 * The recorder is asked for the file each time (native_control.h), and what is new in it is read. An entry is an allocation on the heap; of a
 * sampled recording it is a sample, and its size is what that stands for. Its stack is that of the file, with inlined functions, and names
 * that are looked up as frames come. The clock counts from the start of that process.
 */
#ifndef UBI_TARGETS_NATIVE_LOG_H
#define UBI_TARGETS_NATIVE_LOG_H

#include <ubiheap/extension/target.h>

#include "targets/native/native_profiler.h"

typedef struct ubi__native_log ubi__native_log;

/** @param share  borrowed. Errors: UBI_ENOMEM. Opens nothing yet. */
ubi_status ubi__native_log_new(ubi__native_log **out, ubi__native_share *share);
/** After its observers. Stacks that were handed over are void. NULL is fine. */
void ubi__native_log_free(ubi__native_log *log);
/**
 * An observer. While one tracks, the process is recorded.
 * Errors: UBI_EMISMATCH (a scope was given), UBI_ENOMEM.
 */
ubi_status ubi__native_log_observe(ubi_target_observer *out, ubi__native_log *log, const ubi_target_scope *scope);

#endif
