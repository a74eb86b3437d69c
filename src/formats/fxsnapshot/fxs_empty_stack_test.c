/* SPDX-License-Identifier: MIT
 *
 * fxs_empty_stack_test.c: what was allocated while no frame was on the stack is still known to be that after a save.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "graph_equal.h"
#include "saving.h"

enum { ROOT, EMPTY, UNTRACKED, N_NODES };

static uint64_t id_of(ubi_node node) {
    return node.ref + 1;
}
static ubi_text type_of(ubi_node node) {
    (void)node;
    return ubi__text("T");
}
static bool stack_of(ubi_node node, ubi_stack *out) {
    *out = (ubi_stack){ 0 };
    return node.ref == EMPTY;
}
static bool edges_of(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    (void)want_names;
    for (uint64_t i = 1; node.ref == ROOT && i < N_NODES; i++)
        if (!fn(payload, (ubi_node){ node.ops, node.heap, i }, (ubi_text){ NULL, 0 }))
            return false;
    return true;
}
static const ubi_node_ops ops = {
    .version = UBI_NODE_OPS_VERSION, .id = id_of, .type_name = type_of, .allocation_stack = stack_of, .edges = edges_of
};

static void assert_stacks(const ubi_graph *g) {
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(g); n++) {
        assert_int_equal(ubi_graph_node_stack(g, n), UBI_NONE);
        assert_int_equal(ubi_graph_node_stack_is_empty(g, n), ubi_graph_node_id(g, n) == EMPTY + 1);
    }
}

static void an_empty_stack_survives_a_save_of_a_walk_and_of_a_graph(void **state) {
    (void)state;
    bytes walked = saved_walk((ubi_node){ &ops, NULL, ROOT }, NULL, NULL);
    ubi_graph *graph = graph_of_bytes(&walked);
    assert_int_equal(ubi_graph_node_count(graph), N_NODES);
    assert_stacks(graph);
    bytes rewritten = saved_graph(graph, NULL, NULL);
    ubi_graph *again = graph_of_bytes(&rewritten);
    assert_stacks(again);
    assert_graphs_equal(graph, again);
    ubi_graph_unref(graph);
    ubi_graph_unref(again);
    bytes_free(&walked);
    bytes_free(&rewritten);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_stack_survives_a_save_of_a_walk_and_of_a_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
