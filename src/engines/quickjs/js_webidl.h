/* SPDX-License-Identifier: MIT
 *
 * js_webidl.h: arguments, receivers and errors of interfaces that Firefox describes in WebIDL, in its words.
 *
 * What a script did wrong by type is a TypeError. What cannot be done is an Error whose `name` and `result` are those of
 * Firefox ("NS_ERROR_ILLEGAL_VALUE", 0x80070057) and whose message says why.
 *
 * Source: mozilla-central dom/bindings/Errors.msg, xpcom/base/ErrorList.py.
 */
#ifndef UBI_QUICKJS_JS_WEBIDL_H
#define UBI_QUICKJS_JS_WEBIDL_H

#include "engines/quickjs/js_errors.h"

typedef enum ubi__js_result {
    UBI__JS_ILLEGAL_VALUE,
    UBI__JS_UNEXPECTED,
    UBI__JS_NO_MEMORY,
    UBI__JS_FILE_NOT_FOUND,
    UBI__JS_FILE_ACCESS_DENIED,
    UBI__JS_FILE_UNRECOGNIZED_PATH,
    UBI__JS_FAILURE
} ubi__js_result;

/** Throws; returns JS_EXCEPTION. */
JSValue ubi__js_throw_result(JSContext *ctx, ubi__js_result result, const char *format, ...) UBI_PRINTF(3, 4);
/** Throws what a failed call of ours means: `result` with its message, or out of memory. */
JSValue ubi__js_throw_failure(JSContext *ctx, ubi_status status, ubi__js_result result);

/** "NAME: At least 2 arguments required, but only 1 passed" when that is so. 0, or -1 having thrown. */
int ubi__js_require_arguments(JSContext *ctx, int argc, int wanted, const char *name);
/** "NAME: Argument 1 is not an object." when that is so. 0, or -1 having thrown. */
int ubi__js_require_object(JSContext *ctx, JSValueConst value, const char *name, int argument);
/** What `this` stands for; NULL having thrown that "'METHOD' called on an object that does not implement interface X." */
void *ubi__js_receiver(JSContext *ctx, JSValueConst this_value, ubi__js_class class, const char *interface,
                       const char *method);

/** ToNumber, cut to a whole number, modulo 2^64. 0, or -1 having thrown. */
int ubi__js_to_uint64(JSContext *ctx, uint64_t *out, JSValueConst value);

/** Takes an element of a sequence, in its order. 0, or -1 having thrown, which ends it. */
typedef int (*ubi__js_element_fn)(JSContext *ctx, void *payload, JSValueConst element);
/**
 * Any iterable object. `what` as messages name it: "WHAT can't be converted to a sequence."
 * 0, or -1 having thrown. Code of scripts runs meanwhile.
 */
int ubi__js_each_element(JSContext *ctx, JSValueConst sequence, const char *what, ubi__js_element_fn fn, void *payload);

/** An operation; its length is how many arguments it must have. */
typedef struct ubi__js_operation {
    const char *name;
    JSCFunction *call;
    int length;
} ubi__js_operation;
/** An interface that scripts can name but not construct. */
typedef struct ubi__js_interface {
    const char *name;
    ubi__js_class class;
    const ubi__js_accessor *attributes; /* both end at a NULL name */
    const ubi__js_operation *operations;
} ubi__js_interface;
/** The interface's object, with its prototype, for a realm. Owned, or an exception. */
JSValue ubi__js_interface_new(JSContext *ctx, const ubi__js_interface *interface);

#endif
