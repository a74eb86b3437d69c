/* SPDX-License-Identifier: MIT
 *
 * timeline_open.c: reading what `ubiheap timeline` is given.
 */
#include <stdio.h>

#include "base/human.h"
#include "base/text.h"
#include "cli/cli_files.h"
#include "cli/command.h"
#include "cli/commands/report/recording_report.h"
#include "cli/commands/timeline/timeline_view.h"
#include "formats/ubirec/recording_timeline.h"
#include "render/page.h"

bool ubi__is_timeline(const char *path) {
    uint8_t head[40];
    size_t n = ubi__source_peek_path(head, sizeof head, path);
    return n > 0 && ubi__timeline_guess(head, n);
}

static ubi_status read_recording(ubi__timeline_file *file, ubi__source *source, const ubi_progress *progress) {
    *file = (ubi__timeline_file){ .generator = UBI_NONE, .has_end = true, .compression = "none" };
    ubi__timeline_data_init(&file->data, NULL);
    ubi_status status =
        ubi__recording_timeline_read(&file->data, file->fault, source, ubi__recording_name_frames, progress, NULL);
    if (status == UBI_OK)
        status = ubi__timeline_data_sort(&file->data);
    if (status != UBI_OK)
        ubi__timeline_data_fini(&file->data);
    return status;
}

ubi_status ubi__timeline_view_open(ubi__timeline_view *view, ubi__cli *cli, const char *path,
                                   const ubi__timeline_wishes *wishes) {
    ubi_progress progress = ubi__progress_line_callbacks(&cli->progress);
    ubi__source source;
    *view = (ubi__timeline_view){ .cli = cli, .path = path, .wishes = wishes, .is_recording = ubi__is_recording(path) };
    cli->subject = strcmp(path, "-") == 0 ? "standard input" : path;
    UBI_TRY(ubi__source_open_path(&source, path, ubi_allocator_default()));
    ubi_status status = view->is_recording ? ubi__recording_processes_find(&view->processes, path, NULL) : UBI_OK;
    if (status == UBI_OK)
        status = view->is_recording ? read_recording(&view->file, &source, &progress)
                                    : ubi__timeline_read(&view->file, &source, &progress, NULL);
    ubi__source_close(&source);
    ubi__progress_line_clear(&cli->progress);
    if (status != UBI_OK)
        ubi__recording_processes_fini(&view->processes);
    view->n_markers = status == UBI_OK ? view->file.data.rows.n : 0;
    return status;
}

void ubi__timeline_view_close(ubi__timeline_view *view) {
    ubi__timeline_nest_fini(&view->nest);
    ubi__timeline_nest_fini(&view->whole);
    ubi__recording_processes_fini(&view->processes);
    ubi__timeline_file_fini(&view->file);
}

void ubi__timeline_judge(const ubi__timeline_view *view, int *exit_code) {
    if (view->cli->reason[0])
        return;
    if (!view->file.fault[0]) {
        snprintf(view->cli->reason, sizeof view->cli->reason, "%s", view->note);
        return;
    }
    snprintf(view->cli->reason, sizeof view->cli->reason, "%s; what comes before it was read", view->file.fault);
    *exit_code = ubi__exit_code(UBI_EFORMAT);
}

/* ---- ubiheap info ------------------------------------------------------------------------------------------------------- */

static void put_text_or_null(ubi__json *json, const ubi__timeline_data *data, const char *key, ubi_str_ix text) {
    ubi__json_member_text(json, key, ubi__timeline_text(data, text));
}

static void write_info_json(const ubi__timeline_view *view) {
    char time[UBI__HUMAN_TEXT];
    const ubi__timeline_file *f = &view->file;
    const ubi__timeline_data *data = &f->data;
    ubi__json json;
    ubi__document_begin(&json, view->cli, "ubiheap.timeline-info/1", view->path);
    ubi__json_member_string(&json, "format", "timeline");
    ubi__json_member_string(&json, "compression", f->compression);
    ubi__json_member_u64(&json, "inputBytes", f->input_bytes);
    put_text_or_null(&json, data, "writer", f->generator);
    put_text_or_null(&json, data, "program", data->program);
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

static void info_line(const ubi__timeline_view *view, const char *label, const char *text) {
    ubi__write_fact(&view->cli->page, label, ubi__text(text), LABEL_COLUMNS);
}

static void info_count(const ubi__timeline_view *view, const char *label, uint64_t count) {
    char text[UBI__HUMAN_TEXT];
    info_line(view, label, ubi__human_count(text, count));
}

static void info_text(const ubi__timeline_view *view, const char *label, ubi_str_ix text) {
    char copy[512];
    ubi_text from = ubi__timeline_text(&view->file.data, text);
    snprintf(copy, sizeof copy, "%.*s", from.ptr ? (int)(from.len < 500 ? from.len : 500) : 7,
             from.ptr ? from.ptr : "unknown");
    info_line(view, label, copy);
}

static void write_info_page(const ubi__timeline_view *view) {
    char text[128], size[UBI__HUMAN_TEXT], first[24], last[24];
    const ubi__timeline_file *f = &view->file;
    bool is_plain = strcmp(f->compression, "none") == 0;
    info_line(view, "File", view->path);
    snprintf(text, sizeof text, "timeline, %s, %s", is_plain ? "not compressed" : f->compression,
             ubi__human_size(size, f->input_bytes));
    info_line(view, "Format", text);
    info_text(view, "Program", f->data.program);
    info_line(view, "Started", f->data.start_unix_us ? ubi__human_time(text, f->data.start_unix_us) : "unknown");
    info_text(view, "Written by", f->generator);
    snprintf(text, sizeof text, "%s to %s after its start", ubi__timeline_time_text(first, f->data.begin_ns),
             ubi__timeline_time_text(last, f->data.end_ns));
    info_line(view, "Covers", text);
    info_count(view, "Markers", f->data.rows.n);
    info_count(view, "Threads", f->data.threads.n);
    info_count(view, "Frames", f->data.frames.n);
    info_line(view, "Memory", ubi__human_things(text, f->data.samples.n, "figure"));
    info_count(view, "Lost", f->data.n_lost);
    info_line(view, "Ended", f->has_end ? "yes" : "not while it was recorded");
}

ubi_status ubi__info_timeline(ubi__cli *cli, const char *path, int *exit_code) {
    static const ubi__timeline_wishes none;
    ubi__timeline_view view;
    UBI_TRY(ubi__timeline_view_open(&view, cli, path, &none));
    if (cli->common.wants_json)
        write_info_json(&view);
    else
        write_info_page(&view);
    ubi__timeline_judge(&view, exit_code);
    ubi__timeline_view_close(&view);
    return UBI_OK;
}
