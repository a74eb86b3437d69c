/* SPDX-License-Identifier: MIT
 *
 * quickjs_runner.h: QuickJS as an engine that runs scripts (targets/script_runner.h).
 */
#ifndef UBI_QUICKJS_RUNNER_H
#define UBI_QUICKJS_RUNNER_H

#include "targets/script_runner.h"

extern const ubi__script_runner ubi__quickjs_runner;

#endif
