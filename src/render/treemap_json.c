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

static void write_u64(ubi__json *json, const char *key, uint64_t value) {
    ubi__json_key(json, key);
    ubi__json_u64(json, value);
}

static void write_double(ubi__json *json, const char *key, double value) {
    ubi__json_key(json, key);
    ubi__json_double(json, value);
}

static void write_origin(ubi__json *json, const ubi_treemap_row *row) {
    static const char *const types[] = { "row", "node", "own", "rest" };
    write_name(json, row);
    ubi__json_key(json, "type");
    ubi__json_string(json, types[row->type]);
    ubi__json_key(json, "parent");
    if (row->parent == UBI_NONE)
        ubi__json_null(json);
    else
        ubi__json_u64(json, row->parent);
    if (row->type == UBI_TREEMAP_NODE) {
        ubi__json_key(json, "nodeId");
        ubi__json_node_id(json, row->node_id);
    }
}

static void write_row(ubi__json *json, const ubi_treemap_row *row) {
    ubi__json_object_begin(json);
    write_origin(json, row);
    write_u64(json, "depth", row->box.depth);
    ubi__json_key(json, "colorType");
    ubi__json_string(json, ubi_treemap_color_name(row->color));
    write_u64(json, "bytes", row->bytes);
    write_u64(json, "count", row->count);
    write_double(json, "x", row->box.x);
    write_double(json, "y", row->box.y);
    write_double(json, "width", row->box.width);
    write_double(json, "height", row->box.height);
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
