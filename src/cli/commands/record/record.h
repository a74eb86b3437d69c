/* SPDX-License-Identifier: MIT
 *
 * record.h: `ubiheap record` of a program that runs already, for `ubiheap attach PID`.
 */
#ifndef UBI_CLI_RECORD_H
#define UBI_CLI_RECORD_H

#include "cli/command.h"

extern const ubi__command ubi__command_record;

/** With the standard settings. @param output, duration  as record takes them; NULL: its standard. */
ubi_status ubi__record_attached(ubi__cli *cli, const char *pid, const char *output, const char *duration,
                                int *exit_code);

#endif
