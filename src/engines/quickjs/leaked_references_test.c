/* SPDX-License-Identifier: MIT
 *
 * Leaks of each kind, made on purpose: the report names the thing, counts it, and nothing else.
 *
 * A leak is released by the report's callback, so that the engine's assertion holds where it is compiled in.
 */
#include <stdlib.h>

#include "engines/quickjs/js_facts.h"
#include "engines/quickjs/leaks_for_tests.h"
#include "fail_allocator.h"

static void a_clean_program_has_no_report(void **state) {
    (void)state;
    embedded *e = embed(false);
    test_run(e->ctx, "globalThis.kept = { a: [1, 'text'], f() { return kept; } };"
                     "class A { #p = 1; static s = Symbol('x'); } kept.a.push(new A(), 2n ** 80n);");
    expected report = end_with(e, NULL);
    assert_int_equal(report.calls, 0);
}

static void cycles_and_jobs_and_exceptions_are_no_leaks(void **state) {
    (void)state;
    embedded *e = embed(false);
    test_run(e->ctx, "for (let i = 0; i < 10; i++) { const a = {}, b = { a }; a.b = b; }"
                     "Promise.resolve({ value: 1 }).then(v => v);");
    JS_Throw(e->ctx, test_eval_as(e->ctx, "[1]", JS_EVAL_TYPE_GLOBAL));
    expected report = end_with(e, NULL);
    assert_int_equal(report.calls, 0);
}

static void a_forgotten_object_is_named_with_what_it_keeps(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue leaked = test_eval_as(e->ctx, "const o = { __proto__: null, port: 80 }; o", JS_EVAL_TYPE_GLOBAL);
    JS_DefinePropertyValueStr(e->ctx, leaked, "inner", JS_NewObjectProto(e->ctx, JS_NULL), JS_PROP_C_W_E);
    expected report = end_with(e, &leaked);
    assert_int_equal(report.calls, 1);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.type, "JSObject");
    assert_string_equal(report.name, "Object");
    assert_string_equal(report.contents, "{port: 80, inner: Object}");
    assert_int_equal(report.leak.references, 1);
    assert_int_equal(report.leak.excess, 1);
    assert_int_equal(report.leak.referrer_count, 0);
    assert_int_equal(report.leak.retained_count, 6); /* two objects, their shapes, two names */
    assert_true(says(&report, "still holds 1 thing, which keeps 6 alive"));
}

static void contents_show_numbers_of_every_size(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue leaked = test_eval_as(
        e->ctx, "(() => ({ __proto__: null, a: 3n, b: -(2n ** 60n), c: 2n ** 80n, d: 0.5 }))()", JS_EVAL_TYPE_GLOBAL);
    expected report = end_with(e, &leaked);
    assert_string_equal(report.contents, "{a: 3n, b: -1152921504606846976n, c: ..., d: 0.5}");
}

static void references_from_the_heap_are_subtracted(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue leaked =
        test_eval_as(e->ctx, "(() => { const o = { __proto__: null }; o.self = o; o.again = [o, o]; return o; })()",
                     JS_EVAL_TYPE_GLOBAL);
    for (int i = 0; i < 4; i++)
        JS_DupValue(e->ctx, leaked);
    JS_FreeContext(e->ctx);
    expected *report = &e->report;
    report->release = release_value;
    report->payload = &leaked;
    JSRuntime *rt = e->rt;
    ubi_quickjs *tools;
    ubi_quickjs_leaks *leaks;
    assert_int_equal(ubi_quickjs_attach(&tools, rt, NULL), UBI_OK);
    assert_int_equal(ubi_quickjs_find_leaks(&leaks, tools), UBI_OK);
    assert_int_equal(ubi_quickjs_leaks_count(leaks), 1);
    ubi_quickjs_leak leak = ubi_quickjs_leaks_at(leaks, 0);
    assert_int_equal(leak.references, 8);
    assert_int_equal(leak.excess, 5);
    assert_int_equal(leak.referrer_count, 3);
    ubi_quickjs_referrer first = ubi_quickjs_leaks_referrer(leaks, 0, 0);
    assert_true(first.id != 0 && first.name.ptr);
    ubi_quickjs_leaks_free(leaks);
    ubi_quickjs_detach(tools);
    for (int i = 0; i < 4; i++)
        JS_FreeValueRT(rt, leaked);
    JS_FreeRuntime(rt);
    assert_int_equal(report->calls, 1);
    assert_int_equal(report->leak.references, 4);
    assert_int_equal(report->leak.excess, 1);
    assert_true(says(report, "4 references, 3 of them in the heap: 1 too many"));
    assert_true(says(report, ", as self"));
    free(e);
}

