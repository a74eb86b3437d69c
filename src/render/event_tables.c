/* SPDX-License-Identifier: MIT
 *
 * event_tables.c: a recording as tables of names, traces and events (event_export.h).
 */
#include "recording/recording_traces.h"
#include "render/event_export.h"
#include "timeline/timeline_data.h"

typedef struct tables_state {
    const ubi__event_export *what;
    const ubi__ubirec_tables *tables;
    ubi__trace_table traces;
    ubi__trace_ix *trace_of; /* trace_of[trace of the file] */
    bool has_traces;
} tables_state;

static void trace_put(ubi__json *json, ubi__trace trace) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "nameIdx", trace.name);
    ubi__json_member_u64(json, "parentIdx", trace.parent);
    ubi__json_object_end(json);
}

static void traces_put(ubi__json *json, const ubi__trace_table *traces) {
    ubi__json_member_array(json, "names");
    for (ubi_str_ix i = 0; i < ubi__strtab_count(&traces->names) && !json->has_failed; i++)
        ubi__json_text(json, ubi__strtab_get(&traces->names, i));
    ubi__json_array_end(json);
    ubi__json_member_array(json, "traces");
    for (uint32_t i = 0; i < ubi__trace_table_count(traces) && !json->has_failed; i++)
        trace_put(json, traces->rows.at[i]);
    ubi__json_array_end(json);
}

static ubi_status tables_begin(void *of, const ubi__event_export *what) {
    tables_state *s = of;
    s->what = what;
    s->tables = ubi__stack_tables(what->choice);
    UBI_TRY(ubi__trace_table_init(&s->traces, what->allocator));
    s->has_traces = true;
    s->trace_of = ubi__alloc_array(what->allocator, s->tables->traces.n, sizeof *s->trace_of);
    if (!s->trace_of)
        return ubi__fail_nomem();
    UBI_TRY(ubi__recording_traces_name(&s->traces, s->trace_of, s->tables));
    traces_put(what->json, &s->traces);
    ubi__json_member_array(what->json, "events");
    return UBI_OK;
}

static void more_put(const tables_state *s, const ubi__stream_event *event, const ubi__ubirec_info_row *info) {
    ubi__json *json = s->what->json;
    ubi__json_member_u64(json, "allocation", event->allocation);
    ubi__json_member_u64(json, "bytes", info->size_bytes);
    ubi__json_member_text(json, "kind", ubi__ubirec_string_at(s->tables, s->tables->kinds.at[info->kind].word));
    ubi__json_member_u64(json, "thread", s->tables->threads.at[event->thread].tid);
}

static ubi_status tables_event(void *of, const ubi__stream_event *event) {
    const tables_state *s = of;
    const ubi__ubirec_info_row *info = &s->tables->infos.at[event->info];
    ubi__json *json = s->what->json;
    char time[32];
    if (s->tables->kinds.at[info->kind].class_of_kind == UBI__UBIREC_MAPPING)
        return UBI_OK;
    ubi__json_object_begin(json);
    ubi__json_member_i64(json, "size", event->is_free ? -(int64_t)info->weight_bytes : (int64_t)info->weight_bytes);
    ubi__json_member_u64(json, "traceIdx", s->trace_of[info->trace]);
    ubi__json_member_raw(json, "timestamp", (ubi_text){ time, ubi__timeline_ms(time, event->time_ns) });
    if (s->what->is_extended)
        more_put(s, event, info);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status tables_end(void *of) {
    ubi__json_array_end(((tables_state *)of)->what->json);
    return UBI_OK;
}

static void tables_release(void *of) {
    tables_state *s = of;
    if (!s->has_traces)
        return;
    ubi__free_array(s->what->allocator, s->trace_of, s->tables->traces.n, sizeof *s->trace_of);
    ubi__trace_table_fini(&s->traces);
}

const ubi__event_format ubi__event_format_tables = {
    .state_bytes = sizeof(tables_state),
    .begin = tables_begin,
    .event = tables_event,
    .end = tables_end,
    .release = tables_release,
};
