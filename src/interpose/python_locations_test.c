/* SPDX-License-Identifier: MIT
 *
 * Tests of python_locations.c: tables as CPython 3.11 to 3.13 write them, and others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interpose/python_locations.c"

#define ENTRY(code, units) (uint8_t)(0x80 | (code) << 3 | ((units)-1))

static void assert_place(const uint8_t *table, size_t n, uint32_t unit, uint32_t line, uint32_t column) {
    ubi__python_position found = ubi__python_locate(table, n, 10, unit);
    assert_int_equal(found.line, line);
    assert_int_equal(found.column, column);
}

static void test_each_kind_of_entry(void **state) {
    (void)state;
    const uint8_t table[] = {
        ENTRY(0, 2),
        0x41, /* short: column 4 to 5 */
        ENTRY(2, 1),
        0x35, /* column 16 + 3 */
        ENTRY(11, 1),
        7,
        9, /* a line further, column 7 */
        ENTRY(12, 3),
        0,
        1, /* two lines */
        ENTRY(13, 1),
        5, /* two lines back (5: -2), no columns */
        ENTRY(14, 8),
        0x64,
        1,
        3,
        6,
        8,            /* long: 50 lines further (0x24 | 1 << 6 is 100, even), ends 3 lines later; column 6 */
        ENTRY(15, 2), /* nothing is known */
        ENTRY(10, 1),
        1,
        2,
    };
    assert_place(table, sizeof table, 0, 10, 5);
    assert_place(table, sizeof table, 1, 10, 5);
    assert_place(table, sizeof table, 2, 10, 20);
    assert_place(table, sizeof table, 3, 11, 8);
    assert_place(table, sizeof table, 4, 13, 1);
    assert_place(table, sizeof table, 6, 13, 1);
    assert_place(table, sizeof table, 7, 11, 0);
    assert_place(table, sizeof table, 8, 61, 6);
    assert_place(table, sizeof table, 15, 61, 6);
    assert_place(table, sizeof table, 16, 10, 0); /* the function's */
    assert_place(table, sizeof table, 18, 61, 2);
    assert_place(table, sizeof table, 19, 10, 0);
    assert_place(table, 0, 0, 10, 0);
}

static void test_tables_that_end_anywhere_and_wrong_bits(void **state) {
    (void)state;
    uint8_t table[] = { ENTRY(0, 2), 0x41, ENTRY(14, 8), 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 1, 3,
                        6,           8,    ENTRY(13, 1), 0x41 };
    for (size_t n = 0; n <= sizeof table; n++)
        for (uint32_t unit = 0; unit < 16; unit++)
            assert_true(ubi__python_locate(table, n, 10, unit).line <= INT32_MAX);
    for (size_t bit = 0; bit < 8 * sizeof table; bit++) {
        table[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(ubi__python_locate(table, sizeof table, 10, 9).line <= INT32_MAX);
        table[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(ubi__python_locate(table, 0, -5, 0).line, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_of_entry),
        cmocka_unit_test(test_tables_that_end_anywhere_and_wrong_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
