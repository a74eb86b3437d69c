/* SPDX-License-Identifier: MIT
 *
 * console_objects.c: objects as grips, with previews as Firefox's console shows them. See console_link.h.
 *
 * Texts of a description are gone with the next question to the console: they are written before it.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "rdp/console_link.h"

/* Properties, elements and entries that a preview has. */
#define PREVIEW_ITEMS 10

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

static void text_or_empty(ubi__json *json, const char *key, ubi_text text) {
    ubi__json_member_text(json, key, text.ptr ? text : ubi__text(""));
}

/* ---- slots -------------------------------------------------------------------------------------------------------------- */

static ubi_object_slots slots_get(const ubi__rdp_grips *g, ubi_value_handle handle) {
    ubi_object_slots slots = { .value = { .kind = UBI_VALUE_UNDEFINED } };
    if (ubi_console_slots(&slots, g->console, handle) != UBI_OK)
        g->json->has_failed = true;
    return slots;
}

/* `{"value": GRIP}`, as if it were a property. */
static void slot_write(ubi__rdp_grips *g, const char *name, const ubi_value *value) {
    ubi__json_member_object(g->json, name);
    ubi__json_key(g->json, "value");
    ubi__rdp_grip_write(g, value, false);
    ubi__json_object_end(g->json);
}

/* ---- what getters would say --------------------------------------------------------------------------------------------- */

void ubi__rdp_known_getters_of(ubi__rdp_known_getters *out, const ubi_object_description *d) {
    *out = (ubi__rdp_known_getters){ .n = 0 };
    if (d->kind == UBI_OBJECT_MAP || d->kind == UBI_OBJECT_SET)
        *out = (ubi__rdp_known_getters){ 1, { { "size", d->entry_count } } };
    else if (d->kind == UBI_OBJECT_ARRAY_BUFFER)
        *out = (ubi__rdp_known_getters){ 1, { { "byteLength", d->byte_length } } };
    else if (d->is_typed_array)
        *out = (ubi__rdp_known_getters){ 2, { { "byteLength", d->byte_length }, { "length", d->length } } };
}

void ubi__rdp_known_getters_write(ubi__json *json, const ubi__rdp_known_getters *getters, uint64_t first,
                                  uint64_t count) {
    for (uint64_t i = first; i < getters->n && i - first < count; i++) {
        ubi__json_member_object(json, getters->at[i].name);
        ubi__json_member_u64(json, "getterValue", getters->at[i].value);
        ubi__json_member_u64(json, "getterPrototypeLevel", 1);
        ubi__json_member_bool(json, "enumerable", false);
        ubi__json_member_bool(json, "writable", true);
        ubi__json_object_end(json);
    }
}

/* ---- arrays ------------------------------------------------------------------------------------------------------------- */

typedef struct element_writer {
    ubi__rdp_grips *g;
    uint64_t next, end; /* elements */
} element_writer;

/* Places without an element are null. */
static void holes_write(element_writer *w, uint64_t end) {
    for (; w->next < end && w->next < w->end; w->next++)
        ubi__json_null(w->g->json);
}

/* Of an array index. */
static uint64_t element_place(ubi_text name) {
    uint64_t place = 0;
    for (size_t i = 0; i < name.len && ubi__is_digit(name.ptr[i]); i++)
        place = 10 * place + (uint64_t)(name.ptr[i] - '0');
    return place;
}

static void element_drop(const ubi__rdp_grips *g, const ubi_property *p) {
    ubi__rdp_value_drop(g->console, &p->value);
    ubi__rdp_value_drop(g->console, &p->getter);
    ubi__rdp_value_drop(g->console, &p->setter);
}

static bool on_element(void *payload, const ubi_property *p) {
    element_writer *w = payload;
    ubi__rdp_grips *g = w->g;
    holes_write(w, element_place(p->name));
    if (w->next >= w->end) {
        element_drop(g, p);
        return false;
    }
    if (p->is_accessor) {
        ubi__json_object_begin(g->json);
        ubi__rdp_grip_write_accessor(g, p);
        ubi__json_object_end(g->json);
    } else {
        ubi__rdp_grip_write(g, &p->value, false);
    }
    w->next++;
    return !g->json->has_failed;
}

