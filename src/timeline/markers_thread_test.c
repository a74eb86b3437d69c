/* SPDX-License-Identifier: MIT
 *
 * markers_thread_test.c: threads that mark while targets come and go, exit, and fork; scoped markers; rules about threads.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "base/sanitizers.h"
#include "base/text.h"
#include "marker_lines.h"
#include "timeline/timeline_target.h"

static void add_timestamp(ubi_timeline_target *target, const char *name) {
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), target, name, UBI_MARKER_TIMESTAMP,
                                                 UBI_MARKER_NO_STACK);
}

/* How many rows there are. */
static size_t pop_count(ubi_timeline_target *target, uint64_t *n_lost) {
    ubi_timeline_markers *m;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(target, &m), UBI_OK);
    size_t n = ubi_timeline_markers_count(m);
    if (n_lost)
        *n_lost += ubi_timeline_markers_lost_count(m);
    ubi_timeline_markers_free(m);
    return n;
}

/* ---- eight threads mark, others look ----------------------------------------------------------------------------- */

enum { MARKING = 8, LOOKING = 3, TURNS = 8 };
static _Atomic bool is_over;
/* Each look lets the threads mark a little more, so that looking always keeps up. */
static _Atomic uint64_t rounds;
/* Rounds that threads have marked. */
static _Atomic uint64_t marked_rounds;

static void mark_some(void) {
    for (int i = 0; i < TURNS; i++) {
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("outer");
        UBI_TIMELINE_MARKER_START_LABEL("inner", "label");
        ubi_timeline_marker *m = ubi_worker_timeline_marker_new(UBI_WORKER_SERIALIZE_OFF_MAIN_THREAD, UBI_MARKER_START);
        ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(ubi_timeline_consumers_get(), m);
        ubi_timeline_marker_free(m);
        UBI_TIMELINE_MARKER_END("Worker");
        UBI_TIMELINE_MARKER_END("inner");
    }
}

static void *mark(void *payload) {
    (void)payload;
    uint64_t done = 0;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        uint64_t wanted = atomic_load_explicit(&rounds, memory_order_relaxed);
        if (done == wanted) {
            sched_yield();
            continue;
        }
        mark_some();
        done++;
        atomic_fetch_add_explicit(&marked_rounds, 1, memory_order_relaxed);
    }
    return NULL;
}

static void *look(void *payload) {
    uint64_t *n_rows = payload;
    for (int round = 0; round < 8; round++) {
        ubi_timeline_target *target;
        assert_int_equal(ubi_timeline_target_new(&target, NULL), UBI_OK);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(target, true), UBI_OK);
            for (int pop = 0; pop < 3; pop++) {
                atomic_fetch_add_explicit(&rounds, 1, memory_order_relaxed);
                *n_rows += pop_count(target, NULL);
                add_timestamp(target, "mine");
                sched_yield();
            }
            ubi_markers_storage_clear_markers(ubi_timeline_target_storage(target));
            *n_rows += pop_count(target, NULL);
            assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(target, false), UBI_OK);
        }
        ubi_timeline_target_free(target);
    }
    return NULL;
}

static void targets_come_and_go_while_threads_mark(void **state) {
    (void)state;
    pthread_t marking[MARKING], looking[LOOKING];
    uint64_t n_rows[LOOKING] = { 0 };
    is_over = false;
    for (int i = 0; i < MARKING; i++)
        assert_int_equal(pthread_create(&marking[i], NULL, mark, NULL), 0);
    for (int i = 0; i < LOOKING; i++)
        assert_int_equal(pthread_create(&looking[i], NULL, look, &n_rows[i]), 0);
    for (int i = 0; i < LOOKING; i++)
        assert_int_equal(pthread_join(looking[i], NULL), 0);
    is_over = true;
    for (int i = 0; i < MARKING; i++)
        assert_int_equal(pthread_join(marking[i], NULL), 0);
    assert_true(ubi_timeline_consumers_is_empty(ubi_timeline_consumers_get()));
    for (int i = 0; i < LOOKING; i++)
        assert_true(n_rows[i] > 0);
}

enum { EACH = 3000 };

static void *mark_each(void *payload) {
    (void)payload;
    for (int i = 0; i < EACH; i++)
        UBI_TIMELINE_TIMESTAMP("each", NULL);
    return NULL;
}

static void every_marker_is_in_each_target_once(void **state) {
    (void)state;
    ubi_timeline_target *a = observed_target(), *b = observed_target();
    pthread_t threads[4];
    size_t n_a = 0;
    uint64_t n_lost = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mark_each, NULL), 0);
    for (int i = 0; i < 20; i++) {
        n_a += pop_count(a, &n_lost);
        sched_yield();
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    n_a += pop_count(a, &n_lost);
    assert_int_equal(n_a, 4 * EACH);
    assert_int_equal(pop_count(b, &n_lost), 4 * EACH);
    assert_int_equal(n_lost, 0);
    ubi_timeline_target_free(a);
    ubi_timeline_target_free(b);
}

