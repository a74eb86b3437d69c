/* SPDX-License-Identifier: MIT
 *
 * graph_test.c: a graph's references, lookup, memory figures, and its nodes and stacks seen as those of any heap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph/graph_columns.h"

static const char *const drawn = "root(size=10 type=Root) -> a \"first\", b, a;"
                                 "a(class=Array coarse=object size=100 stack=f@a.js:5:2<main@a.js:1:3) -> root;"
                                 "b(coarse=script file=x.js desc=d stack=-@b.js:7:8)";

static int set_up(void **state) {
    *state = graph_from_drawing(drawn);
    return 0;
}

static int tear_down(void **state) {
    ubi_graph_unref(*state);
    return 0;
}

static void references_keep_the_graph_and_the_last_one_frees_it(void **state) {
    (void)state;
    drawing *d = drawing_new(drawn);
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    assert_ptr_equal(ubi_graph_ref(g), g);
    ubi_graph_unref(g);
    assert_int_equal(ubi_graph_node_count(g), 3);
    ubi_graph_unref(g);
    fail_allocator_fini(&f); /* aborts when something is left */
    ubi_graph_unref(NULL);
    drawing_free(d);
}

static void nodes_are_found_by_id_and_others_are_not(void **state) {
    ubi_node_ix node = 99;
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(ubi_graph_find(&node, *state, id), UBI_OK);
        assert_int_equal(node, id - 1);
        assert_int_equal(ubi_graph_node_id(*state, node), id);
    }
    node = 99;
    assert_int_equal(ubi_graph_find(&node, *state, 4), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "no node has id 4");
    assert_int_equal(ubi_graph_find(&node, *state, UINT64_MAX), UBI_ENOTFOUND);
    assert_int_equal(node, 99);
}

static void a_graph_without_a_creation_time_says_so(void **state) {
    uint64_t time_us = 7;
    assert_false(ubi_graph_creation_time_us(*state, &time_us));
    assert_int_equal(time_us, 7);
}

static void the_view_of_a_node_answers_what_the_graph_holds(void **state) {
    ubi_graph *g = *state;
    ubi_node root = ubi_graph_as_node(g, 0), a = ubi_graph_as_node(g, 1), b = ubi_graph_as_node(g, 2);
    assert_int_equal(ubi_node_id(a), 2);
    assert_true(ubi__text_is(ubi_node_type_name(root), "Root"));
    assert_int_equal(ubi_node_coarse_type(a), UBI_COARSE_OBJECT);
    assert_int_equal(ubi_node_coarse_type(root), UBI_COARSE_OTHER);
    assert_int_equal(ubi_node_size_bytes(root), 10);
    assert_int_equal(ubi_node_size_bytes(a), 100);
    assert_true(ubi__text_is(ubi_node_class_name(a), "Array"));
    assert_null(ubi_node_class_name(b).ptr);
    assert_true(ubi__text_is(ubi_node_script_filename(b), "x.js"));
    assert_null(ubi_node_script_filename(a).ptr);
    assert_true(ubi__text_is(ubi_node_descriptive_name(b), "d"));
    assert_null(ubi_node_descriptive_name(a).ptr);
    assert_false(ubi_node_is_live(a));
    assert_true(ubi_node_equal(a, ubi_graph_as_node(g, 1)));
    assert_false(ubi_node_equal(a, b));
}

typedef struct edges {
    unsigned n, stop_after;
    ubi_node referent[8];
    ubi_text name[8];
} edges;

static bool note_edge(void *payload, ubi_node referent, ubi_text name) {
    edges *e = payload;
    e->referent[e->n] = referent;
    e->name[e->n++] = name;
    return e->n != e->stop_after;
}

static void the_view_gives_edges_in_order_with_their_names_whether_asked_or_not(void **state) {
    for (int want_names = 0; want_names < 2; want_names++) {
        edges e = { .n = 0 };
        assert_true(ubi_node_edges(ubi_graph_as_node(*state, 0), want_names, note_edge, &e));
        assert_int_equal(e.n, 3);
        assert_int_equal(e.referent[0].ref, 1);
        assert_int_equal(e.referent[1].ref, 2);
        assert_int_equal(e.referent[2].ref, 1);
        assert_true(ubi__text_is(e.name[0], "first"));
        assert_null(e.name[1].ptr);
    }
    edges stopped = { .stop_after = 2 };
    assert_false(ubi_node_edges(ubi_graph_as_node(*state, 0), true, note_edge, &stopped));
    assert_int_equal(stopped.n, 2);
    edges none = { .n = 0 };
    assert_true(ubi_node_edges(ubi_graph_as_node(*state, 2), true, note_edge, &none));
    assert_int_equal(none.n, 0);
}

