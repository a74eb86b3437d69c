/* SPDX-License-Identifier: MIT
 *
 * v8_rows.c: flat arrays of numbers, as rows of a section (v8_reader.h).
 *
 * Numbers come in batches (v8_numbers.h); whole rows of a batch go to the section's function, what is left of a row waits for
 * the next batch. An array that comes before `meta` has no rows yet: its numbers are kept, 4 bytes each.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text_parts.h"
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

/* Capacity doubles, but stops at what the header promises: an honest header wastes nothing, a lie costs nothing. */
ubi_status ubi__v8_grow(void **at, size_t *cap, size_t n, size_t extra, uint64_t expected, size_t size,
                        const ubi_allocator *a) {
    size_t need = n + extra, want = *cap < 2048 ? 4096 : *cap * 2, bytes;
    if (need <= *cap)
        return UBI_OK;
    if (want > expected && expected >= need)
        want = (size_t)expected;
    if (want < need)
        want = need;
    if (__builtin_mul_overflow(want, size, &bytes))
        return ubi__fail_nomem();
    void *p = a->resize(a->ctx, *at, *cap * size, bytes);
    if (!p)
        return ubi__fail_nomem();
    *at = p;
    *cap = want;
    return UBI_OK;
}

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

/* Offset of the i-th number in the text of the batch. */
static uint64_t offset_in_text(const ubi__v8_reader *r, size_t i) {
    const uint8_t *p = r->batch_text;
    for (;; p++) {
        if (!ubi__is_digit(*p) && *p != '-')
            continue;
        if (i-- == 0 || p >= r->window.end)
            return ubi__v8_offset(r, p);
        while (ubi__is_digit(p[1]))
            p++;
    }
}

static uint64_t offset_of_number(const ubi__v8_reader *r, size_t i) {
    if (!r->batch_text)
        return r->offset[r->section];
    return i < r->n_carried ? r->carried_offset[i] : offset_in_text(r, i - r->n_carried);
}

#define MESSAGE_BYTES 300

ubi_status ubi__v8_fail_number(const ubi__v8_reader *r, size_t i, const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ubi__v8_fail_at(r, offset_of_number(r, i), "%s", text);
}

static uint64_t offset_near(const ubi__v8_reader *r, ubi__v8_section section, uint64_t number) {
    uint64_t offset = r->offset[section];
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
    r->section = section;
    return ubi__v8_fail_at(r, offset_near(r, section, number), "%s (number %llu of the array, behind this byte)", text,
                           (unsigned long long)number);
}

