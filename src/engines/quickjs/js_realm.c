/* SPDX-License-Identifier: MIT
 *
 * js_realm.c: making, finding and freeing what a realm keeps.
 */
#include "engines/quickjs/js_realm.h"

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_saved_frame.h"

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
    if (--realm->references)
        return;
    ubi__weak_table_fini(&realm->frames, realm->allocator);
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
