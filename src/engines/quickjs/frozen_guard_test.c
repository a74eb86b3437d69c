/* SPDX-License-Identifier: MIT
 *
 * A frozen heap is touched, in each way there is; thaw says so, and the heap lives on.
 */
#include <string.h>

#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/walk_for_tests.h"

static ubi_quickjs *finalizer_tools;
static ubi_status finalizer_status, mark_status;

static bool no_edge(void *payload, ubi_node referent, ubi_text name) {
    (void)payload, (void)referent, (void)name;
    return true;
}

/* Every node is still there to be asked. */
static void visit_everything(const test_walk *w) {
    for (uint64_t ref = 0; ref <= w->heap.root.ref; ref++) {
        ubi_node_size_bytes(test_node(w, ref));
        ubi_node_class_name(test_node(w, ref));
        ubi_node_edges(test_node(w, ref), true, no_edge, NULL);
    }
}

static void assert_violation(test_walk *w, const test_runtime *t, const char *what) {
    char expected[128];
    visit_everything(w);
    snprintf(expected, sizeof expected, "the heap of a QuickJS runtime was frozen, but %s", what);
    assert_int_equal(w->target.ops->thaw(w->target.payload), UBI_ESTATE);
    assert_string_equal(ubi_error_message(), expected);
    JS_FreeValue(t->ctx, JS_GetException(t->ctx));
    test_run(t->ctx, "globalThis.still = { works: [1, 2, 3].map(x => ({ x })) };");
    test_clean_coverage(t);
}

static void an_untouched_heap_is_no_violation(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_freeze(&w, &t, NULL);
    visit_everything(&w);
    test_thaw(&w);
    test_runtime_free(&t);
}

static void an_allocation_fails(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_freeze(&w, &t, NULL);
    assert_null(js_malloc_rt(t.rt, 16));
    assert_violation(&w, &t, "memory was allocated on it");
    test_freeze(&w, &t, NULL);
    assert_true(JS_IsException(JS_NewObject(t.ctx)));
    assert_violation(&w, &t, "memory was allocated on it");
    test_runtime_free(&t);
}

static void a_free_waits(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    JSValue object = test_eval_as(t.ctx, "({ a: [{}, 'text'.repeat(3)], f() {} })", JS_EVAL_TYPE_GLOBAL);
    JSMemoryUsage before, after;
    JS_ComputeMemoryUsage(t.rt, &before);
    test_freeze(&w, &t, NULL);
    JS_FreeValue(t.ctx, object);
    assert_violation(&w, &t, "memory of it was freed");
    test_run(t.ctx, "delete globalThis.still");
    JS_ComputeMemoryUsage(t.rt, &after);
    assert_true(after.malloc_count < before.malloc_count);
    test_runtime_free(&t);
}

static void a_reallocation_fails_and_keeps_the_block(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    char *block = js_malloc_rt(t.rt, 4);
    memcpy(block, "abc", 4);
    test_freeze(&w, &t, NULL);
    assert_null(js_realloc_rt(t.rt, block, 4000));
    assert_violation(&w, &t, "memory was allocated on it");
    assert_string_equal(block, "abc");
    js_free_rt(t.rt, block);
    test_runtime_free(&t);
}

static void a_collection_does_not_start(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_run(t.ctx, "for (let i = 0; i < 10; i++) { const a = {}; a.a = a; }");
    test_freeze(&w, &t, NULL);
    JS_RunGC(t.rt);
    assert_violation(&w, &t, "a garbage collection was asked for");
    test_freeze(&w, &t, NULL);
    assert_int_equal(ubi_target_collect_garbage(w.target), UBI_ESTATE);
    assert_int_equal(ubi_target_collect_cycles(w.target), UBI_ESTATE);
    test_thaw(&w);
    test_runtime_free(&t);
}

static int handler_calls;
static int count_interrupts(JSRuntime *rt, void *payload) {
    (void)rt, (void)payload;
    handler_calls++;
    return 0;
}

