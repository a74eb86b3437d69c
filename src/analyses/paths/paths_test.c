/* SPDX-License-Identifier: MIT
 *
 * paths_test.c: shortest paths: the cases of the specification, bad arguments, memory, graphs that are built to hurt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/paths/paths_outside.h"
#include "analyses/paths/paths_text_test.h"
#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph_maker.h"

static ubi_node_ix index_of(const ubi_graph *graph, uint64_t id) {
    ubi_node_ix node;
    assert_int_equal(ubi_graph_find(&node, graph, id), UBI_OK);
    return node;
}

typedef struct asked {
    const char *drawing;
    uint64_t start; /* id; 0: the root */
    uint32_t max_paths;
    uint64_t targets[4]; /* ids, ended by 0 */
} asked;

static ubi_paths *find(const ubi_graph *graph, const asked *q) {
    ubi_view view = ubi_view_of(graph);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_node_ix targets[4];
    ubi_paths *paths;
    uint32_t n = 0;
    for (; n < 4 && q->targets[n]; n++)
        targets[n] = index_of(graph, q->targets[n]);
    options.start = q->start ? index_of(graph, q->start) : UBI_NONE;
    options.max_paths = q->max_paths;
    assert_int_equal(ubi_paths_find(&paths, &view, targets, n, &options), UBI_OK);
    return paths;
}

/* The paths to each of the targets, in order. */
#define assert_paths(q, ...) check_paths(q, (const char *const[]){ __VA_ARGS__, NULL })

static void check_paths(asked q, const char *const *expected) {
    ubi_graph *graph = graph_from_drawing(q.drawing);
    ubi_paths *paths = find(graph, &q);
    for (uint32_t t = 0; expected[t]; t++) {
        assert_int_equal(ubi_graph_node_id(graph, ubi_paths_target(paths, t)), q.targets[t]);
        char *text = paths_text(paths, graph, t);
        assert_string_equal(text, expected[t]);
        free(text);
    }
    ubi_paths_free(paths);
    ubi_graph_unref(graph);
}

static void assert_path_graph(asked q, const char *expected) {
    ubi_graph *graph = graph_from_drawing(q.drawing);
    ubi_paths *paths = find(graph, &q);
    ubi_path_graph *path_graph;
    assert_int_equal(ubi_path_graph_new(&path_graph, paths, 0, NULL), UBI_OK);
    ubi_paths_free(paths);
    char *text = path_graph_text(path_graph, graph);
    assert_string_equal(text, expected);
    free(text);
    ubi_path_graph_free(path_graph);
    ubi_graph_unref(graph);
}

/* ---- cases of the specification ----------------------------------------------------------------------------------- */

#define D2 "1 -> 2 \"l\", 3 \"r\"; 2 -> 4 \"p\"; 3 -> 4 \"q\"; 4 -> 5 \"only\""

static void a_diamond_gives_two_paths_to_its_end_but_one_beyond(void **state) {
    (void)state;
    assert_paths(((asked){ D2, 1, 5, { 5 } }), "[1 l, 2 p, 4 only]");
    assert_paths(((asked){ D2, 1, 2, { 4 } }), "[1 l, 2 p] [1 r, 3 q]");
    assert_path_graph((asked){ D2, 1, 2, { 4 } }, "4 1 2 3 | 1>2 l, 1>3 r, 2>4 p, 3>4 q");
}

static void a_target_out_of_reach_has_no_path(void **state) {
    (void)state;
    assert_paths(((asked){ "1 -> 3; 3 -> 1; 2", 1, 10, { 2 } }), "");
    assert_path_graph((asked){ "1 -> 3; 3 -> 1; 2", 1, 10, { 2 } }, "2");
    assert_paths(((asked){ "1 -> 3; 3 -> 1; 2 -> 3", 1, 10, { 2, 3 } }), "", "[1 -] [1 -]");
}

static void a_cycle_through_the_start_does_not_lengthen_the_path(void **state) {
    (void)state;
    assert_paths(((asked){ "1 -> 3 \"a\"; 3 -> 1 \"b\", 2 \"c\"", 1, 10, { 2 } }), "[1 a, 3 c]");
}

