/* SPDX-License-Identifier: MIT
 *
 * js_describe.c: values and objects as plain data; see js_values.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_properties.h"
#include "engines/quickjs/js_values.h"

/* ---- values --------------------------------------------------------------------------------------------------------- */

static ubi_status describe_string(const ubi__js_describer *d, JSValueConst value, ubi_value *out) {
    out->kind = UBI_VALUE_STRING;
    UBI__JS_TRY(
        ubi__js_texts_add_units(&out->text, d->texts, d->ctx, value, 0, UBI_VALUE_TEXT_UNITS, &out->length_units));
    if (out->length_units <= UBI_VALUE_TEXT_UNITS)
        return UBI_OK;
    return ubi__js_values_hold(&out->handle, d->values, d->ctx, value);
}

static ubi_status describe_symbol(const ubi__js_describer *d, JSValueConst value, ubi_value *out) {
    JSAtom atom = JS_ValueToAtom(d->ctx, value);
    if (atom == JS_ATOM_NULL)
        return ubi__js_fail_nomem(d->ctx);
    out->kind = UBI_VALUE_SYMBOL;
    ubi_status status = ubi__js_texts_add_atom(&out->text, d->texts, d->ctx, atom);
    JS_FreeAtom(d->ctx, atom);
    return status == UBI_OK ? ubi__js_values_hold(&out->handle, d->values, d->ctx, value) : status;
}

ubi_status ubi__js_describe_value(const ubi__js_describer *d, JSValueConst value, ubi_value *out) {
    *out = (ubi_value){ .kind = UBI_VALUE_UNDEFINED };
    if (JS_IsNull(value)) {
        out->kind = UBI_VALUE_NULL;
    } else if (JS_IsBool(value)) {
        out->kind = UBI_VALUE_BOOLEAN;
        out->is_true = JS_ToBool(d->ctx, value) > 0;
    } else if (JS_IsNumber(value)) {
        out->kind = UBI_VALUE_NUMBER;
        JS_ToFloat64(d->ctx, &out->number, value);
    } else if (JS_IsString(value)) {
        return describe_string(d, value, out);
    } else if (JS_IsSymbol(value)) {
        return describe_symbol(d, value, out);
    } else if (JS_IsObject(value)) {
        out->kind = UBI_VALUE_OBJECT;
        return ubi__js_values_hold(&out->handle, d->values, d->ctx, value);
    } else if (ubi__is_big_int(d->ctx, value)) {
        out->kind = UBI_VALUE_BIG_INT;
        return ubi__js_texts_add_value(&out->text, d->texts, d->ctx, value);
    }
    return UBI_OK;
}

void ubi__js_drop_value(const ubi__js_describer *d, ubi_value *value) {
    if (value->handle)
        (void)ubi__js_values_release(d->values, value->handle);
    value->handle = 0;
}

/* ---- texts of properties -------------------------------------------------------------------------------------------- */

/* The text of a property's value, which is taken; NULL text where it is no string. */
static ubi_status text_of_string(const ubi__js_describer *d, JSValue value, ubi_text *out) {
    ubi_status status = UBI_OK;
    *out = (ubi_text){ NULL, 0 };
    if (JS_IsString(value))
        status = ubi__js_texts_add_units(out, d->texts, d->ctx, value, 0, UBI_VALUE_TEXT_UNITS, NULL);
    JS_FreeValue(d->ctx, value);
    return status;
}

static uint32_t number_of(const ubi__js_describer *d, JSValue value) {
    double number = 0;
    if (JS_IsNumber(value))
        JS_ToFloat64(d->ctx, &number, value);
    JS_FreeValue(d->ctx, value);
    return number >= 1 && number < UINT32_MAX ? (uint32_t)number : 0;
}

/* ---- names of properties -------------------------------------------------------------------------------------------- */

