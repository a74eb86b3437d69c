/* SPDX-License-Identifier: MIT
 *
 * human_test.c: numbers as people read them, at the borders of their forms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/human.h"

static char text[UBI__HUMAN_TEXT];

static void counts_are_grouped_by_thousands(void **state) {
    (void)state;
    assert_string_equal(ubi__human_count(text, 0), "0");
    assert_string_equal(ubi__human_count(text, 999), "999");
    assert_string_equal(ubi__human_count(text, 1000), "1,000");
    assert_string_equal(ubi__human_count(text, 8594201), "8,594,201");
    assert_string_equal(ubi__human_count(text, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void things_have_a_plural(void **state) {
    (void)state;
    assert_string_equal(ubi__human_things(text, 0, "node"), "0 nodes");
    assert_string_equal(ubi__human_things(text, 1, "node"), "1 node");
    assert_string_equal(ubi__human_things(text, 2000, "edge"), "2,000 edges");
    assert_string_equal(ubi__human_things(text, UINT64_MAX, "node"), "18,446,744,073,709,551,615 nodes");
    assert_string_equal(ubi__human_things(text, 3, "other module"), "3 other modules");
    assert_string_equal(ubi__human_things(text, UINT64_MAX, "unfinished session"),
                        "18,446,744,073,709,551,615 unfinished sessions");
}

static void sizes_have_three_digits_and_a_binary_unit(void **state) {
    (void)state;
    assert_string_equal(ubi__human_size(text, 0), "0 B");
    assert_string_equal(ubi__human_size(text, 1023), "1023 B");
    assert_string_equal(ubi__human_size(text, 1024), "1.00 KiB");
    assert_string_equal(ubi__human_size(text, 10239), "10.0 KiB"); /* never 10.00 */
    assert_string_equal(ubi__human_size(text, 102400), "100 KiB");
    assert_string_equal(ubi__human_size(text, (1 << 20) - 1), "1.00 MiB"); /* never 1024 KiB */
    assert_string_equal(ubi__human_size(text, UINT64_C(3) << 30), "3.00 GiB");
    assert_string_equal(ubi__human_size(text, UINT64_MAX), "16.0 EiB");
}

static void percentages_report_little_from_nothing(void **state) {
    (void)state;
    assert_string_equal(ubi__human_percent(text, 0, 10), "0%");
    assert_string_equal(ubi__human_percent(text, 1, 100000), "<0.1%");
    assert_string_equal(ubi__human_percent(text, 1, 3), "33.3%");
    assert_string_equal(ubi__human_percent(text, 10, 10), "100.0%");
    assert_string_equal(ubi__human_percent(text, 0, 0), "-");
    assert_string_equal(ubi__human_percent(text, UINT64_MAX, 10), ">99999%");
}

static void durations_use_the_unit_that_fits(void **state) {
    (void)state;
    assert_string_equal(ubi__human_duration(text, 120), "120 us");
    assert_string_equal(ubi__human_duration(text, 38400), "38 ms");
    assert_string_equal(ubi__human_duration(text, 999499), "999 ms");
    assert_string_equal(ubi__human_duration(text, 999500), "1.00 s");
    assert_string_equal(ubi__human_duration(text, 1234567), "1.23 s");
    assert_string_equal(ubi__human_nanoseconds(text, 999), "999 ns");
    assert_string_equal(ubi__human_nanoseconds(text, 12345), "12.3 us");
    assert_string_equal(ubi__human_nanoseconds(text, 999499), "999 us");
    assert_string_equal(ubi__human_nanoseconds(text, 999500), "1.00 ms");
    assert_string_equal(ubi__human_nanoseconds(text, UINT64_MAX), "18446744074 s");
}

static void times_are_utc(void **state) {
    (void)state;
    assert_string_equal(ubi__human_time(text, UINT64_C(1700000000123456)), "2023-11-14 22:13:20 UTC");
    assert_string_equal(ubi__iso_time(text, UINT64_C(1700000000123456)), "2023-11-14T22:13:20.123456Z");
    assert_string_equal(ubi__iso_time(text, 0), "1970-01-01T00:00:00.000000Z");
}

static void times_beyond_the_calendar_do_no_harm(void **state) {
    (void)state;
    assert_string_equal(ubi__iso_time(text, UINT64_C(253402300799999999)), "9999-12-31T23:59:59.999999Z");
    assert_null(ubi__iso_time(text, UINT64_C(253402300800000000)));
    assert_string_equal(ubi__human_time(text, UINT64_MAX), "18446744073709551615 us after 1970");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_grouped_by_thousands),
        cmocka_unit_test(things_have_a_plural),
        cmocka_unit_test(sizes_have_three_digits_and_a_binary_unit),
        cmocka_unit_test(percentages_report_little_from_nothing),
        cmocka_unit_test(durations_use_the_unit_that_fits),
        cmocka_unit_test(times_are_utc),
        cmocka_unit_test(times_beyond_the_calendar_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
