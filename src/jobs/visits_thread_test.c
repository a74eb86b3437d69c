/* SPDX-License-Identifier: MIT
 *
 * visits_thread_test.c: visits to targets on their threads, to targets that go, and to engines that never come.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "jobs/visits.h"

/* ---- an engine ------------------------------------------------------------------------------------------------------------ */

/* It keeps the last thing that it was asked to run. */
typedef struct engine {
    pthread_mutex_t lock;
    ubi_safe_point_fn fn;
    void *payload;
    unsigned n_asked;
    bool is_refusing;
    atomic_uint n_woken;
} engine;

static ubi_status engine_ask(void *payload, ubi_safe_point_fn fn, void *fn_payload) {
    engine *e = payload;
    pthread_mutex_lock(&e->lock);
    bool is_refusing = e->is_refusing;
    e->n_asked++;
    if (!is_refusing) {
        assert_null(e->fn);
        e->fn = fn;
        e->payload = fn_payload;
    }
    pthread_mutex_unlock(&e->lock);
    return is_refusing ? ubi_error(UBI_ENOMEM, "refused") : UBI_OK;
}

/* A safe point. */
static void engine_come(engine *e) {
    pthread_mutex_lock(&e->lock);
    ubi_safe_point_fn fn = e->fn;
    e->fn = NULL;
    pthread_mutex_unlock(&e->lock);
    if (fn)
        fn(e->payload);
}

static void engine_wake(void *payload) {
    atomic_fetch_add(&((engine *)payload)->n_woken, 1);
}

static const ubi_target_ops ops = {
    .version = 1, .kind = "drawn", .capabilities = UBI_TARGET_SAFE_POINT, .run_at_safe_point = engine_ask
};

static ubi__live_target *live_of(engine *e) {
    ubi__live_target *live = NULL;
    assert_int_equal(ubi__live_target_new(&live, (ubi_target){ &ops, e }, engine_wake, e), UBI_OK);
    return live;
}

/* ---- visits --------------------------------------------------------------------------------------------------------------- */

typedef struct note {
    atomic_uint n_with, n_without;
    atomic_uint order;
    ubi__live_target *ends; /* within the visit; or NULL */
} note;

static atomic_uint n_visits;

static void note_visit(void *payload, const ubi_target *target) {
    note *n = payload;
    if (target)
        assert_ptr_equal(target->ops, &ops);
    atomic_store(&n->order, atomic_fetch_add(&n_visits, 1) + 1);
    atomic_fetch_add(target ? &n->n_with : &n->n_without, 1);
    if (n->ends)
        ubi__live_end(n->ends);
}

static void assert_note(note *n, unsigned n_with, unsigned n_without) {
    assert_int_equal(atomic_load(&n->n_with), n_with);
    assert_int_equal(atomic_load(&n->n_without), n_without);
}

static void visits_run_in_order_at_one_safe_point(void **state) {
    engine e = { .lock = PTHREAD_MUTEX_INITIALIZER };
    ubi__live_target *live = live_of(&e);
    note a = { 0 }, b = { 0 };
    (void)state;
    atomic_store(&n_visits, 0);
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    assert_int_equal(ubi__live_visit(live, note_visit, &b), UBI_OK);
    assert_int_equal(e.n_asked, 1);
    assert_int_equal(atomic_load(&e.n_woken), 1);
    assert_note(&a, 0, 0);
    engine_come(&e);
    assert_note(&a, 1, 0);
    assert_note(&b, 1, 0);
    assert_true(atomic_load(&a.order) < atomic_load(&b.order));
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    assert_int_equal(e.n_asked, 2);
    engine_come(&e);
    assert_note(&a, 2, 0);
    assert_true(ubi__live_target_is(live, (ubi_target){ &ops, &e }));
    assert_false(ubi__live_target_is(live, (ubi_target){ &ops, NULL }));
    ubi__live_end(live);
    ubi__live_target_unref(live);
}

static void visits_to_a_target_that_is_gone_run_without_it(void **state) {
    engine e = { .lock = PTHREAD_MUTEX_INITIALIZER };
    ubi__live_target *live = live_of(&e);
    note a = { 0 }, b = { 0 };
    (void)state;
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    ubi__live_end(live);
    assert_note(&a, 0, 1);
    assert_int_equal(ubi__live_visit(live, note_visit, &b), UBI_OK);
    assert_note(&b, 0, 1);
    ubi__live_end(live);
    ubi__live_target_unref(live);
    engine_come(&e); /* late: nothing is left to do, and nothing is touched */
    assert_note(&a, 0, 1);
}

static void an_engine_may_never_come(void **state) {
    engine e = { .lock = PTHREAD_MUTEX_INITIALIZER };
    ubi__live_target *live = live_of(&e);
    note a = { 0 };
    (void)state;
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    ubi__live_end(live);
    ubi__live_target_unref(live);
    assert_note(&a, 0, 1);
}

