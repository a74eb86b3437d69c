/* SPDX-License-Identifier: MIT
 *
 * Tests of what is kept of earlier heaps: with ids and classes alone, what leaks is the same.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/leaks.h>

#include "analyses/leaks/leak_record.h"
#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "name_scheme.h"

enum { N_HEAPS = 5 };

/* A list that grows, a cache that is full, and an object that became larger. */
static char *heap_draw(int n) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("1 -> 2 \"app\"; 2(coarse=object class=App size=1) -> 3 \"list\", 4 \"cache\", 5 \"table\"; 3(coarse=object "
          "class=Array size=1)",
          out);
    for (int i = 0; i < 10 * n; i++)
        fprintf(out, "%s %d \"[%d]\"", i ? "," : " ->", 1001 + 2 * i, i);
    fputs("; 4(coarse=object class=Map size=1)", out);
    for (int i = 10 * n; i < 10 * n + 20; i++)
        fprintf(out, "%s %d \"[%d]\"", i > 10 * n ? "," : " ->", 5001 + 2 * i, i);
    fprintf(out, "; 5(coarse=object class=Set size=%d)", 10000 * n);
    for (int i = 0; i < 10 * n; i++)
        fprintf(out, "; %d(coarse=object class=Thing size=10)", 1001 + 2 * i);
    for (int i = 10 * n; i < 10 * n + 20; i++)
        fprintf(out, "; %d(coarse=object class=Entry size=10)", 5001 + 2 * i);
    fclose(out);
    return text;
}

static ubi_graph *heap_make(int n) {
    char *text = heap_draw(n);
    ubi_graph *graph = graph_from_drawing(text);
    free(text);
    return graph;
}

static void heap_reduce(ubi_graph *graph, uint64_t id_mark) {
    ubi_class_scheme scheme = name_scheme(graph);
    ubi__leak_record *record;
    assert_null(ubi__leak_record_of(graph));
    assert_int_equal(ubi__leak_record_new(&record, graph, &scheme, id_mark, "plain", NULL), UBI_OK);
    ubi__leak_record_reduce(record, graph);
    assert_ptr_equal(ubi__leak_record_of(graph), record);
    assert_int_equal(ubi_graph_edge_count(graph), 0);
    assert_int_equal(ubi__leak_record_id_mark(record), id_mark);
    assert_string_equal(ubi__leak_record_lens(record), "plain");
}

static void past_compare(ubi_leak_finder *finder, uint32_t step, bool is_reduced) {
    ubi_graph *past = heap_make((int)step + 1);
    if (is_reduced)
        heap_reduce(past, 0);
    ubi_class_scheme classes = is_reduced ? *ubi__leak_record_classes(ubi__leak_record_of(past)) : name_scheme(past);
    assert_int_equal(ubi_leak_finder_compare(finder, step, &classes), UBI_OK);
    ubi_graph_unref(past);
}

/* Of n heaps. */
static ubi_leaks *leaks_find(ubi_graph *newest, uint32_t n, bool is_reduced) {
    ubi_view view = ubi_view_of(newest);
    ubi_class_scheme classes = name_scheme(newest);
    ubi_leak_finder *finder;
    ubi_leaks *leaks;
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &classes, NULL), UBI_OK);
    for (uint32_t step = 0; step + 1 < n; step++)
        past_compare(finder, step, is_reduced);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi_leak_finder_free(finder);
    return leaks;
}

static void clusters_assert_equal(const ubi_leaks *a, const ubi_leaks *b) {
    assert_int_equal(ubi_leaks_count(a), ubi_leaks_count(b));
    for (uint32_t i = 0; i < ubi_leaks_count(a); i++) {
        const ubi_leak_cluster *one = ubi_leaks_cluster(a, i), *other = ubi_leaks_cluster(b, i);
        assert_int_equal(one->verdict, other->verdict);
        assert_int_equal(one->leaked.count, other->leaked.count);
        assert_int_equal(one->retained_bytes, other->retained_bytes);
        assert_int_equal(one->example, other->example);
        assert_int_equal(one->holder, other->holder);
        assert_int_equal(one->n_grew, other->n_grew);
    }
    for (uint32_t i = 0; i < ubi_leaks_heap_count(a); i++) {
        assert_int_equal(ubi_leaks_heap(a, i)->tally.bytes, ubi_leaks_heap(b, i)->tally.bytes);
        assert_int_equal(ubi_leaks_heap(a, i)->n_common_same, ubi_leaks_heap(b, i)->n_common_same);
    }
}

static void what_leaks_is_the_same(void **state) {
    (void)state;
    for (uint32_t n = 2; n <= N_HEAPS; n++) {
        ubi_graph *newest = heap_make((int)n);
        ubi_leaks *whole = leaks_find(newest, n, false), *reduced = leaks_find(newest, n, true);
        assert_true(ubi_leaks_count(whole) > 0);
        clusters_assert_equal(whole, reduced);
        assert_int_equal(ubi_leaks_fit(reduced), UBI_LEAK_FITS);
        assert_int_equal(ubi_leaks_grown_count(whole), 1);
        assert_int_equal(ubi_leaks_grown_count(reduced), 0);
        ubi_leaks_free(whole), ubi_leaks_free(reduced);
        ubi_graph_unref(newest);
    }
}

static ubi_status record_make(void *graph, const ubi_allocator *allocator) {
    ubi_class_scheme scheme = name_scheme(graph);
    ubi__leak_record *record = NULL;
    ubi_status status = ubi__leak_record_new(&record, graph, &scheme, 0, "plain", allocator);
    ubi__leak_record_free(record);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    ubi_graph *graph = heap_make(2);
    assert_true(fail_each_allocation(record_make, graph) > 4);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leaks_is_the_same),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
