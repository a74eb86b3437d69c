/* SPDX-License-Identifier: MIT
 *
 * js_values.c: texts of results, and values that a console holds; see js_values.h.
 *
 * A handle is the place of a value and how often that place was given out, so that one that was released never means another value.
 */
#include "engines/quickjs/js_values.h"

#include <string.h>

#include "base/assert.h"
#include "engines/quickjs/js_properties.h"
#include "tracking/tool_memory.h"

/* ---- texts ---------------------------------------------------------------------------------------------------------- */

typedef struct ubi__js_text_copy {
    struct ubi__js_text_copy *next;
    size_t n;
    char bytes[];
} text_copy;

static ubi_status fail_nomem(void) {
    return ubi_error(UBI_ENOMEM, "not enough memory to describe a value");
}

ubi_status ubi__js_fail_nomem(JSContext *ctx) {
    ubi__js_forget(ctx);
    return fail_nomem();
}

void ubi__js_texts_clear(ubi__js_texts *texts) {
    while (texts->first) {
        text_copy *copy = texts->first;
        texts->first = copy->next;
        ubi__tool_free(texts->allocator, copy, 1, sizeof *copy + copy->n);
    }
}

void *ubi__js_texts_allot(ubi__js_texts *texts, size_t n) {
    text_copy *copy = (text_copy *)ubi__tool_calloc(texts->allocator, 1, sizeof *copy + n);
    if (!copy)
        return NULL;
    copy->next = texts->first;
    copy->n = n;
    texts->first = copy;
    return copy->bytes;
}

ubi_status ubi__js_texts_add(ubi_text *out, ubi__js_texts *texts, const char *bytes, size_t n) {
    char *copy = ubi__js_texts_allot(texts, n);
    if (!copy)
        return fail_nomem();
    if (n)
        memcpy(copy, bytes, n);
    *out = (ubi_text){ copy, n };
    return UBI_OK;
}

static ubi_status texts_add_engine_text(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, const char *bytes,
                                        size_t n) {
    if (!bytes)
        return ubi__js_fail_nomem(ctx);
    ubi_status status = ubi__js_texts_add(out, texts, bytes, n);
    JS_FreeCString(ctx, bytes);
    return status;
}

ubi_status ubi__js_texts_add_value(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, JSValueConst value) {
    size_t n = 0;
    const char *bytes = JS_ToCStringLen(ctx, &n, value);
    return texts_add_engine_text(out, texts, ctx, bytes, n);
}

ubi_status ubi__js_texts_add_atom(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, JSAtom atom) {
    const char *bytes = JS_AtomToCString(ctx, atom);
    return texts_add_engine_text(out, texts, ctx, bytes, bytes ? strlen(bytes) : 0);
}

/* Bytes and units of the character that begins with this byte. */
static size_t character_bytes(unsigned char first) {
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
static unsigned character_units(unsigned char first) {
    return first < 0xf0 ? 1 : 2;
}

/* A pair of surrogates is one character here: it belongs to the unit with which it begins. */
ubi_status ubi__js_texts_add_units(ubi_text *out, ubi__js_texts *texts, JSContext *ctx, JSValueConst string,
                                   uint64_t first, uint64_t end, uint64_t *length_units) {
    size_t n, from, to, at = 0;
    uint64_t unit = 0;
    const char *bytes = JS_ToCStringLen(ctx, &n, string);
    if (!bytes)
        return ubi__js_fail_nomem(ctx);
    from = to = n;
    while (at < n) {
        if (unit >= first && at < from)
            from = at;
        if (unit >= end && at < to)
            to = at;
        unit += character_units((unsigned char)bytes[at]);
        at += character_bytes((unsigned char)bytes[at]);
    }
    to = to < from ? from : to;
    ubi_status status = ubi__js_texts_add(out, texts, bytes + from, to - from);
    JS_FreeCString(ctx, bytes);
    if (length_units)
        *length_units = unit;
    return status;
}

/* ---- values that are held ------------------------------------------------------------------------------------------- */

static ubi_value_handle handle_of(const ubi__js_values *values, uint32_t index) {
    return (ubi_value_handle)values->at[index].generation << 32 | (index + 1);
}

static ubi__js_held *held_of(const ubi__js_values *values, ubi_value_handle handle) {
    uint32_t place = (uint32_t)handle;
    if (place == 0 || place > values->n || JS_IsUndefined(values->at[place - 1].value) ||
        handle_of(values, place - 1) != handle)
        return NULL;
    return &values->at[place - 1];
}

void ubi__js_values_fini(ubi__js_values *values) {
    for (uint32_t i = 0; i < values->n; i++)
        JS_FreeValueRT(values->runtime, values->at[i].value);
    ubi__tool_free(values->allocator, values->at, values->capacity, sizeof *values->at);
    values->at = NULL;
    values->n = values->capacity = values->first_free = 0;
}

/* The place of one that is free; UBI_NONE: no memory. */
static uint32_t values_take_place(ubi__js_values *values) {
    uint32_t index = values->first_free;
    if (index) {
        values->first_free = values->at[index - 1].next_free;
        return index - 1;
    }
    if (!ubi__tool_reserve(values->allocator, (void **)&values->at, &values->capacity, values->n + 1,
                           sizeof *values->at))
        return UBI_NONE;
    values->at[values->n] = (ubi__js_held){ .value = JS_UNDEFINED };
    return values->n++;
}

ubi_status ubi__js_values_hold(ubi_value_handle *out, ubi__js_values *values, JSContext *ctx, JSValueConst value) {
    UBI_ASSERT(!JS_IsUndefined(value));
    uint32_t index = values_take_place(values);
    if (index == UBI_NONE)
        return fail_nomem();
    values->at[index].value = JS_DupValue(ctx, value);
    values->at[index].generation++;
    *out = handle_of(values, index);
    return UBI_OK;
}

static ubi_status fail_no_value(ubi_value_handle handle) {
    return ubi_error(UBI_ENOTFOUND, "no value with the number %llu is held", (unsigned long long)handle);
}

ubi_status ubi__js_values_find(JSValueConst *out, const ubi__js_values *values, ubi_value_handle handle) {
    const ubi__js_held *held = held_of(values, handle);
    if (!held)
        return fail_no_value(handle);
    *out = held->value;
    return UBI_OK;
}

ubi_status ubi__js_values_release(ubi__js_values *values, ubi_value_handle handle) {
    ubi__js_held *held = held_of(values, handle);
    if (!held)
        return fail_no_value(handle);
    JSValue value = held->value;
    held->value = JS_UNDEFINED;
    held->next_free = values->first_free;
    values->first_free = (uint32_t)handle;
    JS_FreeValueRT(values->runtime, value); /* may run a finalizer of a program, which finds all done */
    return UBI_OK;
}
