/* SPDX-License-Identifier: MIT
 *
 * Tests of keepers: which nodes are said to hold a heap.
 *
 * Heaps here are in KiB, so that a keeper needs 4 of them and 1 % of everything. Expected: "id exclusive[retained] dominated
 * held-count held-class", biggest first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/views/keepers.h>

#include "drawing.h"
#include "fail_allocator.h"

#define KIB 1024ull

static ubi_text name_of(const ubi_graph *g, ubi_kind_ix k) {
    const ubi_kind *kind = ubi_graph_kind(g, k);
    return ubi_graph_string(g, kind->class_name != UBI_NONE ? kind->class_name : kind->type_name);
}

static char *write_keeper(char *out, const ubi_graph *g, const ubi_keeper *k) {
    out += sprintf(out, "%llu %llu[%llu] %u", (unsigned long long)ubi_graph_node_id(g, k->node),
                   (unsigned long long)k->exclusive_bytes / KIB, (unsigned long long)k->retained_bytes / KIB,
                   k->n_dominated);
    if (k->held_kind == UBI_NONE)
        return out + sprintf(out, " -");
    ubi_text name = name_of(g, k->held_kind);
    return out + sprintf(out, " %u %.*s", k->n_held, (int)name.len, name.ptr);
}

static void assert_keepers_of(const ubi_graph *graph, uint32_t max, const char *expected) {
    char text[1024], *out = text;
    ubi_view view = ubi_view_of(graph);
    ubi_dominators *dominators;
    ubi_keeper keepers[16];
    uint32_t n = 99;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    assert_int_equal(ubi_keepers_find(keepers, &n, max, dominators, graph, NULL), UBI_OK);
    *out = 0;
    for (uint32_t i = 0; i < n; i++) {
        out += sprintf(out, "%s", i ? "; " : "");
        out = write_keeper(out, graph, &keepers[i]);
    }
    assert_string_equal(text, expected);
    ubi_dominators_free(dominators);
}

/* A heap under construction: ids from 1 on, classes by name, sizes in KiB, edges with names. */
typedef struct heap {
    char text[1 << 16];
    size_t n;
} heap;

static void heap_node(heap *h, int id, const char *class_name, int size_kib, const char *edges) {
    bool internal = strcmp(class_name, "engine") == 0;
    h->n += (size_t)snprintf(h->text + h->n, sizeof h->text - h->n, "%d(coarse=%s %s=%s size=%llu)%s%s;", id,
                             internal ? "other" : "object", internal ? "type" : "class", class_name,
                             (unsigned long long)size_kib * KIB, *edges ? " -> " : "", edges);
}

static void assert_keepers(const heap *h, const char *expected) {
    ubi_graph *graph = graph_from_drawing(h->text);
    assert_keepers_of(graph, 16, expected);
    ubi_graph_unref(graph);
}

/* ",".join(name first..last), each by an edge "x[i]" */
static const char *elements(int first, int n) {
    static char text[4096];
    size_t at = 0;
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d \"x[%d]\"", i ? ", " : "", first + i, i);
    return text;
}

static void the_end_of_a_chain_is_the_keeper(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2");
    heap_node(&h, 2, "Window", 1, "3 \"app\"");
    heap_node(&h, 3, "App", 1, "4 \"cache\"");
    heap_node(&h, 4, "Map", 1, elements(10, 100));
    for (int i = 0; i < 100; i++)
        heap_node(&h, 10 + i, "Entry", 1, "");
    assert_keepers(&h, "4 101[101] 100 100 Entry");
}

static void a_large_thing_is_its_own_keeper(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2, 3");
    heap_node(&h, 2, "View", 1, "4 \"buffer\"");
    heap_node(&h, 3, "Small", 2, "");
    heap_node(&h, 4, "Buffer", 60, "");
    assert_keepers(&h, "4 60[60] 0 -");
}

static void keepers_within_keepers_do_not_count_twice(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2");
    heap_node(&h, 2, "Outer", 1, "3 \"inner\", 20 \"a\", 21 \"b\", 22 \"c\"");
    heap_node(&h, 3, "Inner", 1, "30 \"a\", 31 \"b\"");
    for (int i = 20; i < 23; i++)
        heap_node(&h, i, "Item", 3, "");
    for (int i = 30; i < 32; i++)
        heap_node(&h, i, "Part", 3, "");
    assert_keepers(&h, "2 10[17] 6 3 Item; 3 7[7] 2 2 Part");
}

static void engine_internals_count_for_who_has_them(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2, 8");
    heap_node(&h, 2, "Map", 1, "3 \"table\"");
    heap_node(&h, 3, "engine", 20, "4 \"more\"");
    heap_node(&h, 4, "engine", 20, "5, 6, 7");
    for (int i = 5; i < 8; i++)
        heap_node(&h, i, "Value", 1, "");
    heap_node(&h, 8, "engine", 9, ""); /* no other node to name */
    assert_keepers(&h, "2 44[44] 5 3 Value; 8 9[9] 0 -");
}

