/* SPDX-License-Identifier: MIT
 *
 * node_set_test.c: nodes once and in order, from one heap and from many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "graph/frontier.h"

static const ubi_node_ops some_ops, other_ops;

static ubi_node node_of(void *heap, uint64_t ref) {
    return (ubi_node){ &some_ops, heap, ref };
}

static bool add_one(ubi__node_set *s, ubi_node node) {
    bool added;
    assert_int_equal(ubi__node_set_add_all(s, &node, 1, &added), UBI_OK);
    return added;
}

static int set_up(void **state) {
    ubi__node_set *s = malloc(sizeof *s);
    ubi__node_set_init(s, ubi_allocator_default());
    *state = s;
    return 0;
}

static int tear_down(void **state) {
    ubi__node_set_fini(*state);
    free(*state);
    return 0;
}

static void a_node_is_added_once_and_keeps_its_number(void **state) {
    ubi__node_set *s = *state;
    int heap;
    for (uint64_t i = 0; i < 100000; i++)
        assert_true(add_one(s, node_of(&heap, i * 0x10008)));
    for (uint64_t i = 0; i < 100000; i++)
        assert_false(add_one(s, node_of(&heap, i * 0x10008)));
    assert_int_equal(s->n, 100000);
    for (uint32_t i = 0; i < 100000; i++) {
        ubi_node node = ubi__node_set_at(s, i);
        assert_true(node.ref == (uint64_t)i * 0x10008 && node.heap == &heap && node.ops == &some_ops);
    }
}

static void a_batch_may_hold_a_node_twice(void **state) {
    ubi__node_set *s = *state;
    ubi_node nodes[] = { node_of(NULL, 5), node_of(NULL, 6), node_of(NULL, 5), node_of(NULL, 0), node_of(NULL, 0) };
    bool added[5];
    assert_int_equal(ubi__node_set_add_all(s, nodes, 5, added), UBI_OK);
    assert_true(added[0] && added[1] && !added[2] && added[3] && !added[4]);
    assert_int_equal(s->n, 3);
    assert_int_equal(ubi__node_set_at(s, 2).ref, 0);
}

static void refs_of_different_heaps_are_different_nodes(void **state) {
    ubi__node_set *s = *state;
    static char heaps[1000];
    for (uint64_t ref = 0; ref < 3; ref++)
        for (size_t h = 0; h < sizeof heaps; h++)
            assert_true(add_one(s, node_of(&heaps[h], ref)));
    for (uint64_t ref = 0; ref < 3; ref++)
        for (size_t h = 0; h < sizeof heaps; h++) {
            assert_false(add_one(s, node_of(&heaps[h], ref)));
            assert_true(
                ubi_node_equal(ubi__node_set_at(s, (uint32_t)(ref * sizeof heaps + h)), node_of(&heaps[h], ref)));
        }
}

static void operations_are_kept_but_are_no_part_of_identity(void **state) {
    ubi__node_set *s = *state;
    int heap;
    ubi_node first = { &some_ops, &heap, 1 }, same = { &other_ops, &heap, 1 }, second = { &other_ops, &heap, 2 };
    assert_true(add_one(s, first));
    assert_false(add_one(s, same));
    assert_true(add_one(s, second));
    assert_ptr_equal(ubi__node_set_at(s, 0).ops, &some_ops);
    assert_ptr_equal(ubi__node_set_at(s, 1).ops, &other_ops);
}

/** Also at the moments when it grows. */
static void it_takes_at_most_sixteen_bytes_per_node(void **state) {
    fail_allocator f;
    ubi__node_set s;
    (void)state;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi__node_set_init(&s, &f.allocator);
    for (uint64_t i = 1; i <= 300000; i++) {
        assert_true(add_one(&s, node_of(NULL, i * 64)));
        assert_true(i < 100000 || f.peak_bytes <= 16 * i);
    }
    ubi__node_set_fini(&s);
    fail_allocator_fini(&f);
}

static ubi_status add_some(const ubi_allocator *a) {
    static char heaps[40];
    ubi__node_set s;
    ubi_status status = UBI_OK;
    ubi__node_set_init(&s, a);
    for (uint64_t i = 0; i < 10000 && status == UBI_OK; i++) {
        ubi_node node = node_of(&heaps[i < 5000 ? 0 : i % 40], i);
        bool added;
        status = ubi__node_set_add_all(&s, &node, 1, &added);
    }
    ubi__node_set_fini(&s);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    ubi_status status = UBI_ENOMEM;
    (void)state;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        status = add_some(&f.allocator);
        fail_allocator_fini(&f);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_node_is_added_once_and_keeps_its_number),
        TEST(a_batch_may_hold_a_node_twice),
        TEST(refs_of_different_heaps_are_different_nodes),
        TEST(operations_are_kept_but_are_no_part_of_identity),
        cmocka_unit_test(it_takes_at_most_sixteen_bytes_per_node),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
