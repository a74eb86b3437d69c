/* SPDX-License-Identifier: MIT
 *
 * signal_name_test.c: the names are those of the C library at hand.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/human.h"

static void every_number_has_the_name_that_the_c_library_has(void **state) {
    (void)state;
    for (int number = 0; number < NSIG; number++) {
        const char *theirs = sigabbrev_np(number), *ours = ubi__signal_name((uint32_t)number);
        assert_int_equal(ours != NULL, theirs != NULL);
        if (ours)
            assert_string_equal(ours, theirs);
    }
}

static void other_numbers_have_none(void **state) {
    (void)state;
    assert_null(ubi__signal_name(NSIG));
    assert_null(ubi__signal_name(UINT32_MAX));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_has_the_name_that_the_c_library_has),
        cmocka_unit_test(other_numbers_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
