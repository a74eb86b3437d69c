/* SPDX-License-Identifier: MIT
 *
 * js_realm.c: what a realm keeps, and the classes of its objects: numbers, prototypes and their properties.
 *
 * The engine hands out class numbers from one counter without a lock, so ours are taken once, together. A program that
 * makes its first runtimes on several threads at once must take its own class numbers before, as for any engine class.
 */
#include "engines/quickjs/js_realm.h"

#include <pthread.h>
#include <stdio.h>

#include "engines/quickjs/js_classes.h"
#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_saved_frame.h"

/* ---- classes ----------------------------------------------------------------------------------------------------- */

static JSClassID class_ids[UBI__JS_CLASS_COUNT];
static const JSClassDef *const class_defs[UBI__JS_CLASS_COUNT] = {
    [UBI__JS_DEBUGGER] = &ubi__debugger_class,
    [UBI__JS_MEMORY] = &ubi__debugger_memory_class,
    [UBI__JS_OBJECT] = &ubi__debugger_object_class,
    [UBI__JS_SAVED_FRAME] = &ubi__saved_frame_class,
    [UBI__JS_REALM] = &ubi__js_realm_class,
    [UBI__JS_HEAP_SNAPSHOT] = &ubi__heap_snapshot_class,
    [UBI__JS_DOMINATOR_TREE] = &ubi__dominator_tree_class,
};

static pthread_mutex_t class_ids_lock = PTHREAD_MUTEX_INITIALIZER;

static void take_class_ids(JSRuntime *runtime) {
    pthread_mutex_lock(&class_ids_lock);
    for (int i = 0; i < UBI__JS_CLASS_COUNT; i++)
        ubi__new_class_id(runtime, &class_ids[i]);
    pthread_mutex_unlock(&class_ids_lock);
}

int ubi__js_classes_add(JSContext *ctx) {
    JSRuntime *runtime = JS_GetRuntime(ctx);
    take_class_ids(runtime);
    for (int i = 0; i < UBI__JS_CLASS_COUNT; i++)
        if (!JS_IsRegisteredClass(runtime, class_ids[i]) && JS_NewClass(runtime, class_ids[i], class_defs[i])) {
            JS_ThrowOutOfMemory(ctx);
            return -1;
        }
    return 0;
}

JSClassID ubi__js_class_id(ubi__js_class class) {
    return class_ids[class];
}

bool ubi__js_is_prototype(JSContext *ctx, JSValueConst value, ubi__js_class class) {
    JSValue prototype = JS_GetClassProto(ctx, class_ids[class]);
    bool same = JS_IsObject(value) && JS_IsObject(prototype) && JS_VALUE_GET_PTR(value) == JS_VALUE_GET_PTR(prototype);
    JS_FreeValue(ctx, prototype);
    return same;
}

/** The function of an accessor, called "get x" or "set x"; undefined when there is none. */
static JSValue new_accessor_function(JSContext *ctx, JSCFunction *call, const char *verb, const char *name,
                                     int length) {
    if (!call)
        return JS_UNDEFINED;
    char words[64];
    snprintf(words, sizeof words, "%s %s", verb, name);
    return JS_NewCFunction(ctx, call, words, length);
}

static int define_accessor(JSContext *ctx, JSValueConst object, const ubi__js_accessor *accessor, int flags) {
    JSValue get = new_accessor_function(ctx, accessor->get, "get", accessor->name, 0);
    JSValue set = new_accessor_function(ctx, accessor->set, "set", accessor->name, 1);
    JSAtom name = JS_NewAtom(ctx, accessor->name);
    if (name == JS_ATOM_NULL || JS_IsException(get) || JS_IsException(set)) {
        JS_FreeValue(ctx, get);
        JS_FreeValue(ctx, set);
        JS_FreeAtom(ctx, name);
        return -1;
    }
    int result = JS_DefinePropertyGetSet(ctx, object, name, get, set, flags);
    JS_FreeAtom(ctx, name);
    return result < 0 ? -1 : 0;
}

