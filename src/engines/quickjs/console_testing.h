/* SPDX-License-Identifier: MIT
 *
 * console_testing.h: for tests: a runtime with a console that is listened to, and values as words.
 */
#ifndef UBI_QUICKJS_CONSOLE_TESTING_H
#define UBI_QUICKJS_CONSOLE_TESTING_H

#include <ubiheap/extension/console.h>

#include "engines/quickjs/tracking_testing.h"

typedef struct session {
    world w;
    ubi_console console;
    char heard[2000]; /* messages as lines */
} session;

static inline void append(session *s, const char *format, ...) {
    size_t n = strlen(s->heard);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->heard + n, sizeof s->heard - n, format, arguments);
    va_end(arguments);
}

/* ---- values as words ------------------------------------------------------------------------------------------------ */

static inline const char *words_of(const ubi_value *v) {
    static char words[4][300];
    static unsigned next;
    char *out = words[next++ % 4];
    switch (v->kind) {
    case UBI_VALUE_UNDEFINED:
        return "undefined";
    case UBI_VALUE_NULL:
        return "null";
    case UBI_VALUE_BOOLEAN:
        return v->is_true ? "true" : "false";
    case UBI_VALUE_NUMBER:
        snprintf(out, 300, "%g", v->number);
        return out;
    case UBI_VALUE_BIG_INT:
        snprintf(out, 300, "%.*sn", (int)v->text.len, v->text.ptr);
        return out;
    case UBI_VALUE_STRING:
        snprintf(out, 300, "'%.*s'", (int)v->text.len, v->text.ptr);
        return out;
    case UBI_VALUE_SYMBOL:
        snprintf(out, 300, "Symbol(%.*s)", (int)v->text.len, v->text.ptr);
        return out;
    case UBI_VALUE_OBJECT:
        return v->handle ? "object" : "object that is not held";
    }
    return "?";
}

static inline void hear(void *payload, const ubi_console_message *m) {
    session *s = payload;
    assert_true(m->time_ms > 1.6e12);
    append(s, "%d", (int)m->level);
    for (uint32_t i = 0; i < m->n_arguments; i++)
        append(s, " %s", words_of(&m->arguments[i]));
    if (m->text.ptr)
        append(s, " \"%.*s\"", (int)m->text.len, m->text.ptr);
    append(s, " %.*s:%u\n", (int)m->source.len, m->source.ptr ? m->source.ptr : "", m->line);
}

/* ---- a program's console -------------------------------------------------------------------------------------------- */

static inline JSValue say(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv, int level) {
    (void)self;
    ubi_quickjs_console_message(ubi_quickjs_of(JS_GetRuntime(ctx)), ctx, (ubi_console_level)level, argc, argv);
    return JS_UNDEFINED;
}

static inline void add_say(JSContext *ctx) {
    static const JSCFunctionListEntry functions[] = { JS_CFUNC_MAGIC_DEF("log", 0, say, UBI_CONSOLE_LOG),
                                                      JS_CFUNC_MAGIC_DEF("warn", 0, say, UBI_CONSOLE_WARN) };
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyFunctionList(ctx, global, functions, 2);
    JS_FreeValue(ctx, global);
}

static inline void session_open_with(session *s, const ubi_target_scope *scope) {
    const ubi_console_listener listener = { hear, s };
    assert_int_equal(ubi_target_open_console(&s->console, ubi_quickjs_target(s->w.tools), scope, &listener), UBI_OK);
}

static inline void session_open(session *s) {
    *s = (session){ .w = world_open(NULL) };
    add_say(s->w.ctx);
    session_open_with(s, NULL);
}

static inline void session_close(session *s) {
    ubi_console_close(s->console);
    world_close(&s->w);
}

static inline ubi_text text_of(const char *words) {
    return (ubi_text){ words, strlen(words) };
}

static inline ubi_evaluation evaluate(session *s, const char *code) {
    ubi_evaluation got = UBI_EVALUATION_INIT;
    assert_int_equal(ubi_console_evaluate(&got, s->console, text_of(code), false), UBI_OK);
    return got;
}

/* The handle of an object. */
static inline ubi_value_handle object_of(session *s, const char *code) {
    ubi_evaluation got = evaluate(s, code);
    if (got.has_thrown || got.value.kind != UBI_VALUE_OBJECT)
        fail_msg("%s is no object: %.*s", code, (int)got.message.len, got.message.ptr);
    return got.value.handle;
}

static inline ubi_object_description described(session *s, const char *code) {
    ubi_object_description o = UBI_OBJECT_DESCRIPTION_INIT;
    assert_int_equal(ubi_console_describe(&o, s->console, object_of(s, code)), UBI_OK);
    return o;
}

static inline void assert_text(ubi_text text, const char *expected) {
    if (!text.ptr || text.len != strlen(expected) || memcmp(text.ptr, expected, text.len) != 0)
        fail_msg("'%.*s' is not '%s'", (int)text.len, text.ptr ? text.ptr : "", expected);
}

#endif
