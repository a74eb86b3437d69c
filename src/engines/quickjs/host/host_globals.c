/* SPDX-License-Identifier: MIT
 *
 * host_globals.c: the global functions that scripts find, besides console and timers.
 */
#include "engines/quickjs/host/host_libc.h"
#include "engines/quickjs/host/host_state.h"

static uint64_t started_us; /* when the first host began: where performance.now counts from */

static JSValue collect_garbage(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    (void)n;
    (void)arguments;
    JS_RunGC(JS_GetRuntime(realm));
    return JS_UNDEFINED;
}

static JSValue performance_now(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    (void)n;
    (void)arguments;
    return JS_NewFloat64(realm, (double)(ubi__host_clock_us() - started_us) / 1000);
}

static JSValue run_microtask(JSContext *realm, int n, JSValueConst *arguments) {
    int64_t registered = 0;
    (void)n;
    JS_ToInt64(realm, &registered, arguments[1]);
    ubi_quickjs_timeline_cause(ubi__host_here->tools, "queueMicrotask callback", (ubi_quickjs_async)registered);
    JSValue result = JS_Call(realm, arguments[0], JS_UNDEFINED, 0, NULL);
    ubi_quickjs_timeline_cause(ubi__host_here->tools, NULL, 0);
    return result;
}

static JSValue queue_microtask(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    if (n < 1 || !JS_IsFunction(realm, arguments[0]))
        return JS_ThrowTypeError(realm, "queueMicrotask: the argument must be a function");
    int64_t registered = (int64_t)ubi_quickjs_timeline_register(ubi__host_here->tools);
    JSValueConst job[] = { arguments[0], JS_NewInt64(realm, registered) };
    return JS_EnqueueJob(realm, run_microtask, 2, job) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* The global object of a new realm, which lives as long as something leads to it. */
static JSValue new_global(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    (void)n;
    (void)arguments;
    JSContext *other = ubi__host_new_realm(JS_GetRuntime(realm));
    if (!other)
        return JS_ThrowOutOfMemory(realm);
    JSValue global = JS_GetGlobalObject(other);
    JS_FreeContext(other);
    return global;
}

static int add_performance(JSContext *realm, JSValueConst global) {
    static const JSCFunctionListEntry functions[] = { JS_CFUNC_DEF("now", 0, performance_now) };
    JSValue performance = JS_NewObject(realm);
    if (JS_IsException(performance))
        return -1;
    JS_SetPropertyFunctionList(realm, performance, functions, 1);
    return JS_DefinePropertyValueStr(realm, global, "performance", performance,
                                     JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

static int add_all(ubi__host *host, JSContext *realm, JSValueConst global) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("gc", 0, collect_garbage),
        JS_CFUNC_DEF("queueMicrotask", 1, queue_microtask),
    };
    static const JSCFunctionListEntry debugging[] = { JS_CFUNC_DEF("newGlobal", 0, new_global) };
    JS_SetPropertyFunctionList(realm, global, functions, sizeof functions / sizeof *functions);
    if (ubi__console_add_global(realm, global) < 0 || ubi__timers_add_globals(realm, global) < 0 ||
        add_performance(realm, global) < 0)
        return -1;
    /* Those that newGlobal makes are there to be debuggees. */
    if (!host->options->debugger || host->realms > 0)
        return 0;
    JS_SetPropertyFunctionList(realm, global, debugging, 1);
    return ubi_quickjs_add_debugger(host->tools, realm);
}

int ubi__host_add_globals(ubi__host *host, JSContext *realm) {
    const ubi__script_options *o = host->options;
    if (host->number == 0 && started_us == 0)
        started_us = ubi__host_clock_us();
    if (host->number == 0)
        ubi__libc_add_helpers(realm, o->n_arguments, o->arguments);
    else
        ubi__libc_add_helpers(realm, -1, NULL);
    JSValue global = JS_GetGlobalObject(realm);
    int result = add_all(host, realm, global);
    JS_FreeValue(realm, global);
    return result;
}
