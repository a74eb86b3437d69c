/* SPDX-License-Identifier: MIT
 *
 * capture_test.c: any heap kept as a graph: a fake one, and a graph seen as a heap.
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
#include <ubiheap/core/graph.h>

/* In breadth-first order, so that a capture has the same indices. */
static const char *const drawn = "root(size=10 type=Root) -> a \"first\", b, a \"first\";"
                                 "a(class=Array coarse=object size=100 stack=f@a.js:5:2<main@a.js:1:3) -> root, c, a;"
                                 "b(coarse=script file=x.js stack=-@b.js:7:8<main@a.js:1:3) -> c \"\";"
                                 "c(coarse=dom desc=div class=Array) -> root";

static ubi_graph *capture(ubi_node root) {
    ubi_graph *g = NULL;
    assert_int_equal(ubi_graph_capture(&g, root, NULL), UBI_OK);
    assert_int_equal(ubi_graph_check(g), UBI_OK);
    return g;
}

/* ---- equality ---------------------------------------------------------------------------------------------------------- */

static void assert_same_text(ubi_text a, ubi_text b) {
    assert_int_equal(a.ptr == NULL, b.ptr == NULL);
    assert_true(ubi__text_equal(a, b));
}

static void assert_same_stack(bool has_a, ubi_stack a, bool has_b, ubi_stack b) {
    while (has_a && has_b) {
        ubi_frame x, y;
        ubi_stack_frame(a, &x);
        ubi_stack_frame(b, &y);
        assert_int_equal(x.id, y.id);
        assert_same_text(x.source, y.source);
        assert_same_text(x.function_name, y.function_name);
        assert_int_equal(x.line, y.line);
        assert_int_equal(x.column, y.column);
        assert_int_equal(x.is_system, y.is_system);
        assert_int_equal(x.is_self_hosted, y.is_self_hosted);
        has_a = ubi_stack_parent(a, &a);
        has_b = ubi_stack_parent(b, &b);
    }
    assert_int_equal(has_a, has_b);
}

typedef struct edge_list {
    size_t n;
    uint64_t target_id[16];
    ubi_text name[16];
} edge_list;

static bool note_edge(void *payload, ubi_node referent, ubi_text name) {
    edge_list *list = payload;
    list->target_id[list->n] = ubi_node_id(referent);
    list->name[list->n++] = name;
    return true;
}

/* Section 9 of the specification: what two views of one heap must agree on. */
static void assert_same_node(ubi_node a, ubi_node b) {
    ubi_stack x, y;
    edge_list edges_a = { .n = 0 }, edges_b = { .n = 0 };
    assert_int_equal(ubi_node_id(a), ubi_node_id(b));
    assert_int_equal(ubi_node_coarse_type(a), ubi_node_coarse_type(b));
    assert_int_equal(ubi_node_size_bytes(a), ubi_node_size_bytes(b));
    assert_same_text(ubi_node_type_name(a), ubi_node_type_name(b));
    assert_same_text(ubi_node_class_name(a), ubi_node_class_name(b));
    assert_same_text(ubi_node_descriptive_name(a), ubi_node_descriptive_name(b));
    assert_same_text(ubi_node_script_filename(a), ubi_node_script_filename(b));
    bool has_a = ubi_node_allocation_stack(a, &x), has_b = ubi_node_allocation_stack(b, &y);
    assert_same_stack(has_a, x, has_b, y);
    ubi_node_edges(a, true, note_edge, &edges_a);
    ubi_node_edges(b, true, note_edge, &edges_b);
    assert_int_equal(edges_a.n, edges_b.n);
    for (size_t i = 0; i < edges_a.n; i++) {
        assert_int_equal(edges_a.target_id[i], edges_b.target_id[i]);
        assert_same_text(edges_a.name[i], edges_b.name[i]);
    }
}

static void assert_same_graph(const ubi_graph *a, const ubi_graph *b) {
    assert_int_equal(ubi_graph_node_count(a), ubi_graph_node_count(b));
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(a); n++)
        assert_same_node(ubi_graph_as_node(a, n), ubi_graph_as_node(b, n));
}

/* ---- tests --------------------------------------------------------------------------------------------------------------- */

static void a_fake_heap_becomes_the_graph_that_was_drawn(void **state) {
    (void)state;
    drawing *d = drawing_new(drawn);
    ubi_graph *captured = capture(drawing_node(d, "root")), *built = drawing_graph(d, NULL);
    assert_same_graph(captured, built);
    assert_string_equal(ubi_graph_format_name(captured), "memory");
    assert_int_equal(drawing_edge_calls(d), 4); /* conformance case 7: each node is described once, the root included */
    ubi_graph_unref(captured);
    ubi_graph_unref(built);
    drawing_free(d);
}

static void a_graph_seen_as_a_heap_becomes_an_equal_graph(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(drawn), *again = capture(ubi_graph_as_node(g, 0));
    assert_same_graph(g, again);
    ubi_graph_unref(g);
    ubi_graph *third = capture(ubi_graph_as_node(again, 0)); /* nothing of the first is needed any more */
    assert_same_graph(again, third);
    ubi_graph_unref(again);
    ubi_graph_unref(third);
}

