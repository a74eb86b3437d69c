/* SPDX-License-Identifier: MIT
 *
 * census_tree.c: census trees, from the visit of a report to rows that are handed out (census_tree.h).
 *
 * Rows of the result lie breadth-first, so the children of a row are neighbours and its list of them is a slice of the
 * numbers 0, 1, 2, ... (which is kept, because the API hands out lists).
 */
#include "analyses/census/census_tree.h"

#include <string.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/finished_census_tree.h"
#include "analyses/census/report.h"
#include "analyses/census/report_walk.h"

/* ==== THE FINISHED TREE ========================================================================================= */

static void assert_filtered_row(const ubi_census_tree *tree, uint32_t at) {
    const ubi__filtered_row *row = &tree->filtered.at[at], *rows = tree->filtered.at;
    UBI_ASSERT(row->source < tree->whole->rows.n && (at == 0 ? row->source == 0 : row[-1].source < row->source));
    UBI_ASSERT(tree->by_id.at[UBI_INDEX(row->id - 1 - tree->n_earlier_ids, tree->by_id.n)] == at);
    UBI_ASSERT(row->first_child <= row[1].first_child && row[1].first_child <= tree->by_id.n);
    for (uint32_t child = row->first_child; child < row[1].first_child; child++) {
        uint32_t parent_id = tree->whole->rows.at[rows[child].source].parent_id;
        UBI_ASSERT(rows[child].parent_id == row->id);
        UBI_ASSERT(parent_id == tree->whole->rows.at[row->source].id);
    }
}

static void assert_filtered(const ubi_census_tree *tree) {
    uint32_t n = (uint32_t)tree->by_id.n;
    UBI_ASSERT(tree->filtered.n == (size_t)n + 1 && tree->n_earlier_ids == tree->whole->by_id.n);
    UBI_ASSERT(tree->filtered.at[0].parent_id == 0);
    for (uint32_t at = 0; UBI_CHECKS && at < n; at++)
        assert_filtered_row(tree, at);
}

static void assert_whole(const ubi_census_tree *tree) {
    uint64_t next_child = 1, next_leaf = 0;
    UBI_ASSERT(tree->numbers.n == tree->rows.n && tree->rows.at[0].parent_id == 0);
    for (size_t i = 0; UBI_CHECKS && i < tree->rows.n; i++) {
        const ubi__final_row *row = &tree->rows.at[i];
        UBI_ASSERT(tree->numbers.at[i] == i);
        UBI_ASSERT(row->name < tree->names.n);
        UBI_ASSERT(row->id - 1 < tree->by_id.n && tree->by_id.at[row->id - 1] == i);
        UBI_ASSERT(row->first_child == next_child && row->first_leaf == next_leaf);
        next_child += row->n_children;
        next_leaf += row->n_leaves;
        UBI_ASSERT(next_child <= tree->rows.n && next_leaf <= tree->leaf_indices.n);
        for (uint64_t child = row->first_child; child < next_child; child++)
            UBI_ASSERT(tree->rows.at[child].parent_id == row->id);
    }
    UBI_ASSERT(!UBI_CHECKS || (next_child == tree->rows.n && next_leaf == tree->leaf_indices.n));
}

void ubi__census_tree_check(const ubi_census_tree *tree) {
    if (tree->whole)
        assert_filtered(tree);
    else
        assert_whole(tree);
}

void ubi_census_tree_free(ubi_census_tree *tree) {
    if (!tree)
        return;
    const ubi_allocator *a = tree->allocator;
    ubi_census_tree_free(tree->owned_whole); /* which is of no other */
    ubi__vec_filtered_row_fini(&tree->filtered, a);
    ubi__vec_final_row_fini(&tree->rows, a);
    ubi__vec_u32_fini(&tree->numbers, a);
    ubi__vec_u32_fini(&tree->by_id, a);
    ubi__vec_u32_fini(&tree->leaf_indices, a);
    ubi__vec_tree_name_fini(&tree->names, a);
    UBI_DELETE(a, tree);
}

ubi_census_node_ix ubi_census_tree_root(const ubi_census_tree *tree) {
    (void)tree;
    return 0;
}

static void whole_node(const ubi_census_tree *tree, ubi_census_node_ix node, ubi_census_node *out) {
    const ubi__final_row *row = &tree->rows.at[UBI_INDEX(node, tree->rows.n)];
    const ubi__tree_name *name = &tree->names.at[row->name];
    *out = (ubi_census_node){
        .name_type = name->type,
        .name = name->text,
        .frame = name->frame,
        .bytes = row->bytes,
        .total_bytes = row->total_bytes,
        .count = row->count,
        .total_count = row->total_count,
        .id = row->id,
        .parent = row->parent_id,
        .has_children = row->has_children,
        .children = row->n_children ? tree->numbers.at + row->first_child : NULL,
        .n_children = row->n_children,
        .leaf_indices = row->n_leaves ? tree->leaf_indices.at + row->first_leaf : NULL,
        .n_leaf_indices = row->n_leaves,
    };
}

