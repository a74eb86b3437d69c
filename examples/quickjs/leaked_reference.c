/* SPDX-License-Identifier: MIT
 *
 * leaked_reference.c: a program that embeds QuickJS and forgets to release a value, and the report that names it.
 *
 *     leaked_reference [--stacks]
 *
 * The bug is in set_handler. Compiled with ubiheap/extension/quickjs_references.h in front, so that --stacks can show it.
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/extension/quickjs_leaks.h>

static const char script[] = "onMessage(function first(message) { return message + '!'; });\n"
                             "onMessage(function second(message) { return message + '?'; });\n";

static JSValue handler;

static JSValue set_handler(JSContext *context, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    handler = JS_DupValue(context, argv[0]); /* the handler before this one is never released */
    return JS_UNDEFINED;
}

static void call_handler(JSContext *context, const char *text) {
    JSValue message = JS_NewString(context, text);
    JSValue answer = JS_Call(context, handler, JS_UNDEFINED, 1, (JSValueConst *)&message);
    const char *words = JS_ToCString(context, answer);
    printf("%s\n", words ? words : "(an exception)");
    JS_FreeCString(context, words);
    JS_FreeValue(context, answer);
    JS_FreeValue(context, message);
}

int main(int argc, char **argv) {
    ubi_quickjs_leak_options options = UBI_QUICKJS_LEAK_OPTIONS_INIT;
    options.with_references = argc > 1 && strcmp(argv[1], "--stacks") == 0;
    JSRuntime *runtime = JS_NewRuntime();
    if (ubi_quickjs_report_leaks(runtime, &options) != UBI_OK) {
        fprintf(stderr, "leaked_reference: %s\n", ubi_error_message());
        return 4;
    }
    JSContext *context = JS_NewContext(runtime);
    JSValue global = JS_GetGlobalObject(context);
    handler = JS_UNDEFINED;
    JS_SetPropertyStr(context, global, "onMessage", JS_NewCFunction(context, set_handler, "onMessage", 1));
    JS_FreeValue(context, JS_Eval(context, script, strlen(script), "app.js", JS_EVAL_TYPE_GLOBAL));
    call_handler(context, "hello");
    JS_FreeValue(context, handler);
    JS_FreeValue(context, global);
    JS_FreeContext(context);
    fflush(stdout);          /* an engine with its assertions aborts below */
    JS_FreeRuntime(runtime); /* the report is written here */
    return 0;
}
