/* SPDX-License-Identifier: MIT
 *
 * js_errors.c: throwing, and the checks that throw.
 */
#include "engines/quickjs/js_errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/js_facts.h"

/** A new error object without message, of the realm's own kinds. */
static JSValue new_error(JSContext *ctx, ubi__js_error error) {
    if (error == UBI__JS_ERROR)
        return JS_NewError(ctx);
    if (error == UBI__JS_TYPE_ERROR)
        JS_ThrowTypeError(ctx, "%s", "");
    else
        JS_ThrowRangeError(ctx, "%s", "");
    return JS_GetException(ctx); /* null when there was no memory for it */
}

static JSValue throw_text(JSContext *ctx, ubi__js_error error, const char *text, size_t len) {
    JSValue object = new_error(ctx, error);
    if (JS_IsObject(object)) {
        JSValue message = JS_NewStringLen(ctx, text, len);
        if (JS_IsException(message) ||
            JS_DefinePropertyValueStr(ctx, object, "message", message, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) < 0) {
            JS_FreeValue(ctx, object);
            return JS_EXCEPTION;
        }
    }
    return JS_IsException(object) ? object : JS_Throw(ctx, object);
}

JSValue ubi__js_throw(JSContext *ctx, ubi__js_error error, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len < (int)sizeof text)
        return throw_text(ctx, error, text, len < 0 ? 0 : (size_t)len);
    char *longer = js_malloc(ctx, (size_t)len + 1);
    if (!longer)
        return JS_EXCEPTION;
    va_start(args, format);
    vsnprintf(longer, (size_t)len + 1, format, args);
    va_end(args);
    JSValue thrown = throw_text(ctx, error, longer, (size_t)len);
    js_free(ctx, longer);
    return thrown;
}

JSValue ubi__js_throw_status(JSContext *ctx, ubi_status status) {
    if (status == UBI_ENOMEM)
        return JS_ThrowOutOfMemory(ctx);
    return ubi__js_throw(ctx, UBI__JS_ERROR, "%s", ubi_error_message());
}

static const char *type_word(JSContext *ctx, JSValueConst value) {
    if (JS_IsUndefined(value))
        return "undefined";
    if (JS_IsNull(value))
        return "null";
    if (JS_IsBool(value))
        return "boolean";
    if (JS_IsNumber(value))
        return "number";
    if (JS_IsString(value))
        return "string";
    if (JS_IsSymbol(value))
        return "symbol";
    return ubi__is_big_int(ctx, value) ? "bigint" : NULL;
}

ubi__js_word ubi__js_word_of(JSContext *ctx, JSValueConst value) {
    ubi__js_word word = { "" };
    const char *type = type_word(ctx, value);
    if (type || !JS_IsObject(value)) { /* ropes, short integers and whatever else an engine has */
        snprintf(word.text, sizeof word.text, "%s", type ? type : "value");
        return word;
    }
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), value);
    const char *class_name = JS_AtomToCString(ctx, facts.class_name);
    if (class_name)
        snprintf(word.text, sizeof word.text, "%s", class_name);
    else
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeCString(ctx, class_name);
    return word;
}

int ubi__js_require_argument(JSContext *ctx, int argc, const char *name) {
    if (argc >= 1)
        return 0;
    ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s: At least 1 argument required, but only 0 passed", name);
    return -1;
}

void *ubi__js_this(JSContext *ctx, JSValueConst this_value, ubi__js_class class, const char *prototype,
                   const char *method) {
    if (!JS_IsObject(this_value)) {
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s is not a non-null object", ubi__js_word_of(ctx, this_value).text);
        return NULL;
    }
    void *opaque = ubi__js_opaque(this_value, class);
    if (opaque)
        return opaque;
    ubi__js_word word = { "prototype object" };
    if (!ubi__js_is_prototype(ctx, this_value, class))
        word = ubi__js_word_of(ctx, this_value);
    ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s.prototype.%s called on incompatible %s", prototype, method, word.text);
    return NULL;
}

/** What can be known before a conversion runs code of scripts. 0, or -1 having thrown. */
static int refuse_conversion(JSContext *ctx, JSValueConst value) {
    if (JS_IsSymbol(value))
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "can't convert symbol to number");
    else if (!JS_IsObject(value) && strcmp(ubi__js_word_of(ctx, value).text, "bigint") == 0)
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "can't convert BigInt to number");
    else
        return 0;
    return -1;
}

int ubi__js_to_number(JSContext *ctx, double *out, JSValueConst value) {
    return refuse_conversion(ctx, value) || JS_ToFloat64(ctx, out, value) ? -1 : 0;
}

int ubi__js_to_int32(JSContext *ctx, int32_t *out, JSValueConst value) {
    return refuse_conversion(ctx, value) || JS_ToInt32(ctx, out, value) ? -1 : 0;
}

JSValue ubi__js_to_string(JSContext *ctx, JSValueConst value) {
    if (JS_IsSymbol(value))
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "can't convert symbol to string");
    return JS_ToString(ctx, value);
}
