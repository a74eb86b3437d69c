/* SPDX-License-Identifier: MIT
 *
 * timeline_read.c: see timeline_read.h.
 *
 * Lines are read by the table of records below. Stacks may be named before
 * their frames are there, since the frames of a pull come last; they are settled at the end.
 */
#include "formats/timeline/timeline_read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_reader.h"
#include "base/text.h"
#include "formats/recognize.h"

typedef struct reader {
    ubi__timeline_file *file;
    ubi__timeline_data *data;
    const ubi_allocator *allocator;
    ubi__vec_u32 frames; /* frames.at[i]: frame of `data` that the file calls i + 1 */
    ubi__vec_u32 newest; /* newest.at[i]: 1 + place of the last detail whose key is the text i */
    ubi__vec_u8 scratch; /* a string with escapes */
    ubi__timeline_lines lines;
} reader;

/* ---- faults --------------------------------------------------------------------------------------------------------- */

/* Everything but UBI_EFORMAT ends the reading. */
static ubi_status UBI_PRINTF(2, 3) fail_line(const reader *r, const char *format, ...) {
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ubi__fail(UBI_EFORMAT, "line %" PRIu64 ": %s", r->lines.line, what);
}

/* ---- members -------------------------------------------------------------------------------------------------------- */

static bool is_there(const ubi__json_value *value) {
    return value->raw.ptr && value->type != UBI__JSON_NULL;
}

static ubi_status fail_json(const reader *r, const ubi__json_cursor *c, const char *line) {
    return fail_line(r, "byte %zu: expected %s", (size_t)(c->at - line) + 1, c->fault);
}

/* The members named by keys[n], in their order, into values[n]; the last of equal ones. Missing ones have no `raw`. */
static ubi_status collect_members(reader *r, ubi_text line, const char *const *keys, ubi__json_value *values,
                                  size_t n) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    memset(values, 0, n * sizeof *values);
    ubi__json_cursor_open(&c, line, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        for (size_t i = 0; i < n; i++)
            if (ubi__json_value_is(&key, keys[i]))
                values[i] = value;
    r->lines.is_cut = c.fault && c.at >= line.ptr + line.len;
    return c.fault ? fail_json(r, &c, line.ptr) : UBI_OK;
}

static ubi_status add_text(reader *r, ubi_str_ix *out, const ubi__json_value *value) {
    ubi_text text;
    *out = UBI_NONE;
    if (value->raw.ptr == NULL || value->type != UBI__JSON_STRING)
        return UBI_OK;
    UBI_TRY(ubi__json_value_text(&text, value, &r->scratch, r->allocator));
    return ubi__timeline_add_text(r->data, out, text);
}

static ubi_status take_time(const reader *r, uint64_t *out, const ubi__json_value *value, const char *what) {
    return ubi__json_value_ns(out, value) ? UBI_OK : fail_line(r, "expected milliseconds as \"%s\"", what);
}

static ubi_status take_u32(const reader *r, uint32_t *out, const ubi__json_value *value, const char *what) {
    uint64_t number = 0;
    if (is_there(value) && (!ubi__json_value_u64(&number, value) || number >= UBI_NONE))
        return fail_line(r, "expected a whole number as \"%s\"", what);
    *out = (uint32_t)number;
    return UBI_OK;
}

/* ---- records -------------------------------------------------------------------------------------------------------- */

static ubi_status read_header(reader *r, ubi_text line) {
    enum { SCHEMA, GENERATOR, PROGRAM, PID, START, N };
    static const char *const keys[N] = { "schema", "generator", "program", "pid", "startTimeUs" };
    ubi__json_value v[N];
    ubi_status status = collect_members(r, line, keys, v, N);
    if (status == UBI_OK && ubi__timeline_guess((const uint8_t *)line.ptr, line.len) &&
        !ubi__json_value_is(&v[SCHEMA], UBI__TIMELINE_SCHEMA))
        return fail_line(r, "a timeline of another version than \"%s\": a newer ubiheap may read it",
                         UBI__TIMELINE_SCHEMA);
    if (status == UBI_EFORMAT && r->lines.is_cut && ubi__timeline_guess((const uint8_t *)line.ptr, line.len))
        return status;
    if (status != UBI_OK || !ubi__json_value_is(&v[SCHEMA], UBI__TIMELINE_SCHEMA))
        return ubi__timeline_lines_refuse(&r->lines);
    UBI_TRY(add_text(r, &r->file->generator, &v[GENERATOR]));
    UBI_TRY(add_text(r, &r->data->program, &v[PROGRAM]));
    ubi__json_value_u64(&r->data->pid, &v[PID]);
    ubi__json_value_u64(&r->data->start_unix_us, &v[START]);
    return UBI_OK;
}

