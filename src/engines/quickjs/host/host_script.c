/* SPDX-License-Identifier: MIT
 *
 * host_script.c: the global functions that scripts find, besides console and timers; reading a script and running it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/quickjs/host/host_libc.h"
#include "engines/quickjs/host/host_state.h"

/* ---- globals ----------------------------------------------------------------------------------------------------- */

static uint64_t started_us; /* when the first host began: where performance.now counts from */

static JSValue collect_garbage(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    (void)n;
    (void)arguments;
    JS_RunGC(JS_GetRuntime(realm));
    return JS_UNDEFINED;
}

static JSValue performance_now(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    (void)n;
    (void)arguments;
    return JS_NewFloat64(realm, (double)(ubi__host_clock_us() - started_us) / 1000);
}

static JSValue run_microtask(JSContext *realm, int n, JSValueConst *arguments) {
    int64_t registered = 0;
    (void)n;
    JS_ToInt64(realm, &registered, arguments[1]);
    ubi_quickjs_timeline_cause(ubi__host_here->tools, "queueMicrotask callback", (ubi_quickjs_async)registered);
    JSValue result = JS_Call(realm, arguments[0], JS_UNDEFINED, 0, NULL);
    ubi_quickjs_timeline_cause(ubi__host_here->tools, NULL, 0);
    return result;
}

static JSValue queue_microtask(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    if (n < 1 || !JS_IsFunction(realm, arguments[0]))
        return JS_ThrowTypeError(realm, "queueMicrotask: the argument must be a function");
    int64_t registered = (int64_t)ubi_quickjs_timeline_register(ubi__host_here->tools);
    JSValueConst job[] = { arguments[0], JS_NewInt64(realm, registered) };
    return JS_EnqueueJob(realm, run_microtask, 2, job) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* The global object of a new realm, which lives as long as something leads to it. */
static JSValue new_global(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments) {
    (void)self;
    (void)n;
    (void)arguments;
    JSContext *other = ubi__host_new_realm(JS_GetRuntime(realm));
    if (!other)
        return JS_ThrowOutOfMemory(realm);
    JSValue global = JS_GetGlobalObject(other);
    JS_FreeContext(other);
    return global;
}

static int add_performance(JSContext *realm, JSValueConst global) {
    static const JSCFunctionListEntry functions[] = { JS_CFUNC_DEF("now", 0, performance_now) };
    JSValue performance = JS_NewObject(realm);
    if (JS_IsException(performance))
        return -1;
    JS_SetPropertyFunctionList(realm, performance, functions, 1);
    return JS_DefinePropertyValueStr(realm, global, "performance", performance,
                                     JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE);
}

/* An engine may have some of them; those of the tools come instead, and a lazy property is never defined twice. */
static void add_functions(JSContext *realm, JSValueConst object, const JSCFunctionListEntry *functions, int n) {
    for (int i = 0; i < n; i++) {
        JSAtom name = JS_NewAtom(realm, functions[i].name);
        JS_DeleteProperty(realm, object, name, 0);
        JS_FreeAtom(realm, name);
    }
    JS_SetPropertyFunctionList(realm, object, functions, n);
}

static int add_all(ubi__host *host, JSContext *realm, JSValueConst global) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("gc", 0, collect_garbage),
        JS_CFUNC_DEF("queueMicrotask", 1, queue_microtask),
    };
    static const JSCFunctionListEntry debugging[] = { JS_CFUNC_DEF("newGlobal", 0, new_global) };
    add_functions(realm, global, functions, sizeof functions / sizeof *functions);
    if (ubi__console_add_global(realm, global) < 0 || ubi__timers_add_globals(realm, global) < 0 ||
        add_performance(realm, global) < 0)
        return -1;
    /* Those that newGlobal makes are there to be debuggees. */
    if (!host->options->with_debugger || host->realms > 0)
        return 0;
    JS_SetPropertyFunctionList(realm, global, debugging, 1);
    return ubi_quickjs_add_debugger(host->tools, realm);
}

int ubi__host_add_globals(ubi__host *host, JSContext *realm) {
    const ubi__script_options *o = host->options;
    if (host->number == 0 && started_us == 0)
        started_us = ubi__host_clock_us();
    if (host->number == 0)
        ubi__libc_add_helpers(realm, o->n_arguments, o->arguments);
    else
        ubi__libc_add_helpers(realm, -1, NULL);
    JSValue global = JS_GetGlobalObject(realm);
    int result = add_all(host, realm, global);
    JS_FreeValue(realm, global);
    return result;
}

/* ---- the script -------------------------------------------------------------------------------------------------- */

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static ubi_status fail_errno(const char *what) {
    return ubi_error(UBI_EIO, "cannot %s: %s", what, strerror(errno));
}

/* Room for one more byte, at least. */
static ubi_status make_room(char **text, size_t n, size_t *capacity) {
    if (n + 1 < *capacity)
        return UBI_OK;
    size_t larger = *capacity ? *capacity * 2 : 1 << 16;
    char *moved = realloc(*text, larger);
    if (!moved)
        return ubi_error(UBI_ENOMEM, "out of memory");
    *text = moved;
    *capacity = larger;
    return UBI_OK;
}

