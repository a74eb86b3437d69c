/* SPDX-License-Identifier: MIT
 *
 * host_inspect.c: objects as people read them; see host_inspect.h.
 *
 * The recursion is over UBI__INSPECT_DEPTH levels at most, whatever the data.
 */
#include "engines/quickjs/host/host_inspect.h"

#include <stdio.h>
#include <string.h>

#define MOST_ENTRIES 100
#define STEP_COLUMNS 2
#define TAG_BYTES 32

/* An object within objects. */
typedef struct place {
    JSContext *realm;
    const struct place *outer; /* or NULL */
    JSValueConst object;
    unsigned depth;
    size_t indent;
} place;

static void write_value(ubi__host_text *out, const place *at, JSValueConst value);

static bool is_tag(const char *tag, const char *word) {
    return strcmp(tag, word) == 0;
}

/* ---- properties --------------------------------------------------------------------------------------------------- */

static void write_property_value(ubi__host_text *out, const place *at, const JSPropertyDescriptor *p) {
    bool getter = !JS_IsUndefined(p->getter), setter = !JS_IsUndefined(p->setter);
    if (p->flags & JS_PROP_GETSET)
        ubi__host_text_puts(out, getter && setter ? "[Getter/Setter]" : setter ? "[Setter]" : "[Getter]");
    else
        write_value(out, at, p->value);
}

/* False: the object has it no more, or a proxy threw. */
static bool own_property(JSPropertyDescriptor *out, const place *at, JSAtom name) {
    int found = JS_GetOwnProperty(at->realm, out, at->object, name);
    if (found < 0)
        ubi__inspect_forget(at->realm);
    return found > 0;
}

static void free_property(JSContext *realm, JSPropertyDescriptor *p) {
    JS_FreeValue(realm, p->value);
    JS_FreeValue(realm, p->getter);
    JS_FreeValue(realm, p->setter);
}

static void add_property(ubi__inspect_list *list, const place *at, JSAtom name) {
    JSPropertyDescriptor property;
    if (!own_property(&property, at, name))
        return;
    ubi__inspect_key(&list->text, at->realm, name);
    ubi__host_text_puts(&list->text, ": ");
    write_property_value(&list->text, at, &property);
    ubi__inspect_list_end_entry(list);
    free_property(at->realm, &property);
}

