/* SPDX-License-Identifier: MIT
 *
 * recording_groups.c: see recording_groups.h.
 */
#include "questions/recording/recording_groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"
#include "render/page.h"

#define NAME_BYTES 1024
#define BAR_COLUMNS 24
#define LABEL_COLUMNS 12
#define NUMBER_COLUMNS 12

typedef ubi__recording_groups groups;

const char *const ubi__recording_groupings[] = { "function", "file", "module",   "thread",
                                                 "kind",     "size", "lifetime", NULL };

ubi__recording_grouping ubi__recording_grouping_of(const char *word) {
    size_t i = 0;
    while (word && strcmp(word, ubi__recording_groupings[i]) != 0)
        i++;
    return (ubi__recording_grouping)i;
}

static bool is_histogram(const groups *g) {
    return g->grouping == UBI__GROUP_SIZE || g->grouping == UBI__GROUP_LIFETIME;
}

static bool is_of_frames(const groups *g) {
    return g->grouping == UBI__GROUP_FILE || g->grouping == UBI__GROUP_MODULE;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------- */

static ubi_status row_add(groups *g, const ubi__group_row *row) {
    if (!ubi__recording_has_any(row->by) && !ubi__recording_has_any(row->all))
        return UBI_OK;
    return ubi__vec_group_row_push(&g->rows, g->report->allocator, *row);
}

static ubi_status frames_sum(groups *g) {
    ubi__frame_grouping by = g->grouping == UBI__GROUP_FILE ? UBI__FRAMES_BY_FILE : UBI__FRAMES_BY_MODULE;
    UBI_TRY(ubi__function_sums_init_by(&g->sums, g->report->sites, g->view.of_class, by, g->report->allocator));
    for (uint32_t i = 0; i < g->sums.rows.n; i++) {
        ubi__group_row row = { .number = i };
        memcpy(row.by, g->sums.rows.at[i].own, sizeof row.by);
        memcpy(row.all, g->sums.rows.at[i].all, sizeof row.all);
        UBI_TRY(row_add(g, &row));
    }
    return UBI_OK;
}

static ubi_status threads_sum(groups *g) {
    const ubi__recording_summary *s = g->report->summary;
    for (uint32_t i = 0; i < s->threads.n; i++) {
        ubi__group_row row = { .number = i };
        memcpy(row.by, s->threads.at[i].by, sizeof row.by);
        UBI_TRY(row_add(g, &row));
    }
    return UBI_OK;
}

static uint32_t bucket_of_size(uint64_t size_bytes) {
    return size_bytes ? 64 - (uint32_t)__builtin_clzll(size_bytes) : 0;
}

/* Of each info: of its kind, or of its size. */
static ubi_status infos_sum(groups *g, size_t n) {
    const ubi__recording_summary *s = g->report->summary;
    const ubi__ubirec_tables *t = &s->tables;
    ubi__group_row *rows = ubi__calloc_array(g->report->allocator, n + 1, sizeof *rows);
    ubi_status status = rows ? UBI_OK : ubi__fail_nomem();
    for (uint32_t i = 0; rows && i < s->infos.n; i++) {
        const ubi__ubirec_info_row *info = &t->infos.at[i];
        if (g->grouping == UBI__GROUP_SIZE && t->kinds.at[info->kind].class_of_kind != g->view.of_class)
            continue;
        ubi__group_row *row = &rows[g->grouping == UBI__GROUP_SIZE ? bucket_of_size(info->size_bytes) : info->kind];
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&row->by[m], s, i, ubi__info_measure(&s->infos.at[i], m));
    }
    for (uint32_t i = 0; status == UBI_OK && i < n; i++) {
        rows[i].number = i;
        status = row_add(g, &rows[i]);
    }
    ubi__free_array(g->report->allocator, rows, n + 1, sizeof *rows);
    return status;
}

static ubi_status lifetimes_sum(groups *g) {
    const ubi__recording_summary *s = g->report->summary;
    for (uint32_t i = 0; i < UBI__LIFETIME_BUCKETS; i++) {
        ubi__group_row row = { .number = i };
        row.by[UBI__MEASURE_TOTAL] = s->lifetimes[i];
        UBI_TRY(row_add(g, &row));
    }
    ubi__group_row rest = { .number = UBI__LIFETIME_BUCKETS, .is_not_freed = true };
    rest.by[UBI__MEASURE_TOTAL] = g->report->heap[UBI__MEASURE_LEAKED];
    return row_add(g, &rest);
}

static ubi_status rows_sum(groups *g) {
    switch (g->grouping) {
    case UBI__GROUP_THREAD:
        return threads_sum(g);
    case UBI__GROUP_KIND:
        return infos_sum(g, g->report->summary->tables.kinds.n);
    case UBI__GROUP_SIZE:
        return infos_sum(g, UBI__SIZE_BUCKETS);
    case UBI__GROUP_LIFETIME:
        return lifetimes_sum(g);
    default:
        return frames_sum(g);
    }
}

