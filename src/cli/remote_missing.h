/* SPDX-License-Identifier: MIT
 *
 * remote_missing.h: what to say when an answer about a process lacks runtimes.
 */
#ifndef UBI_CLI_REMOTE_MISSING_H
#define UBI_CLI_REMOTE_MISSING_H

#include "targets/remote.h"

#define UBI__REMOTE_MISSING_TEXT 600

/** "did not answer, and is not in this: NAME; NAME", cut; false: none was missing since the last call. */
bool ubi__remote_missing_describe(char out[UBI__REMOTE_MISSING_TEXT], ubi__remote *remote, const ubi__remote_ops *ops);

#endif
