/* SPDX-License-Identifier: MIT
 *
 * v8_rows.c: flat arrays of numbers, as rows of a section (v8_reader.h).
 *
 * Batches of them (json_rows.h) go to the section's function. An array that comes before `meta` has no rows yet: its numbers
 * are kept, 4 bytes each.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "formats/v8/v8_reader.h"

static ubi__v8_rows_fn *const row_functions[UBI__V8_SECTION_COUNT] = {
    [UBI__V8_NODES] = ubi__v8_take_nodes,
    [UBI__V8_EDGES] = ubi__v8_take_edges,
    [UBI__V8_FUNCTIONS] = ubi__v8_take_functions,
    [UBI__V8_SAMPLES] = ubi__v8_take_samples,
    [UBI__V8_LOCATIONS] = ubi__v8_take_locations,
    [UBI__V8_SCOPES] = ubi__v8_take_scopes,
    [UBI__V8_SCOPE_VARIABLES] = ubi__v8_take_scope_variables,
    [UBI__V8_SCOPE_USES] = ubi__v8_take_scope_uses,
};

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

#define MESSAGE_BYTES 300

static uint64_t offset_near(const ubi__v8_reader *r, ubi__v8_section section, uint64_t number) {
    uint64_t offset = section < UBI__V8_SECTION_COUNT ? r->offset[section] : 0;
    if (section != UBI__V8_NODES && section != UBI__V8_EDGES)
        return offset;
    const ubi__vec_v8_mark *marks = &r->marks[section == UBI__V8_EDGES];
    for (size_t i = 0; i < marks->n && marks->at[i].number <= number; i++)
        offset = marks->at[i].offset;
    return offset;
}

ubi_status ubi__v8_fail_earlier(ubi__v8_reader *r, ubi__v8_section section, uint64_t number, const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ubi__v8_enter(r, section);
    return ubi__scan_fail_at(&r->scan, offset_near(r, section, number),
                             "%s (number %llu of the array, behind this byte)", text, (unsigned long long)number);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

static ubi_status set_mark(ubi__v8_reader *r) {
    if ((r->section != UBI__V8_NODES && r->section != UBI__V8_EDGES) || !r->rows.batch_text)
        return UBI_OK;
    ubi__vec_v8_mark *marks = &r->marks[r->section == UBI__V8_EDGES];
    uint64_t number = r->n_numbers[r->section];
    if (marks->n && number - marks->at[marks->n - 1].number < UBI__V8_MARK_NUMBERS)
        return UBI_OK;
    return ubi__vec_v8_mark_push(marks, r->allocator, (ubi__v8_mark){ number, ubi__rows_offset(&r->rows, 0) });
}

/* Hands the whole rows of the batch over. */
static ubi_status take_batch(void *payload) {
    ubi__v8_reader *r = payload;
    size_t stride = r->meta.layout[r->section].stride, n_rows = r->rows.numbers.n / stride;
    if (n_rows) {
        UBI_TRY(set_mark(r));
        UBI_TRY(row_functions[r->section](r, n_rows));
        r->n_numbers[r->section] += n_rows * stride;
    }
    ubi__rows_taken(&r->rows, n_rows * stride);
    return UBI_OK;
}

static ubi_status keep_batch(void *payload) {
    ubi__v8_reader *r = payload;
    ubi__v8_raw *raw = &r->raw[r->section];
    const ubi__digits *t = &r->rows.numbers;
    if (t->n == 0)
        return UBI_OK;
    UBI_TRY(ubi__vec_u32_reserve(&raw->numbers, r->allocator, t->n));
    UBI_TRY(ubi__vec_v8_raw_wide_reserve(&raw->wide, r->allocator, t->n_wide));
    for (size_t i = 0; i < t->n_wide; i++)
        raw->wide.at[raw->wide.n++] =
            (ubi__v8_raw_wide){ raw->numbers.n + t->wide[i].index, t->wide[i].value, t->wide[i].negative };
    memcpy(raw->numbers.at + raw->numbers.n, t->at, t->n * sizeof *t->at);
    raw->numbers.n += t->n;
    ubi__rows_taken(&r->rows, t->n);
    return UBI_OK;
}

static ubi_status drop_batch(void *payload) {
    ubi__v8_reader *r = payload;
    ubi__rows_taken(&r->rows, r->rows.numbers.n);
    return UBI_OK;
}

ubi_status ubi__v8_read_rows(ubi__v8_reader *r) {
    uint32_t stride = r->meta.layout[r->section].stride;
    ubi__rows_array array = { .stride = stride,
                              .negative_allowed = r->section >= UBI__V8_SCOPES,
                              .expected = "a number",
                              .take = stride ? take_batch : drop_batch,
                              .payload = r };
    if (!r->meta.known) {
        array.expected = "a number (no \"snapshot\" came before, so this may be no heap snapshot)";
        array.take = keep_batch;
    } else if (r->section == UBI__V8_NODES || r->section == UBI__V8_EDGES)
        UBI_TRY(ubi__v8_make_columns(r));
    return ubi__rows_read(&r->rows, &array);
}

/* ---- numbers that waited for `meta` ------------------------------------------------------------------------------------ */

static ubi_status replay_section(ubi__v8_reader *r, ubi__v8_raw *raw) {
    ubi__digits *t = &r->rows.numbers;
    size_t stride = r->meta.layout[r->section].stride, at = 0, wide = 0;
    if (stride && raw->numbers.n % stride)
        return ubi__scan_fail_at(&r->scan, r->end_offset[r->section],
                                 "the array has %zu numbers, which are no rows of %zu", raw->numbers.n, stride);
    ubi__digits_begin(t, 0, false);
    r->rows.batch_text = NULL;
    r->rows.fail_offset = r->offset[r->section];
    r->rows.stride = (uint32_t)stride;
    r->rows.n_carried = 0;
    while (stride && at < raw->numbers.n) {
        size_t n = UBI__DIGITS_BATCH - UBI__DIGITS_BATCH % stride;
        n = raw->numbers.n - at < n ? raw->numbers.n - at : n;
        memcpy(t->at, raw->numbers.at + at, n * sizeof *t->at);
        for (t->n_wide = 0; wide < raw->wide.n && raw->wide.at[wide].index < at + n; wide++)
            t->wide[t->n_wide++] = (ubi__wide_number){ (uint32_t)(raw->wide.at[wide].index - at),
                                                       raw->wide.at[wide].negative, raw->wide.at[wide].value };
        t->n = n;
        at += n;
        UBI_TRY(take_batch(r));
        UBI_ASSERT(t->n == 0); /* whole rows */
    }
    UBI_ASSERT(!stride || wide == raw->wide.n);
    ubi__vec_u32_fini(&raw->numbers, r->allocator);
    ubi__vec_v8_raw_wide_fini(&raw->wide, r->allocator);
    return UBI_OK;
}

ubi_status ubi__v8_replay_rows(ubi__v8_reader *r) {
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++) {
        if (!row_functions[i] || !r->seen[i] || r->complete[i])
            continue;
        ubi__v8_enter(r, (ubi__v8_section)i);
        UBI_TRY(replay_section(r, &r->raw[i]));
        r->complete[i] = true;
    }
    ubi__v8_leave(r);
    return UBI_OK;
}
