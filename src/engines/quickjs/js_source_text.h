/* SPDX-License-Identifier: MIT
 *
 * js_source_text.h: a value as source text, for messages.
 */
#ifndef UBI_QUICKJS_JS_SOURCE_TEXT_H
#define UBI_QUICKJS_JS_SOURCE_TEXT_H

#include "engines/quickjs/js_text.h"

/**
 * Appends an object that cannot be called as source text: "({})", "({a:1, b:\"x\"})", "[]". Objects inside it are shown
 * empty, accessors and what is not a plain object or array too, so no code of scripts runs. 0, or -1 with an exception.
 */
int ubi__js_source_text(JSContext *ctx, ubi__js_text *text, JSValueConst object);

#endif
