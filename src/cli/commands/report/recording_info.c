/* SPDX-License-Identifier: MIT
 *
 * recording_info.c: `ubiheap info` on a recording: what is in its file, or in the files of all processes that were recorded together.
 *
 * Files that have an index are not read.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/report/recording_report.h"
#include "render/page.h"

/* Processes that are listed, at most. */
#define PROCESSES_SAID 10

/* One file, and then the sum of several. */
typedef struct facts {
    const ubi__recording_report *report; /* of the first file: has its program, times and end */
    ubi__ubirec_index sum;
    uint64_t file_bytes, torn_bytes, n_files;
    bool is_given_up;
    char faulty[512]; /* what is wrong in the first file in which something is; "": nothing */
} facts;

#define LABEL_COLUMNS 14

static void fact_write(const ubi__cli *cli, const char *label, const char *value) {
    ubi__out *out = cli->page.out;
    ubi__write_label(&cli->page, UBI__INK_DIM, label, LABEL_COLUMNS);
    ubi__display_text(out, &cli->page.style, ubi__text(value), SIZE_MAX);
    ubi__out_char(out, '\n');
}

static void count_write(const ubi__cli *cli, const char *label, uint64_t value) {
    char text[UBI__HUMAN_TEXT];
    fact_write(cli, label, ubi__human_count(text, value));
}

static void text_write(const ubi__cli *cli, const char *label, ubi_text value) {
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(value.len < sizeof text ? value.len : sizeof text - 1), value.ptr);
    fact_write(cli, label, text);
}

static void index_add(ubi__ubirec_index *sum, const ubi__ubirec_index *one) {
    sum->n_blocks += one->n_blocks;
    sum->n_allocations += one->n_allocations;
    sum->n_frees += one->n_frees;
    sum->n_markers += one->n_markers;
    sum->n_threads += one->n_threads;
    sum->n_modules += one->n_modules;
    sum->n_frames += one->n_frames;
    sum->n_traces += one->n_traces;
    for (int i = 0; i < UBI__UBIREC_COUNTER_COUNT; i++)
        sum->counters[i] += one->counters[i];
}

/* ---- page --------------------------------------------------------------------------------------------------------- */

static void end_write(const ubi__cli *cli, const ubi__recording_report *report, const ubi__ubirec_index *own) {
    char text[128], time[UBI__HUMAN_TEXT];
    if (ubi__recording_was_given_up(&report->summary))
        snprintf(text, sizeof text, "unknown: recording was over %s after the start, as ubiheap freed nothing for 30 s",
                 ubi__human_duration(time, report->summary.time_ns / 1000));
    else if (!own->has_end)
        snprintf(text, sizeof text, "unknown: the recorder did not see the program end");
    else if (own->end.reason == UBI__UBIREC_EXITED)
        snprintf(text, sizeof text, "with status %" PRIu32, own->end.value);
    else if (own->end.reason == UBI__UBIREC_KILLED)
        snprintf(text, sizeof text, "by signal %" PRIu32 "%s%s", own->end.value,
                 ubi__signal_name(own->end.value) ? ", SIG" : "",
                 ubi__signal_name(own->end.value) ? ubi__signal_name(own->end.value) : "");
    else if (own->end.reason == UBI__UBIREC_STOPPED)
        snprintf(text, sizeof text, "not by then: recording was stopped");
    else if (own->end.reason == UBI__UBIREC_REPLACED)
        snprintf(text, sizeof text, "by becoming another program");
    else
        snprintf(text, sizeof text, "exit status unknown");
    fact_write(cli, "Ended", text);
}

/* What is not in these numbers. */
static void losses_write(const ubi__cli *cli, const facts *f) {
    char text[256], count[UBI__HUMAN_TEXT];
    uint64_t dropped = f->sum.counters[UBI__UBIREC_DROPPED], n = f->sum.counters[UBI__UBIREC_NOT_RECORDED];
    uint64_t companions = f->sum.counters[UBI__UBIREC_COMPANIONS];
    if (f->is_given_up)
        fact_write(cli, "Lost", "unknown: the program gave the recorder up");
    else if (dropped)
        fact_write(cli, "Lost", ubi__human_things(count, dropped, "event"));
    if (n) {
        snprintf(text, sizeof text, "%s %s; 'ubiheap report' says which, and why", ubi__human_count(count, n),
                 n == 1 ? "process" : "processes");
        fact_write(cli, "Not recorded", text);
    }
    if (f->report->processes.first && companions + 1 > f->n_files) {
        snprintf(text, sizeof text, "%s of other processes; 'ubiheap report' says which",
                 ubi__human_things(count, companions + 1 - f->n_files, "file"));
        fact_write(cli, "Missing", text);
    }
}