static void the_view_of_a_stack_goes_from_the_youngest_frame_to_the_oldest(void **state) {
    ubi_stack stack;
    ubi_frame f;
    assert_false(ubi_node_allocation_stack(ubi_graph_as_node(*state, 0), &stack));
    assert_true(ubi_node_allocation_stack(ubi_graph_as_node(*state, 1), &stack));
    ubi_stack_frame(stack, &f);
    assert_true(ubi__text_is(f.function_name, "f") && ubi__text_is(f.source, "a.js"));
    assert_int_equal(f.line, 5);
    assert_int_equal(f.column, 2);
    assert_true(ubi_stack_parent(stack, &stack));
    ubi_stack_frame(stack, &f);
    assert_true(ubi__text_is(f.function_name, "main"));
    assert_int_equal(f.line, 1);
    assert_false(ubi_stack_parent(stack, &stack));
    assert_true(ubi_node_allocation_stack(ubi_graph_as_node(*state, 2), &stack));
    ubi_stack_frame(stack, &f);
    assert_null(f.function_name.ptr);
    assert_true(ubi__text_is(f.source, "b.js"));
}

static void equal_texts_share_their_canonical_entry(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1(type=T class=T) -> 2 \"T\"; 2(type=U)"); /* each mention is an entry */
    assert_int_equal(ubi_graph_string_count(g), 4);
    const ubi_kind *kind = ubi_graph_kind(g, ubi_graph_node_kind(g, 0));
    assert_int_not_equal(kind->type_name, kind->class_name);
    assert_int_equal(ubi_graph_canonical_string(g, kind->class_name), kind->type_name);
    assert_int_equal(ubi_graph_canonical_string(g, ubi_graph_edge_name(g, 0)), kind->type_name);
    assert_int_equal(ubi_graph_canonical_string(g, UBI_NONE), UBI_NONE);
    ubi_graph_unref(g);
}

static void frames_can_be_asked_for_by_index(void **state) {
    ubi_graph *g = *state;
    ubi_frame f;
    ubi_frame_ix youngest = ubi_graph_node_stack(g, 1), oldest = ubi_graph_frame_parent(g, youngest);
    assert_int_equal(ubi_graph_frame_count(g), 3);
    assert_int_equal(ubi_graph_frame_parent(g, oldest), UBI_NONE);
    assert_int_equal(ubi_graph_canonical_frame(g, youngest), youngest);
    ubi_graph_frame(g, oldest, &f);
    assert_true(ubi__text_is(f.function_name, "main"));
}

static void memory_figures_add_up_to_what_the_allocator_gave(void **state) {
    (void)state;
    drawing *d = drawing_new(drawn);
    fail_allocator f;
    ubi_graph_memory m = UBI_GRAPH_MEMORY_INIT;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    ubi_graph_memory_use(g, &m);
    assert_int_equal(m.nodes_bytes, 3 * (8 + 8 + 8 + 4 + 4) + 8); /* with stacks; one offset more than nodes */
    assert_int_equal(m.edges_bytes, 4 * (4 + 4));
    assert_in_range(m.stacks_bytes, 3 * (32 + 4), 3 * 32 + 16 * 4); /* no column is made for less than 16 entries */
    uint64_t sum = m.nodes_bytes + m.edges_bytes + m.index_bytes + m.strings_bytes + m.stacks_bytes;
    assert_int_equal(f.live_bytes, sum + sizeof *g);
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    drawing_free(d);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(references_keep_the_graph_and_the_last_one_frees_it),
        TEST(nodes_are_found_by_id_and_others_are_not),
        TEST(a_graph_without_a_creation_time_says_so),
        TEST(the_view_of_a_node_answers_what_the_graph_holds),
        TEST(the_view_gives_edges_in_order_with_their_names_whether_asked_or_not),
        TEST(the_view_of_a_stack_goes_from_the_youngest_frame_to_the_oldest),
        TEST(equal_texts_share_their_canonical_entry),
        TEST(frames_can_be_asked_for_by_index),
        TEST(memory_figures_add_up_to_what_the_allocator_gave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
