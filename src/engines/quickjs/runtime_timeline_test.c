/* SPDX-License-Identifier: MIT
 *
 * What a runtime reports to the timeline, to a program that embeds it. Scripts' side: tests/quickjs/heap_module/06-timeline.js, the
 * host's: tests/quickjs/run_timeline_test.py.
 */
#include "engines/quickjs/runtime_for_tests.h"

#include "engines/quickjs/quickjs_tracking.h"
#include "engines/quickjs/timeline.h"
#include "fail_allocator.h"

/* ---- a runtime on a timeline ---------------------------------------------------------------------------------------- */

typedef struct told {
    test_runtime runtime;
    ubi_timeline_target *target;
    ubi_timeline_markers *markers; /* of the last pop */
} told;

static ubi_timeline_target *new_target(void) {
    ubi_timeline_target *target;
    assert_int_equal(ubi_timeline_target_new(&target, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(target, true), UBI_OK);
    return target;
}

static told open_reported(void) {
    told t = { .runtime = test_runtime_new(), .target = new_target() };
    assert_int_equal(ubi_quickjs_join_timeline(t.runtime.tools, t.target), UBI_OK);
    return t;
}

static void close_reported(told *t) {
    ubi_timeline_markers_free(t->markers);
    test_runtime_free(&t->runtime);
    ubi_timeline_target_free(t->target);
}

static size_t pop_of(told *t, ubi_timeline_target *target) {
    ubi_timeline_markers_free(t->markers);
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(target, &t->markers), UBI_OK);
    assert_int_equal(ubi_timeline_markers_lost_count(t->markers), 0);
    return ubi_timeline_markers_count(t->markers);
}

static size_t pop(told *t) {
    return pop_of(t, t->target);
}

static bool text_is(ubi_text text, const char *expected) {
    return text.len == strlen(expected) && memcmp(text.ptr, expected, text.len) == 0;
}

static bool row_is(const told *t, size_t i, const char *name) {
    return text_is(ubi_timeline_markers_row(t->markers, i).name, name);
}

static size_t count_of(const told *t, const char *name) {
    size_t n = 0;
    for (size_t i = 0; i < ubi_timeline_markers_count(t->markers); i++)
        n += row_is(t, i, name);
    return n;
}

/* The n-th row of a name. */
static size_t row_of(const told *t, const char *name, size_t n) {
    for (size_t i = 0; i < ubi_timeline_markers_count(t->markers); i++)
        if (row_is(t, i, name) && n-- == 0)
            return i;
    fail_msg("there is no %s", name);
    return 0;
}

static ubi_timeline_detail detail_of(const told *t, size_t row, const char *key) {
    uint32_t n = ubi_timeline_markers_row(t->markers, row).detail_count;
    for (uint32_t j = 0; j < n; j++) {
        ubi_timeline_detail detail = ubi_timeline_markers_detail(t->markers, row, j);
        if (text_is(detail.key, key))
            return detail;
    }
    fail_msg("row %zu has no %s", row, key);
    return (ubi_timeline_detail){ 0 };
}