static ubi_status read_all(char **text, size_t *n, int fd) {
    size_t capacity = 0;
    *text = NULL;
    *n = 0;
    for (;;) {
        ubi_status status = make_room(text, *n, &capacity);
        if (status != UBI_OK)
            return status;
        ssize_t got = read(fd, *text + *n, capacity - *n - 1);
        if (got < 0 && errno != EINTR)
            return fail_errno("read");
        if (got == 0)
            break;
        *n += got > 0 ? (size_t)got : 0;
    }
    (*text)[*n] = '\0';
    return UBI_OK;
}

ubi_status ubi__host_read_script(char **text, size_t *n, const char *path) {
    bool standard_input = strcmp(path, "-") == 0;
    int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno("open");
    char *read_text;
    size_t length;
    ubi_status status = read_all(&read_text, &length, fd);
    if (!standard_input)
        close(fd);
    if (status != UBI_OK) {
        free(read_text);
        return status;
    }
    *text = read_text;
    *n = length;
    return UBI_OK;
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

static bool has_suffix(const char *text, const char *suffix) {
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* After white space and comments, and the line that names an interpreter. */
static const char *begin_of_code(const char *at, const char *end) {
    if (end - at >= 2 && at[0] == '#' && at[1] == '!')
        while (at < end && *at != '\n')
            at++;
    while (at < end) {
        if (strchr(" \t\n\v\f\r", *at) && *at) {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n')
                at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            const char *close = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
            at = close ? close + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

static const char *skip_word(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(end - at) < n || memcmp(at, word, n) != 0)
        return NULL;
    at += n;
    bool continues = at < end && (isalnum((unsigned char)*at) || strchr("_$\\", *at) || (unsigned char)*at >= 0x80);
    return continues ? NULL : at;
}

/* Engines say it by other rules each; one of them calls every script a module that could be one. */
static bool looks_like_module(const char *text, size_t n) {
    const char *end = text + n, *at = begin_of_code(text, end), *after = skip_word(at, end, "import");
    if (!after)
        return skip_word(at, end, "export") != NULL;
    at = begin_of_code(after, end);
    return at == end || (*at != '(' && *at != '.'); /* not an expression */
}

static bool is_module(const ubi__script_options *o, const char *text, size_t n, const char *path) {
    if (o->kind != UBI__SCRIPT_DETECT || o->must_print)
        return o->kind == UBI__SCRIPT_MODULE;
    return (!o->code && has_suffix(path, ".mjs")) || looks_like_module(text, n);
}

/* A module needs its import.meta before it runs. */
static JSValue run_module(JSContext *realm, const char *text, size_t n, const char *name, bool is_file) {
    JSValue module = JS_Eval(realm, text, n, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(module))
        return module;
    if (js_module_set_import_meta(realm, module, is_file, 1) < 0) {
        JS_FreeValue(realm, module);
        return JS_EXCEPTION;
    }
    return JS_EvalFunction(realm, module);
}

static bool script_settle(ubi__host *host, JSContext *realm, JSValue result) {
    bool threw = JS_IsException(result);
    if (threw)
        ubi__host_report(host, realm);
    JS_FreeValue(realm, result);
    return !threw;
}

static bool module_settle(ubi__host *host, JSContext *realm, JSValue result) {
    if (JS_IsException(result))
        return script_settle(host, realm, result);
    ubi__host_expect(host, realm, result);
    return true;
}

/* In a script, which cannot import them before it runs. */
static bool add_std_globals(ubi__host *host, JSContext *realm) {
    static const char text[] = "import * as std from 'std'; import * as os from 'os';"
                               "globalThis.std = std; globalThis.os = os;";
    return module_settle(host, realm, run_module(realm, text, sizeof text - 1, "<std>", false));
}

static bool run_code(ubi__host *host, JSContext *realm, const char *text, size_t n, const char *name) {
    bool is_async;
    JSValue result = ubi__host_run_code(realm, &is_async, text, n, name);
    if (host->options->must_print)
        result = ubi__host_print_result(realm, result, is_async);
    return is_async ? module_settle(host, realm, result) : script_settle(host, realm, result);
}

bool ubi__host_evaluate(ubi__host *host, JSContext *realm, const char *text, size_t n, const char *path) {
    const ubi__script_options *o = host->options;
    bool is_file = !o->code && strcmp(path, "-") != 0;
    const char *name = o->code ? "<cmdline>" : is_file ? path : "<stdin>";
    if (o->with_std_globals && !add_std_globals(host, realm))
        return false;
    if (is_module(o, text, n, path))
        return module_settle(host, realm, run_module(realm, text, n, name, is_file));
    if (o->code || o->must_print)
        return run_code(host, realm, text, n, name);
    return script_settle(host, realm, JS_Eval(realm, text, n, name, JS_EVAL_TYPE_GLOBAL));
}