typedef struct own_names {
    JSPropertyEnum *at;
    uint32_t n;
    uint32_t n_indexed; /* the first of them are array indices: that is the language's order */
} own_names;

static bool atom_is_symbol(JSContext *ctx, JSAtom atom) {
    JSValue value = JS_AtomToValue(ctx, atom);
    bool is_symbol = JS_IsSymbol(value);
    if (JS_IsException(value))
        ubi__js_forget(ctx);
    JS_FreeValue(ctx, value);
    return is_symbol;
}

/* Whether a name is "0", "17", but not "07" or "4294967295". */
static bool atom_is_index(JSContext *ctx, JSAtom atom, bool *has_failed) {
    if (atom_is_symbol(ctx, atom))
        return false;
    const char *text = JS_AtomToCString(ctx, atom);
    if (!text) {
        *has_failed = true;
        return false;
    }
    size_t n = strlen(text);
    bool is_index = n > 0 && n <= 10 && strspn(text, "0123456789") == n && (text[0] != '0' || n == 1) &&
                    strtoull(text, NULL, 10) < UINT32_MAX;
    JS_FreeCString(ctx, text);
    return is_index;
}

/* The number of indices, which come first. O(log n). */
static bool count_indices(JSContext *ctx, own_names *names) {
    uint32_t low = 0, high = names->n;
    bool has_failed = false;
    while (low < high && !has_failed) {
        uint32_t middle = low + (high - low) / 2;
        if (atom_is_index(ctx, names->at[middle].atom, &has_failed))
            low = middle + 1;
        else
            high = middle;
    }
    names->n_indexed = low;
    return !has_failed;
}

static ubi_status own_names_get(own_names *out, JSContext *ctx, JSValueConst object, int kinds) {
    *out = (own_names){ NULL, 0, 0 };
    if (ubi__js_is_proxy(ctx, object))
        return UBI_OK;
    if (JS_GetOwnPropertyNames(ctx, &out->at, &out->n, object, kinds) < 0)
        return ubi__js_fail_nomem(ctx);
    if (!(kinds & JS_GPN_STRING_MASK) || count_indices(ctx, out))
        return UBI_OK;
    ubi__js_free_names(ctx, out->at, out->n);
    return ubi__js_fail_nomem(ctx);
}

/* ---- objects -------------------------------------------------------------------------------------------------------- */

/* What `constructor.name` of its prototypes says: how classes of scripts are called. NULL text: nothing. */
static ubi_status constructor_name(const ubi__js_describer *d, JSValueConst object, ubi_text *out) {
    JSValue name = JS_UNDEFINED, prototype = ubi__js_prototype(d->ctx, object);
    if (JS_IsObject(prototype)) {
        JSValue constructor = ubi__js_plain_value_str(d->ctx, prototype, "constructor");
        if (JS_IsObject(constructor))
            name = ubi__js_own_value(d->ctx, constructor, "name");
        JS_FreeValue(d->ctx, constructor);
    }
    JS_FreeValue(d->ctx, prototype);
    return text_of_string(d, name, out);
}

static ubi_status describe_class(const ubi__js_describer *d, JSValueConst object, const ubi__object_facts *facts,
                                 ubi_object_description *out) {
    UBI__JS_TRY(ubi__js_texts_add_atom(&out->class_name, d->texts, d->ctx, facts->class_name));
    if (facts->is_array)
        out->kind = UBI_OBJECT_ARRAY;
    if (out->class_name.len == 6 && memcmp(out->class_name.ptr, "Object", 6) == 0) {
        ubi_text name;
        UBI__JS_TRY(constructor_name(d, object, &name));
        if (name.len)
            out->class_name = name;
    }
    return UBI_OK;
}

