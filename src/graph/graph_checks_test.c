/* SPDX-License-Identifier: MIT
 *
 * graph_checks_test.c: the invariants of the graph's own structures are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "damage.h"
#include "graph/builder.h"
#include "graph/frontier.h"
#include "graph/retainers.h"
#include "graph_maker.h"

#define CHECK_OF(name, type)                                                                                           \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check(payload);                                                                                  \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(builder, ubi_graph_builder);
CHECK_OF(kinds, ubi__kinds);
CHECK_OF(reachable, ubi_graph);
CHECK_OF(retainers, ubi_retainers);
CHECK_OF(view, ubi_view);
CHECK_OF(edge_set, ubi_edge_set);
CHECK_OF(frames, ubi__frames);
CHECK_OF(frontier, ubi__frontier);
CHECK_OF(node_set, ubi__node_set);
CHECK_OF(strtab, ubi__strtab);

/* ---- tables --------------------------------------------------------------------------------------------------------- */

static void damaged_strings_are_seen(void **state) {
    (void)state;
    ubi__strtab t;
    ubi_str_ix ix;
    ubi__strtab_init(&t, ubi_allocator_default());
    assert_int_equal(ubi__strtab_append(&t, &ix, ubi__text("one")), UBI_OK);
    assert_int_equal(ubi__strtab_append(&t, &ix, ubi__text("two")), UBI_OK);
    assert_int_equal(ubi__strtab_append(&t, &ix, ubi__text("one")), UBI_OK);
    assert_int_equal(ubi__strtab_canonicalize(&t, NULL), UBI_OK);
    ubi__strtab_check(&t);
    t.end.at[0] = 7;
    assert_damage_seen(check_strtab, &t, "t->end.at[i - 1] <= t->end.at[i]");
    t.end.at[0] = 3;
    t.canonical.at[0] = 2;
    assert_damage_seen(check_strtab, &t, "t->canonical.at[i] <= i");
    t.canonical.at[0] = 0;
    t.bytes.n++;
    assert_damage_seen(check_strtab, &t, "t->bytes.n");
    t.bytes.n--;
    ubi__strtab_check(&t);
    ubi__strtab_fini(&t);
}

static void damaged_frames_are_seen(void **state) {
    (void)state;
    ubi__strtab strings;
    ubi__frames f;
    ubi_str_ix name;
    ubi_frame_ix ix;
    ubi__strtab_init(&strings, ubi_allocator_default());
    ubi__frames_init(&f, ubi_allocator_default());
    assert_int_equal(ubi__strtab_append(&strings, &name, ubi__text("a.js")), UBI_OK);
    for (uint32_t i = 0; i < 3; i++) {
        ubi__frame_row row = { .id = i, .parent = i ? i - 1 : UBI_NONE, .source = name, .function_name = UBI_NONE };
        assert_int_equal(ubi__frames_append(&f, &ix, &row), UBI_OK);
    }
    assert_int_equal(ubi__strtab_canonicalize(&strings, NULL), UBI_OK);
    assert_int_equal(ubi__frames_canonicalize(&f, &strings), UBI_OK);
    f.rows.at[1].parent = 1;
    assert_damage_seen(check_frames, &f, "f->rows.at[i].parent < i");
    f.rows.at[1].parent = 0;
    f.canonical.at[0] = 1;
    assert_damage_seen(check_frames, &f, "f->canonical.at[i] <= i");
    f.canonical.at[0] = 0;
    f.canonical.n = 2;
    assert_damage_seen(check_frames, &f, "f->canonical.n == f->rows.n");
    ubi__frames_fini(&f);
    ubi__strtab_fini(&strings);
}

#define DENSE_IDS 8192 /* enough for bitmaps to pay */

typedef struct numbered {
    ubi__id_index index;
    uint32_t n;
} numbered;

static void check_ids(void *payload) {
    const numbered *x = payload;
    ubi__id_index_check(&x->index, x->n);
}

