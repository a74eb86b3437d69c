/* SPDX-License-Identifier: MIT
 *
 * marker_results.c: reading results (ubiheap/core/timeline.h), and the details that kinds add to them (marker_details.h).
 */
#include "timeline/marker_results.h"

#include <string.h>

#include "timeline/marker_details.h"

/* ==== READING RESULTS =========================================================================================== */

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
        out.is_true = detail->truth != 0;
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

/* ==== DETAILS =================================================================================================== */

/* More of one marker are left out. */
#define DETAILS_LIMIT UINT16_MAX

/* Makes the row's details the last ones, with room for one more. */
static ubi_status move_to_end(ubi_marker_pairing *p, ubi__marker_row *row) {
    ubi__marker_detail_column *all = &p->it.details;
    if (all->n >= UBI_NONE - DETAILS_LIMIT)
        return ubi__fail(UBI_ELIMIT, "more than 2^32 details of markers");
    UBI_TRY(ubi__marker_detail_column_reserve(all, p->allocator, (size_t)row->n_details + 1));
    if (row->n_details == 0) {
        row->first_detail = (uint32_t)all->n;
    } else if ((size_t)row->first_detail + row->n_details != all->n) {
        memcpy(all->at + all->n, all->at + row->first_detail, row->n_details * sizeof *all->at);
        row->first_detail = (uint32_t)all->n;
        all->n += row->n_details;
    }
    return UBI_OK;
}

/* The row's detail of that key, or NULL. */
static ubi__marker_detail *find_detail(const ubi_marker_details *d, uint32_t key) {
    ubi__marker_detail *at = d->pairing->it.details.at + d->row->first_detail;
    for (uint32_t i = 0; i < d->row->n_details; i++) {
        if (at[i].key == key)
            return &at[i];
    }
    return NULL;
}

static ubi_status put_detail(ubi_marker_details *d, const ubi__marker_detail *detail) {
    ubi__marker_detail *known = d->row->n_details ? find_detail(d, detail->key) : NULL;
    if (known) {
        *known = *detail;
        return UBI_OK;
    }
    if (d->row->n_details == DETAILS_LIMIT)
        return UBI_OK;
    UBI_TRY(move_to_end(d->pairing, d->row));
    d->pairing->it.details.at[d->pairing->it.details.n++] = *detail;
    d->row->n_details++;
    return UBI_OK;
}

/* With the number of its key, unless something failed before. */
static void add_detail(ubi_marker_details *d, ubi_text key, ubi__marker_detail detail) {
    if (d->status == UBI_OK)
        d->status = ubi__marker_tables_text(&detail.key, d->pairing->it.tables, key);
    if (d->status == UBI_OK)
        d->status = put_detail(d, &detail);
}

static ubi_text text_of(const char *text) {
    return (ubi_text){ text, strlen(text) };
}

static void add_text(ubi_marker_details *out, ubi_text key, ubi_text value) {
    ubi__marker_detail detail = { .type = UBI_MARKER_TEXT };
    if (!value.ptr || out->status != UBI_OK)
        return;
    out->status = ubi__marker_tables_text(&detail.text, out->pairing->it.tables, value);
    add_detail(out, key, detail);
}

void ubi_marker_details_text(ubi_marker_details *out, const char *key, ubi_text value) {
    add_text(out, text_of(key), value);
}

void ubi_marker_details_number(ubi_marker_details *out, const char *key, double value) {
    add_detail(out, text_of(key), (ubi__marker_detail){ .type = UBI_MARKER_NUMBER, .number = value });
}

void ubi_marker_details_bool(ubi_marker_details *out, const char *key, bool value) {
    add_detail(out, text_of(key), (ubi__marker_detail){ .type = UBI_MARKER_BOOL, .truth = value });
}

void ubi__marker_details_rectangles(ubi_marker_details *out, uint32_t first, uint32_t count) {
    add_detail(out, text_of("rectangles"),
               (ubi__marker_detail){ .type = UBI_MARKER_RECTANGLES, .rectangles = { first, count } });
}

void ubi__marker_details_copy(ubi_marker_details *out, const ubi_timeline_detail *detail) {
    ubi__marker_rectangles *rectangles = &out->pairing->it.rectangles;
    switch (detail->type) {
    case UBI_MARKER_TEXT:
        add_text(out, detail->key, detail->text);
        break;
    case UBI_MARKER_NUMBER:
        add_detail(out, detail->key, (ubi__marker_detail){ .type = UBI_MARKER_NUMBER, .number = detail->number });
        break;
    case UBI_MARKER_BOOL:
        add_detail(out, detail->key, (ubi__marker_detail){ .type = UBI_MARKER_BOOL, .truth = detail->is_true });
        break;
    case UBI_MARKER_RECTANGLES:
        if (out->status != UBI_OK)
            break;
        if (detail->rectangle_count >= UBI_NONE - rectangles->n) {
            out->status = ubi__fail(UBI_ELIMIT, "more than 2^32 rectangles of markers");
            break;
        }
        uint32_t first = (uint32_t)rectangles->n;
        for (size_t i = 0; i < detail->rectangle_count && out->status == UBI_OK; i++)
            out->status = ubi__marker_rectangles_push(rectangles, out->pairing->allocator, detail->rectangles[i]);
        add_detail(out, detail->key,
                   (ubi__marker_detail){ .type = UBI_MARKER_RECTANGLES,
                                         .rectangles = { first, (uint32_t)detail->rectangle_count } });
        break;
    }
}

/* It has no key, and comes before those that have: rows know whether they have one. */
void ubi__marker_details_own_end_stack(ubi_marker_details *out) {
    ubi__marker_row *row = out->row;
    ubi__marker_detail end_stack = { .key = UBI_NONE, .type = UBI__DETAIL_END_STACK, .stack = out->stack };
    bool has_one = row->flags & UBI__ROW_END_STACK;
    if (out->stack == UBI_NONE || out->status != UBI_OK || (!has_one && row->n_details == DETAILS_LIMIT))
        return;
    out->status = put_detail(out, &end_stack);
    if (out->status != UBI_OK || has_one)
        return;
    row->flags |= UBI__ROW_END_STACK;
    ubi__marker_detail *at = out->pairing->it.details.at + row->first_detail;
    memmove(at + 1, at, (row->n_details - 1u) * sizeof *at);
    at[0] = end_stack;
}

void ubi_marker_details_end_stack(ubi_marker_details *out, const ubi_timeline_marker *marker) {
    if (ubi_timeline_marker_has_stack(marker))
        ubi__marker_details_own_end_stack(out);
}

void ubi_marker_details_base(ubi_marker_details *out, const ubi_timeline_marker *marker) {
    if (ubi_timeline_marker_tracing(marker) == UBI_MARKER_START)
        out->row->flags |= UBI__ROW_HAS_BASE;
}
