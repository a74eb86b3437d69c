/* SPDX-License-Identifier: MIT
 *
 * timeline_firefox.c: a Gecko profile, see timeline_export.h.
 *
 * In a Gecko profile every thread has tables of its own for strings, frames and stacks. A thread is written in two passes: the first
 * numbers what its markers need, the second writes. What was numbered is listed, so that forgetting it costs no more than it did.
 * A frame's entry in the table of frames has the same number as its stack: a stack is a frame and the stack below it. Where one
 * frame led to another asynchronously, a label between the two says how.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/text.h"
#include "render/timeline_export.h"

#define GECKO_VERSION 31
#define FRAME_BYTES 1024
#define DETAIL_PREFIX "detail:"

/* A string of a thread's table: a text of the timeline, or the words of a frame, or of a label on its callee. */
typedef enum string_kind { STRING_TEXT, STRING_FRAME, STRING_CAUSE } string_kind;

/* A row of a thread's tables of frames and of stacks. */
typedef struct table_row {
    uint32_t frame;  /* of the timeline */
    uint32_t prefix; /* another row, or UBI_NONE */
    bool is_cause;   /* the label between the frame and those that it led to */
    uint32_t string;
} table_row;

typedef struct table_string {
    string_kind kind;
    uint32_t of; /* a text or a frame */
} table_string;

UBI_VEC_DECLARE(vec_row, table_row);
UBI_VEC_DECLARE(vec_string, table_string);

typedef struct profile {
    ubi__json json;
    const ubi__timeline_nest *nest;
    const ubi__timeline_data *data;
    const ubi_allocator *allocator;
    uint32_t *row_of;    /* row_of[frames]: row of the frame in the thread's table, or UBI_NONE */
    uint32_t *label_of;  /* label_of[frames]: that of the label above it, or UBI_NONE */
    uint32_t *string_of; /* string_of[texts]: in the thread's table, or UBI_NONE */
    vec_row rows;
    vec_string strings;
    ubi__vec_u32 waiting;
} profile;

/* ---- numbering -------------------------------------------------------------------------------------------------------- */

static ubi_status add_string(profile *p, uint32_t *out, string_kind kind, uint32_t of) {
    *out = (uint32_t)p->strings.n;
    return vec_string_push(&p->strings, p->allocator, (table_string){ kind, of });
}

static ubi_status number_text(profile *p, ubi_str_ix text) {
    if (p->string_of[text] != UBI_NONE)
        return UBI_OK;
    return add_string(p, &p->string_of[text], STRING_TEXT, text);
}

static ubi_status add_row(profile *p, uint32_t *out, table_row row) {
    UBI_ASSERT(row.prefix == UBI_NONE || row.prefix < p->rows.n); /* readers resolve a stack in one pass */
    UBI_TRY(add_string(p, &row.string, row.is_cause ? STRING_CAUSE : STRING_FRAME, row.frame));
    *out = (uint32_t)p->rows.n;
    return vec_row_push(&p->rows, p->allocator, row);
}

/* The existing row that is the prefix of frames led to by `frame`. */
static ubi_status number_label(profile *p, uint32_t *out, uint32_t frame) {
    UBI_ASSERT(p->row_of[frame] != UBI_NONE && p->rows.at[p->row_of[frame]].frame == frame);
    if (p->label_of[frame] == UBI_NONE)
        UBI_TRY(add_row(p, &p->label_of[frame], (table_row){ frame, p->row_of[frame], true, 0 }));
    *out = p->label_of[frame];
    return UBI_OK;
}

/* The frame's caller has a row. */
static ubi_status number_frame(profile *p, uint32_t frame) {
    bool is_async;
    uint32_t caller = ubi__timeline_caller(p->data, frame, &is_async);
    uint32_t prefix = caller == UBI_NONE ? UBI_NONE : p->row_of[caller];
    UBI_ASSERT(p->row_of[frame] == UBI_NONE);
    UBI_ASSERT(caller == UBI_NONE || prefix != UBI_NONE);
    if (is_async)
        UBI_TRY(number_label(p, &prefix, caller));
    return add_row(p, &p->row_of[frame], (table_row){ frame, prefix, false, 0 });
}

