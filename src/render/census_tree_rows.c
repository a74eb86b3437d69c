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

/* What a row is sorted by: a number; or a name, whose beginning decides nearly always, so that the text is hardly ever looked at. */
typedef struct sorted_row {
    ubi_census_node_ix node;
    union {
        int64_t number;
        uint64_t beginning[2]; /* 16 bytes, the first one highest, 0 behind its end */
    };
} sorted_row;

typedef struct sorting {
    const ubi_census_tree *tree;
    ubi__census_order order;
} sorting;

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

/* Of a frame its function. */
static ubi_text name_of(const ubi_census_tree *tree, ubi_census_node_ix ix) {
    ubi_census_node node;
    ubi_frame frame;
    ubi_census_tree_node(tree, ix, &node);
    if (node.name_type != UBI_CENSUS_NAME_FRAME)
        return node.name;
    ubi_stack_frame(node.frame, &frame);
    return frame.function_name.ptr ? frame.function_name : frame.source;
}

static void beginning_read(uint64_t out[2], ubi_text name) {
    for (size_t i = 0; i < 16; i++)
        out[i / 8] = out[i / 8] << 8 | (i < name.len ? (uint8_t)name.ptr[i] : 0);
}

static sorted_row sorted_row_of(const sorting *s, ubi_census_node_ix ix) {
    ubi_census_node node;
    sorted_row row = { .node = ix, .beginning = { 0, 0 } };
    if (s->order.key == UBI__CENSUS_ORDER_NAME) {
        beginning_read(row.beginning, name_of(s->tree, ix));
        return row;
    }
    ubi_census_tree_node(s->tree, ix, &node);
    row.number = number_of(&node, s->order.key);
    return row;
}

static bool name_before(const sorting *s, const sorted_row *a, const sorted_row *b) {
    for (size_t i = 0; i < 2; i++)
        if (a->beginning[i] != b->beginning[i])
            return a->beginning[i] < b->beginning[i];
    return ubi__text_compare(name_of(s->tree, a->node), name_of(s->tree, b->node)) < 0;
}

static bool sorted_row_before(const sorting *s, sorted_row a, sorted_row b) {
    const sorted_row *first = s->order.is_ascending ? &a : &b, *second = s->order.is_ascending ? &b : &a;
    return s->order.key == UBI__CENSUS_ORDER_NAME ? name_before(s, first, second) : first->number < second->number;
}

UBI_SORT_DEFINE(sorted_rows_sort, sorted_row, const sorting *, sorted_row_before);

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
    const sorting how = { tree, order };
    if (n == 0)
        return UBI_OK;
    sorted_row *sorted = ubi__alloc_array(allocator, 2 * n, sizeof *sorted);
    if (!sorted)
        return ubi__fail_nomem();
    for (size_t i = 0; i < n; i++)
        sorted[i] = sorted_row_of(&how, row.children[i]);
    sorted_rows_sort(sorted, sorted + n, n, &how);
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
