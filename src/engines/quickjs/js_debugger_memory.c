/* SPDX-License-Identifier: MIT
 *
 * js_debugger_memory.c: `Debugger.Memory`, what a Debugger knows of its debuggees' memory.
 *
 * Arguments are checked and converted here, in SpiderMonkey's order and words; the rules themselves are those of
 * ubi_quickjs_observer.
 *
 * Source: mozilla-central js/src/debugger/DebuggerMemory.cpp.
 */
#include "engines/quickjs/js_breakdown.h"
#include "engines/quickjs/js_debugger.h"
#include "engines/quickjs/js_report.h"
#include "engines/quickjs/js_source_text.h"

/** The Debugger whose memory `this` is; NULL having thrown. */
static ubi__js_debugger *this_memory(JSContext *ctx, JSValueConst this_value) {
    ubi__js_owned *memory = ubi__js_this(ctx, this_value, UBI__JS_MEMORY, "Memory", "method");
    return memory && ubi__js_tools_attached(ctx, memory->debugger->realm_state) ? memory->debugger : NULL;
}

/** The same for a setter, which needs its argument. */
static ubi__js_debugger *set_memory(JSContext *ctx, JSValueConst this_value, int argc, const char *name) {
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    return debugger && !ubi__js_require_argument(ctx, argc, name) ? debugger : NULL;
}

static JSValue undefined_or_throw(JSContext *ctx, ubi_status status) {
    return status == UBI_OK ? JS_UNDEFINED : ubi__js_throw_status(ctx, status);
}

/* ---- trackingAllocationSites ------------------------------------------------------------------------------------- */

static JSValue get_tracking(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    return debugger ? JS_NewBool(ctx, ubi_quickjs_observer_tracking(debugger->observer)) : JS_EXCEPTION;
}

static JSValue set_tracking(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger = set_memory(ctx, this_value, argc, "(set trackingAllocationSites)");
    int on = debugger ? JS_ToBool(ctx, argv[0]) : -1;
    if (on < 0)
        return JS_EXCEPTION;
    if (ubi_quickjs_observer_tracking(debugger->observer) == (on != 0))
        return JS_UNDEFINED;
    ubi_status status = ubi_quickjs_observer_set_tracking(debugger->observer, on != 0);
    if (status == UBI_EBUSY)
        return ubi__js_throw(ctx, UBI__JS_ERROR,
                             "Cannot track object allocation, because other tools are already doing so");
    return undefined_or_throw(ctx, status);
}

/* ---- maxAllocationsLogLength ------------------------------------------------------------------------------------- */

static JSValue get_log_length(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    return debugger ? JS_NewUint32(ctx, ubi_quickjs_observer_log_limit(debugger->observer)) : JS_EXCEPTION;
}

static JSValue set_log_length(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger = set_memory(ctx, this_value, argc, "(set maxAllocationsLogLength)");
    int32_t length;
    if (!debugger || ubi__js_to_int32(ctx, &length, argv[0]))
        return JS_EXCEPTION;
    if (length < 1)
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR,
                             "(set maxAllocationsLogLength)'s parameter is not a positive integer");
    return undefined_or_throw(ctx, ubi_quickjs_observer_set_log_limit(debugger->observer, (uint32_t)length));
}

/* ---- allocationSamplingProbability ------------------------------------------------------------------------------- */

static JSValue get_probability(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    return debugger ? JS_NewFloat64(ctx, ubi_quickjs_observer_probability(debugger->observer)) : JS_EXCEPTION;
}

static JSValue set_probability(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger = set_memory(ctx, this_value, argc, "(set allocationSamplingProbability)");
    double probability;
    if (!debugger || ubi__js_to_number(ctx, &probability, argv[0]))
        return JS_EXCEPTION;
    if (!(probability >= 0 && probability <= 1))
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR,
                             "(set allocationSamplingProbability)'s parameter is not a number between 0 and 1");
    return undefined_or_throw(ctx, ubi_quickjs_observer_set_probability(debugger->observer, probability));
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static JSValue get_overflowed(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    return debugger ? JS_NewBool(ctx, ubi_quickjs_observer_log_overflowed(debugger->observer)) : JS_EXCEPTION;
}

