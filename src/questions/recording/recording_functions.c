/* SPDX-License-Identifier: MIT
 *
 * allocations_recording.c: see allocations_recording.h.
 */
#include "questions/recording/recording_functions.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "base/text.h"
#include "recording/known_pools.h"
#include "render/page.h"
#include "render/text_tree.h"

#define NAME_BYTES 1024
#define POSITION_BYTES 256

typedef ubi__recording_functions answer;

/* What a function is sorted by and shown with. */
static const ubi__estimate *measures_of(const answer *a, const ubi__function_sum *f) {
    return a->wishes.with_callees ? f->all : f->own;
}

/* The table of places shows numbers of sites; so a row is one. */
static ubi__site row_of(const answer *a, const ubi__estimate *by) {
    ubi__site row = { .of_class = a->view.of_class };
    memcpy(row.by, by, sizeof row.by);
    return row;
}

static double value_of(const answer *a, uint32_t function, ubi__site_order order) {
    ubi__site row = row_of(a, measures_of(a, &a->sums.rows.at[function]));
    return ubi__site_value(&row, order);
}

static void place_of(ubi__recording_place *out, const answer *a, uint32_t function) {
    const ubi__function_sum *f = &a->sums.rows.at[function];
    ubi__recording_frame_place(out, &a->view.report->summary->tables, f->frame, f->symbol);
    out->line = out->column = 0; /* of a call, not of the function */
}

/* Start-up functions have all of it, which says nothing. */
static bool is_start_up(const answer *a, uint32_t function) {
    ubi__recording_place place;
    place_of(&place, a, function);
    return !ubi__recording_has_any(a->sums.rows.at[function].own) && ubi__recording_is_start_up(&place);
}

/* ---- pools -------------------------------------------------------------------------------------------------------- */

static ubi_status pools_find(answer *a) {
    const ubi__sites *sites = a->view.report->sites;
    a->pools = ubi__calloc_array(a->report->allocator, a->sums.rows.n + 1, sizeof *a->pools);
    if (!a->pools)
        return ubi__fail_nomem();
    for (size_t i = 0; i < sites->rows.n; i++) {
        const ubi__site *site = &sites->rows.at[i];
        const char *words = site->of_class == a->view.of_class ? ubi__known_pool(sites, site) : NULL;
        if (!words)
            continue;
        ubi__pool_mark *mark = &a->pools[a->sums.group_of.at[a->sums.first_group[site->frame]]];
        mark->words = words;
        mark->count += site->by[UBI__MEASURE_TOTAL].count;
    }
    return UBI_OK;
}

/* The pool that has everything the function itself allocates, or NULL. */
static const char *pool_of(const answer *a, uint32_t function) {
    double all = a->sums.rows.at[function].own[UBI__MEASURE_TOTAL].count;
    const ubi__pool_mark *mark = &a->pools[function];
    return all > 0 && mark->count > 0.999 * all ? mark->words : NULL; /* sums of estimates are rounded */
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static int function_compare(const void *left, const void *right, void *payload) {
    const answer *a = payload;
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    const ubi__site_order orders[] = { a->view.order, UBI__BY_PEAK, UBI__BY_TOTAL };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        double l = value_of(a, x, orders[i]), r = value_of(a, y, orders[i]);
        if (l != r)
            return l < r ? 1 : -1;
    }
    return x < y ? -1 : x > y;
}

static ubi_status rows_sort(answer *a) {
    a->rows = ubi__alloc_array(a->report->allocator, a->sums.rows.n + 1, sizeof *a->rows);
    if (!a->rows)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < a->sums.rows.n; i++)
        if (ubi__recording_has_any(measures_of(a, &a->sums.rows.at[i])) && !is_start_up(a, i))
            a->rows[a->n_rows++] = i;
    qsort_r(a->rows, a->n_rows, sizeof *a->rows, function_compare, a);
    return UBI_OK;
}

static size_t n_shown(const answer *a) {
    return a->wishes.limit && a->wishes.limit < a->n_rows ? (size_t)a->wishes.limit : a->n_rows;
}

/* ---- page --------------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const answer *answer;
    ubi__recording_view view; /* on the page */
    ubi__text_table table;
} drawing;

static void name_write(const drawing *d, uint32_t function, size_t room) {
    const ubi__recording_view *v = &d->view;
    char name[NAME_BYTES], position[POSITION_BYTES];
    ubi__recording_place place;
    place_of(&place, d->answer, function);
    ubi__recording_place_position(position, sizeof position, &place);
    ubi__recording_short_name(name, sizeof name, v->style, &place, room);
    size_t used = ubi__display_text(v->out, v->style, ubi__text(name), room);
    size_t rest = ubi__display_columns(ubi__text(position), v->style, room);
    if (rest && used + 2 + rest <= room) {
        ubi__out_string(v->out, "  ");
        ubi__write_ink(v->on, UBI__INK_DIM);
        ubi__display_text(v->out, v->style, ubi__text(position), rest);
        ubi__write_ink(v->on, UBI__INK_PLAIN);
    }
    ubi__out_char(v->out, '\n');
}

