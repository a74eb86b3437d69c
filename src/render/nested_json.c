/* SPDX-License-Identifier: MIT
 *
 * nested_json.c: the walk over nested items: a level of its stack is an item and the number of its next entry.
 */
#include "render/nested_json.h"

#include "base/alloc.h"
#include "base/assert.h"
#include "render/result_json.h"

typedef struct level {
    const void *item;
    ubi_report_shape shape;
    uint32_t next;
} level;

UBI_VEC_DECLARE(level_stack, level);

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
static void end_entry(const level_stack *stack, ubi__json *json) {
    if (stack->n && stack->at[stack->n - 1].shape == UBI_REPORT_MAP)
        ubi__json_object_end(json);
}

/* Writes a leaf whole, which ends an entry; opens anything else and pushes it. */
static ubi_status level_enter(level_stack *stack, ubi__json *json, const ubi__nested_ops *ops, const void *item) {
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
    return level_stack_push(stack, ubi_allocator_default(), (level){ item, shape, 0 });
}

static void level_leave(level_stack *stack, ubi__json *json) {
    if (stack->at[--stack->n].shape == UBI_REPORT_OBJECT)
        ubi__json_object_end(json);
    else
        ubi__json_array_end(json);
    end_entry(stack, json);
}

static ubi_status write_all(level_stack *stack, ubi__json *json, const ubi__nested_ops *ops, const void *root) {
    UBI_TRY(level_enter(stack, json, ops, root));
    while (stack->n && !json->failed) {
        level *top = &stack->at[stack->n - 1];
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

ubi_status ubi__render_nested(ubi__json *json, const ubi__nested_ops *ops, const void *root) {
    level_stack stack = { 0 };
    ubi_status status = write_all(&stack, json, ops, root);
    level_stack_fini(&stack, ubi_allocator_default());
    return status;
}
