/* SPDX-License-Identifier: MIT
 *
 * json_rows.c: flat arrays of numbers, batch by batch (json_rows.h).
 */
#include "formats/json_rows.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

/* Offset of the i-th number in the text of the batch. */
static uint64_t offset_in_text(const ubi__rows *rows, size_t i) {
    const uint8_t *p = rows->batch_text;
    for (; p < rows->scan->window.end; p++) {
        if (!ubi__is_digit(*p) && *p != '-')
            continue;
        if (i-- == 0)
            break;
        while (ubi__is_digit(p[1]))
            p++;
    }
    return ubi__scan_offset(rows->scan, p);
}

uint64_t ubi__rows_offset(const ubi__rows *rows, size_t i) {
    if (!rows->batch_text)
        return rows->fail_offset;
    return i < rows->n_carried ? rows->carried_offset[i] : offset_in_text(rows, i - rows->n_carried);
}

#define MESSAGE_BYTES 300

ubi_status ubi__rows_fail(const ubi__rows *rows, size_t i, const char *format, ...) {
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ubi__scan_fail_at(rows->scan, ubi__rows_offset(rows, i), "%s", text);
}

static ubi_status fail_take(const ubi__rows *rows, const ubi__rows_array *array, ubi__digits_end take) {
    const ubi__digits *t = &rows->numbers;
    uint64_t offset = ubi__scan_offset(rows->scan, rows->scan->window.at);
    uint8_t c = *rows->scan->window.at;
    if (take == UBI__DIGITS_BAD_NUMBER)
        return ubi__scan_fail_at(rows->scan, offset, "%s",
                                 c == '0'   ? "a number begins with 0"
                                 : c == '-' ? "a malformed negative number"
                                            : "a number is above 2^64-1");
    if (take == UBI__DIGITS_MISSING_COMMA)
        return ubi__scan_fail_expected(rows->scan, "',' between numbers");
    if (c == '-' && !t->is_after_number)
        return ubi__scan_fail_at(rows->scan, offset, "a number is negative, expected a whole number from 0 on");
    if (t->is_after_number && (c == '.' || c == 'e' || c == 'E'))
        return ubi__scan_fail_at(rows->scan, offset, "a number has a fraction or an exponent, expected a whole number");
    return ubi__scan_fail_expected(rows->scan, t->is_after_number ? "',' or ']'" : array->expected);
}

/* ---- fields ---------------------------------------------------------------------------------------------------------- */

static ubi_status fail_too_large(const ubi__rows *rows, size_t i, uint64_t value, bool negative, const char *limit) {
    return ubi__rows_fail(rows, i, "%s%llu is out of range, expected a whole number from 0 to %s", negative ? "-" : "",
                          (unsigned long long)value, limit);
}

ubi_status ubi__rows_u64(const ubi__rows *rows, size_t row, uint32_t place, uint64_t *out) {
    size_t i = row * rows->stride + place;
    bool negative;
    *out = ubi__digits_number(&rows->numbers, i, &negative);
    return negative ? fail_too_large(rows, i, *out, negative, "2^64-1") : UBI_OK;
}

ubi_status ubi__rows_u32(const ubi__rows *rows, size_t row, uint32_t place, uint32_t *out) {
    uint64_t value;
    UBI_TRY(ubi__rows_u64(rows, row, place, &value));
    if (value > UINT32_MAX)
        return fail_too_large(rows, row * rows->stride + place, value, false, "2^32-1");
    *out = (uint32_t)value;
    return UBI_OK;
}

/* ---- batches --------------------------------------------------------------------------------------------------------- */

/* Where the numbers are that wait for the rest of their row: the last `n_left` of the batch. */
static void note_carried(ubi__rows *rows, size_t n_left) {
    uint64_t offsets[UBI__ROWS_MAX_STRIDE];
    UBI_ASSERT(n_left <= UBI__ROWS_MAX_STRIDE && rows->n_carried <= rows->numbers.n);
    size_t n_in_text = rows->numbers.n - rows->n_carried, i = n_left;
    const uint8_t *p = rows->scan->window.at;
    for (; i > 0 && n_left - i < n_in_text; i--) {
        while (p > rows->batch_text && !ubi__is_digit(p[-1]))
            p--;
        while (p > rows->batch_text && (ubi__is_digit(p[-1]) || p[-1] == '-'))
            p--;
        offsets[i - 1] = ubi__scan_offset(rows->scan, p);
    }
    for (size_t k = rows->n_carried; i > 0; i--)
        offsets[i - 1] = rows->carried_offset[--k];
    for (size_t k = 1; UBI_CHECKS && k < n_left; k++)
        UBI_ASSERT(offsets[k - 1] < offsets[k]);
    memcpy(rows->carried_offset, offsets, n_left * sizeof *offsets);
    rows->n_carried = n_left;
}

void ubi__rows_taken(ubi__rows *rows, size_t n_numbers) {
    if (rows->batch_text)
        note_carried(rows, rows->numbers.n - n_numbers);
    ubi__digits_drop(&rows->numbers, n_numbers);
}

/* Text up to the last number that is surely whole. Digits in number beyond any sense are no reason to wait for more. */
static const uint8_t *end_of_numbers(const ubi__scan_window *w) {
    const uint8_t *end = w->end;
    while (end > w->at && w->end - end < 64 && ubi__is_digit(end[-1]))
        end--;
    if (end > w->at && end[-1] == '-')
        end--;
    return w->end - end < 64 ? end : w->end;
}

static ubi_status end_rows(ubi__rows *rows) {
    if (rows->numbers.n > 0)
        return ubi__scan_fail_at(rows->scan, ubi__scan_offset(rows->scan, rows->scan->window.at),
                                 "the array ends with %zu numbers of a row, expected %zu", rows->numbers.n,
                                 (size_t)rows->stride);
    rows->scan->window.at++;
    return UBI_OK;
}

ubi_status ubi__rows_read(ubi__rows *rows, const ubi__rows_array *array) {
    ubi__scan_window *w = &rows->scan->window;
    bool any = false;
    UBI_TRY(ubi__scan_expect(rows->scan, '[', "an array of numbers"));
    ubi__digits_begin(&rows->numbers, 0, array->may_be_negative);
    rows->stride = array->stride;
    rows->n_carried = 0;
    for (;;) {
        const uint8_t *end = end_of_numbers(w);
        rows->batch_text = w->at;
        ubi__digits_end why = ubi__digits_take(&rows->numbers, &w->at, end);
        any = any || rows->numbers.n;
        UBI_TRY(array->take(array->payload)); /* before anything that comes after */
        if (why == UBI__DIGITS_OTHER && *w->at == ']')
            return any && !rows->numbers.is_after_number
                       ? ubi__scan_fail_expected(rows->scan, "a number behind the comma")
                       : end_rows(rows);
        if (why == UBI__DIGITS_ALL && w->has_ended)
            return ubi__scan_fail_cut(rows->scan, rows->numbers.is_after_number ? "',' or ']'" : "a number");
        if (why == UBI__DIGITS_ALL)
            UBI_TRY(ubi__scan_more(rows->scan));
        else if (why != UBI__DIGITS_FULL)
            return fail_take(rows, array, why);
    }
}
