/* SPDX-License-Identifier: MIT
 *
 * recording_next.c: what to run next, at the end of the page about a recording (recording_page.h).
 */
#include <stdio.h>
#include <string.h>

#include "questions/recording/recording_markers.h"
#include "questions/recording/recording_page.h"

/* The most that one writes: an empty line, the title and five commands. */
#define NEXT_LINES 7

size_t ubi__recording_next_lines(const ubi__recording_view *v) {
    return NEXT_LINES - (v->report->wishes->by != NULL) - (v->report->summary->n_markers == 0);
}

/* The options of the window again. */
static const char *window_options(char out[UBI__WINDOW_WORDS], const ubi__asked_window *w) {
    int n = snprintf(out, UBI__WINDOW_WORDS, "%s%s%s%s%s",
                     w->at     ? "--at "
                     : w->from ? "--from "
                               : "",
                     w->at     ? w->at
                     : w->from ? w->from
                               : "",
                     w->from && w->to ? " " : "", w->to ? "--to " : "", w->to ? w->to : "");
    return n > 0 && n < UBI__WINDOW_WORDS ? out : NULL;
}

#define OPTIONS_BYTES (UBI__WINDOW_WORDS + 96)

/* The same, and the places that were asked about. */
static const char *report_options(char out[OPTIONS_BYTES], const char *window, const char *site) {
    bool has_site = site && !strpbrk(site, "'\n") && strlen(site) < OPTIONS_BYTES - UBI__WINDOW_WORDS - 16;
    if (!has_site)
        return window;
    snprintf(out, OPTIONS_BYTES, "%s%s--site '%s'", window ? window : "", window ? " " : "", site);
    return out;
}

/* What was recorded of a program by its address was not kept: there is nothing to ask again. */
void ubi__recording_next(const ubi__recording_view *v, bool is_short) {
    const char *file = ubi__file_argument(v->report->path, "FILE");
    char command[48], window_text[UBI__WINDOW_WORDS], options_text[OPTIONS_BYTES];
    const char *window = window_options(window_text, &v->report->wishes->window);
    const char *options = report_options(options_text, window, v->report->wishes->site);
    if (ubi__is_of_program(v->report->path))
        return;
    ubi__write_title(v->on, "Next");
    if (!v->report->wishes->by) {
        snprintf(command, sizeof command, "report --by %s", ubi__recording_orders[v->order]);
        ubi__write_command(v->on, command, file, options,
                           ubi__recording_has_frees(v->report->summary)
                               ? "stacks; or by leaked, peak, total, count, temporary"
                               : "stacks; or by count");
    }
    ubi__write_command(v->on, "allocations --with-callees", file, window, "functions, with all that they called");
    if (!is_short) {
        ubi__write_command(v->on, "report --detail --stack-depth 50", file, options, "whole stacks, all notes");
        ubi__write_command(v->on, "report --format tsv", file, options, "all places, for a spreadsheet or script");
    }
    ubi__recording_markers_next(v->on, v->report, file);
}

void ubi__recording_next_of_markers(const ubi__recording_view *v) {
    if (v->report->summary->n_markers == 0)
        return;
    ubi__write_title(v->on, "Next");
    ubi__recording_markers_next(v->on, v->report, ubi__file_argument(v->report->path, "FILE"));
}