#define P3 "1 -> 2 \"ab\", 6 \"af\", 4 \"ad\"; 2 -> 3 \"bc\"; 3 -> 6 \"cf\"; 4 -> 5 \"de\"; 5 -> 6 \"ef\""

static void several_paths_come_shortest_first(void **state) {
    (void)state;
    assert_paths(((asked){ P3, 1, 10, { 6 } }), "[1 af] [1 ab, 2 bc, 3 cf] [1 ad, 4 de, 5 ef]");
    assert_paths(((asked){ P3, 1, 1, { 6 } }), "[1 af]");
    assert_paths(((asked){ P3, 1, 2, { 6 } }), "[1 af] [1 ab, 2 bc, 3 cf]");
}

static void many_targets_share_one_walk(void **state) {
    (void)state;
    assert_paths(((asked){ P3, 1, 1, { 6, 5 } }), "[1 af]", "[1 ad, 4 de]");
    assert_paths(((asked){ P3, 1, 2, { 3, 6, 5 } }), "[1 ab, 2 bc]", "[1 af] [1 ab, 2 bc, 3 cf]", "[1 ad, 4 de]");
}

static void parallel_edges_are_paths_of_their_own(void **state) {
    (void)state;
    static const char drawn[] = "1 -> 2 \"x\", 2 \"y\", 2 \"z\"";
    assert_paths(((asked){ drawn, 1, 10, { 2 } }), "[1 x] [1 y] [1 z]");
    assert_paths(((asked){ drawn, 1, 2, { 2 } }), "[1 x] [1 y]");
}

#define P5 "1 -> 2 \"x\"; 2 -> 3 \"y\"; 3 -> 2 \"back\", 4 \"t\""

static void a_path_may_pass_through_its_target(void **state) {
    (void)state;
    assert_paths(((asked){ P5, 1, 10, { 4 } }), "[1 x, 2 y, 3 t]");
    assert_paths(((asked){ P5, 1, 10, { 3 } }), "[1 x, 2 y]");
    assert_paths(((asked){ P5, 1, 10, { 2 } }), "[1 x] [1 x, 2 y, 3 back]");
    assert_path_graph((asked){ P5, 1, 10, { 2 } }, "2 1 | 1>2 x");
}

static void a_start_on_a_cycle_is_walked_twice(void **state) {
    (void)state;
    assert_paths(((asked){ P5, 2, 10, { 4 } }), "[2 y, 3 t]");
    assert_paths(((asked){ P5, 2, 10, { 3 } }), "[2 y] [2 y]");
    assert_paths(((asked){ P5, 2, 10, { 2 } }), "[2 y, 3 back]");
    assert_path_graph((asked){ P5, 2, 10, { 3 } }, "3 2 | 2>3 y");
    assert_path_graph((asked){ P5, 2, 10, { 2 } }, "2"); /* every path to the start begins at the target */
    assert_paths(((asked){ "1 -> 2 \"x\"; 2 -> 2 \"self\", 1 \"back\"", 1, 5, { 2 } }), "[1 x] [1 x, 2 self] [1 x]");
    static const char self[] = "1 -> 1 \"self\", 2 \"c\", 2 \"dup\"";
    assert_paths(((asked){ self, 1, 5, { 2 } }), "[1 c] [1 dup] [1 c] [1 dup]");
    assert_paths(((asked){ self, 1, 1, { 2 } }), "[1 c]");
    assert_paths(((asked){ self, 1, 5, { 1 } }), "[1 self] [1 self]");
}

/* X1 to X4. The first and the third cannot be found by a walk, so they are given step by step. */
static void overlaid_paths_have_each_node_and_edge_once(void **state) {
    (void)state;
    assert_path_graph((asked){ "1 -> 5 \"a\", 5 \"b\", 5 \"a\", 5", 1, 10, { 5 } }, "5 1 | 1>5 a, 1>5 b, 1>5 -");
    assert_path_graph((asked){ "1 -> 2 \"x\", 2 \"x\", 3 \"y\"; 3 -> 2 \"z\"; 2 -> 4, 2 \"loop\"", 1, 10, { 2 } },
                      "2 1 3 | 1>2 x, 1>3 y, 3>2 z");
}