/* ---- order ------------------------------------------------------------------------------------------------------------ */

/* The table of places shows numbers of sites; so a row is one. */
static ubi__site site_like(const groups *g, const ubi__group_row *row) {
    ubi__site site = { .of_class = g->view.of_class };
    memcpy(site.by, row->by, sizeof site.by);
    return site;
}

static int row_compare(const void *left, const void *right, void *payload) {
    const groups *g = payload;
    const ubi__group_row *x = left, *y = right;
    ubi__site a = site_like(g, x), b = site_like(g, y);
    const ubi__site_order orders[] = { g->view.order, UBI__BY_PEAK, UBI__BY_TOTAL };
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        double l = ubi__site_value(&a, orders[i]), r = ubi__site_value(&b, orders[i]);
        if (l != r)
            return l < r ? 1 : -1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

static ubi_status groups_check(const groups *g) {
    if (is_histogram(g) && g->of_report.by)
        return ubi__fail(UBI_EINVAL, "--by does not go with --group %s, which is in its own order",
                         ubi__recording_groupings[g->grouping]);
    return UBI_OK;
}

ubi_status ubi__recording_groups_compute(ubi__recording_groups *g, const ubi__asked *asked,
                                         ubi__recording_grouping grouping, const ubi__recording_wishes *wishes,
                                         uint64_t limit) {
    g->grouping = grouping;
    g->limit = limit;
    g->of_report = *wishes;
    g->of_report.is_by_thread = grouping == UBI__GROUP_THREAD;
    UBI_TRY(groups_check(g));
    UBI_TRY(ubi__recording_report_new(&g->report, asked, &g->of_report));
    UBI_TRY(ubi__recording_view_init(&g->view, g->report, asked));
    if (grouping == UBI__GROUP_THREAD || grouping == UBI__GROUP_LIFETIME)
        g->view.of_class = UBI__UBIREC_HEAP;
    if (grouping == UBI__GROUP_LIFETIME && !ubi__recording_has_frees(g->report->summary))
        return ubi__fail(UBI_EINVAL, "--group lifetime: frees were not recorded");
    UBI_TRY(rows_sum(g));
    if (!is_histogram(g) && g->rows.n)
        qsort_r(g->rows.at, g->rows.n, sizeof *g->rows.at, row_compare, g);
    return UBI_OK;
}

void ubi__recording_groups_release(ubi__recording_groups *g) {
    if (!g->report)
        return;
    ubi__vec_group_row_fini(&g->rows, g->report->allocator);
    if (g->sums.sites)
        ubi__function_sums_fini(&g->sums);
    ubi__recording_report_free(g->report);
}

static size_t n_shown(const groups *g) {
    return !is_histogram(g) && g->limit && g->limit < g->rows.n ? (size_t)g->limit : g->rows.n;
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static ubi_text frames_name(const groups *g, const ubi__group_row *row) {
    const ubi__function_sum *f = &g->sums.rows.at[row->number];
    ubi__recording_place place;
    ubi__recording_frame_place(&place, &g->report->summary->tables, f->frame, f->symbol);
    bool is_module = g->grouping == UBI__GROUP_MODULE || place.file.len == 0;
    ubi_text name = is_module && place.module.len ? place.module : place.file;
    return name.len ? name : ubi__text("(unknown)");
}

static ubi_text row_name(const groups *g, const ubi__group_row *row) {
    const ubi__ubirec_tables *t = &g->report->summary->tables;
    if (g->grouping == UBI__GROUP_THREAD)
        return ubi__ubirec_string_at(t, t->threads.at[row->number].name);
    if (g->grouping == UBI__GROUP_KIND)
        return ubi__ubirec_string_at(t, t->kinds.at[row->number].word);
    return frames_name(g, row);
}

static ubi__ubirec_class row_class(const groups *g, const ubi__group_row *row) {
    const ubi__ubirec_tables *t = &g->report->summary->tables;
    return g->grouping == UBI__GROUP_KIND ? t->kinds.at[row->number].class_of_kind : g->view.of_class;
}

static uint64_t below_ms(const ubi__group_row *row) {
    uint64_t ms = 1;
    for (uint32_t i = 0; i < row->number; i++)
        ms *= 10;
    return ms;
}

/* "< 64 B", "< 10 ms". */
static char *bucket_words(char out[UBI__HUMAN_TEXT + 8], const groups *g, const ubi__group_row *row) {
    char text[UBI__HUMAN_TEXT];
    if (row->is_not_freed)
        snprintf(out, UBI__HUMAN_TEXT + 8, "not freed");
    else if (g->grouping == UBI__GROUP_SIZE)
        snprintf(out, UBI__HUMAN_TEXT + 8, "< %s", ubi__human_size(text, (uint64_t)1 << row->number));
    else if (row->number + 1 == UBI__LIFETIME_BUCKETS)
        snprintf(out, UBI__HUMAN_TEXT + 8, "longer");
    else
        snprintf(out, UBI__HUMAN_TEXT + 8, "< %s", ubi__human_duration(text, below_ms(row) * 1000));
    return out;
}

/* ---- page: lists ------------------------------------------------------------------------------------------------------ */

static void name_write(const ubi__recording_view *v, const groups *g, const ubi__group_row *row, size_t room) {
    char text[NAME_BYTES];
    ubi_text name = row_name(g, row);
    if (g->grouping == UBI__GROUP_THREAD)
        snprintf(text, sizeof text, "%.*s%s%" PRIu64, (int)(name.len < 200 ? name.len : 200), name.ptr,
                 name.len ? " " : "thread ", g->report->summary->tables.threads.at[row->number].tid);
    else
        snprintf(text, sizeof text, "%.*s", (int)(name.len < NAME_BYTES ? name.len : NAME_BYTES - 1), name.ptr);
    ubi__display_text_end(v->out, v->style, ubi__text(text), room);
    ubi__out_char(v->out, '\n');
}

/* Shares are of what the row's class has. */
static ubi__recording_view row_view(const ubi__recording_view *v, ubi__ubirec_class of_class) {
    ubi__recording_view view = *v;
    view.of_class = of_class;
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        view.all[m].estimate = ubi__class_estimate(v->report->summary, of_class, m);
    return view;
}

static void list_write(const ubi__recording_view *v, const groups *g) {
    static const char *const titles[] = { "Function", "File", "Module", "Thread", "Kind", "Size", "Lifetime" };
    ubi__text_table table;
    ubi__measure measure = ubi__order_measure(v->order);
    ubi__recording_columns(&table, v, titles[g->grouping], is_of_frames(g) ? "With callees" : NULL);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < n_shown(g) && !v->out->has_failed; i++) {
        const ubi__group_row *row = &g->rows.at[i];
        ubi__site site = site_like(g, row);
        ubi__recording_view of_row = row_view(v, row_class(g, row));
        site.of_class = of_row.of_class;
        name_write(v, g, row, ubi__recording_row(&table, &of_row, &site, is_of_frames(g) ? &row->all[measure] : NULL));
    }
    ubi__write_more(v->on, g->rows.n - n_shown(g), "--limit 0 shows all");
}

/* ---- page: histograms --------------------------------------------------------------------------------------------------- */

enum { LABEL, BYTES, BAR, COUNT, PEAK, NOT_FREED, COLUMNS };

static ubi__cell bytes_cell(char text[UBI__ESTIMATE_TEXT], const ubi__recording_view *v, const ubi__estimate *e) {
    char size[UBI__HUMAN_TEXT];
    if (e->samples == 0)
        return ubi__cell_words("-");
    snprintf(text, UBI__ESTIMATE_TEXT, "%s%s", v->report->is_exact ? "" : "~",
             ubi__human_size(size, ubi__whole(e->bytes)));
    return ubi__cell_words(text);
}

static ubi__cell count_cell(char text[UBI__ESTIMATE_TEXT], const ubi__recording_view *v, const ubi__estimate *e) {
    char count[UBI__HUMAN_TEXT];
    snprintf(text, UBI__ESTIMATE_TEXT, "%s%s", v->report->is_exact ? "" : "~",
             ubi__human_count(count, ubi__whole(e->count)));
    return ubi__cell_words(text);
}

static void bucket_write(const ubi__text_table *table, const ubi__recording_view *v, const groups *g,
                         const ubi__group_row *row, uint64_t most) {
    char label[UBI__HUMAN_TEXT + 8], texts[COLUMNS][UBI__ESTIMATE_TEXT];
    const ubi__estimate *by = row->by;
    const ubi__cell cells[COLUMNS] = {
        [LABEL] = ubi__cell_words(bucket_words(label, g, row)),
        [BYTES] = bytes_cell(texts[BYTES], v, &by[UBI__MEASURE_TOTAL]),
        [BAR] = ubi__cell_bar(UBI__INK_BLUE, ubi__whole(by[UBI__MEASURE_TOTAL].bytes), most),
        [COUNT] = count_cell(texts[COUNT], v, &by[UBI__MEASURE_TOTAL]),
        [PEAK] = bytes_cell(texts[PEAK], v, &by[UBI__MEASURE_PEAK]),
        [NOT_FREED] = bytes_cell(texts[NOT_FREED], v, &by[UBI__MEASURE_LEAKED]),
    };
    ubi__text_table_line(table, cells, (ubi_text){ NULL, 0 });
}

static void histogram_write(const ubi__recording_view *v, const groups *g) {
    bool is_of_sizes = g->grouping == UBI__GROUP_SIZE, has_frees = ubi__recording_has_frees(g->report->summary);
    const ubi__text_column columns[COLUMNS] = {
        [LABEL] = { is_of_sizes ? "Size" : "Lived", .width = LABEL_COLUMNS },
        [BYTES] = { "Allocated", .width = NUMBER_COLUMNS },
        [BAR] = { NULL, .width = v->columns < 64 ? 8 : BAR_COLUMNS, .gap = 2 },
        [COUNT] = { "Count", .width = NUMBER_COLUMNS, .from_columns = 50 },
        [PEAK] = { "Peak", .width = NUMBER_COLUMNS, .is_hidden = !is_of_sizes || !has_frees, .from_columns = 80 },
        [NOT_FREED] = { "Not freed", .width = NUMBER_COLUMNS, .is_hidden = !is_of_sizes || !has_frees,
                        .from_columns = 90 },
    };
    ubi__text_table table;
    uint64_t most = 0;
    for (size_t i = 0; i < g->rows.n; i++)
        if (ubi__whole(g->rows.at[i].by[UBI__MEASURE_TOTAL].bytes) > most)
            most = ubi__whole(g->rows.at[i].by[UBI__MEASURE_TOTAL].bytes);
    ubi__page_table(&table, v->on, NULL, columns, COLUMNS);
    ubi__text_table_head(&table);
    for (size_t i = 0; i < g->rows.n && !v->out->has_failed; i++)
        bucket_write(&table, v, g, &g->rows.at[i], most);
}

ubi_status ubi__recording_groups_page(const ubi__page *page, const ubi__recording_groups *g) {
    const ubi__recording_view v = ubi__recording_view_on(&g->view, page);
    char window[UBI__WINDOW_WORDS];
    if (ubi__recording_is_part(g->report->summary))
        ubi__out_printf(v.out, "Time: %s\n\n", ubi__recording_window_words(window, g->report));
    if (g->rows.n == 0) {
        ubi__out_string(v.out, g->report->is_exact ? "Nothing was allocated.\n" : "Nothing was sampled.\n");
        return UBI_OK;
    }
    if (is_histogram(g))
        histogram_write(&v, g);
    else
        list_write(&v, g);
    return UBI_OK;
}

/* ---- document --------------------------------------------------------------------------------------------------------- */

static void measures_put(ubi__json *j, const groups *g, const ubi__group_row *row, const ubi__estimate *by) {
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        if (g->grouping != UBI__GROUP_LIFETIME || m == UBI__MEASURE_TOTAL)
            ubi__recording_put_measure(j, m, &by[m], g->report->summary, row_class(g, row));
}

static void key_put(ubi__json *j, const groups *g, const ubi__group_row *row) {
    if (g->grouping == UBI__GROUP_SIZE) {
        ubi__json_member_u64(j, "belowBytes", (uint64_t)1 << row->number);
    } else if (g->grouping == UBI__GROUP_LIFETIME) {
        ubi__json_member_u64_or_null(j, "belowMs", row->number + 1 < UBI__LIFETIME_BUCKETS, below_ms(row));
        ubi__json_member_bool(j, "notFreed", row->is_not_freed);
    } else {
        ubi__json_member_text(j, "name", row_name(g, row));
    }
    if (g->grouping == UBI__GROUP_THREAD)
        ubi__json_member_u64(j, "tid", g->report->summary->tables.threads.at[row->number].tid);
    if (g->grouping == UBI__GROUP_KIND)
        ubi__json_member_string(j, "class", ubi__recording_class_name(row_class(g, row)));
}

static void row_put(ubi__json *j, const groups *g, const ubi__group_row *row) {
    ubi__json_object_begin(j);
    key_put(j, g, row);
    measures_put(j, g, row, row->by);
    if (is_of_frames(g)) {
        ubi__json_member_object(j, "withCallees");
        measures_put(j, g, row, row->all);
        ubi__json_object_end(j);
    }
    ubi__json_object_end(j);
}

ubi_status ubi__recording_groups_document(ubi__json *j, const ubi__recording_groups *g) {
    ubi__recording_put_window(j, g->report);
    ubi__json_member_bool(j, "exact", g->report->is_exact);
    ubi__json_member_string(j, "group", ubi__recording_groupings[g->grouping]);
    ubi__json_member_string(j, "sortedBy", is_histogram(g) ? NULL : ubi__recording_orders[g->view.order]);
    ubi__json_member_u64(j, "groupCount", g->rows.n);
    ubi__json_member_array(j, "groups");
    for (size_t i = 0; i < n_shown(g) && !j->has_failed; i++)
        row_put(j, g, &g->rows.at[i]);
    ubi__json_array_end(j);
    return UBI_OK;
}
