/* SPDX-License-Identifier: MIT
 *
 * dominators_limits_test.c: what dominators may take: memory, and the patience of the caller.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/core/dominators.h>

#include "drawing.h"
#include "fail_allocator.h"
#include "graph_maker.h"
#include "random_numbers.h"

/* The root has `root_edges` more than others. */
static ubi_graph *random_graph(uint32_t n_nodes, uint32_t edges_per_node, uint32_t root_edges) {
    graph_maker m = graph_maker_start();
    random_start(1);
    for (uint32_t i = 0; i < n_nodes; i++) {
        graph_maker_node(&m, i, 1);
        for (uint32_t k = i ? root_edges : 0; k < root_edges + edges_per_node; k++)
            graph_maker_edge(&m, random_below(n_nodes));
    }
    return graph_maker_finish(&m);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* Bytes per node: at most 60 while computing, beside a result of 20, or 12 without sets. */
static void assert_memory(const ubi_graph *g, ubi_orphans orphans, bool without_sets) {
    uint64_t n = ubi_graph_node_count(g), fixed = 1000;
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_view view = ubi_view_of(g);
    view.orphans = orphans;
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    o.allocator = &f.allocator;
    o.has_no_sets = without_sets;
    ubi_dominators *d;
    assert_int_equal(ubi_dominators_new(&d, &view, &o), UBI_OK);
    assert_in_range(f.live_bytes, 12 * n, (without_sets ? 12 : 20) * n + fixed);
    assert_in_range(f.peak_bytes - f.live_bytes, 0, 60 * n + fixed);
    ubi_dominators_free(d);
    fail_allocator_fini(&f);
}

static void memory_stays_below_sixty_bytes_per_node_for_any_number_of_edges(void **state) {
    (void)state;
    static const uint32_t edges_per_node[] = { 0, 1, 3, 4, 5, 12, 50 };
    for (size_t i = 0; i < sizeof edges_per_node / sizeof *edges_per_node; i++) {
        ubi_graph *g = random_graph(40000, edges_per_node[i], 0);
        for (int kind = 0; kind < 4; kind++)
            assert_memory(g, kind & 1 ? UBI_ORPHANS_ADOPT : UBI_ORPHANS_IGNORE, kind & 2);
        ubi_graph_unref(g);
    }
}

static ubi_status work(void *view, const ubi_allocator *a) {
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    o.allocator = a;
    ubi_dominators *d = NULL;
    ubi_status status = ubi_dominators_new(&d, view, &o);
    if (status != UBI_OK) {
        assert_null(d);
        return status;
    }
    ubi_node_ix out[2];
    uint32_t n = 9;
    status = ubi_dominators_largest(out, &n, d, 0, 2);
    assert_int_equal(n, status == UBI_OK ? 2 : 9);
    ubi_dominators_free(d);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing_behind(void **state) {
    (void)state;
    ubi_graph *g = graph_from_drawing("1 -> 2, 3; 2 -> 4; 3 -> 4; 4 -> 2; 5 -> 4; 6 -> 6");
    ubi_view view = ubi_view_of(g);
    view.orphans = UBI_ORPHANS_ADOPT;
    assert_in_range(fail_each_allocation(work, &view), 7, 20);
    ubi_graph_unref(g);
}

/* ---- progress and cancelling ----------------------------------------------------------------------------------------- */

typedef struct watch {
    uint64_t n_calls, n_allowed;
    uint64_t done; /* of the last call */
} watch;

static bool watch_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    watch *w = payload;
    assert_string_equal(stage, "finding dominators");
    assert_true(done >= w->done && done <= total);
    w->done = done;
    return w->n_calls++ < w->n_allowed;
}

static ubi_status watched(watch *w, const ubi_view *view, unsigned threads, uint64_t n_allowed) {
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    *w = (watch){ .n_allowed = n_allowed };
    ubi_dominators_options o = UBI_DOMINATORS_OPTIONS_INIT;
    o.allocator = &f.allocator;
    o.progress = (ubi_progress){ watch_progress, w };
    o.threads = threads;
    ubi_dominators *d = NULL;
    ubi_status status = ubi_dominators_new(&d, view, &o);
    assert_true((d != NULL) == (status == UBI_OK));
    assert_int_equal(status, w->n_calls > n_allowed ? UBI_ECANCELLED : UBI_OK);
    ubi_dominators_free(d);
    fail_allocator_fini(&f);
    return status;
}

/* Cancels at each report in turn; sanitizers at every third, for all are of a few loops. */
static void assert_cancellable(const ubi_graph *g, ubi_orphans orphans, uint64_t least_calls) {
    ubi_view view = ubi_view_of(g);
    view.orphans = orphans;
    watch w;
    assert_int_equal(watched(&w, &view, 1, UINT64_MAX), UBI_OK);
    uint64_t n_calls = w.n_calls;
    assert_in_range(n_calls, least_calls, UINT64_MAX);
    const uint64_t step = every_case_is_tried() ? 1 : 3;
    for (uint64_t n = 0; n < n_calls; n += step) {
        assert_int_equal(watched(&w, &view, 1, n), UBI_ECANCELLED);
        assert_int_equal(w.n_calls, n + 1);
        (void)watched(&w, &view, 2, n); /* who waits for a helper reports now and then, so how often differs */
    }
}

static void it_can_be_cancelled_at_every_report_of_progress(void **state) {
    (void)state;
    ubi_graph *g = random_graph(140000, 2, 0);
    assert_cancellable(g, UBI_ORPHANS_IGNORE, 280000 / 65536 + 4 * 2);
    ubi_graph_unref(g);
    g = random_graph(20000, 30, 0); /* edges are scanned again, more than twice */
    assert_cancellable(g, UBI_ORPHANS_IGNORE, 3 * 20000 * 30 / 65536);
    ubi_graph_unref(g);
    g = random_graph(140000, 1, 0); /* nearly all are orphans */
    assert_cancellable(g, UBI_ORPHANS_ADOPT, 2 * 140000 / 65536);
    ubi_graph_unref(g);
    g = random_graph(10, 0, 2000000); /* one node with very many edges */
    assert_cancellable(g, UBI_ORPHANS_IGNORE, 2000000 / 65536);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_stays_below_sixty_bytes_per_node_for_any_number_of_edges),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing_behind),
        cmocka_unit_test(it_can_be_cancelled_at_every_report_of_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
