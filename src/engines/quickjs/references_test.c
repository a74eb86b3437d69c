/* SPDX-License-Identifier: MIT
 *
 * Who took what was not released: this file is compiled as sources of a program are, with the header in front.
 */
#include <ubiheap/extension/quickjs_references.h>

#include "engines/quickjs/leaks_for_tests.h"
#include "fail_allocator.h"
#include "ubi_features.h"

#define FUNCTION_OF_A_PROGRAM static __attribute__((noinline))

/* Ends the runtime; the report's text, or "". */
static expected end_text(embedded *e, void (*release)(JSRuntime *rt, void *payload), void *payload) {
    e->report.release = release;
    e->report.payload = payload;
    JS_FreeContext(e->ctx);
    JS_FreeRuntime(e->rt);
    expected report = e->report;
    free(e);
    return report;
}

/* ---- each kind ------------------------------------------------------------------------------------------------------ */

FUNCTION_OF_A_PROGRAM JSValue make_title(JSContext *ctx) {
    return JS_NewString(ctx, "a title of its own");
}

static void a_forgotten_string_is_found_with_who_made_it(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue leaked = make_title(e->ctx);
    expected report = end_text(e, release_value, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.type, "JSString");
    assert_string_equal(report.contents, "\"a title of its own\"");
    assert_int_equal(report.leak.excess, 1);
    assert_true(says(&report, "taken by JS_NewString and not released:\n      make_title (references_test.c:"));
}

static void release_text(JSRuntime *rt, void *payload) {
    JS_FreeValueRT(rt, *(JSValue *)payload);
}

FUNCTION_OF_A_PROGRAM const char *text_of(JSContext *ctx, JSValueConst value) {
    return JS_ToCString(ctx, value);
}

static void a_forgotten_c_string_is_found_with_who_asked_for_it(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue value = JS_NewString(e->ctx, "text of a value");
    const char *text = text_of(e->ctx, value);
    assert_string_equal(text, "text of a value");
    JS_FreeValue(e->ctx, value);
    expected report = end_text(e, release_text, &value);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.contents, "\"text of a value\"");
    assert_true(says(&report, "taken by JS_ToCString and not released:\n      text_of (references_test.c:"));
}

static void release_atom(JSRuntime *rt, void *payload) {
    JS_FreeAtomRT(rt, *(JSAtom *)payload);
}

FUNCTION_OF_A_PROGRAM JSAtom make_key(JSContext *ctx) {
    return JS_NewAtom(ctx, "a-key-of-its-own");
}

static void a_forgotten_atom_is_found_with_who_made_it(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSAtom kept = JS_NewAtom(e->ctx, "another-key");
    JSAtom leaked = make_key(e->ctx);
    JS_FreeAtom(e->ctx, kept);
    expected report = end_text(e, release_atom, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.contents, "\"a-key-of-its-own\"");
    assert_true(says(&report, "taken by JS_NewAtom and not released:\n      make_key (references_test.c:"));
}

static void release_context(JSRuntime *rt, void *payload) {
    (JS_FreeContext)(payload);
    JS_RunGC(rt);
}

FUNCTION_OF_A_PROGRAM JSContext *make_context(JSRuntime *rt) {
    return JS_NewContext(rt);
}

static void a_forgotten_context_is_found_with_who_made_it(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSContext *leaked = make_context(e->rt);
    expected report = end_text(e, release_context, leaked);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.type, "JSContext");
    assert_true(says(&report, "taken by JS_NewContext and not released:\n      make_context (references_test.c:"));
}

