/* SPDX-License-Identifier: MIT
 *
 * fxs_save_stack_test.c: stacks that are too deep, frames that share an id, and what readers see of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "graph_equal.h"
#include "saving.h"

static void must(ubi_status status) {
    assert_int_equal(status, UBI_OK);
}

/* ---- a heap that recursion left behind ---------------------------------------------------------------------------- */

/**
 * Node i was allocated by frame depth[i] of one long recursion; frame k calls frame k + 1, so a stack has k + 1 frames. The
 * root leads to all nodes.
 */
typedef struct recursion {
    uint32_t depth[400];
    uint32_t n_nodes;
} recursion;

static void recursion_frame(ubi_stack stack, ubi_frame *out) {
    *out = (ubi_frame){
        .id = 5000 + stack.ref, .source = ubi__text("deep.js"), .line = (uint32_t)stack.ref + 1, .column = 1
    };
}
static bool recursion_parent(ubi_stack stack, ubi_stack *out) {
    *out = (ubi_stack){ stack.ops, stack.owner, stack.ref - 1 };
    return stack.ref > 0;
}
static bool recursion_stack(ubi_node node, ubi_stack *out) {
    static const ubi_stack_ops ops = { recursion_frame, recursion_parent };
    const recursion *r = node.heap;
    if (node.ref == 0)
        return false;
    *out = (ubi_stack){ &ops, node.heap, r->depth[node.ref] };
    return true;
}
static uint64_t recursion_id(ubi_node node) {
    return node.ref + 1;
}
static ubi_text recursion_type(ubi_node node) {
    (void)node;
    return ubi__text("T");
}
static bool recursion_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    const recursion *r = node.heap;
    (void)want_names;
    for (uint32_t i = 1; node.ref == 0 && i < r->n_nodes; i++)
        if (!fn(payload, (ubi_node){ node.ops, node.heap, i }, (ubi_text){ NULL, 0 }))
            return false;
    return true;
}

static ubi_node recursion_root(recursion *r) {
    static const ubi_node_ops ops = { .version = UBI_NODE_OPS_VERSION,
                                      .id = recursion_id,
                                      .type_name = recursion_type,
                                      .allocation_stack = recursion_stack,
                                      .edges = recursion_edges };
    return (ubi_node){ &ops, r, 0 };
}

/** Checks that lines count down from the node's own frame, and returns how many frames there are. */
static uint32_t frames_of(const ubi_graph *g, ubi_node_ix n, uint32_t youngest) {
    uint32_t depth = 0;
    for (ubi_frame_ix f = ubi_graph_node_stack(g, n); f != UBI_NONE; f = ubi_graph_frame_parent(g, f), depth++) {
        ubi_frame frame;
        ubi_graph_frame(g, f, &frame);
        assert_int_equal(frame.line, youngest + 1 - depth);
    }
    return depth;
}

/** Saves and checks that each stack has the youngest `limit` frames of what it was. */
static void assert_cut_at(recursion *r, uint32_t option, uint32_t limit) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.max_stack_frames = option;
    ubi_graph *g = walk_round_trip(recursion_root(r), &options);
    for (ubi_node_ix n = 1; n < r->n_nodes; n++) {
        uint32_t all = r->depth[n] + 1;
        assert_int_equal(frames_of(g, n, r->depth[n]), all < limit ? all : limit);
    }
    ubi_graph_unref(g);
}

/** Case 46 of the conformance list: 200 frames deep, a node from each depth, found from the outside in. */
static void case_46_no_stack_is_deeper_than_sixty_frames(void **state) {
    recursion r = { .n_nodes = 201 };
    (void)state;
    for (uint32_t i = 1; i <= 200; i++)
        r.depth[i] = i - 1;
    assert_cut_at(&r, 0, 60);
    assert_cut_at(&r, 1, 1);
    assert_cut_at(&r, 90, 90);
    assert_cut_at(&r, 1000, 1000); /* the older part of each is there already */
}

