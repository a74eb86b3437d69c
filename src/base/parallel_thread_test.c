/* SPDX-License-Identifier: MIT
 *
 * parallel_thread_test.c: ranges over threads cover everything once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/parallel.h"

#define MAX_ITEMS 5000

typedef struct record {
    uint8_t times[MAX_ITEMS]; /* written without a lock: each item is one part's alone */
    uint64_t begin[UBI__MAX_THREADS], end[UBI__MAX_THREADS];
    pthread_t thread[UBI__MAX_THREADS];
    bool was_called[UBI__MAX_THREADS];
} record;

static void visit(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    record *r = payload;
    assert_in_range(part, 0, UBI__MAX_THREADS - 1);
    r->was_called[part] = true;
    r->begin[part] = begin;
    r->end[part] = end;
    r->thread[part] = pthread_self();
    for (uint64_t i = begin; i < end; i++)
        r->times[i]++;
}

/* Runs the ranges, checks that they cover [0, n) once in order of their parts, and returns how many there were. */
static unsigned run(record *r, unsigned threads, uint64_t n, uint64_t grain) {
    memset(r, 0, sizeof *r);
    ubi__parallel_ranges(threads, n, grain, visit, r);
    unsigned parts = 0;
    uint64_t at = 0;
    for (; parts < UBI__MAX_THREADS && r->was_called[parts]; parts++) {
        assert_int_equal(r->begin[parts], at);
        assert_true(r->end[parts] > at);
        assert_true(r->end[parts] == n || r->end[parts] % grain == 0);
        at = r->end[parts];
    }
    assert_int_equal(at, n);
    for (unsigned i = parts; i < UBI__MAX_THREADS; i++)
        assert_false(r->was_called[i]);
    for (uint64_t i = 0; i < MAX_ITEMS; i++)
        assert_int_equal(r->times[i], i < n);
    return parts;
}

static void ranges_cover_everything_once_and_end_at_grains(void **state) {
    (void)state;
    static record r;
    for (unsigned threads = 1; threads <= 9; threads += 2)
        for (uint64_t n = 0; n < 200; n = n * 2 + 1)
            for (uint64_t grain = 1; grain < 300; grain *= 3)
                assert_in_range(run(&r, threads, n, grain), n > 0, threads);
    assert_int_equal(run(&r, 4, 4096, 1024), 4);
    assert_int_equal(run(&r, 4, 4097, 1024), 4);
}

static void there_are_no_more_parts_than_grains_of_work(void **state) {
    (void)state;
    static record r;
    assert_int_equal(run(&r, 8, 0, 10), 0);
    assert_int_equal(run(&r, 8, 1, 10), 1);
    assert_int_equal(run(&r, 8, 10, 10), 1);
    assert_int_equal(run(&r, 8, 11, 10), 2);
    assert_int_equal(run(&r, 8, 3, 1), 3);
    assert_int_equal(run(&r, 1000, 5000, 1), UBI__MAX_THREADS);
}

static void the_work_is_shared_evenly(void **state) {
    (void)state;
    static record r;
    unsigned parts = run(&r, 7, 5000, 1);
    assert_int_equal(parts, 7);
    for (unsigned i = 0; i < parts; i++)
        assert_in_range(r.end[i] - r.begin[i], 5000 / 7, 5000 / 7 + 1);
}

static void one_part_runs_on_the_thread_of_the_caller_and_the_others_elsewhere(void **state) {
    (void)state;
    static record r;
    run(&r, 3, 300, 1);
    assert_true(pthread_equal(r.thread[0], pthread_self()));
    assert_false(pthread_equal(r.thread[1], pthread_self()));
    assert_false(pthread_equal(r.thread[2], pthread_self()));
    assert_int_equal(run(&r, 0, 300, 1), 1); /* 0 threads: the caller's */
    assert_true(pthread_equal(r.thread[0], pthread_self()));
}

static void asking_for_no_number_of_threads_gives_the_cores(void **state) {
    (void)state;
    assert_true(ubi__core_count() >= 1);
    assert_true(ubi__thread_count(0) >= 1);
    assert_in_range(ubi__thread_count(0), 1, UBI__MAX_THREADS);
    assert_int_equal(ubi__thread_count(3), 3);
    assert_int_equal(ubi__thread_count(100000), UBI__MAX_THREADS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_cover_everything_once_and_end_at_grains),
        cmocka_unit_test(there_are_no_more_parts_than_grains_of_work),
        cmocka_unit_test(the_work_is_shared_evenly),
        cmocka_unit_test(one_part_runs_on_the_thread_of_the_caller_and_the_others_elsewhere),
        cmocka_unit_test(asking_for_no_number_of_threads_gives_the_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
