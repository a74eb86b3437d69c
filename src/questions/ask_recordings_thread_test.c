/* SPDX-License-Identifier: MIT
 *
 * ask_recordings_thread_test.c: threads that ask one session of a recording at once get what one thread gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <pthread.h>

#include <cmocka.h>

#include <ubiheap/extension/ask.h>

#include "base/alloc.h"
#include "written_text.h"

#define RECORDING "tests/data/ubirec/growing.ubirec"
#define N_ROUNDS 20

static const struct asked {
    const char *question, *parameters;
} everything[] = {
    { "report", NULL },      { "report", "{\"by\": \"peak\"}" },    { "timeline", NULL },
    { "allocations", NULL }, { "report", "{\"wrappers\": false}" }, { "info", NULL },
};

#define N_EVERYTHING (sizeof everything / sizeof *everything)

typedef struct asker {
    pthread_t thread;
    ubi_session *session;
    const struct asked *asked;
    text answer;
    ubi_status status;
} asker;

static void *ask_it(void *payload) {
    asker *a = payload;
    a->status = ubi_ask(a->session, a->asked->question, a->asked->parameters, text_write, &a->answer, NULL);
    return NULL;
}

static void askers_prepare(asker *askers, ubi_session *session) {
    for (size_t i = 0; i < N_EVERYTHING; i++)
        askers[i] = (asker){ .session = session, .asked = &everything[i], .answer = { .room = SIZE_MAX } };
}

static void threads_get_what_one_gets(void **state) {
    ubi_session_pool *pool;
    ubi_session *session;
    asker alone[N_EVERYTHING], together[N_EVERYTHING];
    (void)state;
    assert_int_equal(ubi_session_pool_new(&pool, NULL), UBI_OK);
    assert_int_equal(ubi_session_open_path(&session, pool, RECORDING, NULL), UBI_OK);
    askers_prepare(alone, session);
    for (size_t i = 0; i < N_EVERYTHING; i++)
        ask_it(&alone[i]);
    for (unsigned round = 0; round < N_ROUNDS; round++) {
        askers_prepare(together, session);
        ubi_session_pool_drop_unused(pool);
        for (size_t i = 0; i < N_EVERYTHING; i++)
            assert_int_equal(pthread_create(&together[i].thread, NULL, ask_it, &together[i]), 0);
        for (size_t i = 0; i < N_EVERYTHING; i++) {
            pthread_join(together[i].thread, NULL);
            assert_int_equal(together[i].status, UBI_OK);
            assert_int_equal(together[i].answer.bytes.n, alone[i].answer.bytes.n);
            assert_memory_equal(together[i].answer.bytes.at, alone[i].answer.bytes.at, alone[i].answer.bytes.n);
            text_fini(&together[i].answer);
        }
    }
    for (size_t i = 0; i < N_EVERYTHING; i++)
        text_fini(&alone[i].answer);
    ubi_session_unref(session);
    ubi_session_pool_unref(pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_get_what_one_gets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
