/* SPDX-License-Identifier: MIT
 *
 * recording_findings.c: what is said first about a recording: leaks, the peak, temporary allocations, growth.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/human.h"
#include "questions/recording/recording_page.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/known_pools.h"

/* Most places named for a sum; fewer if they have most of it. */
#define NAMED 3
#define MOST_OF_IT 0.8
/* If this share of the peak was never freed, the leaks explain the peak. */
#define ALL_THERE 0.95
/* A place with less than this of a sum is not named. */
#define LEAST_SHARE 0.1
/* Temporary allocations get a line from this share and count on. */
#define LEAST_TEMPORARY_SHARE 0.2
#define LEAST_TEMPORARY 1000
/* A place that never frees what it asks for again and again. */
#define LEAST_NEVER_FREED 100

/* ---- sentences ---------------------------------------------------------------------------------------------------- */

typedef struct sentence {
    char *text;
    size_t n, room;
} sentence;

static void UBI_PRINTF(2, 3) finding_say(sentence *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(s->text + s->n, s->room - s->n, format, args);
    va_end(args);
    if (n > 0)
        s->n += (size_t)n < s->room - s->n ? (size_t)n : s->room - s->n - 1;
}

static sentence finding_begin(ubi__recording_findings *out, const char *kind) {
    ubi__recording_finding *f = &out->at[out->n++];
    f->kind = kind;
    f->text[0] = 0;
    return (sentence){ f->text, 0, sizeof f->text };
}

static void say_place(sentence *s, const ubi__recording_view *v, const ubi__site *site) {
    char words[UBI__PLACE_WORDS];
    ubi__recording_place place;
    const char *pool = ubi__known_pool(v->report->sites, site);
    if (pool)
        finding_say(s, "%s", pool);
    else if (ubi__recording_site_place(&place, &v->report->summary->tables, site))
        finding_say(s, "%s", ubi__recording_place_words(words, v->style, &place));
    else
        finding_say(s, "what has no stack");
}

/* ---- places ------------------------------------------------------------------------------------------------------- */

static double value_of(const ubi__site *site, ubi__measure measure, bool by_count) {
    return by_count ? site->by[measure].count : site->by[measure].bytes;
}

/* The place with most of a measure after `last`; ranks are distinct. */
static const ubi__site *next_of(const ubi__recording_view *v, ubi__ubirec_class of_class, ubi__measure measure,
                                bool by_count, const ubi__site *last) {
    const ubi__sites *sites = v->report->sites;
    const ubi__site *best = NULL;
    for (size_t i = 0; i < sites->rows.n; i++) {
        const ubi__site *site = &sites->rows.at[i];
        double value = value_of(site, measure, by_count);
        bool is_behind = !last || value < value_of(last, measure, by_count) ||
                         (value <= value_of(last, measure, by_count) && site > last);
        if (site->of_class != of_class || !(value > 0) || !is_behind || !ubi__recording_has_site(v->report, site))
            continue;
        if (measure == UBI__MEASURE_LEAKED && ubi__known_pool(sites, site))
            continue;
        if (!best || value > value_of(best, measure, by_count))
            best = site;
    }
    return best;
}

static char *share_of(char out[UBI__HUMAN_TEXT], double part, double all) {
    return ubi__human_percent(out, ubi__whole(part), ubi__whole(all));
}

static void say_bytes(sentence *s, const ubi__recording_view *v, const ubi__site *site, ubi__measure measure) {
    char bytes[UBI__ESTIMATE_TEXT];
    const ubi__estimate *e = &site->by[measure];
    finding_say(s, "%s",
                ubi__range_bytes(bytes, v->style, ubi__recording_bytes_range(v->report->summary, site->of_class, e)));
}

