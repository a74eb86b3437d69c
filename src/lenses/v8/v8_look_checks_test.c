/* SPDX-License-Identifier: MIT
 *
 * v8_look_checks_test.c: the invariants of what V8's lens knows of a heap are seen when they break.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "damage.h"
#include "lenses/v8/v8_essential.c"
#include "lenses/v8/v8_statistics.c"

static void check_look(void *payload) {
    ubi__v8_look_check(payload);
}

static void a_damaged_look_is_seen(void **state) {
    (void)state;
    ubi_graph *g;
    ubi_look *look;
    assert_int_equal(ubi_graph_read_path(&g, "tests/data/v8/chromium-detached.heapsnapshot.gz", NULL, NULL), UBI_OK);
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    ubi__v8_look *own = look->own;
    assert_true(own->renamed.n);
    assert_true(own->interfaces.rows.n > 0);
    ubi__v8_look_check(look);
    uint64_t edge = g->first_edge.at[g->root + 1]; /* of another node */
    ubi__vec_u64 edges = own->user_root_edges;
    uint64_t *sizes = own->size_bytes, a_size = 0;
    own->user_root_edges = (ubi__vec_u64){ &edge, 1, 1 };
    own->size_bytes = &a_size;
    own->distance[g->root] = UBI_LOOK_SYSTEM_DISTANCE;
    assert_damage_seen(check_look, look, "e < g->first_edge.at[g->root + 1]");
    own->user_root_edges = edges;
    assert_damage_seen(check_look, look, "!own->size_bytes == !own->user_root_edges.n");
    own->size_bytes = sizes;
    assert_damage_seen(check_look, look, "own->distance[g->root] ==");
    own->distance[g->root] = edges.n ? UBI_LOOK_SYSTEM_DISTANCE : 0;
    ubi__v8_look_check(look);
    own->renamed.at[0].text.len--;
    assert_damage_seen(check_look, look, "row->text.len == strlen(");
    own->renamed.at[0].text.len++;
    own->interfaces.rows.at[0].first_property++;
    assert_damage_seen(check_look, look, "row->first_property == n_properties");
    own->interfaces.rows.at[0].first_property--;
    uint32_t n_pairs = own->n_pairs;
    own->n_pairs = (uint32_t)own->ephemerons.n + 1;
    assert_damage_seen(check_look, look, "own->n_pairs <= own->ephemerons.n");
    own->n_pairs = n_pairs;
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void check_sizes(void *payload) {
    const ubi_look *look = payload;
    sizes_check(look->own, look->graph);
}
static void check_edges(void *payload) {
    edges_check(payload);
}

static ubi_node_ix node_of_traits(const ubi__v8_look *own, const ubi_graph *g, bool is_part) {
    ubi_node_ix node = 0;
    while (node < g->n_nodes && (!(own->traits[node] & UBI__V8_PART) == is_part || own->size_bytes[node] == 0))
        node++;
    assert_true(node < g->n_nodes);
    return node;
}

static void damaged_sizes_are_seen(ubi_look *look) {
    ubi__v8_look *own = look->own;
    assert_non_null(own->size_bytes);
    sizes_check(own, look->graph);
    uint64_t *size = &own->size_bytes[node_of_traits(own, look->graph, false)];
    ++*size;
    assert_damage_seen(check_sizes, look, "moved == 0");
    --*size;
    size = &own->size_bytes[node_of_traits(own, look->graph, true)];
    ++*size;
    assert_damage_seen(check_sizes, look, "!(own->traits[node] & UBI__V8_PART)");
    --*size;
}

/* The first edge that is left out, of a node other than the root and of this kind. */
static ubi_edge_ix edge_left_out(const ubi__v8_look *own, const ubi_graph *g, ubi_edge_kind kind) {
    ubi_edge_ix e = g->root == 0 ? g->first_edge.at[1] : 0;
    while (e < g->n_edges && (ubi__graph_edge_kind(g, e) != kind || ubi__edge_set_has(own->essential, e)))
        e++;
    assert_true(e < g->n_edges);
    return e;
}

static void damaged_edges_are_seen(ubi_look *look) {
    const ubi_graph *g = look->graph;
    marking m = { .own = look->own, .g = g };
    edges_check(&m);
    ubi_edge_ix weak = edge_left_out(m.own, g, UBI_EDGE_WEAK), shortcut = edge_left_out(m.own, g, UBI_EDGE_SHORTCUT);
    ubi_edge_set_put(m.own->essential, weak, true);
    assert_damage_seen(check_edges, &m, "!= UBI_EDGE_WEAK");
    ubi_edge_set_put(m.own->essential, weak, false);
    ubi_edge_set_put(m.own->essential, shortcut, true);
    assert_damage_seen(check_edges, &m, "!= UBI_EDGE_SHORTCUT || node == g->root");
    ubi_edge_set_put(m.own->essential, shortcut, false);
    edges_check(&m);
}

static void damaged_sizes_and_edges_are_seen(void **state) {
    (void)state;
    ubi_graph *g;
    ubi_look *look;
    assert_int_equal(ubi_graph_read_path(&g, "tests/data/v8/node20-after.heapsnapshot.gz", NULL, NULL), UBI_OK);
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    damaged_sizes_are_seen(look);
    damaged_edges_are_seen(look);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_look_is_seen),
        cmocka_unit_test(damaged_sizes_and_edges_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