static void a_forgotten_function_keeps_its_whole_realm(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue leaked = test_eval_as(e->ctx, "(function onMessage(m) { return m; })", JS_EVAL_TYPE_GLOBAL);
    expected report = end_with(e, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.name, "Function");
    assert_string_equal(report.contents, "onMessage (test.js:1)");
    assert_true(report.leak.retained_count > 300);
    assert_true(says(&report, "bytes  context"));
}

static void a_forgotten_function_of_a_promise_is_called_so(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue functions[2];
    JS_FreeValue(e->ctx, JS_NewPromiseCapability(e->ctx, functions));
    JS_FreeValue(e->ctx, functions[0]);
    expected report = end_with(e, &functions[1]);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.name, "PromiseRejectFunction");
}

static void a_forgotten_symbol(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue leaked = test_eval_as(e->ctx, "Symbol('ticket')", JS_EVAL_TYPE_GLOBAL);
    expected report = end_with(e, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.type, "JSSymbol");
    assert_string_equal(report.contents, "Symbol(ticket)");
    assert_int_equal(report.leak.excess, 1);
}

static void release_atom(JSRuntime *rt, void *payload) {
    JS_FreeAtomRT(rt, *(JSAtom *)payload);
}

static void a_forgotten_atom(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSAtom atom = JS_NewAtom(e->ctx, "forgotten-name");
    e->report.release = release_atom;
    e->report.payload = &atom;
    JS_FreeContext(e->ctx);
    JS_FreeRuntime(e->rt);
    assert_int_equal(e->report.calls, 1);
    assert_int_equal(e->report.leak_count, 1);
    assert_string_equal(e->report.type, "JSString");
    assert_string_equal(e->report.contents, "\"forgotten-name\"");
    assert_int_equal(e->report.leak.excess, 1);
    free(e);
}

static void release_context(JSRuntime *rt, void *payload) {
    JS_FreeContext(payload);
    JS_RunGC(rt);
}

static void a_forgotten_context(void **state) {
    (void)state;
    embedded *e = embed(false);
    e->report.release = release_context;
    e->report.payload = e->ctx;
    JS_FreeRuntime(e->rt);
    assert_int_equal(e->report.calls, 1);
    assert_int_equal(e->report.leak_count, 1);
    assert_string_equal(e->report.type, "JSContext");
    assert_string_equal(e->report.name, "context");
    assert_int_equal(e->report.leak.excess, 1);
    assert_true(e->report.leak.references > 100);
    free(e);
}

/* ---- data of the program's own -------------------------------------------------------------------------------------- */

typedef struct holder {
    JSValue value;
} holder;

static void finalize_holder(JSRuntime *rt, JSValue object);
static void mark_holder(JSRuntime *rt, JSValueConst object, JS_MarkFunc *mark);

static JSClassID holder_class;

static void finalize_holder(JSRuntime *rt, JSValue object) {
    holder *h = JS_GetOpaque(object, holder_class);
    if (h)
        JS_FreeValueRT(rt, h->value);
    free(h);
}

static void mark_holder(JSRuntime *rt, JSValueConst object, JS_MarkFunc *mark) {
    holder *h = JS_GetOpaque(object, holder_class);
    if (h)
        JS_MarkValue(rt, h->value, mark);
}

