/* SPDX-License-Identifier: MIT
 *
 * result_json.c: results as JSON: stack frames, census reports as takeCensus gives them, their differences as
 * CensusUtils.diff gives them, census trees, dominator trees and tree maps.
 *
 * A tree is as deep as the longest stack in it, which a file may make very long: every walk keeps a stack of its own.
 */
#include "render/result_json.h"

#include <ubiheap/views/render.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"

/* ---- frames and stacks ---------------------------------------------------------------------------------------------- */

void ubi__render_frame(ubi__json *json, const ubi_frame *frame) {
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "source", frame->source);
    ubi__json_member_u64(json, "line", frame->line);
    ubi__json_member_u64(json, "column", frame->column);
    ubi__json_member_text(json, "functionDisplayName", frame->function_name);
    ubi__json_object_end(json);
}

void ubi__render_stack(ubi__json *json, ubi_stack stack) {
    ubi__json_array_begin(json);
    do {
        ubi_frame frame;
        ubi_stack_frame(stack, &frame);
        ubi__render_frame(json, &frame);
    } while (ubi_stack_parent(stack, &stack));
    ubi__json_array_end(json);
}

/* ---- nested reports --------------------------------------------------------------------------------------------- */

/*
 * A report and a difference of reports are as deep as their breakdown, so the walk keeps a stack of its own. A table of functions
 * describes their parts; an item is a `const ubi_report *` or a `const ubi_delta *`.
 */
typedef struct nested_ops {
    ubi_report_shape (*shape)(const void *item);
    uint32_t (*entry_count)(const void *item);
    const void *(*entry)(const void *item, uint32_t index, ubi_report_key *key);
    /** Writes an item of shape COUNT or BUCKET. */
    ubi_status (*write_leaf)(ubi__json *json, const void *item);
} nested_ops;

typedef struct nested_level {
    const void *item;
    ubi_report_shape shape;
    uint32_t next;
} nested_level;

UBI_VEC_DECLARE(nested_level_stack, nested_level);

static void write_map_key(ubi__json *json, const ubi_report_key *key) {
    ubi__json_key(json, "stack");
    switch (key->type) {
    case UBI_KEY_STACK:
        ubi__render_stack(json, key->stack);
        break;
    case UBI_KEY_NULL_STACK:
        ubi__json_null(json);
        break;
    default:
        ubi__json_string(json, "noStack");
    }
    ubi__json_key(json, "report");
}

static void begin_entry(ubi__json *json, ubi_report_shape parent, const ubi_report_key *key) {
    if (parent == UBI_REPORT_OBJECT) {
        ubi__json_key_text(json, key->text);
    } else if (parent == UBI_REPORT_MAP) {
        ubi__json_object_begin(json);
        write_map_key(json, key);
    }
}

/* The entry of the innermost open item is complete. */
static void end_entry(const nested_level_stack *stack, ubi__json *json) {
    if (stack->n && stack->at[stack->n - 1].shape == UBI_REPORT_MAP)
        ubi__json_object_end(json);
}

/* Writes a leaf whole, which ends an entry; opens anything else and pushes it. */
static ubi_status level_enter(nested_level_stack *stack, ubi__json *json, const nested_ops *ops, const void *item) {
    ubi_report_shape shape = ops->shape(item);
    switch (shape) {
    case UBI_REPORT_COUNT:
    case UBI_REPORT_BUCKET:
        UBI_TRY(ops->write_leaf(json, item));
        end_entry(stack, json);
        return UBI_OK;
    case UBI_REPORT_OBJECT:
        ubi__json_object_begin(json);
        break;
    case UBI_REPORT_MAP:
    case UBI_REPORT_ARRAY:
        ubi__json_array_begin(json);
        break;
    }
    return nested_level_stack_push(stack, ubi_allocator_default(), (nested_level){ item, shape, 0 });
}