static ubi_status read_thread(reader *r, ubi_text line) {
    enum { THREAD, NAME, N };
    static const char *const keys[N] = { "thread", "name" };
    ubi__json_value v[N];
    uint64_t id;
    uint32_t thread;
    ubi_text name = { NULL, 0 };
    UBI_TRY(collect_members(r, line, keys, v, N));
    if (!ubi__json_value_u64(&id, &v[THREAD]))
        return fail_line(r, "expected a whole number as \"thread\"");
    if (is_there(&v[NAME]) && v[NAME].type == UBI__JSON_STRING)
        UBI_TRY(ubi__json_value_text(&name, &v[NAME], &r->scratch, r->allocator));
    return ubi__timeline_add_thread(r->data, &thread, id, name);
}

/* 0 and what is missing are no frame; others must have come before. */
static ubi_status take_frame(const reader *r, uint32_t *out, const ubi__json_value *value, const char *what) {
    uint32_t number = 0;
    UBI_TRY(take_u32(r, &number, value, what));
    if (number > r->frames.n)
        return fail_line(r, "\"%s\" is frame %" PRIu32 ", which has not come yet", what, number);
    *out = number ? r->frames.at[number - 1] : UBI_NONE;
    return UBI_OK;
}

static ubi_status read_frame(reader *r, ubi_text line) {
    enum { FRAME, FUNCTION, SOURCE, LINE, COLUMN, PARENT, ASYNC_PARENT, ASYNC_CAUSE, N };
    static const char *const keys[N] = { "frame",  "functionDisplayName", "source",    "line", "column",
                                         "parent", "asyncParent",         "asyncCause" };
    ubi__json_value v[N];
    ubi__timeline_frame frame;
    uint32_t number = 0, ix;
    UBI_TRY(collect_members(r, line, keys, v, N));
    UBI_TRY(take_u32(r, &number, &v[FRAME], keys[FRAME]));
    if (number != r->frames.n + 1)
        return fail_line(r, "frame %" PRIu32 " where frame %zu is due", number, r->frames.n + 1);
    UBI_TRY(add_text(r, &frame.function, &v[FUNCTION]));
    UBI_TRY(add_text(r, &frame.source, &v[SOURCE]));
    UBI_TRY(add_text(r, &frame.async_cause, &v[ASYNC_CAUSE]));
    UBI_TRY(take_u32(r, &frame.line, &v[LINE], keys[LINE]));
    UBI_TRY(take_u32(r, &frame.column, &v[COLUMN], keys[COLUMN]));
    UBI_TRY(take_frame(r, &frame.parent, &v[PARENT], keys[PARENT]));
    UBI_TRY(take_frame(r, &frame.async_parent, &v[ASYNC_PARENT], keys[ASYNC_PARENT]));
    UBI_TRY(ubi__timeline_add_frame(r->data, &ix, &frame));
    UBI_ASSERT(ix < r->data->frames.n && (frame.parent == UBI_NONE || frame.parent < ix));
    return ubi__vec_u32_push(&r->frames, r->allocator, ix);
}

/* ---- details of markers --------------------------------------------------------------------------------------------- */

