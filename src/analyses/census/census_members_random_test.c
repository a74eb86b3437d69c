/* SPDX-License-Identifier: MIT
 *
 * Tests of the nodes of some leaves of a report: they are those of ubi_census_individuals, on random heaps; with memory that is refused,
 * and cancelled.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyses/census/census_members.h"
#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "random_heap.h"

enum { MOST_LEAVES = 4 };

/* Each id once; returns how many. */
static size_t marked(bool *out, const ubi_graph *graph, const uint64_t *ids, uint64_t n) {
    size_t n_marked = 0;
    for (uint64_t i = 0; i < n; i++) {
        ubi_node_ix node;
        assert_int_equal(ubi_graph_find(&node, graph, ids[i]), UBI_OK);
        n_marked += !out[node];
        out[node] = true;
    }
    return n_marked;
}

static void assert_members(const ubi_graph *graph, const ubi_breakdown *breakdown, const uint32_t *leaves,
                           uint32_t n_leaves) {
    bool expected[RANDOM_HEAP_NODES] = { false };
    ubi__vec_u32 nodes = { 0 };
    uint64_t *ids, n;
    ubi_status status = ubi_census_individuals(&ids, &n, graph, breakdown, leaves, n_leaves, NULL);
    assert_int_equal(ubi__census_members(&nodes, graph, breakdown, leaves, n_leaves, NULL), status);
    if (status == UBI_OK) {
        assert_int_equal(nodes.n, marked(expected, graph, ids, n));
        for (size_t i = 0; i < nodes.n; i++) {
            assert_true(expected[nodes.at[i]]);
            assert_true(i == 0 || nodes.at[i - 1] < nodes.at[i]);
        }
        ubi_individuals_free(ids, n, NULL);
    }
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
}

static void members_are_the_nodes_of_individuals(void **state) {
    (void)state;
    for (unsigned round = 0; round < random_cases(3000); round++) {
        random_start(round);
        ubi_graph *graph = random_heap();
        char *json = random_breakdown_json(random_breakdown_new(1 + random_below(4), true));
        ubi_breakdown *breakdown = must_parse_breakdown(json, UBI_COMPAT_NONE);
        for (uint32_t leaf = 0; leaf < 12; leaf++) /* groups and leaves that there are not, too */
            assert_members(graph, breakdown, &leaf, 1);
        for (int i = 0; i < 10; i++) {
            uint32_t leaves[MOST_LEAVES];
            for (size_t l = 0; l < MOST_LEAVES; l++)
                leaves[l] = 1 + random_below(8);
            assert_members(graph, breakdown, leaves, random_below(MOST_LEAVES + 1));
        }
        ubi_breakdown_unref(breakdown);
        free(json);
        ubi_graph_unref(graph);
    }
}

/* ---- refused memory, cancelled ----------------------------------------------------------------------------------- */

#define HEAP                                                                                                           \
    "r -> a, b, c; a(coarse=object class=A size=10); b(coarse=object class=B size=20); c(coarse=object class=B "       \
    "size=5)"

typedef struct asked {
    ubi_graph *graph;
    ubi_breakdown *breakdown;
} asked;

static asked asked_of(void) {
    return (asked){ graph_from_drawing(HEAP), must_parse_breakdown("{\"by\":\"objectClass\"}", UBI_COMPAT_NONE) };
}

static void asked_free(asked *a) {
    ubi_breakdown_unref(a->breakdown);
    ubi_graph_unref(a->graph);
}

static ubi_status members_of_b(asked *a, ubi_census_options *options) {
    const uint32_t leaf = 1;
    ubi__vec_u32 nodes = { 0 };
    ubi_status status = ubi__census_members(&nodes, a->graph, a->breakdown, &leaf, 1, options);
    if (status == UBI_OK)
        assert_int_equal(nodes.n, 2);
    ubi__vec_u32_fini(&nodes, options->allocator);
    return status;
}

static ubi_status members_allocate(void *a, const ubi_allocator *allocator) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.allocator = allocator;
    return members_of_b(a, &options);
}

static void memory_may_be_refused(void **state) {
    asked a = asked_of();
    (void)state;
    assert_true(fail_each_allocation(members_allocate, &a) > 0);
    asked_free(&a);
}

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    int *left = payload;
    (void)stage, (void)done, (void)total;
    return (*left)-- > 0;
}

static void members_can_be_cancelled(void **state) {
    ubi_status status = UBI_ECANCELLED;
    asked a = asked_of();
    int n = 0;
    (void)state;
    for (; status == UBI_ECANCELLED; n++) {
        ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
        int left = n;
        options.allocator = ubi_allocator_default();
        options.progress = (ubi_progress){ count_down, &left };
        status = members_of_b(&a, &options);
    }
    assert_int_equal(status, UBI_OK);
    assert_int_equal(n, 3); /* while it counts, and while it lists */
    asked_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_the_nodes_of_individuals),
        cmocka_unit_test(memory_may_be_refused),
        cmocka_unit_test(members_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
