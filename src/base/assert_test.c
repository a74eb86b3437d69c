/* SPDX-License-Identifier: MIT */
#include "base/assert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "damage.h"

typedef struct pair {
    int low, high;
} pair;

static void pair_check(void *payload) {
    const pair *p = payload;
    UBI_ASSERT(p->low <= p->high);
}

static void what_holds_is_silent(void **state) {
    (void)state;
    pair_check(&(pair){ 1, 2 });
}

static void what_does_not_hold_is_named_with_its_place(void **state) {
    (void)state;
    pair damaged = { 3, 2 };
    assert_damage_seen(pair_check, &damaged, "assert_test.c:");
    assert_damage_seen(pair_check, &damaged, "pair_check: does not hold: p->low <= p->high");
}

static void a_check_that_passes_is_not_taken_for_one_that_fails(void **state) {
    (void)state;
    pair whole = { 1, 2 }, damaged = { 3, 2 };
    assert_false(damage_is_seen(pair_check, &whole, ""));
    assert_false(damage_is_seen(pair_check, &damaged, "another condition"));
}

static void index_two(void *payload) {
    uint32_t *rows = payload;
    rows[UBI_INDEX(2u, 2u)]++;
}

static void an_index_is_below_its_count(void **state) {
    (void)state;
    uint32_t rows[3] = { 0 };
    assert_int_equal(UBI_INDEX(1, 2), 1);
    assert_damage_seen(index_two, rows, "index_two: does not hold");
}

static void release_builds_evaluate_nothing(void **state) {
    (void)state;
    int n_evaluated = 0;
    UBI_ASSERT(++n_evaluated > 0);
    assert_int_equal(n_evaluated, UBI_CHECKS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_is_silent),
        cmocka_unit_test(what_does_not_hold_is_named_with_its_place),
        cmocka_unit_test(a_check_that_passes_is_not_taken_for_one_that_fails),
        cmocka_unit_test(an_index_is_below_its_count),
        cmocka_unit_test(release_builds_evaluate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
