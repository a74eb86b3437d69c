/* SPDX-License-Identifier: MIT
 *
 * fxs_save_keyed_test.c: saving heaps that name edges by keys (ubi_node_ops.keyed_edges): the file is, byte for byte, the one
 * of the same heap without keys, and holds what the heap has.
 *
 * A heap here is two tables; the ids of its nodes are as far from each other as ids can be. With keys it also has a group, so
 * that what its nodes have in common is written by a stencil.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "saving.h"

typedef struct test_edge {
    uint32_t from, to;
    ubi_edge_key name;
} test_edge;

typedef struct test_heap {
    const char *const *names; /* key { NAMED, i } is names[i] */
    const uint64_t *ids;
    uint64_t n_nodes;
    test_edge *edges; /* edges[n_edges], by `from` */
    uint32_t n_edges;
    uint32_t at_a_time; /* edges */
    uint32_t keyed_calls;
    char digits[24];
} test_heap;

#define NAMED 77

/* ---- operations ----------------------------------------------------------------------------------------------------- */

static uint64_t id_of(ubi_node node) {
    return ((const test_heap *)node.heap)->ids[node.ref];
}

static ubi_text type_of(ubi_node node) {
    (void)node;
    return ubi__text("Thing");
}

static uint64_t limit_of(void *heap) {
    return ((const test_heap *)heap)->n_nodes;
}

static uint32_t group_of(ubi_node node) {
    (void)node;
    return 0;
}

static ubi_text name_of(void *heap, ubi_edge_key key) {
    test_heap *h = heap;
    if (key.base == UBI_EDGE_KEY_UNNAMED)
        return (ubi_text){ NULL, 0 };
    if (key.base == NAMED)
        return ubi__text(h->names[key.number]);
    return (ubi_text){ h->digits, (size_t)snprintf(h->digits, sizeof h->digits, "%" PRIu64, key.number) };
}

static bool edges_of(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    test_heap *h = node.heap;
    for (uint32_t i = 0; i < h->n_edges; i++) {
        ubi_text name = { NULL, 0 };
        if (h->edges[i].from != node.ref)
            continue;
        if (want_names)
            name = name_of(h, h->edges[i].name);
        if (!fn(payload, (ubi_node){ node.ops, h, h->edges[i].to }, name))
            return false;
    }
    return true;
}

static bool keyed_edges_of(ubi_node node, ubi_keyed_edges_fn fn, void *payload) {
    test_heap *h = node.heap;
    ubi_keyed_edge some[64];
    uint32_t n = 0;
    h->keyed_calls++;
    for (uint32_t i = 0; i < h->n_edges; i++) {
        if (h->edges[i].from != node.ref)
            continue;
        some[n++] = (ubi_keyed_edge){ h->edges[i].to, h->ids[h->edges[i].to], h->edges[i].name };
        if (n == h->at_a_time && !fn(payload, some, n))
            return false;
        n %= h->at_a_time;
    }
    return n == 0 || fn(payload, some, n);
}

static const ubi_node_ops without_keys = {
    .version = UBI_NODE_OPS_VERSION, .id = id_of, .type_name = type_of, .edges = edges_of, .ref_limit = limit_of
};
static const ubi_node_ops with_keys = { .version = UBI_NODE_OPS_VERSION,
                                        .id = id_of,
                                        .type_name = type_of,
                                        .edges = edges_of,
                                        .ref_limit = limit_of,
                                        .group = group_of,
                                        .keyed_edges = keyed_edges_of,
                                        .edge_name = name_of };

/* ---- comparing ------------------------------------------------------------------------------------------------------ */

static bytes saved(test_heap *h, const ubi_node_ops *ops, const ubi_save_options *how) {
    ubi_save_options options = how ? *how : (ubi_save_options)UBI_SAVE_OPTIONS_INIT;
    options.has_time = true;
    return saved_walk((ubi_node){ ops, h, 0 }, &options, NULL);
}

static bytes saved_by_keys(test_heap *h, const ubi_save_options *how) {
    bytes with = saved(h, &with_keys, how), without = saved(h, &without_keys, how);
    assert_int_equal(with.n, without.n);
    assert_memory_equal(with.at, without.at, with.n);
    bytes_free(&without);
    return with;
}

static void assert_edge(const ubi_graph *g, ubi_edge_ix edge, uint64_t id, ubi_text name) {
    ubi_str_ix found = ubi_graph_edge_name(g, edge);
    assert_int_equal(ubi_graph_node_id(g, ubi_graph_edge_target(g, edge)), id);
    assert_int_equal(found == UBI_NONE, name.ptr == NULL);
    if (name.ptr)
        assert_true(ubi__text_equal(ubi_graph_string(g, found), name));
}

