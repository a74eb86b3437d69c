/* SPDX-License-Identifier: MIT
 *
 * summary_random_thread_test.c: summaries of random heaps against a slow and obvious count, through three lenses; failed
 * allocations and cancelling.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ubiheap/views/summary.h>

#include "fail_allocator.h"
#include "random_heap.h"
#include "random_numbers.h"
#include "random_v8_heap.h"

/* ---- against a slow count ---------------------------------------------------------------------------------------- */

typedef struct slow {
    const ubi_look *look;
    const ubi_view *view;
    ubi_dominators *dominators;
    uint32_t *distances;
    const uint64_t *only; /* or NULL */
} slow;

static bool slow_counts(const slow *s, ubi_node_ix node) {
    bool in_tree = node == s->view->root || ubi_dominators_immediate(s->dominators, node) != UBI_NONE;
    return in_tree && ubi_look_size_bytes(s->look, node) && ubi_look_shows(s->look, node) &&
           (!s->only || (s->only[node / 64] >> (node % 64) & 1));
}

/* Whether a node above it of its class counts. */
static bool is_below_its_class(const slow *s, ubi_node_ix node) {
    ubi_class_ix class_ix = ubi_look_class_of(s->look, node);
    for (ubi_node_ix up = ubi_dominators_immediate(s->dominators, node); up != UBI_NONE;
         up = ubi_dominators_immediate(s->dominators, up))
        if (slow_counts(s, up) && ubi_look_class_of(s->look, up) == class_ix)
            return true;
    return false;
}

static ubi_summary_row slow_row(const slow *s, ubi_class_ix class_ix) {
    ubi_summary_row row = { .class_ix = class_ix, .distance = UBI_NONE };
    for (ubi_node_ix node = 0; node < ubi_graph_node_count(s->view->graph); node++) {
        if (!slow_counts(s, node) || ubi_look_class_of(s->look, node) != class_ix)
            continue;
        row.first = row.count++ ? row.first : node;
        row.size_bytes += ubi_look_size_bytes(s->look, node);
        row.n_unreached += s->distances[node] == UBI_NONE;
        row.distance = s->distances[node] < row.distance ? s->distances[node] : row.distance;
        if (!is_below_its_class(s, node))
            row.retained_bytes += ubi_dominators_retained_bytes(s->dominators, node);
    }
    return row;
}

static void assert_same_row(const ubi_summary_row *row, const ubi_summary_row *expected) {
    assert_int_equal(row->first, expected->first);
    assert_int_equal(row->count, expected->count);
    assert_int_equal(row->distance, expected->distance);
    assert_int_equal(row->n_unreached, expected->n_unreached);
    assert_int_equal(row->size_bytes, expected->size_bytes);
    assert_int_equal(row->retained_bytes, expected->retained_bytes);
}

static void assert_same_rows(const ubi_summary *summary, const slow *s) {
    uint32_t n_rows = 0;
    for (ubi_class_ix c = 0; c < ubi_look_class_count(s->look); c++) {
        ubi_summary_row expected = slow_row(s, c);
        const ubi_summary_row *row = ubi_summary_find(summary, c);
        assert_int_equal(row != NULL, expected.count != 0);
        n_rows += row != NULL;
        if (row)
            assert_same_row(row, &expected);
    }
    assert_int_equal(ubi_summary_row_count(summary), n_rows);
    for (uint32_t i = 1; i < n_rows; i++)
        assert_true(ubi_summary_row_at(summary, i - 1)->retained_bytes >=
                    ubi_summary_row_at(summary, i)->retained_bytes);
}

