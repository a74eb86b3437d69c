/* SPDX-License-Identifier: MIT
 *
 * dominators_random_test.c: dominators of random graphs against what follows from the definition, and of larger ones
 * against plain iteration. With tuning, so that small graphs take every way through the code.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/dominators/dom_work.h"
#include "graph_maker.h"
#include "plain_dominators.h"
#include "random_numbers.h"

#define MAX_NODES 12

/* ---- random graphs and views --------------------------------------------------------------------------------------- */

/* Edges lead to nodes at most `reach` away, so that a small one makes deep graphs. */
static ubi_graph *random_graph(uint32_t n_nodes, uint32_t edges_per_node, uint32_t reach) {
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < n_nodes; i++) {
        graph_maker_node(&m, i, random_below(4) ? random_below(3) : (uint64_t)random_below(1u << 31) << 33);
        for (uint32_t k = random_below(2 * edges_per_node + 1); k > 0; k--)
            graph_maker_edge(&m, (i + n_nodes + random_below(2 * reach + 1) - reach % n_nodes) % n_nodes);
    }
    return graph_maker_finish(&m);
}

static ubi_edge_set *random_edge_set(const ubi_graph *g) {
    ubi_edge_set *set;
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(g); e++)
        ubi_edge_set_put(set, e, random_below(5) > 0);
    return set;
}

/* A view of `g`, often an unusual one. The caller frees its edge set. */
static ubi_view random_view(const ubi_graph *g) {
    ubi_view view = ubi_view_of(g);
    if (random_below(3) == 0)
        view.root = random_below(ubi_graph_node_count(g));
    if (random_below(3) == 0)
        view.edges = random_edge_set(g);
    if (random_below(2) == 0)
        view.orphans = UBI_ORPHANS_ADOPT;
    return view;
}

static void free_view(ubi_view *view) {
    ubi_edge_set_free((ubi_edge_set *)(uintptr_t)view->edges);
    ubi_graph_unref((ubi_graph *)(uintptr_t)view->graph);
}

static ubi__dom_tuning random_tuning(void) {
    return (ubi__dom_tuning){ .with_small_pool = random_below(2),
                              .range_bits = random_below(4),
                              .most_sorted = random_below(2) ? 1 + random_below(9) : 0,
                              .with_jumps_only = random_below(2) };
}

/* Of `one_in` calls one has a helper. */
static ubi_dominators *dominators_of(const ubi_view *view, const ubi__dom_tuning *tuning, ubi__dom_counts *counts,
                                     uint32_t one_in) {
    ubi_dominators *d;
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    options.threads = random_below(one_in) ? 1 : 2;
    assert_int_equal(ubi__dominators_new(&d, view, &options, tuning, counts), UBI_OK);
    return d;
}

/* ---- by definition --------------------------------------------------------------------------------------------------- */

/* Sets of nodes are bits. `leads_to` has the edges that count, and from the root to what it adopts. */
typedef struct small {
    uint32_t n;
    ubi_node_ix root;
    uint32_t leads_to[MAX_NODES];
    uint32_t dominators[MAX_NODES]; /* of each node, itself included; 0: not in the tree */
} small;

static uint32_t reach_without(const small *s, ubi_node_ix from, uint32_t removed) {
    uint32_t seen = (UINT32_C(1) << from) & ~removed, last = 0;
    while (seen != last) {
        last = seen;
        for (ubi_node_ix i = 0; i < s->n; i++)
            if (last >> i & 1)
                seen |= s->leads_to[i] & ~removed;
    }
    return seen;
}

static void adopt_orphans(small *s) {
    uint32_t all = (UINT32_C(1) << s->n) - 1, seen = reach_without(s, s->root, 0), led_to = 0, adopted = 0;
    for (ubi_node_ix i = 0; i < s->n; i++)
        led_to |= s->leads_to[i] & ~(UINT32_C(1) << i);
    for (ubi_node_ix i = 0; i < s->n; i++)
        if (!((seen | led_to) >> i & 1)) {
            adopted |= UINT32_C(1) << i;
            seen |= reach_without(s, i, 0);
        }
    s->leads_to[s->root] |= adopted | (all & ~seen);
}

static small small_of(const ubi_view *view) {
    small s = { .n = ubi_graph_node_count(view->graph), .root = view->root };
    for (ubi_node_ix i = 0; i < s.n; i++)
        for (ubi_edge_ix e = ubi_graph_first_edge(view->graph, i); e < ubi_graph_first_edge(view->graph, i + 1); e++)
            if (!view->edges || ubi_edge_set_has(view->edges, e))
                s.leads_to[i] |= UINT32_C(1) << ubi_graph_edge_target(view->graph, e);
    if (view->orphans == UBI_ORPHANS_ADOPT)
        adopt_orphans(&s);
    uint32_t reached = reach_without(&s, s.root, 0);
    for (ubi_node_ix gone = 0; gone < s.n; gone++) {
        uint32_t lost = reached & ~reach_without(&s, s.root, UINT32_C(1) << gone);
        for (ubi_node_ix i = 0; i < s.n; i++)
            s.dominators[i] |= (lost >> i & 1) << gone;
    }
    return s;
}

/* Of all nodes that dominate `node`, the one that the others dominate too. */
static ubi_node_ix immediate_by_definition(const small *s, ubi_node_ix node) {
    uint32_t strict = s->dominators[node] & ~(UINT32_C(1) << node);
    for (ubi_node_ix i = 0; i < s->n; i++)
        if ((strict >> i & 1) && s->dominators[i] == strict)
            return i;
    return UBI_NONE;
}

static uint64_t retained_by_definition(const small *s, const ubi_graph *g, ubi_node_ix node) {
    uint64_t sum = 0;
    for (ubi_node_ix i = 0; i < s->n; i++)
        if (s->dominators[i] >> node & 1)
            sum += ubi_graph_node_size_bytes(g, i);
    return sum;
}

