/* SPDX-License-Identifier: MIT
 *
 * node_order_test.c: sorting nodes, by hand and against qsort.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "questions/nodes/node_order.h"

static const ubi__node_column *column(const char *name) {
    const ubi__node_column *out;
    assert_int_equal(ubi__node_column_find(&out, name, strlen(name)), UBI_OK);
    return out;
}

static ubi__vec_u32 all_nodes(const ubi_graph *graph) {
    ubi__vec_u32 nodes = { 0 };
    for (ubi_node_ix i = 0; i < ubi_graph_node_count(graph); i++)
        assert_int_equal(ubi__vec_u32_push(&nodes, ubi_allocator_default(), i), UBI_OK);
    return nodes;
}

/* Ordinals of the nodes of `drawn`, sorted, as "2 0 1". */
static void assert_order(const char *drawn, const char *by, bool descending, const char *expected) {
    ubi__node_table table = { .graph = graph_from_drawing(drawn) };
    const ubi__node_column *c = column(by);
    ubi__vec_u32 nodes = all_nodes(table.graph);
    char text[256] = "";
    if (c->prepare)
        assert_int_equal(c->prepare(&table), UBI_OK);
    assert_int_equal(ubi__node_order_sort(&nodes, &table, c, descending), UBI_OK);
    for (size_t i = 0; i < nodes.n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", i ? " " : "", nodes.at[i]);
    assert_string_equal(text, expected);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__node_table_fini(&table);
    ubi_graph_unref((ubi_graph *)(uintptr_t)table.graph);
}

static void numbers_sort_both_ways_and_equal_ones_stay_in_file_order(void **state) {
    (void)state;
    const char *drawn = "a(size=5) -> b, c, d; b(size=70000); c(size=5); d(size=300);";
    assert_order(drawn, "rawSize", true, "1 3 0 2");
    assert_order(drawn, "rawSize", false, "0 2 3 1");
}

static void sizes_use_all_64_bits(void **state) {
    (void)state;
    assert_order("a(size=1) -> b, c; b(size=18446744073709551615); c(size=9223372036854775808);", "rawSize", true,
                 "1 2 0");
}

static void texts_sort_by_bytes_and_nodes_without_one_come_last(void **state) {
    (void)state;
    const char *drawn = "a -> b, c, d, e; b(class=Map); c(class=Array); d; e(class=Ma);";
    assert_order(drawn, "className", false, "2 4 1 0 3");
    assert_order(drawn, "className", true, "1 4 2 0 3");
}

static void unreachable_nodes_have_no_distance_and_come_last(void **state) {
    (void)state;
    const char *drawn = "a -> b; lost -> b; b -> c;";
    assert_order(drawn, "distance", false, "0 1 3 2");
    assert_order(drawn, "distance", true, "3 1 0 2");
}

static void some_nodes_are_sorted_and_equal_ones_stay_as_given(void **state) {
    (void)state;
    ubi__node_table table = { .graph = graph_from_drawing("a(size=5) -> b, c, d; b(size=9); c(size=5); d(size=3);") };
    ubi_node_ix given[] = { 2, 3, 0 }, expected[] = { 2, 0, 3 };
    ubi__vec_u32 nodes = { given, 3, 3 };
    assert_int_equal(ubi__node_order_sort(&nodes, &table, column("rawSize"), true), UBI_OK);
    assert_memory_equal(given, expected, sizeof expected);
    ubi_graph_unref((ubi_graph *)(uintptr_t)table.graph);
}

static void the_root_is_its_own_dominator_by_ordinal_only(void **state) {
    (void)state;
    const char *drawn = "a -> b; lost -> c; b -> c; c -> d, b; a -> d;";
    assert_order(drawn, "dominator", false, "1 4 3 0 2");
    assert_order(drawn, "dominatorOrdinal", false, "0 1 4 3 2");
    assert_order(drawn, "retainedSize", true, "0 1 3 4 2");
}

static void the_column_table_knows_its_names(void **state) {
    (void)state;
    const ubi__node_column *out;
    assert_int_equal(ubi__node_column_find(&out, "rawSize,id", 7), UBI_OK);
    assert_string_equal(out->name, "rawSize");
    assert_int_equal(ubi__node_column_find(&out, "rawsize", 7), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "unknown column 'rawsize'; did you mean 'rawSize'?");
    assert_int_equal(ubi__node_column_find(&out, "", 0), UBI_EINVAL);
    for (const ubi__node_column *c = ubi__node_columns; c->name; c++)
        assert_true((c->text == NULL) != (c->number == NULL));
}

#define N_RANDOM 3000

static const ubi_graph *compared;

static int by_size_then_place(const void *left, const void *right) {
    ubi_node_ix a = *(const ubi_node_ix *)left, b = *(const ubi_node_ix *)right;
    uint64_t x = ubi_graph_node_size_bytes(compared, a), y = ubi_graph_node_size_bytes(compared, b);
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

static void random_sizes_sort_as_qsort_sorts_them(void **state) {
    (void)state;
    ubi_graph_builder *builder;
    ubi_graph *graph;
    ubi_str_ix type;
    uint64_t seed = 42;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &type, (ubi_text){ "T", 1 }), UBI_OK);
    for (uint64_t i = 0; i < N_RANDOM; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        ubi_node_desc node = { .id = i, .size_bytes = seed >> (seed >> 58), .stack = UBI_NONE };
        node.kind = (ubi_kind){ .type_name = type,
                                .class_name = UBI_NONE,
                                .script_filename = UBI_NONE,
                                .descriptive_name = UBI_NONE,
                                .coarse_type = UBI_COARSE_OTHER };
        assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);

    ubi__node_table table = { .graph = graph };
    ubi__vec_u32 nodes = all_nodes(graph);
    ubi_node_ix expected[N_RANDOM];
    for (ubi_node_ix i = 0; i < N_RANDOM; i++)
        expected[i] = i;
    compared = graph;
    qsort(expected, N_RANDOM, sizeof *expected, by_size_then_place);
    assert_int_equal(ubi__node_order_sort(&nodes, &table, column("rawSize"), false), UBI_OK);
    assert_memory_equal(nodes.at, expected, sizeof expected);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi_graph_unref(graph);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)done, (void)total;
    assert_string_equal(stage, "sorting");
    ++*(int *)payload;
    return false;
}

static void sorting_can_be_cancelled(void **state) {
    (void)state;
    int n_reports = 0;
    ubi__node_table table = { .graph = graph_from_drawing("a -> b; b -> a;"), .progress = { refuse, &n_reports } };
    ubi__vec_u32 nodes = all_nodes(table.graph);
    assert_int_equal(ubi__node_order_sort(&nodes, &table, column("id"), true), UBI_ECANCELLED);
    assert_int_equal(n_reports, 1);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi_graph_unref((ubi_graph *)(uintptr_t)table.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_sort_both_ways_and_equal_ones_stay_in_file_order),
        cmocka_unit_test(sizes_use_all_64_bits),
        cmocka_unit_test(texts_sort_by_bytes_and_nodes_without_one_come_last),
        cmocka_unit_test(unreachable_nodes_have_no_distance_and_come_last),
        cmocka_unit_test(some_nodes_are_sorted_and_equal_ones_stay_as_given),
        cmocka_unit_test(the_root_is_its_own_dominator_by_ordinal_only),
        cmocka_unit_test(the_column_table_knows_its_names),
        cmocka_unit_test(sorting_can_be_cancelled),
        cmocka_unit_test(random_sizes_sort_as_qsort_sorts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
