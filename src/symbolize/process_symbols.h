/* SPDX-License-Identifier: MIT
 *
 * process_symbols.h: names of return addresses of this process.
 */
#ifndef UBI_SYMBOLIZE_PROCESS_SYMBOLS_H
#define UBI_SYMBOLIZE_PROCESS_SYMBOLS_H

#include <ubiheap/core/base.h>

/** As ubi_profiler_name_fn. */
typedef ubi_status (*ubi__symbol_name_fn)(void *payload, ubi_text name);

/**
 * A `name_address` of ubi_profiler_options: "function (file.c:12)", or "function (module)" when lines are unknown. What was read
 * of a module is kept until ubi_symbols_forget. Any thread; one at a time gets names.
 * @param payload  NULL, or a part of paths: inlined functions of such files are left out.
 */
UBI_API ubi_status ubi_symbols_name_address(void *payload, uintptr_t return_address, ubi__symbol_name_fn name,
                                            void *name_payload);
/** Frees what was read, unless a thread is getting names at this moment: that can take seconds in large programs. */
UBI_API void ubi_symbols_forget(void);

#endif
