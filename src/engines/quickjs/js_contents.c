/* SPDX-License-Identifier: MIT
 *
 * js_contents.c: what objects of the language's classes hold beside their properties, as plain data; see js_values.h.
 */
#include <math.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_properties.h"
#include "engines/quickjs/js_values.h"
#include "tracking/tool_memory.h"

/* ---- what it is ----------------------------------------------------------------------------------------------------- */

/* Letters in the language's order. Their bits are the same in all engines. */
static void describe_flags(uint32_t flags, char out[16]) {
    static const struct flag {
        char letter;
        uint8_t bit;
    } known[] = { { 'd', 6 }, { 'g', 0 }, { 'i', 1 }, { 'm', 2 }, { 's', 3 }, { 'u', 4 }, { 'v', 8 }, { 'y', 5 } };
    size_t n = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (flags >> known[i].bit & 1)
            out[n++] = known[i].letter;
    out[n] = '\0';
}

static double time_of(JSContext *ctx, JSValueConst value) {
    double time_ms = NAN;
    if (JS_IsNumber(value))
        JS_ToFloat64(ctx, &time_ms, value);
    return time_ms;
}

/* What consoles show of a class; PLAIN: nothing of its own. */
static ubi_object_kind kind_of_content(const ubi__content_facts *facts) {
    static const ubi_object_kind kinds[] = {
        [UBI__CONTENT_OTHER] = UBI_OBJECT_PLAIN,
        [UBI__CONTENT_DATE] = UBI_OBJECT_DATE,
        [UBI__CONTENT_REG_EXP] = UBI_OBJECT_REG_EXP,
        [UBI__CONTENT_MAP] = UBI_OBJECT_MAP,
        [UBI__CONTENT_SET] = UBI_OBJECT_SET,
        [UBI__CONTENT_WEAK_MAP] = UBI_OBJECT_WEAK_MAP,
        [UBI__CONTENT_WEAK_SET] = UBI_OBJECT_WEAK_SET,
        [UBI__CONTENT_PROMISE] = UBI_OBJECT_PROMISE,
        [UBI__CONTENT_PROXY] = UBI_OBJECT_PROXY,
        [UBI__CONTENT_WRAPPER] = UBI_OBJECT_WRAPPER,
        [UBI__CONTENT_ARRAY_BUFFER] = UBI_OBJECT_ARRAY_BUFFER,
        [UBI__CONTENT_TYPED_ARRAY] = UBI_OBJECT_ARRAY,
    };
    return kinds[facts->of];
}

static ubi_promise_state promise_state_of(int state) {
    return state == 1 ? UBI_PROMISE_FULFILLED : state == 2 ? UBI_PROMISE_REJECTED : UBI_PROMISE_PENDING;
}

ubi_status ubi__js_describe_content(const ubi__js_describer *d, JSValueConst object, ubi_object_description *out) {
    ubi__content_facts facts;
    ubi__content_facts_of(&facts, object);
    if (facts.of == UBI__CONTENT_OTHER)
        return UBI_OK;
    out->kind = kind_of_content(&facts);
    out->entry_count = facts.entry_count;
    out->byte_length = facts.byte_length;
    out->is_typed_array = facts.of == UBI__CONTENT_TYPED_ARRAY;
    if (out->is_typed_array)
        out->length = facts.element_count;
    out->promise_state = promise_state_of(facts.promise_state);
    if (facts.of == UBI__CONTENT_DATE)
        out->time_ms = time_of(d->ctx, facts.value);
    if (facts.of != UBI__CONTENT_REG_EXP)
        return UBI_OK;
    describe_flags(facts.flags, out->flags);
    return ubi__js_texts_add_units(&out->pattern, d->texts, d->ctx, facts.value, 0, UBI_VALUE_TEXT_UNITS, NULL);
}

/* ---- slots ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__js_describe_slots(const ubi__js_describer *d, JSValueConst object, ubi_object_slots *out) {
    ubi__content_facts facts;
    JSValue cause = JS_UNDEFINED;
    ubi__content_facts_of(&facts, object);
    *out = (ubi_object_slots){ .value = { .kind = UBI_VALUE_UNDEFINED } };
    if (ubi__is_error(d->ctx, object))
        facts.value = cause = ubi__js_own_value(d->ctx, object, "cause");
    else if (facts.of != UBI__CONTENT_PROMISE && facts.of != UBI__CONTENT_PROXY && facts.of != UBI__CONTENT_WRAPPER)
        return UBI_OK;
    ubi_status status = ubi__js_describe_value(d, facts.value, &out->value);
    if (status == UBI_OK)
        status = ubi__js_describe_value(d, facts.handler, &out->handler);
    if (status != UBI_OK)
        ubi__js_drop_value(d, &out->value);
    JS_FreeValue(d->ctx, cause);
    return status;
}

/* ---- entries -------------------------------------------------------------------------------------------------------- */

/* *wants_more: what `fn` says. */
static ubi_status hand_over_entry(const ubi__js_describer *d, JSValueConst key, JSValueConst value, bool has_values,
                                  ubi_entry_fn fn, void *payload, bool *wants_more) {
    ubi_entry entry = { .key = { .kind = UBI_VALUE_UNDEFINED } };
    if (has_values)
        UBI__JS_TRY(ubi__js_describe_value(d, key, &entry.key));
    ubi_status status = ubi__js_describe_value(d, has_values ? value : key, &entry.value);
    if (status == UBI_OK)
        *wants_more = fn(payload, &entry);
    else
        ubi__js_drop_value(d, &entry.key);
    return status;
}

/* Those that were there at once: `fn` may release values, so that entries of a weak collection go. */
static ubi_status describe_read_entries(const ubi__js_describer *d, JSValue *pairs, uint32_t n, bool has_values,
                                        ubi_entry_fn fn, void *payload) {
    ubi_status status = UBI_OK;
    bool wants_more = true;
    for (uint32_t i = 0; i < 2 * n; i++)
        pairs[i] = JS_DupValue(d->ctx, pairs[i]);
    for (uint32_t i = 0; i < n && wants_more && status == UBI_OK; i++) {
        status = hand_over_entry(d, pairs[2 * i], pairs[2 * i + 1], has_values, fn, payload, &wants_more);
        ubi__js_texts_clear(d->texts);
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        JS_FreeValue(d->ctx, pairs[i]);
    return status;
}

ubi_status ubi__js_describe_entries(const ubi__js_describer *d, JSValueConst object, uint64_t first, uint64_t count,
                                    ubi_entry_fn fn, void *payload, uint64_t *total) {
    const ubi_allocator *allocator = d->values->allocator;
    ubi__content_facts facts;
    ubi__content_facts_of(&facts, object);
    uint64_t left = first < facts.entry_count ? facts.entry_count - first : 0;
    uint32_t most = (uint32_t)(count < left ? count : left);
    if (total)
        *total = facts.entry_count;
    if (!most)
        return UBI_OK;
    JSValue *pairs = (JSValue *)ubi__tool_calloc(allocator, 2 * (size_t)most, sizeof *pairs);
    if (!pairs)
        return ubi_error(UBI_ENOMEM, "not enough memory for %u entries of a collection", (unsigned)most);
    bool has_values = facts.of == UBI__CONTENT_MAP || facts.of == UBI__CONTENT_WEAK_MAP;
    uint32_t n = ubi__entries_read((JSValueConst *)pairs, object, first, most);
    ubi_status status = describe_read_entries(d, pairs, n, has_values, fn, payload);
    ubi__tool_free(allocator, pairs, 2 * (size_t)most, sizeof *pairs);
    return status;
}
