/* SPDX-License-Identifier: MIT
 *
 * paths_random_test.c: paths of 10^5 random small graphs against the words of the specification, put on top of the general
 * breadth-first walk.
 *
 * Graphs have parallel edges, self edges, cycles through the start, nodes out of reach and, half of them, edges that the view
 * leaves out: the plain implementation gets a graph without these. Edge names distinguish edges in some graphs, and repeat or
 * are missing in others, where overlaid paths have something to merge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/paths.h>

#include "analyses/paths/path_walk.h"
#include "base/text.h"
#include "random_numbers.h"

enum { MAX_NODES = 9, MAX_EDGES = 24, MAX_FOUND = 64 };

/* ---- a random question -------------------------------------------------------------------------------------------- */

typedef struct drawn_edge {
    uint32_t source, target;
    int name; /* below 0: none */
    bool is_member;
} drawn_edge;

typedef struct question {
    uint32_t n_nodes, n_edges;
    drawn_edge edges[MAX_EDGES]; /* by source */
    bool has_set;
    uint32_t start, max_paths;
    uint32_t targets[MAX_NODES], n_targets;
} question;

static int by_source(const void *a, const void *b) {
    return (int)((const drawn_edge *)a)->source - (int)((const drawn_edge *)b)->source;
}

/* Half of the graphs are mostly chains, for long paths; some nodes have many edges. */
static uint32_t random_target(uint32_t n_nodes, uint32_t source, bool chain, uint32_t hub) {
    if (chain && random_below(2))
        return (source + 1) % n_nodes;
    return random_below(3) ? random_below(n_nodes) : hub;
}

static question random_question(void) {
    question q = { .n_nodes = 1 + random_below(MAX_NODES),
                   .n_edges = random_below(MAX_EDGES + 1),
                   .has_set = random_below(2) };
    uint32_t hub = random_below(q.n_nodes);
    bool names_differ = random_below(2), chain = random_below(2);
    for (uint32_t i = 0; i < q.n_edges; i++) {
        drawn_edge *e = &q.edges[i];
        e->source = random_below(q.n_nodes);
        e->target = random_target(q.n_nodes, e->source, chain, hub);
        e->name = names_differ ? (int)i : (int)random_below(4) - 1;
        e->is_member = !q.has_set || random_below(5);
    }
    qsort(q.edges, q.n_edges, sizeof *q.edges, by_source);
    q.start = random_below(3) ? 0 : random_below(q.n_nodes);
    q.max_paths = random_below(8) ? 1 + random_below(6) : UINT32_MAX;
    q.n_targets = 1 + random_below(4);
    for (uint32_t i = 0; i < q.n_targets; i++)
        q.targets[i] = random_below(q.n_nodes);
    return q;
}

static ubi_str_ix name_entry(ubi_graph_builder *b, int name) {
    char text[16];
    ubi_str_ix ix = UBI_NONE;
    snprintf(text, sizeof text, "%d", name);
    if (name >= 0)
        assert_int_equal(ubi_graph_builder_string(b, &ix, ubi__text(text)), UBI_OK);
    return ix;
}

