/* SPDX-License-Identifier: MIT
 *
 * progress.h: one line on standard error that says how far the work is, and the place where an interrupt takes effect.
 */
#ifndef UBI_CLI_PROGRESS_H
#define UBI_CLI_PROGRESS_H

#include <ubiheap/core/base.h>

typedef struct ubi__progress_line {
    bool enabled;
    bool shown;
    uint64_t started_us;
    uint64_t drawn_us;
    uint64_t (*clock_us)(void);
} ubi__progress_line;

/** Microseconds of a clock that never goes back. */
uint64_t ubi__clock_us(void);

void ubi__progress_line_init(ubi__progress_line *line, bool enabled);
/** Callbacks for long calls: they draw, and cancel after an interrupt. */
ubi_progress ubi__progress_line_callbacks(ubi__progress_line *line);
/** Removes the line from the terminal. */
void ubi__progress_line_clear(ubi__progress_line *line);

#endif
