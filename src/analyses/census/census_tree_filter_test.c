/* SPDX-License-Identifier: MIT
 *
 * Tests of what a filter leaves of a census tree, against a slow and obvious implementation, on trees of random heaps; with memory that is
 * refused, and cancelled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/census/finished_census_tree.h"
#include "base/text.h"
#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "random_heap.h"

/* ---- the slow filter --------------------------------------------------------------------------------------------- */

typedef struct slow {
    const ubi_census_tree *whole;
    ubi_text wanted;
    uint32_t next_id;
    uint32_t *ids; /* of each row of the whole tree; 0: it is left out */
} slow;

static ubi_census_node node_of(const ubi_census_tree *tree, ubi_census_node_ix row) {
    ubi_census_node node;
    ubi_census_tree_node(tree, row, &node);
    return node;
}

static bool has_match(const slow *s, ubi_census_node_ix row) {
    ubi_census_node node = node_of(s->whole, row);
    ubi_frame frame;
    if (row == ubi_census_tree_root(s->whole) || node.name_type == UBI_CENSUS_NAME_NULL)
        return false;
    if (node.name_type == UBI_CENSUS_NAME_TEXT)
        return node.name.len && ubi__text_contains(node.name, s->wanted);
    ubi_stack_frame(node.frame, &frame);
    return ubi__text_contains(frame.function_name, s->wanted) || ubi__text_contains(frame.source, s->wanted);
}

static bool has_match_below(const slow *s, ubi_census_node_ix row) {
    ubi_census_node node = node_of(s->whole, row);
    bool is_found = has_match(s, row);
    for (uint32_t i = 0; !is_found && i < node.n_children; i++)
        is_found = has_match_below(s, node.children[i]);
    return is_found;
}

static int compare_ids(const void *a, const void *b) {
    const ubi_census_node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Numbers what is left, depth-first: of an inverted tree in the order in which rows were made, else as they stand. */
static void number_below(slow *s, ubi_census_node_ix row, bool is_below_match) {
    ubi_census_node node = node_of(s->whole, row), *children = calloc(node.n_children + 1, sizeof *children);
    if (row != ubi_census_tree_root(s->whole) && !is_below_match && !has_match_below(s, row)) {
        free(children);
        return;
    }
    s->ids[row] = s->next_id++;
    for (uint32_t i = 0; i < node.n_children; i++)
        children[i] = node_of(s->whole, node.children[i]);
    if (s->whole->is_inverted)
        qsort(children, node.n_children, sizeof *children, compare_ids);
    for (uint32_t i = 0; i < node.n_children; i++) {
        ubi_census_node_ix child;
        assert_true(ubi_census_tree_find(&child, s->whole, children[i].id));
        number_below(s, child, is_below_match || has_match(s, child));
    }
    free(children);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void assert_same_numbers(const ubi_census_node *row, const ubi_census_node *expected) {
    assert_int_equal(row->name_type, expected->name_type);
    assert_ptr_equal(row->name.ptr, expected->name.ptr);
    assert_int_equal(row->frame.ref, expected->frame.ref);
    assert_int_equal(row->bytes, expected->bytes);
    assert_int_equal(row->total_bytes, expected->total_bytes);
    assert_int_equal(row->count, expected->count);
    assert_int_equal(row->total_count, expected->total_count);
}

static void assert_row(const slow *s, const ubi_census_tree *filtered, ubi_census_node_ix at,
                       ubi_census_node_ix source) {
    ubi_census_node row = node_of(filtered, at), expected = node_of(s->whole, source);
    ubi_census_node_ix found;
    uint32_t n = 0;
    bool is_root = source == ubi_census_tree_root(s->whole);
    assert_same_numbers(&row, &expected);
    assert_int_equal(row.id, s->ids[source]);
    assert_true(ubi_census_tree_find(&found, filtered, row.id));
    assert_int_equal(found, at);
    assert_int_equal(ubi__filtered_source(filtered, at), source);
    assert_int_equal(row.n_leaf_indices, is_root ? 0 : expected.n_leaf_indices);
    for (uint32_t i = 0; i < row.n_leaf_indices; i++)
        assert_int_equal(row.leaf_indices[i], expected.leaf_indices[i]);
    for (uint32_t i = 0; i < expected.n_children; i++) {
        if (!s->ids[expected.children[i]])
            continue;
        assert_true(n < row.n_children);
        assert_int_equal(node_of(filtered, row.children[n]).parent, row.id);
        assert_row(s, filtered, row.children[n++], expected.children[i]);
    }
    assert_int_equal(n, row.n_children);
    assert_int_equal(row.has_children, n > 0);
}

static void assert_filter(const ubi_census_tree *whole, const char *wanted) {
    slow s = { .whole = whole, .wanted = ubi__text(wanted), .next_id = (uint32_t)whole->by_id.n + 1 };
    ubi_census_tree *filtered;
    ubi_census_node_ix none;
    s.ids = calloc(whole->rows.n, sizeof *s.ids);
    number_below(&s, ubi_census_tree_root(whole), false);
    assert_int_equal(ubi__census_tree_filter(&filtered, whole, s.wanted, NULL, ubi_allocator_default()), UBI_OK);
    assert_int_equal(node_of(filtered, ubi_census_tree_root(filtered)).parent, 0);
    assert_row(&s, filtered, ubi_census_tree_root(filtered), ubi_census_tree_root(whole));
    assert_false(ubi_census_tree_find(&none, filtered, 0));
    assert_false(ubi_census_tree_find(&none, filtered, 1));
    assert_false(ubi_census_tree_find(&none, filtered, s.next_id));
    ubi_census_tree_free(filtered);
    free(s.ids);
}

/* A tree, and the census that it is of. */
typedef struct counted {
    ubi_census *census;
    ubi_census_tree *tree;
} counted;

static counted counted_of(const ubi_graph *graph, const char *json, bool is_inverted) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_breakdown *breakdown = must_parse_breakdown(json, UBI_COMPAT_NONE);
    counted c;
    options.is_inverted = is_inverted;
    assert_int_equal(ubi_census_take(&c.census, graph, breakdown, NULL), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&c.tree, c.census, &options), UBI_OK);
    ubi_breakdown_unref(breakdown);
    return c;
}

