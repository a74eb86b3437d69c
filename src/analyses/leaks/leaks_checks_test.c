/* SPDX-License-Identifier: MIT
 *
 * leaks_checks_test.c: the invariants of a search for leaks are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/leaks/leak_finder.h"
#include "damage.h"
#include "graph_maker.h"

static void check_places(void *places) {
    ubi__leak_places_check(places);
}

static void damaged_places_are_seen(void **state) {
    (void)state;
    ubi__leak_places p = { 0 };
    ubi__leak_place_ix first, second;
    const ubi__leak_item list = { UBI__LEAK_LABEL_NUMBER, 1, UBI_NONE, false };
    const ubi__leak_item head = { UBI__LEAK_LABEL_ANY, 2, UBI_NONE, true };
    assert_int_equal(ubi__leak_places_init(&p, 0, ubi_allocator_default()), UBI_OK);
    assert_int_equal(ubi__leak_place_enter(&first, &p, 0, &list, 1), UBI_OK);
    assert_int_equal(ubi__leak_place_enter(&second, &p, first, &head, 2), UBI_OK);
    check_places(&p);
    p.rows.at[first].has_heads = false;
    assert_damage_seen(check_places, &p, "parent->has_heads");
    p.rows.at[first].has_heads = true;
    p.rows.at[first].has_entries = false;
    assert_damage_seen(check_places, &p, "parent->has_entries");
    p.rows.at[first].has_entries = true;
    p.rows.at[second].item.row = 3;
    assert_damage_seen(check_places, &p, "ubi__leak_place_find");
    p.rows.at[second].item.row = 2;
    p.rows.n--;
    assert_damage_seen(check_places, &p, "p->table.n + 1 == p->rows.n");
    p.rows.n++;
    ubi__leak_places_fini(&p);
}

/* 0 -> 1 -> 2 */
static ubi_graph *make_chain(void) {
    graph_maker m = graph_maker_start();
    for (uint64_t id = 0; id < 3; id++) {
        graph_maker_node(&m, id, 1);
        if (id < 2)
            graph_maker_edge(&m, id + 1);
    }
    return graph_maker_finish(&m);
}

static void check_holdings(void *holdings) {
    ubi__leak_holdings_check(holdings);
}

static void damaged_holdings_are_seen(void **state) {
    (void)state;
    ubi_graph *graph = make_chain();
    ubi__leak_holdings h;
    assert_int_equal(ubi__leak_holdings_init(&h, graph, NULL, NULL, ubi_allocator_default()), UBI_OK);
    h.sole[1] = 1;
    assert_damage_seen(check_holdings, &h, "h->sole[node] != node");
    h.sole[1] = 7;
    assert_damage_seen(check_holdings, &h, "h->sole[node] < h->graph->n_nodes");
    h.sole[1] = 0;
    check_holdings(&h);
    ubi_node_ix rope_of[3] = { UBI_NONE, 0, 0 };
    uint64_t rope_bytes[3] = { 3, 0, 0 };
    ubi__leak_holdings ropes = h;
    ropes.rope_of = rope_of;
    assert_damage_seen(check_holdings, &ropes, "h->rope_bytes == NULL");
    ropes.rope_bytes = rope_bytes;
    ropes.size_bytes = rope_bytes;
    check_holdings(&ropes);
    rope_bytes[2] = 1;
    assert_damage_seen(check_holdings, &ropes, "h->rope_bytes[node] == 0");
    rope_bytes[2] = 0;
    rope_of[2] = 1;
    assert_damage_seen(check_holdings, &ropes, "h->rope_of[h->rope_of[node]] == UBI_NONE");
    ubi__leak_holdings_fini(&h);
    ubi_graph_unref(graph);
}

static void check_finder(void *finder) {
    ubi__leak_finder_check(finder);
}

static void damaged_walks_are_seen(void **state) {
    (void)state;
    ubi_graph *graph = make_chain();
    ubi_node_ix parent[3] = { 0, 0, 1 }, order[3] = { 0, 1, 2 };
    uint32_t edge[3] = { 0, 0, 0 };
    uint8_t flags[3] = { 0, 0, UBI__LEAK_CANDIDATE };
    ubi_leak_finder f = { .graph = graph, .view = ubi_view_of(graph), .flags = flags, .parent = parent, .edge = edge };
    f.order = order;
    f.n_met = 3;
    f.n_around = f.n_old = 2;
    f.n_heads = 1;
    check_finder(&f);
    flags[2] = 0;
    assert_damage_seen(check_finder, &f, "f->flags[node] & UBI__LEAK_CANDIDATE");
    flags[2] = UBI__LEAK_CANDIDATE;
    flags[1] = UBI__LEAK_CANDIDATE;
    assert_damage_seen(check_finder, &f, "!(f->flags[node] & UBI__LEAK_CANDIDATE)");
    flags[1] = 0;
    parent[2] = 0;
    assert_damage_seen(check_finder, &f, "ubi__leak_edge_to(f, node)] == node");
    parent[2] = UBI_NONE;
    assert_damage_seen(check_finder, &f, "n_met == f->n_met");
    parent[2] = 1;
    f.n_heads = 2;
    assert_damage_seen(check_finder, &f, "f->n_heads <= f->n_met");
    ubi_graph_unref(graph);
}

static void check_leaks(void *leaks) {
    ubi__leaks_check(leaks);
}

static void damaged_sums_are_seen(void **state) {
    (void)state;
    ubi__leak_found found = { .cluster = { .leaked = { 2, 20 }, .n_retained = 3, .is_counted = true } };
    ubi__leak_step steps[3] = { { .was_compared = true } };
    ubi_leak_tally leaked = { 2, 20 };
    ubi_leaks leaks = { .clusters = { &found, 1, 1 }, .steps = { steps, 3, 3 }, .leaked = { &leaked, 1, 1 } };
    leaks.summary.n_clusters = 1;
    leaks.summary.leaked = leaked;
    leaks.of_verdict[UBI_LEAK_STEADY].n_clusters = 1;
    leaks.curves.n = 5;
    leaks.grew.n = 2;
    leaks.class_tallies.n = 3;
    check_leaks(&leaks);
    leaks.curves.n = 4;
    assert_damage_seen(check_leaks, &leaks, "leaks->curves.n == n * (2 * n_heaps - 1)");
    leaks.curves.n = 5;
    leaked.count = 1;
    assert_damage_seen(check_leaks, &leaks, "n_leaked == leaks->summary.leaked.count");
    leaked.count = 2;
    found.cluster.is_counted = false;
    assert_damage_seen(check_leaks, &leaks, "n_counted == leaks->summary.n_clusters");
    found.cluster.is_counted = true;
    found.cluster.n_retained = 1;
    assert_damage_seen(check_leaks, &leaks, "c->n_retained >= c->leaked.count");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_places_are_seen),
        cmocka_unit_test(damaged_holdings_are_seen),
        cmocka_unit_test(damaged_walks_are_seen),
        cmocka_unit_test(damaged_sums_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
