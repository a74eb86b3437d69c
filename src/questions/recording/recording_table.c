/* SPDX-License-Identifier: MIT
 *
 * recording_table.c: the places of a recording, with what is not freed, at the peak and in total side by side.
 *
 * What the table is sorted by is its first column, followed by the share of it. An overview
 * has as many places as there is room for on a screen.
 */
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/recording/recording_page.h"
#include "recording/known_pools.h"
#include "render/function_name.h"

#define NAME_BYTES UBI__FUNCTION_BYTES

/* Exact numbers, estimates and limits. */
#define EXACT_COLUMNS 10
#define GUESS_COLUMNS 12
#define LIMITS_COLUMNS 18
#define SHARE_COLUMNS 8
/* With less room, a place gets the next line. */
#define LEAST_NAME_COLUMNS 28
/* In a list, where its position follows it. */
#define LEAST_PLACE_COLUMNS 48
/* With less, a function's row has no more than its first numbers. */
#define LEAST_FUNCTION_COLUMNS 16
/* An empty line and the heads of columns. */
#define HEAD_LINES 2
#define LEAST_PLACES 8
/* More than are known. */
#define POOLS (UBI__LIBC_POOL_COUNT + 4)

/* ---- columns ------------------------------------------------------------------------------------------------------ */

static const char *const heads[UBI__SITE_ORDER_COUNT] = {
    [UBI__BY_LEAKED] = "Not freed", [UBI__BY_PEAK] = "Peak",           [UBI__BY_TOTAL] = "Allocated",
    [UBI__BY_COUNT] = "Count",      [UBI__BY_TEMPORARY] = "Temporary", [UBI__BY_LIVE] = "Alive"
};

/* What the table is sorted by comes first; temporary ones have a column when they do. What is unknown has none. */
static size_t choose_columns(ubi__site_order out[UBI__SITE_ORDER_COUNT], const ubi__recording_view *v) {
    size_t n = 0;
    out[n++] = v->order;
    for (ubi__site_order o = 0; o < UBI__SITE_ORDER_COUNT; o++)
        if (o != v->order && o != UBI__BY_TEMPORARY &&
            !(o == UBI__BY_LEAKED && ubi__recording_is_moment(v->report)) && /* it is what was alive */
            ubi__recording_has_measure(v->report->summary, v->of_class, ubi__order_measure(o)))
            out[n++] = o;
    return n;
}

/* With limits to show. */
static bool is_sampled(const ubi__recording_view *v) {
    return !ubi__recording_is_profile(v->report->summary) && ubi__recording_is_sampled(v->report->summary, v->of_class);
}

/* Limits are shown if there is room: in the first column, or when nothing is to be left out. */
static bool has_limits(const ubi__recording_view *v, size_t column) {
    return is_sampled(v) && (column == 0 || v->report->wishes->with_detail);
}

static size_t columns_of(const ubi__recording_view *v, size_t column) {
    return has_limits(v, column) ? LIMITS_COLUMNS : is_sampled(v) ? GUESS_COLUMNS : EXACT_COLUMNS;
}

static bool by_count(ubi__site_order order) {
    return order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY;
}

static ubi__cell bytes_cell(char text[UBI__ESTIMATE_TEXT], const ubi__recording_view *v, const ubi__estimate *e,
                            bool is_with_limits) {
    char size[UBI__HUMAN_TEXT];
    if (e->samples == 0 && !is_sampled(v))
        snprintf(text, UBI__ESTIMATE_TEXT, "-");
    else if (is_with_limits || !is_sampled(v) || e->samples == 0)
        ubi__range_bytes(text, v->style, ubi__recording_bytes_range(v->report->summary, v->of_class, e));
    else
        snprintf(text, UBI__ESTIMATE_TEXT, "~%s", ubi__human_size(size, ubi__whole(e->bytes)));
    return ubi__cell_words(text);
}

static ubi__cell count_cell(char text[UBI__ESTIMATE_TEXT], const ubi__recording_view *v, const ubi__estimate *e,
                            bool is_with_limits) {
    char count[UBI__HUMAN_TEXT];
    ubi__human_count(count, ubi__whole(e->count));
    if (e->samples == 0)
        snprintf(text, UBI__ESTIMATE_TEXT, "-");
    else if (is_sampled(v) && is_with_limits)
        ubi__count_guess(text, v->style, e->count, ubi__recording_count_range(v->report->summary, v->of_class, e));
    else
        snprintf(text, UBI__ESTIMATE_TEXT, "%s%s", is_sampled(v) ? "~" : "", count);
    return ubi__cell_words(text);
}

static ubi__cell order_cell(char text[UBI__ESTIMATE_TEXT], const ubi__recording_view *v, ubi__site_order order,
                            const ubi__estimate *e, bool is_with_limits) {
    return (by_count(order) ? count_cell : bytes_cell)(text, v, e, is_with_limits);
}