static bool prototype_is_writable(const ubi__js_describer *d, JSValueConst function) {
    JSPropertyDescriptor property;
    JSAtom atom = JS_NewAtom(d->ctx, "prototype");
    int found = atom == JS_ATOM_NULL ? -1 : JS_GetOwnProperty(d->ctx, &property, function, atom);
    bool is_writable = true;
    if (found < 0)
        ubi__js_forget(d->ctx);
    if (found > 0) {
        is_writable = (property.flags & JS_PROP_WRITABLE) != 0;
        ubi__js_free_property(d->ctx, &property);
    }
    JS_FreeAtom(d->ctx, atom);
    return is_writable;
}

static ubi_status describe_parameters(const ubi__js_describer *d, JSValueConst function, uint32_t n,
                                      ubi_object_description *out) {
    ubi_text *names = ubi__js_texts_allot(d->texts, n * sizeof *names);
    if (!names)
        return ubi__js_fail_nomem(d->ctx);
    for (uint32_t i = 0; i < n; i++) {
        JSAtom name = ubi__parameter_name(function, i);
        if (name != JS_ATOM_NULL)
            UBI__JS_TRY(ubi__js_texts_add_atom(&names[i], d->texts, d->ctx, name));
    }
    out->parameters = names;
    out->parameter_count = n;
    return UBI_OK;
}

/* A class is a function of a script whose prototype cannot be replaced. */
static ubi_status describe_function(const ubi__js_describer *d, JSValueConst function, ubi_object_description *out) {
    ubi__function_facts facts;
    ubi__function_facts_of(&facts, function);
    out->kind = UBI_OBJECT_FUNCTION;
    out->is_async = facts.is_async;
    out->is_generator = facts.is_generator;
    UBI__JS_TRY(text_of_string(d, ubi__js_own_value(d->ctx, function, "name"), &out->name));
    if (facts.source == JS_ATOM_NULL)
        return UBI_OK;
    out->is_class = !prototype_is_writable(d, function);
    out->line = facts.line;
    out->column = facts.column;
    UBI__JS_TRY(describe_parameters(d, function, facts.parameter_count, out));
    return ubi__js_texts_add_atom(&out->source, d->texts, d->ctx, facts.source);
}

/* ---- errors --------------------------------------------------------------------------------------------------------- */

static uint32_t digits_before(const char *begin, const char **end) {
    const char *at = *end;
    uint64_t value = 0, unit = 1;
    while (at > begin && at[-1] >= '0' && at[-1] <= '9' && unit <= 1000000000) {
        value += (uint64_t)(*--at - '0') * unit;
        unit *= 10;
    }
    if (at == *end || at == begin || at[-1] != ':' || value > UINT32_MAX)
        return 0;
    *end = at - 1;
    return (uint32_t)value;
}

/* What is in the last brackets of a line of a stack, or after "at ". */
static ubi_text place_text(const char *line, size_t n) {
    const char *end = line + n, *begin = line;
    bool in_brackets = n && end[-1] == ')';
    end -= in_brackets;
    for (const char *at = line; at < end; at++) {
        if (in_brackets && *at == '(')
            begin = at + 1;
        if (!in_brackets && begin == line && end - at > 3 && memcmp(at, "at ", 3) == 0)
            begin = at + 3;
    }
    return (ubi_text){ begin, (size_t)(end - begin) };
}

/* Of a line such as "    at f (a.js:3:7)" or "    at a.js:3"; false: it is a native function's, or nothing of the kind. */
static bool place_of_line(const char *line, size_t n, ubi__js_thrown *out) {
    ubi_text text = place_text(line, n);
    const char *end = text.ptr + text.len;
    uint32_t last = digits_before(text.ptr, &end), before = last ? digits_before(text.ptr, &end) : 0;
    if (text.ptr == line || text.len == 0 || (text.len == 6 && memcmp(text.ptr, "native", 6) == 0))
        return false;
    out->line = before ? before : last; /* older engines give none where all of a program is on one line */
    out->column = before ? last : 0;
    out->source = (ubi_text){ text.ptr, (size_t)(end - text.ptr) };
    return true;
}

