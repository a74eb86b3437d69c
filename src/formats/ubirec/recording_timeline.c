/* SPDX-License-Identifier: MIT
 *
 * recording_timeline.c: see recording_timeline.h.
 *
 * Symbols may follow all events, so markers are kept as the file has them until everything is read; then they go through
 * the pairing, which gives rows.
 */
#include "formats/ubirec/recording_timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ubiheap/core/timeline.h>

#include "base/assert.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "recording/recording_summary.h"
#include "timeline/timeline_data.h"

#define RECORDS_PER_PROGRESS 65536
#define NAME_BYTES 256
#define MOST_DETAILS 32

/* A marker as the file has it. */
typedef struct read_marker {
    uint64_t time_ns;
    ubi_str_ix name, details;
    uint32_t thread, trace;
    uint8_t type, process_type;
    bool is_off_main_thread;
} read_marker;

UBI_VEC_DECLARE(vec_read_marker, read_marker);

typedef struct conversion {
    const ubi_allocator *allocator;
    ubi__recording_summary summary;
    vec_read_marker markers;
    ubi_marker_pairing *pairing;
    uint32_t *names;   /* names[string]: of the pairing, UBI_NONE: not asked yet; so are those below */
    uint32_t *threads; /* threads[thread] */
    uint32_t *stacks;  /* stacks[trace]: its youngest frame; UBI_NONE - 1: not asked yet */
    ubi__vec_u32 waiting;
    ubi__vec_u8 texts[2 * MOST_DETAILS]; /* keys and texts with escapes, of the details at hand */
} conversion;

#define NOT_YET (UBI_NONE - 1)
static_assert((int)UBI__UBIREC_MARKER_START == (int)UBI_MARKER_START &&
                  (int)UBI__UBIREC_MARKER_END == (int)UBI_MARKER_END &&
                  (int)UBI__UBIREC_MARKER_TIMESTAMP == (int)UBI_MARKER_TIMESTAMP &&
                  (int)UBI__UBIREC_MARKER_HELPER_EVENT == (int)UBI_MARKER_HELPER_EVENT,
              "types of markers have the same numbers in files and timelines");

static const ubi__ubirec_tables *tables_of(const conversion *c) {
    return &c->summary.tables;
}