/* An object whose data holds `value`, which refers to the object. */
static holder *hold(embedded *e, JSValue value, bool is_marked) {
    JSClassDef class = { .class_name = "Holder",
                         .finalizer = finalize_holder,
                         .gc_mark = is_marked ? mark_holder : NULL };
    holder *h = calloc(1, sizeof *h);
    ubi__new_class_id(e->rt, &holder_class);
    JS_NewClass(e->rt, holder_class, &class);
    JSValue object = JS_NewObjectProtoClass(e->ctx, JS_NULL, holder_class);
    h->value = value;
    JS_SetOpaque(object, h);
    JS_DefinePropertyValueStr(e->ctx, value, "holder", object, JS_PROP_C_W_E);
    return h;
}

static void data_that_is_marked_is_no_leak(void **state) {
    (void)state;
    embedded *e = embed(false);
    hold(e, JS_NewObjectProto(e->ctx, JS_NULL), true);
    assert_int_equal(end_with(e, NULL).calls, 0);
}

static void release_held(JSRuntime *rt, void *payload) {
    holder *h = payload;
    JSValue value = h->value;
    h->value = JS_UNDEFINED;
    JS_FreeValueRT(rt, value);
}

static void data_without_a_mark_function_is_pointed_out(void **state) {
    (void)state;
    embedded *e = embed(false);
    e->report.payload = hold(e, JS_NewObjectProto(e->ctx, JS_NULL), false);
    e->report.release = release_held;
    JS_FreeContext(e->ctx);
    JS_FreeRuntime(e->rt);
    assert_int_equal(e->report.leak_count, 1);
    assert_string_equal(e->report.contents, "{holder: Holder}");
    assert_int_equal(e->report.leak.excess, 1);
    assert_true(says(&e->report, "whose class has a finalizer and no gc_mark function"));
    free(e);
}

static void collect(JSRuntime *rt, void *payload) {
    (void)payload;
    JS_RunGC(rt);
}

/* In a cycle, the data is released while cycles are freed, and the engine leaves it for a collection that never comes. */
static void what_a_finalizer_releases_too_late_is_reported(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue cycle = JS_NewObjectProto(e->ctx, JS_NULL);
    holder *h = hold(e, cycle, false);
    h->value = JS_NewObjectProto(e->ctx, JS_NULL);
    JSValue object = JS_GetPropertyStr(e->ctx, cycle, "holder");
    JS_DefinePropertyValueStr(e->ctx, object, "back", cycle, JS_PROP_C_W_E);
    JS_FreeValue(e->ctx, object);
    e->report.release = collect;
    JS_FreeContext(e->ctx);
    JS_FreeRuntime(e->rt);
    assert_int_equal(e->report.leak_count, 1);
    assert_int_equal(e->report.leak.excess, 0);
    assert_true(says(&e->report, "ends with 1 thing that no collection frees any more"));
    free(e);
}

/* ---- on request ------------------------------------------------------------------------------------------------------ */

