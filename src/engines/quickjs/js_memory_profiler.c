/* SPDX-License-Identifier: MIT
 *
 * js_memory_profiler.c: startProfiler, stopProfiler, resetProfiler, getResults.
 *
 *     memoryProfiler.startProfiler();
 *     ...
 *     memoryProfiler.stopProfiler();
 *     const { names, traces, events } = memoryProfiler.getResults();
 *
 * No method throws because it comes at the wrong time. Results are made on the heap that was profiled, but not while that
 * is recorded.
 *
 * Source: mozilla-central (Firefox 38 to 55) tools/memory-profiler/nsIMemoryProfiler.idl, MemoryProfiler.cpp.
 */
#include "engines/quickjs/js_memory_profiler.h"

#include <ubiheap/profiler.h>

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_realm.h"
#include "engines/quickjs/js_record.h"
#include "engines/quickjs/js_report.h"

/* ---- values of results -------------------------------------------------------------------------------------------- */

static JSValue name_value(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended) {
    (void)extended;
    return ubi__js_text_of(ctx, ubi_recording_name(recording, (uint32_t)i));
}

static JSValue trace_value(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended) {
    (void)extended;
    ubi_recorded_trace trace = ubi_recording_trace(recording, (uint32_t)i);
    ubi__js_record r = ubi__js_record_new(ctx);
    ubi__js_record_set(&r, "nameIdx", ubi__js_number(ctx, trace.name));
    ubi__js_record_set(&r, "parentIdx", ubi__js_number(ctx, trace.parent));
    return r.object;
}

/* The size is what the event stands for, and negative for frees. */
static JSValue event_value(JSContext *ctx, const ubi_recording *recording, uint64_t i, bool extended) {
    ubi_recorded_event event = ubi_recording_event(recording, i);
    double weight = (double)event.weight_bytes;
    ubi__js_record r = ubi__js_record_new(ctx);
    ubi__js_record_set(&r, "size", JS_NewFloat64(ctx, event.is_free ? -weight : weight));
    ubi__js_record_set(&r, "traceIdx", ubi__js_number(ctx, event.trace));
    ubi__js_record_set(&r, "timestamp", JS_NewFloat64(ctx, (double)event.time_ns / 1e6));
    if (!extended)
        return r.object;
    ubi__js_record_set(&r, "allocation", ubi__js_number(ctx, event.allocation));
    ubi__js_record_set(&r, "bytes", ubi__js_number(ctx, event.size_bytes));
    ubi__js_record_set(&r, "kind", ubi__js_text_of(ctx, event.kind));
    ubi__js_record_set(&r, "thread", ubi__js_number(ctx, event.thread));
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
        if (!ubi__js_array_put(ctx, array, (uint32_t)i, element))
            array = JS_EXCEPTION;
    }
    return array;
}

static JSValue results_value(JSContext *ctx, const ubi_recording *recording, bool extended) {
    ubi__js_record r = ubi__js_record_new(ctx);
    ubi__js_record_set(&r, "names",
                       array_value(ctx, recording, ubi_recording_name_count(recording), name_value, extended));
    ubi__js_record_set(&r, "traces",
                       array_value(ctx, recording, ubi_recording_trace_count(recording), trace_value, extended));
    ubi__js_record_set(&r, "events",
                       array_value(ctx, recording, ubi_recording_event_count(recording), event_value, extended));
    if (extended)
        ubi__js_record_set(&r, "period", ubi__js_number(ctx, ubi_recording_period_bytes(recording)));
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

JSValue ubi__js_memory_profiler_new(JSContext *ctx) {
    static const struct {
        const char *name;
        JSCFunction *call;
    } methods[] = { { "startProfiler", start_profiler },
                    { "stopProfiler", stop_profiler },
                    { "resetProfiler", reset_profiler },
                    { "getResults", get_results } };
    ubi__js_record r = ubi__js_record_new(ctx);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        ubi__js_record_set(&r, methods[i].name, JS_NewCFunction(ctx, methods[i].call, methods[i].name, 0));
    return r.object;
}