static void level_leave(nested_level_stack *stack, ubi__json *json) {
    if (stack->at[--stack->n].shape == UBI_REPORT_OBJECT)
        ubi__json_object_end(json);
    else
        ubi__json_array_end(json);
    end_entry(stack, json);
}

static ubi_status nested_write_all(nested_level_stack *stack, ubi__json *json, const nested_ops *ops,
                                   const void *root) {
    UBI_TRY(level_enter(stack, json, ops, root));
    while (stack->n && !json->has_failed) {
        nested_level *top = &stack->at[stack->n - 1];
        UBI_ASSERT(top->next <= ops->entry_count(top->item));
        UBI_ASSERT(top->shape != UBI_REPORT_COUNT && top->shape != UBI_REPORT_BUCKET);
        if (top->next == ops->entry_count(top->item)) {
            level_leave(stack, json);
            continue;
        }
        ubi_report_key key;
        const void *entry = ops->entry(top->item, top->next++, &key);
        begin_entry(json, top->shape, &key);
        UBI_TRY(level_enter(stack, json, ops, entry));
    }
    return UBI_OK;
}

static ubi_status nested_write(ubi__json *json, const nested_ops *ops, const void *root) {
    nested_level_stack stack = { 0 };
    ubi_status status = nested_write_all(&stack, json, ops, root);
    nested_level_stack_fini(&stack, ubi_allocator_default());
    return status;
}

/* ---- reports -------------------------------------------------------------------------------------------------------- */

static void report_count_write(ubi__json *json, const ubi_report *report) {
    ubi_report_count count;
    ubi_report_get_count(report, &count);
    ubi__json_object_begin(json);
    if (count.has_count)
        ubi__json_member_u64(json, "count", count.count);
    if (count.has_bytes)
        ubi__json_member_u64(json, "bytes", count.bytes);
    if (count.has_label)
        ubi__json_member_text(json, "label", count.label);
    ubi__json_object_end(json);
}

static void report_bucket_write(ubi__json *json, const ubi_report *report) {
    uint64_t n;
    const uint64_t *ids = ubi_report_bucket(report, &n);
    ubi__json_array_begin(json);
    for (uint64_t i = 0; i < n; i++)
        ubi__json_node_id(json, ids[i]);
    ubi__json_array_end(json);
}

static ubi_status report_leaf_write(ubi__json *json, const void *report) {
    if (ubi_report_shape_of(report) == UBI_REPORT_COUNT)
        report_count_write(json, report);
    else
        report_bucket_write(json, report);
    return UBI_OK;
}

static ubi_report_shape report_shape_of(const void *report) {
    return ubi_report_shape_of(report);
}
static uint32_t report_entry_count(const void *report) {
    return ubi_report_entry_count(report);
}
static const void *report_get_entry(const void *report, uint32_t index, ubi_report_key *key) {
    return ubi_report_entry(report, index, key);
}

ubi_status ubi__render_report(ubi__json *json, const ubi_report *report) {
    static const nested_ops ops = { report_shape_of, report_entry_count, report_get_entry, report_leaf_write };
    return nested_write(json, &ops, report);
}

ubi_status ubi_render_report_json(ubi_write_fn fn, void *payload, const ubi_report *report) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_report(&json, report));
    return ubi__json_flush(&json);
}

/* ---- differences of reports ----------------------------------------------------------------------------------------- */

static void delta_count_write(ubi__json *json, const ubi_delta *delta) {
    ubi_delta_count count;
    ubi_delta_get_count(delta, &count);
    ubi__json_object_begin(json);
    if (count.has_count)
        ubi__json_member_i64(json, "count", count.count);
    if (count.has_bytes)
        ubi__json_member_i64(json, "bytes", count.bytes);
    if (count.has_label)
        ubi__json_member_text(json, "label", count.label);
    ubi__json_object_end(json);
}

