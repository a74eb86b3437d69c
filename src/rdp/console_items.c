/* SPDX-License-Identifier: MIT
 *
 * console_items.c: what a program said, as clients know it from browsers. See console_link.h.
 */
#include "base/text.h"
#include "rdp/console_link.h"

/* ---- places ------------------------------------------------------------------------------------------------------------- */

static void frame_write(ubi__json *json, const ubi_console_frame *frame) {
    ubi__json_object_begin(json);
    ubi__json_member_text(json, "filename", frame->source);
    ubi__json_member_text(json, "functionName", frame->function);
    ubi__json_member_u64(json, "lineNumber", frame->line);
    ubi__json_member_u64(json, "columnNumber", frame->column);
    ubi__json_member_null(json, "sourceId");
    ubi__json_object_end(json);
}

void ubi__rdp_frames_write(ubi__json *json, const char *key, const ubi_console_frame *frames, uint32_t n) {
    if (!n) {
        ubi__json_member_null(json, key);
        return;
    }
    ubi__json_member_array(json, key);
    for (uint32_t i = 0; i < n; i++)
        frame_write(json, &frames[i]);
    ubi__json_array_end(json);
}

static void place_write(ubi__json *json, const char *file_key, const ubi__rdp_tab *tab, const ubi_console_message *m) {
    ubi__json_member_text(json, file_key, m->source.ptr ? m->source : ubi__text(""));
    ubi__json_member_u64(json, "lineNumber", m->line);
    ubi__json_member_u64(json, "columnNumber", m->column);
    ubi__json_member_u64(json, "innerWindowID", tab->number);
    ubi__json_member_double(json, "timeStamp", m->time_ms);
    ubi__json_member_null(json, "sourceId");
    ubi__rdp_frames_write(json, "stacktrace", m->frames, m->frame_count);
}

/* ---- errors that nothing caught ----------------------------------------------------------------------------------------- */

static void error_item_write(ubi__rdp_grips *g, const ubi__rdp_tab *tab, const ubi_console_message *m) {
    ubi__json_member_text(g->json, "errorMessage", m->text.ptr ? m->text : ubi__text(""));
    place_write(g->json, "sourceName", tab, m);
    ubi__json_member_string(g->json, "category", "content javascript");
    ubi__json_member_bool(g->json, "warning", false);
    ubi__json_member_bool(g->json, "error", true);
    ubi__json_member_bool(g->json, "info", false);
    ubi__json_member_bool(g->json, "private", false);
    ubi__json_member_bool(g->json, "hasException", m->n_arguments > 0);
    for (uint32_t i = 0; i < m->n_arguments; i++) { /* what was thrown */
        ubi__json_key(g->json, "exception");
        ubi__rdp_grip_write(g, &m->arguments[i], true);
    }
}

/* ---- the console -------------------------------------------------------------------------------------------------------- */

static void counter_write(ubi__json *json, const ubi_console_message *m) {
    ubi__json_member_object(json, "counter");
    ubi__json_member_text(json, "label", m->label);
    if (m->is_misplaced)
        ubi__json_member_string(json, "error", "counterDoesntExist");
    else
        ubi__json_member_u64(json, "count", m->count);
    ubi__json_object_end(json);
}

static void timer_write(ubi__json *json, const ubi_console_message *m) {
    bool is_begin = m->level == UBI_CONSOLE_TIME;
    ubi__json_member_object(json, "timer");
    ubi__json_member_text(json, "name", m->label);
    if (m->is_misplaced)
        ubi__json_member_string(json, "error", is_begin ? "timerAlreadyExists" : "timerDoesntExist");
    else if (!is_begin)
        ubi__json_member_double(json, "duration", m->duration_ms);
    ubi__json_object_end(json);
}

/* With rows, for clients that show a table. */
static void table_arguments_write(ubi__rdp_grips *g, const ubi_console_message *m) {
    ubi__json_member_array(g->json, "arguments");
    for (uint32_t i = 0; i < m->n_arguments; i++) {
        g->table_levels = i == 0 ? 2 : 0;
        ubi__rdp_grip_write(g, &m->arguments[i], true);
    }
    g->table_levels = 0;
    ubi__json_array_end(g->json);
}

static void console_item_write(ubi__rdp_grips *g, const ubi__rdp_tab *tab, const ubi_console_message *m) {
    static const char *const levels[] = {
        "log",   "info",           "warn",     "error", "debug", "trace",      "error", "dir",     "table",   "assert",
        "group", "groupCollapsed", "groupEnd", "clear", "count", "countReset", "time",  "timeLog", "timeEnd",
    };
    ubi__json_member_string(g->json, "level", levels[m->level]);
    place_write(g->json, "filename", tab, m);
    if (m->level == UBI_CONSOLE_COUNT || m->level == UBI_CONSOLE_COUNT_RESET)
        counter_write(g->json, m);
    else if (m->label.ptr)
        timer_write(g->json, m);
    if (m->level == UBI_CONSOLE_TABLE)
        table_arguments_write(g, m);
    else
        ubi__rdp_arguments_write(g, m);
}

ubi_status ubi__rdp_item_write(ubi__vec_u8 *out, ubi__rdp_grips *g, const ubi__rdp_tab *tab,
                               const ubi_console_message *m) {
    ubi__bytes_sink sink = { out, ubi_allocator_default() };
    ubi__json json;
    ubi__json_init(&json, ubi__bytes_sink_write, &sink, false);
    g->json = &json;
    ubi__json_object_begin(&json);
    if (m->level == UBI_CONSOLE_UNCAUGHT)
        error_item_write(g, tab, m);
    else
        console_item_write(g, tab, m);
    ubi__json_object_end(&json);
    g->json = NULL;
    return ubi__json_flush(&json) == UBI_OK ? UBI_OK : ubi__fail_nomem();
}
