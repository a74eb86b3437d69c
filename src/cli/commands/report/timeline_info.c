/* SPDX-License-Identifier: MIT
 *
 * timeline_info.c: `ubiheap info` on a timeline.
 */
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/commands/report/recording_report.h"
#include "formats/timeline/timeline_read.h"
#include "render/page.h"

typedef struct info {
    ubi__cli *cli;
    const char *path;
    ubi__timeline_file file;
} info;

static void write_info_json(const info *view) {
    char time[UBI__HUMAN_TEXT];
    const ubi__timeline_file *f = &view->file;
    const ubi__timeline_data *data = &f->data;
    ubi__json json;
    ubi__document_begin(&json, view->cli, "ubiheap.timeline-info/1", view->path);
    ubi__json_member_string(&json, "format", "timeline");
    ubi__json_member_string(&json, "compression", f->compression);
    ubi__json_member_u64(&json, "inputBytes", f->input_bytes);
    ubi__json_member_text(&json, "writer", ubi__timeline_text(data, f->generator));
    ubi__json_member_text(&json, "program", ubi__timeline_text(data, data->program));
    ubi__json_member_u64(&json, "pid", data->pid);
    ubi__json_member_string(&json, "startTime", data->start_unix_us ? ubi__iso_time(time, data->start_unix_us) : NULL);
    ubi__json_member_u64(&json, "lineCount", f->n_lines);
    ubi__json_member_u64(&json, "markerCount", data->rows.n);
    ubi__json_member_u64(&json, "threadCount", data->threads.n);
    ubi__json_member_u64(&json, "frameCount", data->frames.n);
    ubi__json_member_u64(&json, "memorySampleCount", data->samples.n);
    ubi__json_member_u64(&json, "lostMarkers", data->n_lost);
    ubi__json_member_bool(&json, "hasEnd", f->has_end);
    ubi__json_member_string(&json, "fault", f->fault[0] ? f->fault : NULL);
    ubi__document_end(&json);
}

#define LABEL_COLUMNS 14

static void info_line(const info *view, const char *label, const char *text) {
    ubi__write_fact(&view->cli->page, label, ubi__text(text), LABEL_COLUMNS);
}

static void info_count(const info *view, const char *label, uint64_t count) {
    char text[UBI__HUMAN_TEXT];
    info_line(view, label, ubi__human_count(text, count));
}

static void info_text(const info *view, const char *label, ubi_str_ix text) {
    char copy[512];
    ubi_text from = ubi__timeline_text(&view->file.data, text);
    snprintf(copy, sizeof copy, "%.*s", from.ptr ? (int)(from.len < 500 ? from.len : 500) : 7,
             from.ptr ? from.ptr : "unknown");
    info_line(view, label, copy);
}

static void write_info_page(const info *view) {
    char text[128], size[UBI__HUMAN_TEXT], first[UBI__HUMAN_TEXT], last[UBI__HUMAN_TEXT];
    const ubi__timeline_file *f = &view->file;
    bool is_plain = strcmp(f->compression, "none") == 0;
    info_line(view, "File", view->path);
    snprintf(text, sizeof text, "timeline, %s, %s", is_plain ? "not compressed" : f->compression,
             ubi__human_size(size, f->input_bytes));
    info_line(view, "Format", text);
    info_text(view, "Program", f->data.program);
    info_line(view, "Started", f->data.start_unix_us ? ubi__human_time(text, f->data.start_unix_us) : "unknown");
    info_text(view, "Written by", f->generator);
    snprintf(text, sizeof text, "%s to %s after its start", ubi__human_nanoseconds(first, f->data.begin_ns),
             ubi__human_nanoseconds(last, f->data.end_ns));
    info_line(view, "Covers", text);
    info_count(view, "Markers", f->data.rows.n);
    info_count(view, "Threads", f->data.threads.n);
    info_count(view, "Frames", f->data.frames.n);
    info_line(view, "Memory", ubi__human_things(text, f->data.samples.n, "figure"));
    info_count(view, "Lost", f->data.n_lost);
    info_line(view, "Ended", f->has_end ? "yes" : "not while it was recorded");
}

static void file_judge(const info *view, int *exit_code) {
    if (!view->file.fault[0] || view->cli->reason[0])
        return;
    snprintf(view->cli->reason, sizeof view->cli->reason, "%s; what comes before it was read", view->file.fault);
    *exit_code = ubi__exit_code(UBI_EFORMAT);
}

ubi_status ubi__info_timeline(ubi__cli *cli, const char *path, int *exit_code) {
    ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    info view = { .cli = cli, .path = path };
    ubi__source source;
    cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
    UBI_TRY(ubi__source_open_path(&source, path, ubi_allocator_default()));
    ubi_status status = ubi__timeline_read(&view.file, &source, &progress, NULL);
    ubi__source_close(&source);
    ubi__progress_line_clear(&cli->progress);
    UBI_TRY(status);
    if (cli->common.wants_json)
        write_info_json(&view);
    else
        write_info_page(&view);
    file_judge(&view, exit_code);
    ubi__timeline_file_fini(&view.file);
    return UBI_OK;
}
