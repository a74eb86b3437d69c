/* SPDX-License-Identifier: MIT
 *
 * js_complete.c: see js_complete.h.
 *
 * "console.lo": the path `console` is followed by plain properties alone, as a getter would run; then the names of what it leads to,
 * its own and its prototypes', are gone through. A lone name is a variable.
 */
#include "engines/quickjs/js_complete.h"

#include <string.h>

#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_properties.h"

#define MOST_PROTOTYPES 100

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static bool is_name(ubi_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (!is_name_byte(text.ptr[i]))
            return false;
    return text.len > 0 && (*text.ptr < '0' || *text.ptr > '9');
}

/* ---- what is typed -------------------------------------------------------------------------------------------------- */

static ubi_text text_between(const char *begin, const char *end) {
    return (ubi_text){ begin, (size_t)(end - begin) };
}

/* The path of names with points between at the end of a text. */
static ubi_text path_at_end(ubi_text text) {
    size_t start = text.len;
    while (start > 0 && (is_name_byte(text.ptr[start - 1]) || text.ptr[start - 1] == '.'))
        start--;
    return text_between(text.ptr + start, text.ptr + text.len);
}

/* The last bracket whose quote is not closed, of `path["begin`; NULL: there is none. */
static const char *open_bracket(ubi_text text) {
    for (size_t i = text.len; i > 1; i--) {
        char c = text.ptr[i - 1];
        if (c == '"' || c == '\'')
            return text.ptr[i - 2] == '[' ? &text.ptr[i - 2] : NULL;
        if (c == '\n' || c == ']')
            return NULL;
    }
    return NULL;
}

/* The path before the names that are sought, and what these begin with. */
static ubi_text text_split(ubi_text text, ubi_completion *out) {
    const char *end = text.ptr + text.len, *bracket = open_bracket(text);
    *out = (ubi_completion){ .begin = { end, 0 } };
    if (bracket) {
        *out = (ubi_completion){ text_between(bracket + 2, end), bracket[1], true, true };
        return path_at_end(text_between(text.ptr, bracket));
    }
    ubi_text path = path_at_end(text);
    const char *begin = end;
    while (begin > path.ptr && begin[-1] != '.')
        begin--;
    out->begin = text_between(begin, end);
    out->is_property = begin > path.ptr;
    return text_between(path.ptr, begin - out->is_property);
}

/* ---- following a path ----------------------------------------------------------------------------------------------- */

/* The object in whose prototypes the properties of a primitive are. */
static JSValue object_of(JSContext *ctx, JSValue value) {
    const char *maker = JS_IsString(value)   ? "String"
                        : JS_IsNumber(value) ? "Number"
                        : JS_IsBool(value)   ? "Boolean"
                        : JS_IsSymbol(value) ? "Symbol"
                                             : NULL;
    if (JS_IsObject(value) || !maker)
        return value;
    JSValue global = JS_GetGlobalObject(ctx), function = ubi__js_plain_value_str(ctx, global, maker);
    JSValue prototype = JS_IsObject(function) ? ubi__js_own_value(ctx, function, "prototype") : JS_UNDEFINED;
    JS_FreeValue(ctx, function);
    JS_FreeValue(ctx, global);
    JS_FreeValue(ctx, value);
    return prototype;
}

/* A variable is one of let, const and class, or a property of the global object. */
static JSValue variable_follow(JSContext *ctx, JSAtom name) {
    JSValue value = ubi__js_plain_value(ctx, ubi__lexical_scope(ctx), name);
    if (!JS_IsUndefined(value))
        return value;
    JSValue global = JS_GetGlobalObject(ctx);
    value = ubi__js_plain_value(ctx, global, name);
    JS_FreeValue(ctx, global);
    return value;
}

static JSValue name_follow(JSContext *ctx, JSValueConst from, ubi_text name, bool is_first) {
    JSAtom atom = name.len ? JS_NewAtomLen(ctx, name.ptr, name.len) : JS_ATOM_NULL;
    JSValue value = JS_UNDEFINED;
    if (atom == JS_ATOM_NULL)
        ubi__js_forget(ctx);
    else if (is_first && name.len == 4 && memcmp(name.ptr, "this", 4) == 0)
        value = JS_GetGlobalObject(ctx);
    else
        value = is_first ? variable_follow(ctx, atom) : ubi__js_plain_value(ctx, from, atom);
    JS_FreeAtom(ctx, atom);
    return object_of(ctx, value);
}

/* What a path leads to; not an object: nothing. */
static JSValue path_follow(JSContext *ctx, ubi_text path) {
    JSValue at = JS_UNDEFINED;
    const char *end = path.ptr + path.len, *name = path.ptr;
    for (bool is_first = true; is_first || (name <= end && JS_IsObject(at)); is_first = false) {
        const char *point = memchr(name, '.', (size_t)(end - name));
        JSValue next = name_follow(ctx, at, text_between(name, point ? point : end), is_first);
        JS_FreeValue(ctx, at);
        at = next;
        name = point ? point + 1 : end + 1;
    }
    return at;
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

typedef struct finder {
    JSContext *ctx;
    const ubi_completion *what;
    ubi_completion_fn fn;
    void *payload;
} finder;

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Capitals are as small letters, unless it begins with one. */
static bool text_begins(ubi_text text, ubi_text begin) {
    bool is_exact = begin.len && *begin.ptr >= 'A' && *begin.ptr <= 'Z';
    if (text.len < begin.len)
        return false;
    for (size_t i = 0; i < begin.len; i++)
        if (is_exact ? text.ptr[i] != begin.ptr[i] : lower(text.ptr[i]) != lower(begin.ptr[i]))
            return false;
    return true;
}

/* Behind a point only what can be written there. */
static void finder_take(const finder *f, JSAtom atom) {
    const char *text = JS_AtomToCString(f->ctx, atom);
    if (!text)
        ubi__js_forget(f->ctx);
    const ubi_text name = { text, text ? strlen(text) : 0 };
    if (text && text_begins(name, f->what->begin) && (f->what->is_element_access || is_name(name)))
        f->fn(f->payload, name);
    JS_FreeCString(f->ctx, text);
}

static void finder_own_names(const finder *f, JSValueConst object) {
    JSPropertyEnum *names;
    uint32_t n;
    if (ubi__js_is_proxy(f->ctx, object))
        return;
    if (JS_GetOwnPropertyNames(f->ctx, &names, &n, object, JS_GPN_STRING_MASK) < 0) {
        ubi__js_forget(f->ctx);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        finder_take(f, names[i].atom);
    ubi__js_free_names(f->ctx, names, n);
}

/* Takes the object. */
static void finder_names(const finder *f, JSValue at) {
    for (int i = 0; i < MOST_PROTOTYPES && JS_IsObject(at); i++) {
        finder_own_names(f, at);
        JSValue prototype = ubi__js_prototype(f->ctx, at);
        JS_FreeValue(f->ctx, at);
        at = prototype;
    }
    JS_FreeValue(f->ctx, at);
}

void ubi__js_complete(JSContext *ctx, ubi_text text, ubi_completion_fn fn, void *payload, ubi_completion *out) {
    const finder f = { ctx, out, fn, payload };
    ubi_text path = text_split(text, out);
    if (out->is_property) {
        finder_names(&f, path_follow(ctx, path));
        return;
    }
    finder_own_names(&f, ubi__lexical_scope(ctx));
    finder_names(&f, JS_GetGlobalObject(ctx));
}
