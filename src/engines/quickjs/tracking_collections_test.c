/* SPDX-License-Identifier: MIT
 *
 * Collections reported at safe points, and requests of others.
 */
#include "engines/quickjs/tracking_testing.h"

typedef struct told {
    ubi_quickjs_observer *observer;
    world *w;
    uint32_t n, depth;
    uint32_t collect_until; /* its hook collects until it was called so often */
    bool must_free_itself;
    ubi_quickjs_observer *free_other;
    ubi_quickjs_collection last;
    uint64_t cycles[64];
    double started_ms;
} told;

static void on_collection(void *payload, const ubi_quickjs_collection *c) {
    told *t = (told *)payload;
    assert_int_equal(t->depth++, 0);
    assert_string_equal(c->nonincremental_reason, "GC mode");
    assert_true(c->start_ms <= c->end_ms);
    assert_true(c->start_ms >= t->started_ms);
    t->started_ms = c->start_ms;
    assert_true(t->n == 0 || c->cycle_number > t->last.cycle_number);
    t->last = *c;
    if (t->n < 64)
        t->cycles[t->n] = c->cycle_number;
    t->n++;
    if (t->n < t->collect_until)
        JS_RunGC(t->w->rt);
    if (t->free_other) {
        ubi_quickjs_observer_free(t->free_other);
        t->free_other = NULL;
    }
    t->depth--;
    if (t->must_free_itself)
        ubi_quickjs_observer_free(t->observer);
}

static told listen(world *w, ubi_quickjs_observer *o) {
    return (told){ .observer = o, .w = w };
}