/* ---- comparing --------------------------------------------------------------------------------------------------------- */

/* Sets hold exactly the nodes with this dominator, in descending post-order. */
static void assert_sets(const ubi_dominators *d, const ubi_view *view) {
    uint32_t n_nodes = ubi_graph_node_count(view->graph), n_members = 0;
    ubi_node_ix *order = malloc(n_nodes * sizeof *order);
    uint32_t *place = malloc(n_nodes * sizeof *place);
    uint32_t n_order = plain_post_order(order, view);
    for (uint32_t i = 0; i < n_order; i++)
        place[order[i]] = i;
    assert_int_equal(ubi_dominators_node_count(d), n_order);
    for (ubi_node_ix node = 0; node < n_nodes; node++) {
        uint32_t n;
        const ubi_node_ix *set = ubi_dominators_dominated(d, node, &n);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(ubi_dominators_immediate(d, set[i]), node);
            assert_true(i == 0 || place[set[i - 1]] > place[set[i]]);
        }
        n_members += n;
    }
    assert_int_equal(n_members, n_order - 1);
    free(order);
    free(place);
}

static void assert_small(const ubi_dominators *d, const ubi_view *view) {
    small s = small_of(view);
    for (ubi_node_ix node = 0; node < s.n; node++) {
        assert_int_equal(ubi_dominators_immediate(d, node), immediate_by_definition(&s, node));
        assert_true(ubi_dominators_retained_bytes(d, node) == retained_by_definition(&s, view->graph, node));
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------------- */

static void small_graphs_have_the_dominators_of_the_definition(void **state) {
    (void)state;
    uint32_t n_rounds = random_cases(100000), n_adopted = 0, n_jumps = 0, n_scanned = 0, n_ahead = 0;
    for (uint32_t round = 0; round < n_rounds; round++) {
        random_start(round);
        uint32_t n_nodes = 1 + random_below(MAX_NODES);
        ubi_view view = random_view(random_graph(n_nodes, random_below(4), 1 + random_below(n_nodes)));
        ubi__dom_tuning tuning = random_tuning();
        ubi__dom_counts counts;
        ubi_dominators *d = dominators_of(&view, &tuning, &counts, 16);
        assert_small(d, &view);
        assert_sets(d, &view);
        n_adopted += view.orphans == UBI_ORPHANS_ADOPT && ubi_dominators_node_count(d) > 2;
        n_jumps += counts.has_used_jumps;
        n_scanned += counts.n_edges_again > 0;
        n_ahead += counts.has_sorted_ahead;
        ubi_dominators_free(d);
        free_view(&view);
    }
    assert_in_range(n_adopted, n_rounds / 10, n_rounds); /* each way was taken */
    assert_in_range(n_jumps, n_rounds / 100, n_rounds);
    assert_in_range(n_scanned, n_rounds / 100, n_rounds);
    assert_in_range(n_ahead, n_rounds / 1000, n_rounds);
}

/* Deep, wide and dense ones; with few edges per node most are orphans. */
static void larger_graphs_have_the_dominators_of_plain_iteration(void **state) {
    (void)state;
    static const uint32_t edges_per_node[] = { 1, 2, 4, 20 };
    ubi_node_ix expected[3000];
    uint32_t n_rounds = random_cases(160), n_scanned = 0, n_jumps = 0, n_ahead = 0;
    for (uint32_t round = 0; round < n_rounds; round++) {
        random_start(round);
        uint32_t reach = round % 3 == 0 ? 5 : 3000;
        ubi_view view = random_view(random_graph(3000, edges_per_node[round % 4], reach));
        ubi__dom_tuning tuning = random_tuning();
        ubi__dom_counts counts;
        ubi_dominators *d = dominators_of(&view, &tuning, &counts, 2);
        plain_dominators(expected, &view);
        for (ubi_node_ix node = 0; node < 3000; node++)
            assert_int_equal(ubi_dominators_immediate(d, node), expected[node]);
        assert_sets(d, &view);
        n_scanned +=
            counts.n_edges_again > 2 * ubi_graph_edge_count(view.graph); /* counted, then two batches or more */
        n_jumps += counts.has_used_jumps;
        n_ahead += counts.has_sorted_ahead;
        ubi_dominators_free(d);
        free_view(&view);
    }
    assert_in_range(n_scanned, n_rounds / 26, n_rounds);
    assert_in_range(n_jumps, n_rounds / 8, n_rounds);
    assert_in_range(n_ahead, n_rounds / 32, n_rounds);
}

/* ---- beside the library's own walk ------------------------------------------------------------------------------------- */

typedef struct post {
    ubi_node_ix order[300];
    uint32_t n;
} post;

static ubi_status note_node(void *payload, ubi_node node) {
    post *p = payload;
    p->order[p->n++] = (ubi_node_ix)node.ref;
    return UBI_OK;
}

static void sets_are_in_the_order_of_ubi_post_order(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 100; round++) {
        random_start(round);
        ubi_graph *g = random_graph(300, 2, round % 2 ? 300 : 4);
        ubi_view view = ubi_view_of(g);
        ubi_node_ix expected[300];
        post p = { .n = 0 };
        assert_int_equal(ubi_post_order(ubi_graph_as_node(g, 0), note_node, NULL, &p, NULL), UBI_OK);
        assert_int_equal(plain_post_order(expected, &view), p.n);
        assert_memory_equal(p.order, expected, p.n * sizeof *expected);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_have_the_dominators_of_the_definition),
        cmocka_unit_test(larger_graphs_have_the_dominators_of_plain_iteration),
        cmocka_unit_test(sets_are_in_the_order_of_ubi_post_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
