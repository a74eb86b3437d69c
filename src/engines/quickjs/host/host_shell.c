/* SPDX-License-Identifier: MIT
 *
 * host_shell.c: a program that is typed, text by text.
 *
 * `_` is the value of the last text that had one. A text with `await` at its top level is a promise: the shell waits for it as
 * for the end of the text. What it becomes after the user stopped waiting is of no interest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/host/host_inspect.h"
#include "engines/quickjs/host/host_state.h"
#include "engines/quickjs/js_complete.h"

typedef struct shell {
    ubi__host *host;
    JSContext *realm;
    int awaited;     /* number of the promise that is waited for */
    bool is_settled; /* that promise */
} shell;

/* The main program's, which is the only one that is typed. */
static shell the_shell;

/* ---- values ------------------------------------------------------------------------------------------------------- */

static void shell_show(JSContext *realm, JSValueConst value) {
    ubi__host_text text = { 0 };
    JSValue global = JS_GetGlobalObject(realm);
    if (JS_SetPropertyStr(realm, global, "_", JS_DupValue(realm, value)) < 0)
        ubi__inspect_forget(realm);
    JS_FreeValue(realm, global);
    ubi__inspect(&text, realm, value);
    ubi__host_text_puts(&text, "\n");
    fwrite(text.ptr, 1, text.ptr ? text.n : 0, stdout);
    ubi__host_text_fini(&text);
}

/* In a `magic`: the promise's number, and what it has become. */
enum { FULFILLED, REJECTED, NUMBER_SHIFT = 1, NUMBER_MASK = 0x3fff };

static JSValue shell_settle(JSContext *realm, JSValueConst self, int n, JSValueConst *arguments, int magic) {
    JSValueConst argument = n > 0 ? arguments[0] : JS_UNDEFINED;
    (void)self;
    if (magic >> NUMBER_SHIFT != the_shell.awaited || the_shell.is_settled)
        return JS_UNDEFINED;
    the_shell.is_settled = true;
    if (magic & REJECTED) {
        JS_Throw(realm, JS_DupValue(realm, argument));
        ubi__host_report(the_shell.host, realm);
        return JS_UNDEFINED;
    }
    JSValue value = ubi__host_awaited_value(realm, argument);
    if (JS_IsException(value))
        return value;
    shell_show(realm, value);
    JS_FreeValue(realm, value);
    return JS_UNDEFINED;
}

static JSValue shell_settler(JSContext *realm, int becomes) {
    return JS_NewCFunctionMagic(realm, shell_settle, "settle", 1, JS_CFUNC_generic_magic,
                                the_shell.awaited << NUMBER_SHIFT | becomes);
}

static bool shell_expect(shell *s, JSValueConst promise) {
    JSContext *realm = s->realm;
    s->awaited = (s->awaited + 1) & NUMBER_MASK;
    s->is_settled = false;
    JSValue fulfilled = shell_settler(realm, FULFILLED), rejected = shell_settler(realm, REJECTED);
    JSValue then = JS_EXCEPTION;
    if (!JS_IsException(fulfilled) && !JS_IsException(rejected))
        then = ubi__host_then(realm, promise, fulfilled, rejected);
    bool expects = !JS_IsException(then);
    JS_FreeValue(realm, then);
    JS_FreeValue(realm, fulfilled);
    JS_FreeValue(realm, rejected);
    return expects;
}

/* Without the rest of the loop, what could settle it is not there. */
static void shell_await(shell *s, JSValueConst promise) {
    if (!shell_expect(s, promise)) {
        ubi__host_report(s->host, s->realm);
        return;
    }
    if (!ubi__host_wait(s->host, s->realm, -1, &s->is_settled) && !s->is_settled) {
        ubi__host_flush_output();
        fputs("not settled: the promise that is awaited\n", stderr);
    }
    s->is_settled = true;
}