static ubi_node_ix node_of(const ubi_graph *g, uint64_t id) {
    ubi_node_ix node;
    assert_int_equal(ubi_graph_find(&node, g, id), UBI_OK);
    return node;
}

/* Every node with its id, and its edges in order with their names and referents. */
static void assert_holds_heap(const bytes *file, test_heap *h) {
    ubi_graph *g = graph_of_bytes(file);
    for (uint64_t from = 0; from < h->n_nodes; from++) {
        ubi_node_ix node = node_of(g, h->ids[from]);
        ubi_edge_ix edge = ubi_graph_first_edge(g, node);
        for (uint32_t i = 0; i < h->n_edges; i++)
            if (h->edges[i].from == from)
                assert_edge(g, edge++, h->ids[h->edges[i].to], name_of(h, h->edges[i].name));
        assert_int_equal(edge, ubi_graph_first_edge(g, node + 1));
    }
    assert_int_equal(ubi_graph_edge_count(g), h->n_edges);
    ubi_graph_unref(g);
}

/* ---- tests ---------------------------------------------------------------------------------------------------------- */

#define KEY(i)                                                                                                         \
    { NAMED, i }
#define NUMBER(i)                                                                                                      \
    { UBI_EDGE_KEY_NUMBER, i }
#define UNNAMED                                                                                                        \
    { UBI_EDGE_KEY_UNNAMED, 0 }

static const char *const names[] = {
    "left", "", "sixteen bytes ok", "a name of more than sixteen bytes", "\xc3\xa9t\xc3\xa9", "12345"
};

/* Bytes of a varint: 1, 4, 5, 5, 6, 7, 7, 8; those of 6 and more twice near each other, and then far. */
static const uint64_t ids[] = { 1,
                                (1 << 28) - 1,
                                1 << 28,
                                (UINT64_C(1) << 35) - 1,
                                UINT64_C(1) << 35,
                                UINT64_C(0x555555550000),
                                UINT64_C(0x5555ffff7f80),
                                (UINT64_C(1) << 53) - 1 };

static test_edge every_kind[] = {
    { 0, 1, KEY(0) },       { 0, 2, KEY(0) },       { 0, 3, KEY(1) },       { 0, 4, KEY(2) },
    { 0, 5, KEY(3) },       { 0, 6, KEY(3) },       { 0, 7, KEY(4) },       { 0, 0, KEY(5) },
    { 1, 5, UNNAMED },      { 1, 6, UNNAMED },      { 1, 4, KEY(0) },       { 1, 4, KEY(3) },
    { 2, 5, NUMBER(0) },    { 2, 6, NUMBER(7) },    { 2, 7, NUMBER(0) },    { 2, 1, NUMBER(8191) },
    { 3, 4, NUMBER(8191) }, { 3, 5, NUMBER(8192) }, { 3, 6, NUMBER(8192) }, { 3, 7, NUMBER(4294967295) },
    { 4, 7, KEY(0) },       { 4, 6, KEY(2) },       { 4, 5, KEY(0) },       { 4, 5, NUMBER(12345) },
    { 5, 6, KEY(4) },       { 5, 7, KEY(4) },       { 6, 7, KEY(5) },       { 7, 7, NUMBER(7) },
};

static test_heap heap_of(test_edge *edges, uint32_t n_edges) {
    return (test_heap){ .names = names,
                        .ids = ids,
                        .n_nodes = sizeof ids / sizeof *ids,
                        .edges = edges,
                        .n_edges = n_edges,
                        .at_a_time = 3 };
}

static test_heap small_heap(void) {
    return heap_of(every_kind, sizeof every_kind / sizeof *every_kind);
}

static void names_by_key_give_the_file_that_names_by_text_give(void **state) {
    test_heap h = small_heap();
    (void)state;
    for (h.at_a_time = 1; h.at_a_time <= 8; h.at_a_time++) {
        bytes file = saved_by_keys(&h, NULL);
        assert_holds_heap(&file, &h);
        bytes_free(&file);
    }
    assert_int_equal(h.keyed_calls, 8 * h.n_nodes); /* each node's edges once */
}

