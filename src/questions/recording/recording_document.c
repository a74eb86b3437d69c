/* SPDX-License-Identifier: MIT
 *
 * recording_document.c: the report on a recording as JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "questions/recording/recording_markers.h"
#include "questions/recording/recording_memory.h"
#include "questions/recording/recording_page.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/known_pools.h"
#include "recording/ubirec_tables.h"

#define DOCUMENT_SITES 20

static void put_ms(ubi__json *j, const char *key, uint64_t ns) {
    ubi__json_member_double(j, key, (double)ns / 1e6);
}

/* ---- about the whole ---------------------------------------------------------------------------------------------- */

static void put_arguments(ubi__json *j, ubi_text rest) {
    ubi__json_member_array(j, "arguments");
    while (rest.len) {
        const char *end = memchr(rest.ptr, 0, rest.len);
        size_t length = end ? (size_t)(end - rest.ptr) : rest.len;
        ubi__json_text(j, (ubi_text){ rest.ptr, length });
        rest.ptr += length + (end != NULL);
        rest.len -= length + (end != NULL);
    }
    ubi__json_array_end(j);
}

static void put_end(ubi__json *j, const ubi__ubirec_tables *t) {
    static const char *const reasons[] = { "exited", "killed", "stopped", "replaced", "ended" };
    ubi__json_key(j, "end");
    if (!t->has_end) {
        ubi__json_null(j);
        return;
    }
    ubi__json_object_begin(j);
    ubi__json_member_string(j, "reason", reasons[t->end.reason]);
    ubi__json_member_u64(j, "value", t->end.value);
    ubi__json_object_end(j);
}

static const char *const counters[UBI__UBIREC_COUNTER_COUNT] = {
    [UBI__UBIREC_DROPPED] = "dropped",
    [UBI__UBIREC_REENTRANT] = "reentrant",
    [UBI__UBIREC_UNKNOWN_FREES] = "unknownFrees",
    [UBI__UBIREC_UNWIND_FAILURES] = "unwindFailures",
    [UBI__UBIREC_TRUNCATED_STACKS] = "truncatedStacks",
    [UBI__UBIREC_REUSED_ADDRESSES] = "reusedAddresses",
    [UBI__UBIREC_DEEP_BINDS] = "deepBinds",
    [UBI__UBIREC_NAMESPACES] = "namespaces",
    [UBI__UBIREC_LOST_MARKERS] = "lostMarkers",
    [UBI__UBIREC_NOT_RECORDED] = "notRecorded",
    [UBI__UBIREC_UNFINISHED] = "unfinished",
    [UBI__UBIREC_INHERITED_FREES] = "inheritedFrees",
    [UBI__UBIREC_COMPANIONS] = "companions",
    [UBI__UBIREC_WITHOUT_FREES] = "withoutFrees",
    [UBI__UBIREC_ATTACHED] = "attached",
    [UBI__UBIREC_PAUSED_MS] = "pausedMs",
};

void ubi__recording_put_about(ubi__json *j, const ubi__recording_summary *s, bool is_exact) {
    char time[UBI__HUMAN_TEXT];
    const ubi__ubirec_about *about = &s->tables.about;
    ubi__json_member_text(j, "program", about->program);
    put_arguments(j, about->arguments);
    ubi__json_member_u64(j, "pid", about->pid);
    ubi__json_member_text(j, "recorder", about->writer);
    ubi__json_member_text(j, "system", about->system);
    ubi__json_member_string(j, "startTime",
                            about->start_unix_ns ? ubi__iso_time(time, about->start_unix_ns / 1000) : NULL);
    put_ms(j, "durationMs", s->time_ns);
    put_end(j, &s->tables);
    ubi__json_member_bool(j, "exact", is_exact);
    ubi__json_member_u64(j, "periodBytes", about->period_bytes);
    ubi__json_member_u64(j, "tornBytes", s->torn_bytes);
    ubi__json_member_string(j, "fault", s->fault[0] ? s->fault : NULL);
    ubi__json_member_object(j, "counters");
    for (int i = 0; i < UBI__UBIREC_COUNTER_COUNT; i++) {
        if (i == UBI__UBIREC_DROPPED && ubi__recording_was_given_up(s)) {
            ubi__json_member_null(j, counters[i]);
            continue;
        }
        ubi__json_member_u64(j, counters[i], s->tables.counters[i]);
    }
    ubi__json_member_u64(j, "doubleFrees", s->double_frees);
    ubi__json_object_end(j);
}

