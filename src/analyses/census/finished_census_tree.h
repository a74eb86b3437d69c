/* SPDX-License-Identifier: MIT
 *
 * finished_census_tree.h: what a census tree is made of, for the files that make one.
 *
 * A *whole* tree has its rows itself. A *filtered* tree has the numbers of those rows of a whole one that are left, and what is
 * different about them: ids and children. So a filter costs 20 bytes for each row that is left.
 */
#ifndef UBI_FINISHED_CENSUS_TREE_H
#define UBI_FINISHED_CENSUS_TREE_H

#include "analyses/census/census_tree.h"

typedef struct ubi__final_row {
    uint32_t name;
    uint32_t id, parent_id; /* 0: none */
    bool has_children;
    ubi_census_node_ix first_child;
    uint32_t n_children;
    uint32_t n_leaves;
    uint64_t first_leaf; /* in leaf_indices */
    int64_t bytes, total_bytes, count, total_count;
} ubi__final_row;

/** A row that a filter leaves. */
typedef struct ubi__filtered_row {
    ubi_census_node_ix source; /* the row of the whole tree that it is */
    uint32_t id, parent_id;
    ubi_census_node_ix first_child; /* its children end where those of the next row begin */
} ubi__filtered_row;

UBI_VEC_DECLARE(ubi__vec_final_row, ubi__final_row);
UBI_VEC_DECLARE(ubi__vec_filtered_row, ubi__filtered_row);

struct ubi_census_tree {
    const ubi_allocator *allocator;
    ubi__vec_u32 by_id;     /* row of the i-th id; UBI_NONE: it was a row of an earlier phase */
    uint32_t n_earlier_ids; /* that are no ids of this tree */
    /* Whole: */
    ubi__vec_final_row rows; /* [0] is the root */
    ubi__vec_u32 numbers;    /* 0 .. rows.n - 1 */
    ubi__vec_u32 leaf_indices;
    ubi__vec_tree_name names; /* the builder's */
    bool is_inverted;
    /* Filtered: */
    const ubi_census_tree *whole; /* NULL: this is one. Borrowed, or: */
    ubi_census_tree *owned_whole; /* the same, or NULL */
    ubi__vec_filtered_row
        filtered; /* [0] is the root; the last one is no row, and ends the children of the one before */
};

#endif
