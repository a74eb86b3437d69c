/* SPDX-License-Identifier: MIT
 *
 * digit_pass_test.c: the pass that a parser is compared with (bench/digit_pass.h) sees every number, wherever pieces end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "digit_pass.h"

static const char text[] = "{\"nodes\":[12,0,345],\n\"edges\":[,6 7890\",18446744073709551615,1]42";

static ubi__digit_pass pass_in_pieces(const char *bytes, size_t n, size_t n_piece) {
    ubi__digit_pass pass = { 0 };
    for (size_t at = 0; at < n; at += n_piece)
        ubi__digit_pass_feed(&pass, (const uint8_t *)bytes + at, n - at < n_piece ? n - at : n_piece);
    ubi__digit_pass_end(&pass);
    return pass;
}

static void every_number_counts_once_wherever_a_piece_ends(void **state) {
    (void)state;
    for (size_t n_piece = 1; n_piece <= strlen(text); n_piece++) {
        ubi__digit_pass pass = pass_in_pieces(text, strlen(text), n_piece);
        assert_int_equal(pass.n_bytes, strlen(text));
        assert_int_equal(pass.n_numbers, 8);
        assert_int_equal(pass.n_digits, 2 + 1 + 3 + 1 + 4 + 20 + 1 + 2);
        assert_int_equal(pass.sum, (uint64_t)12 + 345 + 6 + 7890 - 1 + 1 + 42);
    }
}

static void bytes_without_digits_are_no_numbers(void **state) {
    (void)state;
    ubi__digit_pass pass = pass_in_pieces("/:,\xff\"", 5, 2);
    assert_int_equal(pass.n_numbers, 0);
    assert_int_equal(pass.n_digits, 0);
    assert_int_equal(pass_in_pieces("", 0, 1).n_bytes, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_counts_once_wherever_a_piece_ends),
        cmocka_unit_test(bytes_without_digits_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
