/* SPDX-License-Identifier: MIT
 *
 * node_order.h: the nodes of a table, sorted by a column.
 */
#ifndef UBI_CLI_NODE_ORDER_H
#define UBI_CLI_NODE_ORDER_H

#include "cli/commands/node_columns.h"

/**
 * Sorts all nodes by a prepared column. Nodes without a value come last, equal ones in file order.
 *
 * @param out  owned order[n_nodes]; free with ubi__node_order_free.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED. Cost: O(nodes) time, 24 bytes per node while sorting; texts also O(kinds log kinds).
 */
ubi_status ubi__node_order_new(ubi_node_ix **out, const ubi__node_table *table, const ubi__node_column *column,
                               bool descending, ubi_progress progress);
void ubi__node_order_free(ubi_node_ix *order, const ubi__node_table *table);

#endif
