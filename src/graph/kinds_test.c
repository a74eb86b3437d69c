/* SPDX-License-Identifier: MIT
 *
 * kinds_test.c: interning combinations of node attributes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "graph/kinds.h"

static ubi_kind_ix intern(ubi__kinds *k, ubi_kind kind) {
    ubi_kind_ix ix;
    assert_int_equal(ubi__kinds_intern(k, &ix, &kind), UBI_OK);
    return ix;
}

static void each_combination_is_one_row_and_any_difference_makes_another(void **state) {
    (void)state;
    ubi__kinds k;
    ubi__kinds_init(&k, ubi_allocator_default());
    const ubi_kind variants[] = {
        { 1, 2, 3, 4, UBI_COARSE_OTHER, 0, 0 },        { 9, 2, 3, 4, UBI_COARSE_OTHER, 0, 0 },
        { 1, 9, 3, 4, UBI_COARSE_OTHER, 0, 0 },        { 1, 2, 9, 4, UBI_COARSE_OTHER, 0, 0 },
        { 1, 2, 3, 9, UBI_COARSE_OTHER, 0, 0 },        { 1, 2, 3, 4, UBI_COARSE_SCRIPT, 0, 0 },
        { 2, 1, 3, 4, UBI_COARSE_OTHER, 0, 0 },        { 1, UBI_NONE, 3, 4, UBI_COARSE_OTHER, 0, 0 },
        { 1, 2, 3, 4, UBI_COARSE_OTHER, 7, 0 },        { 1, 2, 3, 4, UBI_COARSE_OTHER, 0, 2 },
        { 1, 2, UBI_NONE, 4, UBI_COARSE_OTHER, 0, 0 }, { 1, 2, 3, UBI_NONE, UBI_COARSE_OTHER, 0, 0 },
    };
    enum { N = sizeof variants / sizeof *variants };
    for (int round = 0; round < 3; round++)
        for (ubi_kind_ix i = 0; i < N; i++)
            assert_int_equal(intern(&k, variants[i]), i);
    assert_int_equal(k.rows.n, N);
    assert_memory_equal(k.rows.at, variants, sizeof variants);
    ubi__kinds_fini(&k);
}

static void thousands_of_combinations_are_found_again(void **state) {
    (void)state;
    ubi__kinds k;
    ubi__kinds_init(&k, ubi_allocator_default());
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 30000; i++) {
            ubi_kind kind = { i % 30, i / 30 % 100, i / 3000, UBI_NONE, (ubi_coarse_type)(i % 5), 0, 0 };
            assert_int_equal(intern(&k, kind), i);
        }
    assert_int_equal(k.rows.n, 30000);
    ubi__kinds_trim(&k);
    assert_null(k.table.slots);
    assert_int_equal(k.rows.cap, 30000);
    assert_int_equal(k.rows.at[29999].script_filename, 9);
    ubi__kinds_fini(&k);
}

static ubi_status intern_many(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    ubi__kinds k;
    ubi_status status = UBI_OK;
    ubi__kinds_init(&k, allocator);
    for (uint32_t i = 0; i < 1000 && status == UBI_OK; i++) {
        ubi_kind kind = { i, 0, 0, 0, UBI_COARSE_OTHER, 0, 0 };
        ubi_kind_ix ix;
        status = ubi__kinds_intern(&k, &ix, &kind);
    }
    ubi__kinds_fini(&k);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    fail_each_allocation(intern_many, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_combination_is_one_row_and_any_difference_makes_another),
        cmocka_unit_test(thousands_of_combinations_are_found_again),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
