/* SPDX-License-Identifier: MIT
 *
 * recording_document.c: the report on a recording as JSON, and `info` on one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/commands/report/recording_markers.h"
#include "cli/commands/report/recording_report.h"
#include "cli/snapshot.h"

#define DOCUMENT_SITES 20

static void put_text(ubi__json *j, const char *key, ubi_text text) {
    ubi__json_key(j, key);
    ubi__json_text(j, text);
}

static void put_double(ubi__json *j, const char *key, double value) {
    ubi__json_key(j, key);
    ubi__json_double(j, value);
}

static void put_ms(ubi__json *j, const char *key, uint64_t ns) {
    put_double(j, key, (double)ns / 1e6);
}

static void begin(ubi__json *j, const char *key) {
    ubi__json_key(j, key);
    ubi__json_object_begin(j);
}

static void begin_array(ubi__json *j, const char *key) {
    ubi__json_key(j, key);
    ubi__json_array_begin(j);
}

/* ---- about the whole ---------------------------------------------------------------------------------------------- */

static void put_arguments(ubi__json *j, ubi_text rest) {
    begin_array(j, "arguments");
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
    ubi__document_string(j, "reason", reasons[t->end.reason]);
    ubi__document_u64(j, "value", t->end.value);
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
};

static void put_about(ubi__json *j, const ubi__recording_report *report) {
    char time[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &report->summary;
    const ubi__ubirec_about *about = &s->tables.about;
    put_text(j, "program", about->program);
    put_arguments(j, about->arguments);
    ubi__document_u64(j, "pid", about->pid);
    put_text(j, "recorder", about->writer);
    put_text(j, "system", about->system);
    ubi__document_string(j, "startTime",
                         about->start_unix_ns ? ubi__iso_time(time, about->start_unix_ns / 1000) : NULL);
    put_ms(j, "durationMs", s->time_ns);
    put_end(j, &s->tables);
    ubi__document_bool(j, "exact", report->is_exact);
    ubi__document_u64(j, "periodBytes", about->period_bytes);
    ubi__document_u64(j, "tornBytes", s->torn_bytes);
    ubi__document_string(j, "fault", s->fault[0] ? s->fault : NULL);
    begin(j, "counters");
    for (int i = 0; i < UBI__UBIREC_COUNTER_COUNT; i++)
        ubi__document_u64(j, counters[i], s->tables.counters[i]);
    ubi__document_u64(j, "doubleFrees", s->double_frees);
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

/* Without any sample, nobody knows how far off 0 is. */
static void put_estimate_fields(ubi__json *j, const ubi__estimate *e, bool is_sampled) {
    bool is_known = !is_sampled || e->samples > 0;
    ubi__document_u64(j, "samples", e->samples);
    put_double(j, "count", e->count);
    put_error(j, "countError", e->count_variance, is_known);
    put_double(j, "bytes", e->bytes);
    put_error(j, "bytesError", e->bytes_variance, is_known);
}

static void put_estimate(ubi__json *j, const char *key, const ubi__estimate *e, bool is_sampled) {
    begin(j, key);
    put_estimate_fields(j, e, is_sampled);
    ubi__json_object_end(j);
}

static const char *const measures[UBI__MEASURE_COUNT] = {
    [UBI__MEASURE_LEAKED] = "leaked",
    [UBI__MEASURE_PEAK] = "peak",
    [UBI__MEASURE_TOTAL] = "total",
    [UBI__MEASURE_TEMPORARY] = "temporary",
};
static const char *const classes[UBI__UBIREC_CLASS_COUNT] = { "heap", "mapping", "object" };

/* Only exact recordings know what was temporary. */
static void put_measure(ubi__json *j, ubi__measure measure, const ubi__estimate *e, bool is_sampled) {
    if (measure != UBI__MEASURE_TEMPORARY || !is_sampled) {
        put_estimate(j, measures[measure], e, is_sampled);
        return;
    }
    ubi__json_key(j, measures[measure]);
    ubi__json_null(j);
}

static void put_classes(ubi__json *j, const ubi__recording_summary *s) {
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++) {
        begin(j, classes[c]);
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++) {
            ubi__estimate e = ubi__class_estimate(s, (ubi__ubirec_class)c, m);
            put_measure(j, m, &e, ubi__recording_is_sampled(s, (ubi__ubirec_class)c));
        }
        put_ms(j, "peakTimeMs", s->classes[c].peak_time_ns);
        ubi__json_object_end(j);
    }
}

