/* SPDX-License-Identifier: MIT
 *
 * host_errors.c: uncaught errors, and rejected promises that nothing handles, on standard error.
 */
#include "engines/quickjs/host/host_rejections.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engines/quickjs/engine_api.h"
#include "engines/quickjs/host/host_libc.h"
#include "engines/quickjs/host/host_state.h"
#include "engines/quickjs/host/host_text.h"
#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/js_properties.h"

/* ---- rejections -------------------------------------------------------------------------------------------------- */

void ubi__rejections_track(JSContext *realm, JSValueConst promise, JSValueConst reason, ubi__js_bool is_handled,
                           void *host) {
    ubi__host_rejections *r = &((ubi__host *)host)->rejections;
    if (!is_handled && ubi__is_uncatchable(reason)) /* someone has stopped it: no failure of the program */
        return;
    if (r->n == r->capacity) {
        size_t capacity = r->capacity ? r->capacity * 2 : 8;
        ubi__host_rejection *at = realloc(r->at, capacity * sizeof *at);
        if (!at)
            return; /* one that is not reported */
        r->at = at;
        r->capacity = capacity;
    }
    r->at[r->n] = (ubi__host_rejection){ JS_DupContext(realm), JS_DupValue(realm, promise), JS_DupValue(realm, reason),
                                         is_handled, r->n };
    r->n++;
}

static int by_promise_and_order(const void *a, const void *b) {
    const ubi__host_rejection *x = a, *y = b;
    uintptr_t p = (uintptr_t)JS_VALUE_GET_PTR(x->promise), q = (uintptr_t)JS_VALUE_GET_PTR(y->promise);
    return p != q ? (p > q) - (p < q) : (x->order > y->order) - (x->order < y->order);
}

/* The oldest of the promises about which the last word is a rejection; `r` is sorted. */
static ubi__host_rejection *oldest_rejection(ubi__host_rejections *r) {
    ubi__host_rejection *found = NULL;
    for (size_t i = 0; i < r->n; i++) {
        ubi__host_rejection *last = &r->at[i];
        bool is_last = i + 1 == r->n || JS_VALUE_GET_PTR(last[1].promise) != JS_VALUE_GET_PTR(last->promise);
        if (is_last && !last->is_handled && (!found || last->order < found->order))
            found = last;
    }
    return found;
}

void ubi__rejection_free(ubi__host_rejection *rejection) {
    JS_FreeValue(rejection->realm, rejection->promise);
    JS_FreeValue(rejection->realm, rejection->reason);
    JS_FreeContext(rejection->realm);
}

bool ubi__rejections_settle(ubi__host_rejections *r, ubi__host_rejection *out) {
    if (r->n == 0)
        return false;
    qsort(r->at, r->n, sizeof *r->at, by_promise_and_order);
    ubi__host_rejection *found = oldest_rejection(r);
    bool any = found != NULL;
    if (any) {
        *out = *found; /* with its references */
        *found = r->at[--r->n];
    }
    ubi__rejections_fini(r);
    return any;
}

void ubi__rejections_fini(ubi__host_rejections *r) {
    for (size_t i = 0; i < r->n; i++)
        ubi__rejection_free(&r->at[i]);
    free(r->at);
    *r = (ubi__host_rejections){ 0 };
}

/* ---- what is printed --------------------------------------------------------------------------------------------- */

#define OUT_OF_MEMORY "InternalError: out of memory"

/*
 * Where memory is too short for an error to be made, null is thrown. Where it is too short for the name of a property, newer engines fail
 * and throw nothing.
 */
static bool is_lack_of_memory(const ubi__host *host, JSValueConst thrown) {
    return (JS_IsNull(thrown) && host->has_run_out) || JS_IsUninitialized(thrown);
}

/* An error for whose message there was no memory cannot be made a text: the engine fails again, in the same way. */
static const char *unprintable_words(const ubi__host *host, JSContext *realm) {
    JSValue exception = JS_GetException(realm);
    const char *words = is_lack_of_memory(host, exception) ? OUT_OF_MEMORY : "[exception]";
    JS_FreeValue(realm, exception);
    return words;
}

static void print_value(JSContext *realm, JSValueConst value) {
    const char *text = JS_ToCString(realm, value);
    fprintf(stderr, "%s\n", text ? text : unprintable_words(ubi__host_here, realm));
    JS_FreeCString(realm, text);
}

static void print_stack(JSContext *realm, JSValueConst error) {
    ubi__host_text lines = { 0 };
    JSValue stack = JS_GetPropertyStr(realm, error, "stack");
    const char *text = JS_IsString(stack) ? JS_ToCString(realm, stack) : NULL;
    if (text)
        ubi__host_text_stack(&lines, text, strlen(text));
    if (lines.n)
        fprintf(stderr, "%.*s\n", (int)lines.n, lines.ptr);
    ubi__host_text_fini(&lines);
    JS_FreeCString(realm, text);
    JS_FreeValue(realm, stack);
}

