/* SPDX-License-Identifier: MIT
 *
 * dominators_test.c: dominator trees by hand: the cases of the specification, views, orders.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/dominators.h>

#include "drawing.h"
#include "graph_maker.h"
#include "random_numbers.h"

/* ---- trees as text --------------------------------------------------------------------------------------------------- */

/* "id:dominator retained [dominated, greatest first]; ..." in file order, "-" for none. */
static const char *tree_text(const ubi_dominators *d, const ubi_graph *g) {
    static char text[2000];
    ubi_node_ix set[32];
    FILE *out = fmemopen(text, sizeof text, "w");
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(g); node++) {
        ubi_node_ix dominator = ubi_dominators_immediate(d, node);
        uint32_t n;
        assert_int_equal(ubi_dominators_largest(set, &n, d, node, 32), UBI_OK);
        fprintf(out, "%s%llu:", node ? "; " : "", (unsigned long long)ubi_graph_node_id(g, node));
        if (dominator == UBI_NONE)
            fputc('-', out);
        else
            fprintf(out, "%llu", (unsigned long long)ubi_graph_node_id(g, dominator));
        fprintf(out, " %llu [", (unsigned long long)ubi_dominators_retained_bytes(d, node));
        for (uint32_t i = 0; i < n; i++)
            fprintf(out, "%s%llu", i ? " " : "", (unsigned long long)ubi_graph_node_id(g, set[i]));
        fputc(']', out);
    }
    fclose(out);
    return text;
}

static ubi_dominators *dominators_of(const ubi_view *view) {
    ubi_dominators *d;
    assert_int_equal(ubi_dominators_new(&d, view, NULL), UBI_OK);
    return d;
}

static void assert_view(const ubi_view *view, const char *expected) {
    ubi_dominators *d = dominators_of(view);
    assert_string_equal(tree_text(d, view->graph), expected);
    ubi_dominators_free(d);
}

static void assert_tree(const char *drawn, const char *expected) {
    ubi_graph *g = graph_from_drawing(drawn);
    ubi_view view = ubi_view_of(g);
    assert_view(&view, expected);
    ubi_graph_unref(g);
}

/* ---- the cases of the specification ---------------------------------------------------------------------------------- */

/* D1: the example of Lengauer and Tarjan; r is 100, a to l are 1 to 12. */
static void the_classic_example_has_its_dominators(void **state) {
    (void)state;
    assert_tree("100 -> 1, 2, 3; 1 -> 4; 2 -> 1, 4, 5; 3 -> 6, 7; 4 -> 12; 5 -> 8; 6 -> 9; 7 -> 9, 10; 8 -> 5, 11; "
                "9 -> 11; 10 -> 9; 11 -> 100, 9; 12 -> 8",
                "100:- 13 [3 4 2 1 5 8 9 11]; 1:100 1 []; 2:100 1 []; 3:100 4 [7 6]; 4:100 2 [12]; 5:100 1 []; "
                "6:3 1 []; 7:3 2 [10]; 12:4 1 []; 8:100 1 []; 9:100 1 []; 10:7 1 []; 11:100 1 []");
}

/* docs/explanation/what-retained-size-means.md: page, cache, list, index, image, pixels */
static void the_example_of_the_documentation_is_right(void **state) {
    (void)state;
    assert_tree("1 -> 2, 3; 2(size=100) -> 4, 5; 3(size=200) -> 5; 4(size=50); 5(size=50) -> 6; 6(size=7000)",
                "1:- 7401 [5 3 2]; 2:1 150 [4]; 3:1 200 []; 4:2 50 []; 5:1 7050 [6]; 6:5 7000 []");
}

/* D2, D3 */
static void retained_sizes_and_sets_are_firefoxs(void **state) {
    (void)state;
    assert_tree("1 -> 2, 3; 2(size=10) -> 4; 3(size=20) -> 4; 4(size=5) -> 5; 5(size=7)",
                "1:- 43 [3 4 2]; 2:1 10 []; 3:1 20 []; 4:1 12 [5]; 5:4 7 []");
    assert_tree("1 -> 2, 3; 2 -> 10, 11; 3 -> 11, 10", "1:- 5 [2 3 11 10]; 2:1 1 []; 3:1 1 []; 10:1 1 []; 11:1 1 []");
}

/* D4 */
static void children_of_the_root_are_in_the_order_of_its_edges(void **state) {
    (void)state;
    assert_tree("1 -> 5, 3, 9, 2", "1:- 5 [5 3 9 2]; 5:1 1 []; 3:1 1 []; 9:1 1 []; 2:1 1 []");
}