static ubi_status number_stack(profile *p, uint32_t stack) {
    bool is_async;
    p->waiting.n = 0;
    while (stack != UBI_NONE && p->row_of[stack] == UBI_NONE) {
        UBI_TRY(ubi__vec_u32_push(&p->waiting, p->allocator, stack));
        stack = ubi__timeline_caller(p->data, stack, &is_async);
    }
    while (p->waiting.n)
        UBI_TRY(number_frame(p, p->waiting.at[--p->waiting.n]));
    return UBI_OK;
}

static ubi_status number_thread(profile *p, uint32_t thread) {
    for (uint32_t k = ubi__thread_start(p->nest, thread); k < p->nest->thread_end[thread]; k++) {
        const ubi__timeline_row *row = &p->data->rows.at[p->nest->by_thread[k]];
        UBI_TRY(number_text(p, row->name));
        UBI_TRY(number_stack(p, row->stack));
    }
    return UBI_OK;
}

static void forget_thread(profile *p) {
    for (size_t i = 0; i < p->rows.n; i++)
        p->row_of[p->rows.at[i].frame] = p->label_of[p->rows.at[i].frame] = UBI_NONE;
    for (size_t i = 0; i < p->strings.n; i++)
        if (p->strings.at[i].kind == STRING_TEXT)
            p->string_of[p->strings.at[i].of] = UBI_NONE;
    p->rows.n = p->strings.n = 0;
}

/* ---- pieces ----------------------------------------------------------------------------------------------------------- */

/* Opens "key": { "schema": {first: 0, ...}, "data": [ */
static void begin_table(ubi__json *j, const char *key, const char *const *columns, size_t n) {
    ubi__json_member_object(j, key);
    ubi__json_member_object(j, "schema");
    for (size_t i = 0; i < n; i++)
        ubi__json_member_u64(j, columns[i], i);
    ubi__json_object_end(j);
    ubi__json_member_array(j, "data");
}

static void end_table(ubi__json *j) {
    ubi__json_array_end(j);
    ubi__json_object_end(j);
}

static void put_index(ubi__json *j, uint32_t index) {
    if (index == UBI_NONE)
        ubi__json_null(j);
    else
        ubi__json_u64(j, index);
}

static const char *const sample_columns[] = { "stack", "time", "eventDelay" };
static const char *const marker_columns[] = { "name", "startTime", "endTime", "phase", "category", "data" };

/* ---- categories ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *color;
} categories[] = {
    { "Other", "grey" },       { "Rendering", "green" }, { "JavaScript", "yellow" },
    { "Application", "blue" }, { "GC / CC", "orange" },
};

static uint32_t category_of(const ubi__marker_blueprint *b) {
    return b->is_collection ? 4 : b->name ? b->group + 1 : 0;
}

static void put_categories(ubi__json *j) {
    ubi__json_member_array(j, "categories");
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_string(j, "name", categories[i].name);
        ubi__json_member_string(j, "color", categories[i].color);
        ubi__json_member_array(j, "subcategories");
        ubi__json_string(j, "Other");
        ubi__json_array_end(j);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

/* ---- the one kind of payload -------------------------------------------------------------------------------------------- */

#define KEY_BYTES 256
#define ENDED_IN "endedIn"

/* Our keys must not clash with reserved ones, such as "type" and "stack". */
static ubi_text name_prefixed(char out[KEY_BYTES], ubi_text key) {
    size_t n = sizeof DETAIL_PREFIX - 1, fits = key.len < KEY_BYTES - n ? key.len : KEY_BYTES - n;
    memcpy(out, DETAIL_PREFIX, n);
    memcpy(out + n, key.len ? key.ptr : "", fits);
    return (ubi_text){ out, n + fits };
}

