/* SPDX-License-Identifier: MIT
 *
 * Where objects were allocated: who is tracked when, and whether the frames are right.
 */
#include "engine_facts.h"
#include "engines/quickjs/tracking_testing.h"

/* Case 1. */
static void tracking_is_off_at_first_and_marks_while_it_is_on(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    row r;
    assert_false(ubi_quickjs_observer_tracking(o));
    eval(w.ctx, "a.js", "var before = {};");
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    assert_true(ubi_quickjs_observer_tracking(o));
    eval(w.ctx, "a.js", "\n\nvar during = {};");
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, false), UBI_OK);
    eval(w.ctx, "a.js", "var after = {};");
    assert_false(site_of(&w, w.ctx, "before", &r));
    assert_false(site_of(&w, w.ctx, "after", &r));
    assert_true(site_of(&w, w.ctx, "during", &r));
    assert_true(r.has_frame);
    assert_int_equal(r.line, 3);
    assert_string_equal(r.file, "a.js");
    assert_false(r.has_function);
    assert_int_equal(r.column, engine_column(14));
    world_close(&w);
}

/* Case 2. */
static void two_observers_track_one_realm(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *a = track(&w, w.ctx), *b = track(&w, w.ctx);
    eval(w.ctx, "a.js", "var x = {};");
    row r;
    assert_true(site_of(&w, w.ctx, "x", &r));
    rows of_a = drain(a), of_b = drain(b);
    assert_int_equal(of_a.n, of_b.n);
    assert_true(of_a.n >= 1);
    ubi_quickjs_observer_free(a);
    eval(w.ctx, "a.js", "var y = {};");
    assert_true(site_of(&w, w.ctx, "y", &r));
    ubi_quickjs_observer_free(b);
    eval(w.ctx, "a.js", "var z = {};");
    assert_false(site_of(&w, w.ctx, "z", &r));
    free(of_a.at);
    free(of_b.at);
    world_close(&w);
}

/* Cases 3, 16, 17. */
static void debuggees_come_and_go_while_tracking(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JSContext *other = JS_NewContext(w.rt);
    ubi_quickjs_observer *o = track(&w, NULL);
    row r;
    eval(w.ctx, "a.js", "var x = {};");
    assert_false(site_of(&w, w.ctx, "x", &r));
    assert_int_equal(ubi_quickjs_observer_add_realm(o, w.ctx), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_add_realm(o, w.ctx), UBI_OK);
    eval(w.ctx, "a.js", "var x = {};");
    eval(other, "b.js", "var x = {};");
    assert_true(site_of(&w, w.ctx, "x", &r));
    assert_false(site_of(&w, other, "x", &r));
    assert_int_equal(ubi_quickjs_observer_add_realm(o, other), UBI_OK);
    JSContext *realms[3] = { NULL, NULL, NULL };
    assert_int_equal(ubi_quickjs_observer_realms(o, realms, 3), 2);
    assert_ptr_equal(realms[0], w.ctx);
    assert_ptr_equal(realms[1], other);
    eval(other, "b.js", "\nx = {};");
    assert_true(site_of(&w, other, "x", &r));
    assert_int_equal(r.line, 2);
    uint32_t logged = ubi_quickjs_observer_log_length(o);
    ubi_quickjs_observer_remove_realm(o, w.ctx);
    assert_false(ubi_quickjs_observer_has_realm(o, w.ctx));
    ubi_quickjs_observer_remove_realm(o, other);
    ubi_quickjs_observer_remove_realm(o, other);
    eval(w.ctx, "a.js", "x = {};");
    assert_false(site_of(&w, w.ctx, "x", &r));
    assert_int_equal(ubi_quickjs_observer_log_length(o), logged);
    JS_FreeContext(other);
    world_close(&w);
}

static uint32_t foreign_births;
static void count_foreign(void *payload, uint64_t object_id) {
    assert_true(object_id != 0);
    foreign_births++;
    assert_string_equal((const char *)payload, "mine");
}

