/* SPDX-License-Identifier: MIT
 *
 * paths_page.h: the answers of `ubiheap paths`, as text and as JSON.
 */
#ifndef UBI_CLI_PATHS_PAGE_H
#define UBI_CLI_PATHS_PAGE_H

#include <ubiheap/paths.h>

#include "cli/snapshot.h"

typedef struct ubi__paths_answer {
    ubi__cli *cli;
    const ubi__snapshot *snapshot;
    const ubi_paths *paths;
    uint32_t max_paths;
    uint64_t limit; /**< lines per path, text only; 0: all */
} ubi__paths_answer;

/** Errors: UBI_ENOMEM. */
ubi_status ubi__paths_page(const ubi__paths_answer *answer);
/** Errors: UBI_ENOMEM. */
ubi_status ubi__paths_document(const ubi__paths_answer *answer);

#endif
