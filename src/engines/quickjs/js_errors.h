/* SPDX-License-Identifier: MIT
 *
 * js_errors.h: errors for scripts, in SpiderMonkey's words.
 *
 * The engine's own functions cut a message at 255 bytes; these do not.
 * Source: mozilla-central js/public/friend/ErrorNumbers.msg.
 */
#ifndef UBI_QUICKJS_JS_ERRORS_H
#define UBI_QUICKJS_JS_ERRORS_H

#include "engines/quickjs/js_classes.h"

typedef enum ubi__js_error { UBI__JS_ERROR, UBI__JS_TYPE_ERROR, UBI__JS_RANGE_ERROR } ubi__js_error;

/** Throws; returns JS_EXCEPTION. */
JSValue ubi__js_throw(JSContext *ctx, ubi__js_error error, const char *format, ...) UBI_PRINTF(3, 4);
/** Throws what a failed call of ours means: out of memory, or an Error with its message. */
JSValue ubi__js_throw_status(JSContext *ctx, ubi_status status);

/** What a message calls a value by: its type ("number", "null"), an object by its class ("Array"). */
typedef struct ubi__js_word {
    char text[64];
} ubi__js_word;
ubi__js_word ubi__js_word_of(JSContext *ctx, JSValueConst value);

/** "NAME: At least 1 argument required, but only 0 passed" when that is so. 0, or -1 having thrown. */
int ubi__js_require_argument(JSContext *ctx, int argc, const char *name);

/**
 * What `this` stands for, when it is a finished object of the class; else throws the TypeError of a receiver that does
 * not fit, and returns NULL.
 * @param prototype  as messages name it, such as "Debugger.Object"; `method` likewise.
 */
void *ubi__js_this(JSContext *ctx, JSValueConst this_value, ubi__js_class class, const char *prototype,
                   const char *method);

/** ToNumber and ToInt32 with SpiderMonkey's words for what cannot be converted. 0, or -1 having thrown. */
int ubi__js_to_number(JSContext *ctx, double *out, JSValueConst value);
int ubi__js_to_int32(JSContext *ctx, int32_t *out, JSValueConst value);
/** ToString likewise. Owned, or an exception. */
JSValue ubi__js_to_string(JSContext *ctx, JSValueConst value);

#endif
