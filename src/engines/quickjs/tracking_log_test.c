/* SPDX-License-Identifier: MIT
 *
 * The allocation log: order, limits, what its entries say, and that draining is robust.
 */
#include "engines/quickjs/tracking_testing.h"

/* Case 7. */
static void the_log_overflows_beyond_its_limit_only(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    eval(w.ctx, "a.js", "var keep = []; function make(n) { for (var i = 0; i < n; i++) keep.push({}); }");
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_log_limit(o), UBI_QUICKJS_LOG_LENGTH);
    assert_int_equal(UBI_QUICKJS_LOG_LENGTH, 5000);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 1), UBI_OK);
    eval(w.ctx, "b.js", "make(4)");
    assert_true(ubi_quickjs_observer_log_overflowed(o));
    assert_int_equal(ubi_quickjs_observer_log_length(o), 1);
    forget_log(o);
    assert_false(ubi_quickjs_observer_log_overflowed(o));
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 10000), UBI_OK);
    eval(w.ctx, "b.js", "make(4)");
    assert_false(ubi_quickjs_observer_log_overflowed(o));
    world_close(&w);
}

/* Each element is one object; where evaluating makes others, they come before. */
static void make_objects(world *w, const char *call) {
    eval(w->ctx, "call.js", call);
}

static void the_limit_is_exact(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 3), UBI_OK);
    for (uint32_t n = 1; n <= 4; n++) {
        JSValue made = JS_NewObject(w.ctx);
        JS_FreeValue(w.ctx, made);
        assert_int_equal(ubi_quickjs_observer_log_length(o), n < 3 ? n : 3);
        assert_int_equal(ubi_quickjs_observer_log_overflowed(o), n == 4);
    }
    world_close(&w);
}

/* Cases 8 and 9. */
static void a_lower_limit_drops_the_oldest_at_once(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    make_objects(&w, "var l1 = {};\nvar l2 = {};\nvar l3 = {};\nvar l4 = {};\nvar l5 = {};");
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 0), UBI_EINVAL);
    assert_int_equal(ubi_quickjs_observer_log_limit(o), 5000);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 3), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_log_length(o), 3);
    assert_false(ubi_quickjs_observer_log_overflowed(o));
    rows all = drain(o);
    assert_int_equal(all.n, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(all.at[i].line, 3 + i);
    free(all.at);
    make_objects(&w, "l1 = {};\nl2 = {};\nl3 = {};\nl4 = {};"); /* case 23 */
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 2), UBI_OK);
    all = drain(o);
    assert_int_equal(all.n, 2);
    assert_int_equal(all.at[0].line, 3);
    assert_int_equal(all.at[1].line, 4);
    free(all.at);
    world_close(&w);
}

/* Case 23, the other way round. */
static void the_newest_entries_are_kept(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 2), UBI_OK);
    make_objects(&w, "var l1 = {};\nvar l2 = {};\nvar l3 = {};\nvar l4 = {};");
    rows all = drain(o);
    assert_int_equal(all.n, 2);
    assert_int_equal(all.at[0].line, 3);
    assert_int_equal(all.at[1].line, 4);
    free(all.at);
    world_close(&w);
}

/* Case 10. */
static void entries_come_in_the_order_of_allocation(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    make_objects(&w, "this.alloc = {};\nthis.alloc2 = {};\nthis.alloc3 = {};");
    rows all = drain(o);
    uint32_t at = 0;
    for (uint32_t line = 1; line <= 3; line++) {
        at = find_row(&all, at, "Object", line);
        assert_true(at != UBI_NONE);
    }
    free(all.at);
    world_close(&w);
}

/* Cases 11 to 14. */
static void draining_needs_tracking_and_empties(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    rows none = { .at = NULL };
    assert_int_equal(ubi_quickjs_observer_drain(o, take_row, &none), UBI_ESTATE);
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    none = drain(o);
    assert_int_equal(none.n, 0);
    make_objects(&w, "var a = {};");
    rows first = drain(o);
    make_objects(&w, "\nvar b = {};");
    rows second = drain(o);
    assert_true(find_row(&first, 0, "Object", 1) != UBI_NONE && find_row(&first, 0, "Object", 2) == UBI_NONE);
    assert_true(find_row(&second, 0, "Object", 2) != UBI_NONE && find_row(&second, 0, "Object", 1) == UBI_NONE);
    none = drain(o);
    assert_int_equal(none.n, 0);
    make_objects(&w, "var c = {};");
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, false), UBI_OK);
    assert_int_equal(ubi_quickjs_observer_log_length(o), 0);
    make_objects(&w, "var d = {};");
    assert_int_equal(ubi_quickjs_observer_drain(o, take_row, &none), UBI_ESTATE);
    assert_int_equal(none.n, 0);
    free(first.at);
    free(second.at);
    world_close(&w);
}

