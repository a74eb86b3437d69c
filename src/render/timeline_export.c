/* SPDX-License-Identifier: MIT
 *
 * timeline_export.c: the words that exports share, members of our own documents, and trace events.
 *
 * Viewers draw a thread's complete events as nested boxes and drop, or move, one that sticks out of the box it began
 * in. So the open boxes are kept as a stack of ends, and what would stick out gets a track of its own.
 */
#include "render/timeline_export.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/human.h"
#include "base/text.h"

/* ---- words ------------------------------------------------------------------------------------------------------ */

static size_t words_put(char *out, size_t size, size_t n, ubi_text text) {
    size_t room = size - n, fits = text.len < room ? text.len : room;
    if (fits)
        memcpy(out + n, text.ptr, fits);
    return n + fits;
}

static size_t put_number(char *out, size_t size, size_t n, uint32_t number) {
    char digits[16];
    if (number == 0)
        return n;
    snprintf(digits, sizeof digits, ":%" PRIu32, number);
    return words_put(out, size, n, ubi__text(digits));
}

/* Cuts only between characters. */
static size_t is_whole(const char *text, size_t n, size_t size) {
    if (n < size)
        return n;
    while (n > 0 && ((uint8_t)text[n - 1] & 0xc0) == 0x80)
        n--;
    return n > 0 && (uint8_t)text[n - 1] >= 0xc0 ? n - 1 : n;
}

size_t ubi__timeline_frame_words(char *out, size_t size, const ubi__timeline_data *data, uint32_t frame) {
    const ubi__timeline_frame *f = &data->frames.at[frame];
    ubi_text function = ubi__timeline_text(data, f->function), source = ubi__timeline_text(data, f->source);
    size_t n = 0;
    if (source.len == 0)
        return is_whole(out, words_put(out, size, 0, function.len ? function : ubi__text("(anonymous)")), size);
    if (function.len) {
        n = words_put(out, size, n, function);
        n = words_put(out, size, n, ubi__text(" ("));
    }
    n = words_put(out, size, n, source);
    n = put_number(out, size, n, f->line);
    n = put_number(out, size, n, f->line ? f->column : 0);
    n = words_put(out, size, n, ubi__text(function.len ? ")" : ""));
    return is_whole(out, n, size);
}

size_t ubi__timeline_cause_words(char *out, size_t size, const ubi__timeline_data *data, uint32_t frame) {
    size_t n = words_put(out, size, 0, ubi__text("(async: "));
    n = words_put(out, size, n, ubi__timeline_text(data, data->frames.at[frame].async_cause));
    return is_whole(out, words_put(out, size, n, ubi__text(")")), size);
}

bool ubi__timeline_is_part(ubi_text figure) {
    static const char ending[] = "Size";
    size_t n = sizeof ending - 1;
    return figure.len > n && memcmp(figure.ptr + figure.len - n, ending, n) == 0;
}

/* ---- our documents ---------------------------------------------------------------------------------------------- */

/* ---- frames ------------------------------------------------------------------------------------------------------------ */

/* Index in the table: 0 means no frame. */
static void put_entry(ubi__json *json, const char *key, uint32_t frame) {
    ubi__json_member_u64(json, key, frame == UBI_NONE ? 0 : (uint64_t)frame + 1);
}

