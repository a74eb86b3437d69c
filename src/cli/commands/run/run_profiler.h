/* SPDX-License-Identifier: MIT
 *
 * run_profiler.h: the memory profiler that the runtimes of a run share, with names for native frames.
 */
#ifndef UBI_CLI_RUN_PROFILER_H
#define UBI_CLI_RUN_PROFILER_H

#include <ubiheap/core/profiler.h>

typedef struct ubi__run_profiler ubi__run_profiler;

/** Nothing is recorded until a script starts it. `hooks_folder`: see ubi__script_runner; static. Errors: UBI_ENOMEM. */
ubi_status ubi__run_profiler_new(ubi__run_profiler **out, const char *hooks_folder);
ubi_profiler *ubi__run_profiler_get(ubi__run_profiler *p);
/** The main program has finished: frees what names took. NULL is fine. */
void ubi__run_profiler_finish(ubi__run_profiler *p);

#endif
