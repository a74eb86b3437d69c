/* SPDX-License-Identifier: MIT
 *
 * js_properties.c: see js_properties.h.
 */
#include "engines/quickjs/js_properties.h"

#include "engines/quickjs/js_facts.h"

#define MOST_PROTOTYPES 100

void ubi__js_forget(JSContext *ctx) {
    JS_FreeValue(ctx, JS_GetException(ctx));
}

bool ubi__js_is_proxy(JSContext *ctx, JSValueConst object) {
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), object);
    return facts.is_proxy;
}

JSValue ubi__js_prototype(JSContext *ctx, JSValueConst object) {
    if (ubi__js_is_proxy(ctx, object))
        return JS_UNDEFINED;
    JSValue prototype = JS_GetPrototype(ctx, object);
    if (!JS_IsException(prototype))
        return prototype;
    ubi__js_forget(ctx);
    return JS_UNDEFINED;
}

void ubi__js_free_property(JSContext *ctx, JSPropertyDescriptor *property) {
    JS_FreeValue(ctx, property->value);
    JS_FreeValue(ctx, property->getter);
    JS_FreeValue(ctx, property->setter);
}

void ubi__js_free_names(JSContext *ctx, JSPropertyEnum *names, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        JS_FreeAtom(ctx, names[i].atom);
    js_free(ctx, names);
}

/* Whether the object itself has the property, with a value or not, or cannot be asked. */
static bool own_value_find(JSValue *out, JSContext *ctx, JSValueConst object, JSAtom name) {
    JSPropertyDescriptor property;
    if (ubi__js_is_proxy(ctx, object))
        return true;
    int found = JS_GetOwnProperty(ctx, &property, object, name);
    if (found < 0)
        ubi__js_forget(ctx);
    if (found > 0) {
        if (!(property.flags & JS_PROP_GETSET))
            *out = JS_DupValue(ctx, property.value);
        ubi__js_free_property(ctx, &property);
    }
    return found != 0;
}

JSValue ubi__js_own_value(JSContext *ctx, JSValueConst object, const char *name) {
    JSValue value = JS_UNDEFINED;
    JSAtom atom = JS_NewAtom(ctx, name);
    if (atom == JS_ATOM_NULL) {
        ubi__js_forget(ctx);
        return JS_UNDEFINED;
    }
    own_value_find(&value, ctx, object, atom);
    JS_FreeAtom(ctx, atom);
    return value;
}

bool ubi__js_has_own(JSContext *ctx, JSValueConst object, const char *name) {
    JSPropertyDescriptor property;
    JSAtom atom = ubi__js_is_proxy(ctx, object) ? JS_ATOM_NULL : JS_NewAtom(ctx, name);
    int found = atom == JS_ATOM_NULL ? 0 : JS_GetOwnProperty(ctx, &property, object, atom);
    if (found <= 0)
        ubi__js_forget(ctx);
    else
        ubi__js_free_property(ctx, &property);
    JS_FreeAtom(ctx, atom);
    return found > 0;
}

/* Of an own property. */
static JSValue property_read(JSContext *ctx, JSPropertyDescriptor *property, JSValueConst receiver) {
    JSValue value = JS_UNDEFINED;
    if (!(property->flags & JS_PROP_GETSET))
        value = JS_DupValue(ctx, property->value);
    else if (JS_IsFunction(ctx, property->getter))
        value = JS_Call(ctx, property->getter, receiver, 0, NULL);
    ubi__js_free_property(ctx, property);
    return value;
}

JSValue ubi__js_read(JSContext *ctx, JSValueConst object, JSAtom name, JSValueConst receiver) {
    JSValue at = JS_DupValue(ctx, object), value = JS_UNDEFINED;
    for (int i = 0; i < MOST_PROTOTYPES && JS_IsObject(at); i++) {
        JSPropertyDescriptor property;
        bool is_proxy = ubi__js_is_proxy(ctx, at);
        int found = is_proxy ? 0 : JS_GetOwnProperty(ctx, &property, at, name);
        if (is_proxy)
            value = JS_GetProperty(ctx, at, name);
        else if (found > 0)
            value = property_read(ctx, &property, receiver);
        else if (found < 0)
            value = JS_EXCEPTION;
        if (is_proxy || found != 0)
            break;
        JSValue prototype = ubi__js_prototype(ctx, at);
        JS_FreeValue(ctx, at);
        at = prototype;
    }
    JS_FreeValue(ctx, at);
    return value;
}

JSValue ubi__js_plain_value(JSContext *ctx, JSValueConst object, JSAtom name) {
    JSValue at = JS_DupValue(ctx, object), value = JS_UNDEFINED;
    for (int i = 0; i < MOST_PROTOTYPES && JS_IsObject(at); i++) {
        if (own_value_find(&value, ctx, at, name))
            break;
        JSValue prototype = ubi__js_prototype(ctx, at);
        JS_FreeValue(ctx, at);
        at = prototype;
    }
    JS_FreeValue(ctx, at);
    return value;
}

JSValue ubi__js_plain_value_str(JSContext *ctx, JSValueConst object, const char *name) {
    JSAtom atom = JS_NewAtom(ctx, name);
    if (atom == JS_ATOM_NULL) {
        ubi__js_forget(ctx);
        return JS_UNDEFINED;
    }
    JSValue value = ubi__js_plain_value(ctx, object, atom);
    JS_FreeAtom(ctx, atom);
    return value;
}
