/* SPDX-License-Identifier: MIT
 *
 * host_inspect.c: objects as people read them; see host_inspect.h.
 *
 * The recursion is over UBI__INSPECT_DEPTH levels at most, whatever the data.
 */
#include "engines/quickjs/host/host_inspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/engine_api.h"

/* ---- primitive values, names and classes ------------------------------------------------------------------------- */

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

static void inspect_quoted(ubi__host_text *out, const char *text, size_t n) {
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
        inspect_quoted(out, text, n);
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
            ubi__is_big_int(realm, value))
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

/* A property name, quoted unless it is an identifier; a symbol in brackets. */
static void inspect_key(ubi__host_text *out, JSContext *realm, JSAtom name) {
    JSValue value = JS_AtomToValue(realm, name);
    const char *text = JS_IsSymbol(value) ? NULL : JS_AtomToCString(realm, name);
    if (JS_IsSymbol(value)) {
        ubi__host_text_puts(out, "[");
        write_symbol(out, realm, value);
        ubi__host_text_puts(out, "]");
    } else if (text && is_identifier(text)) {
        ubi__host_text_puts(out, text);
    } else if (text) {
        inspect_quoted(out, text, strlen(text));
    }
    JS_FreeCString(realm, text);
    JS_FreeValue(realm, value);
}

/* ---- classes ------------------------------------------------------------------------------------------------------ */

/* A property of the object itself that is not a getter; else undefined. */
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

JSValue ubi__inspect_prototype(JSContext *realm, JSValueConst object) {
    JSValue prototype = JS_GetPrototype(realm, object);
    if (!JS_IsException(prototype))
        return prototype;
    ubi__inspect_forget(realm);
    return JS_UNDEFINED;
}

/* Name of the class that made an object, from its prototypes; false: it has no prototype. */
static bool inspect_class(ubi__host_text *out, JSContext *realm, JSValueConst object) {
    JSValue at = JS_DupValue(realm, object);
    bool found = false;
    for (int i = 0; !found && i < MOST_PROTOTYPES; i++) {
        JSValue next = ubi__inspect_prototype(realm, at);
        JS_FreeValue(realm, at);
        at = next;
        if (!JS_IsObject(at))
            break;
        found = write_constructor(out, realm, at);
    }
    JS_FreeValue(realm, at);
    return found;
}

/* "[object Map]" */
static void inspect_tag(char *out, size_t size, JSContext *realm, JSValueConst object) {
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

/* ---- entries on one line or several ------------------------------------------------------------------------------ */

/* Entries that are laid out on a line, or below each other where that is too long. */
typedef struct inspect_list {
    ubi__host_text text; /* the entries, one after another */
    size_t *ends;        /* ends[n] */
    size_t n, capacity;
} inspect_list;

#define LINE_COLUMNS 72
#define STEP_COLUMNS 2
/* More short entries than these share lines. */
#define MANY_ENTRIES 6
#define SHORT_ENTRY 24

/* What was added to the text since the last call is an entry. */
static void inspect_list_end_entry(inspect_list *list) {
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        size_t *ends = realloc(list->ends, capacity * sizeof *ends);
        if (!ends)
            return; /* the entry becomes part of the next one */
        list->ends = ends;
        list->capacity = capacity;
    }
    list->ends[list->n++] = list->text.n;
}

static size_t start_of(const inspect_list *list, size_t i) {
    return i ? list->ends[i - 1] : 0;
}

static size_t longest_entry(const inspect_list *list) {
    size_t longest = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = list->ends[i] - start_of(list, i);
        longest = n > longest ? n : longest;
    }
    return longest;
}

static void write_entry(ubi__host_text *out, const inspect_list *list, size_t i) {
    ubi__host_text_add(out, list->text.ptr + start_of(list, i), list->ends[i] - start_of(list, i));
    if (i + 1 < list->n)
        ubi__host_text_puts(out, ",");
}

static void write_line(ubi__host_text *out, const inspect_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        ubi__host_text_puts(out, " ");
        write_entry(out, list, i);
    }
    ubi__host_text_puts(out, " ");
}

