/* SPDX-License-Identifier: MIT
 *
 * edge_set_test.c: subsets of a graph's edges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing.h"
#include "fail_allocator.h"
#include "graph_maker.h"
#include <ubiheap/core/graph.h>

static ubi_graph *loops(uint32_t n_edges) {
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 1, 0);
    for (uint32_t i = 0; i < n_edges; i++)
        graph_maker_edge(&m, 1);
    return graph_maker_finish(&m);
}

static void a_new_set_has_all_edges_or_none_whatever_their_number(void **state) {
    (void)state;
    static const uint32_t counts[] = { 0, 1, 63, 64, 65, 127, 128, 129, 1000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int all = 0; all < 2; all++) {
            ubi_graph *g = loops(counts[i]);
            ubi_edge_set *set;
            assert_int_equal(ubi_edge_set_new(&set, g, all), UBI_OK);
            assert_int_equal(ubi_edge_set_count(set), all ? counts[i] : 0);
            for (ubi_edge_ix e = 0; e < counts[i]; e++)
                assert_int_equal(ubi_edge_set_has(set, e), all);
            ubi_edge_set_free(set);
            ubi_graph_unref(g);
        }
    ubi_edge_set_free(NULL);
}

static void edges_are_put_and_taken_one_by_one(void **state) {
    (void)state;
    enum { N = 200 };
    ubi_graph *g = loops(N);
    ubi_edge_set *set;
    bool member[N] = { false };
    assert_int_equal(ubi_edge_set_new(&set, g, false), UBI_OK);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t e = i * 7919 % N;
        member[e] = i % 3 != 0;
        ubi_edge_set_put(set, e, member[e]);
        uint64_t n = 0;
        for (uint32_t k = 0; k < N; k++) {
            assert_int_equal(ubi_edge_set_has(set, k), member[k]);
            n += member[k];
        }
        assert_int_equal(ubi_edge_set_count(set), n);
    }
    ubi_edge_set_free(set);
    ubi_graph_unref(g);
}

static void a_set_keeps_its_graph_alive(void **state) {
    (void)state;
    drawing *d = drawing_new("1 -> 2, 1; 2");
    fail_allocator f;
    ubi_edge_set *set;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    ubi_graph_unref(g);
    assert_true(f.live_blocks > 2);
    assert_int_equal(ubi_edge_set_count(set), 2);
    ubi_edge_set_free(set); /* the last reference */
    fail_allocator_fini(&f);
    drawing_free(d);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    drawing *d = drawing_new("1 -> 1");
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    for (uint64_t n_more = 0; n_more < 3; n_more++) {
        ubi_edge_set *set = NULL;
        f.n_allowed = f.n_requests + n_more;
        assert_int_equal(ubi_edge_set_new(&set, g, true), n_more < 2 ? UBI_ENOMEM : UBI_OK);
        assert_int_equal(set != NULL, n_more == 2);
        ubi_edge_set_free(set);
    }
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    drawing_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_set_has_all_edges_or_none_whatever_their_number),
        cmocka_unit_test(edges_are_put_and_taken_one_by_one),
        cmocka_unit_test(a_set_keeps_its_graph_alive),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
