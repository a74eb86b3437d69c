/* SPDX-License-Identifier: MIT
 *
 * bits_test.c: limits of sums, sets of bits, mixing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bits.h"

static void sums_stay_within_their_type(void **state) {
    (void)state;
    assert_true(ubi__add_u64(1, 2) == 3);
    assert_true(ubi__add_u64(UINT64_MAX - 1, 1) == UINT64_MAX);
    assert_true(ubi__add_u64(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(ubi__add_u64(UINT64_MAX, UINT64_MAX) == UINT64_MAX);
    assert_true(ubi__subtract_u64(5, 3) == 2);
    assert_true(ubi__subtract_u64(3, 5) == 0);
    assert_true(ubi__subtract_u64(0, UINT64_MAX) == 0);
    assert_true(ubi__add_i64(-3, 5) == 2);
    assert_true(ubi__add_i64(INT64_MAX, 1) == INT64_MAX);
    assert_true(ubi__add_i64(1, INT64_MAX) == INT64_MAX);
    assert_true(ubi__add_i64(INT64_MIN, -1) == -INT64_MAX);
    assert_true(ubi__to_i64(7) == 7);
    assert_true(ubi__to_i64(INT64_MAX) == INT64_MAX);
    assert_true(ubi__to_i64((uint64_t)INT64_MAX + 1) == INT64_MAX);
    assert_true(ubi__to_i64(UINT64_MAX) == INT64_MAX);
    assert_true(ubi__smaller(1, UINT64_MAX) == 1 && ubi__smaller(2, 1) == 1);
    assert_true(ubi__larger(1, UINT64_MAX) == UINT64_MAX && ubi__larger(2, 1) == 2);
}

static void a_bit_is_put_where_it_is_looked_for_and_nowhere_else(void **state) {
    (void)state;
    static const unsigned places[] = { 0, 1, 31, 32, 63, 64, 65, 127, 128, 191 };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t words[3] = { 0 };
        ubi__put_bit(words, places[i]);
        ubi__put_bit(words, places[i]);
        for (unsigned k = 0; k < 192; k++)
            assert_int_equal(ubi__has_bit(words, k), k == places[i]);
    }
}

/* The published first numbers of SplitMix64 for the seed 1234567. */
static void mixing_makes_the_numbers_of_splitmix64(void **state) {
    (void)state;
    static const uint64_t published[] = { UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                          UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                                          UINT64_C(16408922859458223821) };
    uint64_t counter = 1234567;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        assert_true(ubi__mix_u64(counter += UBI__GOLDEN) == published[i]);
}

static void addresses_in_a_row_have_places_of_their_own(void **state) {
    (void)state;
    enum { BITS = 8 };
    bool taken[1 << BITS] = { false };
    unsigned n = 0;
    for (uint64_t address = 0x7f0000000000; address < 0x7f0000000000 + 64 * 16; address += 16) {
        size_t place = ubi__cache_place(address, BITS);
        assert_in_range(place, 0, (1 << BITS) - 1);
        n += !taken[place];
        taken[place] = true;
    }
    assert_true(n > 48); /* of 64 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_stay_within_their_type),
        cmocka_unit_test(a_bit_is_put_where_it_is_looked_for_and_nowhere_else),
        cmocka_unit_test(mixing_makes_the_numbers_of_splitmix64),
        cmocka_unit_test(addresses_in_a_row_have_places_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
