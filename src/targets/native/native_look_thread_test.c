/* SPDX-License-Identifier: MIT
 *
 * native_look_thread_test.c: looks at the memory of processes on a thread of their own: of those that live, that have ended, and whose
 * owner does not wait.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "targets/native/native_look.h"

static void a_look_is_taken_once(void **state) {
    ubi__native_looks looks;
    ubi__residence found;
    uint64_t at_ns, took_ns;
    (void)state;
    assert_int_equal(ubi__native_looks_start(&looks, ubi_allocator_default()), UBI_OK);
    ubi__native_look *look = ubi__native_look_new(&looks, getpid());
    assert_non_null(look);
    assert_false(ubi__native_look_take(look, &found, &at_ns, &took_ns));
    ubi__native_look_ask(look);
    ubi__native_look_ask(look);
    while (!ubi__native_look_take(look, &found, &at_ns, &took_ns))
        sched_yield();
    assert_true(found.total.resident_bytes > 0 && found.rows.n > 2 && at_ns > 0);
    ubi__residence_check(&found);
    ubi__residence_fini(&found);
    assert_false(ubi__native_look_take(look, &found, &at_ns, &took_ns));
    ubi__native_look_free(look);
    ubi__native_looks_stop(&looks);
}

/* Whether the thread has come to it or not. */
static void owners_need_not_wait(void **state) {
    ubi__native_looks looks;
    (void)state;
    assert_int_equal(ubi__native_looks_start(&looks, ubi_allocator_default()), UBI_OK);
    for (int i = 0; i < 30; i++) {
        ubi__native_look *first = ubi__native_look_new(&looks, getpid()),
                         *second = ubi__native_look_new(&looks, getpid());
        assert_non_null(first);
        assert_non_null(second);
        ubi__native_look_ask(first);
        ubi__native_look_ask(second);
        if (i % 3 == 0)
            sched_yield();
        ubi__native_look_free(i % 2 ? first : second);
        ubi__native_look_free(i % 2 ? second : first);
    }
    ubi__native_look_free(NULL);
    ubi__native_looks_stop(&looks);
}

static void a_process_that_has_ended_has_nothing(void **state) {
    ubi__native_looks looks;
    ubi__residence found;
    uint64_t at_ns, took_ns;
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        for (;;)
            pause();
    assert_int_equal(ubi__native_looks_start(&looks, ubi_allocator_default()), UBI_OK);
    ubi__native_look *gone = ubi__native_look_new(&looks, pid), *here = ubi__native_look_new(&looks, getpid());
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_null(ubi__native_look_new(&looks, pid));
    ubi__native_look_ask(gone);
    ubi__native_look_ask(here); /* which comes after it */
    while (!ubi__native_look_take(here, &found, &at_ns, &took_ns))
        sched_yield();
    ubi__residence_fini(&found);
    assert_false(ubi__native_look_take(gone, &found, &at_ns, &took_ns));
    ubi__native_look_free(gone);
    ubi__native_look_free(here);
    ubi__native_looks_stop(&looks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_is_taken_once),
        cmocka_unit_test(owners_need_not_wait),
        cmocka_unit_test(a_process_that_has_ended_has_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
