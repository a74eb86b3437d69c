/* SPDX-License-Identifier: MIT
 *
 * quantity_test.c: sizes, times and probabilities with their units, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/quantity.h"

static uint64_t size(const char *text) {
    uint64_t bytes = 0;
    assert_int_equal(ubi__parse_size(&bytes, text, "--x"), UBI_OK);
    return bytes;
}

static uint64_t duration(const char *text) {
    uint64_t us = 0;
    assert_int_equal(ubi__parse_duration(&us, text, "--x"), UBI_OK);
    return us;
}

static void sizes_have_units_of_two_kinds(void **state) {
    (void)state;
    assert_int_equal(size("65536"), 65536);
    assert_int_equal(size("0"), 0);
    assert_int_equal(size("64KiB"), 65536);
    assert_int_equal(size("1.5 MiB"), 1572864);
    assert_int_equal(size("2GB"), 2000000000);
    assert_int_equal(size("3B"), 3);
    assert_int_equal(size("1TiB"), 1099511627776);
}

static void durations_are_seconds_unless_they_say_otherwise(void **state) {
    (void)state;
    assert_int_equal(duration("10"), 10000000);
    assert_int_equal(duration("10s"), 10000000);
    assert_int_equal(duration("0.5"), 500000);
    assert_int_equal(duration("500ms"), 500000);
    assert_int_equal(duration("2m"), 120000000);
    assert_int_equal(duration("1h"), 3600000000);
    assert_int_equal(duration("7us"), 7);
}

static uint64_t program_time(const char *text) {
    uint64_t ns = 0;
    assert_int_equal(ubi__parse_program_time(&ns, text, "--x"), UBI_OK);
    return ns;
}

static void times_of_programs_are_milliseconds_unless_they_say_otherwise(void **state) {
    static const char *const wrong[] = { "", ".", "x", "0x", "0.0d", "-1", "1 2", "soon" };
    uint64_t ns = 5;
    (void)state;
    assert_int_equal(program_time("1200"), 1200000000);
    assert_int_equal(program_time("0.5"), 500000);
    assert_int_equal(program_time("1.5s"), 1500000000);
    assert_int_equal(program_time("7us"), 7000);
    assert_int_equal(program_time("0"), 0);
    assert_int_equal(program_time("0.00"), 0);
    assert_int_equal(program_time("0s"), 0);
    assert_int_equal(program_time("10"), 10000000);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ubi__parse_program_time(&ns, wrong[i], "--from"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--from: expected a time such as 500ms, 10s or 2m, not 'soon'");
    assert_int_equal(ubi__parse_program_time(&ns, "0x", "--from"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--from: expected a time such as 500ms, 10s or 2m, not '0x'");
    assert_int_equal(ns, 5);
}

static void probabilities_are_between_0_and_1(void **state) {
    (void)state;
    double p = 7;
    assert_int_equal(ubi__parse_probability(&p, "0.25", "--x"), UBI_OK);
    assert_true(p == 0.25);
    assert_int_equal(ubi__parse_probability(&p, "0", "--x"), UBI_OK);
    assert_int_equal(ubi__parse_probability(&p, "1", "--x"), UBI_OK);
    assert_int_equal(ubi__parse_probability(&p, "1.01", "--x"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--x: expected a number from 0 to 1, not '1.01'");
    assert_true(p == 1);
}

static void everything_else_is_refused_and_named(void **state) {
    (void)state;
    static const char *const wrong[] = { "", "x", "1x", "-1", "+1", "1e3", ".", "1.2.3", " 1", "0x10", "nan", "inf" };
    uint64_t value = 5;
    double p = 5;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ubi__parse_size(&value, wrong[i], "--x"), UBI_EINVAL);
        assert_int_equal(ubi__parse_duration(&value, wrong[i], "--x"), UBI_EINVAL);
        assert_int_equal(ubi__parse_probability(&p, wrong[i], "--x"), UBI_EINVAL);
    }
    assert_int_equal(value, 5);
    assert_int_equal(ubi__parse_size(&value, "1kb", "--heap-limit"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--heap-limit: expected a size such as 64MiB, not '1kb'");
    assert_int_equal(ubi__parse_duration(&value, "1d", "--snapshot-at"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--snapshot-at: expected a time such as 500ms, 10s or 2m, not '1d'");
}

static void what_no_number_holds_is_refused(void **state) {
    (void)state;
    uint64_t value = 5;
    assert_int_equal(ubi__parse_size(&value, "9000000TiB", "--x"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--x: 9000000TiB is too large");
    assert_int_equal(ubi__parse_duration(&value, "0", "--x"), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "--x: 0 is too short");
    assert_int_equal(ubi__parse_duration(&value, "99999999999h", "--x"), UBI_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_have_units_of_two_kinds),
        cmocka_unit_test(durations_are_seconds_unless_they_say_otherwise),
        cmocka_unit_test(times_of_programs_are_milliseconds_unless_they_say_otherwise),
        cmocka_unit_test(probabilities_are_between_0_and_1),
        cmocka_unit_test(everything_else_is_refused_and_named),
        cmocka_unit_test(what_no_number_holds_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
