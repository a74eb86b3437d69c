/* SPDX-License-Identifier: MIT
 *
 * address_map_test.c: ranges that nest, touch and overlap, compared with looking through all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "symbolize/address_map.h"

static const ubi_allocator *allocator(void) {
    return ubi_allocator_default();
}

static void add(ubi__address_map *map, uint64_t low, uint64_t high, uint32_t value) {
    assert_int_equal(ubi__address_map_add(map, low, high, value, allocator()), UBI_OK);
}

static void seal(ubi__address_map *map) {
    assert_int_equal(ubi__address_map_seal(map, allocator()), UBI_OK);
}

static void an_empty_map_holds_nothing(void **state) {
    (void)state;
    ubi__address_map map = { .ranges = { 0 } };
    seal(&map);
    assert_int_equal(ubi__address_map_find(&map, 0), UBI_NONE);
    assert_int_equal(ubi__address_map_find(&map, UINT64_MAX), UBI_NONE);
    ubi__address_map_fini(&map, allocator());
}

static void the_end_is_outside_and_empty_ranges_are_nowhere(void **state) {
    (void)state;
    ubi__address_map map = { .ranges = { 0 } };
    add(&map, 10, 20, 1);
    add(&map, 15, 15, 2);
    add(&map, 18, 17, 3);
    seal(&map);
    assert_int_equal(ubi__address_map_find(&map, 9), UBI_NONE);
    assert_int_equal(ubi__address_map_find(&map, 10), 1);
    assert_int_equal(ubi__address_map_find(&map, 15), 1);
    assert_int_equal(ubi__address_map_find(&map, 17), 1);
    assert_int_equal(ubi__address_map_find(&map, 19), 1);
    assert_int_equal(ubi__address_map_find(&map, 20), UBI_NONE);
    ubi__address_map_fini(&map, allocator());
}

static void the_innermost_range_answers_and_the_outer_one_continues_after_it(void **state) {
    (void)state;
    ubi__address_map map = { .ranges = { 0 } };
    add(&map, 40, 50, 3);
    add(&map, 0, 100, 1);
    add(&map, 20, 60, 2);
    add(&map, 20, 60, 4); /* equal to another: the higher value */
    seal(&map);
    assert_int_equal(ubi__address_map_find(&map, 19), 1);
    assert_int_equal(ubi__address_map_find(&map, 20), 4);
    assert_int_equal(ubi__address_map_find(&map, 40), 3);
    assert_int_equal(ubi__address_map_find(&map, 50), 4);
    assert_int_equal(ubi__address_map_find(&map, 60), 1);
    assert_int_equal(ubi__address_map_find(&map, 100), UBI_NONE);
    ubi__address_map_fini(&map, allocator());
}

static void a_range_up_to_the_last_address_is_found(void **state) {
    (void)state;
    ubi__address_map map = { .ranges = { 0 } };
    add(&map, UINT64_MAX - 1, UINT64_MAX, 7);
    seal(&map);
    assert_int_equal(ubi__address_map_find(&map, UINT64_MAX - 1), 7);
    assert_int_equal(ubi__address_map_find(&map, UINT64_MAX), UBI_NONE);
    ubi__address_map_fini(&map, allocator());
}

/* ---- compared with the slow way ----------------------------------------------------------------------------------- */

#define SPACE 64

/* The innermost, by the rule of the header. */
static uint32_t slowly(const ubi__address_range *at, size_t n, uint64_t address) {
    const ubi__address_range *best = NULL;
    for (size_t i = 0; i < n; i++) {
        const ubi__address_range *r = &at[i];
        if (address < r->low || address >= r->high)
            continue;
        if (!best || r->low > best->low ||
            (r->low == best->low && (r->high < best->high || (r->high == best->high && r->value > best->value))))
            best = r;
    }
    return best ? best->value : UBI_NONE;
}

static void any_ranges_are_found_as_by_looking_through_all(void **state) {
    (void)state;
    srand(6);
    for (int round = 0; round < 2000; round++) {
        ubi__address_map map = { .ranges = { 0 } };
        ubi__address_range all[12];
        size_t n = (size_t)rand() % 12 + 1;
        for (size_t i = 0; i < n; i++) {
            uint64_t low = (uint64_t)rand() % SPACE;
            all[i] = (ubi__address_range){ low, low + 1 + (uint64_t)rand() % 20, (uint32_t)i };
            add(&map, all[i].low, all[i].high, all[i].value);
        }
        seal(&map);
        for (uint64_t address = 0; address < SPACE + 24; address++)
            assert_int_equal(ubi__address_map_find(&map, address), slowly(all, n, address));
        ubi__address_map_fini(&map, allocator());
    }
}

static ubi_status fill(void *payload, const ubi_allocator *a) {
    (void)payload;
    ubi__address_map map = { .ranges = { 0 } };
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; status == UBI_OK && i < 100; i++)
        status = ubi__address_map_add(&map, i, 2 * i + 1, i, a);
    if (status == UBI_OK)
        status = ubi__address_map_seal(&map, a);
    ubi__address_map_fini(&map, a);
    return status;
}

static void refused_memory_leaves_nothing_behind(void **state) {
    (void)state;
    assert_true(fail_each_allocation(fill, NULL) > 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_holds_nothing),
        cmocka_unit_test(the_end_is_outside_and_empty_ranges_are_nowhere),
        cmocka_unit_test(the_innermost_range_answers_and_the_outer_one_continues_after_it),
        cmocka_unit_test(a_range_up_to_the_last_address_is_found),
        cmocka_unit_test(any_ranges_are_found_as_by_looking_through_all),
        cmocka_unit_test(refused_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
