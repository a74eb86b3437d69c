/* SPDX-License-Identifier: MIT
 *
 * node_map_test.c: the map from nodes of any heap to words.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "graph/node_map.h"

static int heaps[2];

static ubi_node node(unsigned heap, uint64_t ref) {
    return (ubi_node){ NULL, &heaps[heap], ref };
}

static void nodes_are_distinguished_by_heap_and_reference(void **state) {
    (void)state;
    ubi__node_map m;
    ubi__node_map_init(&m, ubi_allocator_default());
    assert_null(ubi__node_map_get(&m, node(0, 5)));
    assert_int_equal(ubi__node_map_put(&m, node(0, 5), 50), UBI_OK);
    assert_null(ubi__node_map_get(&m, node(1, 5)));
    assert_null(ubi__node_map_get(&m, node(0, 6)));
    assert_int_equal(ubi__node_map_put(&m, node(1, 5), 51), UBI_OK);
    assert_int_equal(ubi__node_map_put(&m, node(0, 0), 0), UBI_OK);
    assert_int_equal(*ubi__node_map_get(&m, node(0, 5)), 50);
    assert_int_equal(*ubi__node_map_get(&m, node(1, 5)), 51);
    assert_int_equal(*ubi__node_map_get(&m, node(0, 0)), 0);
    *ubi__node_map_get(&m, node(0, 5)) = 99;
    assert_int_equal(*ubi__node_map_get(&m, node(0, 5)), 99);
    ubi__node_map_fini(&m);
}

static void words_survive_growth(void **state) {
    (void)state;
    ubi__node_map m;
    ubi__node_map_init(&m, ubi_allocator_default());
    for (uint64_t i = 0; i < 100000; i++)
        assert_int_equal(ubi__node_map_put(&m, node(i % 2, i * 8), i), UBI_OK);
    assert_int_equal(m.table.n, 100000);
    for (uint64_t i = 0; i < 100000; i++) {
        assert_int_equal(*ubi__node_map_get(&m, node(i % 2, i * 8)), i);
        assert_null(ubi__node_map_get(&m, node(1 - i % 2, i * 8)));
    }
    ubi__node_map_fini(&m);
}

static void every_refused_allocation_leaves_the_map_as_it_was(void **state) {
    (void)state;
    for (uint64_t n_allowed = 0; n_allowed < 10; n_allowed++) {
        fail_allocator f;
        ubi__node_map m;
        uint64_t n = 0;
        fail_allocator_init(&f, n_allowed);
        ubi__node_map_init(&m, &f.allocator);
        while (n < 3000 && ubi__node_map_put(&m, node(0, n), n) == UBI_OK)
            n++;
        assert_int_equal(n == 3000, n_allowed >= 10);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(*ubi__node_map_get(&m, node(0, i)), i);
        assert_null(ubi__node_map_get(&m, node(0, n)));
        ubi__node_map_fini(&m);
        fail_allocator_fini(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_distinguished_by_heap_and_reference),
        cmocka_unit_test(words_survive_growth),
        cmocka_unit_test(every_refused_allocation_leaves_the_map_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
