/* SPDX-License-Identifier: MIT
 *
 * js_debugger.c: the class `Debugger`: making one, its accessors, its debuggees, and the functions that scripts give it.
 *
 * What takes a debuggee takes its global object, or a Debugger.Object of it that belongs to this Debugger. Hooks run at a safe
 * point, never inside the collector, in the Debugger's realm; their result is ignored.
 *
 * Source: mozilla-central js/src/debugger/Debugger.cpp.
 */
#include "engines/quickjs/js_debugger.h"

#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_report.h"

/* ---- hooks ------------------------------------------------------------------------------------------------------- */

/* ---- exceptions -------------------------------------------------------------------------------------------------- */

/** Passes an uncaught exception to the host, as the reason of a rejected promise without a handler. */
static void hook_reject(JSContext *ctx, JSValueConst reason) {
    JSValue functions[2] = { JS_UNDEFINED, JS_UNDEFINED };
    JSValue promise = JS_NewPromiseCapability(ctx, functions);
    if (JS_IsException(promise)) {
        JS_FreeValue(ctx, JS_GetException(ctx)); /* no memory to report it */
        return;
    }
    JSValue result = JS_Call(ctx, functions[1], JS_UNDEFINED, 1, &reason);
    if (JS_IsException(result))
        JS_FreeValue(ctx, JS_GetException(ctx));
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, functions[0]);
    JS_FreeValue(ctx, functions[1]);
    JS_FreeValue(ctx, promise);
}

void ubi__js_debugger_uncaught(JSContext *ctx, ubi__js_debugger *debugger) {
    JSValue exception = JS_GetException(ctx);
    if (!JS_IsNull(debugger->uncaught_exception_hook)) {
        JSValue hook = JS_DupValue(ctx, debugger->uncaught_exception_hook); /* it may be replaced meanwhile */
        JSValue result = JS_Call(ctx, hook, debugger->self, 1, &exception);
        JS_FreeValue(ctx, hook);
        JS_FreeValue(ctx, exception);
        JS_FreeValue(ctx, result);
        if (!JS_IsException(result))
            return;
        exception = JS_GetException(ctx);
    }
    hook_reject(ctx, exception);
    JS_FreeValue(ctx, exception);
}

/* ---- onGarbageCollection ----------------------------------------------------------------------------------------- */

/** Defines a property, whose value is taken. 0, or -1 with a pending exception. */
static int event_define(JSContext *ctx, JSValueConst object, const char *name, JSValue value) {
    if (JS_IsException(value))
        return -1;
    return JS_DefinePropertyValueStr(ctx, object, name, value, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

/** [{startTimestamp, endTimestamp}]: this collector never pauses in between. */
static JSValue new_slices(JSContext *ctx, const ubi_quickjs_collection *collection) {
    JSValue slice = JS_NewObject(ctx), slices = JS_NewArray(ctx);
    int failed = JS_IsException(slice) || JS_IsException(slices) ||
                 event_define(ctx, slice, "startTimestamp", JS_NewFloat64(ctx, collection->start_ms)) ||
                 event_define(ctx, slice, "endTimestamp", JS_NewFloat64(ctx, collection->end_ms));
    if (!failed)
        failed = JS_DefinePropertyValueUint32(ctx, slices, 0, JS_DupValue(ctx, slice), JS_PROP_C_W_E) < 0;
    JS_FreeValue(ctx, slice);
    if (failed)
        JS_FreeValue(ctx, slices);
    return failed ? JS_EXCEPTION : slices;
}

static JSValue string_or_null(JSContext *ctx, const char *text) {
    return text ? JS_NewString(ctx, text) : JS_NULL;
}

static JSValue new_statistics(JSContext *ctx, const ubi_quickjs_collection *collection) {
    JSValue object = JS_NewObject(ctx);
    int failed =
        JS_IsException(object) ||
        event_define(ctx, object, "nonincrementalReason", string_or_null(ctx, collection->nonincremental_reason)) ||
        event_define(ctx, object, "reason", string_or_null(ctx, collection->reason)) ||
        event_define(ctx, object, "gcCycleNumber", ubi__js_number(ctx, collection->cycle_number)) ||
        event_define(ctx, object, "collections", new_slices(ctx, collection));
    if (failed)
        JS_FreeValue(ctx, object);
    return failed ? JS_EXCEPTION : object;
}

static void on_collection(void *payload, const ubi_quickjs_collection *collection) {
    ubi__js_debugger *debugger = payload;
    if (JS_IsUndefined(debugger->on_garbage_collection))
        return;
    /* The hook may drop the last reference to its Debugger, or replace itself. */
    JSContext *ctx = JS_DupContext(debugger->realm);
    JSValue self = JS_DupValue(ctx, debugger->self), hook = JS_DupValue(ctx, debugger->on_garbage_collection);
    JSValue statistics = new_statistics(ctx, collection);
    JSValue result = JS_EXCEPTION;
    if (!JS_IsException(statistics))
        result = JS_Call(ctx, hook, self, 1, &statistics);
    if (JS_IsException(result))
        ubi__js_debugger_uncaught(ctx, debugger);
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, statistics);
    JS_FreeValue(ctx, hook);
    JS_FreeValue(ctx, self);
    JS_FreeContext(ctx);
}

void ubi__js_debugger_listen(ubi__js_debugger *debugger, bool on) {
    ubi_quickjs_observer_on_collection(debugger->observer, on ? on_collection : NULL, debugger);
}

/* ---- debuggees --------------------------------------------------------------------------------------------------- */

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/** The referent, if the value is a Debugger.Object, else the value. Borrowed; an exception when it belongs elsewhere. */
static JSValueConst debuggee_unwrap(JSContext *ctx, const ubi__js_debugger *debugger, JSValueConst value) {
    if (ubi__js_is_prototype(ctx, value, UBI__JS_OBJECT))
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR,
                             "Debugger.Object.prototype is not a valid Debugger.Object instance");
    const ubi__js_owned *object = JS_IsObject(value) ? ubi__js_opaque(value, UBI__JS_OBJECT) : NULL;
    if (!object)
        return value;
    if (object->debugger != debugger)
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "Debugger.Object belongs to a different Debugger");
    return object->referent;
}

