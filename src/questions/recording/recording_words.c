/* SPDX-License-Identifier: MIT
 *
 * recording_words.c: places of a recording in words, and estimates.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"
#include "questions/recording/recording_report.h"

/* ---- orders and choice -------------------------------------------------------------------------------------------- */

const char *const ubi__recording_orders[] = { "leaked", "peak", "total", "count", "temporary", "live", NULL };

ubi__site_order ubi__recording_order(const char *word) {
    ubi__site_order order = UBI__BY_LEAKED;
    while (word && strcmp(ubi__recording_orders[order], word) != 0)
        order++;
    return order;
}

static bool place_has(const ubi__recording_place *place, ubi_text text) {
    return ubi__text_contains(place->function, text) || ubi__text_contains(place->file, text) ||
           ubi__text_contains(place->module, text);
}

bool ubi__recording_has_site(const ubi__recording_report *report, const ubi__site *site) {
    ubi__recording_place place;
    if (ubi__recording_is_part(report->summary) && !ubi__recording_has_any(site->by))
        return false;
    if (!report->wishes->site)
        return true;
    return ubi__recording_site_place(&place, &report->summary->tables, site) &&
           place_has(&place, ubi__text(report->wishes->site));
}

/* ---- estimates ---------------------------------------------------------------------------------------------------- */

bool ubi__recording_is_sampled(const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    return of_class != UBI__UBIREC_MAPPING && !ubi__ubirec_is_exact(&s->tables);
}

bool ubi__recording_has_frees(const ubi__recording_summary *s) {
    return s->tables.counters[UBI__UBIREC_WITHOUT_FREES] == 0;
}

bool ubi__recording_is_profile(const ubi__recording_summary *s) {
    return s->tables.counters[UBI__UBIREC_WITHOUT_FREES] == UBI__UBIREC_ALIVE_ALONE;
}

bool ubi__recording_has_measure(const ubi__recording_summary *s, ubi__ubirec_class of_class, ubi__measure measure) {
    if (measure == UBI__MEASURE_TEMPORARY && ubi__recording_is_sampled(s, of_class))
        return false;
    if (measure == UBI__MEASURE_LIVE && !ubi__recording_is_part(s))
        return false;
    return measure == UBI__MEASURE_TOTAL || ubi__recording_has_frees(s);
}

const char *ubi__recording_class_name(ubi__ubirec_class of_class) {
    static const char *const names[UBI__UBIREC_CLASS_COUNT] = { "heap", "mapping", "object" };
    return names[of_class];
}

const char *ubi__recording_things(ubi__ubirec_class of_class) {
    static const char *const things[UBI__UBIREC_CLASS_COUNT] = { "allocation", "mapping", "object" };
    return things[of_class];
}

uint64_t ubi__whole(double value) {
    if (!(value > 0))
        return 0;
    return value < 0x1p63 ? (uint64_t)(value + 0.5) : (uint64_t)1 << 63;
}

ubi__range ubi__recording_bytes_range(const ubi__recording_summary *s, ubi__ubirec_class of_class,
                                      const ubi__estimate *e) {
    return ubi__estimate_bytes_range(e, ubi__class_period(s, of_class));
}

ubi__range ubi__recording_count_range(const ubi__recording_summary *s, ubi__ubirec_class of_class,
                                      const ubi__estimate *e) {
    return ubi__estimate_count_range(e, ubi__class_period(s, of_class));
}

/* Three digits, towards the outside: limits claim no more precision than they have. */
static uint64_t three_digits(double value, bool up) {
    double unit = 1;
    while (value / unit >= 1000)
        unit *= 10;
    double whole = up ? ceil(value / unit) : floor(value / unit);
    return ubi__whole(whole * unit);
}

/* "92.1-109 MiB": the unit once, where it is the same. */
static void join_limits(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, const char *low, const char *high) {
    const char *low_unit = strchr(low, ' '), *high_unit = strchr(high, ' ');
    bool is_same_unit = low_unit && high_unit && strcmp(low_unit, high_unit) == 0;
    if (strcmp(low, high) == 0)
        snprintf(out, UBI__ESTIMATE_TEXT, "%s", high);
    else
        snprintf(out, UBI__ESTIMATE_TEXT, "%.*s%s%s", (int)(is_same_unit ? (size_t)(low_unit - low) : strlen(low)), low,
                 style->has_unicode ? "–" : "-", high);
}