static void assert_detail(const told *t, size_t row, const char *key, const char *expected) {
    ubi_text text = detail_of(t, row, key).text;
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

/* "f@test.js:1<g@test.js:2<(cause)h@test.js:3": functions, files and lines from the innermost out. */
static const char *stack_text(const told *t, uint32_t frame) {
    static char text[4096];
    size_t n = 0;
    text[0] = '\0';
    while (frame != UBI_NONE && n < sizeof text - 256) {
        ubi_timeline_frame f = ubi_timeline_markers_frame(t->markers, frame);
        n += (size_t)snprintf(text + n, sizeof text - n, "%.*s@%.*s:%u", (int)f.function_name.len,
                              f.function_name.ptr ? f.function_name.ptr : "", (int)f.source.len, f.source.ptr, f.line);
        frame = f.parent;
        if (f.async_parent != UBI_NONE) {
            frame = f.async_parent;
            ubi_timeline_frame parent = ubi_timeline_markers_frame(t->markers, frame);
            n += (size_t)snprintf(text + n, sizeof text - n, "<(%.*s)", (int)parent.async_cause.len,
                                  parent.async_cause.ptr);
        } else if (frame != UBI_NONE) {
            n += (size_t)snprintf(text + n, sizeof text - n, "<");
        }
    }
    return text;
}

static void assert_stack(const told *t, size_t row, const char *expected) {
    assert_string_equal(stack_text(t, ubi_timeline_markers_row(t->markers, row).stack), expected);
}

static void assert_run(const told *t, size_t n, const char *cause, const char *stack) {
    size_t row = row_of(t, "Javascript", n);
    assert_detail(t, row, "causeName", cause);
    assert_stack(t, row, stack);
}

/* ---- what scripts call ---------------------------------------------------------------------------------------------- */

static ubi_quickjs_async registered;
static JSValue registered_function; /* undefined: none */

static JSValue register_function(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    JS_FreeValue(ctx, registered_function);
    registered_function = JS_DupValue(ctx, argv[0]);
    registered = ubi_quickjs_timeline_register(ubi_quickjs_of(JS_GetRuntime(ctx)));
    return JS_UNDEFINED;
}

static void call_registered(told *t, const char *cause) {
    JSContext *ctx = t->runtime.ctx;
    JSValue function = JS_DupValue(ctx, registered_function);
    ubi_quickjs_timeline_cause(t->runtime.tools, cause, registered);
    JSValue result = JS_Call(ctx, function, JS_UNDEFINED, 0, NULL);
    ubi_quickjs_timeline_cause(t->runtime.tools, NULL, 0);
    assert_false(JS_IsException(result));
    JS_FreeValue(ctx, result);
    JS_FreeValue(ctx, function);
}

static JSValue call_back(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc;
    return JS_Call(ctx, argv[0], JS_UNDEFINED, 0, NULL);
}

enum { TIME, TIME_END, TIME_STAMP };
static JSValue console_time(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv, int what) {
    ubi_quickjs *tools = ubi_quickjs_of(JS_GetRuntime(ctx));
    const char *label = JS_ToCString(ctx, argv[0]);
    (void)this_value, (void)argc;
    if (what == TIME)
        ubi_quickjs_timeline_time(tools, label);
    else if (what == TIME_END)
        ubi_quickjs_timeline_time_end(tools, label);
    else
        ubi_quickjs_timeline_timestamp(tools, label);
    JS_FreeCString(ctx, label);
    return JS_UNDEFINED;
}

static void define_functions(JSContext *ctx) {
    static const JSCFunctionListEntry functions[] = {
        JS_CFUNC_DEF("register", 1, register_function),
        JS_CFUNC_DEF("callBack", 1, call_back),
        JS_CFUNC_MAGIC_DEF("time", 1, console_time, TIME),
        JS_CFUNC_MAGIC_DEF("timeEnd", 1, console_time, TIME_END),
        JS_CFUNC_MAGIC_DEF("timeStamp", 1, console_time, TIME_STAMP),
    };
    JSValue global = JS_GetGlobalObject(ctx);
    JS_SetPropertyFunctionList(ctx, global, functions, sizeof functions / sizeof *functions);
    JS_FreeValue(ctx, global);
}

static void forget_registered(told *t) {
    JS_FreeValue(t->runtime.ctx, registered_function);
    registered_function = JS_UNDEFINED;
    registered = 0;
}

/* ---- who is notified ------------------------------------------------------------------------------------------------ */

static void nothing_is_reported_before_joining_or_after_leaving(void **state) {
    (void)state;
    told t = { .runtime = test_runtime_new(), .target = new_target() };
    test_run(t.runtime.ctx, "1");
    JS_RunGC(t.runtime.rt);
    assert_int_equal(pop(&t), 0);
    assert_int_equal(ubi_quickjs_join_timeline(t.runtime.tools, t.target), UBI_OK);
    test_run(t.runtime.ctx, "1");
    assert_int_equal(pop(&t), 2); /* Parse JS and Javascript */
    ubi_quickjs_leave_timeline(t.runtime.tools, t.target);
    test_run(t.runtime.ctx, "1");
    assert_int_equal(pop(&t), 0);
    close_reported(&t);
}

static void births_are_watched_only_while_observed(void **state) {
    (void)state;
    told t = open_reported();
    const ubi__tracking *tracking = ubi__tracking_of(t.runtime.tools);
    assert_true(tracking->is_watching);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, false), UBI_OK);
    ubi_quickjs_safe_point(t.runtime.tools);
    assert_false(tracking->is_watching);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, true), UBI_OK);
    test_run(t.runtime.ctx, "1");
    assert_true(tracking->is_watching);
    close_reported(&t);
}

