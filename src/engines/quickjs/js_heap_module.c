/* SPDX-License-Identifier: MIT
 *
 * js_heap_module.c: the module with which scripts save heaps and look into saved ones.
 *
 *     import { saveHeapSnapshot, readHeapSnapshot } from "ubiheap";
 *     const snapshot = readHeapSnapshot(saveHeapSnapshot({ runtime: true }));
 *
 * And with which they profile allocations (memoryProfiler), and see what they do (timeline).
 */
#include "engines/quickjs/js_heap.h"

#include <string.h>

#include <ubiheap/core/profiler.h>

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_realm.h"
#include "engines/quickjs/js_report.h"
#include "engines/quickjs/timeline.h"

/* ---- objects and arrays for scripts, member by member ---------------------------------------------------------------- */

/* An object under construction: once a member could not be made, there is none. */
typedef struct js_record {
    JSContext *ctx;
    JSValue object; /* or an exception */
} js_record;

static js_record record_new(JSContext *ctx) {
    return (js_record){ ctx, JS_NewObject(ctx) };
}

/* Takes the value. */
static void record_set(js_record *r, const char *name, JSValue value) {
    if (JS_IsException(r->object)) {
        JS_FreeValue(r->ctx, value);
        return;
    }
    if (!JS_IsException(value) && JS_DefinePropertyValueStr(r->ctx, r->object, name, value, JS_PROP_C_W_E) >= 0)
        return;
    JS_FreeValue(r->ctx, r->object);
    r->object = JS_EXCEPTION;
}

/* Puts an element at the end of an array; takes it. False: the array is freed, and an exception is pending. */
static bool array_put(JSContext *ctx, JSValueConst array, uint32_t i, JSValue element) {
    if (!JS_IsException(element) && JS_DefinePropertyValueUint32(ctx, array, i, element, JS_PROP_C_W_E) >= 0)
        return true;
    JS_FreeValue(ctx, array);
    return false;
}

static JSValue text_value(JSContext *ctx, ubi_text text) {
    return JS_NewStringLen(ctx, text.ptr ? text.ptr : "", text.len);
}

/* ---- memoryProfiler: allocations --------------------------------------------------------------------------------- */

/* ---- values of results -------------------------------------------------------------------------------------------- */

static JSValue name_value(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended) {
    (void)extended;
    return text_value(ctx, ubi_recording_name(recording, (uint32_t)i));
}

static JSValue trace_value(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended) {
    (void)extended;
    ubi_recorded_trace trace = ubi_recording_trace(recording, (uint32_t)i);
    js_record r = record_new(ctx);
    record_set(&r, "nameIdx", ubi__js_number(ctx, trace.name));
    record_set(&r, "parentIdx", ubi__js_number(ctx, trace.parent));
    return r.object;
}

/* The size is what the event stands for, and negative for frees. */
static JSValue event_value(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended) {
    ubi_recorded_event event = ubi_recording_event(recording, i);
    double weight = (double)event.weight_bytes;
    js_record r = record_new(ctx);
    record_set(&r, "size", JS_NewFloat64(ctx, event.is_free ? -weight : weight));
    record_set(&r, "traceIdx", ubi__js_number(ctx, event.trace));
    record_set(&r, "timestamp", JS_NewFloat64(ctx, (double)event.time_ns / 1e6));
    if (!extended)
        return r.object;
    record_set(&r, "allocation", ubi__js_number(ctx, event.allocation));
    record_set(&r, "bytes", ubi__js_number(ctx, event.size_bytes));
    record_set(&r, "kind", text_value(ctx, event.kind));
    record_set(&r, "thread", ubi__js_number(ctx, event.thread));
    return r.object;
}

typedef JSValue make_element(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended);

static JSValue array_value(JSContext *ctx, const ubi_recording *recording, uint64_t n, make_element *make,
                           bool extended) {
    JSValue array = JS_NewArray(ctx);
    for (uint64_t i = 0; i < n && !JS_IsException(array); i++) {
        JSValue element = i < UINT32_MAX
                              ? make(ctx, recording, i, extended)
                              : ubi__js_throw(ctx, UBI__JS_RANGE_ERROR, "more events than an array can hold");
        if (!array_put(ctx, array, (uint32_t)i, element))
            array = JS_EXCEPTION;
    }
    return array;
}