/* Edges to the target are adjacent, where the first of them is. */
static void edges_of_a_node_are_grouped_by_where_they_lead(void **state) {
    (void)state;
    assert_path_graph((asked){ "1 -> 2 \"a\", 9 \"b\", 3 \"c\", 9 \"d\"; 2 -> 9 \"e\"; 3 -> 9 \"f\"", 1, 10, { 9 } },
                      "9 1 2 3 | 1>9 b, 1>9 d, 1>2 a, 1>3 c, 2>9 e, 3>9 f");
}

static void paths_from_anywhere_are_overlaid_too(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 10 \"a\", 11 \"a\"; 10 -> 20 \"b\"; 20 -> 50 \"c\"; 11 -> 20 \"x\"");
    ubi_node_ix n1 = index_of(g, 1), n10 = index_of(g, 10), n11 = index_of(g, 11), n20 = index_of(g, 20);
    ubi_edge_ix a = 0, a2 = 1, b = ubi_graph_first_edge(g, n10), c = ubi_graph_first_edge(g, n20);
    ubi_edge_ix x = ubi_graph_first_edge(g, n11);
    const ubi_path_step steps[] = { { n1, a },  { n10, b },
                                    { n20, c }, { n1, a2 },
                                    { n11, x }, { n20, c }, /* X1 */
                                    { n1, a },  { n10, b },
                                    { n1, a },                            /* X3: a node twice */
                                    { n11, x }, { index_of(g, 50), c } }; /* X4: the target */
    static const uint32_t lengths[] = { 3, 3, 3, 2, 0 };
    ubi_path_graph *path_graph = NULL;
    assert_int_equal(ubi_path_graph_from_steps(&path_graph, g, index_of(g, 50), steps, lengths, 4, NULL), UBI_OK);
    char *text = path_graph_text(path_graph, g);
    assert_string_equal(text, "50 1 10 20 11 | 1>10 a, 1>11 a, 10>20 b, 20>50 c, 11>20 x");
    free(text);
    ubi_path_graph_free(path_graph);

    path_graph = NULL;
    assert_int_equal(ubi_path_graph_from_steps(&path_graph, g, index_of(g, 50), steps, lengths, 5, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "path 4 has no step");
    assert_null(path_graph);
    ubi_graph_unref(g);
}

/* ---- views and targets -------------------------------------------------------------------------------------------- */

static void repeated_targets_count_once_and_targets_keep_their_order(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(P3);
    ubi_view view = ubi_view_of(g);
    ubi_node_ix four = index_of(g, 4), six = index_of(g, 6), two = index_of(g, 2);
    const ubi_node_ix targets[] = { six, four, six, two, four };
    ubi_paths *paths;
    assert_int_equal(ubi_paths_find(&paths, &view, targets, 5, NULL), UBI_OK);
    assert_int_equal(ubi_paths_start(paths), ubi_graph_root(g));
    assert_int_equal(ubi_paths_target_count(paths), 3);
    assert_int_equal(ubi_paths_target(paths, 0), six);
    assert_int_equal(ubi_paths_target(paths, 1), four);
    assert_int_equal(ubi_paths_target(paths, 2), two);
    assert_int_equal(ubi_paths_count(paths, 0), 3);
    assert_int_equal(ubi_paths_length(paths, 0, 0), 1);
    assert_int_equal(ubi_paths_length(paths, 0, 2), 3);
    ubi_paths_free(paths);
    ubi_graph_unref(g);
}

static void only_edges_of_the_view_are_taken(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(P3);
    ubi_view view = ubi_view_of(g);
    ubi_edge_set *set;
    ubi_paths *paths;
    ubi_node_ix six = index_of(g, 6);
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    ubi_edge_set_put(set, ubi_graph_first_edge(g, index_of(g, 1)) + 1, false); /* af */
    view.edges = set;
    assert_int_equal(ubi_paths_find(&paths, &view, &six, 1, NULL), UBI_OK);
    char *text = paths_text(paths, g, 0);
    assert_string_equal(text, "[1 ab, 2 bc, 3 cf] [1 ad, 4 de, 5 ef]");
    free(text);
    ubi_paths_free(paths);
    ubi_edge_set_free(set);
    ubi_graph_unref(g);
}