static void runtimes_are_distinguished(void **state) {
    (void)state;
    told a = open_reported(), b = open_reported();
    test_run(a.runtime.ctx, "function ofA() {} ofA(); 1");
    assert_int_equal(pop(&b), 0);
    assert_int_equal(pop(&a), 2);
    assert_int_equal(ubi_quickjs_join_timeline(a.runtime.tools, b.target), UBI_OK);
    assert_int_equal(ubi_quickjs_join_timeline(a.runtime.tools, b.target), UBI_OK);
    test_run(a.runtime.ctx, "1");
    assert_int_equal(pop(&a), 2);
    assert_int_equal(pop(&b), 2);
    ubi_quickjs_leave_timeline(a.runtime.tools, b.target);
    assert_int_equal(ubi_quickjs_join_timeline(b.runtime.tools, NULL), UBI_OK);
    test_run(b.runtime.ctx, "1");
    assert_int_equal(pop(&a), 2);
    assert_int_equal(pop(&b), 2);
    close_reported(&b);
    close_reported(&a);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

static void a_run_says_what_it_runs(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx, "\n\nfunction called() {\n callBack(() => 1);\n}\ncalled();");
    assert_int_equal(pop(&t), 2);
    assert_true(row_is(&t, 0, "Parse JS"));
    assert_detail(&t, 0, "causeName", "test.js");
    assert_run(&t, 0, "script evaluation", "@test.js:1");
    JSValue global = JS_GetGlobalObject(t.runtime.ctx);
    JSValue called = JS_GetPropertyStr(t.runtime.ctx, global, "called");
    JS_FreeValue(t.runtime.ctx, JS_Call(t.runtime.ctx, called, JS_UNDEFINED, 0, NULL));
    assert_int_equal(pop(&t), 1);
    assert_run(&t, 0, "function call", "called@test.js:3");
    JS_FreeValue(t.runtime.ctx, called);
    JS_FreeValue(t.runtime.ctx, global);
    JS_FreeValue(t.runtime.ctx, test_eval_as(t.runtime.ctx, "export const x = 1; eval('2')", JS_EVAL_TYPE_MODULE));
    assert_int_equal(pop(&t), 3);
    assert_run(&t, 0, "module evaluation", "@test.js:1");
    assert_int_equal(count_of(&t, "Parse JS"), 2);
    close_reported(&t);
}

static void a_run_that_throws_ends(void **state) {
    (void)state;
    told t = open_reported();
    JSValue result = JS_Eval(t.runtime.ctx, "throw 1", 7, "throws.js", JS_EVAL_TYPE_GLOBAL);
    assert_true(JS_IsException(result));
    JS_FreeValue(t.runtime.ctx, JS_GetException(t.runtime.ctx));
    result = JS_Eval(t.runtime.ctx, "a b", 3, "wrong.js", JS_EVAL_TYPE_GLOBAL);
    assert_true(JS_IsException(result));
    JS_FreeValue(t.runtime.ctx, JS_GetException(t.runtime.ctx));
    assert_int_equal(pop(&t), 3);
    assert_run(&t, 0, "script evaluation", "@throws.js:1");
    assert_detail(&t, row_of(&t, "Parse JS", 1), "causeName", "wrong.js");
    close_reported(&t);
}

static void a_reaction_is_held_by_who_waits(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx, "function waits(p) {\n p.then(function reacts() { timeStamp('in') }) }\n"
                            "waits(Promise.resolve());\nwaits(Promise.resolve())");
    test_run_jobs(t.runtime.rt, 10);
    pop(&t);
    assert_int_equal(count_of(&t, "Javascript"), 3);
    assert_run(&t, 1, "promise callback", "reacts@test.js:2<(promise callback)waits@test.js:2<@test.js:3");
    assert_run(&t, 2, "promise callback", "reacts@test.js:2<(promise callback)waits@test.js:2<@test.js:4");
    assert_stack(&t, row_of(&t, "TimeStamp", 1), "reacts@test.js:2<(Promise)waits@test.js:2<@test.js:4");
    close_reported(&t);
}