/** Found from the inside out, older frames are in the file already, cut where the deepest stack was cut. */
static void a_stack_that_joins_a_cut_one_may_be_shorter_than_it_was(void **state) {
    recursion r = { .n_nodes = 3, .depth = { 0, 199, 150 } };
    (void)state;
    ubi_graph *g = walk_round_trip(recursion_root(&r), NULL);
    assert_int_equal(frames_of(g, 1, 199), 60);
    assert_int_equal(frames_of(g, 2, 150), 11);
    ubi_graph_unref(g);
}

static void cut_stacks_are_counted(void **state) {
    recursion r = { .n_nodes = 4, .depth = { 0, 10, 59, 60 } };
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    (void)state;
    bytes file = saved_walk(recursion_root(&r), NULL, &info);
    assert_int_equal(info.cut_stacks, 1);
    assert_int_equal(info.frame_count, 11 + 49 + 60); /* the last one needs copies of all its older frames */
    bytes_free(&file);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------- */

typedef struct graph_maker {
    ubi_graph_builder *builder;
    ubi_str_ix text;
    uint64_t n_nodes;
} graph_maker;

static graph_maker make_graph(void) {
    graph_maker m = { .n_nodes = 0 };
    must(ubi_graph_builder_new(&m.builder, NULL));
    must(ubi_graph_builder_string(m.builder, &m.text, ubi__text("t")));
    return m;
}

static ubi_frame_ix add_frame(graph_maker *m, uint64_t id, uint32_t line, ubi_frame_ix parent) {
    ubi_frame_desc desc = { .id = id,
                            .parent = parent,
                            .source = m->text,
                            .function_name = line % 2 ? UBI_NONE : m->text,
                            .line = line,
                            .column = 1,
                            .is_system = line % 3 == 0,
                            .is_self_hosted = line % 5 == 0 };
    ubi_frame_ix frame;
    must(ubi_graph_builder_frame(m->builder, &frame, &desc));
    return frame;
}

static ubi_frame_ix add_chain(graph_maker *m, uint64_t first_id, uint32_t n, ubi_frame_ix parent) {
    for (uint32_t i = 0; i < n; i++)
        parent = add_frame(m, first_id + i, i, parent);
    return parent;
}

static void add_node(graph_maker *m, ubi_frame_ix stack) {
    ubi_node_desc node = { .id = ++m->n_nodes, .size_bytes = 1, .stack = stack };
    node.kind = (ubi_kind){ .type_name = m->text,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = UBI_COARSE_OTHER };
    must(ubi_graph_builder_node(m->builder, &node));
}

static ubi_graph *made(graph_maker *m) {
    ubi_graph *g;
    must(ubi_graph_builder_finish(&g, m->builder));
    ubi_graph_builder_free(m->builder);
    return g;
}

static uint32_t depth_of(const ubi_graph *g, ubi_node_ix n) {
    uint32_t depth = 0;
    for (ubi_frame_ix f = ubi_graph_node_stack(g, n); f != UBI_NONE; f = ubi_graph_frame_parent(g, f))
        depth++;
    return depth;
}

static void ninety_frames_at_once_are_kept_and_more_when_they_come_in_parts(void **state) {
    graph_maker m = make_graph();
    ubi_frame_ix ninety = add_chain(&m, 1, 90, UBI_NONE), deeper = add_chain(&m, 1001, 89, ninety);
    (void)state;
    add_node(&m, ninety);
    add_node(&m, deeper); /* 89 new frames and a reference nest as deep as 90 frames, less one */
    add_node(&m, add_chain(&m, 2001, 89, deeper));
    ubi_graph *g = made(&m), *again = graph_round_trip(g, NULL);
    assert_graphs_equal(g, again);
    assert_int_equal(depth_of(again, 2), 268);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

static void what_the_format_cannot_hold_is_cut_and_the_file_stays_readable(void **state) {
    graph_maker m = make_graph();
    ubi_frame_ix known = add_chain(&m, 1, 5, UBI_NONE);
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    (void)state;
    add_node(&m, add_chain(&m, 1001, 91, UBI_NONE)); /* one too many */
    add_node(&m, known);
    add_node(&m, add_chain(&m, 2001, 90, known)); /* 90 frames, but no level left for the reference */
    add_node(&m, add_chain(&m, 3001, 1000, UBI_NONE));
    ubi_graph *g = made(&m);
    bytes file = saved_graph(g, NULL, &info);
    ubi_graph *again = graph_of_bytes(&file);
    assert_int_equal(depth_of(again, 0), 90);
    assert_int_equal(depth_of(again, 2), 90);
    assert_int_equal(depth_of(again, 3), 90);
    assert_int_equal(info.cut_stacks, 3);
    ubi_graph *third = graph_round_trip(again, NULL);
    assert_graphs_equal(again, third);
    bytes_free(&file);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
    ubi_graph_unref(third);
}

/** The youngest frame of a node. */
static ubi_frame frame_of(const ubi_graph *g, ubi_node_ix n) {
    ubi_frame frame;
    ubi_graph_frame(g, ubi_graph_node_stack(g, n), &frame);
    return frame;
}

static void different_frames_of_one_id_get_ids_of_their_own(void **state) {
    graph_maker m = make_graph();
    ubi_frame_ix a = add_frame(&m, 7, 1, UBI_NONE), b = add_frame(&m, 7, 2, UBI_NONE), c = add_frame(&m, 7, 3, a);
    ubi_frame_ix last = add_frame(&m, UINT64_MAX, 4, UBI_NONE); /* the first new id would be this one */
    (void)state;
    add_node(&m, a);
    add_node(&m, last);
    add_node(&m, b);
    add_node(&m, c);
    add_node(&m, b);
    add_node(&m, add_frame(&m, UINT64_MAX - 2, 5, UBI_NONE)); /* and this one was given by then */
    ubi_graph *g = made(&m), *again = graph_round_trip(g, NULL);
    static const uint64_t ids[] = { 7, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX - 1, UINT64_MAX - 3 };
    for (ubi_node_ix n = 0; n < 6; n++) {
        assert_true(frame_of(again, n).id == ids[n]);
        assert_int_equal(frame_of(again, n).line, frame_of(g, n).line);
    }
    assert_int_equal(depth_of(again, 3), 2);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

static void equal_frames_of_one_id_are_one_with_all_their_parents(void **state) {
    graph_maker m = make_graph();
    (void)state;
    for (int i = 0; i < 3; i++)
        add_node(&m, add_chain(&m, 100, 8, UBI_NONE));
    add_node(&m, add_frame(&m, 107, 7, add_chain(&m, 200, 7, UBI_NONE))); /* equal except its parents' ids */
    ubi_graph *g = made(&m);
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    bytes file = saved_graph(g, NULL, &info);
    ubi_graph *again = graph_of_bytes(&file);
    assert_int_equal(info.frame_count, 8 + 8);
    for (ubi_node_ix n = 0; n < 3; n++)
        assert_int_equal(ubi_graph_node_stack(again, n), ubi_graph_node_stack(again, 0));
    assert_true(frame_of(again, 3).id == UINT64_MAX);
    assert_int_equal(depth_of(again, 3), 8);
    bytes_free(&file);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

static void one_id_twice_in_a_stack_is_two_frames(void **state) {
    graph_maker m = make_graph();
    (void)state;
    add_node(&m, add_frame(&m, 5, 2, add_frame(&m, 5, 1, UBI_NONE)));
    add_node(&m, add_chain(&m, 5, 1, UBI_NONE));
    ubi_graph *g = made(&m), *again = graph_round_trip(g, NULL);
    assert_int_equal(depth_of(again, 0), 2);
    assert_int_equal(depth_of(again, 1), 1);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_46_no_stack_is_deeper_than_sixty_frames),
        cmocka_unit_test(a_stack_that_joins_a_cut_one_may_be_shorter_than_it_was),
        cmocka_unit_test(cut_stacks_are_counted),
        cmocka_unit_test(ninety_frames_at_once_are_kept_and_more_when_they_come_in_parts),
        cmocka_unit_test(what_the_format_cannot_hold_is_cut_and_the_file_stays_readable),
        cmocka_unit_test(different_frames_of_one_id_get_ids_of_their_own),
        cmocka_unit_test(equal_frames_of_one_id_are_one_with_all_their_parents),
        cmocka_unit_test(one_id_twice_in_a_stack_is_two_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
