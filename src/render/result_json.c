/* SPDX-License-Identifier: MIT
 *
 * result_json.c: results as JSON: stack frames, census reports as takeCensus gives them, their differences as
 * CensusUtils.diff gives them, and tree maps.
 */
#include "render/result_json.h"

#include <ubiheap/views/render.h>

#include "base/status.h"
#include "render/nested_json.h"

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
    static const ubi__nested_ops ops = { report_shape_of, report_entry_count, report_get_entry, report_leaf_write };
    return ubi__render_nested(json, &ops, report);
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
    static const ubi__nested_ops ops = { delta_shape_of, delta_entry_count, delta_get_entry, delta_leaf_write };
    return ubi__render_nested(json, &ops, delta);
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

static void box_write(ubi__json *json, const ubi_treemap_row *row) {
    ubi__json_object_begin(json);
    box_origin_write(json, row);
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
    for (uint32_t i = 0; i < ubi_treemap_row_count(map) && !json->failed; i++) {
        ubi_treemap_get(map, i, &row);
        box_write(json, &row);
    }
    ubi__json_array_end(json);
}

ubi_status ubi_render_treemap_json(ubi_write_fn fn, void *payload, const ubi_treemap *map) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    ubi__render_treemap(&json, map);
    return ubi__json_flush(&json);
}
