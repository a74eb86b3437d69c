/* SPDX-License-Identifier: MIT
 *
 * recording_facts.c: what conditions know of a recording, and what is said after a report on one.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/human.h"
#include "questions/recording/recording_suppressed.h"

/* ---- facts for conditions ----------------------------------------------------------------------------------------- */

#define SIZE_FACT(name, help, has_basis)                                                                               \
    { name, help, UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, has_basis }
#define COUNT_FACT(name, help, has_basis)                                                                              \
    { name, help, UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, has_basis }

/* Of a recording, and of the newer of two. */
#define FACTS_OF_ONE                                                                                                   \
    SIZE_FACT("leaked",                                                                                                \
              "bytes not freed at the end, known pools and what is suppressed left out; a share is one of all bytes "  \
              "allocated",                                                                                             \
              true),                                                                                                   \
        COUNT_FACT("leakedCount", "allocations not freed at the end, without those; a share is one of all", true),     \
        SIZE_FACT("pools", "bytes that the C and C++ libraries keep on purpose until the end; a share as of leaked",   \
                  true),                                                                                               \
        SIZE_FACT("peak", "the most bytes that lived at a time", false), SIZE_FACT("total", "bytes allocated", false), \
        COUNT_FACT("count", "allocations", false),                                                                     \
        COUNT_FACT("temporary", "allocations freed at once; a share is one of all", true),                             \
        SIZE_FACT("rss", "the most resident memory", false), COUNT_FACT("dropped", "events that were lost", false),    \
        SIZE_FACT("suppressed", "bytes not freed at the end that suppressions hide; a share as of leaked", true)

#define GROWTH_FACT(fact, name, help) fact(name, help "; a share is one of OLD's", true)

const ubi_query_name ubi__recording_facts[] = { FACTS_OF_ONE, { 0 } };

const ubi_query_name ubi__recording_diff_facts[] = {
    FACTS_OF_ONE,
    GROWTH_FACT(SIZE_FACT, "leakedGrowth", "by how much leaked grew from OLD to NEW"),
    GROWTH_FACT(COUNT_FACT, "leakedCountGrowth", "by how much leakedCount grew"),
    GROWTH_FACT(SIZE_FACT, "poolsGrowth", "by how much pools grew"),
    GROWTH_FACT(SIZE_FACT, "peakGrowth", "by how much the peak grew"),
    GROWTH_FACT(SIZE_FACT, "totalGrowth", "by how much total grew"),
    GROWTH_FACT(COUNT_FACT, "countGrowth", "by how much count grew"),
    GROWTH_FACT(COUNT_FACT, "temporaryGrowth", "by how much temporary grew"),
    GROWTH_FACT(SIZE_FACT, "rssGrowth", "by how much rss grew"),
    COUNT_FACT("newPlaces", "places that have something in NEW and nothing in OLD of what --by says", false),
    { 0 },
};

/* The assumed period: the recording's, or a finer one. */
static uint64_t period_in_mind(const ubi__recording_report *report) {
    uint64_t period = ubi__class_period(report->summary, UBI__UBIREC_HEAP);
    return report->finer_period ? report->finer_period : period;
}

static ubi__recording_sum sum_of_measure(const ubi__recording_report *report, ubi__measure measure) {
    return (ubi__recording_sum){ report->heap[measure], report->heap_bytes[measure], report->heap_count[measure] };
}

/* Its limits with the assumed period. */
static ubi__recording_sum sum_in_mind(const ubi__recording_report *report, const ubi__recording_sum *sum) {
    if (!report->finer_period)
        return *sum;
    uint64_t period = period_in_mind(report);
    ubi__estimate e =
        ubi__estimate_with_period(&sum->estimate, ubi__class_period(report->summary, UBI__UBIREC_HEAP), period);
    return (ubi__recording_sum){ e, ubi__estimate_bytes_range(&e, period), ubi__estimate_count_range(&e, period) };
}

static void set_limits(ubi__condition_value *out, ubi__range number, ubi__range basis) {
    out->is_estimate = true;
    out->low = ubi__whole(number.low);
    out->high = ubi__whole(number.high);
    out->basis_low = ubi__whole(basis.low);
    out->basis_high = ubi__whole(basis.high);
}

static void report_bytes(ubi__condition_value *out, const ubi__recording_report *report, ubi__recording_sum sum) {
    ubi__recording_sum all = sum_of_measure(report, UBI__MEASURE_TOTAL);
    out->magnitude = ubi__whole(sum.estimate.bytes);
    out->basis = ubi__whole(all.estimate.bytes);
    if (!report->is_exact)
        set_limits(out, sum_in_mind(report, &sum).bytes, sum_in_mind(report, &all).bytes);
}

static ubi__recording_sum suppressed_sum(const ubi__recording_report *report) {
    ubi__estimate e = report->suppressed ? report->suppressed->what.sums[UBI__UBIREC_HEAP] : (ubi__estimate){ 0 };
    if (!report->suppressed)
        return (ubi__recording_sum){ .estimate = e };
    return (ubi__recording_sum){ e, ubi__recording_bytes_range(report->summary, UBI__UBIREC_HEAP, &e),
                                 ubi__recording_count_range(report->summary, UBI__UBIREC_HEAP, &e) };
}

static void report_count(ubi__condition_value *out, const ubi__recording_report *report, ubi__recording_sum sum) {
    ubi__recording_sum all = sum_of_measure(report, UBI__MEASURE_TOTAL);
    out->magnitude = ubi__whole(sum.estimate.count);
    out->basis = ubi__whole(all.estimate.count);
    if (report->is_exact)
        return;
    set_limits(out, sum_in_mind(report, &sum).count, sum_in_mind(report, &all).count);
    if (period_in_mind(report) > 1) { /* limits of pages take blocks to be of 16 bytes or more */
        out->high = out->basis_high = UINT64_MAX;
        out->because = "samples miss any number of small blocks";
    }
}

