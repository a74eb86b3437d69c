/* SPDX-License-Identifier: MIT
 *
 * marker_details.c: see marker_details.h.
 */
#include "timeline/marker_details.h"

#include <string.h>

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
        add_detail(out, detail->key, (ubi__marker_detail){ .type = UBI_MARKER_BOOL, .truth = detail->truth });
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

/* It has no key, and stands before those that have: rows know whether they have one. */
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
