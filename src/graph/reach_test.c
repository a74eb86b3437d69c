/* SPDX-License-Identifier: MIT
 *
 * reach_test.c: reachability, visit order, distances and retainer counts, by hand and against walks on random graphs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing.h"
#include "fail_allocator.h"
#include "graph/graph_columns.h"
#include "graph_maker.h"
#include "random_numbers.h"

/* ---- by hand ------------------------------------------------------------------------------------------------------- */

/* `visits`: ids in the order of the walk, separated by spaces. Nodes are in the file in the order of first mention. */
static void assert_walk(const char *drawn, const char *visits, uint32_t n_reachable, bool breadth_first) {
    ubi_graph *g = graph_from_drawing(drawn);
    ubi_node_ix order[64];
    char text[256] = "";
    assert_int_equal(ubi_graph_visit_order(order, g), UBI_OK);
    for (uint32_t i = 0; i < ubi_graph_visit_count(g); i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), i ? " %u" : "%u",
                 (unsigned)ubi_graph_node_id(g, order[i]));
    assert_string_equal(text, visits);
    assert_int_equal(ubi_graph_reachable_count(g), n_reachable);
    assert_int_equal(g->is_breadth_first, breadth_first);
    ubi_graph_unref(g);
}

static void a_graph_in_breadth_first_order_is_recognized(void **state) {
    (void)state;
    assert_walk("1 -> 2, 3; 2 -> 4; 3 -> 5, 4; 4 -> 2; 5", "2 3 4 5", 5, true);
    assert_walk("1", "", 1, true);
    assert_walk("1 -> 2; 2 -> 3; 3 -> 4; 4 -> 2", "2 3 4", 4, true);
    assert_walk("1 -> 2, 2, 2; 2 -> 2, 3; 3 -> 3", "2 3", 3, true); /* parallel and self edges */
}

static void the_root_is_visited_where_an_edge_first_leads_to_it(void **state) {
    (void)state;
    assert_walk("1 -> 1", "1", 1, true);
    assert_walk("1 -> 1, 2, 1", "1 2", 2, true);
    assert_walk("1 -> 2, 1, 3", "2 1 3", 3, true);
    assert_walk("1 -> 2, 3; 2 -> 4; 4 -> 1, 5; 5", "2 3 4 1 5", 5, true);
    assert_walk("1 -> 2, 3; 2; 3 -> 1", "2 3 1", 3, true); /* as the last of all */
    assert_walk("1; 2; 3; 1 -> 3; 3 -> 2, 1", "3 2 1", 3, false);
    assert_walk("1 -> 2; 3 -> 1", "2", 2, false); /* only the unreachable lead to it */
}

static void depth_first_files_and_unreachable_parts_are_walked(void **state) {
    (void)state;
    assert_walk("1; 2; 3", "", 1, false);
    assert_walk("1; 2; 3; 4; 1 -> 2, 4; 2 -> 3", "2 4 3", 4, false);
    assert_walk("1; 2; 3; 1 -> 3, 2", "3 2", 3, false);
    assert_walk("1; 2; 3; 4; 1 -> 3; 2 -> 4; 4 -> 2, 1", "3", 2, false);
    assert_walk("1; 2; 3; 4; 1 -> 4; 4 -> 2; 2 -> 1", "4 2 1", 3, false);
    assert_walk("1; 2; 1 -> 1; 2 -> 1", "1", 1, false);
}

static void single_nodes_can_be_asked_for(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1; 2; 3; 1 -> 3; 2 -> 1");
    assert_true(ubi_graph_is_reachable(g, 0));
    assert_false(ubi_graph_is_reachable(g, 1));
    assert_true(ubi_graph_is_reachable(g, 2));
    assert_false(ubi_graph_root_has_retainer(g));
    ubi_graph_unref(g);
    g = graph_from_drawing("1 -> 2; 2 -> 1");
    assert_true(ubi_graph_root_has_retainer(g));
    assert_int_equal(g->reachable.cap, 0); /* everything is: no bits */
    ubi_graph_unref(g);
}

/* ---- against walks --------------------------------------------------------------------------------------------------- */

