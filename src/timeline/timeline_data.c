/* SPDX-License-Identifier: MIT
 *
 * timeline_data.c: a timeline in memory, and markers added to it (timeline_data.h).
 */
#include "timeline/timeline_data.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/merge_sort.h"
#include "base/text.h"

/* ==== THE DATA ================================================================================================== */

__attribute__((unused)) static bool is_index(uint32_t i, size_t n) {
    return i < n || i == UBI_NONE;
}

static void assert_row(const ubi__timeline_data *data, const ubi__timeline_row *row) {
    size_t n_texts = ubi__strtab_count(&data->texts);
    UBI_ASSERT(row->name < n_texts);
    UBI_ASSERT(row->thread < data->threads.n || !(row->flags & UBI__TIMELINE_HAS_THREAD));
    UBI_ASSERT(row->start_ns <= row->end_ns);
    UBI_ASSERT((uint64_t)row->first_detail + row->n_details <= data->n_given_details);
    for (uint32_t i = 0; i < row->n_details; i++) {
        const ubi__timeline_detail *detail = &data->details.at[row->first_detail + i];
        UBI_ASSERT(detail->key < n_texts && (detail->type != UBI__TIMELINE_TEXT || is_index(detail->as.text, n_texts)));
        UBI_ASSERT(detail->type != UBI__TIMELINE_RECTANGLES ||
                   (uint64_t)detail->as.rectangles.first + detail->as.rectangles.n <= data->rectangles.n);
    }
}

void ubi__timeline_data_check(const ubi__timeline_data *data, bool is_sorted) {
    UBI_ASSERT(data->n_given_details <= data->details.n && data->frame_table.n == data->frames.n);
    UBI_ASSERT(data->thread_of_id.table.n == data->threads.n);
    for (uint32_t i = 0; UBI_CHECKS && i < data->frames.n; i++) {
        const ubi__timeline_frame *frame = &data->frames.at[i];
        UBI_ASSERT(is_index(frame->parent, i) && is_index(frame->async_parent, i));
        UBI_ASSERT(is_index(frame->function, ubi__strtab_count(&data->texts)));
    }
    for (size_t i = 0; UBI_CHECKS && i < data->rows.n; i++) {
        const ubi__timeline_row *row = &data->rows.at[i];
        assert_row(data, row);
        if (!is_sorted)
            continue;
        UBI_ASSERT(is_index(row->stack, data->frames.n) && is_index(row->end_stack, data->frames.n));
        UBI_ASSERT(data->begin_ns <= row->start_ns && row->end_ns <= data->end_ns);
        UBI_ASSERT(i == 0 || data->rows.at[i - 1].start_ns <= row->start_ns);
    }
    for (size_t i = 1; UBI_CHECKS && is_sorted && i < data->samples.n; i++) {
        UBI_ASSERT(data->samples.at[i - 1].time_ns <= data->samples.at[i].time_ns);
        UBI_ASSERT(data->samples.at[i].time_ns <= data->end_ns);
    }
}

void ubi__timeline_data_init(ubi__timeline_data *data, const ubi_allocator *allocator) {
    *data = (ubi__timeline_data){ .allocator = ubi__allocator_or_default(allocator), .program = UBI_NONE };
    ubi__strtab_init(&data->texts, data->allocator);
    ubi__u64_map_init(&data->thread_of_id, data->allocator);
}

void ubi__timeline_data_fini(ubi__timeline_data *data) {
    const ubi_allocator *a = data->allocator;
    ubi__strtab_fini(&data->texts);
    ubi__vec_timeline_frame_fini(&data->frames, a);
    ubi__row_table_fini(&data->frame_table, a);
    ubi__vec_timeline_row_fini(&data->rows, a);
    ubi__vec_timeline_detail_fini(&data->details, a);
    ubi__vec_timeline_rectangle_fini(&data->rectangles, a);
    ubi__vec_timeline_thread_fini(&data->threads, a);
    ubi__u64_map_fini(&data->thread_of_id);
    ubi__vec_timeline_sample_fini(&data->samples, a);
}

ubi_status ubi__timeline_add_text(ubi__timeline_data *data, ubi_str_ix *out, ubi_text text) {
    if (text.ptr)
        return ubi__strtab_intern(&data->texts, out, text);
    *out = UBI_NONE;
    return UBI_OK;
}