static void elements_preview(ubi__rdp_grips *g, ubi_value_handle handle, uint64_t length) {
    element_writer w = { g, 0, length < PREVIEW_ITEMS ? length : PREVIEW_ITEMS };
    ubi__json_member_string(g->json, "kind", "ArrayLike");
    ubi__json_member_u64(g->json, "length", length);
    ubi__json_member_array(g->json, "items");
    (void)ubi_console_properties(g->console, handle, UBI_PROPERTIES_INDEXED, 0, PREVIEW_ITEMS, on_element, &w, NULL);
    holes_write(&w, w.end);
    ubi__json_array_end(g->json);
}

/* ---- collections -------------------------------------------------------------------------------------------------------- */

static bool is_map(ubi_object_kind kind) {
    return kind == UBI_OBJECT_MAP || kind == UBI_OBJECT_WEAK_MAP;
}
static bool is_set(ubi_object_kind kind) {
    return kind == UBI_OBJECT_SET || kind == UBI_OBJECT_WEAK_SET;
}

static bool on_map_entry(void *payload, const ubi_entry *entry) {
    ubi__rdp_grips *g = payload;
    ubi__json_array_begin(g->json);
    ubi__rdp_grip_write(g, &entry->key, false);
    ubi__rdp_grip_write(g, &entry->value, false);
    ubi__json_array_end(g->json);
    return !g->json->has_failed;
}

static bool on_set_entry(void *payload, const ubi_entry *entry) {
    ubi__rdp_grips *g = payload;
    ubi__rdp_grip_write(g, &entry->value, false);
    return !g->json->has_failed;
}

static void collection_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d,
                               bool with_entries) {
    bool of_map = is_map(d->kind);
    ubi__json_member_string(g->json, "kind", of_map ? "MapLike" : "ArrayLike");
    ubi__json_member_u64(g->json, of_map ? "size" : "length", d->entry_count);
    if (!with_entries)
        return;
    ubi__json_member_array(g->json, of_map ? "entries" : "items");
    if (ubi_console_entries(g->console, handle, 0, PREVIEW_ITEMS, of_map ? on_map_entry : on_set_entry, g, NULL) !=
        UBI_OK)
        g->json->has_failed = true;
    ubi__json_array_end(g->json);
}

/* Entries of a slice. */
typedef struct entry_writer {
    ubi__rdp_grips *g;
    uint64_t next;
} entry_writer;

static void map_entry_write(ubi__rdp_grips *g, const ubi_entry *entry) {
    ubi__rdp_grip_begin(g->json, "mapEntry");
    ubi__json_member_object(g->json, "preview");
    ubi__json_key(g->json, "key");
    ubi__rdp_grip_write(g, &entry->key, g->with_previews);
    ubi__json_key(g->json, "value");
    ubi__rdp_grip_write(g, &entry->value, g->with_previews);
    ubi__json_object_end(g->json);
    ubi__json_object_end(g->json);
}

static bool entry_write(entry_writer *w, const ubi_entry *entry, bool of_map) {
    ubi__json *json = w->g->json;
    char name[24];
    snprintf(name, sizeof name, "%llu", (unsigned long long)w->next++);
    ubi__json_member_object(json, name);
    ubi__json_member_bool(json, "enumerable", true);
    ubi__json_key(json, "value");
    if (of_map)
        map_entry_write(w->g, entry);
    else
        ubi__rdp_grip_write(w->g, &entry->value, w->g->with_previews);
    ubi__json_object_end(json);
    return !json->has_failed;
}

static bool on_map_slice(void *payload, const ubi_entry *entry) {
    return entry_write(payload, entry, true);
}
static bool on_set_slice(void *payload, const ubi_entry *entry) {
    return entry_write(payload, entry, false);
}

ubi_status ubi__rdp_grips_write_entries(ubi__rdp_grips *g, ubi_value_handle handle, uint64_t first, uint64_t count) {
    ubi_object_description d = UBI_OBJECT_DESCRIPTION_INIT;
    entry_writer w = { g, first };
    UBI_TRY(ubi_console_describe(&d, g->console, handle));
    return ubi_console_entries(g->console, handle, first, count, is_map(d.kind) ? on_map_slice : on_set_slice, &w,
                               NULL);
}

/* ---- other previews ----------------------------------------------------------------------------------------------------- */