static ubi_graph *random_graph(uint32_t n_nodes, uint32_t n_edges, bool in_order) {
    graph_maker m = graph_maker_start();
    uint32_t known = 1;
    for (uint32_t i = 0; i < n_nodes; i++) {
        graph_maker_node(&m, i, 0);
        uint32_t n = random_below(2 * n_edges / n_nodes + 1);
        for (uint32_t k = 0; k < n || (in_order && known == i + 1 && known < n_nodes); k++) {
            uint32_t target = random_below(n_nodes);
            if (in_order) /* a node met before, or the next one */
                target = known < n_nodes && (known == i + 1 || random_below(3) == 0) ? known++ : random_below(known);
            graph_maker_edge(&m, target);
        }
    }
    return graph_maker_finish(&m);
}

/* The rules of JS::ubi::BreadthFirst written out: the start is queued, not visited; what is first is queued. */
static uint32_t plain_walk(const ubi_graph *g, ubi_node_ix *order) {
    ubi_node_ix queue[128];
    bool visited[64] = { false };
    uint32_t n = 0, head = 0, tail = 0;
    queue[tail++] = ubi_graph_root(g);
    while (head < tail) {
        ubi_node_ix origin = queue[head++];
        for (ubi_edge_ix e = ubi_graph_first_edge(g, origin); e < ubi_graph_first_edge(g, origin + 1); e++) {
            ubi_node_ix target = ubi_graph_edge_target(g, e);
            if (visited[target])
                continue;
            visited[target] = true;
            order[n++] = target;
            queue[tail++] = target;
        }
    }
    return n;
}

static void random_small_graphs_are_visited_as_a_plain_walk_does(void **state) {
    (void)state;
    unsigned n_ordered = 0, n_partial = 0, n_rooted = 0;
    random_start(1);
    for (int round = 0; round < 10000; round++) {
        uint32_t n_nodes = 1 + random_below(12);
        ubi_graph *g = random_graph(n_nodes, random_below(30), round % 3 == 0);
        ubi_node_ix order[64], expected[64];
        uint32_t n = plain_walk(g, expected);
        bool root_met = false;
        for (uint32_t i = 0; i < n; i++)
            root_met |= expected[i] == 0;
        assert_int_equal(ubi_graph_visit_count(g), n);
        assert_int_equal(ubi_graph_visit_order(order, g), UBI_OK);
        if (n)
            assert_memory_equal(order, expected, n * sizeof *order);
        assert_int_equal(ubi_graph_root_has_retainer(g), root_met);
        assert_int_equal(ubi_graph_reachable_count(g), n + !root_met);
        uint32_t n_bits = 0;
        for (ubi_node_ix i = 0; i < n_nodes; i++)
            n_bits += ubi_graph_is_reachable(g, i);
        assert_int_equal(n_bits, n + !root_met);
        if (round % 3 == 0)
            assert_true(g->is_breadth_first);
        assert_int_equal(ubi_graph_check(g), UBI_OK);
        n_ordered += g->is_breadth_first;
        n_partial += g->n_reachable < n_nodes;
        n_rooted += root_met;
        ubi_graph_unref(g);
    }
    assert_in_range(n_ordered, 3000, 9000); /* each kind did occur */
    assert_in_range(n_partial, 1000, 9000);
    assert_in_range(n_rooted, 1000, 9000);
}

static void bits_are_right_around_the_borders_of_words(void **state) {
    (void)state;
    for (uint32_t n = 60; n < 70; n++) {
        graph_maker m = graph_maker_start();
        for (uint32_t i = 0; i < n; i++) { /* the root holds every third, the last first */
            graph_maker_node(&m, i, 0);
            for (uint32_t k = n; i == 0 && k-- > 0;)
                if (k % 3 == 1)
                    graph_maker_edge(&m, k);
        }
        ubi_graph *g = graph_maker_finish(&m);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(ubi_graph_is_reachable(g, i), i == 0 || i % 3 == 1);
        assert_int_equal(ubi_graph_check(g), UBI_OK);
        ubi_graph_unref(g);
    }
}

/* ---- distances and retainers ------------------------------------------------------------------------------------------- */

static bool refuse_always(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *n_reports = payload;
    assert_string_equal(stage, "counting distances");
    assert_true(done < total);
    (*n_reports)++;
    return false;
}

