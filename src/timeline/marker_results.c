/* SPDX-License-Identifier: MIT
 *
 * marker_results.c: reading results, see ubiheap/timeline.h.
 */
#include "timeline/marker_results.h"

void ubi__marker_columns_check(const ubi__marker_columns *c) {
    UBI_ASSERT(c->tables || (c->rows.n == 0 && c->names.n == 0));
    for (size_t i = 0; UBI_CHECKS && i < c->names.n; i++)
        UBI_ASSERT(c->names.at[i] < c->tables->n_texts);
    for (size_t i = 0; UBI_CHECKS && i < c->rows.n; i++) {
        const ubi__marker_row *row = &c->rows.at[i];
        bool has_end_stack = row->flags & UBI__ROW_END_STACK;
        UBI_ASSERT(row->name < c->names.n && row->thread < c->threads.n);
        UBI_ASSERT(row->stack == UBI_NONE || row->stack < c->tables->n_frames);
        UBI_ASSERT((uint64_t)row->first_detail + row->n_details <= c->details.n || row->n_details == 0);
        UBI_ASSERT(!has_end_stack || row->n_details > 0);
        for (uint32_t k = 0; k < row->n_details; k++) {
            const ubi__marker_detail *detail = &c->details.at[row->first_detail + k];
            UBI_ASSERT((detail->type == UBI__DETAIL_END_STACK) == (has_end_stack && k == 0));
            UBI_ASSERT(detail->type == UBI__DETAIL_END_STACK || detail->key < c->tables->n_texts);
            UBI_ASSERT(detail->type != UBI_MARKER_RECTANGLES ||
                       (uint64_t)detail->rectangles.first + detail->rectangles.count <= c->rectangles.n);
        }
    }
}

void ubi__marker_columns_fini(ubi__marker_columns *c, const ubi_allocator *a) {
    ubi__marker_rows_fini(&c->rows, a);
    ubi__marker_detail_column_fini(&c->details, a);
    ubi__marker_rectangles_fini(&c->rectangles, a);
    ubi__marker_threads_fini(&c->threads, a);
    ubi__vec_u32_fini(&c->names, a);
    ubi__marker_tables_unref(c->tables);
    c->tables = NULL;
}

ubi_timeline_markers *ubi__timeline_markers_new(const ubi_allocator *a) {
    ubi_timeline_markers *markers = UBI_NEW(a, ubi_timeline_markers);
    if (markers)
        markers->allocator = a;
    return markers;
}

void ubi_timeline_markers_free(ubi_timeline_markers *m) {
    if (!m)
        return;
    const ubi_allocator *a = m->allocator;
    ubi__marker_columns_fini(&m->it, a);
    UBI_DELETE(a, m);
}

size_t ubi_timeline_markers_count(const ubi_timeline_markers *m) {
    return m->it.rows.n;
}

ubi_timeline_row ubi_timeline_markers_row(const ubi_timeline_markers *m, size_t i) {
    const ubi__marker_row *row = &m->it.rows.at[UBI_INDEX(i, m->it.rows.n)];
    bool has_end_stack = row->flags & UBI__ROW_END_STACK;
    return (ubi_timeline_row){
        .name = ubi_timeline_markers_name(m, row->name),
        .name_ix = row->name,
        .thread = row->thread,
        .start_ns = row->start_ns,
        .end_ns = row->end_ns,
        .stack = row->stack,
        .end_stack = has_end_stack ? m->it.details.at[row->first_detail].stack : UBI_NONE,
        .detail_count = row->n_details - (uint32_t)has_end_stack,
        .process_type = row->process_type,
        .is_off_main_thread = row->flags & UBI__ROW_OFF_MAIN,
        .has_base = row->flags & UBI__ROW_HAS_BASE,
        .is_timestamp = row->flags & UBI__ROW_TIMESTAMP,
    };
}

ubi_timeline_detail ubi_timeline_markers_detail(const ubi_timeline_markers *m, size_t i, uint32_t j) {
    const ubi__marker_row *row = &m->it.rows.at[i];
    uint32_t first = row->first_detail + ((row->flags & UBI__ROW_END_STACK) != 0);
    const ubi__marker_detail *detail = &m->it.details.at[first + j];
    ubi_timeline_detail out = { .key = ubi__marker_tables_get(m->it.tables, detail->key),
                                .type = (ubi_marker_value_type)detail->type };
    switch (out.type) {
    case UBI_MARKER_TEXT:
        out.text = ubi__marker_tables_get(m->it.tables, detail->text);
        break;
    case UBI_MARKER_NUMBER:
        out.number = detail->number;
        break;
    case UBI_MARKER_BOOL:
        out.truth = detail->truth != 0;
        break;
    case UBI_MARKER_RECTANGLES:
        out.rectangle_count = detail->rectangles.count;
        if (out.rectangle_count)
            out.rectangles = m->it.rectangles.at + detail->rectangles.first;
        break;
    }
    return out;
}

size_t ubi_timeline_markers_frame_count(const ubi_timeline_markers *m) {
    return m->it.tables ? m->it.tables->n_frames : 0;
}

ubi_timeline_frame ubi_timeline_markers_frame(const ubi_timeline_markers *m, size_t i) {
    const ubi__marker_tables *t = m->it.tables;
    const ubi__marker_frame *frame = ubi__marker_tables_frame_at(t, (uint32_t)i);
    ubi_text source = ubi__marker_tables_get(t, frame->source);
    return (ubi_timeline_frame){
        .source = source.ptr ? source : (ubi_text){ "", 0 },
        .function_name = ubi__marker_tables_get(t, frame->function_name),
        .line = frame->line,
        .column = frame->column,
        .parent = frame->parent,
        .async_parent = frame->async_parent,
        .async_cause = ubi__marker_tables_get(t, frame->async_cause),
    };
}

size_t ubi_timeline_markers_thread_count(const ubi_timeline_markers *m) {
    return m->it.threads.n;
}

ubi_timeline_thread ubi_timeline_markers_thread(const ubi_timeline_markers *m, size_t i) {
    const ubi__marker_thread *thread = &m->it.threads.at[UBI_INDEX(i, m->it.threads.n)];
    return (ubi_timeline_thread){ thread->id, ubi__marker_tables_get(m->it.tables, thread->name), thread->is_main };
}

size_t ubi_timeline_markers_name_count(const ubi_timeline_markers *m) {
    return m->it.names.n;
}

ubi_text ubi_timeline_markers_name(const ubi_timeline_markers *m, size_t i) {
    return ubi__marker_tables_get(m->it.tables, m->it.names.at[UBI_INDEX(i, m->it.names.n)]);
}

uint64_t ubi_timeline_markers_lost_count(const ubi_timeline_markers *m) {
    return m->n_lost;
}
