/* SPDX-License-Identifier: MIT
 *
 * census_tree_json.c: a census tree as nested JSON.
 *
 * A tree is as deep as the longest stack in it, which a file may make very long; the walk keeps its own stack.
 */
#include <ubiheap/views/render.h>

#include "base/alloc.h"
#include "render/result_json.h"

typedef struct level {
    const ubi_census_node_ix *children;
    uint32_t n_children;
    uint32_t next;
} level;

UBI_VEC_DECLARE(level_stack, level);

static void write_name(ubi__json *json, const ubi_census_node *node) {
    ubi_frame frame;
    ubi__json_key(json, "name");
    switch (node->name_type) {
    case UBI_CENSUS_NAME_NULL:
        ubi__json_null(json);
        break;
    case UBI_CENSUS_NAME_TEXT:
        ubi__json_text(json, node->name);
        break;
    case UBI_CENSUS_NAME_FRAME:
        ubi_stack_frame(node->frame, &frame);
        ubi__render_frame(json, &frame);
        break;
    }
}

static void write_leaf_indices(ubi__json *json, const ubi_census_node *node) {
    if (node->n_leaf_indices == 0)
        return;
    ubi__json_key(json, "reportLeafIndex");
    if (node->n_leaf_indices == 1) {
        ubi__json_u64(json, node->leaf_indices[0]);
        return;
    }
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < node->n_leaf_indices; i++)
        ubi__json_u64(json, node->leaf_indices[i]);
    ubi__json_array_end(json);
}

/* Everything of a node but its children, leaving the object open. */
static void open_node(ubi__json *json, const ubi_census_node *node) {
    ubi__json_object_begin(json);
    write_name(json, node);
    ubi__json_member_i64(json, "bytes", node->bytes);
    ubi__json_member_i64(json, "totalBytes", node->total_bytes);
    ubi__json_member_i64(json, "count", node->count);
    ubi__json_member_i64(json, "totalCount", node->total_count);
    ubi__json_member_i64(json, "id", node->id);
    if (node->parent)
        ubi__json_member_i64(json, "parent", node->parent);
    write_leaf_indices(json, node);
}

static ubi_status node_enter(level_stack *stack, ubi__json *json, const ubi_census_tree *tree, ubi_census_node_ix ix) {
    ubi_census_node node;
    ubi_census_tree_node(tree, ix, &node);
    open_node(json, &node);
    if (!node.has_children) {
        ubi__json_object_end(json);
        return UBI_OK;
    }
    ubi__json_member_array(json, "children");
    return level_stack_push(stack, ubi_allocator_default(), (level){ node.children, node.n_children, 0 });
}

static ubi_status write_all(level_stack *stack, ubi__json *json, const ubi_census_tree *tree) {
    UBI_TRY(node_enter(stack, json, tree, ubi_census_tree_root(tree)));
    while (stack->n && !json->failed) {
        level *top = &stack->at[stack->n - 1];
        if (top->next < top->n_children) {
            UBI_TRY(node_enter(stack, json, tree, top->children[top->next++]));
            continue;
        }
        ubi__json_array_end(json);
        ubi__json_object_end(json);
        stack->n--;
    }
    return UBI_OK;
}

ubi_status ubi__render_census_tree(ubi__json *json, const ubi_census_tree *tree) {
    level_stack stack = { 0 };
    ubi_status status = write_all(&stack, json, tree);
    level_stack_fini(&stack, ubi_allocator_default());
    return status;
}

ubi_status ubi_render_census_tree_json(ubi_write_fn fn, void *payload, const ubi_census_tree *tree) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_census_tree(&json, tree));
    return ubi__json_flush(&json);
}
