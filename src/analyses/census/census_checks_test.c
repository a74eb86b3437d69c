/* SPDX-License-Identifier: MIT
 *
 * census_checks_test.c: the invariants of censuses, their trees and differences are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/census/census_diff.h"
#include "analyses/census/finished_census_tree.h"
#include "base/text.h"
#include "damage.h"
#include "drawing.h"

#define HEAP                                                                                                           \
    "1(size=10 type=root) -> 2 \"a\", 3 \"b\";"                                                                        \
    "2(size=100 type=JSObject coarse=object class=Array stack=f@a.js:5:2<-@a.js:1:2);"                                 \
    "3(size=7 type=JSString coarse=string)"
#define BUCKETS                                                                                                        \
    "{\"by\":\"coarseType\",\"objects\":{\"by\":\"bucket\"},\"scripts\":{\"by\":\"bucket\"},"                          \
    "\"strings\":{\"by\":\"bucket\"},\"other\":{\"by\":\"bucket\"},\"domNode\":{\"by\":\"bucket\"}}"

static ubi_census *take(const char *json) {
    ubi_graph *graph = graph_from_drawing(HEAP);
    ubi_breakdown *breakdown = NULL;
    ubi_census *census;
    if (json)
        assert_int_equal(ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL), UBI_OK);
    assert_int_equal(ubi_census_take(&census, graph, breakdown, NULL), UBI_OK);
    ubi_breakdown_unref(breakdown);
    ubi_graph_unref(graph);
    return census;
}

static void check_breakdown(void *tree) {
    ubi__breakdown_tree_check(tree);
}

static void damaged_breakdowns_are_seen(void **state) {
    (void)state;
    ubi_breakdown *b;
    assert_int_equal(ubi_breakdown_parse(&b, ubi__text("{\"by\":\"objectClass\"}"), UBI_COMPAT_NONE, NULL), UBI_OK);
    b->first_child--;
    assert_damage_seen(check_breakdown, b->tree, "b->first_child > i");
    b->first_child++;
    b->n_children--;
    assert_damage_seen(check_breakdown, b->tree, "n_children + 1 == tree->nodes.n");
    b->n_children++;
    b->label_len = 1;
    assert_damage_seen(check_breakdown, b->tree, "tree->text.n");
    b->label_len = 0;
    check_breakdown(b->tree);
    ubi_breakdown_unref(b);
}

static void check_cells(void *cells) {
    ubi__cells_check(cells);
}

static void damaged_cells_are_seen(void **state) {
    (void)state;
    const uint64_t id[2] = { 1, 2 }, size[2] = { 10, 20 };
    const uint32_t kind[2] = { 0, 1 }, stack[2] = { UBI_NONE, 5 };
    ubi__cells cells;
    ubi__cells_init(&cells, ubi_allocator_default(), true);
    assert_int_equal(ubi__cells_reserve_kinds(&cells, 2), UBI_OK);
    assert_int_equal(ubi__cells_add(&cells, &(ubi__census_rows){ id, size, kind, stack, 2 }), UBI_OK);
    ubi__cells_check(&cells);
    cells.plain.at[1].bytes = 3;
    assert_damage_seen(check_cells, &cells, "cell->bytes == 0");
    cells.plain.at[1].bytes = 0;
    cells.stacked.at[0].stack = 6;
    assert_damage_seen(check_cells, &cells, "ubi__u64_map_get(&cells->index");
    cells.stacked.at[0].stack = 5;
    cells.plain.at[0].kind = 1;
    assert_damage_seen(check_cells, &cells, "cell->kind == k");
    ubi__cells_fini(&cells);
}

static void check_census(void *census) {
    ubi__census_check(census);
}

static void damaged_censuses_are_seen(void **state) {
    (void)state;
    ubi_census *census = take(NULL);
    check_census(census);
    census->reports.at[1].count++;
    assert_damage_seen(check_census, census, "count == report->count");
    census->reports.at[1].count--;
    census->node_count++;
    assert_damage_seen(check_census, census, "census->node_count");
    census->node_count--;
    uint32_t report = census->entries.at[0].report;
    census->entries.at[0].report = 0;
    assert_damage_seen(check_census, census, "entry->report > at");
    census->entries.at[0].report = report;
    ubi_census_free(census);

    census = take(BUCKETS);
    census->ids.n--;
    assert_damage_seen(check_census, census, "n_ids == census->ids.n");
    census->ids.n++;
    check_census(census);
    ubi_census_free(census);
}

static void check_live(void *live) {
    ubi__census_live_check(live);
}

static void damaged_visits_are_seen(void **state) {
    (void)state;
    ubi__census_live live;
    ubi__census_live_init(&live, ubi_allocator_default());
    assert_int_equal(ubi__vec_u64_push(&live.visits.id, live.allocator, 7), UBI_OK);
    assert_damage_seen(check_live, &live, "live->visits.kind.n == live->visits.id.n");
    ubi__census_live_fini(&live);
}

static void check_builder(void *builder) {
    ubi__tree_builder_check(builder);
}

static void damaged_builders_are_seen(void **state) {
    (void)state;
    ubi__tree_builder b;
    ubi_breakdown *breakdown;
    const ubi_report_key key = { .type = UBI_KEY_TEXT, .text = ubi__text("part") };
    assert_int_equal(ubi_breakdown_parse(&breakdown, ubi__text("{\"by\":\"count\"}"), UBI_COMPAT_NONE, NULL), UBI_OK);
    ubi__tree_builder_init(&b, ubi_allocator_default(), UBI_COMPAT_NONE);
    assert_int_equal(ubi__tree_enter(&b, NULL, breakdown), UBI_OK);
    assert_int_equal(ubi__tree_enter(&b, &key, breakdown), UBI_OK);
    assert_int_equal(ubi__tree_count(&b, 2, 30), UBI_OK);
    assert_int_equal(ubi__tree_leave(&b), UBI_OK);
    assert_damage_seen(check_builder, &b, "b->open.n == 0");
    assert_int_equal(ubi__tree_leave(&b), UBI_OK);
    check_builder(&b);
    b.rows.at[0].total_bytes++;
    assert_damage_seen(check_builder, &b, "row->total_bytes == bytes");
    b.rows.at[0].total_bytes--;
    b.rows.at[1].parent = 1;
    assert_damage_seen(check_builder, &b, "child->parent == at");
    b.rows.at[1].parent = 0;
    b.rows.at[0].last_child = UBI_NONE;
    assert_damage_seen(check_builder, &b, "last == row->last_child");
    ubi__tree_builder_fini(&b);
    ubi_breakdown_unref(breakdown);
}

static void check_tree(void *tree) {
    ubi__census_tree_check(tree);
}

static void damaged_trees_are_seen(void **state) {
    (void)state;
    ubi_census *census = take(NULL);
    ubi_census_tree *tree;
    ubi_census_node root;
    assert_int_equal(ubi_census_tree_new(&tree, census, NULL), UBI_OK);
    check_tree(tree);
    ubi_census_tree_node(tree, ubi_census_tree_root(tree), &root);
    assert_true(root.n_children > 0);
    ubi_census_node_ix *children = (ubi_census_node_ix *)root.children; /* the tree's own list */
    children[0]++;
    assert_damage_seen(check_tree, tree, "tree->numbers.at[i] == i");
    children[0]--;
    ubi_census_tree_free(tree);
    ubi_census_free(census);
}