/* With `members_only` without the edges that are not in the set. */
static ubi_graph *graph_of(const question *q, bool members_only) {
    ubi_graph_builder *b;
    ubi_graph *g;
    ubi_str_ix type;
    uint32_t e = 0;
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &type, ubi__text("T")), UBI_OK);
    for (uint32_t i = 0; i < q->n_nodes; i++) {
        ubi_node_desc node = { .id = i,
                               .kind = { type, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, 0, 0 },
                               .stack = UBI_NONE };
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
        for (; e < q->n_edges && q->edges[e].source == i; e++)
            if (!members_only || q->edges[e].is_member)
                assert_int_equal(ubi_graph_builder_edge(b, q->edges[e].target, name_entry(b, q->edges[e].name)),
                                 UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    return g;
}

/* ---- the plain implementation ------------------------------------------------------------------------------------- */

typedef struct back_edge {
    uint32_t origin;
    ubi_text name;
} back_edge;

typedef struct plain {
    const question *q;
    bool is_target[MAX_NODES];
    uint64_t n_counted, limit;
    back_edge back[MAX_NODES]; /* the remembered one */
    back_edge found[MAX_NODES][MAX_FOUND];
    uint32_t n_found[MAX_NODES];
} plain;

static ubi_status on_edge(void *payload, ubi_bfs *walk, ubi_node origin, ubi_node referent, ubi_text name, bool first,
                          uint64_t *data) {
    plain *p = payload;
    back_edge edge = { (uint32_t)origin.ref, name };
    (void)data;
    if (first)
        p->back[referent.ref] = edge;
    if (!p->is_target[referent.ref])
        return UBI_OK;
    uint32_t *n = &p->n_found[referent.ref];
    if (first) {
        p->found[referent.ref][0] = edge;
        *n = 1;
        p->n_counted++;
    } else if (*n < p->q->max_paths) {
        assert_in_range(*n, 0, MAX_FOUND - 1);
        p->found[referent.ref][(*n)++] = edge;
        p->n_counted++;
    }
    if (p->n_counted == p->limit)
        ubi_bfs_stop(walk);
    return UBI_OK;
}

static void find_plainly(plain *p, const question *q, const ubi_graph *members) {
    ubi_bfs *walk;
    uint32_t n_different = 0;
    memset(p, 0, sizeof *p);
    p->q = q;
    for (uint32_t i = 0; i < q->n_targets; i++) {
        n_different += !p->is_target[q->targets[i]];
        p->is_target[q->targets[i]] = true;
    }
    p->limit = (uint64_t)q->max_paths * n_different;
    assert_int_equal(ubi_bfs_new(&walk, NULL), UBI_OK);
    assert_int_equal(ubi_bfs_add_start(walk, ubi_graph_as_node(members, q->start)), UBI_OK);
    assert_int_equal(ubi_bfs_run(walk, true, on_edge, p), UBI_OK);
    ubi_bfs_free(walk);
}

/* A path from its last edge, start first. Returns its length. */
static uint32_t reconstruct(back_edge out[2 * MAX_NODES], const plain *p, back_edge last) {
    uint32_t n = 0;
    out[n++] = last;
    while (out[n - 1].origin != p->q->start) {
        assert_in_range(n, 1, 2 * MAX_NODES - 1);
        out[n] = p->back[out[n - 1].origin];
        n++;
    }
    for (uint32_t i = 0; i < n / 2; i++) {
        back_edge swapped = out[i];
        out[i] = out[n - 1 - i];
        out[n - 1 - i] = swapped;
    }
    return n;
}

/* ---- deduplicatePaths, line by line ------------------------------------------------------------------------------- */

typedef struct merged {
    struct {
        uint32_t from, to;
        ubi_text name;
    } edges[MAX_EDGES];
    uint32_t n_edges;
    uint32_t nodes[MAX_NODES + 1], n_nodes;
} merged;

static bool same_name(ubi_text a, ubi_text b) {
    return (a.ptr == NULL) == (b.ptr == NULL) && ubi__text_equal(a, b);
}

/* Before the first edge of a later group; groups are by `from`, then by `to`, as they came first. */
static void insert_edge(merged *m, uint32_t from, uint32_t to, ubi_text name) {
    uint32_t at = m->n_edges;
    for (uint32_t i = 0; i < m->n_edges; i++) {
        if (m->edges[i].from == from && m->edges[i].to == to && same_name(m->edges[i].name, name))
            return;
        if (m->edges[i].from == from && (m->edges[i].to == to || at == m->n_edges || m->edges[at - 1].to != to))
            at = i + 1;
    }
    memmove(&m->edges[at + 1], &m->edges[at], (m->n_edges - at) * sizeof *m->edges);
    m->edges[at].from = from;
    m->edges[at].to = to;
    m->edges[at].name = name;
    m->n_edges++;
}

static bool is_skipped(const back_edge *path, uint32_t n, uint32_t target) {
    for (uint32_t i = 0; i < n; i++) {
        if (path[i].origin == target)
            return true;
        for (uint32_t k = 0; k < i; k++)
            if (path[k].origin == path[i].origin)
                return true;
    }
    return false;
}

static void add_node(merged *m, uint32_t node) {
    for (uint32_t i = 0; i < m->n_nodes; i++)
        if (m->nodes[i] == node)
            return;
    m->nodes[m->n_nodes++] = node;
}

static void merge_plainly(merged *m, const plain *p, uint32_t target) {
    back_edge path[2 * MAX_NODES];
    *m = (merged){ .nodes = { target }, .n_nodes = 1 };
    for (uint32_t i = 0; i < p->n_found[target]; i++) {
        uint32_t n = reconstruct(path, p, p->found[target][i]);
        if (is_skipped(path, n, target))
            continue;
        for (uint32_t k = 0; k < n; k++) {
            add_node(m, path[k].origin);
            insert_edge(m, path[k].origin, k + 1 < n ? path[k + 1].origin : target, path[k].name);
        }
    }
}

/* ---- comparison --------------------------------------------------------------------------------------------------- */

static void compare_path(const plain *p, const ubi_paths *paths, const ubi_graph *g, uint32_t t, uint32_t i) {
    back_edge expected[2 * MAX_NODES];
    ubi_path_step steps[2 * MAX_NODES];
    uint32_t n = reconstruct(expected, p, p->found[ubi_paths_target(paths, t)][i]);
    assert_int_equal(ubi_paths_length(paths, t, i), n);
    ubi_paths_steps(steps, paths, t, i);
    for (uint32_t k = 0; k < n; k++) {
        ubi_node_ix next = k + 1 < n ? steps[k + 1].predecessor : ubi_paths_target(paths, t);
        assert_int_equal(steps[k].predecessor, expected[k].origin);
        assert_int_equal(ubi_graph_edge_source(g, steps[k].edge), steps[k].predecessor);
        assert_int_equal(ubi_graph_edge_target(g, steps[k].edge), next);
        assert_true(same_name(ubi_graph_string(g, ubi_graph_edge_name(g, steps[k].edge)), expected[k].name));
    }
}

/* What each path shares with the one before it. */
static void compare_beginnings(const ubi_paths *paths, uint32_t t) {
    ubi_path_step steps[2][2 * MAX_NODES];
    for (uint32_t i = 0; i < ubi_paths_count(paths, t); i++) {
        uint32_t shared = 0, length = ubi_paths_length(paths, t, i), other = i ? ubi_paths_length(paths, t, i - 1) : 0;
        ubi_paths_steps(steps[i % 2], paths, t, i);
        assert_int_equal(ubi_paths_shared(paths, t, i, i), length);
        if (i == 0)
            continue;
        while (shared < length && shared < other && steps[0][shared].edge == steps[1][shared].edge)
            shared++;
        assert_int_equal(ubi_paths_shared(paths, t, i, i - 1), shared);
        assert_int_equal(ubi_paths_shared(paths, t, i - 1, i), shared);
    }
}

static void compare_graphs(const merged *expected, const ubi_path_graph *path_graph, const ubi_graph *g) {
    uint32_t n_nodes;
    uint64_t n_edges;
    const ubi_node_ix *nodes = ubi_path_graph_nodes(path_graph, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n_edges);
    assert_int_equal(n_nodes, expected->n_nodes);
    assert_memory_equal(nodes, expected->nodes, n_nodes * sizeof *nodes);
    assert_int_equal(n_edges, expected->n_edges);
    for (uint64_t i = 0; i < n_edges; i++) {
        assert_int_equal(edges[i].from, expected->edges[i].from);
        assert_int_equal(edges[i].to, expected->edges[i].to);
        assert_true(same_name(ubi_graph_string(g, ubi_graph_edge_name(g, edges[i].edge)), expected->edges[i].name));
    }
}

/* The same graph from the steps of all paths, which does not know of trees. */
static ubi_path_graph *overlay_steps(const ubi_paths *paths, const ubi_graph *g, uint32_t t) {
    ubi_path_step steps[MAX_FOUND * MAX_NODES];
    uint32_t lengths[MAX_FOUND], n = 0;
    ubi_path_graph *path_graph;
    for (uint32_t i = 0; i < ubi_paths_count(paths, t); i++) {
        lengths[i] = ubi_paths_length(paths, t, i);
        ubi_paths_steps(steps + n, paths, t, i);
        n += lengths[i];
    }
    assert_int_equal(ubi_path_graph_from_steps(&path_graph, g, ubi_paths_target(paths, t), steps, lengths,
                                               ubi_paths_count(paths, t), NULL),
                     UBI_OK);
    return path_graph;
}

static void compare_target(const plain *p, const ubi_paths *paths, const ubi_graph *g, uint32_t t) {
    ubi_node_ix target = ubi_paths_target(paths, t);
    ubi_path_graph *path_graph;
    merged expected;
    assert_int_equal(ubi_paths_count(paths, t), p->n_found[target]);
    for (uint32_t i = 0; i < p->n_found[target]; i++)
        compare_path(p, paths, g, t, i);
    compare_beginnings(paths, t);
    merge_plainly(&expected, p, target);
    assert_int_equal(ubi_path_graph_new(&path_graph, paths, t, NULL), UBI_OK);
    compare_graphs(&expected, path_graph, g);
    ubi_path_graph_free(path_graph);
    path_graph = overlay_steps(paths, g, t);
    compare_graphs(&expected, path_graph, g);
    ubi_path_graph_free(path_graph);
}

static ubi_paths *find(const question *q, const ubi_graph *g) {
    ubi_view view = ubi_view_of(g);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_edge_set *set = NULL;
    ubi_paths *paths;
    if (q->has_set) {
        assert_int_equal(ubi_edge_set_new(&set, g, false), UBI_OK);
        for (uint32_t e = 0; e < q->n_edges; e++)
            ubi_edge_set_put(set, e, q->edges[e].is_member);
    }
    view.edges = set;
    options.start = q->start;
    options.max_paths = q->max_paths;
    assert_int_equal(ubi_paths_find(&paths, &view, q->targets, q->n_targets, &options), UBI_OK);
    ubi_edge_set_free(set);
    return paths;
}

static void paths_equal_those_of_the_plain_implementation(void **state) {
    (void)state;
    static plain p;
    uint64_t n_rounds = random_cases(100000), n_paths = 0, n_long = 0;
    for (uint32_t round = 0; round < n_rounds; round++) {
        random_start(round);
        question q = random_question();
        ubi_graph *g = graph_of(&q, false), *members = graph_of(&q, true);
        ubi_paths *paths = find(&q, g);
        find_plainly(&p, &q, members);
        for (uint32_t t = 0; t < ubi_paths_target_count(paths); t++) {
            compare_target(&p, paths, g, t);
            n_paths += ubi_paths_count(paths, t);
            n_long += ubi_paths_count(paths, t) && ubi_paths_length(paths, t, ubi_paths_count(paths, t) - 1) > 3;
        }
        ubi_paths_free(paths);
        ubi_graph_unref(members);
        ubi_graph_unref(g);
    }
    assert_true(n_paths > 2 * n_rounds && n_long > n_rounds / 20); /* the questions are not all trivial */
}

/* ---- a kept walk -------------------------------------------------------------------------------------------------- */

/* A view whose root is the start, perhaps with first edges. */
static ubi_view view_from_start(ubi_edge_ix first_edges[MAX_EDGES], const question *q, const ubi_graph *g,
                                const ubi_edge_set *set) {
    ubi_view view = ubi_view_of(g);
    bool has_first = random_below(2);
    view.root = q->start;
    view.edges = set;
    for (uint32_t e = 0; e < q->n_edges && has_first; e++)
        if (q->edges[e].source == q->start && random_below(2))
            first_edges[view.n_first_edges++] = e;
    view.first_edges = view.n_first_edges ? first_edges : NULL;
    return view;
}

static void assert_same_paths(const ubi_paths *a, const ubi_paths *b) {
    ubi_path_step of_a[2 * MAX_NODES], of_b[2 * MAX_NODES];
    assert_int_equal(ubi_paths_start(a), ubi_paths_start(b));
    assert_int_equal(ubi_paths_target_count(a), ubi_paths_target_count(b));
    for (uint32_t t = 0; t < ubi_paths_target_count(a); t++) {
        assert_int_equal(ubi_paths_target(a, t), ubi_paths_target(b, t));
        assert_int_equal(ubi_paths_count(a, t), ubi_paths_count(b, t));
        for (uint32_t i = 0; i < ubi_paths_count(a, t); i++) {
            uint32_t n = ubi_paths_length(a, t, i);
            assert_int_equal(n, ubi_paths_length(b, t, i));
            ubi_paths_steps(of_a, a, t, i);
            ubi_paths_steps(of_b, b, t, i);
            for (uint32_t k = 0; k < n; k++) {
                assert_int_equal(of_a[k].predecessor, of_b[k].predecessor);
                assert_int_equal(of_a[k].edge, of_b[k].edge);
            }
        }
    }
}

/* Backward edges of the view alone, or of all edges. */
static void compare_kept_walk(const question *q, const ubi_graph *g) {
    ubi_edge_ix first_edges[MAX_EDGES];
    ubi_edge_set *set = NULL;
    ubi_retainers *retainers;
    ubi__path_walk *walk;
    ubi_paths *found, *read;
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    if (q->has_set) {
        assert_int_equal(ubi_edge_set_new(&set, g, false), UBI_OK);
        for (uint32_t e = 0; e < q->n_edges; e++)
            ubi_edge_set_put(set, e, q->edges[e].is_member);
    }
    ubi_view view = view_from_start(first_edges, q, g, set);
    options.max_paths = q->max_paths;
    assert_int_equal(ubi_retainers_new(&retainers, g, random_below(2) ? set : NULL, 1, NULL), UBI_OK);
    assert_int_equal(ubi__path_walk_new(&walk, &view, options.progress, ubi_allocator_default()), UBI_OK);
    assert_int_equal(ubi_paths_find(&found, &view, q->targets, q->n_targets, &options), UBI_OK);
    assert_int_equal(ubi__path_walk_read(&read, walk, retainers, q->targets, q->n_targets, &options), UBI_OK);
    assert_same_paths(found, read);
    ubi_paths_free(read);
    ubi_paths_free(found);
    ubi__path_walk_free(walk);
    ubi_retainers_free(retainers);
    ubi_edge_set_free(set);
}

static void a_kept_walk_gives_the_same_paths(void **state) {
    (void)state;
    uint64_t n_rounds = random_cases(100000);
    for (uint32_t round = 0; round < n_rounds; round++) {
        random_start(round);
        question q = random_question();
        ubi_graph *g = graph_of(&q, false);
        compare_kept_walk(&q, g);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_equal_those_of_the_plain_implementation),
        cmocka_unit_test(a_kept_walk_gives_the_same_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