static void an_async_function_continues_for_who_called_it(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx,
             "async function f() {\n for (let i = 0; i < 100; i++) await null;\n timeStamp('end') }\nf();");
    test_run_jobs(t.runtime.rt, 1000);
    pop(&t);
    assert_int_equal(count_of(&t, "Javascript"), 101);
    assert_run(&t, 1, "promise callback", "f@test.js:1<(promise callback)@test.js:4");
    assert_run(&t, 100, "promise callback", "f@test.js:1<(promise callback)@test.js:4");
    assert_stack(&t, row_of(&t, "TimeStamp", 0), "f@test.js:3<(Promise)@test.js:4");
    close_reported(&t);
}

static void what_a_program_registers_is_held_by_where(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx, "function sets() { register(function first() { register(function second() {"
                            " timeStamp('x') }) }) }\nsets();");
    call_registered(&t, "setTimeout handler");
    call_registered(&t, "setInterval handler");
    pop(&t);
    assert_run(&t, 1, "setTimeout handler", "first@test.js:1<(setTimeout handler)sets@test.js:1<@test.js:2");
    assert_run(&t, 2, "setInterval handler",
               "second@test.js:1<(setInterval handler)first@test.js:1<(setTimeout handler)sets@test.js:1<@test.js:2");
    assert_stack(&t, row_of(&t, "TimeStamp", 0),
                 "second@test.js:1<(setInterval handler)first@test.js:1<(setTimeout handler)sets@test.js:1<@test.js:2");
    forget_registered(&t);
    close_reported(&t);
}

static void a_callback_that_registers_itself_has_a_short_past(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx, "function again() { register(again) }\nfunction other() { register(again) }\nother();");
    for (int i = 0; i < 1000; i++)
        call_registered(&t, "setTimeout handler");
    pop(&t);
    static const char expected[] = "again@test.js:1<(setTimeout handler)again@test.js:1<(setTimeout handler)"
                                   "other@test.js:2<@test.js:3";
    assert_run(&t, 500, "setTimeout handler", expected);
    assert_run(&t, 1000, "setTimeout handler", expected);
    assert_true(ubi__timeline_of_tools(t.runtime.tools)->links.n < 10);
    forget_registered(&t);
    close_reported(&t);
}

/* Earlier numbers mean nothing when the target is observed again. */
static void what_was_registered_for_others_is_not_reported(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx, "function sets() { register(() => 1) }\nsets();");
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, false), UBI_OK);
    ubi_quickjs_safe_point(t.runtime.tools);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, true), UBI_OK);
    call_registered(&t, "setTimeout handler");
    pop(&t);
    assert_run(&t, 0, "setTimeout handler", "@test.js:1");
    forget_registered(&t);
    close_reported(&t);
}

/*
 * Nor who waits for promises since then. What nothing of the runtime saw, neither a run, a job nor a safe point, is no end of its
 * observation: who waits is still known, and true.
 */
static void who_waits_since_an_earlier_observation_is_not_reported(void **state) {
    (void)state;
    for (int seen = 0; seen < 2; seen++) {
        told t = open_reported();
        define_functions(t.runtime.ctx);
        test_run(t.runtime.ctx,
                 "function waits(p) { p.then(function reacts() { timeStamp('then') }) }\nwaits(Promise.resolve());\n"
                 "async function f() { await null; timeStamp('await'); await null }\nf();");
        assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, false), UBI_OK);
        if (seen)
            ubi_quickjs_safe_point(t.runtime.tools);
        assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, true), UBI_OK);
        test_run_jobs(t.runtime.rt, 10);
        pop(&t);
        const char *reacts =
            seen ? "reacts@test.js:1" : "reacts@test.js:1<(promise callback)waits@test.js:1<@test.js:2";
        const char *resumes = seen ? "f@test.js:3" : "f@test.js:3<(promise callback)@test.js:4";
        assert_int_equal(count_of(&t, "Javascript"), 3);
        assert_run(&t, 0, "promise callback", reacts);
        assert_run(&t, 1, "promise callback", resumes);
        assert_stack(&t, row_of(&t, "TimeStamp", 0),
                     seen ? "reacts@test.js:1" : "reacts@test.js:1<(Promise)waits@test.js:1<@test.js:2");
        assert_stack(&t, row_of(&t, "TimeStamp", 1), seen ? "f@test.js:3" : "f@test.js:3<(Promise)@test.js:4");
        close_reported(&t);
    }
}

