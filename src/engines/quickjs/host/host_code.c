/* SPDX-License-Identifier: MIT
 *
 * host_code.c: code that comes without a file, and its value.
 */
#include <stdio.h>
#include <string.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/host/host_inspect.h"
#include "engines/quickjs/host/host_state.h"

/* ---- running ------------------------------------------------------------------------------------------------------ */

#ifdef JS_EVAL_FLAG_ASYNC
/*
 * Compiled so, whatever a script throws rejects its promise: an exception here is about its syntax. With `await` as a name, it
 * may yet be a script.
 */
static JSValue run_async(JSContext *realm, bool *is_async, const char *text, size_t n, const char *name) {
    JSValue result = JS_Eval(realm, text, n, name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_ASYNC);
    *is_async = !JS_IsException(result);
    if (*is_async)
        return result;
    JSValue error = JS_GetException(realm);
    JSValue script = JS_Eval(realm, text, n, name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(script)) {
        ubi__inspect_forget(realm);
        return JS_Throw(realm, error);
    }
    JS_FreeValue(realm, error);
    return JS_EvalFunction(realm, script);
}
#endif

JSValue ubi__host_run_code(JSContext *realm, bool *is_async, const char *text, size_t n, const char *name) {
    *is_async = false;
#ifdef JS_EVAL_FLAG_ASYNC
    if (memmem(text, n, "await", strlen("await")))
        return run_async(realm, is_async, text, n, name);
#endif
    return JS_Eval(realm, text, n, name, JS_EVAL_TYPE_GLOBAL);
}

/* ---- its value ---------------------------------------------------------------------------------------------------- */

void ubi__host_print(JSContext *realm, JSValueConst value) {
    ubi__host_text text = { 0 };
    ubi__inspect_plain(&text, realm, value);
    ubi__host_text_puts(&text, "\n");
    fwrite(text.ptr ? text.ptr : "", 1, text.n, stdout);
    ubi__host_text_fini(&text);
}

JSValue ubi__host_awaited_value(JSContext *realm, JSValueConst fulfilled) {
#if UBI_API_ASYNC_OBJECT
    return JS_GetPropertyStr(realm, fulfilled, "value");
#else
    return JS_DupValue(realm, fulfilled);
#endif
}

static JSValue print_settled(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    JSValue value = n > 0 ? ubi__host_awaited_value(realm, arguments[0]) : JS_UNDEFINED;
    if (JS_IsException(value))
        return value;
    ubi__host_print(realm, value);
    JS_FreeValue(realm, value);
    return JS_UNDEFINED;
}

JSValue ubi__host_then(JSContext *realm, JSValueConst promise, JSValueConst fulfilled, JSValueConst rejected) {
    JSValue then = JS_GetPropertyStr(realm, promise, "then");
    JSValueConst arguments[] = { fulfilled, rejected };
    JSValue result = JS_IsException(then) ? JS_EXCEPTION : JS_Call(realm, then, promise, 2, arguments);
    JS_FreeValue(realm, then);
    return result;
}

static JSValue print_later(JSContext *realm, JSValueConst promise) {
    JSValue print = JS_NewCFunction(realm, print_settled, "print", 1);
    JSValue result = JS_IsException(print) ? JS_EXCEPTION : ubi__host_then(realm, promise, print, JS_UNDEFINED);
    JS_FreeValue(realm, print);
    return result;
}

JSValue ubi__host_print_result(JSContext *realm, JSValue result, bool is_async) {
    JSValue next = JS_UNDEFINED;
    if (JS_IsException(result))
        return result;
    if (is_async)
        next = print_later(realm, result);
    else
        ubi__host_print(realm, result);
    JS_FreeValue(realm, result);
    return next;
}
