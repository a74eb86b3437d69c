/* SPDX-License-Identifier: MIT
 *
 * js_webidl.c: conversions and errors after WebIDL.
 */
#include "engines/quickjs/js_webidl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "engines/quickjs/js_facts.h"

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef struct result_row {
    const char *name;
    uint32_t number;
} result_row;

static const result_row results[] = {
    [UBI__JS_ILLEGAL_VALUE] = { "NS_ERROR_ILLEGAL_VALUE", 0x80070057 },
    [UBI__JS_UNEXPECTED] = { "NS_ERROR_UNEXPECTED", 0x8000ffff },
    [UBI__JS_NO_MEMORY] = { "NS_ERROR_OUT_OF_MEMORY", 0x8007000e },
    [UBI__JS_FILE_NOT_FOUND] = { "NS_ERROR_FILE_NOT_FOUND", 0x80520012 },
    [UBI__JS_FILE_ACCESS_DENIED] = { "NS_ERROR_FILE_ACCESS_DENIED", 0x80520015 },
    [UBI__JS_FILE_UNRECOGNIZED_PATH] = { "NS_ERROR_FILE_UNRECOGNIZED_PATH", 0x80520001 },
    [UBI__JS_FAILURE] = { "NS_ERROR_FAILURE", 0x80004005 },
};

/** Adds a property to an error, which is taken; the value too. The error, or the exception that came in between. */
static JSValue with_property(JSContext *ctx, JSValue error, const char *name, JSValue value) {
    int flags = JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE;
    if (JS_IsException(value) || JS_DefinePropertyValueStr(ctx, error, name, value, flags) < 0) {
        JS_FreeValue(ctx, error);
        return JS_GetException(ctx);
    }
    return error;
}

JSValue ubi__js_throw_result(JSContext *ctx, ubi__js_result result, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ubi__js_throw(ctx, UBI__JS_ERROR, "%s", text);
    JSValue error = JS_GetException(ctx);
    if (JS_IsObject(error))
        error = with_property(ctx, error, "name", JS_NewString(ctx, results[result].name));
    if (JS_IsObject(error))
        error = with_property(ctx, error, "result", JS_NewFloat64(ctx, results[result].number));
    return JS_Throw(ctx, error);
}

JSValue ubi__js_throw_failure(JSContext *ctx, ubi_status status, ubi__js_result result) {
    if (status == UBI_ENOMEM)
        return JS_ThrowOutOfMemory(ctx);
    return ubi__js_throw_result(ctx, result, "%s", ubi_error_message());
}

/* ---- arguments and receivers ------------------------------------------------------------------------------------- */

int ubi__js_require_arguments(JSContext *ctx, int argc, int wanted, const char *name) {
    if (argc >= wanted)
        return 0;
    ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s: At least %d argument%s required, but only %d passed", name, wanted,
                  wanted == 1 ? "" : "s", argc);
    return -1;
}

int ubi__js_require_object(JSContext *ctx, JSValueConst value, const char *name, int argument) {
    if (JS_IsObject(value))
        return 0;
    ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s: Argument %d is not an object.", name, argument);
    return -1;
}

void *ubi__js_receiver(JSContext *ctx, JSValueConst this_value, ubi__js_class class, const char *interface,
                       const char *method) {
    void *opaque = JS_IsObject(this_value) ? ubi__js_opaque(this_value, class) : NULL;
    if (!opaque)
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "'%s' called on an object that does not implement interface %s.", method,
                      interface);
    return opaque;
}

