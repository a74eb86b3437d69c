/* SPDX-License-Identifier: MIT
 *
 * flame_tree.c: see flame_tree.h.
 *
 * Callers of a trace come before it, so one pass gives each trace the node of its whole frame. A stack that begins behind inlined
 * wrappers ends at another node, which is found when it is needed.
 */
#include "recording/flame_tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "recording/recording_place.h"
#include "recording/tuple_table.h"

#define ROOT 0
#define NAME_BYTES 8192
#define POSITION_BYTES 512

typedef struct builder {
    ubi__flame_tree *tree;
    const ubi__stack_choice *choice;
    const ubi__ubirec_tables *tables;
    ubi__tuple_table edges; /* (parent, name) -> node, from 1 */
    uint64_t *values;       /* values[trace]: of stacks that begin there */
    uint8_t *is_used;       /* is_used[trace]: there or in what it called */
    uint32_t *node_of;      /* node_of[trace]: of its whole frame */
} builder;

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* Functions of scripts that have no name are many. */
static void node_name(char out[NAME_BYTES], const builder *b, const ubi__recording_place *place) {
    const ubi__stack_naming *naming = b->choice->naming;
    char position[POSITION_BYTES];
    if (naming) {
        naming->name(out, NAME_BYTES, place, naming->payload);
        return;
    }
    ubi__recording_place_name(out, NAME_BYTES, place);
    if (place->function.len || place->has_address)
        return;
    ubi__recording_place_position(position, sizeof position, place);
    if (*position)
        snprintf(out, NAME_BYTES, "(anonymous %s)", position);
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------ */

static ubi_status child_get(builder *b, ubi__flame_ix *out, ubi__flame_ix parent, const ubi__recording_place *place) {
    char text[NAME_BYTES];
    ubi_str_ix name;
    bool is_new;
    node_name(text, b, place);
    UBI_TRY(ubi__strtab_intern(&b->tree->names, &name, ubi__text(text)));
    const uint64_t edge[] = { parent, name };
    UBI_TRY(ubi__tuple_table_number(&b->edges, out, &is_new, edge));
    if (!is_new)
        return UBI_OK;
    ubi__flame_node node = { .parent = parent, .name = name, .depth = b->tree->nodes.at[parent].depth + 1 };
    if (node.depth > b->tree->depth)
        b->tree->depth = node.depth;
    return ubi__vec_flame_node_push(&b->tree->nodes, b->tree->allocator, node);
}

/* The node of a trace's frame, from its outermost function to the one of symbol `first`. */
static ubi_status frame_node_get(builder *b, ubi__flame_ix *out, uint32_t trace, uint32_t first) {
    const ubi__ubirec_trace_row *row = &b->tables->traces.at[trace];
    ubi__recording_place place;
    uint32_t n;
    ubi__ubirec_symbols_of(b->tables, row->frame, &n);
    *out = row->caller == UBI__UBIREC_NO_TRACE ? ROOT : b->node_of[row->caller];
    for (uint32_t i = n ? n : 1; i-- > first;) {
        ubi__recording_frame_place(&place, b->tables, row->frame, i);
        UBI_TRY(child_get(b, out, *out, &place));
    }
    return UBI_OK;
}

static uint32_t first_symbol(const builder *b, uint32_t trace) {
    return b->choice->with_wrappers ? 0 : ubi__recording_asking_symbol(b->tables, trace);
}

static void self_add(builder *b, ubi__flame_ix node, uint64_t value) {
    uint64_t *self = &b->tree->nodes.at[node].self;
    *self += value < INT64_MAX - *self ? value : INT64_MAX - *self;
}

/* A frame is the caller of others, or a stack begins in it, or both. */
static ubi_status trace_add(builder *b, uint32_t trace, bool is_caller) {
    ubi__flame_ix node;
    if (is_caller)
        UBI_TRY(frame_node_get(b, &b->node_of[trace], trace, 0));
    if (b->values[trace] == 0)
        return UBI_OK;
    UBI_TRY(frame_node_get(b, &node, trace, first_symbol(b, trace)));
    self_add(b, node, b->values[trace]);
    return UBI_OK;
}

/* The other way around: callers are below. */
static ubi_status stack_add(builder *b, uint32_t trace) {
    ubi__recording_walk walk;
    ubi__recording_place place;
    ubi__flame_ix node = ROOT;
    if (b->choice->with_wrappers)
        ubi__recording_walk_whole(&walk, b->tables, trace);
    else
        ubi__recording_walk_trace(&walk, b->tables, trace);
    while (ubi__recording_walk_next(&walk, &place))
        UBI_TRY(child_get(b, &node, node, &place));
    self_add(b, node, b->values[trace]);
    return UBI_OK;
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

static void values_gather(builder *b, ubi__stack_measure measure) {
    ubi__whole_parts parts = { 0 };
    for (uint32_t i = 0; i < b->tables->infos.n; i++) {
        if (!ubi__stack_has_info(b->choice, i))
            continue;
        uint64_t value = ubi__stack_value(b->choice, measure, i, &parts);
        uint64_t *sum = &b->values[ubi__stack_of_info(b->choice, i)];
        *sum += value < INT64_MAX - *sum ? value : INT64_MAX - *sum;
    }
}

static ubi_status traces_add(builder *b) {
    const ubi__vec_ubirec_trace *traces = &b->tables->traces;
    for (size_t i = traces->n; i-- > 1;)
        if (b->values[i] || b->is_used[i])
            b->is_used[traces->at[i].caller] = true;
    for (uint32_t i = 1; i < traces->n; i++)
        if (b->values[i] || b->is_used[i])
            UBI_TRY(trace_add(b, i, b->is_used[i]));
    return UBI_OK;
}

static ubi_status stacks_add(builder *b) {
    for (uint32_t i = 1; i < b->tables->traces.n; i++)
        if (b->values[i])
            UBI_TRY(stack_add(b, i));
    return UBI_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------------ */

/* Children come after their parents. */
static void values_add_up(ubi__flame_tree *tree) {
    ubi__flame_node *nodes = tree->nodes.at;
    for (size_t i = tree->nodes.n; i-- > 0;) {
        nodes[i].all += nodes[i].self < INT64_MAX - nodes[i].all ? nodes[i].self : INT64_MAX - nodes[i].all;
        uint64_t *of_parent = &nodes[nodes[i].parent].all;
        if (i != ROOT)
            *of_parent += nodes[i].all < INT64_MAX - *of_parent ? nodes[i].all : INT64_MAX - *of_parent;
    }
}

/* The smallest of the last parent first, so that linking each in front leaves the largest in front. */
static int node_compare(const void *left, const void *right, void *payload) {
    const ubi__flame_tree *tree = payload;
    ubi__flame_ix x = *(const ubi__flame_ix *)left, y = *(const ubi__flame_ix *)right;
    uint64_t of_x = tree->nodes.at[x].all, of_y = tree->nodes.at[y].all;
    if (of_x != of_y)
        return of_x < of_y ? -1 : 1;
    int names = ubi__text_compare(ubi__flame_name(tree, y), ubi__flame_name(tree, x));
    return names ? names : x < y ? 1 : -1;
}

static ubi_status children_link(ubi__flame_tree *tree) {
    size_t n = tree->nodes.n;
    ubi__flame_ix *order = ubi__alloc_array(tree->allocator, n, sizeof *order);
    if (!order)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    qsort_r(order + 1, n - 1, sizeof *order, node_compare, tree);
    for (size_t i = 1; i < n; i++) {
        ubi__flame_node *node = &tree->nodes.at[order[i]], *parent = &tree->nodes.at[node->parent];
        node->next_sibling = parent->first_child;
        parent->first_child = order[i];
    }
    ubi__free_array(tree->allocator, order, n, sizeof *order);
    return UBI_OK;
}

ubi_status ubi__flame_tree_finish(ubi__flame_tree *tree) {
    values_add_up(tree);
    UBI_TRY(children_link(tree));
    ubi__flame_tree_check(tree);
    return UBI_OK;
}

/* ---- the tree --------------------------------------------------------------------------------------------------------- */

void ubi__flame_tree_check(const ubi__flame_tree *tree) {
    if (!UBI_CHECKS)
        return;
    for (ubi__flame_ix i = 0; i < tree->nodes.n; i++) {
        const ubi__flame_node *node = &tree->nodes.at[i];
        uint64_t sum = node->self, last = UINT64_MAX;
        UBI_ASSERT(i == ROOT || (node->parent < i && node->depth == tree->nodes.at[node->parent].depth + 1));
        for (ubi__flame_ix child = node->first_child; child; child = tree->nodes.at[child].next_sibling) {
            UBI_ASSERT(tree->nodes.at[child].parent == i && tree->nodes.at[child].all <= last);
            last = tree->nodes.at[child].all;
            sum += last < INT64_MAX - sum ? last : INT64_MAX - sum;
        }
        UBI_ASSERT(sum == node->all);
        UBI_ASSERT(!tree->past || (tree->past[i].self <= node->self && tree->past[i].all <= node->all));
    }
}

static ubi_status tree_build(builder *b, ubi__stack_measure measure, bool is_inverted) {
    ubi_str_ix name;
    size_t n = b->tables->traces.n;
    b->values = ubi__calloc_array(b->tree->allocator, n, sizeof *b->values);
    b->is_used = ubi__calloc_array(b->tree->allocator, n, sizeof *b->is_used);
    b->node_of = ubi__calloc_array(b->tree->allocator, n, sizeof *b->node_of);
    if (!b->values || !b->is_used || !b->node_of)
        return ubi__fail_nomem();
    UBI_TRY(ubi__strtab_intern(&b->tree->names, &name, ubi__text("all")));
    UBI_TRY(ubi__vec_flame_node_push(&b->tree->nodes, b->tree->allocator, (ubi__flame_node){ .name = name }));
    values_gather(b, measure);
    b->tree->nodes.at[ROOT].self = b->values[UBI__UBIREC_NO_TRACE];
    UBI_TRY(is_inverted ? stacks_add(b) : traces_add(b));
    return ubi__flame_tree_finish(b->tree);
}

ubi_status ubi__flame_tree_init(ubi__flame_tree *tree, const ubi__stack_choice *choice, ubi__stack_measure measure,
                                bool is_inverted, const ubi_allocator *allocator) {
    builder b = { .tree = tree, .choice = choice, .tables = ubi__stack_tables(choice) };
    size_t n = b.tables->traces.n;
    *tree = (ubi__flame_tree){ .allocator = allocator };
    ubi__strtab_init(&tree->names, allocator);
    ubi__tuple_table_init(&b.edges, 2, "functions with callers", allocator);
    b.edges.base = 1;
    ubi_status status = tree_build(&b, measure, is_inverted);
    ubi__tuple_table_fini(&b.edges);
    ubi__free_array(allocator, b.values, n, sizeof *b.values);
    ubi__free_array(allocator, b.is_used, n, sizeof *b.is_used);
    ubi__free_array(allocator, b.node_of, n, sizeof *b.node_of);
    if (status != UBI_OK)
        ubi__flame_tree_fini(tree);
    return status;
}

void ubi__flame_tree_fini(ubi__flame_tree *tree) {
    ubi__free_array(tree->allocator, tree->past, tree->past ? tree->nodes.n : 0, sizeof *tree->past);
    tree->past = NULL;
    ubi__vec_flame_node_fini(&tree->nodes, tree->allocator);
    ubi__strtab_fini(&tree->names);
}
