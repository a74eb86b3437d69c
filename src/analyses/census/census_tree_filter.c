/* SPDX-License-Identifier: MIT
 *
 * census_tree_filter.c: what a filter leaves of a census tree.
 *
 *     root#1 -> { objects#2 -> { Array#3, Function#4 }, strings#5, domNode#6 -> { ArrayView#7 } }
 *     "Array":  root#8 -> { objects#9 -> { Array#10 }, domNode#11 -> { ArrayView#12 } }
 *
 * Rows with a match, and all above and below them, stay in the order in which they are. Their ids follow those of the
 * whole tree, depth-first in the order in which the builder appended rows, as if copies had been appended path by path: a row's
 * id is its parent's and one, and all that is left of the siblings before it. So rows are numbered without a copy.
 *
 * Firefox's filter changes numbers as well; it is in census_tree_paths.c.
 */
#include "analyses/census/finished_census_tree.h"
#include "base/pulse.h"
#include "base/text.h"
#include "base/text_memo.h"

typedef struct filtering {
    const ubi_allocator *allocator;
    const ubi_census_tree *whole;
    ubi__pulse *pulse;
    size_t n_rows, n_names;
    bool *has_match; /* [n_names] */
    bool *is_below;  /* [n_rows]: it has a match, or a row above it has */
    uint32_t *sizes; /* [n_rows]: how many rows are left of a row and all below it; 0: it is left out */
    uint32_t *next;  /* [n_rows]: the id that the next row below it gets. In the end that of the row, and its size */
} filtering;

