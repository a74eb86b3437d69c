/* SPDX-License-Identifier: MIT
 *
 * recording_open.c: reading a recording, and what the commands do with it.
 */
#include <stdio.h>

#include "cli/commands/report/recording_report.h"
#include "cli/exit_code.h"
#include "recording/ubirec_reader.h"

bool ubi__is_recording(const char *path) {
    uint8_t head[UBI__UBIREC_MAGIC_BYTES];
    size_t n = ubi__source_peek_path(head, sizeof head, path);
    return n > 0 && ubi__ubirec_guess(head, n);
}

static ubi_status read_file(ubi__recording_report *report, ubi__cli *cli) {
    ubi__source source;
    ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    UBI_TRY(ubi__source_open_path(&source, report->path, ubi_allocator_default()));
    ubi_status status = ubi__recording_summary_read(&report->summary, &source, &progress, NULL);
    ubi__source_close(&source);
    return status;
}

static ubi_status sum_up(ubi__recording_report *report, ubi__cli *cli) {
    if (report->wishes->symbols >= 0)
        UBI_TRY(ubi__recording_symbolize(report, ubi__progress_line_callbacks(&cli->progress)));
    UBI_TRY(ubi__sites_init(&report->sites, &report->summary, report->wishes->wrappers >= 0));
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        report->heap[m] = ubi__class_estimate(&report->summary, UBI__UBIREC_HEAP, m);
    report->is_exact = ubi__ubirec_is_exact(&report->summary.tables);
    return UBI_OK;
}

ubi_status ubi__recording_report_open(ubi__recording_report *report, ubi__cli *cli, const char *path,
                                      const ubi__recording_wishes *wishes) {
    *report = (ubi__recording_report){ .path = path, .wishes = wishes };
    cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
    ubi_status status = read_file(report, cli);
    if (status == UBI_OK) {
        status = sum_up(report, cli);
        if (status != UBI_OK)
            ubi__recording_summary_fini(&report->summary);
    }
    ubi__progress_line_clear(&cli->progress);
    return status;
}

void ubi__recording_judge(ubi__cli *cli, const ubi__recording_report *report, int *exit_code) {
    if (!report->summary.fault[0] || cli->reason[0])
        return;
    snprintf(cli->reason, sizeof cli->reason, "%s; what stands before it was read", report->summary.fault);
    *exit_code = ubi__exit_code(UBI_EFORMAT);
}

void ubi__recording_report_close(ubi__recording_report *report) {
    ubi__sites_fini(&report->sites);
    ubi__recording_summary_fini(&report->summary);
}

/* ---- the command -------------------------------------------------------------------------------------------------- */

static ubi_status tell(ubi__cli *cli, ubi__recording_report *report) {
    if (report->wishes->format)
        return ubi__recording_rows(cli, report);
    return cli->common.json ? ubi__recording_document(cli, report) : ubi__recording_page(cli, report);
}

static ubi_status tell_and_judge(ubi__cli *cli, const char *path, const ubi__recording_wishes *wishes,
                                 const ubi__condition *condition, int *exit_code) {
    ubi__recording_report *report = UBI_NEW(ubi_allocator_default(), ubi__recording_report);
    if (!report)
        return ubi__fail_nomem();
    ubi_status status = ubi__recording_report_open(report, cli, path, wishes);
    if (status == UBI_OK) {
        status = tell(cli, report);
        if (status == UBI_OK)
            status = ubi__condition_check_own(exit_code, cli, condition, ubi__recording_measure, report);
        if (status == UBI_OK)
            ubi__recording_judge(cli, report, exit_code);
        ubi__recording_report_close(report);
    }
    UBI_DELETE(ubi_allocator_default(), report);
    return status;
}

