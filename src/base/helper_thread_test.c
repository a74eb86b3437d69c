/* SPDX-License-Identifier: MIT
 *
 * helper_thread_test.c: every chore is done once, in order, by one of the threads, and dropped when no caller waits.
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

enum { N_CHORES = 50 };

typedef struct log {
    ubi__helper helper;
    ubi__chore chores[N_CHORES];
    struct entry {
        struct log *log;
        uint64_t input, output;
        unsigned times;
        pthread_t thread;
    } entries[N_CHORES];
    pthread_mutex_t gate;
} log;

static void square(void *payload) {
    struct entry *e = payload;
    e->output = e->input * e->input;
    e->times++;
    e->thread = pthread_self();
}

static void give_all(log *l, void (*fn)(void *)) {
    for (size_t i = 0; i < N_CHORES; i++) {
        l->entries[i] = (struct entry){ .log = l, .input = i };
        ubi__helper_give(&l->helper, &l->chores[i], fn, &l->entries[i]);
    }
}

static void every_chore_is_done_once(void **state) {
    static log l;
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        ubi__helper_start(&l.helper, round % 3);
        give_all(&l, square);
        for (size_t i = 0; i < N_CHORES; i++) {
            size_t k =
                round % 2 ? i : N_CHORES - 1 - i; /* waiting from the last on leaves those before to the helper */
            ubi__helper_wait(&l.helper, &l.chores[k], NULL);
            assert_int_equal(l.entries[k].output, k * k);
            assert_int_equal(l.entries[k].times, 1);
            ubi__helper_wait(&l.helper, &l.chores[k], NULL); /* done: nothing happens */
        }
        ubi__helper_stop(&l.helper);
        for (size_t i = 0; i < N_CHORES; i++)
            assert_int_equal(l.entries[i].times, 1);
    }
}

static void without_a_second_thread_who_waits_does_it(void **state) {
    static log l;
    (void)state;
    ubi__helper_start(&l.helper, 1);
    give_all(&l, square);
    for (size_t i = 0; i < N_CHORES; i++) {
        assert_int_equal(l.entries[i].times, 0);
        ubi__helper_wait(&l.helper, &l.chores[i], NULL);
        assert_true(pthread_equal(l.entries[i].thread, pthread_self()));
    }
    ubi__helper_stop(&l.helper);
}

static void pass_gate(void *payload) {
    struct entry *e = payload;
    pthread_mutex_lock(&e->log->gate);
    pthread_mutex_unlock(&e->log->gate);
    square(payload);
}

static void who_waits_for_a_chore_behind_a_long_one_does_it(void **state) {
    static log l;
    (void)state;
    pthread_mutex_init(&l.gate, NULL);
    pthread_mutex_lock(&l.gate);
    ubi__helper_start(&l.helper, 2);
    give_all(&l, pass_gate);
    /* The helper is blocked in the first, or just before it; unless no thread could be started. */
    l.chores[N_CHORES - 1].fn = square;
    ubi__helper_wait(&l.helper, &l.chores[N_CHORES - 1], NULL);
    assert_true(pthread_equal(l.entries[N_CHORES - 1].thread, pthread_self()));
    pthread_mutex_unlock(&l.gate);
    ubi__helper_wait(&l.helper, &l.chores[0], NULL);
    ubi__helper_wait(&l.helper, &l.chores[1], NULL);
    ubi__helper_stop(&l.helper);
    assert_int_equal(l.entries[0].times, 1);
    assert_int_equal(l.entries[N_CHORES - 1].times, 1);
    pthread_mutex_destroy(&l.gate);
}

static void what_no_request_waits_for_is_done_or_given_up(void **state) {
    static log l;
    (void)state;
    for (unsigned round = 0; round < 100; round++) {
        ubi__helper_start(&l.helper, 2);
        give_all(&l, square);
        ubi__helper_stop(&l.helper);
        for (size_t i = 1; i < N_CHORES; i++)
            assert_true(l.entries[i].times <= l.entries[i - 1].times); /* in order */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chore_is_done_once),
        cmocka_unit_test(without_a_second_thread_who_waits_does_it),
        cmocka_unit_test(who_waits_for_a_chore_behind_a_long_one_does_it),
        cmocka_unit_test(what_no_request_waits_for_is_done_or_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