static void equal_texts_and_frames_become_one_entry(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(drawn), *captured = capture(ubi_graph_as_node(g, 0));
    assert_true(ubi_graph_string_count(captured) < ubi_graph_string_count(g));
    for (ubi_str_ix i = 0; i < ubi_graph_string_count(captured); i++)
        assert_int_equal(ubi_graph_canonical_string(captured, i), i);
    assert_int_equal(ubi_graph_frame_count(captured), 3); /* main is shared */
    ubi_graph_unref(g);
    ubi_graph_unref(captured);
}

static void nodes_are_in_the_order_in_which_the_walk_meets_them(void **state) {
    (void)state;
    drawing *d = drawing_new("x; a; b; c; r -> c, b; b -> a; c -> r, a; u -> r");
    ubi_graph *g = capture(drawing_node(d, "r"));
    static const char *const names[] = { "r", "c", "b", "a" };
    assert_int_equal(ubi_graph_node_count(g), 4); /* neither x nor u */
    for (ubi_node_ix n = 0; n < 4; n++)
        assert_int_equal(ubi_graph_node_id(g, n), drawing_id(d, names[n]));
    assert_int_equal(ubi_graph_root(g), 0);
    assert_int_equal(ubi_graph_reachable_count(g), 4);
    ubi_graph_unref(g);
    drawing_free(d);
}

static void the_root_may_be_any_node(void **state) {
    (void)state;
    drawing *d = drawing_new(drawn);
    ubi_graph *g = capture(drawing_node(d, "c"));
    assert_int_equal(ubi_graph_node_id(g, 0), drawing_id(d, "c"));
    assert_int_equal(ubi_graph_node_count(g), 4);
    ubi_graph_unref(g);
    drawing_free(d);
}

static void two_nodes_with_one_id_are_no_heap(void **state) {
    (void)state;
    drawing *d = drawing_new("r -> a, b; a(id=50); b(id=50)");
    ubi_graph *g = NULL;
    assert_int_equal(ubi_graph_capture(&g, drawing_node(d, "r"), NULL), UBI_EFORMAT);
    assert_non_null(strstr(ubi_error_message(), "id 50 is used twice"));
    assert_null(g);
    drawing_free(d);
}

static void frames_that_share_an_id_within_one_stack_stay_apart(void **state) {
    (void)state;
    static const uint64_t ids[] = { 5, 6, 5 }; /* oldest first; legal in a file */
    ubi_graph_builder *b;
    ubi_graph *g;
    ubi_str_ix s;
    ubi_frame_ix frame = UBI_NONE;
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &s, ubi__text("s")), UBI_OK);
    for (uint32_t i = 0; i < 3; i++) {
        ubi_frame_desc desc = { .id = ids[i], .parent = frame, .source = s, .function_name = UBI_NONE, .line = i };
        assert_int_equal(ubi_graph_builder_frame(b, &frame, &desc), UBI_OK);
    }
    for (uint64_t id = 1; id <= 2; id++) {
        ubi_node_desc node = { .id = id,
                               .kind = { s, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, 0, 0 },
                               .stack = frame };
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        assert_int_equal(ubi_graph_builder_edge(b, 3 - id, UBI_NONE), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    ubi_graph *captured = capture(ubi_graph_as_node(g, 0));
    assert_same_graph(g, captured);
    assert_int_equal(ubi_graph_frame_count(captured), 3);
    ubi_graph_unref(captured);
    ubi_graph_unref(g);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    drawing *d = drawing_new(drawn);
    ubi_graph *whole = capture(drawing_node(d, "root"));
    const uint32_t n_strings = ubi_graph_string_count(whole);
    ubi_graph_unref(whole);
    bool once = false;
    for (uint64_t n_allowed = 0;; n_allowed++) {
        fail_allocator f;
        ubi_graph *g = NULL;
        fail_allocator_init(&f, n_allowed);
        f.once = once;
        ubi_capture_options options = UBI_CAPTURE_OPTIONS_INIT;
        options.allocator = &f.allocator;
        ubi_status status = ubi_graph_capture(&g, drawing_node(d, "root"), &options);
        bool refused = f.n_refused > 0;
        f.n_allowed = FAIL_ALLOCATOR_NEVER;
        if (status == UBI_OK) {
            assert_int_equal(ubi_graph_check(g), UBI_OK);
            assert_int_equal(ubi_graph_edge_count(g), 8);
            assert_int_equal(ubi_graph_string_count(g), n_strings);
        } else {
            assert_null(g);
        }
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        ubi_graph_unref(g);
        fail_allocator_fini(&f);
        if (!refused && once)
            break;
        if (!refused) {
            once = true;
            n_allowed = UINT64_MAX; /* from 0 again */
            continue;
        }
        assert_in_range(n_allowed, 0, 200);
    }
    drawing_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fake_heap_becomes_the_graph_that_was_drawn),
        cmocka_unit_test(a_graph_seen_as_a_heap_becomes_an_equal_graph),
        cmocka_unit_test(equal_texts_and_frames_become_one_entry),
        cmocka_unit_test(nodes_are_in_the_order_in_which_the_walk_meets_them),
        cmocka_unit_test(the_root_may_be_any_node),
        cmocka_unit_test(two_nodes_with_one_id_are_no_heap),
        cmocka_unit_test(frames_that_share_an_id_within_one_stack_stay_apart),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
