/* SPDX-License-Identifier: MIT
 *
 * host_complete.c: names that continue what is typed.
 *
 * "console.lo": the path `console` is followed by plain properties alone, as a getter would run; then the names of what it leads to,
 * its own and its prototypes', are gone through. A lone name is one of the global object's.
 */
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/host/host_inspect.h"
#include "engines/quickjs/host/host_state.h"
#include "engines/quickjs/js_properties.h"

#define MOST_PROTOTYPES 100

typedef struct span {
    const char *at;
    size_t n;
} span;

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

/* The path of names with points between at the end of a text. */
static span path_at_end(const char *text, size_t n) {
    size_t start = n;
    while (start > 0 && (is_name_byte(text[start - 1]) || text[start - 1] == '.'))
        start--;
    return (span){ text + start, n - start };
}

/* ---- following a path ----------------------------------------------------------------------------------------------- */

/* A variable of the program's, which no object has: let, const, class. */
static JSValue lexical_variable(JSContext *realm, span name) {
    char text[128];
    if (name.n >= sizeof text || (*name.at >= '0' && *name.at <= '9'))
        return JS_UNDEFINED;
    memcpy(text, name.at, name.n);
    text[name.n] = '\0';
    JSValue value = JS_Eval(realm, text, name.n, "<typed>", JS_EVAL_TYPE_GLOBAL);
    if (!JS_IsException(value))
        return value;
    ubi__inspect_forget(realm);
    return JS_UNDEFINED;
}

static bool has_property(JSContext *realm, JSValueConst object, JSAtom name) {
    int has = JS_HasProperty(realm, object, name);
    if (has < 0)
        ubi__inspect_forget(realm);
    return has > 0;
}

/* A primitive has the properties of its object. */
static JSValue object_of(JSContext *realm, JSValue value) {
    if (JS_IsObject(value) || JS_IsUndefined(value) || JS_IsNull(value))
        return value;
    JSValue global = JS_GetGlobalObject(realm), maker = JS_GetPropertyStr(realm, global, "Object");
    JSValueConst arguments[] = { value };
    JSValue object = JS_IsFunction(realm, maker) ? JS_Call(realm, maker, JS_UNDEFINED, 1, arguments) : JS_UNDEFINED;
    if (JS_IsException(object)) {
        ubi__inspect_forget(realm);
        object = JS_UNDEFINED;
    }
    JS_FreeValue(realm, maker);
    JS_FreeValue(realm, global);
    JS_FreeValue(realm, value);
    return object;
}

static JSValue follow_name(JSContext *realm, JSValueConst from, span name, bool is_first) {
    JSAtom atom = JS_NewAtomLen(realm, name.at, name.n);
    if (atom == JS_ATOM_NULL) {
        ubi__inspect_forget(realm);
        return JS_UNDEFINED;
    }
    bool is_variable = is_first && !has_property(realm, from, atom);
    JSValue value = is_variable ? lexical_variable(realm, name) : ubi__js_plain_value(realm, from, atom);
    JS_FreeAtom(realm, atom);
    return object_of(realm, value);
}

/* What the names before the last point lead to; the global object without one. */
static JSValue follow_path(JSContext *realm, span path) {
    JSValue at = JS_GetGlobalObject(realm);
    bool is_first = true;
    for (const char *point; (point = memchr(path.at, '.', path.n)) && JS_IsObject(at); is_first = false) {
        span name = { path.at, (size_t)(point - path.at) };
        JSValue next = name.n ? follow_name(realm, at, name, is_first) : JS_UNDEFINED;
        JS_FreeValue(realm, at);
        at = next;
        path = (span){ point + 1, path.n - name.n - 1 };
    }
    return at;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

typedef struct finder {
    JSContext *realm;
    span begin; /* of the names */
    ubi__script_name_fn found;
    void *payload;
} finder;

static bool is_name(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_name_byte(text[i]))
            return false;
    return n > 0 && (*text < '0' || *text > '9');
}

static void finder_take(const finder *f, JSAtom atom) {
    const char *text = JS_AtomToCString(f->realm, atom);
    size_t n = text ? strlen(text) : 0;
    if (!text)
        ubi__inspect_forget(f->realm);
    else if (n >= f->begin.n && memcmp(text, f->begin.at, f->begin.n) == 0 && is_name(text, n))
        f->found(f->payload, text, n);
    JS_FreeCString(f->realm, text);
}

static void finder_own_names(const finder *f, JSValueConst object) {
    JSPropertyEnum *names;
    uint32_t n;
    if (JS_GetOwnPropertyNames(f->realm, &names, &n, object, JS_GPN_STRING_MASK) < 0) {
        ubi__inspect_forget(f->realm);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        finder_take(f, names[i].atom);
        JS_FreeAtom(f->realm, names[i].atom);
    }
    js_free(f->realm, names);
}

size_t ubi__host_complete(JSContext *realm, const char *text, size_t n, ubi__script_name_fn found, void *payload) {
    span path = path_at_end(text, n);
    size_t begin = path.n;
    while (begin > 0 && path.at[begin - 1] != '.')
        begin--;
    const finder f = { realm, { path.at + begin, path.n - begin }, found, payload };
    JSValue at = follow_path(realm, path);
    for (int i = 0; i < MOST_PROTOTYPES && JS_IsObject(at); i++) {
        finder_own_names(&f, at);
        JSValue prototype = ubi__inspect_prototype(realm, at);
        JS_FreeValue(realm, at);
        at = prototype;
    }
    JS_FreeValue(realm, at);
    return f.begin.n;
}
