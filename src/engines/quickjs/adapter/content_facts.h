/* SPDX-License-Identifier: MIT
 *
 * content_facts.h: what objects of the language's classes hold beside their properties; answers to js_facts.h.
 */
#ifndef UBI_QUICKJS_CONTENT_FACTS_H
#define UBI_QUICKJS_CONTENT_FACTS_H

#include "engines/quickjs/adapter/facts.h"
#include "engines/quickjs/adapter/state.h"
#include "engines/quickjs/js_facts.h"

/* ---- collections ---------------------------------------------------------------------------------------------------- */

/* The state of a Map, Set, WeakMap or WeakSet; NULL: it is something else, or is being made. */
static JSMapState *ubi__map_of(JSObject *p) {
    return p->class_id >= JS_CLASS_MAP && p->class_id <= JS_CLASS_WEAKSET ? p->u.map_state : NULL;
}

/* Whether a record is an entry. Engines that keep the memory of what a weak key was set its count of references to 0. */
static bool ubi__record_is_entry(const JSMapState *map, const JSMapRecord *record) {
    if (record->empty)
        return false;
    return !map->is_weak || !JS_VALUE_HAS_REF_COUNT(record->key) || ubi__ref_count(JS_VALUE_GET_PTR(record->key)) > 0;
}

static uint32_t ubi__entry_count(JSMapState *map) {
    struct list_head *el;
    uint32_t n = 0;
    if (!map->is_weak)
        return map->record_count;
    list_for_each(el, &map->records) n += ubi__record_is_entry(map, list_entry(el, JSMapRecord, link));
    return n;
}

uint32_t ubi__entries_read(JSValueConst *pairs, JSValueConst object, uint64_t first, uint32_t most) {
    JSMapState *map = ubi__map_of(JS_VALUE_GET_OBJ(object));
    struct list_head *el;
    uint64_t i = 0;
    uint32_t n = 0;
    if (!map || !most)
        return 0;
    list_for_each(el, &map->records) {
        const JSMapRecord *record = list_entry(el, JSMapRecord, link);
        if (!ubi__record_is_entry(map, record) || i++ < first)
            continue;
        pairs[2 * n] = record->key;
        pairs[2 * n + 1] = record->value;
        if (++n == most)
            break;
    }
    return n;
}

static void ubi__collection_facts_of(ubi__content_facts *out, JSObject *p) {
    JSMapState *map = ubi__map_of(p);
    bool is_weak = p->class_id == JS_CLASS_WEAKMAP || p->class_id == JS_CLASS_WEAKSET;
    bool is_map = p->class_id == JS_CLASS_MAP || p->class_id == JS_CLASS_WEAKMAP;
    if (is_map)
        out->of = is_weak ? UBI__CONTENT_WEAK_MAP : UBI__CONTENT_MAP;
    else
        out->of = is_weak ? UBI__CONTENT_WEAK_SET : UBI__CONTENT_SET;
    out->entry_count = map ? ubi__entry_count(map) : 0;
}

/* ---- buffers -------------------------------------------------------------------------------------------------------- */

static void ubi__buffer_facts_of(ubi__content_facts *out, const JSObject *p) {
    out->of = UBI__CONTENT_ARRAY_BUFFER;
    if (p->u.array_buffer && p->u.array_buffer->byte_length > 0)
        out->byte_length = (uint64_t)p->u.array_buffer->byte_length;
}

/* Without its buffer it has no elements. */
static void ubi__typed_array_facts_of(ubi__content_facts *out, const JSObject *p) {
    out->of = UBI__CONTENT_TYPED_ARRAY;
    out->element_count = p->u.array.count;
    if (p->u.typed_array && p->u.array.count)
        out->byte_length = p->u.typed_array->length;
}

/* ---- all else ------------------------------------------------------------------------------------------------------- */

static void ubi__reg_exp_facts_of(ubi__content_facts *out, const JSObject *p) {
    if (!p->u.regexp.pattern || !p->u.regexp.bytecode) /* it is being made */
        return;
    out->of = UBI__CONTENT_REG_EXP;
    out->value = JS_MKPTR(JS_TAG_STRING, p->u.regexp.pattern);
    out->flags = (uint32_t)lre_get_flags(ubi__string_units(p->u.regexp.bytecode));
}

static void ubi__promise_facts_of(ubi__content_facts *out, JSValueConst object) {
    const JSPromiseData *promise = JS_GetOpaque(object, JS_CLASS_PROMISE);
    out->of = UBI__CONTENT_PROMISE;
    if (!promise)
        return;
    out->promise_state = (int)promise->promise_state;
    if (promise->promise_state != JS_PROMISE_PENDING)
        out->value = promise->promise_result;
}

static void ubi__proxy_facts_of(ubi__content_facts *out, JSValueConst object) {
    const JSProxyData *proxy = JS_GetOpaque(object, JS_CLASS_PROXY);
    out->of = UBI__CONTENT_PROXY;
    out->value = out->handler = JS_NULL;
    if (!proxy || proxy->is_revoked)
        return;
    out->value = proxy->target;
    out->handler = proxy->handler;
}

void ubi__content_facts_of(ubi__content_facts *out, JSValueConst object) {
    JSObject *p = JS_VALUE_GET_OBJ(object);
    *out = (ubi__content_facts){ .of = UBI__CONTENT_OTHER, .value = JS_UNDEFINED, .handler = JS_UNDEFINED };
    if (p->class_id >= JS_CLASS_MAP && p->class_id <= JS_CLASS_WEAKSET)
        ubi__collection_facts_of(out, p);
    else if (p->class_id >= JS_CLASS_UINT8C_ARRAY && p->class_id <= JS_CLASS_FLOAT64_ARRAY)
        ubi__typed_array_facts_of(out, p);
    else if (p->class_id == JS_CLASS_ARRAY_BUFFER || p->class_id == JS_CLASS_SHARED_ARRAY_BUFFER)
        ubi__buffer_facts_of(out, p);
    else if (p->class_id == JS_CLASS_REGEXP)
        ubi__reg_exp_facts_of(out, p);
    else if (p->class_id == JS_CLASS_PROMISE)
        ubi__promise_facts_of(out, object);
    else if (p->class_id == JS_CLASS_PROXY)
        ubi__proxy_facts_of(out, object);
    else if (p->class_id == JS_CLASS_DATE)
        *out = (ubi__content_facts){ .of = UBI__CONTENT_DATE, .value = p->u.object_data, .handler = JS_UNDEFINED };
    else if (p->class_id == JS_CLASS_NUMBER || p->class_id == JS_CLASS_STRING || p->class_id == JS_CLASS_BOOLEAN ||
             p->class_id == JS_CLASS_SYMBOL || p->class_id == JS_CLASS_BIG_INT)
        *out = (ubi__content_facts){ .of = UBI__CONTENT_WRAPPER, .value = p->u.object_data, .handler = JS_UNDEFINED };
}

#endif