/* A view without the edges of 2, of which 5 is a weak table or not. */
static ubi_edge_set *view_without_two(ubi_view *view, const ubi_graph *g, const ubi_node_ix *table) {
    ubi_edge_set *set;
    *view = ubi_view_of(g);
    assert_int_equal(ubi_edge_set_new(&set, g, true), UBI_OK);
    for (uint64_t id = 2; id <= 5; id += 3)
        for (ubi_edge_ix e = ubi_graph_first_edge(g, index_of(g, id)), n = ubi_graph_first_edge(g, index_of(g, id) + 1);
             e < n; e++)
            ubi_edge_set_put(set, e, false);
    view->edges = set;
    view->weak_tables = table;
    view->n_weak_tables = table != NULL;
    return set;
}

static void what_the_view_reaches_by_no_edge_has_paths_by_others(void **state) {
    static const char *const expected[] = { "[1 a]", "[1 a, 2 b]", "[1 a, 2 b, 3 c]", "[1 e, 5 f]" };
    ubi_graph *g = graph_from_drawing("1 -> 2 \"a\", 5 \"e\"; 2 -> 3 \"b\"; 3 -> 4 \"c\"; 5 -> 6 \"f\"; 9 -> 1");
    const ubi_node_ix targets[] = { index_of(g, 2), index_of(g, 3), index_of(g, 4), index_of(g, 6), index_of(g, 9) };
    const ubi_node_ix table = index_of(g, 5);
    (void)state;
    for (int has_table = 0; has_table < 2; has_table++) {
        ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
        ubi_paths *paths, *outside;
        uint32_t n_outside = 0;
        ubi_view view;
        ubi_edge_set *set = view_without_two(&view, g, has_table ? &table : NULL);
        assert_int_equal(ubi_paths_find(&paths, &view, targets, 5, &options), UBI_OK);
        assert_int_equal(ubi__paths_find_outside(&outside, paths, &view, &options), UBI_OK);
        assert_int_equal(ubi_paths_target_count(outside), 4);
        for (uint32_t t = 0; t < 5; t++) {
            const ubi__target_paths of = ubi__target_paths_next(paths, outside, t, &n_outside);
            assert_int_equal(of.is_outside, t > 0);
            assert_int_equal(ubi_paths_target(of.paths, of.target), targets[t]);
            char *text = paths_text(of.paths, g, of.target);
            assert_string_equal(text, t == 4 || (t == 3 && has_table) ? "" : expected[t]);
            free(text);
        }
        ubi_paths_free(outside);
        view.edges = NULL;
        assert_int_equal(ubi__paths_find_outside(&outside, paths, &view, &options), UBI_OK);
        assert_null(outside);
        ubi_paths_free(paths);
        ubi_edge_set_free(set);
    }
    ubi_graph_unref(g);
}

static void the_view_names_the_start_and_orphans_stay_out(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2 \"a\"; 2 -> 3 \"b\"; 9 -> 3 \"orphan\"");
    ubi_view view = ubi_view_of(g);
    ubi_node_ix three = index_of(g, 3);
    ubi_paths *paths;
    view.orphans = UBI_ORPHANS_ADOPT;
    for (int from_two = 0; from_two < 2; from_two++) {
        view.root = index_of(g, from_two ? 2 : 1);
        assert_int_equal(ubi_paths_find(&paths, &view, &three, 1, NULL), UBI_OK);
        char *text = paths_text(paths, g, 0);
        assert_string_equal(text, from_two ? "[2 b]" : "[1 a, 2 b]");
        free(text);
        ubi_paths_free(paths);
    }
    ubi_graph_unref(g);
}

