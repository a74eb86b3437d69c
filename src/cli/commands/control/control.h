/* SPDX-License-Identifier: MIT
 *
 * control.h: what the parts of `ubiheap control` share.
 */
#ifndef UBI_CLI_COMMANDS_CONTROL_CONTROL_H
#define UBI_CLI_COMMANDS_CONTROL_CONTROL_H

#include "cli/command.h"
#include "recording/recording_summary.h"
#include "targets/native/native_control.h"

typedef struct ubi__control_arguments {
    const char *output, *format;
    bool is_extended;
    int symbols;
} ubi__control_arguments;

/** Formats of `results`: those of `export`, and a recording. NULL ends it. */
extern const char *const ubi__control_formats[];

/**
 * Writes the results of a process to standard output or a file. Errors: UBI_ESTATE (there are none), those of asking, reading and writing.
 */
ubi_status ubi__control_results(ubi__cli *cli, const ubi__control_arguments *arguments, pid_t pid, int *exit_code);
/** Sums over what was recorded since a reset, until now. @param out  owned. Errors: those of asking and reading. */
ubi_status ubi__control_sum(ubi__cli *cli, ubi__recording_summary *out, ubi__control_facts *facts, pid_t pid);

#endif