static void error_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d,
                          bool with_cause) {
    ubi__json *json = g->json;
    ubi__json_member_string(json, "kind", "Error");
    text_or_empty(json, "name", d->name);
    text_or_empty(json, "message", d->message);
    text_or_empty(json, "stack", d->stack);
    text_or_empty(json, "fileName", d->source);
    ubi__json_member_u64(json, "lineNumber", d->line);
    ubi__json_member_u64(json, "columnNumber", d->column);
    if (!d->has_cause || !with_cause)
        return;
    ubi_object_slots slots = slots_get(g, handle);
    ubi__json_key(json, "cause");
    ubi__rdp_grip_write(g, &slots.value, false);
}

/* As Firefox has symbols in a preview: a grip with a descriptor. */
static bool on_preview_symbol(void *payload, const ubi_property *p) {
    ubi__rdp_grips *g = payload;
    ubi__json_object_begin(g->json);
    ubi__rdp_grip_write_symbol(g, &p->symbol);
    ubi__json_key(g->json, "descriptor");
    ubi__rdp_grip_write_property(g, p);
    ubi__json_object_end(g->json);
    return !g->json->has_failed;
}

static void symbols_preview(ubi__rdp_grips *g, ubi_value_handle handle, uint64_t most) {
    uint64_t total = 0;
    if (ubi_console_properties(g->console, handle, UBI_PROPERTIES_SYMBOLS, 0, 0, NULL, NULL, &total) != UBI_OK ||
        !total)
        return;
    ubi__json_member_u64(g->json, "ownSymbolsLength", total);
    ubi__json_member_array(g->json, "ownSymbols");
    (void)ubi_console_properties(g->console, handle, UBI_PROPERTIES_SYMBOLS, 0, most, on_preview_symbol, g, NULL);
    ubi__json_array_end(g->json);
}

static void properties_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d) {
    uint64_t n = d->property_count;
    ubi__json_member_string(g->json, "kind", "Object");
    ubi__json_member_object(g->json, "ownProperties");
    (void)ubi__rdp_grips_write_properties(g, handle, UBI_PROPERTIES_NAMED | UBI_PROPERTIES_INDEXED, 0, PREVIEW_ITEMS);
    ubi__json_object_end(g->json);
    ubi__json_member_u64(g->json, "ownPropertiesLength", n);
    if (n < PREVIEW_ITEMS)
        symbols_preview(g, handle, PREVIEW_ITEMS - n);
}

static void wrapper_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d) {
    properties_preview(g, handle, d);
    ubi_object_slots slots = slots_get(g, handle);
    ubi__json_key(g->json, "wrappedValue");
    ubi__rdp_grip_write(g, &slots.value, false);
}

static void buffer_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d) {
    ubi__rdp_known_getters getters;
    ubi__rdp_known_getters_of(&getters, d);
    properties_preview(g, handle, d);
    ubi__json_member_object(g->json, "safeGetterValues");
    ubi__rdp_known_getters_write(g->json, &getters, 0, getters.n);
    ubi__json_object_end(g->json);
}

static void date_preview(ubi__json *json, double time_ms) {
    ubi__json_key(json, "timestamp");
    ubi__rdp_grip_write_number(json, time_ms);
}

static const char *promise_state_name(ubi_promise_state state) {
    return state == UBI_PROMISE_FULFILLED ? "fulfilled" : state == UBI_PROMISE_REJECTED ? "rejected" : "pending";
}

/* Its state looks like a property. */
static void promise_preview(ubi__rdp_grips *g, ubi_value_handle handle, ubi_promise_state state, bool with_value) {
    bool is_settled = with_value && state != UBI_PROMISE_PENDING;
    ubi__json_member_string(g->json, "kind", "Object");
    ubi__json_member_object(g->json, "ownProperties");
    ubi__json_member_object(g->json, "<state>");
    ubi__json_member_string(g->json, "value", promise_state_name(state));
    ubi__json_object_end(g->json);
    if (is_settled) {
        ubi_object_slots slots = slots_get(g, handle);
        slot_write(g, state == UBI_PROMISE_FULFILLED ? "<value>" : "<reason>", &slots.value);
    }
    ubi__json_object_end(g->json);
    ubi__json_member_u64(g->json, "ownPropertiesLength", is_settled ? 2 : 1);
}

static void proxy_preview(ubi__rdp_grips *g, ubi_value_handle handle) {
    ubi_object_slots slots = slots_get(g, handle);
    ubi__json_member_string(g->json, "kind", "Object");
    ubi__json_member_object(g->json, "ownProperties");
    slot_write(g, "<target>", &slots.value);
    slot_write(g, "<handler>", &slots.handler);
    ubi__json_object_end(g->json);
    ubi__json_member_u64(g->json, "ownPropertiesLength", 2);
}

