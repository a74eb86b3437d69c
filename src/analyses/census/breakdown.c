/* SPDX-License-Identifier: MIT
 *
 * breakdown.c: the breakdown tree itself. Parsing is in breakdown_parse.c.
 */
#include "analyses/census/breakdown.h"

#include "base/text.h"

void ubi__breakdown_tree_check(const ubi__breakdown_tree *tree) {
    uint64_t n_children = 0;
    for (size_t i = 0; UBI_CHECKS && i < tree->nodes.n; i++) {
        const ubi_breakdown *b = &tree->nodes.at[i];
        UBI_ASSERT(b->tree == tree);
        UBI_ASSERT(b->n_children == 0 || b->first_child > i);
        UBI_ASSERT(b->n_children == 0 || (b->by != UBI_BY_COUNT && b->by != UBI_BY_BUCKET));
        UBI_ASSERT(b->label_start + b->label_len <= tree->text.n);
        n_children += b->n_children;
        UBI_ASSERT(n_children < tree->nodes.n);
    }
    UBI_ASSERT(!UBI_CHECKS || n_children + 1 == tree->nodes.n);
}

ubi_status ubi__breakdown_tree_new(ubi__breakdown_tree **out, const ubi_allocator *allocator) {
    ubi__breakdown_tree *tree = UBI_NEW(allocator, ubi__breakdown_tree);
    if (!tree)
        return ubi__fail_nomem();
    tree->allocator = allocator;
    atomic_init(&tree->references, 1);
    *out = tree;
    return UBI_OK;
}

void ubi__breakdown_tree_unref(ubi__breakdown_tree *tree) {
    if (!tree || atomic_fetch_sub_explicit(&tree->references, 1, memory_order_acq_rel) != 1)
        return;
    const ubi_allocator *allocator = tree->allocator;
    ubi__vec_breakdown_fini(&tree->nodes, allocator);
    ubi__vec_u8_fini(&tree->text, allocator);
    UBI_DELETE(allocator, tree);
}

ubi_status ubi__breakdown_tree_append(ubi__breakdown_tree *tree, uint32_t *first, uint32_t n) {
    UBI_TRY(ubi__vec_breakdown_reserve(&tree->nodes, tree->allocator, n));
    *first = (uint32_t)tree->nodes.n;
    for (uint32_t i = 0; i < n; i++)
        tree->nodes.at[tree->nodes.n++] =
            (ubi_breakdown){ .tree = tree, .by = UBI_BY_COUNT, .has_count = true, .has_bytes = true };
    return UBI_OK;
}

ubi_breakdown *ubi__breakdown_tree_root(ubi__breakdown_tree *tree) {
    ubi__breakdown_tree_check(tree);
    return tree->nodes.at;
}

ubi_breakdown *ubi_breakdown_ref(ubi_breakdown *breakdown) {
    if (breakdown)
        atomic_fetch_add_explicit(&breakdown->tree->references, 1, memory_order_relaxed);
    return breakdown;
}

void ubi_breakdown_unref(ubi_breakdown *breakdown) {
    if (breakdown)
        ubi__breakdown_tree_unref(breakdown->tree);
}

ubi_breakdown_by ubi_breakdown_kind(const ubi_breakdown *breakdown) {
    return breakdown->by;
}

ubi_text ubi__breakdown_label(const ubi_breakdown *breakdown) {
    if (!breakdown->has_label)
        return (ubi_text){ NULL, 0 };
    const ubi__vec_u8 *text = &breakdown->tree->text;
    return (ubi_text){ text->at ? (const char *)text->at + breakdown->label_start : "", breakdown->label_len };
}

static bool shows_the_same(const ubi_breakdown *a, const ubi_breakdown *b) {
    return a->by == b->by && a->n_children == b->n_children && a->has_count == b->has_count &&
           a->has_bytes == b->has_bytes && a->has_label == b->has_label &&
           ubi__text_equal(ubi__breakdown_label(a), ubi__breakdown_label(b));
}

bool ubi__breakdown_equal(const ubi_breakdown *a, const ubi_breakdown *b) {
    if (a == b)
        return true;
    if (!shows_the_same(a, b))
        return false;
    for (uint32_t i = 0; i < a->n_children; i++) /* bounded by UBI_BREAKDOWN_MAX_DEPTH */
        if (!ubi__breakdown_equal(ubi__breakdown_child(a, i), ubi__breakdown_child(b, i)))
            return false;
    return true;
}

bool ubi__breakdown_mentions(const ubi_breakdown *breakdown, ubi_breakdown_by by) {
    if (breakdown->by == by)
        return true;
    for (uint32_t i = 0; i < breakdown->n_children; i++) /* bounded by UBI_BREAKDOWN_MAX_DEPTH */
        if (ubi__breakdown_mentions(ubi__breakdown_child(breakdown, i), by))
            return true;
    return false;
}

static ubi_status copy_as_bucket(ubi__breakdown_tree *to, uint32_t place, const ubi_breakdown *from) {
    ubi_breakdown *copy = &to->nodes.at[place];
    copy->by = from->by == UBI_BY_COUNT ? UBI_BY_BUCKET : from->by;
    copy->written = from->written;
    memcpy(copy->member_name, from->member_name, sizeof copy->member_name);
    if (from->n_children == 0)
        return UBI_OK;
    uint32_t first;
    UBI_TRY(ubi__breakdown_tree_append(to, &first, from->n_children));
    to->nodes.at[place].first_child = first;
    to->nodes.at[place].n_children = from->n_children;
    for (uint32_t i = 0; i < from->n_children; i++) /* bounded by UBI_BREAKDOWN_MAX_DEPTH */
        UBI_TRY(copy_as_bucket(to, first + i, ubi__breakdown_child(from, i)));
    return UBI_OK;
}

ubi_status ubi__breakdown_count_to_bucket(ubi_breakdown **out, const ubi_breakdown *breakdown,
                                          const ubi_allocator *allocator) {
    ubi__breakdown_tree *tree = NULL;
    UBI_TRY(ubi__breakdown_tree_new(&tree, allocator));
    uint32_t root;
    ubi_status status = ubi__breakdown_tree_append(tree, &root, 1);
    if (status == UBI_OK)
        status = copy_as_bucket(tree, root, breakdown);
    if (status != UBI_OK) {
        ubi__breakdown_tree_unref(tree);
        return status;
    }
    *out = ubi__breakdown_tree_root(tree);
    return UBI_OK;
}

ubi_status ubi__breakdown_or_default(ubi_breakdown **out, const ubi_breakdown *breakdown,
                                     const ubi_allocator *allocator) {
    if (!breakdown)
        return ubi_breakdown_parse(out, (ubi_text){ NULL, 0 }, UBI_COMPAT_NONE, allocator);
    /* References are counted even through a const pointer: what a breakdown says never changes. */
    *out = ubi_breakdown_ref((ubi_breakdown *)breakdown);
    return UBI_OK;
}
