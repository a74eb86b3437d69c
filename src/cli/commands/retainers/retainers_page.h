/* SPDX-License-Identifier: MIT
 *
 * retainers_page.h: who retains a node, as text and as JSON.
 */
#ifndef UBI_CLI_RETAINERS_PAGE_H
#define UBI_CLI_RETAINERS_PAGE_H

#include <ubiheap/retaining.h>

#include "cli/object_rows.h"
#include "cli/snapshot.h"

typedef struct ubi__retainers_answer {
    ubi__cli *cli;
    const ubi__snapshot *snapshot;
    const ubi_retaining *retaining;
    const ubi_retaining_tree *tree;
    const ubi_dominators *dominators;
    const ubi_node_ix *ignored; /**< ignored[n_ignored] */
    uint32_t n_ignored;
    ubi_node_ix node;
} ubi__retainers_answer;

/** Errors: UBI_ENOMEM. */
ubi_status ubi__retainers_page(const ubi__retainers_answer *answer);
/** Errors: UBI_ENOMEM. */
ubi_status ubi__retainers_document(const ubi__retainers_answer *answer);

/** A distance as rows show it: UBI_NONE where nothing is within reach. */
static inline uint32_t ubi__retainers_distance(uint64_t distance) {
    return distance >= UBI_RETAINING_UNREACHABLE ? UBI_NONE : (uint32_t)distance;
}

#endif
