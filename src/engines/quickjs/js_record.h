/* SPDX-License-Identifier: MIT
 *
 * js_record.h: plain objects and arrays for scripts, built member by member without looking at each step whether it failed.
 */
#ifndef UBI_QUICKJS_JS_RECORD_H
#define UBI_QUICKJS_JS_RECORD_H

#include "engines/quickjs/engine.h"

/** An object under construction: once a member could not be made, there is none. */
typedef struct ubi__js_record {
    JSContext *ctx;
    JSValue object; /* or an exception */
} ubi__js_record;

static inline ubi__js_record ubi__js_record_new(JSContext *ctx) {
    return (ubi__js_record){ ctx, JS_NewObject(ctx) };
}

/** Takes the value. */
static inline void ubi__js_record_set(ubi__js_record *r, const char *name, JSValue value) {
    if (JS_IsException(r->object)) {
        JS_FreeValue(r->ctx, value);
        return;
    }
    if (!JS_IsException(value) && JS_DefinePropertyValueStr(r->ctx, r->object, name, value, JS_PROP_C_W_E) >= 0)
        return;
    JS_FreeValue(r->ctx, r->object);
    r->object = JS_EXCEPTION;
}

/** Puts an element at the end of an array; takes it. False: the array is freed, and an exception is pending. */
static inline bool ubi__js_array_put(JSContext *ctx, JSValueConst array, uint32_t i, JSValue element) {
    if (!JS_IsException(element) && JS_DefinePropertyValueUint32(ctx, array, i, element, JS_PROP_C_W_E) >= 0)
        return true;
    JS_FreeValue(ctx, array);
    return false;
}

static inline JSValue ubi__js_text_of(JSContext *ctx, ubi_text text) {
    return JS_NewStringLen(ctx, text.ptr ? text.ptr : "", text.len);
}

#endif
