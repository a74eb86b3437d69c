/* SPDX-License-Identifier: MIT
 *
 * recording_table.c: the places of a recording, with what is not freed, at the peak and in total side by side.
 *
 * What the table is sorted by is its first column, with the share of it behind. An overview
 * has as many places as there is room for on a screen.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/commands/report/recording_page.h"
#include "recording/known_pools.h"
#include "render/function_name.h"

#define NAME_BYTES UBI__FUNCTION_BYTES

/* Exact numbers, estimates and limits. */
#define EXACT_COLUMNS 10
#define GUESS_COLUMNS 12
#define LIMITS_COLUMNS 18
#define SHARE_COLUMNS 8
/* With less, a place has the next line for itself. */
#define LEAST_NAME_COLUMNS 28
/* In a list, where its position stands behind it. */
#define LEAST_PLACE_COLUMNS 48
/* An empty line and the heads of columns. */
#define HEAD_LINES 2
#define LEAST_PLACES 2
/* More than are known. */
#define POOLS (UBI__LIBC_POOL_COUNT + 4)

/* ---- columns ------------------------------------------------------------------------------------------------------ */

static const char *const heads[UBI__SITE_ORDER_COUNT] = { [UBI__BY_LEAKED] = "Not freed",
                                                          [UBI__BY_PEAK] = "Peak",
                                                          [UBI__BY_TOTAL] = "Allocated",
                                                          [UBI__BY_COUNT] = "Count",
                                                          [UBI__BY_TEMPORARY] = "Temporary" };

/* What the table is sorted by comes first; temporary ones have a column when they do. */
static size_t choose_columns(ubi__site_order out[UBI__SITE_ORDER_COUNT], const ubi__recording_view *v) {
    size_t n = 0;
    out[n++] = v->order;
    for (ubi__site_order o = 0; o < UBI__SITE_ORDER_COUNT; o++)
        if (o != v->order && o != UBI__BY_TEMPORARY)
            out[n++] = o;
    return n;
}

static bool is_sampled(const ubi__recording_view *v) {
    return ubi__recording_is_sampled(&v->report->summary, v->of_class);
}

/* Limits stand where there is room for them: in the first column, or when nothing is to be left out. */
static bool has_limits(const ubi__recording_view *v, size_t column) {
    return is_sampled(v) && (column == 0 || v->report->wishes->detail);
}

static size_t columns_of(const ubi__recording_view *v, size_t column) {
    return has_limits(v, column) ? LIMITS_COLUMNS : is_sampled(v) ? GUESS_COLUMNS : EXACT_COLUMNS;
}

static bool by_count(ubi__site_order order) {
    return order == UBI__BY_COUNT || order == UBI__BY_TEMPORARY;
}

/* Text against the right edge; the sign of an estimate is two bytes and one column. */
static void right(const ubi__recording_view *v, const char *text, size_t columns) {
    size_t used = ubi__display_columns(ubi__text(text), v->style, SIZE_MAX);
    ubi__display_pad(v->out, used, columns > used ? columns : used + 1);
    ubi__out_string(v->out, text);
}

static void write_bytes(const ubi__recording_view *v, const ubi__site *site, const ubi__estimate *e, size_t column) {
    char text[UBI__ESTIMATE_TEXT], size[UBI__HUMAN_TEXT];
    ubi__range range = ubi__recording_bytes_range(&v->report->summary, site->of_class, e);
    if (e->samples == 0 && !is_sampled(v))
        snprintf(text, sizeof text, "-");
    else if (has_limits(v, column) || !is_sampled(v) || e->samples == 0)
        ubi__range_bytes(text, v->cli, range);
    else
        snprintf(text, sizeof text, "~%s", ubi__human_size(size, ubi__whole(e->bytes)));
    right(v, text, columns_of(v, column));
}

static void write_cell(const ubi__recording_view *v, const ubi__site *site, ubi__site_order order, size_t column) {
    char text[UBI__ESTIMATE_TEXT], count[UBI__HUMAN_TEXT];
    const ubi__estimate *e = &site->by[ubi__order_measure(order)];
    if (!by_count(order)) {
        write_bytes(v, site, e, column);
        return;
    }
    if (e->samples == 0)
        snprintf(text, sizeof text, "-");
    else if (!is_sampled(v))
        ubi__human_count(text, ubi__whole(e->count));
    else if (has_limits(v, column))
        ubi__count_guess(text, v->cli, e->count, ubi__recording_count_range(&v->report->summary, site->of_class, e));
    else
        snprintf(text, sizeof text, "~%s", ubi__human_count(count, ubi__whole(e->count)));
    right(v, text, columns_of(v, column));
}

