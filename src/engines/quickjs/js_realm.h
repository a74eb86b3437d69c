/* SPDX-License-Identifier: MIT
 *
 * js_realm.h: what we keep for a realm that has `Debugger` or the heap module.
 *
 * The realm itself holds it, in the slot of a class's prototype, where scripts do not reach it. Objects that must tidy
 * up in it when they die (SavedFrames) hold it by count, because a collection takes them in any order.
 */
#ifndef UBI_QUICKJS_JS_REALM_H
#define UBI_QUICKJS_JS_REALM_H

#include "engines/quickjs/js_weak_table.h"

struct ubi__js_debugger;

#define UBI__JS_HEAP_INTERFACE_COUNT 2

typedef struct ubi__js_realm {
    uint32_t references;
    const ubi_allocator *allocator;
    ubi_quickjs *tools;
    uint64_t tools_serial; /* of them, for others may be attached later at the same address */
    /* Taken before scripts could change them; undefined once the realm goes. */
    JSValue map_constructor, map_set;
    JSValue debugger_constructor;                          /* undefined: it has no `Debugger` yet */
    JSValue heap_interfaces[UBI__JS_HEAP_INTERFACE_COUNT]; /* HeapSnapshot, DominatorTree; undefined until imported */
    ubi__weak_table frames;                                /* its SavedFrames, by content */
    struct ubi__js_debugger *debuggers;                    /* made in it, alive */
    /* Of snapshots that questions are asked about (js_ask.c): a reference, or NULL; what gives it back; sessions made so far. */
    struct ubi_session_pool *pool;
    void (*pool_unref)(struct ubi_session_pool *pool);
    uint32_t n_sessions;
} ubi__js_realm;

/** Makes it for a realm that has none. 0, or -1 with a pending exception. */
int ubi__js_realm_new(JSContext *ctx, ubi_quickjs *tools);
/**
 * Makes it unless the realm has one of these tools, with the class of SavedFrames: all that reports need. 0, or -1 with a
 * pending exception.
 */
int ubi__js_realm_need(JSContext *ctx, ubi_quickjs *tools);
/** Of a realm; NULL: it has none. Borrowed. */
ubi__js_realm *ubi__js_realm_of(JSContext *ctx);
ubi__js_realm *ubi__js_realm_ref(ubi__js_realm *realm);
void ubi__js_realm_unref(ubi__js_realm *realm);

/** An empty Map, and its `set`, whatever scripts did to theirs. */
JSValue ubi__js_realm_new_map(JSContext *ctx);
/** Takes both values. 0, or -1 with a pending exception. */
int ubi__js_realm_map_set(JSContext *ctx, JSValueConst map, JSValue key, JSValue value);

/** Whether the tools that it was made with are still attached. */
bool ubi__js_realm_has_tools(const ubi__js_realm *realm, JSRuntime *runtime);
/** The same; throws an Error when they are not. */
bool ubi__js_tools_attached(JSContext *ctx, const ubi__js_realm *realm);
/** The tools of this realm; NULL having thrown when they are gone. */
ubi_quickjs *ubi__js_attached_tools(JSContext *ctx);

#endif