int ubi__js_to_uint64(JSContext *ctx, uint64_t *out, JSValueConst value) {
    static const double two_to_64 = 18446744073709551616.0;
    double number;
    if (ubi__js_to_number(ctx, &number, value))
        return -1;
    double whole = isfinite(number) ? fmod(trunc(number), two_to_64) : 0;
    *out = whole < 0 ? 0 - (uint64_t)-whole : (uint64_t)whole;
    return 0;
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

/** The value of a step of an iteration; *done: it was the last. Owned, or an exception. */
static JSValue next_element(JSContext *ctx, JSValueConst iterator, JSValueConst next, bool *done) {
    JSValue step = JS_Call(ctx, next, iterator, 0, NULL);
    if (JS_IsException(step))
        return step;
    if (!JS_IsObject(step)) {
        JS_FreeValue(ctx, step);
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "iterator.next() returned a non-object value");
    }
    JSValue is_done = JS_GetPropertyStr(ctx, step, "done");
    int truth = JS_ToBool(ctx, is_done); /* -1 for an exception */
    JS_FreeValue(ctx, is_done);
    *done = truth > 0;
    JSValue value = truth < 0 ? JS_EXCEPTION : truth ? JS_UNDEFINED : JS_GetPropertyStr(ctx, step, "value");
    JS_FreeValue(ctx, step);
    return value;
}

static int each_step(JSContext *ctx, JSValueConst iterator, ubi__js_element_fn fn, void *payload) {
    JSValue next = JS_GetPropertyStr(ctx, iterator, "next");
    bool done = false;
    int failed = JS_IsException(next) ? -1 : 0;
    while (!failed && !done) {
        JSValue element = next_element(ctx, iterator, next, &done);
        failed = JS_IsException(element) ? -1 : done ? 0 : fn(ctx, payload, element);
        JS_FreeValue(ctx, element);
    }
    JS_FreeValue(ctx, next);
    return failed;
}

int ubi__js_each_element(JSContext *ctx, JSValueConst sequence, const char *what, ubi__js_element_fn fn,
                         void *payload) {
    JSValue method = JS_IsObject(sequence) ? JS_GetProperty(ctx, sequence, ubi__iterator_atom()) : JS_UNDEFINED;
    if (JS_IsException(method))
        return -1;
    if (!JS_IsFunction(ctx, method)) {
        JS_FreeValue(ctx, method);
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s can't be converted to a sequence.", what);
        return -1;
    }
    JSValue iterator = JS_Call(ctx, method, sequence, 0, NULL);
    JS_FreeValue(ctx, method);
    if (JS_IsException(iterator))
        return -1;
    int failed = each_step(ctx, iterator, fn, payload);
    JS_FreeValue(ctx, iterator);
    return failed;
}

/* ---- interfaces -------------------------------------------------------------------------------------------------- */

static JSValue refuse_to_construct(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "Illegal constructor.");
}

static int define_operations(JSContext *ctx, JSValueConst prototype, const ubi__js_operation *list) {
    for (; list->name; list++) {
        JSValue function = JS_NewCFunction(ctx, list->call, list->name, list->length);
        if (JS_IsException(function) ||
            JS_DefinePropertyValueStr(ctx, prototype, list->name, function, JS_PROP_C_W_E) < 0)
            return -1;
    }
    return 0;
}

static int define_tag(JSContext *ctx, JSValueConst prototype, const char *name) {
    JSValue tag = JS_NewString(ctx, name);
    if (JS_IsException(tag))
        return -1;
    return JS_DefinePropertyValue(ctx, prototype, ubi__to_string_tag_atom(), tag, JS_PROP_CONFIGURABLE) < 0 ? -1 : 0;
}

JSValue ubi__js_interface_new(JSContext *ctx, const ubi__js_interface *interface) {
    JSValue object = ubi__js_new_constructor(ctx, interface->class, interface->name, 0, refuse_to_construct);
    if (JS_IsException(object))
        return object;
    JSValue prototype = JS_GetClassProto(ctx, ubi__js_class_id(interface->class));
    int failed = define_operations(ctx, prototype, interface->operations);
    if (!failed)
        failed =
            ubi__js_define_accessors(ctx, prototype, interface->attributes, JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE);
    if (!failed)
        failed = define_tag(ctx, prototype, interface->name);
    JS_FreeValue(ctx, prototype);
    if (!failed)
        return object;
    JS_FreeValue(ctx, object);
    return JS_EXCEPTION;
}
