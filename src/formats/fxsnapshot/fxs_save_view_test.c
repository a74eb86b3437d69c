/* SPDX-License-Identifier: MIT
 *
 * fxs_save_view_test.c: what is written of a graph that is seen through a view, or that says more than the format holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph_equal.h"
#include "random_v8.h"
#include "saving.h"

static void assert_text(ubi_text got, const char *expected) {
    assert_int_equal(got.len, strlen(expected));
    assert_memory_equal(got.ptr, expected, got.len);
}

static ubi_edge_set *edges_without(const ubi_graph *graph, const char *name) {
    ubi_edge_set *set;
    assert_int_equal(ubi_edge_set_new(&set, graph, true), UBI_OK);
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(graph); e++)
        if (ubi__text_is(ubi_graph_string(graph, ubi_graph_edge_name(graph, e)), name))
            ubi_edge_set_put(set, e, false);
    return set;
}

static void a_view_gives_edges_sizes_and_orphans(void **state) {
    static const uint64_t sizes[] = { 0, 10, 20, 30, 40 };
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2 \"weak\", 3 \"a\"; 2; 3 -> 4 \"weak\", 3 \"b\"; 4 -> 5; 5;");
    ubi_graph *expected = graph_from_drawing("1(size=0) -> 3 \"a\", 2 \"(orphan)\", 4 \"(orphan)\"; 2(size=10);"
                                             "3(size=20) -> 3 \"b\"; 4(size=30) -> 5; 5(size=40);");
    ubi_edge_set *set = edges_without(graph, "weak");
    ubi_view view = ubi_view_of(graph);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    view.edges = set, view.size_bytes = sizes, view.orphans = UBI_ORPHANS_ADOPT;
    options.view = &view;
    ubi_graph *again = graph_round_trip(graph, &options);
    assert_int_equal(ubi_graph_reachable_count(again), 5);
    for (ubi_node_ix n = 0; n < 5; n++) { /* drawn in another order */
        ubi_node_ix m;
        assert_int_equal(ubi_graph_find(&m, expected, ubi_graph_node_id(again, n)), UBI_OK);
        assert_int_equal(ubi_graph_node_size_bytes(again, n), ubi_graph_node_size_bytes(expected, m));
        uint64_t n_edges = ubi_graph_first_edge(again, n + 1) - ubi_graph_first_edge(again, n);
        assert_int_equal(n_edges, ubi_graph_first_edge(expected, m + 1) - ubi_graph_first_edge(expected, m));
        for (uint64_t i = 0; i < n_edges; i++) {
            ubi_edge_ix e = ubi_graph_first_edge(again, n) + i, f = ubi_graph_first_edge(expected, m) + i;
            assert_int_equal(ubi_graph_node_id(again, ubi_graph_edge_target(again, e)),
                             ubi_graph_node_id(expected, ubi_graph_edge_target(expected, f)));
            assert_true(ubi__text_equal(ubi_graph_string(again, ubi_graph_edge_name(again, e)),
                                        ubi_graph_string(expected, ubi_graph_edge_name(expected, f))));
        }
    }
    ubi_edge_set_free(set);
    ubi_graph_unref(again);
    ubi_graph_unref(expected);
    ubi_graph_unref(graph);
}

static void the_root_of_a_view_comes_first(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2; 2 -> 3; 3;");
    ubi_view view = ubi_view_of(graph);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    view.root = 1;
    options.view = &view;
    ubi_graph *again = graph_round_trip(graph, &options);
    assert_int_equal(ubi_graph_node_id(again, ubi_graph_root(again)), 2);
    assert_int_equal(ubi_graph_reachable_count(again), 2);
    ubi_graph_unref(again);
    ubi_graph_unref(graph);
}

static ubi_status call_two(void *payload, ubi_node_ix node, ubi_node_words *out) {
    (void)payload;
    if (node == 1) {
        out->class_name = ubi__text("Detached <div>");
        out->script_filename = ubi__text("b.js");
        out->descriptive_name = ubi__text("Detached <div>");
    }
    return UBI_OK;
}