/* The ids are step, 2 * step, and so on. */
static void number_nodes(numbered *x, uint32_t n, uint64_t step) {
    uint64_t ids[DENSE_IDS];
    ubi__id_fault fault;
    for (uint64_t i = 0; i < n; i++)
        ids[i] = (i + 1) * step;
    ubi__id_index_init(&x->index, ubi_allocator_default());
    assert_int_equal(ubi__id_index_resolve(&x->index, ids, x->n = n, NULL, 0, (ubi__crew){ 1, NULL }, &fault), UBI_OK);
    check_ids(x);
}

static void damaged_hashes_of_ids_are_seen(void **state) {
    (void)state;
    numbered x;
    number_nodes(&x, 10, UINT64_C(0x9e3779b97f4a7c15));
    assert_true(x.index.is_hashed);
    uint32_t *node = x.index.slots.at;
    while (*node == UBI_NONE)
        node++;
    *node = 10;
    assert_damage_seen(check_ids, &x, "< n_nodes");
    ubi__id_index_fini(&x.index);
}

static void damaged_ranks_of_ids_are_seen(void **state) {
    (void)state;
    numbered x;
    number_nodes(&x, DENSE_IDS, 8);
    assert_false(x.index.is_hashed);
    uint32_t *node = &x.index.node_of_rank.at[7], before = *node;
    *node = DENSE_IDS;
    assert_damage_seen(check_ids, &x, "x->node_of_rank.at[i] < n_nodes");
    *node = x.index.node_of_rank.at[8];
    assert_damage_seen(check_ids, &x, "sum ==");
    *node = before;
    x.index.words[1].rank++;
    assert_damage_seen(check_ids, &x, "x->words[i].rank == rank");
    x.index.words[1].rank--;
    check_ids(&x);
    ubi__id_index_fini(&x.index);
}

static void damaged_kinds_are_seen(void **state) {
    (void)state;
    ubi__kinds k;
    ubi_kind_ix ix;
    ubi__kinds_init(&k, ubi_allocator_default());
    for (uint32_t i = 0; i < 3; i++) {
        ubi_kind kind = { .type_name = i, .class_name = UBI_NONE };
        assert_int_equal(ubi__kinds_intern(&k, &ix, &kind), UBI_OK);
    }
    ubi__kinds_check(&k);
    k.rows.n--;
    assert_damage_seen(check_kinds, &k, "k->table.n ==");
    k.rows.n++;
    k.rows.at[2].type_name = 1;
    assert_damage_seen(check_kinds, &k, "== row");
    k.rows.at[2].type_name = 2;
    k.factor[1]++;
    assert_damage_seen(check_kinds, &k, "k->factor[1] & 1");
    k.factor[1]--;
    ubi__kinds_check(&k);
    ubi__kinds_fini(&k);
}

/* ---- building -------------------------------------------------------------------------------------------------------- */

static void damaged_builders_are_seen(void **state) {
    (void)state;
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 8, 1);
    graph_maker_edge(&m, 16);
    graph_maker_node(&m, 16, 1);
    ubi_graph *g = m.builder->graph;
    ubi__builder_check(m.builder);
    g->kind.n--;
    assert_damage_seen(check_builder, m.builder, "g->kind.n == n");
    g->kind.n++;
    m.builder->pending.n--;
    assert_damage_seen(check_builder, m.builder, "g->name.n == g->target.n + b->pending.n");
    m.builder->pending.n++;
    m.builder->node_edges += 2;
    assert_damage_seen(check_builder, m.builder, "b->node_edges <= g->name.n");
    m.builder->node_edges -= 2;
    g->first_edge.at[1] += 2;
    assert_damage_seen(check_builder, m.builder, "g->first_edge.at[n - 1] <= g->name.n");
    g->first_edge.at[1] -= 2;
    ubi_graph_unref(graph_maker_finish(&m));
}

static void read_node_two(void *graph) {
    (void)ubi_graph_node_id(graph, 2);
}
static void read_edge_one(void *graph) {
    (void)ubi_graph_edge_target(graph, 1);
}