/* First edges are walked to their end, however long the way; then the others, and none is taken twice. */
static void ways_that_begin_with_first_edges_come_first(void **state) {
    (void)state;
    ubi_graph *g =
        graph_from_drawing("1 -> 9 \"short\", 2 \"first\", 9 \"again\", 3 \"too\"; 2 -> 4 \"a\"; 4 -> 9 \"b\", "
                           "1 \"back\"; 3 -> 9 \"c\"");
    const ubi_edge_ix first[] = { 1, 3 };
    ubi_view view = ubi_view_of(g);
    ubi_node_ix nine = index_of(g, 9);
    view.first_edges = first;
    view.n_first_edges = 2;
    static const char *const expected[] = {
        "[1 too, 3 c]",
        "[1 too, 3 c] [1 first, 2 a, 4 b]",
        "[1 too, 3 c] [1 first, 2 a, 4 b] [1 short]",
        "[1 too, 3 c] [1 first, 2 a, 4 b] [1 short] [1 again]",
        "[1 too, 3 c] [1 first, 2 a, 4 b] [1 short] [1 again]",
    };
    for (uint32_t max = 1; max <= 5; max++) {
        ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
        ubi_paths *paths;
        options.max_paths = max;
        assert_int_equal(ubi_paths_find(&paths, &view, &nine, 1, &options), UBI_OK);
        char *text = paths_text(paths, g, 0);
        assert_string_equal(text, expected[max - 1]);
        free(text);
        ubi_paths_free(paths);
    }
    ubi_graph_unref(g);
}

static void add_edge_of(ubi_graph_builder *b, ubi_edge_kind kind, uint32_t name_or_number) {
    bool numbered = kind == UBI_EDGE_ELEMENT || kind == UBI_EDGE_HIDDEN;
    assert_int_equal(numbered ? ubi_graph_builder_numbered_edge(b, 2, kind, name_or_number)
                              : ubi_graph_builder_edge_of(b, 2, kind, name_or_number),
                     UBI_OK);
}

/* A property 0, an element 0, a hidden 0: three labels. The name 0 under two entries is one. */
static void edges_are_one_only_if_kind_and_label_are(void **state) {
    (void)state;
    ubi_graph_builder *b;
    ubi_graph *g;
    ubi_str_ix zero, again;
    ubi_node_desc node = { .id = 1, .stack = UBI_NONE };
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &zero, ubi__text("0")), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &again, ubi__text("0")), UBI_OK);
    node.kind = (ubi_kind){ zero, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, 0, 0 };
    assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
    add_edge_of(b, UBI_EDGE_PROPERTY, zero);
    add_edge_of(b, UBI_EDGE_ELEMENT, 0);
    add_edge_of(b, UBI_EDGE_ELEMENT, 1);
    add_edge_of(b, UBI_EDGE_HIDDEN, 0);
    add_edge_of(b, UBI_EDGE_PROPERTY, again);
    add_edge_of(b, UBI_EDGE_ELEMENT, 0);
    node.id = 2;
    assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);

    ubi_view view = ubi_view_of(g);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_node_ix two = 1;
    ubi_paths *paths;
    ubi_path_graph *path_graph;
    options.max_paths = 10;
    assert_int_equal(ubi_paths_find(&paths, &view, &two, 1, &options), UBI_OK);
    assert_int_equal(ubi_path_graph_new(&path_graph, paths, 0, NULL), UBI_OK);
    char *text = path_graph_text(path_graph, g);
    assert_string_equal(text, "2 1 | 1>2 0, 1>2 0, 1>2 1, 1>2 0");
    free(text);
    uint64_t n;
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n);
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(edges[i].edge, i);
    ubi_path_graph_free(path_graph);
    ubi_paths_free(paths);
    ubi_graph_unref(g);
}

static void paths_keep_their_graph_alive(void **state) {
    (void)state;
    drawing *d = drawing_new(D2);
    fail_allocator f;
    ubi_paths *paths;
    ubi_path_step steps[3];
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_graph *g = drawing_graph(d, &f.allocator);
    ubi_view view = ubi_view_of(g);
    ubi_node_ix five = index_of(g, 5);
    assert_int_equal(ubi_paths_find(&paths, &view, &five, 1, NULL), UBI_OK);
    ubi_graph_unref(g);
    ubi_paths_steps(steps, paths, 0, 0);
    assert_int_equal(ubi_graph_node_id(g, steps[2].predecessor), 4);
    ubi_paths_free(paths);
    fail_allocator_fini(&f);
    drawing_free(d);
}

/* ---- errors ------------------------------------------------------------------------------------------------------- */

static void assert_refused(const ubi_view *view, const ubi_node_ix *targets, uint32_t n, const ubi_paths_options *o,
                           const char *message) {
    ubi_paths *paths = NULL;
    assert_int_equal(ubi_paths_find(&paths, view, targets, n, o), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), message);
    assert_null(paths);
}