int ubi__js_define_accessors(JSContext *ctx, JSValueConst object, const ubi__js_accessor *list, int flags) {
    for (; list->name; list++)
        if (define_accessor(ctx, object, list, flags))
            return -1;
    return 0;
}

int ubi__js_define_methods(JSContext *ctx, JSValueConst object, const ubi__js_method *list, int flags) {
    for (; list->name; list++) {
        JSValue function = JS_NewCFunction(ctx, list->call, list->name, 0);
        if (JS_IsException(function) || JS_DefinePropertyValueStr(ctx, object, list->name, function, flags) < 0)
            return -1;
    }
    return 0;
}

JSValue ubi__js_new_constructor(JSContext *ctx, ubi__js_class class, const char *name, int length, JSCFunction *call) {
    JSValue prototype = JS_NewObject(ctx);
    if (JS_IsException(prototype))
        return prototype;
    JSValue constructor = JS_NewCFunction2(ctx, call, name, length, JS_CFUNC_constructor_or_func, 0);
    if (JS_IsException(constructor)) {
        JS_FreeValue(ctx, prototype);
        return constructor;
    }
    JS_SetConstructor(ctx, constructor, prototype);
    JS_SetClassProto(ctx, class_ids[class], prototype);
    return constructor;
}

/* ---- realms ------------------------------------------------------------------------------------------------------ */

static void forget_values(ubi__js_realm *realm) {
    realm->map_constructor = realm->map_set = realm->debugger_constructor = JS_UNDEFINED;
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        realm->heap_interfaces[i] = JS_UNDEFINED;
}

static void realm_finalize(JSRuntime *runtime, JSValue value) {
    ubi__js_realm *realm = ubi__js_opaque(value, UBI__JS_REALM);
    if (!realm)
        return;
    JS_FreeValueRT(runtime, realm->map_constructor);
    JS_FreeValueRT(runtime, realm->map_set);
    JS_FreeValueRT(runtime, realm->debugger_constructor);
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        JS_FreeValueRT(runtime, realm->heap_interfaces[i]);
    forget_values(realm);
    ubi__js_realm_unref(realm);
}

static void realm_mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_func) {
    ubi__js_realm *realm = ubi__js_opaque(value, UBI__JS_REALM);
    if (!realm)
        return;
    JS_MarkValue(rt, realm->map_constructor, mark_func);
    JS_MarkValue(rt, realm->map_set, mark_func);
    JS_MarkValue(rt, realm->debugger_constructor, mark_func);
    for (int i = 0; i < UBI__JS_HEAP_INTERFACE_COUNT; i++)
        JS_MarkValue(rt, realm->heap_interfaces[i], mark_func);
}

const JSClassDef ubi__js_realm_class = { .class_name = "DebuggerRealm",
                                         .finalizer = realm_finalize,
                                         .gc_mark = realm_mark };

/** The realm's Map and its `set`. 0, or -1 with a pending exception. */
static int take_map(JSContext *ctx, ubi__js_realm *realm) {
    JSValue global = JS_GetGlobalObject(ctx);
    realm->map_constructor = JS_GetPropertyStr(ctx, global, "Map");
    JS_FreeValue(ctx, global);
    if (!JS_IsObject(realm->map_constructor)) /* a realm without Map: censuses by allocation stack fail in it */
        return JS_IsException(realm->map_constructor) ? -1 : 0;
    JSValue prototype = JS_GetPropertyStr(ctx, realm->map_constructor, "prototype");
    if (JS_IsException(prototype))
        return -1;
    realm->map_set = JS_GetPropertyStr(ctx, prototype, "set");
    JS_FreeValue(ctx, prototype);
    return JS_IsException(realm->map_set) ? -1 : 0;
}

