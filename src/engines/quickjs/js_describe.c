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

ubi_status ubi__js_describe_text(const ubi__js_describer *d, JSValue value, ubi_text *out) {
    ubi_status status = UBI_OK;
    *out = (ubi_text){ NULL, 0 };
    if (JS_IsString(value))
        status = ubi__js_texts_add_units(out, d->texts, d->ctx, value, 0, UBI_VALUE_TEXT_UNITS, NULL);
    JS_FreeValue(d->ctx, value);
    return status;
}

uint32_t ubi__js_count_of(const ubi__js_describer *d, JSValue value) {
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
    return ubi__js_describe_text(d, name, out);
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
    UBI__JS_TRY(ubi__js_describe_text(d, ubi__js_own_value(d->ctx, function, "name"), &out->name));
    if (facts.source == JS_ATOM_NULL)
        return UBI_OK;
    out->is_class = !prototype_is_writable(d, function);
    out->line = facts.line;
    out->column = facts.column;
    UBI__JS_TRY(describe_parameters(d, function, facts.parameter_count, out));
    return ubi__js_texts_add_atom(&out->source, d->texts, d->ctx, facts.source);
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
        out->length = ubi__js_count_of(d, ubi__js_own_value(d->ctx, object, "length"));
    else if (JS_IsFunction(d->ctx, object))
        return describe_function(d, object, out);
    else if (ubi__is_error(d->ctx, object))
        return ubi__js_describe_error(d, object, out);
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