static void assert_same_members(const ubi_summary *summary, const slow *s) {
    for (uint32_t i = 0; i < ubi_summary_row_count(summary); i++) {
        const ubi_summary_row *row = ubi_summary_row_at(summary, i);
        ubi_node_ix all[256], some[256];
        uint32_t n_all, n_some, max = 1 + random_below(row->count);
        assert_int_equal(ubi_summary_members(all, &n_all, summary, row->class_ix, 256), UBI_OK);
        assert_int_equal(ubi_summary_members(some, &n_some, summary, row->class_ix, max), UBI_OK);
        assert_int_equal(n_all, row->count);
        assert_int_equal(n_some, max);
        assert_memory_equal(all, some, max * sizeof *all);
        for (uint32_t k = 0; k < n_all; k++) {
            assert_true(slow_counts(s, all[k]));
            assert_int_equal(ubi_look_class_of(s->look, all[k]), row->class_ix);
        }
    }
}

/* The graph is taken over. */
static void compare(ubi_graph *g, const char *lens) {
    uint64_t only[8];
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    ubi_summary *summary;
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find(lens), g, NULL), UBI_OK);
    slow s = { .look = look, .view = ubi_look_view(look) };
    s.distances = malloc(ubi_graph_node_count(g) * sizeof *s.distances);
    assert_int_equal(ubi_dominators_new(&s.dominators, s.view, NULL), UBI_OK);
    assert_int_equal(ubi_look_distances(s.distances, look), UBI_OK);
    for (size_t i = 0; i < 8; i++)
        only[i] = (uint64_t)random_below(1u << 31) << 33 | random_below(1u << 31);
    options.only = s.only = random_below(2) ? only : NULL;
    options.distances = random_below(2) ? s.distances : NULL;
    options.threads = 1 + random_below(2);
    assert_int_equal(ubi_summary_new(&summary, look, random_below(2) ? s.dominators : NULL, &options), UBI_OK);
    assert_same_rows(summary, &s);
    assert_same_members(summary, &s);
    ubi_summary_free(summary);
    ubi_dominators_free(s.dominators);
    free(s.distances);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void any_heap_is_summed_up_as_a_slow_count_does(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < random_cases(3000); seed++) {
        random_start(seed);
        compare(random_heap(), seed % 2 ? "plain" : "firefox");
        compare(random_v8_heap(80), "v8");
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

typedef struct work {
    const ubi_look *look;
    unsigned threads;
    int n_left; /* reports before cancelling; negative: never */
} work;

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    work *w = payload;
    (void)stage, (void)done, (void)total;
    return w->n_left < 0 || w->n_left-- > 0;
}

static ubi_status summarize(void *payload, const ubi_allocator *allocator) {
    work *w = payload;
    ubi_summary_options options = UBI_SUMMARY_OPTIONS_INIT;
    uint32_t order[256], n;
    ubi_node_ix nodes[256];
    ubi_summary *s;
    options.allocator = allocator;
    options.threads = w->threads;
    options.progress = (ubi_progress){ count_down, w };
    ubi_status status = ubi_summary_new(&s, w->look, NULL, &options);
    if (status != UBI_OK)
        return status;
    status = ubi_summary_sorted(order, s, UBI_SUMMARY_BY_NAME);
    if (status == UBI_OK && ubi_summary_row_count(s))
        status = ubi_summary_members(nodes, &n, s, ubi_summary_row_at(s, 0)->class_ix, 1);
    ubi_summary_free(s);
    return status;
}

static void every_failed_allocation_and_every_cancel_has_a_way_out(void **state) {
    (void)state;
    random_start(5);
    ubi_graph *g = random_v8_heap(80);
    work w = { .n_left = -1 };
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("v8"), g, NULL), UBI_OK);
    w.look = look;
    for (w.threads = 1; w.threads <= 2; w.threads++)
        assert_true(fail_each_allocation(summarize, &w) > 8);
    ubi_status status = UBI_ECANCELLED;
    for (int n = 0; status == UBI_ECANCELLED; n++) {
        assert_in_range(n, 0, 1000);
        w.n_left = n;
        w.threads = 1 + (unsigned)n % 2;
        status = summarize(&w, NULL);
        assert_true(n > 0 || status == UBI_ECANCELLED);
    }
    assert_int_equal(status, UBI_OK);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_heap_is_summed_up_as_a_slow_count_does),
        cmocka_unit_test(every_failed_allocation_and_every_cancel_has_a_way_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
