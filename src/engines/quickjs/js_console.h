/* SPDX-License-Identifier: MIT
 *
 * js_console.h: consoles of a QuickJS target (ubiheap/extension/console.h).
 */
#ifndef UBI_QUICKJS_JS_CONSOLE_H
#define UBI_QUICKJS_JS_CONSOLE_H

#include <ubiheap/extension/console.h>

#include "engines/quickjs/engine.h"

/** @param scope, listener  may be NULL. Errors: UBI_EMISMATCH, UBI_ENOMEM. */
ubi_status ubi__js_console_open(ubi_console *out, ubi_quickjs *tools, const ubi_quickjs_scope *scope,
                                const ubi_console_listener *listener);
/** When tools end: closes all that are open. */
void ubi__close_consoles(ubi_quickjs *tools);

#endif
