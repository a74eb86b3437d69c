/* SPDX-License-Identifier: MIT
 *
 * status_test.c: the error message of a thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>

#include "base/status.h"

static void every_status_has_a_name_of_its_own(void **state) {
    (void)state;
    for (int a = UBI_EMISMATCH; a <= UBI_OK; a++) {
        const char *name = ubi_status_name((ubi_status)a);
        assert_string_not_equal(name, "");
        assert_string_not_equal(name, "unknown status");
        for (int b = UBI_EMISMATCH; b < a; b++)
            assert_string_not_equal(name, ubi_status_name((ubi_status)b));
    }
    assert_string_equal(ubi_status_name(UBI_EFORMAT), "bad input");
    assert_string_equal(ubi_status_name((ubi_status)1), "unknown status");
    assert_string_equal(ubi_status_name((ubi_status)-99), "unknown status");
}

static void failing_formats_the_message_and_returns_the_status(void **state) {
    (void)state;
    assert_int_equal(ubi__fail(UBI_ELIMIT, "%d of %s", 3, "these"), UBI_ELIMIT);
    assert_string_equal(ubi_error_message(), "3 of these");
    assert_int_equal(ubi__fail_nomem(), UBI_ENOMEM);
    assert_string_equal(ubi_error_message(), "out of memory");
    assert_int_equal(ubi__fail_cancelled(), UBI_ECANCELLED);
    assert_string_equal(ubi_error_message(), "cancelled");
}

static void an_errno_is_spelled_out_behind_the_text(void **state) {
    (void)state;
    assert_int_equal(ubi__fail_errno(ENOENT, "cannot open %s", "x"), UBI_EIO);
    assert_string_equal(ubi_error_message(), "cannot open x: No such file or directory");
}

static void a_message_that_is_too_long_is_cut_and_ended(void **state) {
    (void)state;
    char text[2001];
    memset(text, 'x', 2000);
    text[2000] = '\0';
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            ubi__fail(UBI_EINVAL, "%s", text);
        else
            ubi__fail_errno(ENOENT, "%s", text);
        size_t n = strlen(ubi_error_message());
        assert_in_range(n, 300, 1000);
        assert_memory_equal(ubi_error_message(), text, n);
    }
    text[505] = '\0'; /* the reason fits in part */
    ubi__fail_errno(ENOENT, "%s", text);
    assert_memory_equal(ubi_error_message(), text, 505);
    assert_memory_equal(ubi_error_message() + 505, ": No s", strlen(ubi_error_message()) - 505);
}

static void *fail_elsewhere(void *payload) {
    const char **before = payload;
    before[0] = strcmp(ubi_error_message(), "") == 0 ? "empty" : "not empty";
    ubi__fail(UBI_EIO, "of the other thread");
    return NULL;
}

static void each_thread_has_a_message_of_its_own(void **state) {
    (void)state;
    pthread_t thread;
    const char *before = NULL;
    ubi__fail(UBI_EIO, "of this thread");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &before), 0);
    pthread_join(thread, NULL);
    assert_string_equal(before, "empty");
    assert_string_equal(ubi_error_message(), "of this thread");
}

static ubi_status try_twice(ubi_status first, ubi_status second, int *reached) {
    UBI_TRY(first);
    *reached = 1;
    UBI_TRY(second);
    *reached = 2;
    return UBI_OK;
}

static void the_first_fault_is_passed_up_and_nothing_after_it_runs(void **state) {
    (void)state;
    int reached = 0;
    assert_int_equal(try_twice(UBI_EIO, UBI_ENOMEM, &reached), UBI_EIO);
    assert_int_equal(reached, 0);
    assert_int_equal(try_twice(UBI_OK, UBI_ENOMEM, &reached), UBI_ENOMEM);
    assert_int_equal(reached, 1);
    assert_int_equal(try_twice(UBI_OK, UBI_OK, &reached), UBI_OK);
    assert_int_equal(reached, 2);
}

static bool note_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    assert_string_equal(stage, "reading");
    assert_int_equal(total, 10);
    *(uint64_t *)payload = done;
    return done < 5;
}

static void progress_goes_to_the_callback_whose_answer_counts(void **state) {
    (void)state;
    uint64_t done = 0;
    ubi_progress progress = { note_progress, &done }, none = { NULL, NULL };
    assert_true(ubi__progress(&progress, "reading", 4, 10));
    assert_int_equal(done, 4);
    assert_false(ubi__progress(&progress, "reading", 5, 10));
    assert_true(ubi__progress(&none, "reading", 5, 10));
    assert_true(ubi__progress(NULL, "reading", 5, 10));
}

static void the_version_of_the_library_is_that_of_the_header(void **state) {
    (void)state;
    assert_string_equal(ubi_version(), UBI_VERSION_STRING);
}

static void options_of_older_programs_are_taken(void **state) {
    (void)state;
    assert_int_equal(ubi__version_check(1, 3, "ubi_x_options"), UBI_OK);
    assert_int_equal(ubi__version_check(3, 3, "ubi_x_options"), UBI_OK);
    assert_int_equal(ubi__version_check(0, 3, "ubi_x_options"), UBI_EINVAL);
    assert_int_equal(ubi__version_check(4, 3, "ubi_x_options"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_x_options has version 4, expected 1 to 3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_of_its_own),
        cmocka_unit_test(failing_formats_the_message_and_returns_the_status),
        cmocka_unit_test(an_errno_is_spelled_out_behind_the_text),
        cmocka_unit_test(a_message_that_is_too_long_is_cut_and_ended),
        cmocka_unit_test(each_thread_has_a_message_of_its_own),
        cmocka_unit_test(the_first_fault_is_passed_up_and_nothing_after_it_runs),
        cmocka_unit_test(progress_goes_to_the_callback_whose_answer_counts),
        cmocka_unit_test(the_version_of_the_library_is_that_of_the_header),
        cmocka_unit_test(options_of_older_programs_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