static ubi_status read_rectangle(reader *r, const ubi__json_value *value, ubi__timeline_detail *detail) {
    enum { X, Y, WIDTH, HEIGHT, N };
    static const char *const keys[N] = { "x", "y", "width", "height" };
    ubi__json_value v[N];
    double at[N];
    if (value->type != UBI__JSON_OBJECT)
        return fail_line(r, "expected rectangles in an array");
    UBI_TRY(collect_members(r, value->raw, keys, v, N));
    for (size_t i = 0; i < N; i++)
        if (!ubi__json_value_number(&at[i], &v[i]))
            return fail_line(r, "expected a number as \"%s\" of a rectangle", keys[i]);
    if (r->data->rectangles.n == UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than %u rectangles", UBI_NONE);
    detail->as.rectangles.n++;
    return ubi__vec_timeline_rectangle_push(&r->data->rectangles, r->allocator,
                                            (ubi__timeline_rectangle){ at[X], at[Y], at[WIDTH], at[HEIGHT] });
}

static ubi_status read_rectangles(reader *r, ubi_text array, ubi__timeline_detail *detail) {
    ubi__json_cursor c;
    ubi__json_value value;
    detail->type = UBI__TIMELINE_RECTANGLES;
    detail->as.rectangles.first = (uint32_t)r->data->rectangles.n;
    detail->as.rectangles.n = 0;
    ubi__json_cursor_open(&c, array, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value))
        UBI_TRY(read_rectangle(r, &value, detail));
    return UBI_OK;
}

static ubi_status take_detail(reader *r, const ubi__json_value *value, ubi__timeline_detail *detail) {
    switch (value->type) {
    case UBI__JSON_FALSE:
    case UBI__JSON_TRUE:
        detail->type = UBI__TIMELINE_BOOL;
        detail->as.is_true = value->type == UBI__JSON_TRUE;
        return UBI_OK;
    case UBI__JSON_NUMBER:
        detail->type = UBI__TIMELINE_NUMBER;
        return ubi__json_value_number(&detail->as.number, value) ? UBI_OK : fail_line(r, "a number that is too large");
    case UBI__JSON_STRING:
        detail->type = UBI__TIMELINE_TEXT;
        return add_text(r, &detail->as.text, value);
    case UBI__JSON_ARRAY:
        return read_rectangles(r, value->raw, detail);
    case UBI__JSON_NULL:
    case UBI__JSON_OBJECT: /* no detail has such a value yet */
        break;
    }
    detail->type = UBI__TIMELINE_NULL;
    return UBI_OK;
}

/* Of details of one name in a marker the last counts, as everywhere in JSON; it takes the place of the first. */
static ubi_status put_detail(reader *r, const ubi__timeline_detail *detail) {
    ubi__timeline_data *data = r->data;
    while (r->newest.n <= detail->key)
        UBI_TRY(ubi__vec_u32_push(&r->newest, r->allocator, 0));
    uint32_t behind = r->newest.at[detail->key];
    UBI_ASSERT(data->n_given_details <= data->details.n);
    if (behind > data->n_given_details && behind <= data->details.n &&
        data->details.at[behind - 1].key == detail->key) {
        data->details.at[behind - 1] = *detail;
        return UBI_OK;
    }
    UBI_TRY(ubi__timeline_add_detail(data, detail));
    r->newest.at[detail->key] = (uint32_t)data->details.n;
    UBI_ASSERT(data->details.at[data->details.n - 1].key == detail->key);
    return UBI_OK;
}

static ubi_status read_details(reader *r, const ubi__json_value *details) {
    ubi__json_cursor c;
    ubi__json_value key, value;
    if (!is_there(details))
        return UBI_OK;
    if (details->type != UBI__JSON_OBJECT)
        return fail_line(r, "expected an object as \"details\"");
    ubi__json_cursor_open(&c, details->raw, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value)) {
        ubi__timeline_detail detail = { 0 };
        UBI_TRY(add_text(r, &detail.key, &key));
        UBI_TRY(take_detail(r, &value, &detail));
        UBI_TRY(put_detail(r, &detail));
    }
    return UBI_OK;
}

/* ---- markers and memory --------------------------------------------------------------------------------------------- */

enum { NAME, START, END, THREAD, STACK, END_STACK, PROCESS, OFF_THREAD, DETAILS, N_MARKER_KEYS };