/* ---- texts -------------------------------------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* "{ a: 1 }" is meant to be an object, where it can be one. False: it is run as it is. */
static bool shell_run_object(shell *s, const char *text, size_t n, JSValue *result) {
    ubi__host_text wrapped = { 0 };
    while (n && is_space(text[n - 1]))
        n--;
    while (n && is_space(*text))
        text++, n--;
    if (n == 0 || *text != '{' || text[n - 1] != '}')
        return false;
    ubi__host_text_puts(&wrapped, "(");
    ubi__host_text_add(&wrapped, text, n);
    ubi__host_text_add(&wrapped, ")", 2); /* with its zero */
    JSValue object = wrapped.has_failed ? JS_UNDEFINED
                                        : JS_Eval(s->realm, wrapped.ptr, wrapped.n - 1, "<typed>",
                                                  JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    ubi__host_text_fini(&wrapped);
    if (JS_IsException(object))
        ubi__inspect_forget(s->realm);
    if (JS_IsException(object) || JS_IsUndefined(object))
        return false;
    *result = JS_EvalFunction(s->realm, object);
    return true;
}

/* After memory ran out: enough to type what lets go of it. */
#define ROOM_BYTES (256u << 10)

static void shell_limit(const ubi__host *host, bool with_room) {
    uint64_t limit_bytes = host->options->heap_limit_bytes;
    if (!limit_bytes || !host->has_run_out)
        return;
    if (with_room) {
        JS_RunGC(host->runtime);
        uint64_t least_bytes = ubi_quickjs_heap_bytes(host->tools) + ROOM_BYTES;
        limit_bytes = least_bytes > limit_bytes ? least_bytes : limit_bytes;
    }
    JS_SetMemoryLimit(host->runtime, limit_bytes);
}

static void shell_run(void *payload, const char *text, size_t n) {
    shell *s = payload;
    bool is_async = false;
    JSValue result;
    ubi__host_is_stopped(s->host, true);
    shell_limit(s->host, true);
    if (!shell_run_object(s, text, n, &result))
        result = ubi__host_run_code(s->realm, &is_async, text, n, "<typed>");
    if (JS_IsException(result))
        ubi__host_report(s->host, s->realm);
    else if (is_async)
        shell_await(s, result);
    else
        shell_show(s->realm, result);
    JS_FreeValue(s->realm, result);
    ubi__host_run_jobs(s->host);
    shell_limit(s->host, false);
    ubi__host_flush_output();
}

/* ---- between them -------------------------------------------------------------------------------------------------- */

static bool shell_wait(void *payload, int fd) {
    shell *s = payload;
    ubi__host_flush_output();
    bool comes = ubi__host_wait(s->host, s->realm, fd, NULL);
    ubi__host_flush_output();
    return comes;
}

/* Where names go. */
typedef struct name_reader {
    ubi_completion completion;
    ubi__script_name_fn found;
    void *payload;
} name_reader;

/* Who types gets the rest of a name: what differs in capitals alone is none. */
static void on_name(void *payload, ubi_text name) {
    const name_reader *r = payload;
    if (memcmp(name.ptr, r->completion.begin.ptr, r->completion.begin.len) == 0 && !r->completion.is_element_access)
        r->found(r->payload, name.ptr, name.len);
}

static size_t shell_complete(void *payload, const char *text, size_t n, ubi__script_name_fn found,
                             void *found_payload) {
    name_reader r = { .found = found, .payload = found_payload };
    ubi__js_complete(((shell *)payload)->realm, (ubi_text){ text, n }, on_name, &r, &r.completion);
    return r.completion.begin.len;
}

static void shell_collect(void *payload) {
    JS_RunGC(((shell *)payload)->host->runtime);
}

ubi__script_farewell ubi__host_converse(ubi__host *host, JSContext *realm) {
    static const ubi__script_shell_ops ops = {
        .run = shell_run, .wait = shell_wait, .complete = shell_complete, .collect = shell_collect
    };
    const ubi__script_hooks *hooks = &host->options->hooks;
    the_shell = (shell){ .host = host, .realm = realm };
    const ubi__script_shell for_hooks = { &ops, &the_shell, &host->for_hooks };
    return hooks->converse(hooks->payload, &for_hooks);
}