/* The same while another target is still observed, which keeps markers wanted. */
static void observation_that_ends_alone_forgets(void **state) {
    (void)state;
    told t = open_reported(), other = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx, "function sets() { register(() => 1) }\nsets();");
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, false), UBI_OK);
    ubi_quickjs_safe_point(t.runtime.tools);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t.target, true), UBI_OK);
    call_registered(&t, "setTimeout handler");
    pop(&t);
    assert_run(&t, 0, "setTimeout handler", "@test.js:1");
    forget_registered(&t);
    close_reported(&other);
    close_reported(&t);
}

/* Objects at the address of one that was never settled must not be taken for it. */
static void reactions_that_never_run_are_forgotten(void **state) {
    (void)state;
    told t = open_reported();
    test_run(t.runtime.ctx, "for (let i = 0; i < 1000; i++) new Promise(() => {}).then(() => 1);");
    JS_RunGC(t.runtime.rt);
    assert_int_equal(ubi__timeline_of_tools(t.runtime.tools)->waiting.count, 0);
    close_reported(&t);
}

/* More frames than are kept without looking what can go. */
static void stacks_stay_true_when_frames_are_freed(void **state) {
    (void)state;
    told t = open_reported();
    char script[128], expected[64];
    uint64_t generation = ubi__timeline_of_tools(t.runtime.tools)->source.generation;
    define_functions(t.runtime.ctx);
    for (int i = 0; i < 20000; i++) {
        snprintf(script, sizeof script, "(function f%d() { timeStamp('x') })()", i);
        test_run(t.runtime.ctx, script);
        if (i % 5000 != 4999)
            continue;
        pop(&t);
        assert_int_equal(count_of(&t, "TimeStamp"), 5000);
        for (int j = 0; j < 5000; j += 7) {
            snprintf(expected, sizeof expected, "f%d@test.js:1<@test.js:1", i - 4999 + j);
            assert_stack(&t, row_of(&t, "TimeStamp", (size_t)j), expected);
        }
    }
    assert_true(ubi__timeline_of_tools(t.runtime.tools)->source.generation > generation);
    close_reported(&t);
}

/* Also within a run that does not end. */
static void one_run_may_have_more_stacks_than_are_kept(void **state) {
    (void)state;
    told t = open_reported();
    char expected[64];
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx,
             "for (let i = 0; i < 12000; i++) new Function(`(function f${i}() { timeStamp('x') })()`)()");
    pop(&t);
    assert_int_equal(count_of(&t, "TimeStamp"), 12000);
    for (int i = 0; i < 12000; i += 997) {
        snprintf(expected, sizeof expected, "f%d@<input>:3<anonymous@<input>:3<@test.js:1", i);
        assert_stack(&t, row_of(&t, "TimeStamp", (size_t)i), expected);
    }
    assert_true(ubi__tracking_of(t.runtime.tools)->frames.table.n < 24000);
    close_reported(&t);
}

/* ---- console, messages, collections --------------------------------------------------------------------------------- */

static void console_time_has_both_stacks(void **state) {
    (void)state;
    told t = open_reported();
    define_functions(t.runtime.ctx);
    test_run(t.runtime.ctx,
             "function begins() { time('FOO'); time('BAR') }\nfunction ends() { timeEnd('FOO'); timeEnd('BAR') }\n"
             "begins();\nends();\ntimeStamp('');");
    pop(&t);
    size_t foo = row_of(&t, "ConsoleTime", 0), stamp = row_of(&t, "TimeStamp", 0);
    assert_detail(&t, foo, "causeName", "FOO");
    assert_stack(&t, foo, "begins@test.js:1<@test.js:3");
    assert_string_equal(stack_text(&t, ubi_timeline_markers_row(t.markers, foo).end_stack),
                        "ends@test.js:2<@test.js:4");
    assert_detail(&t, row_of(&t, "ConsoleTime", 1), "causeName", "BAR");
    assert_int_equal(ubi_timeline_markers_row(t.markers, stamp).detail_count, 0);
    close_reported(&t);
}

