/* SPDX-License-Identifier: MIT
 *
 * memprof_errands.c: what a memprof actor's requests do on the target's thread. See memprof_link.h.
 */
#include "base/status.h"
#include "rdp/memprof_link.h"
#include "timeline/timeline_data.h"

/* Entries between two looks at how long the results have become. */
#define LOOK_EVERY 4096

static ubi__rdp_memprof_link *link_of(const ubi__rdp_errand *errand) {
    return (ubi__rdp_memprof_link *)errand->link;
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

static void name_put(ubi__json *json, const ubi_recording *recording, uint64_t i) {
    ubi__json_text(json, ubi_recording_name(recording, (uint32_t)i));
}

static void trace_put(ubi__json *json, const ubi_recording *recording, uint64_t i) {
    const ubi_recorded_trace trace = ubi_recording_trace(recording, (uint32_t)i);
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "nameIdx", trace.name);
    ubi__json_member_u64(json, "parentIdx", trace.parent);
    ubi__json_object_end(json);
}

/* The size is what the event stands for, and negative for frees. */
static void event_put(ubi__json *json, const ubi_recording *recording, uint64_t i) {
    const ubi_recorded_event event = ubi_recording_event(recording, i);
    const double weight = (double)event.weight_bytes;
    char time[32];
    ubi__json_object_begin(json);
    ubi__json_member_double(json, "size", event.is_free ? -weight : weight);
    ubi__json_member_u64(json, "traceIdx", event.trace);
    ubi__json_member_raw(json, "timestamp", (ubi_text){ time, ubi__timeline_ms(time, event.time_ns) });
    ubi__json_object_end(json);
}

typedef void (*entry_put)(ubi__json *json, const ubi_recording *recording, uint64_t i);

static ubi_status table_put(ubi__rdp_errand *errand, ubi__json *json, const char *key, entry_put put,
                            const ubi_recording *recording, uint64_t n) {
    const size_t most_bytes = link_of(errand)->most_bytes;
    ubi__json_member_array(json, key);
    for (uint64_t i = 0; i < n && !json->has_failed; i++) {
        put(json, recording, i);
        if (i % LOOK_EVERY == 0 && errand->packet.bytes.n > most_bytes)
            return ubi__fail(UBI_ELIMIT, "the results are longer than %zu bytes: profile for a shorter time",
                             most_bytes);
    }
    ubi__json_array_end(json);
    return UBI_OK;
}

static ubi_status tables_put(ubi__rdp_errand *errand, ubi__json *json, const ubi_recording *r) {
    ubi__json_member_object(json, "ret");
    UBI_TRY(table_put(errand, json, "names", name_put, r, ubi_recording_name_count(r)));
    UBI_TRY(table_put(errand, json, "traces", trace_put, r, ubi_recording_trace_count(r)));
    UBI_TRY(table_put(errand, json, "events", event_put, r, ubi_recording_event_count(r)));
    ubi__json_object_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_memprof_results(ubi__rdp_errand *errand, ubi__json *json) {
    ubi_recording *recording = NULL;
    UBI_TRY(ubi_target_profiler_results(&recording, link_of(errand)->profiler));
    ubi_status status = UBI_OK;
    if (recording)
        status = tables_put(errand, json, recording);
    else
        ubi__json_member_null(json, "ret");
    ubi_recording_free(recording);
    return status;
}

/* ---- recording ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_memprof_start(ubi__rdp_errand *errand, ubi__json *json) {
    (void)json;
    return ubi_target_profiler_start(link_of(errand)->profiler);
}

ubi_status ubi__rdp_memprof_stop(ubi__rdp_errand *errand, ubi__json *json) {
    (void)json;
    ubi_target_profiler_stop(link_of(errand)->profiler);
    return UBI_OK;
}

ubi_status ubi__rdp_memprof_reset(ubi__rdp_errand *errand, ubi__json *json) {
    (void)json;
    ubi_target_profiler_reset(link_of(errand)->profiler);
    return UBI_OK;
}

/* ---- links -------------------------------------------------------------------------------------------------------------- */

static ubi_status profiler_open(ubi__rdp_link *link, ubi_target target) {
    ubi__rdp_memprof_link *l = (ubi__rdp_memprof_link *)link;
    l->most_bytes = l->most_bytes ? l->most_bytes : UBI__RDP_MOST_RESULT_BYTES;
    return ubi_target_open_profiler(&l->profiler, target, link->is_of_process ? NULL : link->tab->scope);
}

/* It is about the whole heap, which is the same with any page. */
static ubi_status profiler_navigate(ubi__rdp_link *link) {
    (void)link;
    return UBI_OK;
}

static void profiler_close(ubi__rdp_link *link) {
    ubi_target_profiler_close(((ubi__rdp_memprof_link *)link)->profiler);
}

const ubi__rdp_link_type ubi__rdp_memprof_link_type = { .link_bytes = sizeof(ubi__rdp_memprof_link),
                                                        .errand_bytes = sizeof(ubi__rdp_errand),
                                                        .open = profiler_open,
                                                        .navigate = profiler_navigate,
                                                        .close = profiler_close };
