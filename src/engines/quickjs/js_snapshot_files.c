/* SPDX-License-Identifier: MIT
 *
 * js_snapshot_files.c: readHeapSnapshot and saveHeapSnapshot, with the part of the heap that a script wants saved.
 *
 * Source: mozilla-central dom/chrome-webidl/ChromeUtils.webidl, devtools/shared/heapsnapshot/HeapSnapshot.cpp,
 * HeapSnapshotTempFileHelperParent.
 */
#include "engines/quickjs/js_heap.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ubiheap/core/formats.h>

#include "engines/quickjs/js_debugger.h"
#include "engines/quickjs/js_facts.h"
#include "tracking/tool_clock.h"

/* ---- boundaries: which part of the heap a script wants saved ----------------------------------------------------------------------------------- */

/** All zero: nothing was read. */
typedef struct js_boundaries {
    ubi_quickjs_scope *globals; /* of `globals`; owned */
    ubi_target_scope scope;
    const ubi_target_scope *part; /* &scope; NULL: everything */
    JSValue debugger;             /* kept while its debuggees are the scope; undefined for others */
} js_boundaries;

#define CALL "saveHeapSnapshot"

typedef struct members {
    ubi_quickjs *tools;
    js_boundaries *out;
    uint32_t n; /* that are there */
    bool has_runtime, is_runtime;
    bool has_globals, are_all_globals;
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
    m->are_all_globals = m->are_all_globals && realm;
    if (status != UBI_OK)
        ubi__js_throw_status(ctx, status);
    return status == UBI_OK ? 0 : -1;
}

static int convert_globals(JSContext *ctx, members *m, JSValueConst value) {
    m->has_globals = m->are_all_globals = true;
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
    m->is_runtime = truth > 0;
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
        return m->is_runtime ? NULL : "the boundary runtime can only be true";
    if (m->has_globals) {
        if (m->n_globals == 0)
            return "the boundary globals must name at least one global object";
        return m->are_all_globals ? NULL : "the boundary globals names something that is no global object";
    }
    const ubi__js_debugger *debugger = ubi__js_opaque(m->out->debugger, UBI__JS_DEBUGGER);
    return debugger && debugger->observer ? NULL : "the boundary debugger is no Debugger";
}

/**
 * Reads { runtime: true }, { debugger: a Debugger } or { globals: [global, ...] }, exactly one of them. Members are read in
 * the order of the alphabet, as WebIDL has it. 0, or -1 having thrown; to be ended with boundaries_fini either way.
 */
