/* SPDX-License-Identifier: MIT
 *
 * host_inspect_words.c: primitive values, names and classes.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engines/quickjs/host/host_inspect.h"

#define CLASS_OBJECT 1 /* the engine's number of class Object, which comes first in all versions */
#define MOST_PROTOTYPES 100

void ubi__inspect_forget(JSContext *realm) {
    JS_FreeValue(realm, JS_GetException(realm));
}

void ubi__inspect_string(ubi__host_text *out, JSContext *realm, JSValueConst value) {
    size_t n;
    const char *text = JS_ToCStringLen(realm, &n, value);
    if (text)
        ubi__host_text_add(out, text, n);
    else
        ubi__inspect_forget(realm);
    JS_FreeCString(realm, text);
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

/* The first of ' " ` that the text does not have. */
static char quote_for(const char *text, size_t n) {
    if (!memchr(text, '\'', n))
        return '\'';
    if (!memchr(text, '"', n))
        return '"';
    return memchr(text, '`', n) ? '\'' : '`';
}

static void write_escaped(ubi__host_text *out, char c, char quote) {
    static const char letters[] = "\bb\tt\nn\vv\ff\rr";
    const char *letter = c ? strchr(letters, c) : NULL;
    if (c == quote || c == '\\')
        ubi__host_text_printf(out, "\\%c", c);
    else if (letter && (letter - letters) % 2 == 0)
        ubi__host_text_printf(out, "\\%c", letter[1]);
    else if ((unsigned char)c < 0x20 || c == 0x7f)
        ubi__host_text_printf(out, "\\x%02X", (unsigned)c);
    else
        ubi__host_text_add(out, &c, 1);
}

void ubi__inspect_quoted(ubi__host_text *out, const char *text, size_t n) {
    char quote = quote_for(text, n);
    ubi__host_text_add(out, &quote, 1);
    for (size_t i = 0; i < n; i++)
        write_escaped(out, text[i], quote);
    ubi__host_text_add(out, &quote, 1);
}

static void write_quoted(ubi__host_text *out, JSContext *realm, JSValueConst value) {
    size_t n;
    const char *text = JS_ToCStringLen(realm, &n, value);
    if (text)
        ubi__inspect_quoted(out, text, n);
    else
        ubi__inspect_forget(realm);
    JS_FreeCString(realm, text);
}

/* ---- primitives --------------------------------------------------------------------------------------------------- */

static void write_symbol(ubi__host_text *out, JSContext *realm, JSValueConst symbol) {
    JSAtom atom = JS_ValueToAtom(realm, symbol);
    const char *text = atom == JS_ATOM_NULL ? NULL : JS_AtomToCString(realm, atom);
    ubi__host_text_puts(out, "Symbol(");
    ubi__host_text_puts(out, text ? text : "");
    ubi__host_text_puts(out, ")");
    JS_FreeCString(realm, text);
    JS_FreeAtom(realm, atom);
}

static bool is_negative_zero(JSContext *realm, JSValueConst value) {
    double number = 1;
    return JS_IsNumber(value) && JS_ToFloat64(realm, &number, value) == 0 && number == 0 && signbit(number);
}

void ubi__inspect_primitive(ubi__host_text *out, JSContext *realm, JSValueConst value) {
    if (JS_IsString(value)) {
        write_quoted(out, realm, value);
    } else if (JS_IsSymbol(value)) {
        write_symbol(out, realm, value);
    } else if (is_negative_zero(realm, value)) {
        ubi__host_text_puts(out, "-0");
    } else {
        ubi__inspect_string(out, realm, value);
        if (!JS_IsNumber(value) && !JS_IsBool(value) && !JS_IsNull(value) && !JS_IsUndefined(value) &&
            JS_IsBigInt(realm, value))
            ubi__host_text_puts(out, "n");
    }
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

static bool is_identifier(const char *text) {
    static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$";
    if (!text[0] || !strchr(first, text[0]))
        return false;
    for (; *text; text++)
        if (!strchr(first, *text) && !(*text >= '0' && *text <= '9'))
            return false;
    return true;
}

void ubi__inspect_key(ubi__host_text *out, JSContext *realm, JSAtom name) {
    JSValue value = JS_AtomToValue(realm, name);
    const char *text = JS_IsSymbol(value) ? NULL : JS_AtomToCString(realm, name);
    if (JS_IsSymbol(value)) {
        ubi__host_text_puts(out, "[");
        write_symbol(out, realm, value);
        ubi__host_text_puts(out, "]");
    } else if (text && is_identifier(text)) {
        ubi__host_text_puts(out, text);
    } else if (text) {
        ubi__inspect_quoted(out, text, strlen(text));
    }
    JS_FreeCString(realm, text);
    JS_FreeValue(realm, value);
}

/* ---- classes ------------------------------------------------------------------------------------------------------ */

/* A property of the object itself that is no getter; else undefined. */
static JSValue own_value(JSContext *realm, JSValueConst object, const char *name) {
    JSPropertyDescriptor property;
    JSAtom atom = JS_NewAtom(realm, name);
    int found = atom == JS_ATOM_NULL ? -1 : JS_GetOwnProperty(realm, &property, object, atom);
    JS_FreeAtom(realm, atom);
    if (found < 0)
        ubi__inspect_forget(realm);
    if (found <= 0)
        return JS_UNDEFINED;
    JS_FreeValue(realm, property.getter);
    JS_FreeValue(realm, property.setter);
    return property.value;
}

/* Whether the prototype has a constructor with a name. */
static bool write_constructor(ubi__host_text *out, JSContext *realm, JSValueConst prototype) {
    JSValue constructor = own_value(realm, prototype, "constructor");
    JSValue name = JS_IsObject(constructor) ? own_value(realm, constructor, "name") : JS_UNDEFINED;
    size_t n = out->n;
    if (JS_IsString(name))
        ubi__inspect_string(out, realm, name);
    JS_FreeValue(realm, name);
    JS_FreeValue(realm, constructor);
    return out->n > n;
}

bool ubi__inspect_class(ubi__host_text *out, JSContext *realm, JSValueConst object) {
    JSValue at = JS_DupValue(realm, object);
    bool found = false;
    for (int i = 0; !found && i < MOST_PROTOTYPES; i++) {
        JSValue next = JS_GetPrototype(realm, at);
        JS_FreeValue(realm, at);
        at = next;
        if (JS_IsException(at))
            ubi__inspect_forget(realm);
        if (!JS_IsObject(at))
            break;
        found = write_constructor(out, realm, at);
    }
    JS_FreeValue(realm, at);
    return found;
}

/* "[object Map]" */
void ubi__inspect_tag(char *out, size_t size, JSContext *realm, JSValueConst object) {
    JSValue prototype = JS_GetClassProto(realm, CLASS_OBJECT);
    JSValue function = JS_GetPropertyStr(realm, prototype, "toString");
    JSValue text = JS_Call(realm, function, object, 0, NULL);
    const char *tag = JS_IsString(text) ? JS_ToCString(realm, text) : NULL;
    size_t n = tag ? strlen(tag) : 0;
    snprintf(out, size, "%.*s", n > 9 ? (int)(n - 9) : 0, n > 9 ? tag + 8 : "");
    if (JS_IsException(text))
        ubi__inspect_forget(realm);
    JS_FreeCString(realm, tag);
    JS_FreeValue(realm, text);
    JS_FreeValue(realm, function);
    JS_FreeValue(realm, prototype);
}
