/* SPDX-License-Identifier: MIT
 *
 * census_tree_part.c: census trees as parts of a session (part.h), what filters leave of them, and their lists in other orders, so
 * that who looks at one a few rows at a time has it made once. Who types a filter has many: the tree is made once, a filter reads
 * it, and takes an order from the tree's where that is there.
 *
 * A key is 'F' (Firefox's answers) or '-', 'i' (inverted) or '-', then "LENGTH:" and the filter, or "-:" if there is none, then the
 * breakdown's JSON text, if there is one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/census/census_tree.h"
#include "base/alloc.h"
#include "base/status.h"
#include "session/part.h"

#define FIREFOX_MARK 'F'
#define INVERTED_MARK 'i'
#define MARK_NOT '-'
#define HEAD_BYTES 32 /* the marks and the length */

#define FILTERED_KEPT 16 /* of a session: what was typed last */

typedef struct tree_wishes {
    ubi_compat compat;
    ubi_census_tree_options options; /* filter: of the key */
    ubi_text breakdown;              /* the same */
} tree_wishes;

static tree_wishes wishes_read(const char *key) {
    tree_wishes wishes = { .options = UBI_CENSUS_TREE_OPTIONS_INIT };
    const char *colon = strchr(key, ':');
    wishes.compat = key[0] == FIREFOX_MARK ? UBI_COMPAT_FIREFOX : UBI_COMPAT_NONE;
    wishes.options.is_inverted = key[1] == INVERTED_MARK;
    wishes.options.has_filter = key[2] != MARK_NOT;
    if (wishes.options.has_filter)
        wishes.options.filter = (ubi_text){ colon + 1, strtoul(key + 2, NULL, 10) };
    const char *json = colon + 1 + wishes.options.filter.len;
    wishes.breakdown = (ubi_text){ *json ? json : NULL, strlen(json) };
    return wishes;
}

/* Firefox's filter changes numbers: it is part of making the tree. */
static bool is_filtered(const tree_wishes *wishes) {
    return wishes->options.has_filter && wishes->compat == UBI_COMPAT_NONE;
}

static void wishes_drop_filter(tree_wishes *wishes) {
    wishes->options.has_filter = false;
    wishes->options.filter = (ubi_text){ NULL, 0 };
}

static ubi_status tree_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    tree_wishes wishes = wishes_read(key);
    const ubi_census *census;
    ubi_census_tree *tree;
    UBI_ASSERT(!is_filtered(&wishes));
    UBI_TRY(ubi_session_census(&census, use, wishes.breakdown, wishes.compat));
    UBI_TRY(ubi__census_tree_new(&tree, census, &wishes.options, allocator));
    *out = tree;
    return UBI_OK;
}

static void tree_free(void *tree, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_census_tree_free(tree);
}

static ubi_status filtered_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    tree_wishes wishes = wishes_read(key);
    ubi_text filter = wishes.options.filter;
    const ubi_census_tree *whole;
    ubi_census_tree *tree;
    wishes_drop_filter(&wishes);
    UBI_TRY(ubi__session_census_tree(&whole, use, wishes.breakdown, wishes.compat, &wishes.options));
    UBI_TRY(ubi__census_tree_filter(&tree, whole, filter, ubi_session_use_progress(use), allocator));
    *out = tree;
    return UBI_OK;
}

static const ubi__part_type tree_part = { .name = "census tree", .build = tree_build, .free = tree_free };
static const ubi__part_type filtered_part = {
    .name = "filtered census tree", .build = filtered_build, .free = tree_free, .is_quickly_made = true
};

static const ubi__part_type *part_of(const char *key) {
    tree_wishes wishes = wishes_read(key);
    return is_filtered(&wishes) ? &filtered_part : &tree_part;
}

/* Of a tree; begins behind `n_before` bytes that are left for the caller. */
static char *tree_key_new(size_t *n_bytes, size_t n_before, ubi_text breakdown, ubi_compat compat,
                          const ubi_census_tree_options *options, const ubi_allocator *allocator) {
    char length[HEAD_BYTES] = { MARK_NOT };
    *n_bytes = n_before + HEAD_BYTES + options->filter.len + breakdown.len;
    char *key = ubi__alloc_array(allocator, *n_bytes, 1);
    if (!key)
        return NULL;
    if (options->has_filter)
        snprintf(length, sizeof length, "%zu", options->filter.len);
    snprintf(key + n_before, *n_bytes - n_before, "%c%c%s:%.*s%.*s",
             compat == UBI_COMPAT_FIREFOX ? FIREFOX_MARK : MARK_NOT, options->is_inverted ? INVERTED_MARK : MARK_NOT,
             length, (int)options->filter.len, options->filter.ptr ? options->filter.ptr : "", (int)breakdown.len,
             breakdown.ptr ? breakdown.ptr : "");
    return key;
}

ubi_status ubi__session_census_tree(const ubi_census_tree **out, ubi_session_use *use, ubi_text breakdown,
                                    ubi_compat compat, const ubi_census_tree_options *options) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    size_t n_bytes;
    void *tree;
    char *key = tree_key_new(&n_bytes, 0, breakdown, compat, options, a);
    if (!key)
        return ubi__fail_nomem();
    ubi_status status = ubi__session_part(&tree, use, part_of(key), key);
    ubi__free_array(a, key, n_bytes, 1);
    ubi__session_part_trim(ubi_session_use_session(use), &filtered_part, FILTERED_KEPT);
    if (status == UBI_OK)
        *out = tree;
    return status;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* In front of the tree's key: the parent, what it is sorted by, and '+' or '-', always as long. */