/* Numbers and names that were met before and were not, on both sides of what the encoder keeps of one node. */
static void a_large_array_is_enumerated_twice_and_its_file_is_the_same(void **state) {
    enum { ELEMENTS = 20000, FIRST = 8000 };
    test_edge *edges = calloc(ELEMENTS + 4, sizeof *edges);
    test_heap h = heap_of(edges, ELEMENTS + 4);
    (void)state;
    assert_non_null(edges);
    edges[0] = (test_edge){ 0, 1, KEY(0) };
    for (uint32_t i = 0; i < ELEMENTS; i++)
        edges[1 + i] = (test_edge){ 0, 1 + i % 7, NUMBER(FIRST + i) };
    edges[ELEMENTS + 1] = (test_edge){ 0, 1, KEY(0) };
    edges[ELEMENTS + 2] = (test_edge){ 0, 2, KEY(3) };
    edges[ELEMENTS + 3] = (test_edge){ 1, 2, NUMBER(FIRST) };
    bytes file = saved_by_keys(&h, NULL);
    assert_holds_heap(&file, &h);
    assert_int_equal(h.keyed_calls, h.n_nodes + 1);
    bytes_free(&file);
    free(edges);
}

static ubi_edge_verdict some_edges(void *payload, ubi_node origin, ubi_node referent) {
    (void)payload;
    if (origin.ref == 0)
        return referent.ref == 3 ? UBI_EDGE_ABANDON : referent.ref > 3 ? UBI_EDGE_SKIP : UBI_EDGE_FOLLOW;
    return UBI_EDGE_FOLLOW;
}

static void an_edge_filter_sees_the_edges_of_keys(void **state) {
    test_heap h = small_heap();
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    (void)state;
    bytes all = saved_by_keys(&h, NULL);
    options.edge_filter = some_edges;
    bytes some = saved_by_keys(&h, &options);
    assert_true(some.n < all.n);
    ubi_graph *g = graph_of_bytes(&some);
    ubi_node_ix abandoned = node_of(g, ids[3]);
    assert_int_equal(ubi_graph_first_edge(g, abandoned), ubi_graph_first_edge(g, abandoned + 1));
    ubi_graph_unref(g);
    bytes_free(&all);
    bytes_free(&some);
}

static ubi_status shout(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    (void)payload, (void)text;
    *out = ubi__text(role == UBI_TEXT_EDGE_NAME ? "EDGE" : "OTHER");
    return UBI_OK;
}

static void mapped_names_are_asked_for_by_text(void **state) {
    test_heap h = small_heap();
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    (void)state;
    options.map_text = shout;
    bytes file = saved_by_keys(&h, &options);
    assert_int_equal(h.keyed_calls, 0);
    bytes_free(&file);
}

/* ---- several heaps -------------------------------------------------------------------------------------------------- */

static uint64_t id_of_joint(ubi_node node) {
    (void)node;
    return 3;
}

static bool edges_of_joint(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    const ubi_node *roots = node.heap;
    (void)want_names;
    return fn(payload, roots[0], ubi__text("one")) && fn(payload, roots[1], ubi__text("other"));
}

static void equal_keys_of_two_heaps_are_two_names(void **state) {
    static const ubi_node_ops joint = {
        .version = UBI_NODE_OPS_VERSION, .id = id_of_joint, .type_name = type_of, .edges = edges_of_joint
    };
    static const char *const other_names[] = { "right" };
    static const uint64_t one_ids[] = { 10 }, other_ids[] = { 20 };
    test_edge edge = { 0, 0, KEY(0) };
    test_heap one = { names, one_ids, 1, &edge, 1, 1, 0, "" },
              other = { other_names, other_ids, 1, &edge, 1, 1, 0, "" };
    ubi_node roots[] = { { &with_keys, &one, 0 }, { &with_keys, &other, 0 } };
    (void)state;
    bytes file = saved_walk((ubi_node){ &joint, roots, 0 }, NULL, NULL);
    ubi_graph *g = graph_of_bytes(&file);
    assert_edge(g, ubi_graph_first_edge(g, node_of(g, 10)), 10, ubi__text("left"));
    assert_edge(g, ubi_graph_first_edge(g, node_of(g, 20)), 20, ubi__text("right"));
    ubi_graph_unref(g);
    bytes_free(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_by_key_give_the_file_that_names_by_text_give),
        cmocka_unit_test(a_large_array_is_enumerated_twice_and_its_file_is_the_same),
        cmocka_unit_test(an_edge_filter_sees_the_edges_of_keys),
        cmocka_unit_test(mapped_names_are_asked_for_by_text),
        cmocka_unit_test(equal_keys_of_two_heaps_are_two_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