static void json_put_frames(ubi__json *json, const ubi__timeline_data *data) {
    ubi__json_member_array(json, "frames");
    if (data->frames.n)
        ubi__json_null(json);
    for (size_t i = 0; i < data->frames.n; i++) {
        const ubi__timeline_frame *f = &data->frames.at[i];
        ubi__json_object_begin(json);
        ubi__json_member_u64(json, "line", f->line);
        ubi__json_member_u64(json, "column", f->column);
        ubi__json_member_text(json, "source", ubi__timeline_text(data, f->source));
        ubi__json_member_text(json, "functionDisplayName", ubi__timeline_text(data, f->function));
        put_entry(json, "parent", f->parent);
        put_entry(json, "asyncParent", f->async_parent);
        ubi__json_member_text(json, "asyncCause", ubi__timeline_text(data, f->async_cause));
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

/* ---- markers ----------------------------------------------------------------------------------------------------------- */

static void put_rectangles(ubi__json *json, const ubi__timeline_data *data, const ubi__timeline_detail *detail) {
    ubi__json_array_begin(json);
    for (uint32_t i = 0; i < detail->as.rectangles.n; i++) {
        const ubi__timeline_rectangle *r = &data->rectangles.at[detail->as.rectangles.first + i];
        const double values[] = { r->x, r->y, r->width, r->height };
        static const char *const keys[] = { "x", "y", "width", "height" };
        ubi__json_object_begin(json);
        for (size_t k = 0; k < 4; k++) {
            ubi__json_member_double(json, keys[k], values[k]);
        }
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void put_value(ubi__json *json, const ubi__timeline_data *data, const ubi__timeline_detail *detail) {
    switch (detail->type) {
    case UBI__TIMELINE_BOOL:
        ubi__json_bool(json, detail->as.is_true);
        break;
    case UBI__TIMELINE_NUMBER:
        ubi__json_double(json, detail->as.number);
        break;
    case UBI__TIMELINE_TEXT:
        ubi__json_text(json, ubi__timeline_text(data, detail->as.text));
        break;
    case UBI__TIMELINE_RECTANGLES:
        put_rectangles(json, data, detail);
        break;
    case UBI__TIMELINE_NULL:
        ubi__json_null(json);
        break;
    }
}

static void put_details(ubi__json *json, const ubi__timeline_data *data, const ubi__timeline_row *row) {
    ubi__json_member_object(json, "details");
    for (uint32_t i = 0; i < row->n_details; i++) {
        const ubi__timeline_detail *detail = &data->details.at[row->first_detail + i];
        ubi__json_key_text(json, ubi__timeline_text(data, detail->key));
        put_value(json, data, detail);
    }
    ubi__json_object_end(json);
}

static void put_index(ubi__json *json, const char *key, bool is_there, uint32_t index) {
    ubi__json_member_u64_or_null(json, key, is_there, index);
}

static void json_put_marker(ubi__json *json, const ubi__timeline_nest *nest, uint32_t i) {
    const ubi__timeline_row *row = &nest->data->rows.at[i];
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "name", ubi__timeline_text(nest->data, row->name));
    ubi__json_member_text(json, "label", ubi__timeline_label(nest, &nest->sums.at[nest->sum_of[i]]));
    ubi__timeline_put_ms(json, "start", row->start_ns);
    if (row->flags & UBI__TIMELINE_HAS_END) {
        ubi__timeline_put_ms(json, "end", row->end_ns);
    } else {
        ubi__json_member_null(json, "end");
    }
    ubi__timeline_put_ms(json, "self", nest->self_ns[i]);
    put_index(json, "thread", nest->data->threads.n > 0, row->thread);
    put_index(json, "parent", nest->parent[i] != UBI_NONE, nest->parent[i]);
    put_entry(json, "stack", row->stack);
    put_entry(json, "endStack", row->end_stack);
    if (row->flags & UBI__TIMELINE_HAS_ORIGIN) {
        ubi__json_member_u64(json, "processType", row->process_type);
        ubi__json_member_bool(json, "isOffMainThread", row->flags & UBI__TIMELINE_OFF_THREAD);
    }
    put_details(json, nest->data, row);
    ubi__json_object_end(json);
}

/* ---- the rest ------------------------------------------------------------------------------------------------------------ */

static void put_threads(ubi__json *json, const ubi__timeline_nest *nest) {
    ubi__json_member_array(json, "threads");
    for (uint32_t t = 0; t < nest->data->threads.n; t++) {
        const ubi__timeline_thread *thread = &nest->data->threads.at[t];
        ubi__json_object_begin(json);
        ubi__json_member_u64(json, "id", thread->id);
        ubi__json_member_text(json, "name", ubi__timeline_text(nest->data, thread->name));
        ubi__timeline_put_ms(json, "busy", t < nest->n_threads ? nest->threads[t].busy_ns : 0);
        ubi__timeline_put_ms(json, "collections", t < nest->n_threads ? nest->threads[t].collection_ns : 0);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

static void put_sums(ubi__json *json, const ubi__timeline_nest *nest) {
    ubi__json_member_array(json, "byMarker");
    for (size_t i = 0; i < nest->sums.n; i++) {
        const ubi__marker_sum *sum = &nest->sums.at[i];
        ubi__json_object_begin(json);
        ubi__json_member_text(json, "label", ubi__timeline_label(nest, sum));
        ubi__json_member_u64(json, "group", sum->blueprint->group);
        ubi__json_member_string(json, "color", ubi__marker_color_name(sum->blueprint->color));
        ubi__json_member_u64(json, "count", sum->count);
        ubi__timeline_put_ms(json, "total", sum->total_ns);
        ubi__timeline_put_ms(json, "self", sum->self_ns);
        ubi__json_member_u64(json, "longestMarker", sum->longest);
        ubi__json_object_end(json);
    }
    ubi__json_array_end(json);
}

/* Figures of the same time share an object. */
static void put_memory(ubi__json *json, const ubi__timeline_data *data) {
    ubi__json_member_array(json, "memory");
    for (size_t i = 0; i < data->samples.n; i++) {
        const ubi__timeline_sample *s = &data->samples.at[i];
        bool is_first = i == 0 || s[-1].time_ns != s->time_ns;
        bool is_last = i + 1 == data->samples.n || s[1].time_ns != s->time_ns;
        if (is_first) {
            ubi__json_object_begin(json);
            ubi__timeline_put_ms(json, "time", s->time_ns);
            ubi__json_member_object(json, "bytes");
        }
        ubi__json_key_text(json, ubi__timeline_text(data, s->name));
        ubi__json_double(json, s->value);
        if (is_last) {
            ubi__json_object_end(json);
            ubi__json_object_end(json);
        }
    }
    ubi__json_array_end(json);
}

void ubi__render_timeline_members(ubi__json *json, const ubi__timeline_nest *nest) {
    put_threads(json, nest);
    put_sums(json, nest);
    put_memory(json, nest->data);
    json_put_frames(json, nest->data);
    ubi__json_member_array(json, "markers");
    for (uint32_t i = 0; i < nest->n && !json->has_failed; i++)
        json_put_marker(json, nest, i);
    ubi__json_array_end(json);
}

/* ---- trace events ----------------------------------------------------------------------------------------------- */

#define SHOWN_FRAMES 16
#define FRAME_BYTES 512

typedef struct trace {
    ubi__json json;
    const ubi__timeline_nest *nest;
    const ubi__timeline_data *data;
    ubi__vec_u64 open; /* ends of the boxes that are open on the thread, the innermost last */
} trace;

/* ---- events ----------------------------------------------------------------------------------------------------------- */

static void put_us(ubi__json *json, const char *key, uint64_t ns) {
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
    ubi__json_member_raw(json, key, (ubi_text){ digits, (size_t)n });
}

static void begin_event(trace *t, const char *phase, ubi_text name, uint32_t thread) {
    ubi__json_object_begin(&t->json);
    ubi__json_member_string(&t->json, "ph", phase);
    ubi__json_member_text(&t->json, "name", name);
    ubi__json_member_u64(&t->json, "pid", ubi__timeline_process_id(t->data));
    ubi__json_member_u64(&t->json, "tid", ubi__timeline_thread_id(t->data, thread));
}

static const char *category_of(const ubi__marker_blueprint *b) {
    static const char *const groups[UBI__MARKER_GROUPS] = { "rendering", "script", "application" };
    return b->is_collection ? "gc" : groups[b->group];
}

/* ---- what is known about a marker ------------------------------------------------------------------------------------------ */

static void put_detail(trace *t, const ubi__timeline_detail *detail) {
    switch (detail->type) {
    case UBI__TIMELINE_BOOL:
        ubi__json_bool(&t->json, detail->as.is_true);
        break;
    case UBI__TIMELINE_NUMBER:
        ubi__json_double(&t->json, detail->as.number);
        break;
    case UBI__TIMELINE_TEXT:
        ubi__json_text(&t->json, ubi__timeline_text(t->data, detail->as.text));
        break;
    case UBI__TIMELINE_RECTANGLES:
        ubi__json_u64(&t->json, detail->as.rectangles.n);
        break;
    case UBI__TIMELINE_NULL:
        ubi__json_null(&t->json);
        break;
    }
}

static ubi_text cause_words(char out[FRAME_BYTES], const ubi__timeline_data *data, uint32_t frame) {
    return (ubi_text){ out, ubi__timeline_cause_words(out, FRAME_BYTES, data, frame) };
}

static void put_stack(trace *t, const char *key, uint32_t stack) {
    char words[FRAME_BYTES];
    bool is_async;
    if (stack == UBI_NONE)
        return;
    ubi__json_member_array(&t->json, key);
    for (int i = 0; i < SHOWN_FRAMES && stack != UBI_NONE; i++) {
        size_t n = ubi__timeline_frame_words(words, sizeof words, t->data, stack);
        ubi__json_text(&t->json, (ubi_text){ words, n });
        stack = ubi__timeline_caller(t->data, stack, &is_async);
        if (is_async && ++i < SHOWN_FRAMES)
            ubi__json_text(&t->json, cause_words(words, t->data, stack));
    }
    ubi__json_array_end(&t->json);
}

static void put_args(trace *t, const ubi__timeline_row *row) {
    ubi__json_member_object(&t->json, "args");
    for (uint32_t i = 0; i < row->n_details; i++) {
        const ubi__timeline_detail *detail = &t->data->details.at[row->first_detail + i];
        ubi__json_key_text(&t->json, ubi__timeline_text(t->data, detail->key));
        put_detail(t, detail);
    }
    put_stack(t, "stack", row->stack);
    put_stack(t, "endStack", row->end_stack);
    ubi__json_object_end(&t->json);
}

/* Frames are named by strings. */
static void put_frame_ref(trace *t, const char *key, uint32_t frame) {
    char digits[16];
    if (frame == UBI_NONE)
        return;
    snprintf(digits, sizeof digits, "%" PRIu32, frame);
    ubi__json_member_string(&t->json, key, digits);
}

/* ---- markers ------------------------------------------------------------------------------------------------------------ */

/* Whether the marker nests in the open boxes; if so, it is pushed. */
static ubi_status try_box(trace *t, bool *is_box, const ubi__timeline_row *row) {
    while (t->open.n && t->open.at[t->open.n - 1] <= row->start_ns)
        t->open.n--;
    *is_box = t->open.n == 0 || row->end_ns <= t->open.at[t->open.n - 1];
    UBI_ASSERT(row->start_ns <= row->end_ns);
    UBI_ASSERT(t->open.n < 2 || t->open.at[t->open.n - 1] <= t->open.at[t->open.n - 2]); /* the innermost ends first */
    return *is_box ? ubi__vec_u64_push(&t->open, t->nest->allocator, row->end_ns) : UBI_OK;
}

static const char *phase_of(const ubi__timeline_row *row, bool is_box) {
    return ubi__timeline_is_moment(row) ? "i" : !is_box ? "b" : row->flags & UBI__TIMELINE_HAS_END ? "X" : "B";
}

static void put_async_end(trace *t, uint32_t i, ubi_text name, const char *category) {
    const ubi__timeline_row *row = &t->data->rows.at[i];
    begin_event(t, "e", name, row->thread);
    ubi__json_member_string(&t->json, "cat", category);
    ubi__json_member_u64(&t->json, "id", i);
    put_us(&t->json, "ts", row->end_ns);
    ubi__json_object_end(&t->json);
}

static ubi_status put_marker(trace *t, uint32_t i) {
    const ubi__timeline_row *row = &t->data->rows.at[i];
    const ubi__marker_sum *sum = &t->nest->sums.at[t->nest->sum_of[i]];
    ubi_text name = ubi__timeline_label(t->nest, sum);
    bool is_box = false;
    if (!sum->blueprint->is_not_nestable && !ubi__timeline_is_moment(row))
        UBI_TRY(try_box(t, &is_box, row));
    const char *phase = phase_of(row, is_box), *category = category_of(sum->blueprint);
    begin_event(t, phase, name, row->thread);
    ubi__json_member_string(&t->json, "cat", category);
    put_us(&t->json, "ts", row->start_ns);
    if (*phase == 'X')
        put_us(&t->json, "dur", ubi__timeline_duration_ns(row));
    else if (*phase == 'i')
        ubi__json_member_string(&t->json, "s", "t");
    else if (*phase == 'b')
        ubi__json_member_u64(&t->json, "id", i);
    put_frame_ref(t, "sf", row->stack);
    if (*phase == 'X')
        put_frame_ref(t, "esf", row->end_stack);
    put_args(t, row);
    ubi__json_object_end(&t->json);
    if (*phase == 'b')
        put_async_end(t, i, name, category);
    return UBI_OK;
}

static ubi_status put_markers(trace *t) {
    uint32_t n = t->nest->n;
    for (uint32_t k = 0, thread = 0; k < n; k++) {
        for (; k >= t->nest->thread_end[thread]; thread++)
            t->open.n = 0;
        UBI_TRY(put_marker(t, t->nest->by_thread[k]));
        if (t->json.has_failed)
            break;
    }
    return UBI_OK;
}

/* ---- names, memory, frames ------------------------------------------------------------------------------------------------ */

static void put_name(trace *t, const char *what, uint32_t thread, ubi_text name) {
    begin_event(t, "M", ubi__text(what), thread);
    ubi__json_member_object(&t->json, "args");
    ubi__json_member_text(&t->json, "name", name);
    ubi__json_object_end(&t->json);
    ubi__json_object_end(&t->json);
}

static void put_names(trace *t) {
    const ubi__timeline_data *data = t->data;
    if (data->program != UBI_NONE)
        put_name(t, "process_name", 0, ubi__timeline_text(data, data->program));
    for (uint32_t i = 0; i < data->threads.n; i++)
        if (data->threads.at[i].name != UBI_NONE)
            put_name(t, "thread_name", i, ubi__timeline_text(data, data->threads.at[i].name));
}

static void put_sample(trace *t, const ubi__timeline_sample *sample) {
    ubi_text name = ubi__timeline_text(t->data, sample->name);
    bool is_part = ubi__timeline_is_part(name);
    begin_event(t, "C", is_part ? ubi__text("memory by use") : name, 0);
    put_us(&t->json, "ts", sample->time_ns);
    ubi__json_member_object(&t->json, "args");
    ubi__json_key_text(&t->json, is_part ? name : ubi__text("bytes"));
    ubi__json_double(&t->json, sample->value);
    ubi__json_object_end(&t->json);
    ubi__json_object_end(&t->json);
}

static void begin_frame(trace *t, const char *key, ubi_text name) {
    ubi__json_member_object(&t->json, key);
    ubi__json_member_string(&t->json, "category", "script");
    ubi__json_member_text(&t->json, "name", name);
}

/* The frame "async 7" is between frame 7 and each that it led to asynchronously. */
static void put_frame(trace *t, uint32_t i) {
    char key[32], words[FRAME_BYTES];
    bool is_async;
    uint32_t caller = ubi__timeline_caller(t->data, i, &is_async);
    snprintf(key, sizeof key, "%" PRIu32, i);
    begin_frame(t, key, (ubi_text){ words, ubi__timeline_frame_words(words, sizeof words, t->data, i) });
    if (is_async) {
        snprintf(key, sizeof key, "async %" PRIu32, caller);
        ubi__json_member_string(&t->json, "parent", key);
    } else {
        put_frame_ref(t, "parent", caller);
    }
    ubi__json_object_end(&t->json);
}

static void put_cause_frame(trace *t, uint32_t i) {
    char key[32], words[FRAME_BYTES];
    snprintf(key, sizeof key, "async %" PRIu32, i);
    begin_frame(t, key, cause_words(words, t->data, i));
    put_frame_ref(t, "parent", i);
    ubi__json_object_end(&t->json);
}

static ubi_status put_frames(trace *t) {
    bool is_async;
    size_t n = t->data->frames.n;
    bool *led = ubi__calloc_array(t->nest->allocator, n + 1, sizeof *led);
    if (!led)
        return ubi__fail_nomem();
    ubi__json_member_object(&t->json, "stackFrames");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t caller = ubi__timeline_caller(t->data, i, &is_async);
        put_frame(t, i);
        if (is_async && !led[caller])
            put_cause_frame(t, caller);
        if (is_async)
            led[caller] = true;
    }
    ubi__json_object_end(&t->json);
    ubi__free_array(t->nest->allocator, led, n + 1, sizeof *led);
    return UBI_OK;
}

static void put_about(trace *t) {
    char time[UBI__HUMAN_TEXT];
    ubi__json_member_string(&t->json, "displayTimeUnit", "ms");
    ubi__json_member_object(&t->json, "otherData");
    ubi__json_member_string(&t->json, "generator", "ubiheap " UBI_VERSION_STRING);
    if (t->data->start_unix_us)
        ubi__json_member_string(&t->json, "startTime", ubi__iso_time(time, t->data->start_unix_us));
    if (t->data->n_lost)
        ubi__json_member_u64(&t->json, "lostMarkers", t->data->n_lost);
    ubi__json_object_end(&t->json);
}

static ubi_status put_trace(trace *t) {
    ubi__json_object_begin(&t->json);
    put_about(t);
    ubi__json_member_array(&t->json, "traceEvents");
    put_names(t);
    UBI_TRY(put_markers(t));
    for (size_t i = 0; i < t->data->samples.n; i++)
        put_sample(t, &t->data->samples.at[i]);
    ubi__json_array_end(&t->json);
    UBI_TRY(put_frames(t));
    ubi__json_object_end(&t->json);
    return ubi__json_flush(&t->json);
}

ubi_status ubi__render_timeline_chrome(ubi_write_fn write, void *payload, const ubi__timeline_nest *nest) {
    trace t = { .nest = nest, .data = nest->data };
    ubi__json_init(&t.json, write, payload, false);
    t.json.is_for_terminal = true;
    ubi_status status = put_trace(&t);
    ubi__vec_u64_fini(&t.open, nest->allocator);
    return status;
}
