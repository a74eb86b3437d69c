/* SPDX-License-Identifier: MIT
 *
 * node_card.h: everything about one node, as text and as JSON.
 */
#ifndef UBI_CLI_NODE_CARD_H
#define UBI_CLI_NODE_CARD_H

#include <ubiheap/core/census.h>

#include "cli/cli_files.h"
#include "cli/commands/show/node_facts.h"

/** `limit`: edges shown each way; 0: all. */
void ubi__node_card(ubi__cli *cli, const ubi__node_facts *facts, uint64_t limit);
/** `description`: a census of the node to add, or NULL. Errors: UBI_ENOMEM. */
ubi_status ubi__node_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__node_facts *facts,
                              const ubi_census *description, uint64_t limit);

#endif
