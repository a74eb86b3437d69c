/* SPDX-License-Identifier: MIT
 *
 * tool.h: a command line, from its words to an exit code: the command is found, its options read, it is run, and whatever went
 * wrong becomes one line on standard error. Nothing else in the project prints errors.
 *
 * What is left to main is the process: descriptors and signals.
 */
#ifndef UBI_CLI_TOOL_H
#define UBI_CLI_TOOL_H

#include "cli/command.h"

/**
 * Runs argv[1..argc) as a command line. A FILE without a command is a report on it. `cli->output` is set, the rest of
 * `cli` zeroed; `*exit_code` is UBI__EXIT_OK, or another one if a command sets it.
 *
 * @param argv  argv[argc], reordered.
 */
ubi_status ubi__tool_run(ubi__cli *cli, char **argv, int argc, int *exit_code);
/** Flushes standard output and, after a failure, says why. @return the exit code. */
int ubi__finish(ubi__cli *cli, ubi_status status, int exit_code);

#endif
