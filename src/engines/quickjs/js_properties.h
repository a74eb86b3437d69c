/* SPDX-License-Identifier: MIT
 *
 * js_properties.h: properties read without calling getters or traps of proxies. What cannot be read so is undefined; no exception is left.
 */
#ifndef UBI_QUICKJS_JS_PROPERTIES_H
#define UBI_QUICKJS_JS_PROPERTIES_H

#include <stdbool.h>

#include <quickjs.h>

/** Forgets a pending exception. */
void ubi__js_forget(JSContext *ctx);
/** Whether looking at its properties calls a handler. Of an object. */
bool ubi__js_is_proxy(JSContext *ctx, JSValueConst object);
/** The prototype of an object: an object or null; undefined: a proxy. */
JSValue ubi__js_prototype(JSContext *ctx, JSValueConst object);
/** A property of the object itself, which has a value; else undefined. */
JSValue ubi__js_own_value(JSContext *ctx, JSValueConst object, const char *name);
/** Whether the object itself has the property; a proxy, which would have to be asked, has none. */
bool ubi__js_has_own(JSContext *ctx, JSValueConst object, const char *name);
/**
 * A property as the program reads it: getters, with `receiver` as `this`, and traps of proxies run. Owned, or an exception, which is
 * pending: the only one of these functions that leaves one.
 */
JSValue ubi__js_read(JSContext *ctx, JSValueConst object, JSAtom name, JSValueConst receiver);
/** The same as ubi__js_own_value, or of the first of its prototypes that has the property. */
JSValue ubi__js_plain_value(JSContext *ctx, JSValueConst object, JSAtom name);
JSValue ubi__js_plain_value_str(JSContext *ctx, JSValueConst object, const char *name);
/** Frees what JS_GetOwnProperty gave. */
void ubi__js_free_property(JSContext *ctx, JSPropertyDescriptor *property);
/** Frees what JS_GetOwnPropertyNames gave. */
void ubi__js_free_names(JSContext *ctx, JSPropertyEnum *names, uint32_t n);

#endif
