/* SPDX-License-Identifier: MIT
 *
 * retaining_random_test.c: who refers to a node, in random heaps and against a slow and obvious version.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/views/retaining.h>

#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "random_heap.h"
#include "random_v8_heap.h"

enum { MOST_NODES = 60, MOST_RETAINERS = 400, ROUNDS = 1500 };

static ubi_look *look_through(const char *lens, ubi_graph *g) {
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find(lens), g, NULL), UBI_OK);
    return look;
}

static ubi_retaining *retaining_of(const ubi_look *look) {
    ubi_retaining *retaining;
    assert_int_equal(ubi_retaining_new(&retaining, look, NULL), UBI_OK);
    return retaining;
}

/* ---- the slow and obvious version -------------------------------------------------------------------------------- */

#define FAR (-5)

typedef struct plain {
    const ubi_graph *g;
    bool is_v8;
    int64_t before[MOST_NODES], distance[MOST_NODES]; /* nothing ignored, and as it is now */
    bool is_ignored[MOST_NODES], has_ignored;
    bool has_pending; /* there is one pair of edges of a WeakMap, by name */
} plain;

static ubi__v8_type type_of(const plain *p, ubi_node_ix node) {
    return (ubi__v8_type)ubi_graph_kind(p->g, ubi_graph_node_kind(p->g, node))->raw_type;
}

static bool is_named(const plain *p, ubi_node_ix node, const char *name) {
    return ubi__text_is(ubi_graph_string(p->g, ubi_graph_node_name(p->g, node)), name);
}

static ubi_text name_of(const plain *p, ubi_edge_ix e) {
    return ubi_graph_string(p->g, ubi_graph_edge_name(p->g, e));
}

static bool is_ephemeron(const plain *p, ubi_edge_ix e) {
    return ubi_graph_edge_kind(p->g, e) == UBI_EDGE_INTERNAL && ubi__text_contains(name_of(p, e), ubi__text("WeakMap"));
}

static bool counts_of_descriptors(const plain *p, ubi_edge_ix e) {
    char text[128], *end;
    uint32_t number;
    if (ubi_graph_edge_number(&number, p->g, e))
        return number < 2 || number % 3 != 1;
    ubi_text name = name_of(p, e);
    snprintf(text, sizeof text, "%.*s", (int)name.len, name.ptr);
    long index = strtol(text, &end, 10);
    return end == text || index < 2 || index % 3 != 1;
}

static bool edge_counts(plain *p, ubi_node_ix source, ubi_edge_ix e) {
    if (type_of(p, source) == UBI__V8_HIDDEN && is_named(p, source, "system / NativeContext") &&
        ubi__text_is(name_of(p, e), "sloppy_function_map"))
        return false;
    if (type_of(p, source) == UBI__V8_ARRAY && is_named(p, source, "(map descriptors)"))
        return counts_of_descriptors(p, e);
    if (!is_ephemeron(p, e))
        return true;
    p->has_pending = !p->has_pending;
    return !p->has_pending;
}

static void count(plain *p, int64_t *distance, const bool *ignored, ubi_node_ix *queue, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (ubi_edge_ix e = ubi_graph_first_edge(p->g, queue[i]); e < ubi_graph_first_edge(p->g, queue[i] + 1); e++) {
            ubi_node_ix target = ubi_graph_edge_target(p->g, e);
            if (distance[target] != FAR || ubi_graph_edge_kind(p->g, e) == UBI_EDGE_WEAK)
                continue;
            if ((ignored && ignored[target]) || (p->is_v8 && !edge_counts(p, queue[i], e)))
                continue;
            distance[target] = distance[queue[i]] + 1;
            queue[n++] = target;
        }
}

