/* SPDX-License-Identifier: MIT
 *
 * next_drop_test.c: where retained sizes drop, one after the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fail_allocator.h"
#include "graph_maker.h"
#include "questions/dominators/next_drop.h"

enum { MOST_NODES = 64 };

/* A tree whose nodes are their own ids: node i has a size, and an edge from its parent. */
typedef struct tree {
    uint32_t n;
    uint32_t parent[MOST_NODES]; /* of all but node 0, which is the root */
    uint64_t size_bytes[MOST_NODES];
} tree;

static uint32_t tree_add(tree *t, uint32_t parent, uint64_t size_bytes) {
    t->parent[t->n] = parent;
    t->size_bytes[t->n] = size_bytes;
    return t->n++;
}

static ubi_dominators *tree_dominators(const tree *t) {
    ubi_dominators *dominators;
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < t->n; i++) {
        graph_maker_node(&m, i, t->size_bytes[i]);
        for (uint32_t child = 1; child < t->n; child++)
            if (t->parent[child] == i)
                graph_maker_edge(&m, child);
    }
    ubi_graph *graph = graph_maker_finish(&m);
    ubi_view view = ubi_view_of(graph);
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    ubi_graph_unref(graph); /* the dominators have a reference of their own */
    return dominators;
}

/* The drop after a node. */
static ubi_node_ix drop_after(const ubi_dominators *d, ubi_node_ix after) {
    ubi_node_ix drop = 12345;
    assert_int_equal(ubi__next_drop_find(&drop, d, after, ubi_allocator_default()), UBI_OK);
    return drop;
}

/* All drops from the root on are these nodes, in this order. */
static void assert_drops(const tree *t, const ubi_node_ix *expected, uint32_t n) {
    ubi_dominators *d = tree_dominators(t);
    ubi_node_ix at = 0;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(at = drop_after(d, at), expected[i]);
    assert_int_equal(drop_after(d, at), UBI_NONE);
    ubi_dominators_free(d);
}

static void size_that_is_passed_on_is_no_drop_and_what_is_spread_is(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 1);
    uint32_t chain = tree_add(&t, tree_add(&t, 0, 1), 1); /* 1, 2 */
    uint32_t spread = tree_add(&t, chain, 1);             /* 3 */
    for (uint32_t i = 0; i < 4; i++)
        tree_add(&t, spread, 100); /* none has half of it, nor is half of its dominator */
    assert_drops(&t, &spread, 1);
}

static void own_size_is_where_a_chain_ends(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 1);
    uint32_t leaf = tree_add(&t, tree_add(&t, 0, 1), 1000);
    assert_drops(&t, &leaf, 1);
}

static void the_larger_sibling_comes_first_and_its_subtree_before_the_next(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 1);
    uint32_t small = tree_add(&t, 0, 300), large = tree_add(&t, 0, 800);
    uint32_t inner = tree_add(&t, tree_add(&t, large, 1), 2);
    for (uint32_t i = 0; i < 3; i++)
        tree_add(&t, inner, 250);
    for (uint32_t i = 0; i < 3; i++)
        tree_add(&t, small, 90);
    /* Half of `large` is not in its child: it is a drop, and so is what is spread below. */
    assert_drops(&t, (ubi_node_ix[]){ large, inner, small }, 3);
}

static void half_is_not_less_than_half(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 0);
    uint32_t passes = tree_add(&t, 0, 50); /* retains 100, of which its child has exactly half */
    uint32_t child = tree_add(&t, passes, 50);
    assert_drops(&t, &child, 1);
    t.size_bytes[passes] =
        51; /* of 101, 50 is less than half; and of a leaf, half of its dominator's is rounded down */
    assert_drops(&t, (ubi_node_ix[]){ passes, child }, 2);
}

static void below_a_thousandth_of_the_heap_nothing_is_looked_at(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 1);
    uint32_t large = tree_add(&t, 0, 1000 * 1000);
    uint32_t tiny = tree_add(&t, 0, 100); /* a leaf that has all of what is below `tiny` */
    uint32_t below = tree_add(&t, tiny, 800);
    assert_drops(&t, &large, 1);
    /* What is so small comes after all that is not. */
    ubi_dominators *d = tree_dominators(&t);
    assert_int_equal(drop_after(d, below), UBI_NONE);
    ubi_dominators_free(d);
}

static void what_cannot_be_reached_is_as_the_root(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 1);
    uint32_t leaf = tree_add(&t, 0, 1000);
    uint32_t lost = tree_add(&t, 63, 5); /* no such parent */
    ubi_dominators *d = tree_dominators(&t);
    assert_int_equal(drop_after(d, lost), leaf);
    assert_int_equal(drop_after(d, leaf), UBI_NONE);
    ubi_dominators_free(d);
}

static void a_heap_of_a_root_alone_has_none(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 0);
    assert_drops(&t, NULL, 0);
}

/* A long list: each node passes on all that it retains except its own byte, and the last has nothing below. */
static void a_long_list_is_walked_to_its_end(void **state) {
    enum { LENGTH = 100000 };
    ubi_dominators *d;
    (void)state;
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < LENGTH; i++) {
        graph_maker_node(&m, i, i + 1 < LENGTH ? 1 : LENGTH);
        if (i + 1 < LENGTH)
            graph_maker_edge(&m, i + 1);
    }
    ubi_graph *graph = graph_maker_finish(&m);
    ubi_view view = ubi_view_of(graph);
    assert_int_equal(ubi_dominators_new(&d, &view, NULL), UBI_OK);
    assert_int_equal(drop_after(d, 0), LENGTH - 1);
    assert_int_equal(drop_after(d, LENGTH / 2), LENGTH - 1);
    ubi_dominators_free(d);
    ubi_graph_unref(graph);
}

static ubi_status drop_find(void *dominators, const ubi_allocator *allocator) {
    ubi_node_ix drop = 12345;
    ubi_status status = ubi__next_drop_find(&drop, dominators, 1, allocator);
    assert_int_equal(drop, status == UBI_OK ? 3 : 12345);
    return status;
}

static void refused_memory_is_an_error(void **state) {
    tree t = { .n = 0 };
    (void)state;
    tree_add(&t, 0, 1);
    tree_add(&t, tree_add(&t, tree_add(&t, 0, 1), 1), 1000);
    ubi_dominators *d = tree_dominators(&t);
    assert_true(fail_each_allocation(drop_find, d) > 2);
    ubi_dominators_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_that_is_passed_on_is_no_drop_and_what_is_spread_is),
        cmocka_unit_test(own_size_is_where_a_chain_ends),
        cmocka_unit_test(the_larger_sibling_comes_first_and_its_subtree_before_the_next),
        cmocka_unit_test(half_is_not_less_than_half),
        cmocka_unit_test(below_a_thousandth_of_the_heap_nothing_is_looked_at),
        cmocka_unit_test(what_cannot_be_reached_is_as_the_root),
        cmocka_unit_test(a_heap_of_a_root_alone_has_none),
        cmocka_unit_test(a_long_list_is_walked_to_its_end),
        cmocka_unit_test(refused_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
