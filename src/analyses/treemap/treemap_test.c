/* SPDX-License-Identifier: MIT
 *
 * Tests of tree maps of censuses and dominators: what the boxes stand for. That a real heap has the boxes which d3 makes of
 * Firefox's own census tree is shown by tests/cli/treemap_pictures_test.py.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/treemap.h>

#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph_maker.h"

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static ubi_census *census; /* of the tree at hand, which borrows from it */

static ubi_census_tree *tree_of(const ubi_graph *graph, const char *json, bool invert) {
    ubi_breakdown *breakdown = must_parse_breakdown(json, UBI_COMPAT_NONE);
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.is_inverted = invert;
    assert_int_equal(ubi_census_take(&census, graph, breakdown, NULL), UBI_OK);
    assert_int_equal(ubi_census_tree_new(&tree, census, &options), UBI_OK);
    ubi_breakdown_unref(breakdown);
    return tree;
}

static void free_tree(ubi_census_tree *tree) {
    ubi_census_tree_free(tree);
    ubi_census_free(census);
}

static size_t write_name(char *out, size_t room, const ubi_treemap_row *row) {
    static const char *const types[] = { "row", "node", "own", "rest" };
    ubi_frame frame;
    if (row->name_type == UBI_CENSUS_NAME_TEXT)
        return (size_t)snprintf(out, room, "%.*s", (int)row->name.len, row->name.ptr);
    if (row->name_type == UBI_CENSUS_NAME_NULL)
        return (size_t)snprintf(out, room, "(%s)", types[row->type]);
    ubi_stack_frame(row->frame, &frame);
    return (size_t)snprintf(out, room, "%.*s", (int)frame.function_name.len, frame.function_name.ptr);
}

/* Rows in order: "parent>name weight color-initial", the weight being that of the box. */
static const char *map_text(const ubi_treemap *map) {
    static char text[4096];
    size_t n = 0;
    ubi_treemap_row row;
    for (uint32_t i = 0; i < ubi_treemap_row_count(map); i++) {
        ubi_treemap_get(map, i, &row);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d>", i ? " " : "", (int)row.parent);
        n += write_name(text + n, sizeof text - n, &row);
        n += (size_t)snprintf(text + n, sizeof text - n, ":%llu%.2s", (unsigned long long)row.box.weight,
                              ubi_treemap_color_name(row.color));
    }
    return text;
}

static void check_census_map(const ubi_graph *graph, const char *json, bool invert, const ubi_treemap_options *options,
                             const char *expected) {
    ubi_census_tree *tree = tree_of(graph, json, invert);
    ubi_treemap *map;
    assert_int_equal(ubi_treemap_of_census(&map, tree, options), UBI_OK);
    assert_string_equal(map_text(map), expected);
    ubi_treemap_free(map);
    free_tree(tree);
}

/* ---- censuses ---------------------------------------------------------------------------------------------------- */

#define TYPES                                                                                                          \
    "root(coarse=other size=1) -> a, b, s, t, d;"                                                                      \
    "a(coarse=object class=Array size=50); b(coarse=object class=strings size=30);"                                    \
    "s(coarse=string size=7); t(coarse=script file=x.js size=3); d(coarse=dom desc=DIV size=11)"

static const char *preset(const char *name) {
    return ubi_breakdown_preset_find(name)->json;
}

static void boxes_are_the_rows_of_the_census_tree_level_by_level(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(TYPES);
    check_census_map(g, preset("treeMap"), false, NULL,
                     "-1>(row):101ot 0>objects:80ob 0>domNode:11do 0>strings:7st 0>scripts:3sc 1>Array:50ob "
                     "1>strings:30st 2>DIV:11do 4>x.js:3sc 8>T:3sc");
    ubi_graph_unref(g);
}