int ubi__js_realm_new(JSContext *ctx, ubi_quickjs *tools) {
    const ubi_allocator *allocator = ubi__tools_allocator(tools);
    JSValue object = JS_NewObjectProtoClass(ctx, JS_NULL, ubi__js_class_id(UBI__JS_REALM));
    if (JS_IsException(object))
        return -1;
    ubi__js_realm *realm = allocator->alloc(allocator->ctx, sizeof *realm);
    if (!realm) {
        JS_FreeValue(ctx, object);
        JS_ThrowOutOfMemory(ctx);
        return -1;
    }
    *realm = (ubi__js_realm){ .references = 1, .allocator = allocator, .tools = tools };
    realm->tools_serial = ubi__tools_serial(tools);
    forget_values(realm);
    JS_SetOpaque(object, realm);
    if (take_map(ctx, realm)) {
        JS_FreeValue(ctx, object);
        return -1;
    }
    JS_SetClassProto(ctx, ubi__js_class_id(UBI__JS_REALM), object);
    return 0;
}

ubi__js_realm *ubi__js_realm_of(JSContext *ctx) {
    JSClassID id = ubi__js_class_id(UBI__JS_REALM);
    if (!id || !JS_IsRegisteredClass(JS_GetRuntime(ctx), id))
        return NULL;
    JSValue object = JS_GetClassProto(ctx, id);
    ubi__js_realm *realm = JS_GetOpaque(object, id);
    JS_FreeValue(ctx, object);
    return realm;
}

int ubi__js_realm_need(JSContext *ctx, ubi_quickjs *tools) {
    if (ubi__js_classes_add(ctx))
        return -1;
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    if (realm && ubi__js_realm_has_tools(realm, JS_GetRuntime(ctx)))
        return 0;
    if (!ubi__js_realm_new(ctx, tools) && !ubi__saved_frame_init(ctx))
        return 0;
    JS_SetClassProto(ctx, ubi__js_class_id(UBI__JS_REALM), JS_NULL);
    return -1;
}

ubi__js_realm *ubi__js_realm_ref(ubi__js_realm *realm) {
    realm->references++;
    return realm;
}

void ubi__js_realm_unref(ubi__js_realm *realm) {
    UBI_ASSERT(realm->references > 0);
    if (--realm->references)
        return;
    UBI_ASSERT(!realm->debuggers && JS_IsUndefined(realm->map_constructor));
    ubi__weak_table_fini(&realm->frames, realm->allocator);
    if (realm->pool)
        realm->pool_unref(realm->pool);
    realm->allocator->free(realm->allocator->ctx, realm, sizeof *realm);
}

JSValue ubi__js_realm_new_map(JSContext *ctx) {
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    if (!JS_IsObject(realm->map_constructor) || !JS_IsObject(realm->map_set))
        return ubi__js_throw(ctx, UBI__JS_ERROR, "this realm has no Map");
    return JS_CallConstructor(ctx, realm->map_constructor, 0, NULL);
}

int ubi__js_realm_map_set(JSContext *ctx, JSValueConst map, JSValue key, JSValue value) {
    JSValue pair[2] = { key, value };
    JSValue result = JS_EXCEPTION;
    if (!JS_IsException(key) && !JS_IsException(value))
        result = JS_Call(ctx, ubi__js_realm_of(ctx)->map_set, map, 2, pair);
    JS_FreeValue(ctx, key);
    JS_FreeValue(ctx, value);
    JS_FreeValue(ctx, result);
    return JS_IsException(result) ? -1 : 0;
}

bool ubi__js_realm_has_tools(const ubi__js_realm *realm, JSRuntime *runtime) {
    ubi_quickjs *tools = ubi_quickjs_of(runtime);
    return tools && tools == realm->tools && ubi__tools_serial(tools) == realm->tools_serial;
}

bool ubi__js_tools_attached(JSContext *ctx, const ubi__js_realm *realm) {
    if (ubi__js_realm_has_tools(realm, JS_GetRuntime(ctx)))
        return true;
    ubi__js_throw(ctx, UBI__JS_ERROR, "the memory tools of this runtime are detached");
    return false;
}

ubi_quickjs *ubi__js_attached_tools(JSContext *ctx) {
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    return ubi__js_tools_attached(ctx, realm) ? realm->tools : NULL;
}
