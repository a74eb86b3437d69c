/* SPDX-License-Identifier: MIT
 *
 * host_errors.c: what nobody caught, on standard error.
 */
#include <stdio.h>
#include <string.h>

#include "engines/quickjs/host/host_libc.h"
#include "engines/quickjs/host/host_state.h"

static void print_value(JSContext *realm, JSValueConst value) {
    const char *text = JS_ToCString(realm, value);
    if (!text)
        JS_FreeValue(realm, JS_GetException(realm));
    fprintf(stderr, "%s\n", text ? text : "[exception]");
    JS_FreeCString(realm, text);
}

/* The stack of an error ends in a newline, unless it is empty. */
static void print_stack(JSContext *realm, JSValueConst error) {
    JSValue stack = JS_GetPropertyStr(realm, error, "stack");
    const char *text = JS_IsString(stack) ? JS_ToCString(realm, stack) : NULL;
    if (text && text[0])
        fprintf(stderr, "%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
    JS_FreeCString(realm, text);
    JS_FreeValue(realm, stack);
}

/* `what` comes before it. */
static void print_error(JSContext *realm, const char *what, JSValueConst error) {
    /* In the order in which things happened, where both streams are one. */
    ubi__host_flush_output();
    flockfile(stderr);
    fputs(what, stderr);
    print_value(realm, error);
    if (JS_IsError(realm, error))
        print_stack(realm, error);
    funlockfile(stderr);
}

static void print_line(const char *line) {
    ubi__host_flush_output();
    fprintf(stderr, "%s\n", line);
}

/* A worker's end does not end the program, but shows in its exit code. */
static void error_line_fail(ubi__host *host) {
    host->failed = true;
    if (host->number > 0)
        ubi__host_note_failure();
}

void ubi__host_report(ubi__host *host, JSContext *realm) {
    JSValue exception = JS_GetException(realm);
    /* The script is at its end: what it may use no more is there for its last words. */
    JS_SetMemoryLimit(host->runtime, (size_t)-1);
    /* Where memory is too short for an error to be made, null is thrown. */
    if (JS_IsNull(exception) && host->ran_out)
        print_line("InternalError: out of memory");
    else
        print_error(realm, JS_IsError(realm, exception) ? "" : "Uncaught: ", exception);
    JS_FreeValue(realm, exception);
    error_line_fail(host);
}

void ubi__host_report_rejection(ubi__host *host, JSContext *realm, JSValueConst reason) {
    print_error(realm, "Unhandled promise rejection: ", reason);
    error_line_fail(host);
}

void ubi__libc_report(JSContext *realm) {
    ubi__host_report(ubi__host_here, realm);
}
