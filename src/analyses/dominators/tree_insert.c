/* SPDX-License-Identifier: MIT
 *
 * tree_insert.c: finding rows along a path, and adding children at its end.
 *
 * An insertion copies from the top down. A copy first shares all children of the original; those that lie on the path are
 * then replaced by copies of their own. (A node id that occurs twice among children, which no dominator tree has but an
 * insertion may make, is followed both times.)
 */
#include "analyses/dominators/tree_node.h"

/* ---- finding ----------------------------------------------------------------------------------------------------- */

static const ubi_dominator_node *child_with_id(const ubi_dominator_node *row, uint64_t id) {
    for (uint32_t i = 0; i < row->n_children; i++)
        if (row->children[i]->node_id == id)
            return row->children[i];
    return NULL;
}

const ubi_dominator_node *ubi_dominator_tree_find(const ubi_dominator_node *tree, uint64_t node_id,
                                                  const uint64_t *path, uint32_t n_path) {
    const ubi_dominator_node *row = n_path && tree->node_id == path[0] ? tree : NULL;
    for (uint32_t i = 1; row && row->node_id != node_id; i++)
        row = i < n_path ? child_with_id(row, path[i]) : NULL;
    return row;
}

/* ---- inserting --------------------------------------------------------------------------------------------------- */

/* A copy on the path, whose children may have to be replaced. */
typedef struct step {
    ubi_dominator_node *row; /* borrowed from its parent, or from the caller */
    uint32_t depth;
} step;

UBI_VEC_DECLARE(step_list, step);

typedef struct insertion {
    const uint64_t *path;
    uint32_t n_path;
    ubi_dominator_node *const *children;
    uint32_t n_children;
    bool more_children_available;
    const ubi_allocator *allocator;
    step_list open;
} insertion;

static ubi_status copy_with_children(ubi_dominator_node **out, const insertion *in, ubi_dominator_node *row) {
    UBI_TRY(ubi__dominator_row_copy(out, row, in->n_children, in->allocator));
    ubi_dominator_node *copy = *out;
    for (uint32_t i = 0; i < in->n_children; i++)
        copy->children[copy->n_children++] = ubi_dominator_node_ref(in->children[i]);
    copy->more_children_available = in->more_children_available;
    return UBI_OK;
}

/* What takes the place of `row`, at `depth` of the tree: a new reference, perhaps to `row` itself. */
static ubi_status replace_row(ubi_dominator_node **out, insertion *in, ubi_dominator_node *row, uint32_t depth) {
    bool on_path = depth < in->n_path && row->node_id == in->path[depth];
    if (on_path && depth + 1 == in->n_path)
        return copy_with_children(out, in, row);
    if (!on_path || !row->has_children) {
        *out = ubi_dominator_node_ref(row);
        return UBI_OK;
    }
    UBI_TRY(step_list_reserve(&in->open, in->allocator, 1));
    UBI_TRY(ubi__dominator_row_copy(out, row, 0, in->allocator));
    in->open.at[in->open.n++] = (step){ *out, depth };
    return UBI_OK;
}

static ubi_status replace_children(insertion *in, step s) {
    for (uint32_t i = 0; i < s.row->n_children; i++) {
        ubi_dominator_node *replacement;
        UBI_TRY(replace_row(&replacement, in, s.row->children[i], s.depth + 1));
        ubi_dominator_node_unref(s.row->children[i]);
        s.row->children[i] = replacement;
    }
    return UBI_OK;
}

ubi_status ubi_dominator_tree_insert(ubi_dominator_node **out, ubi_dominator_node *tree, const uint64_t *path,
                                     uint32_t n_path, ubi_dominator_node *const *children, uint32_t n_children,
                                     bool more_children_available, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    insertion in = { path, n_path, children, n_children, more_children_available, a, { 0 } };
    ubi_dominator_node *top = NULL;
    ubi_status status = replace_row(&top, &in, tree, 0);
    while (status == UBI_OK && in.open.n)
        status = replace_children(&in, in.open.at[--in.open.n]);
    step_list_fini(&in.open, a);
    if (status != UBI_OK) {
        ubi_dominator_node_unref(top);
        return status;
    }
    *out = top;
    return UBI_OK;
}
