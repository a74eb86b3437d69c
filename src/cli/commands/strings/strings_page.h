/* SPDX-License-Identifier: MIT
 *
 * strings_page.h: the strings of a heap as text, and as JSON.
 */
#ifndef UBI_CLI_STRINGS_PAGE_H
#define UBI_CLI_STRINGS_PAGE_H

#include <ubiheap/strings.h>

#include "cli/snapshot.h"

/** What to show; borrowed, all of it. */
typedef struct ubi__strings_answer {
    const ubi_strings *strings;
    const uint32_t *order; /**< order[n]: groups */
    uint32_t n;
    uint32_t n_found; /**< of which n are shown */
    bool duplicates;  /**< only texts that are there more than once */
    bool only_some;   /**< --where or --min-length left some out */
    bool texts_known; /**< false: the file holds no texts */
} ubi__strings_answer;

void ubi__strings_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__strings_answer *answer);
void ubi__strings_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__strings_answer *answer);

#endif