static void processes_write(const ubi__cli *cli, const ubi__recording_processes *p) {
    char text[UBI__PROCESS_NAME + 64], name[UBI__PROCESS_NAME], count[UBI__HUMAN_TEXT];
    for (size_t i = 0; i < p->rows.n && i < PROCESSES_SAID; i++) {
        ubi__recording_process_name(name, &p->rows.at[i]);
        snprintf(text, sizeof text, "%s %" PRIu64, name, p->rows.at[i].pid);
        fact_write(cli, i ? "" : "Processes", text);
    }
    if (p->rows.n > PROCESSES_SAID) {
        snprintf(text, sizeof text, "%s more; --json has all", ubi__human_count(count, p->rows.n - PROCESSES_SAID));
        fact_write(cli, "", text);
    }
}

static void page_write(ubi__cli *cli, const facts *f, const ubi__ubirec_index *own) {
    char text[256], size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], files[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &f->report->summary;
    const ubi__ubirec_tables *t = &s->tables;
    fact_write(cli, "Format", "recording of allocations (ubirec)");
    if (f->n_files > 1)
        snprintf(text, sizeof text, "%s in %s, %s", ubi__human_size(size, f->file_bytes),
                 ubi__human_things(files, f->n_files, "file"), ubi__human_things(count, f->sum.n_blocks, "block"));
    else
        snprintf(text, sizeof text, "%s in %s", ubi__human_size(size, f->file_bytes),
                 ubi__human_things(count, f->sum.n_blocks, "block"));
    fact_write(cli, "Size", text);
    if (f->torn_bytes) {
        snprintf(text, sizeof text, "%s of an unfinished block at the end, ignored",
                 ubi__human_things(count, f->torn_bytes, "byte"));
        fact_write(cli, "Torn", text);
    }
    text_write(cli, "Recorder", t->about.writer);
    text_write(cli, "System", t->about.system);
    text_write(cli, "Program", t->about.program);
    if (t->about.start_unix_ns)
        fact_write(cli, "Started", ubi__human_time(size, t->about.start_unix_ns / 1000));
    fact_write(cli, "Ran", ubi__human_duration(size, s->time_ns / 1000));
    end_write(cli, f->report, own);
    snprintf(text, sizeof text, "one sample in %s", ubi__human_size(size, t->about.period_bytes));
    fact_write(cli, "Records", f->report->is_exact ? "every allocation" : text);
    if (f->n_files > 1)
        processes_write(cli, &f->report->processes);
    count_write(cli, "Allocations", f->sum.n_allocations);
    count_write(cli, "Frees", f->sum.n_frees);
    count_write(cli, "Threads", f->sum.n_threads);
    count_write(cli, "Modules", f->sum.n_modules);
    count_write(cli, "Frames", f->sum.n_frames);
    count_write(cli, "Stacks", f->sum.n_traces);
    count_write(cli, "Markers", f->sum.n_markers);
    losses_write(cli, f);
}

/* ---- document ----------------------------------------------------------------------------------------------------- */