/* A list that is long enough for a report. */
static void distances_can_be_cancelled(void **state) {
    enum { LENGTH = 200000 };
    graph_maker m = graph_maker_start();
    uint32_t n_reports = 0, *d = calloc(LENGTH, sizeof *d);
    const ubi_progress progress = { refuse_always, &n_reports };
    (void)state;
    for (uint32_t i = 0; i < LENGTH; i++) {
        graph_maker_node(&m, i, 1);
        if (i + 1 < LENGTH)
            graph_maker_edge(&m, i + 1);
    }
    ubi_graph *g = graph_maker_finish(&m);
    assert_int_equal(ubi__graph_distances(d, g, NULL, 0, &progress), UBI_ECANCELLED);
    assert_int_equal(n_reports, 1);
    assert_int_equal(ubi_graph_distances(d, g, NULL, 0), UBI_OK);
    assert_int_equal(d[LENGTH - 1], LENGTH - 1);
    free(d);
    ubi_graph_unref(g);
}

static void distances_follow_the_edges_of_the_set_alone(void **state) {
    (void)state;
    /* edges: 0 1->2, 1 1->3, 2 2->4, 3 3->4, 4 4->5, 5 5->1 */
    ubi_graph *g = graph_from_drawing("1 -> 2, 3; 2 -> 4; 3 -> 4; 4 -> 5; 5 -> 1; 6 -> 1");
    uint32_t d[6];
    static const uint32_t all[] = { 0, 1, 1, 2, 3, UBI_NONE }, from_4[] = { 2, 3, 3, 0, 1, UBI_NONE };
    assert_int_equal(ubi_graph_distances(d, g, NULL, 0), UBI_OK);
    assert_memory_equal(d, all, sizeof d);
    assert_int_equal(ubi_graph_distances(d, g, NULL, 3), UBI_OK);
    assert_memory_equal(d, from_4, sizeof d);

    ubi_edge_set *set;
    static const uint32_t without_1_2[] = { 0, UBI_NONE, 1, 2, 3, UBI_NONE },
                          nothing[] = { 0, -1u, -1u, -1u, -1u, -1u };
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    ubi_edge_set_put(set, 0, false);
    assert_int_equal(ubi_graph_distances(d, g, set, 0), UBI_OK);
    assert_memory_equal(d, without_1_2, sizeof d);
    ubi_edge_set_free(set);
    assert_int_equal(ubi_edge_set_new(&set, g, false), UBI_OK);
    assert_int_equal(ubi_graph_distances(d, g, set, 0), UBI_OK);
    assert_memory_equal(d, nothing, sizeof d);
    ubi_edge_set_free(set);

    assert_int_equal(ubi_graph_distances(d, g, NULL, 6), UBI_EINVAL);
    assert_int_equal(ubi_graph_distances(d, g, NULL, UBI_NONE), UBI_EINVAL);
    ubi_graph_unref(g);
}

static void retainer_counts_include_parallel_and_self_edges(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2, 2, 3; 2 -> 2; 4 -> 3");
    uint32_t counts[4];
    static const uint32_t expected[] = { 0, 3, 2, 0 };
    ubi_graph_retainer_counts(counts, g);
    assert_memory_equal(counts, expected, sizeof counts);
    ubi_graph_unref(g);
}

static void walks_without_memory_are_out_of_memory_and_leak_nothing(void **state) {
    (void)state;
    drawing *d = drawing_new("1; 2; 3; 1 -> 3, 2; 3 -> 1");
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    uint32_t out[3];
    for (uint64_t n_more = 0; n_more < 3; n_more++) {
        f.n_allowed = f.n_requests + n_more;
        assert_int_equal(ubi_graph_visit_order(out, g), n_more ? UBI_OK : UBI_ENOMEM);
        f.n_allowed = f.n_requests + n_more;
        assert_int_equal(ubi_graph_distances(out, g, NULL, 0), n_more ? UBI_OK : UBI_ENOMEM);
    }
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    drawing_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_in_breadth_first_order_is_recognized),
        cmocka_unit_test(the_root_is_visited_where_an_edge_first_leads_to_it),
        cmocka_unit_test(depth_first_files_and_unreachable_parts_are_walked),
        cmocka_unit_test(single_nodes_can_be_asked_for),
        cmocka_unit_test(random_small_graphs_are_visited_as_a_plain_walk_does),
        cmocka_unit_test(bits_are_right_around_the_borders_of_words),
        cmocka_unit_test(distances_can_be_cancelled),
        cmocka_unit_test(distances_follow_the_edges_of_the_set_alone),
        cmocka_unit_test(retainer_counts_include_parallel_and_self_edges),
        cmocka_unit_test(walks_without_memory_are_out_of_memory_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
