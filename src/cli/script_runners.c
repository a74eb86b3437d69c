/* SPDX-License-Identifier: MIT
 *
 * script_runners.c: the list of engines that run scripts: the only file of the tool that knows one.
 */
#include "cli/script_runners.h"

#include "engines/quickjs/host/quickjs_runner.h"

const ubi__script_runner *const ubi__script_runners[] = { &ubi__quickjs_runner, NULL };
