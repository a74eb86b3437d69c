/* SPDX-License-Identifier: MIT
 *
 * retaining_test.c: who refers to a node: lists, trees and ignored nodes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/views/retaining.h>

#include "drawing.h"
#include "fail_allocator.h"
#include "graph_maker.h"
#include "random_v8_heap.h"

static ubi_node_ix index_of(const ubi_graph *g, uint64_t id) {
    ubi_node_ix node;
    assert_int_equal(ubi_graph_find(&node, g, id), UBI_OK);
    return node;
}

static ubi_look *look_through(const char *lens, ubi_graph *g) {
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find(lens), g, NULL), UBI_OK);
    return look;
}

static ubi_retaining *retaining_of(const ubi_look *look) {
    ubi_retaining *retaining;
    assert_int_equal(ubi_retaining_new(&retaining, look, NULL), UBI_OK);
    return retaining;
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

typedef struct fixture {
    ubi_graph *g;
    ubi_look *look;
    ubi_retaining *retaining;
} fixture;

static fixture drawn(const char *text) {
    fixture f = { .g = graph_from_drawing(text) };
    f.look = look_through("plain", f.g);
    f.retaining = retaining_of(f.look);
    return f;
}

static void fixture_free(fixture *f) {
    ubi_retaining_free(f->retaining);
    ubi_look_close(f->look);
    ubi_graph_unref(f->g);
}

/* "1:2 2:0" for rows: id and depth of the row above it. */
static void assert_tree(const fixture *f, uint64_t id, ubi_retaining_tree_options o, const char *expected) {
    ubi_retaining_tree *tree;
    char text[256] = "";
    uint32_t n;
    assert_int_equal(ubi_retaining_tree_new(&tree, f->retaining, index_of(f->g, id), &o), UBI_OK);
    const ubi_retaining_row *rows = ubi_retaining_tree_rows(tree, &n);
    for (uint32_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u:%llu%s", i ? " " : "", rows[i].depth,
                 (unsigned long long)ubi_graph_node_id(f->g, rows[i].retainer.node), rows[i].is_circular ? "o" : "");
    ubi_retaining_limits limits = ubi_retaining_tree_limits(tree);
    snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", limits.has_more_levels ? " depth" : "",
             limits.has_more_siblings ? " siblings" : "", limits.has_more_nodes ? " nodes" : "");
    assert_string_equal(text, expected);
    ubi_retaining_tree_free(tree);
}

#define DIAMOND "1 -> 2, 3; 2 -> 4; 3 -> 5; 5 -> 4; 4 -> 6; 6 -> 4"

static void limits_are_reported_where_they_leave_something_out(void **state) {
    (void)state;
    fixture f = drawn(DIAMOND);
    ubi_retaining_tree_options o = UBI_RETAINING_TREE_OPTIONS_INIT;
    o.end_distance = 0;
    assert_tree(&f, 6, o, "1:4 2:2 2:5 2:6o 3:1 3:3 4:1");
    o.with_first_only = true;
    assert_tree(&f, 6, o, "1:4 2:2 2:5 2:6o 3:1");
    o.with_first_only = false;
    o.max_depth = 3;
    assert_tree(&f, 6, o, "1:4 2:2 2:5 2:6o 3:1 3:3 depth");
    o.max_siblings = 1;
    assert_tree(&f, 6, o, "1:4 2:2 3:1 siblings");
    o.max_siblings = 100;
    o.max_nodes = 4;
    assert_tree(&f, 6, o, "1:4 2:2 2:5 2:6o nodes");
    o = (ubi_retaining_tree_options)UBI_RETAINING_TREE_OPTIONS_INIT;
    assert_tree(&f, 6, o, "1:4"); /* at a distance of 2, paths end */
    fixture_free(&f);
}

static void every_counted_retainer_has_its_row_though_it_closes_a_circle(void **state) {
    (void)state;
    fixture f = drawn("1 -> 2; 2 -> 3; 3 -> 3, 2");
    ubi_retaining_tree_options o = UBI_RETAINING_TREE_OPTIONS_INIT;
    o.end_distance = 0;
    assert_int_equal(ubi_retaining_count(f.retaining, index_of(f.g, 3)), 2);
    assert_tree(&f, 3, o, "1:2 1:3o 2:1 2:3o");
    o.max_depth = 2; /* nothing refers to the root */
    assert_tree(&f, 3, o, "1:2 1:3o 2:1 2:3o");
    o.max_depth = 1;
    assert_tree(&f, 3, o, "1:2 1:3o depth");
    fixture_free(&f);
    f = drawn("1 -> 2; 9 -> 9"); /* held by nothing but itself */
    o.with_first_only = true;
    assert_tree(&f, 9, o, "1:9o");
    fixture_free(&f);
    f = drawn("1 -> 2; 2 -> 3; 3 -> 4; 4 -> 2, 3");
    assert_tree(&f, 3, (ubi_retaining_tree_options){ 1, NULL, 9, 99, 9, 0, true }, "1:2 1:4 2:1 2:4");
    fixture_free(&f);
}