/* Section 5: the flag outlives turning tracking off and on. */
static void the_flag_is_cleared_by_draining_alone(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 1), UBI_OK);
    make_objects(&w, "[{}, {}]");
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, false), UBI_OK);
    assert_true(ubi_quickjs_observer_log_overflowed(o));
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, true), UBI_OK);
    assert_true(ubi_quickjs_observer_log_overflowed(o));
    forget_log(o);
    assert_false(ubi_quickjs_observer_log_overflowed(o));
    world_close(&w);
}

/* Cases 15 and 19. */
static void classes_and_constructors_are_named(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    make_objects(&w, "function Ctor() {}\nclass Base {}\nclass Derived extends Base {}\nvar Anonymous = class {};\n"
                     "var all = [];\n"
                     "all.push({});\nall.push([]);\nall.push(/x/);\nall.push(new Ctor);\nall.push(new Object);\n"
                     "all.push(new Array);\nall.push(new Date);\nall.push(new Derived);\nall.push(new Int8Array(3));\n"
                     "all.push(new Promise(() => 0));\nall.push(new Map);\nall.push(new Error('e'));\n"
                     "all.push(new Proxy({}, {}));\nall.push(Object.create(Ctor.prototype));\n"
                     "all.push(new (Ctor.bind(null)));\nall.push(Reflect.construct(Base, [], Ctor));\n"
                     "all.push(new Anonymous);\nall.push(Array.of(1));\nall.push(Array(2));\n"
                     "all.push((function* gen() {})());\n");
    JS_RunGC(w.rt);
    rows all = drain(o);
    struct {
        uint32_t line;
        const char *class_name, *constructor;
    } expected[] = { { 6, "Object", NULL },        { 7, "Array", NULL },          { 8, "RegExp", NULL },
                     { 9, "Object", "Ctor" },      { 10, "Object", "Object" },    { 11, "Array", "Array" },
                     { 12, "Date", "Date" },       { 3, "Object", "Derived" },    { 14, "Int8Array", "Int8Array" },
                     { 15, "Promise", "Promise" }, { 16, "Map", "Map" },          { 17, "Error", "Error" },
                     { 18, "Proxy", "Proxy" },     { 19, "Object", NULL },        { 20, "Object", "Ctor" },
                     { 21, "Object", "Ctor" },     { 22, "Object", "Anonymous" }, { 24, "Array", NULL },
                     { 25, "Generator", NULL } };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        const row *r = need_row(&all, expected[i].class_name, expected[i].line);
        uint32_t at = (uint32_t)(r - all.at), next; /* a prototype may be made first, at the same place */
        while ((next = find_row(&all, at + 1, expected[i].class_name, expected[i].line)) != UBI_NONE)
            r = &all.at[at = next];
        bool same = r->has_constructor == (expected[i].constructor != NULL) &&
                    (!expected[i].constructor || strcmp(r->constructor, expected[i].constructor) == 0);
        if (!same)
            fail_msg("line %u: %s", expected[i].line, r->has_constructor ? r->constructor : "no constructor");
        assert_true(r->size > 0);
    }
    free(all.at);
    world_close(&w);
}

/* The engine makes only objects known: no strings, symbols, numbers. */
static void only_objects_are_logged(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    eval(w.ctx, "a.js",
         "function f(n) { var s = 'x' + n, y = Symbol(s), b = 12345678901234567890n * 3n; return s + b; }");
    ubi_quickjs_observer *o = track(&w, w.ctx);
    JSValue f = global_value(w.ctx, "f"), n = JS_NewInt32(w.ctx, 3);
    JS_FreeValue(w.ctx, JS_Call(w.ctx, f, JS_UNDEFINED, 1, &n));
    JS_FreeValue(w.ctx, f);
    assert_int_equal(ubi_quickjs_observer_log_length(o), 0);
    world_close(&w);
}

