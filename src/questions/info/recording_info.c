/* SPDX-License-Identifier: MIT
 *
 * recording_info.c: see recording_info.h.
 */
#include "questions/info/recording_info.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "questions/recording/recording_report.h"
#include "render/page.h"

/* Processes that are listed, at most. */
#define PROCESSES_SAID 10

typedef ubi__recording_info facts;

#define LABEL_COLUMNS 14

static void fact_write(const ubi__page *page, const char *label, const char *value) {
    ubi__out *out = page->out;
    ubi__write_label(page, UBI__INK_DIM, label, LABEL_COLUMNS);
    ubi__display_text(out, &page->style, ubi__text(value), SIZE_MAX);
    ubi__out_char(out, '\n');
}

static void count_write(const ubi__page *page, const char *label, uint64_t value) {
    char text[UBI__HUMAN_TEXT];
    fact_write(page, label, ubi__human_count(text, value));
}

static void text_write(const ubi__page *page, const char *label, ubi_text value) {
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(value.len < sizeof text ? value.len : sizeof text - 1), value.ptr);
    fact_write(page, label, text);
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

static void end_write(const ubi__page *page, const facts *f) {
    const ubi__ubirec_index *own = &f->files->at[0].index;
    char text[128], time[UBI__HUMAN_TEXT];
    if (ubi__recording_was_given_up(&f->first))
        snprintf(text, sizeof text, "unknown: recording was over %s after the start, as ubiheap freed nothing for 30 s",
                 ubi__human_duration(time, f->first.time_ns / 1000));
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
    fact_write(page, "Ended", text);
}

/* What is not in these numbers. */
static void losses_write(const ubi__page *page, const facts *f) {
    char text[256], count[UBI__HUMAN_TEXT];
    uint64_t dropped = f->sum.counters[UBI__UBIREC_DROPPED], n = f->sum.counters[UBI__UBIREC_NOT_RECORDED];
    uint64_t companions = f->sum.counters[UBI__UBIREC_COMPANIONS];
    if (f->is_given_up)
        fact_write(page, "Lost", "unknown: the program gave the recorder up");
    else if (dropped)
        fact_write(page, "Lost", ubi__human_things(count, dropped, "event"));
    if (n) {
        snprintf(text, sizeof text, "%s %s; 'ubiheap report' says which, and why", ubi__human_count(count, n),
                 n == 1 ? "process" : "processes");
        fact_write(page, "Not recorded", text);
    }
    if (f->files->processes.first && companions + 1 > f->files->n) {
        snprintf(text, sizeof text, "%s of other processes; 'ubiheap report' says which",
                 ubi__human_things(count, companions + 1 - f->files->n, "file"));
        fact_write(page, "Missing", text);
    }
}

static void processes_write(const ubi__page *page, const ubi__recording_processes *p) {
    char text[UBI__PROCESS_NAME + 64], name[UBI__PROCESS_NAME], count[UBI__HUMAN_TEXT];
    for (size_t i = 0; i < p->rows.n && i < PROCESSES_SAID; i++) {
        ubi__recording_process_name(name, &p->rows.at[i]);
        snprintf(text, sizeof text, "%s %" PRIu64, name, p->rows.at[i].pid);
        fact_write(page, i ? "" : "Processes", text);
    }
    if (p->rows.n > PROCESSES_SAID) {
        snprintf(text, sizeof text, "%s more; --json has all", ubi__human_count(count, p->rows.n - PROCESSES_SAID));
        fact_write(page, "", text);
    }
}