/* ---- threads that exit ------------------------------------------------------------------------------------------- */

static void *mark_named(void *payload) {
    ubi_timeline_name_thread(payload);
    UBI_TIMELINE_TIMESTAMP("A", NULL);
    return NULL;
}

static void what_a_thread_marked_stays_when_it_exits(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    static char first[] = "first", second[] = "second";
    char *names[] = { first, second };
    for (int i = 0; i < 2; i++) { /* the second one gets the log of the first */
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, mark_named, names[i]), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    UBI_TIMELINE_TIMESTAMP("A", NULL);
    ubi_timeline_markers *m;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), 3);
    const char *expected[] = { NULL, "first", "second" };
    for (size_t i = 0; i < 3; i++) {
        ubi_timeline_thread thread = ubi_timeline_markers_thread(m, ubi_timeline_markers_row(m, i).thread);
        assert_int_equal(thread.is_main, i == 0);
        assert_int_equal(ubi_timeline_markers_row(m, i).is_off_main_thread, i != 0);
        if (expected[i])
            assert_true(ubi__text_equal(thread.name, ubi__text(expected[i])));
        else
            assert_int_equal(thread.id, getpid());
    }
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
}

/* ---- fork -------------------------------------------------------------------------------------------------------- */

/* In a child: the exit status of `work`, or 100 + the signal that killed it. */
static int in_child(int (*work)(void *payload), void *payload) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(work(payload));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static int observe_again(void *payload) {
    ubi_timeline_target *t = payload;
    if (ubi_marker_is_observed() || ubi_timeline_target_record_profile_timeline_markers(t))
        return 1;
    UBI_TIMELINE_TIMESTAMP("unseen", NULL);
    if (ubi_timeline_target_set_record_profile_timeline_markers(t, true) != UBI_OK || !ubi_marker_is_observed())
        return 2;
    UBI_TIMELINE_TIMESTAMP("seen", NULL);
    ubi_timeline_markers *m;
    if (ubi_timeline_target_pop_profile_timeline_markers(t, &m) != UBI_OK || ubi_timeline_markers_count(m) != 1)
        return 3;
    if (!ubi__text_equal(ubi_timeline_markers_row(m, 0).name, ubi__text("seen")))
        return 4;
    if (ubi_timeline_markers_thread(m, 0).id != (uint64_t)getpid())
        return 5;
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
    return 0;
}

/*
 * The locks of ThreadSanitizer's runtime stay as they were in a child, also those that a thread held that the child has not. Under it
 * the threads are between two rounds when the process forks; else they are anywhere.
 */
static void await_marked_rounds(uint64_t n) {
    while (UBI_HAS_THREAD_SANITIZER && atomic_load_explicit(&marked_rounds, memory_order_relaxed) < n)
        sched_yield();
}

static void a_child_observes_nothing_until_it_wants_to(void **state) {
    (void)state;
    enum { N_THREADS = 2 };
    ubi_timeline_target *t = observed_target();
    pthread_t threads[N_THREADS];
    is_over = false;
    rounds = marked_rounds = 0;
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mark, NULL), 0);
    UBI_TIMELINE_MARKER_START("of the parent");
    for (int i = 0; i < 8; i++) {
        uint64_t wanted = atomic_fetch_add_explicit(&rounds, 4, memory_order_relaxed) + 4;
        await_marked_rounds(N_THREADS * wanted);
        assert_int_equal(in_child(observe_again, t), 0);
    }
    UBI_TIMELINE_MARKER_END("of the parent");
    is_over = true;
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_true(pop_count(t, NULL) >= 1);
    ubi_timeline_target_free(t);
}

/* ---- scoped markers ---------------------------------------------------------------------------------------------- */

static void switch_to(ubi_timeline_target *t, bool is_on) {
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, is_on), UBI_OK);
}