static void add_rest(ubi__inspect_list *list, uint64_t n, const char *what) {
    if (n == 0)
        return;
    ubi__host_text_printf(&list->text, "... %llu more %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
    ubi__inspect_list_end_entry(list);
}

static bool is_index(JSContext *realm, JSAtom name) {
    const char *text = JS_AtomToCString(realm, name);
    bool index = text && text[0] && strspn(text, "0123456789") == strlen(text);
    JS_FreeCString(realm, text);
    return index;
}

/* Enumerable properties; `without_indices` those of an array that are none of its elements. */
static void add_properties(ubi__inspect_list *list, const place *at, bool without_indices) {
    JSPropertyEnum *names;
    uint32_t n, shown = 0, rest = 0;
    int mask = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK | JS_GPN_ENUM_ONLY;
    if (JS_GetOwnPropertyNames(at->realm, &names, &n, at->object, mask) < 0) {
        ubi__inspect_forget(at->realm);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        bool skip = without_indices && is_index(at->realm, names[i].atom);
        if (!skip && shown++ < MOST_ENTRIES)
            add_property(list, at, names[i].atom);
        else
            rest += !skip;
        JS_FreeAtom(at->realm, names[i].atom);
    }
    js_free(at->realm, names);
    add_rest(list, rest, "name");
}

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

static uint64_t number_property(const place *at, const char *name) {
    int64_t number = 0;
    JSValue value = JS_GetPropertyStr(at->realm, at->object, name);
    if (JS_IsException(value) || JS_ToInt64(at->realm, &number, value) < 0)
        ubi__inspect_forget(at->realm);
    JS_FreeValue(at->realm, value);
    return number > 0 ? (uint64_t)number : 0;
}

static void end_holes(ubi__inspect_list *list, uint64_t *holes) {
    if (*holes == 0)
        return;
    ubi__host_text_printf(&list->text, "<%llu empty item%s>", (unsigned long long)*holes, *holes == 1 ? "" : "s");
    ubi__inspect_list_end_entry(list);
    *holes = 0;
}

static void add_elements(ubi__inspect_list *list, const place *at, uint64_t length) {
    uint64_t holes = 0, shown = length < MOST_ENTRIES ? length : MOST_ENTRIES;
    for (uint32_t i = 0; i < shown; i++) {
        JSPropertyDescriptor element;
        JSAtom name = JS_NewAtomUInt32(at->realm, i);
        bool there = own_property(&element, at, name);
        JS_FreeAtom(at->realm, name);
        holes += !there;
        if (!there)
            continue;
        end_holes(list, &holes);
        write_property_value(&list->text, at, &element);
        ubi__inspect_list_end_entry(list);
        free_property(at->realm, &element);
    }
    end_holes(list, &holes);
    add_rest(list, length - shown, "item");
}

/* ---- maps and sets ------------------------------------------------------------------------------------------------ */

static JSValue inspect_invoke(JSContext *realm, JSValueConst object, const char *name) {
    JSAtom atom = JS_NewAtom(realm, name);
    JSValue result = JS_Invoke(realm, object, atom, 0, NULL);
    JS_FreeAtom(realm, atom);
    if (JS_IsException(result)) {
        ubi__inspect_forget(realm);
        return JS_UNDEFINED;
    }
    return result;
}

static JSValue inspect_property(JSContext *realm, JSValueConst object, const char *name) {
    JSValue value = JS_IsObject(object) ? JS_GetPropertyStr(realm, object, name) : JS_UNDEFINED;
    if (!JS_IsException(value))
        return value;
    ubi__inspect_forget(realm);
    return JS_UNDEFINED;
}

static void write_pair(ubi__host_text *out, const place *at, JSValueConst pair, bool is_map) {
    for (uint32_t i = 0; i < (is_map ? 2u : 1u); i++) {
        JSValue item = JS_GetPropertyUint32(at->realm, pair, i);
        if (i == 1)
            ubi__host_text_puts(out, " => ");
        write_value(out, at, item);
        JS_FreeValue(at->realm, item);
    }
}

/* False: that was the last one. */
static bool add_next_pair(ubi__inspect_list *list, const place *at, JSValueConst iterator, bool is_map) {
    JSValue step = inspect_invoke(at->realm, iterator, "next"), done = inspect_property(at->realm, step, "done");
    JSValue pair = inspect_property(at->realm, step, "value");
    bool there = JS_IsObject(pair) && JS_ToBool(at->realm, done) == 0;
    if (there) {
        write_pair(&list->text, at, pair, is_map);
        ubi__inspect_list_end_entry(list);
    }
    JS_FreeValue(at->realm, pair);
    JS_FreeValue(at->realm, done);
    JS_FreeValue(at->realm, step);
    return there;
}

static void add_pairs(ubi__inspect_list *list, const place *at, uint64_t size, bool is_map) {
    JSValue iterator = inspect_invoke(at->realm, at->object, "entries");
    uint64_t shown = 0;
    while (shown < MOST_ENTRIES && JS_IsObject(iterator) && add_next_pair(list, at, iterator, is_map))
        shown++;
    JS_FreeValue(at->realm, iterator);
    add_rest(list, shown == MOST_ENTRIES && size > shown ? size - shown : 0, "item");
}

/* ---- what stands before the entries --------------------------------------------------------------------------------- */

static void write_function(ubi__host_text *out, const place *at) {
    JSValue name = inspect_property(at->realm, at->object, "name");
    size_t start = out->n;
    ubi__host_text_puts(out, "[Function: ");
    size_t before = out->n;
    if (JS_IsString(name))
        ubi__inspect_string(out, at->realm, name);
    if (out->n == before) {
        out->n = start;
        ubi__host_text_puts(out, "[Function (anonymous)");
    }
    ubi__host_text_puts(out, "]");
    JS_FreeValue(at->realm, name);
}

/* The message and, of an error that stands alone, where it was made. */
static void write_error(ubi__host_text *out, const place *at) {
    JSValue stack = at->depth == 0 ? inspect_property(at->realm, at->object, "stack") : JS_UNDEFINED;
    size_t start = out->n;
    if (at->depth > 0)
        ubi__host_text_puts(out, "[");
    ubi__inspect_string(out, at->realm, at->object);
    if (JS_IsString(stack)) {
        ubi__host_text_puts(out, "\n");
        ubi__inspect_string(out, at->realm, stack);
    }
    while (out->n > start && out->ptr[out->n - 1] == '\n')
        out->n--;
    if (at->depth > 0)
        ubi__host_text_puts(out, "]");
    JS_FreeValue(at->realm, stack);
}

static void write_date(ubi__host_text *out, const place *at) {
    JSValue text = inspect_invoke(at->realm, at->object, "toISOString");
    if (JS_IsString(text))
        ubi__inspect_string(out, at->realm, text);
    else
        ubi__host_text_puts(out, "Invalid Date");
    JS_FreeValue(at->realm, text);
}

static void write_boxed(ubi__host_text *out, const place *at, const char *tag) {
    JSValue value = inspect_invoke(at->realm, at->object, "valueOf");
    ubi__host_text_printf(out, "[%s: ", tag);
    if (JS_IsObject(value))
        ubi__host_text_puts(out, "?");
    else
        ubi__inspect_primitive(out, at->realm, value);
    ubi__host_text_puts(out, "]");
    JS_FreeValue(at->realm, value);
}

/* "Point " of a class, nothing of a plain object; `n` behind the name where it is given. */
static void write_class(ubi__host_text *out, const place *at, const char *usual, const uint64_t *n) {
    size_t start = out->n;
    bool known = ubi__inspect_class(out, at->realm, at->object);
    if (!known)
        ubi__host_text_printf(out, "[%s: null prototype]", usual);
    else if (!n && out->n - start == strlen(usual) && memcmp(out->ptr + start, usual, strlen(usual)) == 0)
        out->n = start;
    if (n && !out->failed)
        ubi__host_text_printf(out, "(%llu)", (unsigned long long)*n);
    if (out->n > start)
        ubi__host_text_puts(out, " ");
}

/* ---- objects ------------------------------------------------------------------------------------------------------ */

/* What such objects are shown as in the place of "Class {...}"; false: nothing special. */
static bool write_short(ubi__host_text *out, const place *at, const char *tag) {
    if (JS_IsFunction(at->realm, at->object))
        write_function(out, at);
    else if (JS_IsError(at->realm, at->object))
        write_error(out, at);
    else if (is_tag(tag, "Date"))
        write_date(out, at);
    else if (is_tag(tag, "RegExp"))
        ubi__inspect_string(out, at->realm, at->object);
    else if (is_tag(tag, "Number") || is_tag(tag, "String") || is_tag(tag, "Boolean"))
        write_boxed(out, at, tag);
    else
        return false;
    return true;
}

static bool is_typed_array(const char *tag) {
    size_t n = strlen(tag);
    return n > 5 && strcmp(tag + n - 5, "Array") == 0 && strpbrk(tag, "0123456789") != NULL;
}

static void write_array(ubi__host_text *out, const place *at, bool typed) {
    ubi__inspect_list list = { 0 };
    uint64_t length = number_property(at, "length");
    write_class(out, at, "Array", typed ? &length : NULL);
    add_elements(&list, at, length);
    add_properties(&list, at, true);
    ubi__inspect_list_write(out, &list, "[", "]", at->indent);
    ubi__inspect_list_fini(&list);
}

static void write_collection(ubi__host_text *out, const place *at, const char *tag) {
    ubi__inspect_list list = { 0 };
    uint64_t size = number_property(at, "size");
    write_class(out, at, tag, &size);
    add_pairs(&list, at, size, is_tag(tag, "Map"));
    add_properties(&list, at, false);
    ubi__inspect_list_write(out, &list, "{", "}", at->indent);
    ubi__inspect_list_fini(&list);
}

static void write_plain(ubi__host_text *out, const place *at, const char *tag) {
    ubi__inspect_list list = { 0 };
    size_t start = out->n;
    bool is_short = write_short(out, at, tag);
    if (!is_short)
        write_class(out, at, "Object", NULL);
    if (is_tag(tag, "ArrayBuffer") || is_tag(tag, "SharedArrayBuffer")) {
        ubi__host_text_printf(&list.text, "byteLength: %llu", (unsigned long long)number_property(at, "byteLength"));
        ubi__inspect_list_end_entry(&list);
    }
    if (!is_tag(tag, "String"))
        add_properties(&list, at, false);
    if (is_short && list.n && out->n > start)
        ubi__host_text_puts(out, " ");
    if (!is_short || list.n)
        ubi__inspect_list_write(out, &list, "{", "}", at->indent);
    ubi__inspect_list_fini(&list);
}

static void write_object(ubi__host_text *out, const place *at) {
    char tag[TAG_BYTES];
    ubi__inspect_tag(tag, sizeof tag, at->realm, at->object);
    int is_array = JS_IsArray(at->realm, at->object);
    if (is_array < 0)
        ubi__inspect_forget(at->realm);
    if (is_array > 0 || is_typed_array(tag))
        write_array(out, at, is_array <= 0);
    else if (is_tag(tag, "Map") || is_tag(tag, "Set"))
        write_collection(out, at, tag);
    else
        write_plain(out, at, tag);
}

/* Where no deeper level is shown. */
static void write_closed(ubi__host_text *out, const place *at) {
    char tag[TAG_BYTES];
    ubi__inspect_tag(tag, sizeof tag, at->realm, at->object);
    if (write_short(out, at, tag))
        return;
    ubi__host_text_puts(out, "[");
    if (!ubi__inspect_class(out, at->realm, at->object))
        ubi__host_text_puts(out, "Object: null prototype");
    ubi__host_text_puts(out, "]");
}

static bool is_around(const place *at, JSValueConst object) {
    for (; at; at = at->outer)
        if (JS_VALUE_GET_PTR(at->object) == JS_VALUE_GET_PTR(object))
            return true;
    return false;
}

static void write_value(ubi__host_text *out, const place *outer, JSValueConst value) {
    place at = { outer->realm, outer, value, outer->depth + 1, outer->indent + STEP_COLUMNS };
    if (!JS_IsObject(value))
        ubi__inspect_primitive(out, outer->realm, value);
    else if (is_around(outer, value))
        ubi__host_text_puts(out, "[Circular]");
    else if (at.depth >= UBI__INSPECT_DEPTH)
        write_closed(out, &at);
    else
        write_object(out, &at);
}

void ubi__inspect(ubi__host_text *out, JSContext *realm, JSValueConst value) {
    place at = { realm, NULL, value, 0, 0 };
    if (JS_IsObject(value))
        write_object(out, &at);
    else
        ubi__inspect_primitive(out, realm, value);
}

void ubi__inspect_plain(ubi__host_text *out, JSContext *realm, JSValueConst value) {
    if (JS_IsString(value))
        ubi__inspect_string(out, realm, value);
    else
        ubi__inspect(out, realm, value);
}
