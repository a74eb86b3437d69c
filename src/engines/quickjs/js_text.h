/* SPDX-License-Identifier: MIT
 *
 * js_text.h: a text that grows while it is put together.
 */
#ifndef UBI_QUICKJS_JS_TEXT_H
#define UBI_QUICKJS_JS_TEXT_H

#include "engines/quickjs/engine.h"

/** All zero is an empty one. Memory of the engine's heap, so that a limit set on it holds here too. */
typedef struct ubi__js_text {
    char *at;
    size_t n, capacity;
} ubi__js_text;

void ubi__js_text_fini(JSContext *ctx, ubi__js_text *text);
/** All append: 0, or -1 with a pending exception. */
int ubi__js_text_bytes(JSContext *ctx, ubi__js_text *text, const char *bytes, size_t n);
int ubi__js_text_words(JSContext *ctx, ubi__js_text *text, const char *words);
int ubi__js_text_number(JSContext *ctx, ubi__js_text *text, uint64_t number);
/** ToString(value), which must not run code of scripts. */
int ubi__js_text_value(JSContext *ctx, ubi__js_text *text, JSValueConst value);
/** A string as SpiderMonkey's messages quote it: in quotes, with escapes for what is not ASCII. */
int ubi__js_text_quoted(JSContext *ctx, ubi__js_text *text, JSValueConst string);

#endif
