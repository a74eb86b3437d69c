/* SPDX-License-Identifier: MIT
 *
 * Runtimes of several threads, each with tools, at the same time.
 */
#include <pthread.h>

#include "engines/quickjs/hook_counts.h"
#include "engines/quickjs/runtime_for_tests.h"

enum { THREADS = 4, TURNS = 6 };

static const char script[] = "globalThis.kept = [];\n"
                             "for (let i = 0; i < 500; i++) kept.push({ i, s: 's' + i, m: new Map([[i, {}]]) });\n"
                             "for (let i = 0; i < 500; i++) { const a = {}; a.a = a; }\n";

static void ignore_allocation(void *payload, uint64_t object_id) {
    (void)object_id;
    ++*(uint64_t *)payload;
}

/* Threads cannot fail a cmocka test: they return a text. */
static const char *live_once(JSRuntime *rt, JSContext *ctx, ubi_quickjs *tools) {
    ubi_quickjs_coverage c;
    uint64_t allocations = 0;
    if (ubi_quickjs_of(rt) != tools)
        return "another runtime's tools were found";
    if (ubi_quickjs_set_allocation_hook(tools, ctx, ignore_allocation, &allocations) != UBI_OK)
        return "no allocation hook";
    JS_FreeValue(ctx, JS_Eval(ctx, script, strlen(script), "thread.js", JS_EVAL_TYPE_GLOBAL));
    ubi_quickjs_set_allocation_hook(tools, ctx, NULL, NULL);
    JS_RunGC(rt);
    if (ubi_quickjs_measure_coverage(tools, &c) != UBI_OK || c.overcounts || c.unreachable_count || c.node_count < 1500)
        return "the walk is wrong";
    if (allocations < 2000)
        return "allocations were not told";
    return NULL;
}

static const char *live(void) {
    const char *fault = NULL;
    for (int i = 0; i < TURNS && !fault; i++) {
        JSRuntime *rt = JS_NewRuntime();
        JSContext *ctx = JS_NewContext(rt);
        ubi_quickjs *tools;
        if (ubi_quickjs_attach(&tools, rt, NULL) != UBI_OK)
            return "no tools";
        fault = live_once(rt, ctx, tools);
        ubi_quickjs_detach(tools);
        JS_FreeContext(ctx);
        JS_FreeRuntime(rt);
    }
    return fault;
}

static void *run(void *payload) {
    *(const char **)payload = live();
    return NULL;
}

static void runtimes_know_nothing_of_each_other(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    const char *faults[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run, &faults[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        if (faults[i])
            fail_msg("thread %d: %s", i, faults[i]);
    }
}

/* Two on one thread: hooks and walks are distinguished, also when both are frozen. */
static void runtimes_of_one_thread_are_distinguished(void **state) {
    (void)state;
    test_runtime a = test_runtime_new(), b = test_runtime_new();
    ubi_target target_a = ubi_quickjs_target(a.tools), target_b = ubi_quickjs_target(b.tools);
    ubi_frozen_heap heap_a, heap_b;
    assert_int_equal(target_a.ops->freeze(target_a.payload, NULL, &heap_a), UBI_OK);
    assert_int_equal(target_b.ops->freeze(target_b.payload, NULL, &heap_b), UBI_OK);
    assert_null(js_malloc_rt(b.rt, 16));
    assert_int_equal(target_a.ops->thaw(target_a.payload), UBI_OK);
    assert_int_equal(target_b.ops->thaw(target_b.payload), UBI_ESTATE);
    test_run(a.ctx, script);
    test_run(b.ctx, script);
    test_clean_coverage(&a);
    test_clean_coverage(&b);
    test_runtime_free(&a);
    test_run(b.ctx, script);
    test_clean_coverage(&b);
    test_runtime_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtimes_know_nothing_of_each_other),
        cmocka_unit_test(runtimes_of_one_thread_are_distinguished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