static bool is_unwanted(filtering *f, size_t i) {
    return i % UBI__PULSE_NODES == 0 && !ubi__pulse_at(f->pulse, "filtering", i, f->n_rows);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* A long text that many names share is read once. */
static bool text_contains(ubi__name_filter *filter, ubi_text text) {
    uint64_t is_found, key = (uint64_t)(uintptr_t)text.ptr;
    if (!ubi__text_memo_get(&is_found, &filter->long_texts, key, text.len)) {
        is_found = ubi__text_contains(text, filter->wanted);
        ubi__text_memo_put(&filter->long_texts, key, text.len, is_found);
    }
    return is_found;
}

bool ubi__name_filter_finds(ubi__name_filter *filter, const ubi__tree_name *name) {
    ubi_frame frame;
    switch (name->type) {
    case UBI_CENSUS_NAME_TEXT:
        return name->text.len > 0 && text_contains(filter, name->text);
    case UBI_CENSUS_NAME_FRAME:
        ubi_stack_frame(name->frame, &frame);
        return text_contains(filter, frame.source) || text_contains(filter, frame.function_name);
    default:
        return false;
    }
}

/* In the order of names, which is that of their texts in memory: rows are sorted. */
static ubi_status names_match(filtering *f, ubi_text wanted) {
    ubi__name_filter filter = { .wanted = wanted };
    for (size_t i = 0; i < f->n_names; i++) {
        if (is_unwanted(f, i))
            return ubi__fail_cancelled();
        f->has_match[i] = ubi__name_filter_finds(&filter, &f->whole->names.at[i]);
    }
    return UBI_OK;
}

/* ---- which rows are left ----------------------------------------------------------------------------------------- */

/* From the root down: parents come before their children. */
static ubi_status rows_match(filtering *f) {
    const ubi__final_row *rows = f->whole->rows.at;
    f->is_below[0] = false; /* the root's name is not looked at */
    for (size_t parent = 0; parent < f->n_rows; parent++) {
        size_t end = (size_t)rows[parent].first_child + rows[parent].n_children;
        if (is_unwanted(f, parent))
            return ubi__fail_cancelled();
        for (size_t row = rows[parent].first_child; row < end; row++)
            f->is_below[row] = f->is_below[parent] || f->has_match[rows[row].name];
    }
    return UBI_OK;
}

/* From the last row up. */
static ubi_status rows_add_up(filtering *f) {
    const ubi__final_row *rows = f->whole->rows.at;
    for (size_t parent = f->n_rows; parent-- > 0;) {
        size_t end = (size_t)rows[parent].first_child + rows[parent].n_children;
        uint32_t n_below = 0;
        if (is_unwanted(f, parent))
            return ubi__fail_cancelled();
        for (size_t row = rows[parent].first_child; row < end; row++)
            n_below += f->sizes[row];
        bool is_left = n_below || f->is_below[parent] || parent == 0;
        f->sizes[parent] = n_below + is_left;
    }
    return UBI_OK;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

/* The i-th row in an order in which parents come first, and siblings as the builder had them; UBI_NONE: there is none. */
static uint32_t row_in_order(const filtering *f, size_t i) {
    return f->whole->is_inverted ? f->whole->by_id.at[i] : (uint32_t)i;
}

static ubi_status ids_assign(filtering *f) {
    const ubi_census_tree *whole = f->whole;
    size_t n = whole->is_inverted ? whole->by_id.n : f->n_rows;
    f->next[0] = (uint32_t)whole->by_id.n + 2; /* the root has the first id behind those of the whole tree */
    for (size_t i = 0; i < n; i++) {
        uint32_t row = row_in_order(f, i);
        if (is_unwanted(f, i))
            return ubi__fail_cancelled();
        if (row == UBI_NONE || row == 0 || !f->sizes[row])
            continue;
        uint32_t parent = whole->by_id.at[whole->rows.at[row].parent_id - 1];
        f->next[row] = f->next[parent] + 1;
        f->next[parent] += f->sizes[row];
    }
    return UBI_OK;
}

/* Once all are numbered. */
static uint32_t row_id(const filtering *f, size_t row) {
    return f->next[row] - f->sizes[row];
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* The rows that are left, in the order of the whole tree. There is room for them. */
static ubi_status rows_list(filtering *f, ubi_census_tree *tree) {
    ubi__filtered_row *rows = tree->filtered.at;
    ubi_census_node_ix n = 0, next_child = 1;
    rows[0].parent_id = 0;
    for (size_t source = 0; source < f->n_rows; source++) {
        const ubi__final_row *row = &f->whole->rows.at[source];
        size_t end = (size_t)row->first_child + row->n_children;
        if (is_unwanted(f, source))
            return ubi__fail_cancelled();
        if (!f->sizes[source])
            continue;
        rows[n].source = (ubi_census_node_ix)source;
        rows[n].id = row_id(f, source);
        rows[n].first_child = next_child;
        tree->by_id.at[rows[n].id - 1 - tree->n_earlier_ids] = n;
        for (size_t child = row->first_child; child < end; child++)
            if (f->sizes[child])
                rows[next_child++].parent_id = rows[n].id;
        n++;
    }
    rows[n] = (ubi__filtered_row){ .first_child = next_child };
    UBI_ASSERT(n == f->sizes[0] && n == next_child);
    tree->filtered.n = (size_t)n + 1;
    tree->by_id.n = n;
    return UBI_OK;
}

static ubi_status filtered_tree_new(ubi_census_tree **out, filtering *f) {
    ubi_census_tree *tree = UBI_NEW(f->allocator, ubi_census_tree);
    size_t n = f->sizes[0];
    if (!tree)
        return ubi__fail_nomem();
    tree->allocator = f->allocator;
    tree->whole = f->whole;
    tree->n_earlier_ids = (uint32_t)f->whole->by_id.n;
    ubi_status status = ubi__vec_filtered_row_reserve(&tree->filtered, f->allocator, n + 1);
    if (status == UBI_OK)
        status = ubi__vec_u32_reserve(&tree->by_id, f->allocator, n);
    if (status == UBI_OK)
        status = rows_list(f, tree);
    if (status == UBI_OK)
        *out = tree;
    else
        ubi_census_tree_free(tree);
    return status;
}

static ubi_status tree_filter(ubi_census_tree **out, filtering *f, ubi_text wanted) {
    const ubi_allocator *a = f->allocator;
    f->has_match = ubi__alloc_array(a, f->n_names, sizeof *f->has_match);
    f->is_below = ubi__alloc_array(a, f->n_rows, sizeof *f->is_below);
    f->sizes = ubi__alloc_array(a, f->n_rows, sizeof *f->sizes);
    f->next = ubi__alloc_array(a, f->n_rows, sizeof *f->next);
    if (!f->has_match || !f->is_below || !f->sizes || !f->next)
        return ubi__fail_nomem();
    UBI_TRY(names_match(f, wanted));
    UBI_TRY(rows_match(f));
    UBI_TRY(rows_add_up(f));
    UBI_TRY(ids_assign(f));
    return filtered_tree_new(out, f);
}

ubi_status ubi__census_tree_filter(ubi_census_tree **out, const ubi_census_tree *whole, ubi_text text,
                                   const ubi_progress *progress, const ubi_allocator *allocator) {
    ubi__pulse pulse = ubi__pulse_of(progress);
    filtering f = { .allocator = allocator, .whole = whole, .pulse = &pulse };
    UBI_ASSERT(!whole->whole);
    f.n_rows = whole->rows.n;
    f.n_names = whole->names.n;
    ubi_status status = tree_filter(out, &f, text);
    ubi__free_array(allocator, f.has_match, f.n_names, sizeof *f.has_match);
    ubi__free_array(allocator, f.is_below, f.n_rows, sizeof *f.is_below);
    ubi__free_array(allocator, f.sizes, f.n_rows, sizeof *f.sizes);
    ubi__free_array(allocator, f.next, f.n_rows, sizeof *f.next);
    if (status == UBI_OK)
        ubi__census_tree_check(*out);
    return status;
}

/* ---- orders ------------------------------------------------------------------------------------------------------ */

ubi_census_node_ix ubi__filtered_source(const ubi_census_tree *tree, ubi_census_node_ix node) {
    return tree->filtered.at[UBI_INDEX(node, tree->by_id.n)].source;
}

ubi_status ubi__filtered_children_in_order(ubi_census_node_ix *out, const ubi_census_tree *tree,
                                           ubi_census_node_ix parent, const ubi_census_node_ix *whole_order,
                                           const ubi_allocator *allocator) {
    const ubi__filtered_row *row = &tree->filtered.at[UBI_INDEX(parent, tree->by_id.n)];
    const ubi__final_row *source = &tree->whole->rows.at[row->source];
    uint32_t n_children = source->n_children, first = source->first_child, n = 0;
    uint32_t *left = ubi__alloc_array(allocator, n_children, sizeof *left); /* what a child of the source is here */
    if (n_children && !left)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n_children; i++)
        left[i] = UBI_NONE;
    for (ubi_census_node_ix child = row->first_child; child < row[1].first_child; child++)
        left[UBI_INDEX(tree->filtered.at[child].source - first, n_children)] = child;
    for (uint32_t i = 0; i < n_children; i++)
        if (left[whole_order[i] - first] != UBI_NONE)
            out[n++] = left[whole_order[i] - first];
    UBI_ASSERT(n == row[1].first_child - row->first_child);
    ubi__free_array(allocator, left, n_children, sizeof *left);
    return UBI_OK;
}
