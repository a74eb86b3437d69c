/* SPDX-License-Identifier: MIT
 *
 * summary_page.h: a heap by class as text, and as JSON.
 */
#ifndef UBI_CLI_SUMMARY_PAGE_H
#define UBI_CLI_SUMMARY_PAGE_H

#include <ubiheap/summary.h>

#include "cli/commands/summary/summary_choice.h"

/** What to show; borrowed, all of it. */
typedef struct ubi__summary_answer {
    const ubi_summary *summary;
    const ubi__summary_choice *choice;
    const uint32_t *order; /**< order[n]: rows */
    uint32_t n;
    uint32_t n_found;       /**< of which n are shown */
    const char *class_name; /**< of --class: nodes are shown too; NULL: none */
    uint32_t max_members;   /**< of each class; UBI_NONE: all */
    uint64_t total_bytes;   /**< of the whole heap */
} ubi__summary_answer;

/** Errors: UBI_ENOMEM. */
ubi_status ubi__summary_page(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__summary_answer *answer);
ubi_status ubi__summary_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__summary_answer *answer);

/** The nodes of a row to show, in their order; the caller frees nodes[*n], allocated by the default allocator. */
ubi_status ubi__summary_answer_members(ubi_node_ix **nodes, uint32_t *n, const ubi__summary_answer *answer,
                                       const ubi_summary_row *row);

#endif
