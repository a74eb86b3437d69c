/* SPDX-License-Identifier: MIT
 *
 * js_report.c: census reports to JavaScript values.
 *
 * | breakdown                                             | value                                              |
 * |-------------------------------------------------------|----------------------------------------------------|
 * | count                                                 | plain object with count, bytes, label              |
 * | bucket, array                                         | array                                              |
 * | coarseType                                            | plain object                                       |
 * | objectClass, internalType, descriptiveType, filename  | object without prototype: every key is a name      |
 * | allocationStack                                       | Map; keys are SavedFrames, null, "noStack"         |
 *
 * Properties are defined, never assigned: setters on prototypes do not see them. Recursion is bounded by the depth of
 * breakdowns.
 */
#include "engines/quickjs/js_report.h"

#include "engines/quickjs/js_saved_frame.h"

typedef struct builder {
    JSContext *ctx;
    const ubi__js_breakdown *breakdown;
} builder;

static JSValue report_build(builder *b, const ubi_report *report);

/** Defines a property, whose value is taken. 0, or -1 with a pending exception. */
static int report_define(builder *b, JSValueConst object, const char *name, JSValue value) {
    if (JS_IsException(value))
        return -1;
    return JS_DefinePropertyValueStr(b->ctx, object, name, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

/** The label that stands for a decimal index. */
static JSValue label_of(builder *b, ubi_text digits) {
    uint32_t index = 0;
    for (size_t i = 0; i < digits.len; i++)
        index = index * 10 + (uint32_t)(digits.ptr[i] - '0');
    return JS_DupValue(b->ctx, b->breakdown->labels[index]);
}

/** `object`, or its end and an exception. */
static JSValue or_free(builder *b, JSValue object, int failed) {
    if (!failed)
        return object;
    JS_FreeValue(b->ctx, object);
    return JS_EXCEPTION;
}

static JSValue build_count(builder *b, const ubi_report *report) {
    ubi_report_count count;
    ubi_report_get_count(report, &count);
    JSValue object = JS_NewObject(b->ctx);
    int failed = JS_IsException(object);
    if (!failed && count.has_count)
        failed = report_define(b, object, "count", ubi__js_number(b->ctx, count.count));
    if (!failed && count.has_bytes)
        failed = report_define(b, object, "bytes", ubi__js_number(b->ctx, count.bytes));
    if (!failed && count.has_label)
        failed = report_define(b, object, "label", label_of(b, count.label));
    return or_free(b, object, failed);
}

static JSValue build_bucket(builder *b, const ubi_report *report) {
    uint64_t n;
    const uint64_t *ids = ubi_report_bucket(report, &n);
    JSValue array = JS_NewArray(b->ctx);
    int failed = JS_IsException(array);
    for (uint64_t i = 0; i < n && !failed; i++) /* nodes are counted in 32 bits */
        failed =
            JS_DefinePropertyValueUint32(b->ctx, array, (uint32_t)i, ubi__js_number(b->ctx, ids[i]), JS_PROP_C_W_E) < 0;
    return or_free(b, array, failed);
}

static JSValue build_array(builder *b, const ubi_report *report) {
    JSValue array = JS_NewArray(b->ctx);
    int failed = JS_IsException(array);
    for (uint32_t i = 0; i < ubi_report_entry_count(report) && !failed; i++) {
        ubi_report_key key;
        JSValue value = report_build(b, ubi_report_entry(report, i, &key));
        failed =
            JS_IsException(value) || JS_DefinePropertyValueUint32(b->ctx, array, key.index, value, JS_PROP_C_W_E) < 0;
    }
    return or_free(b, array, failed);
}

/** One entry of a report with text keys. */
static int build_property(builder *b, JSValueConst object, const ubi_report *report, uint32_t index) {
    ubi_report_key key;
    JSValue value = report_build(b, ubi_report_entry(report, index, &key));
    if (JS_IsException(value))
        return -1;
    JSAtom name = JS_NewAtomLen(b->ctx, key.text.ptr, key.text.len);
    if (name == JS_ATOM_NULL) {
        JS_FreeValue(b->ctx, value);
        return -1;
    }
    int result = JS_DefinePropertyValue(b->ctx, object, name, value, JS_PROP_C_W_E);
    JS_FreeAtom(b->ctx, name);
    return result < 0 ? -1 : 0;
}

static JSValue build_object(builder *b, const ubi_report *report) {
    bool is_plain = ubi_breakdown_kind(ubi_report_breakdown(report)) == UBI_BY_COARSE_TYPE;
    JSValue object = is_plain ? JS_NewObject(b->ctx) : JS_NewObjectProto(b->ctx, JS_NULL);
    int failed = JS_IsException(object);
    for (uint32_t i = 0; i < ubi_report_entry_count(report) && !failed; i++)
        failed = build_property(b, object, report, i);
    return or_free(b, object, failed);
}

static JSValue map_key(builder *b, const ubi_report_key *key) {
    switch (key->type) {
    case UBI_KEY_STACK:
        return ubi__saved_frame_of(b->ctx, key->stack);
    case UBI_KEY_NULL_STACK:
        return JS_NULL;
    default:
        return JS_NewStringLen(b->ctx, key->text.ptr, key->text.len);
    }
}

static JSValue build_map(builder *b, const ubi_report *report) {
    JSValue map = ubi__js_realm_new_map(b->ctx);
    int failed = JS_IsException(map);
    for (uint32_t i = 0; i < ubi_report_entry_count(report) && !failed; i++) {
        ubi_report_key key;
        JSValue value = report_build(b, ubi_report_entry(report, i, &key));
        JSValue js_key = JS_IsException(value) ? JS_UNDEFINED : map_key(b, &key);
        failed = ubi__js_realm_map_set(b->ctx, map, js_key, value);
    }
    return or_free(b, map, failed);
}

static JSValue report_build(builder *b, const ubi_report *report) {
    switch (ubi_report_shape_of(report)) {
    case UBI_REPORT_COUNT:
        return build_count(b, report);
    case UBI_REPORT_BUCKET:
        return build_bucket(b, report);
    case UBI_REPORT_ARRAY:
        return build_array(b, report);
    case UBI_REPORT_MAP:
        return build_map(b, report);
    default:
        return build_object(b, report);
    }
}

JSValue ubi__js_report(JSContext *ctx, const ubi_report *report, const ubi__js_breakdown *breakdown) {
    builder b = { ctx, breakdown };
    return report_build(&b, report);
}
