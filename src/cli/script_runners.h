/* SPDX-License-Identifier: MIT
 *
 * script_runners.h: the engines that the tool was built with.
 */
#ifndef UBI_CLI_SCRIPT_RUNNERS_H
#define UBI_CLI_SCRIPT_RUNNERS_H

#include "targets/script_runner.h"

/** The first one runs scripts; NULL after the last. */
extern const ubi__script_runner *const ubi__script_runners[];

#endif
