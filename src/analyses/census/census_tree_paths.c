/* SPDX-License-Identifier: MIT
 *
 * census_tree_paths.c: trees made of the paths of another tree: inversion, and Firefox's filter.
 *
 *     root -> { objects -> { Array 20, Function 10 }, strings 10 }
 *     inverted:  root' -> { Array 20 -> objects -> (root), Function 10 -> objects -> (root), strings 10 -> (root) }
 *
 * Inversion lays the path of every row with numbers of its own, a leaf or not, from that row up to the root. Rows of
 * equal name below one row become one, and a row's totals are the sums of what was laid through it: of each row, its
 * children's totals add up to its own, and the first level adds up to everything that was counted. Own numbers and leaf
 * indices are those of the rows that paths start at, so only the first level has them.
 *
 * A filter leaves the rows on paths with a match, and everything below a match (census_tree_filter.c).
 *
 * Firefox does both with one step, "insert a row, or merge it into its namesake": inverted, it lays the paths of rows
 * without children alone, so what other rows hold themselves is missing from the first level; merging adds own numbers
 * but keeps the totals of the first; and filtering adds a row's own numbers once per path through it. That is what
 * UBI_COMPAT_FIREFOX gets.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/census-tree-node.js, invert, filter, insertOrMergeNode.
 */
#include "analyses/census/census_tree.h"

#include <inttypes.h>

static ubi_status copy_leaves(ubi__tree_builder *b, ubi__row_ix to, ubi__row_ix from) {
    for (uint32_t leaf = b->rows.at[from].first_leaf; leaf != UBI_NONE; leaf = b->leaves.at[leaf].next)
        UBI_TRY(ubi__tree_add_leaf(b, to, b->leaves.at[leaf].index));
    return UBI_OK;
}

/** A path may lead through rows that are there already: many steps, few rows. */
static ubi_status count_step(ubi__tree_builder *b) {
    if (b->n_steps++ < UBI__CENSUS_TREE_MAX_STEPS)
        return UBI_OK;
    return ubi__fail(UBI_ELIMIT, "the paths of the census tree have more than %" PRIu64 " rows in all",
                     UBI__CENSUS_TREE_MAX_STEPS);
}

/** A copy of `from` as a new child of `parent`. */
static ubi_status insert_copy(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix parent, ubi__row_ix from) {
    UBI_TRY(ubi__tree_new_row(b, out, b->rows.at[from].name));
    const ubi__tree_row *source = &b->rows.at[from];
    ubi__tree_row *row = &b->rows.at[*out];
    row->source = from;
    row->bytes = source->bytes;
    row->count = source->count;
    row->total_bytes = source->total_bytes;
    row->total_count = source->total_count;
    ubi__tree_append_child(b, parent, *out);
    return copy_leaves(b, *out, from);
}

static ubi_status new_root(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix old_root) {
    UBI_TRY(ubi__tree_new_row(b, out, b->rows.at[old_root].name));
    b->rows.at[*out].total_bytes = b->rows.at[old_root].total_bytes;
    b->rows.at[*out].total_count = b->rows.at[old_root].total_count;
    return UBI_OK;
}

/** Moves `path`, the rows from the start of the search to the current one, to the next row in depth-first order. */
static ubi_status step_path(const ubi__tree_builder *b, ubi__vec_u32 *path) {
    ubi__row_ix row = path->at[path->n - 1];
    if (b->rows.at[row].first_child != UBI_NONE)
        return ubi__vec_u32_push(path, b->allocator, b->rows.at[row].first_child);
    while (path->n) {
        row = b->rows.at[path->at[path->n - 1]].next_sibling;
        if (row != UBI_NONE) {
            path->at[path->n - 1] = row;
            return UBI_OK;
        }
        path->n--;
    }
    return UBI_OK;
}

static bool is_compat(const ubi__tree_builder *b) {
    return b->compat == UBI_COMPAT_FIREFOX;
}

/* ---- Firefox's step ---------------------------------------------------------------------------------------------- */

static ubi_status merge_row(ubi__tree_builder *b, ubi__row_ix into, ubi__row_ix from) {
    ubi__tree_row *row = &b->rows.at[into];
    const ubi__tree_row *source = &b->rows.at[from];
    bool again = row->source == from;
    row->source = from;
    row->bytes = ubi__add_i64(row->bytes, source->bytes);
    row->count = ubi__add_i64(row->count, source->count);
    return again || row->first_leaf == UBI_NONE ? UBI_OK : copy_leaves(b, into, from);
}

/** Makes `from` a child of `parent`, or part of the child of that name; `out`: which row it became. */
static ubi_status insert_or_merge(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix parent, ubi__row_ix from) {
    uint64_t key = ubi__u64_pair(parent, b->names.at[b->rows.at[from].name].merge_class);
    UBI_TRY(count_step(b));
    *out = ubi__u64_map_get(&b->children, key);
    if (*out != UBI_NONE)
        return merge_row(b, *out, from);
    UBI_TRY(insert_copy(b, out, parent, from));
    return ubi__u64_map_put(&b->children, key, *out);
}

static ubi_status insert_inverted(ubi__tree_builder *b, ubi__row_ix root, const ubi__vec_u32 *path) {
    ubi__row_ix at = root;
    for (size_t i = path->n; i > 0; i--)
        UBI_TRY(insert_or_merge(b, &at, at, path->at[i - 1]));
    return UBI_OK;
}