static JSValue results_value(JSContext *ctx, const ubi_recording *recording, bool extended) {
    js_record r = record_new(ctx);
    record_set(&r, "names", array_value(ctx, recording, ubi_recording_name_count(recording), name_value, extended));
    record_set(&r, "traces", array_value(ctx, recording, ubi_recording_trace_count(recording), trace_value, extended));
    record_set(&r, "events", array_value(ctx, recording, ubi_recording_event_count(recording), event_value, extended));
    if (extended)
        record_set(&r, "period", ubi__js_number(ctx, ubi_recording_period_bytes(recording)));
    return r.object;
}

/* ---- methods ------------------------------------------------------------------------------------------------------ */

static JSValue start_profiler(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    ubi_quickjs *tools = ubi__js_attached_tools(ctx);
    if (!tools)
        return JS_EXCEPTION;
    ubi_status status = ubi_quickjs_start_profiler(tools);
    return status == UBI_OK ? JS_UNDEFINED : ubi__js_throw_status(ctx, status);
}

static JSValue stop_profiler(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    ubi_quickjs *tools = ubi__js_attached_tools(ctx);
    if (!tools)
        return JS_EXCEPTION;
    ubi_quickjs_stop_profiler(tools);
    return JS_UNDEFINED;
}

static JSValue reset_profiler(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    ubi_quickjs *tools = ubi__js_attached_tools(ctx);
    if (!tools)
        return JS_EXCEPTION;
    ubi_quickjs_reset_profiler(tools);
    return JS_UNDEFINED;
}

/** 1, 0, or -1 with a pending exception. */
static int wants_extended(JSContext *ctx, int argc, JSValueConst *argv) {
    if (argc == 0 || !JS_IsObject(argv[0]))
        return 0;
    JSValue extended = JS_GetPropertyStr(ctx, argv[0], "extended");
    int wanted = JS_IsException(extended) ? -1 : JS_ToBool(ctx, extended);
    JS_FreeValue(ctx, extended);
    return wanted;
}

static JSValue get_results(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    ubi_recording *recording;
    int extended = wants_extended(ctx, argc, argv);
    ubi_quickjs *tools =
        extended < 0 ? NULL : ubi__js_attached_tools(ctx); /* after a getter of the script's, if there is one */
    if (!tools)
        return JS_EXCEPTION;
    ubi_status status = ubi_quickjs_profiler_results(&recording, tools);
    if (status != UBI_OK)
        return ubi__js_throw_status(ctx, status);
    JSValue value = recording ? results_value(ctx, recording, extended > 0) : JS_UNDEFINED;
    ubi_recording_free(recording);
    return value;
}

/* An object with the methods of nsIMemoryProfiler. Owned, or an exception. */
static JSValue new_memory_profiler(JSContext *ctx) {
    static const struct {
        const char *name;
        JSCFunction *call;
    } methods[] = { { "startProfiler", start_profiler },
                    { "stopProfiler", stop_profiler },
                    { "resetProfiler", reset_profiler },
                    { "getResults", get_results } };
    js_record r = record_new(ctx);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        record_set(&r, methods[i].name, JS_NewCFunction(ctx, methods[i].call, methods[i].name, 0));
    return r.object;
}

/* ---- timeline: what scripts do ----------------------------------------------------------------------------------- */

static JSValue milliseconds_of(JSContext *ctx, uint64_t ns) {
    return JS_NewFloat64(ctx, (double)ns / 1e6);
}

/* ---- stacks --------------------------------------------------------------------------------------------------------- */

/* The frame's object, which the array of all frames has; null for none. */
static JSValue frame_at(JSContext *ctx, JSValueConst frames, uint32_t i) {
    return i == UBI_NONE ? JS_NULL : JS_GetPropertyUint32(ctx, frames, i);
}

