/* SPDX-License-Identifier: MIT
 *
 * treemap_json.c: a tree map as JSON.
 */
#include <ubiheap/render.h>

#include "render/result_json.h"

static void write_name(ubi__json *json, const ubi_treemap_row *row) {
    ubi_frame frame;
    ubi__json_key(json, "name");
    if (row->name_type == UBI_CENSUS_NAME_FRAME) {
        ubi_stack_frame(row->frame, &frame);
        ubi__render_frame(json, &frame);
    } else {
        ubi__json_text(json, row->name_type == UBI_CENSUS_NAME_TEXT ? row->name : (ubi_text){ NULL, 0 });
    }
}

static void write_origin(ubi__json *json, const ubi_treemap_row *row) {
    static const char *const types[] = { "row", "node", "own", "rest" };
    write_name(json, row);
    ubi__json_member_string(json, "type", types[row->type]);
    ubi__json_member_u64_or_null(json, "parent", row->parent != UBI_NONE, row->parent);
    if (row->type == UBI_TREEMAP_NODE) {
        ubi__json_member_node_id(json, "nodeId", row->node_id);
    }
}

static void write_row(ubi__json *json, const ubi_treemap_row *row) {
    ubi__json_object_begin(json);
    write_origin(json, row);
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
        write_row(json, &row);
    }
    ubi__json_array_end(json);
}

ubi_status ubi_render_treemap_json(ubi_write_fn fn, void *payload, const ubi_treemap *map) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    ubi__render_treemap(&json, map);
    return ubi__json_flush(&json);
}
