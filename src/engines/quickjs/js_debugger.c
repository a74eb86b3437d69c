/* SPDX-License-Identifier: MIT
 *
 * js_debugger.c: the class `Debugger`: making one, and its accessors.
 *
 * Source: mozilla-central js/src/debugger/Debugger.cpp.
 */
#include "engines/quickjs/js_debugger.h"

#include "engines/quickjs/js_facts.h"

/* ---- life -------------------------------------------------------------------------------------------------------- */

ubi__js_debugger *ubi__js_debugger_ref(ubi__js_debugger *debugger) {
    debugger->references++;
    return debugger;
}

void ubi__js_debugger_unref(ubi__js_debugger *debugger) {
    if (--debugger->references)
        return;
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
    debugger->next = *first;
    debugger->link = first;
    if (debugger->next)
        debugger->next->link = &debugger->next;
    *first = debugger;
}

static void unlink_from_realm(ubi__js_debugger *debugger) {
    if (!debugger->link)
        return;
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
