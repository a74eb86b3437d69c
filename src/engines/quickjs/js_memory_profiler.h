/* SPDX-License-Identifier: MIT
 *
 * js_memory_profiler.h: the memory profiler for scripts.
 */
#ifndef UBI_QUICKJS_JS_MEMORY_PROFILER_H
#define UBI_QUICKJS_JS_MEMORY_PROFILER_H

#include <quickjs.h>

/** An object with the methods of nsIMemoryProfiler. Owned, or an exception. */
JSValue ubi__js_memory_profiler_new(JSContext *ctx);

#endif