static void count_all(plain *p, int64_t *distance, const bool *ignored) {
    ubi_node_ix queue[MOST_NODES + 1], root = ubi_graph_root(p->g);
    size_t n = 0;
    for (ubi_node_ix i = 0; i < ubi_graph_node_count(p->g); i++)
        distance[i] = FAR;
    p->has_pending = false;
    for (ubi_edge_ix e = ubi_graph_first_edge(p->g, root); p->is_v8 && e < ubi_graph_first_edge(p->g, root + 1); e++) {
        ubi_node_ix t = ubi_graph_edge_target(p->g, e);
        if (distance[t] == FAR && (type_of(p, t) != UBI__V8_SYNTHETIC || is_named(p, t, "(Document DOM trees)"))) {
            distance[t] = 1;
            queue[n++] = t;
        }
    }
    bool has_user_roots = n > 0;
    count(p, distance, ignored, queue, n);
    distance[root] = has_user_roots ? UBI_LOOK_SYSTEM_DISTANCE : 0;
    queue[0] = root;
    count(p, distance, ignored, queue, 1);
}

static bool leads_to(const plain *p, ubi_edge_ix e, ubi_node_ix node) {
    return ubi_graph_edge_target(p->g, e) == node;
}

/* Whether an edge of a WeakMap has a partner that leaves a node out of reach. */
static bool is_useless(const plain *p, ubi_edge_ix e) {
    if (!p->has_ignored || !p->is_v8 || !is_ephemeron(p, e))
        return false;
    for (ubi_edge_ix other = 0; other < ubi_graph_edge_count(p->g); other++)
        if (is_ephemeron(p, other) && leads_to(p, other, ubi_graph_edge_target(p->g, e)) &&
            p->distance[ubi_graph_edge_source(p->g, other)] == FAR)
            return true;
    return false;
}

static uint64_t distance_of(const plain *p, ubi_node_ix node) {
    if (p->distance[node] != FAR)
        return (uint64_t)p->distance[node];
    return (p->before[node] > 0 ? (uint64_t)p->before[node] : 0) + 200000000;
}

static bool is_retainer(const plain *p, ubi_edge_ix e) {
    return !p->is_v8 ||
           (ubi_graph_edge_kind(p->g, e) != UBI_EDGE_WEAK && ubi_graph_edge_source(p->g, e) != ubi_graph_root(p->g));
}

static int compare_names(const plain *p, ubi_edge_ix a, ubi_edge_ix b) {
    uint32_t x, y;
    bool a_number = ubi_graph_edge_number(&x, p->g, a), b_number = ubi_graph_edge_number(&y, p->g, b);
    if (a_number && b_number)
        return x < y ? -1 : x > y;
    return a_number ? 1 : b_number ? -1 : ubi__text_compare(name_of(p, a), name_of(p, b));
}

static bool before(const plain *p, const ubi_retainer *a, const ubi_retainer *b) {
    uint64_t a_id = ubi_graph_node_id(p->g, a->node), b_id = ubi_graph_node_id(p->g, b->node);
    if (a->distance != b->distance)
        return a->distance < b->distance;
    if (a_id != b_id)
        return a_id < b_id;
    int order = compare_names(p, a->edge, b->edge);
    return order ? order < 0 : a->edge < b->edge;
}

static uint32_t list_retainers(ubi_retainer *out, const plain *p, ubi_node_ix node) {
    uint32_t n = 0;
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(p->g); e++) {
        if (!leads_to(p, e, node) || !is_retainer(p, e))
            continue;
        ubi_node_ix source = ubi_graph_edge_source(p->g, e);
        ubi_retainer r = { e, source, is_useless(p, e) ? 200000000 : distance_of(p, source), p->is_ignored[source] };
        uint32_t at = n++;
        for (; at > 0 && before(p, &r, &out[at - 1]); at--)
            out[at] = out[at - 1];
        out[at] = r;
    }
    return n;
}

/* ---- random heaps ------------------------------------------------------------------------------------------------ */

