/* SPDX-License-Identifier: MIT
 *
 * heap_summary_test.c: the sweep and the groups, on small drawn heaps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "drawing.h"
#include "lenses/heap_summary.h"
#include "lenses/producer.h"

static const char sample_heap[] =
    "root(size=10 type=JS::ubi::RootList) -> a \"x\", b, c, d, e;"
    "a(size=100 coarse=object class=Array stack=make@app.js:5:2<main@app.js:9:1);"
    "b(size=40 coarse=object class=Array stack=make@app.js:6:2<main@app.js:9:1) -> a, c, d;"
    "c(size=60 coarse=script file=app.js type=js::BaseScript);"
    "d(size=30 coarse=dom desc=div class=HTMLDivElement stack=main@app.js:10:1);"
    "e(size=200 coarse=object class=Map stack=make@other.js:1:1);"
    "lost(size=1000 coarse=object class=Array stack=make@app.js:5:2<main@app.js:9:1) -> a;";

typedef struct fixture {
    ubi_graph *graph;
    ubi__heap_summary summary;
} fixture;

static fixture f;

static int load(void **state) {
    (void)state;
    f.graph = graph_from_drawing(sample_heap);
    return ubi__heap_summary_init(&f.summary, f.graph, ubi_allocator_default()) == UBI_OK ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    ubi__heap_summary_fini(&f.summary);
    ubi_graph_unref(f.graph);
    return 0;
}

static void assert_tally(ubi__tally tally, uint64_t count, uint64_t bytes) {
    assert_int_equal(tally.count, count);
    assert_int_equal(tally.bytes, bytes);
}

static void sums_split_at_reachability_and_coarse_type(void **state) {
    (void)state;
    assert_tally(f.summary.reachable, 6, 440);
    assert_tally(f.summary.unreachable, 1, 1000);
    assert_tally(f.summary.coarse[UBI_COARSE_OBJECT], 3, 340);
    assert_tally(f.summary.coarse[UBI_COARSE_SCRIPT], 1, 60);
    assert_tally(f.summary.coarse[UBI_COARSE_DOM_NODE], 1, 30);
    assert_tally(f.summary.coarse[UBI_COARSE_STRING], 0, 0);
    assert_tally(f.summary.coarse[UBI_COARSE_OTHER], 1, 10);
    assert_int_equal(f.summary.n_with_stack, 5);
}

static void the_largest_nodes_are_found_in_order_and_reachable(void **state) {
    (void)state;
    static const uint64_t sizes[] = { 200, 100, 60, 40, 30 };
    assert_int_equal(f.summary.n_largest, 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(ubi_graph_node_size_bytes(f.graph, f.summary.largest[i]), sizes[i]);
}

static void the_widest_node_is_not_the_root(void **state) {
    (void)state;
    assert_int_equal(ubi_graph_node_size_bytes(f.graph, f.summary.widest), 40);
}

static void what_the_file_carries_is_seen(void **state) {
    (void)state;
    assert_int_equal(f.summary.names.classes, 3);
    assert_int_equal(f.summary.names.constructors, 0);
    assert_int_equal(f.summary.names.dom, 1);
    assert_int_equal(f.summary.names.scripts, 1);
    assert_true(f.summary.has_edge_names);
    assert_string_equal(ubi__producer_title(f.graph), "Firefox");
}

static void a_bare_heap_carries_nothing(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("root -> a;");
    ubi__heap_summary s;
    assert_int_equal(ubi__heap_summary_init(&s, graph, ubi_allocator_default()), UBI_OK);
    assert_int_equal(s.names.classes + s.names.constructors + s.names.dom + s.names.scripts, 0);
    assert_false(s.has_edge_names);
    assert_int_equal(s.n_largest, 2);
    assert_null(ubi__producer_title(graph));
    ubi__heap_summary_fini(&s);
    ubi_graph_unref(graph);
}

static void constructors_are_counted_once_each_and_not_as_dom_names(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("root -> a, b, c, d; a(coarse=object class=Object desc=Shop type=JSObject);"
                                          "b(coarse=object class=Object desc=Order type=JSObject);"
                                          "c(coarse=object class=Error desc=Order type=JSObject);"
                                          "d(coarse=object class=Array type=JSObject);");
    ubi__heap_summary s;
    assert_int_equal(ubi__heap_summary_init(&s, graph, ubi_allocator_default()), UBI_OK);
    assert_int_equal(s.names.classes, 3);
    assert_int_equal(s.names.constructors, 2);
    assert_int_equal(s.names.dom, 0);
    ubi__heap_summary_fini(&s);
    ubi_graph_unref(graph);
}

/* A file saved within boundaries may have no realm. */
static void quickjs_is_known_by_any_type_of_its_own_and_gets_no_advice_for_firefox(void **state) {
    (void)state;
    static const char *const types[] = { "JSContext", "JSShape", "JSVarRef", "JSFunctionBytecode", "JSRuntime" };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char drawn[120];
        snprintf(drawn, sizeof drawn, "root(type=JS::ubi::RootList) -> a; a(type=%s) -> b; b(type=JSObject);",
                 types[i]);
        ubi_graph *graph = graph_from_drawing(drawn);
        assert_string_equal(ubi__producer_title(graph), "QuickJS");
        assert_null(strstr(ubi__how_to_record_stacks(graph), "Firefox"));
        ubi_graph_unref(graph);
    }
}

static void a_root_alone_has_no_widest_node(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("root -> root;");
    ubi__heap_summary s;
    assert_int_equal(ubi__heap_summary_init(&s, graph, ubi_allocator_default()), UBI_OK);
    assert_int_equal(s.widest, UBI_NONE);
    assert_tally(s.reachable, 1, 1);
    ubi__heap_summary_fini(&s);
    ubi_graph_unref(graph);
}

static void assert_label(const ubi__group *group, const char *label, uint64_t count, uint64_t bytes) {
    assert_true(ubi__text_is(group->label, label));
    assert_tally(group->tally, count, bytes);
}

static void groups_by_function_join_its_lines_but_not_other_files(void **state) {
    (void)state;
    ubi__groups groups;
    assert_int_equal(ubi__groups_by_function(&groups, &f.summary), UBI_OK);
    assert_int_equal(groups.n, 3);
    assert_label(&groups.at[0], "make", 1, 200);
    assert_true(ubi__text_is(groups.at[0].frame.source, "other.js"));
    assert_label(&groups.at[1], "make", 2, 140);
    assert_int_equal(groups.at[1].frame.line, 5); /* the site with the most bytes */
    assert_label(&groups.at[2], "main", 1, 30);
    ubi__groups_fini(&groups);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_split_at_reachability_and_coarse_type),
        cmocka_unit_test(the_largest_nodes_are_found_in_order_and_reachable),
        cmocka_unit_test(the_widest_node_is_not_the_root),
        cmocka_unit_test(what_the_file_carries_is_seen),
        cmocka_unit_test(a_bare_heap_carries_nothing),
        cmocka_unit_test(constructors_are_counted_once_each_and_not_as_dom_names),
        cmocka_unit_test(quickjs_is_known_by_any_type_of_its_own_and_gets_no_advice_for_firefox),
        cmocka_unit_test(a_root_alone_has_no_widest_node),
        cmocka_unit_test(groups_by_function_join_its_lines_but_not_other_files),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