static void a_forgotten_symbol_and_big_integer(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue leaked = test_eval_as(e->ctx, "Symbol('ticket')", JS_EVAL_TYPE_GLOBAL);
    expected report = end_text(e, release_value, &leaked);
    assert_string_equal(report.contents, "Symbol(ticket)");
    assert_true(says(&report, "taken by JS_Eval and not released:\n      test_eval_as (runtime_for_tests.h:"));
    e = embed(true);
    leaked = test_eval_as(e->ctx, "2n ** 80n", JS_EVAL_TYPE_GLOBAL);
    report = end_text(e, release_value, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_string_equal(report.type, "JSBigInt");
    assert_true(says(&report, "1. big integer of "));
    assert_true(says(&report, "taken by JS_Eval and not released:"));
    e = embed(true);
    leaked = test_eval_as(e->ctx,
                          "let text = 'x'.repeat(9000); for (let i = 0; i < 9; i++) text += 'y'.repeat(9000 + i); text",
                          JS_EVAL_TYPE_GLOBAL);
    report = end_text(e, release_value, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_true(report.leak.retained_bytes > 90000);
    assert_true(says(&report, "1. string"));
}

/* ---- which taking --------------------------------------------------------------------------------------------------- */

static JSValue kept_by_program;

FUNCTION_OF_A_PROGRAM void keep(JSContext *ctx, JSValueConst value) {
    kept_by_program = JS_DupValue(ctx, value);
}

FUNCTION_OF_A_PROGRAM void look_at(JSContext *ctx, JSValueConst value) {
    JSValue mine = JS_DupValue(ctx, value);
    JSValue again = JS_DupValue(ctx, mine);
    JS_FreeValue(ctx, mine);
    JS_FreeValue(ctx, again);
}

static void a_value_kept_in_data_of_the_program_shows_who_keeps_it(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue value = JS_NewObjectProto(e->ctx, JS_NULL);
    look_at(e->ctx, value);
    keep(e->ctx, value);
    look_at(e->ctx, value);
    JS_FreeValue(e->ctx, value);
    expected report = end_text(e, release_value, &kept_by_program);
    assert_int_equal(report.leak_count, 1);
    assert_true(says(&report, "taken by JS_DupValue and not released:\n      keep (references_test.c:"));
    assert_null(strstr(report.text, "look_at"));
    assert_null(strstr(report.text, "JS_NewObjectProto"));
    assert_null(strstr(report.text, "not seen"));
}

FUNCTION_OF_A_PROGRAM JSValue start(JSContext *ctx, JSValueConst value) {
    return JS_DupValue(ctx, value);
}
FUNCTION_OF_A_PROGRAM void stop(JSContext *ctx, JSValue value) {
    JS_FreeValue(ctx, value);
}

/* Of two takings a release by a third function ends the one that it was seen to end before. */
static void who_releases_for_whom_is_learned(void **state) {
    (void)state;
    embedded *e = embed(true);
    for (int i = 0; i < 3; i++) {
        JSValue other = JS_NewObjectProto(e->ctx, JS_NULL);
        JSValue started = start(e->ctx, other);
        JS_FreeValue(e->ctx, other);
        stop(e->ctx, started);
    }
    JSValue value = JS_NewObjectProto(e->ctx, JS_NULL);
    JSValue started = start(e->ctx, value);
    keep(e->ctx, value);
    stop(e->ctx, started);
    JS_FreeValue(e->ctx, value);
    expected report = end_text(e, release_value, &kept_by_program);
    assert_true(says(&report, "      keep (references_test.c:"));
    assert_null(strstr(report.text, "      start ("));
}

FUNCTION_OF_A_PROGRAM void release_any(JSContext *ctx, JSValue value) {
    JS_FreeValue(ctx, value);
}

static void a_value_is_not_released_for_a_text(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue value = make_title(e->ctx);
    const char *text = text_of(e->ctx, value);
    release_any(e->ctx, value);
    expected report = end_text(e, release_text, &value);
    assert_non_null(text);
    assert_true(says(&report, "taken by JS_ToCString and not released:\n      text_of (references_test.c:"));
    assert_null(strstr(report.text, "make_title"));
}

FUNCTION_OF_A_PROGRAM JSValue give_back(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    return JS_DupValue(ctx, argv[0]);
}

static void what_is_handed_over_is_not_missing(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue global = JS_GetGlobalObject(e->ctx);
    JSValue value = JS_NewObjectProto(e->ctx, JS_NULL);
    JS_SetPropertyStr(e->ctx, global, "give", JS_NewCFunction(e->ctx, give_back, "give", 1));
    JS_SetPropertyStr(e->ctx, global, "value", JS_DupValue(e->ctx, value));
    test_run(e->ctx, "globalThis.copy = give(value); delete globalThis.copy; delete globalThis.value;");
    keep(e->ctx, value);
    JS_FreeValue(e->ctx, value);
    JS_FreeValue(e->ctx, global);
    expected report = end_text(e, release_value, &kept_by_program);
    assert_int_equal(report.leak_count, 1);
    assert_true(says(&report, "      keep (references_test.c:"));
    assert_null(strstr(report.text, "      give_back ("));
    assert_null(strstr(report.text, "not seen"));
}

#if UBI_API_ARRAY_FROM /* engines that make an object of given values */
static void what_a_new_object_is_made_of_is_not_missing(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue value = JS_NewObjectProto(e->ctx, JS_NULL);
    JSValue members[2] = { JS_DupValue(e->ctx, value), JS_NewString(e->ctx, "a text of its own") };
    JSValue array = JS_NewArrayFrom(e->ctx, 2, members);
    const char *names[1] = { "value" };
    JSValue fields[1] = { JS_DupValue(e->ctx, value) };
    JSValue object = JS_NewObjectFromStr(e->ctx, 1, names, fields);
    keep(e->ctx, value);
    JS_FreeValue(e->ctx, value);
    JS_FreeValue(e->ctx, array);
    JS_FreeValue(e->ctx, object);
    expected report = end_text(e, release_value, &kept_by_program);
    assert_int_equal(report.leak_count, 1);
    assert_true(says(&report, "      keep (references_test.c:"));
    assert_int_equal(report.leak.excess, 1);
    const char *taken = strstr(report.text, "taken by ");
    assert_non_null(taken);
    assert_null(strstr(taken + 1, "taken by ")); /* by one stack */
}
#endif

static void equal_stacks_are_counted(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue value = JS_NewObjectProto(e->ctx, JS_NULL);
    for (int i = 0; i < 3; i++)
        keep(e->ctx, value);
    JS_FreeValue(e->ctx, value);
    JSRuntime *rt = e->rt;
    ubi_quickjs *tools;
    ubi_quickjs_leaks *leaks;
    assert_int_equal(ubi_quickjs_attach(&tools, rt, NULL), UBI_OK);
    assert_int_equal(ubi_quickjs_find_leaks(&leaks, tools), UBI_OK);
    uint32_t i = 0;
    while (ubi_quickjs_leaks_at(leaks, i).excess != 3)
        i++;
    assert_int_equal(ubi_quickjs_leaks_taking_count(leaks, i), 1);
    assert_int_equal(ubi_quickjs_leaks_taking(leaks, i, 0).count, 3);
    assert_string_equal(ubi_quickjs_leaks_taking(leaks, i, 0).function.ptr, "JS_DupValue");
    ubi_quickjs_leaks_free(leaks);
    ubi_quickjs_detach(tools);
    for (int k = 0; k < 3; k++)
        JS_FreeValue(e->ctx, value);
    assert_int_equal(end_text(e, NULL, NULL).calls, 0);
}

static void what_a_source_without_the_header_takes_is_said_to_be_unseen(void **state) {
    (void)state;
    embedded *e = embed(true);
    JSValue leaked = (JS_NewObjectProto)(e->ctx, JS_NULL);
    expected report = end_text(e, release_value, &leaked);
    assert_int_equal(report.leak_count, 1);
    assert_true(says(&report, "of 1 reference the taking was not seen"));
    assert_null(strstr(report.text, "taken by"));
}

/* ---- programs without a leak ------------------------------------------------------------------------------------------ */

static void a_clean_program_has_no_report(void **state) {
    (void)state;
    static const char json[] = "{\"a\":[1,\"two\"],\"b\":{}}";
    embedded *e = embed(true), *other = embed(true);
    JSValue functions[2];
    JSPropertyEnum *names;
    uint32_t n;
    for (int round = 0; round < 50; round++) {
        JSContext *ctx = round % 2 ? e->ctx : other->ctx;
        JSValue global = JS_GetGlobalObject(ctx), promise = JS_NewPromiseCapability(ctx, functions);
        JSValue parsed = JS_ParseJSON(ctx, json, strlen(json), "x.json");
        assert_int_equal(JS_GetOwnPropertyNames(ctx, &names, &n, parsed, JS_GPN_STRING_MASK), 0);
        for (uint32_t i = 0; i < n; i++)
            JS_FreeAtom(ctx, names[i].atom);
        js_free(ctx, names);
        JS_SetPropertyStr(ctx, global, "parsed", parsed);
        JS_FreeValue(ctx, functions[0]);
        JS_FreeValue(ctx, functions[1]);
        JS_FreeValue(ctx, promise);
        JS_FreeValue(ctx, global);
        test_run(ctx, "globalThis.text = 'x'.repeat(100) + JSON.stringify(parsed); /(a)(b)/.exec('xaby');"
                      "globalThis.cycle = { get me() { return cycle; } }; cycle.self = cycle;");
        JS_FreeValue(ctx, JS_Throw(ctx, JS_NewString(ctx, "thrown")));
        JS_FreeValue(ctx, JS_GetException(ctx));
    }
    assert_int_equal(end_text(other, NULL, NULL).calls, 0);
    assert_int_equal(end_text(e, NULL, NULL).calls, 0);
    assert_int_equal(ubi_quickjs_references_recorded, 0);
}

static void runtimes_that_are_not_recorded_are_left_alone(void **state) {
    (void)state;
    embedded *recorded = embed(true), *plain = embed(false);
    JSValue a = JS_NewObjectProto(plain->ctx, JS_NULL), b = JS_NewObjectProto(recorded->ctx, JS_NULL);
    JS_FreeValue(plain->ctx, a);
    JS_FreeValue(recorded->ctx, b);
    assert_int_equal(end_text(plain, NULL, NULL).calls, 0);
    assert_int_equal(end_text(recorded, NULL, NULL).calls, 0);
}

/* ---- without memory --------------------------------------------------------------------------------------------------- */

static void recording_survives_without_memory(void **state) {
    (void)state;
    uint64_t n = 0;
    for (bool is_done = false; !is_done; n += n < 40 ? 1 : n / 8) {
        ubi_quickjs_leak_options options = UBI_QUICKJS_LEAK_OPTIONS_INIT;
        fail_allocator f;
        fail_allocator_init(&f, n);
        JSRuntime *rt = JS_NewRuntime();
        options.with_references = true;
        options.allocator = &f.allocator;
        options.file = fopen("/dev/null", "w");
        ubi_status status = ubi_quickjs_report_leaks(rt, &options);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        JSContext *ctx = JS_NewContext(rt);
        test_run(ctx, "globalThis.list = []; for (let i = 0; i < 100; i++) list.push({ i });");
        look_at(ctx, JS_UNDEFINED);
        JSValue value = JS_NewObject(ctx);
        look_at(ctx, value);
        JS_FreeValue(ctx, value);
        JS_FreeContext(ctx);
        JS_FreeRuntime(rt);
        fclose(options.file);
        is_done = f.n_refused == 0;
        fail_allocator_fini(&f);
    }
    assert_true(n > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forgotten_string_is_found_with_who_made_it),
        cmocka_unit_test(a_forgotten_c_string_is_found_with_who_asked_for_it),
        cmocka_unit_test(a_forgotten_atom_is_found_with_who_made_it),
        cmocka_unit_test(a_forgotten_context_is_found_with_who_made_it),
        cmocka_unit_test(a_forgotten_symbol_and_big_integer),
        cmocka_unit_test(a_value_kept_in_data_of_the_program_shows_who_keeps_it),
        cmocka_unit_test(who_releases_for_whom_is_learned),
        cmocka_unit_test(a_value_is_not_released_for_a_text),
        cmocka_unit_test(what_is_handed_over_is_not_missing),
#if UBI_API_ARRAY_FROM
        cmocka_unit_test(what_a_new_object_is_made_of_is_not_missing),
#endif
        cmocka_unit_test(equal_stacks_are_counted),
        cmocka_unit_test(what_a_source_without_the_header_takes_is_said_to_be_unseen),
        cmocka_unit_test(a_clean_program_has_no_report),
        cmocka_unit_test(runtimes_that_are_not_recorded_are_left_alone),
        cmocka_unit_test(recording_survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
