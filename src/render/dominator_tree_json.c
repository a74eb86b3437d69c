/* SPDX-License-Identifier: MIT
 *
 * dominator_tree_json.c: labels, and rows of a dominator tree, as nested JSON or as a flat list.
 *
 * A tree is as deep as it was asked for; the walk keeps its own stack.
 */
#include <ubiheap/views/render.h>

#include "base/alloc.h"
#include "render/result_json.h"

void ubi__render_label(ubi__json *json, const ubi_label *label) {
    if (!label->is_defined) {
        ubi__json_null(json);
        return;
    }
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < label->n_parts; i++) {
        if (label->parts[i].is_stack)
            ubi__render_stack(json, label->parts[i].stack);
        else
            ubi__json_text(json, label->parts[i].text);
    }
    ubi__json_array_end(json);
}

typedef struct level {
    ubi_dominator_node *const *children;
    uint32_t n_children;
    uint32_t next;
} level;

UBI_VEC_DECLARE(level_stack, level);

/* Everything of a row but its children, leaving the object open. */
static void open_row(ubi__json *json, const ubi_dominator_row *row) {
    ubi__json_object_begin(json);
    ubi__json_member_node_id(json, "nodeId", row->node_id);
    ubi__json_key(json, "label");
    ubi__render_label(json, row->label);
    ubi__json_member_u64(json, "shallowSize", row->shallow_bytes);
    ubi__json_member_u64(json, "retainedSize", row->retained_bytes);
    ubi__json_member_bool(json, "moreChildrenAvailable", row->more_children_available);
    if (!row->has_parent)
        return;
    ubi__json_member_node_id(json, "parentId", row->parent_id);
}

static ubi_status node_enter(level_stack *stack, ubi__json *json, const ubi_dominator_node *node) {
    ubi_dominator_row row;
    ubi_dominator_node_get(node, &row);
    open_row(json, &row);
    if (!row.has_children) {
        ubi__json_object_end(json);
        return UBI_OK;
    }
    ubi__json_member_array(json, "children");
    return level_stack_push(stack, ubi_allocator_default(), (level){ row.children, row.n_children, 0 });
}

static ubi_status write_all(level_stack *stack, ubi__json *json, const ubi_dominator_node *tree) {
    UBI_TRY(node_enter(stack, json, tree));
    while (stack->n && !json->failed) {
        level *top = &stack->at[stack->n - 1];
        if (top->next < top->n_children) {
            UBI_TRY(node_enter(stack, json, top->children[top->next++]));
            continue;
        }
        ubi__json_array_end(json);
        ubi__json_object_end(json);
        stack->n--;
    }
    return UBI_OK;
}

ubi_status ubi__render_dominator_tree(ubi__json *json, const ubi_dominator_node *tree) {
    level_stack stack = { 0 };
    ubi_status status = write_all(&stack, json, tree);
    level_stack_fini(&stack, ubi_allocator_default());
    return status;
}

/* ---- flat list --------------------------------------------------------------------------------------------------- */

typedef struct flat_walk {
    ubi__json *json; /* NULL: only the depth is wanted */
    level_stack stack;
    uint32_t depth; /* of the deepest row, from 1 */
} flat_walk;

static ubi_status node_pass(flat_walk *w, const ubi_dominator_node *node) {
    ubi_dominator_row row;
    uint32_t above = (uint32_t)w->stack.n;
    ubi_dominator_node_get(node, &row);
    w->depth = above >= w->depth ? above + 1 : w->depth;
    if (w->json) {
        open_row(w->json, &row);
        ubi__json_member_u64(w->json, "depth", above);
        ubi__json_object_end(w->json);
    }
    return level_stack_push(&w->stack, ubi_allocator_default(),
                            (level){ row.children, row.has_children ? row.n_children : 0, 0 });
}

static ubi_status pass_all(flat_walk *w, const ubi_dominator_node *tree) {
    UBI_TRY(node_pass(w, tree));
    while (w->stack.n && !(w->json && w->json->failed)) {
        level *top = &w->stack.at[w->stack.n - 1];
        if (top->next < top->n_children)
            UBI_TRY(node_pass(w, top->children[top->next++]));
        else
            w->stack.n--;
    }
    return UBI_OK;
}

ubi_status ubi__render_dominator_rows(ubi__json *json, const ubi_dominator_node *tree) {
    flat_walk w = { .json = json };
    ubi__json_array_begin(json);
    ubi_status status = pass_all(&w, tree);
    ubi__json_array_end(json);
    level_stack_fini(&w.stack, ubi_allocator_default());
    return status;
}

ubi_status ubi__dominator_tree_depth(uint32_t *out, const ubi_dominator_node *tree) {
    flat_walk w = { .json = NULL };
    ubi_status status = pass_all(&w, tree);
    level_stack_fini(&w.stack, ubi_allocator_default());
    *out = w.depth;
    return status;
}

ubi_status ubi_render_dominator_tree_json(ubi_write_fn fn, void *payload, const ubi_dominator_node *tree) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_dominator_tree(&json, tree));
    return ubi__json_flush(&json);
}
