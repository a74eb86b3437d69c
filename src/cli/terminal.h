/* SPDX-License-Identifier: MIT
 *
 * terminal.h: the tool and its user: what the output can show, whether its reader is still there, how far the work is, and Ctrl-C.
 *
 * The first SIGINT asks the running work to stop at its next progress report or write. The second one, or a second without
 * such a chance (a read that blocks), ends the process at once, with the exit code of an interrupt. Work that has stopped may take longer to
 * leave another program in order (UBI__LEAVING): that says so after a second, and waits for no alarm.
 */
#ifndef UBI_CLI_TERMINAL_H
#define UBI_CLI_TERMINAL_H

#include <stdbool.h>

#include <ubiheap/core/base.h>

#include "render/display.h"

/* ---- interrupts ------------------------------------------------------------------------------------------------- */

/**
 * Takes over SIGINT and SIGALRM, ignores SIGPIPE so that a closed pipe is a write error, and lets a file that grows too large be
 * one (SIGXFSZ). A SIGINT that is already ignored, as by nohup or for background jobs of shells, stays ignored.
 */
void ubi__interrupt_install(void);
bool ubi__interrupted(void);
/**
 * The point from which all ends well or by an error: an interrupt after it has no effect. Comes before a result takes its place,
 * so that no interrupted command leaves a complete one. False: there was an interrupt before.
 */
bool ubi__interrupt_settle(void);
/** Restores the signals for a program that replaces the process in the user's eyes. */
void ubi__interrupt_restore(void);
/**
 * The exit code of a program that we ran in the user's eyes, from its wait status. After one that a signal killed this process ends by the
 * same signal, so that our parent sees the same.
 */
int ubi__program_exit_code(int wait_status);
/** The interrupted work has stopped and other work begins: the next SIGINT counts as the first. */
void ubi__interrupt_accept(void);
/**
 * While it is wanted, the first SIGINT shows only afterwards, and a second one ends the process: for work between two moments in which an
 * interrupt has a meaning. @return what was wanted before.
 */
bool ubi__interrupt_defer(bool is_wanted);

/* ---- what it can show ------------------------------------------------------------------------------------------- */

/** Columns when the output is no terminal and COLUMNS is not set. */
#define UBI__COLUMNS_UNKNOWN 100

/**
 * Style for a descriptor.
 *
 * Colour: `choice` "always" or "never" decide; "auto" (or NULL) means a terminal that is not "dumb", unless NO_COLOR is
 * set and not empty. More than ASCII: unless LC_ALL, LC_CTYPE or LANG, the first that is set, names another charset
 * than UTF-8. Columns: COLUMNS, else the terminal's, else UBI__COLUMNS_UNKNOWN.
 */
ubi__style ubi__terminal_style(int fd, const char *choice);
/** Lines of the screen: LINES, else the terminal's; 0: unknown. */
unsigned ubi__terminal_lines(int fd);

/* ---- standard output -------------------------------------------------------------------------------------------- */

typedef struct ubi__standard_output {
    ubi__out out;
    int fd;
    bool is_reader_gone; /**< the other end of the pipe was closed: stop, but nothing is wrong */
    int error;           /**< errno of the first failed write, or 0 */
} ubi__standard_output;

void ubi__standard_output_init(ubi__standard_output *output, int fd);
/** UBI_OK; UBI_EIO with a message that says why; UBI_ECANCELLED when the user interrupted. */
ubi_status ubi__standard_output_flush(ubi__standard_output *output);

/* ---- standard error --------------------------------------------------------------------------------------------- */

/** "ubiheap: SUBJECT: MESSAGE" on standard error; `subject` may be NULL. One thread at a time. */
void ubi__print_line(const char *subject, const char *message);

/* ---- progress --------------------------------------------------------------------------------------------------- */

typedef struct ubi__progress_line {
    bool is_enabled;
    bool is_shown;
    bool may_speak;           /**< about silences (silence.h), in a line each that stays */
    bool is_silent;           /**< the stage is one: it was spoken of */
    const char *silent_after; /**< the stage before it; NULL: none */
    uint64_t leaving_us;      /**< when it began to leave (silence.h); 0: it does not */
    bool has_said_leaving;
    uint64_t started_us;
    uint64_t drawn_us;
    uint64_t (*clock_us)(void);
} ubi__progress_line;

/** Microseconds of a clock that never goes back. */
uint64_t ubi__clock_us(void);

/** @param may_speak  also without the line that is drawn, what waits for long says so once. */
void ubi__progress_line_init(ubi__progress_line *line, bool enabled, bool may_speak);
/** Callbacks for long calls: they draw, and cancel after an interrupt. */
ubi_progress ubi__progress_line_callbacks(ubi__progress_line *line);
/** Removes the line from the terminal. */
void ubi__progress_line_clear(ubi__progress_line *line);

#endif