static void counted_free(counted *c) {
    ubi_census_tree_free(c->tree);
    ubi_census_free(c->census);
}

static void what_is_left_is_what_the_slow_one_leaves(void **state) {
    static const char *const words[] = { "",  "o",  "other", "objects", "A",    "3",   "1",
                                         "_", "no", "[1]",   "domNode", "null", "\xa9" };
    (void)state;
    for (unsigned round = 0; round < random_cases(2000); round++) {
        random_start(round);
        ubi_graph *graph = random_heap();
        char *json = random_breakdown_json(random_breakdown_new(1 + random_below(4), true));
        counted c = counted_of(graph, json, random_below(2));
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            assert_filter(c.tree, words[i]);
        counted_free(&c);
        free(json);
        ubi_graph_unref(graph);
    }
}

/* ---- frames that share a long text ------------------------------------------------------------------------------- */

static void a_long_text_that_many_names_share_is_found_in_each(void **state) {
    static char text[5000];
    ubi__name_filter has = { .wanted = ubi__text("end") }, has_not = { .wanted = ubi__text("start") };
    ubi__tree_name name = { .type = UBI_CENSUS_NAME_TEXT, .text = { text, sizeof text - 1 } };
    (void)state;
    memset(text, 'x', sizeof text - 1);
    memcpy(text + sizeof text - 4, "end", 3);
    for (int i = 0; i < 3; i++) {
        assert_true(ubi__name_filter_finds(&has, &name));
        assert_false(ubi__name_filter_finds(&has_not, &name));
    }
    name.text.len -= 1; /* another text at the same place */
    assert_false(ubi__name_filter_finds(&has, &name));
}

/* ---- refused memory, cancelled ----------------------------------------------------------------------------------- */

#define HEAP "r -> a, b, c; a(coarse=object class=A size=10); b(coarse=object class=B size=20); c(coarse=string size=5)"

static ubi_status filter(void *whole, const ubi_allocator *allocator) {
    ubi_census_tree *filtered;
    UBI_TRY(ubi__census_tree_filter(&filtered, whole, ubi__text("A"), NULL, allocator));
    ubi_census_tree_free(filtered);
    return UBI_OK;
}

static ubi_status order(void *filtered, const ubi_allocator *allocator) {
    ubi_census_node_ix sorted[1];
    const ubi_census_node_ix whole_order[] = { 2, 1 };
    UBI_TRY(ubi__filtered_children_in_order(sorted, filtered, 0, whole_order, allocator));
    assert_int_equal(sorted[0], 1);
    return UBI_OK;
}

static void memory_may_be_refused(void **state) {
    ubi_graph *graph = graph_from_drawing(HEAP);
    counted c = counted_of(graph, "{\"by\":\"coarseType\",\"objects\":{\"by\":\"objectClass\"}}", false);
    ubi_census_tree *whole = c.tree, *filtered;
    (void)state;
    assert_true(fail_each_allocation(filter, whole) > 0);
    assert_int_equal(ubi__census_tree_filter(&filtered, whole, ubi__text("A"), NULL, ubi_allocator_default()), UBI_OK);
    assert_int_equal(node_of(whole, 0).n_children, 2);
    assert_int_equal(node_of(filtered, 0).n_children, 1);
    assert_true(fail_each_allocation(order, filtered) > 0);
    ubi_census_tree_free(filtered);
    counted_free(&c);
    ubi_graph_unref(graph);
}

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    int *left = payload;
    assert_string_equal(stage, "filtering");
    assert_true(done <= total);
    return (*left)-- > 0;
}

static void a_filter_can_be_cancelled(void **state) {
    ubi_graph *graph = graph_from_drawing(HEAP);
    counted c = counted_of(graph, "{\"by\":\"objectClass\"}", false);
    ubi_census_tree *filtered = NULL;
    ubi_status status = UBI_ECANCELLED;
    int n = 0;
    (void)state;
    for (; status == UBI_ECANCELLED; n++) {
        int left = n;
        ubi_progress progress = { count_down, &left };
        status = ubi__census_tree_filter(&filtered, c.tree, ubi__text("A"), &progress, ubi_allocator_default());
    }
    assert_int_equal(status, UBI_OK);
    assert_true(n > 1); /* it was asked */
    ubi_census_tree_free(filtered);
    counted_free(&c);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_what_the_slow_one_leaves),
        cmocka_unit_test(a_long_text_that_many_names_share_is_found_in_each),
        cmocka_unit_test(memory_may_be_refused),
        cmocka_unit_test(a_filter_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
