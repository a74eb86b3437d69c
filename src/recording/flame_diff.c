/* SPDX-License-Identifier: MIT
 *
 * flame_diff.c: see flame_diff.h.
 */
#include "recording/flame_diff.h"

/* Of one side at most 2^62, so that both have room in a node. */
static uint64_t side_value(const ubi__diff_node *node, int side) {
    const uint64_t most = UINT64_C(1) << 62;
    return node->self[side] < most ? node->self[side] : most - 1;
}

static ubi_status node_add(ubi__flame_tree *tree, const ubi__recording_diff *diff, uint32_t ix) {
    const ubi__diff_node *of = &diff->nodes.at[ix];
    uint64_t old = side_value(of, UBI__DIFF_OLD);
    ubi__flame_node node = { .parent = of->parent, .self = old + side_value(of, UBI__DIFF_NEW) };
    UBI_TRY(ubi__strtab_intern(&tree->names, &node.name, ix ? ubi__diff_name(diff, of->name) : ubi__text("all")));
    if (ix)
        node.depth = tree->nodes.at[of->parent].depth + 1;
    if (node.depth > tree->depth)
        tree->depth = node.depth;
    tree->past[ix] = (ubi__flame_past){ old, 0 };
    return ubi__vec_flame_node_push(&tree->nodes, tree->allocator, node);
}

/* Children come after their parents. */
static void past_add_up(ubi__flame_tree *tree) {
    for (size_t i = tree->nodes.n; i-- > 0;) {
        ubi__flame_past *past = &tree->past[i], *of_parent = &tree->past[tree->nodes.at[i].parent];
        uint64_t all = tree->nodes.at[i].all;
        past->all += past->self;
        past->all = past->all < all ? past->all : all;
        if (i != 0)
            of_parent->all += past->all < INT64_MAX - of_parent->all ? past->all : INT64_MAX - of_parent->all;
    }
}

static ubi_status nodes_add(ubi__flame_tree *tree, const ubi__recording_diff *diff) {
    for (uint32_t i = 0; i < diff->nodes.n; i++)
        UBI_TRY(node_add(tree, diff, i));
    return UBI_OK;
}

ubi_status ubi__flame_tree_of_diff(ubi__flame_tree *tree, const ubi__recording_diff *diff) {
    size_t n = diff->nodes.n;
    *tree = (ubi__flame_tree){ .allocator = diff->allocator };
    ubi__strtab_init(&tree->names, tree->allocator);
    ubi__flame_past *past = tree->past = ubi__calloc_array(tree->allocator, n, sizeof *past);
    ubi_status status = past ? nodes_add(tree, diff) : ubi__fail_nomem();
    if (status == UBI_OK) {
        tree->past = NULL; /* not added up yet */
        status = ubi__flame_tree_finish(tree);
        tree->past = past;
    }
    if (status == UBI_OK) {
        past_add_up(tree);
        ubi__flame_tree_check(tree);
        return UBI_OK;
    }
    tree->past = NULL;
    ubi__free_array(tree->allocator, past, n, sizeof *past);
    ubi__flame_tree_fini(tree);
    return status;
}
