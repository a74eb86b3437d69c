/* SPDX-License-Identifier: MIT
 *
 * console_grips.c: values as grips. See console_link.h.
 *
 * Texts of a description are gone with the next question to the console: they are written before it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "rdp/actors/actors.h"
#include "rdp/console_link.h"

/* A value's number is its console's, and its own. */
#define VALUE_BITS 42

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

void ubi__rdp_grip_begin(ubi__json *json, const char *type) {
    ubi__json_object_begin(json);
    ubi__json_member_string(json, "type", type);
}

void ubi__rdp_grip_write_type(ubi__json *json, const char *type) {
    ubi__rdp_grip_begin(json, type);
    ubi__json_object_end(json);
}

void ubi__rdp_value_drop(ubi_console console, const ubi_value *value) {
    if (value->handle)
        (void)ubi_console_release(console, value->handle);
}

/* ---- values that are held ----------------------------------------------------------------------------------------------- */

/* The id of its actor, which is made when the packet arrives. */
void ubi__rdp_grip_write_actor(ubi__rdp_grips *g, ubi_value_handle handle, ubi__rdp_held_kind kind) {
    ubi__rdp_console_link *link = g->link;
    const ubi__rdp_new_value value = { link->number << VALUE_BITS | ++link->last_value, handle, kind };
    char id[UBI__RDP_ID_BYTES];
    if (ubi__rdp_new_values_push(g->values, memory(), value) != UBI_OK) {
        (void)ubi_console_release(g->console, handle);
        g->json->has_failed = true;
        return;
    }
    ubi__rdp_id_write(id, link->prefix, ubi__rdp_held_type(kind), value.number);
    ubi__json_member_string(g->json, "actor", id);
}

/* ---- values without properties ------------------------------------------------------------------------------------------ */

void ubi__rdp_grip_write_number(ubi__json *json, double number) {
    if (isnan(number))
        ubi__rdp_grip_write_type(json, "NaN");
    else if (isinf(number))
        ubi__rdp_grip_write_type(json, number > 0 ? "Infinity" : "-Infinity");
    else if (number == 0 && signbit(number))
        ubi__rdp_grip_write_type(json, "-0");
    else
        ubi__json_double(json, number);
}

static void string_write(ubi__rdp_grips *g, const ubi_value *value) {
    if (!value->handle || !g->link) {
        ubi__json_text(g->json, value->text.ptr ? value->text : ubi__text(""));
        return;
    }
    ubi__rdp_grip_begin(g->json, "longString");
    ubi__json_member_u64(g->json, "length", value->length_units);
    ubi__json_member_text(g->json, "initial", value->text);
    ubi__rdp_grip_write_actor(g, value->handle, UBI__RDP_HELD_STRING);
    ubi__json_object_end(g->json);
}

void ubi__rdp_grip_write_symbol(ubi__rdp_grips *g, const ubi_value *value) {
    ubi__json_member_string(g->json, "type", "symbol");
    if (value->text.len)
        ubi__json_member_text(g->json, "name", value->text);
    ubi__rdp_grip_write_actor(g, value->handle, UBI__RDP_HELD_SYMBOL);
}

static void symbol_write(ubi__rdp_grips *g, const ubi_value *value) {
    ubi__json_object_begin(g->json);
    ubi__rdp_grip_write_symbol(g, value);
    ubi__json_object_end(g->json);
}

static void big_int_write(ubi__json *json, ubi_text digits) {
    ubi__rdp_grip_begin(json, "BigInt");
    ubi__json_member_text(json, "text", digits);
    ubi__json_object_end(json);
}

/* ---- properties --------------------------------------------------------------------------------------------------------- */

void ubi__rdp_grip_write_accessor(ubi__rdp_grips *g, const ubi_property *p) {
    ubi__json_key(g->json, "get");
    ubi__rdp_grip_write(g, &p->getter, false);
    ubi__json_key(g->json, "set");
    ubi__rdp_grip_write(g, &p->setter, false);
}

void ubi__rdp_grip_write_property(ubi__rdp_grips *g, const ubi_property *p) {
    ubi__json_object_begin(g->json);
    ubi__json_member_bool(g->json, "configurable", p->is_configurable);
    ubi__json_member_bool(g->json, "enumerable", p->is_enumerable);
    if (p->is_accessor) {
        ubi__rdp_grip_write_accessor(g, p);
    } else {
        ubi__json_member_bool(g->json, "writable", p->is_writable);
        ubi__json_key(g->json, "value");
        ubi__rdp_grip_write(g, &p->value, g->with_previews);
    }
    ubi__json_object_end(g->json);
}

static bool on_property(void *payload, const ubi_property *p) {
    ubi__rdp_grips *g = payload;
    ubi__json_key_text(g->json, p->name);
    ubi__rdp_grip_write_property(g, p);
    return !g->json->has_failed;
}