static void bad_arguments_are_refused_with_a_message(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2");
    ubi_view view = ubi_view_of(g);
    const ubi_node_ix targets[] = { 1, 2 };
    ubi_paths_options o = UBI_PATHS_OPTIONS_INIT;
    assert_refused(&view, targets, 0, &o, "no target to find paths to");
    assert_refused(&view, targets, 2, &o, "target node 2 is not in the graph of 2 nodes");
    o.start = 2;
    assert_refused(&view, targets, 1, &o, "start node 2 is not in the graph of 2 nodes");
    o.start = UBI_NONE;
    o.max_paths = 0;
    assert_refused(&view, targets, 1, &o, "at most 0 paths per target were asked for, expected 1 or more");
    o.version = 2;
    assert_refused(&view, targets, 1, &o, "ubi_paths_options has version 2, expected 1");
    ubi_paths_free(NULL);
    ubi_path_graph_free(NULL);
    ubi_graph_unref(g);
}

/* ---- graphs that are built to hurt -------------------------------------------------------------------------------- */

/* `n` nodes; node i has the edges that `add` gives it. */
static ubi_graph *built(uint32_t n, void (*add)(graph_maker *m, uint32_t node, uint32_t n)) {
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < n; i++) {
        graph_maker_node(&m, i, 0);
        add(&m, i, n);
    }
    return graph_maker_finish(&m);
}

static void add_list(graph_maker *m, uint32_t node, uint32_t n) {
    if (node + 1 < n)
        graph_maker_edge(m, node + 1);
}
/* A list whose nodes all lead to the last one, too. */
static void add_comb(graph_maker *m, uint32_t node, uint32_t n) {
    add_list(m, node, n);
    if (node + 2 < n)
        graph_maker_edge(m, n - 1);
}
static void add_star(graph_maker *m, uint32_t node, uint32_t n) {
    for (uint32_t i = 1; i < n && node == 0; i++)
        graph_maker_edge(m, i);
}
/* All edges lead from the root to the last node. */
static void add_bundle(graph_maker *m, uint32_t node, uint32_t n) {
    for (uint32_t i = 1; i < n && node == 0; i++)
        graph_maker_edge(m, n - 1);
}

#define MANY 1000000

static void a_list_of_a_million_nodes_is_one_path(void **state) {
    (void)state;
    ubi_graph *g = built(MANY, add_list);
    ubi_view view = ubi_view_of(g);
    ubi_node_ix last = MANY - 1;
    ubi_paths *paths;
    assert_int_equal(ubi_paths_find(&paths, &view, &last, 1, NULL), UBI_OK);
    assert_int_equal(ubi_paths_count(paths, 0), 1);
    assert_int_equal(ubi_paths_length(paths, 0, 0), MANY - 1);
    ubi_path_step *steps = malloc((MANY - 1) * sizeof *steps);
    ubi_paths_steps(steps, paths, 0, 0);
    for (uint32_t i = 0; i < MANY - 1; i++)
        if (steps[i].predecessor != i || steps[i].edge != i)
            fail_msg("step %u", i);
    free(steps);
    ubi_paths_free(paths);
    ubi_graph_unref(g);
}

/* Were paths stored one by one, or followed one by one, this would take 5 * 10^11 steps. */
static void a_million_targets_with_long_paths_take_linear_time(void **state) {
    (void)state;
    ubi_graph *g = built(MANY, add_list);
    ubi_view view = ubi_view_of(g);
    ubi_node_ix *all = malloc(MANY * sizeof *all);
    ubi_paths *paths;
    for (uint32_t i = 0; i < MANY; i++)
        all[i] = MANY - 1 - i;
    assert_int_equal(ubi_paths_find(&paths, &view, all, MANY, NULL), UBI_OK);
    for (uint32_t i = 0; i < MANY - 1; i++)
        if (ubi_paths_count(paths, i) != 1 || ubi_paths_length(paths, i, 0) != MANY - 1 - i)
            fail_msg("target %u", i);
    assert_int_equal(ubi_paths_count(paths, MANY - 1), 0); /* the root */
    ubi_paths_free(paths);
    free(all);
    ubi_graph_unref(g);
}

