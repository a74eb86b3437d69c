/* SPDX-License-Identifier: MIT
 *
 * heap_facts_test.c: single numbers of small drawn heaps, and of random ones against the definition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/heap_facts.h"
#include "drawing.h"
#include "lenses/kind_label.h"
#include "random_numbers.h"

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
        cmocka_unit_test(counts_and_bytes_are_those_of_a_census),
        cmocka_unit_test(the_root_counts_when_an_edge_leads_to_it),
        cmocka_unit_test(what_a_label_retains_is_counted_once),
        cmocka_unit_test(wholes_are_what_parts_are_parts_of),
        cmocka_unit_test(random_heaps_retain_what_the_definition_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
