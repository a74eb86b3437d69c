/* SPDX-License-Identifier: MIT
 *
 * allocations_page.h: who allocated, and when, as text and as JSON.
 */
#ifndef UBI_CLI_ALLOCATIONS_PAGE_H
#define UBI_CLI_ALLOCATIONS_PAGE_H

#include <ubiheap/allocations.h>

#include "cli/snapshot.h"

/** What to show; borrowed. */
typedef struct ubi__allocations_answer {
    const ubi_allocations *allocations;
    uint64_t limit;         /**< functions at most; 0: all */
    uint32_t caller_levels; /**< levels of callers below each function */
    bool timeline;          /**< spans of time, not functions */
} ubi__allocations_answer;

/** Errors: UBI_ENOMEM. Both. */
ubi_status ubi__allocations_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__allocations_answer *answer);
ubi_status ubi__allocations_document(ubi__cli *cli, const ubi__snapshot *snapshot,
                                     const ubi__allocations_answer *answer);

#endif