/* Case 4. */
static void a_foreign_hook_keeps_observers_out_all_or_nothing(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JSContext *other = JS_NewContext(w.rt);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    row r;
    foreign_births = 0;
    assert_int_equal(ubi_quickjs_observer_add_realm(o, other), UBI_OK);
    assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, other, count_foreign, (void *)"mine"), UBI_OK);
    assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, other, count_foreign, NULL), UBI_EBUSY);
    eval(w.ctx, "a.js", "var x = {}; function f() { return {}; }");
    assert_int_equal(foreign_births, 0);
    eval(other, "b.js", "var x = [{}, {}, {}];");
    assert_true(foreign_births >= 4);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_EBUSY);
    assert_false(ubi_quickjs_observer_tracking(o));
    eval(w.ctx, "a.js", "x = {};");
    assert_false(site_of(&w, w.ctx, "x", &r));
    ubi_quickjs_observer_remove_realm(o, other);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_add_realm(o, other), UBI_EBUSY);
    assert_false(ubi_quickjs_observer_has_realm(o, other));
    eval(w.ctx, "a.js", "x = {};");
    assert_true(site_of(&w, w.ctx, "x", &r));
    uint32_t before = foreign_births;
    eval(other, "b.js", "x = {};");
    assert_true(foreign_births > before);
    assert_false(site_of(&w, other, "x", &r));
    assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, other, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_quickjs_set_allocation_hook(w.tools, w.ctx, count_foreign, NULL), UBI_EBUSY);
    assert_int_equal(ubi_quickjs_observer_add_realm(o, other), UBI_OK);
    eval(other, "b.js", "x = {};");
    assert_true(site_of(&w, other, "x", &r));
    JS_FreeContext(other);
    world_close(&w);
}

static void sites_outlive_tracking_and_their_observer(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    eval(w.ctx, "keep.js", "function make() {\n  return {};\n}\nvar kept = make();");
    ubi_quickjs_observer_free(o);
    eval(w.ctx, "more.js", "make = null;");
    JS_RunGC(w.rt);
    row r;
    assert_true(site_of(&w, w.ctx, "kept", &r));
    assert_string_equal(r.file, "keep.js");
    assert_string_equal(r.function, "make");
    assert_int_equal(r.line, 2);
    assert_int_equal(r.depth, 2);
    world_close(&w);
}

static void an_object_without_script_has_a_site_without_frame(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    bool has_frame = true;
    ubi_stack stack;
    JSValue made = JS_NewObject(w.ctx);
    assert_true(ubi_quickjs_allocation_site(w.tools, made, &has_frame, &stack));
    assert_false(has_frame);
    rows all = drain(o);
    assert_int_equal(all.n, 1);
    assert_false(all.at[0].has_frame);
    assert_string_equal(all.at[0].class_name, "Object");
    free(all.at);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, false), UBI_OK);
    JSValue untracked = JS_NewObject(w.ctx);
    assert_false(ubi_quickjs_allocation_site(w.tools, untracked, &has_frame, &stack));
    assert_false(ubi_quickjs_allocation_site(w.tools, JS_NewInt32(w.ctx, 7), &has_frame, &stack));
    JS_FreeValue(w.ctx, made);
    JS_FreeValue(w.ctx, untracked);
    world_close(&w);
}

/* Without a script the prototype says whose object it is; with one, the running function. */
static void an_allocation_belongs_to_the_realm_of_the_running_function(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JSContext *other = JS_NewContext(w.rt);
    ubi_quickjs_observer *o = track(&w, other);
    JSValue mine = JS_NewObject(w.ctx), theirs = JS_NewObject(other);
    bool has_frame;
    ubi_stack stack;
    row r;
    assert_false(ubi_quickjs_allocation_site(w.tools, mine, &has_frame, &stack));
    assert_true(ubi_quickjs_allocation_site(w.tools, theirs, &has_frame, &stack));
    JS_FreeValue(w.ctx, mine);
    JS_FreeValue(other, theirs);
    /* A function of the other realm that this one calls. */
    eval(other, "other.js", "function make() {\n return {};\n}");
    JSValue global = JS_GetGlobalObject(w.ctx);
    JS_SetPropertyStr(w.ctx, global, "make", global_value(other, "make"));
    JS_FreeValue(w.ctx, global);
    eval(w.ctx, "main.js", "var a = make();\nvar b = {};");
    assert_true(site_of(&w, w.ctx, "a", &r));
    assert_string_equal(r.file, "other.js");
    assert_int_equal(r.depth, 2);
    assert_false(site_of(&w, w.ctx, "b", &r));
    eval(w.ctx, "main.js", "make = a = null");
    ubi_quickjs_observer_free(o);
    JS_FreeContext(other);
    world_close(&w);
}

static void a_realm_that_dies_is_nobodys_debuggee(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    for (int i = 0; i < 20; i++) {
        JSContext *other = JS_NewContext(w.rt);
        assert_int_equal(ubi_quickjs_observer_add_realm(o, other), UBI_OK);
        assert_int_equal(ubi_quickjs_observer_realms(o, NULL, 0), 2);
        eval(other, "o.js", "globalThis.x = {}");
        JS_FreeContext(other);
        JS_RunGC(w.rt);
        assert_int_equal(ubi_quickjs_observer_realms(o, NULL, 0), 1);
    }
    assert_true(ubi_quickjs_observer_has_realm(o, w.ctx));
    eval(w.ctx, "a.js", "var x = {};");
    row r;
    assert_true(site_of(&w, w.ctx, "x", &r));
    world_close(&w);
}