static ubi_status take_end(const reader *r, ubi__timeline_row *row, const ubi__json_value *value) {
    row->end_ns = row->start_ns;
    if (!is_there(value))
        return UBI_OK;
    UBI_TRY(take_time(r, &row->end_ns, value, "end"));
    row->flags |= UBI__TIMELINE_HAS_END;
    return row->end_ns < row->start_ns ? fail_line(r, "a marker that ends before it starts") : UBI_OK;
}

static ubi_status take_origin(reader *r, ubi__timeline_row *row, const ubi__json_value *v) {
    uint64_t id;
    uint32_t process = 0;
    if (is_there(&v[THREAD])) {
        if (!ubi__json_value_u64(&id, &v[THREAD]))
            return fail_line(r, "expected a whole number as \"thread\"");
        UBI_TRY(ubi__timeline_add_thread(r->data, &row->thread, id, (ubi_text){ NULL, 0 }));
        row->flags |= UBI__TIMELINE_HAS_THREAD;
    }
    UBI_TRY(take_u32(r, &process, &v[PROCESS], "processType"));
    row->process_type = process < UINT8_MAX ? (uint8_t)process : UINT8_MAX;
    if (is_there(&v[PROCESS]))
        row->flags |= UBI__TIMELINE_HAS_ORIGIN;
    if (v[OFF_THREAD].type == UBI__JSON_TRUE)
        row->flags |= UBI__TIMELINE_OFF_THREAD;
    return UBI_OK;
}

static ubi_status read_marker(reader *r, ubi_text line) {
    static const char *const keys[N_MARKER_KEYS] = { "name",        "start",           "end",
                                                     "thread",      "stack",           "endStack",
                                                     "processType", "isOffMainThread", "details" };
    ubi__json_value v[N_MARKER_KEYS];
    ubi__timeline_row row = { 0 };
    UBI_TRY(collect_members(r, line, keys, v, N_MARKER_KEYS));
    UBI_TRY(add_text(r, &row.name, &v[NAME]));
    if (row.name == UBI_NONE)
        return fail_line(r, "expected a string as \"name\"");
    UBI_TRY(take_time(r, &row.start_ns, &v[START], "start"));
    UBI_TRY(take_end(r, &row, &v[END]));
    UBI_TRY(take_origin(r, &row, v));
    UBI_TRY(take_u32(r, &row.stack, &v[STACK], "stack"));
    UBI_TRY(take_u32(r, &row.end_stack, &v[END_STACK], "endStack"));
    UBI_TRY(read_details(r, &v[DETAILS]));
    return ubi__timeline_add_row(r->data, &row);
}

/* Every number in it but the time is a figure. */
static ubi_status read_memory(reader *r, ubi_text line) {
    static const char *const keys[] = { "time" };
    ubi__json_cursor c;
    ubi__json_value time, key, value;
    uint64_t time_ns;
    double figure;
    ubi_text name;
    UBI_TRY(collect_members(r, line, keys, &time, 1));
    UBI_TRY(take_time(r, &time_ns, &time, keys[0]));
    ubi__json_cursor_open(&c, line, UBI__JSON_OBJECT);
    while (ubi__json_cursor_next_member(&c, &key, &value))
        if (!ubi__json_value_is(&key, keys[0]) && ubi__json_value_number(&figure, &value)) {
            UBI_TRY(ubi__json_value_text(&name, &key, &r->scratch, r->allocator));
            UBI_TRY(ubi__timeline_add_sample(r->data, time_ns, name, figure));
        }
    return UBI_OK;
}

static ubi_status read_lost(reader *r, ubi_text line) {
    static const char *const keys[] = { "count" };
    ubi__json_value value;
    uint64_t n;
    UBI_TRY(collect_members(r, line, keys, &value, 1));
    if (!ubi__json_value_u64(&n, &value) || __builtin_add_overflow(r->data->n_lost, n, &r->data->n_lost))
        return fail_line(r, "expected a whole number as \"count\"");
    return UBI_OK;
}

static ubi_status read_end(reader *r, ubi_text line) {
    static const char *const keys[] = { "time" };
    ubi__json_value time;
    UBI_TRY(collect_members(r, line, keys, &time, 1));
    r->file->has_end = true;
    return take_time(r, &r->data->last_ns, &time, keys[0]);
}

