/* SPDX-License-Identifier: MIT
 *
 * allocations_recording.h: functions of a recording (.ubirec) by what they asked for.
 */
#ifndef UBI_CLI_ALLOCATIONS_RECORDING_H
#define UBI_CLI_ALLOCATIONS_RECORDING_H

#include "cli/command.h"

/** What is asked for; borrowed. */
typedef struct ubi__allocations_wishes {
    const char *by;         /**< "leaked", ...; NULL: what matters most */
    uint64_t limit;         /**< functions at most; 0: all */
    uint32_t caller_levels; /**< levels of callers below each function */
    bool with_callees;      /**< sums are with what was called */
} ubi__allocations_wishes;

/** The whole of `ubiheap allocations` on a recording. */
ubi_status ubi__allocations_of_recording(ubi__cli *cli, const char *path, const ubi__allocations_wishes *wishes,
                                         int *exit_code);

#endif
