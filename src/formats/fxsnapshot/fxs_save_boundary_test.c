/* SPDX-License-Identifier: MIT
 *
 * fxs_save_boundary_test.c: saving a part of a heap with an edge filter: Firefox's rule for compartments (cases 47 to 49 of
 * the format's conformance list) and what any other filter may do.
 *
 * A node's compartment is what follows the colon in its name; "x:" and "x" have none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing.h"
#include "saving.h"

/** Compartment of a node, or NULL. */
static const char *compartment_of(ubi_node node) {
    const char *colon = strchr(drawing_name(node), ':');
    return colon && colon[1] ? colon + 1 : NULL;
}

static char only_c[] = "c", c_and_d[] = "cd";

/** Firefox's rule; `payload` lists the compartments wanted, a letter each. */
static ubi_edge_verdict by_compartment(void *payload, ubi_node origin, ubi_node referent) {
    const char *compartment = compartment_of(referent);
    if (!compartment || strstr(payload, compartment))
        return UBI_EDGE_FOLLOW;
    return compartment_of(origin) ? UBI_EDGE_ABANDON : UBI_EDGE_SKIP;
}

/** "a -> b c; b; c -> a": what was saved, by the names of the drawing. */
static void describe(char *out, size_t size, const ubi_graph *g) {
    FILE *f = fmemopen(out, size, "w");
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(g); n++) {
        ubi_text name = ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, n))->type_name);
        fprintf(f, "%s%.*s", n ? "; " : "", (int)name.len, name.ptr);
        for (ubi_edge_ix e = ubi_graph_first_edge(g, n); e < ubi_graph_first_edge(g, n + 1); e++) {
            ubi_node_ix to = ubi_graph_edge_target(g, e);
            name = ubi_graph_string(g, ubi_graph_kind(g, ubi_graph_node_kind(g, to))->type_name);
            fprintf(f, "%s %.*s", e == ubi_graph_first_edge(g, n) ? " ->" : "", (int)name.len, name.ptr);
        }
    }
    fclose(f);
}

static void assert_saved(const char *text, const char *root, ubi_edge_filter_fn filter, void *payload,
                         const char *expected) {
    drawing *d = drawing_new(text);
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    char saved[512];
    options.edge_filter = filter;
    options.edge_filter_payload = payload;
    ubi_graph *g = walk_round_trip(drawing_node(d, root), &options);
    describe(saved, sizeof saved, g);
    assert_string_equal(saved, expected);
    ubi_graph_unref(g);
    drawing_free(d);
}

/** A node whose type is its name, so that it is in the file. */
#define NODE(name) name "(type=" name ")"

static void case_47_a_node_without_compartment_does_not_lead_out(void **state) {
    (void)state;
    assert_saved(NODE("A:c") " -> B:; " NODE("B:") " -> C:o; " NODE("C:o"), "A:c", by_compartment, only_c,
                 "A:c -> B:; B:");
}

static void case_48_several_compartments_are_one(void **state) {
    (void)state;
    assert_saved(NODE("A:c") " -> B:, C:d; " NODE("B:") " -> D:; " NODE("C:d") "; " NODE("D:"), "A:c", by_compartment,
                 c_and_d, "A:c -> B: C:d; B: -> D:; C:d; D:");
}

static void case_49_a_node_of_another_compartment_is_written_without_edges(void **state) {
    (void)state;
    assert_saved(NODE("A:c") " -> X:o; " NODE("X:o") " -> Y:c; " NODE("Y:c"), "A:c", by_compartment, only_c,
                 "A:c -> X:o; X:o");
}

/** X is skipped from S, which has no compartment, and still comes in through A. */
static void a_skipped_node_can_come_in_by_another_edge(void **state) {
    (void)state;
    assert_saved(NODE("R:") " -> S:, A:c; " NODE("S:") " -> X:o; " NODE("A:c") " -> X:o; " NODE("X:o") " -> A:c",
                 "R:", by_compartment, only_c, "R: -> S: A:c; S:; A:c -> X:o; X:o");
}

/** Edges to x: skipped from `never`, abandoned from `first`, followed from any other. */
static ubi_edge_verdict abandon_from_first(void *payload, ubi_node origin, ubi_node referent) {
    (void)payload;
    if (strcmp(drawing_name(referent), "x") != 0)
        return UBI_EDGE_FOLLOW;
    return strcmp(drawing_name(origin), "first") == 0   ? UBI_EDGE_ABANDON
           : strcmp(drawing_name(origin), "never") == 0 ? UBI_EDGE_SKIP
                                                        : UBI_EDGE_FOLLOW;
}

static void the_first_edge_decides_how_a_node_is_written(void **state) {
    (void)state;
    assert_saved(NODE("r") " -> never, first, second; " NODE("never") " -> x, x; " NODE("first") " -> x; " NODE(
                     "second") " -> x; " NODE("x") " -> y; " NODE("y"),
                 "r", abandon_from_first, NULL, "r -> never first second; never; first -> x; second -> x; x");
    assert_saved(NODE("r") " -> never, second, first; " NODE("never") " -> x; " NODE("first") " -> x; " NODE(
                     "second") " -> x; " NODE("x") " -> y; " NODE("y"),
                 "r", abandon_from_first, NULL, "r -> never second first; never; second -> x; first -> x; x -> y; y");
}

static ubi_edge_verdict abandon_all(void *payload, ubi_node origin, ubi_node referent) {
    (void)origin, (void)referent;
    ++*(unsigned *)payload;
    return UBI_EDGE_ABANDON;
}

static void the_root_is_followed_even_if_an_edge_back_to_it_is_abandoned(void **state) {
    unsigned n = 0;
    (void)state;
    assert_saved(NODE("r") " -> r, a, r; " NODE("a") " -> r", "r", abandon_all, &n, "r -> r a r; a");
    assert_int_equal(n, 3);
}

static ubi_edge_verdict skip_all(void *payload, ubi_node origin, ubi_node referent) {
    (void)payload, (void)origin, (void)referent;
    return UBI_EDGE_SKIP;
}

static void skipping_everything_leaves_the_root(void **state) {
    (void)state;
    assert_saved(NODE("r") " -> r, a; " NODE("a") " -> r", "r", skip_all, NULL, "r");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_47_a_node_without_compartment_does_not_lead_out),
        cmocka_unit_test(case_48_several_compartments_are_one),
        cmocka_unit_test(case_49_a_node_of_another_compartment_is_written_without_edges),
        cmocka_unit_test(a_skipped_node_can_come_in_by_another_edge),
        cmocka_unit_test(the_first_edge_decides_how_a_node_is_written),
        cmocka_unit_test(the_root_is_followed_even_if_an_edge_back_to_it_is_abandoned),
        cmocka_unit_test(skipping_everything_leaves_the_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