/* Case 18. */
static uint64_t tick(void *payload) {
    return *(uint64_t *)payload += 250;
}

static void timestamps_never_decrease(void **state) {
    UNUSED_STATE(state);
    uint64_t now_us = 1000;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.clock_us = tick;
    options.clock_payload = &now_us;
    for (int injected = 0; injected < 2; injected++) {
        world w = world_open(injected ? &options : NULL);
        ubi_quickjs_observer *o = track(&w, w.ctx);
        assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 100000), UBI_OK);
        make_objects(&w, "for (var i = 0; i < 40000; i++) ({});");
        rows all = drain(o);
        assert_true(all.n >= 40000);
        for (uint32_t i = 1; i < all.n; i++)
            assert_true(all.at[i].time_ms >= all.at[i - 1].time_ms &&
                        (!injected || all.at[i].time_ms == all.at[i - 1].time_ms + .25));
        assert_true(all.at[0].time_ms > 0);
        assert_true(all.at[all.n - 1].time_ms > all.at[0].time_ms);
        free(all.at);
        world_close(&w);
    }
}

/* The counter of the processor and the system agree: entries lie between two looks at the clock. */
static void timestamps_are_those_of_the_clock(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    for (int i = 0; i < 200; i++) {
        double before_ms = (double)ubi_process_clock_ns() / 1e6;
        make_objects(&w, "for (var i = 0; i < 300; i++) ({});");
        double after_ms = (double)ubi_process_clock_ns() / 1e6;
        rows all = drain(o);
        for (uint32_t k = 0; k < all.n; k++)
            if (all.at[k].time_ms < before_ms - .1 || all.at[k].time_ms > after_ms + .1)
                fail_msg("%f is not between %f and %f", all.at[k].time_ms, before_ms, after_ms);
        free(all.at);
    }
    world_close(&w);
}

/* Case 21. */
static void sizes_are_of_now_while_the_object_lives(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    make_objects(&w, "var grown = [];\nvar small = [];\n(function () { var dead = []; dead[9999] = 1; })();\n"
                     "for (var i = 0; i < 1000; i++) grown.push(i);");
    rows all = drain(o);
    const row *grown = need_row(&all, "Array", 1), *small = need_row(&all, "Array", 2),
              *dead = need_row(&all, "Array", 3);
    assert_true(grown->size >= 16 * 1000);
    assert_true(small->size >= sizeof(void *) * 8 && small->size < 200);
    assert_true(dead->size >= sizeof(void *) * 8 && dead->size < 200);
    free(all.at);
    world_close(&w);
}

/* An address comes back at once: the entry of the dead object must not be taken for the one that lives there now. */
static void a_reused_address_is_another_object(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    uint64_t addresses[2];
    for (int i = 0; i < 2; i++) {
        JSValue made = JS_NewArray(w.ctx);
        addresses[i] = (uintptr_t)JS_VALUE_GET_PTR(made);
        if (i == 1)
            for (uint32_t k = 0; k < 1000; k++)
                JS_SetPropertyUint32(w.ctx, made, k, JS_NewInt32(w.ctx, 1));
        if (i == 0)
            JS_FreeValue(w.ctx, made);
        else
            JS_SetPropertyStr(w.ctx, made, "self", JS_NewInt32(w.ctx, 1)), assert_true(JS_IsObject(made));
        if (i == 1) {
            rows all = drain(o);
            assert_int_equal(all.n, 2);
            if (addresses[0] == addresses[1])
                assert_true(all.at[0].size < 200);
            assert_true(all.at[1].size >= 16000);
            free(all.at);
            JS_FreeValue(w.ctx, made);
        }
    }
    /* Untracked objects at addresses of tracked ones are untracked. */
    bool has_frame;
    ubi_stack stack;
    for (int i = 0; i < 1000; i++)
        JS_FreeValue(w.ctx, JS_NewObject(w.ctx));
    assert_int_equal(ubi_quickjs_observer_set_tracking(o, false), UBI_OK);
    JSValue fresh[100];
    for (int i = 0; i < 100; i++) {
        fresh[i] = JS_NewObject(w.ctx);
        assert_false(ubi_quickjs_allocation_site(w.tools, fresh[i], &has_frame, &stack));
    }
    for (int i = 0; i < 100; i++)
        JS_FreeValue(w.ctx, fresh[i]);
    world_close(&w);
}

