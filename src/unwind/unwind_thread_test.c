/* SPDX-License-Identifier: MIT
 *
 * Tests of unwind.h with threads: each walks with an unwinder of its own, or one goes from thread to thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "stack_truth.h"
#include "unwind/unwind.h"

#if defined(__x86_64__)

#define STAY() __asm__ volatile("" ::: "memory")

__attribute__((noinline)) static void go_down(stack_truth *t, unsigned depth) {
    (void)stack_truth_check(t);
    for (unsigned i = 0; depth > 0 && i < 2; i++)
        go_down(t, random_below(depth));
    (void)stack_truth_check(t);
}

static void assert_all_right(const stack_truth *t) {
    assert_int_equal(t->n_wrong, 0);
    assert_int_equal(t->n_failed, 0);
    assert_true(t->n_checks > 1000);
    assert_true(t->n_new < t->n_frames);
    assert_int_equal(t->ours.end, UBI__UNWIND_COMPLETE); // also where a thread begins
}

/** A thread's body: a stack_truth, for itself. */
static void *walk_for_itself(void *payload) {
    stack_truth *t = payload;
    stack_truth_init(t, UBI__UNWIND_DEFAULT_DEPTH);
    random_start((uintptr_t)t);
    while (t->n_checks < 5000)
        go_down(t, 12);
    return NULL;
}

static void threads_walk_at_the_same_time(void **state) {
    enum { N = 4 };
    (void)state;
    stack_truth *truths = calloc(N, sizeof *truths);
    pthread_t threads[N];
    assert_non_null(truths);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, walk_for_itself, &truths[i]), 0);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_all_right(&truths[i]);
        stack_truth_fini(&truths[i]);
    }
    free(truths);
}

/** A thread's body: takes over the unwinder of the one before, with the rules that it has learnt. */
static void *walk_for_all(void *payload) {
    stack_truth *t = payload;
    uintptr_t low, high;
    stack_truth_bounds(&low, &high);
    ubi__unwinder_set_stack(&t->unwinder, low, high);
    go_down(t, 6);
    return NULL;
}

static void an_unwinder_goes_from_thread_to_thread(void **state) {
    (void)state;
    stack_truth *t = calloc(1, sizeof *t);
    assert_non_null(t);
    stack_truth_init(t, UBI__UNWIND_DEFAULT_DEPTH);
    random_start(1);
    for (unsigned i = 0; i < 500; i++) {
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, (256 + 16 * random_below(30)) * 1024);
        assert_int_equal(pthread_create(&thread, &attributes, walk_for_all, t), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attributes);
    }
    assert_all_right(t);
    stack_truth_fini(t);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_walk_at_the_same_time),
        cmocka_unit_test(an_unwinder_goes_from_thread_to_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    return 77; // unwind_fallback.c is libgcc's walker itself
}

#endif
