/* SPDX-License-Identifier: MIT
 *
 * recording_markers.c: see recording_markers.h.
 */
#include "questions/recording/recording_markers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"
#include "render/display.h"
#include "render/page.h"

#define EXACT_COLUMNS 11
#define ESTIMATE_COLUMNS 18
#define SHARE_COLUMNS 8

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static const ubi__marker_sums *sums_of(const ubi__recording_report *report) {
    return &report->summary->markers;
}

static ubi_text name_of(const ubi__recording_report *report, const ubi__marker_group *group) {
    return ubi__ubirec_string_at(&report->summary->tables, group->name);
}

/* Most bytes first, then by number of markers, then as they came. */
static int group_compare(const void *a, const void *b) {
    const ubi__marker_group *x = *(const ubi__marker_group *const *)a, *y = *(const ubi__marker_group *const *)b;
    if (x->allocated.bytes != y->allocated.bytes)
        return x->allocated.bytes < y->allocated.bytes ? 1 : -1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x < y ? -1 : 1;
}

/* @param out  owned, of as many rows as there are groups, and room for one more. NULL: no memory */
static const ubi__marker_group **groups_sorted(const ubi__recording_report *report) {
    const ubi__marker_sums *m = sums_of(report);
    const ubi__marker_group **rows = ubi__alloc_array(report->allocator, m->groups.n + 1, sizeof *rows);
    for (size_t i = 0; rows && i < m->groups.n; i++)
        rows[i] = &m->groups.at[i];
    if (rows)
        qsort(rows, m->groups.n, sizeof *rows, group_compare);
    return rows;
}

static void free_rows(const ubi__recording_report *report, const ubi__marker_group **rows) {
    ubi__free_array(report->allocator, rows, sums_of(report)->groups.n + 1, sizeof *rows);
}

static double at_least_0(double value) {
    return value > 0 ? value : 0;
}

static void estimate_subtract(ubi__estimate *from, const ubi__estimate *part) {
    from->samples -= part->samples;
    from->count = at_least_0(from->count - part->count);
    from->count_variance = at_least_0(from->count_variance - part->count_variance);
    from->bytes = at_least_0(from->bytes - part->bytes);
    from->bytes_variance = at_least_0(from->bytes_variance - part->bytes_variance);
    from->met_bytes = at_least_0(from->met_bytes - part->met_bytes);
}