static void a_million_long_alternatives_are_overlaid_in_linear_time(void **state) {
    (void)state;
    ubi_graph *g = built(MANY, add_comb);
    ubi_view view = ubi_view_of(g);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_node_ix last = MANY - 1;
    ubi_paths *paths;
    ubi_path_graph *path_graph;
    uint32_t n_nodes;
    uint64_t n_edges;
    options.max_paths = UINT32_MAX;
    assert_int_equal(ubi_paths_find(&paths, &view, &last, 1, &options), UBI_OK);
    assert_int_equal(ubi_paths_count(paths, 0), MANY - 1);
    assert_int_equal(ubi_paths_length(paths, 0, MANY - 2), MANY - 1);
    assert_int_equal(ubi_path_graph_new(&path_graph, paths, 0, NULL), UBI_OK);
    const ubi_node_ix *nodes = ubi_path_graph_nodes(path_graph, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n_edges);
    assert_int_equal(n_nodes, MANY);
    assert_int_equal(nodes[0], MANY - 1);
    assert_int_equal(nodes[MANY - 1], MANY - 2);
    assert_int_equal(n_edges, 2 * MANY - 3);
    assert_int_equal(edges[2 * MANY - 4].from, MANY - 2);
    ubi_path_graph_free(path_graph);
    ubi_paths_free(paths);
    ubi_graph_unref(g);
}

static void a_wide_node_and_a_wide_bundle_of_edges_are_fine(void **state) {
    (void)state;
    ubi_graph *star = built(MANY, add_star), *bundle = built(MANY, add_bundle);
    ubi_view star_view = ubi_view_of(star), bundle_view = ubi_view_of(bundle);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_node_ix last = MANY - 1;
    ubi_paths *paths;
    options.max_paths = UINT32_MAX;
    assert_int_equal(ubi_paths_find(&paths, &star_view, &last, 1, &options), UBI_OK);
    assert_int_equal(ubi_paths_count(paths, 0), 1);
    ubi_paths_free(paths);
    assert_int_equal(ubi_paths_find(&paths, &bundle_view, &last, 1, &options), UBI_OK);
    assert_int_equal(ubi_paths_count(paths, 0), MANY - 1);
    ubi_paths_free(paths);
    ubi_graph_unref(star);
    ubi_graph_unref(bundle);
}

/* ---- progress and memory ------------------------------------------------------------------------------------------ */

typedef struct watcher {
    unsigned n_reports, n_granted;
    uint64_t last_done;
} watcher;

static bool watch(void *payload, const char *stage, uint64_t done, uint64_t total) {
    watcher *w = payload;
    assert_string_equal(stage, "finding paths");
    assert_true(done >= w->last_done && done <= total);
    w->last_done = done;
    return w->n_reports++ < w->n_granted;
}

static void a_long_walk_reports_progress_and_can_be_cancelled(void **state) {
    (void)state;
    ubi_graph *g = built(4 * MANY, add_list);
    ubi_view view = ubi_view_of(g);
    ubi_node_ix last = 4 * MANY - 1;
    ubi_paths *paths = NULL;
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    watcher w = { .n_granted = 1 };
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    options.allocator = &f.allocator;
    options.progress = (ubi_progress){ watch, &w };
    assert_int_equal(ubi_paths_find(&paths, &view, &last, 1, &options), UBI_ECANCELLED);
    assert_null(paths);
    assert_int_equal(w.n_reports, 2);
    fail_allocator_fini(&f);

    options.allocator = NULL;
    w = (watcher){ .n_granted = UINT32_MAX };
    assert_int_equal(ubi_paths_find(&paths, &view, &last, 1, &options), UBI_OK);
    assert_in_range(w.n_reports, 3, 4);
    ubi_paths_free(paths);
    ubi_graph_unref(g);
}

