/* SPDX-License-Identifier: MIT
 *
 * curve_text_test.c: curves with their scale: exact pictures, and numbers at their ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/capture_test.h"
#include "render/curve_text.h"

static capture shown;

static const char *curve_draw(const ubi__curve *curve, unsigned columns, bool has_unicode, unsigned rows) {
    const ubi__style style = { .has_unicode = has_unicode, .columns = columns };
    ubi__curve_write(capture_start(&shown), &style, curve, rows);
    return capture_text(&shown);
}

static const uint64_t values[] = { 0, 1, 4 << 10, 8 << 10, 16 << 10, 12 << 10 };
static const ubi__curve rising = { .values = values, .n = 6, .end_us = 12400000 };

static void a_curve_has_a_scale_on_both_axes(void **state) {
    (void)state;
    assert_string_equal(curve_draw(&rising, 25, true, 4), " 16.0 KiB ┤          ██  \n"
                                                          "          │          ████\n"
                                                          " 8.00 KiB ┤       ███████\n"
                                                          "          │   ▁▁█████████\n"
                                                          "      0 B ┴──────────────\n"
                                                          "           0 us   12.40 s\n");
}

static void without_more_than_ascii_it_is_a_curve_as_well(void **state) {
    (void)state;
    const char *text = curve_draw(&rising, 25, false, 4);
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c < 127));
}

static void scales_end_at_short_numbers_near_the_largest_value(void **state) {
    (void)state;
    assert_int_equal(ubi__curve_top(0), 8);
    assert_int_equal(ubi__curve_top(8), 8);
    assert_int_equal(ubi__curve_top(9), 10);
    assert_int_equal(ubi__curve_top(UINT64_MAX), UINT64_MAX);
    for (uint64_t largest = 8; largest < UINT64_MAX / 3; largest = largest * 3 / 2 + 1) {
        uint64_t top = ubi__curve_top(largest);
        assert_true(top >= largest && top - largest <= largest / 4);
    }
}

static void any_width_and_any_values_have_lines_that_fit(void **state) {
    static const uint64_t largest[] = { UINT64_C(1) << 43, 0, UINT64_C(1) << 42, 1 };
    const ubi__curve curves[] = { { .values = largest, .n = 4, .end_us = 1 }, { .values = largest, .n = 0 }, rising };
    (void)state;
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        for (unsigned columns = 12; columns < 600; columns += 7)
            for (unsigned rows = 1; rows < 12; rows++) {
                size_t n = 0, at = 0;
                for (const char *c = curve_draw(&curves[i], columns, false, rows); *c; c++, at++)
                    if (*c == '\n') {
                        assert_true(at <= columns);
                        at = (size_t)-1;
                        n++;
                    }
                assert_int_equal(n, rows + 2);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_has_a_scale_on_both_axes),
        cmocka_unit_test(without_more_than_ascii_it_is_a_curve_as_well),
        cmocka_unit_test(scales_end_at_short_numbers_near_the_largest_value),
        cmocka_unit_test(any_width_and_any_values_have_lines_that_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
