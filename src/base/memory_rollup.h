/* SPDX-License-Identifier: MIT
 *
 * memory_rollup.h: what of a process is in RAM, as the system counts it: /proc/PID/smaps_rollup.
 */
#ifndef UBI_BASE_MEMORY_ROLLUP_H
#define UBI_BASE_MEMORY_ROLLUP_H

#include "base/server_api.h"

typedef struct ubi__memory_rollup {
    uint64_t resident_bytes;
    uint64_t unique_bytes; /**< of that, what no other process has */
    uint64_t
        anonymous_bytes; /**< of that, what belongs to no file: heaps, stacks, and pages of files that were written to */
} ubi__memory_rollup;

/**
 * @param process  an open folder /proc/PID, which stays that process's when its number is given again.
 * Errors: UBI_EIO (the process has ended, or is another user's; the system has no such file).
 * Cost: a walk over the process's page tables by the system.
 */
ubi_status ubi__memory_rollup_read(ubi__memory_rollup *out, int process);
/** Of this process. */
UBI__SERVER_API ubi_status ubi__memory_rollup_read_own(ubi__memory_rollup *out);

#endif