static JSValue frame_value(JSContext *ctx, JSValueConst frames, const ubi_timeline_frame *frame) {
    js_record r = record_new(ctx);
    record_set(&r, "line", JS_NewInt64(ctx, frame->line));
    record_set(&r, "column", JS_NewInt64(ctx, frame->column));
    record_set(&r, "source", text_value(ctx, frame->source));
    if (frame->function_name.ptr)
        record_set(&r, "functionDisplayName", text_value(ctx, frame->function_name));
    record_set(&r, "parent", frame_at(ctx, frames, frame->parent));
    record_set(&r, "asyncParent", frame_at(ctx, frames, frame->async_parent));
    if (frame->async_cause.ptr)
        record_set(&r, "asyncCause", text_value(ctx, frame->async_cause));
    return r.object;
}

/* All frames of a result, parents first: an array that no script sees. */
static JSValue frames_value(JSContext *ctx, const ubi_timeline_markers *markers) {
    JSValue frames = JS_NewArray(ctx);
    size_t n = ubi_timeline_markers_frame_count(markers);
    for (size_t i = 0; i < n && !JS_IsException(frames); i++) {
        ubi_timeline_frame frame = ubi_timeline_markers_frame(markers, i);
        if (!array_put(ctx, frames, (uint32_t)i, frame_value(ctx, frames, &frame)))
            frames = JS_EXCEPTION;
    }
    return frames;
}

/* ---- markers -------------------------------------------------------------------------------------------------------- */

static JSValue rectangle_value(JSContext *ctx, const ubi_timeline_rectangle *rectangle) {
    js_record r = record_new(ctx);
    record_set(&r, "x", JS_NewInt32(ctx, rectangle->x));
    record_set(&r, "y", JS_NewInt32(ctx, rectangle->y));
    record_set(&r, "width", JS_NewInt32(ctx, rectangle->width));
    record_set(&r, "height", JS_NewInt32(ctx, rectangle->height));
    return r.object;
}

static JSValue rectangles_value(JSContext *ctx, const ubi_timeline_detail *detail) {
    JSValue array = JS_NewArray(ctx);
    for (size_t i = 0; i < detail->rectangle_count && !JS_IsException(array); i++)
        if (!array_put(ctx, array, (uint32_t)i, rectangle_value(ctx, &detail->rectangles[i])))
            array = JS_EXCEPTION;
    return array;
}

static JSValue detail_value(JSContext *ctx, const ubi_timeline_detail *detail) {
    switch (detail->type) {
    case UBI_MARKER_TEXT:
        return text_value(ctx, detail->text);
    case UBI_MARKER_NUMBER:
        return JS_NewFloat64(ctx, detail->number);
    case UBI_MARKER_BOOL:
        return JS_NewBool(ctx, detail->is_true);
    default:
        return rectangles_value(ctx, detail);
    }
}

static void set_detail(js_record *r, const ubi_timeline_detail *detail) {
    char name[64];
    size_t n = detail->key.len < sizeof name ? detail->key.len : sizeof name - 1;
    memcpy(name, detail->key.ptr, n);
    name[n] = '\0';
    record_set(r, name, detail_value(r->ctx, detail));
}