/* `Symbol(NAME)`, as the language writes it. The symbol itself is not kept: no client asks about it. */
static bool on_symbol(void *payload, const ubi_property *p) {
    ubi__rdp_grips *g = payload;
    const ubi_allocator *a = memory();
    ubi__vec_u8 name = { 0 };
    if (ubi__bytes_append(&name, "Symbol(", 7, a) != UBI_OK ||
        ubi__bytes_append(&name, p->name.ptr, p->name.ptr ? p->name.len : 0, a) != UBI_OK ||
        ubi__bytes_append(&name, ")", 1, a) != UBI_OK)
        g->json->has_failed = true;
    ubi__json_object_begin(g->json);
    ubi__json_member_text(g->json, "name", (ubi_text){ (const char *)name.at, name.n });
    ubi__json_key(g->json, "descriptor");
    ubi__rdp_grip_write_property(g, p);
    ubi__json_object_end(g->json);
    ubi__vec_u8_fini(&name, a);
    ubi__rdp_value_drop(g->console, &p->symbol);
    return !g->json->has_failed;
}

ubi_status ubi__rdp_grips_write_properties(ubi__rdp_grips *g, ubi_value_handle handle, uint32_t selection,
                                           uint64_t first, uint64_t count) {
    ubi_property_fn fn = selection == UBI_PROPERTIES_SYMBOLS ? on_symbol : on_property;
    return ubi_console_properties(g->console, handle, selection, first, count, fn, g, NULL);
}

/* ---- values as words ---------------------------------------------------------------------------------------------------- */

static int text_bytes(ubi_text text) {
    return text.len > 200 ? (int)ubi__utf8_valid_prefix((ubi_text){ text.ptr, 200 }) : (int)text.len;
}

/* Such as `Map {…}`, `Array(3)`, `function f`, `TypeError: no`. */
static void object_words(char *out, size_t n, const ubi__rdp_grips *g, ubi_value_handle handle) {
    ubi_object_description d = UBI_OBJECT_DESCRIPTION_INIT;
    if (ubi_console_describe(&d, g->console, handle) != UBI_OK)
        d.class_name = ubi__text("Object");
    const ubi_text name = d.name.ptr ? d.name : d.class_name, message = d.message.ptr ? d.message : ubi__text("");
    if (d.kind == UBI_OBJECT_ERROR)
        snprintf(out, n, "%.*s: %.*s", text_bytes(name), name.ptr, text_bytes(message), message.ptr);
    else if (d.kind == UBI_OBJECT_FUNCTION)
        snprintf(out, n, "function %.*s", text_bytes(name), name.ptr);
    else if (d.kind == UBI_OBJECT_ARRAY)
        snprintf(out, n, "%.*s(%llu)", text_bytes(d.class_name), d.class_name.ptr, (unsigned long long)d.length);
    else
        snprintf(out, n, "%.*s {…}", text_bytes(d.class_name), d.class_name.ptr);
}

void ubi__rdp_value_words(char out[UBI__RDP_WORDS_BYTES], const ubi__rdp_grips *g, const ubi_value *value) {
    const ubi_text text = value->text.ptr ? value->text : ubi__text("");
    switch (value->kind) {
    case UBI_VALUE_UNDEFINED:
    case UBI_VALUE_NULL:
    case UBI_VALUE_BOOLEAN:
        snprintf(out, UBI__RDP_WORDS_BYTES, "%s",
                 value->kind == UBI_VALUE_NULL        ? "null"
                 : value->kind == UBI_VALUE_UNDEFINED ? "undefined"
                 : value->is_true                     ? "true"
                                                      : "false");
        break;
    case UBI_VALUE_NUMBER:
        snprintf(out, UBI__RDP_WORDS_BYTES, "%.17g", value->number);
        break;
    case UBI_VALUE_BIG_INT:
    case UBI_VALUE_STRING:
        snprintf(out, UBI__RDP_WORDS_BYTES, "%.*s", text_bytes(text), text.ptr);
        break;
    case UBI_VALUE_SYMBOL:
        snprintf(out, UBI__RDP_WORDS_BYTES, "Symbol(%.*s)", text_bytes(text), text.ptr);
        break;
    case UBI_VALUE_OBJECT:
        object_words(out, UBI__RDP_WORDS_BYTES, g, value->handle);
        break;
    }
}

/* ---- any value ---------------------------------------------------------------------------------------------------------- */

static void held_value_write(ubi__rdp_grips *g, const ubi_value *value, bool with_preview) {
    char words[UBI__RDP_WORDS_BYTES];
    if (!g->link) {
        ubi__rdp_value_words(words, g, value);
        ubi__json_string(g->json, words);
    } else if (value->kind == UBI_VALUE_SYMBOL) {
        symbol_write(g, value);
    } else {
        ubi__rdp_object_write(g, value->handle, with_preview);
    }
}

/* A preview's values have no preview: it goes no deeper. */
void ubi__rdp_grip_write(ubi__rdp_grips *g, const ubi_value *value, bool with_preview) {
    switch (value->kind) {
    case UBI_VALUE_UNDEFINED:
        ubi__rdp_grip_write_type(g->json, "undefined");
        break;
    case UBI_VALUE_NULL:
        ubi__rdp_grip_write_type(g->json, "null");
        break;
    case UBI_VALUE_BOOLEAN:
        ubi__json_bool(g->json, value->is_true);
        break;
    case UBI_VALUE_NUMBER:
        ubi__rdp_grip_write_number(g->json, value->number);
        break;
    case UBI_VALUE_BIG_INT:
        big_int_write(g->json, value->text);
        break;
    case UBI_VALUE_STRING:
        string_write(g, value);
        break;
    case UBI_VALUE_SYMBOL:
    case UBI_VALUE_OBJECT:
        held_value_write(g, value, with_preview);
        break;
    }
    if (!g->link)
        ubi__rdp_value_drop(g->console, value);
}
