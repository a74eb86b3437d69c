/* SPDX-License-Identifier: MIT
 *
 * Tests of u64_map.h and merge_sort.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/merge_sort.h"
#include "base/u64_map.h"
#include "fail_allocator.h"

static void what_was_put_is_found_and_nothing_else(void **state) {
    (void)state;
    ubi__u64_map map;
    ubi__u64_map_init(&map, ubi_allocator_default());
    assert_int_equal(ubi__u64_map_get(&map, 0), UBI_NONE);
    for (uint64_t i = 0; i < 10000; i++)
        assert_int_equal(ubi__u64_map_put(&map, i * i << 20, (uint32_t)i), UBI_OK);
    for (uint64_t i = 0; i < 10000; i++) {
        assert_int_equal(ubi__u64_map_get(&map, i * i << 20), i);
        assert_int_equal(ubi__u64_map_get(&map, (i * i << 20) + 1), UBI_NONE);
    }
    assert_int_equal(map.table.n, 10000);
    ubi__u64_map_fini(&map);
    assert_int_equal(ubi__u64_map_get(&map, 1 << 20), UBI_NONE);
}

static void a_second_value_replaces_the_first(void **state) {
    (void)state;
    ubi__u64_map map;
    ubi__u64_map_init(&map, ubi_allocator_default());
    assert_int_equal(ubi__u64_map_put(&map, UINT64_MAX, 1), UBI_OK);
    assert_int_equal(ubi__u64_map_put(&map, UINT64_MAX, 2), UBI_OK);
    assert_int_equal(ubi__u64_map_get(&map, UINT64_MAX), 2);
    assert_int_equal(map.table.n, 1);
    ubi__u64_map_fini(&map);
}

static void a_refused_growth_keeps_the_map(void **state) {
    (void)state;
    fail_allocator f;
    fail_allocator_init(&f, 1);
    ubi__u64_map map;
    ubi__u64_map_init(&map, &f.allocator);
    ubi_status status = UBI_OK;
    uint32_t n = 0;
    while ((status = ubi__u64_map_put(&map, n, n)) == UBI_OK)
        n++;
    assert_int_equal(status, UBI_ENOMEM);
    assert_true(n > 0);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(ubi__u64_map_get(&map, i), i);
    assert_int_equal(ubi__u64_map_get(&map, n), UBI_NONE);
    ubi__u64_map_fini(&map);
    fail_allocator_fini(&f);
}

/* ---- sorting: the low half of an element is its first place, the high half its key ------------------------------- */

static size_t n_comparisons;

static bool key_before(void *unused, uint64_t a, uint64_t b) {
    (void)unused;
    n_comparisons++;
    return a >> 32 < b >> 32;
}
UBI_SORT_DEFINE(sort, uint64_t, void *, key_before);

static void sort_and_check(size_t n, uint32_t n_keys) {
    uint64_t *at = malloc((n + 1) * sizeof *at), *spare = malloc((n + 1) * sizeof *spare);
    for (size_t i = 0; i < n; i++)
        at[i] = (uint64_t)((unsigned)rand() % n_keys) << 32 | i;
    sort(at, spare, n, NULL);
    for (size_t i = 1; i < n; i++) /* keys ascend, and equal keys keep their order: the whole words ascend */
        assert_true(at[i - 1] < at[i]);
    free(at);
    free(spare);
}

static void sorting_is_stable_at_every_length(void **state) {
    (void)state;
    for (size_t n = 0; n < 150; n++) {
        sort_and_check(n, 1 + (unsigned)n / 4);
        sort_and_check(n, 1000000);
    }
    sort_and_check(100000, 50);
}

static void sorted_input_takes_linear_time(void **state) {
    (void)state;
    enum { N = 1 << 16 };
    uint64_t *at = malloc(N * sizeof *at), *spare = malloc(N * sizeof *spare);
    for (size_t i = 0; i < N; i++)
        at[i] = (uint64_t)i << 32;
    n_comparisons = 0;
    sort(at, spare, N, NULL);
    assert_true(n_comparisons < 2 * N);
    free(at);
    free(spare);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_found_and_nothing_else), cmocka_unit_test(a_second_value_replaces_the_first),
        cmocka_unit_test(a_refused_growth_keeps_the_map),         cmocka_unit_test(sorting_is_stable_at_every_length),
        cmocka_unit_test(sorted_input_takes_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
