/* SPDX-License-Identifier: MIT
 *
 * census_tree_part.c: census trees as parts of a session (part.h), and their lists in other orders, so that who looks at
 * one a few rows at a time has it made once.
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

static ubi_status tree_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    tree_wishes wishes = wishes_read(key);
    const ubi_census *census;
    ubi_census_tree *tree;
    UBI_TRY(ubi_session_census(&census, use, wishes.breakdown, wishes.compat));
    UBI_TRY(ubi__census_tree_new(&tree, census, &wishes.options, allocator));
    *out = tree;
    return UBI_OK;
}

static void tree_free(void *tree, const ubi_allocator *allocator) {
    (void)allocator;
    ubi_census_tree_free(tree);
}

static const ubi__part_type tree_part = { .name = "census tree", .build = tree_build, .free = tree_free };

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
    ubi_status status = ubi__session_part(&tree, use, &tree_part, key);
    ubi__free_array(a, key, n_bytes, 1);
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

static size_t sorted_bytes(uint32_t n) {
    return sizeof(sorted_children) + n * sizeof(ubi_census_node_ix);
}

static ubi_status order_build(void **out, ubi_session_use *use, const char *key, const ubi_allocator *allocator) {
    ubi_census_node_ix parent = 0;
    ubi_census_node row;
    void *tree;
    int sorted_by = 0;
    char direction = 0;
    sscanf(key, "%10" SCNu32 "%1d%c", &parent, &sorted_by, &direction);
    UBI_TRY(ubi__session_part(&tree, use, &tree_part, key + ORDER_BYTES));
    ubi_census_tree_node(tree, parent, &row);
    sorted_children *sorted = ubi__alloc_array(allocator, sorted_bytes(row.n_children), 1);
    if (!sorted)
        return ubi__fail_nomem();
    sorted->n = row.n_children;
    ubi__census_order order = { (ubi__census_order_key)sorted_by, direction == '+' };
    ubi_status status = ubi__census_rows_sort(sorted->nodes, tree, parent, order, allocator);
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
    char head[ORDER_BYTES + 8];
    size_t n_bytes;
    void *sorted;
    char *key = tree_key_new(&n_bytes, ORDER_BYTES, breakdown, compat, options, a);
    if (!key)
        return ubi__fail_nomem();
    snprintf(head, sizeof head, ORDER_FORMAT, parent, (int)order.key, order.is_ascending ? '+' : '-');
    memcpy(key, head, ORDER_BYTES);
    ubi_status status = ubi__session_part(&sorted, use, &order_part, key);
    ubi__free_array(a, key, n_bytes, 1);
    if (status == UBI_OK)
        *out = ((const sorted_children *)sorted)->nodes;
    return status;
}