static ubi__cell share_cell(const ubi__recording_view *v, const ubi__site *site) {
    const ubi__estimate *all = &v->all[ubi__order_measure(v->order)].estimate;
    double part = ubi__site_value(site, v->order), whole = by_count(v->order) ? all->count : all->bytes;
    return part > 0 ? ubi__cell_share(ubi__whole(part), ubi__whole(whole)) : ubi__cell_words("-");
}

/* After the column that the table is sorted by. */
#define SHARE 1
#define EXTRA (UBI__SITE_ORDER_COUNT + 1)
#define COLUMNS (EXTRA + 1)

/* The place in the table of the i-th column of numbers. */
static size_t number_column(size_t i) {
    return i ? i + SHARE : 0;
}

static const char *head_of(const ubi__recording_view *v, ubi__site_order order) {
    if (!ubi__recording_is_profile(v->report->summary))
        return heads[order];
    return order == UBI__BY_TOTAL ? "Alive" : "Samples";
}

void ubi__recording_columns(ubi__text_table *t, const ubi__recording_view *v, const char *name, const char *extra) {
    ubi__text_column columns[COLUMNS] = { [SHARE] = { "Share", .width = SHARE_COLUMNS,
                                                      .least_name_columns = extra ? LEAST_FUNCTION_COLUMNS : 0 },
                                          [EXTRA] = { extra, .width = columns_of(v, 1) + 3, .is_hidden = !extra,
                                                      .least_name_columns = LEAST_FUNCTION_COLUMNS } };
    ubi__site_order orders[UBI__SITE_ORDER_COUNT];
    size_t n = choose_columns(orders, v), used = SHARE_COLUMNS;
    for (size_t i = 0; i < UBI__SITE_ORDER_COUNT; i++) {
        used += columns_of(v, i) + 1;
        columns[number_column(i)] = (ubi__text_column){ .title = i < n ? head_of(v, orders[i]) : NULL,
                                                        .width = columns_of(v, i),
                                                        .is_hidden = i >= n || (i > 0 && used > v->columns) };
    }
    ubi__page_table(t, v->on, name, columns, COLUMNS);
    t->columns = v->columns;
    ubi__text_table_lay_out(t);
}

size_t ubi__recording_row(const ubi__text_table *t, const ubi__recording_view *v, const ubi__site *row,
                          const ubi__estimate *extra) {
    char texts[COLUMNS][UBI__ESTIMATE_TEXT];
    ubi__cell cells[COLUMNS] = { [SHARE] = share_cell(v, row) };
    ubi__site_order orders[UBI__SITE_ORDER_COUNT];
    size_t n = choose_columns(orders, v);
    for (size_t i = 0; i < n; i++)
        cells[number_column(i)] =
            order_cell(texts[i], v, orders[i], &row->by[ubi__order_measure(orders[i])], has_limits(v, i));
    if (extra)
        cells[EXTRA] = order_cell(texts[EXTRA], v, v->order, extra, false);
    return ubi__text_table_row(t, cells);
}