/* ---- inversion --------------------------------------------------------------------------------------------------- */

/**
 * Child of `parent` with the name of `from`, new if there is none. `scope` distinguishes namesakes that must not become
 * one; it is `parent` when there is nothing to distinguish.
 */
static ubi_status namesake_of(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix parent, ubi__row_ix scope,
                              ubi__row_ix from) {
    uint32_t name = b->rows.at[from].name;
    uint64_t key = ubi__u64_pair(scope, b->names.at[name].merge_class);
    UBI_TRY(count_step(b));
    *out = ubi__u64_map_get(&b->children, key);
    if (*out != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__tree_new_row(b, out, name));
    ubi__tree_append_child(b, parent, *out);
    return ubi__u64_map_put(&b->children, key, *out);
}

/** Members of an array count the same nodes: what member [1] and later ones counted stays apart. */
static ubi__row_ix scope_of(const ubi__tree_builder *b, ubi__row_ix root, const ubi__vec_u32 *path) {
    for (size_t i = 0; i < path->n; i++)
        if (b->rows.at[path->at[i]].is_apart)
            return path->at[i];
    return root;
}

/** Lays a path the other way round below `root`: what its last row holds itself came along all of it. */
static ubi_status lay_inverted(ubi__tree_builder *b, ubi__row_ix root, const ubi__vec_u32 *path) {
    ubi__row_ix origin = path->at[path->n - 1], at = root, scope = scope_of(b, root, path);
    int64_t bytes = b->rows.at[origin].bytes, count = b->rows.at[origin].count;
    for (size_t i = path->n; i > 0; i--) {
        UBI_TRY(namesake_of(b, &at, at, scope, path->at[i - 1]));
        ubi__tree_row *row = &b->rows.at[at];
        row->total_bytes = ubi__add_i64(row->total_bytes, bytes);
        row->total_count = ubi__add_i64(row->total_count, count);
        scope = at;
        if (i < path->n)
            continue;
        row->bytes = row->total_bytes;
        row->count = row->total_count;
        UBI_TRY(copy_leaves(b, at, origin));
    }
    return UBI_OK;
}

static ubi_status invert_row(ubi__tree_builder *b, ubi__row_ix inverted, const ubi__vec_u32 *path) {
    const ubi__tree_row *row = &b->rows.at[path->at[path->n - 1]];
    if (is_compat(b))
        return row->has_children ? UBI_OK : insert_inverted(b, inverted, path);
    return row->bytes || row->count ? lay_inverted(b, inverted, path) : UBI_OK;
}

static ubi_status invert_below(ubi__tree_builder *b, ubi__row_ix inverted, ubi__row_ix root, ubi__vec_u32 *path) {
    UBI_TRY(ubi__vec_u32_push(path, b->allocator, root));
    while (path->n) {
        UBI_TRY(invert_row(b, inverted, path));
        UBI_TRY(step_path(b, path));
    }
    return UBI_OK;
}

ubi_status ubi__tree_invert(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix root) {
    ubi__vec_u32 path = { 0 };
    ubi__u64_map_fini(&b->children); /* of the plain tree, whose rows may be scopes here */
    UBI_TRY(new_root(b, out, root));
    ubi_status status = invert_below(b, *out, root, &path);
    ubi__vec_u32_fini(&path, b->allocator);
    return status;
}

/* ---- Firefox's filter --------------------------------------------------------------------------------------------- */

static ubi_status add_path(ubi__tree_builder *b, ubi__row_ix root, const ubi__vec_u32 *path) {
    ubi__row_ix at = root;
    for (size_t i = 0; i < path->n; i++)
        UBI_TRY(insert_or_merge(b, &at, at, path->at[i]));
    return UBI_OK;
}

/** `n_matching`: length of the shortest beginning of the path that ends in a match; 0: none matches yet. */
static ubi_status filter_below(ubi__tree_builder *b, ubi__row_ix filtered, ubi__row_ix root, ubi_text text,
                               ubi__vec_u32 *path) {
    ubi__name_filter filter = { .wanted = text };
    size_t n_matching = 0;
    if (b->rows.at[root].first_child != UBI_NONE)
        UBI_TRY(ubi__vec_u32_push(path, b->allocator, b->rows.at[root].first_child));
    while (path->n) {
        if (path->n <= n_matching) /* the search has left what matched */
            n_matching = 0;
        ubi__row_ix row = path->at[path->n - 1];
        if (n_matching == 0 && ubi__name_filter_finds(&filter, &b->names.at[b->rows.at[row].name]))
            n_matching = path->n;
        if (n_matching && !b->rows.at[row].has_children) /* of a row whose children were all pruned no path is laid */
            UBI_TRY(add_path(b, filtered, path));
        UBI_TRY(step_path(b, path));
    }
    return UBI_OK;
}

ubi_status ubi__tree_filter_paths(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix root, ubi_text text) {
    ubi__vec_u32 path = { 0 };
    ubi__u64_map_fini(&b->children);
    UBI_TRY(new_root(b, out, root));
    b->rows.at[*out].bytes = b->rows.at[root].bytes;
    b->rows.at[*out].count = b->rows.at[root].count;
    ubi_status status = filter_below(b, *out, root, text, &path);
    ubi__vec_u32_fini(&path, b->allocator);
    return status;
}
