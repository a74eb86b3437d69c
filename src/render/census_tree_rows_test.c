/* SPDX-License-Identifier: MIT
 *
 * census_tree_rows_test.c: the orders of a census tree's rows are those that comparing all of what they are sorted by gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "render/census_tree_rows.h"

/* Names that differ in their first bytes, after these, and in length alone. */
#define HEAP                                                                                                           \
    "r -> a, b, c, d, e, f, g, h;"                                                                                     \
    "a(coarse=object class=abcdefghijklmnop size=1); b(coarse=object class=abcdefghijklmnopq size=2);"                 \
    "c(coarse=object class=abcdefghijklmnoq size=2); d(coarse=object class=b size=4);"                                 \
    "e(coarse=object class=abcdefgh size=2); f(coarse=object class=abcdefghijklmnopA size=9);"                         \
    "g(coarse=object class=\xc3\xa9 size=3); h(coarse=object class=abcdefghi size=2)"

typedef struct shown {
    ubi_graph *graph;
    ubi_census *census;
    ubi_census_tree *tree;
    ubi_census_node root;
} shown;

static shown shown_of(void) {
    shown s = { .graph = graph_from_drawing(HEAP) };
    ubi_breakdown *breakdown = must_parse_breakdown("{\"by\":\"objectClass\"}", UBI_COMPAT_NONE);
    assert_int_equal(ubi_census_take(&s.census, s.graph, breakdown, NULL), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&s.tree, s.census, NULL), UBI_OK);
    ubi_census_tree_node(s.tree, ubi_census_tree_root(s.tree), &s.root);
    assert_int_equal(s.root.n_children, 8);
    ubi_breakdown_unref(breakdown);
    return s;
}

static void shown_free(shown *s) {
    ubi_census_tree_free(s->tree);
    ubi_census_free(s->census);
    ubi_graph_unref(s->graph);
}

/* Below 0: a must come before b. */
static int compare(const ubi_census_tree *tree, ubi__census_order order, ubi_census_node_ix a, ubi_census_node_ix b) {
    ubi_census_node x, y;
    ubi_census_tree_node(tree, a, &x);
    ubi_census_tree_node(tree, b, &y);
    int64_t bytes[] = { x.bytes, y.bytes };
    int by = order.key == UBI__CENSUS_ORDER_NAME ? ubi__text_compare(x.name, y.name)
                                                 : (bytes[0] > bytes[1]) - (bytes[0] < bytes[1]);
    by = order.is_ascending ? by : -by;
    return by ? by : (a > b) - (a < b); /* equal ones stand as in the tree */
}

static void rows_come_in_order(void **state) {
    static const ubi__census_order_key keys[] = { UBI__CENSUS_ORDER_BYTES, UBI__CENSUS_ORDER_NAME };
    shown s = shown_of();
    (void)state;
    for (int i = 0; i < 4; i++) {
        ubi__census_order order = { keys[i / 2], i % 2 };
        ubi_census_node_ix sorted[8];
        assert_int_equal(ubi__census_rows_sort(sorted, s.tree, 0, order, ubi_allocator_default()), UBI_OK);
        for (int at = 1; at < 8; at++)
            assert_true(compare(s.tree, order, sorted[at - 1], sorted[at]) < 0);
    }
    shown_free(&s);
}

static ubi_status sort(void *tree, const ubi_allocator *allocator) {
    ubi__census_order order = { UBI__CENSUS_ORDER_NAME, true };
    ubi_census_node_ix sorted[8];
    return ubi__census_rows_sort(sorted, tree, 0, order, allocator);
}

static void memory_may_be_refused(void **state) {
    shown s = shown_of();
    (void)state;
    assert_true(fail_each_allocation(sort, s.tree) > 0);
    shown_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_in_order),
        cmocka_unit_test(memory_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
