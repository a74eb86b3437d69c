/* SPDX-License-Identifier: MIT
 *
 * census_tree_rows.c: see census_tree_rows.h.
 */
#include "render/census_tree_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/merge_sort.h"
#include "base/status.h"
#include "base/text.h"
#include "render/result_json.h"

/* ---- orders -------------------------------------------------------------------------------------------------------- */

bool ubi__census_order_parse(ubi__census_order *out, const char *text) {
    static const char *const words[] = { "", "bytes", "totalBytes", "count", "totalCount", "name" };
    *out = (ubi__census_order){ UBI__CENSUS_ORDER_TREE, false };
    if (!text)
        return true;
    bool has_sign = *text == '-' || *text == '+';
    for (ubi__census_order_key key = UBI__CENSUS_ORDER_BYTES; key <= UBI__CENSUS_ORDER_NAME; key++)
        if (strcmp(text + has_sign, words[key]) == 0) {
            *out = (ubi__census_order){ key, has_sign ? *text == '+' : key == UBI__CENSUS_ORDER_NAME };
            return true;
        }
    return false;
}

/* What a row is sorted by. */
typedef struct sorted_row {
    ubi_census_node_ix node;
    int64_t number;
    ubi_text name; /* of a frame its function */
} sorted_row;

static int64_t number_of(const ubi_census_node *node, ubi__census_order_key key) {
    switch (key) {
    case UBI__CENSUS_ORDER_BYTES:
        return node->bytes;
    case UBI__CENSUS_ORDER_TOTAL_BYTES:
        return node->total_bytes;
    case UBI__CENSUS_ORDER_COUNT:
        return node->count;
    case UBI__CENSUS_ORDER_TOTAL_COUNT:
        return node->total_count;
    default:
        return 0;
    }
}

static ubi_text name_of(const ubi_census_node *node) {
    ubi_frame frame;
    if (node->name_type != UBI_CENSUS_NAME_FRAME)
        return node->name;
    ubi_stack_frame(node->frame, &frame);
    return frame.function_name.ptr ? frame.function_name : frame.source;
}

static sorted_row sorted_row_of(const ubi_census_tree *tree, ubi_census_node_ix ix, ubi__census_order_key key) {
    ubi_census_node node;
    ubi_census_tree_node(tree, ix, &node);
    return (sorted_row){ ix, number_of(&node, key), name_of(&node) };
}

static bool sorted_row_before(ubi__census_order order, sorted_row a, sorted_row b) {
    if (!order.is_ascending) {
        sorted_row swap = a;
        a = b;
        b = swap;
    }
    if (order.key == UBI__CENSUS_ORDER_NAME)
        return ubi__text_compare(a.name, b.name) < 0;
    return a.number < b.number;
}

UBI_SORT_DEFINE(sorted_rows_sort, sorted_row, ubi__census_order, sorted_row_before);

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

static void row_put(ubi__json *json, const ubi_census_tree *tree, ubi_census_node_ix ix) {
    ubi_census_node node;
    ubi_census_tree_node(tree, ix, &node);
    ubi__render_census_node_begin(json, &node);
    ubi__json_member_u64(json, "childCount", node.n_children);
    ubi__json_object_end(json);
}

static void rows_put(ubi__json *json, const ubi_census_tree *tree, const ubi__census_rows *rows,
                     const ubi_census_node_ix *children, uint64_t n_children) {
    uint64_t first = ubi__smaller(rows->offset, n_children);
    uint64_t end = first + ubi__smaller(rows->most, n_children - first);
    ubi__json_member_array(json, "rows");
    for (uint64_t i = first; i < end && !json->has_failed; i++)
        row_put(json, tree, children[i]);
    ubi__json_array_end(json);
}

ubi_status ubi__census_rows_sort(ubi_census_node_ix *out, const ubi_census_tree *tree, ubi_census_node_ix parent,
                                 ubi__census_order order, const ubi_allocator *allocator) {
    ubi_census_node row;
    ubi_census_tree_node(tree, parent, &row);
    size_t n = row.n_children;
    sorted_row *sorted = ubi__alloc_array(allocator, 2 * n, sizeof *sorted);
    if (n && !sorted)
        return ubi__fail_nomem();
    for (size_t i = 0; i < n; i++)
        sorted[i] = sorted_row_of(tree, row.children[i], order.key);
    sorted_rows_sort(sorted, sorted + n, n, order);
    for (size_t i = 0; i < n; i++)
        out[i] = sorted[i].node;
    ubi__free_array(allocator, sorted, 2 * n, sizeof *sorted);
    return UBI_OK;
}

static ubi_status rows_put_sorted(ubi__json *json, const ubi_census_tree *tree, const ubi__census_rows *rows,
                                  uint64_t n_children, const ubi_allocator *allocator) {
    ubi_census_node_ix *sorted = ubi__alloc_array(allocator, n_children, sizeof *sorted);
    if (!sorted)
        return ubi__fail_nomem();
    ubi_status status = ubi__census_rows_sort(sorted, tree, rows->parent, rows->order, allocator);
    if (status == UBI_OK)
        rows_put(json, tree, rows, sorted, n_children);
    ubi__free_array(allocator, sorted, n_children, sizeof *sorted);
    return status;
}

ubi_status ubi__render_census_rows(ubi__json *json, const ubi_census_tree *tree, const ubi__census_rows *rows,
                                   const ubi_allocator *allocator) {
    ubi_census_node root, parent;
    ubi_status status = UBI_OK;
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &root);
    ubi_census_tree_node(tree, rows->parent, &parent);
    ubi__json_object_begin(json);
    ubi__json_member_i64(json, "totalBytes", root.total_bytes);
    ubi__json_member_i64(json, "totalCount", root.total_count);
    ubi__json_key(json, "parent");
    row_put(json, tree, rows->parent);
    ubi__json_member_u64(json, "offset", rows->offset);
    if (rows->order.key == UBI__CENSUS_ORDER_TREE || !parent.n_children)
        rows_put(json, tree, rows, parent.children, parent.n_children);
    else if (rows->sorted)
        rows_put(json, tree, rows, rows->sorted, parent.n_children);
    else
        status = rows_put_sorted(json, tree, rows, parent.n_children, allocator);
    ubi__json_object_end(json);
    return status;
}
