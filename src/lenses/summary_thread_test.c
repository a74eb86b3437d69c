/* SPDX-License-Identifier: MIT
 *
 * summary_thread_test.c: summaries of drawn heaps, checked by hand; limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/views/summary.h>

#include "base/text.h"
#include "drawing.h"
#include "graph_maker.h"

/* ---- rows as text ------------------------------------------------------------------------------------------------ */

/* "class count distance size[retained]; ...", in the order of the summary. */
static char *rows_of(const ubi_summary *s, const ubi_look *look) {
    static char text[4096];
    size_t n = 0;
    *text = 0;
    for (uint32_t i = 0; i < ubi_summary_row_count(s); i++) {
        const ubi_summary_row *row = ubi_summary_row_at(s, i);
        ubi_look_class class;
        ubi_look_class_get(look, row->class_ix, &class);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s %u %d %llu[%llu]", i ? "; " : "", (int)class.name.len,
                              class.name.ptr, row->count, (int)row->distance, (unsigned long long)row->size_bytes,
                              (unsigned long long)row->retained_bytes);
    }
    return text;
}

static void assert_summary(const char *drawn, const char *expected) {
    ubi_graph *g = graph_from_drawing(drawn);
    ubi_look *look;
    ubi_summary *s;
    assert_int_equal(ubi_look_open(&look, NULL, g, NULL), UBI_OK);
    assert_int_equal(ubi_summary_new(&s, look, NULL, NULL), UBI_OK);
    assert_string_equal(rows_of(s, look), expected);
    ubi_summary_free(s);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void a_row_has_count_distance_size_and_what_the_class_keeps(void **state) {
    (void)state;
    assert_summary("root(type=R) -> a, b; a(type=A size=10) -> c; b(type=A size=20); c(type=C size=5)",
                   "R 1 0 1[36]; A 2 1 30[35]; C 1 2 5[5]");
}

static void what_holds_others_of_its_class_counts_once(void **state) {
    (void)state;
    assert_summary("root(type=R) -> a; a(type=N size=10) -> b; b(type=X size=1) -> c; c(type=N size=10) -> d;"
                   "d(type=N size=10)",
                   "R 1 0 1[32]; N 3 1 30[31]; X 1 2 1[21]");
}

static void a_class_is_closed_again_behind_its_node(void **state) {
    (void)state;
    assert_summary("root(type=R) -> a, b; a(type=N size=10) -> c; b(type=N size=20) -> d; c(type=N size=1); d(type=M)",
                   "R 1 0 1[33]; N 3 1 31[32]; M 1 2 1[1]");
}

static void nodes_without_a_size_are_left_out_and_hide_nothing(void **state) {
    (void)state;
    assert_summary("root(type=R size=0) -> a; a(type=N size=0) -> b; b(type=N size=7)", "N 1 2 7[7]");
    assert_summary("root(size=0)", "");
}

static void what_the_view_does_not_reach_is_left_out(void **state) {
    (void)state;
    assert_summary("root(type=R) -> a; a(type=A); lost(type=A size=100) -> a", "R 1 0 1[2]; A 1 1 1[1]");
}

static void equal_rows_are_in_the_order_of_their_names(void **state) {
    (void)state;
    assert_summary("root(type=R) -> a, b, c; a(type=Z size=4); b(type=Ab size=4); c(type=A size=4)",
                   "R 1 0 1[13]; A 1 1 4[4]; Ab 1 1 4[4]; Z 1 1 4[4]");
}

/* ---- other orders, and nodes ------------------------------------------------------------------------------------- */

#define DRAWN                                                                                                          \
    "root(type=R size=0) -> a, b, c, d; a(type=B size=6 id=30); b(type=B size=6 id=20) -> e; c(type=A size=9 id=10);"  \
    "d(type=B size=50 id=40); e(type=C size=1 id=50)"

typedef struct drawn {
    ubi_graph *graph;
    ubi_look *look;
    ubi_summary *summary;
} drawn;

static drawn draw(const char *text) {
    drawn d = { .graph = graph_from_drawing(text) };
    assert_int_equal(ubi_look_open(&d.look, NULL, d.graph, NULL), UBI_OK);
    assert_int_equal(ubi_summary_new(&d.summary, d.look, NULL, NULL), UBI_OK);
    return d;
}

static void drawn_free(drawn *d) {
    ubi_summary_free(d->summary);
    ubi_look_close(d->look);
    ubi_graph_unref(d->graph);
}

static void assert_order(const drawn *d, ubi_summary_key key, const char *expected) {
    char text[16] = "";
    uint32_t order[8];
    assert_int_equal(ubi_summary_sorted(order, d->summary, key), UBI_OK);
    for (uint32_t i = 0; i < ubi_summary_row_count(d->summary); i++) {
        ubi_look_class class;
        ubi_look_class_get(d->look, ubi_summary_row_at(d->summary, order[i])->class_ix, &class);
        strncat(text, class.name.ptr, class.name.len);
    }
    assert_string_equal(text, expected);
}

static void rows_can_be_sorted(void **state) {
    (void)state;
    drawn d = draw(DRAWN);
    assert_order(&d, UBI_SUMMARY_BY_RETAINED, "BAC");
    assert_order(&d, UBI_SUMMARY_BY_SIZE, "BAC");
    assert_order(&d, UBI_SUMMARY_BY_COUNT, "BAC");
    assert_order(&d, UBI_SUMMARY_BY_DISTANCE, "BAC");
    assert_order(&d, UBI_SUMMARY_BY_NAME, "ABC");
    drawn_free(&d);
    d = draw("root(size=0) -> a; a(type=A size=1) -> b; b(type=B size=9)");
    assert_order(&d, UBI_SUMMARY_BY_SIZE, "BA");
    assert_order(&d, UBI_SUMMARY_BY_DISTANCE, "AB");
    drawn_free(&d);
}

static void assert_members(const drawn *d, const char *class_name, uint32_t max, const char *expected) {
    char text[64] = "";
    ubi_node_ix nodes[8];
    uint32_t n = 99;
    ubi_class_ix class_ix = 0;
    for (ubi_look_class class; class_ix < ubi_look_class_count(d->look); class_ix++) {
        ubi_look_class_get(d->look, class_ix, &class);
        if (ubi__text_is(class.name, class_name))
            break;
    }
    assert_int_equal(ubi_summary_members(nodes, &n, d->summary, class_ix, max), UBI_OK);
    for (uint32_t i = 0; i < n; i++)
        sprintf(text + strlen(text), "%s%d", i ? " " : "", (int)ubi_graph_node_id(d->graph, nodes[i]));
    assert_string_equal(text, expected);
}

static void nodes_of_a_class_come_by_what_they_retain_then_by_id(void **state) {
    (void)state;
    drawn d = draw(DRAWN);
    assert_members(&d, "B", 8, "40 20 30");
    assert_members(&d, "B", 3, "40 20 30");
    assert_members(&d, "B", 2, "40 20");
    assert_members(&d, "B", 1, "40");
    assert_members(&d, "B", 0, "");
    assert_members(&d, "R", 8, ""); /* its node has no size */
    drawn_free(&d);
}

static void rows_are_found_by_class(void **state) {
    (void)state;
    drawn d = draw(DRAWN);
    const ubi_summary_row *row = ubi_summary_row_at(d.summary, 1);
    assert_ptr_equal(ubi_summary_find(d.summary, row->class_ix), row);
    assert_null(ubi_summary_find(d.summary, ubi_look_class_of(d.look, ubi_graph_root(d.graph))));
    assert_int_equal(ubi_graph_node_id(d.graph, row->first), 10);
    assert_int_equal(ubi_summary_node_count(d.summary), 5);
    assert_int_equal(ubi_summary_size_bytes(d.summary), 72);
    assert_false(ubi_summary_counts(d.summary, ubi_graph_root(d.graph)));
    assert_true(ubi_summary_counts(d.summary, row->first));
    drawn_free(&d);
    ubi_summary_free(NULL);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void a_list_of_a_million_nodes_counts_once(void **state) {
    (void)state;
    const uint32_t n = 1000000;
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < n; i++) {
        graph_maker_node(&m, i, 1);
        if (i + 1 < n)
            graph_maker_edge(&m, i + 1);
    }
    drawn d = { .graph = graph_maker_finish(&m) };
    assert_int_equal(ubi_look_open(&d.look, NULL, d.graph, NULL), UBI_OK);
    assert_int_equal(ubi_summary_new(&d.summary, d.look, NULL, NULL), UBI_OK);
    assert_string_equal(rows_of(d.summary, d.look), "T 1000000 0 1000000[1000000]");
    drawn_free(&d);
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    drawn d = draw(DRAWN), other = draw(DRAWN);
    ubi_dominators *without_sets;
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_summary_options wrong = UBI_SUMMARY_OPTIONS_INIT;
    ubi_summary *s = NULL;
    options.has_no_sets = true;
    wrong.version = 99;
    assert_int_equal(ubi_dominators_new(&without_sets, ubi_look_view(d.look), &options), UBI_OK);
    assert_int_equal(ubi_summary_new(&s, d.look, without_sets, NULL), UBI_EINVAL);
    assert_int_equal(ubi_summary_new(&s, d.look, NULL, &wrong), UBI_EINVAL);
    assert_int_equal(ubi_summary_new(&s, d.look, ubi_summary_dominators(other.summary), NULL), UBI_EMISMATCH);
    assert_null(s);
    ubi_dominators_free(without_sets);
    drawn_free(&d);
    drawn_free(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_count_distance_size_and_what_the_class_keeps),
        cmocka_unit_test(what_holds_others_of_its_class_counts_once),
        cmocka_unit_test(a_class_is_closed_again_behind_its_node),
        cmocka_unit_test(nodes_without_a_size_are_left_out_and_hide_nothing),
        cmocka_unit_test(what_the_view_does_not_reach_is_left_out),
        cmocka_unit_test(equal_rows_are_in_the_order_of_their_names),
        cmocka_unit_test(rows_can_be_sorted),
        cmocka_unit_test(nodes_of_a_class_come_by_what_they_retain_then_by_id),
        cmocka_unit_test(rows_are_found_by_class),
        cmocka_unit_test(a_list_of_a_million_nodes_counts_once),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
