/* SPDX-License-Identifier: MIT
 *
 * recording_report.c: what answers about a recording are made from (recording_report.h).
 */
#include "questions/recording/recording_report.h"

#include "base/status.h"
#include "questions/recording/recording_suppressed.h"
#include "recording/known_pools.h"

ubi_status ubi__recording_wishes_choice(ubi__recording_choice *out, const ubi__recording_wishes *wishes) {
    *out = (ubi__recording_choice){ .process = wishes->process,
                                    .is_by_thread = wishes->is_by_thread,
                                    .with_symbols = wishes->symbols >= 0,
                                    .with_wrappers = wishes->wrappers >= 0 };
    return ubi__asked_window_read(&out->window, &wishes->window);
}

static ubi__recording_sum sum_of(const ubi__recording_summary *s, ubi__estimate e) {
    return (ubi__recording_sum){ e, ubi__recording_bytes_range(s, UBI__UBIREC_HEAP, &e),
                                 ubi__recording_count_range(s, UBI__UBIREC_HEAP, &e) };
}

/* What was alive at the end was so at the peak, or more was: each has its own limits, which know nothing of the other's. */
static void raise_low(ubi__range *range, const ubi__range *of_part) {
    if (range->low < of_part->low)
        range->low = of_part->low < range->high ? of_part->low : range->high;
}

static void sum_up(ubi__recording_report *report) {
    const ubi__recording_summary *s = report->summary;
    ubi__estimate pools, rest;
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
        report->heap[m] = ubi__class_estimate(s, UBI__UBIREC_HEAP, m);
        report->heap_bytes[m] = ubi__measure_bytes_range(s, UBI__UBIREC_HEAP, m, &report->heap[m]);
        report->heap_count[m] = ubi__recording_count_range(s, UBI__UBIREC_HEAP, &report->heap[m]);
    }
    raise_low(&report->heap_bytes[UBI__MEASURE_PEAK], &report->heap_bytes[UBI__MEASURE_LEAKED]);
    if (!ubi__recording_is_part(s)) /* what lived before a part counts in its peak alone */
        raise_low(&report->heap_bytes[UBI__MEASURE_TOTAL], &report->heap_bytes[UBI__MEASURE_PEAK]);
    report->is_exact = ubi__ubirec_is_exact(&s->tables);
    ubi__known_pools_sum(&pools, &rest, report->leaked_sites);
    report->pools = sum_of(s, pools);
    report->leaks = sum_of(s, rest);
}

/* A file without a name has a label. */
static const char *path_to_show(const ubi__session_recording *recording, const ubi__asked *asked) {
    const ubi_session *session = ubi_session_use_session(ubi__asked_heap(asked));
    return strcmp(recording->path, ubi__session_path(session)) == 0 ? ubi_session_name(session) : recording->path;
}

static ubi_status parts_get(ubi__recording_report *report, const ubi__asked *asked) {
    ubi__recording_choice choice;
    const ubi__session_recording *recording;
    UBI_TRY(ubi__recording_wishes_choice(&choice, report->wishes));
    UBI_TRY(ubi__session_recording_get(&recording, ubi__asked_heap(asked), &choice));
    if (ubi__recording_is_profile(&recording->summary) && ubi__recording_is_part(&recording->summary))
        return ubi__fail(UBI_EINVAL, "--%s: such a profile has no times",
                         ubi__asked_window_option(&report->wishes->window));
    UBI_TRY(ubi__session_sites_get(&report->leaked_sites, ubi__asked_heap(asked), &choice, UBI__BY_LEAKED));
    report->sites = report->leaked_sites;
    report->path = path_to_show(recording, asked);
    report->processes = &recording->processes;
    report->summary = &recording->summary;
    report->hints = &recording->hints;
    return ubi__recording_suppress(report);
}

ubi_status ubi__recording_report_new(ubi__recording_report **out, const ubi__asked *asked,
                                     const ubi__recording_wishes *wishes) {
    const ubi_allocator *a = ubi__asked_allocator(asked);
    ubi__recording_report *report = UBI_NEW(a, ubi__recording_report);
    if (!report)
        return ubi__fail_nomem();
    report->allocator = a;
    report->wishes = wishes;
    ubi_status status = parts_get(report, asked);
    if (status == UBI_OK) {
        sum_up(report);
        ubi__recording_gaps_find(&report->gaps, report);
        *out = report;
    } else {
        ubi__recording_report_free(report);
    }
    return status;
}

ubi__site_order ubi__recording_list_order(const ubi__recording_report *report) {
    if (!report->wishes->by && !ubi__recording_has_frees(report->summary))
        return UBI__BY_TOTAL;
    if (!report->wishes->by && ubi__recording_is_moment(report))
        return UBI__BY_LIVE;
    return ubi__recording_order(report->wishes->by);
}

ubi_status ubi__recording_report_sort(ubi__recording_report *report, const ubi__asked *asked, ubi__site_order order) {
    ubi__recording_choice choice;
    UBI_TRY(ubi__recording_wishes_choice(&choice, report->wishes));
    if (order == UBI__BY_LIVE && !ubi__recording_is_part(report->summary))
        return ubi__fail(UBI_EINVAL, "--by live is for --at, --from and --to; at the end, 'leaked' is what lived");
    if (ubi__order_measure(order) != UBI__MEASURE_TOTAL && !ubi__recording_has_frees(report->summary))
        return ubi__fail(UBI_EINVAL, "--by %s: frees were not recorded; 'total' and 'count' are known",
                         ubi__recording_orders[order]);
    if (report->suppressed)
        return ubi__recording_suppressed_sort(report, order);
    return ubi__session_sites_get(&report->sites, ubi__asked_heap(asked), &choice, order);
}

void ubi__recording_report_free(ubi__recording_report *report) {
    if (!report)
        return;
    const ubi_allocator *a = report->allocator;
    ubi__recording_suppressed_free(report->suppressed, a);
    UBI_DELETE(a, report);
}