static void words_of_a_node_replace_those_of_its_kind(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1(class=A file=a.js desc=D) -> 2; 2(class=A file=a.js desc=D);");
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.words_of_node = call_two;
    ubi_graph *again = graph_round_trip(graph, &options);
    const ubi_kind *one = ubi_graph_kind(again, ubi_graph_node_kind(again, 0));
    const ubi_kind *two = ubi_graph_kind(again, ubi_graph_node_kind(again, 1));
    assert_text(ubi_graph_string(again, one->class_name), "A");
    assert_text(ubi_graph_string(again, one->script_filename), "a.js");
    assert_text(ubi_graph_string(again, two->class_name), "Detached <div>");
    assert_text(ubi_graph_string(again, two->script_filename), "b.js");
    assert_text(ubi_graph_string(again, two->descriptive_name), "Detached <div>");
    ubi_graph_unref(again);
    ubi_graph_unref(graph);
}

/* Labels of edges as text, in a graph of V8 and in what is saved of it. */
static void numbers_of_edges_become_text(void **state) {
    (void)state;
    random_start(9);
    for (int i = 0; i < 300; i++) {
        ubi_graph *graph = random_v8_graph();
        ubi_graph *again = graph_round_trip(graph, NULL);
        assert_int_equal(ubi_graph_edge_count(again), ubi_graph_edge_count(graph));
        for (ubi_node_ix n = 0; n < ubi_graph_node_count(graph); n++) {
            ubi_node_ix m;
            assert_int_equal(ubi_graph_find(&m, again, ubi_graph_node_id(graph, n)), UBI_OK);
            for (ubi_edge_ix e = ubi_graph_first_edge(graph, n); e < ubi_graph_first_edge(graph, n + 1); e++) {
                char a[UBI_EDGE_LABEL_BYTES], b[UBI_EDGE_LABEL_BYTES];
                ubi_edge_ix f = ubi_graph_first_edge(again, m) + (e - ubi_graph_first_edge(graph, n));
                assert_true(ubi__text_equal(ubi_graph_edge_label(graph, e, a), ubi_graph_edge_label(again, f, b)));
            }
        }
        ubi_graph_unref(again);
        ubi_graph_unref(graph);
    }
}

static bool refuse(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return true;
}

static void a_foreign_view_and_formats_without_views_are_refused(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1;"), *other = graph_from_drawing("1;");
    ubi_view view = ubi_view_of(other);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.view = &view;
    assert_int_equal(ubi_graph_save_callback(graph, refuse, NULL, &options, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "the view is not of the graph that is saved");
    view.graph = graph;
    options.format = "heapsnapshot";
    assert_int_equal(ubi_graph_save_callback(graph, refuse, NULL, &options, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "heapsnapshot takes graphs whole, not what a view shows");
    options.format = "jsonl";
    assert_int_equal(ubi_graph_save_callback(graph, refuse, NULL, &options, NULL), UBI_EINVAL);
    ubi_graph_unref(other);
    ubi_graph_unref(graph);
}

static ubi_status refuse_words(void *payload, ubi_node_ix node, ubi_node_words *out) {
    (void)payload, (void)node, (void)out;
    return UBI_ELIMIT;
}

static void what_words_of_node_says_ends_the_save(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1;");
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.words_of_node = refuse_words;
    assert_int_equal(ubi_graph_save_callback(graph, refuse, NULL, &options, NULL), UBI_ELIMIT);
    ubi_graph_unref(graph);
}

static ubi_status save_once(void *payload, const ubi_allocator *allocator) {
    const ubi_graph *graph = payload;
    ubi_view view = ubi_view_of(graph);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    view.orphans = UBI_ORPHANS_ADOPT;
    options.view = &view;
    options.words_of_node = call_two;
    options.allocator = allocator;
    options.threads = 1;
    options.compression = UBI_COMPRESSION_NONE;
    return ubi_graph_save_callback(graph, refuse, NULL, &options, NULL);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    random_start(3);
    for (int i = 0; i < 10; i++) {
        ubi_graph *graph = random_v8_graph();
        fail_each_allocation(save_once, graph);
        ubi_graph_unref(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_gives_edges_sizes_and_orphans),
        cmocka_unit_test(the_root_of_a_view_comes_first),
        cmocka_unit_test(words_of_a_node_replace_those_of_its_kind),
        cmocka_unit_test(numbers_of_edges_become_text),
        cmocka_unit_test(a_foreign_view_and_formats_without_views_are_refused),
        cmocka_unit_test(what_words_of_node_says_ends_the_save),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