static void compare_lists(const plain *p, const ubi_retaining *r) {
    ubi_retainer expected[MOST_RETAINERS], found[MOST_RETAINERS];
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(p->g); node++) {
        uint32_t n = list_retainers(expected, p, node), n_found, max = random_below(n + 2);
        assert_int_equal(ubi_retaining_distance(r, node), distance_of(p, node));
        assert_int_equal(ubi_retaining_is_ignored(r, node), p->is_ignored[node]);
        assert_int_equal(ubi_retaining_count(r, node), n);
        assert_int_equal(ubi_retaining_first(found, &n_found, r, node, MOST_RETAINERS), UBI_OK);
        assert_int_equal(n_found, n);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(found[i].edge, expected[i].edge);
            assert_int_equal(found[i].node, expected[i].node);
            assert_int_equal(found[i].distance, expected[i].distance);
            assert_int_equal(found[i].is_ignored, expected[i].is_ignored);
        }
        assert_int_equal(ubi_retaining_first(found, &n_found, r, node, max), UBI_OK);
        assert_int_equal(n_found, max < n ? max : n);
    }
}

/* Each step is the nearest there is, then the first in the file. */
static void compare_shortest(const plain *p, const ubi_retaining *r) {
    ubi_retainer steps[MOST_NODES], list[MOST_RETAINERS];
    for (ubi_node_ix start = 0; start < ubi_graph_node_count(p->g); start++) {
        ubi_node_ix node = start;
        uint64_t distance = distance_of(p, start);
        uint32_t n = ubi_retaining_shortest(steps, r, start, MOST_NODES);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t n_list = list_retainers(list, p, node), best = 0;
            assert_true(distance > 1 && n_list > 0);
            for (uint32_t k = 1; k < n_list; k++)
                if (list[k].distance < list[best].distance ||
                    (list[k].distance == list[best].distance && list[k].edge < list[best].edge))
                    best = k;
            assert_int_equal(steps[i].edge, list[best].edge);
            node = steps[i].node;
            distance = steps[i].distance;
        }
        bool at_end = distance <= 1 || n == MOST_NODES || list_retainers(list, p, node) == 0 ||
                      list[0].distance >= UBI_RETAINING_UNREACHABLE;
        assert_true(at_end);
    }
}

static void ignore_some(plain *p, ubi_retaining *r) {
    ubi_node_ix nodes[4];
    uint32_t n = random_below(5);
    memset(p->is_ignored, 0, sizeof p->is_ignored);
    for (uint32_t i = 0; i < n; i++) {
        nodes[i] = random_below(ubi_graph_node_count(p->g));
        p->is_ignored[nodes[i]] = true;
    }
    p->has_ignored = n > 0;
    count_all(p, p->distance, n ? p->is_ignored : NULL);
    assert_int_equal(ubi_retaining_ignore(r, nodes, n), UBI_OK);
}

static void compare(const char *lens, ubi_graph *g) {
    ubi_look *look = look_through(lens, g);
    ubi_retaining *r = retaining_of(look);
    plain p = { .g = g, .is_v8 = strcmp(lens, "v8") == 0 };
    count_all(&p, p.before, NULL);
    for (int i = 0; i < 3; i++) {
        ignore_some(&p, r);
        compare_lists(&p, r);
        compare_shortest(&p, r);
    }
    ubi_retaining_free(r);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void random_heaps_of_v8_have_the_retainers_of_devtools(void **state) {
    (void)state;
    random_start(41);
    for (int i = 0; i < ROUNDS; i++)
        compare("v8", random_v8_heap(2 + random_below(30)));
}

static void random_heaps_of_others_have_all_their_edges(void **state) {
    (void)state;
    random_start(42);
    for (int i = 0; i < ROUNDS; i++)
        compare("plain", random_heap());
}

/* ---- trees ------------------------------------------------------------------------------------------------------- */

/* How many rows there are when nothing is left out. `way`: nodes down to the one the tree is about. */
static uint32_t count_paths(const plain *p, ubi_node_ix *way, uint32_t depth, const ubi_retaining_tree_options *o) {
    ubi_retainer list[MOST_RETAINERS];
    uint32_t n = list_retainers(list, p, way[depth]), rows = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool seen = false;
        for (uint32_t k = 0; k <= depth; k++)
            seen |= way[k] == list[i].node;
        rows++;
        way[depth + 1] = list[i].node;
        if (!seen && list[i].distance > o->end_distance && depth + 1 < o->max_depth)
            rows += count_paths(p, way, depth + 1, o);
    }
    return rows;
}

