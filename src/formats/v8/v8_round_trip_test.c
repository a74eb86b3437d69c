/* SPDX-License-Identifier: MIT
 *
 * v8_round_trip_test.c: read, write, read gives an equal graph with equal facts: every real file, and random graphs. Graphs of
 * other producers settle after one round. UBI_DEEP=1: 10^5 random ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph_equal.h"
#include "random_heap.h"
#include "random_numbers.h"
#include "random_v8.h"
#include "saving.h"
#include "v8_equal.h"

static ubi_save_options plain(void) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = "heapsnapshot";
    options.compression = UBI_COMPRESSION_NONE;
    options.threads = 1;
    return options;
}

static ubi_graph *must_read(const bytes *file) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_graph *g = NULL;
    options.threads = 1;
    if (ubi_graph_read_memory(&g, file->at, file->n, &options, NULL) != UBI_OK)
        fail_msg("%s\n%.*s", ubi_error_message(), (int)(file->n < 4000 ? file->n : 4000), (const char *)file->at);
    assert_int_equal(ubi_graph_check(g), UBI_OK);
    return g;
}

static void assert_facts_equal(const ubi_graph *a, const ubi_graph *b) {
    const char *why = v8_facts_differ(a, b);
    if (why)
        fail_msg("the facts differ: %s", why);
}

/* What comes back, which is the same to the byte when it is written again. */
static ubi_graph *round_trip(const ubi_graph *g) {
    ubi_save_options options = plain();
    bytes file = saved_graph(g, &options, NULL);
    ubi_graph *again = must_read(&file);
    bytes second = saved_graph(again, &options, NULL);
    assert_int_equal(second.n, file.n);
    assert_memory_equal(second.at, file.at, file.n);
    bytes_free(&second);
    bytes_free(&file);
    return again;
}

static void check_round_trip(const ubi_graph *g) {
    ubi_graph *again = round_trip(g);
    assert_graphs_equal(g, again);
    assert_facts_equal(g, again);
    ubi_graph_unref(again);
}

static void real_snapshots_come_back_equal(void **state) {
    static const char *const files[] = { "node20-before", "node20-after", "chromium-alloc", "chromium-detached" };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        ubi_graph *g;
        snprintf(path, sizeof path, "tests/data/v8/%s.heapsnapshot.gz", files[i]);
        assert_int_equal(ubi_graph_read_path(&g, path, NULL, NULL), UBI_OK);
        check_round_trip(g);
        ubi_graph_unref(g);
    }
}

static unsigned n_rounds(void) {
    const char *deep = getenv("UBI_DEEP");
    return random_cases(deep && *deep ? 100000 : 3000);
}

/* Ids, sizes and edges in their order, after `n_before` nodes with an edge each: a root of the writer's. */
static void check_nodes(const ubi_graph *g, const ubi_graph *again, uint32_t n_before) {
    assert_int_equal(ubi_graph_node_count(g) + n_before, ubi_graph_node_count(again));
    assert_int_equal(ubi_graph_edge_count(g) + n_before, ubi_graph_edge_count(again));
    assert_int_equal(ubi_graph_reachable_count(g) + n_before, ubi_graph_reachable_count(again));
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(g); n++) {
        ubi_node_ix m = n + n_before;
        assert_int_equal(ubi_graph_node_id(g, n), ubi_graph_node_id(again, m));
        assert_int_equal(ubi_graph_node_size_bytes(g, n), ubi_graph_node_size_bytes(again, m));
        assert_int_equal(ubi_graph_node_stack(g, n) == UBI_NONE, ubi_graph_node_stack(again, m) == UBI_NONE);
        for (ubi_edge_ix e = ubi_graph_first_edge(g, n); e < ubi_graph_first_edge(g, n + 1); e++)
            assert_int_equal(ubi_graph_edge_target(g, e) + n_before, ubi_graph_edge_target(again, e + n_before));
    }
}

/* Which file code is from is worked out by the reader, so only graphs that came out of one can be equal in that. */
static void random_graphs_come_back_equal(void **state) {
    (void)state;
    random_start(1);
    for (unsigned i = n_rounds(); i > 0; i--) {
        ubi_graph *g = random_v8_graph(), *again = round_trip(g);
        assert_facts_equal(g, again);
        check_nodes(g, again, 0);
        check_round_trip(again);
        ubi_graph_unref(again);
        ubi_graph_unref(g);
    }
}

static void graphs_of_other_producers_keep_their_shape_and_settle_after_one_round(void **state) {
    (void)state;
    random_start(2);
    for (unsigned i = n_rounds(); i > 0; i--) {
        ubi_graph *g = random_heap();
        ubi_save_options options = plain();
        bytes file = saved_graph(g, &options, NULL);
        ubi_graph *again = must_read(&file);
        check_nodes(g, again, 1);
        check_round_trip(again);
        bytes_free(&file);
        ubi_graph_unref(again);
        ubi_graph_unref(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_snapshots_come_back_equal),
        cmocka_unit_test(random_graphs_come_back_equal),
        cmocka_unit_test(graphs_of_other_producers_keep_their_shape_and_settle_after_one_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