/** The realm of a debuggee argument. NULL having thrown. */
static JSContext *realm_of(JSContext *ctx, const ubi__js_debugger *debugger, JSValueConst argument) {
    JSValueConst value = debuggee_unwrap(ctx, debugger, argument);
    if (JS_IsException(value))
        return NULL;
    JSContext *realm = NULL;
    if (JS_IsObject(value))
        realm = ubi_quickjs_realm_of_global(debugger->realm_state->tools, value);
    if (!realm)
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "argument is not a global object");
    return realm;
}

/** The receiver and the realm that its only argument stands for. False having thrown. */
static bool debuggees_receive(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv, const char *method,
                              ubi__js_debugger **debugger, JSContext **realm) {
    *debugger = ubi__js_this_debugger(ctx, this_value);
    if (!*debugger || ubi__js_require_argument(ctx, argc, method))
        return false;
    *realm = realm_of(ctx, *debugger, argv[0]);
    return *realm != NULL;
}

static JSValue wrap_global(JSContext *ctx, ubi__js_debugger *debugger, JSContext *realm) {
    JSValue global = JS_GetGlobalObject(realm);
    JSValue object = ubi__js_wrap(ctx, debugger, global);
    JS_FreeValue(ctx, global);
    return object;
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

/** A growing list of realms without doubles. */
typedef struct realm_list {
    const ubi_allocator *allocator;
    JSContext **at;
    uint32_t n, capacity;
} realm_list;

static bool debuggees_reserve(realm_list *list, uint32_t more) {
    if (list->capacity - list->n >= more)
        return true;
    uint32_t capacity = list->capacity * 2 + more;
    JSContext **at =
        list->allocator->resize(list->allocator->ctx, list->at, list->capacity * sizeof *at, capacity * sizeof *at);
    if (at) {
        list->at = at;
        list->capacity = capacity;
    }
    return at != NULL;
}

/** Appends a Debugger's debuggees that are not there yet. */
static bool append_debuggees(realm_list *list, const ubi__js_debugger *debugger) {
    uint32_t n = debugger->observer ? ubi_quickjs_observer_realms(debugger->observer, NULL, 0) : 0;
    uint32_t known = list->n;
    if (!debuggees_reserve(list, n))
        return false;
    if (n)
        ubi_quickjs_observer_realms(debugger->observer, list->at + known, n);
    for (uint32_t i = known; i < known + n; i++) {
        JSContext *realm = list->at[i];
        uint32_t k = 0;
        while (k < list->n && list->at[k] != realm)
            k++;
        if (k == list->n)
            list->at[list->n++] = realm;
    }
    return true;
}

/** Whether Debuggers of `from` watch `to`, directly or through realms that they watch. -1 having thrown. */
static int debugger_watches(JSContext *ctx, const ubi_allocator *allocator, JSContext *from, JSContext *to) {
    realm_list list = { .allocator = allocator };
    bool ok = debuggees_reserve(&list, 1), found = false;
    if (ok)
        list.at[list.n++] = from;
    for (uint32_t i = 0; ok && !found && i < list.n; i++) {
        found = list.at[i] == to;
        ubi__js_realm *state = ubi__js_realm_of(list.at[i]);
        for (ubi__js_debugger *d = state ? state->debuggers : NULL; d && ok; d = d->next)
            ok = append_debuggees(&list, d);
    }
    if (list.capacity)
        allocator->free(allocator->ctx, list.at, list.capacity * sizeof *list.at);
    if (!ok)
        JS_ThrowOutOfMemory(ctx);
    return ok ? found : -1;
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

int ubi__js_debugger_add(JSContext *ctx, ubi__js_debugger *debugger, JSContext *debuggee) {
    if (ubi_quickjs_observer_has_realm(debugger->observer, debuggee))
        return 0;
    if (debuggee == debugger->realm) {
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "debugger and debuggee must be in different compartments");
        return -1;
    }
    int cycle = debugger_watches(ctx, debugger->allocator, debuggee, debugger->realm);
    if (cycle > 0)
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR,
                      "cannot debug an object in same compartment as debugger or a compartment that is already "
                      "debugging the debugger");
    if (cycle)
        return -1;
    ubi_status status = ubi_quickjs_observer_add_realm(debugger->observer, debuggee);
    if (status == UBI_EBUSY)
        ubi__js_throw(ctx, UBI__JS_ERROR, "Cannot track object allocation, because other tools are already doing so");
    else if (status != UBI_OK)
        ubi__js_throw_status(ctx, status);
    return status == UBI_OK ? 0 : -1;
}