/* Lists of ids are not compared: a list only in the newer report is copied, any other gives an empty object. */
static ubi_status delta_bucket_write(ubi__json *json, const ubi_delta *delta) {
    if (!ubi_delta_start(delta))
        return ubi__render_report(json, ubi_delta_end(delta));
    ubi__json_object_begin(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status delta_leaf_write(ubi__json *json, const void *delta) {
    if (ubi_delta_shape_of(delta) != UBI_REPORT_COUNT)
        return delta_bucket_write(json, delta);
    delta_count_write(json, delta);
    return UBI_OK;
}

static ubi_report_shape delta_shape_of(const void *delta) {
    return ubi_delta_shape_of(delta);
}
static uint32_t delta_entry_count(const void *delta) {
    return ubi_delta_entry_count(delta);
}
static const void *delta_get_entry(const void *delta, uint32_t index, ubi_report_key *key) {
    return ubi_delta_entry(delta, index, key);
}

ubi_status ubi__render_delta(ubi__json *json, const ubi_delta *delta) {
    static const nested_ops ops = { delta_shape_of, delta_entry_count, delta_get_entry, delta_leaf_write };
    return nested_write(json, &ops, delta);
}

ubi_status ubi_render_delta_json(ubi_write_fn fn, void *payload, const ubi_delta *delta) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_delta(&json, delta));
    return ubi__json_flush(&json);
}

/* ---- tree maps ------------------------------------------------------------------------------------------------------ */

static void box_name_write(ubi__json *json, const ubi_treemap_row *row) {
    ubi_frame frame;
    ubi__json_key(json, "name");
    if (row->name_type == UBI_CENSUS_NAME_FRAME) {
        ubi_stack_frame(row->frame, &frame);
        ubi__render_frame(json, &frame);
    } else {
        ubi__json_text(json, row->name_type == UBI_CENSUS_NAME_TEXT ? row->name : (ubi_text){ NULL, 0 });
    }
}

static void box_origin_write(ubi__json *json, const ubi_treemap_row *row) {
    static const char *const types[] = { "row", "node", "own", "rest" };
    box_name_write(json, row);
    ubi__json_member_string(json, "type", types[row->type]);
    ubi__json_member_u64_or_null(json, "parent", row->parent != UBI_NONE, row->parent);
    if (row->type == UBI_TREEMAP_NODE) {
        ubi__json_member_node_id(json, "nodeId", row->node_id);
    }
}

static void box_write(ubi__json *json, const ubi_treemap_row *row, uint32_t census_row_id) {
    ubi__json_object_begin(json);
    box_origin_write(json, row);
    if (census_row_id)
        ubi__json_member_u64(json, "rowId", census_row_id);
    ubi__json_member_u64(json, "depth", row->box.depth);
    ubi__json_member_string(json, "colorType", ubi_treemap_color_name(row->color));
    ubi__json_member_u64(json, "bytes", row->bytes);
    ubi__json_member_u64(json, "count", row->count);
    ubi__json_member_double(json, "x", row->box.x);
    ubi__json_member_double(json, "y", row->box.y);
    ubi__json_member_double(json, "width", row->box.width);
    ubi__json_member_double(json, "height", row->box.height);
    ubi__json_object_end(json);
}

void ubi__render_treemap(ubi__json *json, const ubi_treemap *map) {
    ubi_treemap_row row;
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < ubi_treemap_row_count(map) && !json->has_failed; i++) {
        ubi_treemap_get(map, i, &row);
        box_write(json, &row, ubi_treemap_census_row_id(map, i));
    }
    ubi__json_array_end(json);
}

ubi_status ubi_render_treemap_json(ubi_write_fn fn, void *payload, const ubi_treemap *map) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    ubi__render_treemap(&json, map);
    return ubi__json_flush(&json);
}

/* ---- census trees ----------------------------------------------------------------------------------------------- */

typedef struct census_level {
    const ubi_census_node_ix *children;
    uint32_t n_children;
    uint32_t next;
} census_level;