static void a_target_may_end_within_a_visit(void **state) {
    engine e = { .lock = PTHREAD_MUTEX_INITIALIZER };
    ubi__live_target *live = live_of(&e);
    note a = { .ends = live }, b = { 0 };
    (void)state;
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    assert_int_equal(ubi__live_visit(live, note_visit, &b), UBI_OK);
    engine_come(&e);
    assert_note(&a, 1, 0);
    assert_note(&b, 0, 1);
    ubi__live_target_unref(live);
}

/* A visit that runs code, within which the engine comes to a safe point. */
typedef struct outer {
    engine engine;
    ubi__live_target *live;
    note inner;
    atomic_bool is_over;
    bool was_over; /* when the target had ended */
    pthread_t ender;
} outer;

static void *outer_end(void *payload) {
    outer *o = payload;
    ubi__live_end(o->live);
    o->was_over = atomic_load(&o->is_over);
    return NULL;
}

static void outer_visit(void *payload, const ubi_target *target) {
    outer *o = payload;
    note late = { 0 };
    assert_non_null(target);
    assert_int_equal(ubi__live_visit(o->live, note_visit, &o->inner), UBI_OK);
    engine_come(&o->engine);
    assert_note(&o->inner, 1, 0);
    assert_int_equal(pthread_create(&o->ender, NULL, outer_end, o), 0);
    while (!atomic_load(&late.n_without)) { /* until the other thread is at it */
        assert_int_equal(ubi__live_visit(o->live, note_visit, &late), UBI_OK);
        (void)ubi__live_visit_withdraw(o->live, note_visit, &late);
    }
    atomic_store(&o->is_over, true);
}

static void an_end_waits_for_a_visit_within_which_there_was_another(void **state) {
    outer o = { .engine = { .lock = PTHREAD_MUTEX_INITIALIZER } };
    (void)state;
    o.live = live_of(&o.engine);
    assert_int_equal(ubi__live_visit(o.live, outer_visit, &o), UBI_OK);
    engine_come(&o.engine);
    pthread_join(o.ender, NULL);
    assert_true(o.was_over);
    engine_come(&o.engine);
    ubi__live_target_unref(o.live);
}

/* A visit whose code waits for another one, which was asked for before it began. */
static void long_visit(void *payload, const ubi_target *target) {
    outer *o = payload;
    assert_non_null(target);
    assert_note(&o->inner, 0, 0);
    engine_come(&o->engine);
    assert_note(&o->inner, 1, 0);
}

static void a_visit_that_waits_runs_within_a_long_one(void **state) {
    outer o = { .engine = { .lock = PTHREAD_MUTEX_INITIALIZER } };
    (void)state;
    o.live = live_of(&o.engine);
    assert_int_equal(ubi__live_visit(o.live, long_visit, &o), UBI_OK);
    assert_int_equal(ubi__live_visit(o.live, note_visit, &o.inner), UBI_OK);
    engine_come(&o.engine);
    ubi__live_end(o.live);
    engine_come(&o.engine);
    ubi__live_target_unref(o.live);
}

static void a_visit_that_waits_can_be_withdrawn(void **state) {
    engine e = { .lock = PTHREAD_MUTEX_INITIALIZER };
    ubi__live_target *live = live_of(&e);
    note a = { 0 }, b = { 0 };
    (void)state;
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    assert_true(ubi__live_visit_withdraw(live, note_visit, &a));
    assert_false(ubi__live_visit_withdraw(live, note_visit, &a));
    assert_int_equal(ubi__live_visit(live, note_visit, &b), UBI_OK);
    engine_come(&e);
    assert_note(&a, 0, 0);
    assert_note(&b, 1, 0);
    assert_false(ubi__live_visit_withdraw(live, note_visit, &b));
    ubi__live_end(live);
    ubi__live_target_unref(live);
}

/* Names and labels of what a timeline has, such as "ubiheap::Pause memory.takeCensus, ". */
static void timeline_take(char *out, size_t n_bytes, ubi_timeline_target *observed) {
    ubi_timeline_markers *markers;
    size_t n = 0;
    out[0] = '\0';
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(observed, &markers), UBI_OK);
    for (size_t i = 0; i < ubi_timeline_markers_count(markers); i++) {
        const ubi_timeline_row row = ubi_timeline_markers_row(markers, i);
        const ubi_text label = row.detail_count ? ubi_timeline_markers_detail(markers, i, 0).text : (ubi_text){ "", 0 };
        assert_true(row.start_ns && row.start_ns <= row.end_ns);
        n += (size_t)snprintf(out + n, n_bytes - n, "%.*s %.*s, ", (int)row.name.len, row.name.ptr, (int)label.len,
                              label.ptr);
    }
    ubi_timeline_markers_free(markers);
}