static void while_it_runs_what_the_program_holds_is_listed(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    ubi_quickjs_leaks *leaks;
    JSValue held = test_eval_as(t.ctx, "[1, 'two', null, {}, 5, 6]", JS_EVAL_TYPE_GLOBAL);
    assert_int_equal(ubi_quickjs_find_leaks(&leaks, t.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_leaks_count(leaks), 2);
    assert_string_equal(ubi_quickjs_leaks_at(leaks, 0).name.ptr, "context");
    assert_string_equal(ubi_quickjs_leaks_at(leaks, 1).contents.ptr, "[1, \"two\", null, Object, ... 2 more]");
    assert_null(ubi_quickjs_leaks_at(leaks, 1).holder.ptr);
    ubi_quickjs_leaks_free(leaks);
    JS_FreeValue(t.ctx, held);
    test_runtime_free(&t);
}

/* ---- without memory --------------------------------------------------------------------------------------------------- */

static ubi_status find_with(void *payload, const ubi_allocator *allocator) {
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    embedded *e = payload;
    ubi_quickjs *tools;
    ubi_quickjs_leaks *leaks;
    options.allocator = allocator;
    ubi_status status = ubi_quickjs_attach(&tools, e->rt, &options);
    if (status != UBI_OK)
        return status;
    status = ubi_quickjs_find_leaks(&leaks, tools);
    if (status == UBI_OK)
        ubi_quickjs_leaks_free(leaks);
    ubi_quickjs_detach(tools);
    return status;
}

/* A name that cannot be made is left out, so some refusals pass. */
static void every_allocation_of_a_report_may_fail(void **state) {
    (void)state;
    embedded *e = embed(false);
    JSValue held = test_eval_as(e->ctx, "[1, { f() {} }]", JS_EVAL_TYPE_GLOBAL);
    uint64_t n = 0;
    for (bool is_done = false; !is_done; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_status status = find_with(e, &f.allocator);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        is_done = f.n_refused == 0;
        fail_allocator_fini(&f);
    }
    assert_true(n > 20);
    JS_FreeValue(e->ctx, held);
    assert_int_equal(end_with(e, NULL).calls, 0);
}

typedef struct poor_report {
    JSValue leaked;
    unsigned calls, described;
} poor_report;

static void take_poor_report(void *payload, JSRuntime *rt, const ubi_quickjs_leaks *leaks) {
    poor_report *report = payload;
    report->calls++;
    report->described += leaks && ubi_quickjs_leaks_count(leaks) == 1;
    JS_FreeValueRT(rt, report->leaked);
}

/* Without memory for the report, what is known is reported: that there are leaks. */
static void a_runtime_that_ends_without_memory_says_so(void **state) {
    (void)state;
    poor_report report = { .calls = 0 };
    uint64_t n = 1;
    for (; !report.described; n++) {
        ubi_quickjs_leak_options options = UBI_QUICKJS_LEAK_OPTIONS_INIT;
        fail_allocator f;
        fail_allocator_init(&f, n);
        JSRuntime *rt = JS_NewRuntime();
        JSContext *ctx = JS_NewContextRaw(rt);
        report.leaked = JS_NewObjectProto(ctx, JS_NULL);
        report.calls = 0;
        options.allocator = &f.allocator;
        options.fn = take_poor_report;
        options.payload = &report;
        assert_int_equal(ubi_quickjs_report_leaks(rt, &options), UBI_OK);
        JS_FreeContext(ctx);
        JS_FreeRuntime(rt);
        assert_int_equal(report.calls, 1);
        fail_allocator_fini(&f);
    }
    assert_true(n > 10);
}

static void options_of_another_version_are_refused(void **state) {
    (void)state;
    ubi_quickjs_leak_options options = UBI_QUICKJS_LEAK_OPTIONS_INIT;
    embedded *e = embed(false);
    options.version = UBI_QUICKJS_LEAK_OPTIONS_VERSION + 1;
    assert_int_equal(ubi_quickjs_report_leaks(e->rt, &options), UBI_EINVAL);
    end_with(e, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_program_has_no_report),
        cmocka_unit_test(cycles_and_jobs_and_exceptions_are_no_leaks),
        cmocka_unit_test(a_forgotten_object_is_named_with_what_it_keeps),
        cmocka_unit_test(contents_show_numbers_of_every_size),
        cmocka_unit_test(references_from_the_heap_are_subtracted),
        cmocka_unit_test(a_forgotten_function_keeps_its_whole_realm),
        cmocka_unit_test(a_forgotten_function_of_a_promise_is_called_so),
        cmocka_unit_test(a_forgotten_symbol),
        cmocka_unit_test(a_forgotten_atom),
        cmocka_unit_test(a_forgotten_context),
        cmocka_unit_test(data_that_is_marked_is_no_leak),
        cmocka_unit_test(data_without_a_mark_function_is_pointed_out),
        cmocka_unit_test(what_a_finalizer_releases_too_late_is_reported),
        cmocka_unit_test(while_it_runs_what_the_program_holds_is_listed),
        cmocka_unit_test(every_allocation_of_a_report_may_fail),
        cmocka_unit_test(a_runtime_that_ends_without_memory_says_so),
        cmocka_unit_test(options_of_another_version_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