static void what_only_an_ignored_node_held_is_out_of_reach(void **state) {
    (void)state;
    fixture f = drawn(DIAMOND);
    ubi_node_ix two = index_of(f.g, 2), ignored[] = { two, index_of(f.g, 3) }, beyond = 6;
    ubi_node_ix six = index_of(f.g, 6);
    assert_int_equal(ubi_retaining_distance(f.retaining, six), 3);
    assert_int_equal(ubi_retaining_ignore(f.retaining, &two, 1), UBI_OK);
    assert_int_equal(ubi_retaining_distance(f.retaining, six), 4);
    assert_int_equal(ubi_retaining_distance(f.retaining, two), 1 + UBI_RETAINING_UNREACHABLE);
    assert_int_equal(ubi_retaining_ignore(f.retaining, ignored, 2), UBI_OK);
    assert_int_equal(ubi_retaining_distance(f.retaining, six), 3 + UBI_RETAINING_UNREACHABLE);
    assert_int_equal(ubi_retaining_ignore(f.retaining, &beyond, 1), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "node 6 to ignore is not in the graph of 6 nodes");
    assert_int_equal(ubi_retaining_distance(f.retaining, six), 3 + UBI_RETAINING_UNREACHABLE);
    assert_int_equal(ubi_retaining_ignore(f.retaining, NULL, 0), UBI_OK);
    assert_int_equal(ubi_retaining_distance(f.retaining, six), 3);
    assert_false(ubi_retaining_is_ignored(f.retaining, two));
    fixture_free(&f);
}

static void the_chain_of_dominators_ends_at_the_root(void **state) {
    (void)state;
    fixture f = drawn(DIAMOND "; 9 -> 4");
    ubi_dominators *dominators;
    ubi_node_ix chain[2];
    assert_int_equal(ubi_dominators_new(&dominators, ubi_look_view(f.look), NULL), UBI_OK);
    assert_int_equal(ubi_retaining_dominators(chain, 2, dominators, index_of(f.g, 6)), 3);
    assert_int_equal(chain[0], index_of(f.g, 6));
    assert_int_equal(chain[1], index_of(f.g, 4));
    assert_int_equal(ubi_retaining_dominators(chain, 2, dominators, index_of(f.g, 1)), 1);
    assert_int_equal(ubi_retaining_dominators(chain, 2, dominators, index_of(f.g, 9)), 1);
    ubi_dominators_free(dominators);
    fixture_free(&f);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    fixture f = drawn("1 -> 2");
    ubi_retaining_options options = { .version = 2 };
    ubi_retaining_tree_options o = UBI_RETAINING_TREE_OPTIONS_INIT;
    ubi_retaining *retaining = NULL;
    ubi_retaining_tree *tree = NULL;
    assert_int_equal(ubi_retaining_new(&retaining, f.look, &options), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "ubi_retaining_options has version 2, expected 1");
    o.max_depth = 0;
    assert_int_equal(ubi_retaining_tree_new(&tree, f.retaining, 1, &o), UBI_EINVAL);
    o.version = 2;
    assert_int_equal(ubi_retaining_tree_new(&tree, f.retaining, 1, &o), UBI_EINVAL);
    assert_null(retaining);
    assert_null(tree);
    ubi_retaining_free(NULL);
    ubi_retaining_tree_free(NULL);
    fixture_free(&f);
}

/* Every node of a row of stars refers to all of the next: there are 300^3 paths, and 90,000 retainers looked at. */
static void a_forest_without_end_ends(void **state) {
    (void)state;
    enum { WIDE = 300, LEVELS = 4 };
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 0, 1);
    for (uint32_t i = 0; i < WIDE; i++)
        graph_maker_edge(&m, 1 + i);
    for (uint32_t i = 0; i < WIDE * LEVELS; i++) {
        graph_maker_node(&m, 1 + i, 1);
        for (uint32_t k = 0; k < WIDE && i / WIDE + 1 < LEVELS; k++)
            graph_maker_edge(&m, 1 + (i / WIDE + 1) * WIDE + k);
    }
    ubi_graph *g = graph_maker_finish(&m);
    ubi_look *look = look_through("plain", g);
    ubi_retaining *r = retaining_of(look);
    ubi_retaining_tree *tree;
    uint32_t n;
    assert_int_equal(ubi_retaining_tree_new(&tree, r, WIDE * LEVELS, NULL), UBI_OK);
    ubi_retaining_tree_rows(tree, &n);
    assert_int_equal(n, 5000);
    assert_true(ubi_retaining_tree_limits(tree).has_more_nodes && ubi_retaining_tree_limits(tree).has_more_siblings);
    ubi_retaining_tree_free(tree);
    ubi_retaining_free(r);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static ubi_status use_everything(void *payload, const ubi_allocator *a) {
    const ubi_look *look = payload;
    ubi_retaining_options options = { .version = UBI_RETAINING_OPTIONS_VERSION, .allocator = a, .threads = 1 };
    ubi_retaining_tree_options o = UBI_RETAINING_TREE_OPTIONS_INIT;
    ubi_retaining *r = NULL;
    ubi_retaining_tree *tree = NULL;
    ubi_node_ix last = ubi_graph_node_count(ubi_look_view(look)->graph) - 1, ignored = last / 2;
    o.allocator = a;
    ubi_status status = ubi_retaining_new(&r, look, &options);
    if (status == UBI_OK)
        status = ubi_retaining_ignore(r, &ignored, 1);
    if (status == UBI_OK)
        status = ubi_retaining_tree_new(&tree, r, last, &o);
    ubi_retaining_tree_free(tree);
    ubi_retaining_free(r);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    random_start(7);
    for (int i = 0; i < 20; i++) {
        ubi_graph *g = random_v8_heap(20);
        ubi_look *look = look_through(i % 2 ? "v8" : "plain", g);
        fail_each_allocation(use_everything, look);
        ubi_look_close(look);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_reported_where_they_leave_something_out),
        cmocka_unit_test(every_counted_retainer_has_its_row_though_it_closes_a_circle),
        cmocka_unit_test(what_only_an_ignored_node_held_is_out_of_reach),
        cmocka_unit_test(the_chain_of_dominators_ends_at_the_root),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_forest_without_end_ends),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
