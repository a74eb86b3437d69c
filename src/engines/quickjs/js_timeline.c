/* SPDX-License-Identifier: MIT
 *
 * js_timeline.c: recordProfileTimelineMarkers, popProfileTimelineMarkers, now; and lostMarkers, which Firefox has not.
 *
 *     timeline.recordProfileTimelineMarkers = true;
 *     ...
 *     const markers = timeline.popProfileTimelineMarkers();
 *
 * What is observed is the runtime that the script runs in: all its realms, and no worker. Results are dictionaries as
 * Firefox's docshell gives them; a frame that occurs in several stacks of a result is one object.
 *
 * Source: mozilla-central docshell/base/nsIDocShell.idl, dom/webidl/ProfileTimelineMarker.webidl (Firefox 55 to 62).
 */
#include "engines/quickjs/js_timeline.h"

#include <string.h>

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_realm.h"
#include "engines/quickjs/js_record.h"
#include "engines/quickjs/timeline.h"

static JSValue milliseconds_of(JSContext *ctx, uint64_t ns) {
    return JS_NewFloat64(ctx, (double)ns / 1e6);
}

/* ---- stacks --------------------------------------------------------------------------------------------------------- */

/* The frame's object, which the array of all frames has; null for none. */
static JSValue frame_at(JSContext *ctx, JSValueConst frames, uint32_t i) {
    return i == UBI_NONE ? JS_NULL : JS_GetPropertyUint32(ctx, frames, i);
}

static JSValue frame_value(JSContext *ctx, JSValueConst frames, const ubi_timeline_frame *frame) {
    ubi__js_record r = ubi__js_record_new(ctx);
    ubi__js_record_set(&r, "line", JS_NewInt64(ctx, frame->line));
    ubi__js_record_set(&r, "column", JS_NewInt64(ctx, frame->column));
    ubi__js_record_set(&r, "source", ubi__js_text_of(ctx, frame->source));
    if (frame->function_name.ptr)
        ubi__js_record_set(&r, "functionDisplayName", ubi__js_text_of(ctx, frame->function_name));
    ubi__js_record_set(&r, "parent", frame_at(ctx, frames, frame->parent));
    ubi__js_record_set(&r, "asyncParent", frame_at(ctx, frames, frame->async_parent));
    if (frame->async_cause.ptr)
        ubi__js_record_set(&r, "asyncCause", ubi__js_text_of(ctx, frame->async_cause));
    return r.object;
}

/* All frames of a result, parents first: an array that no script sees. */
static JSValue frames_value(JSContext *ctx, const ubi_timeline_markers *markers) {
    JSValue frames = JS_NewArray(ctx);
    size_t n = ubi_timeline_markers_frame_count(markers);
    for (size_t i = 0; i < n && !JS_IsException(frames); i++) {
        ubi_timeline_frame frame = ubi_timeline_markers_frame(markers, i);
        if (!ubi__js_array_put(ctx, frames, (uint32_t)i, frame_value(ctx, frames, &frame)))
            frames = JS_EXCEPTION;
    }
    return frames;
}

/* ---- markers -------------------------------------------------------------------------------------------------------- */

static JSValue rectangle_value(JSContext *ctx, const ubi_timeline_rectangle *rectangle) {
    ubi__js_record r = ubi__js_record_new(ctx);
    ubi__js_record_set(&r, "x", JS_NewInt32(ctx, rectangle->x));
    ubi__js_record_set(&r, "y", JS_NewInt32(ctx, rectangle->y));
    ubi__js_record_set(&r, "width", JS_NewInt32(ctx, rectangle->width));
    ubi__js_record_set(&r, "height", JS_NewInt32(ctx, rectangle->height));
    return r.object;
}

static JSValue rectangles_value(JSContext *ctx, const ubi_timeline_detail *detail) {
    JSValue array = JS_NewArray(ctx);
    for (size_t i = 0; i < detail->rectangle_count && !JS_IsException(array); i++)
        if (!ubi__js_array_put(ctx, array, (uint32_t)i, rectangle_value(ctx, &detail->rectangles[i])))
            array = JS_EXCEPTION;
    return array;
}

static JSValue detail_value(JSContext *ctx, const ubi_timeline_detail *detail) {
    switch (detail->type) {
    case UBI_MARKER_TEXT:
        return ubi__js_text_of(ctx, detail->text);
    case UBI_MARKER_NUMBER:
        return JS_NewFloat64(ctx, detail->number);
    case UBI_MARKER_BOOL:
        return JS_NewBool(ctx, detail->truth);
    default:
        return rectangles_value(ctx, detail);
    }
}

static void set_detail(ubi__js_record *r, const ubi_timeline_detail *detail) {
    char name[64];
    size_t n = detail->key.len < sizeof name ? detail->key.len : sizeof name - 1;
    memcpy(name, detail->key.ptr, n);
    name[n] = '\0';
    ubi__js_record_set(r, name, detail_value(r->ctx, detail));
}