static void a_list_counts_for_its_head(void **state) {
    (void)state;
    heap h = { .n = 0 };
    char next[16];
    heap_node(&h, 1, "engine", 0, "2");
    heap_node(&h, 2, "List", 1, "10 \"head\"");
    for (int i = 10; i < 60; i++) {
        snprintf(next, sizeof next, "%d \"next\"", i + 1);
        heap_node(&h, i, "Node", 2, i < 59 ? next : "");
    }
    assert_keepers(&h, "10 100[100] 49 49 Node");
}

static void a_tree_of_nodes_and_arrays_counts_for_its_top(void **state) {
    (void)state;
    heap h = { .n = 0 };
    char edges[64];
    heap_node(&h, 1, "engine", 0, "2 \"tree\"");
    /* Every Node has an Array of two Nodes of the next level; the Array's number is 200 more. */
    for (int depth = 0, first = 2, n = 1; depth < 6; first += n, n *= 2, depth++)
        for (int i = 0; i < n; i++) {
            int id = first + i, below = first + n + 2 * i;
            snprintf(edges, sizeof edges, "%d \"children\"", 200 + id);
            heap_node(&h, id, "Node", 2, depth < 5 ? edges : "");
            snprintf(edges, sizeof edges, "%d \"[0]\", %d \"[1]\"", below, below + 1);
            if (depth < 5)
                heap_node(&h, 200 + id, "Array", 1, edges);
        }
    assert_keepers(&h, "2 157[157] 93 62 Node");
}

static void elements_of_a_size_count_for_the_array(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2");
    heap_node(&h, 2, "Array", 1, elements(10, 12));
    for (int i = 10; i < 22; i++) {
        char edge[24];
        snprintf(edge, sizeof edge, "%d \"data\"", 100 + i);
        heap_node(&h, i, "Wrapper", 1, edge);
        heap_node(&h, 100 + i, "Buffer", 7, "");
    }
    assert_keepers(&h, "2 97[97] 24 12 Wrapper");
}

static void properties_are_no_elements(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2");
    heap_node(&h, 2, "Store", 1, "10 \"users\", 11 \"posts\", 12 \"images\", 13 \"tags\"");
    for (int i = 10; i < 14; i++)
        heap_node(&h, i, "Object", 8 + i - 10, "");
    assert_keepers(&h, "13 11[11] 0 -; 12 10[10] 0 -; 11 9[9] 0 -; 10 8[8] 0 -");
}

static void one_element_with_half_of_all_speaks_for_itself(void **state) {
    (void)state;
    heap h = { .n = 0 };
    heap_node(&h, 1, "engine", 0, "2");
    heap_node(&h, 2, "Array", 1, elements(10, 4));
    for (int i = 10; i < 14; i++)
        heap_node(&h, i, "Item", i == 12 ? 50 : 5, "");
    assert_keepers(&h, "12 50[50] 0 -; 10 5[5] 0 -; 11 5[5] 0 -; 13 5[5] 0 -");
}

static void small_heaps_have_none(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2; 2(size=4000)");
    assert_keepers_of(graph, 16, "");
    ubi_graph_unref(graph);
    graph = graph_from_drawing("1(size=100000)");
    assert_keepers_of(graph, 16, "");
    ubi_graph_unref(graph);
}

static void unreachable_memory_has_no_keeper(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2; 2(coarse=object class=A size=5120); 3(size=1000000)");
    assert_keepers_of(graph, 16, "2 5[5] 0 -");
    ubi_graph_unref(graph);
}

static void the_smallest_are_left_out_when_there_is_no_room(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2, 3, 4; 2(coarse=object class=A size=6144);"
                                          "3(coarse=object class=B size=7168); 4(coarse=object class=C size=8192)");
    assert_keepers_of(graph, 2, "4 8[8] 0 -; 3 7[7] 0 -");
    assert_keepers_of(graph, 0, "");
    ubi_graph_unref(graph);
}

