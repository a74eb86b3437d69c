/* SPDX-License-Identifier: MIT
 *
 * statistics_page.h: what a heap consists of, as text and as JSON.
 */
#ifndef UBI_CLI_STATISTICS_PAGE_H
#define UBI_CLI_STATISTICS_PAGE_H

#include <ubiheap/native_contexts.h>
#include <ubiheap/statistics.h>

#include "cli/snapshot.h"

typedef struct ubi__statistics_answer {
    ubi_statistics statistics;
    const ubi_native_contexts *contexts; /**< borrowed */
    const ubi_dominators *dominators;    /**< borrowed; for text NULL unless there are several contexts */
} ubi__statistics_answer;

void ubi__statistics_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__statistics_answer *answer);
void ubi__statistics_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__statistics_answer *answer);

#endif