UBI_VEC_DECLARE(census_level_stack, census_level);

static void census_write_name(ubi__json *json, const ubi_census_node *node) {
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

void ubi__render_census_node_begin(ubi__json *json, const ubi_census_node *node) {
    ubi__json_object_begin(json);
    census_write_name(json, node);
    ubi__json_member_i64(json, "bytes", node->bytes);
    ubi__json_member_i64(json, "totalBytes", node->total_bytes);
    ubi__json_member_i64(json, "count", node->count);
    ubi__json_member_i64(json, "totalCount", node->total_count);
    ubi__json_member_i64(json, "id", node->id);
    if (node->parent)
        ubi__json_member_i64(json, "parent", node->parent);
    write_leaf_indices(json, node);
}

static ubi_status census_node_enter(census_level_stack *stack, ubi__json *json, const ubi_census_tree *tree,
                                    ubi_census_node_ix ix) {
    ubi_census_node node;
    ubi_census_tree_node(tree, ix, &node);
    ubi__render_census_node_begin(json, &node);
    if (!node.has_children) {
        ubi__json_object_end(json);
        return UBI_OK;
    }
    ubi__json_member_array(json, "children");
    return census_level_stack_push(stack, ubi_allocator_default(), (census_level){ node.children, node.n_children, 0 });
}

static ubi_status census_write_all(census_level_stack *stack, ubi__json *json, const ubi_census_tree *tree) {
    UBI_TRY(census_node_enter(stack, json, tree, ubi_census_tree_root(tree)));
    while (stack->n && !json->has_failed) {
        census_level *top = &stack->at[stack->n - 1];
        if (top->next < top->n_children) {
            UBI_TRY(census_node_enter(stack, json, tree, top->children[top->next++]));
            continue;
        }
        ubi__json_array_end(json);
        ubi__json_object_end(json);
        stack->n--;
    }
    return UBI_OK;
}

ubi_status ubi__render_census_tree(ubi__json *json, const ubi_census_tree *tree) {
    census_level_stack stack = { 0 };
    ubi_status status = census_write_all(&stack, json, tree);
    census_level_stack_fini(&stack, ubi_allocator_default());
    return status;
}

ubi_status ubi_render_census_tree_json(ubi_write_fn fn, void *payload, const ubi_census_tree *tree) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_census_tree(&json, tree));
    return ubi__json_flush(&json);
}

/* ---- labels, and rows of a dominator tree ----------------------------------------------------------------------- */

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

typedef struct dominator_level {
    ubi_dominator_node *const *children;
    uint32_t n_children;
    uint32_t next;
} dominator_level;

UBI_VEC_DECLARE(dominator_level_stack, dominator_level);

void ubi__render_dominator_row(ubi__json *json, const ubi_dominator_row *row) {
    ubi__json_object_begin(json);
    ubi__json_member_node_id(json, "nodeId", row->node_id);
    ubi__json_key(json, "label");
    ubi__render_label(json, row->label);
    ubi__json_member_u64(json, "shallowSize", row->shallow_bytes);
    ubi__json_member_u64(json, "retainedSize", row->retained_bytes);
    ubi__json_member_bool(json, "moreChildrenAvailable", row->has_more_children);
    if (!row->has_parent)
        return;
    ubi__json_member_node_id(json, "parentId", row->parent_id);
}

typedef struct nested_rows {
    ubi__json *json;
    dominator_level_stack stack;
    ubi__dominator_row_fn *more; /* or NULL */
    void *payload;
} nested_rows;

static ubi_status dominator_node_enter(nested_rows *rows, const ubi_dominator_node *node) {
    ubi_dominator_row row;
    ubi_dominator_node_get(node, &row);
    ubi__render_dominator_row(rows->json, &row);
    if (rows->more)
        UBI_TRY(rows->more(rows->payload, rows->json, &row));
    if (!row.has_children) {
        ubi__json_object_end(rows->json);
        return UBI_OK;
    }
    ubi__json_member_array(rows->json, "children");
    return dominator_level_stack_push(&rows->stack, ubi_allocator_default(),
                                      (dominator_level){ row.children, row.n_children, 0 });
}