static int boundaries_read(JSContext *ctx, js_boundaries *out, ubi_quickjs *tools, JSValueConst value) {
    members m = { .tools = tools, .out = out };
    *out = (js_boundaries){ .debugger = JS_UNDEFINED };
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

static void boundaries_fini(JSContext *ctx, js_boundaries *boundaries) {
    ubi_quickjs_scope_free(boundaries->globals);
    JS_FreeValue(ctx, boundaries->debugger);
    *boundaries = (js_boundaries){ .debugger = JS_UNDEFINED };
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/** A path argument, to be freed with JS_FreeCString; NULL having thrown. */
static const char *path_of(JSContext *ctx, JSValueConst value) {
    size_t len;
    JSValue string = ubi__js_to_string(ctx, value);
    if (JS_IsException(string))
        return NULL;
    const char *path = JS_ToCStringLen(ctx, &len, string);
    JS_FreeValue(ctx, string);
    if (path && (len == 0 || strlen(path) != len)) {
        ubi__js_throw_result(ctx, UBI__JS_FILE_UNRECOGNIZED_PATH,
                             len ? "a path cannot contain U+0000" : "the path is empty");
        JS_FreeCString(ctx, path);
        path = NULL;
    }
    return path;
}

static ubi__js_result result_of_errno(int number) {
    switch (number) {
    case ENOENT:
    case ENOTDIR:
        return UBI__JS_FILE_NOT_FOUND;
    case EACCES:
    case EPERM:
        return UBI__JS_FILE_ACCESS_DENIED;
    default:
        return UBI__JS_FAILURE;
    }
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/** What cannot be opened is distinguished here, where errno is still known. 0, or -1 having thrown. */
static int check_readable(JSContext *ctx, const char *path) {
    if (access(path, R_OK) == 0)
        return 0;
    int number = errno;
    ubi__js_throw_result(ctx, result_of_errno(number), "%s: %s", path, strerror(number));
    return -1;
}

static JSValue read_path(JSContext *ctx, const char *path) {
    const ubi_allocator *allocator = ubi__js_realm_of(ctx)->allocator;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = ubi__js_threads(allocator);
    ubi_graph *graph;
    if (check_readable(ctx, path))
        return JS_EXCEPTION;
    ubi_status status = ubi_graph_read_path(&graph, path, &options, NULL);
    return status == UBI_OK ? ubi__heap_snapshot_new(ctx, allocator, graph)
                            : ubi__js_throw_failure(ctx, status, UBI__JS_UNEXPECTED);
}

JSValue ubi__js_read_heap_snapshot(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    if (ubi__js_require_arguments(ctx, argc, 1, "readHeapSnapshot"))
        return JS_EXCEPTION;
    const char *path = path_of(ctx, argv[0]);
    if (!path)
        return JS_EXCEPTION;
    /* "-" is a file like any other here; a script has its own ways to standard input. */
    JSValue snapshot = read_path(ctx, strcmp(path, "-") == 0 ? "./-" : path);
    JS_FreeCString(ctx, path);
    return snapshot;
}

#define MOST_NAMES 100000

/* ---- a name for a new file --------------------------------------------------------------------------------------- */

/**
 * The n-th name for a file in the folder for temporary files, as Firefox names them: milliseconds since the start of the
 * process, then "-1", "-2", ... 0, or -1 having thrown.
 */
static int name_file(JSContext *ctx, char path[PATH_MAX], unsigned long long ms, unsigned n) {
    const char *folder = getenv("TMPDIR");
    char number[16] = "";
    if (!folder || !*folder)
        folder = "/tmp";
    if (n)
        snprintf(number, sizeof number, "-%u", n);
    if (snprintf(path, PATH_MAX, "%s/%llu%s.fxsnapshot", folder, ms, number) < PATH_MAX)
        return 0;
    ubi__js_throw_result(ctx, result_of_errno(ENAMETOOLONG), "%s: %s", path, strerror(ENAMETOOLONG));
    return -1;
}

/* ---- saving ------------------------------------------------------------------------------------------------------ */

static ubi_status save_as(ubi_quickjs *tools, const ubi_target_scope *part, const char *path, bool is_new) {
    const ubi_allocator *allocator = ubi__tools_allocator(tools);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = ubi__js_threads(allocator);
    options.is_new_and_private = is_new;
    return ubi_target_save(ubi_quickjs_target(tools), part, path, &options, NULL);
}

static JSValue snapshot_answer(JSContext *ctx, ubi_status status, const char *path) {
    if (status == UBI_OK)
        return JS_NewString(ctx, path);
    return status == UBI_ENOMEM ? JS_ThrowOutOfMemory(ctx)
                                : ubi__js_throw_result(ctx, UBI__JS_FAILURE, "%s: %s", path, ubi_error_message());
}

static JSValue save_to(JSContext *ctx, ubi_quickjs *tools, const ubi_target_scope *part, const char *path) {
    return snapshot_answer(ctx, save_as(tools, part, path, false), path);
}

static bool is_taken(const char *path) {
    struct stat there;
    return lstat(path, &there) == 0;
}

/* The name appears when the file is complete: a process that ends meanwhile leaves no empty file. */
static JSValue save_to_new_file(JSContext *ctx, ubi_quickjs *tools, const ubi_target_scope *part) {
    unsigned long long ms = ubi_process_clock_ns() / 1000000;
    char path[PATH_MAX];
    for (unsigned n = 0;; n++) {
        if (name_file(ctx, path, ms, n))
            return JS_EXCEPTION;
        if (is_taken(path) && n < MOST_NAMES) /* a save costs much more than a look */
            continue;
        ubi_status status = save_as(tools, part, path, true);
        if (status != UBI_EBUSY || !is_taken(path) || n >= MOST_NAMES)
            return snapshot_answer(ctx, status, path);
    }
}

/** `path`: undefined for a new file. */
static JSValue snapshot_save(JSContext *ctx, ubi_quickjs *tools, const ubi_target_scope *part,
                             JSValueConst path_value) {
    if (JS_IsUndefined(path_value))
        return save_to_new_file(ctx, tools, part);
    const char *path = path_of(ctx, path_value);
    if (!path)
        return JS_EXCEPTION;
    JSValue result = strcmp(path, "-") == 0 ? save_to(ctx, tools, part, "./-") : save_to(ctx, tools, part, path);
    JS_FreeCString(ctx, path);
    return result;
}

JSValue ubi__js_save_heap_snapshot(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value;
    ubi__js_realm *realm = ubi__js_realm_of(ctx);
    js_boundaries boundaries;
    if (!ubi__js_tools_attached(ctx, realm))
        return JS_EXCEPTION;
    JSValue path = JS_UNDEFINED, result = JS_EXCEPTION;
    int failed = boundaries_read(ctx, &boundaries, realm->tools, argc > 0 ? argv[0] : JS_UNDEFINED);
    if (!failed && argc > 1 && !JS_IsUndefined(argv[1]))
        path = ubi__js_to_string(ctx, argv[1]); /* before the heap is looked at: this may run code */
    if (!failed && !JS_IsException(path) && ubi__js_tools_attached(ctx, realm))
        result = snapshot_save(ctx, realm->tools, boundaries.part, path);
    JS_FreeValue(ctx, path);
    boundaries_fini(ctx, &boundaries);
    return result;
}