/* What the header promises: 13 bytes per node while it runs, 16 per node on the paths in the result. */
static void memory_stays_within_what_the_header_says(void **state) {
    (void)state;
    enum { N = 200000, SLACK = 4096 };
    ubi_graph *g = built(N, add_list);
    ubi_view view = ubi_view_of(g);
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    options.allocator = &f.allocator;
    for (uint32_t half = 0; half < 2; half++) {
        ubi_node_ix target = half ? N / 2 : 1;
        uint64_t on_path = half ? N / 2 : 0;
        ubi_paths *paths;
        f.peak_bytes = f.live_bytes;
        assert_int_equal(ubi_paths_find(&paths, &view, &target, 1, &options), UBI_OK);
        assert_in_range(f.peak_bytes, 12 * N, 13 * N + 16 * on_path + SLACK);
        assert_in_range(f.live_bytes, 16 * on_path, 16 * on_path + SLACK);
        ubi_paths_free(paths);
    }
    fail_allocator_fini(&f);
    ubi_graph_unref(g);
}

static ubi_status find_and_overlay(void *graph, const ubi_allocator *a) {
    const ubi_graph *g = graph;
    ubi_view view = ubi_view_of(g);
    const ubi_node_ix targets[] = { index_of(g, 6), index_of(g, 5), index_of(g, 6) };
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_paths *paths = NULL;
    ubi_path_graph *path_graph = NULL;
    options.allocator = a;
    ubi_status status = ubi_paths_find(&paths, &view, targets, 3, &options);
    assert_int_equal(paths != NULL, status == UBI_OK);
    for (uint32_t t = 0; t < 2 && status == UBI_OK; t++) {
        status = ubi_path_graph_new(&path_graph, paths, t, a);
        assert_int_equal(path_graph != NULL, status == UBI_OK);
        ubi_path_graph_free(path_graph);
        path_graph = NULL;
    }
    ubi_paths_free(paths);
    return status;
}

static ubi_status overlay_steps(void *graph, const ubi_allocator *a) {
    const ubi_graph *g = graph;
    const ubi_path_step steps[] = { { 0, 1 }, { 0, 0 }, { index_of(g, 2), ubi_graph_first_edge(g, index_of(g, 2)) } };
    static const uint32_t lengths[] = { 1, 2 };
    ubi_path_graph *path_graph = NULL;
    ubi_status status = ubi_path_graph_from_steps(&path_graph, g, index_of(g, 6), steps, lengths, 2, a);
    assert_int_equal(path_graph != NULL, status == UBI_OK);
    ubi_path_graph_free(path_graph);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing(P3);
    fail_each_allocation(find_and_overlay, g);
    fail_each_allocation(overlay_steps, g);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diamond_gives_two_paths_to_its_end_but_one_beyond),
        cmocka_unit_test(a_target_out_of_reach_has_no_path),
        cmocka_unit_test(a_cycle_through_the_start_does_not_lengthen_the_path),
        cmocka_unit_test(several_paths_come_shortest_first),
        cmocka_unit_test(many_targets_share_one_walk),
        cmocka_unit_test(parallel_edges_are_paths_of_their_own),
        cmocka_unit_test(a_path_may_pass_through_its_target),
        cmocka_unit_test(a_start_on_a_cycle_is_walked_twice),
        cmocka_unit_test(overlaid_paths_have_each_node_and_edge_once),
        cmocka_unit_test(edges_of_a_node_are_grouped_by_where_they_lead),
        cmocka_unit_test(paths_from_anywhere_are_overlaid_too),
        cmocka_unit_test(repeated_targets_count_once_and_targets_keep_their_order),
        cmocka_unit_test(only_edges_of_the_view_are_taken),
        cmocka_unit_test(what_the_view_reaches_by_no_edge_has_paths_by_others),
        cmocka_unit_test(the_view_names_the_start_and_orphans_stay_out),
        cmocka_unit_test(ways_that_begin_with_first_edges_come_first),
        cmocka_unit_test(edges_are_one_only_if_kind_and_label_are),
        cmocka_unit_test(paths_keep_their_graph_alive),
        cmocka_unit_test(bad_arguments_are_refused_with_a_message),
        cmocka_unit_test(a_list_of_a_million_nodes_is_one_path),
        cmocka_unit_test(a_million_targets_with_long_paths_take_linear_time),
        cmocka_unit_test(a_million_long_alternatives_are_overlaid_in_linear_time),
        cmocka_unit_test(a_wide_node_and_a_wide_bundle_of_edges_are_fine),
        cmocka_unit_test(a_long_walk_reports_progress_and_can_be_cancelled),
        cmocka_unit_test(memory_stays_within_what_the_header_says),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
