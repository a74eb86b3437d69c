/* SPDX-License-Identifier: MIT
 *
 * dominators_checks_test.c: the invariants of dominator trees and of what makes them are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/core/labels.h>

#include "analyses/dominators/dom_work.h"
#include "analyses/dominators/keeper_finder.h"
#include "analyses/dominators/tree_node.h"
#include "damage.h"
#include "graph_maker.h"

/* 0 -> 1 -> 2, 3 and 0 -> 4; node i has size i + 1. */
static ubi_graph *make_graph(void) {
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 10, 1);
    graph_maker_edge(&m, 11);
    graph_maker_edge(&m, 14);
    graph_maker_node(&m, 11, 2);
    graph_maker_edge(&m, 12);
    graph_maker_edge(&m, 13);
    graph_maker_node(&m, 12, 3);
    graph_maker_node(&m, 13, 4);
    graph_maker_node(&m, 14, 5);
    return graph_maker_finish(&m);
}

static void check_dominators(void *payload) {
    const ubi_dominators *d = payload;
    ubi__dominators_check(d, d->graph->size_bytes.at);
}

static void damaged_trees_are_seen(void **state) {
    (void)state;
    ubi_graph *graph = make_graph();
    ubi_view view = ubi_view_of(graph);
    ubi_dominators *d;
    assert_int_equal(ubi_dominators_new(&d, &view, NULL), UBI_OK);
    check_dominators(d);
    d->immediate[2] = 2;
    assert_damage_seen(check_dominators, d, "d->immediate[node] != node");
    d->immediate[2] = 4;
    assert_damage_seen(check_dominators, d, "d->immediate[d->dominated[i]] == node");
    d->immediate[2] = UBI_NONE;
    assert_damage_seen(check_dominators, d, "n_dominated + 1 == d->n_in_tree");
    d->immediate[2] = 1;
    d->first[1]++;
    assert_damage_seen(check_dominators, d, "");
    d->first[1]--;
    d->retained_bytes[3]++;
    assert_damage_seen(check_dominators, d, "d->retained_bytes[node] ==");
    d->retained_bytes[3]--;
    check_dominators(d);
    ubi_dominators_free(d);
    ubi_graph_unref(graph);
}

static void check_work(void *work) {
    ubi__dom_work_check(work, UBI__DOM_WALK);
}
static void check_climbed_work(void *work) {
    ubi__dom_work_check(work, UBI__DOM_CLIMB);
}

static void damaged_numbers_are_seen(void **state) {
    (void)state;
    ubi_graph *graph = make_graph();
    ubi_view view = ubi_view_of(graph);
    uint32_t number[5] = { 0, 1, 2, 3, 4 }, node[5] = { 0, 1, 2, 3, 4 };
    uint32_t parent[5] = { 0, 0, 1, 1, 0 }, dominator[5] = { 0, 0, 1, 1, 0 }, finished[5] = { 2, 3, 1, 4, 0 };
    ubi__dom_work w = { .graph = graph, .view = &view, .n = 5, .n_finished = 5 };
    w.number = number;
    w.node = node;
    w.parent = parent;
    w.dominator = dominator;
    w.finished = finished;
    check_work(&w);
    assert_damage_seen(check_climbed_work, &w, "n_dominated + 1 == w->n");
    number[2] = 3;
    assert_damage_seen(check_work, &w, "w->number[w->node[i]] == i");
    number[2] = 2;
    dominator[3] = 3;
    assert_damage_seen(check_work, &w, "w->dominator[i] < i");
    dominator[3] = 2;
    assert_damage_seen(check_work, &w, "w->dominator[i] <= w->parent[i]");
    dominator[3] = 1;
    finished[4] = 1;
    assert_damage_seen(check_work, &w, "w->finished[w->n - 1] == 0");
    ubi_graph_unref(graph);
}

static void check_edges(void *edges) {
    ubi__dom_edges_check(edges);
}
static void check_range_of_ten(void *range) {
    ubi__dom_range_check(range, 10);
}

