/* SPDX-License-Identifier: MIT
 *
 * runtime_for_tests.h: a runtime with tools, scripts in C strings, and the self-checks of a walk.
 */
#ifndef UBI_QUICKJS_RUNTIME_FOR_TESTS_H
#define UBI_QUICKJS_RUNTIME_FOR_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/extension/quickjs.h>

typedef struct test_runtime {
    JSRuntime *rt;
    JSContext *ctx;
    ubi_quickjs *tools;
} test_runtime;

static inline test_runtime test_runtime_new_with(const ubi_quickjs_options *options) {
    test_runtime t;
    t.rt = JS_NewRuntime();
    assert_non_null(t.rt);
    JS_SetMaxStackSize(t.rt, 4 << 20); /* frames are large under a sanitizer */
    t.ctx = JS_NewContext(t.rt);
    assert_non_null(t.ctx);
    assert_int_equal(ubi_quickjs_attach(&t.tools, t.rt, options), UBI_OK);
    return t;
}
static inline test_runtime test_runtime_new(void) {
    return test_runtime_new_with(NULL);
}
static inline void test_runtime_free(test_runtime *t) {
    ubi_quickjs_detach(t->tools);
    JS_FreeContext(t->ctx);
    JS_FreeRuntime(t->rt);
}

/* The value of a script; what it throws fails the test. */
static inline JSValue test_eval_as(JSContext *ctx, const char *script, int flags) {
    JSValue value = JS_Eval(ctx, script, strlen(script), "test.js", flags);
    if (JS_IsException(value)) {
        JSValue error = JS_GetException(ctx);
        const char *text = JS_ToCString(ctx, error);
        print_error("script failed: %s\n", text ? text : "?");
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, error);
        fail();
    }
    return value;
}
static inline void test_run(JSContext *ctx, const char *script) {
    JS_FreeValue(ctx, test_eval_as(ctx, script, JS_EVAL_TYPE_GLOBAL));
}
static inline void test_run_jobs(JSRuntime *rt, int most) {
    JSContext *ctx;
    while (most-- > 0 && JS_ExecutePendingJob(rt, &ctx) > 0) {
    }
}

/* What must hold of every heap: nothing is counted more often than it is referred to. */
static inline ubi_quickjs_coverage test_coverage(const test_runtime *t) {
    ubi_quickjs_coverage c;
    assert_int_equal(ubi_quickjs_measure_coverage(t->tools, &c), UBI_OK);
    assert_int_equal(c.overcounts, 0);
    assert_true(c.size_bytes <= c.malloc_bytes);
    return c;
}
/*
 * And after a collection nothing is unreachable. What loses its last reference while cycles are freed, but was in none of
 * them, the engine frees with the next collection only: hence a few.
 */
static inline ubi_quickjs_coverage test_clean_coverage(const test_runtime *t) {
    JS_RunGC(t->rt);
    ubi_quickjs_coverage c = test_coverage(t);
    for (int i = 0; i < 3 && c.unreachable_count; i++) {
        JS_RunGC(t->rt);
        c = test_coverage(t);
    }
    assert_int_equal(c.unreachable_count, 0);
    assert_int_equal(c.unreachable_bytes, 0);
    return c;
}

#endif