static JSValue marker_value(JSContext *ctx, const ubi_timeline_markers *markers, size_t i, JSValueConst frames) {
    ubi_timeline_row row = ubi_timeline_markers_row(markers, i);
    js_record r = record_new(ctx);
    record_set(&r, "name", text_value(ctx, row.name));
    record_set(&r, "start", milliseconds_of(ctx, row.start_ns));
    record_set(&r, "end", milliseconds_of(ctx, row.end_ns));
    record_set(&r, "stack", frame_at(ctx, frames, row.stack));
    if (row.has_base) {
        record_set(&r, "processType", JS_NewInt32(ctx, row.process_type));
        record_set(&r, "isOffMainThread", JS_NewBool(ctx, row.is_off_main_thread));
    }
    record_set(&r, "endStack", frame_at(ctx, frames, row.end_stack));
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
        if (!array_put(ctx, array, (uint32_t)i, marker))
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

/* An object with the timeline's part of nsIDocShell. Owned, or an exception. */
static JSValue new_timeline(JSContext *ctx) {
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

/* ---- the module -------------------------------------------------------------------------------------------------- */

/* ---- getObjectNodeId --------------------------------------------------------------------------------------------- */

static JSValue get_object_node_id(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    static const char name[] = "getObjectNodeId";
    (void)this_value;
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    uint64_t id = 0;
    if (!ubi__js_tools_attached(ctx, realm) || ubi__js_require_arguments(ctx, argc, 1, name) ||
        ubi__js_require_object(ctx, argv[0], name, 1))
        return JS_EXCEPTION;
    ubi_quickjs_node_id(realm->tools, argv[0], &id);
    return ubi__js_number(ctx, id);
}

/* ---- the module -------------------------------------------------------------------------------------------------- */

static const ubi__js_operation functions[] = {
    { "readHeapSnapshot", ubi__js_read_heap_snapshot, 1 },
    { "saveHeapSnapshot", ubi__js_save_heap_snapshot, 0 },
    { "getObjectNodeId", get_object_node_id, 1 },
    { NULL, NULL, 0 },
};
/** Objects, of each module its own. */
static const struct {
    const char *name;
    JSValue (*make)(JSContext *ctx);
} services[] = { { "memoryProfiler", new_memory_profiler }, { "timeline", new_timeline } };
#define SERVICE_COUNT (sizeof services / sizeof *services)
static const ubi__js_interface *const interfaces[UBI__JS_HEAP_INTERFACE_COUNT] = { &ubi__heap_snapshot_interface,
                                                                                   &ubi__dominator_tree_interface };

/** The interfaces of a realm are the same in all its modules. 0, or -1 with a pending exception. */
static int need_interfaces(JSContext *ctx, ubi__js_realm *realm) {
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        if (JS_IsUndefined(realm->heap_interfaces[i])) {
            JSValue object = ubi__js_interface_new(ctx, interfaces[i]);
            if (JS_IsException(object))
                return -1;
            realm->heap_interfaces[i] = object;
        }
    return 0;
}

static int export_all(JSContext *ctx, JSModuleDef *module, const ubi__js_realm *realm) {
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        if (JS_SetModuleExport(ctx, module, interfaces[i]->name, JS_DupValue(ctx, realm->heap_interfaces[i])))
            return -1;
    for (const ubi__js_operation *f = functions; f->name; f++) {
        JSValue function = JS_NewCFunction(ctx, f->call, f->name, f->length);
        if (JS_IsException(function) || JS_SetModuleExport(ctx, module, f->name, function))
            return -1;
    }
    for (size_t i = 0; i < SERVICE_COUNT; i++) {
        JSValue service = services[i].make(ctx);
        if (JS_IsException(service) || JS_SetModuleExport(ctx, module, services[i].name, service))
            return -1;
    }
    return 0;
}

/** When the module is imported for the first time. */
static int heap_module_initialize(JSContext *ctx, JSModuleDef *module) {
    ubi_quickjs *tools = ubi_quickjs_of(JS_GetRuntime(ctx));
    if (!tools) {
        ubi__js_throw(ctx, UBI__JS_ERROR, "the memory tools of this runtime are detached");
        return -1;
    }
    if (ubi__js_realm_need(ctx, tools))
        return -1;
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    return need_interfaces(ctx, realm) || export_all(ctx, module, realm) ? -1 : 0;
}

JSModuleDef *ubi_quickjs_add_heap_module(ubi_quickjs *tools, JSContext *realm, const char *name) {
    (void)tools; /* the runtime's, found again when the module is imported */
    JSModuleDef *module = JS_NewCModule(realm, name, heap_module_initialize);
    if (!module)
        return NULL;
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        if (JS_AddModuleExport(realm, module, interfaces[i]->name))
            return NULL;
    for (const ubi__js_operation *f = functions; f->name; f++)
        if (JS_AddModuleExport(realm, module, f->name))
            return NULL;
    for (size_t i = 0; i < SERVICE_COUNT; i++)
        if (JS_AddModuleExport(realm, module, services[i].name))
            return NULL;
    return module;
}
