/* SPDX-License-Identifier: MIT
 *
 * census_sum.c: the sum of the censuses of several runtimes. See memory_packets.h.
 *
 * The default breakdown has two levels: coarse types, which are the same in all, and below some of them names, each with a count. So names
 * of all are listed, sorted, and those that are equal added up.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/memory_packets.h"

typedef struct sum_row {
    ubi_text name; /* borrowed from a census */
    uint64_t count, size_bytes;
} sum_row;

UBI_VEC_DECLARE(sum_rows, sum_row);

static void row_add(sum_row *row, const ubi_report *report) {
    ubi_report_count count;
    UBI_ASSERT(ubi_report_shape_of(report) == UBI_REPORT_COUNT);
    ubi_report_get_count(report, &count);
    row->count += count.count;
    row->size_bytes += count.bytes;
}

static void row_write(const sum_row *row, ubi__json *json) {
    ubi__json_object_begin(json);
    ubi__json_member_u64(json, "count", row->count);
    ubi__json_member_u64(json, "bytes", row->size_bytes);
    ubi__json_object_end(json);
}

static int rows_compare(const void *left, const void *right) {
    return ubi__text_compare(((const sum_row *)left)->name, ((const sum_row *)right)->name);
}

static ubi_status rows_list(sum_rows *rows, const ubi_report *part) {
    for (uint32_t i = 0; i < ubi_report_entry_count(part); i++) {
        ubi_report_key key;
        sum_row row = { .count = 0 };
        row_add(&row, ubi_report_entry(part, i, &key));
        row.name = key.text;
        UBI_TRY(sum_rows_push(rows, ubi_allocator_default(), row));
    }
    return UBI_OK;
}

static void rows_write(sum_rows *rows, ubi__json *json) {
    if (rows->n)
        qsort(rows->at, rows->n, sizeof *rows->at, rows_compare);
    ubi__json_object_begin(json);
    for (size_t i = 0; i < rows->n;) {
        sum_row sum = rows->at[i];
        for (i++; i < rows->n && ubi__text_equal(rows->at[i].name, sum.name); i++) {
            sum.count += rows->at[i].count;
            sum.size_bytes += rows->at[i].size_bytes;
        }
        ubi__json_key_text(json, sum.name);
        row_write(&sum, json);
    }
    ubi__json_object_end(json);
}

/* The parts of one coarse type: numbers, or names with numbers. */
static ubi_status part_put(ubi__json *json, const ubi_census *const *censuses, uint32_t n, uint32_t place) {
    ubi_report_key key;
    sum_row sum = { .count = 0 };
    sum_rows rows = { NULL, 0, 0 };
    ubi_status status = UBI_OK;
    bool has_names =
        ubi_report_shape_of(ubi_report_entry(ubi_census_report(censuses[0]), place, &key)) == UBI_REPORT_OBJECT;
    for (uint32_t i = 0; status == UBI_OK && i < n; i++) {
        const ubi_report *part = ubi_report_entry(ubi_census_report(censuses[i]), place, &key);
        if (has_names)
            status = rows_list(&rows, part);
        else
            row_add(&sum, part);
    }
    if (status == UBI_OK && has_names)
        rows_write(&rows, json);
    else if (status == UBI_OK)
        row_write(&sum, json);
    sum_rows_fini(&rows, ubi_allocator_default());
    return status;
}

ubi_status ubi__memory_census_sum_put(ubi__json *json, const ubi_census *const *censuses, uint32_t n) {
    const ubi_report *first = ubi_census_report(censuses[0]);
    UBI_ASSERT(n > 0 && ubi_report_shape_of(first) == UBI_REPORT_OBJECT);
    for (uint32_t place = 0; place < ubi_report_entry_count(first); place++) {
        ubi_report_key key;
        (void)ubi_report_entry(first, place, &key);
        ubi__json_key_text(json, key.text);
        UBI_TRY(part_put(json, censuses, n, place));
    }
    return UBI_OK;
}
