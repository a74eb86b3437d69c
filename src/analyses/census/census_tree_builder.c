/* SPDX-License-Identifier: MIT
 *
 * census_tree_builder.c: the plain census tree, from the visit of a report (census_tree.h).
 *
 * A sub-report under a text is a row of its own. One under a stack is the end of a path of rows, one per frame from
 * the oldest to the youngest, and paths share their beginnings:
 *
 *     Map { c<b<a: 10, d<b<a: 20 }   ->   a -> b -> { c 10, d 20 }
 *
 * Frames merge when function, source, line and column are equal (below one parent). To find the place of a stack, its
 * frames are searched from the youngest for one that was placed already, so each frame of the table is looked at
 * once per map, however many stacks it is part of.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/census-tree-node.js, CensusTreeNodeVisitor.
  */
#include "analyses/census/census_tree.h"

#include <string.h>

#include "analyses/census/breakdown.h"
#include "analyses/census/report.h"
#include "base/merge_sort.h"
#include "base/text.h"

/* The children of a row, and what they add up to. */
static void assert_children(const ubi__tree_builder *b, ubi__row_ix at) {
    const ubi__tree_row *row = &b->rows.at[at];
    int64_t bytes = row->bytes, count = row->count;
    ubi__row_ix last = UBI_NONE;
    for (ubi__row_ix i = row->first_child; i != UBI_NONE; last = i, i = b->rows.at[i].next_sibling) {
        const ubi__tree_row *child = &b->rows.at[UBI_INDEX(i, b->rows.n)];
        UBI_ASSERT(child->parent == at && i > at);
        bytes = child->is_apart ? bytes : ubi__add_i64(bytes, child->total_bytes);
        count = child->is_apart ? count : ubi__add_i64(count, child->total_count);
    }
    UBI_ASSERT(last == row->last_child && (last == UBI_NONE || row->has_children));
    UBI_ASSERT(b->compat != UBI_COMPAT_NONE || (row->total_bytes == bytes && row->total_count == count));
}

void ubi__tree_builder_check(const ubi__tree_builder *b) {
    UBI_ASSERT(b->open.n == 0);
    UBI_ASSERT(b->stack_names.n == ubi__strtab_count(&b->stack_keys));
    for (size_t i = 0; UBI_CHECKS && i < b->rows.n; i++) {
        UBI_ASSERT(b->rows.at[i].is_settled && b->rows.at[i].name < b->names.n);
        assert_children(b, (ubi__row_ix)i);
    }
}

void ubi__tree_builder_init(ubi__tree_builder *b, const ubi_allocator *allocator, ubi_compat compat) {
    *b = (ubi__tree_builder){ .allocator = allocator, .compat = compat };
    ubi__strtab_init(&b->texts, allocator);
    ubi__strtab_init(&b->frame_keys, allocator);
    ubi__strtab_init(&b->stack_keys, allocator);
    ubi__u64_map_init(&b->placed, allocator);
    ubi__u64_map_init(&b->children, allocator);
}