static void processes_put(ubi__json *j, const ubi__recording_processes *p) {
    ubi__json_member_array(j, "processes");
    for (size_t i = 0; p->rows.n > 1 && i < p->rows.n; i++) {
        ubi__json_object_begin(j);
        ubi__recording_process_put(j, &p->rows.at[i]);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void document_write(ubi__cli *cli, const facts *f) {
    ubi__json j;
    uint64_t companions = f->sum.counters[UBI__UBIREC_COMPANIONS];
    bool is_first = f->report->processes.first != NULL;
    ubi__document_begin(&j, cli, "ubiheap.recording-info/1", f->report->path);
    ubi__json_member_string(&j, "format", "ubirec");
    ubi__json_member_u64(&j, "inputBytes", f->file_bytes);
    ubi__json_member_u64(&j, "blockCount", f->sum.n_blocks);
    ubi__recording_put_about(&j, f->report);
    processes_put(&j, &f->report->processes);
    ubi__json_member_u64(&j, "missingFileCount",
                         is_first && companions + 1 > f->n_files ? companions + 1 - f->n_files : 0);
    ubi__json_member_u64(&j, "allocationCount", f->sum.n_allocations);
    ubi__json_member_u64(&j, "freeCount", f->sum.n_frees);
    ubi__json_member_u64(&j, "threadCount", f->sum.n_threads);
    ubi__json_member_u64(&j, "moduleCount", f->sum.n_modules);
    ubi__json_member_u64(&j, "frameCount", f->sum.n_frames);
    ubi__json_member_u64(&j, "traceCount", f->sum.n_traces);
    ubi__json_member_u64(&j, "markerCount", f->sum.n_markers);
    ubi__document_end(&j);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

/* By the index at the end of the file. */
static ubi_status index_glance(bool *found, ubi__recording_report *report, ubi__ubirec_index *index, const char *path) {
    ubi__source source;
    UBI_TRY(ubi__source_open_path(&source, path, ubi_allocator_default()));
    ubi_status status = ubi__recording_summary_glance(&report->summary, index, found, &source, NULL);
    ubi__source_close(&source);
    report->is_exact = *found && index->is_exact;
    return status;
}

/* A file without an index: unfinished, from an older recorder, or read from a pipe. */
static ubi_status file_read(ubi__recording_report *report, ubi__ubirec_index *index, ubi__cli *cli, const char *path) {
    static const ubi__recording_wishes wishes = { .symbols = -1, .is_alone = true };
    UBI_TRY(ubi__recording_report_open(report, cli, path, &wishes));
    *index = ubi__recording_summary_index(&report->summary);
    ubi__sites_fini(&report->sites);
    report->sites = (ubi__sites){ .rows = { .n = 0 } };
    return UBI_OK;
}

/* Afterwards only the report's summary is left. */
static ubi_status file_look_at(ubi__recording_report *report, ubi__ubirec_index *index, ubi__cli *cli,
                               const char *path) {
    bool found = false, is_pipe = strcmp(path, "-") == 0; /* which can be read once */
    *report = (ubi__recording_report){ .path = path };
    cli->subject = is_pipe ? "standard input" : path;
    if (!is_pipe)
        UBI_TRY(index_glance(&found, report, index, path));
    return found ? UBI_OK : file_read(report, index, cli, path);
}

static void facts_add(facts *f, const ubi__recording_report *report, const ubi__ubirec_index *index) {
    const ubi__recording_summary *s = &report->summary;
    index_add(&f->sum, index);
    f->n_files++;
    f->file_bytes += s->file_bytes;
    f->torn_bytes += s->torn_bytes;
    f->is_given_up |= ubi__recording_was_given_up(s);
    if (s->fault[0] && !f->faulty[0])
        snprintf(f->faulty, sizeof f->faulty, "%.200s: %.255s", report->path, s->fault);
}

/* Processes that were recorded with it. */
static ubi_status others_add(facts *f, ubi__cli *cli, const ubi__recording_processes *p) {
    ubi__recording_report *report = UBI_NEW(ubi_allocator_default(), ubi__recording_report);
    ubi_status status = report ? UBI_OK : ubi__fail_nomem();
    for (size_t i = 1; status == UBI_OK && i < ubi__recording_file_count(p); i++) {
        ubi__ubirec_index index;
        status = file_look_at(report, &index, cli, ubi__recording_file(p, f->report->path, i));
        if (status != UBI_OK)
            break;
        facts_add(f, report, &index);
        ubi__recording_summary_fini(&report->summary);
    }
    if (report)
        UBI_DELETE(ubi_allocator_default(), report);
    return status;
}

static ubi_status info_write(facts *f, ubi__cli *cli, ubi__recording_report *report, const ubi__ubirec_index *own) {
    UBI_TRY(ubi__recording_processes_find(&report->processes, report->path, NULL, NULL));
    facts_add(f, report, own);
    UBI_TRY(others_add(f, cli, &report->processes));
    cli->subject = strcmp(report->path, "-") == 0 ? "standard input" : report->path;
    for (int i = 0; i < UBI__UBIREC_COUNTER_COUNT; i++)
        report->summary.tables.counters[i] = f->sum.counters[i];
    report->summary.torn_bytes = f->torn_bytes;
    if (cli->common.wants_json)
        document_write(cli, f);
    else
        page_write(cli, f, own);
    return UBI_OK;
}

static ubi_status info_show(ubi__recording_report *report, ubi__cli *cli, const char *path, int *exit_code) {
    ubi__ubirec_index own;
    UBI_TRY(file_look_at(report, &own, cli, path));
    facts f = { .report = report };
    ubi_status status = info_write(&f, cli, report, &own);
    if (status == UBI_OK) {
        if (!report->summary.fault[0] && f.faulty[0])
            snprintf(report->summary.fault, sizeof report->summary.fault, "%.255s", f.faulty);
        ubi__recording_judge(cli, report, exit_code);
    }
    ubi__recording_processes_fini(&report->processes);
    ubi__recording_summary_fini(&report->summary);
    return status;
}

ubi_status ubi__info_recording(ubi__cli *cli, const char *path, int *exit_code) {
    ubi__recording_report *report = UBI_NEW(ubi_allocator_default(), ubi__recording_report);
    if (!report)
        return ubi__fail_nomem();
    ubi_status status = info_show(report, cli, path, exit_code);
    UBI_DELETE(ubi_allocator_default(), report);
    return status;
}