static JSValue memory_drain_log(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    if (!debugger)
        return JS_EXCEPTION;
    if (!ubi_quickjs_observer_tracking(debugger->observer))
        return ubi__js_throw(ctx, UBI__JS_ERROR,
                             "Cannot call drainAllocationsLog without setting trackingAllocationSites to true");
    return ubi__js_drain(ctx, debugger);
}

/* ---- onGarbageCollection ----------------------------------------------------------------------------------------- */

static JSValue get_on_collection(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    return debugger ? JS_DupValue(ctx, debugger->on_garbage_collection) : JS_EXCEPTION;
}

static JSValue throw_not_callable(JSContext *ctx, JSValueConst value) {
    if (!JS_IsObject(value))
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "value is not a function or undefined");
    ubi__js_text source = { 0 };
    if (!ubi__js_source_text(ctx, &source, value))
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%.*s is not a function", (int)source.n, source.at);
    ubi__js_text_fini(ctx, &source);
    return JS_EXCEPTION;
}

static JSValue set_on_collection(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger = set_memory(ctx, this_value, argc, "Debugger.setHook");
    if (!debugger)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[0]) && !JS_IsFunction(ctx, argv[0]))
        return throw_not_callable(ctx, argv[0]);
    JSValue before = debugger->on_garbage_collection;
    debugger->on_garbage_collection = JS_DupValue(ctx, argv[0]);
    ubi__js_debugger_listen(debugger, !JS_IsUndefined(argv[0]));
    JS_FreeValue(ctx, before);
    return JS_UNDEFINED;
}

/* ---- takeCensus -------------------------------------------------------------------------------------------------- */

static JSValue take_census(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger = this_memory(ctx, this_value);
    ubi__js_breakdown breakdown;
    if (!debugger || ubi__js_breakdown_read(ctx, &breakdown, argc > 0 ? argv[0] : JS_UNDEFINED))
        return JS_EXCEPTION;
    JSValue report = JS_EXCEPTION;
    if (ubi__js_tools_attached(ctx, debugger->realm_state)) { /* the breakdown's getters ran */
        ubi_target_scope scope = ubi_quickjs_observer_scope(debugger->observer);
        ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
        options.refuse_nameless = true; /* as in Firefox */
        options.allocator = debugger->allocator;
        ubi_census *census;
        ubi_status status = ubi_target_census(&census, ubi_quickjs_target(debugger->realm_state->tools), &scope,
                                              breakdown.breakdown, &options);
        if (status == UBI_OK) {
            report = ubi__js_report(ctx, ubi_census_report(census), &breakdown);
            ubi_census_free(census);
        } else {
            ubi__js_throw_status(ctx, status);
        }
    }
    ubi__js_breakdown_fini(ctx, &breakdown);
    return report;
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

/** The name in the message is SpiderMonkey's slip. */
static JSValue memory_construct(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "Debugger.Source has no constructor");
}

static const ubi__js_accessor accessors[] = {
    { "trackingAllocationSites", get_tracking, set_tracking },
    { "maxAllocationsLogLength", get_log_length, set_log_length },
    { "allocationSamplingProbability", get_probability, set_probability },
    { "allocationsLogOverflowed", get_overflowed, NULL },
    { "onGarbageCollection", get_on_collection, set_on_collection },
    { NULL, NULL, NULL },
};
static const ubi__js_method methods[] = {
    { "drainAllocationsLog", memory_drain_log },
    { "takeCensus", take_census },
    { NULL, NULL },
};

int ubi__js_memory_init(JSContext *ctx, JSValueConst debugger_constructor) {
    return ubi__js_owned_init(ctx, debugger_constructor, UBI__JS_MEMORY, "Memory", memory_construct, accessors,
                              methods);
}

JSValue ubi__js_memory_new(JSContext *ctx, ubi__js_debugger *debugger) {
    return ubi__js_owned_new(ctx, UBI__JS_MEMORY, debugger, JS_UNDEFINED);
}
