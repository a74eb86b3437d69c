/* SPDX-License-Identifier: MIT
 *
 * js_boundaries.c: the dictionary HeapSnapshotBoundaries.
 *
 * First all members are converted, which may run code of scripts; then they are judged. What is wrong by type is a
 * TypeError, a choice that makes no sense NS_ERROR_ILLEGAL_VALUE.
 *
 * Source: mozilla-central dom/chrome-webidl/ChromeUtils.webidl, devtools/shared/heapsnapshot/HeapSnapshot.cpp,
 * EstablishBoundaries.
 */
#include "engines/quickjs/js_boundaries.h"

#include "engines/quickjs/js_debugger.h"

#define CALL "saveHeapSnapshot"

typedef struct members {
    ubi_quickjs *tools;
    ubi__js_boundaries *out;
    uint32_t n; /* that are there */
    bool has_runtime, runtime;
    bool has_globals, all_are_globals;
    uint32_t n_globals;
} members;

/* ---- conversion -------------------------------------------------------------------------------------------------- */

static int convert_debugger(JSContext *ctx, members *m, JSValueConst value) {
    if (!JS_IsObject(value)) {
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, CALL ": 'debugger' member of HeapSnapshotBoundaries is not an object.");
        return -1;
    }
    m->out->debugger = JS_DupValue(ctx, value);
    return 0;
}

static int take_global(JSContext *ctx, void *payload, JSValueConst element) {
    members *m = payload;
    if (!JS_IsObject(element)) {
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR,
                      CALL ": Element of 'globals' member of HeapSnapshotBoundaries is not an object.");
        return -1;
    }
    m->n_globals++;
    JSContext *realm = ubi_quickjs_realm_of_global(m->tools, element);
    ubi_status status = realm ? ubi_quickjs_scope_add(m->out->globals, realm) : UBI_OK;
    m->all_are_globals = m->all_are_globals && realm;
    if (status != UBI_OK)
        ubi__js_throw_status(ctx, status);
    return status == UBI_OK ? 0 : -1;
}

static int convert_globals(JSContext *ctx, members *m, JSValueConst value) {
    m->has_globals = m->all_are_globals = true;
    ubi_status status = ubi_quickjs_scope_new(&m->out->globals, m->tools);
    if (status != UBI_OK) {
        ubi__js_throw_status(ctx, status);
        return -1;
    }
    return ubi__js_each_element(ctx, value, CALL ": 'globals' member of HeapSnapshotBoundaries", take_global, m);
}

static int convert_runtime(JSContext *ctx, members *m, JSValueConst value) {
    m->has_runtime = true;
    int truth = JS_ToBool(ctx, value);
    m->runtime = truth > 0;
    return truth < 0 ? -1 : 0;
}

typedef struct member_row {
    const char *name;
    int (*convert)(JSContext *ctx, members *m, JSValueConst value);
} member_row;

static const member_row rows[] = {
    { "debugger", convert_debugger },
    { "globals", convert_globals },
    { "runtime", convert_runtime },
};

static int boundary_convert(JSContext *ctx, members *m, JSValueConst dictionary) {
    if (JS_IsUndefined(dictionary) || JS_IsNull(dictionary))
        return 0;
    if (!JS_IsObject(dictionary)) {
        ubi__js_throw(ctx, UBI__JS_TYPE_ERROR, CALL ": Argument 1 can't be converted to a dictionary.");
        return -1;
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !failed; i++) {
        JSValue value = JS_GetPropertyStr(ctx, dictionary, rows[i].name);
        if (JS_IsException(value))
            return -1;
        if (!JS_IsUndefined(value)) {
            m->n++;
            failed = rows[i].convert(ctx, m, value);
        }
        JS_FreeValue(ctx, value);
    }
    return failed;
}

/* ---- judgement --------------------------------------------------------------------------------------------------- */

static const char *fault_of(const members *m) {
    if (m->n != 1)
        return m->n ? "only one boundary can be given: runtime, debugger or globals"
                    : "a boundary must be given: runtime, debugger or globals";
    if (m->has_runtime)
        return m->runtime ? NULL : "the boundary runtime can only be true";
    if (m->has_globals) {
        if (m->n_globals == 0)
            return "the boundary globals must name at least one global object";
        return m->all_are_globals ? NULL : "the boundary globals names something that is no global object";
    }
    const ubi__js_debugger *debugger = ubi__js_opaque(m->out->debugger, UBI__JS_DEBUGGER);
    return debugger && debugger->observer ? NULL : "the boundary debugger is no Debugger";
}

int ubi__js_boundaries_read(JSContext *ctx, ubi__js_boundaries *out, ubi_quickjs *tools, JSValueConst value) {
    members m = { .tools = tools, .out = out };
    *out = (ubi__js_boundaries){ .debugger = JS_UNDEFINED };
    if (boundary_convert(ctx, &m, value))
        return -1;
    const char *fault = fault_of(&m);
    if (fault) {
        ubi__js_throw_result(ctx, UBI__JS_ILLEGAL_VALUE, CALL ": %s", fault);
        return -1;
    }
    if (m.has_runtime)
        return 0;
    if (m.has_globals) {
        out->scope = ubi_quickjs_scope_get(out->globals);
    } else {
        const ubi__js_debugger *debugger = ubi__js_opaque(out->debugger, UBI__JS_DEBUGGER);
        out->scope = ubi_quickjs_observer_scope(debugger->observer);
    }
    out->part = &out->scope;
    return 0;
}

void ubi__js_boundaries_fini(JSContext *ctx, ubi__js_boundaries *boundaries) {
    ubi_quickjs_scope_free(boundaries->globals);
    JS_FreeValue(ctx, boundaries->debugger);
    *boundaries = (ubi__js_boundaries){ .debugger = JS_UNDEFINED };
}