/* What the thread of a sample did next is unknown: any of them may have been temporary, or none. */
static void report_temporary(ubi__condition_value *out, const ubi__recording_report *report) {
    report_count(out, report, sum_of_measure(report, UBI__MEASURE_TEMPORARY));
    if (!out->is_estimate)
        return;
    out->low = 0;
    out->high = out->basis_high;
}

/* What was recorded, and more that is missing. */
static void leave_open_above(ubi__condition_value *out) {
    if (!out->is_estimate) {
        out->low = out->magnitude;
        out->basis_low = out->basis;
    }
    out->is_estimate = out->is_partial = true;
    out->high = out->basis_high = UINT64_MAX;
}

static void gaps_apply(ubi__condition_value *out, const ubi__recording_report *report, ubi__recording_fact what) {
    const ubi__recording_gap *gap;
    ubi__known known = ubi__recording_gaps_leave(&gap, &report->gaps, what);
    if (known == UBI__KNOWN || out->unknown)
        return;
    out->because = gap->words;
    if (known == UBI__KNOWN_AT_LEAST)
        leave_open_above(out);
    else
        *out = (ubi__condition_value){ .unknown = "is unknown", .because = gap->words };
}

void ubi__recording_fact_measure(ubi__condition_value *out, const ubi__recording_report *report,
                                 ubi__recording_fact what) {
    *out = (ubi__condition_value){ 0 };
    switch (what) {
    case UBI__FACT_LEAKED:
        report_bytes(out, report, report->leaks);
        break;
    case UBI__FACT_LEAKED_COUNT:
        report_count(out, report, report->leaks);
        break;
    case UBI__FACT_POOLS:
        report_bytes(out, report, report->pools);
        break;
    case UBI__FACT_PEAK:
        report_bytes(out, report, sum_of_measure(report, UBI__MEASURE_PEAK));
        break;
    case UBI__FACT_TOTAL:
        report_bytes(out, report, sum_of_measure(report, UBI__MEASURE_TOTAL));
        break;
    case UBI__FACT_COUNT:
        report_count(out, report, sum_of_measure(report, UBI__MEASURE_TOTAL));
        break;
    case UBI__FACT_TEMPORARY:
        report_temporary(out, report);
        break;
    case UBI__FACT_RSS:
        out->magnitude = report->summary->rss_peak_bytes;
        out->unknown = out->magnitude ? NULL : "was not measured"; /* no process has none */
        break;
    case UBI__FACT_DROPPED:
        out->magnitude = report->summary->tables.counters[UBI__UBIREC_DROPPED];
        break;
    case UBI__FACT_SUPPRESSED:
        report_bytes(out, report, suppressed_sum(report));
        break;
    default:
        UBI_ASSERT(false);
    }
    gaps_apply(out, report, what);
}

static ubi_status report_measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    ubi__recording_fact_measure(out, payload, (ubi__recording_fact)(value.name - ubi__recording_facts));
    return UBI_OK;
}

/* Finer periods take as long as recording everything. */
#define LEAST_PERIOD_BYTES 1024

/* Powers of two, for people. */
static bool report_refine(void *payload) {
    ubi__recording_report *report = payload;
    uint64_t now = period_in_mind(report), next = LEAST_PERIOD_BYTES;
    while (next * 2 < now)
        next *= 2;
    report->finer_period = next < now ? next : 1;
    return report->finer_period > 1;
}

static void name_period(char *out, size_t n, void *payload) {
    const ubi__recording_report *report = payload;
    uint64_t period = report->finer_period;
    if (period <= 1)
        snprintf(out, n, "'record --exact'");
    else if (period % (1 << 20) == 0)
        snprintf(out, n, "'record --period %" PRIu64 "MiB'", period >> 20);
    else
        snprintf(out, n, "'record --period %" PRIu64 "KiB'", period >> 10);
}

ubi__condition_estimates ubi__recording_estimates(ubi__recording_report *report) {
    return (ubi__condition_estimates){
        .measure = report_measure, .refine = report_refine, .name = name_period, .payload = report
    };
}

/* ---- remarks ------------------------------------------------------------------------------------------------------- */

/* A condition that holds for a shell must not seem to hold for what the shell started. */
static void say_started(ubi__remarks *remarks, const ubi__ubirec_tables *t) {
    char count[UBI__HUMAN_TEXT];
    uint64_t n = 0;
    for (size_t i = 0; i < t->started.n; i++)
        n += t->started.at[i].count;
    if (n)
        snprintf(remarks->passed, sizeof remarks->passed,
                 "passed, for what was recorded; %s that it started %s not ('report --detail' says which)",
                 ubi__human_things(count, n, "program"), n == 1 ? "was" : "were");
}

void ubi__recording_remark(ubi__remarks *remarks, const ubi__recording_report *report) {
    snprintf(remarks->fault, sizeof remarks->fault, "%s", report->summary->fault);
    say_started(remarks, &report->summary->tables);
}

void ubi__recording_remark_parts(ubi__remarks *remarks, const ubi__recording_report *report) {
    size_t n_missing = report->processes->missing.n;
    ubi__recording_remark(remarks, report);
    if (remarks->note[0])
        return;
    if (n_missing)
        snprintf(remarks->note, sizeof remarks->note, "%zu file%s of processes that were recorded with it %s missing",
                 n_missing, n_missing == 1 ? "" : "s", n_missing == 1 ? "is" : "are");
    else if (!report->summary->tables.has_end && !report->summary->is_over)
        snprintf(remarks->note, sizeof remarks->note,
                 "the end of this recording is not in the file: the program may have allocated more");
}