static void indices_beyond_a_graph_are_seen(void **state) {
    (void)state;
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 8, 1);
    graph_maker_edge(&m, 16);
    graph_maker_node(&m, 16, 1);
    ubi_graph *g = graph_maker_finish(&m);
    assert_damage_seen(read_node_two, g, "ubi_graph_node_id: does not hold");
    assert_damage_seen(read_edge_one, g, "ubi_graph_edge_target: does not hold");
    ubi_edge_set *set;
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    set->words[0] |= 2;
    assert_damage_seen(check_edge_set, set, "n_edges % 64");
    ubi_edge_set_free(set);
    ubi_graph_unref(g);
}

/* ---- what is found out of a graph ----------------------------------------------------------------------------------- */

/* 0 -> 1 -> 2 -> 1, and 3, which nothing leads to. */
static ubi_graph *graph_with_orphan(void) {
    graph_maker m = graph_maker_start();
    graph_maker_node(&m, 8, 1);
    graph_maker_edge(&m, 16);
    graph_maker_node(&m, 16, 1);
    graph_maker_edge(&m, 24);
    graph_maker_node(&m, 24, 1);
    graph_maker_edge(&m, 16);
    graph_maker_node(&m, 32, 1);
    return graph_maker_finish(&m);
}

static void damaged_reachability_is_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_with_orphan();
    uint64_t *word = g->reachable.at;
    ubi__reachable_check(g);
    assert_int_equal(g->n_reachable, 3);
    *word ^= 4;
    assert_damage_seen(check_reachable, g, "ubi__graph_reachable(g, g->target.at[e])");
    *word ^= 4 | 8;
    assert_damage_seen(check_reachable, g, "g->n_reachable == n");
    *word ^= 8 | 16;
    assert_damage_seen(check_reachable, g, "g->n_nodes % 64");
    *word ^= 16;
    g->root_visit_rank = 3;
    assert_damage_seen(check_reachable, g, "g->root_visit_rank < g->n_reachable");
    g->root_visit_rank = UBI_NONE;
    g->is_breadth_first = true;
    assert_damage_seen(check_reachable, g, "!g->is_breadth_first");
    g->is_breadth_first = false;
    ubi__reachable_check(g);
    ubi_graph_unref(g);
}

typedef struct distances {
    ubi_graph *graph;
    uint32_t of[4];
} distances;

static void check_distances(void *payload) {
    const distances *d = payload;
    ubi__distances_check(d->of, d->graph, NULL, 0);
}

static void damaged_distances_are_seen(void **state) {
    (void)state;
    distances d = { .graph = graph_with_orphan() };
    assert_int_equal(ubi_graph_distances(d.of, d.graph, NULL, 0), UBI_OK);
    check_distances(&d);
    d.of[2] = 3;
    assert_damage_seen(check_distances, &d, "<= out[n] + 1");
    d.of[2] = 0;
    assert_damage_seen(check_distances, &d, "(out[n] == 0) == (n == start)");
    ubi_graph_unref(d.graph);
}

static void damaged_retainers_are_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_with_orphan();
    ubi_retainers *r;
    assert_int_equal(ubi_retainers_new(&r, g, NULL, 1, NULL), UBI_OK);
    uint32_t *edges = r->edges, edge = edges[0];
    ubi__retainers_check(r);
    edges[0] = edges[1];
    edges[1] = edge;
    assert_damage_seen(check_retainers, r, "i - 1) < edge");
    edges[1] = edges[0];
    edges[0] = 1;
    assert_damage_seen(check_retainers, r, "g->target.at[edge] == node");
    edges[0] = edge;
    r->first[3] = 1;
    assert_damage_seen(check_retainers, r, "r->first[node] <= r->first[node + 1]");
    r->first[3] = 3;
    r->first[4]++;
    assert_damage_seen(check_retainers, r, "r->first[g->n_nodes] <= g->n_edges");
    r->first[4]--;
    r->edges = NULL;
    assert_damage_seen(check_retainers, r, "(r->edges != NULL) ==");
    r->edges = edges;
    ubi__retainers_check(r);
    ubi_retainers_free(r);
    ubi_graph_unref(g);
}

