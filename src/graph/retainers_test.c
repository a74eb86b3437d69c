/* SPDX-License-Identifier: MIT
 *
 * retainers_test.c: edges backwards, in both widths, with one thread and several.
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
#include "graph/retainers.h"
#include "graph_maker.h"
#include "random_numbers.h"

static void edges_to_a_node_come_in_their_order(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2, 3, 2; 2 -> 2, 1; 3; 4 -> 2");
    ubi_retainers *r;
    static const ubi_edge_ix to_two[] = { 0, 2, 3, 5 };
    assert_int_equal(ubi_retainers_new(&r, g, NULL, 1, NULL), UBI_OK);
    assert_int_equal(ubi_retainers_count(r, 0), 1);
    assert_int_equal(ubi_retainers_edge(r, 0, 0), 4);
    assert_int_equal(ubi_retainers_count(r, 1), 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(ubi_retainers_edge(r, 1, i), to_two[i]);
    assert_int_equal(ubi_retainers_count(r, 2), 1);
    assert_int_equal(ubi_retainers_count(r, 3), 0);
    ubi_retainers_free(r);
    ubi_retainers_free(NULL);
    ubi_graph_unref(g);
}

static void the_source_of_an_edge_is_never_a_node_without_edges(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1; 2; 3 -> 1, 2; 4; 5 -> 3; 6; 7 -> 1, 1; 8; 9");
    static const ubi_node_ix sources[] = { 2, 2, 4, 6, 6 };
    for (ubi_edge_ix e = 0; e < 5; e++)
        assert_int_equal(ubi_graph_edge_source(g, e), sources[e]);
    ubi_graph_unref(g);
    g = graph_from_drawing("1 -> 1");
    assert_int_equal(ubi_graph_edge_source(g, 0), 0);
    ubi_graph_unref(g);
}

static void a_graph_without_edges_has_no_retainers(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1; 2");
    ubi_retainers *r;
    assert_int_equal(ubi_retainers_new(&r, g, NULL, 0, NULL), UBI_OK);
    assert_int_equal(ubi_retainers_count(r, 0), 0);
    assert_int_equal(ubi_retainers_count(r, 1), 0);
    ubi_retainers_free(r);
    ubi_graph_unref(g);
}

/* ---- random graphs ------------------------------------------------------------------------------------------------ */

static ubi_graph *random_graph(uint32_t n_nodes, uint32_t max_degree) {
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < n_nodes; i++) {
        graph_maker_node(&m, i, 0);
        for (uint32_t k = random_below(max_degree + 1); k > 0; k--)
            graph_maker_edge(&m, random_below(4) ? random_below(n_nodes) : n_nodes / 2);
    }
    return graph_maker_finish(&m);
}

static ubi_edge_set *random_set(const ubi_graph *g) {
    ubi_edge_set *set;
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(g); e++)
        ubi_edge_set_put(set, e, random_below(3) != 0);
    return set;
}

/* Takes every edge of every node in turn off the front of its target's list: each must be the one that comes next. */
static void check_retainers(const ubi_retainers *r, const ubi_graph *g, const ubi_edge_set *set) {
    uint32_t n_nodes = ubi_graph_node_count(g);
    uint64_t *taken = calloc(n_nodes, sizeof *taken);
    for (ubi_node_ix n = 0; n < n_nodes; n++)
        for (ubi_edge_ix e = ubi_graph_first_edge(g, n); e < ubi_graph_first_edge(g, n + 1); e++) {
            ubi_node_ix t = ubi_graph_edge_target(g, e);
            assert_int_equal(ubi_graph_edge_source(g, e), n);
            if (set && !ubi_edge_set_has(set, e))
                continue;
            assert_true(taken[t] < ubi_retainers_count(r, t));
            assert_int_equal(ubi_retainers_edge(r, t, taken[t]++), e);
        }
    for (ubi_node_ix n = 0; n < n_nodes; n++)
        assert_int_equal(ubi_retainers_count(r, n), taken[n]);
    free(taken);
}

static void check_every_way(const ubi_graph *g, const ubi_edge_set *set) {
    static const unsigned threads[] = { 1, 2, 3, 64 };
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        for (int wide = 0; wide < 2; wide++) {
            ubi_retainers *r;
            ubi__retainers_how how = { threads[i], 1 + random_below(40), wide, NULL };
            assert_int_equal(ubi__retainers_new(&r, g, set, how, NULL), UBI_OK);
            check_retainers(r, g, set);
            ubi_retainers_free(r);
        }
}

