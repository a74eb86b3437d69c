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
#include "graph_maker.h"

#define CHECK_OF(name, type)                                                                                           \
    static void check_##name(void *payload) {                                                                          \
        ubi__##name##_check(payload);                                                                                  \
    }                                                                                                                  \
    struct swallow_semicolon

CHECK_OF(builder, ubi_graph_builder);
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
    assert_int_equal(ubi__strtab_canonicalize(&t), UBI_OK);
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
    assert_int_equal(ubi__strtab_canonicalize(&strings), UBI_OK);
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
    assert_int_equal(ubi__id_index_resolve(&x->index, ids, x->n = n, NULL, 0, 1, &fault), UBI_OK);
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
        cmocka_unit_test(damaged_node_sets_are_seen),     cmocka_unit_test(damaged_frontiers_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