static void damaged_views_are_seen(void **state) {
    (void)state;
    ubi_graph *g = graph_with_orphan(), *other = graph_with_orphan();
    ubi_view view = ubi_view_of(g);
    ubi_edge_set *set;
    const ubi_edge_ix of_others[] = { 1 }, twice[] = { 0, 0 };
    assert_int_equal(ubi_edge_set_new(&set, other, true), UBI_OK);
    ubi__view_check(&view);
    view.edges = set;
    assert_damage_seen(check_view, &view, "view->edges->graph == g");
    view.edges = NULL;
    view.root = 4;
    assert_damage_seen(check_view, &view, "view->root < g->n_nodes");
    view.root = 0;
    view.first_edges = of_others;
    view.n_first_edges = 1;
    assert_damage_seen(check_view, &view, "== view->root");
    view.first_edges = twice;
    view.n_first_edges = 2;
    assert_damage_seen(check_view, &view, "view->first_edges[i - 1] < view->first_edges[i]");
    ubi_edge_set_free(set);
    ubi_graph_unref(other);
    ubi_graph_unref(g);
}

/* ---- walking --------------------------------------------------------------------------------------------------------- */

static const ubi_node_ops no_ops;

static void damaged_node_sets_are_seen(void **state) {
    (void)state;
    ubi__node_set s;
    bool added[2];
    ubi_node nodes[2] = { { &no_ops, NULL, 5 }, { &no_ops, NULL, 6 } };
    ubi__node_set_init(&s, ubi_allocator_default());
    assert_int_equal(ubi__node_set_add_all(&s, nodes, 2, added), UBI_OK);
    s.n += 1 << UBI__NODE_SET_CHUNK_BITS;
    assert_damage_seen(check_node_set, &s, "does not hold");
    s.n -= 1 << UBI__NODE_SET_CHUNK_BITS;
    s.space_of.n = 1;
    assert_damage_seen(check_node_set, &s, "s->space_of.n");
    s.space_of.n = 0;
    s.last_space = 1;
    assert_damage_seen(check_node_set, &s, "s->last_space < s->spaces.n");
    ubi__node_set_fini(&s);
}

static void damaged_frontiers_are_seen(void **state) {
    (void)state;
    ubi__frontier *f = ubi__frontier_new(ubi_allocator_default(), NULL, NULL);
    assert_non_null(f);
    ubi__frontier_check(f);
    f->next = 1;
    assert_damage_seen(check_frontier, f, "f->next <= n_reached");
    f->next = 0;
    f->next_abandoned = 1;
    assert_damage_seen(check_frontier, f, "f->next_abandoned <= n");
    f->next_abandoned = 0;
    f->n_referents = UBI__NODE_SET_BATCH;
    assert_damage_seen(check_frontier, f, "f->n_referents < UBI__NODE_SET_BATCH");
    f->n_referents = 0;
    f->ref_limit = 4;
    assert_damage_seen(check_frontier, f, "is_dense == (f->bits != NULL)");
    f->ref_limit = 0;
    ubi__frontier_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_strings_are_seen),       cmocka_unit_test(damaged_frames_are_seen),
        cmocka_unit_test(damaged_hashes_of_ids_are_seen), cmocka_unit_test(damaged_ranks_of_ids_are_seen),
        cmocka_unit_test(damaged_builders_are_seen),      cmocka_unit_test(indices_beyond_a_graph_are_seen),
        cmocka_unit_test(damaged_kinds_are_seen),         cmocka_unit_test(damaged_reachability_is_seen),
        cmocka_unit_test(damaged_distances_are_seen),     cmocka_unit_test(damaged_retainers_are_seen),
        cmocka_unit_test(damaged_views_are_seen),         cmocka_unit_test(damaged_node_sets_are_seen),
        cmocka_unit_test(damaged_frontiers_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
