/* SPDX-License-Identifier: MIT
 *
 * scenario.h: three snapshots of a page: before an action, after it, and when it was undone, by a script of the user's.
 */
#ifndef UBI_CLI_SCENARIO_H
#define UBI_CLI_SCENARIO_H

#include "cli/heap_series.h"
#include "cli/scenario/scenario_runner.h"

/** Whether an operand is chrome:URL, and not the address of a browser that runs. @param url  out: borrowed of it; "": it has none. */
bool ubi__scenario_is_address(const char *operand, const char **url);

/**
 * Starts a browser, has the script load a page, act and undo that, and takes the snapshots "baseline", "target" and "final". The browser is
 * closed when it returns.
 * @param out  closed by ubi__heap_series_close, also after a failure.
 * Errors: UBI_EFORMAT (the script, with its line), UBI_EIO (browser, library, connection), UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__scenario_take(ubi__heap_series *out, ubi__cli *cli, const ubi__scenario_options *options);

#endif
