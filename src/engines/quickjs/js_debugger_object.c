/* SPDX-License-Identifier: MIT
 *
 * js_debugger_object.c: objects that belong to a Debugger, and `Debugger.Object`, a debuggee's object seen from there.
 *
 * What memory tools ask of an object. None of it runs code of the debuggee: what only a proxy's handler knows is undefined.
 *
 * Source: mozilla-central js/src/debugger/Object.cpp.
 */
#include "engines/quickjs/js_debugger.h"

#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_saved_frame.h"

/* ---- what Debugger.Memory and Debugger.Object share -------------------------------------------------------------- */

static void free_owned(JSRuntime *runtime, ubi__js_owned *owned) {
    ubi__js_debugger *debugger = owned->debugger;
    const ubi_allocator *allocator = debugger->allocator;
    JS_FreeValueRT(runtime, owned->owner);
    JS_FreeValueRT(runtime, owned->referent);
    allocator->free(allocator->ctx, owned, sizeof *owned);
    ubi__js_debugger_unref(debugger);
}

static void finalize_memory(JSRuntime *runtime, JSValue value) {
    ubi__js_owned *memory = ubi__js_opaque(value, UBI__JS_MEMORY);
    if (memory)
        free_owned(runtime, memory);
}

static void finalize_object(JSRuntime *runtime, JSValue value) {
    ubi__js_owned *object = ubi__js_opaque(value, UBI__JS_OBJECT);
    if (!object)
        return;
    uint32_t hash = ubi__weak_hash((uintptr_t)JS_VALUE_GET_PTR(object->referent));
    ubi__weak_table_forget(&object->debugger->objects, hash, value);
    free_owned(runtime, object);
}

static void mark_owned(JSRuntime *rt, const ubi__js_owned *owned, JS_MarkFunc *mark_func) {
    if (!owned)
        return;
    JS_MarkValue(rt, owned->owner, mark_func);
    JS_MarkValue(rt, owned->referent, mark_func);
}

static void mark_memory(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_func) {
    mark_owned(rt, ubi__js_opaque(value, UBI__JS_MEMORY), mark_func);
}

static void mark_object(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_func) {
    mark_owned(rt, ubi__js_opaque(value, UBI__JS_OBJECT), mark_func);
}

const JSClassDef ubi__debugger_memory_class = { .class_name = "Memory",
                                                .finalizer = finalize_memory,
                                                .gc_mark = mark_memory };
const JSClassDef ubi__debugger_object_class = { .class_name = "Debugger.Object",
                                                .finalizer = finalize_object,
                                                .gc_mark = mark_object };

JSValue ubi__js_owned_new(JSContext *ctx, ubi__js_class class, ubi__js_debugger *debugger, JSValueConst referent) {
    JSValue object = JS_NewObjectClass(debugger->realm, (int)ubi__js_class_id(class));
    if (JS_IsException(object))
        return object;
    ubi__js_owned *owned = debugger->allocator->alloc(debugger->allocator->ctx, sizeof *owned);
    if (!owned) {
        JS_FreeValue(ctx, object);
        return JS_ThrowOutOfMemory(ctx);
    }
    UBI_ASSERT(debugger->references > 0 && !JS_IsUndefined(debugger->self));
    *owned = (ubi__js_owned){ .debugger = ubi__js_debugger_ref(debugger) };
    owned->owner = JS_DupValue(ctx, debugger->self);
    owned->referent = JS_DupValue(ctx, referent);
    JS_SetOpaque(object, owned);
    return object;
}