static void areas_can_be_counts(void **state) {
    (void)state;
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_graph *g = graph_from_drawing("root -> a, b, c; a(class=A size=9); b(class=B); c(class=B)");
    o.measure = UBI_TREEMAP_COUNT;
    check_census_map(g, "{\"by\":\"objectClass\"}", false, &o, "-1>(row):3ot 0>A:1ot 0>B:2ot");
    ubi_graph_unref(g);
}

static void levels_below_the_limit_have_no_boxes_but_count(void **state) {
    (void)state;
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_graph *g = graph_from_drawing(TYPES);
    ubi_census_tree *tree = tree_of(g, preset("treeMap"), false);
    ubi_treemap *map;
    ubi_treemap_row row;
    o.max_depth = 1;
    assert_int_equal(ubi_treemap_of_census(&map, tree, &o), UBI_OK);
    assert_string_equal(map_text(map), "-1>(row):101ot 0>objects:80ob 0>domNode:11do 0>strings:7st 0>scripts:3sc");
    ubi_treemap_get(map, 0, &row);
    assert_true(row.has_children);
    ubi_treemap_get(map, 1, &row);
    assert_false(row.has_children);
    assert_int_equal(row.bytes, 80);
    assert_int_equal(row.count, 2);
    ubi_treemap_free(map);
    free_tree(tree);
    ubi_graph_unref(g);
}

static void the_first_rows_below_one_can_be_left_out(void **state) {
    (void)state;
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_graph *g = graph_from_drawing(TYPES);
    ubi_census_tree *tree = tree_of(g, preset("treeMap"), false);
    static const char *const expected[] = { "-1>(row):21ot 0>domNode:11do 0>strings:7st 0>scripts:3sc 1>DIV:11do "
                                            "3>x.js:3sc 5>T:3sc",
                                            "-1>(row):0ot" };
    o.with_own_boxes = true;
    for (uint32_t i = 0; i < 2; i++) {
        ubi_treemap *map;
        uint32_t n_left_out = i == 0 ? 1 : 100;
        assert_int_equal(ubi_treemap_of_census_row(&map, tree, ubi_census_tree_root(tree), n_left_out, 0, &o), UBI_OK);
        assert_string_equal(map_text(map), expected[i]);
        ubi_treemap_free(map);
    }
    free_tree(tree);
    ubi_graph_unref(g);
}

#define STACKS "root -> a, b; a(size=10 stack=main@a.js:1:1); b(size=5 stack=f@a.js:2:2<main@a.js:1:1)"
#define BY_STACK "{\"by\":\"allocationStack\"}"

static void what_a_function_itself_allocates_is_lost_as_in_firefox_or_a_box_of_its_own(void **state) {
    (void)state;
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_graph *g = graph_from_drawing(STACKS);
    check_census_map(g, BY_STACK, false, &o, "-1>(row):5ot 0>main:5ot 1>f:5ot");
    o.with_own_boxes = true;
    check_census_map(g, BY_STACK, false, &o, "-1>(row):15ot 0>main:15ot 1>f:5ot 1>(own):10ot");
    ubi_graph_unref(g);
}

static void inverted_paths_end_without_a_box_for_the_old_root(void **state) {
    (void)state;
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_graph *g = graph_from_drawing(STACKS);
    o.with_own_boxes = true;
    check_census_map(g, BY_STACK, true, &o, "-1>(row):15ot 0>main:10ot 0>f:5ot 2>main:5ot");
    o.with_own_boxes = false;
    check_census_map(g, BY_STACK, true, &o, "-1>(row):15ot 0>main:10ot 0>f:5ot 1>(row):10ot 2>main:5ot 4>(row):5ot");
    ubi_graph_unref(g);
}

static void an_empty_heap_is_a_map_without_area(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(size=5)");
    ubi_census_tree *tree = tree_of(g, preset("treeMap"), false);
    ubi_treemap *map;
    ubi_treemap_row row;
    assert_int_equal(ubi_treemap_of_census(&map, tree, NULL), UBI_OK);
    assert_int_equal(ubi_treemap_row_count(map), 1);
    ubi_treemap_get(map, 0, &row);
    assert_true(row.box.width == 0 && row.box.height == 0 && row.parent == UBI_NONE);
    ubi_treemap_free(map);
    free_tree(tree);
    ubi_graph_unref(g);
}

