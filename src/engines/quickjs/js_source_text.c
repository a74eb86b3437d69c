/* SPDX-License-Identifier: MIT
 *
 * js_source_text.c: objects as source text, one level deep.
 */
#include "engines/quickjs/js_source_text.h"

#include <string.h>

#include "engines/quickjs/js_facts.h"

/** Properties that are shown before it says "...". */
#define MAX_PROPERTIES 8

static int append_primitive(JSContext *ctx, ubi__js_text *text, JSValueConst value) {
    if (JS_IsString(value))
        return ubi__js_text_quoted(ctx, text, value);
    if (JS_IsSymbol(value))
        return ubi__js_text_words(ctx, text, "Symbol()");
    return ubi__js_text_value(ctx, text, value);
}

static int append_inner(JSContext *ctx, ubi__js_text *text, JSValueConst value) {
    if (!JS_IsObject(value))
        return append_primitive(ctx, text, value);
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), value);
    return ubi__js_text_words(ctx, text, facts.is_array ? "[]" : JS_IsFunction(ctx, value) ? "(function() {})" : "{}");
}

/** "name:value" of a property; nothing is called. */
static int append_property(JSContext *ctx, ubi__js_text *text, JSValueConst object, JSAtom atom, bool with_name) {
    JSPropertyDescriptor property = { .value = JS_UNDEFINED, .getter = JS_UNDEFINED, .setter = JS_UNDEFINED };
    int found = JS_GetOwnProperty(ctx, &property, object, atom);
    if (found <= 0)
        return found;
    JSValue name = JS_AtomToString(ctx, atom);
    int failed = JS_IsException(name);
    if (!failed && with_name)
        failed = ubi__js_text_value(ctx, text, name) || ubi__js_text_words(ctx, text, ":");
    if (!failed)
        failed = append_inner(ctx, text, property.value);
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, property.value);
    JS_FreeValue(ctx, property.getter);
    JS_FreeValue(ctx, property.setter);
    return failed ? -1 : 0;
}

static int append_properties(JSContext *ctx, ubi__js_text *text, JSValueConst object, bool with_names) {
    JSPropertyEnum *names = NULL;
    uint32_t n = 0;
    if (JS_GetOwnPropertyNames(ctx, &names, &n, object, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return -1;
    int failed = 0;
    for (uint32_t i = 0; i < n && i <= MAX_PROPERTIES && !failed; i++) {
        failed = i ? ubi__js_text_words(ctx, text, ", ") : 0;
        if (!failed && i == MAX_PROPERTIES)
            failed = ubi__js_text_words(ctx, text, "...");
        else if (!failed)
            failed = append_property(ctx, text, object, names[i].atom, with_names);
    }
    for (uint32_t i = 0; i < n; i++)
        JS_FreeAtom(ctx, names[i].atom);
    js_free(ctx, names);
    return failed;
}

int ubi__js_source_text(JSContext *ctx, ubi__js_text *text, JSValueConst object) {
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), object);
    if (facts.is_proxy) /* to look at it is to call its handler */
        return ubi__js_text_words(ctx, text, facts.is_array ? "[]" : "({})");
    bool failed = ubi__js_text_words(ctx, text, facts.is_array ? "[" : "({") ||
                  append_properties(ctx, text, object, !facts.is_array) ||
                  ubi__js_text_words(ctx, text, facts.is_array ? "]" : "})");
    return failed ? -1 : 0;
}
