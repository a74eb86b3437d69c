/* SPDX-License-Identifier: MIT
 *
 * node_order.h: nodes of a table, sorted by a column.
 */
#ifndef UBI_QUESTIONS_NODE_ORDER_H
#define UBI_QUESTIONS_NODE_ORDER_H

#include "base/alloc.h"
#include "questions/node_columns.h"

/**
 * Sorts nodes by a prepared column. Nodes without a value come last, equal ones stay in the order given.
 *
 * @param nodes  what to sort, in place; each node at most once.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED. Cost: O(nodes) time and up to 16 bytes per node while sorting; texts also
 * O(kinds log kinds).
 */
ubi_status ubi__node_order_sort(ubi__vec_u32 *nodes, const ubi__node_table *table, const ubi__node_column *column,
                                bool descending);

#endif
