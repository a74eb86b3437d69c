/* SPDX-License-Identifier: MIT
 *
 * ubirec_recording.c: see ubirec_recording.h.
 *
 * Symbols may come after all events, so events keep the traces of the file until everything is read; then names are
 * known, the traces are made, and events get theirs.
 */
#include "recording/ubirec_recording.h"

#include "recording/heap_profile.h"
#include "recording/live_table.h"
#include "recording/recording_traces.h"
#include "recording/ubirec_tables.h"

/* The free that was the last thing a thread did. */
typedef struct last_free {
    uint64_t allocation; /* that it ended; 0: the last thing was another */
    size_t event;        /* the free */
    size_t alloc_event;
} last_free;

UBI_VEC_DECLARE(vec_last_free, last_free);

typedef struct conversion {
    ubi__ubirec_tables tables;
    ubi__recording made;
    ubi__live_table live; /* number + 1 -> event of the allocation */
    vec_last_free last;   /* by thread */
    ubi__vec_u32 kinds;   /* kinds of the file -> of the recording */
    const ubi__ubirec_reader *reader;
} conversion;

/* ---- events ------------------------------------------------------------------------------------------------------- */

static uint32_t thread_id(const conversion *c) {
    return (uint32_t)c->tables.threads.at[ubi__ubirec_thread_now(c->reader)].tid;
}

static last_free *last_of_thread(const conversion *c) {
    return &c->last.at[ubi__ubirec_thread_now(c->reader)];
}

static ubi_status add_alloc(conversion *c, const ubi__ubirec_record *r) {
    const ubi__ubirec_info_row *info = &c->tables.infos.at[r->event.info];
    last_of_thread(c)->allocation = 0;
    if (c->tables.kinds.at[info->kind].class_of_kind == UBI__UBIREC_MAPPING)
        return UBI_OK;
    ubi__event event = { .allocation = r->event.number + 1,
                         .size_bytes = info->size_bytes,
                         .weight_bytes = info->weight_bytes,
                         .time_ns = ubi__ubirec_time_ns(c->reader),
                         .trace = info->trace,
                         .thread = thread_id(c),
                         .kind = c->kinds.at[info->kind] };
    UBI_TRY(ubi__live_table_reserve(&c->live, 1));
    UBI_TRY(ubi__vec_event_push(&c->made.events, c->made.allocator, event));
    ubi__live_table_put(&c->live, r->event.number + 1, c->made.events.n - 1);
    return UBI_OK;
}

static ubi_status add_free(conversion *c, uint64_t number) {
    ubi__live *live = ubi__live_table_find(&c->live, number + 1);
    last_of_thread(c)->allocation = 0;
    if (!live)
        return UBI_OK;
    ubi__event event = c->made.events.at[live->event];
    event.is_free = true;
    event.time_ns = ubi__ubirec_time_ns(c->reader);
    event.thread = thread_id(c);
    *last_of_thread(c) = (last_free){ event.allocation, c->made.events.n, live->event };
    UBI_TRY(ubi__vec_event_push(&c->made.events, c->made.allocator, event));
    ubi__live_table_remove(&c->live, live);
    return UBI_OK;
}

static ubi_status add_free_undone(conversion *c, uint64_t number) {
    last_free last = *last_of_thread(c);
    last_of_thread(c)->allocation = 0;
    if (last.allocation != number + 1)
        return UBI_OK;
    UBI_TRY(ubi__live_table_reserve(&c->live, 1));
    ubi__live_table_put(&c->live, number + 1, last.alloc_event);
    c->made.events.at[last.event].weight_bytes = 0; /* withdrawn */
    return UBI_OK;
}

static ubi_status add_kind(conversion *c, ubi_str_ix word) {
    ubi_str_ix kind;
    UBI_TRY(ubi__strtab_intern(&c->made.kinds, &kind, ubi__ubirec_string_at(&c->tables, word)));
    return ubi__vec_u32_push(&c->kinds, c->made.allocator, kind);
}

static ubi_status add_record(conversion *c, const ubi__ubirec_record *r) {
    UBI_TRY(ubi__ubirec_tables_add(&c->tables, r));
    switch (r->type) {
    case UBI__UBIREC_ABOUT:
        c->made.period_bytes = r->about.period_bytes;
        return UBI_OK;
    case UBI__UBIREC_KIND:
        return add_kind(c, r->kind.word);
    case UBI__UBIREC_THREAD:
        return vec_last_free_push(&c->last, c->made.allocator, (last_free){ 0 });
    case UBI__UBIREC_ALLOC:
        return add_alloc(c, r);
    case UBI__UBIREC_FREE:
        return add_free(c, r->event.number);
    case UBI__UBIREC_FREE_UNDONE:
        return add_free_undone(c, r->event.number);
    default:
        return UBI_OK;
    }
}

static ubi_status read_all(conversion *c, ubi__source *source) {
    ubi__ubirec_reader *reader;
    const ubi__ubirec_record *record = NULL;
    UBI_TRY(ubi__ubirec_reader_new(&reader, source, c->made.allocator));
    c->reader = reader;
    ubi_status status;
    do {
        status = ubi__ubirec_next(reader, &record);
        if (status == UBI_OK && record)
            status = add_record(c, record);
    } while (status == UBI_OK && record);
    ubi__ubirec_reader_free(reader);
    c->reader = NULL;
    return status == UBI_EFORMAT && c->tables.periods.n ? UBI_OK : status; /* what comes before the fault counts */
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static ubi_status name_traces(conversion *c, ubi__trace_ix *traces) {
    UBI_TRY(ubi__recording_traces_name(&c->made.traces, traces, &c->tables));
    for (size_t i = 0; i < c->made.events.n; i++)
        c->made.events.at[i].trace = traces[c->made.events.at[i].trace];
    return UBI_OK;
}

static ubi_status convert_recording(conversion *c, ubi__source *source) {
    const ubi_allocator *a = c->made.allocator;
    UBI_TRY(read_all(c, source));
    size_t n = c->tables.traces.n;
    ubi__trace_ix *traces = ubi__alloc_array(a, n, sizeof *traces);
    if (!traces)
        return ubi__fail_nomem();
    ubi_status status = name_traces(c, traces);
    ubi__free_array(a, traces, n, sizeof *traces);
    return status;
}

ubi_status ubi__recording_read(ubi__recording *out, ubi__source *source, const ubi_allocator *allocator) {
    conversion c = { .reader = NULL };
    UBI_TRY(ubi__recording_init(&c.made, 1, allocator));
    ubi__live_table_init(&c.live, c.made.allocator);
    ubi_status status = ubi__ubirec_tables_init(&c.tables, c.made.allocator);
    if (status == UBI_OK)
        status = convert_recording(&c, source);
    ubi__ubirec_tables_fini(&c.tables);
    ubi__live_table_fini(&c.live);
    vec_last_free_fini(&c.last, c.made.allocator);
    ubi__vec_u32_fini(&c.kinds, c.made.allocator);
    if (status == UBI_OK)
        *out = c.made;
    else
        ubi__recording_fini(&c.made);
    return status;
}

ubi_status ubi_recording_open(ubi_recording **out, const char *path, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__source source;
    UBI_TRY(ubi__recording_source_open(&source, path, a));
    ubi_recording *recording = UBI_NEW(a, ubi_recording);
    ubi_status status = recording ? ubi__recording_read(&recording->tables, &source, a) : ubi__fail_nomem();
    ubi__source_close(&source);
    if (status == UBI_OK)
        *out = recording;
    else
        UBI_DELETE(a, recording);
    return status;
}