static const struct {
    const char *name;
    ubi_status (*read)(reader *r, ubi_text line);
} records[] = {
    { "marker", read_marker }, { "frame", read_frame }, { "thread", read_thread },
    { "memory", read_memory }, { "lost", read_lost },   { "end", read_end },
};

static ubi_status read_record(reader *r, ubi_text line) {
    static const char *const keys[] = { "record" };
    ubi__json_value record;
    UBI_TRY(collect_members(r, line, keys, &record, 1));
    if (!is_there(&record))
        return fail_line(r, "expected \"record\" and what it is");
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (ubi__json_value_is(&record, records[i].name))
            return records[i].read(r, line);
    return UBI_OK;
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static ubi_status read_line(void *payload, ubi_text line) {
    reader *r = payload;
    ubi_status status = r->lines.line == 1 ? read_header(r, line) : line.len ? read_record(r, line) : UBI_OK;
    if (status != UBI_OK)
        ubi__timeline_drop_details(r->data);
    UBI_ASSERT(r->data->n_given_details == r->data->details.n); /* none waits for a row */
    return status;
}

/* ---- the end -------------------------------------------------------------------------------------------------------- */

/* Of a program that was killed there may be a marker without the frames of its stack. */
static void settle_stack(const reader *r, uint32_t *stack) {
    *stack = *stack && *stack <= r->frames.n ? r->frames.at[*stack - 1] : UBI_NONE;
}

static void settle_stacks(const reader *r) {
    for (size_t i = 0; i < r->data->rows.n; i++) {
        settle_stack(r, &r->data->rows.at[i].stack);
        settle_stack(r, &r->data->rows.at[i].end_stack);
    }
}

/* A fault after the first line is part of the result. */
static ubi_status finish_reading(reader *r, ubi_status status) {
    if (status == UBI_EFORMAT && r->lines.line > 1) {
        snprintf(r->file->fault, sizeof r->file->fault, "%s", ubi_error_message());
        status = UBI_OK;
    }
    if (status != UBI_OK)
        return status;
    r->file->n_lines = r->lines.line - (r->file->fault[0] != '\0');
    ubi__timeline_data_check(r->data, false);
    settle_stacks(r);
    return ubi__timeline_data_sort(r->data);
}

static ubi_status read_inflated(reader *r, ubi__source *source, const ubi_progress *progress) {
    ubi__inflater *inflater;
    UBI_TRY(ubi__inflater_new(&inflater, source, false, r->allocator));
    r->file->compression = ubi__inflater_compression(inflater);
    ubi_status status = finish_reading(r, ubi__timeline_lines_read(&r->lines, inflater, source, progress));
    r->file->input_bytes = ubi__inflater_input_bytes(inflater);
    ubi__inflater_free(inflater);
    return status;
}

bool ubi__timeline_guess(const uint8_t *head, size_t n) {
    static const char start[] = "{\"schema\":\"ubiheap.timeline-log/";
    return n >= sizeof start - 1 && memcmp(head, start, sizeof start - 1) == 0;
}

ubi_status ubi__timeline_read(ubi__timeline_file *out, ubi__source *source, const ubi_progress *progress,
                              const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi__timeline_file file = { .generator = UBI_NONE };
    reader r = { .file = &file, .data = &file.data, .allocator = a };
    r.lines = (ubi__timeline_lines){ .allocator = a, .take = read_line, .payload = &r };
    ubi__timeline_data_init(&file.data, a);
    ubi_status status = read_inflated(&r, source, progress);
    ubi__vec_u32_fini(&r.frames, a);
    ubi__vec_u32_fini(&r.newest, a);
    ubi__timeline_lines_fini(&r.lines);
    ubi__vec_u8_fini(&r.scratch, a);
    if (status == UBI_OK)
        *out = file;
    else
        ubi__timeline_data_fini(&file.data);
    return status;
}

void ubi__timeline_file_fini(ubi__timeline_file *file) {
    ubi__timeline_data_fini(&file->data);
}

/* ---- lines -------------------------------------------------------------------------------------------------------- */

void ubi__timeline_lines_fini(ubi__timeline_lines *l) {
    ubi__vec_u8_fini(&l->window, l->allocator);
}

/* The window begins with the file. */
ubi_status ubi__timeline_lines_refuse(ubi__timeline_lines *l) {
    const ubi__file_type *type = ubi__file_recognize(l->window.at, l->window.n);
    l->is_cut = false;
    if (type && type->use != UBI__FILE_TIMELINE)
        return ubi__file_refuse(type, l->window.at, l->window.n, l->compression, "timeline");
    return ubi__fail(UBI_EFORMAT,
                     "line %" PRIu64
                     ": expected a timeline, of which the first line has \"schema\":\"" UBI__TIMELINE_SCHEMA "\"",
                     l->line);
}

static ubi_status take_line(ubi__timeline_lines *l, ubi_text line) {
    UBI_ASSERT(line.ptr >= (const char *)l->window.at);
    UBI_ASSERT(line.ptr + line.len <= (const char *)l->window.at + l->window.n && !memchr(line.ptr, '\n', line.len));
    l->line++;
    while (line.len && (line.ptr[line.len - 1] == '\r' || line.ptr[line.len - 1] == ' '))
        line.len--;
    return l->take(l->payload, line);
}

/* Lines that are complete; the rest moves to the front of the window. */
static ubi_status read_lines(ubi__timeline_lines *l) {
    const char *at = (const char *)l->window.at, *end = at + l->window.n, *newline;
    ubi_status status = UBI_OK;
    while (status == UBI_OK && at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
        status = take_line(l, (ubi_text){ at, (size_t)(newline - at) });
        at = newline + 1;
    }
    UBI_ASSERT(at <= end);
    size_t rest = (size_t)(end - at);
    if (rest)
        memmove(l->window.at, at, rest);
    l->window.n = rest;
    if (status == UBI_OK && rest > UBI__TIMELINE_LINE_BYTES) {
        if (++l->line == 1)
            return ubi__timeline_lines_refuse(l);
        return ubi__fail(UBI_EFORMAT, "line %" PRIu64 ": longer than %zu bytes", l->line, UBI__TIMELINE_LINE_BYTES);
    }
    return status;
}

/* What follows the last newline is a line that was cut, unless it is a whole one. */
static ubi_status read_last_line(ubi__timeline_lines *l) {
    ubi_status status = UBI_OK;
    if (l->window.n)
        status = take_line(l, (ubi_text){ (const char *)l->window.at, l->window.n });
    if (status == UBI_EFORMAT && l->is_cut)
        return ubi__fail(UBI_EFORMAT,
                         "line %" PRIu64
                         ": the file ends in the middle of it: the program was killed, or the file is not "
                         "complete",
                         l->line);
    return status;
}

static ubi_status read_rest(ubi__timeline_lines *l, const ubi__inflater *inflater) {
    ubi__stream_end end = ubi__inflater_end(inflater);
    ubi_status status = read_last_line(l);
    if (end > UBI__END_CLEAN && (status == UBI_OK || (status == UBI_EFORMAT && l->is_cut)))
        return ubi__fail(UBI_EFORMAT, "%s: %s", ubi__inflater_note(inflater), ubi__damage_advice(end));
    return status == UBI_OK && l->line == 0 ? ubi__timeline_lines_refuse(l) : status;
}

ubi_status ubi__timeline_lines_read(ubi__timeline_lines *l, ubi__inflater *inflater, const ubi__source *source,
                                    const ubi_progress *progress) {
    size_t n;
    l->compression = ubi__inflater_compression(inflater);
    do {
        if (!ubi__progress(progress, "reading", ubi__inflater_input_bytes(inflater), source->size))
            return ubi__fail_cancelled();
        UBI_TRY(ubi__vec_u8_reserve(&l->window, l->allocator, 2 * UBI__INFLATE_BLOCK_BYTES));
        size_t room = l->window.cap - l->window.n;
        UBI_TRY(ubi__inflater_fill(inflater, l->window.at + l->window.n, room, &n));
        UBI_ASSERT(n <= room);
        l->window.n += n;
        UBI_TRY(read_lines(l));
    } while (n);
    return read_rest(l, inflater);
}
