/* SPDX-License-Identifier: MIT
 *
 * js_owned.c: objects that belong to a Debugger: its Debugger.Memory and its Debugger.Objects.
 */
#include "engines/quickjs/js_debugger.h"

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
