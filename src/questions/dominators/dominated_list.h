/* SPDX-License-Identifier: MIT
 *
 * dominated_list.h: what a node dominates immediately, in order and in sum, also where that is a million nodes.
 *
 * Of such nodes the order and the sums are parts of the session: who looks at a long list page by page has it ordered once, as far as
 * it is looked at.
 */
#ifndef UBI_QUESTIONS_DOMINATORS_DOMINATED_LIST_H
#define UBI_QUESTIONS_DOMINATORS_DOMINATED_LIST_H

#include <ubiheap/extension/session.h>

#include "questions/node_rows.h"

/** Nodes that dominate more than this immediately have parts. */
#define UBI__DOMINATED_MANY 4096

/** Whether a node does. O(1). */
bool ubi__dominates_many(const ubi_dominators *dominators, ubi_node_ix node);

/**
 * The first `n` nodes that one dominates immediately, greatest retained size first, as ubi_dominators_largest.
 * @param node  that dominates many, and at least `n`. @param out  borrowed until the use ends.
 * Cost: O(children) when it is asked for the first time, and when more than twice as many are wanted; else O(1). Memory of the session: 4
 * bytes for each of at most four times as many as were wanted. Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__dominated_first(const ubi_node_ix **out, ubi_session_use *use, ubi_node_ix node, uint32_t n);

/** As ubi__dominated_sums_of, in O(1) of a node that dominates many, from the second time on. Errors: the same. */
ubi_status ubi__dominated_sums_get(ubi__dominated_sums *out, ubi_session_use *use, ubi_node_ix node);

#endif
