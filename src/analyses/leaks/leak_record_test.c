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

static void heap_add(ubi__leak_record *record, ubi_graph *graph) {
    ubi_class_scheme scheme = name_scheme(graph);
    assert_null(ubi__leak_record_of(graph));
    assert_int_equal(ubi__leak_record_add(record, &scheme, 0, "plain"), UBI_OK);
}

/* Of the first n heaps. */
static ubi__leak_record *record_make(uint32_t n) {
    ubi__leak_record *record;
    assert_int_equal(ubi__leak_record_new(&record, NULL), UBI_OK);
    for (uint32_t i = 0; i < n; i++) {
        ubi_graph *graph = heap_make((int)i + 1);
        heap_add(record, graph);
        ubi_graph_unref(graph);
    }
    assert_int_equal(ubi__leak_record_count(record), n);
    return record;
}

static ubi_graph *heap_of(ubi__leak_record *record, uint32_t step) {
    ubi_graph *token, *heap;
    assert_int_equal(ubi__leak_record_token(&token, record, step), UBI_OK);
    assert_int_equal(ubi_graph_node_count(token), 0);
    assert_non_null(ubi__leak_record_of(token));
    assert_int_equal(ubi__leak_record_heap(&heap, token), UBI_OK);
    ubi_graph_unref(token);
    return heap;
}

static void past_compare(ubi_leak_finder *finder, uint32_t step, ubi__leak_record *record) {
    ubi_graph *past = record ? heap_of(record, step) : heap_make((int)step + 1);
    ubi_class_scheme classes = record ? *ubi__leak_record_classes(ubi__leak_record_of(past)) : name_scheme(past);
    assert_int_equal(ubi_leak_finder_compare(finder, step, &classes), UBI_OK);
    ubi_graph_unref(past);
}

/* Of n heaps. */
static ubi_leaks *leaks_find(ubi_graph *newest, uint32_t n, bool is_reduced) {
    ubi_view view = ubi_view_of(newest);
    ubi_class_scheme classes = name_scheme(newest);
    ubi_leak_finder *finder;
    ubi_leaks *leaks;
    ubi__leak_record *record = is_reduced ? record_make(n - 1) : NULL;
    assert_int_equal(ubi_leak_finder_new(&finder, &view, &classes, NULL), UBI_OK);
    for (uint32_t step = 0; step + 1 < n; step++)
        past_compare(finder, step, record);
    assert_int_equal(ubi_leak_finder_run(&leaks, finder), UBI_OK);
    ubi__leak_record_unref(record); /* texts are of the newest heap's classes, or not asked for */
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

/* ---- the table ------------------------------------------------------------------------------------------------------- */

typedef struct drawn_heaps {
    const char *drawings[4];
    uint32_t n;
} drawn_heaps;

/* Each heap comes out as it was put in, whatever came before and after it. */
static void heap_assert_equal(const ubi_graph *drawn, const ubi_graph *heap) {
    ubi_class_scheme was = name_scheme(drawn);
    const ubi_class_scheme *is = ubi__leak_record_classes(ubi__leak_record_of(heap));
    assert_int_equal(ubi_graph_node_count(heap), ubi_graph_node_count(drawn));
    assert_int_equal(ubi_graph_edge_count(heap), 0);
    for (ubi_node_ix i = 0; i < ubi_graph_node_count(drawn); i++) {
        ubi_node_ix node;
        ubi_class a, b;
        assert_int_equal(ubi_graph_find(&node, heap, ubi_graph_node_id(drawn, i)), UBI_OK);
        assert_int_equal(ubi_graph_node_size_bytes(heap, node), ubi_graph_node_size_bytes(drawn, i));
        assert_int_equal(is->class_of(is, node) == UBI_NONE, was.class_of(&was, i) == UBI_NONE);
        if (is->class_of(is, node) == UBI_NONE)
            continue; /* the root */
        was.describe(&was, was.class_of(&was, i), &a);
        is->describe(is, is->class_of(is, node), &b);
        assert_true(ubi__text_equal(a.name, b.name) && a.coarse_type == b.coarse_type);
    }
}

static void heaps_come_back_as_they_were(void **state) {
    static const drawn_heaps series[] = {
        { { "1(size=5) -> 2; 2(coarse=object class=A size=10)", "1(size=5) -> 3; 3(coarse=object class=B size=10)" },
          2 },
        /* 7 changes its size, then its class; 9 goes and comes again; 300 is far away; 8 is large. */
        { { "1 -> 7, 9; 7(coarse=object class=A size=10); 9(coarse=object class=A size=1)",
            "1 -> 7, 8; 7(coarse=object class=A size=20); 8(coarse=object class=C size=8589934592)",
            "1 -> 7, 9, 300000007; 7(coarse=object class=B size=20); 9(coarse=object class=A size=1); "
            "300000007(coarse=string size=1)",
            "1(size=3)" },
          4 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        ubi__leak_record *record;
        assert_int_equal(ubi__leak_record_new(&record, NULL), UBI_OK);
        for (uint32_t k = 0; k < series[i].n; k++) {
            ubi_graph *drawn = graph_from_drawing(series[i].drawings[k]);
            heap_add(record, drawn);
            ubi_graph_unref(drawn);
        }
        for (uint32_t k = 0; k < series[i].n; k++) {
            ubi_graph *drawn = graph_from_drawing(series[i].drawings[k]), *heap = heap_of(record, k);
            heap_assert_equal(drawn, heap);
            ubi_graph_unref(drawn), ubi_graph_unref(heap);
        }
        ubi__leak_record_unref(record);
    }
}

static void the_same_heap_again_takes_no_more(void **state) {
    ubi__leak_record *record;
    ubi_graph *graph = heap_make(20);
    (void)state;
    assert_int_equal(ubi__leak_record_new(&record, NULL), UBI_OK);
    heap_add(record, graph);
    uint64_t once_bytes = ubi__leak_record_bytes(record);
    for (int i = 0; i < 50; i++)
        heap_add(record, graph);
    assert_true(ubi__leak_record_bytes(record) < once_bytes + 8192);
    ubi_graph_unref(graph);
    ubi__leak_record_unref(record);
}

static ubi_status record_fill(void *graph, const ubi_allocator *allocator) {
    ubi_class_scheme scheme = name_scheme(graph);
    ubi__leak_record *record = NULL;
    ubi_graph *token = NULL, *heap = NULL;
    ubi_status status = ubi__leak_record_new(&record, allocator);
    for (int i = 0; i < 2 && status == UBI_OK; i++)
        status = ubi__leak_record_add(record, &scheme, 0, "plain");
    if (status == UBI_OK)
        status = ubi__leak_record_token(&token, record, 1);
    if (status == UBI_OK)
        status = ubi__leak_record_heap(&heap, token);
    ubi_graph_unref(heap);
    ubi_graph_unref(token);
    ubi__leak_record_unref(record);
    return status;
}

static void every_failed_allocation_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    ubi_graph *graph = heap_make(2);
    for (int once = 0; once < 2; once++) {
        ubi_status status = UBI_ENOMEM;
        uint64_t n_refused = 1;
        for (uint64_t n = 0; n_refused; n++) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            f.once = once != 0;
            status = record_fill(graph, &f.allocator);
            n_refused = f.n_refused;
            assert_true(status == UBI_OK || (status == UBI_ENOMEM && n_refused)); /* capacity that stays is fine */
            fail_allocator_fini(&f);
        }
        assert_int_equal(status, UBI_OK);
    }
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leaks_is_the_same),
        cmocka_unit_test(heaps_come_back_as_they_were),
        cmocka_unit_test(the_same_heap_again_takes_no_more),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