char *ubi__range_bytes(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, ubi__range range) {
    char low[UBI__HUMAN_TEXT], high[UBI__HUMAN_TEXT];
    ubi__human_size(high, ubi__whole(range.high));
    if (range.low <= 0 && range.high > 0)
        snprintf(out, UBI__ESTIMATE_TEXT, "< %s", high);
    else
        join_limits(out, style, ubi__human_size(low, ubi__whole(range.low)), high);
    return out;
}

char *ubi__range_count(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, ubi__range range) {
    char low[UBI__HUMAN_TEXT], high[UBI__HUMAN_TEXT];
    bool is_known = range.low >= range.high;
    ubi__human_count(high, is_known ? ubi__whole(range.high) : three_digits(range.high, true));
    if (range.low <= 0 && range.high > 0)
        snprintf(out, UBI__ESTIMATE_TEXT, "< %s", high);
    else
        join_limits(out, style,
                    ubi__human_count(low, is_known ? ubi__whole(range.low) : three_digits(range.low, false)), high);
    return out;
}

/* A count whose limits are further apart than this is better shown as a guess. */
#define TELLING_FACTOR 4

char *ubi__count_guess(char out[UBI__ESTIMATE_TEXT], const ubi__style *style, double count, ubi__range range) {
    char guess[UBI__HUMAN_TEXT];
    if (range.low > 0 && range.high <= TELLING_FACTOR * range.low)
        return ubi__range_count(out, style, range);
    snprintf(out, UBI__ESTIMATE_TEXT, "~%s", ubi__human_count(guess, ubi__whole(count)));
    return out;
}

/* ---- windows of time ------------------------------------------------------------------------------------------------ */

char *ubi__recording_window_words(char out[UBI__WINDOW_WORDS], const ubi__recording_report *report) {
    char from[UBI__HUMAN_TEXT], to[UBI__HUMAN_TEXT];
    const ubi__time_window *window = &report->summary->window;
    ubi__human_duration(from, window->from_ns / 1000);
    ubi__human_duration(to, window->to_ns / 1000);
    if (ubi__recording_is_moment(report))
        snprintf(out, UBI__WINDOW_WORDS, "at %s", to);
    else if (!window->to_ns)
        snprintf(out, UBI__WINDOW_WORDS, "from %s on", from);
    else if (!window->from_ns)
        snprintf(out, UBI__WINDOW_WORDS, "up to %s", to);
    else
        snprintf(out, UBI__WINDOW_WORDS, "from %s to %s", from, to);
    return out;
}

/* ---- what else ---------------------------------------------------------------------------------------------------- */

bool ubi__recording_was_given_up(const ubi__recording_summary *s) {
    const ubi__ubirec_tables *t = &s->tables;
    return t->has_end && t->end.reason == UBI__UBIREC_STOPPED && t->end.value == UBI__UBIREC_GAVE_UP;
}

/* Programs, libraries and stacks take some. */
#define USUAL_BYTES ((double)(32 << 20))
#define FAR_ABOVE 2

/* The resident memory of all processes may be that of those whose heap is not seen. */
static bool is_some_heap_missing(const ubi__recording_report *report) {
    const ubi__ubirec_tables *t = &report->summary->tables;
    for (size_t i = 0; report->processes->are_summed && i < t->started.n; i++)
        if (t->started.at[i].why != UBI__UNRECORDED_CHOICE)
            return true;
    return false;
}

bool ubi__recording_mappings_hint(char *out, size_t n, const ubi__recording_report *report) {
    char resident[UBI__HUMAN_TEXT], heap[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = report->summary;
    double most = report->heap_bytes[UBI__MEASURE_PEAK].high;
    if (ubi__class_has_any(s, UBI__UBIREC_MAPPING) || (double)s->rss_peak_bytes < FAR_ABOVE * most + USUAL_BYTES ||
        is_some_heap_missing(report))
        return false;
    if (out)
        snprintf(out, n,
                 "%s were resident at most, and the heap had no more than %s: 'record --mappings' also shows who asks "
                 "the system for memory",
                 ubi__human_size(resident, s->rss_peak_bytes), ubi__human_size(heap, ubi__whole(most)));
    return true;
}