static JSValue add_debuggee(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger;
    JSContext *realm;
    if (!debuggees_receive(ctx, this_value, argc, argv, "Debugger.addDebuggee", &debugger, &realm) ||
        ubi__js_debugger_add(ctx, debugger, realm))
        return JS_EXCEPTION;
    return wrap_global(ctx, debugger, realm);
}

static JSValue add_all_globals(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    if (!debugger)
        return JS_EXCEPTION;
    JSContext *realm;
    for (uint32_t i = 0; (realm = ubi__runtime_realm(JS_GetRuntime(ctx), i)); i++)
        if (realm != debugger->realm && ubi__js_debugger_add(ctx, debugger, realm))
            return JS_EXCEPTION;
    return JS_UNDEFINED;
}

static JSValue remove_debuggee(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger;
    JSContext *realm;
    if (!debuggees_receive(ctx, this_value, argc, argv, "Debugger.removeDebuggee", &debugger, &realm))
        return JS_EXCEPTION;
    ubi_quickjs_observer_remove_realm(debugger->observer, realm);
    return JS_UNDEFINED;
}

static JSValue remove_all(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    if (!debugger)
        return JS_EXCEPTION;
    JSContext *realm;
    while (ubi_quickjs_observer_realms(debugger->observer, &realm, 1))
        ubi_quickjs_observer_remove_realm(debugger->observer, realm);
    return JS_UNDEFINED;
}

static JSValue has_debuggee(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger;
    JSContext *realm;
    if (!debuggees_receive(ctx, this_value, argc, argv, "Debugger.hasDebuggee", &debugger, &realm))
        return JS_EXCEPTION;
    return JS_NewBool(ctx, ubi_quickjs_observer_has_realm(debugger->observer, realm));
}

/** Appends a realm's global to an array. 0, or -1 having thrown. */
static int append_global(JSContext *ctx, ubi__js_debugger *debugger, JSValueConst array, uint32_t index,
                         JSContext *realm) {
    JSValue object = wrap_global(ctx, debugger, realm);
    if (JS_IsException(object))
        return -1;
    return JS_DefinePropertyValueUint32(ctx, array, index, object, JS_PROP_C_W_E) < 0 ? -1 : 0;
}

