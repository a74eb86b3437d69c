/* SPDX-License-Identifier: MIT
 *
 * node_card.h: everything about one node, as text and as JSON.
 */
#ifndef UBI_QUESTIONS_NODE_CARD_H
#define UBI_QUESTIONS_NODE_CARD_H

#include <ubiheap/core/census.h>

#include "base/json_writer.h"
#include "questions/show/node_facts.h"
#include "render/page.h"

/** `limit`: edges shown each way; 0: all. */
void ubi__node_card(const ubi__page *page, const ubi__node_facts *facts, uint64_t limit);
/** Members of an open object. `description`: a census of the node to add, or NULL. Errors: UBI_ENOMEM. */
ubi_status ubi__node_document(ubi__json *json, const ubi__node_facts *facts, const ubi_census *description,
                              uint64_t limit);

#endif
