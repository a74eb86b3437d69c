/* SPDX-License-Identifier: MIT
 *
 * base_checks_test.c: the invariants of base are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/merge_sort.h"
#include "base/parallel.h"
#include "base/slots.h"
#include "damage.h"

static void check_helper(void *helper) {
    ubi__helper_check(helper);
}

static void damaged_helpers_are_seen(void **state) {
    (void)state;
    ubi__chore second = { .state = UBI__CHORE_GIVEN }, first = { .next = &second, .state = UBI__CHORE_GIVEN };
    ubi__helper h = { .is_threaded = true, .first = &first, .last = &second };
    check_helper(&h);
    h.last = &first;
    assert_damage_seen(check_helper, &h, "last == h->last");
    h.last = &second;
    first.state = UBI__CHORE_BEGUN;
    assert_damage_seen(check_helper, &h, "c->state == UBI__CHORE_GIVEN");
    first.state = UBI__CHORE_GIVEN;
    h.is_threaded = false;
    assert_damage_seen(check_helper, &h, "h->is_threaded || !h->first");
}

/* An order that contradicts itself: each comes before the other. */
#define BEFORE_ALL(unused, a, b) ((a) != (b))
UBI_SORT_DEFINE(sort_by_nothing, int, void *, BEFORE_ALL);

static void sort_two(void *numbers) {
    int spare[2];
    sort_by_nothing(numbers, spare, 2, NULL);
}

static void invalid_orders_are_seen(void **state) {
    (void)state;
    int numbers[2] = { 1, 2 };
    assert_damage_seen(sort_two, numbers, "!BEFORE_ALL(ctx, at[i], at[i - 1])");
}

static void make_three_slots(void *slots) {
    (void)ubi__slots_new(slots, 3, ubi_allocator_default());
}

static void slots_are_a_power_of_two(void **state) {
    (void)state;
    ubi__slots slots;
    assert_damage_seen(make_three_slots, &slots, "(n & (n - 1)) == 0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_helpers_are_seen),
        cmocka_unit_test(invalid_orders_are_seen),
        cmocka_unit_test(slots_are_a_power_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