static bool is_same_way(const ubi_retaining_row *rows, uint32_t a, uint32_t b) {
    while (a != UBI_NONE && b != UBI_NONE && rows[a].retainer.edge == rows[b].retainer.edge) {
        a = rows[a].parent;
        b = rows[b].parent;
    }
    return a == UBI_NONE && b == UBI_NONE;
}

static void check_row(const plain *p, const ubi_retaining_row *rows, uint32_t i, ubi_node_ix node) {
    uint32_t parent = rows[i].parent;
    ubi_node_ix below = parent == UBI_NONE ? node : rows[parent].retainer.node;
    assert_true(leads_to(p, rows[i].retainer.edge, below) && is_retainer(p, rows[i].retainer.edge));
    assert_int_equal(rows[i].depth, parent == UBI_NONE ? 1 : rows[parent].depth + 1);
    bool is_circular = rows[i].retainer.node == node;
    for (; parent != UBI_NONE; parent = rows[parent].parent)
        is_circular |= rows[parent].retainer.node == rows[i].retainer.node;
    assert_int_equal(rows[i].is_circular, is_circular);
    assert_false(is_circular && (rows[i].is_open || rows[i].n_children));
    for (uint32_t k = 0; k < i; k++)
        assert_false(is_same_way(rows, i, k));
    for (uint32_t k = 1; k < rows[i].n_children; k++)
        assert_true(rows[rows[i].first_child + k - 1].retainer.distance <=
                    rows[rows[i].first_child + k].retainer.distance);
}

static void compare_tree(const plain *p, const ubi_retaining *r, ubi_node_ix node) {
    ubi_retaining_tree_options o = UBI_RETAINING_TREE_OPTIONS_INIT;
    ubi_retaining_tree *tree;
    ubi_node_ix way[MOST_NODES] = { node };
    uint32_t n;
    o.max_depth = 1 + random_below(6);
    o.end_distance = random_below(3);
    o.max_siblings = MOST_RETAINERS;
    assert_int_equal(ubi_retaining_tree_new(&tree, r, node, &o), UBI_OK);
    const ubi_retaining_row *rows = ubi_retaining_tree_rows(tree, &n);
    if (!ubi_retaining_tree_limits(tree).has_more_nodes && n < 500) {
        assert_int_equal(n, count_paths(p, way, 0, &o));
        assert_false(ubi_retaining_tree_limits(tree).has_more_siblings);
        for (uint32_t i = 0; i < n; i++)
            check_row(p, rows, i, node);
    }
    ubi_retaining_tree_free(tree);
}

static void trees_have_every_path_up_to_where_it_closes_a_circle(void **state) {
    (void)state;
    random_start(43);
    for (int i = 0; i < ROUNDS; i++) {
        ubi_graph *g = random_v8_heap(2 + random_below(10));
        ubi_look *look = look_through("v8", g);
        ubi_retaining *r = retaining_of(look);
        plain p = { .g = g, .is_v8 = true };
        count_all(&p, p.before, NULL);
        ignore_some(&p, r);
        compare_tree(&p, r, random_below(ubi_graph_node_count(g)));
        ubi_retaining_free(r);
        ubi_look_close(look);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_heaps_of_v8_have_the_retainers_of_devtools),
        cmocka_unit_test(random_heaps_of_others_have_all_their_edges),
        cmocka_unit_test(trees_have_every_path_up_to_where_it_closes_a_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
