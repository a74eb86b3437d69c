/* SPDX-License-Identifier: MIT
 *
 * generator_test.c: made-up snapshots are the same every time, and the reader finds in them what was asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "base/alloc.h"
#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "generator.h"

typedef struct made_file {
    ubi__vec_u8 bytes;
    ubi__generator_result result;
} made_file;

static ubi_status append(void *payload, const void *data, size_t n) {
    made_file *f = payload;
    UBI_TRY(ubi__vec_u8_reserve(&f->bytes, ubi_allocator_default(), n));
    memcpy(f->bytes.at + f->bytes.n, data, n);
    f->bytes.n += n;
    return UBI_OK;
}

static void make(made_file *f, const ubi__generator_options *options) {
    *f = (made_file){ 0 };
    assert_int_equal(ubi__generate(options, append, f, &f->result), UBI_OK);
    assert_int_equal(f->result.stream_bytes, f->bytes.n);
}

static void discard(made_file *f) {
    ubi__vec_u8_fini(&f->bytes, ubi_allocator_default());
}

static ubi_graph *load(const made_file *f) {
    ubi_graph *graph = NULL;
    ubi_status status = ubi_graph_read_memory(&graph, f->bytes.at, f->bytes.n, NULL, NULL);
    if (status != UBI_OK)
        fail_msg("%s", ubi_error_message());
    assert_int_equal(ubi_graph_check(graph), UBI_OK);
    return graph;
}

static bool same_bytes(const ubi__generator_options *a, const ubi__generator_options *b) {
    made_file x, y;
    make(&x, a);
    make(&y, b);
    bool same = x.bytes.n == y.bytes.n && memcmp(x.bytes.at, y.bytes.at, x.bytes.n) == 0;
    discard(&x);
    discard(&y);
    return same;
}

static void equal_options_give_equal_bytes(void **state) {
    (void)state;
    for (ubi__shape shape = 0; shape < UBI__SHAPE_V8_HUGE; shape++) {
        ubi__generator_options o = { .shape = shape, .seed = 7, .n_edges = 20000, .stack_percent = 20 };
        assert_true(same_bytes(&o, &o));
    }
}

static void another_seed_gives_other_bytes(void **state) {
    (void)state;
    for (ubi__shape shape = 0; shape <= UBI__SHAPE_SHUFFLED; shape++) {
        ubi__generator_options a = { .shape = shape, .seed = 1, .n_edges = 20000 }, b = a;
        b.seed = 2;
        assert_false(same_bytes(&a, &b));
    }
}

static void every_shape_loads_with_the_counts_that_were_asked_for(void **state) {
    (void)state;
    for (ubi__shape shape = 0; shape < UBI__SHAPE_V8_HUGE; shape++) {
        made_file f;
        make(&f, &(ubi__generator_options){ .shape = shape, .seed = 3, .n_edges = 50000, .stack_percent = 10 });
        ubi_graph *graph = load(&f);
        assert_int_equal(ubi_graph_node_count(graph), f.result.n_nodes);
        assert_int_equal(ubi_graph_edge_count(graph), f.result.n_edges);
        assert_int_equal(ubi_graph_reachable_count(graph), f.result.n_reachable);
        if (shape != UBI__SHAPE_GRID) /* whose sides are whole numbers */
            assert_int_equal(f.result.n_edges, 50000);
        ubi_graph_unref(graph);
        discard(&f);
    }
}

static void node_and_edge_counts_can_both_be_given(void **state) {
    (void)state;
    static const ubi__shape shapes[] = { UBI__SHAPE_BROWSER, UBI__SHAPE_UNREACHABLE, UBI__SHAPE_SHUFFLED,
                                         UBI__SHAPE_V8 };
    static const uint64_t edges[] = { 25000, 40000, 90000 };
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < 3; i++) {
            made_file f;
            make(&f, &(ubi__generator_options){ .shape = shapes[s], .n_nodes = 10000, .n_edges = edges[i] });
            assert_int_equal(f.result.n_nodes, 10000);
            assert_int_equal(f.result.n_edges, edges[i]);
            discard(&f);
        }
}

static void a_browser_heap_is_written_in_breadth_first_order(void **state) {
    (void)state;
    made_file f;
    make(&f, &(ubi__generator_options){ .shape = UBI__SHAPE_BROWSER, .seed = 1, .n_edges = 50000 });
    ubi_graph *graph = load(&f);
    uint32_t n = ubi_graph_visit_count(graph);
    ubi_node_ix *order = malloc(n * sizeof *order);
    assert_int_equal(n, ubi_graph_node_count(graph) - 1); /* nothing leads to the root */
    assert_int_equal(ubi_graph_visit_order(order, graph), UBI_OK);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(order[i], i + 1);
    free(order);
    ubi_graph_unref(graph);
    discard(&f);
}

