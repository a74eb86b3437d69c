/* SPDX-License-Identifier: MIT
 *
 * summary_shared_thread_test.c: two walkers add up on trees of any shape what one does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <ubiheap/views/summary.h>

#include "graph_maker.h"
#include "random_numbers.h"

enum { N_NODES = 50000, N_TYPES = 20 };

/* Where a node of a tree hangs. Trees go from a star (reach N_NODES, of the root alone) to a list (reach 1). */
static uint32_t parent_of(uint32_t node, uint32_t reach) {
    return node - 1 - random_below(node < reach ? node : reach);
}

/* A tree has the same dominators, so its shape is theirs. Each node has an edge from its parent, which must be kept until then. */
static ubi_graph *random_tree(uint32_t reach, bool star) {
    static uint32_t parent[N_NODES], first_child[N_NODES], next_sibling[N_NODES];
    graph_maker m = graph_maker_start();
    for (uint32_t i = 0; i < N_NODES; i++)
        first_child[i] = next_sibling[i] = 0;
    for (uint32_t i = 1; i < N_NODES; i++) {
        parent[i] = star && random_below(4) ? 0 : parent_of(i, reach);
        next_sibling[i] = first_child[parent[i]];
        first_child[parent[i]] = i;
    }
    for (uint32_t i = 0; i < N_NODES; i++) {
        char type[16];
        snprintf(type, sizeof type, "T%u", random_below(N_TYPES));
        graph_maker_type(&m, type);
        graph_maker_node(&m, i, random_below(3));
        for (uint32_t child = first_child[i]; child; child = next_sibling[child])
            graph_maker_edge(&m, child);
    }
    return graph_maker_finish(&m);
}

static ubi_summary *sum_up(const ubi_look *look, const ubi_dominators *dominators, unsigned threads) {
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    ubi_summary *s;
    options.threads = threads;
    assert_int_equal(ubi_summary_new(&s, look, dominators, &options), UBI_OK);
    return s;
}

static void assert_same(const ubi_summary *a, const ubi_summary *b) {
    assert_int_equal(ubi_summary_row_count(a), ubi_summary_row_count(b));
    for (uint32_t i = 0; i < ubi_summary_row_count(a); i++)
        assert_memory_equal(ubi_summary_row_at(a, i), ubi_summary_row_at(b, i), sizeof(ubi_summary_row));
}

static void two_walkers_add_up_what_one_does(void **state) {
    static const uint32_t reaches[] = { 1, 2, 10, 1000, N_NODES };
    /* Sanitizers: each shape once. */
    const uint32_t n_rounds = every_case_is_tried() ? 20 : 10, n_turns = every_case_is_tried() ? 10 : 4;
    (void)state;
    for (uint32_t round = 0; round < n_rounds; round++) {
        random_start(round);
        ubi_graph *g = random_tree(reaches[round / 2 % 5], round % 2);
        ubi_look *look;
        assert_int_equal(ubi_look_open(&look, NULL, g, NULL), UBI_OK);
        ubi_summary *alone = sum_up(look, NULL, 1);
        for (unsigned turn = 0; turn < n_turns; turn++) {
            ubi_summary *together = sum_up(look, turn % 2 ? ubi_summary_dominators(alone) : NULL, 2);
            assert_same(together, alone);
            ubi_summary_free(together);
        }
        ubi_summary_free(alone);
        ubi_look_close(look);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_walkers_add_up_what_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
