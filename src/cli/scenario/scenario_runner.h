/* SPDX-License-Identifier: MIT
 *
 * scenario_runner.h: the other half of a scenario: a Node.js program of ours that starts a browser and leads it, by a script and a library of
 * the user's (scenario_runner.mjs). It has a process group of its own with the browser, and a folder for the browser's profile; both are gone
 * with it, also when we are killed.
 */
#ifndef UBI_CLI_SCENARIO_RUNNER_H
#define UBI_CLI_SCENARIO_RUNNER_H

#include <limits.h>

#include <ubiheap/core/base.h>

#include "cli/beside_command.h"

typedef struct ubi__scenario_options {
    const char *address; /**< chrome:URL, as given */
    const char *script;
    const char *url;     /**< "": the script has it */
    const char *browser; /**< NULL: that of CHROME_PATH, or one that is in PATH */
    bool is_shown;       /**< the browser has a window */
    uint64_t times;      /**< how often the action is done; 0: as the script says, or once */
    uint64_t patience_us;
    uint64_t warm_ups; /**< how often the action is done and undone before the first snapshot */
    bool must_collect; /**< garbage, before each snapshot */
    bool is_forced;    /**< as of ubi__remote_address */
} ubi__scenario_options;

#define UBI__SCENARIO_LINE_BYTES 65536

typedef struct ubi__scenario_runner {
    ubi__beside program;
    int channel;               /**< owned; -1: none */
    char profile[PATH_MAX];    /**< "": none */
    char script[PATH_MAX];     /**< whole path */
    size_t n_read, n_returned; /**< bytes of `read`, and of these those of the line that was returned last */
    char read[UBI__SCENARIO_LINE_BYTES];
} ubi__scenario_runner;

/** Errors: UBI_EIO (no script, browser, Node.js), UBI_ENOMEM. Stop it also then. */
ubi_status ubi__scenario_runner_start(ubi__scenario_runner *runner, const ubi__scenario_options *options);
/**
 * Waits for a line, without its end. @param out  borrowed until the next call; NULL text: none came in that time.
 * Errors: UBI_EIO (it ended, or says what is none).
 */
ubi_status ubi__scenario_runner_read(ubi_text *out, ubi__scenario_runner *runner, int milliseconds);
/** What it waits for. A failure shows when it is read from. */
void ubi__scenario_runner_answer(const ubi__scenario_runner *runner);
/** Ends it and the browser, and deletes the profile. */
void ubi__scenario_runner_stop(ubi__scenario_runner *runner);

#endif