void ubi__recording_put_window(ubi__json *j, const ubi__recording_report *report) {
    const ubi__time_window *window = &report->summary->window;
    if (!ubi__recording_is_part(report->summary))
        return;
    ubi__json_member_object(j, "window");
    if (ubi__recording_is_moment(report)) {
        put_ms(j, "atMs", window->to_ns - 1);
    } else {
        put_ms(j, "fromMs", window->from_ns);
        if (window->to_ns)
            put_ms(j, "toMs", window->to_ns);
        else
            ubi__json_member_null(j, "toMs");
    }
    ubi__json_object_end(j);
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

static void put_error(ubi__json *j, const char *key, double variance, bool is_known) {
    ubi__json_key(j, key);
    if (is_known)
        ubi__json_double(j, ubi__standard_error(variance));
    else
        ubi__json_null(j);
}

/* Whole numbers, towards the outside. */
static void put_range(ubi__json *j, const char *low_key, const char *high_key, ubi__range range) {
    ubi__json_member_double(j, low_key, floor(range.low));
    ubi__json_member_double(j, high_key, ceil(range.high));
}

/* Without any sample, the standard error of 0 is unknown; the limits are known. */
static void put_limited(ubi__json *j, const ubi__estimate *e, bool is_sampled, ubi__range bytes, ubi__range count) {
    bool is_known = !is_sampled || e->samples > 0;
    ubi__json_member_u64(j, "samples", e->samples);
    ubi__json_member_double(j, "count", e->count);
    put_range(j, "countLow", "countHigh", count);
    put_error(j, "countError", e->count_variance, is_known);
    ubi__json_member_double(j, "bytes", e->bytes);
    put_range(j, "bytesLow", "bytesHigh", bytes);
    put_error(j, "bytesError", e->bytes_variance, is_known);
}

void ubi__recording_put_fields(ubi__json *j, const ubi__estimate *e, const ubi__recording_summary *s,
                               ubi__ubirec_class of_class) {
    put_limited(j, e, ubi__recording_is_sampled(s, of_class), ubi__recording_bytes_range(s, of_class, e),
                ubi__recording_count_range(s, of_class, e));
}

void ubi__recording_put_estimate(ubi__json *j, const char *key, const ubi__estimate *e, const ubi__recording_summary *s,
                                 ubi__ubirec_class of_class) {
    ubi__json_member_object(j, key);
    ubi__recording_put_fields(j, e, s, of_class);
    ubi__json_object_end(j);
}

static const char *const measures[UBI__MEASURE_COUNT] = {
    [UBI__MEASURE_LEAKED] = "leaked",       [UBI__MEASURE_PEAK] = "peak", [UBI__MEASURE_TOTAL] = "total",
    [UBI__MEASURE_TEMPORARY] = "temporary", [UBI__MEASURE_LIVE] = "live",
};

void ubi__recording_put_measure(ubi__json *j, ubi__measure measure, const ubi__estimate *e,
                                const ubi__recording_summary *s, ubi__ubirec_class of_class) {
    if (measure == UBI__MEASURE_LIVE && !ubi__recording_is_part(s))
        return;
    if (ubi__recording_has_measure(s, of_class, measure))
        ubi__recording_put_estimate(j, measures[measure], e, s, of_class);
    else
        ubi__json_member_null(j, measures[measure]);
}

/* For a whole class, whose peak has its own limits. */
static void put_class_measure(ubi__json *j, ubi__measure measure, const ubi__recording_summary *s,
                              ubi__ubirec_class of_class) {
    ubi__estimate e = ubi__class_estimate(s, of_class, measure);
    if (measure != UBI__MEASURE_PEAK || !ubi__recording_has_frees(s)) {
        ubi__recording_put_measure(j, measure, &e, s, of_class);
        return;
    }
    ubi__json_member_object(j, measures[measure]);
    put_limited(j, &e, ubi__recording_is_sampled(s, of_class), ubi__measure_bytes_range(s, of_class, measure, &e),
                ubi__recording_count_range(s, of_class, &e));
    ubi__json_object_end(j);
}

static void put_classes(ubi__json *j, const ubi__recording_report *report) {
    const ubi__recording_summary *s = report->summary;
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
        ubi__json_member_object(j, ubi__recording_class_name(c));
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            put_class_measure(j, m, s, (ubi__ubirec_class)c);
        bool has_frees = ubi__recording_has_frees(s);
        if (c == UBI__UBIREC_HEAP && has_frees)
            ubi__recording_put_estimate(j, "pools", &report->pools.estimate, s, UBI__UBIREC_HEAP);
        if (has_frees)
            put_ms(j, "peakTimeMs", ubi__recording_peak_ns(s, (ubi__ubirec_class)c));
        else
            ubi__json_member_null(j, "peakTimeMs");
        ubi__json_object_end(j);
    }
}

