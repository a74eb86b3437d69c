/* SPDX-License-Identifier: MIT
 *
 * engine_api.h: functions of quickjs.h and quickjs-libc.h that engines spell in more than one way.
 *
 * Which way is in ubi_features.h, made by probe.sh from the engine's headers.
 */
#ifndef UBI_QUICKJS_ENGINE_API_H
#define UBI_QUICKJS_ENGINE_API_H

#include <stdbool.h>

#include <quickjs.h>

#include "ubi_features.h"

/** What callbacks are given for true and false. */
#if UBI_API_BOOL
typedef JS_BOOL ubi__js_bool;
#else
typedef bool ubi__js_bool;
#endif

static inline bool ubi__is_error(JSContext *ctx, JSValueConst value) {
#if UBI_API_ERROR_ALONE
    (void)ctx;
    return JS_IsError(value);
#else
    return JS_IsError(ctx, value);
#endif
}

static inline bool ubi__is_big_int(JSContext *ctx, JSValueConst value) {
#if UBI_API_BIG_INT_ALONE
    (void)ctx;
    return JS_IsBigInt(value);
#else
    return JS_IsBigInt(ctx, value);
#endif
}

/** Negative: an exception is pending. */
static inline int ubi__is_array(JSContext *ctx, JSValueConst value) {
#if UBI_API_ARRAY_ALONE
    (void)ctx;
    return JS_IsArray(value);
#else
    return JS_IsArray(ctx, value);
#endif
}

#endif