ubi_status ubi__report_recording(ubi__cli *cli, const char *path, const ubi__recording_wishes *given, int *exit_code) {
    ubi__recording_wishes wishes = *given;
    ubi__condition *condition;
    if (cli->common.json && wishes.format && strcmp(wishes.format, "json") != 0)
        return ubi__fail(UBI_EINVAL, "--json and --format %s contradict each other", wishes.format);
    if (wishes.columns) {
        UBI_TRY(ubi__recording_columns_check(wishes.columns));
        wishes.format = wishes.format ? wishes.format : cli->common.json ? "json" : "tsv";
    }
    UBI_TRY(ubi__condition_parse_own(&condition, wishes.fail_on, ubi__recording_facts));
    ubi_status status = tell_and_judge(cli, path, &wishes, condition, exit_code);
    ubi__condition_free(condition);
    return status;
}

/* ---- facts for conditions ----------------------------------------------------------------------------------------- */

#define SIZE_FACT(name, help, has_basis)                                                                               \
    { name, help, UBI_QUERY_SIZE, UBI_QUERY_NO_ARGUMENT, false, has_basis }
#define COUNT_FACT(name, help, has_basis)                                                                              \
    { name, help, UBI_QUERY_NUMBER, UBI_QUERY_NO_ARGUMENT, false, has_basis }

const ubi_query_name ubi__recording_facts[] = {
    SIZE_FACT("leaked", "bytes not freed at the end; a share is one of all bytes allocated", true),
    COUNT_FACT("leakedCount", "allocations not freed at the end; a share is one of all", true),
    SIZE_FACT("peak", "the most bytes that lived at a time", false),
    SIZE_FACT("total", "bytes allocated", false),
    COUNT_FACT("count", "allocations", false),
    COUNT_FACT("temporary", "allocations freed at once; a share is one of all", true),
    SIZE_FACT("rss", "the most resident memory", false),
    COUNT_FACT("dropped", "events that were lost", false),
    { 0 },
};

typedef enum fact {
    FACT_LEAKED,
    FACT_LEAKED_COUNT,
    FACT_PEAK,
    FACT_TOTAL,
    FACT_COUNT,
    FACT_TEMPORARY,
    FACT_RSS,
    FACT_DROPPED
} fact;

/* A sum of bytes or of allocations. */
static void measure_estimate(ubi__condition_value *out, const ubi__estimate *e, bool is_count) {
    out->magnitude = ubi__whole(is_count ? e->count : e->bytes);
    out->error = ubi__standard_error(is_count ? e->count_variance : e->bytes_variance);
}

ubi_status ubi__recording_measure(ubi__condition_value *out, void *payload, ubi_query_value value) {
    const ubi__recording_report *report = payload;
    const ubi__estimate *heap = report->heap;
    *out = (ubi__condition_value){ .basis = ubi__whole(heap[UBI__MEASURE_TOTAL].count) };
    switch ((fact)(value.name - ubi__recording_facts)) {
    case FACT_LEAKED:
        measure_estimate(out, &heap[UBI__MEASURE_LEAKED], false);
        out->basis = ubi__whole(heap[UBI__MEASURE_TOTAL].bytes);
        break;
    case FACT_LEAKED_COUNT:
        measure_estimate(out, &heap[UBI__MEASURE_LEAKED], true);
        break;
    case FACT_PEAK:
        measure_estimate(out, &heap[UBI__MEASURE_PEAK], false);
        break;
    case FACT_TOTAL:
        measure_estimate(out, &heap[UBI__MEASURE_TOTAL], false);
        break;
    case FACT_COUNT:
        measure_estimate(out, &heap[UBI__MEASURE_TOTAL], true);
        break;
    case FACT_TEMPORARY:
        if (!report->is_exact)
            return ubi__fail(UBI_EINVAL, "--fail-on: only exact recordings know which allocations were temporary");
        measure_estimate(out, &heap[UBI__MEASURE_TEMPORARY], true);
        break;
    case FACT_RSS:
        out->magnitude = report->summary.rss_peak_bytes;
        break;
    case FACT_DROPPED:
        out->magnitude = report->summary.tables.counters[UBI__UBIREC_DROPPED];
        break;
    }
    return UBI_OK;
}
