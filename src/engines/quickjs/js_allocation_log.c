/* SPDX-License-Identifier: MIT
 *
 * js_allocation_log.c: the allocation log as an array.
 *
 * Most entries of a log stand at few places: the SavedFrames of the last ones are remembered by the stack's number, so the
 * walk up a stack is done once for each place. The array's entries hold them.
 */
#include <string.h>

#include "engines/quickjs/js_debugger.h"
#include "engines/quickjs/js_report.h"
#include "engines/quickjs/js_saved_frame.h"

#define REMEMBERED 256 /* a power of two */

typedef struct drain {
    JSContext *ctx;
    JSValue entries;
    uint32_t n;
    bool failed; /* an exception is pending */
    struct {
        uint64_t ref; /* of a stack; 0: nothing */
        void *frame;  /* its SavedFrame, held by an entry */
    } remembered[REMEMBERED];
} drain;

static JSValue frame_of(drain *d, ubi_stack stack) {
    uint32_t at = ubi__weak_hash(stack.ref) & (REMEMBERED - 1);
    if (d->remembered[at].ref == stack.ref && stack.ref)
        return JS_DupValue(d->ctx, JS_MKPTR(JS_TAG_OBJECT, d->remembered[at].frame));
    JSValue frame = ubi__saved_frame_of(d->ctx, stack);
    if (JS_IsObject(frame)) {
        d->remembered[at].ref = stack.ref;
        d->remembered[at].frame = JS_VALUE_GET_PTR(frame);
    }
    return frame;
}

static JSValue text_or_null(JSContext *ctx, ubi_text text) {
    return text.ptr ? JS_NewStringLen(ctx, text.ptr, text.len) : JS_NULL;
}

/** Defines a property of an entry, whose value is taken. False: an exception is pending. */
static bool log_entry_define(drain *d, JSValueConst entry, const char *name, JSValue value) {
    return !JS_IsException(value) && JS_DefinePropertyValueStr(d->ctx, entry, name, value, JS_PROP_C_W_E) >= 0;
}

static bool fill_entry(drain *d, JSValueConst entry, const ubi_quickjs_allocation *a) {
    JSContext *ctx = d->ctx;
    return log_entry_define(d, entry, "frame", a->has_frame ? frame_of(d, a->frame) : JS_NULL) &&
           log_entry_define(d, entry, "timestamp", JS_NewFloat64(ctx, a->timestamp_ms)) &&
           log_entry_define(d, entry, "class", text_or_null(ctx, a->class_name)) &&
           log_entry_define(d, entry, "constructor", text_or_null(ctx, a->constructor_name)) &&
           log_entry_define(d, entry, "size", ubi__js_number(ctx, a->size_bytes)) &&
           log_entry_define(d, entry, "inNursery", JS_FALSE); /* this engine has none */
}

/** Appends one; an entry that could not be made stays in the log. */
static bool log_append(void *payload, const ubi_quickjs_allocation *allocation) {
    drain *d = payload;
    JSValue entry = JS_NewObject(d->ctx);
    d->failed = true;
    if (JS_IsException(entry))
        return false;
    if (!fill_entry(d, entry, allocation)) {
        JS_FreeValue(d->ctx, entry);
        memset(d->remembered, 0, sizeof d->remembered); /* its frame may have been held by this entry alone */
        return false;
    }
    d->failed = JS_DefinePropertyValueUint32(d->ctx, d->entries, d->n, entry, JS_PROP_C_W_E) < 0;
    d->n++;
    return !d->failed;
}

JSValue ubi__js_drain(JSContext *ctx, ubi__js_debugger *debugger) {
    drain d = { .ctx = ctx, .entries = JS_NewArray(ctx) };
    if (JS_IsException(d.entries))
        return JS_EXCEPTION;
    ubi_status status = ubi_quickjs_observer_drain(debugger->observer, log_append, &d);
    if (status != UBI_OK && !d.failed) {
        ubi__js_throw_status(ctx, status);
        d.failed = true;
    }
    if (d.failed)
        JS_FreeValue(ctx, d.entries);
    return d.failed ? JS_EXCEPTION : d.entries;
}