/* The table of an overview or a list: with too little room, places get the next line, without a title. */
static void table_init(ubi__text_table *t, const ubi__recording_view *v) {
    ubi__recording_columns(t, v, "Place, and who called it", NULL);
    if (t->used + (v->is_list ? LEAST_PLACE_COLUMNS : LEAST_NAME_COLUMNS) > v->columns)
        t->name = NULL;
    ubi__text_table_lay_out(t);
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static void site_write_short(const ubi__text_table *t, const ubi__recording_view *v, const ubi__site *site) {
    ubi__recording_place place;
    char name[NAME_BYTES];
    size_t room = ubi__recording_row(t, v, site, NULL);
    bool is_known = ubi__recording_site_place(&place, &v->report->summary->tables, site);
    if (!is_known)
        ubi__out_string(v->out, t->name ? "(no stack)" : "  (no stack)");
    if (is_known && t->name) {
        ubi__recording_short_name(name, sizeof name, v->style, &place, room);
        ubi__display_text(v->out, v->style, ubi__text(name), room);
    }
    ubi__out_char(v->out, '\n');
    ubi__recording_flow(v, site, !t->name, false);
}

static void site_write_long(const ubi__text_table *t, const ubi__recording_view *v, const ubi__site *site) {
    bool is_beside = t->name || site->heavy == UBI__UBIREC_NO_TRACE;
    ubi__recording_row(t, v, site, NULL);
    ubi__out_string(v->out, t->name ? "" : is_beside ? "  " : "\n");
    ubi__recording_stack(v, site, is_beside ? t->used : 0);
}

/* Sorted by one measure, a list has the places with any of it; an overview continues with the rest. */
static bool is_in_table(const ubi__recording_view *v, const ubi__site *site) {
    bool has_any =
        ubi__site_value(site, v->order) > 0 || (!v->report->wishes->by && site->by[UBI__MEASURE_TOTAL].samples > 0);
    return site->of_class == v->of_class && has_any && ubi__recording_has_site(v->report, site) &&
           !(v->order == UBI__BY_LEAKED && ubi__known_pool(v->report->sites, site));
}

static size_t site_lines(const ubi__text_table *t, const ubi__recording_view *v, const ubi__site *site) {
    return 1 + ubi__recording_flow(v, site, !t->name, true);
}

/* The next row of the table from *i on; NULL after the last. */
static const ubi__site *next_site(const ubi__recording_view *v, size_t *i) {
    while (*i < v->report->sites->rows.n) {
        const ubi__site *site = &v->report->sites->rows.at[(*i)++];
        if (is_in_table(v, site))
            return site;
    }
    return NULL;
}

static bool is_pool(const ubi__recording_view *v, const ubi__site *site) {
    return site->by[UBI__MEASURE_LEAKED].samples && ubi__recording_has_site(v->report, site) &&
           ubi__known_pool(v->report->sites, site);
}

static bool has_pools(const ubi__recording_view *v) {
    for (size_t i = 0; v->of_class == UBI__UBIREC_HEAP && v->order == UBI__BY_LEAKED && i < v->report->sites->rows.n;
         i++)
        if (is_pool(v, &v->report->sites->rows.at[i]))
            return true;
    return false;
}

size_t ubi__recording_table_head(void) {
    return HEAD_LINES;
}

size_t ubi__recording_table_least(const ubi__recording_view *v) {
    size_t i = 0, n = 0, lines = HEAD_LINES + 1 + has_pools(v);
    ubi__text_table table;
    table_init(&table, v);
    for (const ubi__site *site; n < LEAST_PLACES && n < v->n_sites && (site = next_site(v, &i)) != NULL; n++)
        lines += site_lines(&table, v, site);
    return n ? lines : HEAD_LINES + (size_t)has_pools(v);
}

/* What all places of a pool have not freed, the first with most. */
typedef struct pool_sum {
    const char *words;
    ubi__estimate estimate;
} pool_sum;

static size_t pools_sum(pool_sum out[POOLS], const ubi__recording_view *v) {
    size_t n = 0, at;
    for (size_t i = 0; v->order == UBI__BY_LEAKED && i < v->report->sites->rows.n; i++) {
        const ubi__site *site = &v->report->sites->rows.at[i];
        if (!is_pool(v, site))
            continue;
        const char *words = ubi__known_pool(v->report->sites, site);
        for (at = 0; at < n && strcmp(out[at].words, words) != 0; at++)
            ;
        if (at == POOLS)
            continue;
        if (at == n)
            out[n++] = (pool_sum){ .words = words };
        ubi__estimate_join(&out[at].estimate, &site->by[UBI__MEASURE_LEAKED]);
    }
    return n;
}

/* What was kept on purpose, not leaked; after the others. */
static void pools_write(const ubi__recording_view *v) {
    static const char label[] = "  kept on purpose: ";
    char text[512], size[UBI__ESTIMATE_TEXT];
    pool_sum sums[POOLS];
    size_t used = 0, n = pools_sum(sums, v);
    if (n == 0)
        return;
    for (size_t i = 0; i < n && used < sizeof text; i++) {
        ubi__range_bytes(size, v->style,
                         ubi__recording_bytes_range(v->report->summary, v->of_class, &sums[i].estimate));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s, %s", used ? "; " : "", sums[i].words, size);
    }
    ubi__write_ink(v->on, UBI__INK_DIM);
    ubi__out_string(v->out, label);
    ubi__wrap_words(v->out, v->style, ubi__text(text), strlen(label), strlen("    "), v->columns);
    ubi__write_ink(v->on, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

static void nothing_write(const ubi__recording_view *v) {
    bool is_unknown = v->order == UBI__BY_TEMPORARY && !v->report->is_exact;
    ubi__out_char(v->out, '\n');
    ubi__write_words(v->on, UBI__INK_PLAIN,
                     is_unknown ? "Only exact recordings show which allocations were temporary."
                                : "There is no such place in this recording.");
}

void ubi__recording_table(const ubi__recording_view *v, size_t lines) {
    size_t i = 0, used = HEAD_LINES + 1 + has_pools(v);
    uint64_t n_shown = 0, n_more = 0;
    bool is_bounded = !v->is_list && !v->report->wishes->top, is_full = false;
    ubi__text_table table;
    table_init(&table, v);
    for (const ubi__site *site; (site = next_site(v, &i)) != NULL && !v->out->has_failed;) {
        used += is_bounded ? site_lines(&table, v, site) : 0;
        is_full |= n_shown == v->n_sites || (is_bounded && n_shown >= LEAST_PLACES && used > lines);
        if (is_full) {
            n_more++;
            continue;
        }
        if (n_shown++ == 0) {
            ubi__out_char(v->out, '\n');
            ubi__text_table_head(&table);
        }
        (v->is_list ? site_write_long : site_write_short)(&table, v, site);
    }
    ubi__write_more_things(v->on, "more place", n_shown, n_shown + n_more);
    if (n_shown == 0)
        nothing_write(v);
    pools_write(v);
}
