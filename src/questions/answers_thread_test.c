/* SPDX-License-Identifier: MIT
 *
 * answers_thread_test.c: threads that ask for answers at once, also where memory makes sessions drop and compute them again.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "questions/answers.h"

#define N_THREADS 4
#define N_KEYS 3
#define N_ROUNDS 6

static const char *const files[] = { "tests/data/fx/tiny-before.fxsnapshot", "tests/data/fx/tiny-after.fxsnapshot" };

static const struct asked {
    const char *question, *parameters;
    uint32_t n_heaps;
} asked[N_KEYS] = {
    { "nodes", "{\"sort\":\"-retainedSize\",\"limit\":20}", 1 },
    { "summary", "{}", 1 },
    { "diff", "{\"by\":\"class\"}", 2 },
};

typedef struct heaps {
    ubi_session_pool *pool;
    ubi_session *sessions[2];
    ubi__vec_u8 keys[N_KEYS];
    size_t lengths[N_KEYS];
} heaps;

static void key_make(heaps *h, size_t i) {
    ubi__json_values values;
    ubi__answer_terms terms = { .question = ubi__question_find(asked[i].question) };
    assert_int_equal(ubi__json_values_read(&values, terms.question->usage, ubi__text(asked[i].parameters)), UBI_OK);
    terms.values = values.values;
    assert_int_equal(ubi__answer_key(&h->keys[i], &terms, h->sessions, asked[i].n_heaps), UBI_OK);
    ubi__json_values_fini(&values);
}

static void heaps_open(heaps *h, uint64_t limit_bytes) {
    ubi_session_pool_options options = UBI_SESSION_POOL_OPTIONS_INIT;
    options.limit_bytes = limit_bytes;
    *h = (heaps){ 0 };
    assert_int_equal(ubi_session_pool_new(&h->pool, &options), UBI_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ubi__session_open_unread(&h->sessions[i], h->pool, files[i], UBI_SESSION_HEAP, NULL), UBI_OK);
    for (size_t i = 0; i < N_KEYS; i++)
        key_make(h, i);
}

static void heaps_close(heaps *h) {
    for (size_t i = 0; i < N_KEYS; i++)
        ubi__vec_u8_fini(&h->keys[i], ubi_allocator_default());
    ubi_session_unref(h->sessions[0]);
    ubi_session_unref(h->sessions[1]);
    ubi_session_pool_unref(h->pool);
}

/* SIZE_MAX: no memory, which a small limit can mean for a while. */
static size_t answer_length(heaps *h, size_t i) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    ubi_session_use *use;
    ubi_text answer = { NULL, 0 };
    options.threads = 1;
    if (ubi_session_use_begin(&use, h->sessions[0], &options) != UBI_OK)
        return SIZE_MAX;
    ubi_status status = ubi__answer_get(&answer, use, (const char *)h->keys[i].at);
    bool is_whole = status == UBI_OK && answer.ptr[answer.len - 1] == '\n';
    ubi_session_use_end(use);
    return is_whole ? answer.len : status == UBI_ENOMEM ? SIZE_MAX : 0;
}

static void *asker(void *payload) {
    heaps *h = payload;
    size_t n_wrong = 0;
    for (size_t round = 0; round < N_ROUNDS * N_KEYS; round++) {
        size_t length = answer_length(h, round % N_KEYS);
        n_wrong += length != SIZE_MAX && length != h->lengths[round % N_KEYS];
    }
    return (void *)n_wrong;
}

static void threads_ask(heaps *h) {
    pthread_t threads[N_THREADS];
    void *n_wrong;
    for (int i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, asker, h), 0);
    for (int i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &n_wrong), 0);
        assert_null(n_wrong);
    }
}

static void lengths_note(heaps *h) {
    heaps alone;
    heaps_open(&alone, 0);
    for (size_t i = 0; i < N_KEYS; i++) {
        h->lengths[i] = answer_length(&alone, i);
        assert_true(h->lengths[i] > 0 && h->lengths[i] != SIZE_MAX);
    }
    heaps_close(&alone);
}

static void askers_at_once_get_one_answer(void **state) {
    heaps h;
    ubi_session_part_row row;
    (void)state;
    heaps_open(&h, 0);
    lengths_note(&h);
    threads_ask(&h);
    for (size_t i = 0; ubi_session_part_at(&row, h.sessions[0], i); i++)
        assert_int_equal(row.n_builds, 1);
    heaps_close(&h);
}

static void answers_are_dropped_at_the_limit_and_made_again(void **state) {
    heaps h;
    (void)state;
    heaps_open(&h, 3 << 20);
    lengths_note(&h);
    threads_ask(&h);
    assert_true(ubi_session_pool_peak_bytes(h.pool) <= (3 << 20) + (3 << 20) / 10);
    ubi_session_pool_drop_unused(h.pool);
    assert_int_equal(ubi_session_pool_held_bytes(h.pool), 0);
    heaps_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(askers_at_once_get_one_answer),
        cmocka_unit_test(answers_are_dropped_at_the_limit_and_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