static void filtered_node(const ubi_census_tree *tree, ubi_census_node_ix node, ubi_census_node *out) {
    const ubi__filtered_row *row = &tree->filtered.at[UBI_INDEX(node, tree->filtered.n - 1)];
    whole_node(tree->whole, row->source, out);
    out->id = row->id;
    out->parent = row->parent_id;
    out->n_children = row[1].first_child - row->first_child;
    out->has_children = out->n_children > 0;
    out->children = out->n_children ? tree->whole->numbers.at + row->first_child : NULL;
    if (node != ubi_census_tree_root(tree))
        return;
    out->leaf_indices = NULL; /* the root is a new row, as Firefox has it */
    out->n_leaf_indices = 0;
}

void ubi_census_tree_node(const ubi_census_tree *tree, ubi_census_node_ix node, ubi_census_node *out) {
    if (tree->whole)
        filtered_node(tree, node, out);
    else
        whole_node(tree, node, out);
}

bool ubi_census_tree_find(ubi_census_node_ix *out, const ubi_census_tree *tree, uint32_t id) {
    uint32_t place = id - 1 - tree->n_earlier_ids; /* of no row for 0 */
    if (place >= tree->by_id.n || tree->by_id.at[place] == UBI_NONE)
        return false;
    *out = tree->by_id.at[place];
    return true;
}

/* ---- finishing --------------------------------------------------------------------------------------------------- */

/** Which row of the builder each final row was, while rows are emitted: a queue whose past is kept. */
typedef struct emitter {
    ubi__tree_builder *b;
    ubi_census_tree *tree;
    ubi__vec_u32 rows;
    ubi__u64_map seen_leaves; /* (final row, leaf index): sets have each index once, in order of first mention */
    bool is_by_self;
} emitter;

static ubi_status emit_leaves(emitter *e, uint32_t at, const ubi__tree_row *row) {
    ubi__final_row *final = &e->tree->rows.at[at];
    final->first_leaf = e->tree->leaf_indices.n;
    bool is_set = row->first_leaf != row->last_leaf;
    for (uint32_t leaf = row->first_leaf; leaf != UBI_NONE; leaf = e->b->leaves.at[leaf].next) {
        uint32_t index = e->b->leaves.at[leaf].index;
        if (is_set && ubi__u64_map_get(&e->seen_leaves, ubi__u64_pair(at, index)) != UBI_NONE)
            continue;
        if (is_set)
            UBI_TRY(ubi__u64_map_put(&e->seen_leaves, ubi__u64_pair(at, index), 1));
        UBI_TRY(ubi__vec_u32_push(&e->tree->leaf_indices, e->tree->allocator, index));
        final->n_leaves++;
    }
    return UBI_OK;
}

/** Queues a row; `parent`: of the builder, UBI_NONE at the root. */
static ubi_status emit_row(emitter *e, ubi__row_ix row, ubi__row_ix parent) {
    const ubi__tree_row *r = &e->b->rows.at[row];
    uint32_t at = (uint32_t)e->tree->rows.n;
    ubi__final_row final = {
        .name = r->name,
        .id = row + 1,
        .parent_id = parent + 1, /* UBI_NONE + 1 == 0: none */
        .has_children = r->has_children,
        .bytes = r->bytes,
        .total_bytes = r->total_bytes,
        .count = r->count,
        .total_count = r->total_count,
    };
    UBI_TRY(ubi__vec_final_row_push(&e->tree->rows, e->tree->allocator, final));
    UBI_TRY(ubi__vec_u32_push(&e->tree->numbers, e->tree->allocator, at));
    UBI_TRY(ubi__vec_u32_push(&e->rows, e->tree->allocator, row));
    return emit_leaves(e, at, r);
}

static ubi_status emit_children(emitter *e, uint32_t at) {
    ubi__row_ix row = e->rows.at[at];
    UBI_TRY(ubi__tree_sorted_children(e->b, row, e->is_by_self));
    e->tree->rows.at[at].first_child = (ubi_census_node_ix)e->tree->rows.n;
    e->tree->rows.at[at].n_children = (uint32_t)e->b->scratch.n;
    for (size_t i = 0; i < e->b->scratch.n; i++)
        UBI_TRY(emit_row(e, e->b->scratch.at[i], row));
    return UBI_OK;
}

static ubi_status ids_index(ubi_census_tree *tree, size_t n_ids) {
    UBI_TRY(ubi__vec_u32_reserve(&tree->by_id, tree->allocator, n_ids));
    tree->by_id.n = n_ids;
    memset(tree->by_id.at, 0xff, n_ids * sizeof *tree->by_id.at);
    for (size_t i = 0; i < tree->rows.n; i++)
        tree->by_id.at[tree->rows.at[i].id - 1] = (uint32_t)i;
    return UBI_OK;
}

static ubi_status emit_all(emitter *e, ubi__row_ix root) {
    UBI_TRY(emit_row(e, root, UBI_NONE));
    for (uint32_t at = 0; at < e->tree->rows.n; at++)
        UBI_TRY(emit_children(e, at));
    UBI_TRY(ids_index(e->tree, e->b->rows.n));
    e->tree->names = e->b->names;
    e->b->names = (ubi__vec_tree_name){ 0 };
    return UBI_OK;
}

