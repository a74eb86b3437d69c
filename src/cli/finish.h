/* SPDX-License-Identifier: MIT
 *
 * finish.h: how the tool ends: whatever went wrong becomes one line on standard error and an exit code.
 *
 * Nothing else in the project prints errors.
 */
#ifndef UBI_CLI_FINISH_H
#define UBI_CLI_FINISH_H

#include "cli/command.h"

/** Flushes standard output and, after a failure, says why. @return the exit code. */
int ubi__finish(ubi__cli *cli, ubi_status status, int exit_code);
/**
 * "ubiheap: SUBJECT: MESSAGE" on standard error; `subject` may be NULL. One thread at a time.
 */
void ubi__print_line(const char *subject, const char *message);

#endif
