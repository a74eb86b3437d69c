/* SPDX-License-Identifier: MIT
 *
 * node_filter.h: nodes chosen by an expression over their columns.
 */
#ifndef UBI_QUESTIONS_NODE_FILTER_H
#define UBI_QUESTIONS_NODE_FILTER_H

#include "base/alloc.h"
#include "questions/node_columns.h"

typedef struct ubi__node_filter ubi__node_filter;

/**
 * @param text  the expression; its names are those of the columns.
 * Errors: UBI_EINVAL (with the position of the mistake), UBI_ENOMEM.
 */
ubi_status ubi__node_filter_new(ubi__node_filter **out, const char *text);
/** NULL is fine. */
void ubi__node_filter_free(ubi__node_filter *filter);

/**
 * Appends the nodes for which the expression holds, in file order, to `out`, which is of the table's memory; prepares the columns that it needs.
 *
 * @param limit  stop when this many are found; 0: find all.
 * Cost: O(nodes), some nanoseconds per node; text conditions O(kinds). Memory: 4 bytes per node found.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED; what `out` holds then is unspecified.
 */
ubi_status ubi__node_filter_select(ubi__vec_u32 *out, ubi__node_filter *filter, ubi__node_table *table, uint64_t limit);

#endif