/* "800 KiB (61.0%) by Session::Session(Request const&) (session.cc:17)" for the first places of a sum. */
static void say_owners(sentence *s, const ubi__recording_view *v, ubi__ubirec_class of_class, ubi__measure measure,
                       double all) {
    char share[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    double sum = 0;
    const ubi__site *site = NULL;
    for (int i = 0; i < NAMED && sum < MOST_OF_IT * all; i++) {
        site = next_of(v, of_class, measure, false, site);
        if (!site || (i > 0 && site->by[measure].bytes < LEAST_SHARE * all))
            break;
        sum += site->by[measure].bytes;
        finding_say(s, i ? "; " : "");
        say_bytes(s, v, site, measure);
        finding_say(s, " (%s) by ", share_of(share, site->by[measure].bytes, all));
        say_place(s, v, site);
        const ubi__estimate *total = &site->by[UBI__MEASURE_TOTAL];
        bool is_never_freed = v->report->is_exact && total->count <= site->by[UBI__MEASURE_LEAKED].count;
        if (measure == UBI__MEASURE_LEAKED && is_never_freed && total->count >= LEAST_NEVER_FREED)
            finding_say(s, ", none of whose %s allocations was freed",
                        ubi__human_count(count, ubi__whole(total->count)));
    }
}

/* Of what was asked for with a size of 0. */
static void say_owner_by_count(sentence *s, const ubi__recording_view *v, double all) {
    char count[UBI__HUMAN_TEXT], share[UBI__HUMAN_TEXT];
    const ubi__site *site = next_of(v, v->of_class, UBI__MEASURE_LEAKED, true, NULL);
    finding_say(s, "%s of 0 bytes", ubi__human_things(count, ubi__whole(all), "allocation"));
    if (!site)
        return;
    finding_say(s, ", %s by ", share_of(share, site->by[UBI__MEASURE_LEAKED].count, all));
    say_place(s, v, site);
}

static void find_leaked(ubi__recording_findings *out, const ubi__recording_view *v) {
    char size[UBI__ESTIMATE_TEXT], count[UBI__HUMAN_TEXT];
    const ubi__recording_sum *leaks = &v->all[UBI__MEASURE_LEAKED];
    bool is_heap = v->of_class == UBI__UBIREC_HEAP;
    if (v->report->wishes->site)
        return;
    leaks = is_heap ? &v->report->leaks : leaks;
    if (leaks->estimate.samples) {
        sentence s = finding_begin(out, "leaked");
        finding_say(&s, ubi__recording_is_part(v->report->summary) ? "not freed by then: " : "not freed: ");
        if (leaks->estimate.bytes > 0)
            say_owners(&s, v, v->of_class, UBI__MEASURE_LEAKED, v->all[UBI__MEASURE_LEAKED].estimate.bytes);
        else
            say_owner_by_count(&s, v, leaks->estimate.count);
    } else if (v->report->is_exact && v->all[UBI__MEASURE_TOTAL].estimate.samples) {
        sentence s = finding_begin(out, "leaked");
        finding_say(&s, "everything was freed");
        if (is_heap && v->report->pools.estimate.samples)
            finding_say(&s, ", except %s in %s that libraries keep on purpose",
                        ubi__range_bytes(size, v->style, v->report->pools.bytes),
                        ubi__human_things(count, ubi__whole(v->report->pools.estimate.count), "allocation"));
        if (v->report->suppressed && v->report->suppressed->what.sums[v->of_class].samples)
            finding_say(&s, ", except what is suppressed");
    }
}

static void find_peak(ubi__recording_findings *out, const ubi__recording_view *v) {
    const ubi__recording_sum *peak = &v->all[UBI__MEASURE_PEAK];
    const ubi__site *first = next_of(v, v->of_class, UBI__MEASURE_PEAK, false, NULL);
    char share[UBI__HUMAN_TEXT], things[UBI__HUMAN_TEXT];
    bool is_one_process = !v->report->processes->are_summed; /* leaks of several need not overlap */
    bool is_all_there =
        is_one_process && v->all[UBI__MEASURE_LEAKED].estimate.bytes >= ALL_THERE * peak->estimate.bytes;
    if (!first || v->report->wishes->site || is_all_there) /* said already */
        return;
    sentence s = finding_begin(out, "peak");
    if (first->by[UBI__MEASURE_PEAK].bytes >= LEAST_SHARE * peak->estimate.bytes) {
        finding_say(&s, "at the peak: ");
        say_owners(&s, v, v->of_class, UBI__MEASURE_PEAK, peak->estimate.bytes);
        return;
    }
    finding_say(&s, "the peak is spread over %s, none of which has more than %s of it",
                ubi__human_things(things, v->report->sites->rows.n, "place"),
                share_of(share, first->by[UBI__MEASURE_PEAK].bytes, peak->estimate.bytes));
}

static void find_temporary(ubi__recording_findings *out, const ubi__recording_view *v) {
    char count[UBI__HUMAN_TEXT], share[UBI__HUMAN_TEXT];
    double temporary = v->all[UBI__MEASURE_TEMPORARY].estimate.count, all = v->all[UBI__MEASURE_TOTAL].estimate.count;
    const ubi__site *site = next_of(v, v->of_class, UBI__MEASURE_TEMPORARY, true, NULL);
    if (!site || !v->report->is_exact || temporary < LEAST_TEMPORARY || temporary < LEAST_TEMPORARY_SHARE * all ||
        v->report->wishes->site)
        return;
    sentence s = finding_begin(out, "temporary");
    finding_say(&s, "temporary: %s allocations (%s of all) were freed by the next thing that their thread did, ",
                ubi__human_count(count, ubi__whole(temporary)), share_of(share, temporary, all));
    if (site->by[UBI__MEASURE_TEMPORARY].count >= temporary)
        finding_say(&s, "all of them by ");
    else
        finding_say(&s, "%s of them by ", share_of(share, site->by[UBI__MEASURE_TEMPORARY].count, temporary));
    say_place(&s, v, site);
}

static void find_mappings(ubi__recording_findings *out, const ubi__recording_view *v) {
    const ubi__recording_summary *s = v->report->summary;
    ubi__estimate peak = ubi__class_estimate(s, UBI__UBIREC_MAPPING, UBI__MEASURE_PEAK);
    if (v->of_class != UBI__UBIREC_HEAP || peak.bytes < v->all[UBI__MEASURE_PEAK].estimate.bytes || peak.samples == 0 ||
        v->report->wishes->site)
        return;
    sentence words = finding_begin(out, "mappings");
    finding_say(&words, "mappings at their peak: ");
    say_owners(&words, v, UBI__UBIREC_MAPPING, UBI__MEASURE_PEAK, peak.bytes);
}

/* ---- growth ------------------------------------------------------------------------------------------------------- */

/* A short run only grows. */
#define LEAST_RUN_NS ((uint64_t)1000000000)
#define SPANS 8
#define LEAST_POINTS (4 * SPANS)
/* Many programs give everything back at the very end. */
#define LAST_PERCENT 95
#define LEAST_GROWTH 1.5

static size_t least_point(const ubi__recording_summary *s, size_t span, size_t n) {
    size_t first = span * n / SPANS, least = first;
    for (size_t i = first; i < (span + 1) * n / SPANS; i++)
        if (s->curve[i].live_bytes < s->curve[least].live_bytes)
            least = i;
    return least;
}

/* Whether the minimum alive rises from each part of the time to the next; the first part may be start-up. */
static bool recording_grows(size_t *from, size_t *to, const ubi__recording_summary *s) {
    size_t n = s->n_curve * LAST_PERCENT / 100, points[SPANS];
    if (ubi__recording_end_ns(s) - s->window.from_ns < LEAST_RUN_NS || n < LEAST_POINTS)
        return false;
    for (size_t i = 0; i < SPANS; i++) {
        points[i] = least_point(s, i, n);
        if (i > 1 && s->curve[points[i]].live_bytes <= s->curve[points[i - 1]].live_bytes)
            return false;
    }
    *from = points[1];
    *to = points[SPANS - 1];
    return ubi__curve_range(s, &s->curve[*to]).low > LEAST_GROWTH * ubi__curve_range(s, &s->curve[*from]).high;
}

static void find_growth(ubi__recording_findings *out, const ubi__recording_view *v) {
    const ubi__recording_summary *s = v->report->summary;
    char low[UBI__ESTIMATE_TEXT], high[UBI__ESTIMATE_TEXT], first[UBI__HUMAN_TEXT], last[UBI__HUMAN_TEXT];
    size_t from, to;
    if (!recording_grows(&from, &to, s) || v->report->wishes->site)
        return;
    sentence words = finding_begin(out, "growth");
    finding_say(&words, "growth: what is alive became more all the time, from %s at %s to %s at %s",
                ubi__range_bytes(low, v->style, ubi__curve_range(s, &s->curve[from])),
                ubi__human_duration(first, ubi__curve_time_ns(s, from) / 1000),
                ubi__range_bytes(high, v->style, ubi__curve_range(s, &s->curve[to])),
                ubi__human_duration(last, ubi__curve_time_ns(s, to) / 1000));
}

void ubi__recording_find(ubi__recording_findings *out, const ubi__recording_view *v) {
    out->n = 0;
    if (!ubi__recording_has_frees(v->report->summary)) /* all of them are about what was alive, or freed */
        return;
    find_leaked(out, v);
    find_peak(out, v);
    find_growth(out, v);
    find_temporary(out, v);
    find_mappings(out, v);
}
