/* SPDX-License-Identifier: MIT
 *
 * census_tree_rows.h: some children of one row of a census tree, for those who show a large tree a part at a time.
 */
#ifndef UBI_RENDER_CENSUS_TREE_ROWS_H
#define UBI_RENDER_CENSUS_TREE_ROWS_H

#include <ubiheap/core/census.h>

#include "base/json_writer.h"

typedef enum ubi__census_order_key {
    UBI__CENSUS_ORDER_TREE, /**< as the tree has them: what holds most first */
    UBI__CENSUS_ORDER_BYTES,
    UBI__CENSUS_ORDER_TOTAL_BYTES,
    UBI__CENSUS_ORDER_COUNT,
    UBI__CENSUS_ORDER_TOTAL_COUNT,
    UBI__CENSUS_ORDER_NAME
} ubi__census_order_key;

/** Rows that are equal by it stand as in the tree. */
typedef struct ubi__census_order {
    ubi__census_order_key key;
    bool is_ascending;
} ubi__census_order;

/** Which rows: `most` from the `offset`-th child of `parent` on. */
typedef struct ubi__census_rows {
    ubi_census_node_ix parent;
    uint64_t offset, most;
    ubi__census_order order;
    const ubi_census_node_ix
        *sorted; /**< all children in this order, borrowed; NULL: they are sorted when they are shown */
} ubi__census_rows;

/**
 * "totalBytes", or with the direction in front "-totalBytes" or "+totalBytes"; without one numbers descend and names ascend.
 * NULL: as the tree has them. False: there is no such order.
 */
bool ubi__census_order_parse(ubi__census_order *out, const char *text);
/** The words that it takes, for messages. */
#define UBI__CENSUS_ORDER_WORDS "bytes, totalBytes, count, totalCount or name"

/**
 * All children of a row in an order, which is not the tree's own.
 * @param out  out[n_children]. Errors: UBI_ENOMEM. Cost: O(k log k) for k children.
 */
ubi_status ubi__census_rows_sort(ubi_census_node_ix *out, const ubi_census_tree *tree, ubi_census_node_ix parent,
                                 ubi__census_order order, const ubi_allocator *allocator);

/**
 * An object: the parent, with its numbers and those of the whole tree, and the rows, each with how many children it has.
 * Errors: UBI_ENOMEM. Cost: O(rows) as the tree has them or where they are sorted, else as ubi__census_rows_sort.
 */
ubi_status ubi__render_census_rows(ubi__json *json, const ubi_census_tree *tree, const ubi__census_rows *rows,
                                   const ubi_allocator *allocator);

#endif