/* ---- colours ----------------------------------------------------------------------------------------------------- */

static void colours_are_firefoxs(void **state) {
    (void)state;
    static const struct {
        ubi_treemap_color color;
        uint32_t depth;
        double hue, lightness;
    } cases[] = {
        { UBI_TREEMAP_COLOR_OBJECTS, 1, 0.5, 0.8 },
        { UBI_TREEMAP_COLOR_OTHER, 2, 0.5 + 1 / 15.0, 0.7 },
        { UBI_TREEMAP_COLOR_STRINGS, 1, 0.5 + 2 / 15.0, 0.8 },
        { UBI_TREEMAP_COLOR_SCRIPTS, 4, 0.5 + 3 / 15.0, 0.5 },
        { UBI_TREEMAP_COLOR_DOM_NODE, 9, 0.5 + 4 / 15.0, 0 },
        { UBI_TREEMAP_COLOR_DOM_NODE, 400, 0.5 + 4 / 15.0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double hsl[3];
        ubi_treemap_firefox_color(hsl, cases[i].color, cases[i].depth);
        assert_true(fabs(hsl[0] - cases[i].hue) < 1e-12 && hsl[1] == 0.6);
        assert_true(fabs(hsl[2] - cases[i].lightness) < 1e-12);
    }
}

/* ---- dominators -------------------------------------------------------------------------------------------------- */

static ubi_text class_or_type(const void *graph, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node));
    return ubi_graph_string(graph, kind->class_name != UBI_NONE ? kind->class_name : kind->type_name);
}

static ubi_treemap *keepers_map(ubi_graph *g, double least_area, const ubi_treemap_options *options) {
    ubi_view view = ubi_view_of(g);
    ubi_dominators *dominators;
    ubi_treemap *map;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    assert_int_equal(ubi_treemap_of_dominators(&map, dominators, g, NULL, least_area, class_or_type, g, options),
                     UBI_OK);
    ubi_dominators_free(dominators);
    return map;
}

static void a_keepers_box_holds_what_it_dominates_and_itself(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(size=10 type=Root) -> a, s; a(class=A coarse=object size=20) -> b, c;"
                                      "b(coarse=string class=B size=30); c(class=C size=40); s(class=S size=5)");
    ubi_treemap *map = keepers_map(g, 0, NULL);
    assert_string_equal(map_text(map), "-1>Root:105ot 0>A:90ob 0>S:5ot 0>(own):10ot 1>B:30st 1>C:40ot 1>(own):20ob");
    ubi_treemap_row row;
    ubi_treemap_get(map, 1, &row);
    assert_int_equal(row.node, 1);
    assert_int_equal(row.node_id, 2);
    assert_int_equal(row.count, 2);
    ubi_treemap_free(map);
    ubi_graph_unref(g);
}

static void keepers_too_small_for_a_box_share_one_with_others_of_their_type(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root(size=40) -> a, b, c, d; a(class=A size=50); b(size=4);"
                                      "c(size=5); d(size=1 coarse=string)");
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    o.width = o.height = 10; /* a square pixel per byte */
    ubi_treemap *map = keepers_map(g, 6, &o);
    ubi_treemap_row row;
    assert_string_equal(map_text(map), "-1>T:100ot 0>A:50ot 0>(own):40ot 0>(rest):9ot 0>(rest):1st");
    ubi_treemap_get(map, 3, &row);
    assert_int_equal(row.count, 2);
    assert_int_equal(row.node, UBI_NONE);
    ubi_treemap_free(map);
    ubi_graph_unref(g);
}