static void sizes_that_wrap_do_no_harm(void **state) {
    (void)state;
    char text[8192];
    size_t n = (size_t)snprintf(text, sizeof text, "1(size=9223372036854775808) -> ");
    for (int i = 2; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d", i > 2 ? ", " : "", i);
    for (int i = 2; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ";%d(coarse=object class=A size=9223372036854775807) -> %d", i,
                              i + 200);
    ubi_graph *graph = graph_from_drawing(text);
    ubi_view view = ubi_view_of(graph);
    ubi_dominators *dominators;
    ubi_keeper keepers[8];
    uint32_t n_keepers;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    assert_int_equal(ubi_keepers_find(keepers, &n_keepers, 8, dominators, graph, NULL), UBI_OK);
    assert_in_range(n_keepers, 0, 8);
    ubi_dominators_free(dominators);
    ubi_graph_unref(graph);
}

/* ---- lists of roots ------------------------------------------------------------------------------------------------ */

/* The root has two lists; what only they hold may be a keeper, whatever it is, but the lists are not. */
static void lists_of_roots_are_no_keepers(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("r(type=Root size=0) -> lists; lists(type=Roots size=0) -> strong, weak; "
                                          "strong(type=Roots size=0) -> table; weak(type=Roots size=0) -> map; "
                                          "table(type=array size=4000000); map(class=Map coarse=object size=2000000)");
    ubi_view view = ubi_view_of(graph);
    ubi_keepers_options options = UBI_KEEPERS_OPTIONS_INIT;
    ubi_dominators *dominators;
    ubi_keeper keepers[4];
    bool roots[8] = { false };
    uint32_t n;
    for (ubi_kind_ix kind = 0; kind < ubi_graph_kind_count(graph); kind++) {
        ubi_text type = ubi_graph_string(graph, ubi_graph_kind(graph, kind)->type_name);
        roots[kind] = type.len == 5 && memcmp(type.ptr, "Roots", 5) == 0;
    }
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    assert_int_equal(ubi_keepers_find(keepers, &n, 4, dominators, graph, &options), UBI_OK);
    assert_int_equal(n, 2);
    assert_int_equal(ubi_graph_node_id(graph, keepers[0].node), 2); /* the lists, with all that only internals hold */
    options.is_root_kind = roots;
    assert_int_equal(ubi_keepers_find(keepers, &n, 4, dominators, graph, &options), UBI_OK);
    assert_int_equal(n, 2);
    assert_int_equal(keepers[0].exclusive_bytes, 4000000);
    assert_int_equal(keepers[1].exclusive_bytes, 2000000);
    ubi_dominators_free(dominators);
    ubi_graph_unref(graph);
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* A list of n nodes with a large one at its end: every node is large. */
static ubi_graph *make_heavy_list(uint32_t n) {
    ubi_graph_builder *builder;
    ubi_graph *graph;
    ubi_str_ix text;
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &text, (ubi_text){ "T", 1 }), UBI_OK);
    for (uint64_t id = 1; id <= n; id++) {
        ubi_kind kind = { .type_name = text,
                          .class_name = text,
                          .script_filename = UBI_NONE,
                          .descriptive_name = UBI_NONE,
                          .coarse_type = id % 3 ? UBI_COARSE_OBJECT : UBI_COARSE_OTHER };
        ubi_node_desc node = { id, id == n ? 1 << 30 : 1, kind, UBI_NONE };
        assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
        if (id < n)
            assert_int_equal(ubi_graph_builder_edge(builder, id + 1, text), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    return graph;
}

static void a_long_chain_of_large_nodes_takes_linear_time(void **state) {
    (void)state;
    ubi_graph *graph = make_heavy_list(300001);
    assert_keepers_of(graph, 16, "300001 1048576[1048576] 0 -");
    ubi_graph_unref(graph);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)stage, (void)done, (void)total;
    return false;
}

static void every_failure_leaves_the_result_alone(void **state) {
    (void)state;
    ubi_graph *graph = make_heavy_list(40);
    ubi_view view = ubi_view_of(graph);
    ubi_dominators *dominators;
    ubi_keepers_options options = UBI_KEEPERS_OPTIONS_INIT;
    ubi_keeper keepers[4];
    uint32_t n_keepers = 77;
    assert_int_equal(ubi_dominators_new(&dominators, &view, NULL), UBI_OK);
    for (uint64_t n = 0;; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        options.allocator = &f.allocator;
        ubi_status status = ubi_keepers_find(keepers, &n_keepers, 4, dominators, graph, &options);
        fail_allocator_fini(&f);
        if (status == UBI_OK)
            break;
        assert_int_equal(status, UBI_ENOMEM);
        assert_int_equal(n_keepers, 77);
    }
    assert_int_equal(n_keepers, 1);
    n_keepers = 77;
    options = (ubi_keepers_options)UBI_KEEPERS_OPTIONS_INIT;
    options.progress.fn = refuse;
    assert_int_equal(ubi_keepers_find(keepers, &n_keepers, 4, dominators, graph, &options), UBI_ECANCELLED);
    options.version = 9;
    assert_int_equal(ubi_keepers_find(keepers, &n_keepers, 4, dominators, graph, &options), UBI_EINVAL);
    assert_int_equal(n_keepers, 77);
    ubi_dominators_free(dominators);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_chain_is_the_keeper),
        cmocka_unit_test(a_large_thing_is_its_own_keeper),
        cmocka_unit_test(keepers_within_keepers_do_not_count_twice),
        cmocka_unit_test(engine_internals_count_for_who_has_them),
        cmocka_unit_test(a_list_counts_for_its_head),
        cmocka_unit_test(a_tree_of_nodes_and_arrays_counts_for_its_top),
        cmocka_unit_test(elements_of_a_size_count_for_the_array),
        cmocka_unit_test(properties_are_no_elements),
        cmocka_unit_test(one_element_with_half_of_all_speaks_for_itself),
        cmocka_unit_test(small_heaps_have_none),
        cmocka_unit_test(unreachable_memory_has_no_keeper),
        cmocka_unit_test(the_smallest_are_left_out_when_there_is_no_room),
        cmocka_unit_test(sizes_that_wrap_do_no_harm),
        cmocka_unit_test(lists_of_roots_are_no_keepers),
        cmocka_unit_test(a_long_chain_of_large_nodes_takes_linear_time),
        cmocka_unit_test(every_failure_leaves_the_result_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
