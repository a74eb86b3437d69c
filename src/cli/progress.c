/* SPDX-License-Identifier: MIT
 *
 * progress.c: drawing of the progress line.
 *
 * Quick work shows nothing: the line appears after UNNOTICED_US and is drawn at most every REDRAW_US.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/interrupt.h"

#define UNNOTICED_US 300000
#define REDRAW_US 100000

uint64_t ubi__clock_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

void ubi__progress_line_init(ubi__progress_line *line, bool enabled) {
    line->enabled = enabled;
    line->shown = false;
    line->clock_us = ubi__clock_us;
    line->started_us = line->clock_us();
    line->drawn_us = 0;
}

static void write_stderr(const char *text) {
    size_t n = strlen(text);
    if (write(STDERR_FILENO, text, n) < 0)
        return; /* progress is a courtesy */
}

static void line_draw(ubi__progress_line *line, const char *stage, uint64_t done, uint64_t total) {
    char text[128];
    if (total)
        snprintf(text, sizeof text, "\r\x1b[K%s %3.0f%%", stage, 100 * (double)done / (double)total);
    else
        snprintf(text, sizeof text, "\r\x1b[K%s %" PRIu64, stage, done);
    write_stderr(text);
    line->shown = true;
}

static bool progress_report(void *payload, const char *stage, uint64_t done, uint64_t total) {
    ubi__progress_line *line = payload;
    if (ubi__interrupted())
        return false;
    if (!line->enabled)
        return true;
    uint64_t now = line->clock_us();
    if (now - line->started_us >= UNNOTICED_US && now - line->drawn_us >= REDRAW_US) {
        line_draw(line, stage, done, total);
        line->drawn_us = now;
    }
    return true;
}

ubi_progress ubi__progress_line_callbacks(ubi__progress_line *line) {
    return (ubi_progress){ progress_report, line };
}

void ubi__progress_line_clear(ubi__progress_line *line) {
    if (line->shown)
        write_stderr("\r\x1b[K");
    line->shown = false;
}
