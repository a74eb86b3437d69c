/* SPDX-License-Identifier: MIT
 *
 * Tests of V8's lens on several threads: the same look with any number of them, whatever fails in either half of the work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/views/strings.h>

#include "fail_allocator.h"
#include "lenses/v8/v8_look.h"
#include "random_numbers.h"
#include "random_v8_heap.h"

/* Enough edges for several ranges. */
static const random_v8_options large = { .topic = RANDOM_V8_RULES, .n_nodes = 150000, .n_edges_per_node = 9 };

static const random_v8_options many_strings = { .topic = RANDOM_V8_FILTERS, .n_nodes = 500000, .n_edges_per_node = 4 };

static ubi_graph *large_graph(const random_v8_options *options, uint64_t seed) {
    ubi_graph *g;
    for (;; seed++) {
        random_start(seed);
        g = random_v8_heap_of(options);
        if (ubi_graph_edge_count(g) > 4 * (uint64_t)UBI__V8_CHUNK)
            return g;
        ubi_graph_unref(g);
    }
}

static ubi_look *look_at(ubi_graph *g, unsigned threads) {
    ubi_look *look;
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.threads = threads;
    assert_int_equal(ubi_look_open(&look, NULL, g, &options), UBI_OK);
    return look;
}

static void assert_same_classes(const ubi_look *a, const ubi_look *b) {
    assert_int_equal(ubi_look_class_count(a), ubi_look_class_count(b));
    for (ubi_class_ix i = 0; i < ubi_look_class_count(a); i++) {
        ubi_look_class x, y;
        ubi_look_class_get(a, i, &x);
        ubi_look_class_get(b, i, &y);
        assert_true(ubi__text_equal(x.name, y.name) && ubi__text_equal(x.place, y.place));
        assert_int_equal(x.coarse_type, y.coarse_type);
    }
}

static void assert_same_look(const ubi_look *a, const ubi_look *b) {
    const ubi__v8_look *x = ubi__v8_look_of(a), *y = ubi__v8_look_of(b);
    size_t n = a->graph->n_nodes;
    assert_memory_equal(x->traits, y->traits, n);
    assert_memory_equal(x->distance, y->distance, n * sizeof *x->distance);
    assert_memory_equal(x->class_of_node, y->class_of_node, n * sizeof *x->class_of_node);
    assert_memory_equal(x->essential->words, y->essential->words, x->essential->n_words * sizeof *x->essential->words);
    for (ubi_node_ix node = 0; node < n; node++)
        assert_int_equal(ubi_look_size_bytes(a, node), ubi_look_size_bytes(b, node));
    assert_same_classes(a, b);
    assert_int_equal(x->ephemerons.n, y->ephemerons.n);
    assert_int_equal(x->interfaces.rows.n, y->interfaces.rows.n);
}

static void any_number_of_threads_gives_the_same_look(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        ubi_graph *g = large_graph(&large, seed * 100);
        ubi_look *one = look_at(g, 1);
        for (unsigned threads = 2; threads <= 5; threads++) {
            ubi_look *more = look_at(g, threads);
            assert_same_look(one, more);
            ubi_look_close(more);
        }
        ubi_look_close(one);
        ubi_graph_unref(g);
    }
}

static ubi_strings *group_with(uint32_t *group_of_node, const ubi_look *look, unsigned threads) {
    ubi_strings_options options = UBI_STRINGS_OPTIONS_INIT;
    ubi_strings *strings;
    options.group_of_node = group_of_node;
    options.threads = threads;
    assert_int_equal(ubi_strings_new(&strings, look, &options), UBI_OK);
    return strings;
}

static void any_number_of_threads_gives_the_same_groups_of_strings(void **state) {
    (void)state;
    ubi_graph *g = large_graph(&many_strings, 1);
    ubi_look *look = look_at(g, 2);
    size_t n = g->n_nodes, size = n * sizeof(uint32_t);
    assert_true(ubi__v8_look_of(look)->joined.cons.n > 20000);
    uint32_t *groups = malloc(size), *others = malloc(size);
    ubi_strings *one = group_with(groups, look, 1);
    assert_true(ubi_strings_group_count(one) > 1000);
    for (unsigned threads = 2; threads <= 4; threads++) {
        ubi_strings_free(group_with(others, look, threads));
        assert_memory_equal(groups, others, size);
    }
    ubi_strings_free(one);
    free(groups);
    free(others);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static ubi_status open_with_threads(void *payload, const ubi_allocator *allocator) {
    ubi_look *look;
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    options.allocator = allocator;
    options.threads = 2;
    ubi_status status = ubi_look_open(&look, NULL, payload, &options);
    if (status == UBI_OK)
        ubi_look_close(look);
    return status;
}

/* Which half meets a refused request differs from time to time, and so does their number. */
static void refused_allocations_leave_nothing_behind_in_either_half(void **state) {
    (void)state;
    static const random_v8_options small = { .topic = RANDOM_V8_RULES, .n_nodes = 40, .n_edges_per_node = 8 };
    for (uint64_t seed = 1; seed <= 10; seed++) {
        random_start(seed);
        ubi_graph *g = random_v8_heap_of(&small);
        for (uint64_t n = 0;; n += FAIL_ALLOCATOR_STEP) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            ubi_status status = open_with_threads(g, &f.allocator);
            assert_true(status == (f.n_refused ? UBI_ENOMEM : UBI_OK));
            if (status == UBI_ENOMEM)
                assert_string_equal(ubi_error_message(), "out of memory");
            fail_allocator_fini(&f);
            if (status == UBI_OK)
                break;
        }
        ubi_graph_unref(g);
    }
}

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    uint32_t *left = payload;
    (void)stage, (void)done, (void)total;
    return *left == 0 ? false : (--*left, true);
}

static void both_halves_end_when_it_is_cancelled(void **state) {
    (void)state;
    ubi_graph *g = large_graph(&large, 1);
    for (uint32_t n_allowed = 0;; n_allowed++) {
        ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
        ubi_look *look = NULL;
        uint32_t left = n_allowed;
        options.threads = 2;
        options.progress = (ubi_progress){ count_down, &left };
        ubi_status status = ubi_look_open(&look, NULL, g, &options);
        ubi_look_close(look);
        if (status == UBI_OK)
            break;
        assert_int_equal(status, UBI_ECANCELLED);
    }
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_look),
        cmocka_unit_test(any_number_of_threads_gives_the_same_groups_of_strings),
        cmocka_unit_test(refused_allocations_leave_nothing_behind_in_either_half),
        cmocka_unit_test(both_halves_end_when_it_is_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