static void random_graphs_have_every_edge_once_whatever_the_width_and_the_threads(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 300; round++) {
        random_start(round);
        ubi_graph *g = random_graph(1 + random_below(60), random_below(9));
        ubi_edge_set *set = random_set(g);
        check_every_way(g, NULL);
        check_every_way(g, set);
        ubi_edge_set_free(set);
        ubi_graph_unref(g);
    }
}

static void a_large_graph_is_shared_among_threads(void **state) {
    (void)state;
    random_start(1);
    ubi_graph *g = random_graph(200000, 10);
    ubi_retainers *r;
    assert_int_equal(ubi_retainers_new(&r, g, NULL, 2, NULL), UBI_OK);
    check_retainers(r, g, NULL);
    ubi_retainers_free(r);
    ubi_graph_unref(g);
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static void the_result_takes_4_bytes_per_edge_and_8_per_node_or_8_and_8(void **state) {
    (void)state;
    enum { SLACK = 256 };
    random_start(7);
    ubi_graph *g = random_graph(20000, 10);
    uint64_t n_nodes = ubi_graph_node_count(g), n_edges = ubi_graph_edge_count(g);
    for (int wide = 0; wide < 2; wide++) {
        fail_allocator f;
        ubi_retainers *r;
        fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
        uint64_t width = wide ? 8 : 4;
        ubi__retainers_how how = { 2, 1000, wide, NULL };
        assert_int_equal(ubi__retainers_new(&r, g, NULL, how, &f.allocator), UBI_OK);
        assert_in_range(f.live_bytes, width * n_edges + 8 * n_nodes, width * n_edges + 8 * n_nodes + SLACK);
        assert_in_range(f.peak_bytes, f.live_bytes + 2 * width * n_nodes, f.live_bytes + 2 * width * n_nodes + SLACK);
        ubi_retainers_free(r);
        fail_allocator_fini(&f);
    }
    ubi_graph_unref(g);
}

static void retainers_keep_their_graph_alive(void **state) {
    (void)state;
    drawing *d = drawing_new("1 -> 2");
    fail_allocator f;
    ubi_retainers *r;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    assert_int_equal(ubi_retainers_new(&r, g, NULL, 1, NULL), UBI_OK);
    ubi_graph_unref(g);
    assert_int_equal(ubi_graph_edge_target(g, ubi_retainers_edge(r, 1, 0)), 1);
    ubi_retainers_free(r);
    fail_allocator_fini(&f);
    drawing_free(d);
}

static ubi_status find_retainers(void *graph, const ubi_allocator *a) {
    ubi_retainers *r = NULL;
    ubi_status status = ubi__retainers_new(&r, graph, NULL, (ubi__retainers_how){ 3, 5, false, NULL }, a);
    assert_int_equal(r != NULL, status == UBI_OK);
    ubi_retainers_free(r);
    return status;
}

static bool refuse_at(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *n_left = payload;
    assert_string_equal(stage, "collecting retainers");
    assert_true(done <= total);
    return (*n_left)-- > 0;
}

/* At each report in turn, with one thread and with several. */
static void cancelled_work_leaves_nothing(void **state) {
    ubi_graph *g = graph_from_drawing("1 -> 2, 3, 2; 2 -> 2, 1; 3 -> 1; 4 -> 2, 3, 3");
    (void)state;
    for (unsigned threads = 1; threads <= 3; threads++)
        for (uint32_t n = 0; n < 5 + 2 * threads; n++) {
            uint32_t n_left = n;
            fail_allocator f;
            ubi_retainers *r = NULL;
            ubi_progress progress = { refuse_at, &n_left };
            ubi__retainers_how how = { threads, 2, false, &progress };
            fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
            ubi_status status = ubi__retainers_new(&r, g, NULL, how, &f.allocator);
            assert_int_equal(status, n < 4 + 2 * threads
                                         ? UBI_ECANCELLED
                                         : UBI_OK); /* counters twice each, counts, sums, pages, places */
            ubi_retainers_free(r);
            fail_allocator_fini(&f);
        }
    ubi_graph_unref(g);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    random_start(3);
    ubi_graph *g = random_graph(30, 4);
    fail_each_allocation(find_retainers, g);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_to_a_node_come_in_their_order),
        cmocka_unit_test(the_source_of_an_edge_is_never_a_node_without_edges),
        cmocka_unit_test(a_graph_without_edges_has_no_retainers),
        cmocka_unit_test(random_graphs_have_every_edge_once_whatever_the_width_and_the_threads),
        cmocka_unit_test(a_large_graph_is_shared_among_threads),
        cmocka_unit_test(the_result_takes_4_bytes_per_edge_and_8_per_node_or_8_and_8),
        cmocka_unit_test(retainers_keep_their_graph_alive),
        cmocka_unit_test(cancelled_work_leaves_nothing),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