static void damaged_edges_are_seen(void **state) {
    (void)state;
    static ubi__dom_block pool[3];
    ubi__dom_log log = { NULL, UBI__DOM_BLOCK_EDGES, 0 };
    static ubi__dom_edges edges;
    edges.pool = pool;
    edges.pool_bytes = sizeof pool;
    edges.logs = &log;
    edges.n_logs = 1;
    edges.range_bits = UBI__DOM_RANGE_BITS;
    edges.range_size = 10;
    ubi__dom_edges_add(&edges, 7, 3);
    ubi__dom_edges_check(&edges);
    log.n_blocks = 2;
    assert_damage_seen(check_edges, &edges, "n == log->n_blocks");
    log.n_blocks = 1;
    edges.n_longest = 0;
    assert_damage_seen(check_edges, &edges, "n_longest == edges->n_longest");

    uint32_t first[3] = { 0, 1, 2 }, source[2] = { 7, 9 };
    ubi__dom_range range = { 3, 5, first, source };
    ubi__dom_range_check(&range, 10);
    source[1] = 4;
    assert_damage_seen(check_range_of_ten, &range, "range->source[k] > range->begin + i");
    first[1] = 3;
    assert_damage_seen(check_range_of_ten, &range, "");
    range.end = 11;
    assert_damage_seen(check_range_of_ten, &range, "range->end <= n");
}

static void check_row(void *row) {
    ubi__dominator_node_check(row);
}

static void damaged_rows_are_seen(void **state) {
    (void)state;
    ubi_graph *graph = make_graph();
    ubi_view view = ubi_view_of(graph);
    ubi_dominators *d;
    ubi_labels *labels;
    ubi_dominator_node *top;
    assert_int_equal(ubi_dominators_new(&d, &view, NULL), UBI_OK);
    assert_int_equal(ubi_labels_new(&labels, graph, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_dominator_tree_partial(&top, d, labels, NULL), UBI_OK);
    check_row(top);
    uint32_t capacity = top->capacity;
    top->capacity = 0;
    assert_damage_seen(check_row, top, "row->n_children <= row->capacity");
    top->capacity = capacity;
    top->has_children = false;
    assert_damage_seen(check_row, top, "row->has_children");
    top->has_children = true;
    ubi_dominator_node_unref(top);
    ubi_labels_unref(labels);
    ubi_dominators_free(d);
    ubi_graph_unref(graph);
}

static void check_families(void *families) {
    ubi__families_check(families);
}
static void check_finder(void *finder) {
    ubi__keeper_finder_check(finder);
}

static void damaged_keepers_are_seen(void **state) {
    (void)state;
    uint32_t family[3] = { 0, 0, 2 }, place[4] = { 0, 1, 2, 0 };
    ubi__families families = { family, 3 };
    ubi__families_check(&families);
    family[0] = 1;
    assert_damage_seen(check_families, &families, "f->family[k] <= k");
    family[0] = 0;
    family[2] = 1;
    assert_damage_seen(check_families, &families, "f->family[f->family[k]] == f->family[k]");

    ubi__large large[2] = { { .node = 1, .above = UBI_NONE, .counts_at = 0, .exclusive_bytes = 5 },
                            { .node = 2, .above = 0, .counts_at = 0 } };
    ubi__keeper_finder f = { .large = { large, 2, 2 }, .place = place };
    ubi__keeper_finder_check(&f);
    large[1].exclusive_bytes = 3;
    assert_damage_seen(check_finder, &f, "l->exclusive_bytes == 0");
    large[1].exclusive_bytes = 0;
    large[0].counts_at = 1;
    assert_damage_seen(check_finder, &f, "counts_at == l->counts_at");
    large[0].counts_at = 0;
    place[2] = 1;
    assert_damage_seen(check_finder, &f, "f->place[l->node] == i + 1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_trees_are_seen),   cmocka_unit_test(damaged_numbers_are_seen),
        cmocka_unit_test(damaged_edges_are_seen),   cmocka_unit_test(damaged_rows_are_seen),
        cmocka_unit_test(damaged_keepers_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
