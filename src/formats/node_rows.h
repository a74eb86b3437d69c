/* SPDX-License-Identifier: MIT
 *
 * node_rows.h: what readers keep beside a graph of some of its nodes: rows in ascending order of their nodes.
 */
#ifndef UBI_FORMATS_NODE_ROWS_H
#define UBI_FORMATS_NODE_ROWS_H

#include "base/assert.h"
#include "graph/graph_columns.h"

/**
 * The first row of the node, or NULL. Cost: O(log n).
 * @param rows  n of them, ascending; the first member of each is its ubi_node_ix.
 */
static inline const void *ubi__node_row_find(const void *rows, size_t n, size_t row_bytes, ubi_node_ix node) {
    const char *at = rows;
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const ubi_node_ix *)(const void *)(at + middle * row_bytes) < node)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n) /* there may be no rows at all */
        return NULL;
    const void *row = at + low * row_bytes;
    return *(const ubi_node_ix *)row == node ? row : NULL;
}

#define UBI__NODE_ROW_FIND(rows, node) ubi__node_row_find((rows)->at, (rows)->n, sizeof *(rows)->at, node)

#endif