static void write_break(ubi__host_text *out, size_t indent) {
    ubi__host_text_puts(out, "\n");
    ubi__host_text_repeat(out, ' ', indent);
}

/* `filled`: as many on a line as fit. */
static void write_lines(ubi__host_text *out, const inspect_list *list, size_t indent, bool filled) {
    size_t column = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = list->ends[i] - start_of(list, i) + 2;
        if (!filled || i == 0 || column + n > LINE_COLUMNS) {
            write_break(out, indent + STEP_COLUMNS);
            column = indent + STEP_COLUMNS;
        } else {
            ubi__host_text_puts(out, " ");
        }
        write_entry(out, list, i);
        column += n;
    }
    write_break(out, indent);
}

/* Writes "{ a, b }" with `open` and `close` as parentheses; `indent` columns come before each line. */
static void inspect_list_write(ubi__host_text *out, const inspect_list *list, const char *open, const char *close,
                               size_t indent) {
    bool broken = list->text.n && memchr(list->text.ptr, '\n', list->text.n);
    ubi__host_text_puts(out, open);
    if (list->n && !broken && list->text.n + 2 * list->n + indent <= LINE_COLUMNS)
        write_line(out, list);
    else if (list->n)
        write_lines(out, list, indent, !broken && list->n > MANY_ENTRIES && longest_entry(list) <= SHORT_ENTRY);
    ubi__host_text_puts(out, close);
}

static void inspect_list_fini(inspect_list *list) {
    ubi__host_text_fini(&list->text);
    free(list->ends);
    *list = (inspect_list){ 0 };
}

/* ---- objects ----------------------------------------------------------------------------------------------------- */

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

static void add_property(inspect_list *list, const place *at, JSAtom name) {
    JSPropertyDescriptor property;
    if (!own_property(&property, at, name))
        return;
    inspect_key(&list->text, at->realm, name);
    ubi__host_text_puts(&list->text, ": ");
    write_property_value(&list->text, at, &property);
    inspect_list_end_entry(list);
    free_property(at->realm, &property);
}