static void a_visit_with_a_name_is_a_pause_on_the_timeline(void **state) {
    outer o = { .engine = { .lock = PTHREAD_MUTEX_INITIALIZER } };
    note a = { 0 }, gone = { 0 };
    char text[256];
    ubi_timeline_target *observed;
    (void)state;
    o.live = live_of(&o.engine);
    assert_int_equal(ubi_timeline_target_new(&observed, NULL), UBI_OK);
    assert_int_equal(ubi__live_visit_named(o.live, "before", note_visit, &a), UBI_OK);
    engine_come(&o.engine);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(observed, true), UBI_OK);
    assert_int_equal(ubi__live_visit_named(o.live, "memory.takeCensus", note_visit, &a), UBI_OK);
    assert_int_equal(ubi__live_visit(o.live, note_visit, &a), UBI_OK);
    engine_come(&o.engine);
    timeline_take(text, sizeof text, observed);
    assert_string_equal(text, "ubiheap::Pause memory.takeCensus, ");
    assert_int_equal(ubi__live_visit_named(o.live, "outer", long_visit, &o), UBI_OK);
    assert_int_equal(ubi__live_visit_named(o.live, "inner", note_visit, &o.inner), UBI_OK);
    engine_come(&o.engine);
    timeline_take(text, sizeof text, observed);
    assert_string_equal(text, "ubiheap::Pause outer, ubiheap::Pause inner, ");
    assert_int_equal(ubi__live_visit_named(o.live, "gone", note_visit, &gone), UBI_OK);
    ubi__live_end(o.live);
    engine_come(&o.engine);
    assert_note(&gone, 0, 1);
    timeline_take(text, sizeof text, observed);
    assert_string_equal(text, ""); /* no program waits */
    ubi__live_target_unref(o.live);
    ubi_timeline_target_free(observed);
}

static void an_engine_that_refuses_is_heard(void **state) {
    engine e = { .lock = PTHREAD_MUTEX_INITIALIZER, .is_refusing = true };
    ubi__live_target *live = live_of(&e);
    note a = { 0 };
    (void)state;
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_ENOMEM);
    assert_note(&a, 0, 0);
    e.is_refusing = false;
    assert_int_equal(ubi__live_visit(live, note_visit, &a), UBI_OK);
    engine_come(&e);
    assert_note(&a, 1, 0);
    ubi__live_end(live);
    ubi__live_target_unref(live);
}

static void a_target_needs_safe_points(void **state) {
    static const ubi_target_ops without = { .version = 1, .kind = "still" };
    ubi__live_target *live = NULL;
    (void)state;
    assert_int_equal(ubi__live_target_new(&live, (ubi_target){ &without, NULL }, NULL, NULL), UBI_EINVAL);
    assert_int_equal(ubi__live_target_new(&live, (ubi_target){ NULL, NULL }, NULL, NULL), UBI_EINVAL);
    assert_null(live);
}

/* ---- from many threads ------------------------------------------------------------------------------------------------------ */

#define THREADS 4
#define ROUNDS 500

typedef struct crowd {
    engine engine;
    ubi__live_target *live;
    note note;
    atomic_uint n_visits, n_withdrawn, n_done;
} crowd;

static void *crowd_ask(void *payload) {
    crowd *c = payload;
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_int_equal(ubi__live_visit(c->live, note_visit, &c->note), UBI_OK);
        atomic_fetch_add(&c->n_visits, 1);
        if (i % 3 == 0 && ubi__live_visit_withdraw(c->live, note_visit, &c->note))
            atomic_fetch_add(&c->n_withdrawn, 1);
    }
    atomic_fetch_add(&c->n_done, 1);
    return NULL;
}

static void each_visit_of_many_threads_runs_once(void **state) {
    crowd c = { .engine = { .lock = PTHREAD_MUTEX_INITIALIZER } };
    pthread_t threads[THREADS];
    (void)state;
    c.live = live_of(&c.engine);
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_ask, &c), 0);
    while (atomic_load(&c.n_visits) < THREADS * ROUNDS / 2)
        engine_come(&c.engine);
    ubi__live_end(c.live);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    engine_come(&c.engine);
    assert_int_equal(atomic_load(&c.note.n_with) + atomic_load(&c.note.n_without) + atomic_load(&c.n_withdrawn),
                     THREADS * ROUNDS);
    ubi__live_target_unref(c.live);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_run_in_order_at_one_safe_point),
        cmocka_unit_test(visits_to_a_target_that_is_gone_run_without_it),
        cmocka_unit_test(an_engine_may_never_come),
        cmocka_unit_test(a_target_may_end_within_a_visit),
        cmocka_unit_test(an_end_waits_for_a_visit_within_which_there_was_another),
        cmocka_unit_test(a_visit_that_waits_runs_within_a_long_one),
        cmocka_unit_test(a_visit_that_waits_can_be_withdrawn),
        cmocka_unit_test(a_visit_with_a_name_is_a_pause_on_the_timeline),
        cmocka_unit_test(an_engine_that_refuses_is_heard),
        cmocka_unit_test(a_target_needs_safe_points),
        cmocka_unit_test(each_visit_of_many_threads_runs_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