static void a_scoped_marker_is_a_row(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target(), *other = observed_target();
    {
        UBI_AUTO_TIMELINE_MARKER(t, "Parse HTML");
        UBI_AUTO_TIMELINE_MARKER(NULL, "nothing");
        UBI_AUTO_RESTYLE_TIMELINE_MARKER(t, true);
    }
    ubi_timeline_markers *m;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), 2);
    assert_true(ubi__text_equal(ubi_timeline_markers_row(m, 0).name, ubi__text("Parse HTML")));
    assert_true(ubi__text_equal(ubi_timeline_markers_row(m, 1).name, ubi__text("Styles")));
    assert_true(ubi__text_equal(ubi_timeline_markers_detail(m, 1, 0).key, ubi__text("isAnimationOnly")));
    assert_true(ubi_timeline_markers_row(m, 0).end_ns >= ubi_timeline_markers_row(m, 1).end_ns);
    ubi_timeline_markers_free(m);
    assert_int_equal(pop_count(other, NULL), 0);
    ubi_timeline_target_free(t);
    ubi_timeline_target_free(other);
}

static void observation_that_begins_in_a_block_sees_no_row(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    switch_to(t, false);
    {
        UBI_AUTO_TIMELINE_MARKER(t, "A");
        UBI_AUTO_RESTYLE_TIMELINE_MARKER(t, false);
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("B"); /* an END alone */
        switch_to(t, true);
    }
    assert_string_equal(pop_lines(t), "");
    UBI_TIMELINE_TIMESTAMP("and it works", NULL);
    assert_int_equal(pop_count(t, NULL), 1);
    ubi_timeline_target_free(t);
}

static void observation_that_ends_in_a_block_leaves_nothing(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    {
        UBI_AUTO_TIMELINE_MARKER(t, "A");
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("B");
        switch_to(t, false);
    }
    assert_string_equal(pop_lines(t), "");
    switch_to(t, true);
    assert_string_equal(pop_lines(t), "");
    ubi_timeline_target_free(t);
}

static void observation_that_ends_and_begins_in_a_block_sees_no_row(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    {
        UBI_AUTO_TIMELINE_MARKER(t, "A");
        UBI_AUTO_GLOBAL_TIMELINE_MARKER("B");
        switch_to(t, false);
        switch_to(t, true);
    }
    assert_string_equal(pop_lines(t), "");
    ubi_timeline_target_free(t);
}

static void the_last_pop_reports_what_has_not_ended(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    ubi_timeline_markers *m;
    UBI_TIMELINE_MARKER_START("A");
    assert_string_equal(pop_lines(t), "");
    assert_int_equal(ubi_timeline_target_pop_last_timeline_markers(t, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), 1);
    assert_int_equal(ubi_timeline_markers_row(m, 0).end_ns, 0);
    ubi_timeline_markers_free(m);
    UBI_TIMELINE_MARKER_END("A");
    assert_string_equal(pop_lines(t), "");
    ubi_timeline_target_free(t);
}

/* ---- times ------------------------------------------------------------------------------------------------------- */

