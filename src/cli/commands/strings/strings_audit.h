/* SPDX-License-Identifier: MIT
 *
 * strings_audit.h: `ubiheap strings --audit`: which words a file still has, before you share it.
 */
#ifndef UBI_CLI_STRINGS_AUDIT_H
#define UBI_CLI_STRINGS_AUDIT_H

#include "cli/command.h"

/** What was asked for. */
typedef struct ubi__audit_wishes {
    bool with_all;       /**< also words of engines and libraries */
    uint64_t limit;      /**< words that are listed; 0: all */
    const char *fail_on; /**< condition, or NULL */
} ubi__audit_wishes;

/** Of a snapshot, a timeline, or a recording with those of the processes that were recorded together. */
ubi_status ubi__strings_audit(ubi__cli *cli, const char *path, const ubi__audit_wishes *wishes, int *exit_code);

#endif
