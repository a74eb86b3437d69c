/* SPDX-License-Identifier: MIT
 *
 * js_complete.h: names that continue what is typed.
 */
#ifndef UBI_QUICKJS_JS_COMPLETE_H
#define UBI_QUICKJS_JS_COMPLETE_H

#include <ubiheap/extension/console.h>

#include <quickjs.h>

/** See ubi_console_complete. No code of the program runs; where there is no memory, names are left out. No exception is left. */
void ubi__js_complete(JSContext *ctx, ubi_text text, ubi_completion_fn fn, void *payload, ubi_completion *out);

#endif
