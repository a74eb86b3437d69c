/* SPDX-License-Identifier: MIT
 *
 * timeline_import.c: see timeline_import.h.
 */
#include "timeline/timeline_import.h"

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
        out->as.truth = detail->truth;
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