/* D5: the graph that the census cases use */
static void unreachable_nodes_retain_nothing_and_have_no_dominator(void **state) {
    (void)state;
    assert_tree("1(size=10) -> 20, 30, 10, 10, 50, 60, 1; 20(size=100) -> 40; 30(size=200); 10(size=50); 40(size=7); "
                "50(size=9); 60(size=11); 70(size=1000)",
                "1:- 387 [30 20 10 60 50]; 20:1 107 [40]; 30:1 200 []; 10:1 50 []; 50:1 9 []; 60:1 11 []; 40:20 7 []; "
                "70:- 0 []");
    assert_tree("1 -> 2, 3; 70 -> 2, 71; 71 -> 70", "1:- 3 [2 3]; 2:1 1 []; 3:1 1 []; 70:- 0 []; 71:- 0 []");
}

/* D6, D7 */
static void sizes_wrap_and_may_be_zero(void **state) {
    (void)state;
    assert_tree("1(size=9223372036854775808) -> 2, 3; 2(size=9223372036854775808); 3(size=9223372036854775813)",
                "1:- 9223372036854775813 [3 2]; 2:1 9223372036854775808 []; 3:1 9223372036854775813 []");
    assert_tree("1(size=0) -> 2; 2(size=0)", "1:- 0 [2]; 2:1 0 []");
}

/* The walk takes last edges first: 1, 3, 4, 5, 2; and ends as 5, 4, 3, 2, 1. */
static void sets_are_in_descending_post_order(void **state) {
    (void)state;
    static const ubi_node_ix expected[] = { 1, 2, 3 };
    ubi_graph *g = graph_from_drawing("1 -> 2, 3; 2(size=10) -> 4; 3(size=20) -> 4; 4(size=5) -> 5; 5(size=7)");
    ubi_view view = ubi_view_of(g);
    ubi_dominators *d = dominators_of(&view);
    uint32_t n;
    const ubi_node_ix *set = ubi_dominators_dominated(d, 0, &n);
    assert_int_equal(n, 3);
    assert_memory_equal(set, expected, sizeof expected);
    ubi_dominators_free(d);
    ubi_graph_unref(g);
}

static void self_parallel_and_root_edges_change_nothing(void **state) {
    (void)state;
    assert_tree("1", "1:- 1 []");
    assert_tree("1 -> 1", "1:- 1 []");
    assert_tree("1 -> 2, 2, 1, 2; 2 -> 2, 1, 3, 3; 3 -> 1, 2, 3", "1:- 3 [2]; 2:1 2 [3]; 3:2 1 []");
}

static void nodes_that_are_asked_for_are_counted(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2; 3 -> 2");
    ubi_view view = ubi_view_of(g);
    ubi_dominators *d = dominators_of(&view);
    ubi_graph_unref(g); /* the tree keeps its own reference */
    assert_int_equal(ubi_dominators_node_count(d), 2);
    assert_int_equal(ubi_dominators_root(d), 0);
    ubi_dominators_free(d);
    ubi_dominators_free(NULL);
}

/* ---- views ----------------------------------------------------------------------------------------------------------- */

static void a_view_chooses_root_sizes_and_edges(void **state) {
    (void)state;
    static const uint64_t sizes[] = { 100, 10, 20, 40 };
    ubi_graph *g = graph_from_drawing("1 -> 2, 3; 2 -> 4; 3 -> 4; 4 -> 2");
    ubi_view view = ubi_view_of(g);
    view.size_bytes = sizes;
    assert_view(&view, "1:- 170 [4 3 2]; 2:1 10 []; 3:1 20 []; 4:1 40 []");
    view.root = 2;
    assert_view(&view, "1:- 0 []; 2:4 10 []; 3:- 70 [4]; 4:3 50 [2]");
    ubi_edge_set *set;
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    ubi_edge_set_put(set, 0, false); /* 1 -> 2 */
    view.root = 0;
    view.edges = set;
    assert_view(&view, "1:- 170 [3]; 2:4 10 []; 3:1 70 [4]; 4:3 50 [2]");
    ubi_edge_set_free(set);
    ubi_graph_unref(g);
}

static void assert_adopted(const char *drawn, const char *expected) {
    ubi_graph *g = graph_from_drawing(drawn);
    ubi_view view = ubi_view_of(g);
    view.orphans = UBI_ORPHANS_ADOPT;
    assert_view(&view, expected);
    ubi_graph_unref(g);
}