static void put_resident(ubi__json *j, const ubi__recording_summary *s) {
    if (s->rss_peak_bytes == 0) { /* not measured: no process has none */
        ubi__json_member_null(j, "resident");
        return;
    }
    ubi__json_member_object(j, "resident");
    ubi__json_member_u64(j, "peakBytes", s->rss_peak_bytes);
    put_ms(j, "peakTimeMs", s->rss_peak_time_ns);
    ubi__json_member_u64(j, "lastBytes", s->rss_last_bytes);
    ubi__json_object_end(j);
}

static void put_lifetimes(ubi__json *j, const ubi__recording_summary *s) {
    uint64_t below_ms = 1;
    if (!ubi__recording_has_frees(s)) {
        ubi__json_member_null(j, "lifetimes");
        return;
    }
    ubi__json_member_array(j, "lifetimes");
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++, below_ms *= 10) {
        ubi__json_object_begin(j);
        ubi__json_member_u64_or_null(j, "belowMs", i + 1 < UBI__LIFETIME_BUCKETS, below_ms);
        ubi__recording_put_fields(j, &s->lifetimes[i], s, UBI__UBIREC_HEAP);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_sizes(ubi__json *j, const ubi__recording_summary *s) {
    ubi__json_member_array(j, "sizes");
    for (int i = 0; i < UBI__SIZE_BUCKETS; i++) {
        if (s->sizes[i].samples == 0)
            continue;
        ubi__json_object_begin(j);
        ubi__json_member_u64(j, "belowBytes", (uint64_t)1 << i);
        ubi__recording_put_fields(j, &s->sizes[i], s, UBI__UBIREC_HEAP);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static ubi_status put_kinds(ubi__json *j, const ubi__recording_summary *s, const ubi_allocator *a) {
    size_t n = s->tables.kinds.n;
    ubi__estimate(*sums)[UBI__MEASURE_COUNT] = ubi__calloc_array(a, n + 1, sizeof *sums);
    if (!sums)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < s->infos.n; i++)
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&sums[s->tables.infos.at[i].kind][m], s, i, ubi__info_measure(&s->infos.at[i], m));
    ubi__json_member_array(j, "kinds");
    for (size_t i = 0; i < n && !j->has_failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_text(j, "kind", ubi__ubirec_string_at(&s->tables, s->tables.kinds.at[i].word));
        ubi__json_member_string(j, "class", ubi__recording_class_name(s->tables.kinds.at[i].class_of_kind));
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__recording_put_measure(j, m, &sums[i][m], s, s->tables.kinds.at[i].class_of_kind);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    ubi__free_array(a, sums, n + 1, sizeof *sums);
    return UBI_OK;
}

static void put_threads(ubi__json *j, const ubi__recording_summary *s) {
    ubi__json_member_array(j, "threads");
    for (size_t i = 0; i < s->threads.n && !j->has_failed; i++) {
        const ubi__thread_sums *t = &s->threads.at[i];
        if (t->allocated.samples == 0 && t->freed.samples == 0)
            continue;
        ubi__json_object_begin(j);
        ubi__json_member_u64(j, "tid", s->tables.threads.at[i].tid);
        ubi__json_member_text(j, "name", ubi__ubirec_string_at(&s->tables, s->tables.threads.at[i].name));
        ubi__recording_put_estimate(j, "allocated", &t->allocated, s, UBI__UBIREC_HEAP);
        if (ubi__recording_has_frees(s))
            ubi__recording_put_estimate(j, "freed", &t->freed, s, UBI__UBIREC_HEAP);
        else
            ubi__json_member_null(j, "freed");
        ubi__recording_put_measure(j, UBI__MEASURE_TEMPORARY, &t->temporary, s, UBI__UBIREC_HEAP);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_curve_limits(ubi__json *j, const ubi__recording_summary *s, const char *key, bool is_high) {
    ubi__json_member_array(j, key);
    for (size_t i = 0; i < s->n_curve; i++) {
        ubi__range range = ubi__curve_range(s, &s->curve[i]);
        ubi__json_double(j, is_high ? ceil(range.high) : floor(range.low));
    }
    ubi__json_array_end(j);
}

static void put_curve(ubi__json *j, const ubi__recording_summary *s) {
    if (!ubi__recording_has_frees(s)) {
        ubi__json_member_null(j, "curve");
        return;
    }
    ubi__json_member_object(j, "curve");
    if (ubi__recording_is_part(s))
        put_ms(j, "fromMs", s->window.from_ns / s->curve_step_ns * s->curve_step_ns);
    put_ms(j, "stepMs", s->curve_step_ns);
    ubi__json_member_array(j, "liveBytes");
    for (size_t i = 0; i < s->n_curve; i++)
        ubi__json_u64(j, s->curve[i].live_bytes);
    ubi__json_array_end(j);
    put_curve_limits(j, s, "liveBytesLow", false);
    put_curve_limits(j, s, "liveBytesHigh", true);
    ubi__json_member_array(j, "liveBytesError");
    for (size_t i = 0; i < s->n_curve; i++)
        ubi__json_double(j, ubi__standard_error(s->curve[i].live_variance));
    ubi__json_array_end(j);
    ubi__json_member_array(j, "residentBytes");
    for (size_t i = 0; i < s->n_curve; i++)
        ubi__json_u64(j, s->curve[i].rss_bytes);
    ubi__json_array_end(j);
    ubi__json_object_end(j);
}

/* ---- sites -------------------------------------------------------------------------------------------------------- */

void ubi__recording_put_place(ubi__json *j, const ubi__recording_place *place) {
    ubi__json_object_begin(j);
    ubi__json_member_text(j, "function", place->function);
    ubi__json_member_text(j, "file", place->file);
    ubi__json_member_u64(j, "line", place->line);
    ubi__json_member_u64(j, "column", place->column);
    ubi__json_member_bool(j, "inlined", place->is_inlined);
    ubi__json_member_text(j, "module", place->module);
    ubi__json_member_node_id_or_null(j, "address", place->has_address, place->address);
    ubi__json_object_end(j);
}

static void put_walk(ubi__json *j, const char *key, ubi__recording_walk *walk, uint64_t most) {
    ubi__recording_place place;
    ubi__json_member_array(j, key);
    for (uint64_t n = 0; n < most && !j->has_failed && ubi__recording_walk_next(walk, &place); n++)
        ubi__recording_put_place(j, &place);
    ubi__json_array_end(j);
}

static void put_stacks(ubi__json *j, const ubi__recording_report *report, const ubi__site *site) {
    ubi__recording_walk walk;
    ubi__recording_walk_wrappers(&walk, &report->summary->tables, site);
    put_walk(j, "through", &walk, UINT64_MAX);
    ubi__recording_walk_stack(&walk, &report->summary->tables, site);
    put_walk(j, "stack", &walk, report->wishes->stack_depth ? report->wishes->stack_depth : UINT64_MAX);
}

static void put_site(ubi__json *j, const ubi__recording_report *report, const ubi__site *site) {
    ubi__json_object_begin(j);
    ubi__json_member_string(j, "class", ubi__recording_class_name(site->of_class));
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        ubi__recording_put_measure(j, m, &site->by[m], report->summary, site->of_class);
    ubi__json_member_u64(j, "stackCount", site->n_all_stacks);
    ubi__json_member_string(j, "pool", ubi__known_pool(report->sites, site));
    put_stacks(j, report, site);
    ubi__json_object_end(j);
}

/* Calls that are looked through because of what they do, not their names. */
static void put_wrappers(ubi__json *j, const ubi__recording_report *report) {
    ubi__recording_place place;
    ubi__json_member_array(j, "wrappers");
    for (uint32_t i = 0; ubi__recording_wrapper(&place, report->sites, &i) && !j->has_failed;)
        ubi__recording_put_place(j, &place);
    ubi__json_array_end(j);
}

/* Of a window, those that have any of it. */
static uint64_t site_count(const ubi__recording_report *report) {
    const ubi__vec_site *rows = &report->leaked_sites->rows;
    uint64_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        n += !ubi__recording_is_part(report->summary) || ubi__recording_has_any(rows->at[i].by);
    return n;
}

/* In the order that is asked for: else by what leaked. */
static void put_sites(ubi__json *j, const ubi__recording_report *report) {
    ubi__site_order order = ubi__recording_list_order(report);
    const ubi__sites *sites = order == UBI__BY_LEAKED ? report->leaked_sites : report->sites;
    ubi__recording_report listed = *report;
    uint64_t n = 0, most = report->wishes->top ? report->wishes->top : DOCUMENT_SITES;
    listed.sites = sites;
    ubi__json_member_string(j, "sortedBy", ubi__recording_orders[order]);
    ubi__json_member_u64(j, "siteCount", site_count(report));
    ubi__json_member_array(j, "sites");
    for (size_t i = 0; i < sites->rows.n && n < most && !j->has_failed; i++) {
        if (!ubi__recording_has_site(report, &sites->rows.at[i]))
            continue;
        put_site(j, &listed, &sites->rows.at[i]);
        n++;
    }
    ubi__json_array_end(j);
}

static void put_hints(ubi__json *j, const ubi__recording_report *report) {
    ubi__json_member_array(j, "hints");
    char text[256];
    for (size_t i = 0; i < report->hints->n; i++)
        ubi__json_string(j, report->hints->at[i].text);
    if (ubi__recording_mappings_hint(text, sizeof text, report))
        ubi__json_string(j, text);
    ubi__json_array_end(j);
}

/* Programs that were not recorded. */
static void put_started(ubi__json *j, const ubi__ubirec_tables *t) {
    ubi__json_member_array(j, "started");
    for (size_t i = 0; i < t->started.n; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_text(j, "name", ubi__ubirec_string_at(t, t->started.at[i].name));
        ubi__json_member_u64(j, "count", t->started.at[i].count);
        ubi__json_member_string(j, "reason", ubi__unrecorded_key(t->started.at[i].why));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

/* What keeps a door from judging the whole by it. */
static void put_gaps(ubi__json *j, const ubi__recording_gaps *gaps) {
    ubi__json_member_array(j, "gaps");
    for (size_t i = 0; i < gaps->n; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_string(j, "kind", ubi__recording_gap_key(gaps->at[i].kind));
        ubi__json_member_string(j, "text", gaps->at[i].words);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_findings(ubi__json *j, const ubi__recording_view *view) {
    ubi__recording_findings findings;
    ubi__recording_find(&findings, view);
    ubi__json_member_array(j, "findings");
    for (size_t i = 0; i < findings.n; i++) {
        ubi__json_object_begin(j);
        ubi__json_member_string(j, "kind", findings.at[i].kind);
        ubi__json_member_string(j, "text", findings.at[i].text);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

ubi_status ubi__recording_document(ubi__json *j, const ubi__recording_view *view) {
    /* The same wherever it is written: words do not depend on a terminal. */
    static const ubi__page page = { .style = { .has_unicode = true, .columns = 100 } };
    const ubi__recording_view v = ubi__recording_view_on(view, &page);
    const ubi__recording_report *report = view->report;
    const ubi__recording_summary *s = report->summary;
    ubi__recording_put_about(j, s, report->is_exact);
    ubi__recording_put_window(j, report);
    put_gaps(j, &report->gaps);
    put_findings(j, &v);
    put_classes(j, report);
    ubi__recording_suppressed_document(j, report);
    put_resident(j, s);
    UBI_TRY(ubi__recording_memory_document(j, report));
    put_lifetimes(j, s);
    put_sizes(j, s);
    UBI_TRY(put_kinds(j, s, report->allocator));
    ubi__recording_processes_document(j, report);
    put_started(j, &s->tables);
    put_threads(j, s);
    put_curve(j, s);
    UBI_TRY(ubi__recording_markers_document(j, report));
    put_sites(j, report);
    put_wrappers(j, report);
    put_hints(j, report);
    return UBI_OK;
}
