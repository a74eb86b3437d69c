/* SPDX-License-Identifier: MIT
 *
 * Tests of tuple_table.h: numbers are those that a search through all earlier tuples gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "fail_allocator.h"
#include "random_numbers.h"
#include "recording/tuple_table.h"

enum { N_VALUES = 9 }; /* of each word, so that many tuples differ in one only */

/* The tuple as one number, which is unique. */
static size_t plain_place(const uint64_t *tuple, size_t width) {
    size_t place = 0;
    for (size_t i = 0; i < width; i++)
        place = place * N_VALUES + (size_t)(tuple[i] & 0xff);
    return place;
}

static void draw(uint64_t *tuple, size_t width) {
    for (size_t i = 0; i < UBI__TUPLE_WIDTH_MAX; i++)
        tuple[i] = i < width ? (uint64_t)random_below(N_VALUES) * UINT64_C(0x0100000000000001) : random_below(1000);
}

static void test_equal_tuples_have_one_number_and_new_ones_the_next(void **state) {
    (void)state;
    static uint32_t plain[N_VALUES * N_VALUES * N_VALUES * N_VALUES]; /* number + 1; 0: none */
    random_start(3);
    for (size_t width = 1; width <= UBI__TUPLE_WIDTH_MAX; width++) {
        ubi__tuple_table t;
        ubi__tuple_table_init(&t, width, "things", ubi_allocator_default());
        memset(plain, 0, sizeof plain);
        for (uint32_t i = 0; i < 40000; i++) {
            uint64_t tuple[UBI__TUPLE_WIDTH_MAX];
            uint32_t number, n = ubi__tuple_table_count(&t);
            bool is_new;
            draw(tuple, width);
            uint32_t *known = &plain[plain_place(tuple, width)];
            assert_int_equal(ubi__tuple_table_number(&t, &number, &is_new, tuple), UBI_OK);
            assert_int_equal(is_new, *known == 0);
            assert_int_equal(number, is_new ? n : *known - 1);
            *known = number + 1;
            assert_true(t.table.n_slots <= 1024 || t.table.n_slots <= 2 * t.table.n + 2);
        }
        assert_true(width < 4 || t.table.n > 6000);
        ubi__tuple_table_fini(&t);
    }
}

static void test_numbers_continue_when_tuples_start_again(void **state) {
    (void)state;
    ubi__tuple_table t;
    ubi__tuple_table_init(&t, 2, "things", ubi_allocator_default());
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (uint64_t i = 0; i < 100; i++) {
            const uint64_t tuple[] = { i, 0 };
            uint32_t number;
            bool is_new;
            for (int again = 0; again < 2; again++) {
                assert_int_equal(ubi__tuple_table_number(&t, &number, &is_new, tuple), UBI_OK);
                assert_int_equal(number, turn * 100 + i);
                assert_int_equal(is_new, again == 0);
            }
        }
        ubi__tuple_table_start_anew(&t);
        assert_int_equal(ubi__tuple_table_count(&t), (turn + 1) * 100);
    }
    ubi__tuple_table_fini(&t);
}

static ubi_status number_some(void *payload, const ubi_allocator *allocator) {
    ubi__tuple_table t;
    ubi_status status = UBI_OK;
    (void)payload;
    ubi__tuple_table_init(&t, 1, "things", allocator);
    for (uint64_t i = 0; i < 200 && status == UBI_OK; i++) {
        uint32_t number, n = ubi__tuple_table_count(&t);
        bool is_new;
        status = ubi__tuple_table_number(&t, &number, &is_new, &i);
        assert_int_equal(ubi__tuple_table_count(&t), status == UBI_OK ? n + 1 : n);
    }
    ubi__tuple_table_fini(&t);
    return status;
}

static void test_a_refused_allocation_leaves_the_table_as_it_was(void **state) {
    (void)state;
    assert_true(fail_each_allocation(number_some, NULL) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_tuples_have_one_number_and_new_ones_the_next),
        cmocka_unit_test(test_numbers_continue_when_tuples_start_again),
        cmocka_unit_test(test_a_refused_allocation_leaves_the_table_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