static ubi_text string_at(const conversion *c, ubi_str_ix ix) {
    return ubi__ubirec_string_at(tables_of(c), ix);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static ubi_status keep_marker(conversion *c, const ubi__ubirec_record *r) {
    read_marker m = { .time_ns = r->marker.time_ns,
                      .name = r->marker.name,
                      .details = r->marker.details,
                      .thread = r->marker.thread,
                      .trace = r->marker.trace,
                      .type = (uint8_t)r->marker.type,
                      .process_type = (uint8_t)r->marker.process_type,
                      .is_off_main_thread = r->marker.is_off_main_thread };
    return vec_read_marker_push(&c->markers, c->allocator, m);
}

static ubi_status read_records(conversion *c, ubi__ubirec_reader *reader, uint64_t total_bytes,
                               const ubi_progress *progress) {
    const ubi__ubirec_record *record;
    ubi__ubirec_events events;
    for (uint64_t n = 0, n_next = 0;; n += events.n + 1) {
        ubi__ubirec_next_events(reader, &events);
        UBI_TRY(ubi__recording_summary_add_events(&c->summary, &events));
        UBI_TRY(ubi__ubirec_next(reader, &record));
        if (!record)
            return UBI_OK;
        UBI_TRY(ubi__recording_summary_add(&c->summary, record));
        if (record->type == UBI__UBIREC_MARKER)
            UBI_TRY(keep_marker(c, record));
        if (n < n_next)
            continue;
        n_next += RECORDS_PER_PROGRESS;
        if (!ubi__progress(progress, "reading", ubi__ubirec_bytes_in(reader), total_bytes))
            return ubi__fail_cancelled();
    }
}

/* Keeps what comes before a fault, if there is anything. */
static ubi_status read_file(conversion *c, char *fault, ubi__source *source, const ubi_progress *progress) {
    ubi__ubirec_reader *reader;
    UBI_TRY(ubi__ubirec_reader_new(&reader, source, c->allocator));
    ubi_status status = read_records(c, reader, source->size, progress);
    if (status == UBI_EFORMAT && tables_of(c)->periods.n > 0) {
        snprintf(fault, UBI__RECORDING_FAULT_BYTES, "%s", ubi_error_message());
        status = UBI_OK;
    }
    ubi__ubirec_reader_free(reader);
    if (status == UBI_OK)
        ubi__recording_summary_finish(&c->summary);
    return status;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

static bool begins_with(ubi_text text, const char *beginning) {
    size_t n = strlen(beginning);
    return text.len >= n && memcmp(text.ptr, beginning, n) == 0;
}

/* What ubiheap/core/marker.h puts into the function that marks. */
static bool is_of_marker(ubi_text function) {
    return begins_with(function, "ubi_marker_") || begins_with(function, "ubi__marker_");
}

static ubi_text base_name(ubi_text path) {
    const char *slash = memrchr(path.ptr, '/', path.len), *name = slash ? slash + 1 : path.ptr;
    return (ubi_text){ name, path.len - (size_t)(name - path.ptr) };
}

/* Code without symbols. */
static ubi_timeline_frame plain_frame(const conversion *c, char name[NAME_BYTES], const ubi__ubirec_frame *f) {
    ubi_timeline_frame frame = { .parent = UBI_NONE, .async_parent = UBI_NONE };
    if (f->type == UBI__UBIREC_SCRIPT_FRAME) {
        frame.function_name = string_at(c, f->of);
        frame.source = string_at(c, f->script.file);
        frame.line = f->script.line;
        frame.column = f->column;
        return frame;
    }
    if (f->type == UBI__UBIREC_LABEL_FRAME) {
        frame.function_name = string_at(c, f->of);
        return frame;
    }
    if (f->type == UBI__UBIREC_NATIVE_FRAME) {
        frame.source = string_at(c, tables_of(c)->modules.at[f->of].path);
        ubi_text module = base_name(frame.source);
        snprintf(name, NAME_BYTES, "%.*s+0x%" PRIx64, (int)(module.len < 200 ? module.len : 200), module.ptr,
                 f->address);
    } else {
        snprintf(name, NAME_BYTES, "0x%" PRIx64, f->address);
    }
    frame.function_name = ubi__text(name);
    return frame;
}

/* @param stack  in and out: of the caller, then of the frame; one per function that was inlined there */
static ubi_status add_frame(conversion *c, uint32_t *stack, uint32_t frame) {
    char name[NAME_BYTES];
    uint32_t n;
    const ubi__ubirec_symbol_row *symbols = ubi__ubirec_symbols_of(tables_of(c), frame, &n);
    if (n == 0) {
        ubi_timeline_frame added = plain_frame(c, name, &tables_of(c)->frames.at[frame]);
        added.parent = *stack;
        return ubi_marker_pairing_frame(stack, c->pairing, &added);
    }
    for (uint32_t i = n; i-- > 0;) {
        ubi_timeline_frame added = { .function_name = string_at(c, symbols[i].function),
                                     .source = string_at(c, symbols[i].file),
                                     .line = symbols[i].line,
                                     .column = symbols[i].column,
                                     .parent = *stack,
                                     .async_parent = UBI_NONE };
        if (!is_of_marker(added.function_name))
            UBI_TRY(ubi_marker_pairing_frame(stack, c->pairing, &added));
    }
    return UBI_OK;
}

/* Callers first. */
static ubi_status stack_of(conversion *c, uint32_t *out, uint32_t trace) {
    c->waiting.n = 0;
    for (; c->stacks[trace] == NOT_YET; trace = tables_of(c)->traces.at[trace].caller)
        UBI_TRY(ubi__vec_u32_push(&c->waiting, c->allocator, trace));
    uint32_t stack = c->stacks[trace];
    UBI_ASSERT(stack != NOT_YET); /* that of trace 0 at the latest */
    while (c->waiting.n > 0) {
        uint32_t next = c->waiting.at[--c->waiting.n];
        UBI_TRY(add_frame(c, &stack, tables_of(c)->traces.at[next].frame));
        UBI_ASSERT(c->stacks[next] == NOT_YET && next > tables_of(c)->traces.at[next].caller);
        c->stacks[next] = stack;
    }
    *out = stack;
    return UBI_OK;
}

/* ---- names, threads, details -------------------------------------------------------------------------------------- */

static ubi_status name_of(conversion *c, uint32_t *out, ubi_str_ix name) {
    if (c->names[name] == UBI_NONE)
        UBI_TRY(ubi_marker_pairing_name(&c->names[name], c->pairing, string_at(c, name)));
    *out = c->names[name];
    return UBI_OK;
}

static ubi_status thread_of(conversion *c, uint32_t *out, uint32_t thread) {
    if (c->threads[thread] == UBI_NONE) {
        const ubi__ubirec_thread_row *row = &tables_of(c)->threads.at[thread];
        const ubi_timeline_thread added = { .id = row->tid,
                                            .name = string_at(c, row->name),
                                            .is_main = row->tid == tables_of(c)->about.pid };
        UBI_TRY(ubi_marker_pairing_thread(&c->threads[thread], c->pairing, &added));
    }
    *out = c->threads[thread];
    return UBI_OK;
}

/* @param out  or: it has no value that we know */
static ubi_status value_of(conversion *c, ubi_timeline_detail *out, size_t i, const ubi__json_value *value) {
    switch (value->type) {
    case UBI__JSON_STRING:
        out->type = UBI_MARKER_TEXT;
        return ubi__json_value_text(&out->text, value, &c->texts[2 * i + 1], c->allocator);
    case UBI__JSON_TRUE:
    case UBI__JSON_FALSE:
        out->type = UBI_MARKER_BOOL;
        out->is_true = value->type == UBI__JSON_TRUE;
        return UBI_OK;
    default:
        out->type = UBI_MARKER_NUMBER;
        if (!ubi__json_value_number(&out->number, value))
            out->key = (ubi_text){ 0 };
        return UBI_OK;
    }
}

/* Of an object's members: texts, numbers, true and false. What is no object ends where that shows. @return via n: how many */
static ubi_status details_of(conversion *c, ubi_timeline_detail out[MOST_DETAILS], size_t *n, ubi_text json) {
    ubi__json_cursor cursor;
    ubi__json_value key, value;
    *n = 0;
    if (json.len == 0)
        return UBI_OK;
    ubi__json_cursor_open(&cursor, json, UBI__JSON_OBJECT);
    while (*n < MOST_DETAILS && ubi__json_cursor_next_member(&cursor, &key, &value)) {
        ubi_timeline_detail *detail = &out[*n];
        *detail = (ubi_timeline_detail){ 0 };
        UBI_TRY(ubi__json_value_text(&detail->key, &key, &c->texts[2 * *n], c->allocator));
        UBI_TRY(value_of(c, detail, *n, &value));
        *n += detail->key.ptr != NULL;
        UBI_ASSERT(*n <= MOST_DETAILS);
    }
    return UBI_OK;
}

/* As ubi_console_timeline_marker_new pairs: by its label too. */
static ubi_text key_of(const conversion *c, const read_marker *m, const ubi_timeline_detail *details, size_t n) {
    if (ubi__text_is(string_at(c, m->name), "ConsoleTime"))
        for (size_t i = 0; i < n; i++)
            if (ubi__text_is(details[i].key, "causeName"))
                return details[i].text;
    return (ubi_text){ 0 };
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static ubi_status add_marker(conversion *c, const read_marker *m) {
    ubi_timeline_detail details[MOST_DETAILS];
    ubi_raw_marker raw = { .tracing = (ubi_marker_tracing)m->type,
                           .time_ns = m->time_ns,
                           .details = details,
                           .process_type = m->process_type,
                           .is_off_main_thread = m->is_off_main_thread,
                           .has_end_stack = m->type == UBI__UBIREC_MARKER_END };
    UBI_TRY(name_of(c, &raw.name, m->name));
    UBI_TRY(thread_of(c, &raw.thread, m->thread));
    UBI_TRY(stack_of(c, &raw.stack, m->trace));
    UBI_TRY(details_of(c, details, &raw.detail_count, string_at(c, m->details)));
    raw.key = key_of(c, m, details, raw.detail_count);
    return ubi_marker_pairing_add(c->pairing, &raw);
}

static ubi_status add_markers(conversion *c, ubi__timeline_data *out) {
    ubi_timeline_markers *made;
    for (size_t i = 0; i < c->markers.n; i++)
        UBI_TRY(add_marker(c, &c->markers.at[i]));
    UBI_ASSERT(c->summary.n_markers <= c->markers.n);
    UBI_TRY(ubi_marker_pairing_finish(&made, c->pairing, true));
    ubi_status status = ubi__timeline_import_markers(out, made);
    ubi_timeline_markers_free(made);
    return status;
}

/* A point of the curve stands for a span, and is given at its start; what was before the recording is left out. */
static ubi_status add_samples(const conversion *c, ubi__timeline_data *out) {
    const ubi__recording_summary *s = &c->summary;
    bool has_frees = s->tables.counters[UBI__UBIREC_WITHOUT_FREES] == 0;
    for (size_t i = 0; i < s->n_curve; i++) {
        const ubi__curve_point *point = &s->curve[i];
        uint64_t time_ns = ubi__curve_time_ns(s, i);
        if (time_ns + s->curve_step_ns <= s->tables.about.recording_start_ns)
            continue;
        if (has_frees)
            UBI_TRY(ubi__timeline_add_sample(out, time_ns, ubi__text("heapLive"), (double)point->live_bytes));
        if (point->rss_bytes)
            UBI_TRY(ubi__timeline_add_sample(out, time_ns, ubi__text("resident"), (double)point->rss_bytes));
    }
    return UBI_OK;
}

static ubi_status add_about(const conversion *c, ubi__timeline_data *out) {
    const ubi__ubirec_about *about = &tables_of(c)->about;
    out->pid = about->pid;
    out->is_sampled = !ubi__ubirec_is_exact(tables_of(c));
    out->start_unix_us = about->start_unix_ns / 1000;
    out->n_lost += tables_of(c)->counters[UBI__UBIREC_LOST_MARKERS];
    return ubi__timeline_add_text(out, &out->program, about->program);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* An array of n, and one more, so that there is always one; each UBI_NONE. */
static uint32_t *new_numbers(const conversion *c, size_t n) {
    uint32_t *at = ubi__alloc_array(c->allocator, n + 1, sizeof *at);
    if (at)
        memset(at, 0xff, (n + 1) * sizeof *at);
    return at;
}

static ubi_status conversion_run(conversion *c, ubi__timeline_data *out) {
    const ubi__ubirec_tables *t = tables_of(c);
    const ubi_marker_pairing_options options = { .version = UBI_MARKER_PAIRING_OPTIONS_VERSION,
                                                 .is_per_thread = true,
                                                 .allocator = c->allocator };
    c->names = new_numbers(c, ubi__strtab_count(&t->strings));
    c->threads = new_numbers(c, t->threads.n);
    c->stacks = new_numbers(c, t->traces.n);
    if (!c->names || !c->threads || !c->stacks)
        return ubi__fail_nomem();
    for (size_t i = 1; i < t->traces.n; i++) /* trace 0 is none */
        c->stacks[i] = NOT_YET;
    UBI_TRY(ubi_marker_pairing_new(&c->pairing, &options));
    UBI_TRY(add_about(c, out));
    UBI_TRY(add_markers(c, out));
    return add_samples(c, out);
}

static void conversion_fini(conversion *c) {
    const ubi__ubirec_tables *t = tables_of(c);
    ubi_marker_pairing_free(c->pairing);
    ubi__free_array(c->allocator, c->names, ubi__strtab_count(&t->strings) + 1, sizeof *c->names);
    ubi__free_array(c->allocator, c->threads, t->threads.n + 1, sizeof *c->threads);
    ubi__free_array(c->allocator, c->stacks, t->traces.n + 1, sizeof *c->stacks);
    for (size_t i = 0; i < 2 * MOST_DETAILS; i++)
        ubi__vec_u8_fini(&c->texts[i], c->allocator);
    ubi__vec_u32_fini(&c->waiting, c->allocator);
    vec_read_marker_fini(&c->markers, c->allocator);
    ubi__recording_summary_fini(&c->summary);
}

ubi_status ubi__recording_timeline_read(ubi__timeline_data *out, char fault[UBI__RECORDING_FAULT_BYTES],
                                        ubi__source *source, ubi__recording_namer *namer, const ubi_progress *progress,
                                        const ubi_allocator *allocator) {
    allocator = ubi__allocator_or_default(allocator);
    conversion *c = UBI_NEW(allocator, conversion);
    if (!c)
        return ubi__fail_nomem();
    c->allocator = allocator;
    fault[0] = '\0';
    ubi_status status = ubi__recording_summary_init(&c->summary, allocator);
    if (status == UBI_OK) {
        status = read_file(c, fault, source, progress);
        if (status == UBI_OK && namer)
            status = namer(&c->summary.tables, NULL, progress);
        if (status == UBI_OK)
            status = conversion_run(c, out);
        conversion_fini(c);
    }
    UBI_DELETE(allocator, c);
    return status;
}