static void damaged_filtered_trees_are_seen(void **state) {
    (void)state;
    ubi_census *census = take(NULL);
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.has_filter = true;
    assert_int_equal(ubi_census_tree_new(&tree, census, &options), UBI_OK);
    check_tree(tree);
    tree->filtered.at[1].id++;
    assert_damage_seen(check_tree, tree, "");
    tree->filtered.at[1].id--;
    tree->filtered.at[1].parent_id++;
    assert_damage_seen(check_tree, tree, "rows[child].parent_id == row->id");
    tree->filtered.at[1].parent_id--;
    tree->filtered.at[1].source = 0;
    assert_damage_seen(check_tree, tree, "parent_id == tree->whole->rows.at[row->source].id");
    tree->filtered.at[1].source = 1;
    tree->n_earlier_ids++;
    assert_damage_seen(check_tree, tree, "tree->n_earlier_ids == tree->whole->by_id.n");
    tree->n_earlier_ids--;
    check_tree(tree);
    ubi_census_tree_free(tree);
    ubi_census_free(census);
}

static void check_diff(void *diff) {
    ubi__census_diff_check(diff);
}

static void damaged_differences_are_seen(void **state) {
    (void)state;
    ubi_census *start = take(NULL), *end = take(NULL);
    ubi_census_diff *diff;
    assert_int_equal(ubi_census_diff_new(&diff, start, end), UBI_OK);
    check_diff(diff);
    diff->deltas.at[1].place++;
    assert_damage_seen(check_diff, diff, "part_of(delta->start, part->place)");
    diff->deltas.at[1].place--;
    diff->deltas.at[1].first++;
    assert_damage_seen(check_diff, diff, "delta->first == next");
    diff->deltas.at[1].first--;
    diff->deltas.n--;
    assert_damage_seen(check_diff, diff, "");
    diff->deltas.n++;
    ubi_census_diff_free(diff);
    ubi_census_free(start);
    ubi_census_free(end);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_breakdowns_are_seen),     cmocka_unit_test(damaged_cells_are_seen),
        cmocka_unit_test(damaged_censuses_are_seen),       cmocka_unit_test(damaged_visits_are_seen),
        cmocka_unit_test(damaged_builders_are_seen),       cmocka_unit_test(damaged_trees_are_seen),
        cmocka_unit_test(damaged_filtered_trees_are_seen), cmocka_unit_test(damaged_differences_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