/* The first line with a place, after `skip` lines. Its text points into the stack. */
static bool place_of_stack(ubi_text stack, uint32_t skip, ubi__js_thrown *out) {
    const char *at = stack.ptr ? stack.ptr : "", *end = at + stack.len;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((line_end ? line_end : end) - at);
        if (skip == 0 && place_of_line(at, n, out))
            return true;
        skip -= skip > 0;
        at += n + (line_end != NULL);
    }
    return false;
}

/* The file and line that the error has as properties; else the first of its stack. */
static ubi_status describe_error_place(const ubi__js_describer *d, JSValueConst error, ubi_text stack,
                                       ubi__js_thrown *out) {
    UBI__JS_TRY(text_of_string(d, ubi__js_own_value(d->ctx, error, "fileName"), &out->source));
    out->line = number_of(d, ubi__js_own_value(d->ctx, error, "lineNumber"));
    out->column = number_of(d, ubi__js_own_value(d->ctx, error, "columnNumber"));
    if (out->source.ptr && out->line)
        return UBI_OK;
    ubi__js_thrown place;
    if (place_of_stack(stack, 0, &place)) {
        out->source = place.source;
        out->line = place.line;
        out->column = place.column;
    }
    return UBI_OK;
}

static ubi_status describe_error(const ubi__js_describer *d, JSValueConst error, ubi_object_description *out) {
    ubi__js_thrown place = { .line = 0 };
    out->kind = UBI_OBJECT_ERROR;
    UBI__JS_TRY(text_of_string(d, ubi__js_plain_value_str(d->ctx, error, "name"), &out->name));
    UBI__JS_TRY(text_of_string(d, ubi__js_plain_value_str(d->ctx, error, "message"), &out->message));
    UBI__JS_TRY(text_of_string(d, ubi__js_own_value(d->ctx, error, "stack"), &out->stack));
    UBI__JS_TRY(describe_error_place(d, error, out->stack, &place));
    out->source = place.source;
    out->line = place.line;
    out->column = place.column;
    out->has_cause = ubi__js_has_own(d->ctx, error, "cause");
    return UBI_OK;
}

/* "NAME: MESSAGE" */
static ubi_status message_of_error(const ubi__js_describer *d, const ubi_object_description *error, ubi_text *out) {
    static const char separator[] = ": ";
    ubi_text name = error->name.ptr ? error->name : (ubi_text){ "Error", 5 };
    size_t n_message = error->message.ptr ? error->message.len : 0;
    size_t n = name.len + (n_message ? 2 + n_message : 0);
    char *joined = js_malloc(d->ctx, n + 1);
    if (!joined)
        return ubi__js_fail_nomem(d->ctx);
    memcpy(joined, name.ptr, name.len);
    if (n_message) {
        memcpy(joined + name.len, separator, 2);
        memcpy(joined + name.len + 2, error->message.ptr, n_message);
    }
    ubi_status status = ubi__js_texts_add(out, d->texts, joined, n);
    js_free(d->ctx, joined);
    return status;
}

static ubi_status describe_thrown_object(const ubi__js_describer *d, JSValueConst thrown, ubi__js_thrown *out) {
    ubi_object_description object = UBI_OBJECT_DESCRIPTION_INIT;
    UBI__JS_TRY(ubi__js_describe_object(d, thrown, &object));
    if (object.kind != UBI_OBJECT_ERROR) {
        out->message = object.class_name;
        return UBI_OK;
    }
    out->source = object.source;
    out->line = object.line;
    out->column = object.column;
    return message_of_error(d, &object, &out->message);
}

ubi_status ubi__js_describe_thrown(const ubi__js_describer *d, JSValueConst thrown, ubi__js_thrown *out) {
    *out = (ubi__js_thrown){ .line = 0 };
    if (JS_IsObject(thrown))
        return describe_thrown_object(d, thrown, out);
    if (JS_IsSymbol(thrown))
        return ubi__js_texts_add(&out->message, d->texts, "Symbol()", 8);
    return ubi__js_texts_add_value(&out->message, d->texts, d->ctx, thrown);
}