static void put_field(profile *p, ubi_text key, ubi_text label) {
    ubi__json_object_begin(&p->json);
    ubi__json_member_text(&p->json, "key", key);
    ubi__json_member_text(&p->json, "label", label);
    ubi__json_member_string(&p->json, "format", "string");
    ubi__json_member_bool(&p->json, "searchable", true);
    ubi__json_object_end(&p->json);
}

/* Each detail key once, and where markers ended: a marker can have only one stack, that of its start. */
static void put_fields(profile *p) {
    char name[KEY_BYTES];
    put_field(p, ubi__text(ENDED_IN), ubi__text("ended in"));
    for (size_t i = 0; i < p->data->details.n; i++) {
        ubi_str_ix key = p->data->details.at[i].key;
        ubi_text label = ubi__timeline_text(p->data, key);
        if (p->string_of[key] == UBI_NONE)
            put_field(p, name_prefixed(name, label), label);
        p->string_of[key] = 0;
    }
    for (size_t i = 0; i < p->data->details.n; i++)
        p->string_of[p->data->details.at[i].key] = UBI_NONE;
}

static void put_marker_schema(profile *p) {
    static const char *const places[] = { "marker-chart", "marker-table", "timeline-overview" };
    ubi__json *j = &p->json;
    ubi__json_member_array(j, "markerSchema");
    ubi__json_object_begin(j);
    ubi__json_member_string(j, "name", "ubiheap");
    ubi__json_member_string(j, "tooltipLabel", "{marker.data.label}");
    ubi__json_member_string(j, "tableLabel", "{marker.data.label}");
    ubi__json_member_string(j, "chartLabel", "{marker.data.label}");
    ubi__json_member_array(j, "display");
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        ubi__json_string(j, places[i]);
    ubi__json_array_end(j);
    ubi__json_member_array(j, "data");
    put_fields(p);
    ubi__json_array_end(j);
    ubi__json_object_end(j);
    ubi__json_array_end(j);
}

static void put_detail(profile *p, const ubi__timeline_detail *detail) {
    char number[32], name[KEY_BYTES];
    ubi__json_key_text(&p->json, name_prefixed(name, ubi__timeline_text(p->data, detail->key)));
    switch (detail->type) {
    case UBI__TIMELINE_BOOL:
        ubi__json_string(&p->json, detail->as.is_true ? "yes" : "no");
        break;
    case UBI__TIMELINE_NUMBER:
        ubi__number_text(number, detail->as.number);
        ubi__json_string(&p->json, number);
        break;
    case UBI__TIMELINE_TEXT:
        ubi__json_text(&p->json, ubi__timeline_text(p->data, detail->as.text));
        break;
    case UBI__TIMELINE_RECTANGLES:
        snprintf(number, sizeof number, "%" PRIu32 " rectangles", detail->as.rectangles.n);
        ubi__json_string(&p->json, number);
        break;
    case UBI__TIMELINE_NULL:
        ubi__json_null(&p->json);
        break;
    }
}

static void put_end(profile *p, uint32_t frame) {
    char words[FRAME_BYTES];
    if (frame == UBI_NONE)
        return;
    size_t n = ubi__timeline_frame_words(words, sizeof words, p->data, frame);
    ubi__json_member_text(&p->json, ENDED_IN, (ubi_text){ words, n });
}

/* A profile of one sample, of the thread's stacks. */
static void put_stack(profile *p, const ubi__timeline_row *row) {
    ubi__json *j = &p->json;
    if (row->stack == UBI_NONE)
        return;
    ubi__json_member_object(j, "stack");
    ubi__json_member_string(j, "name", "SyncProfile");
    ubi__json_member_null(j, "registerTime");
    ubi__json_member_null(j, "unregisterTime");
    ubi__json_member_string(j, "processType", "default");
    ubi__json_member_u64(j, "tid", ubi__timeline_thread_id(p->data, row->thread));
    ubi__json_member_u64(j, "pid", ubi__timeline_process_id(p->data));
    begin_table(j, "markers", marker_columns, 6);
    end_table(j);
    begin_table(j, "samples", sample_columns, 3);
    ubi__json_array_begin(j);
    put_index(j, p->row_of[row->stack]);
    ubi__timeline_put_ms(j, NULL, row->start_ns);
    ubi__json_u64(j, 0);
    ubi__json_array_end(j);
    end_table(j);
    ubi__json_object_end(j);
}