static void times_are_those_of_the_process_clock_and_never_decrease(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    uint64_t last_ns = ubi_process_clock_ns();
    for (int pop = 0; pop < 20; pop++) {
        ubi_timeline_markers *m;
        for (int i = 0; i < 500; i++)
            UBI_TIMELINE_MARKER_START("A"), UBI_TIMELINE_MARKER_END("A");
        assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
        uint64_t now_ns = ubi_process_clock_ns();
        for (size_t i = 0; i < 500; i++) {
            ubi_timeline_row row = ubi_timeline_markers_row(m, i);
            assert_true(row.start_ns + 50000 >= last_ns);
            assert_true(row.end_ns >= row.start_ns);
            last_ns = row.end_ns;
        }
        assert_true(last_ns <= now_ns + 50000);
        ubi_timeline_markers_free(m);
    }
    ubi_timeline_target_free(t);
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static void *add_to_foreign(void *payload) {
    add_timestamp(payload, "A");
    return NULL;
}

static int break_main_thread_rule(void *payload) {
    pthread_t thread;
    pthread_create(&thread, NULL, add_to_foreign, payload);
    pthread_join(thread, NULL);
    return 0;
}

static int break_other_thread_rule(void *payload) {
    ubi_markers_storage *storage = ubi_timeline_target_storage(payload);
    if (storage)
        ubi_markers_storage_add_otmt_marker(storage, ubi_timestamp_timeline_marker_new(ubi__text("")));
    return 0;
}

static int observe_twice(void *payload) {
    ubi_timeline_consumers *c = ubi_timeline_consumers_get();
    ubi_timeline_target_set_record_profile_timeline_markers(payload, true);
    return ubi_timeline_consumers_add_consumer(c, payload) == UBI_ESTATE ? 0 : 1;
}

static int stop_twice(void *payload) {
    return ubi_timeline_consumers_remove_consumer(ubi_timeline_consumers_get(), payload) == UBI_ESTATE ? 0 : 1;
}

static int add_what_cannot_be_cloned(void *payload) {
    ubi_timeline_target_set_record_profile_timeline_markers(payload, true);
    ubi_timeline_rectangle r = { 0, 0, 1, 1 };
    ubi_timeline_marker *m = ubi_layer_timeline_marker_new(&r, 1);
    ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(ubi_timeline_consumers_get(), m);
    ubi_timeline_markers *markers;
    ubi_timeline_target_pop_profile_timeline_markers(payload, &markers);
    return ubi_timeline_markers_lost_count(markers) == 1 ? 0 : 1;
}

/* With assertions the program ends; without, nothing bad comes of it. */
static void assert_refused(int (*work)(void *payload), void *payload) {
    assert_int_equal(in_child(work, payload), ubi__timeline_checks_threads ? 100 + SIGABRT : 0);
}

static int break_it_in_child(void *payload) {
    ubi_timeline_target_set_record_profile_timeline_markers(payload, true);
    return break_main_thread_rule(payload);
}

static int break_other_in_child(void *payload) {
    ubi_timeline_target_set_record_profile_timeline_markers(payload, true);
    return break_other_thread_rule(payload);
}

static void rules_are_checked_in_debug_builds(void **state) {
    (void)state;
    ubi_timeline_target *t;
    assert_int_equal(ubi_timeline_target_new(&t, NULL), UBI_OK);
    assert_refused(break_it_in_child, t);
    assert_refused(break_other_in_child, t);
    assert_refused(observe_twice, t);
    assert_refused(stop_twice, t);
    assert_refused(add_what_cannot_be_cloned, t);
    ubi_timeline_target_free(t);
}

static void *add_off_main(void *payload) {
    ubi_markers_storage_add_otmt_marker(payload, ubi_timestamp_timeline_marker_new(ubi__text("otmt")));
    return NULL;
}

static void a_storage_takes_markers_of_both_sides(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target(), *other = observed_target();
    ubi_markers_storage *storage = ubi_timeline_target_storage(t);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, add_off_main, storage), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ubi_markers_storage_add_marker(storage, ubi_timestamp_timeline_marker_new(ubi__text("main")));
    ubi_timeline_markers *m;
    assert_int_equal(ubi_markers_storage_pop_markers(storage, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), 2);
    assert_true(ubi__text_equal(ubi_timeline_markers_detail(m, 0, 0).text, ubi__text("main")));
    assert_true(ubi__text_equal(ubi_timeline_markers_detail(m, 1, 0).text, ubi__text("otmt")));
    ubi_timeline_markers_free(m);
    assert_int_equal(pop_count(other, NULL), 0);
    ubi_timeline_target_free(t);
    ubi_timeline_target_free(other);
}

static int shut_down(void *payload) {
    (void)payload;
    ubi_timeline_target *t = observed_target();
    ubi_timeline_consumers *c = ubi_timeline_consumers_get();
    UBI_TIMELINE_MARKER_START("A");
    ubi_timeline_shutdown();
    ubi_timeline_markers *m;
    if (ubi_timeline_consumers_get() || ubi_marker_is_observed() || !ubi_timeline_consumers_is_empty(c))
        return 1;
    if (ubi_timeline_target_record_profile_timeline_markers(t) ||
        ubi_timeline_target_set_record_profile_timeline_markers(t, true) != UBI_ESTATE)
        return 2;
    add_timestamp(t, "B");
    UBI_TIMELINE_MARKER_END("A");
    ubi_timeline_consumers_add_marker_for_all_observed_targets(NULL, "C", UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK);
    if (ubi_timeline_target_pop_profile_timeline_markers(t, &m) != UBI_OK || ubi_timeline_markers_count(m) != 0)
        return 3;
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
    return 0;
}

static void after_shutdown_there_is_no_registry(void **state) {
    (void)state;
    assert_int_equal(in_child(shut_down, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_checked_in_debug_builds),
        cmocka_unit_test(after_shutdown_there_is_no_registry),
        cmocka_unit_test(targets_come_and_go_while_threads_mark),
        cmocka_unit_test(every_marker_is_in_each_target_once),
        cmocka_unit_test(what_a_thread_marked_stays_when_it_exits),
        cmocka_unit_test(a_child_observes_nothing_until_it_wants_to),
        cmocka_unit_test(a_scoped_marker_is_a_row),
        cmocka_unit_test(observation_that_begins_in_a_block_sees_no_row),
        cmocka_unit_test(observation_that_ends_in_a_block_leaves_nothing),
        cmocka_unit_test(observation_that_ends_and_begins_in_a_block_sees_no_row),
        cmocka_unit_test(the_last_pop_reports_what_has_not_ended),
        cmocka_unit_test(times_are_those_of_the_process_clock_and_never_decrease),
        cmocka_unit_test(a_storage_takes_markers_of_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