static JSValue array_or_free(JSContext *ctx, JSValue array, int failed) {
    if (failed)
        JS_FreeValue(ctx, array);
    return failed ? JS_EXCEPTION : array;
}

static JSValue get_debuggees(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    if (!debugger)
        return JS_EXCEPTION;
    realm_list list = { .allocator = debugger->allocator };
    if (!append_debuggees(&list, debugger))
        return JS_ThrowOutOfMemory(ctx);
    JSValue array = JS_NewArray(ctx);
    int failed = JS_IsException(array);
    for (uint32_t i = 0; i < list.n && !failed; i++)
        failed = append_global(ctx, debugger, array, i, list.at[i]);
    if (list.capacity)
        list.allocator->free(list.allocator->ctx, list.at, list.capacity * sizeof *list.at);
    return array_or_free(ctx, array, failed);
}

static JSValue find_all_globals(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    if (!debugger)
        return JS_EXCEPTION;
    JSValue array = JS_NewArray(ctx);
    int failed = JS_IsException(array);
    JSContext *realm;
    for (uint32_t i = 0; !failed && (realm = ubi__runtime_realm(JS_GetRuntime(ctx), i)); i++)
        failed = append_global(ctx, debugger, array, i, realm);
    return array_or_free(ctx, array, failed);
}

static JSValue make_global_object_reference(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger;
    JSContext *realm;
    if (!debuggees_receive(ctx, this_value, argc, argv, "Debugger.makeGlobalObjectReference", &debugger, &realm))
        return JS_EXCEPTION;
    return wrap_global(ctx, debugger, realm);
}

const ubi__js_method ubi__js_debuggee_methods[] = {
    { "addDebuggee", add_debuggee },
    { "addAllGlobalsAsDebuggees", add_all_globals },
    { "removeDebuggee", remove_debuggee },
    { "removeAllDebuggees", remove_all },
    { "hasDebuggee", has_debuggee },
    { "getDebuggees", get_debuggees },
    { "findAllGlobals", find_all_globals },
    { "makeGlobalObjectReference", make_global_object_reference },
    { NULL, NULL },
};

/* ---- the class --------------------------------------------------------------------------------------------------- */

/* ---- life -------------------------------------------------------------------------------------------------------- */

ubi__js_debugger *ubi__js_debugger_ref(ubi__js_debugger *debugger) {
    debugger->references++;
    return debugger;
}

void ubi__js_debugger_unref(ubi__js_debugger *debugger) {
    UBI_ASSERT(debugger->references > 0);
    if (--debugger->references)
        return;
    UBI_ASSERT(!debugger->link && JS_IsUndefined(debugger->self));
    const ubi_allocator *allocator = debugger->allocator;
    ubi__weak_table_fini(&debugger->objects, allocator);
    ubi__js_realm_unref(debugger->realm_state);
    allocator->free(allocator->ctx, debugger, sizeof *debugger);
}

/** Ends the watching. With the tools, all observers have ended already. */
static void end_observer(JSRuntime *runtime, ubi__js_debugger *debugger) {
    if (ubi__js_realm_has_tools(debugger->realm_state, runtime))
        ubi_quickjs_observer_free(debugger->observer);
    debugger->observer = NULL;
}

static void link_to_realm(ubi__js_debugger *debugger) {
    ubi__js_debugger **first = &debugger->realm_state->debuggers;
    UBI_ASSERT(!debugger->link && (!*first || (*first)->link == first));
    debugger->next = *first;
    debugger->link = first;
    if (debugger->next)
        debugger->next->link = &debugger->next;
    *first = debugger;
}

static void unlink_from_realm(ubi__js_debugger *debugger) {
    if (!debugger->link)
        return;
    UBI_ASSERT(*debugger->link == debugger && (!debugger->next || debugger->next->link == &debugger->next));
    *debugger->link = debugger->next;
    if (debugger->next)
        debugger->next->link = debugger->link;
    debugger->link = NULL;
}

static void debugger_finalize(JSRuntime *runtime, JSValue value) {
    ubi__js_debugger *debugger = ubi__js_opaque(value, UBI__JS_DEBUGGER);
    if (!debugger)
        return;
    end_observer(runtime, debugger);
    unlink_from_realm(debugger);
    debugger->self = JS_UNDEFINED;
    JS_FreeValueRT(runtime, debugger->memory);
    JS_FreeValueRT(runtime, debugger->uncaught_exception_hook);
    JS_FreeValueRT(runtime, debugger->on_garbage_collection);
    JS_FreeValueRT(runtime, debugger->anchor);
    ubi__js_debugger_unref(debugger);
}

