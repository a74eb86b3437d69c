/* SPDX-License-Identifier: MIT
 *
 * js_debugger_memory.c: `Debugger.Memory`, what a Debugger knows of its debuggees' memory.
 *
 * Arguments are checked and converted here, in SpiderMonkey's order and words; the rules themselves are those of
 * ubi_quickjs_observer.
 *
 * Most entries of an allocation log are from a few places: the SavedFrames of the last ones are remembered by the stack's
 * number, so the walk up a stack is done once for each place. The array's entries hold them.
 *
 * Source: mozilla-central js/src/debugger/DebuggerMemory.cpp.
 */
#include "engines/quickjs/js_debugger.h"

#include <string.h>

#include "engines/quickjs/js_breakdown.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_report.h"
#include "engines/quickjs/js_saved_frame.h"
#include "engines/quickjs/js_text.h"

/* ---- values as source text, for messages: one level deep --------------------------------------------------------- */

/** Properties that are shown before it says "...". */
#define MAX_PROPERTIES 8

static int append_primitive(JSContext *ctx, ubi__js_text *text, JSValueConst value) {
    if (JS_IsString(value))
        return ubi__js_text_quoted(ctx, text, value);
    if (JS_IsSymbol(value))
        return ubi__js_text_words(ctx, text, "Symbol()");
    return ubi__js_text_value(ctx, text, value);
}

static int append_inner(JSContext *ctx, ubi__js_text *text, JSValueConst value) {
    if (!JS_IsObject(value))
        return append_primitive(ctx, text, value);
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), value);
    return ubi__js_text_words(ctx, text, facts.is_array ? "[]" : JS_IsFunction(ctx, value) ? "(function() {})" : "{}");
}

/** "name:value" of a property; nothing is called. */
static int append_property(JSContext *ctx, ubi__js_text *text, JSValueConst object, JSAtom atom, bool with_name) {
    JSPropertyDescriptor property = { .value = JS_UNDEFINED, .getter = JS_UNDEFINED, .setter = JS_UNDEFINED };
    int found = JS_GetOwnProperty(ctx, &property, object, atom);
    if (found <= 0)
        return found;
    JSValue name = JS_AtomToString(ctx, atom);
    int failed = JS_IsException(name);
    if (!failed && with_name)
        failed = ubi__js_text_value(ctx, text, name) || ubi__js_text_words(ctx, text, ":");
    if (!failed)
        failed = append_inner(ctx, text, property.value);
    JS_FreeValue(ctx, name);
    JS_FreeValue(ctx, property.value);
    JS_FreeValue(ctx, property.getter);
    JS_FreeValue(ctx, property.setter);
    return failed ? -1 : 0;
}

static int append_properties(JSContext *ctx, ubi__js_text *text, JSValueConst object, bool with_names) {
    JSPropertyEnum *names = NULL;
    uint32_t n = 0;
    if (JS_GetOwnPropertyNames(ctx, &names, &n, object, JS_GPN_STRING_MASK | JS_GPN_ENUM_ONLY) < 0)
        return -1;
    int failed = 0;
    for (uint32_t i = 0; i < n && i <= MAX_PROPERTIES && !failed; i++) {
        failed = i ? ubi__js_text_words(ctx, text, ", ") : 0;
        if (!failed && i == MAX_PROPERTIES)
            failed = ubi__js_text_words(ctx, text, "...");
        else if (!failed)
            failed = append_property(ctx, text, object, names[i].atom, with_names);
    }
    for (uint32_t i = 0; i < n; i++)
        JS_FreeAtom(ctx, names[i].atom);
    js_free(ctx, names);
    return failed;
}

/**
 * Appends an object that cannot be called as source text: "({})", "({a:1, b:\"x\"})", "[]". Objects inside it are shown
 * empty, accessors and what is not a plain object or array too, so no code of scripts runs. 0, or -1 with an exception.
 */
static int append_source_text(JSContext *ctx, ubi__js_text *text, JSValueConst object) {
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), object);
    if (facts.is_proxy) /* to look at it is to call its handler */
        return ubi__js_text_words(ctx, text, facts.is_array ? "[]" : "({})");
    bool failed = ubi__js_text_words(ctx, text, facts.is_array ? "[" : "({") ||
                  append_properties(ctx, text, object, !facts.is_array) ||
                  ubi__js_text_words(ctx, text, facts.is_array ? "]" : "})");
    return failed ? -1 : 0;
}

/* ---- the allocation log as an array ------------------------------------------------------------------------------ */

#define REMEMBERED 256 /* a power of two */

typedef struct drain {
    JSContext *ctx;
    JSValue entries;
    uint32_t n;
    bool has_failed; /* an exception is pending */
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
    d->has_failed = true;
    if (JS_IsException(entry))
        return false;
    if (!fill_entry(d, entry, allocation)) {
        JS_FreeValue(d->ctx, entry);
        memset(d->remembered, 0, sizeof d->remembered); /* its frame may have been held by this entry alone */
        return false;
    }
    d->has_failed = JS_DefinePropertyValueUint32(d->ctx, d->entries, d->n, entry, JS_PROP_C_W_E) < 0;
    d->n++;
    return !d->has_failed;
}

static JSValue drain_to_array(JSContext *ctx, ubi__js_debugger *debugger) {
    drain d = { .ctx = ctx, .entries = JS_NewArray(ctx) };
    if (JS_IsException(d.entries))
        return JS_EXCEPTION;
    ubi_status status = ubi_quickjs_observer_drain(debugger->observer, log_append, &d);
    if (status != UBI_OK && !d.has_failed) {
        ubi__js_throw_status(ctx, status);
        d.has_failed = true;
    }
    if (d.has_failed)
        JS_FreeValue(ctx, d.entries);
    return d.has_failed ? JS_EXCEPTION : d.entries;
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

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
    return drain_to_array(ctx, debugger);
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
    if (!append_source_text(ctx, &source, value))
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
        options.must_have_names = true; /* as in Firefox */
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