static ubi_graph *chain(uint32_t n) {
    graph_maker m = graph_maker_start();
    for (uint32_t i = 1; i <= n; i++) {
        graph_maker_node(&m, i, 1);
        if (i < n)
            graph_maker_edge(&m, i + 1);
    }
    return graph_maker_finish(&m);
}

static void a_long_chain_of_keepers_ends_after_64_levels(void **state) {
    (void)state;
    ubi_graph *g = chain(100000);
    ubi_treemap *map = keepers_map(g, 1, NULL);
    ubi_treemap_row row;
    uint32_t n = ubi_treemap_row_count(map);
    assert_in_range(n, 65, 130);
    ubi_treemap_get(map, n - 1, &row);
    assert_int_equal(row.box.depth, 64);
    ubi_treemap_get(map, 0, &row);
    assert_int_equal(row.box.weight, 100000);
    ubi_treemap_free(map);
    ubi_graph_unref(g);
}

static void assert_keepers_refused(ubi_graph *g, bool without_sets, ubi_treemap_measure measure, double least_area,
                                   const char *why) {
    ubi_view view = ubi_view_of(g);
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
    ubi_dominators *dominators;
    ubi_treemap *map;
    options.has_no_sets = without_sets;
    o.measure = measure;
    assert_int_equal(ubi_dominators_new(&dominators, &view, &options), UBI_OK);
    assert_int_equal(ubi_treemap_of_dominators(&map, dominators, g, NULL, least_area, class_or_type, g, &o),
                     UBI_EINVAL);
    assert_string_equal(ubi_error_message(), why);
    ubi_dominators_free(dominators);
}

static void what_makes_no_map_of_keepers_is_refused(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("root -> a; a");
    assert_keepers_refused(g, true, UBI_TREEMAP_BYTES, 0, "a tree map needs dominators with dominated sets");
    assert_keepers_refused(g, false, UBI_TREEMAP_COUNT, 0, "a tree map of dominators weighs bytes only");
    assert_keepers_refused(g, false, UBI_TREEMAP_BYTES, NAN, "boxes of at least nan square pixels, expected 0 or more");
    ubi_graph_unref(g);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void every_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(TYPES);
    ubi_view view = ubi_view_of(g);
    ubi_census_tree *tree = tree_of(g, preset("treeMap"), false);
    ubi_dominators *dominators;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    for (int keepers = 0; keepers < 2; keepers++)
        for (uint64_t n = 0;; n++) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            ubi_treemap_options o = UBI_TREEMAP_OPTIONS_INIT;
            ubi_treemap *map = NULL;
            o.allocator = &f.allocator;
            ubi_status status = keepers ? ubi_treemap_of_dominators(&map, dominators, g, NULL, 0, class_or_type, g, &o)
                                        : ubi_treemap_of_census(&map, tree, &o);
            assert_true(status == UBI_OK || (status == UBI_ENOMEM && !map));
            ubi_treemap_free(map);
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
        }
    ubi_dominators_free(dominators);
    free_tree(tree);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_the_rows_of_the_census_tree_level_by_level),
        cmocka_unit_test(areas_can_be_counts),
        cmocka_unit_test(levels_below_the_limit_have_no_boxes_but_count),
        cmocka_unit_test(the_first_rows_below_one_can_be_left_out),
        cmocka_unit_test(what_a_function_itself_allocates_is_lost_as_in_firefox_or_a_box_of_its_own),
        cmocka_unit_test(inverted_paths_end_without_a_box_for_the_old_root),
        cmocka_unit_test(an_empty_heap_is_a_map_without_area),
        cmocka_unit_test(colours_are_firefoxs),
        cmocka_unit_test(a_keepers_box_holds_what_it_dominates_and_itself),
        cmocka_unit_test(keepers_too_small_for_a_box_share_one_with_others_of_their_type),
        cmocka_unit_test(a_long_chain_of_keepers_ends_after_64_levels),
        cmocka_unit_test(what_makes_no_map_of_keepers_is_refused),
        cmocka_unit_test(every_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