static void three_of_ten_nodes_of_the_unreachable_shape_are_out_of_reach(void **state) {
    (void)state;
    made_file f;
    make(&f, &(ubi__generator_options){ .shape = UBI__SHAPE_UNREACHABLE, .n_nodes = 10000 });
    assert_int_equal(f.result.n_reachable, 7000);
    discard(&f);
}

static void inline_names_take_a_string_each_and_shared_names_few(void **state) {
    (void)state;
    ubi__generator_options o = { .shape = UBI__SHAPE_INLINE_NAMES, .n_edges = 50000 };
    made_file f;
    make(&f, &o);
    ubi_graph *graph = load(&f);
    assert_true(ubi_graph_string_count(graph) > 50000);
    ubi_graph_unref(graph);
    discard(&f);
    o.shape = UBI__SHAPE_BROWSER;
    make(&f, &o);
    graph = load(&f);
    assert_in_range(ubi_graph_string_count(graph), 500, 5000); /* 3 of 100 names occur once */
    ubi_graph_unref(graph);
    discard(&f);
}

static void ids_are_aligned_addresses_or_scattered(void **state) {
    (void)state;
    for (ubi__shape shape = UBI__SHAPE_BROWSER; shape <= UBI__SHAPE_RANDOM_IDS; shape++) {
        made_file f;
        make(&f, &(ubi__generator_options){ .shape = shape, .n_edges = 50000 });
        ubi_graph *graph = load(&f);
        uint32_t n_unaligned = 0;
        for (ubi_node_ix i = 0; i < ubi_graph_node_count(graph); i++)
            n_unaligned += ubi_graph_node_id(graph, i) % 8 != 0;
        if (shape == UBI__SHAPE_BROWSER)
            assert_int_equal(n_unaligned, 0);
        else
            assert_true(n_unaligned > ubi_graph_node_count(graph) / 2);
        ubi_graph_unref(graph);
        discard(&f);
    }
}

static void stacks_come_only_when_asked_for(void **state) {
    (void)state;
    for (unsigned percent = 0; percent <= 50; percent += 50) {
        made_file f;
        make(&f, &(ubi__generator_options){ .shape = UBI__SHAPE_BROWSER, .n_edges = 20000, .stack_percent = percent });
        ubi_graph *graph = load(&f);
        assert_int_equal(ubi_graph_frame_count(graph) > 0, percent > 0);
        ubi_graph_unref(graph);
        discard(&f);
    }
}

/* ---- V8's format ------------------------------------------------------------------------------------------------- */

typedef struct census {
    uint64_t types[UBI__V8_TYPE_COUNT], kinds[UBI_EDGE_KIND_COUNT];
} census;

static census count(const ubi_graph *graph) {
    census c = { { 0 }, { 0 } };
    for (ubi_node_ix i = 0; i < ubi_graph_node_count(graph); i++)
        c.types[ubi_graph_kind(graph, ubi_graph_node_kind(graph, i))->raw_type]++;
    for (ubi_edge_ix i = 0; i < ubi_graph_edge_count(graph); i++)
        c.kinds[ubi_graph_edge_kind(graph, i)]++;
    return c;
}

static void every_version_of_v8_has_its_fields_and_the_same_heap(void **state) {
    (void)state;
    for (unsigned v8 = 0; v8 < UBI__V8_VERSION_COUNT; v8++) {
        made_file f;
        make(&f, &(ubi__generator_options){
                     .shape = UBI__SHAPE_V8, .v8 = (ubi__v8_version)v8, .n_nodes = 20000, .stack_percent = 50 });
        ubi_graph *graph = load(&f);
        const ubi__v8_facts *facts = ubi__v8_facts_of(graph);
        census c = count(graph);
        assert_int_equal(facts->has_trace_ids, v8 <= UBI__V8_NODE20);
        assert_int_equal(facts->has_detachedness, v8 >= UBI__V8_NODE20);
        assert_int_equal(facts->has_extra_native_bytes, v8 >= UBI__V8_NODE24);
        assert_int_equal(ubi_graph_frame_count(graph), v8 <= UBI__V8_NODE20 ? 200 : 0);
        assert_true(facts->locations.n > 5000);
        assert_int_equal(facts->locations.at[0].script == UBI_NONE, v8 != UBI__V8_CHROMIUM);
        assert_int_equal(c.types[UBI__V8_HIDDEN] == 0, v8 == UBI__V8_CHROMIUM);
        assert_int_equal(c.types[UBI__V8_OBJECT_SHAPE] == 0, v8 == UBI__V8_NODE12);
        assert_int_equal(c.kinds[UBI_EDGE_SHORTCUT], v8 != UBI__V8_CHROMIUM);
        ubi_graph_unref(graph);
        discard(&f);
    }
}

