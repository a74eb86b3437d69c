/* SPDX-License-Identifier: MIT
 *
 * adopt_test.c: which nodes a root adopts, by hand and against the rule in words for random graphs.
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
#include "graph/adopt.h"
#include "graph_maker.h"
#include "random_numbers.h"

/* Ids of the adopted nodes, in order, as text: "3 5". */
static void expect_adopted(const char *drawn, const char *without, const char *expected) {
    ubi_graph *graph = graph_from_drawing(drawn);
    ubi_view view = ubi_view_of(graph);
    ubi_edge_set *set;
    ubi__vec_u32 adopted = { NULL, 0, 0 };
    char text[256] = "";
    assert_int_equal(ubi_edge_set_new(&set, graph, true), UBI_OK);
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(graph); e++) {
        ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, e));
        if (without && name.len == strlen(without) && memcmp(name.ptr, without, name.len) == 0)
            ubi_edge_set_put(set, e, false);
    }
    view.edges = set;
    assert_int_equal(ubi__view_adopted(&adopted, &view, ubi_allocator_default()), UBI_OK);
    for (size_t i = 0; i < adopted.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%llu", i ? " " : "",
                 (unsigned long long)ubi_graph_node_id(graph, adopted.at[i]));
    assert_string_equal(text, expected);
    ubi__vec_u32_fini(&adopted, ubi_allocator_default());
    ubi_edge_set_free(set);
    ubi_graph_unref(graph);
}

static void what_the_root_reaches_is_not_adopted(void **state) {
    (void)state;
    expect_adopted("1 -> 2; 2 -> 3; 3 -> 1;", NULL, "");
}

static void heads_come_first_and_then_what_is_left_on_cycles(void **state) {
    (void)state;
    expect_adopted("1; 2 -> 3; 3 -> 2; 4 -> 5; 5; 6 -> 5;", NULL, "4 6 2 3");
    expect_adopted("1; 2 -> 2; 3 -> 4; 4;", NULL, "2 3"); /* its own edge does not keep a node from being a head */
}

static void edges_outside_the_view_do_not_count(void **state) {
    (void)state;
    expect_adopted("1 -> 2 \"weak\", 3; 2; 3 -> 4 \"weak\"; 4 -> 5; 5;", "weak", "2 4");
}

static void random_graphs_are_all_reached_with_edges_to_the_adopted(void **state) {
    (void)state;
    random_start(4);
    for (int round = 0; round < 500; round++) {
        uint32_t n = 1 + random_below(20);
        graph_maker m = graph_maker_start();
        for (uint32_t i = 0; i < n; i++) {
            graph_maker_node(&m, i, 1);
            for (uint32_t e = random_below(3); e > 0; e--)
                graph_maker_edge(&m, random_below(n));
        }
        ubi_graph *graph = graph_maker_finish(&m);
        ubi_view view = ubi_view_of(graph);
        ubi__vec_u32 adopted = { NULL, 0, 0 };
        assert_int_equal(ubi__view_adopted(&adopted, &view, ubi_allocator_default()), UBI_OK);
        m = graph_maker_start();
        for (uint32_t i = 0; i < n; i++) {
            graph_maker_node(&m, i, 1);
            for (ubi_edge_ix e = ubi_graph_first_edge(graph, i); e < ubi_graph_first_edge(graph, i + 1); e++)
                graph_maker_edge(&m, ubi_graph_edge_target(graph, e));
            for (size_t k = 0; i == 0 && k < adopted.n; k++)
                graph_maker_edge(&m, adopted.at[k]);
        }
        ubi_graph *whole = graph_maker_finish(&m);
        assert_int_equal(ubi_graph_reachable_count(whole), n);
        for (size_t k = 0; k < adopted.n; k++)
            assert_false(ubi_graph_is_reachable(graph, adopted.at[k]));
        ubi__vec_u32_fini(&adopted, ubi_allocator_default());
        ubi_graph_unref(whole);
        ubi_graph_unref(graph);
    }
}

static ubi_status adopt_once(void *payload, const ubi_allocator *allocator) {
    ubi_view view = ubi_view_of(payload);
    ubi__vec_u32 adopted = { NULL, 0, 0 };
    ubi_status status = ubi__view_adopted(&adopted, &view, allocator);
    ubi__vec_u32_fini(&adopted, allocator);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1; 2 -> 3; 3 -> 2; 4 -> 5; 5;");
    fail_each_allocation(adopt_once, graph);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_root_reaches_is_not_adopted),
        cmocka_unit_test(heads_come_first_and_then_what_is_left_on_cycles),
        cmocka_unit_test(edges_outside_the_view_do_not_count),
        cmocka_unit_test(random_graphs_are_all_reached_with_edges_to_the_adopted),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