/** Furnishes a prototype, which is taken. */
static int owned_furnish(JSContext *ctx, JSValue prototype, const ubi__js_accessor *accessors,
                         const ubi__js_method *methods) {
    int failed = ubi__js_define_accessors(ctx, prototype, accessors, JS_PROP_CONFIGURABLE);
    if (!failed)
        failed = ubi__js_define_methods(ctx, prototype, methods, JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
    JS_FreeValue(ctx, prototype);
    return failed;
}

int ubi__js_owned_init(JSContext *ctx, JSValueConst debugger_constructor, ubi__js_class class, const char *name,
                       JSCFunction *construct, const ubi__js_accessor *accessors, const ubi__js_method *methods) {
    JSValue constructor = ubi__js_new_constructor(ctx, class, name, 0, construct);
    if (JS_IsException(constructor))
        return -1;
    if (JS_DefinePropertyValueStr(ctx, debugger_constructor, name, constructor,
                                  JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE) < 0)
        return -1;
    return owned_furnish(ctx, JS_GetClassProto(ctx, ubi__js_class_id(class)), accessors, methods);
}

/* ---- the class --------------------------------------------------------------------------------------------------- */

/** What `this` is; NULL having thrown. */
static ubi__js_owned *this_object(JSContext *ctx, JSValueConst this_value) {
    ubi__js_owned *object = ubi__js_this(ctx, this_value, UBI__JS_OBJECT, "Debugger.Object", "method");
    return object && ubi__js_tools_attached(ctx, object->debugger->realm_state) ? object : NULL;
}

static ubi__object_facts facts_of(JSContext *ctx, const ubi__js_owned *object) {
    ubi__object_facts facts;
    ubi__object_facts_of(&facts, JS_GetRuntime(ctx), object->referent);
    return facts;
}

/* ---- identity ---------------------------------------------------------------------------------------------------- */

static bool has_referent(void *payload, JSValueConst value) {
    const ubi__js_owned *object = ubi__js_opaque(value, UBI__JS_OBJECT);
    return JS_VALUE_GET_PTR(object->referent) == payload;
}

JSValue ubi__js_wrap(JSContext *ctx, ubi__js_debugger *debugger, JSValueConst value) {
    if (!JS_IsObject(value))
        return JS_DupValue(ctx, value);
    uint32_t hash = ubi__weak_hash((uintptr_t)JS_VALUE_GET_PTR(value));
    JSValue object = ubi__weak_table_lookup(ctx, &debugger->objects, hash, has_referent, JS_VALUE_GET_PTR(value));
    if (!JS_IsUndefined(object))
        return object;
    object = ubi__js_owned_new(ctx, UBI__JS_OBJECT, debugger, value);
    if (JS_IsException(object))
        return object;
    if (ubi__weak_table_add(&debugger->objects, debugger->allocator, hash, object) == UBI_OK)
        return object;
    JS_FreeValue(ctx, object);
    return JS_ThrowOutOfMemory(ctx);
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

static JSValue get_callable(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    return object ? JS_NewBool(ctx, JS_IsFunction(ctx, object->referent)) : JS_EXCEPTION;
}

static JSValue get_is_bound_function(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    if (!object || !JS_IsFunction(ctx, object->referent))
        return object ? JS_UNDEFINED : JS_EXCEPTION;
    return JS_NewBool(ctx, facts_of(ctx, object).is_bound);
}

static JSValue get_is_proxy(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    return object ? JS_NewBool(ctx, facts_of(ctx, object).is_proxy) : JS_EXCEPTION;
}

static JSValue get_proto(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    if (!object || facts_of(ctx, object).is_proxy)
        return object ? JS_UNDEFINED : JS_EXCEPTION;
    JSValue prototype = JS_GetPrototype(ctx, object->referent);
    JSValue wrapped = JS_IsException(prototype) ? prototype : ubi__js_wrap(ctx, object->debugger, prototype);
    JS_FreeValue(ctx, prototype);
    return wrapped;
}

static JSValue get_class(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    return object ? JS_AtomToString(ctx, facts_of(ctx, object).class_name) : JS_EXCEPTION;
}

/** A function's own `name` when it is a string, not a getter; undefined otherwise. */
static JSValue get_name(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    if (!object || !JS_IsFunction(ctx, object->referent) || facts_of(ctx, object).is_proxy)
        return object ? JS_UNDEFINED : JS_EXCEPTION;
    JSAtom atom = JS_NewAtom(ctx, "name");
    JSPropertyDescriptor property = { .value = JS_UNDEFINED, .getter = JS_UNDEFINED, .setter = JS_UNDEFINED };
    int found = JS_GetOwnProperty(ctx, &property, object->referent, atom);
    JS_FreeAtom(ctx, atom);
    if (found <= 0)
        return found < 0 ? JS_EXCEPTION : JS_UNDEFINED;
    JS_FreeValue(ctx, property.getter);
    JS_FreeValue(ctx, property.setter);
    if (JS_IsString(property.value))
        return property.value;
    JS_FreeValue(ctx, property.value);
    return JS_UNDEFINED;
}

/** The global of the realm it belongs to, as far as that is known; else undefined. */
static JSValue get_global(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    if (!object)
        return JS_EXCEPTION;
    JSContext *realm = ubi_quickjs_realm_of_global(object->debugger->realm_state->tools, object->referent);
    if (!realm)
        realm = facts_of(ctx, object).realm;
    if (!realm)
        return JS_UNDEFINED;
    JSValue global = JS_GetGlobalObject(realm);
    JSValue wrapped = ubi__js_wrap(ctx, object->debugger, global);
    JS_FreeValue(ctx, global);
    return wrapped;
}

static JSValue get_allocation_site(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    if (!object)
        return JS_EXCEPTION;
    bool has_frame;
    ubi_stack stack;
    bool tracked =
        ubi_quickjs_allocation_site(object->debugger->realm_state->tools, object->referent, &has_frame, &stack);
    return tracked && has_frame ? ubi__saved_frame_of(ctx, stack) : JS_NULL;
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

static JSValue unsafe_dereference(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)argc, (void)argv;
    ubi__js_owned *object = this_object(ctx, this_value);
    return object ? JS_DupValue(ctx, object->referent) : JS_EXCEPTION;
}

static JSValue make_debuggee_value(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    ubi__js_owned *object = this_object(ctx, this_value);
    if (!object || ubi__js_require_argument(ctx, argc, "Debugger.Object.prototype.makeDebuggeeValue"))
        return JS_EXCEPTION;
    return ubi__js_wrap(ctx, object->debugger, argv[0]);
}

static JSValue object_construct(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    return ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, "Debugger.Object has no constructor");
}

static const ubi__js_accessor accessors[] = {
    { "callable", get_callable, NULL },
    { "isBoundFunction", get_is_bound_function, NULL },
    { "isProxy", get_is_proxy, NULL },
    { "proto", get_proto, NULL },
    { "class", get_class, NULL },
    { "name", get_name, NULL },
    { "displayName", get_name, NULL },
    { "global", get_global, NULL },
    { "allocationSite", get_allocation_site, NULL },
    { NULL, NULL, NULL },
};
static const ubi__js_method methods[] = {
    { "unsafeDereference", unsafe_dereference },
    { "makeDebuggeeValue", make_debuggee_value },
    { NULL, NULL },
};

int ubi__js_object_init(JSContext *ctx, JSValueConst debugger_constructor) {
    return ubi__js_owned_init(ctx, debugger_constructor, UBI__JS_OBJECT, "Object", object_construct, accessors,
                              methods);
}
