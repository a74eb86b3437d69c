/* SPDX-License-Identifier: MIT
 *
 * delta_json.c: the difference of two census reports as CensusUtils.diff gives it.
 */
#include <ubiheap/render.h>

#include "base/status.h"
#include "render/nested_json.h"
#include "render/result_json.h"

static void write_count(ubi__json *json, const ubi_delta *delta) {
    ubi_delta_count count;
    ubi_delta_get_count(delta, &count);
    ubi__json_object_begin(json);
    if (count.has_count) {
        ubi__json_member_i64(json, "count", count.count);
    }
    if (count.has_bytes) {
        ubi__json_member_i64(json, "bytes", count.bytes);
    }
    if (count.has_label) {
        ubi__json_member_text(json, "label", count.label);
    }
    ubi__json_object_end(json);
}

/* Lists of ids are not compared: what only the end has is copied, anything else is an empty object. */
static ubi_status write_bucket(ubi__json *json, const ubi_delta *delta) {
    if (!ubi_delta_start(delta))
        return ubi__render_report(json, ubi_delta_end(delta));
    ubi__json_object_begin(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status write_leaf(ubi__json *json, const void *delta) {
    if (ubi_delta_shape_of(delta) != UBI_REPORT_COUNT)
        return write_bucket(json, delta);
    write_count(json, delta);
    return UBI_OK;
}

static ubi_report_shape shape_of(const void *delta) {
    return ubi_delta_shape_of(delta);
}
static uint32_t entry_count(const void *delta) {
    return ubi_delta_entry_count(delta);
}
static const void *get_entry(const void *delta, uint32_t index, ubi_report_key *key) {
    return ubi_delta_entry(delta, index, key);
}

ubi_status ubi__render_delta(ubi__json *json, const ubi_delta *delta) {
    static const ubi__nested_ops ops = { shape_of, entry_count, get_entry, write_leaf };
    return ubi__render_nested(json, &ops, delta);
}

ubi_status ubi_render_delta_json(ubi_write_fn fn, void *payload, const ubi_delta *delta) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_delta(&json, delta));
    return ubi__json_flush(&json);
}