static void messages_are_those_of_a_worker(void **state) {
    (void)state;
    told t = open_reported();
    ubi_quickjs_timeline_begin_message(t.runtime.tools, UBI_WORKER_SERIALIZE_ON_MAIN_THREAD);
    ubi_quickjs_timeline_end_message(t.runtime.tools, UBI_WORKER_SERIALIZE_ON_MAIN_THREAD);
    assert_int_equal(pop(&t), 1);
    assert_true(row_is(&t, 0, "Worker"));
    assert_detail(&t, 0, "workerOperation", "serializeDataOnMainThread");
    close_reported(&t);
}

/* One marker per collection, by the name that it was asked for. */
static void collections_are_reported_once(void **state) {
    (void)state;
    told t = open_reported();
    ubi_target target = ubi_quickjs_target(t.runtime.tools);
    JS_RunGC(t.runtime.rt);
    assert_int_equal(ubi_target_collect_garbage(target), UBI_OK);
    assert_int_equal(ubi_target_collect_cycles(target), UBI_OK);
    assert_int_equal(pop(&t), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(row_is(&t, i, i < 2 ? "GarbageCollection" : "nsCycleCollector::Collect"));
        assert_detail(&t, i, "causeName", "API");
        assert_detail(&t, i, "nonincrementalReason", "GC mode");
        assert_true(detail_of(&t, i, "cycle").number == detail_of(&t, 0, "cycle").number + (double)i);
        ubi_timeline_row row = ubi_timeline_markers_row(t.markers, i);
        assert_true(row.start_ns <= row.end_ns);
    }
    JS_SetGCThreshold(t.runtime.rt, 1);
    test_run(t.runtime.ctx, "({})");
    pop(&t);
    assert_detail(&t, row_of(&t, "GarbageCollection", 0), "causeName", "ALLOC_TRIGGER");
    close_reported(&t);
}

/* ---- without memory ------------------------------------------------------------------------------------------------- */

static void every_allocation_of_the_tools_may_fail(void **state) {
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; n++) {
        fail_allocator failing;
        fail_allocator_init(&failing, FAIL_ALLOCATOR_NEVER);
        ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
        options.allocator = &failing.allocator;
        told t = { .runtime = test_runtime_new_with(&options), .target = new_target() };
        define_functions(t.runtime.ctx);
        failing.n_allowed = failing.n_requests + n;
        if (ubi_quickjs_join_timeline(t.runtime.tools, t.target) == UBI_OK) {
            test_run(t.runtime.ctx, "Promise.resolve().then(function f() { timeStamp('x') }); register(() => 1)");
            test_run_jobs(t.runtime.rt, 10);
            call_registered(&t, "setTimeout handler");
            pop(&t);
            assert_int_equal(count_of(&t, "Javascript"), 3);
            assert_int_equal(count_of(&t, "TimeStamp"), 1);
            done = failing.n_requests <= failing.n_allowed;
        }
        assert_true(n < 1000);
        forget_registered(&t);
        close_reported(&t);
        fail_allocator_fini(&failing);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_reported_before_joining_or_after_leaving),
        cmocka_unit_test(births_are_watched_only_while_observed),
        cmocka_unit_test(runtimes_are_distinguished),
        cmocka_unit_test(a_run_says_what_it_runs),
        cmocka_unit_test(a_run_that_throws_ends),
        cmocka_unit_test(a_reaction_is_held_by_who_waits),
        cmocka_unit_test(an_async_function_continues_for_who_called_it),
        cmocka_unit_test(what_a_program_registers_is_held_by_where),
        cmocka_unit_test(a_callback_that_registers_itself_has_a_short_past),
        cmocka_unit_test(what_was_registered_for_others_is_not_reported),
        cmocka_unit_test(who_waits_since_an_earlier_observation_is_not_reported),
        cmocka_unit_test(observation_that_ends_alone_forgets),
        cmocka_unit_test(reactions_that_never_run_are_forgotten),
        cmocka_unit_test(stacks_stay_true_when_frames_are_freed),
        cmocka_unit_test(one_run_may_have_more_stacks_than_are_kept),
        cmocka_unit_test(console_time_has_both_stacks),
        cmocka_unit_test(messages_are_those_of_a_worker),
        cmocka_unit_test(collections_are_reported_once),
        cmocka_unit_test(every_allocation_of_the_tools_may_fail),
    };
    registered_function = JS_UNDEFINED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
