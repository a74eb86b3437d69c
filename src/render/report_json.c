/* SPDX-License-Identifier: MIT
 *
 * report_json.c: a census report as takeCensus gives it.
 *
 * A report is as deep as its breakdown. The walk keeps its own stack of open reports: a level is a report and the number
 * of its next entry.
 */
#include <ubiheap/render.h>

#include "base/alloc.h"
#include "render/result_json.h"

typedef struct level {
    const ubi_report *report;
    uint32_t next;
} level;

UBI_VEC_DECLARE(level_stack, level);

static void write_count(ubi__json *json, const ubi_report *report) {
    ubi_report_count count;
    ubi_report_get_count(report, &count);
    ubi__json_object_begin(json);
    if (count.has_count) {
        ubi__json_key(json, "count");
        ubi__json_u64(json, count.count);
    }
    if (count.has_bytes) {
        ubi__json_key(json, "bytes");
        ubi__json_u64(json, count.bytes);
    }
    if (count.has_label) {
        ubi__json_key(json, "label");
        ubi__json_text(json, count.label);
    }
    ubi__json_object_end(json);
}

static void write_bucket(ubi__json *json, const ubi_report *report) {
    uint64_t n;
    const uint64_t *ids = ubi_report_bucket(report, &n);
    ubi__json_array_begin(json);
    for (uint64_t i = 0; i < n; i++)
        ubi__json_node_id(json, ids[i]);
    ubi__json_array_end(json);
}

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

/* What stands before an entry of `parent`: a property name, a Map's stack, or nothing. */
static void begin_entry(ubi__json *json, ubi_report_shape parent, const ubi_report_key *key) {
    if (parent == UBI_REPORT_OBJECT) {
        ubi__json_key_text(json, key->text);
    } else if (parent == UBI_REPORT_MAP) {
        ubi__json_object_begin(json);
        write_map_key(json, key);
    }
}

/* Writes a leaf whole; opens anything else and pushes it. */
static ubi_status enter(level_stack *stack, ubi__json *json, const ubi_report *report) {
    switch (ubi_report_shape_of(report)) {
    case UBI_REPORT_COUNT:
        write_count(json, report);
        return UBI_OK;
    case UBI_REPORT_BUCKET:
        write_bucket(json, report);
        return UBI_OK;
    case UBI_REPORT_OBJECT:
        ubi__json_object_begin(json);
        break;
    case UBI_REPORT_MAP:
    case UBI_REPORT_ARRAY:
        ubi__json_array_begin(json);
        break;
    }
    return level_stack_push(stack, ubi_allocator_default(), (level){ report, 0 });
}

static void leave(ubi__json *json, ubi_report_shape shape) {
    if (shape == UBI_REPORT_OBJECT)
        ubi__json_object_end(json);
    else
        ubi__json_array_end(json);
}

static bool is_leaf(const ubi_report *report) {
    ubi_report_shape shape = ubi_report_shape_of(report);
    return shape == UBI_REPORT_COUNT || shape == UBI_REPORT_BUCKET;
}

/* After an entry of a Map is complete, the object around its key and report ends. */
static void end_entry(const level_stack *stack, ubi__json *json) {
    if (stack->n && ubi_report_shape_of(stack->at[stack->n - 1].report) == UBI_REPORT_MAP)
        ubi__json_object_end(json);
}

static ubi_status write_all(level_stack *stack, ubi__json *json, const ubi_report *root) {
    UBI_TRY(enter(stack, json, root));
    while (stack->n && !json->failed) {
        level *top = &stack->at[stack->n - 1];
        ubi_report_shape shape = ubi_report_shape_of(top->report);
        if (top->next == ubi_report_entry_count(top->report)) {
            leave(json, shape);
            stack->n--;
            end_entry(stack, json);
            continue;
        }
        ubi_report_key key;
        const ubi_report *entry = ubi_report_entry(top->report, top->next++, &key);
        begin_entry(json, shape, &key);
        UBI_TRY(enter(stack, json, entry));
        if (is_leaf(entry))
            end_entry(stack, json);
    }
    return UBI_OK;
}

ubi_status ubi__render_report(ubi__json *json, const ubi_report *report) {
    level_stack stack = { 0 };
    ubi_status status = write_all(&stack, json, report);
    level_stack_fini(&stack, ubi_allocator_default());
    return status;
}

ubi_status ubi_render_report_json(ubi_write_fn fn, void *payload, const ubi_report *report) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_report(&json, report));
    return ubi__json_flush(&json);
}