static void add_rest(inspect_list *list, uint64_t n, const char *what) {
    if (n == 0)
        return;
    ubi__host_text_printf(&list->text, "... %llu more %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
    inspect_list_end_entry(list);
}

static bool is_index(JSContext *realm, JSAtom name) {
    const char *text = JS_AtomToCString(realm, name);
    bool index = text && text[0] && strspn(text, "0123456789") == strlen(text);
    JS_FreeCString(realm, text);
    return index;
}

/* Enumerable properties; `without_indices` those of an array that are not its elements. */
static void add_properties(inspect_list *list, const place *at, bool without_indices) {
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

static void end_holes(inspect_list *list, uint64_t *holes) {
    if (*holes == 0)
        return;
    ubi__host_text_printf(&list->text, "<%llu empty item%s>", (unsigned long long)*holes, *holes == 1 ? "" : "s");
    inspect_list_end_entry(list);
    *holes = 0;
}

static void add_elements(inspect_list *list, const place *at, uint64_t length) {
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
        inspect_list_end_entry(list);
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
static bool add_next_pair(inspect_list *list, const place *at, JSValueConst iterator, bool is_map) {
    JSValue step = inspect_invoke(at->realm, iterator, "next"), done = inspect_property(at->realm, step, "done");
    JSValue pair = inspect_property(at->realm, step, "value");
    bool there = JS_IsObject(pair) && JS_ToBool(at->realm, done) == 0;
    if (there) {
        write_pair(&list->text, at, pair, is_map);
        inspect_list_end_entry(list);
    }
    JS_FreeValue(at->realm, pair);
    JS_FreeValue(at->realm, done);
    JS_FreeValue(at->realm, step);
    return there;
}

static void add_pairs(inspect_list *list, const place *at, uint64_t size, bool is_map) {
    JSValue iterator = inspect_invoke(at->realm, at->object, "entries");
    uint64_t shown = 0;
    while (shown < MOST_ENTRIES && JS_IsObject(iterator) && add_next_pair(list, at, iterator, is_map))
        shown++;
    JS_FreeValue(at->realm, iterator);
    add_rest(list, shown == MOST_ENTRIES && size > shown ? size - shown : 0, "item");
}

/* ---- what comes before the entries ---------------------------------------------------------------------------------- */

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

static void write_error_stack(ubi__host_text *out, JSContext *realm, JSValueConst stack) {
    size_t n;
    const char *text = JS_ToCStringLen(realm, &n, stack);
    if (text)
        ubi__host_text_stack(out, text, n);
    else
        ubi__inspect_forget(realm);
    JS_FreeCString(realm, text);
}

/* The message and, of an error that is not part of something, where it was made. */
static void write_error(ubi__host_text *out, const place *at) {
    JSValue stack = at->depth == 0 ? inspect_property(at->realm, at->object, "stack") : JS_UNDEFINED;
    size_t start = out->n;
    if (at->depth > 0)
        ubi__host_text_puts(out, "[");
    ubi__inspect_string(out, at->realm, at->object);
    if (JS_IsString(stack)) {
        ubi__host_text_puts(out, "\n");
        write_error_stack(out, at->realm, stack);
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

/* "Point " of a class, nothing of a plain object; `n` after the name where it is given. */
static void write_class(ubi__host_text *out, const place *at, const char *usual, const uint64_t *n) {
    size_t start = out->n;
    bool known = inspect_class(out, at->realm, at->object);
    if (!known)
        ubi__host_text_printf(out, "[%s: null prototype]", usual);
    else if (!n && out->n - start == strlen(usual) && memcmp(out->ptr + start, usual, strlen(usual)) == 0)
        out->n = start;
    if (n && !out->has_failed)
        ubi__host_text_printf(out, "(%llu)", (unsigned long long)*n);
    if (out->n > start)
        ubi__host_text_puts(out, " ");
}

/* ---- objects ------------------------------------------------------------------------------------------------------ */

/* What such objects are shown as instead of "Class {...}"; false: nothing special. */
static bool write_short(ubi__host_text *out, const place *at, const char *tag) {
    if (JS_IsFunction(at->realm, at->object))
        write_function(out, at);
    else if (ubi__is_error(at->realm, at->object))
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
    inspect_list list = { 0 };
    uint64_t length = number_property(at, "length");
    write_class(out, at, "Array", typed ? &length : NULL);
    add_elements(&list, at, length);
    add_properties(&list, at, true);
    inspect_list_write(out, &list, "[", "]", at->indent);
    inspect_list_fini(&list);
}

static void write_collection(ubi__host_text *out, const place *at, const char *tag) {
    inspect_list list = { 0 };
    uint64_t size = number_property(at, "size");
    write_class(out, at, tag, &size);
    add_pairs(&list, at, size, is_tag(tag, "Map"));
    add_properties(&list, at, false);
    inspect_list_write(out, &list, "{", "}", at->indent);
    inspect_list_fini(&list);
}

static void write_plain(ubi__host_text *out, const place *at, const char *tag) {
    inspect_list list = { 0 };
    size_t start = out->n;
    bool is_short = write_short(out, at, tag);
    if (!is_short)
        write_class(out, at, "Object", NULL);
    if (is_tag(tag, "ArrayBuffer") || is_tag(tag, "SharedArrayBuffer")) {
        ubi__host_text_printf(&list.text, "byteLength: %llu", (unsigned long long)number_property(at, "byteLength"));
        inspect_list_end_entry(&list);
    }
    if (!is_tag(tag, "String"))
        add_properties(&list, at, false);
    if (is_short && list.n && out->n > start)
        ubi__host_text_puts(out, " ");
    if (!is_short || list.n)
        inspect_list_write(out, &list, "{", "}", at->indent);
    inspect_list_fini(&list);
}

static void write_object(ubi__host_text *out, const place *at) {
    char tag[TAG_BYTES];
    inspect_tag(tag, sizeof tag, at->realm, at->object);
    int is_array = ubi__is_array(at->realm, at->object);
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
    inspect_tag(tag, sizeof tag, at->realm, at->object);
    if (write_short(out, at, tag))
        return;
    ubi__host_text_puts(out, "[");
    if (!inspect_class(out, at->realm, at->object))
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
