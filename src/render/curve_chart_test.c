/* SPDX-License-Identifier: MIT
 *
 * curve_chart_test.c: curves of bytes with their scales.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/curve_chart.h"
#include "written_text.h"

#define WIDE (UBI__CHART_SCALE_COLUMNS + UBI__CHART_LEAST_COLUMNS)

static void assert_chart(const ubi__curve_chart *chart, size_t rows, bool has_unicode, const char *expected) {
    const ubi__style style = { .has_unicode = has_unicode, .columns = WIDE };
    text t = { .room = SIZE_MAX };
    ubi__out out;
    ubi__out_init(&out, text_write, &t);
    if (rows > 1)
        ubi__curve_chart_write(&out, &style, chart, rows);
    else
        ubi__curve_line_write(&out, &style, chart);
    assert_int_equal(ubi__out_flush(&out), UBI_OK);
    assert_true(text_write(&t, "", 1));
    assert_string_equal(t.bytes.at, expected);
    assert_true(text_longest_line(&t) <= WIDE);
    text_fini(&t);
}

static void a_curve_has_its_scales(void **state) {
    static const uint64_t values[] = { 0, 1, 512, 1024 };
    const ubi__curve_chart chart = { .values = values, .n = 4, .stride = 1, .end_ns = 4000000000 };
    (void)state;
    assert_chart(&chart, 2, true,
                 "  1.00 KiB ┤            ████\n"
                 "     512 B ┤    ▁▁▁▁████████\n"
                 "       0 B └────────────────\n"
                 "            0 us      4.00 s\n");
    assert_chart(&chart, 2, false,
                 "  1.00 KiB +            ####\n"
                 "     512 B +    ....########\n"
                 "       0 B +----------------\n"
                 "            0 us      4.00 s\n");
}

static void several_values_of_a_column_show_the_largest(void **state) {
    uint64_t values[64] = { 0 };
    (void)state;
    values[5] = 80;  /* the second column */
    values[63] = 40; /* the last one */
    const ubi__curve_chart chart = { .values = values, .n = 64, .stride = 1, .end_ns = 1000 };
    assert_chart(&chart, 1, true, "      80 B ┤ █             ▄\n");
}

static void values_may_be_a_column_of_a_table(void **state) {
    static const uint64_t values[] = { 1, 9, 2, 9, 4, 9, 8, 9 };
    const ubi__curve_chart chart = { .values = values, .n = 4, .stride = 2, .end_ns = 1000, .note = "a note" };
    (void)state;
    assert_chart(&chart, 1, true, "       8 B ┤▁▁▁▁▂▂▂▂▄▄▄▄████\n");
    assert_chart(&chart, 2, false,
                 "       8 B +            ####\n"
                 "       4 B +....::::########\n"
                 "       0 B +----------------\n"
                 "            0 us  0 us  1 us\n"
                 "            a note\n");
}

static void nothing_is_an_empty_curve(void **state) {
    static const uint64_t values[] = { 0 };
    const ubi__curve_chart chart = { .values = values, .n = 1, .stride = 1, .from_ns = 5000, .end_ns = 6000 };
    (void)state;
    assert_chart(&chart, 1, true, "       0 B ┤\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_has_its_scales),
        cmocka_unit_test(several_values_of_a_column_show_the_largest),
        cmocka_unit_test(values_may_be_a_column_of_a_table),
        cmocka_unit_test(nothing_is_an_empty_curve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
