/* SPDX-License-Identifier: MIT
 *
 * heap_summary_test.c: the sweep, the groups and single numbers, on small drawn heaps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/heap_summary.h"
#include "drawing.h"
#include "lenses/producer.h"
#include "random_numbers.h"
#include "render/heap_labels.h"
#include <stdlib.h>

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
    return ubi__heap_summary_init(&f.summary, f.graph) == UBI_OK ? 0 : -1;
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
    assert_int_equal(ubi__heap_summary_init(&s, graph), UBI_OK);
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
    assert_int_equal(ubi__heap_summary_init(&s, graph), UBI_OK);
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
    assert_int_equal(ubi__heap_summary_init(&s, graph), UBI_OK);
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

/* A quantity of a graph; `label` NULL: of all. */
static uint64_t measure(const ubi_graph *graph, ubi__quantity quantity, const char *label) {
    ubi__heap_facts facts;
    uint64_t out;
    assert_int_equal(ubi__heap_facts_init(&facts, graph, NULL, NULL), UBI_OK);
    assert_int_equal(ubi__heap_facts_measure(&out, &facts, quantity, ubi__text(label), (ubi_progress){ 0 }), UBI_OK);
    ubi__heap_facts_fini(&facts);
    return out;
}

static uint64_t of_drawing(const char *drawn, ubi__quantity quantity, const char *label) {
    ubi_graph *graph = graph_from_drawing(drawn);
    uint64_t out = measure(graph, quantity, label);
    ubi_graph_unref(graph);
    return out;
}

#define HEAP                                                                                                           \
    "r(size=1) -> a, b; a(size=10 class=Map) -> c; b(size=20 class=Array) -> c; c(size=40 class=Map) -> d;"            \
    "d(size=80 desc=div class=Map); lost(size=160 class=Map) -> d"

static void counts_and_bytes_are_those_of_a_census(void **state) {
    (void)state;
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_COUNT, NULL), 4);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_BYTES, NULL), 150);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_COUNT, "Map"), 2);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_BYTES, "Map"), 50);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_COUNT, "div"), 1);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_COUNT, "absent"), 0);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_NODES, NULL), 6);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_EDGES, NULL), 6);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_UNREACHABLE, NULL), 1);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_UNREACHABLE_BYTES, NULL), 160);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_LARGEST, NULL), 80);
}

static void the_root_counts_when_an_edge_leads_to_it(void **state) {
    (void)state;
    assert_int_equal(of_drawing("r(size=5 class=R) -> a;", UBI__QUANTITY_COUNT, NULL), 1);
    assert_int_equal(of_drawing("r(size=5 class=R) -> a; a -> r;", UBI__QUANTITY_COUNT, NULL), 2);
    assert_int_equal(of_drawing("r(size=5 class=R) -> a;", UBI__QUANTITY_BYTES, "R"), 0);
    assert_int_equal(of_drawing("r(size=5 class=R) -> a; a -> r;", UBI__QUANTITY_BYTES, "R"), 5);
    assert_int_equal(of_drawing("r(size=5 class=R) -> a; a(class=A);", UBI__QUANTITY_COUNT, "A"), 1);
}

static void what_a_label_retains_is_counted_once(void **state) {
    (void)state;
    /* c is kept by a and b, so by the root alone; c holds d. */
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_RETAINED, "Map"), 10 + 40 + 80);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_RETAINED, "Array"), 20);
    assert_int_equal(of_drawing(HEAP, UBI__QUANTITY_RETAINED, "absent"), 0);
    assert_int_equal(of_drawing("r -> a; a(size=2 class=M) -> b; b(size=3) -> c; c(size=4 class=M) -> a;",
                                UBI__QUANTITY_RETAINED, "M"),
                     9);
    assert_int_equal(of_drawing("r(size=7 class=M) -> a; a(size=2 class=M)", UBI__QUANTITY_RETAINED, "M"), 9);
}

static void wholes_are_what_parts_are_parts_of(void **state) {
    (void)state;
    ubi__heap_facts facts;
    ubi_graph *graph = graph_from_drawing(HEAP);
    assert_int_equal(ubi__heap_facts_init(&facts, graph, NULL, NULL), UBI_OK);
    assert_int_equal(ubi__heap_facts_whole(&facts, UBI__QUANTITY_COUNT), 4);
    assert_int_equal(ubi__heap_facts_whole(&facts, UBI__QUANTITY_RETAINED), 150);
    assert_int_equal(ubi__heap_facts_whole(&facts, UBI__QUANTITY_UNREACHABLE), 6);
    assert_int_equal(ubi__heap_facts_whole(&facts, UBI__QUANTITY_UNREACHABLE_BYTES), 311);
    assert_int_equal(ubi__heap_facts_whole(&facts, UBI__QUANTITY_MATCHES), 6);
    ubi__heap_facts_fini(&facts);
    ubi_graph_unref(graph);
}

/* ---- against the definition ------------------------------------------------------------------------------------- */

static void draw_heap(char *out, size_t size, uint32_t n) {
    size_t used = 0;
    for (uint32_t i = 0; i < n; i++) {
        used += (size_t)snprintf(out + used, size - used, "n%u(size=%u class=%s)", i, 1 + random_below(9),
                                 random_below(3) ? "A" : "B");
        for (uint32_t e = 0, n_edges = random_below(3); e < n_edges; e++)
            used += (size_t)snprintf(out + used, size - used, "%s n%u", e ? "," : " ->", random_below(n));
        used += (size_t)snprintf(out + used, size - used, ";");
    }
}

static bool is_a(const ubi_graph *g, ubi_node_ix node) {
    return ubi__text_is(ubi__kind_label(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node))), "A");
}

/* Own sizes of all nodes with an A among themselves and their dominators. */
static uint64_t sum_of_dominated(const ubi_graph *g) {
    ubi_view view = ubi_view_of(g);
    ubi_dominators *dominators;
    uint64_t bytes = 0;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(g); node++) {
        ubi_node_ix at = ubi_graph_is_reachable(g, node) ? node : UBI_NONE;
        while (at != UBI_NONE && !is_a(g, at))
            at = ubi_dominators_immediate(dominators, at);
        bytes += at != UBI_NONE ? ubi_graph_node_size_bytes(g, node) : 0;
    }
    ubi_dominators_free(dominators);
    return bytes;
}

static void random_heaps_retain_what_the_definition_says(void **state) {
    (void)state;
    random_start(3);
    for (int i = 0; i < 500; i++) {
        char drawn[4096];
        draw_heap(drawn, sizeof drawn, 1 + random_below(30));
        ubi_graph *graph = graph_from_drawing(drawn);
        if (measure(graph, UBI__QUANTITY_RETAINED, "A") != sum_of_dominated(graph))
            fail_msg("%s", drawn);
        ubi_graph_unref(graph);
    }
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
        cmocka_unit_test(counts_and_bytes_are_those_of_a_census),
        cmocka_unit_test(the_root_counts_when_an_edge_leads_to_it),
        cmocka_unit_test(what_a_label_retains_is_counted_once),
        cmocka_unit_test(wholes_are_what_parts_are_parts_of),
        cmocka_unit_test(random_heaps_retain_what_the_definition_says),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