/* ---- members of a kind -------------------------------------------------------------------------------------------------- */

/* `/PATTERN/FLAGS`, as the language writes it. */
static void reg_exp_write(ubi__json *json, const ubi_object_description *d) {
    const ubi_allocator *a = memory();
    ubi__vec_u8 text = { 0 };
    if (ubi__bytes_append(&text, "/", 1, a) == UBI_OK &&
        ubi__bytes_append(&text, d->pattern.ptr, d->pattern.ptr ? d->pattern.len : 0, a) == UBI_OK &&
        ubi__bytes_append(&text, "/", 1, a) == UBI_OK &&
        ubi__bytes_append(&text, d->flags, strlen(d->flags), a) == UBI_OK)
        ubi__json_member_text(json, "displayString", (ubi_text){ (const char *)text.at, text.n });
    else
        json->has_failed = true;
    ubi__vec_u8_fini(&text, a);
}

static void function_write(ubi__json *json, const ubi_object_description *d) {
    text_or_empty(json, "name", d->name);
    text_or_empty(json, "displayName", d->name);
    ubi__json_member_array(json, "parameterNames");
    for (uint32_t i = 0; i < d->parameter_count; i++)
        ubi__json_text(json, d->parameters[i]);
    ubi__json_array_end(json);
    ubi__json_member_bool(json, "isAsync", d->is_async);
    ubi__json_member_bool(json, "isGenerator", d->is_generator);
    ubi__json_member_bool(json, "isClassConstructor", d->is_class);
    if (!d->source.ptr)
        return;
    ubi__json_member_object(json, "location");
    ubi__json_member_text(json, "url", d->source);
    ubi__json_member_u64(json, "line", d->line);
    ubi__json_member_u64(json, "column", d->column ? d->column - 1 : 0); /* the protocol counts these from 0 */
    ubi__json_object_end(json);
}

/* ---- objects ------------------------------------------------------------------------------------------------------------ */

static void whole_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d) {
    if (d->kind == UBI_OBJECT_ERROR)
        error_preview(g, handle, d, true);
    else if (d->kind == UBI_OBJECT_ARRAY)
        elements_preview(g, handle, d->length);
    else if (is_map(d->kind) || is_set(d->kind))
        collection_preview(g, handle, d, true);
    else if (d->kind == UBI_OBJECT_DATE)
        date_preview(g->json, d->time_ms);
    else if (d->kind == UBI_OBJECT_PROMISE)
        promise_preview(g, handle, d->promise_state, true);
    else if (d->kind == UBI_OBJECT_PROXY)
        proxy_preview(g, handle);
    else if (d->kind == UBI_OBJECT_WRAPPER)
        wrapper_preview(g, handle, d);
    else if (d->kind == UBI_OBJECT_ARRAY_BUFFER)
        buffer_preview(g, handle, d);
    else
        properties_preview(g, handle, d);
}

/* One that holds no other values: it is always shown. */
static bool has_outline(ubi_object_kind kind) {
    return kind == UBI_OBJECT_ERROR || kind == UBI_OBJECT_ARRAY || kind == UBI_OBJECT_DATE ||
           kind == UBI_OBJECT_PROMISE || is_map(kind) || is_set(kind);
}

static void outline_preview(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d) {
    if (d->kind == UBI_OBJECT_ERROR) {
        error_preview(g, handle, d, false);
    } else if (d->kind == UBI_OBJECT_DATE) {
        date_preview(g->json, d->time_ms);
    } else if (d->kind == UBI_OBJECT_PROMISE) {
        promise_preview(g, handle, d->promise_state, false);
    } else if (d->kind == UBI_OBJECT_ARRAY) {
        ubi__json_member_string(g->json, "kind", "ArrayLike");
        ubi__json_member_u64(g->json, "length", d->length);
    } else {
        collection_preview(g, handle, d, false);
    }
}

static void preview_write(ubi__rdp_grips *g, ubi_value_handle handle, const ubi_object_description *d,
                          bool with_values) {
    bool with_previews = g->with_previews;
    if (!with_values && !has_outline(d->kind))
        return;
    g->with_previews = false;
    ubi__json_member_object(g->json, "preview");
    if (with_values)
        whole_preview(g, handle, d);
    else
        outline_preview(g, handle, d);
    ubi__json_object_end(g->json);
    g->with_previews = with_previews;
}

/* ---- tables ------------------------------------------------------------------------------------------------------------- */

