/* SPDX-License-Identifier: MIT */
#include "engines/quickjs/rich_heap.h"
#include "engines/quickjs/runtime_for_tests.h"

static void walk_covers_nearly_all_of_a_rich_heap(void **state) {
    (void)state;
    test_runtime t = test_runtime_new();
    test_run(t.ctx, ubi__rich_heap);
    test_run_jobs(t.rt, 300); /* others stay pending */
    ubi_quickjs_coverage c = test_clean_coverage(&t);
    print_message("%llu nodes, %llu edges, %llu of %llu bytes, %llu roots\n", (unsigned long long)c.node_count,
                  (unsigned long long)c.edge_count, (unsigned long long)c.size_bytes,
                  (unsigned long long)c.malloc_bytes, (unsigned long long)c.root_count);
    assert_true(c.malloc_bytes > 1 << 20);
    assert_true(c.size_bytes * 10000 >= c.malloc_bytes * 9999);
    assert_int_equal(c.root_count, 1); /* the realm that this program holds */
    test_runtime_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk_covers_nearly_all_of_a_rich_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
