/* SPDX-License-Identifier: MIT
 *
 * result_test.c: results are filled as far as the caller's struct goes (status.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

typedef struct result {
    uint32_t struct_bytes;
    uint32_t count;
    uint64_t later; /* programs built with an older header do not have it */
} result;

static const result full = { sizeof(result), 7, 8 };

static void a_whole_result_is_filled(void **state) {
    result out = { .struct_bytes = sizeof out };
    (void)state;
    ubi__result_fill(&out, &full, sizeof full);
    assert_int_equal(out.count, 7);
    assert_int_equal(out.later, 8);
    assert_int_equal(out.struct_bytes, sizeof out);
}

static void an_older_result_gets_what_it_has_room_for(void **state) {
    result out = { offsetof(result, later), 0, 99 };
    (void)state;
    ubi__result_fill(&out, &full, sizeof full);
    assert_int_equal(out.count, 7);
    assert_int_equal(out.later, 99);
    assert_int_equal(out.struct_bytes, offsetof(result, later));
}

static void a_newer_result_keeps_what_the_library_does_not_know(void **state) {
    result out = { sizeof out, 0, 99 };
    (void)state;
    ubi__result_fill(&out, &full, offsetof(result, later));
    assert_int_equal(out.count, 7);
    assert_int_equal(out.later, 99);
}

static void a_result_that_was_not_initialized_is_refused(void **state) {
    uint32_t none = 0, some = sizeof(result);
    (void)state;
    assert_int_equal(ubi__result_check(&none, "result"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "result is not initialized: its struct_bytes is 0");
    assert_int_equal(ubi__result_check(&some, "result"), UBI_OK);
    assert_int_equal(ubi__result_check(NULL, "result"), UBI_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_result_is_filled),
        cmocka_unit_test(an_older_result_gets_what_it_has_room_for),
        cmocka_unit_test(a_newer_result_keeps_what_the_library_does_not_know),
        cmocka_unit_test(a_result_that_was_not_initialized_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
