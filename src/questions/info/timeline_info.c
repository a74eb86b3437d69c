/* SPDX-License-Identifier: MIT
 *
 * timeline_info.c: see timeline_info.h.
 */
#include "questions/info/timeline_info.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/text.h"
#include "render/page.h"

void ubi__timeline_info_document(ubi__json *json, const ubi__session_timeline *timeline) {
    char time[UBI__HUMAN_TEXT];
    const ubi__timeline_file *f = &timeline->file;
    const ubi__timeline_data *data = &f->data;
    ubi__json_member_string(json, "format", "timeline");
    ubi__json_member_string(json, "compression", f->compression);
    ubi__json_member_u64(json, "inputBytes", f->input_bytes);
    ubi__json_member_text(json, "writer", ubi__timeline_text(data, f->generator));
    ubi__json_member_text(json, "program", ubi__timeline_text(data, data->program));
    ubi__json_member_u64(json, "pid", data->pid);
    ubi__json_member_string(json, "startTime", data->start_unix_us ? ubi__iso_time(time, data->start_unix_us) : NULL);
    ubi__json_member_u64(json, "lineCount", f->n_lines);
    ubi__json_member_u64(json, "markerCount", data->rows.n);
    ubi__json_member_u64(json, "threadCount", data->threads.n);
    ubi__json_member_u64(json, "frameCount", data->frames.n);
    ubi__json_member_u64(json, "memorySampleCount", data->samples.n);
    ubi__json_member_u64(json, "lostMarkers", data->n_lost);
    ubi__json_member_bool(json, "hasEnd", f->has_end);
    ubi__json_member_string(json, "fault", f->fault[0] ? f->fault : NULL);
}

#define LABEL_COLUMNS 14

static void info_line(const ubi__page *page, const char *label, const char *text) {
    ubi__write_fact(page, label, ubi__text(text), LABEL_COLUMNS);
}

static void info_count(const ubi__page *page, const char *label, uint64_t count) {
    char text[UBI__HUMAN_TEXT];
    info_line(page, label, ubi__human_count(text, count));
}

static void info_text(const ubi__page *page, const char *label, const ubi__timeline_data *data, ubi_str_ix text) {
    char copy[512];
    ubi_text from = ubi__timeline_text(data, text);
    snprintf(copy, sizeof copy, "%.*s", from.ptr ? (int)(from.len < 500 ? from.len : 500) : 7,
             from.ptr ? from.ptr : "unknown");
    info_line(page, label, copy);
}

void ubi__timeline_info_page(const ubi__page *page, const ubi__session_timeline *timeline, const char *name) {
    char text[128], size[UBI__HUMAN_TEXT], first[UBI__HUMAN_TEXT], last[UBI__HUMAN_TEXT];
    const ubi__timeline_file *f = &timeline->file;
    bool is_plain = strcmp(f->compression, "none") == 0;
    info_line(page, "File", name);
    snprintf(text, sizeof text, "timeline, %s, %s", is_plain ? "not compressed" : f->compression,
             ubi__human_size(size, f->input_bytes));
    info_line(page, "Format", text);
    info_text(page, "Program", &f->data, f->data.program);
    info_line(page, "Started", f->data.start_unix_us ? ubi__human_time(text, f->data.start_unix_us) : "unknown");
    info_text(page, "Written by", &f->data, f->generator);
    snprintf(text, sizeof text, "%s to %s after its start", ubi__human_nanoseconds(first, f->data.begin_ns),
             ubi__human_nanoseconds(last, f->data.end_ns));
    info_line(page, "Covers", text);
    info_count(page, "Markers", f->data.rows.n);
    info_count(page, "Threads", f->data.threads.n);
    info_count(page, "Frames", f->data.frames.n);
    info_line(page, "Memory", ubi__human_things(text, f->data.samples.n, "figure"));
    info_count(page, "Lost", f->data.n_lost);
    info_line(page, "Ended", f->has_end ? "yes" : "not while it was recorded");
}