void ubi__recording_info_page(const ubi__page *page, const ubi__recording_info *f) {
    char text[256], size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT], files[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &f->first;
    const ubi__ubirec_tables *t = &s->tables;
    bool is_profile = ubi__recording_is_profile(s);
    fact_write(page, "Format",
               is_profile ? "sampling heap profile of V8 (heapprofile)" : "recording of allocations (ubirec)");
    if (f->files->n > 1)
        snprintf(text, sizeof text, "%s in %s, %s", ubi__human_size(size, f->file_bytes),
                 ubi__human_things(files, f->files->n, "file"), ubi__human_things(count, f->sum.n_blocks, "block"));
    else
        snprintf(text, sizeof text, "%s in %s", ubi__human_size(size, f->file_bytes),
                 ubi__human_things(count, f->sum.n_blocks, "block"));
    if (!is_profile) /* which was converted */
        fact_write(page, "Size", text);
    if (s->torn_bytes) {
        snprintf(text, sizeof text, "%s of an unfinished block at the end, ignored",
                 ubi__human_things(count, s->torn_bytes, "byte"));
        fact_write(page, "Torn", text);
    }
    text_write(page, "Recorder", t->about.writer);
    if (!is_profile) {
        text_write(page, "System", t->about.system);
        text_write(page, "Program", t->about.program);
    }
    if (t->about.start_unix_ns)
        fact_write(page, "Started", ubi__human_time(size, t->about.start_unix_ns / 1000));
    if (!is_profile) {
        fact_write(page, "Ran", ubi__human_duration(size, s->time_ns / 1000));
        end_write(page, f);
    }
    snprintf(text, sizeof text, "one sample in %s", ubi__human_size(size, t->about.period_bytes));
    fact_write(page, "Records",
               is_profile                       ? "what was alive, sampled"
               : f->files->at[0].index.is_exact ? "every allocation"
                                                : text);
    if (f->files->n > 1)
        processes_write(page, &f->files->processes);
    count_write(page, is_profile ? "Samples" : "Allocations", f->sum.n_allocations);
    if (f->sum.counters[UBI__UBIREC_WITHOUT_FREES] && !is_profile)
        fact_write(page, "Frees", "not recorded");
    else if (!is_profile)
        count_write(page, "Frees", f->sum.n_frees);
    count_write(page, "Threads", f->sum.n_threads);
    count_write(page, "Modules", f->sum.n_modules);
    count_write(page, "Frames", f->sum.n_frames);
    count_write(page, "Stacks", f->sum.n_traces);
    count_write(page, "Markers", f->sum.n_markers);
    losses_write(page, f);
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

void ubi__recording_info_document(ubi__json *j, const ubi__recording_info *f) {
    uint64_t companions = f->sum.counters[UBI__UBIREC_COMPANIONS];
    bool is_first = f->files->processes.first != NULL;
    ubi__json_member_string(j, "format", ubi__recording_is_profile(&f->first) ? "heapprofile" : "ubirec");
    ubi__json_member_u64(j, "inputBytes", f->file_bytes);
    ubi__json_member_u64(j, "blockCount", f->sum.n_blocks);
    ubi__recording_put_about(j, &f->first, f->files->at[0].index.is_exact);
    processes_put(j, &f->files->processes);
    ubi__json_member_u64(j, "missingFileCount",
                         is_first && companions + 1 > f->files->n ? companions + 1 - f->files->n : 0);
    ubi__json_member_u64(j, "allocationCount", f->sum.n_allocations);
    ubi__json_member_u64(j, "freeCount", f->sum.n_frees);
    ubi__json_member_u64(j, "threadCount", f->sum.n_threads);
    ubi__json_member_u64(j, "moduleCount", f->sum.n_modules);
    ubi__json_member_u64(j, "frameCount", f->sum.n_frames);
    ubi__json_member_u64(j, "traceCount", f->sum.n_traces);
    ubi__json_member_u64(j, "markerCount", f->sum.n_markers);
}

/* ---- gathering ---------------------------------------------------------------------------------------------------- */

static void file_add(facts *f, const ubi__recording_file_facts *one, const char *path) {
    const ubi__recording_summary *s = one->summary;
    index_add(&f->sum, &one->index);
    f->file_bytes += s->file_bytes;
    f->first.torn_bytes += s->torn_bytes;
    f->is_given_up |= ubi__recording_was_given_up(s);
    if (s->fault[0] && !f->faulty[0])
        snprintf(f->faulty, sizeof f->faulty, "%.200s: %.255s", path, s->fault);
}

ubi_status ubi__recording_info_get(ubi__recording_info *f, const ubi__asked *asked) {
    UBI_TRY(ubi__session_recording_files_get(&f->files, ubi__asked_heap(asked)));
    f->name = ubi__asked_name(asked);
    f->first = *f->files->at[0].summary;
    f->first.torn_bytes = 0;
    for (size_t i = 0; i < f->files->n; i++)
        file_add(f, &f->files->at[i], ubi__recording_file(&f->files->processes, f->name, i));
    memcpy(f->first.tables.counters, f->sum.counters, sizeof f->sum.counters);
    return UBI_OK;
}

void ubi__recording_info_remark(ubi__remarks *remarks, const ubi__recording_info *f) {
    snprintf(remarks->fault, sizeof remarks->fault, "%s", f->first.fault[0] ? f->first.fault : f->faulty);
}
