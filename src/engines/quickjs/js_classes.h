/* SPDX-License-Identifier: MIT
 *
 * js_classes.h: the classes of objects that scripts get from us, and how their prototypes are furnished.
 *
 * Class numbers are the engine's and the same in every runtime of the process.
 */
#ifndef UBI_QUICKJS_JS_CLASSES_H
#define UBI_QUICKJS_JS_CLASSES_H

#include "engines/quickjs/engine.h"

typedef enum ubi__js_class {
    UBI__JS_DEBUGGER,
    UBI__JS_MEMORY,      /* Debugger.Memory */
    UBI__JS_OBJECT,      /* Debugger.Object */
    UBI__JS_SAVED_FRAME, /* SavedFrame */
    UBI__JS_HEAP_SNAPSHOT,
    UBI__JS_DOMINATOR_TREE,
    UBI__JS_REALM /* never seen by scripts: what we keep for a realm */
} ubi__js_class;
#define UBI__JS_CLASS_COUNT 7

extern const JSClassDef ubi__debugger_class, ubi__debugger_memory_class, ubi__debugger_object_class;
extern const JSClassDef ubi__saved_frame_class, ubi__js_realm_class;
extern const JSClassDef ubi__heap_snapshot_class, ubi__dominator_tree_class;

/** Makes the classes known to the runtime. 0, or -1 with a pending exception. */
int ubi__js_classes_add(JSContext *ctx);
JSClassID ubi__js_class_id(ubi__js_class class);

/** What an object of the class stands for; NULL: not of the class, or not finished. */
static inline void *ubi__js_opaque(JSValueConst value, ubi__js_class class) {
    return JS_GetOpaque(value, ubi__js_class_id(class));
}
/** Whether `value` is the prototype that the realm gives to objects of the class. */
bool ubi__js_is_prototype(JSContext *ctx, JSValueConst value, ubi__js_class class);

/** An accessor property: `set` NULL for one that can only be read. All four arguments of a call are passed on. */
typedef struct ubi__js_accessor {
    const char *name;
    JSCFunction *get, *set;
} ubi__js_accessor;
/** A method, whose length is 0. */
typedef struct ubi__js_method {
    const char *name;
    JSCFunction *call;
} ubi__js_method;

/** Both end at a NULL name. `flags`: JS_PROP_*, of accessors without JS_PROP_WRITABLE. 0, or -1 with an exception. */
int ubi__js_define_accessors(JSContext *ctx, JSValueConst object, const ubi__js_accessor *list, int flags);
int ubi__js_define_methods(JSContext *ctx, JSValueConst object, const ubi__js_method *list, int flags);
/**
 * A constructor with its prototype, which the realm remembers for the class. Owned, or an exception.
 * @param call  also when called without `new`.
 */
JSValue ubi__js_new_constructor(JSContext *ctx, ubi__js_class class, const char *name, int length, JSCFunction *call);

#endif
