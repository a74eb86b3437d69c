/* SPDX-License-Identifier: MIT
 *
 * run_lines.h: lines that a user types, or that come from a pipe.
 *
 * On a terminal they are edited with libedit, if the tool was built with it: history, completion with Tab. While a line is waited
 * for, the program's timers and events run.
 *
 * The history is a file of lines, $XDG_STATE_HOME/ubiheap/history or ~/.local/state/ubiheap/history, which only its owner can
 * read. Each line is appended when it is complete, so that programs at the same time do not lose each other's.
 */
#ifndef UBI_CLI_RUN_LINES_H
#define UBI_CLI_RUN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include <ubiheap/core/base.h>

#include "targets/script_runner.h"

typedef struct ubi__run_lines ubi__run_lines;

typedef enum ubi__run_line {
    UBI__RUN_LINE,         /**< there is one */
    UBI__RUN_LINE_STOPPED, /**< the user took back what was typed */
    UBI__RUN_LINE_END      /**< no more come */
} ubi__run_line;

/** Lines from standard input. `more_names`: such as ".exit", completed like names; ended by NULL. Errors: UBI_ENOMEM. */
ubi_status ubi__run_lines_open(ubi__run_lines **out, const ubi__script_shell *shell, const char *const *more_names);
/** Restores the terminal. */
void ubi__run_lines_close(ubi__run_lines *lines);
/** They come from a terminal: others have neither prompt nor history. */
bool ubi__run_lines_are_typed(const ubi__run_lines *lines);
/** @param text  without its newline, ended by a zero; valid until the next call. */
ubi__run_line ubi__run_lines_next(ubi__run_lines *lines, const char *prompt, const char **text, size_t *n);
/** Restores the terminal's settings. For signal handlers. */
void ubi__run_lines_abandon(void);

/** Writes the path of the history; false: there is no home, or it is too long. */
bool ubi__run_history_path(char *out, size_t size);

#endif
