/* SPDX-License-Identifier: MIT
 *
 * recording_process_rows.c: the processes of a recording, on a page and in a document.
 */
#include <stdlib.h>

#include "base/text.h"
#include "questions/recording/recording_report.h"
#include "render/page.h"

#define SIZE_COLUMNS 11

/* ---- forms -------------------------------------------------------------------------------------------------------- */

static double left_of(const ubi__recording_process *row) {
    double left = row->bytes - row->freed_bytes;
    return left > 0 ? left : 0;
}

static int compare_bytes(const void *a, const void *b) {
    const ubi__recording_process *const *x = a, *const *y = b;
    if ((*x)->bytes != (*y)->bytes)
        return (*x)->bytes > (*y)->bytes ? -1 : 1;
    return ubi__recording_process_compare(*x, *y);
}

enum { ALLOCATED, NOT_FREED, COUNT, PID, COLUMNS };

static const ubi__text_column process_columns[COLUMNS] = {
    [ALLOCATED] = { NULL, .width = SIZE_COLUMNS },
    [NOT_FREED] = { NULL, .width = SIZE_COLUMNS },
    [COUNT] = { NULL, .width = SIZE_COLUMNS },
    [PID] = { NULL, .width = SIZE_COLUMNS },
};

/* Nothing is known about a process without samples. */
static void process_write(const ubi__text_table *table, const ubi__recording_process *row) {
    char name[UBI__PROCESS_NAME];
    bool is_known = row->n_samples > 0 || row->about.period_bytes == 1;
    const ubi__cell unknown = ubi__cell_words("-");
    const ubi__cell cells[COLUMNS] = {
        [ALLOCATED] = is_known ? ubi__cell_size(ubi__whole(row->bytes)) : unknown,
        [NOT_FREED] = is_known ? ubi__cell_size(ubi__whole(left_of(row))) : unknown,
        [COUNT] = is_known ? ubi__cell_count(ubi__whole(row->count)) : unknown,
        [PID] = { .kind = UBI__CELL_ID, .value = row->pid },
    };
    ubi__recording_process_name(name, row);
    ubi__text_table_line(table, cells, ubi__text(name));
}

ubi_status ubi__recording_processes_page(const ubi__page *page, const ubi__recording_report *report, uint64_t most) {
    const ubi__recording_processes *p = report->processes;
    const ubi_allocator *a = report->allocator;
    ubi__text_table table;
    if (!p->are_summed)
        return UBI_OK;
    const ubi__recording_process **rows = ubi__alloc_array(a, p->rows.n, sizeof *rows);
    if (!rows)
        return ubi__fail_nomem();
    for (size_t i = 0; i < p->rows.n; i++)
        rows[i] = &p->rows.at[i];
    qsort(rows, p->rows.n, sizeof *rows, compare_bytes);
    ubi__write_title(page, report->is_exact
                               ? "Processes: bytes allocated, not freed, allocations, number, name"
                               : "Processes, estimated: bytes allocated, not freed, allocations, number, name");
    ubi__page_table(&table, page, "", process_columns, COLUMNS);
    for (size_t i = 0; i < p->rows.n && i < most; i++)
        process_write(&table, rows[i]);
    ubi__write_more(page, p->rows.n > most ? p->rows.n - most : 0, "--detail shows all");
    ubi__free_array(a, rows, p->rows.n, sizeof *rows);
    return UBI_OK;
}

void ubi__recording_process_put(ubi__json *j, const ubi__recording_process *row) {
    ubi__json_member_u64(j, "pid", row->pid);
    ubi__json_member_u64(j, "parentPid", row->parent_pid);
    ubi__json_member_string(j, "name", row->name);
    ubi__json_member_string(j, "startedAs", row->started_as[0] ? row->started_as : row->name);
    ubi__json_member_string(j, "file", row->path);
}

void ubi__recording_processes_document(ubi__json *j, const ubi__recording_report *report) {
    const ubi__recording_processes *p = report->processes;
    ubi__json_member_array(j, "processes");
    for (size_t i = 0; p->are_summed && i < p->rows.n; i++) {
        const ubi__recording_process *row = &p->rows.at[i];
        ubi__json_object_begin(j);
        ubi__recording_process_put(j, row);
        ubi__json_member_double(j, "bytes", row->bytes);
        ubi__json_member_double(j, "count", row->count);
        ubi__json_member_double(j, "leakedBytes", left_of(row));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    ubi__json_member_array(j, "missingFiles");
    for (size_t i = 0; i < p->missing.n; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_string(j, "file", p->missing.at[i].path);
        ubi__json_member_string(j, "name", p->missing.at[i].name);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}
