/* SPDX-License-Identifier: MIT
 *
 * js_debugger_hooks.c: calling the functions that scripts gave to a Debugger.
 *
 * They run at a safe point, never inside the collector, in the Debugger's realm, and their result is ignored.
 */
#include "engines/quickjs/js_debugger.h"
#include "engines/quickjs/js_report.h"

/* ---- exceptions -------------------------------------------------------------------------------------------------- */

/** Gives an exception that nobody takes to the host, as the reason of a promise that nobody waits for. */
static void hook_reject(JSContext *ctx, JSValueConst reason) {
    JSValue functions[2] = { JS_UNDEFINED, JS_UNDEFINED };
    JSValue promise = JS_NewPromiseCapability(ctx, functions);
    if (JS_IsException(promise)) {
        JS_FreeValue(ctx, JS_GetException(ctx)); /* no memory to tell it */
        return;
    }
    JSValue result = JS_Call(ctx, functions[1], JS_UNDEFINED, 1, &reason);
    if (JS_IsException(result))
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, functions[0]);
    JS_FreeValue(ctx, functions[1]);
    JS_FreeValue(ctx, promise);
}

void ubi__js_debugger_uncaught(JSContext *ctx, ubi__js_debugger *debugger) {
    JSValue exception = JS_GetException(ctx);
    if (!JS_IsNull(debugger->uncaught_exception_hook)) {
        JSValue hook = JS_DupValue(ctx, debugger->uncaught_exception_hook); /* it may be replaced meanwhile */
        JSValue result = JS_Call(ctx, hook, debugger->self, 1, &exception);
        JS_FreeValue(ctx, hook);
        JS_FreeValue(ctx, exception);
        JS_FreeValue(ctx, result);
        if (!JS_IsException(result))
            return;
        exception = JS_GetException(ctx);
    }
    hook_reject(ctx, exception);
    JS_FreeValue(ctx, exception);
}

/* ---- onGarbageCollection ----------------------------------------------------------------------------------------- */

/** Defines a property, whose value is taken. 0, or -1 with a pending exception. */
static int event_define(JSContext *ctx, JSValueConst object, const char *name, JSValue value) {
    if (JS_IsException(value))
        return -1;
    return JS_DefinePropertyValueStr(ctx, object, name, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

/** [{startTimestamp, endTimestamp}]: this collector never pauses in between. */
static JSValue new_slices(JSContext *ctx, const ubi_quickjs_collection *collection) {
    JSValue slice = JS_NewObject(ctx), slices = JS_NewArray(ctx);
    int failed = JS_IsException(slice) || JS_IsException(slices) ||
                 event_define(ctx, slice, "startTimestamp", JS_NewFloat64(ctx, collection->start_ms)) ||
                 event_define(ctx, slice, "endTimestamp", JS_NewFloat64(ctx, collection->end_ms));
    if (!failed)
        failed = JS_DefinePropertyValueUint32(ctx, slices, 0, JS_DupValue(ctx, slice), JS_PROP_C_W_E) < 0;
    JS_FreeValue(ctx, slice);
    if (failed)
        JS_FreeValue(ctx, slices);
    return failed ? JS_EXCEPTION : slices;
}

static JSValue string_or_null(JSContext *ctx, const char *text) {
    return text ? JS_NewString(ctx, text) : JS_NULL;
}

static JSValue new_statistics(JSContext *ctx, const ubi_quickjs_collection *collection) {
    JSValue object = JS_NewObject(ctx);
    int failed =
        JS_IsException(object) ||
        event_define(ctx, object, "nonincrementalReason", string_or_null(ctx, collection->nonincremental_reason)) ||
        event_define(ctx, object, "reason", string_or_null(ctx, collection->reason)) ||
        event_define(ctx, object, "gcCycleNumber", ubi__js_number(ctx, collection->cycle_number)) ||
        event_define(ctx, object, "collections", new_slices(ctx, collection));
    if (failed)
        JS_FreeValue(ctx, object);
    return failed ? JS_EXCEPTION : object;
}

static void on_collection(void *payload, const ubi_quickjs_collection *collection) {
    ubi__js_debugger *debugger = payload;
    if (JS_IsUndefined(debugger->on_garbage_collection))
        return;
    /* The hook may drop the last reference to its Debugger, or replace itself. */
    JSContext *ctx = JS_DupContext(debugger->realm);
    JSValue self = JS_DupValue(ctx, debugger->self), hook = JS_DupValue(ctx, debugger->on_garbage_collection);
    JSValue statistics = new_statistics(ctx, collection);
    JSValue result = JS_EXCEPTION;
    if (!JS_IsException(statistics))
        result = JS_Call(ctx, hook, self, 1, &statistics);
    if (JS_IsException(result))
        ubi__js_debugger_uncaught(ctx, debugger);
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, statistics);
    JS_FreeValue(ctx, hook);
    JS_FreeValue(ctx, self);
    JS_FreeContext(ctx);
}

void ubi__js_debugger_listen(ubi__js_debugger *debugger, bool on) {
    ubi_quickjs_observer_on_collection(debugger->observer, on ? on_collection : NULL, debugger);
}