/* What was allocated while no marker was open. */
static ubi__marker_group rest_of(const ubi__recording_report *report) {
    const ubi__marker_sums *m = sums_of(report);
    ubi__marker_group rest = { .allocated = report->heap[UBI__MEASURE_TOTAL],
                               .live = report->heap[UBI__MEASURE_LEAKED] };
    for (size_t i = 0; i < m->groups.n; i++) {
        estimate_subtract(&rest.allocated, &m->groups.at[i].allocated);
        estimate_subtract(&rest.live, &m->groups.at[i].live);
    }
    return rest;
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

enum { ALLOCATED, SHARE, COUNT, NOT_FREED, COLUMNS };

static void table_init(ubi__text_table *t, const ubi__page *page, const ubi__recording_report *report) {
    size_t width = report->is_exact ? EXACT_COLUMNS : ESTIMATE_COLUMNS;
    const ubi__text_column columns[COLUMNS] = { [ALLOCATED] = { .width = width },
                                                [SHARE] = { .width = SHARE_COLUMNS },
                                                [COUNT] = { .width = width },
                                                [NOT_FREED] = { .width = width } };
    ubi__page_table(t, page, "", columns, COLUMNS);
}

/* @return columns for the name */
static size_t numbers_write(const ubi__text_table *t, const ubi__page *page, const ubi__recording_report *report,
                            const ubi__marker_group *g) {
    char allocated[UBI__ESTIMATE_TEXT], count[UBI__ESTIMATE_TEXT], live[UBI__ESTIMATE_TEXT];
    const ubi__recording_summary *s = report->summary;
    ubi__range_bytes(allocated, &page->style, ubi__recording_bytes_range(s, UBI__UBIREC_HEAP, &g->allocated));
    ubi__count_guess(count, &page->style, g->allocated.count,
                     ubi__recording_count_range(s, UBI__UBIREC_HEAP, &g->allocated));
    ubi__range_bytes(live, &page->style, ubi__recording_bytes_range(s, UBI__UBIREC_HEAP, &g->live));
    const ubi__cell cells[COLUMNS] = {
        [ALLOCATED] = ubi__cell_words(allocated),
        [SHARE] = ubi__cell_share(ubi__whole(g->allocated.bytes), ubi__whole(report->heap[UBI__MEASURE_TOTAL].bytes)),
        [COUNT] = ubi__cell_words(count),
        [NOT_FREED] = ubi__cell_words(live),
    };
    return ubi__text_table_row(t, cells);
}

/* The name, followed by, dim, how often and how long; the name gives way. */
static void group_write(const ubi__text_table *t, const ubi__page *page, const ubi__recording_report *report,
                        const ubi__marker_group *g) {
    char how_often[96], count[UBI__HUMAN_TEXT], time[UBI__HUMAN_TEXT];
    size_t room = numbers_write(t, page, report, g);
    int n = snprintf(how_often, sizeof how_often, "  %s", ubi__human_things(count, g->count, "time"));
    if (g->n_ended)
        n += snprintf(how_often + n, sizeof how_often - (size_t)n, ", %s",
                      ubi__human_duration(time, g->total_ns / 1000));
    ubi__display_text(page->out, &page->style, name_of(report, g), room > (size_t)n ? room - (size_t)n : room);
    ubi__write_inked(page, UBI__INK_DIM, how_often);
    ubi__out_char(page->out, '\n');
}

static void rest_write(const ubi__text_table *t, const ubi__page *page, const ubi__recording_report *report) {
    ubi__marker_group rest = rest_of(report);
    if (rest.allocated.samples == 0)
        return;
    numbers_write(t, page, report, &rest);
    ubi__write_inked(page, UBI__INK_DIM, "(no marker was open)");
    ubi__out_char(page->out, '\n');
}

ubi_status ubi__recording_markers_page(const ubi__page *page, const ubi__recording_report *report, uint64_t top) {
    size_t n = sums_of(report)->groups.n, shown = 0;
    ubi__text_table table;
    if (n == 0)
        return UBI_OK;
    const ubi__marker_group **rows = groups_sorted(report);
    if (!rows)
        return ubi__fail_nomem();
    table_init(&table, page, report);
    ubi__write_title(page, "By the marker that was open: bytes, share, allocations, bytes not freed");
    for (; shown < n && shown < top; shown++)
        group_write(&table, page, report, rows[shown]);
    ubi__write_more_things(page, "more marker", shown, n);
    rest_write(&table, page, report);
    free_rows(report, rows);
    return UBI_OK;
}

void ubi__recording_markers_next(const ubi__page *page, const ubi__recording_report *report, const char *file) {
    char help[96], count[UBI__HUMAN_TEXT];
    if (report->summary->n_markers == 0)
        return;
    snprintf(help, sizeof help, "its %s in time", ubi__human_things(count, report->summary->n_markers, "marker"));
    ubi__write_command(page, "timeline", file, NULL, help);
}

/* ---- the document ------------------------------------------------------------------------------------------------- */

static void sums_put(ubi__json *j, const ubi__recording_report *report, const ubi__marker_group *g) {
    ubi__recording_put_estimate(j, "allocated", &g->allocated, report->summary, UBI__UBIREC_HEAP);
    ubi__recording_put_measure(j, UBI__MEASURE_LEAKED, &g->live, report->summary, UBI__UBIREC_HEAP);
}

static void group_put(ubi__json *j, const ubi__recording_report *report, const ubi__marker_group *g) {
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "name", name_of(report, g));
    ubi__json_member_u64(j, "count", g->count);
    ubi__json_member_u64(j, "endedCount", g->n_ended);
    ubi__json_member_double(j, "totalMs", (double)g->total_ns / 1e6);
    ubi__json_member_double(j, "longestMs", (double)g->longest_ns / 1e6);
    sums_put(j, report, g);
    ubi__json_object_end(j);
}

ubi_status ubi__recording_markers_document(ubi__json *j, const ubi__recording_report *report) {
    const ubi__marker_group **rows = groups_sorted(report);
    ubi__marker_group rest = rest_of(report);
    if (!rows)
        return ubi__fail_nomem();
    ubi__json_member_object(j, "markers");
    ubi__json_member_u64(j, "count", report->summary->n_markers);
    ubi__json_member_array(j, "byName");
    for (size_t i = 0; i < sums_of(report)->groups.n && !j->has_failed; i++)
        group_put(j, report, rows[i]);
    ubi__json_array_end(j);
    ubi__json_member_object(j, "none");
    sums_put(j, report, &rest);
    ubi__json_object_end(j);
    ubi__json_object_end(j);
    free_rows(report, rows);
    return UBI_OK;
}
