/* SPDX-License-Identifier: MIT
 *
 * js_debugger.h: what a `Debugger` of scripts stands for.
 *
 *     Debugger --(counted)--> memory, hooks, a function of its realm
 *        ^                       |
 *        +------(counted)--------+---- Debugger.Object --(counted)--> referent
 *
 * A Debugger finds its Debugger.Objects again without keeping them. It watches its debuggees through an observer, which
 * knows realms by number: being a debuggee keeps no realm alive. The structure outlives the object as long as a
 * Debugger.Object or a Debugger.Memory is there, since a collection takes them in any order.
 */
#ifndef UBI_QUICKJS_JS_DEBUGGER_H
#define UBI_QUICKJS_JS_DEBUGGER_H

#include "engines/quickjs/js_errors.h"
#include "engines/quickjs/js_realm.h"

typedef struct ubi__js_debugger {
    uint32_t references;
    const ubi_allocator *allocator;
    ubi__js_realm *realm_state;            /* counted: of the realm it was made in */
    struct ubi__js_debugger *next, **link; /* in realm_state->debuggers; link NULL: not there */
    JSContext *realm;                      /* kept by `anchor` */
    JSValue anchor;
    JSValue self;                    /* uncounted; undefined once the object is gone */
    JSValue memory;                  /* its Debugger.Memory */
    JSValue uncaught_exception_hook; /* function or null */
    JSValue on_garbage_collection;   /* function or undefined */
    ubi_quickjs_observer *observer;
    ubi__weak_table objects; /* Debugger.Objects by referent */
} ubi__js_debugger;

/** A Debugger.Memory or Debugger.Object. */
typedef struct ubi__js_owned {
    ubi__js_debugger *debugger;
    JSValue owner;    /* the Debugger */
    JSValue referent; /* of a Debugger.Object */
} ubi__js_owned;

/** One more reference to the structure, and one less. */
ubi__js_debugger *ubi__js_debugger_ref(ubi__js_debugger *debugger);
void ubi__js_debugger_unref(ubi__js_debugger *debugger);

/** The Debugger that `this` is; NULL having thrown. */
ubi__js_debugger *ubi__js_this_debugger(JSContext *ctx, JSValueConst this_value);
/** `Debugger` for a new realm, without its Memory and Object. Owned, or an exception. */
JSValue ubi__js_debugger_init(JSContext *ctx);

/* ---- debuggees */

/** Errors throw: -1. */
int ubi__js_debugger_add(JSContext *ctx, ubi__js_debugger *debugger, JSContext *debuggee);
extern const ubi__js_method ubi__js_debuggee_methods[];

/* ---- hooks */

/**
 * Hands the pending exception of a hook to uncaughtExceptionHook. Left uncaught, it becomes a rejected promise, so that
 * the host reports it as it reports those.
 */
void ubi__js_debugger_uncaught(JSContext *ctx, ubi__js_debugger *debugger);
/** Starts or stops calling onGarbageCollection. */
void ubi__js_debugger_listen(ubi__js_debugger *debugger, bool on);

/* ---- Debugger.Memory (js_debugger_memory.c) */

int ubi__js_memory_init(JSContext *ctx, JSValueConst debugger_constructor);
/** The Debugger.Memory of a new Debugger. Owned, or an exception. */
JSValue ubi__js_memory_new(JSContext *ctx, ubi__js_debugger *debugger);

/* ---- Debugger.Object (js_debugger_object.c) */

int ubi__js_object_init(JSContext *ctx, JSValueConst debugger_constructor);
/** An object as its Debugger.Object, always the same while it lives; other values as they are. Owned, or an exception. */
JSValue ubi__js_wrap(JSContext *ctx, ubi__js_debugger *debugger, JSValueConst value);

/* ---- both (js_debugger_object.c) */

/** An object of either class for a Debugger. Owned, or an exception. */
JSValue ubi__js_owned_new(JSContext *ctx, ubi__js_class class, ubi__js_debugger *debugger, JSValueConst referent);
/** `constructor` that throws "PLACE has no constructor", as a property of Debugger. 0, or -1 with an exception. */
int ubi__js_owned_init(JSContext *ctx, JSValueConst debugger_constructor, ubi__js_class class, const char *name,
                       JSCFunction *construct, const ubi__js_accessor *accessors, const ubi__js_method *methods);

#endif
