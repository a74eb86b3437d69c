/* SPDX-License-Identifier: MIT
 *
 * remote_missing.h: what to say when an answer about a process lacks runtimes.
 */
#ifndef UBI_CLI_REMOTE_MISSING_H
#define UBI_CLI_REMOTE_MISSING_H

#include "cli/command.h"
#include "targets/remote.h"

/** Prints a line on standard error with the runtimes that an answer lacks, if there are any. `cli` is borrowed. */
ubi__remote_witness ubi__remote_missing_witness(ubi__cli *cli);

#endif