#define ORDER_FORMAT "%010" PRIu32 "%d%c"
#define ORDER_BYTES 12

typedef struct sorted_children {
    uint32_t n;
    ubi_census_node_ix nodes[];
} sorted_children;

typedef struct order_wishes {
    ubi_census_node_ix parent;
    ubi__census_order order;
} order_wishes;

static size_t sorted_bytes(uint32_t n) {
    return sizeof(sorted_children) + n * sizeof(ubi_census_node_ix);
}

static order_wishes order_read(const char *key) {
    order_wishes wishes = { .parent = 0 };
    int sorted_by = 0;
    char direction = 0;
    sscanf(key, "%10" SCNu32 "%1d%c", &wishes.parent, &sorted_by, &direction);
    wishes.order = (ubi__census_order){ (ubi__census_order_key)sorted_by, direction == '+' };
    return wishes;
}

static char *order_key_new(size_t *n_bytes, ubi_text breakdown, ubi_compat compat,
                           const ubi_census_tree_options *options, const order_wishes *wishes,
                           const ubi_allocator *allocator) {
    char head[ORDER_BYTES + 8];
    char *key = tree_key_new(n_bytes, ORDER_BYTES, breakdown, compat, options, allocator);
    if (!key)
        return NULL;
    snprintf(head, sizeof head, ORDER_FORMAT, wishes->parent, (int)wishes->order.key,
             wishes->order.is_ascending ? '+' : '-');
    memcpy(key, head, ORDER_BYTES);
    return key;
}

static const ubi__part_type order_part;

/* The same order of the tree without the filter, if someone has looked at it: it has what the filter left, too. NULL: there is none. */
static ubi_status whole_order_find(void **out, ubi_session_use *use, const char *key, const ubi_census_tree *tree) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    order_wishes wishes = order_read(key);
    tree_wishes of_tree = wishes_read(key + ORDER_BYTES);
    size_t n_bytes;
    wishes.parent = ubi__filtered_source(tree, wishes.parent);
    wishes_drop_filter(&of_tree);
    char *whole_key = order_key_new(&n_bytes, of_tree.breakdown, of_tree.compat, &of_tree.options, &wishes, a);
    if (!whole_key)
        return ubi__fail_nomem();
    ubi_status status = ubi__session_part_if_present(out, use, &order_part, whole_key);
    ubi__free_array(a, whole_key, n_bytes, 1);
    return status;
}

static ubi_status order_fill(sorted_children *sorted, ubi_session_use *use, const char *key,
                             const ubi_census_tree *tree, const ubi_allocator *allocator) {
    order_wishes wishes = order_read(key);
    void *whole = NULL;
    if (part_of(key + ORDER_BYTES) == &filtered_part)
        UBI_TRY(whole_order_find(&whole, use, key, tree));
    if (!whole)
        return ubi__census_rows_sort(sorted->nodes, tree, wishes.parent, wishes.order, allocator);
    return ubi__filtered_children_in_order(sorted->nodes, tree, wishes.parent, ((sorted_children *)whole)->nodes,
                                           allocator);
}

static ubi_status order_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    order_wishes wishes = order_read(key);
    ubi_census_node row;
    void *tree;
    UBI_TRY(ubi__session_part(&tree, use, part_of(key + ORDER_BYTES), key + ORDER_BYTES));
    ubi_census_tree_node(tree, wishes.parent, &row);
    sorted_children *sorted = ubi__alloc_array(allocator, sorted_bytes(row.n_children), 1);
    if (!sorted)
        return ubi__fail_nomem();
    sorted->n = row.n_children;
    ubi_status status = order_fill(sorted, use, key, tree, allocator);
    if (status == UBI_OK)
        *out = sorted;
    else
        ubi__free_array(allocator, sorted, sorted_bytes(sorted->n), 1);
    return status;
}

static void order_free(void *value, const ubi_allocator *allocator) {
    sorted_children *sorted = value;
    ubi__free_array(allocator, sorted, sorted_bytes(sorted->n), 1);
}

/* A tree that is made again has the same rows in the same places. */
static const ubi__part_type order_part = {
    .name = "census order", .build = order_build, .free = order_free, .is_self_contained = true
};

ubi_status ubi__session_census_order(const ubi_census_node_ix **out, ubi_session_use *use, ubi_text breakdown,
                                     ubi_compat compat, const ubi_census_tree_options *options,
                                     ubi_census_node_ix parent, ubi__census_order order) {
    const ubi_allocator *a = ubi_session_use_allocator(use);
    order_wishes wishes = { parent, order };
    size_t n_bytes;
    void *sorted;
    char *key = order_key_new(&n_bytes, breakdown, compat, options, &wishes, a);
    if (!key)
        return ubi__fail_nomem();
    ubi_status status = ubi__session_part(&sorted, use, &order_part, key);
    ubi__free_array(a, key, n_bytes, 1);
    if (status == UBI_OK)
        *out = ((const sorted_children *)sorted)->nodes;
    return status;
}