/* ---- frames ------------------------------------------------------------------------------------------------------- */

static uint64_t frame_hash(const ubi__timeline_frame *f) {
    uint64_t h = ubi__hash_combine(f->function, f->source);
    h = ubi__hash_combine(h, (uint64_t)f->line << 32 | f->column);
    h = ubi__hash_combine(h, (uint64_t)f->parent << 32 | f->async_parent);
    return ubi__hash_combine(h, f->async_cause);
}

static bool is_frame(const ubi__timeline_data *data, uint32_t row, const ubi__timeline_frame *b) {
    const ubi__timeline_frame *a = &data->frames.at[row];
    return a->function == b->function && a->source == b->source && a->line == b->line && a->column == b->column &&
           a->parent == b->parent && a->async_parent == b->async_parent && a->async_cause == b->async_cause;
}
UBI_ROW_LOOKUP(frame, const ubi__timeline_data *, const ubi__timeline_frame *, is_frame);

ubi_status ubi__timeline_add_frame(ubi__timeline_data *data, uint32_t *out, const ubi__timeline_frame *frame) {
    uint64_t hash = frame_hash(frame);
    if (data->frames.n == UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than %u different frames of stacks", UBI_NONE);
    UBI_TRY(ubi__row_table_reserve(&data->frame_table, data->allocator, 1));
    ubi__row_slot *slot = frame_place(&data->frame_table, data, frame, hash);
    if (!ubi__row_is_used(slot)) {
        UBI_TRY(ubi__vec_timeline_frame_push(&data->frames, data->allocator, *frame));
        ubi__row_table_fill(&data->frame_table, slot, hash, (uint32_t)(data->frames.n - 1));
    }
    *out = slot->row;
    return UBI_OK;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

ubi_status ubi__timeline_add_thread(ubi__timeline_data *data, uint32_t *out, uint64_t id, ubi_text name) {
    ubi_str_ix text;
    UBI_TRY(ubi__timeline_add_text(data, &text, name));
    uint32_t thread = ubi__u64_map_get(&data->thread_of_id, id);
    if (thread == UBI_NONE) {
        UBI_TRY(ubi__vec_timeline_thread_reserve(&data->threads, data->allocator, 1));
        UBI_TRY(ubi__u64_map_put(&data->thread_of_id, id, (uint32_t)data->threads.n));
        thread = (uint32_t)data->threads.n++;
        data->threads.at[thread] = (ubi__timeline_thread){ id, text };
    } else if (text != UBI_NONE) {
        data->threads.at[thread].name = text;
    }
    *out = thread;
    return UBI_OK;
}

ubi_status ubi__timeline_add_detail(ubi__timeline_data *data, const ubi__timeline_detail *detail) {
    if (data->details.n - data->n_given_details == UINT16_MAX)
        return ubi__fail(UBI_ELIMIT, "a marker with more than %d details", UINT16_MAX);
    if (data->details.n == UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than %u details of markers", UBI_NONE);
    return ubi__vec_timeline_detail_push(&data->details, data->allocator, *detail);
}

ubi_status ubi__timeline_add_row(ubi__timeline_data *data, const ubi__timeline_row *row) {
    ubi__timeline_row added = *row;
    if (data->rows.n == UBI_NONE)
        return ubi__fail(UBI_ELIMIT, "more than %u markers", UBI_NONE);
    UBI_ASSERT(added.start_ns <= added.end_ns && data->details.n - data->n_given_details <= UINT16_MAX);
    added.first_detail = (uint32_t)data->n_given_details;
    added.n_details = (uint16_t)(data->details.n - data->n_given_details);
    UBI_TRY(ubi__vec_timeline_row_push(&data->rows, data->allocator, added));
    data->n_given_details = data->details.n;
    return UBI_OK;
}

void ubi__timeline_drop_details(ubi__timeline_data *data) {
    data->details.n = data->n_given_details;
}

ubi_status ubi__timeline_add_sample(ubi__timeline_data *data, uint64_t time_ns, ubi_text name, double value) {
    ubi__timeline_sample sample = { .time_ns = time_ns, .value = value };
    UBI_TRY(ubi__timeline_add_text(data, &sample.name, name));
    return ubi__vec_timeline_sample_push(&data->samples, data->allocator, sample);
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

typedef const void *no_context;

static bool row_before(no_context context, ubi__timeline_row a, ubi__timeline_row b) {
    (void)context;
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
}

static bool sample_before(no_context context, ubi__timeline_sample a, ubi__timeline_sample b) {
    (void)context;
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.name < b.name;
}

UBI_SORT_DEFINE(sort_rows, ubi__timeline_row, no_context, row_before);
UBI_SORT_DEFINE(sort_samples, ubi__timeline_sample, no_context, sample_before);

static void find_range(ubi__timeline_data *data) {
    uint64_t begin = UINT64_MAX, end = data->last_ns;
    for (size_t i = 0; i < data->rows.n; i++) {
        begin = data->rows.at[i].start_ns < begin ? data->rows.at[i].start_ns : begin;
        end = data->rows.at[i].end_ns > end ? data->rows.at[i].end_ns : end;
    }
    for (size_t i = 0; i < data->samples.n; i++) {
        begin = data->samples.at[i].time_ns < begin ? data->samples.at[i].time_ns : begin;
        end = data->samples.at[i].time_ns > end ? data->samples.at[i].time_ns : end;
    }
    data->begin_ns = begin < end ? begin : end;
    data->end_ns = end;
}

/* What did not end lasted until the end. */
static void extend_open_rows(ubi__timeline_data *data) {
    for (size_t i = 0; i < data->rows.n; i++)
        if (!(data->rows.at[i].flags & UBI__TIMELINE_HAS_END))
            data->rows.at[i].end_ns = data->end_ns;
}

static ubi_status put_rows_in_order(ubi__timeline_data *data) {
    size_t n = data->rows.n;
    ubi__timeline_row *spare = ubi__alloc_array(data->allocator, n, sizeof *spare);
    if (!spare && n)
        return ubi__fail_nomem();
    sort_rows(data->rows.at, spare, n, NULL);
    ubi__free_array(data->allocator, spare, n, sizeof *spare);
    return UBI_OK;
}

/* One name has one value at a time: the last that was reported. */
static void keep_last_samples(ubi__timeline_data *data) {
    ubi__timeline_sample *at = data->samples.at;
    size_t n_kept = 0;
    for (size_t i = 0; i < data->samples.n; i++) {
        if (n_kept && at[n_kept - 1].time_ns == at[i].time_ns && at[n_kept - 1].name == at[i].name)
            n_kept--;
        at[n_kept++] = at[i];
    }
    data->samples.n = n_kept;
}

static ubi_status put_samples_in_order(ubi__timeline_data *data) {
    size_t n = data->samples.n;
    ubi__timeline_sample *spare = ubi__alloc_array(data->allocator, n, sizeof *spare);
    if (!spare && n)
        return ubi__fail_nomem();
    sort_samples(data->samples.at, spare, n, NULL);
    keep_last_samples(data);
    ubi__free_array(data->allocator, spare, n, sizeof *spare);
    return UBI_OK;
}

ubi_status ubi__timeline_data_sort(ubi__timeline_data *data) {
    find_range(data);
    extend_open_rows(data);
    UBI_TRY(put_rows_in_order(data));
    UBI_TRY(put_samples_in_order(data));
    ubi__timeline_data_check(data, true);
    return UBI_OK;
}

/* ---- details ------------------------------------------------------------------------------------------------------ */

const ubi__timeline_detail *ubi__timeline_detail_of(const ubi__timeline_data *data, const ubi__timeline_row *row,
                                                    const char *key) {
    for (uint32_t i = 0; i < row->n_details; i++) {
        const ubi__timeline_detail *detail = &data->details.at[row->first_detail + i];
        if (ubi__text_is(ubi__timeline_text(data, detail->key), key))
            return detail;
    }
    return NULL;
}

ubi_text ubi__timeline_detail_text(const ubi__timeline_data *data, const ubi__timeline_row *row, const char *key) {
    const ubi__timeline_detail *detail = ubi__timeline_detail_of(data, row, key);
    return detail && detail->type == UBI__TIMELINE_TEXT ? ubi__timeline_text(data, detail->as.text)
                                                        : (ubi_text){ NULL, 0 };
}

#define NS_PER_MS UINT64_C(1000000)

size_t ubi__timeline_ms(char out[32], uint64_t ns) {
    char backwards[32];
    size_t n = 0, m = 0;
    uint64_t rest = ns % NS_PER_MS, whole = ns / NS_PER_MS;
    for (uint64_t unit = 1; rest && unit < NS_PER_MS; unit *= 10) {
        uint64_t digit = rest / unit % 10;
        if (m || digit) /* zeros at the end are left out */
            backwards[m++] = (char)('0' + digit);
    }
    if (m)
        backwards[m++] = '.';
    do {
        backwards[m++] = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole);
    while (m)
        out[n++] = backwards[--m];
    out[n] = 0;
    return n;
}

/* ==== FROM MARKERS ============================================================================================== */

ubi_status ubi__frame_import_init(ubi__frame_import *import, ubi__timeline_data *data,
                                  const ubi_timeline_markers *markers) {
    size_t n = ubi_timeline_markers_frame_count(markers);
    uint32_t *known = ubi__alloc_array(data->allocator, n, sizeof *known);
    if (!known && n)
        return ubi__fail_nomem();
    if (n)
        memset(known, 0xff, n * sizeof *known);
    *import = (ubi__frame_import){ .data = data, .markers = markers, .known = known, .n = n };
    return UBI_OK;
}

void ubi__frame_import_fini(ubi__frame_import *import) {
    ubi__free_array(import->data->allocator, import->known, import->n, sizeof *import->known);
    ubi__vec_u32_fini(&import->waiting, import->data->allocator);
}

static uint32_t known_frame(const ubi__frame_import *import, uint32_t frame) {
    return frame == UBI_NONE ? UBI_NONE : import->known[frame];
}

static bool is_missing(const ubi__frame_import *import, uint32_t frame) {
    return frame != UBI_NONE && import->known[frame] == UBI_NONE;
}

/* Both parents are known. */
static ubi_status add_frame(ubi__frame_import *import, uint32_t ix, const ubi_timeline_frame *frame) {
    ubi__timeline_frame added = {
        .line = frame->line,
        .column = frame->column,
        .parent = known_frame(import, frame->parent),
        .async_parent = known_frame(import, frame->async_parent),
    };
    UBI_TRY(ubi__timeline_add_text(import->data, &added.function, frame->function_name));
    UBI_TRY(ubi__timeline_add_text(import->data, &added.source, frame->source));
    UBI_TRY(ubi__timeline_add_text(import->data, &added.async_cause, frame->async_cause));
    return ubi__timeline_add_frame(import->data, &import->known[ix], &added);
}

ubi_status ubi__frame_import_stack(uint32_t *out, ubi__frame_import *import, uint32_t stack) {
    const ubi_allocator *a = import->data->allocator;
    import->waiting.n = 0;
    if (is_missing(import, stack))
        UBI_TRY(ubi__vec_u32_push(&import->waiting, a, stack));
    while (import->waiting.n) {
        uint32_t ix = import->waiting.at[import->waiting.n - 1];
        ubi_timeline_frame frame = ubi_timeline_markers_frame(import->markers, ix);
        if (is_missing(import, frame.parent)) {
            UBI_TRY(ubi__vec_u32_push(&import->waiting, a, frame.parent));
        } else if (is_missing(import, frame.async_parent)) {
            UBI_TRY(ubi__vec_u32_push(&import->waiting, a, frame.async_parent));
        } else {
            UBI_TRY(add_frame(import, ix, &frame));
            import->waiting.n--;
        }
    }
    *out = known_frame(import, stack);
    return UBI_OK;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

static ubi_status add_rectangles(ubi__timeline_data *data, ubi__timeline_detail *out,
                                 const ubi_timeline_detail *detail) {
    size_t n = detail->rectangle_count, first = data->rectangles.n;
    if (n > UBI_NONE || first > UBI_NONE - n)
        return ubi__fail(UBI_ELIMIT, "more than %u rectangles", UBI_NONE);
    UBI_TRY(ubi__vec_timeline_rectangle_reserve(&data->rectangles, data->allocator, n));
    for (size_t i = 0; i < n; i++) {
        const ubi_timeline_rectangle *r = &detail->rectangles[i];
        data->rectangles.at[first + i] = (ubi__timeline_rectangle){ r->x, r->y, r->width, r->height };
    }
    data->rectangles.n += n;
    out->as.rectangles.first = (uint32_t)first;
    out->as.rectangles.n = (uint32_t)n;
    return UBI_OK;
}

static ubi_status add_value(ubi__timeline_data *data, ubi__timeline_detail *out, const ubi_timeline_detail *detail) {
    switch (detail->type) {
    case UBI_MARKER_NUMBER:
        out->type = UBI__TIMELINE_NUMBER;
        out->as.number = detail->number;
        return UBI_OK;
    case UBI_MARKER_BOOL:
        out->type = UBI__TIMELINE_BOOL;
        out->as.is_true = detail->is_true;
        return UBI_OK;
    case UBI_MARKER_RECTANGLES:
        out->type = UBI__TIMELINE_RECTANGLES;
        return add_rectangles(data, out, detail);
    case UBI_MARKER_TEXT:
        break;
    }
    out->type = detail->text.ptr ? UBI__TIMELINE_TEXT : UBI__TIMELINE_NULL;
    return ubi__timeline_add_text(data, &out->as.text, detail->text);
}

static ubi_status add_details(ubi__timeline_data *data, const ubi_timeline_markers *markers, size_t row, uint32_t n) {
    for (uint32_t j = 0; j < n; j++) {
        ubi_timeline_detail detail = ubi_timeline_markers_detail(markers, row, j);
        ubi__timeline_detail added = { 0 };
        UBI_TRY(ubi__timeline_add_text(data, &added.key, detail.key));
        UBI_TRY(add_value(data, &added, &detail));
        UBI_TRY(ubi__timeline_add_detail(data, &added));
    }
    return UBI_OK;
}

static uint8_t flags_of(const ubi_timeline_row *row) {
    unsigned flags = UBI__TIMELINE_HAS_THREAD;
    flags |= row->end_ns || row->is_timestamp ? UBI__TIMELINE_HAS_END : 0;
    flags |= row->has_base ? UBI__TIMELINE_HAS_ORIGIN : 0;
    flags |= row->has_base && row->is_off_main_thread ? UBI__TIMELINE_OFF_THREAD : 0;
    return (uint8_t)flags;
}

static ubi_status add_row(ubi__frame_import *frames, size_t i) {
    ubi_timeline_row row = ubi_timeline_markers_row(frames->markers, i);
    ubi_timeline_thread thread = ubi_timeline_markers_thread(frames->markers, row.thread);
    ubi__timeline_row added = {
        .start_ns = row.start_ns,
        .end_ns = row.end_ns > row.start_ns ? row.end_ns : row.start_ns,
        .process_type = row.process_type < UINT8_MAX ? (uint8_t)row.process_type : UINT8_MAX,
        .flags = flags_of(&row),
    };
    UBI_TRY(ubi__timeline_add_text(frames->data, &added.name, row.name));
    UBI_TRY(ubi__timeline_add_thread(frames->data, &added.thread, thread.id, thread.name));
    UBI_TRY(ubi__frame_import_stack(&added.stack, frames, row.stack));
    UBI_TRY(ubi__frame_import_stack(&added.end_stack, frames, row.end_stack));
    UBI_TRY(add_details(frames->data, frames->markers, i, row.detail_count));
    return ubi__timeline_add_row(frames->data, &added);
}

ubi_status ubi__timeline_import_markers(ubi__timeline_data *data, const ubi_timeline_markers *markers) {
    ubi__frame_import frames;
    ubi_status status = UBI_OK;
    UBI_TRY(ubi__frame_import_init(&frames, data, markers));
    for (size_t i = 0; status == UBI_OK && i < ubi_timeline_markers_count(markers); i++)
        status = add_row(&frames, i);
    data->n_lost += ubi_timeline_markers_lost_count(markers);
    ubi__timeline_drop_details(data);
    ubi__frame_import_fini(&frames);
    return status;
}