/* The stack of an error that is made for it. Its first line is the native function. */
ubi_status ubi__js_describe_place(const ubi__js_describer *d, ubi__js_thrown *out) {
    ubi_text stack;
    *out = (ubi__js_thrown){ .line = 0 };
    JS_ThrowTypeError(d->ctx, "place");
    JSValue error = JS_GetException(d->ctx);
    JSValue text = JS_IsObject(error) ? ubi__js_own_value(d->ctx, error, "stack") : JS_UNDEFINED;
    JS_FreeValue(d->ctx, error);
    UBI__JS_TRY(text_of_string(d, text, &stack));
    place_of_stack(stack, 1, out);
    return UBI_OK;
}

/* ---- flags ---------------------------------------------------------------------------------------------------------- */

/* Of an object to which nothing can be added. */
static ubi_status describe_locks(const ubi__js_describer *d, JSValueConst object, ubi_object_description *out) {
    own_names names;
    UBI__JS_TRY(own_names_get(&names, d->ctx, object, JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK));
    out->is_sealed = out->is_frozen = true;
    for (uint32_t i = 0; i < names.n && out->is_sealed; i++) {
        JSPropertyDescriptor property;
        int found = JS_GetOwnProperty(d->ctx, &property, object, names.at[i].atom);
        if (found < 0)
            ubi__js_forget(d->ctx);
        if (found <= 0)
            continue;
        out->is_sealed = !(property.flags & JS_PROP_CONFIGURABLE);
        out->is_frozen &= out->is_sealed && ((property.flags & JS_PROP_GETSET) || !(property.flags & JS_PROP_WRITABLE));
        ubi__js_free_property(d->ctx, &property);
    }
    ubi__js_free_names(d->ctx, names.at, names.n);
    return UBI_OK;
}

static ubi_status describe_count(const ubi__js_describer *d, JSValueConst object, ubi_object_description *out) {
    own_names names;
    UBI__JS_TRY(own_names_get(&names, d->ctx, object, JS_GPN_STRING_MASK));
    out->property_count = names.n;
    ubi__js_free_names(d->ctx, names.at, names.n);
    out->is_extensible = JS_IsExtensible(d->ctx, object) > 0;
    return out->is_extensible ? UBI_OK : describe_locks(d, object, out);
}

ubi_status ubi__js_describe_object(const ubi__js_describer *d, JSValueConst object, ubi_object_description *out) {
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(d->ctx), object);
    *out = (ubi_object_description)UBI_OBJECT_DESCRIPTION_INIT;
    if (facts.is_proxy) {
        out->kind = UBI_OBJECT_PROXY;
        out->class_name = (ubi_text){ "Proxy", 5 }; /* the engine calls it Object */
        return UBI_OK;
    }
    UBI__JS_TRY(describe_class(d, object, &facts, out));
    UBI__JS_TRY(describe_count(d, object, out));
    if (facts.is_array) /* may have holes */
        out->length = number_of(d, ubi__js_own_value(d->ctx, object, "length"));
    else if (JS_IsFunction(d->ctx, object))
        return describe_function(d, object, out);
    else if (ubi__is_error(d->ctx, object))
        return describe_error(d, object, out);
    else
        return ubi__js_describe_content(d, object, out);
    return UBI_OK;
}

/* ---- properties ----------------------------------------------------------------------------------------------------- */

static ubi_status describe_property_key(const ubi__js_describer *d, JSAtom atom, ubi_property *out) {
    JSValue key = JS_AtomToValue(d->ctx, atom);
    if (JS_IsException(key))
        return ubi__js_fail_nomem(d->ctx);
    ubi_status status = JS_IsSymbol(key) ? ubi__js_describe_value(d, key, &out->symbol)
                                         : ubi__js_texts_add_atom(&out->name, d->texts, d->ctx, atom);
    if (JS_IsSymbol(key))
        out->name = out->symbol.text;
    JS_FreeValue(d->ctx, key);
    return status;
}

