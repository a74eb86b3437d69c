/* SPDX-License-Identifier: MIT
 *
 * pulse_thread_test.c: reports come on the caller's thread alone, and a no ends the work of all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

#define N 1000000
#define GRAIN 64

/* A caller that stops at a report. */
typedef struct asker {
    pthread_t thread;
    int n_reports, stop_at; /* 0: never */
} asker;

static bool report_take(void *payload, const char *stage, uint64_t done, uint64_t total) {
    asker *a = payload;
    assert_true(pthread_equal(a->thread, pthread_self()));
    assert_string_equal(stage, "marking");
    assert_true(done <= total);
    return ++a->n_reports != a->stop_at;
}

typedef struct marks {
    uint8_t *at;
    uint64_t end[UBI__MAX_THREADS]; /* of the last piece of a part */
} marks;

static void piece_mark(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    marks *m = payload;
    assert_true(begin % GRAIN == 0 && (end % GRAIN == 0 || end == N));
    assert_true(end - begin <= UBI__PULSE_EDGES);
    assert_true(m->end[part] == 0 || m->end[part] == begin); /* one after the other */
    m->end[part] = end;
    for (uint64_t i = begin; i < end; i++)
        m->at[i]++;
}

static ubi_status pieces_mark(marks *m, asker *a, unsigned threads) {
    ubi_progress progress = { report_take, a };
    ubi__pulse pulse = ubi__pulse_of(&progress);
    memset(m->at, 0, N);
    memset(m->end, 0, sizeof m->end);
    return ubi__parallel_pieces((ubi__crew){ threads, &pulse }, "marking", N, GRAIN, piece_mark, m);
}

static void pieces_do_everything_once(void **state) {
    marks m = { .at = malloc(N) };
    (void)state;
    assert_non_null(m.at);
    for (unsigned threads = 1; threads <= 4; threads++) {
        asker a = { pthread_self(), 0, 0 };
        assert_int_equal(pieces_mark(&m, &a, threads), UBI_OK);
        assert_true(a.n_reports >= N / (int)threads / UBI__PULSE_EDGES);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(m.at[i], 1);
    }
    free(m.at);
}

static void a_no_ends_all_parts(void **state) {
    marks m = { .at = malloc(N) };
    (void)state;
    assert_non_null(m.at);
    for (unsigned threads = 1; threads <= 2; threads++) {
        asker a = { pthread_self(), 0, 1 };
        assert_int_equal(pieces_mark(&m, &a, threads), UBI_ECANCELLED);
        assert_int_equal(a.n_reports, 1); /* not asked again */
        size_t n_marked = 0;
        for (size_t i = 0; i < N; i++)
            n_marked += m.at[i];
        assert_true(threads > 1 || n_marked == 0);
        assert_true(n_marked < N);
    }
    free(m.at);
}

static void without_a_pulse_work_is_always_wanted(void **state) {
    (void)state;
    assert_true(ubi__pulse_at(NULL, "marking", 0, 0));
    assert_true(ubi__pulse_again(NULL));
    assert_false(ubi__pulse_is_stopped(NULL));
}

/* A chore that works until its owner's report is answered with a no. */
static void chore_until_stopped(void *payload) {
    while (ubi__pulse_again(payload))
        sched_yield();
}

static void who_waits_for_a_chore_can_still_stop_it(void **state) {
    asker a = { pthread_self(), 0, 4 };
    ubi_progress progress = { report_take, &a };
    ubi__pulse pulse = ubi__pulse_of(&progress);
    ubi__helper helper;
    ubi__chore chore = { 0 };
    (void)state;
    assert_true(ubi__pulse_at(&pulse, "marking", 1, 2));
    ubi__helper_start(&helper, 2);
    ubi__helper_give(&helper, &chore, chore_until_stopped, &pulse);
    ubi__helper_wait(&helper, &chore, &pulse);
    ubi__helper_stop(&helper);
    assert_true(ubi__pulse_is_stopped(&pulse));
    assert_int_equal(a.n_reports, 4);
}

static void work_that_failed_elsewhere_is_not_wanted(void **state) {
    asker a = { pthread_self(), 0, 0 };
    ubi_progress progress = { report_take, &a };
    ubi__pulse pulse = ubi__pulse_of(&progress);
    (void)state;
    ubi__pulse_stop(&pulse);
    assert_false(ubi__pulse_at(&pulse, "marking", 0, 0));
    assert_false(ubi__pulse_again(&pulse));
    assert_int_equal(a.n_reports, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_do_everything_once),
        cmocka_unit_test(a_no_ends_all_parts),
        cmocka_unit_test(without_a_pulse_work_is_always_wanted),
        cmocka_unit_test(who_waits_for_a_chore_can_still_stop_it),
        cmocka_unit_test(work_that_failed_elsewhere_is_not_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
