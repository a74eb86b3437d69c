/* SPDX-License-Identifier: MIT
 *
 * js_classes.c: class numbers, prototypes and their properties.
 *
 * The engine hands out class numbers from one counter without a lock, so ours are taken once, together. A program that
 * makes its first runtimes on several threads at once must take its own class numbers before, as for any engine class.
 */
#include "engines/quickjs/js_classes.h"

#include <pthread.h>
#include <stdio.h>

#include "engines/quickjs/js_facts.h"

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