/* Of an error, the error that it was made from, and so on: an error may be its own cause, so a few. */
static void print_causes(JSContext *realm, JSValueConst error) {
    enum { CAUSES_MAX = 8 };
    JSValue at = JS_DupValue(realm, error);
    for (int n = 0; n < CAUSES_MAX && ubi__is_error(realm, at); n++) {
        JSValue cause = ubi__js_own_value(realm, at, "cause");
        JS_FreeValue(realm, at);
        at = cause;
        if (JS_IsUndefined(at))
            break;
        fputs("caused by: ", stderr);
        print_value(realm, at);
        if (ubi__is_error(realm, at))
            print_stack(realm, at);
    }
    JS_FreeValue(realm, at);
}

/* `what` comes before it. */
static void print_error(JSContext *realm, const char *what, JSValueConst error) {
    /* In the order in which things happened, where both streams are one. */
    ubi__host_flush_output();
    flockfile(stderr);
    fputs(what, stderr);
    print_value(realm, error);
    if (ubi__is_error(realm, error)) {
        print_stack(realm, error);
        print_causes(realm, error);
    }
    funlockfile(stderr);
}

static void print_line(const char *what, const char *line) {
    ubi__host_flush_output();
    fprintf(stderr, "%s%s\n", what, line);
}

/* A worker's error ends the program, too. A program that is typed continues. */
static void error_line_fail(ubi__host *host) {
    host->has_failed = !host->is_shell;
    if (host->number > 0)
        ubi__host_note_failure();
}

/* `what` comes before it. The script is at its end: what it may use no more is there for its last words. */
static void host_report_thrown(ubi__host *host, JSContext *realm, const char *what, JSValueConst thrown) {
    JS_SetMemoryLimit(host->runtime, (size_t)-1);
    if (is_lack_of_memory(host, thrown))
        print_line(what, OUT_OF_MEMORY);
    else
        print_error(realm, what, thrown);
    ubi_quickjs_uncaught_error(host->tools, realm, thrown);
    error_line_fail(host);
    if (!host->has_failed && host->options->heap_limit_bytes)
        JS_SetMemoryLimit(host->runtime, host->options->heap_limit_bytes);
}

/* What an error of the program itself begins with: nothing, where that says what it is. */
static const char *uncaught_words(const ubi__host *host, JSContext *realm, JSValueConst thrown) {
    return ubi__is_error(realm, thrown) || is_lack_of_memory(host, thrown) ? "" : "Uncaught: ";
}

void ubi__host_report(ubi__host *host, JSContext *realm) {
    JSValue exception = JS_GetException(realm);
    host_report_thrown(host, realm, uncaught_words(host, realm, exception), exception);
    JS_FreeValue(realm, exception);
}

static bool value_is_same(JSValueConst a, JSValueConst b) {
    int tag = JS_VALUE_GET_NORM_TAG(a);
    if (tag != JS_VALUE_GET_NORM_TAG(b))
        return false;
    if (JS_VALUE_HAS_REF_COUNT(a))
        return JS_VALUE_GET_PTR(a) == JS_VALUE_GET_PTR(b);
    return JS_TAG_IS_FLOAT64(tag) ? JS_VALUE_GET_FLOAT64(a) == JS_VALUE_GET_FLOAT64(b)
                                  : JS_VALUE_GET_INT(a) == JS_VALUE_GET_INT(b);
}

/*
 * What a module does not catch is thrown in older engines. In newer ones it rejects the module's promise, and before that one
 * which only the engine knows.
 */
static bool rejection_is_of_program(const ubi__host *host, const ubi__host_rejection *rejection) {
#ifdef JS_EVAL_FLAG_ASYNC
    JSContext *realm = rejection->realm;
    if (!JS_IsObject(host->program) || JS_PromiseState(realm, host->program) != JS_PROMISE_REJECTED)
        return false;
    JSValue reason = JS_PromiseResult(realm, host->program);
    bool is_same = value_is_same(reason, rejection->reason);
    JS_FreeValue(realm, reason);
    return is_same;
#else
    (void)host;
    (void)rejection;
    (void)value_is_same;
    return false;
#endif
}

void ubi__host_report_rejection(ubi__host *host, const ubi__host_rejection *rejection) {
    const char *what = "Unhandled promise rejection: ";
    if (rejection_is_of_program(host, rejection))
        what = uncaught_words(host, rejection->realm, rejection->reason);
    host_report_thrown(host, rejection->realm, what, rejection->reason);
}

void ubi__host_expect(ubi__host *host, JSContext *realm, JSValue program) {
    JS_FreeValue(realm, host->program);
#ifdef JS_EVAL_FLAG_ASYNC /* the engine has promises for modules, and reports their state */
    bool may_fail = JS_IsObject(program) && JS_PromiseState(realm, program) != JS_PROMISE_FULFILLED;
#else
    bool may_fail = false;
#endif
    host->program = may_fail ? program : JS_UNDEFINED;
    if (!may_fail)
        JS_FreeValue(realm, program);
}

JSValue ubi__libc_await(JSContext *realm, JSValue program) {
    if (JS_IsException(program))
        return program;
    ubi__host_expect(ubi__host_here, realm, program);
    return JS_UNDEFINED;
}

void ubi__libc_report(JSContext *realm) {
    ubi__host_report(ubi__host_here, realm);
}