static void a_script_stops_at_its_first_step(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_run(t.ctx, "globalThis.ran = 0; globalThis.step = function () { ran++; };");
    JSValue function = test_eval_as(t.ctx, "step", JS_EVAL_TYPE_GLOBAL);
    JS_SetInterruptHandler(t.rt, count_interrupts, NULL);
    test_freeze(&w, &t, NULL);
    assert_true(JS_IsException(JS_Call(t.ctx, function, JS_UNDEFINED, 0, NULL)));
    assert_violation(&w, &t, "a script was started on it");
    JSValue ran = test_eval_as(t.ctx, "ran", JS_EVAL_TYPE_GLOBAL);
    assert_int_equal(JS_VALUE_GET_INT(ran), 0);
    JS_FreeValue(t.ctx, JS_Call(t.ctx, function, JS_UNDEFINED, 0, NULL));
    test_run(t.ctx, "for (let i = 0; i < 30000; i++) step();");
    assert_true(handler_calls > 0); /* the program's own handler is back */
    JS_FreeValue(t.ctx, function);
    test_runtime_free(&t);
}

static void the_first_violation_is_reported(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    test_freeze(&w, &t, NULL);
    JS_RunGC(t.rt);
    assert_null(js_malloc_rt(t.rt, 16));
    assert_violation(&w, &t, "a garbage collection was asked for");
    test_runtime_free(&t);
}

static void a_frozen_heap_is_not_frozen_again(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_walk w;
    ubi_frozen_heap heap;
    ubi_quickjs_coverage coverage;
    test_freeze(&w, &t, NULL);
    assert_int_equal(w.target.ops->freeze(w.target.payload, NULL, &heap), UBI_ESTATE);
    assert_int_equal(ubi_quickjs_measure_coverage(t.tools, &coverage), UBI_ESTATE);
    test_thaw(&w);
    assert_int_equal(w.target.ops->thaw(w.target.payload), UBI_ESTATE);
    test_runtime_free(&t);
}

static void try_to_freeze(ubi_status *status) {
    ubi_target target = ubi_quickjs_target(finalizer_tools);
    ubi_frozen_heap heap;
    *status = target.ops->freeze(target.payload, NULL, &heap);
    if (*status == UBI_OK)
        target.ops->thaw(target.payload);
}
static void finalize(JSRuntime *rt, JSValue value) {
    (void)rt, (void)value;
    if (finalizer_tools)
        try_to_freeze(&finalizer_status);
}
static void mark(JSRuntime *rt, JSValueConst value, JS_MarkFunc *mark_func) {
    (void)rt, (void)value, (void)mark_func;
    if (finalizer_tools)
        try_to_freeze(&mark_status);
}

static void finalizers_and_mark_functions_cannot_freeze(void **state) {
    (void)state;
    static JSClassID class_id;
    const JSClassDef definition = { "Watched", .finalizer = finalize, .gc_mark = mark };
    test_runtime t = test_runtime_new();
    ubi__new_class_id(t.rt, &class_id);
    assert_int_equal(JS_NewClass(t.rt, class_id, &definition), 0);
    finalizer_tools = t.tools;
    JSValue object = JS_NewObjectProtoClass(t.ctx, JS_NULL, class_id);
    assert_int_equal(finalizer_status, UBI_OK);
    JS_RunGC(t.rt);
    assert_int_equal(mark_status, UBI_ESTATE);
    JS_FreeValue(t.ctx, object); /* its last reference */
    assert_int_equal(finalizer_status, UBI_ESTATE);
    finalizer_status = UBI_OK;
    object = JS_NewObjectProtoClass(t.ctx, JS_NULL, class_id);
    JS_SetPropertyStr(t.ctx, object, "self", JS_DupValue(t.ctx, object));
    JS_FreeValue(t.ctx, object); /* in a cycle */
    JS_RunGC(t.rt);
    assert_int_equal(finalizer_status, UBI_ESTATE);
    finalizer_tools = NULL;
    test_runtime_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_untouched_heap_is_no_violation),
        cmocka_unit_test(an_allocation_fails),
        cmocka_unit_test(a_free_waits),
        cmocka_unit_test(a_reallocation_fails_and_keeps_the_block),
        cmocka_unit_test(a_collection_does_not_start),
        cmocka_unit_test(a_script_stops_at_its_first_step),
        cmocka_unit_test(the_first_violation_is_reported),
        cmocka_unit_test(a_frozen_heap_is_not_frozen_again),
        cmocka_unit_test(finalizers_and_mark_functions_cannot_freeze),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