static void debugger_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_func) {
    ubi__js_debugger *debugger = ubi__js_opaque(value, UBI__JS_DEBUGGER);
    if (!debugger)
        return;
    JS_MarkValue(rt, debugger->anchor, mark_func);
    JS_MarkValue(rt, debugger->memory, mark_func);
    JS_MarkValue(rt, debugger->uncaught_exception_hook, mark_func);
    JS_MarkValue(rt, debugger->on_garbage_collection, mark_func);
}

const JSClassDef ubi__debugger_class = { .class_name = "Debugger",
                                         .finalizer = debugger_finalize,
                                         .gc_mark = debugger_mark };

/* ---- making ------------------------------------------------------------------------------------------------------ */

/** The structure of a Debugger object, which owns it from then on. NULL having thrown. */
static ubi__js_debugger *new_debugger(JSContext *ctx, ubi__js_realm *realm, JSValueConst object) {
    const ubi_allocator *allocator = realm->allocator;
    ubi__js_debugger *debugger = allocator->alloc(allocator->ctx, sizeof *debugger);
    if (!debugger) {
        JS_ThrowOutOfMemory(ctx);
        return NULL;
    }
    *debugger = (ubi__js_debugger){ .references = 1, .allocator = allocator, .realm = ctx };
    debugger->realm_state = ubi__js_realm_ref(realm);
    debugger->anchor = JS_DupValue(ctx, realm->debugger_constructor);
    debugger->self = object;
    debugger->memory = debugger->on_garbage_collection = JS_UNDEFINED;
    debugger->uncaught_exception_hook = JS_NULL;
    link_to_realm(debugger);
    JS_SetOpaque(object, debugger);
    return debugger;
}

/** Observer and memory. 0, or -1 having thrown. */
static int debugger_equip(JSContext *ctx, ubi__js_debugger *debugger) {
    ubi_status status = ubi_quickjs_observer_new(&debugger->observer, debugger->realm_state->tools);
    if (status != UBI_OK) {
        ubi__js_throw_status(ctx, status);
        return -1;
    }
    debugger->memory = ubi__js_memory_new(ctx, debugger);
    return JS_IsException(debugger->memory) ? -1 : 0;
}

/** The realm that an argument of the constructor comes from: any object of another realm will do. NULL having thrown. */
static JSContext *realm_of_argument(JSContext *ctx, JSValueConst argument) {
    if (!JS_IsObject(argument)) {
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "%s is not a non-null object", ubi__js_word_of(ctx, argument).text);
        return NULL;
    }
    JSContext *realm = ubi_quickjs_realm_of_global(ubi__js_realm_of(ctx)->tools, argument);
    if (!realm) {
        ubi__object_facts facts;
        ubi__object_facts_of(&facts, JS_GetRuntime(ctx), argument);
        realm = facts.realm;
    }
    if (realm && realm != ctx)
        return realm;
    ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "Debugger: argument must be an object from a different compartment");
    return NULL;
}

static int add_arguments(JSContext *ctx, ubi__js_debugger *debugger, int argc, JSValueConst *argv) {
    for (int i = 0; i < argc; i++)
        if (!realm_of_argument(ctx, argv[i]))
            return -1;
    for (int i = 0; i < argc; i++)
        if (ubi__js_debugger_add(ctx, debugger, realm_of_argument(ctx, argv[i])))
            return -1;
    return 0;
}

/** The prototype of a new Debugger: that of what `new` was called on, so that classes can extend Debugger. */
static JSValue prototype_for(JSContext *ctx, JSValueConst new_target) {
    JSValue prototype = JS_UNDEFINED;
    if (JS_IsObject(new_target))
        prototype = JS_GetPropertyStr(ctx, new_target, "prototype");
    if (JS_IsObject(prototype) || JS_IsException(prototype))
        return prototype;
    JS_FreeValue(ctx, prototype);
    return JS_GetClassProto(ctx, ubi__js_class_id(UBI__JS_DEBUGGER));
}