static void a_refused_entry_and_the_later_ones_stay(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 5), UBI_OK);
    make_objects(&w, "var a = {};\nvar b = {};\nvar c = {};\nvar d = {};\nvar e = {};\nvar f = {};");
    rows some = { .stop_at = 2 };
    assert_int_equal(ubi_quickjs_observer_drain(o, take_row, &some), UBI_OK);
    assert_int_equal(some.n, 2);
    assert_int_equal(ubi_quickjs_observer_log_length(o), 3);
    assert_true(ubi_quickjs_observer_log_overflowed(o));
    rows rest = drain(o);
    assert_int_equal(rest.n, 3);
    assert_int_equal(some.at[1].line + 1, rest.at[0].line);
    assert_false(ubi_quickjs_observer_log_overflowed(o));
    free(some.at);
    free(rest.at);
    world_close(&w);
}

/* What is called while draining may run scripts of debuggees, stop tracking, or drain itself. */
typedef struct meddler {
    world *w;
    ubi_quickjs_observer *o;
    int how;
    uint32_t n;
} meddler;

static bool meddle(void *payload, const ubi_quickjs_allocation *a) {
    meddler *m = (meddler *)payload;
    assert_non_null(a->class_name.ptr);
    if (++m->n > 1000)
        return false;
    if (m->how == 0)
        eval(m->w->ctx, "during.js", "for (var i = 0; i < 20; i++) ({});");
    else if (m->how == 1)
        ubi_quickjs_observer_set_tracking(m->o, false);
    else
        forget_log(m->o);
    if (!a->has_frame) /* the script itself */
        return true;
    ubi_frame frame;
    ubi_stack_frame(a->frame, &frame);
    assert_memory_equal(a->class_name.ptr, "Object", 6);
    assert_memory_equal(frame.source.ptr, "call.js", 7);
    return true;
}

static void draining_survives_what_happens_meanwhile(void **state) {
    UNUSED_STATE(state);
    for (int how = 0; how < 3; how++) {
        world w = world_open(NULL);
        ubi_quickjs_observer *o = track(&w, w.ctx);
        assert_int_equal(ubi_quickjs_observer_set_log_limit(o, 30), UBI_OK);
        make_objects(&w, "for (var i = 0; i < 10; i++) ({});");
        meddler m = { &w, o, how, 0 };
        assert_int_equal(ubi_quickjs_observer_drain(o, meddle, &m), UBI_OK);
        assert_true(m.n >= 1 && m.n <= 12);
        assert_int_equal(ubi_quickjs_observer_log_length(o), how == 0 ? 30 : 0);
        world_close(&w);
    }
}

/* Case 22. */
static void collections_between_logging_and_draining_change_nothing(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = track(&w, w.ctx);
    make_objects(&w, "for (var i = 0; i < 100; i++) { var a = {}; a.self = a; }\na = null;");
    uint32_t before = ubi_quickjs_observer_log_length(o);
    JS_RunGC(w.rt);
    assert_int_equal(ubi_quickjs_observer_log_length(o), before);
    rows all = drain(o);
    assert_true(all.n >= 100);
    free(all.at);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_overflows_beyond_its_limit_only),
        cmocka_unit_test(the_limit_is_exact),
        cmocka_unit_test(a_lower_limit_drops_the_oldest_at_once),
        cmocka_unit_test(the_newest_entries_are_kept),
        cmocka_unit_test(entries_come_in_the_order_of_allocation),
        cmocka_unit_test(draining_needs_tracking_and_empties),
        cmocka_unit_test(the_flag_is_cleared_by_draining_alone),
        cmocka_unit_test(classes_and_constructors_are_named),
        cmocka_unit_test(only_objects_are_logged),
        cmocka_unit_test(timestamps_never_decrease),
        cmocka_unit_test(timestamps_are_those_of_the_clock),
        cmocka_unit_test(sizes_are_of_now_while_the_object_lives),
        cmocka_unit_test(a_reused_address_is_another_object),
        cmocka_unit_test(a_refused_entry_and_the_later_ones_stay),
        cmocka_unit_test(draining_survives_what_happens_meanwhile),
        cmocka_unit_test(collections_between_logging_and_draining_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