void ubi__tree_builder_fini(ubi__tree_builder *b) {
    ubi__vec_tree_row_fini(&b->rows, b->allocator);
    ubi__vec_tree_name_fini(&b->names, b->allocator);
    ubi__vec_tree_leaf_fini(&b->leaves, b->allocator);
    ubi__vec_u32_fini(&b->open, b->allocator);
    ubi__strtab_fini(&b->texts);
    ubi__strtab_fini(&b->frame_keys);
    ubi__strtab_fini(&b->stack_keys);
    ubi__vec_u32_fini(&b->stack_names, b->allocator);
    ubi__u64_map_fini(&b->placed);
    ubi__u64_map_fini(&b->children);
    ubi__vec_u32_fini(&b->scratch, b->allocator);
    ubi__vec_u32_fini(&b->scratch_spare, b->allocator);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static ubi_status push_name(ubi__tree_builder *b, uint32_t *out, const ubi__tree_name *name) {
    *out = (uint32_t)b->names.n;
    return ubi__vec_tree_name_push(&b->names, b->allocator, *name);
}

static ubi_status intern_text(ubi__tree_builder *b, uint32_t *out, ubi_text text) {
    uint64_t entry, key = (uint64_t)(uintptr_t)text.ptr;
    if (ubi__text_memo_get(&entry, &b->long_texts, key, text.len)) {
        *out = (uint32_t)entry;
        return UBI_OK;
    }
    UBI_TRY(ubi__strtab_intern(&b->texts, out, text));
    ubi__text_memo_put(&b->long_texts, key, text.len, *out);
    return UBI_OK;
}

/** A text, or null when `text.ptr` is NULL. Null merges with the text "null", as there. */
static ubi_status text_name(ubi__tree_builder *b, uint32_t *out, ubi_text text) {
    uint32_t entry;
    UBI_TRY(intern_text(b, &entry, text.ptr ? text : ubi__text("null")));
    ubi__tree_name name = { .type = text.ptr ? UBI_CENSUS_NAME_TEXT : UBI_CENSUS_NAME_NULL, .text = text };
    name.merge_class = 2 * entry;
    name.parent = UBI_NONE;
    return push_name(b, out, &name);
}

static ubi_status frame_class(ubi__tree_builder *b, uint32_t *out, const ubi_frame *frame) {
    uint32_t key[4] = { UBI_NONE, UBI_NONE, frame->line, frame->column }, entry;
    if (frame->function_name.ptr)
        UBI_TRY(intern_text(b, &key[0], frame->function_name));
    if (frame->source.ptr)
        UBI_TRY(intern_text(b, &key[1], frame->source));
    UBI_TRY(ubi__strtab_intern(&b->frame_keys, &entry, (ubi_text){ (const char *)key, sizeof key }));
    *out = 2 * entry + 1;
    return UBI_OK;
}

static ubi_text stack_key(const ubi_stack *stack) {
    _Static_assert(sizeof(ubi_stack) == 2 * sizeof(void *) + sizeof(uint64_t), "a stack is compared byte by byte");
    return (ubi_text){ (const char *)stack, sizeof *stack };
}

/** Names the youngest frame of `stack`; its caller is named already. */
static ubi_status frame_name(ubi__tree_builder *b, uint32_t *out, ubi_stack stack, uint32_t parent) {
    ubi_frame frame;
    uint32_t entry;
    ubi_stack_frame(stack, &frame);
    ubi__tree_name name = { .type = UBI_CENSUS_NAME_FRAME, .frame = stack, .parent = parent };
    UBI_TRY(frame_class(b, &name.merge_class, &frame));
    UBI_TRY(push_name(b, out, &name));
    UBI_TRY(ubi__strtab_intern(&b->stack_keys, &entry, stack_key(&stack)));
    return ubi__vec_u32_push(&b->stack_names, b->allocator, *out);
}

UBI_VEC_DECLARE(vec_stack, ubi_stack);

/** Frames of `stack` that have no name yet, youngest first; `known`: name of the next older one. */
static ubi_status unnamed_frames(ubi__tree_builder *b, vec_stack *out, uint32_t *known, ubi_stack stack) {
    *known = UBI_NONE;
    do {
        uint32_t entry = ubi__strtab_find_interned(&b->stack_keys, stack_key(&stack));
        if (entry != UBI_NONE) {
            *known = b->stack_names.at[entry];
            return UBI_OK;
        }
        UBI_TRY(vec_stack_push(out, b->allocator, stack));
    } while (ubi_stack_parent(stack, &stack));
    return UBI_OK;
}

/** Name of the youngest frame of a stack. */
static ubi_status stack_name(ubi__tree_builder *b, uint32_t *out, ubi_stack stack) {
    vec_stack unnamed = { 0 };
    ubi_status status = unnamed_frames(b, &unnamed, out, stack);
    while (status == UBI_OK && unnamed.n)
        status = frame_name(b, out, unnamed.at[--unnamed.n], *out);
    vec_stack_fini(&unnamed, b->allocator);
    return status;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static ubi_status check_size(const ubi__tree_builder *b, size_t n) {
    size_t limit = UBI__CENSUS_TREE_ROWS + b->names.n * UBI__CENSUS_TREE_ROWS_PER_NAME;
    limit = limit < UBI__CENSUS_TREE_MAX_ROWS ? limit : UBI__CENSUS_TREE_MAX_ROWS;
    if (n < limit)
        return UBI_OK;
    return ubi__fail(UBI_ELIMIT, "the census tree has more than %zu rows, too many for the %zu names in it", limit,
                     b->names.n);
}

ubi_status ubi__tree_new_row(ubi__tree_builder *b, ubi__row_ix *out, uint32_t name) {
    UBI_TRY(check_size(b, b->rows.n));
    ubi__tree_row row = { .name = name, .parent = UBI_NONE, .source = UBI_NONE };
    row.first_child = row.last_child = row.next_sibling = UBI_NONE;
    row.first_leaf = row.last_leaf = UBI_NONE;
    *out = (ubi__row_ix)b->rows.n;
    return ubi__vec_tree_row_push(&b->rows, b->allocator, row);
}

void ubi__tree_append_child(ubi__tree_builder *b, ubi__row_ix parent, ubi__row_ix child) {
    ubi__tree_row *p = &b->rows.at[parent];
    b->rows.at[child].parent = parent;
    b->rows.at[child].next_sibling = UBI_NONE;
    if (p->first_child == UBI_NONE)
        p->first_child = child;
    else
        b->rows.at[p->last_child].next_sibling = child;
    p->last_child = child;
    p->has_children = true;
}

ubi_status ubi__tree_add_leaf(ubi__tree_builder *b, ubi__row_ix row, uint32_t index) {
    uint32_t place = (uint32_t)b->leaves.n;
    UBI_TRY(check_size(b, b->leaves.n));
    UBI_TRY(ubi__vec_tree_leaf_push(&b->leaves, b->allocator, (ubi__tree_leaf){ index, UBI_NONE }));
    ubi__tree_row *r = &b->rows.at[row];
    if (r->first_leaf == UBI_NONE)
        r->first_leaf = place;
    else
        b->leaves.at[r->last_leaf].next = place;
    r->last_leaf = place;
    return UBI_OK;
}

/** Row of a named frame below `parent`: one that is there, or a new one. */
static ubi_status frame_row(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix parent, uint32_t name) {
    uint64_t key = ubi__u64_pair(parent, b->names.at[name].merge_class);
    *out = ubi__u64_map_get(&b->children, key);
    if (*out != UBI_NONE)
        return UBI_OK;
    UBI_TRY(ubi__tree_new_row(b, out, name));
    ubi__tree_append_child(b, parent, *out);
    return ubi__u64_map_put(&b->children, key, *out);
}

/** Row of the youngest frame of a stack, with the rows of its callers above it and below `scope`. */
static ubi_status stack_row(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix scope, ubi_stack stack) {
    uint32_t name;
    UBI_TRY(stack_name(b, &name, stack));
    b->scratch.n = 0;
    ubi__row_ix row = UBI_NONE;
    for (; name != UBI_NONE; name = b->names.at[name].parent) {
        row = ubi__u64_map_get(&b->placed, ubi__u64_pair(scope, name));
        if (row != UBI_NONE)
            break;
        UBI_TRY(ubi__vec_u32_push(&b->scratch, b->allocator, name));
    }
    *out = row == UBI_NONE ? scope : row;
    while (b->scratch.n) {
        name = b->scratch.at[--b->scratch.n];
        UBI_TRY(frame_row(b, out, *out, name));
        UBI_TRY(ubi__u64_map_put(&b->placed, ubi__u64_pair(scope, name), *out));
    }
    return UBI_OK;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

static int compare_absolute(int64_t a, int64_t b) {
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    return x > y ? -1 : x < y;
}

static bool total_before(const ubi__tree_row *rows, ubi__row_ix a, ubi__row_ix b) {
    const ubi__tree_row *x = &rows[a], *y = &rows[b];
    int order = compare_absolute(x->total_bytes, y->total_bytes);
    order = order ? order : compare_absolute(x->total_count, y->total_count);
    order = order ? order : compare_absolute(x->bytes, y->bytes);
    order = order ? order : compare_absolute(x->count, y->count);
    return order < 0;
}

static bool self_before(const ubi__tree_row *rows, ubi__row_ix a, ubi__row_ix b) {
    const ubi__tree_row *x = &rows[a], *y = &rows[b];
    int order = compare_absolute(x->bytes, y->bytes);
    order = order ? order : compare_absolute(x->count, y->count);
    order = order ? order : compare_absolute(x->total_bytes, y->total_bytes);
    order = order ? order : compare_absolute(x->total_count, y->total_count);
    return order < 0;
}

UBI_SORT_DEFINE(sort_by_total, ubi__row_ix, const ubi__tree_row *, total_before);
UBI_SORT_DEFINE(sort_by_self, ubi__row_ix, const ubi__tree_row *, self_before);

ubi_status ubi__tree_sorted_children(ubi__tree_builder *b, ubi__row_ix row, bool by_self) {
    b->scratch.n = b->scratch_spare.n = 0;
    for (ubi__row_ix child = b->rows.at[row].first_child; child != UBI_NONE; child = b->rows.at[child].next_sibling)
        UBI_TRY(ubi__vec_u32_push(&b->scratch, b->allocator, child));
    UBI_TRY(ubi__vec_u32_reserve(&b->scratch_spare, b->allocator, b->scratch.n));
    if (by_self)
        sort_by_self(b->scratch.at, b->scratch_spare.at, b->scratch.n, b->rows.at);
    else
        sort_by_total(b->scratch.at, b->scratch_spare.at, b->scratch.n, b->rows.at);
    return UBI_OK;
}

/* ---- the visit --------------------------------------------------------------------------------------------------- */

static bool is_frame(const ubi__tree_builder *b, ubi__row_ix row) {
    return b->names.at[b->rows.at[row].name].type == UBI_CENSUS_NAME_FRAME;
}

static bool is_empty(const ubi__tree_row *row) {
    return row->first_child == UBI_NONE && row->bytes == 0 && row->count == 0;
}

/** Sorts the children of a row, drops the empty ones and adds up its totals; the children's totals are right. */
static ubi_status settle_row(ubi__tree_builder *b, ubi__row_ix row, bool prune) {
    UBI_TRY(ubi__tree_sorted_children(b, row, false));
    ubi__tree_row *r = &b->rows.at[row];
    r->first_child = r->last_child = UBI_NONE;
    r->total_bytes = r->bytes;
    r->total_count = r->count;
    for (size_t i = 0; i < b->scratch.n; i++) {
        const ubi__tree_row *child = &b->rows.at[b->scratch.at[i]];
        if (prune && is_empty(child))
            continue;
        ubi__tree_append_child(b, row, b->scratch.at[i]);
        if (child->is_apart)
            continue;
        r->total_bytes = ubi__add_i64(r->total_bytes, child->total_bytes);
        r->total_count = ubi__add_i64(r->total_count, child->total_count);
    }
    r->is_settled = true;
    return UBI_OK;
}

static ubi_text edge_text(const ubi_report_key *edge, const ubi_breakdown *breakdown) {
    switch (edge->type) {
    case UBI_KEY_TEXT:
    case UBI_KEY_NO_STACK:
        return edge->text;
    case UBI_KEY_INDEX:
        return ubi__text(breakdown->member_name);
    default:
        return (ubi_text){ NULL, 0 };
    }
}

static ubi_status plain_row(ubi__tree_builder *b, ubi__row_ix *out, ubi_text text) {
    uint32_t name;
    UBI_TRY(text_name(b, &name, text));
    UBI_TRY(ubi__tree_new_row(b, out, name));
    if (b->open.n)
        ubi__tree_append_child(b, b->open.at[b->open.n - 1], *out);
    return UBI_OK;
}

static ubi_status map_row(ubi__tree_builder *b, ubi__row_ix *out, ubi__row_ix map, ubi_stack stack) {
    b->rows.at[map].has_frames = true;
    return stack_row(b, out, map, stack);
}

ubi_status ubi__tree_enter(ubi__tree_builder *b, const ubi_report_key *edge, const ubi_breakdown *breakdown) {
    ubi__row_ix row;
    UBI_ASSERT((edge == NULL) == (b->next_leaf_index == 0) && (edge == NULL) == (b->open.n == 0));
    b->next_leaf_index++;
    if (!edge)
        UBI_TRY(plain_row(b, &row, (ubi_text){ NULL, 0 }));
    else if (edge->type == UBI_KEY_STACK)
        UBI_TRY(map_row(b, &row, b->open.at[b->open.n - 1], edge->stack));
    else
        UBI_TRY(plain_row(b, &row, edge_text(edge, breakdown)));
    b->rows.at[row].is_apart = edge && edge->type == UBI_KEY_INDEX && edge->index > 0;
    return ubi__vec_u32_push(&b->open, b->allocator, row);
}

/*
 * A row gets the numbers of a second leaf only when two stacks differ in nothing that a tree shows (say, in isSystem).
 * Firefox keeps the later numbers; we add them.
 */
ubi_status ubi__tree_count(ubi__tree_builder *b, int64_t count, int64_t bytes) {
    UBI_ASSERT(b->open.n > 0);
    ubi__row_ix at = b->open.at[b->open.n - 1];
    ubi__tree_row *row = &b->rows.at[at];
    if (b->compat == UBI_COMPAT_FIREFOX) {
        row->count = row->bytes = 0;
        row->first_leaf = row->last_leaf = UBI_NONE;
    }
    row->count = ubi__add_i64(row->count, count);
    row->bytes = ubi__add_i64(row->bytes, bytes);
    return ubi__tree_add_leaf(b, at, b->next_leaf_index - 1);
}

/**
 * The row of a youngest frame is left: it may be a caller in other stacks of the same map, so its children are not yet
 * complete. Firefox sorts them anyway, which decides the order of ties; it also prunes them permanently, and then
 * loses what a later stack puts below a pruned one, as we do only for it. (Should a second stack end at this row, see
 * above, Firefox sorts once more; we do not, so that no file can make this quadratic.)
 */
static ubi_status leave_frame(ubi__tree_builder *b, ubi__row_ix row) {
    return b->rows.at[row].is_settled ? UBI_OK : settle_row(b, row, b->compat == UBI_COMPAT_FIREFOX);
}

/** A map is left: the rows of its frames come after it, callers before what they call. */
static ubi_status leave_map(ubi__tree_builder *b, ubi__row_ix row) {
    for (size_t i = b->rows.n - 1; i > row; i--)
        if (is_frame(b, (ubi__row_ix)i))
            UBI_TRY(settle_row(b, (ubi__row_ix)i, true));
    return settle_row(b, row, true);
}

ubi_status ubi__tree_leave(ubi__tree_builder *b) {
    UBI_ASSERT(b->open.n > 0);
    ubi__row_ix row = b->open.at[--b->open.n];
    if (b->rows.at[row].has_frames)
        return leave_map(b, row);
    return is_frame(b, row) ? leave_frame(b, row) : settle_row(b, row, true);
}