static JSValue debugger_construct(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv) {
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    if (!ubi__js_tools_attached(ctx, realm))
        return JS_EXCEPTION;
    JSValue prototype = prototype_for(ctx, new_target);
    if (JS_IsException(prototype))
        return prototype;
    JSValue object = JS_NewObjectProtoClass(ctx, prototype, ubi__js_class_id(UBI__JS_DEBUGGER));
    JS_FreeValue(ctx, prototype);
    if (JS_IsException(object))
        return object;
    ubi__js_debugger *debugger = new_debugger(ctx, realm, object);
    if (debugger && !debugger_equip(ctx, debugger) && !add_arguments(ctx, debugger, argc, argv))
        return object;
    JS_FreeValue(ctx, object);
    return JS_EXCEPTION;
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

ubi__js_debugger *ubi__js_this_debugger(JSContext *ctx, JSValueConst this_value) {
    ubi__js_debugger *debugger = ubi__js_this(ctx, this_value, UBI__JS_DEBUGGER, "Debugger", "method");
    return debugger && ubi__js_tools_attached(ctx, debugger->realm_state) ? debugger : NULL;
}

static JSValue get_uncaught_exception_hook(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    return debugger ? JS_DupValue(ctx, debugger->uncaught_exception_hook) : JS_EXCEPTION;
}

static JSValue set_uncaught_exception_hook(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    if (!debugger || ubi__js_require_argument(ctx, argc, "Debugger.set uncaughtExceptionHook"))
        return JS_EXCEPTION;
    if (!JS_IsNull(argv[0]) && !JS_IsFunction(ctx, argv[0]))
        return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR,
                             "value assigned to uncaughtExceptionHook must be a function or null");
    JSValue before = debugger->uncaught_exception_hook;
    debugger->uncaught_exception_hook = JS_DupValue(ctx, argv[0]);
    JS_FreeValue(ctx, before);
    return JS_UNDEFINED;
}

static JSValue get_memory(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_debugger *debugger = ubi__js_this_debugger(ctx, this_value);
    return debugger ? JS_DupValue(ctx, debugger->memory) : JS_EXCEPTION;
}

static const ubi__js_accessor accessors[] = {
    { "uncaughtExceptionHook", get_uncaught_exception_hook, set_uncaught_exception_hook },
    { "uncaughtExceptionHandler", get_uncaught_exception_hook, set_uncaught_exception_hook },
    { "memory", get_memory, NULL },
    { NULL, NULL, NULL },
};

JSValue ubi__js_debugger_init(JSContext *ctx) {
    JSValue constructor = ubi__js_new_constructor(ctx, UBI__JS_DEBUGGER, "Debugger", 1, debugger_construct);
    if (JS_IsException(constructor))
        return constructor;
    JSValue prototype = JS_GetClassProto(ctx, ubi__js_class_id(UBI__JS_DEBUGGER));
    int failed = ubi__js_define_accessors(ctx, prototype, accessors, JS_PROP_CONFIGURABLE);
    if (!failed)
        failed =
            ubi__js_define_methods(ctx, prototype, ubi__js_debuggee_methods, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    JS_FreeValue(ctx, prototype);
    if (failed)
        JS_FreeValue(ctx, constructor);
    return failed ? JS_EXCEPTION : constructor;
}

/* ---- a realm gets it --------------------------------------------------------------------------------------------- */

/** Everything but the property of the global object. 0, or -1 with a pending exception. */
static int furnish_realm(JSContext *ctx, ubi__js_realm *state) {
    JSValue constructor = ubi__js_debugger_init(ctx);
    if (JS_IsException(constructor))
        return -1;
    if (ubi__js_memory_init(ctx, constructor) || ubi__js_object_init(ctx, constructor)) {
        JS_FreeValue(ctx, constructor);
        return -1;
    }
    state->debugger_constructor = constructor;
    return 0;
}

int ubi_quickjs_add_debugger(ubi_quickjs *tools, JSContext *realm) {
    if (ubi__js_realm_need(realm, tools))
        return -1;
    ubi__js_realm *state = ubi__js_realm_of(realm);
    if (JS_IsUndefined(state->debugger_constructor) && furnish_realm(realm, state))
        return -1;
    JSValue global = JS_GetGlobalObject(realm);
    JSValue constructor = JS_DupValue(realm, ubi__js_realm_of(realm)->debugger_constructor);
    int defined = JS_DefinePropertyValueStr(realm, global, "Debugger", constructor,
                                            JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE | JS_PROP_THROW);
    JS_FreeValue(realm, global);
    return defined < 0 ? -1 : 0;
}