static size_t numbers_columns(const ubi__recording_view *v) {
    ubi__site_order columns[UBI__SITE_ORDER_COUNT];
    size_t used = 2 + SHARE_COLUMNS, n = choose_columns(columns, v);
    for (size_t i = 0; i < n; i++)
        used += columns_of(v, i);
    return used;
}

/* Behind the first column. */
static void write_share(const ubi__recording_view *v, const ubi__site *site) {
    const ubi__estimate *all = &v->all[ubi__order_measure(v->order)].estimate;
    double part = ubi__site_value(site, v->order), whole = by_count(v->order) ? all->count : all->bytes;
    if (part > 0)
        ubi__write_share(v->cli, ubi__whole(part), ubi__whole(whole), SHARE_COLUMNS);
    else
        right(v, "-", SHARE_COLUMNS);
}

/* The heads of columns without a site. @return columns that are used, with a gap behind them */
size_t ubi__recording_numbers(const ubi__recording_view *v, const ubi__site *site) {
    ubi__site_order columns[UBI__SITE_ORDER_COUNT];
    size_t n = choose_columns(columns, v);
    for (size_t i = 0; i < n; i++) {
        if (site)
            write_cell(v, site, columns[i], i);
        else
            right(v, heads[columns[i]], columns_of(v, i));
        if (i == 0 && site)
            write_share(v, site);
        else if (i == 0)
            right(v, "Share", SHARE_COLUMNS);
    }
    return numbers_columns(v);
}

size_t ubi__recording_extra_number(const ubi__recording_view *v, const ubi__estimate *e, const char *head) {
    size_t columns = columns_of(v, 1) + 3;
    char text[UBI__ESTIMATE_TEXT], count[UBI__HUMAN_TEXT];
    ubi__range range;
    if (!e) {
        right(v, head, columns);
        return columns;
    }
    range = ubi__recording_bytes_range(&v->report->summary, v->of_class, e);
    if (e->samples == 0 && (!is_sampled(v) || by_count(v->order)))
        snprintf(text, sizeof text, "-");
    else if (by_count(v->order))
        snprintf(text, sizeof text, "%s%s", is_sampled(v) ? "~" : "", ubi__human_count(count, ubi__whole(e->count)));
    else if (!is_sampled(v) || e->samples == 0)
        ubi__range_bytes(text, v->cli, range);
    else
        snprintf(text, sizeof text, "~%s", ubi__human_size(count, ubi__whole(e->bytes)));
    right(v, text, columns);
    return columns;
}