/* Of the real snapshot: 46 of 100 nodes are objects, 21 strings; 53 of 100 edges are properties, 40 fields. */
static void the_v8_shape_is_mixed_like_a_large_program(void **state) {
    (void)state;
    made_file f;
    make(&f, &(ubi__generator_options){ .shape = UBI__SHAPE_V8, .n_nodes = 50000, .v8 = UBI__V8_NODE20 });
    ubi_graph *graph = load(&f);
    census c = count(graph);
    assert_in_range(c.types[UBI__V8_OBJECT], 21000, 26000);
    assert_in_range(c.types[UBI__V8_STRING], 9000, 12000);
    assert_in_range(c.kinds[UBI_EDGE_PROPERTY] * 100 / f.result.n_edges, 45, 58);
    assert_in_range(c.kinds[UBI_EDGE_INTERNAL] * 100 / f.result.n_edges, 35, 45);
    assert_in_range(f.result.n_edges * 100 / f.result.n_nodes, 400, 430);
    assert_true(c.types[UBI__V8_CONS_STRING] > 1500 && c.types[UBI__V8_NUMBER] > 500 && c.types[UBI__V8_NATIVE] > 10);
    assert_true(c.kinds[UBI_EDGE_WEAK] > 200 && c.kinds[UBI_EDGE_CONTEXT] > 1000 && c.kinds[UBI_EDGE_ELEMENT] > 1000);
    ubi_graph_unref(graph);
    discard(&f);
}

static void huge_strings_are_a_mebibyte_each_and_different(void **state) {
    (void)state;
    made_file f;
    make(&f, &(ubi__generator_options){ .shape = UBI__SHAPE_V8_HUGE, .n_nodes = 6 });
    ubi_graph *graph = load(&f);
    assert_in_range(f.bytes.n, 3 << 20, (3 << 20) + 4000);
    ubi_text first = ubi_graph_string(graph, ubi_graph_node_name(graph, 3));
    ubi_text second = ubi_graph_string(graph, ubi_graph_node_name(graph, 4));
    assert_int_equal(first.len, 1 << 20);
    assert_int_equal(second.len, 1 << 20);
    assert_false(ubi__text_equal(first, second));
    ubi_graph_unref(graph);
    discard(&f);
}

static void a_version_of_v8_is_found_by_its_name(void **state) {
    (void)state;
    assert_int_equal(ubi__v8_version_find("node12"), UBI__V8_NODE12);
    assert_int_equal(ubi__v8_version_find("chromium"), UBI__V8_CHROMIUM);
    assert_int_equal(ubi__v8_version_find("node"), UBI__V8_VERSION_COUNT);
}

static void impossible_sizes_are_refused(void **state) {
    (void)state;
    static const ubi__generator_options bad[] = {
        { .shape = UBI__SHAPE_BROWSER },
        { .shape = UBI__SHAPE_BROWSER, .n_nodes = 99 },
        { .shape = UBI__SHAPE_BROWSER, .n_nodes = 1000, .n_edges = 1000 },
        { .shape = UBI__SHAPE_LIST, .n_nodes = 10, .n_edges = 10 },
        { .shape = UBI__SHAPE_SHUFFLED, .n_nodes = 10, .n_edges = 8 },
        { .shape = UBI__SHAPE_GRID, .n_nodes = 10 },
        { .shape = UBI__SHAPE_V8, .n_nodes = 100 },
        { .shape = UBI__SHAPE_V8, .n_nodes = 10000, .n_edges = 10000 },
        { .shape = UBI__SHAPE_V8_LIST, .n_nodes = 3 },
        { .shape = UBI__SHAPE_V8_STAR, .n_edges = 2 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        made_file f = { 0 };
        assert_int_equal(ubi__generate(&bad[i], append, &f, NULL), UBI_EINVAL);
        discard(&f);
    }
}

static void a_shape_is_found_by_its_name(void **state) {
    (void)state;
    for (ubi__shape shape = 0; shape < UBI__SHAPE_COUNT; shape++)
        assert_int_equal(ubi__shape_find(ubi__shape_name(shape)), shape);
    assert_int_equal(ubi__shape_find("cube"), UBI__SHAPE_COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_options_give_equal_bytes),
        cmocka_unit_test(another_seed_gives_other_bytes),
        cmocka_unit_test(every_shape_loads_with_the_counts_that_were_asked_for),
        cmocka_unit_test(node_and_edge_counts_can_both_be_given),
        cmocka_unit_test(a_browser_heap_is_written_in_breadth_first_order),
        cmocka_unit_test(three_of_ten_nodes_of_the_unreachable_shape_are_out_of_reach),
        cmocka_unit_test(inline_names_take_a_string_each_and_shared_names_few),
        cmocka_unit_test(ids_are_aligned_addresses_or_scattered),
        cmocka_unit_test(stacks_come_only_when_asked_for),
        cmocka_unit_test(every_version_of_v8_has_its_fields_and_the_same_heap),
        cmocka_unit_test(the_v8_shape_is_mixed_like_a_large_program),
        cmocka_unit_test(huge_strings_are_a_mebibyte_each_and_different),
        cmocka_unit_test(a_version_of_v8_is_found_by_its_name),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(a_shape_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
