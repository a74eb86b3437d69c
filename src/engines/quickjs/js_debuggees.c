/* SPDX-License-Identifier: MIT
 *
 * js_debuggees.c: which globals a Debugger watches.
 *
 * What takes a debuggee takes its global object, or a Debugger.Object of it that belongs to this Debugger.
 */
#include "engines/quickjs/js_debugger.h"
#include "engines/quickjs/js_facts.h"

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

/** Whether Debuggers of `from` watch `to`, or watch a realm of which that is true. -1 having thrown. */
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