static void put_resident(ubi__json *j, const ubi__recording_summary *s) {
    begin(j, "resident");
    ubi__document_u64(j, "peakBytes", s->rss_peak_bytes);
    put_ms(j, "peakTimeMs", s->rss_peak_time_ns);
    ubi__document_u64(j, "lastBytes", s->rss_last_bytes);
    ubi__json_object_end(j);
}

static void put_lifetimes(ubi__json *j, const ubi__recording_summary *s) {
    uint64_t below_ms = 1;
    begin_array(j, "lifetimes");
    for (int i = 0; i < UBI__LIFETIME_BUCKETS; i++, below_ms *= 10) {
        ubi__json_object_begin(j);
        ubi__json_key(j, "belowMs");
        if (i + 1 < UBI__LIFETIME_BUCKETS)
            ubi__json_u64(j, below_ms);
        else
            ubi__json_null(j);
        put_estimate_fields(j, &s->lifetimes[i], ubi__recording_is_sampled(s, UBI__UBIREC_HEAP));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_sizes(ubi__json *j, const ubi__recording_summary *s) {
    begin_array(j, "sizes");
    for (int i = 0; i < UBI__SIZE_BUCKETS; i++) {
        if (s->sizes[i].samples == 0)
            continue;
        ubi__json_object_begin(j);
        ubi__document_u64(j, "belowBytes", (uint64_t)1 << i);
        put_estimate_fields(j, &s->sizes[i], ubi__recording_is_sampled(s, UBI__UBIREC_HEAP));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static ubi_status put_kinds(ubi__json *j, const ubi__recording_summary *s) {
    size_t n = s->tables.kinds.n;
    ubi__estimate(*sums)[UBI__MEASURE_COUNT] = ubi__calloc_array(s->allocator, n + 1, sizeof *sums);
    if (!sums)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < s->infos.n; i++)
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            ubi__estimate_add(&sums[s->tables.infos.at[i].kind][m], s, i, ubi__info_measure(&s->infos.at[i], m));
    begin_array(j, "kinds");
    for (size_t i = 0; i < n && !j->failed; i++) {
        ubi__json_object_begin(j);
        put_text(j, "kind", ubi__ubirec_string_at(&s->tables, s->tables.kinds.at[i].word));
        ubi__document_string(j, "class", classes[s->tables.kinds.at[i].class_of_kind]);
        bool is_sampled = ubi__recording_is_sampled(s, s->tables.kinds.at[i].class_of_kind);
        for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
            put_measure(j, m, &sums[i][m], is_sampled);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
    ubi__free_array(s->allocator, sums, n + 1, sizeof *sums);
    return UBI_OK;
}

static void put_threads(ubi__json *j, const ubi__recording_summary *s) {
    bool is_sampled = ubi__recording_is_sampled(s, UBI__UBIREC_HEAP);
    begin_array(j, "threads");
    for (size_t i = 0; i < s->threads.n && !j->failed; i++) {
        const ubi__thread_sums *t = &s->threads.at[i];
        if (t->allocated.samples == 0 && t->freed.samples == 0)
            continue;
        ubi__json_object_begin(j);
        ubi__document_u64(j, "tid", s->tables.threads.at[i].tid);
        put_text(j, "name", ubi__ubirec_string_at(&s->tables, s->tables.threads.at[i].name));
        put_estimate(j, "allocated", &t->allocated, is_sampled);
        put_estimate(j, "freed", &t->freed, is_sampled);
        put_measure(j, UBI__MEASURE_TEMPORARY, &t->temporary, is_sampled);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_curve(ubi__json *j, const ubi__recording_summary *s) {
    begin(j, "curve");
    put_ms(j, "stepMs", s->curve_step_ns);
    begin_array(j, "liveBytes");
    for (size_t i = 0; i < s->n_curve; i++)
        ubi__json_u64(j, s->curve[i].live_bytes);
    ubi__json_array_end(j);
    begin_array(j, "liveBytesError");
    for (size_t i = 0; i < s->n_curve; i++)
        ubi__json_double(j, ubi__standard_error(s->curve[i].live_variance));
    ubi__json_array_end(j);
    begin_array(j, "residentBytes");
    for (size_t i = 0; i < s->n_curve; i++)
        ubi__json_u64(j, s->curve[i].rss_bytes);
    ubi__json_array_end(j);
    ubi__json_object_end(j);
}

/* ---- sites -------------------------------------------------------------------------------------------------------- */

static void put_place(ubi__json *j, const ubi__recording_place *place) {
    ubi__json_object_begin(j);
    put_text(j, "function", place->function);
    put_text(j, "file", place->file);
    ubi__document_u64(j, "line", place->line);
    ubi__document_u64(j, "column", place->column);
    ubi__document_bool(j, "inlined", place->is_inlined);
    put_text(j, "module", place->module);
    ubi__json_key(j, "address");
    if (place->has_address)
        ubi__json_node_id(j, place->address);
    else
        ubi__json_null(j);
    ubi__json_object_end(j);
}

static void put_walk(ubi__json *j, const char *key, ubi__recording_walk *walk, uint64_t most) {
    ubi__recording_place place;
    begin_array(j, key);
    for (uint64_t n = 0; n < most && !j->failed && ubi__recording_walk_next(walk, &place); n++)
        put_place(j, &place);
    ubi__json_array_end(j);
}

static void put_stacks(ubi__json *j, const ubi__recording_report *report, const ubi__site *site) {
    ubi__recording_walk walk;
    ubi__recording_walk_wrappers(&walk, report, site);
    put_walk(j, "through", &walk, UINT64_MAX);
    ubi__recording_walk_stack(&walk, report, site);
    put_walk(j, "stack", &walk, report->wishes->stack_depth ? report->wishes->stack_depth : UINT64_MAX);
}

static void put_site(ubi__json *j, const ubi__recording_report *report, const ubi__site *site) {
    ubi__json_object_begin(j);
    ubi__document_string(j, "class", classes[site->of_class]);
    for (ubi__measure m = 0; m < UBI__MEASURE_COUNT; m++)
        put_measure(j, m, &site->by[m], ubi__recording_is_sampled(&report->summary, site->of_class));
    ubi__document_u64(j, "stackCount", site->n_stacks);
    put_stacks(j, report, site);
    ubi__json_object_end(j);
}

/* Calls that are looked behind, for what they do and not for their names. */
static void put_wrappers(ubi__json *j, const ubi__recording_report *report) {
    ubi__recording_place place;
    begin_array(j, "wrappers");
    for (uint32_t i = 0; ubi__recording_wrapper(&place, report, &i) && !j->failed;)
        put_place(j, &place);
    ubi__json_array_end(j);
}

static ubi_status put_sites(ubi__json *j, ubi__recording_report *report) {
    ubi__site_order order = ubi__recording_order(report->wishes->by);
    uint64_t n = 0, most = report->wishes->top ? report->wishes->top : DOCUMENT_SITES;
    UBI_TRY(ubi__sites_sort(&report->sites, order));
    ubi__document_string(j, "sortedBy", ubi__recording_orders[order]);
    ubi__document_u64(j, "siteCount", report->sites.rows.n);
    begin_array(j, "sites");
    for (size_t i = 0; i < report->sites.rows.n && n < most && !j->failed; i++) {
        if (!ubi__recording_has_site(report, &report->sites.rows.at[i]))
            continue;
        put_site(j, report, &report->sites.rows.at[i]);
        n++;
    }
    ubi__json_array_end(j);
    return UBI_OK;
}

static void put_hints(ubi__json *j, const ubi__recording_report *report) {
    begin_array(j, "hints");
    for (size_t i = 0; i < report->n_hints; i++)
        ubi__json_string(j, report->hints[i].text);
    ubi__json_array_end(j);
}

ubi_status ubi__recording_document(ubi__cli *cli, ubi__recording_report *report) {
    ubi__json j;
    ubi__document_begin(&j, cli, "ubiheap.recording/1", report->path);
    put_about(&j, report);
    put_classes(&j, &report->summary);
    put_resident(&j, &report->summary);
    put_lifetimes(&j, &report->summary);
    put_sizes(&j, &report->summary);
    UBI_TRY(put_kinds(&j, &report->summary));
    put_threads(&j, &report->summary);
    put_curve(&j, &report->summary);
    UBI_TRY(ubi__recording_markers_document(&j, report));
    UBI_TRY(put_sites(&j, report));
    put_wrappers(&j, report);
    put_hints(&j, report);
    ubi__document_end(&j);
    return UBI_OK;
}

/* ---- info --------------------------------------------------------------------------------------------------------- */

#define LABEL_COLUMNS 14

static void line(const ubi__cli *cli, const char *label, const char *value) {
    ubi__out *out = &cli->output->out;
    ubi__display_ink(out, &cli->style, UBI__INK_DIM);
    ubi__out_string(out, label);
    ubi__display_ink(out, &cli->style, UBI__INK_PLAIN);
    ubi__display_pad(out, strlen(label), LABEL_COLUMNS);
    ubi__display_text(out, &cli->style, ubi__text(value), SIZE_MAX);
    ubi__out_char(out, '\n');
}

static void count_line(const ubi__cli *cli, const char *label, uint64_t value) {
    char text[UBI__HUMAN_TEXT];
    line(cli, label, ubi__human_count(text, value));
}

static void text_line(const ubi__cli *cli, const char *label, ubi_text value) {
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(value.len < sizeof text ? value.len : sizeof text - 1), value.ptr);
    line(cli, label, text);
}

static uint64_t all_allocations(const ubi__recording_summary *s, bool frees) {
    uint64_t n = 0;
    for (int c = 0; c < UBI__UBIREC_CLASS_COUNT; c++)
        n += frees ? s->classes[c].n_frees : s->classes[c].count;
    return n;
}

static void info_page(ubi__cli *cli, const ubi__recording_report *report) {
    char text[256], size[UBI__HUMAN_TEXT], count[UBI__HUMAN_TEXT];
    const ubi__recording_summary *s = &report->summary;
    const ubi__ubirec_tables *t = &s->tables;
    line(cli, "Format", "recording of allocations (ubirec)");
    snprintf(text, sizeof text, "%s in %s", ubi__human_size(size, s->file_bytes),
             ubi__human_things(count, s->n_blocks, "block"));
    line(cli, "Size", text);
    if (s->torn_bytes) {
        snprintf(text, sizeof text, "%s of an unfinished block at the end, ignored",
                 ubi__human_things(count, s->torn_bytes, "byte"));
        line(cli, "Torn", text);
    }
    text_line(cli, "Recorder", t->about.writer);
    text_line(cli, "System", t->about.system);
    text_line(cli, "Program", t->about.program);
    if (t->about.start_unix_ns)
        line(cli, "Started", ubi__human_time(size, t->about.start_unix_ns / 1000));
    line(cli, "Ran", ubi__human_duration(size, s->time_ns / 1000));
    snprintf(text, sizeof text, "one sample in %s", ubi__human_size(size, t->about.period_bytes));
    line(cli, "Records", report->is_exact ? "every allocation" : text);
    count_line(cli, "Allocations", all_allocations(s, false));
    count_line(cli, "Frees", all_allocations(s, true));
    count_line(cli, "Threads", t->threads.n);
    count_line(cli, "Modules", t->modules.n);
    count_line(cli, "Frames", t->frames.n);
    count_line(cli, "Stacks", t->traces.n - 1);
    count_line(cli, "Markers", s->n_markers);
}

static void info_document(ubi__cli *cli, const ubi__recording_report *report) {
    ubi__json j;
    const ubi__recording_summary *s = &report->summary;
    ubi__document_begin(&j, cli, "ubiheap.recording-info/1", report->path);
    ubi__document_string(&j, "format", "ubirec");
    ubi__document_u64(&j, "inputBytes", s->file_bytes);
    ubi__document_u64(&j, "blockCount", s->n_blocks);
    put_about(&j, report);
    ubi__document_u64(&j, "allocationCount", all_allocations(s, false));
    ubi__document_u64(&j, "freeCount", all_allocations(s, true));
    ubi__document_u64(&j, "threadCount", s->tables.threads.n);
    ubi__document_u64(&j, "moduleCount", s->tables.modules.n);
    ubi__document_u64(&j, "frameCount", s->tables.frames.n);
    ubi__document_u64(&j, "traceCount", s->tables.traces.n - 1);
    ubi__document_u64(&j, "markerCount", s->n_markers);
    ubi__document_end(&j);
}

ubi_status ubi__info_recording(ubi__cli *cli, const char *path, int *exit_code) {
    const ubi__recording_wishes wishes = { .symbols = -1 };
    ubi__recording_report *report = UBI_NEW(ubi_allocator_default(), ubi__recording_report);
    if (!report)
        return ubi__fail_nomem();
    ubi_status status = ubi__recording_report_open(report, cli, path, &wishes);
    if (status == UBI_OK) {
        if (cli->common.json)
            info_document(cli, report);
        else
            info_page(cli, report);
        ubi__recording_judge(cli, report, exit_code);
        ubi__recording_report_close(report);
    }
    UBI_DELETE(ubi_allocator_default(), report);
    return status;
}
