/* SPDX-License-Identifier: MIT
 *
 * What is held from outside of the heap, in running functions of all kinds.
 */
#include "engines/quickjs/walk_for_tests.h"

static char roots[TEST_EDGES_TEXT_BYTES];
static const test_runtime *tested;

/* observe(...): the names of the root list's edges, at this moment. */
static JSValue observe(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv) {
    (void)ctx, (void)this_val, (void)argc, (void)argv;
    test_walk w;
    test_freeze(&w, tested, NULL);
    snprintf(roots, sizeof roots, "%s", test_edges_of_node(&w, w.heap.root));
    test_thaw(&w);
    test_coverage(tested);
    return JS_UNDEFINED;
}

static test_runtime new_runtime(void) {
    test_runtime t = test_runtime_new();
    JSValue global = JS_GetGlobalObject(t.ctx);
    JS_SetPropertyStr(t.ctx, global, "observe", JS_NewCFunction(t.ctx, observe, "observe", 1));
    JS_FreeValue(t.ctx, global);
    return t;
}

static void run(test_runtime *t, const char *script) {
    tested = t;
    roots[0] = '\0';
    test_run(t->ctx, script);
    test_run_jobs(t->rt, 1000);
}

static bool has_root(const char *root) {
    const char *at = strstr(roots, root);
    if (!at)
        print_error("no root \"%s\" in: %s\n", root, roots);
    return at != NULL;
}

static void at_rest_only_the_program_s_own_handles_are_roots(void **state) {
    (void)state;
    test_runtime t = new_runtime();
    JSValue none = JS_UNDEFINED;
    test_run(t.ctx, "globalThis.kept = { a: [1, 'text'], f() { return kept; } };");
    JS_RunGC(t.rt);
    tested = &t;
    observe(t.ctx, none, 0, NULL);
    assert_string_equal(roots, "runtime:JSRuntime native handle:JSContext");
    JSValue handle = test_eval_as(t.ctx, "kept.a", JS_EVAL_TYPE_GLOBAL);
    observe(t.ctx, none, 0, NULL);
    assert_true(has_root("native handle:Array"));
    JS_FreeValue(t.ctx, handle);
    test_runtime_free(&t);
}

static void variables_of_running_functions_are_named(void **state) {
    (void)state;
    test_runtime t = new_runtime();
    run(&t, "function inner(first) { const local = { l: 1 }; let text = 'x'.repeat(99); observe({ argument: 1 }); }\n"
            "function outer() { const held = [1]; inner({ passed: 1 }); return held; }\n"
            "outer();");
    assert_true(has_root("stack: inner: local:Object"));
    assert_true(has_root("stack: inner: text:JSString"));
    assert_true(has_root("stack: inner: first:Object"));
    assert_true(has_root("stack: outer: held:Array"));
    assert_true(has_root("stack: observe: argument 0:Object"));
    test_runtime_free(&t);
}

static void what_is_only_an_operand_is_a_root_too(void **state) {
    (void)state;
    test_runtime t = new_runtime();
    run(&t, "(function () { return [{ operand: 1 }, new Map(), observe()]; })();");
    assert_true(has_root("native handle:Object"));
    assert_true(has_root("native handle:Map"));
    test_runtime_free(&t);
}

static void running_coroutines_hold_their_variables(void **state) {
    (void)state;
    test_runtime t = new_runtime();
    run(&t, "function* g(a) { const mine = { m: 1 }; observe(); yield mine; }\n"
            "g({ a: 1 }).next();");
    assert_true(has_root("stack: g: mine:Object"));
    assert_true(has_root("stack: g: a:Object"));
    run(&t, "async function w(a) { const mine = [1]; await null; observe(); return mine; }\n"
            "w({ a: 1 });");
    assert_true(has_root("stack: w: mine:Array"));
    run(&t, "async function* s(a) { const mine = new Set(); await null; observe(); yield mine; }\n"
            "s({}).next();");
    assert_true(has_root("stack: s: mine:Set"));
    test_runtime_free(&t);
}

static void garbage_in_cycles_is_unreachable_until_it_is_collected(void **state) {
    (void)state;
    test_runtime t = new_runtime();
    JS_RunGC(t.rt);
    assert_int_equal(test_coverage(&t).unreachable_count, 0);
    test_run(t.ctx, "for (let i = 0; i < 100; i++) { const a = {}; const b = { a }; a.b = b; }");
    ubi_quickjs_coverage c = test_coverage(&t);
    assert_true(c.unreachable_count >= 200 && c.unreachable_count <= 210);
    assert_true(c.unreachable_bytes > 200 * 72);
    test_clean_coverage(&t);
    test_runtime_free(&t);
}

static void exceptions_and_jobs_are_held_by_the_runtime(void **state) {
    (void)state;
    test_runtime t = new_runtime();
    test_walk w;
    test_run(t.ctx, "Promise.resolve({ value: 1 }).then(v => v);");
    JS_Throw(t.ctx, test_eval_as(t.ctx, "[1]", JS_EVAL_TYPE_GLOBAL));
    test_freeze(&w, &t, NULL);
    ubi_node runtime = test_follow(w.heap.root, "runtime");
    assert_true(ubi_node_id(test_follow(runtime, "exception")) != 0);
    assert_string_equal(ubi_node_class_name(test_follow(runtime, "exception")).ptr, "Array");
    assert_string_equal(ubi_node_class_name(test_follow(runtime, "job argument 2")).ptr, "Function");
    test_thaw(&w);
    test_run_jobs(t.rt, 10);
    JS_FreeValue(t.ctx, JS_GetException(t.ctx));
    test_runtime_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_only_the_program_s_own_handles_are_roots),
        cmocka_unit_test(variables_of_running_functions_are_named),
        cmocka_unit_test(what_is_only_an_operand_is_a_root_too),
        cmocka_unit_test(running_coroutines_hold_their_variables),
        cmocka_unit_test(garbage_in_cycles_is_unreachable_until_it_is_collected),
        cmocka_unit_test(exceptions_and_jobs_are_held_by_the_runtime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
