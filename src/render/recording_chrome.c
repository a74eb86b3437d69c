/* SPDX-License-Identifier: MIT
 *
 * recording_chrome.c: how a recording's memory went up and down, as trace events (recording_export.h).
 * Source: the Trace Event Format, phases M and C.
 */
#include "base/json_writer.h"
#include "base/text.h"
#include "render/recording_export.h"

static void event_begin(ubi__json *json, const ubi__recording_summary *s, const char *phase, const char *name) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "ph", phase);
    ubi__json_member_string(json, "name", name);
    ubi__json_member_u64(json, "pid", s->tables.about.pid ? s->tables.about.pid : 1);
    ubi__json_member_u64(json, "tid", s->tables.about.pid ? s->tables.about.pid : 1);
}

static void name_event(ubi__json *json, const ubi__recording_summary *s) {
    event_begin(json, s, "M", "process_name");
    ubi__json_member_object(json, "args");
    ubi__json_member_text(json, "name", ubi__text_base_name(s->tables.about.program));
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}

static void counter_event(ubi__json *json, const ubi__recording_summary *s, size_t point, const char *name,
                          uint64_t bytes) {
    event_begin(json, s, "C", name);
    ubi__json_member_double(json, "ts", (double)ubi__curve_time_ns(s, point) / 1000);
    ubi__json_member_object(json, "args");
    ubi__json_member_u64(json, "bytes", bytes);
    ubi__json_object_end(json);
    ubi__json_object_end(json);
}

ubi_status ubi__render_memory_chrome(ubi_write_fn write, void *payload, const ubi__recording_summary *s) {
    ubi__json json;
    ubi__json_init(&json, write, payload, false);
    ubi__json_object_begin(&json);
    ubi__json_member_string(&json, "displayTimeUnit", "ms");
    ubi__json_member_array(&json, "traceEvents");
    name_event(&json, s);
    for (size_t i = 0; i < s->n_curve && !json.has_failed; i++) {
        counter_event(&json, s, i, "heap alive", s->curve[i].live_bytes);
        if (s->curve[i].rss_bytes)
            counter_event(&json, s, i, "resident", s->curve[i].rss_bytes);
    }
    ubi__json_array_end(&json);
    ubi__json_object_end(&json);
    UBI_TRY(ubi__json_flush(&json));
    return write(payload, "\n", 1) ? UBI_OK : ubi__fail(UBI_EIO, "cannot write the output");
}