/* Case 26. */
static void a_collection_is_reported_at_the_next_safe_point(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    told t = listen(&w, o);
    ubi_quickjs_observer_on_collection(o, on_collection, &t);
    assert_false(ubi_quickjs_safe_point(w.tools));
    JS_RunGC(w.rt);
    assert_int_equal(t.n, 0);
    ubi_quickjs_interrupt(w.tools);
    assert_int_equal(t.n, 0);
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(t.n, 1);
    assert_string_equal(t.last.reason, "API");
    assert_false(ubi_quickjs_safe_point(w.tools));
    JS_RunGC(w.rt);
    JS_RunGC(w.rt);
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(t.n, 3);
    assert_int_equal(t.cycles[2], t.cycles[1] + 1);
    ubi_quickjs_observer_on_collection(o, NULL, NULL); /* case 30 */
    JS_RunGC(w.rt);
    assert_false(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(t.n, 3);
    world_close(&w);
}

static void the_engines_own_collections_are_reported_as_such(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    told t = listen(&w, o);
    ubi_quickjs_observer_on_collection(o, on_collection, &t);
    JS_SetGCThreshold(w.rt, 1);
    eval(w.ctx, "a.js", "({})");
    JS_SetGCThreshold(w.rt, (size_t)-1);
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_true(t.n >= 1);
    assert_string_equal(t.last.reason, "ALLOC_TRIGGER");
    world_close(&w);
}

/* Case 27. */
static void without_debuggees_nothing_is_reported(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *none = observe(&w, NULL), *some = observe(&w, w.ctx);
    told a = listen(&w, none), b = listen(&w, some);
    ubi_quickjs_observer_on_collection(none, on_collection, &a);
    ubi_quickjs_observer_on_collection(some, on_collection, &b);
    JS_RunGC(w.rt);
    ubi_quickjs_safe_point(w.tools);
    assert_int_equal(a.n, 0);
    assert_int_equal(b.n, 1);
    JS_RunGC(w.rt); /* a debuggee that comes after the collection, one that goes before it is reported */
    assert_int_equal(ubi_quickjs_observer_add_realm(none, w.ctx), UBI_OK);
    ubi_quickjs_observer_remove_realm(some, w.ctx);
    ubi_quickjs_safe_point(w.tools);
    assert_int_equal(a.n, 0);
    assert_int_equal(b.n, 1);
    JS_RunGC(w.rt);
    ubi_quickjs_safe_point(w.tools);
    assert_int_equal(a.n, 1);
    world_close(&w);
}

/* Case 28. */
static void a_hook_that_collects_is_called_later_again(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    told t = listen(&w, o);
    t.collect_until = 5;
    ubi_quickjs_observer_on_collection(o, on_collection, &t);
    JS_RunGC(w.rt);
    uint32_t turns = 0;
    while (ubi_quickjs_safe_point(w.tools))
        turns++;
    assert_int_equal(t.n, 5);
    assert_int_equal(turns, 5);
    world_close(&w);
}

static void a_hook_may_free_observers(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *a = observe(&w, w.ctx), *b = observe(&w, w.ctx), *c = observe(&w, w.ctx);
    told of_a = listen(&w, a), of_b = listen(&w, b), of_c = listen(&w, c);
    of_a.must_free_itself = true;
    of_a.free_other = b;
    ubi_quickjs_observer_on_collection(a, on_collection, &of_a);
    ubi_quickjs_observer_on_collection(b, on_collection, &of_b);
    ubi_quickjs_observer_on_collection(c, on_collection, &of_c);
    JS_RunGC(w.rt);
    JS_RunGC(w.rt);
    ubi_quickjs_safe_point(w.tools);
    assert_int_equal(of_a.n, 1);
    assert_int_equal(of_b.n, 0);
    assert_int_equal(of_c.n, 2);
    world_close(&w);
}

static void of_too_many_collections_the_last_are_reported(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    told t = listen(&w, o);
    ubi_quickjs_observer_on_collection(o, on_collection, &t);
    for (int i = 0; i < UBI__COLLECTION_EVENTS_MAX + 10; i++)
        JS_RunGC(w.rt);
    ubi_quickjs_safe_point(w.tools);
    assert_int_equal(t.n, UBI__COLLECTION_EVENTS_MAX);
    assert_int_equal(t.last.cycle_number, t.cycles[0] + UBI__COLLECTION_EVENTS_MAX - 1);
    assert_int_equal(ubi__tracking_of(w.tools)->lost_events, 10);
    world_close(&w);
}

/* Each collection has its own two moments, of the given clock. */
static uint64_t tick(void *payload) {
    return *(uint64_t *)payload += 1000;
}

static void times_are_the_collections_own(void **state) {
    UNUSED_STATE(state);
    uint64_t now_us = 0;
    ubi_quickjs_options options = UBI_QUICKJS_OPTIONS_INIT;
    options.clock_us = tick;
    options.clock_payload = &now_us;
    world w = world_open(&options);
    ubi_quickjs_observer *o = observe(&w, w.ctx);
    told t = listen(&w, o);
    ubi_quickjs_observer_on_collection(o, on_collection, &t);
    now_us = 41000;
    JS_RunGC(w.rt);
    now_us = 100000;
    ubi_quickjs_safe_point(w.tools);
    assert_true(t.last.start_ms == 42 && t.last.end_ms == 43);
    world_close(&w);
}

/* ---- requests ------------------------------------------------------------------------------------------------------- */

typedef struct wish {
    world *w;
    uint32_t n, again;
} wish;

static void grant(void *payload) {
    wish *x = (wish *)payload;
    x->n++;
    if (x->again) {
        x->again--;
        assert_int_equal(ubi_quickjs_request(x->w->tools, grant, x), UBI_OK);
    }
}

static void requests_run_once_at_safe_points_and_interrupts(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    wish x = { &w, 0, 0 };
    assert_int_equal(ubi_quickjs_request(w.tools, grant, &x), UBI_OK);
    assert_int_equal(ubi_quickjs_request(w.tools, grant, &x), UBI_OK);
    assert_int_equal(x.n, 0);
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(x.n, 2);
    assert_false(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(ubi_quickjs_request(w.tools, grant, &x), UBI_OK);
    ubi_quickjs_interrupt(w.tools);
    assert_int_equal(x.n, 3);
    x.again = 2; /* a request that comes of a request waits for the next point */
    assert_int_equal(ubi_quickjs_request(w.tools, grant, &x), UBI_OK);
    ubi_quickjs_interrupt(w.tools);
    assert_int_equal(x.n, 4);
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_true(ubi_quickjs_safe_point(w.tools));
    assert_false(ubi_quickjs_safe_point(w.tools));
    assert_int_equal(x.n, 6);
    assert_int_equal(ubi_quickjs_request(w.tools, grant, &x), UBI_OK);
    world_close(&w); /* not run, and freed */
    assert_int_equal(x.n, 6);
}

static int on_interrupt(JSRuntime *rt, void *payload) {
    (void)rt;
    world *w = (world *)payload;
    ubi_quickjs_interrupt(w->tools);
    return 0;
}

static void a_request_reaches_a_busy_script(void **state) {
    UNUSED_STATE(state);
    world w = world_open(NULL);
    JS_SetInterruptHandler(w.rt, on_interrupt, &w);
    wish x = { &w, 0, 0 };
    assert_int_equal(ubi_quickjs_request(w.tools, grant, &x), UBI_OK);
    eval(w.ctx, "busy.js", "for (var i = 0; i < 100000; i++) ;");
    assert_int_equal(x.n, 1);
    world_close(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collection_is_reported_at_the_next_safe_point),
        cmocka_unit_test(the_engines_own_collections_are_reported_as_such),
        cmocka_unit_test(without_debuggees_nothing_is_reported),
        cmocka_unit_test(a_hook_that_collects_is_called_later_again),
        cmocka_unit_test(a_hook_may_free_observers),
        cmocka_unit_test(of_too_many_collections_the_last_are_reported),
        cmocka_unit_test(times_are_the_collections_own),
        cmocka_unit_test(requests_run_once_at_safe_points_and_interrupts),
        cmocka_unit_test(a_request_reaches_a_busy_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