static ubi_status emit_tree(ubi_census_tree **out, ubi__tree_builder *b, ubi__row_ix root, bool by_self) {
    ubi_census_tree *tree = UBI_NEW(b->allocator, ubi_census_tree);
    if (!tree)
        return ubi__fail_nomem();
    tree->allocator = b->allocator;
    tree->is_inverted = by_self;
    emitter e = { .b = b, .tree = tree, .is_by_self = by_self };
    ubi__u64_map_init(&e.seen_leaves, b->allocator);
    ubi_status status = emit_all(&e, root);
    if (status == UBI_OK)
        ubi__census_tree_check(tree);
    ubi__vec_u32_fini(&e.rows, b->allocator);
    ubi__u64_map_fini(&e.seen_leaves);
    if (status == UBI_OK)
        *out = tree;
    else
        ubi_census_tree_free(tree);
    return status;
}

/* The tree becomes part of the filtered one, or is freed. */
static ubi_status tree_replace_by_filtered(ubi_census_tree **tree, ubi_text text) {
    ubi_census_tree *filtered, *whole = *tree;
    *tree = NULL;
    ubi_status status = ubi__census_tree_filter(&filtered, whole, text, NULL, whole->allocator);
    if (status != UBI_OK) {
        ubi_census_tree_free(whole);
        return status;
    }
    filtered->owned_whole = whole;
    *tree = filtered;
    return UBI_OK;
}

ubi_status ubi__tree_finish(ubi_census_tree **out, ubi__tree_builder *b, const ubi_census_tree_options *options,
                            const ubi__tree_basis *basis) {
    ubi__row_ix root = 0;
    bool filters_paths = options->has_filter && b->compat == UBI_COMPAT_FIREFOX;
    ubi__tree_builder_check(b);
    if (options->is_inverted)
        UBI_TRY(ubi__tree_invert(b, &root, root));
    if (filters_paths)
        UBI_TRY(ubi__tree_filter_paths(b, &root, root, options->filter));
    if (basis) {
        b->rows.at[root].total_bytes = basis->total_bytes;
        b->rows.at[root].total_count = basis->total_count;
    }
    ubi__u64_map_fini(&b->placed); /* large, and rows are no longer looked up */
    ubi__u64_map_fini(&b->children);
    UBI_TRY(emit_tree(out, b, root, options->is_inverted));
    return options->has_filter && !filters_paths ? tree_replace_by_filtered(out, options->filter) : UBI_OK;
}

/* ---- from a census ----------------------------------------------------------------------------------------------- */

ubi_status ubi__tree_count_shown(ubi__tree_builder *b, const ubi_breakdown *breakdown, int64_t count, int64_t bytes) {
    bool defaults = b->compat != UBI_COMPAT_FIREFOX;
    bool has_count = breakdown->has_count && (breakdown->was_count_written || defaults);
    bool has_bytes = breakdown->has_bytes && (breakdown->was_bytes_written || defaults);
    return ubi__tree_count(b, has_count ? count : 0, has_bytes ? bytes : 0);
}

static ubi_status enter_report(void *payload, const ubi_report *report, const ubi_report_key *edge) {
    const ubi_breakdown *breakdown = ubi_report_breakdown(report);
    UBI_TRY(ubi__tree_enter(payload, edge, breakdown));
    if (ubi_report_shape_of(report) != UBI_REPORT_COUNT)
        return UBI_OK;
    return ubi__tree_count_shown(payload, breakdown, ubi__to_i64(report->count), ubi__to_i64(report->bytes));
}

static ubi_status leave_report(void *payload, const ubi_report *report) {
    (void)report;
    return ubi__tree_leave(payload);
}

ubi_status ubi__tree_check_options(ubi_census_tree_options *out, const ubi_census_tree_options *options) {
    static const ubi_census_tree_options defaults = UBI_CENSUS_TREE_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_CENSUS_TREE_OPTIONS_VERSION, "ubi_census_tree_options"));
    *out = options ? *options : defaults;
    return UBI_OK;
}

ubi_status ubi__census_tree_new(ubi_census_tree **out, const ubi_census *census, const ubi_census_tree_options *options,
                                const ubi_allocator *allocator) {
    static const ubi__report_visitor visitor = { enter_report, leave_report };
    ubi_census_tree_options how;
    UBI_TRY(ubi__tree_check_options(&how, options));
    ubi__tree_builder b;
    ubi__tree_builder_init(&b, allocator, census->compat);
    ubi_status status = ubi__report_walk(ubi_census_report(census), census->compat, &visitor, &b);
    if (status == UBI_OK)
        status = ubi__tree_finish(out, &b, &how, NULL);
    ubi__tree_builder_fini(&b);
    return status;
}

ubi_status ubi_census_tree_new(ubi_census_tree **out, const ubi_census *census,
                               const ubi_census_tree_options *options) {
    return ubi__census_tree_new(out, census, options, census->allocator);
}