static ubi_status dominator_write_all(nested_rows *rows, const ubi_dominator_node *tree) {
    UBI_TRY(dominator_node_enter(rows, tree));
    while (rows->stack.n && !rows->json->has_failed) {
        dominator_level *top = &rows->stack.at[rows->stack.n - 1];
        if (top->next < top->n_children) {
            UBI_TRY(dominator_node_enter(rows, top->children[top->next++]));
            continue;
        }
        ubi__json_array_end(rows->json);
        ubi__json_object_end(rows->json);
        rows->stack.n--;
    }
    return UBI_OK;
}

ubi_status ubi__render_dominator_tree_with(ubi__json *json, const ubi_dominator_node *tree, ubi__dominator_row_fn *more,
                                           void *payload) {
    nested_rows rows = { .json = json, .more = more, .payload = payload };
    ubi_status status = dominator_write_all(&rows, tree);
    dominator_level_stack_fini(&rows.stack, ubi_allocator_default());
    return status;
}

ubi_status ubi__render_dominator_tree(ubi__json *json, const ubi_dominator_node *tree) {
    return ubi__render_dominator_tree_with(json, tree, NULL, NULL);
}

/* ---- flat list --------------------------------------------------------------------------------------------------- */

typedef struct flat_walk {
    ubi__json *json;             /* NULL: only the depth is wanted */
    ubi__dominator_row_fn *more; /* or NULL */
    void *payload;
    dominator_level_stack stack;
    uint32_t depth; /* of the deepest row, from 1 */
} flat_walk;

static ubi_status node_pass(flat_walk *w, const ubi_dominator_node *node) {
    ubi_dominator_row row;
    uint32_t above = (uint32_t)w->stack.n;
    ubi_dominator_node_get(node, &row);
    w->depth = above >= w->depth ? above + 1 : w->depth;
    if (w->json) {
        ubi__render_dominator_row(w->json, &row);
        ubi__json_member_u64(w->json, "depth", above);
        if (w->more)
            UBI_TRY(w->more(w->payload, w->json, &row));
        ubi__json_object_end(w->json);
    }
    return dominator_level_stack_push(&w->stack, ubi_allocator_default(),
                                      (dominator_level){ row.children, row.has_children ? row.n_children : 0, 0 });
}

static ubi_status pass_all(flat_walk *w, const ubi_dominator_node *tree) {
    UBI_TRY(node_pass(w, tree));
    while (w->stack.n && !(w->json && w->json->has_failed)) {
        dominator_level *top = &w->stack.at[w->stack.n - 1];
        if (top->next < top->n_children)
            UBI_TRY(node_pass(w, top->children[top->next++]));
        else
            w->stack.n--;
    }
    return UBI_OK;
}

ubi_status ubi__render_dominator_rows(ubi__json *json, const ubi_dominator_node *tree, ubi__dominator_row_fn *more,
                                      void *payload) {
    flat_walk w = { .json = json, .more = more, .payload = payload };
    ubi__json_array_begin(json);
    ubi_status status = pass_all(&w, tree);
    ubi__json_array_end(json);
    dominator_level_stack_fini(&w.stack, ubi_allocator_default());
    return status;
}

ubi_status ubi__dominator_tree_depth(uint32_t *out, const ubi_dominator_node *tree) {
    flat_walk w = { .json = NULL };
    ubi_status status = pass_all(&w, tree);
    dominator_level_stack_fini(&w.stack, ubi_allocator_default());
    *out = w.depth;
    return status;
}

ubi_status ubi_render_dominator_tree_json(ubi_write_fn fn, void *payload, const ubi_dominator_node *tree) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_dominator_tree(&json, tree));
    return ubi__json_flush(&json);
}
