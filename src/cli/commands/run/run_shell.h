/* SPDX-License-Identifier: MIT
 *
 * run_shell.h: `ubiheap run --interactive`: what is typed is run, line by line, and looked into.
 */
#ifndef UBI_CLI_RUN_SHELL_H
#define UBI_CLI_RUN_SHELL_H

#include "targets/script_runner.h"

typedef struct ubi__run ubi__run;

/** For the hooks of a run that is interactive. */
ubi__script_farewell ubi__run_converse(void *run, const ubi__script_shell *shell);
bool ubi__run_is_stopped(void *run, bool forget);

#endif