static void put_payload(profile *p, const ubi__timeline_row *row) {
    char label[256];
    ubi__json_object_begin(&p->json);
    ubi__json_member_string(&p->json, "type", "ubiheap");
    ubi__json_member_string(&p->json, "label", ubi__marker_label(label, sizeof label, p->data, row));
    for (uint32_t i = 0; i < row->n_details; i++)
        put_detail(p, &p->data->details.at[row->first_detail + i]);
    put_end(p, row->end_stack);
    put_stack(p, row);
    ubi__json_object_end(&p->json);
}

/* ---- threads ------------------------------------------------------------------------------------------------------------ */

/* Instant 0, interval 1, start of an interval 2. */
static unsigned phase_of(const ubi__timeline_row *row) {
    return ubi__timeline_is_moment(row) ? 0 : row->flags & UBI__TIMELINE_HAS_END ? 1 : 2;
}

static void put_marker(profile *p, uint32_t i) {
    const ubi__timeline_row *row = &p->data->rows.at[i];
    unsigned phase = phase_of(row);
    ubi__json_array_begin(&p->json);
    ubi__json_u64(&p->json, p->string_of[row->name]);
    ubi__timeline_put_ms(&p->json, NULL, row->start_ns);
    if (phase == 1)
        ubi__timeline_put_ms(&p->json, NULL, row->end_ns);
    else
        ubi__json_null(&p->json);
    ubi__json_u64(&p->json, phase);
    ubi__json_u64(&p->json, category_of(p->nest->sums.at[p->nest->sum_of[i]].blueprint));
    put_payload(p, row);
    ubi__json_array_end(&p->json);
}

static void put_markers(profile *p, uint32_t thread) {
    begin_table(&p->json, "markers", marker_columns, 6);
    for (uint32_t k = ubi__thread_start(p->nest, thread); k < p->nest->thread_end[thread] && !p->json.has_failed; k++)
        put_marker(p, p->nest->by_thread[k]);
    end_table(&p->json);
    begin_table(&p->json, "samples", sample_columns, 3);
    end_table(&p->json);
}

static void put_frame(profile *p, const table_row *row) {
    const ubi__timeline_frame *f = &p->data->frames.at[row->frame];
    bool has_place = !row->is_cause && f->line;
    ubi__json_array_begin(&p->json);
    ubi__json_u64(&p->json, row->string);
    ubi__json_bool(&p->json, true);
    ubi__json_u64(&p->json, 0);
    ubi__json_null(&p->json);
    put_index(&p->json, has_place ? f->line : UBI_NONE);
    put_index(&p->json, has_place && f->column ? f->column : UBI_NONE);
    ubi__json_u64(&p->json, 2); /* JavaScript */
    ubi__json_u64(&p->json, 0);
    ubi__json_array_end(&p->json);
}

static void put_stacks(profile *p) {
    static const char *const frame_columns[] = { "location", "relevantForJS", "innerWindowID", "implementation",
                                                 "line",     "column",        "category",      "subcategory" };
    static const char *const stack_columns[] = { "prefix", "frame" };
    begin_table(&p->json, "frameTable", frame_columns, 8);
    for (size_t i = 0; i < p->rows.n; i++)
        put_frame(p, &p->rows.at[i]);
    end_table(&p->json);
    begin_table(&p->json, "stackTable", stack_columns, 2);
    for (size_t i = 0; i < p->rows.n; i++) {
        ubi__json_array_begin(&p->json);
        put_index(&p->json, p->rows.at[i].prefix);
        ubi__json_u64(&p->json, i);
        ubi__json_array_end(&p->json);
    }
    end_table(&p->json);
}