static void row_write(const drawing *d, const ubi__estimate *by, const ubi__estimate *extra, uint32_t function,
                      uint32_t depth) {
    ubi__site row = row_of(d->answer, by);
    size_t room = ubi__recording_row(&d->table, &d->view, &row, extra);
    name_write(d, function, ubi__text_table_caller(&d->table, depth, room));
}

/* On its own line: names have little room. */
static void pool_write(const drawing *d, uint32_t function) {
    const ubi__recording_view *v = &d->view;
    const char *pool = pool_of(d->answer, function);
    char text[NAME_BYTES];
    if (!pool)
        return;
    snprintf(text, sizeof text, "kept on purpose: %s", pool);
    ubi__out_string(v->out, "    ");
    ubi__write_ink(v->on, UBI__INK_DIM);
    ubi__display_text(v->out, v->style, ubi__text(text), v->columns - 4);
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

static ubi_status function_write(const drawing *d, uint32_t function) {
    const answer *a = d->answer;
    const ubi__function_sum *f = &a->sums.rows.at[function];
    ubi__measure measure = ubi__order_measure(a->view.order);
    ubi__vec_function_caller callers = { 0 };
    row_write(d, measures_of(a, f), a->wishes.with_callees ? &f->own[measure] : &f->all[measure], function, 0);
    pool_write(d, function);
    if (a->wishes.caller_levels == 0)
        return UBI_OK;
    ubi_status status = ubi__function_callers(&callers, &a->sums, function, a->wishes.caller_levels, measure);
    for (size_t i = 1; status == UBI_OK && i < callers.n && !d->view.out->has_failed; i++)
        row_write(d, callers.at[i].by, NULL, callers.at[i].function, callers.at[i].depth);
    ubi__vec_function_caller_fini(&callers, a->sums.allocator);
    return status;
}

/* Of the class that functions are of. */
static void totals_write(const ubi__recording_view *v) {
    char text[UBI__ESTIMATE_TEXT], count[UBI__ESTIMATE_TEXT], line[512];
    const ubi__recording_sum *total = &v->all[UBI__MEASURE_TOTAL];
    size_t n = (size_t)snprintf(line, sizeof line, "%s in %s %s%s", ubi__range_bytes(text, v->style, total->bytes),
                                ubi__count_guess(count, v->style, total->estimate.count, total->count),
                                ubi__recording_things(v->of_class), total->count.high == 1 ? "" : "s");
    if (ubi__recording_has_frees(v->report->summary)) {
        n += (size_t)snprintf(line + n, sizeof line - n, "; at the peak %s",
                              ubi__range_bytes(text, v->style, v->all[UBI__MEASURE_PEAK].bytes));
        n += (size_t)snprintf(line + n, sizeof line - n, ", not freed %s",
                              ubi__range_bytes(text, v->style, v->all[UBI__MEASURE_LEAKED].bytes));
        if (ubi__recording_is_part(v->report->summary))
            snprintf(line + n, sizeof line - n, ", alive %s",
                     ubi__range_bytes(text, v->style, v->all[UBI__MEASURE_LIVE].bytes));
    } else {
        snprintf(line + n, sizeof line - n, "; which of them were freed is unknown");
    }
    ubi__write_words(v->on, UBI__INK_PLAIN, line);
}

static void head_write(const ubi__recording_view *v) {
    char text[UBI__ESTIMATE_TEXT], count[UBI__ESTIMATE_TEXT], window[UBI__WINDOW_WORDS];
    const ubi__recording_sum *total = &v->all[UBI__MEASURE_TOTAL];
    if (ubi__recording_is_part(v->report->summary))
        ubi__out_printf(v->out, "Time: %s\n", ubi__recording_window_words(window, v->report));
    if (ubi__recording_is_profile(v->report->summary)) {
        ubi__out_printf(v->out, "%s alive, in %s\n", ubi__range_bytes(text, v->style, total->bytes),
                        ubi__human_things(count, total->estimate.samples, "sample"));
        return;
    }
    totals_write(v);
    if (v->of_class != UBI__UBIREC_MAPPING && ubi__class_has_any(v->report->summary, UBI__UBIREC_MAPPING))
        ubi__write_words(v->on, UBI__INK_PLAIN,
                         "Of the heap alone: 'ubiheap report' has the places that asked for mappings.");
}

ubi_status ubi__recording_functions_page(const ubi__page *page, const ubi__recording_functions *a) {
    drawing d = { .answer = a, .view = ubi__recording_view_on(&a->view, page) };
    const ubi__recording_view *v = &d.view;
    if (a->n_rows == 0) {
        ubi__out_string(v->out, v->report->is_exact ? "Nothing was allocated.\n" : "Nothing was sampled.\n");
        return UBI_OK;
    }
    head_write(v);
    ubi__recording_columns(&d.table, v, "Function", a->wishes.with_callees ? "Itself" : "With callees");
    ubi__out_char(v->out, '\n');
    ubi__text_table_head(&d.table);
    for (size_t i = 0; i < n_shown(a) && !v->out->has_failed; i++)
        UBI_TRY(function_write(&d, a->rows[i]));
    ubi__write_more(v->on, a->n_rows - n_shown(a), "--limit 0 shows all");
    return UBI_OK;
}

/* ---- document ----------------------------------------------------------------------------------------------------- */

static void place_put(ubi__json *j, const answer *a, uint32_t function) {
    ubi__recording_place place;
    place_of(&place, a, function);
    ubi__json_member_text(j, "function", place.function);
    ubi__json_member_text(j, "file", place.file);
    ubi__json_member_text(j, "module", place.module);
    ubi__json_member_node_id_or_null(j, "address", place.function.len == 0 && place.has_address, place.address);
}

static void measures_put(ubi__json *j, const answer *a, const ubi__estimate *by) {
    static const ubi__measure measures[] = { UBI__MEASURE_LIVE, UBI__MEASURE_LEAKED, UBI__MEASURE_PEAK,
                                             UBI__MEASURE_TOTAL };
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        ubi__recording_put_measure(j, measures[i], &by[measures[i]], a->view.report->summary, a->view.of_class);
}

static void sums_put(ubi__json *j, const answer *a, const char *key, const ubi__estimate *by) {
    ubi__json_member_object(j, key);
    measures_put(j, a, by);
    ubi__json_object_end(j);
}

/* Rows after the first, which is the function itself; a row's parent is an earlier one, or null. */
static ubi_status callers_put(ubi__json *j, const answer *a, uint32_t function) {
    ubi__vec_function_caller callers = { 0 };
    ubi_status status =
        ubi__function_callers(&callers, &a->sums, function, a->wishes.caller_levels, ubi__order_measure(a->view.order));
    ubi__json_member_array(j, "callers");
    for (size_t i = 1; status == UBI_OK && i < callers.n && !j->has_failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_u64_or_null(j, "calls", callers.at[i].parent, callers.at[i].parent - 1);
        place_put(j, a, callers.at[i].function);
        measures_put(j, a, callers.at[i].by);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    ubi__vec_function_caller_fini(&callers, a->sums.allocator);
    return status;
}

ubi_status ubi__recording_functions_document(ubi__json *j, const ubi__recording_functions *a) {
    ubi__recording_put_window(j, a->report);
    ubi__json_member_bool(j, "exact", a->report->is_exact);
    ubi__json_member_string(j, "class", ubi__recording_class_name(a->view.of_class));
    ubi__json_member_string(j, "sortedBy", ubi__recording_orders[a->view.order]);
    ubi__json_member_bool(j, "sortedWithCallees", a->wishes.with_callees);
    ubi__json_member_u64(j, "functionCount", a->n_rows);
    ubi__json_member_array(j, "functions");
    for (size_t i = 0; i < n_shown(a) && !j->has_failed; i++) {
        const ubi__function_sum *f = &a->sums.rows.at[a->rows[i]];
        ubi__json_object_begin(j);
        place_put(j, a, a->rows[i]);
        ubi__json_member_string(j, "pool", pool_of(a, a->rows[i]));
        sums_put(j, a, "own", f->own);
        sums_put(j, a, "withCallees", f->all);
        if (a->wishes.caller_levels)
            UBI_TRY(callers_put(j, a, a->rows[i]));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    return UBI_OK;
}

/* ---- the answer --------------------------------------------------------------------------------------------------- */

ubi_status ubi__recording_functions_compute(ubi__recording_functions *a, const ubi__asked *asked,
                                            const ubi__functions_wishes *wishes) {
    a->wishes = *wishes;
    a->of_report.by = wishes->by;
    a->of_report.window = wishes->window;
    UBI_TRY(ubi__recording_report_new(&a->report, asked, &a->of_report));
    UBI_TRY(ubi__recording_view_init(&a->view, a->report, asked));
    UBI_TRY(ubi__function_sums_init(&a->sums, a->report->sites, a->view.of_class, a->report->allocator));
    UBI_TRY(pools_find(a));
    return rows_sort(a);
}

void ubi__recording_functions_release(ubi__recording_functions *a) {
    if (a->sums.sites) {
        ubi__free_array(a->report->allocator, a->rows, a->sums.rows.n + 1, sizeof *a->rows);
        ubi__free_array(a->report->allocator, a->pools, a->sums.rows.n + 1, sizeof *a->pools);
        ubi__function_sums_fini(&a->sums);
    }
    ubi__recording_report_free(a->report);
}
