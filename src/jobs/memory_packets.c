/* SPDX-License-Identifier: MIT
 *
 * memory_packets.c: see memory_packets.h.
 */
#include "jobs/memory_packets.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"
#include "render/result_json.h"

/* ---- allocations ---------------------------------------------------------------------------------------------------- */

static void column_put(ubi__json *json, const char *name, const uint64_t *column, uint64_t n) {
    ubi__json_member_array(json, name);
    for (uint64_t i = 0; i < n; i++)
        ubi__json_u64(json, column[i]);
    ubi__json_array_end(json);
}

void ubi__memory_frame_put(ubi__json *json, const ubi_timeline_front_frame *frame) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "line", frame->line);
    ubi__json_member_u64(json, "column", frame->column);
    ubi__json_member_text(json, "source", frame->source);
    ubi__json_member_text(json, "functionDisplayName", frame->function_name);
    ubi__json_member_u64(json, "parent", frame->parent);
    ubi__json_member_u64(json, "asyncParent", frame->async_parent);
    ubi__json_member_text(json, "asyncCause", frame->async_cause);
    ubi__json_object_end(json);
}

static void frames_put(ubi__json *json, const ubi_memory_bridge *bridge, uint32_t n) {
    ubi__json_member_array(json, "frames");
    ubi__json_null(json);
    for (uint32_t i = 1; i < n; i++) {
        ubi_memory_frame frame;
        if (ubi_memory_bridge_frame(&frame, bridge, i) != UBI_OK)
            break;
        ubi__memory_frame_put(json, &(ubi_timeline_front_frame){ .source = frame.source,
                                                                 .function_name = frame.function_name,
                                                                 .line = frame.line,
                                                                 .column = frame.column,
                                                                 .parent = frame.parent });
    }
    ubi__json_array_end(json);
}

static void summary_put(ubi__json *json, const ubi_memory_allocations *a) {
    ubi__json_member_object(json, "summary");
    ubi__json_member_u64(json, "count", a->total_count);
    ubi__json_member_u64(json, "bytes", a->total_bytes);
    ubi__json_member_bool(json, "overflowed", a->has_lost_some);
    ubi__json_member_u64(json, "lost", a->lost_count);
    ubi__json_object_end(json);
}

void ubi__memory_allocations_put(ubi__json *json, const ubi_memory_allocations *a, const ubi_memory_bridge *bridge) {
    ubi__json_member_array(json, "allocations");
    for (uint64_t i = 0; i < a->count; i++)
        ubi__json_u64(json, a->frames[i]);
    ubi__json_array_end(json);
    column_put(json, "allocationsTimestamps", a->timestamps_us, a->count);
    column_put(json, "allocationSizes", a->size_bytes, a->count);
    frames_put(json, bridge, a->frame_count);
    summary_put(json, a);
    if (a->has_overflowed)
        ubi__json_member_bool(json, "overflowed", true);
}

/* ---- all else ------------------------------------------------------------------------------------------------------- */

void ubi__memory_settings_put(ubi__json *json, const ubi_memory_settings *settings) {
    ubi__json_member_u64(json, "maxLogLength", settings->max_log_length);
    ubi__json_key(json, "probability");
    ubi__json_double(json, settings->probability);
}

static void milliseconds_put(ubi__json *json, const char *name, double ms) {
    char text[64];
    snprintf(text, sizeof text, "%.1f", ms);
    ubi__json_member_string(json, name, text);
}

void ubi__memory_measure_put(ubi__json *json, const ubi_memory_measure *m) {
    ubi__json_member_u64(json, "total", m->total);
    ubi__json_member_u64(json, "domSize", m->dom_size);
    ubi__json_member_u64(json, "styleSize", m->style_size);
    ubi__json_member_u64(json, "jsObjectsSize", m->js_objects_size);
    ubi__json_member_u64(json, "jsStringsSize", m->js_strings_size);
    ubi__json_member_u64(json, "jsOtherSize", m->js_other_size);
    ubi__json_member_u64(json, "otherSize", m->other_size);
    milliseconds_put(json, "jsMilliseconds", m->js_ms);
    milliseconds_put(json, "nonJSMilliseconds", m->non_js_ms);
}

void ubi__process_memory_put(ubi__json *json, const ubi_process_memory *memory) {
    ubi__json_member_u64(json, "resident", memory->resident_bytes);
    ubi__json_member_u64(json, "residentUnique", memory->unique_bytes);
}

void ubi__memory_collection_put(ubi__json *json, const ubi_collection *collection) {
    const char *why = collection->nonincremental_reason;
    ubi__json_member_text(json, "nonincrementalReason", why ? ubi__text(why) : (ubi_text){ NULL, 0 });
    ubi__json_member_string(json, "reason", collection->reason);
    ubi__json_member_u64(json, "gcCycleNumber", collection->cycle_number);
    ubi__json_member_array(json, "collections");
    ubi__json_object_begin(json);
    ubi__json_key(json, "startTimestamp");
    ubi__json_double(json, collection->start_ms);
    ubi__json_key(json, "endTimestamp");
    ubi__json_double(json, collection->end_ms);
    ubi__json_object_end(json);
    ubi__json_array_end(json);
}

/* Keys of the outermost report are the coarse types: short words. */
ubi_status ubi__memory_census_put(ubi__json *json, const ubi_census *census) {
    const ubi_report *report = ubi_census_report(census);
    UBI_ASSERT(ubi_report_shape_of(report) == UBI_REPORT_OBJECT);
    for (uint32_t i = 0; i < ubi_report_entry_count(report); i++) {
        ubi_report_key key;
        char name[32];
        const ubi_report *part = ubi_report_entry(report, i, &key);
        snprintf(name, sizeof name, "%.*s", (int)key.text.len, key.text.ptr);
        ubi__json_key(json, name);
        UBI_TRY(ubi__render_report(json, part));
    }
    return UBI_OK;
}