static void equal_stacks_have_equal_numbers_and_others_have_not(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    track(&w, w.ctx);
    eval(w.ctx, "a.js",
         "function make() { return {}; }\n"
         "function both() {\n  var r = [];\n  for (var i = 0; i < 2; i++)\n    r.push(make());\n"
         "  r.push(make());\n  return r;\n}\n"
         "var [a, b, c] = both();");
    row a, b, c;
    assert_true(site_of(&w, w.ctx, "a", &a) && site_of(&w, w.ctx, "b", &b) && site_of(&w, w.ctx, "c", &c));
    assert_true(a.stack == b.stack);
    assert_true(a.stack != c.stack);
    assert_int_equal(a.depth, 3);
    assert_string_equal(a.function, "make");
    world_close(&w);
}

/* Each on a line of its own, so that the line says which. What the engine stores for itself is not enough for any of these. */
static const char *const places[][2] = {
    { "{}", "Object" },
    { "[]", "Array" },
    { "[1, 2, 3]", "Array" },
    { "function () {}", "Function" },
    { "(() => 1)", "Function" },
    { "/x/", "RegExp" },
    { "class {}", "Function" },
    { "(function () { return arguments; })()", "Arguments" },
    { "(function (...rest) { return rest; })(1)", "Array" },
    { "[...[1, 2]]", "Array" },
    { "({...{a: 1}})", "Object" },
    { "new Map()", "Map" },
    { "new Date()", "Date" },
    { "new Array(3)", "Array" },
    { "new Error('e')", "Error" },
    { "new Int8Array(4)", "Int8Array" },
    { "Promise.resolve(1)", "Promise" },
    { "new Proxy({}, {})", "Proxy" },
    { "Object(1)", "Number" },
    { "({get made() { return {}; }}).made", "Object" },
    { "({valueOf() { return globalThis.seen = {}; }}) + 1, seen", "Object" },
    { "(function* () {})()", "Generator" },
};

static void every_kind_of_allocation_is_at_its_own_line(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    track(&w, w.ctx);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char source[400];
        snprintf(source, sizeof source,
                 "function f(n) {\n  var early = Math.max(1, 2);\n  if (n > early)\n    return f(n - 1);\n"
                 "  var unused = n;\n  return (%s);\n}\nglobalThis.x = f(4);",
                 places[i][0]);
        eval(w.ctx, "places.js", source);
        row r;
        if (!site_of(&w, w.ctx, "x", &r) || r.line != 6)
            fail_msg("%s: line %u", places[i][0], r.line);
        JSValue value = global_value(w.ctx, "x");
        JS_FreeValue(w.ctx, value);
        assert_true(r.depth >= 4);
    }
    world_close(&w);
}

static bool has_frame_line(ubi_stack stack, const char *function, uint32_t line) {
    do {
        ubi_frame frame;
        ubi_stack_frame(stack, &frame);
        if (frame.function_name.len == strlen(function) &&
            memcmp(frame.function_name.ptr, function, strlen(function)) == 0)
            return frame.line == line;
    } while (ubi_stack_parent(stack, &stack));
    return false;
}

static ubi_quickjs_observer *observer_begun;

static JSValue begin_tracking(JSContext *ctx, JSValueConst this_value, int argc, JSValueConst *argv) {
    (void)this_value, (void)argc, (void)argv;
    assert_int_equal(ubi_quickjs_observer_add_realm(observer_begun, ctx), UBI_OK);
    return JS_UNDEFINED;
}

/* What is made by `call` in line 9, which gets to made() somehow. Nothing else in that line stores a place. */
static void check_caller(const char *call, bool is_tracking) {
    world w = world_open(NULL);
    char source[1200];
    JSValue global = JS_GetGlobalObject(w.ctx);
    JS_SetPropertyStr(w.ctx, global, "begin", JS_NewCFunction(w.ctx, begin_tracking, "begin", 0));
    JS_FreeValue(w.ctx, global);
    observer_begun = track(&w, is_tracking ? w.ctx : NULL);
    snprintf(source, sizeof source,
             "var x;\nfunction made() { begin(); x = {}; return 1; }\n"
             "var o = { get getter() { return made(); }, set setter(v) { made(); }, valueOf() { return made(); },\n"
             "  toString() { return '' + made(); }, method() { made(); }, C: function () { made(); },\n"
             "  P: new Proxy(function () { }, { get() { made(); return Object.prototype; } }), [Symbol.iterator]() { "
             "made(); return [][Symbol.iterator](); } };\n"
             "function caller(o) {\n  Math.max(1), {};\n  var a = [{}, function () { }], p = o.P;\n  %s;\n  a = "
             "[];\n}\ncaller(o);",
             call);
    eval(w.ctx, "calls.js", source);
    JSValue x = global_value(w.ctx, "x");
    bool has_frame;
    ubi_stack stack;
    assert_true(ubi_quickjs_allocation_site(w.tools, x, &has_frame, &stack) && has_frame);
    if (!has_frame_line(stack, "caller", 9))
        fail_msg("%s: the caller is elsewhere", call);
    JS_FreeValue(w.ctx, x);
    world_close(&w);
}