/* Whether places stand behind the numbers. */
static bool has_room(const ubi__recording_view *v) {
    return numbers_columns(v) + (v->is_list ? LEAST_PLACE_COLUMNS : LEAST_NAME_COLUMNS) <= v->columns;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static void write_short_site(const ubi__recording_view *v, const ubi__site *site) {
    ubi__recording_place place;
    char name[NAME_BYTES];
    size_t used = ubi__recording_numbers(v, site);
    bool is_known = ubi__recording_site_place(&place, v->report, site);
    if (!is_known)
        ubi__out_string(v->out, "  (no stack)");
    if (is_known && has_room(v)) {
        ubi__out_string(v->out, "  ");
        ubi__recording_short_name(name, sizeof name, v->style, &place, v->columns - used);
        ubi__display_text(v->out, v->style, ubi__text(name), v->columns - used);
    }
    ubi__out_char(v->out, '\n');
    ubi__recording_flow(v, site, !has_room(v), false);
}

static void write_long_site(const ubi__recording_view *v, const ubi__site *site) {
    size_t used = ubi__recording_numbers(v, site);
    bool is_beside = has_room(v) || site->heavy == UBI__UBIREC_NO_TRACE;
    ubi__out_string(v->out, is_beside ? "  " : "\n");
    ubi__recording_stack(v, site, is_beside ? used : 0);
}

/* Sorted by one thing alone, a list has what has any of it; an overview goes on with what has the rest. */
static bool is_in_table(const ubi__recording_view *v, const ubi__site *site) {
    bool has_any =
        ubi__site_value(site, v->order) > 0 || (!v->report->wishes->by && site->by[UBI__MEASURE_TOTAL].samples > 0);
    return site->of_class == v->of_class && has_any && ubi__recording_has_site(v->report, site) &&
           !(v->order == UBI__BY_LEAKED && ubi__known_pool(&v->report->sites, site));
}

static size_t site_lines(const ubi__recording_view *v, const ubi__site *site) {
    return 1 + ubi__recording_flow(v, site, !has_room(v), true);
}

/* The next row of the table from *i on; NULL behind the last. */
static const ubi__site *next_site(const ubi__recording_view *v, size_t *i) {
    while (*i < v->report->sites.rows.n) {
        const ubi__site *site = &v->report->sites.rows.at[(*i)++];
        if (is_in_table(v, site))
            return site;
    }
    return NULL;
}

static bool is_pool(const ubi__recording_view *v, const ubi__site *site) {
    return site->by[UBI__MEASURE_LEAKED].samples && ubi__recording_has_site(v->report, site) &&
           ubi__known_pool(&v->report->sites, site);
}

static bool has_pools(const ubi__recording_view *v) {
    for (size_t i = 0; v->of_class == UBI__UBIREC_HEAP && v->order == UBI__BY_LEAKED && i < v->report->sites.rows.n;
         i++)
        if (is_pool(v, &v->report->sites.rows.at[i]))
            return true;
    return false;
}

size_t ubi__recording_table_head(void) {
    return HEAD_LINES;
}

size_t ubi__recording_table_least(const ubi__recording_view *v) {
    size_t i = 0, n = 0, lines = HEAD_LINES + 1 + has_pools(v);
    for (const ubi__site *site; n < LEAST_PLACES && (site = next_site(v, &i)) != NULL; n++)
        lines += site_lines(v, site);
    return n ? lines : HEAD_LINES + (size_t)has_pools(v);
}

/* What all places of a pool have not freed, the first with most. */
typedef struct pool_sum {
    const char *words;
    ubi__estimate estimate;
} pool_sum;

static size_t sum_pools(pool_sum out[POOLS], const ubi__recording_view *v) {
    size_t n = 0, at;
    for (size_t i = 0; v->order == UBI__BY_LEAKED && i < v->report->sites.rows.n; i++) {
        const ubi__site *site = &v->report->sites.rows.at[i];
        if (!is_pool(v, site))
            continue;
        const char *words = ubi__known_pool(&v->report->sites, site);
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

/* Of what was not freed, what is kept on purpose; in one line behind the others. */
static void write_pools(const ubi__recording_view *v) {
    char text[512], size[UBI__ESTIMATE_TEXT];
    pool_sum sums[POOLS];
    size_t used = 0, n = sum_pools(sums, v);
    if (n == 0)
        return;
    for (size_t i = 0; i < n && used < sizeof text; i++) {
        ubi__range_bytes(size, v->cli, ubi__recording_bytes_range(&v->report->summary, v->of_class, &sums[i].estimate));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s, %s", used ? "; " : "", sums[i].words, size);
    }
    ubi__write_ink(v->cli, UBI__INK_DIM);
    ubi__out_string(v->out, "  kept on purpose: ");
    ubi__display_text(v->out, v->style, ubi__text(text), v->columns - 19);
    ubi__write_ink(v->cli, UBI__INK_PLAIN);
    ubi__out_char(v->out, '\n');
}

static void write_head(const ubi__recording_view *v) {
    ubi__out_char(v->out, '\n');
    ubi__write_ink(v->cli, UBI__INK_BOLD);
    ubi__recording_numbers(v, NULL);
    ubi__out_string(v->out, has_room(v) ? "  Place, and who called it\n" : "\n");
    ubi__write_ink(v->cli, UBI__INK_PLAIN);
}

static void write_more(const ubi__recording_view *v, uint64_t n_shown, uint64_t n) {
    char count[UBI__HUMAN_TEXT];
    if (n == 0)
        return;
    ubi__write_ink(v->cli, UBI__INK_DIM);
    ubi__out_printf(v->out, "  %s; --limit %" PRIu64 " shows all\n", ubi__human_things(count, n, "more place"),
                    n_shown + n);
    ubi__write_ink(v->cli, UBI__INK_PLAIN);
}

static void write_nothing(const ubi__recording_view *v) {
    bool is_unknown = v->order == UBI__BY_TEMPORARY && !v->report->is_exact;
    ubi__out_char(v->out, '\n');
    ubi__write_words(v->cli, UBI__INK_PLAIN,
                     is_unknown ? "Only exact recordings know which allocations were temporary."
                                : "There is no such place in this recording.");
}

void ubi__recording_table(const ubi__recording_view *v, size_t lines) {
    size_t i = 0, used = HEAD_LINES + 1 + has_pools(v);
    uint64_t n_shown = 0, n_more = 0;
    bool is_bounded = !v->is_list && !v->report->wishes->top, is_full = false;
    for (const ubi__site *site; (site = next_site(v, &i)) != NULL && !v->out->failed;) {
        used += is_bounded ? site_lines(v, site) : 0;
        is_full |= n_shown == v->n_sites || (is_bounded && n_shown >= LEAST_PLACES && used > lines);
        if (is_full) {
            n_more++;
            continue;
        }
        if (n_shown++ == 0)
            write_head(v);
        if (v->is_list)
            write_long_site(v, site);
        else
            write_short_site(v, site);
    }
    write_more(v, n_shown, n_more);
    if (n_shown == 0)
        write_nothing(v);
    write_pools(v);
}