static ubi_status describe_property_value(const ubi__js_describer *d, const JSPropertyDescriptor *property,
                                          ubi_property *out) {
    out->is_configurable = (property->flags & JS_PROP_CONFIGURABLE) != 0;
    out->is_enumerable = (property->flags & JS_PROP_ENUMERABLE) != 0;
    out->is_writable = (property->flags & JS_PROP_WRITABLE) != 0;
    out->is_accessor = (property->flags & JS_PROP_GETSET) != 0;
    if (!out->is_accessor)
        return ubi__js_describe_value(d, property->value, &out->value);
    UBI__JS_TRY(ubi__js_describe_value(d, property->getter, &out->getter));
    return ubi__js_describe_value(d, property->setter, &out->setter);
}

static void drop_property(const ubi__js_describer *d, ubi_property *property) {
    ubi_value *all[] = { &property->symbol, &property->value, &property->getter, &property->setter };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        ubi__js_drop_value(d, all[i]);
}

/* *is_over: `fn` wants no more. */
static ubi_status hand_over_property(const ubi__js_describer *d, JSValueConst object, JSAtom atom, ubi_property_fn fn,
                                     void *payload, bool *is_over) {
    JSPropertyDescriptor property;
    ubi_property out = { .name = { NULL, 0 } };
    int found = JS_GetOwnProperty(d->ctx, &property, object, atom);
    if (found < 0) /* such as one of a module that has no value yet */
        ubi__js_forget(d->ctx);
    if (found == 0) /* it went meanwhile */
        return UBI_OK;
    ubi_status status = describe_property_key(d, atom, &out);
    if (status == UBI_OK && found > 0)
        status = describe_property_value(d, &property, &out);
    if (found > 0)
        ubi__js_free_property(d->ctx, &property);
    if (status == UBI_OK)
        *is_over = !fn(payload, &out);
    else
        drop_property(d, &out);
    return status;
}

/* Names that are selected are together: indices are first, then other names, then symbols. */
static ubi_status select_names(own_names *out, uint32_t *first, uint32_t *n, const ubi__js_describer *d,
                               JSValueConst object, uint32_t selection) {
    bool with_indexed = selection & UBI_PROPERTIES_INDEXED, with_named = selection & UBI_PROPERTIES_NAMED;
    int kinds = (with_indexed || with_named ? JS_GPN_STRING_MASK : 0) |
                (selection & UBI_PROPERTIES_SYMBOLS ? JS_GPN_SYMBOL_MASK : 0);
    UBI__JS_TRY(own_names_get(out, d->ctx, object, kinds));
    *first = with_indexed || !with_named ? 0 : out->n_indexed;
    *n = with_indexed && !with_named && !(selection & UBI_PROPERTIES_SYMBOLS) ? out->n_indexed : out->n - *first;
    return UBI_OK;
}

ubi_status ubi__js_describe_properties(const ubi__js_describer *d, JSValueConst object, uint32_t selection,
                                       uint64_t first, uint64_t count, ubi_property_fn fn, void *payload,
                                       uint64_t *total) {
    own_names names;
    uint32_t begin, n;
    bool is_over = false;
    ubi_status status = UBI_OK;
    UBI__JS_TRY(select_names(&names, &begin, &n, d, object, selection));
    for (uint64_t i = first; i < n && i - first < count && !is_over && status == UBI_OK; i++) {
        status = hand_over_property(d, object, names.at[begin + i].atom, fn, payload, &is_over);
        ubi__js_texts_clear(d->texts);
    }
    ubi__js_free_names(d->ctx, names.at, names.n);
    if (total)
        *total = n;
    return status;
}