static void adopted_orphans_are_children_of_the_root_with_all_that_they_reach(void **state) {
    (void)state;
    assert_adopted("1 -> 2; 3 -> 4; 5", "1:- 5 [3 5 2]; 2:1 1 []; 3:1 2 [4]; 4:3 1 []; 5:1 1 []");
    /* what the root reaches too is retained by neither */
    assert_adopted("1 -> 2; 2 -> 3; 4 -> 3", "1:- 4 [4 2 3]; 2:1 1 []; 3:1 1 []; 4:1 1 []");
    assert_adopted("1 -> 2", "1:- 2 [2]; 2:1 1 []"); /* no orphan to adopt */
}

static void orphans_on_cycles_are_adopted_one_by_one(void **state) {
    (void)state;
    assert_adopted("1; 2 -> 3; 3 -> 2, 4; 4", "1:- 4 [4 3 2]; 2:1 1 []; 3:1 1 []; 4:1 1 []");
    /* and their edges count */
    assert_adopted("1 -> 2; 2 -> 5; 3 -> 4; 4 -> 3, 5", "1:- 5 [4 3 2 5]; 2:1 1 []; 5:1 1 []; 3:1 1 []; 4:1 1 []");
}

static void an_edge_of_an_orphan_to_itself_does_not_count(void **state) {
    (void)state;
    assert_adopted("1; 2 -> 2, 3; 3", "1:- 3 [2]; 2:1 2 [3]; 3:2 1 []");
}

static void only_edges_of_the_set_decide_who_is_an_orphan(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2; 2 -> 3; 3 -> 4");
    ubi_edge_set *set;
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    ubi_edge_set_put(set, 1, false); /* 2 -> 3 */
    ubi_view view = ubi_view_of(g);
    view.edges = set;
    assert_view(&view, "1:- 2 [2]; 2:1 1 []; 3:- 0 []; 4:- 0 []");
    view.orphans = UBI_ORPHANS_ADOPT;
    assert_view(&view, "1:- 4 [3 2]; 2:1 1 []; 3:1 2 [4]; 4:3 1 []");
    ubi_edge_set_free(set);
    ubi_graph_unref(g);
}

/* ---- options and errors ---------------------------------------------------------------------------------------------- */

static void without_sets_all_else_is_the_same(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2, 3; 2(size=10) -> 4; 3(size=20) -> 4; 4(size=5) -> 5; 5(size=7)");
    ubi_view view = ubi_view_of(g);
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    o.has_no_sets = true;
    ubi_dominators *d;
    uint32_t n = 7;
    assert_int_equal(ubi_dominators_new(&d, &view, &o), UBI_OK);
    assert_string_equal(tree_text(d, g), "1:- 43 []; 2:1 10 []; 3:1 20 []; 4:1 12 []; 5:4 7 []");
    assert_int_equal(ubi_dominators_largest(NULL, &n, d, 0, 5), UBI_OK);
    assert_int_equal(n, 0);
    ubi_dominators_free(d);
    ubi_graph_unref(g);
}

static void assert_invalid(const ubi_view *view, const ubi_dominators_options *o, const char *message) {
    ubi_dominators *d = NULL;
    assert_int_equal(ubi_dominators_new(&d, view, o), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), message);
    assert_null(d);
}

static void wrong_arguments_are_named(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2");
    ubi_view view = ubi_view_of(g), far = view, odd = view;
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    far.root = 2;
    assert_invalid(&far, NULL, "the root, node 2, is not in the graph of 2 nodes");
    odd.orphans = (ubi_orphans)7;
    assert_invalid(&odd, NULL, "unknown orphan policy 7");
    o.version = 9;
    assert_invalid(&view, &o, "ubi_dominators_options has version 9, expected 1");
    ubi_graph_unref(g);
}

/* ---- the largest ----------------------------------------------------------------------------------------------------- */

/* A root with `n` children whose sizes are below `n_sizes`, or their place from either side. */
typedef enum sizes { RANDOM_SIZES, ASCENDING_SIZES, DESCENDING_SIZES } sizes;

static ubi_graph *random_star(uint32_t n, uint32_t n_sizes, sizes order) {
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i <= n; i++) {
        graph_maker_node(&m, i, order == RANDOM_SIZES ? random_below(n_sizes) : order == ASCENDING_SIZES ? i : n - i);
        for (uint32_t k = 1; i == 0 && k <= n; k++)
            graph_maker_edge(&m, k);
    }
    return graph_maker_finish(&m);
}