static JSValue marker_value(JSContext *ctx, const ubi_timeline_markers *markers, size_t i, JSValueConst frames) {
    ubi_timeline_row row = ubi_timeline_markers_row(markers, i);
    ubi__js_record r = ubi__js_record_new(ctx);
    ubi__js_record_set(&r, "name", ubi__js_text_of(ctx, row.name));
    ubi__js_record_set(&r, "start", milliseconds_of(ctx, row.start_ns));
    ubi__js_record_set(&r, "end", milliseconds_of(ctx, row.end_ns));
    ubi__js_record_set(&r, "stack", frame_at(ctx, frames, row.stack));
    if (row.has_base) {
        ubi__js_record_set(&r, "processType", JS_NewInt32(ctx, row.process_type));
        ubi__js_record_set(&r, "isOffMainThread", JS_NewBool(ctx, row.is_off_main_thread));
    }
    ubi__js_record_set(&r, "endStack", frame_at(ctx, frames, row.end_stack));
    for (uint32_t j = 0; j < row.detail_count; j++) {
        ubi_timeline_detail detail = ubi_timeline_markers_detail(markers, i, j);
        set_detail(&r, &detail);
    }
    return r.object;
}

static JSValue markers_value(JSContext *ctx, const ubi_timeline_markers *markers) {
    JSValue frames = frames_value(ctx, markers), array = JS_IsException(frames) ? JS_EXCEPTION : JS_NewArray(ctx);
    size_t n = ubi_timeline_markers_count(markers);
    for (size_t i = 0; i < n && !JS_IsException(array); i++) {
        JSValue marker = i < UINT32_MAX
                             ? marker_value(ctx, markers, i, frames)
                             : ubi__js_throw(ctx, UBI__JS_RANGE_ERROR, "more markers than an array can hold");
        if (!ubi__js_array_put(ctx, array, (uint32_t)i, marker))
            array = JS_EXCEPTION;
    }
    JS_FreeValue(ctx, frames);
    return array;
}

/* ---- the object ----------------------------------------------------------------------------------------------------- */

static JSValue get_recording(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    ubi_quickjs *tools = ubi__js_attached_tools(ctx);
    return tools ? JS_NewBool(ctx, ubi__timeline_own_is_observed(ubi__timeline_of_tools(tools))) : JS_EXCEPTION;
}

static JSValue set_recording(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    int wanted = argc > 0 ? JS_ToBool(ctx, argv[0]) : 0;
    ubi_quickjs *tools = wanted < 0 ? NULL : ubi__js_attached_tools(ctx);
    if (!tools)
        return JS_EXCEPTION;
    ubi_status status = ubi__timeline_observe_own(ubi__timeline_of_tools(tools), wanted > 0);
    return status == UBI_OK ? JS_UNDEFINED : ubi__js_throw_status(ctx, status);
}

static JSValue timeline_pop(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    ubi_timeline_markers *markers;
    ubi_quickjs *tools = ubi__js_attached_tools(ctx);
    if (!tools)
        return JS_EXCEPTION;
    if (!ubi__timeline_own_is_observed(ubi__timeline_of_tools(tools)))
        return JS_NewArray(ctx);
    ubi_status status = ubi_timeline_target_pop_profile_timeline_markers(ubi__timeline_of_tools(tools)->own, &markers);
    if (status != UBI_OK)
        return ubi__js_throw_status(ctx, status);
    ubi__timeline_of_tools(tools)->own_lost += ubi_timeline_markers_lost_count(markers);
    JSValue value = markers_value(ctx, markers);
    ubi_timeline_markers_free(markers);
    return value;
}

static JSValue get_lost(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    ubi_quickjs *tools = ubi__js_attached_tools(ctx);
    return tools ? JS_NewInt64(ctx, (int64_t)ubi__timeline_of_tools(tools)->own_lost) : JS_EXCEPTION;
}

static JSValue timeline_now(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    return milliseconds_of(ctx, ubi_process_clock_ns());
}

JSValue ubi__js_timeline_new(JSContext *ctx) {
    static const ubi__js_accessor accessors[] = { { "recordProfileTimelineMarkers", get_recording, set_recording },
                                                  { "lostMarkers", get_lost, NULL },
                                                  { NULL, NULL, NULL } };
    static const ubi__js_method methods[] = { { "popProfileTimelineMarkers", timeline_pop },
                                              { "now", timeline_now },
                                              { NULL, NULL } };
    JSValue object = JS_NewObject(ctx);
    if (JS_IsException(object))
        return object;
    if (ubi__js_define_accessors(ctx, object, accessors, JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE) == 0 &&
        ubi__js_define_methods(ctx, object, methods, JS_PROP_C_W_E) == 0)
        return object;
    JS_FreeValue(ctx, object);
    return JS_EXCEPTION;
}
