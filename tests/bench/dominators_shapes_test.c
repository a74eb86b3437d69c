/* SPDX-License-Identifier: MIT
 *
 * dominators_shapes_test.c: dominators of graphs that are made to hurt (bench/shapes.h): right, without stack, and with a
 * number of steps that grows no faster than the graph.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyses/dominators/dom_work.h"
#include "plain_dominators.h"
#include "shapes.h"

#define STACK_BYTES ((rlim_t)256 << 10)
#define SMALL_NODES 10000
#define LARGE_NODES 1000000

static ubi_graph *make(ubi__hard_shape shape, uint32_t n_nodes) {
    ubi_graph *g;
    assert_int_equal(ubi__hard_graph(&g, shape, n_nodes, NULL), UBI_OK);
    return g;
}

static ubi_dominators *dominators_of(const ubi_graph *g, ubi__dom_counts *counts) {
    ubi_view view = ubi_view_of(g);
    ubi_dominators *d;
    assert_int_equal(ubi__dominators_new(&d, &view, NULL, NULL, counts), UBI_OK);
    return d;
}

/* ---- right ------------------------------------------------------------------------------------------------------------- */

static void every_shape_has_the_dominators_of_plain_iteration(void **state) {
    (void)state;
    ubi_node_ix *expected = malloc((SMALL_NODES + 1) * sizeof *expected);
    for (int shape = 0; shape < UBI__HARD_SHAPE_COUNT; shape++) {
        ubi_graph *g = make((ubi__hard_shape)shape, SMALL_NODES);
        ubi_view view = ubi_view_of(g);
        ubi__dom_counts counts;
        ubi_dominators *d = dominators_of(g, &counts);
        plain_dominators(expected, &view);
        for (ubi_node_ix node = 0; node < ubi_graph_node_count(g); node++)
            assert_int_equal(ubi_dominators_immediate(d, node), expected[node]);
        ubi_dominators_free(d);
        ubi_graph_unref(g);
    }
    free(expected);
}

static void a_list_retains_its_rest(void **state) {
    (void)state;
    ubi_graph *g = make(UBI__HARD_LIST, LARGE_NODES);
    ubi__dom_counts counts;
    ubi_dominators *d = dominators_of(g, &counts);
    for (ubi_node_ix node = 1; node < LARGE_NODES; node++) {
        assert_int_equal(ubi_dominators_immediate(d, node), node - 1);
        assert_int_equal(ubi_dominators_retained_bytes(d, node), LARGE_NODES - node);
    }
    ubi_dominators_free(d);
    ubi_graph_unref(g);
}

/* ---- in linear time ------------------------------------------------------------------------------------------------------ */

static uint64_t steps(ubi__hard_shape shape, uint32_t n_nodes) {
    ubi_graph *g = make(shape, n_nodes);
    ubi__dom_counts c;
    ubi_dominators_free(dominators_of(g, &c));
    ubi_graph_unref(g);
    return c.n_path_steps + c.n_climb_steps + c.n_edges_again;
}

/* Steps besides the fixed work per node and edge: at most log2(n) per edge, and hardly more per node in larger graphs. */
static void steps_grow_no_faster_than_the_graph(void **state) {
    (void)state;
    for (int shape = 0; shape < UBI__HARD_SHAPE_COUNT; shape++) {
        double small = (double)steps((ubi__hard_shape)shape, SMALL_NODES) / SMALL_NODES;
        double large = (double)steps((ubi__hard_shape)shape, LARGE_NODES / 2) / (LARGE_NODES / 2);
        if (large > 16 * log2(LARGE_NODES) || large > 2 * small + 8)
            fail_msg("%s: %.2f steps per node, and %.2f in a graph 50 times as large",
                     ubi__hard_shape_name((ubi__hard_shape)shape), small, large);
    }
}

static void a_chain_that_shares_its_targets_with_the_root_is_climbed_by_jumps(void **state) {
    (void)state;
    for (uint32_t n = LARGE_NODES / 16; n <= LARGE_NODES; n *= 4) {
        ubi_graph *g = make(UBI__HARD_SHARED_TAIL, n);
        ubi__dom_counts counts;
        ubi_dominators *d = dominators_of(g, &counts);
        assert_true(counts.has_used_jumps);
        /* plain climbing up to its limit, and at most 2 log2(n) steps for each target */
        assert_in_range(counts.n_climb_steps, n, (uint64_t)(n * (5 + 2 * log2(n))));
        for (ubi_node_ix node = n / 2 + 1; node < n; node++)
            assert_int_equal(ubi_dominators_immediate(d, node), 0);
        ubi_dominators_free(d);
        ubi_graph_unref(g);
    }
}

/* ---- within limits ------------------------------------------------------------------------------------------------------- */

static uint64_t mapped_bytes(void) {
    unsigned long n_pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &n_pages), 1);
    fclose(f);
    return (uint64_t)n_pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* In a child whose stack may not grow and whose memory is what it has plus what is promised per node. */
static int run_confined(const ubi_graph *g) {
    ubi_view view = ubi_view_of(g);
    rlim_t most_bytes = mapped_bytes() + 80 * (rlim_t)ubi_graph_node_count(g) + ((rlim_t)1 << 20);
    struct rlimit stack = { STACK_BYTES, STACK_BYTES }, memory = { most_bytes, most_bytes };
    ubi_dominators *d;
    if (setrlimit(RLIMIT_STACK, &stack) != 0 || setrlimit(RLIMIT_AS, &memory) != 0)
        return 2;
    if (ubi_dominators_new(&d, &view, NULL) != UBI_OK)
        return 1;
    ubi_dominators_free(d);
    return 0;
}

static void large_shapes_need_no_stack_and_no_more_memory_than_promised(void **state) {
    (void)state;
    for (int shape = 0; shape < UBI__HARD_SHAPE_COUNT; shape++) {
        ubi_graph *g = make((ubi__hard_shape)shape, LARGE_NODES);
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(run_confined(g));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("%s: wait status 0x%x", ubi__hard_shape_name((ubi__hard_shape)shape), (unsigned)status);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_has_the_dominators_of_plain_iteration),
        cmocka_unit_test(a_list_retains_its_rest),
        cmocka_unit_test(steps_grow_no_faster_than_the_graph),
        cmocka_unit_test(a_chain_that_shares_its_targets_with_the_root_is_climbed_by_jumps),
        cmocka_unit_test(large_shapes_need_no_stack_and_no_more_memory_than_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