/* Rows of console.table, and their cells: Firefox shows no more. */
#define MOST_ROWS 1000
#define MOST_CELLS 100

/* What console.table shows of an object: its entries, elements or properties, and those of its values. */
static void rows_write(ubi__rdp_grips *g, ubi_value_handle handle, ubi_object_kind kind) {
    uint32_t levels = g->table_levels;
    uint64_t most = levels > 1 ? MOST_ROWS : MOST_CELLS;
    g->table_levels--;
    ubi__json_member_null(g->json, "preview");
    ubi__json_member_object(g->json, "ownProperties");
    if (is_map(kind) || is_set(kind))
        (void)ubi__rdp_grips_write_entries(g, handle, 0, most);
    else
        (void)ubi__rdp_grips_write_properties(
            g, handle,
            kind == UBI_OBJECT_ARRAY ? UBI_PROPERTIES_INDEXED : UBI_PROPERTIES_NAMED | UBI_PROPERTIES_INDEXED, 0, most);
    ubi__json_object_end(g->json);
    g->table_levels = levels;
}

/* ---- an object ---------------------------------------------------------------------------------------------------------- */

void ubi__rdp_object_write(ubi__rdp_grips *g, ubi_value_handle handle, bool with_preview) {
    ubi_object_description d = UBI_OBJECT_DESCRIPTION_INIT;
    ubi__rdp_grip_begin(g->json, "object");
    ubi__rdp_grip_write_actor(g, handle, UBI__RDP_HELD_OBJECT);
    if (ubi_console_describe(&d, g->console, handle) != UBI_OK)
        d.class_name = ubi__text("Object");
    ubi__json_member_text(g->json, "class", d.class_name);
    ubi__json_member_u64(g->json, "ownPropertyLength", d.property_count);
    ubi__json_member_bool(g->json, "extensible", d.is_extensible);
    ubi__json_member_bool(g->json, "frozen", d.is_frozen);
    ubi__json_member_bool(g->json, "sealed", d.is_sealed);
    ubi__json_member_bool(g->json, "isError", d.kind == UBI_OBJECT_ERROR);
    if (d.kind == UBI_OBJECT_FUNCTION)
        function_write(g->json, &d);
    if (d.kind == UBI_OBJECT_REG_EXP)
        reg_exp_write(g->json, &d);
    if (g->table_levels)
        rows_write(g, handle, d.kind);
    else
        preview_write(g, handle, &d, with_preview);
    ubi__json_object_end(g->json);
}

/* ---- what is asked of one ----------------------------------------------------------------------------------------------- */

ubi_status ubi__rdp_value_promise_state(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    ubi_value_handle handle = ubi__rdp_console_errand_of(errand)->handle;
    ubi_object_description d = UBI_OBJECT_DESCRIPTION_INIT;
    UBI_TRY(ubi_console_describe(&d, g.console, handle));
    if (d.kind != UBI_OBJECT_PROMISE)
        return ubi__fail(UBI_EINVAL, "the object is not a promise");
    ubi_object_slots slots = slots_get(&g, handle);
    ubi__json_member_object(json, "promiseState");
    ubi__json_member_string(json, "state", promise_state_name(d.promise_state));
    if (d.promise_state != UBI_PROMISE_PENDING) {
        ubi__json_key(json, d.promise_state == UBI_PROMISE_FULFILLED ? "value" : "reason");
        ubi__rdp_grip_write(&g, &slots.value, true);
    }
    ubi__json_object_end(json);
    return UBI_OK;
}

ubi_status ubi__rdp_value_proxy_slots(ubi__rdp_errand *errand, ubi__json *json) {
    ubi__rdp_grips g = ubi__rdp_grips_of(errand, json);
    ubi_value_handle handle = ubi__rdp_console_errand_of(errand)->handle;
    ubi_object_description d = UBI_OBJECT_DESCRIPTION_INIT;
    UBI_TRY(ubi_console_describe(&d, g.console, handle));
    if (d.kind != UBI_OBJECT_PROXY)
        return ubi__fail(UBI_EINVAL, "the object is not a proxy");
    ubi_object_slots slots = slots_get(&g, handle);
    ubi__json_key(json, "proxyTarget");
    ubi__rdp_grip_write(&g, &slots.value, true);
    ubi__json_key(json, "proxyHandler");
    ubi__rdp_grip_write(&g, &slots.handler, true);
    return UBI_OK;
}