static void put_string(profile *p, const table_string *s) {
    char words[FRAME_BYTES];
    switch (s->kind) {
    case STRING_TEXT:
        ubi__json_text(&p->json, ubi__timeline_text(p->data, s->of));
        return;
    case STRING_FRAME:
        ubi__json_text(&p->json, (ubi_text){ words, ubi__timeline_frame_words(words, sizeof words, p->data, s->of) });
        return;
    case STRING_CAUSE:
        ubi__json_text(&p->json, (ubi_text){ words, ubi__timeline_cause_words(words, sizeof words, p->data, s->of) });
        return;
    }
}

/* Readers take the first thread for the main one, by its name. */
static void put_thread_head(profile *p, uint32_t thread) {
    const ubi__timeline_data *data = p->data;
    ubi_text program = ubi__timeline_text(data, data->program);
    ubi_text name =
        thread < data->threads.n ? ubi__timeline_text(data, data->threads.at[thread].name) : (ubi_text){ NULL, 0 };
    char number[48];
    if (!name.ptr) {
        snprintf(number, sizeof number, "thread %" PRIu64, ubi__timeline_thread_id(p->data, thread));
        name = ubi__text(number);
    }
    ubi__json_member_text(&p->json, "name", thread ? name : ubi__text("GeckoMain"));
    ubi__json_member_string(&p->json, "processType", "default");
    ubi__json_member_text(&p->json, "processName", program.ptr ? program : ubi__text("program"));
    ubi__json_member_u64(&p->json, "registerTime", 0);
    ubi__json_member_null(&p->json, "unregisterTime");
    ubi__json_member_u64(&p->json, "pid", ubi__timeline_process_id(p->data));
    ubi__json_member_u64(&p->json, "tid", ubi__timeline_thread_id(p->data, thread));
}

static ubi_status put_thread(profile *p, uint32_t thread) {
    UBI_TRY(number_thread(p, thread));
    ubi__json_object_begin(&p->json);
    put_thread_head(p, thread);
    put_markers(p, thread);
    put_stacks(p);
    ubi__json_member_array(&p->json, "stringTable");
    for (size_t i = 0; i < p->strings.n; i++)
        put_string(p, &p->strings.at[i]);
    ubi__json_array_end(&p->json);
    ubi__json_object_end(&p->json);
    forget_thread(p);
    return UBI_OK;
}

/* ---- memory --------------------------------------------------------------------------------------------------------------- */

static void put_count(ubi__json *j, uint64_t time_ns, double count) {
    ubi__json_array_begin(j);
    ubi__timeline_put_ms(j, NULL, time_ns);
    ubi__json_double(j, count);
    ubi__json_array_end(j);
}

/* Counts are differences; readers ignore the first. */
static void put_counter(profile *p, ubi_str_ix name) {
    static const char *const columns[] = { "time", "count" };
    const ubi__timeline_data *data = p->data;
    double last = 0;
    ubi__json_object_begin(&p->json);
    ubi__json_member_text(&p->json, "name", ubi__timeline_text(data, name));
    ubi__json_member_string(&p->json, "category", "Memory");
    ubi__json_member_string(&p->json, "description", "Bytes");
    begin_table(&p->json, "samples", columns, 2);
    put_count(&p->json, data->begin_ns, 0);
    for (size_t i = 0; i < data->samples.n; i++)
        if (data->samples.at[i].name == name) {
            put_count(&p->json, data->samples.at[i].time_ns, data->samples.at[i].value - last);
            last = data->samples.at[i].value;
        }
    end_table(&p->json);
    ubi__json_object_end(&p->json);
}

#define MOST_COUNTERS 16