/*
 * The caller's line too, when what calls is no call: getters, setters, iteration, conversions; and also when nothing was watched
 * until after the call.
 */
static void callers_stand_where_they_call(void **state) {
    UNUSED_STATE(state);
    static const char *const calls[] = {
        "o.getter",          "o.setter = 1", "o + ''",           "o * 2",    "o < 1",
        "for (var q of o);", "-o",           "[...o]",           "o == 1",   "`${o}`",
        "new o.C()",         "o.method()",   "o['get' + 'ter']", "({...o})", "class D extends p { }"
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        check_caller(calls[i], true);
        check_caller(calls[i], false);
    }
}

static void names_of_functions_and_files(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    track(&w, w.ctx);
    eval(w.ctx, "d\xc3\xa9j\xc3\xa0 \xf0\x9f\x98\x80.js",
         "var plain = (function () { return {}; })();\n"
         "var arrow = (() => ({}))();\n"
         "var named = function () { return {}; }; var inferred = named();\n"
         "var \xce\xbb"
         "ambda = function () { return {}; }; var greek = \xce\xbb"
         "ambda();\n"
         "class K { constructor() { this.v = {}; } m() { return {}; } static [1]() { return {}; } }\n"
         "var built = new K().v; var method = new K().m(); var one = K[1]();\n"
         "var bound = named.bind(null)();\n"
         "var evaled = eval('({})');\n"
         "var compiled = new Function('return {}')();\n");
    row r;
    struct {
        const char *variable, *function;
    } expected[] = { { "plain", NULL },
                     { "arrow", NULL },
                     { "inferred", "named" },
                     { "greek", "\xce\xbb"
                                "ambda" },
                     { "built", "K" },
                     { "method", "m" },
                     { "one", "1" },
                     { "bound", "named" },
                     { "evaled", NULL },
                     { "compiled", "anonymous" } };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_true(site_of(&w, w.ctx, expected[i].variable, &r));
        if (r.has_function != (expected[i].function != NULL) ||
            (expected[i].function && strcmp(r.function, expected[i].function) != 0))
            fail_msg("%s: %s", expected[i].variable, r.function);
        if (i < 8)
            assert_true(i == 8 || strcmp(r.file, "d\xc3\xa9j\xc3\xa0 \xf0\x9f\x98\x80.js") == 0 || i == 8);
    }
    world_close(&w);
}

static void generators_and_async_functions_are_frames(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    track(&w, w.ctx);
    eval(w.ctx, "g.js",
         "function* g() {\n  yield 1;\n  yield {};\n}\nvar it = g();\nit.next();\nvar x = it.next().value;\n"
         "var y; async function a() {\n  await 1;\n  y = {};\n}\na();");
    row r;
    assert_true(site_of(&w, w.ctx, "x", &r));
    assert_string_equal(r.function, "g");
    assert_int_equal(r.line, 3);
    assert_int_equal(r.depth, 2);
    JSContext *ctx;
    while (JS_ExecutePendingJob(w.rt, &ctx) > 0)
        ;
    assert_true(site_of(&w, w.ctx, "y", &r));
    assert_string_equal(r.function, "a");
    assert_int_equal(r.line, 10);
    assert_int_equal(r.depth, 1);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracking_is_off_at_first_and_marks_while_it_is_on),
        cmocka_unit_test(two_observers_track_one_realm),
        cmocka_unit_test(debuggees_come_and_go_while_tracking),
        cmocka_unit_test(a_foreign_hook_keeps_observers_out_all_or_nothing),
        cmocka_unit_test(sites_outlive_tracking_and_their_observer),
        cmocka_unit_test(an_object_without_script_has_a_site_without_frame),
        cmocka_unit_test(an_allocation_belongs_to_the_realm_of_the_running_function),
        cmocka_unit_test(a_realm_that_dies_is_nobodys_debuggee),
        cmocka_unit_test(equal_stacks_have_equal_numbers_and_others_have_not),
        cmocka_unit_test(every_kind_of_allocation_is_at_its_own_line),
        cmocka_unit_test(callers_stand_where_they_call),
        cmocka_unit_test(names_of_functions_and_files),
        cmocka_unit_test(generators_and_async_functions_are_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