/* Whether a comes before b, both of them places in the set of the root of a star, which is in file order. */
static bool before(const ubi_graph *g, ubi_node_ix a, ubi_node_ix b) {
    uint64_t size_a = ubi_graph_node_size_bytes(g, a), size_b = ubi_graph_node_size_bytes(g, b);
    return size_a != size_b ? size_a > size_b : a < b;
}

static void assert_largest(const ubi_dominators *d, const ubi_graph *g, uint32_t n, uint32_t max) {
    ubi_node_ix *out = calloc((size_t)max + 1, sizeof *out);
    bool *chosen = calloc((size_t)n + 1, sizeof *chosen);
    uint32_t n_out, wanted = max < n ? max : n;
    assert_int_equal(ubi_dominators_largest(out, &n_out, d, 0, max), UBI_OK);
    assert_int_equal(n_out, wanted);
    for (uint32_t i = 0; i < n_out; i++) {
        assert_true(i == 0 || before(g, out[i - 1], out[i]));
        chosen[out[i]] = true;
    }
    for (ubi_node_ix node = 1; node <= n; node++)
        assert_true(chosen[node] || n_out == 0 || before(g, out[n_out - 1], node));
    free(out);
    free(chosen);
}

static void any_nodes_come_with_the_largest_first(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a, b; a(size=5) -> c, d; b(size=7); c(size=2); d(size=3)");
    ubi_view view = ubi_view_of(g);
    const ubi_node_ix nodes[] = { 3, 2, 4, 1 }; /* a retains 10, b 7, d 3, c 2 */
    ubi_node_ix out[4];
    ubi_dominators *d;
    uint32_t n;
    assert_int_equal(ubi_dominators_new(&d, &view, NULL), UBI_OK);
    assert_int_equal(ubi_dominators_largest_of(out, &n, d, nodes, 4, 3), UBI_OK);
    assert_int_equal(n, 3);
    assert_true(out[0] == 1 && out[1] == 2 && out[2] == 4);
    assert_int_equal(ubi_dominators_largest_of(out, &n, d, nodes, 1, 3), UBI_OK);
    assert_true(n == 1 && out[0] == 3);
    assert_int_equal(ubi_dominators_largest_of(out, &n, d, nodes, 0, 3), UBI_OK);
    assert_int_equal(n, 0);
    ubi_dominators_free(d);
    ubi_graph_unref(g);
}

static void the_largest_are_those_that_sorting_everything_gives(void **state) {
    (void)state;
    static const uint32_t counts[] = { 1, 2, 31, 33, 64, 65, 1000, 5000 };
    random_start(1);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint32_t kind = 0; kind < 5; kind++) {
            ubi_graph *g =
                random_star(counts[c], kind < 3 ? 1 + kind * kind * 500 : 1, kind < 3 ? RANDOM_SIZES : kind - 2);
            ubi_view view = ubi_view_of(g);
            ubi_dominators *d = dominators_of(&view);
            for (uint32_t max = 0; max <= counts[c] + 1; max = max * 2 + 1)
                assert_largest(d, g, counts[c], max);
            assert_largest(d, g, counts[c], counts[c]);
            ubi_dominators_free(d);
            ubi_graph_unref(g);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_classic_example_has_its_dominators),
        cmocka_unit_test(the_example_of_the_documentation_is_right),
        cmocka_unit_test(retained_sizes_and_sets_are_firefoxs),
        cmocka_unit_test(children_of_the_root_are_in_the_order_of_its_edges),
        cmocka_unit_test(unreachable_nodes_retain_nothing_and_have_no_dominator),
        cmocka_unit_test(sizes_wrap_and_may_be_zero),
        cmocka_unit_test(sets_are_in_descending_post_order),
        cmocka_unit_test(self_parallel_and_root_edges_change_nothing),
        cmocka_unit_test(nodes_that_are_asked_for_are_counted),
        cmocka_unit_test(a_view_chooses_root_sizes_and_edges),
        cmocka_unit_test(adopted_orphans_are_children_of_the_root_with_all_that_they_reach),
        cmocka_unit_test(orphans_on_cycles_are_adopted_one_by_one),
        cmocka_unit_test(an_edge_of_an_orphan_to_itself_does_not_count),
        cmocka_unit_test(only_edges_of_the_set_decide_who_is_an_orphan),
        cmocka_unit_test(without_sets_all_else_is_the_same),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(any_nodes_come_with_the_largest_first),
        cmocka_unit_test(the_largest_are_those_that_sorting_everything_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