/* Each figure that is not part of another, by its first sample. */
static void put_counters(profile *p) {
    ubi_str_ix names[MOST_COUNTERS];
    size_t n = 0;
    ubi__json_member_array(&p->json, "counters");
    for (size_t i = 0; i < p->data->samples.n && n < MOST_COUNTERS; i++) {
        ubi_str_ix name = p->data->samples.at[i].name;
        size_t k = 0;
        while (k < n && names[k] != name)
            k++;
        if (k < n || ubi__timeline_is_part(ubi__timeline_text(p->data, name)))
            continue;
        names[n++] = name;
        put_counter(p, name);
    }
    ubi__json_array_end(&p->json);
}

/* ---- the whole -------------------------------------------------------------------------------------------------------------- */

static void put_meta(profile *p) {
    const ubi__timeline_data *data = p->data;
    ubi_text program = ubi__timeline_text(data, data->program);
    ubi__json *j = &p->json;
    ubi__json_member_object(j, "meta");
    ubi__json_member_u64(j, "version", GECKO_VERSION);
    ubi__timeline_put_ms(j, "startTime", data->start_unix_us * 1000);
    ubi__json_member_null(j, "shutdownTime");
    ubi__timeline_put_ms(j, "profilingStartTime", data->begin_ns);
    ubi__timeline_put_ms(j, "profilingEndTime", data->end_ns);
    ubi__json_member_u64(j, "interval", 1);
    ubi__json_member_u64(j, "stackwalk", 0);
    ubi__json_member_u64(j, "debug", 0);
    ubi__json_member_u64(j, "gcpoison", 0);
    ubi__json_member_u64(j, "asyncstack", 1);
    ubi__json_member_u64(j, "processType", 0);
    ubi__json_member_text(j, "product", program.ptr ? program : ubi__text("ubiheap"));
    ubi__json_member_string(j, "importedFrom", "ubiheap " UBI_VERSION_STRING);
    ubi__json_member_bool(j, "presymbolicated", true);
    put_categories(j);
    put_marker_schema(p);
    ubi__json_object_end(j);
}

static void put_empty(ubi__json *j, const char *key) {
    ubi__json_member_array(j, key);
    ubi__json_array_end(j);
}

static ubi_status put_profile(profile *p) {
    ubi__json *j = &p->json;
    ubi__json_object_begin(j);
    put_meta(p);
    put_empty(j, "libs");
    put_empty(j, "pages");
    put_empty(j, "pausedRanges");
    put_empty(j, "processes");
    put_counters(p);
    ubi__json_member_array(j, "threads");
    for (uint32_t t = 0; t < p->nest->n_threads; t++)
        UBI_TRY(put_thread(p, t));
    ubi__json_array_end(j);
    ubi__json_object_end(j);
    return ubi__json_flush(j);
}

static uint32_t *no_indices(const profile *p, size_t n) {
    uint32_t *at = ubi__alloc_array(p->allocator, n + 1, sizeof *at);
    if (at)
        memset(at, 0xff, (n + 1) * sizeof *at);
    return at;
}

ubi_status ubi__render_timeline_firefox(ubi_write_fn write, void *payload, const ubi__timeline_nest *nest) {
    profile p = { .nest = nest, .data = nest->data, .allocator = nest->allocator };
    size_t n_frames = p.data->frames.n, n_texts = ubi__strtab_count(&p.data->texts);
    ubi__json_init(&p.json, write, payload, false);
    p.json.is_for_terminal = true;
    p.row_of = no_indices(&p, n_frames);
    p.label_of = no_indices(&p, n_frames);
    p.string_of = no_indices(&p, n_texts);
    ubi_status status = p.row_of && p.label_of && p.string_of ? put_profile(&p) : ubi__fail_nomem();
    ubi__free_array(p.allocator, p.row_of, n_frames + 1, sizeof *p.row_of);
    ubi__free_array(p.allocator, p.label_of, n_frames + 1, sizeof *p.label_of);
    ubi__free_array(p.allocator, p.string_of, n_texts + 1, sizeof *p.string_of);
    vec_row_fini(&p.rows, p.allocator);
    vec_string_fini(&p.strings, p.allocator);
    ubi__vec_u32_fini(&p.waiting, p.allocator);
    return status;
}
