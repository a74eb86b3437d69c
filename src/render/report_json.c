/* SPDX-License-Identifier: MIT
 *
 * report_json.c: a census report as takeCensus gives it.
 */
#include <ubiheap/render.h>

#include "base/status.h"
#include "render/nested_json.h"
#include "render/result_json.h"

static void write_count(ubi__json *json, const ubi_report *report) {
    ubi_report_count count;
    ubi_report_get_count(report, &count);
    ubi__json_object_begin(json);
    if (count.has_count) {
        ubi__json_member_u64(json, "count", count.count);
    }
    if (count.has_bytes) {
        ubi__json_member_u64(json, "bytes", count.bytes);
    }
    if (count.has_label) {
        ubi__json_member_text(json, "label", count.label);
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

static ubi_status write_leaf(ubi__json *json, const void *report) {
    if (ubi_report_shape_of(report) == UBI_REPORT_COUNT)
        write_count(json, report);
    else
        write_bucket(json, report);
    return UBI_OK;
}

static ubi_report_shape shape_of(const void *report) {
    return ubi_report_shape_of(report);
}
static uint32_t entry_count(const void *report) {
    return ubi_report_entry_count(report);
}
static const void *get_entry(const void *report, uint32_t index, ubi_report_key *key) {
    return ubi_report_entry(report, index, key);
}

ubi_status ubi__render_report(ubi__json *json, const ubi_report *report) {
    static const ubi__nested_ops ops = { shape_of, entry_count, get_entry, write_leaf };
    return ubi__render_nested(json, &ops, report);
}

ubi_status ubi_render_report_json(ubi_write_fn fn, void *payload, const ubi_report *report) {
    ubi__json json;
    ubi__json_init(&json, fn, payload, false);
    UBI_TRY(ubi__render_report(&json, report));
    return ubi__json_flush(&json);
}