static ubi_status fail_take(const ubi__v8_reader *r, ubi__v8_take take) {
    const ubi__v8_numbers *t = &r->numbers;
    uint64_t offset = ubi__v8_offset(r, r->window.at);
    uint8_t c = *r->window.at;
    if (take == UBI__V8_TAKE_BAD_NUMBER)
        return ubi__v8_fail_at(r, offset, "%s",
                               c == '0'   ? "a number begins with 0"
                               : c == '-' ? "a malformed negative number"
                                          : "a number is above 2^64-1");
    if (take == UBI__V8_TAKE_MISSING_COMMA)
        return ubi__v8_fail_expected(r, "',' between numbers");
    if (c == '-' && !t->after_number)
        return ubi__v8_fail_at(r, offset, "a number is negative, expected a whole number from 0 on");
    if (t->after_number && (c == '.' || c == 'e' || c == 'E'))
        return ubi__v8_fail_at(r, offset, "a number has a fraction or an exponent, expected a whole number");
    if (!r->meta.known && !t->after_number)
        return ubi__v8_fail_expected(r, "a number (no \"snapshot\" came before, so this may be no heap snapshot)");
    return ubi__v8_fail_expected(r, t->after_number ? "',' or ']'" : "a number");
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

static ubi_status fail_too_large(const ubi__v8_reader *r, size_t i, uint64_t value, bool negative, const char *limit) {
    return ubi__v8_fail_number(r, i, "%s%llu is out of range, expected a whole number from 0 to %s",
                               negative ? "-" : "", (unsigned long long)value, limit);
}

ubi_status ubi__v8_field_u64(const ubi__v8_reader *r, size_t row, uint32_t place, uint64_t *out) {
    const ubi__v8_layout *layout = &r->meta.layout[r->section];
    size_t i = row * layout->stride + place;
    bool negative;
    *out = ubi__v8_number(&r->numbers, i, &negative);
    return negative ? fail_too_large(r, i, *out, negative, "2^64-1") : UBI_OK;
}

ubi_status ubi__v8_field_u32(const ubi__v8_reader *r, size_t row, uint32_t place, uint32_t *out) {
    uint64_t value;
    UBI_TRY(ubi__v8_field_u64(r, row, place, &value));
    if (value > UINT32_MAX)
        return fail_too_large(r, row * r->meta.layout[r->section].stride + place, value, false, "2^32-1");
    *out = (uint32_t)value;
    return UBI_OK;
}

/* Where the numbers stand that wait for the rest of their row: the last `n_left` of the batch. */
static void note_carried(ubi__v8_reader *r, size_t n_left) {
    uint64_t offsets[UBI__V8_MAX_FIELDS];
    size_t n_in_text = r->numbers.n - r->n_carried, i = n_left;
    const uint8_t *p = r->window.at;
    for (; i > 0 && n_left - i < n_in_text; i--) {
        while (p > r->batch_text && !ubi__is_digit(p[-1]))
            p--;
        while (p > r->batch_text && (ubi__is_digit(p[-1]) || p[-1] == '-'))
            p--;
        offsets[i - 1] = ubi__v8_offset(r, p);
    }
    for (size_t k = r->n_carried; i > 0; i--)
        offsets[i - 1] = r->carried_offset[--k];
    memcpy(r->carried_offset, offsets, n_left * sizeof *offsets);
    r->n_carried = n_left;
}

static ubi_status set_mark(ubi__v8_reader *r) {
    if ((r->section != UBI__V8_NODES && r->section != UBI__V8_EDGES) || !r->batch_text)
        return UBI_OK;
    ubi__vec_v8_mark *marks = &r->marks[r->section == UBI__V8_EDGES];
    uint64_t number = r->n_numbers[r->section];
    if (marks->n && number - marks->at[marks->n - 1].number < UBI__V8_MARK_NUMBERS)
        return UBI_OK;
    return ubi__vec_v8_mark_push(marks, r->allocator, (ubi__v8_mark){ number, offset_of_number(r, 0) });
}

/* Hands the whole rows of the batch over. */
static ubi_status take_batch(ubi__v8_reader *r) {
    size_t stride = r->meta.layout[r->section].stride, n_rows = r->numbers.n / stride;
    if (n_rows) {
        UBI_TRY(set_mark(r));
        UBI_TRY(row_functions[r->section](r, n_rows));
        r->n_numbers[r->section] += n_rows * stride;
    }
    if (r->batch_text)
        note_carried(r, r->numbers.n - n_rows * stride);
    ubi__v8_numbers_drop(&r->numbers, n_rows * stride);
    return UBI_OK;
}

static ubi_status keep_batch(ubi__v8_reader *r) {
    ubi__v8_raw *raw = &r->raw[r->section];
    const ubi__v8_numbers *t = &r->numbers;
    if (t->n == 0)
        return UBI_OK;
    UBI_TRY(ubi__vec_u32_reserve(&raw->numbers, r->allocator, t->n));
    UBI_TRY(ubi__vec_v8_raw_wide_reserve(&raw->wide, r->allocator, t->n_wide));
    for (size_t i = 0; i < t->n_wide; i++)
        raw->wide.at[raw->wide.n++] =
            (ubi__v8_raw_wide){ raw->numbers.n + t->wide[i].index, t->wide[i].value, t->wide[i].negative };
    memcpy(raw->numbers.at + raw->numbers.n, t->at, t->n * sizeof *t->at);
    raw->numbers.n += t->n;
    ubi__v8_numbers_drop(&r->numbers, t->n);
    return UBI_OK;
}

static ubi_status drop_batch(ubi__v8_reader *r) {
    ubi__v8_numbers_drop(&r->numbers, r->numbers.n);
    return UBI_OK;
}

/* Text up to the last number that is surely whole. Digits in number beyond any sense are no reason to wait for more. */
static const uint8_t *end_of_numbers(const ubi__v8_window *w) {
    const uint8_t *end = w->end;
    while (end > w->at && w->end - end < 64 && ubi__is_digit(end[-1]))
        end--;
    if (end > w->at && end[-1] == '-')
        end--;
    return w->end - end < 64 ? end : w->end;
}

static ubi_status end_rows(ubi__v8_reader *r) {
    size_t stride = r->meta.layout[r->section].stride;
    if (r->numbers.n > 0)
        return ubi__v8_fail_at(r, ubi__v8_offset(r, r->window.at),
                               "the array ends with %zu numbers of a row, expected %zu", r->numbers.n, stride);
    r->window.at++;
    return UBI_OK;
}

ubi_status ubi__v8_read_rows(ubi__v8_reader *r) {
    ubi_status (*hand_over)(ubi__v8_reader *) = !r->meta.known                           ? keep_batch
                                                : r->meta.layout[r->section].stride == 0 ? drop_batch
                                                                                         : take_batch;
    bool any = false;
    if (r->meta.known && (r->section == UBI__V8_NODES || r->section == UBI__V8_EDGES))
        UBI_TRY(ubi__v8_make_columns(r));
    UBI_TRY(ubi__v8_expect(r, '[', "an array of numbers"));
    ubi__v8_numbers_begin(&r->numbers, 0, r->section >= UBI__V8_SCOPES);
    r->n_carried = 0;
    for (;;) {
        const uint8_t *end = end_of_numbers(&r->window);
        r->batch_text = r->window.at;
        ubi__v8_take take = ubi__v8_numbers_take(&r->numbers, &r->window.at, end);
        any = any || r->numbers.n;
        UBI_TRY(hand_over(r)); /* before anything that stands behind */
        if (take == UBI__V8_TAKE_OTHER && *r->window.at == ']')
            return any && !r->numbers.after_number ? ubi__v8_fail_expected(r, "a number behind the comma")
                                                   : end_rows(r);
        if (take == UBI__V8_TAKE_ALL && r->window.ended)
            return ubi__v8_fail_cut(r, r->numbers.after_number ? "',' or ']'" : "a number");
        if (take == UBI__V8_TAKE_ALL)
            UBI_TRY(ubi__v8_more(r));
        else if (take != UBI__V8_TAKE_FULL)
            return fail_take(r, take);
    }
}

/* ---- numbers that waited for `meta` ------------------------------------------------------------------------------------ */

static ubi_status replay_section(ubi__v8_reader *r, ubi__v8_raw *raw) {
    ubi__v8_numbers *t = &r->numbers;
    size_t stride = r->meta.layout[r->section].stride, at = 0, wide = 0;
    if (stride && raw->numbers.n % stride)
        return ubi__v8_fail_at(r, r->end_offset[r->section], "the array has %zu numbers, which are no rows of %zu",
                               raw->numbers.n, stride);
    ubi__v8_numbers_begin(t, 0, false);
    r->batch_text = NULL;
    r->n_carried = 0;
    while (stride && at < raw->numbers.n) {
        size_t n = UBI__V8_BATCH - UBI__V8_BATCH % stride;
        n = raw->numbers.n - at < n ? raw->numbers.n - at : n;
        memcpy(t->at, raw->numbers.at + at, n * sizeof *t->at);
        for (t->n_wide = 0; wide < raw->wide.n && raw->wide.at[wide].index < at + n; wide++)
            t->wide[t->n_wide++] = (ubi__v8_wide){ (uint32_t)(raw->wide.at[wide].index - at),
                                                   raw->wide.at[wide].negative, raw->wide.at[wide].value };
        t->n = n;
        at += n;
        UBI_TRY(take_batch(r));
    }
    ubi__vec_u32_fini(&raw->numbers, r->allocator);
    ubi__vec_v8_raw_wide_fini(&raw->wide, r->allocator);
    return UBI_OK;
}

ubi_status ubi__v8_replay_rows(ubi__v8_reader *r) {
    for (int i = 0; i < UBI__V8_SECTION_COUNT; i++) {
        if (!row_functions[i] || !r->seen[i] || r->complete[i])
            continue;
        r->section = (ubi__v8_section)i;
        UBI_TRY(replay_section(r, &r->raw[i]));
        r->complete[i] = true;
    }
    r->section = UBI__V8_NO_SECTION;
    return UBI_OK;
}
