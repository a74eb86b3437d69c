/* SPDX-License-Identifier: MIT
 *
 * Tests of censuses of live heaps: the same numbers as for a graph of the same heap, in one walk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/census.h>

#include "base/text.h"
#include "census_text.h"
#include "drawing.h"
#include "fail_allocator.h"

#define BY(kind) "{\"by\":\"" kind "\"}"
#define BUCKETS(kind, rest) "{\"by\":\"" kind "\",\"then\":" BY("bucket") ",\"" rest "\":" BY("bucket") "}"

#define HEAP                                                                                                           \
    "r(type=root) -> a, b, c, d, d; a(coarse=object class=A size=10 stack=f@x.js:3:1<g@x.js:9:1) -> e, r;"             \
    "b(coarse=object class=other size=20 stack=g@x.js:9:1) -> a; c(coarse=string size=5); d(file=x.js type=S size=9);" \
    "e(coarse=object class=A size=40 stack=h@x.js:4:4<g@x.js:9:1); u(size=1000) -> r"

static char *live_text(ubi_node root, const char *json, ubi_compat compat) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.compat = compat;
    ubi_breakdown *breakdown = must_parse_breakdown(json, compat);
    ubi_census *census;
    assert_int_equal(ubi_census_take_live(&census, root, breakdown, &options), UBI_OK);
    char *text = report_text(ubi_census_report(census));
    ubi_census_free(census);
    ubi_breakdown_unref(breakdown);
    return text;
}

static void assert_live(ubi_node root, const char *json, const char *expected) {
    char *text = live_text(root, json, UBI_COMPAT_NONE);
    assert_string_equal(text, expected);
    free(text);
}

static const char *const breakdowns[] = {
    NULL,
    BY("count"),
    BY("bucket"),
    BUCKETS("objectClass", "other"),
    BUCKETS("filename", "noFilename"),
    BUCKETS("allocationStack", "noStack"),
    "{\"by\":\"coarseType\",\"objects\":" BUCKETS("allocationStack", "noStack") ",\"other\":" BY("internalType") "}",
    "[" BY("bucket") "," BY("allocationStack") "," BUCKETS("objectClass", "other") "]",
};
enum { N_BREAKDOWNS = sizeof breakdowns / sizeof *breakdowns };

static void a_live_census_equals_the_census_of_the_graph(void **state) {
    (void)state;
    drawing *d = drawing_new(HEAP);
    ubi_graph *graph = drawing_graph(d, NULL);
    for (size_t i = 0; i < N_BREAKDOWNS; i++) {
        char *expected = census_text(graph, breakdowns[i], UBI_COMPAT_NONE);
        assert_live(drawing_node(d, "r"), breakdowns[i], expected);
        assert_live(ubi_graph_as_node(graph, ubi_graph_root(graph)), breakdowns[i], expected);
        free(expected);
    }
    ubi_graph_unref(graph);
    drawing_free(d);
}

static void the_edges_of_a_node_are_walked_once(void **state) {
    (void)state;
    drawing *d = drawing_new(HEAP);
    assert_live(drawing_node(d, "r"), BY("count"), "6,85");
    assert_int_equal(drawing_edge_calls(d), 6); /* the root, too, to which an edge leads */
    drawing_free(d);
}

static void a_census_can_start_anywhere(void **state) {
    (void)state;
    drawing *d = drawing_new("r -> a, b; a -> c; b; c -> b");
    assert_live(drawing_node(d, "a"), BY("bucket"), "[4 3]");
    assert_live(drawing_node(d, "b"), BY("bucket"), "[]");
    drawing_free(d);
}

/* ---- a heap with a node of each kind of stack -------------------------------------------------------------------- */

enum { ROOT, STACKED, SAME_STACK, EMPTY_STACK, UNTRACKED, N_NODES };

static uint64_t id_of(ubi_node node) {
    return 10 - node.ref;
}
static ubi_text type_of(ubi_node node) {
    (void)node;
    return ubi__text("T");
}
static uint64_t size_of(ubi_node node) {
    return 1 + node.ref;
}
static void frame_of(ubi_stack stack, ubi_frame *out) {
    /* Frames 1 and 2 are two objects of the engine with the same content. */
    *out = (ubi_frame){ .id = stack.ref, .source = ubi__text("s.js"), .line = 7 };
}
static bool no_parent(ubi_stack stack, ubi_stack *out) {
    (void)stack, (void)out;
    return false;
}
static bool stack_of(ubi_node node, ubi_stack *out) {
    static const ubi_stack_ops ops = { frame_of, no_parent };
    *out = (ubi_stack){ node.ref == EMPTY_STACK ? NULL : &ops, NULL, node.ref };
    return node.ref == STACKED || node.ref == SAME_STACK || node.ref == EMPTY_STACK;
}
static bool edges_of(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    (void)want_names;
    for (uint64_t i = 1; node.ref == ROOT && i < N_NODES; i++)
        if (!fn(payload, (ubi_node){ node.ops, node.heap, i }, (ubi_text){ NULL, 0 }))
            return false;
    return true;
}

static const ubi_node_ops stack_ops = { .version = UBI_NODE_OPS_VERSION,
                                        .id = id_of,
                                        .type_name = type_of,
                                        .size_bytes = size_of,
                                        .allocation_stack = stack_of,
                                        .edges = edges_of };
static const ubi_node_ops unknown_size_ops = {
    .version = UBI_NODE_OPS_VERSION, .id = id_of, .type_name = type_of, .edges = edges_of
};

static void what_was_allocated_on_an_empty_stack_has_the_key_null(void **state) {
    (void)state;
    ubi_node root = { &stack_ops, NULL, ROOT };
    assert_live(root, BUCKETS("allocationStack", "noStack"), "<-@s.js:7:0: [9 8]; null: [7]; noStack: [6]>");
    char *firefoxs = live_text(root, BUCKETS("allocationStack", "noStack"), UBI_COMPAT_FIREFOX);
    assert_string_equal(firefoxs, "<-@s.js:7:0: [8]; noStack: [7 6]>"); /* which does not distinguish the two */
    free(firefoxs);
}

static void a_captured_heap_keeps_empty_stacks(void **state) {
    (void)state;
    ubi_graph *graph;
    assert_int_equal(ubi_graph_capture(&graph, (ubi_node){ &stack_ops, NULL, ROOT }, NULL), UBI_OK);
    char *captured = census_text(graph, BUCKETS("allocationStack", "noStack"), UBI_COMPAT_NONE);
    assert_string_equal(captured, "<-@s.js:7:0: [9 8]; null: [7]; noStack: [6]>");
    assert_live(ubi_graph_as_node(graph, ubi_graph_root(graph)), BUCKETS("allocationStack", "noStack"), captured);
    free(captured);
    ubi_graph_unref(graph);
}

static void what_has_no_known_size_counts_0_bytes(void **state) {
    (void)state;
    ubi_node root = { &unknown_size_ops, NULL, ROOT };
    assert_live(root, BY("count"), "4,0");
    char *firefoxs = live_text(root, BY("count"), UBI_COMPAT_FIREFOX);
    assert_string_equal(firefoxs, "4,4");
    free(firefoxs);
}

/* ---- a heap larger than a block of rows -------------------------------------------------------------------------- */

enum { N_CHAIN = 5000 };

static bool chain_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    (void)want_names;
    return node.ref + 1 == N_CHAIN ||
           fn(payload, (ubi_node){ node.ops, node.heap, node.ref + 1 }, (ubi_text){ NULL, 0 });
}
static uint64_t chain_id(ubi_node node) {
    return node.ref + 1;
}
/** 1000 types whose texts lie at different places. */
static ubi_text chain_type(ubi_node node) {
    static char types[1000][4];
    char *type = types[node.ref % 1000];
    memcpy(type, "abc", 3);
    type[0] = (char)('a' + node.ref % 1000 % 26);
    return (ubi_text){ type, 3 };
}
static const ubi_node_ops chain_ops = {
    .version = UBI_NODE_OPS_VERSION, .id = chain_id, .type_name = chain_type, .edges = chain_edges
};

static void equal_texts_are_one_group_wherever_they_lie(void **state) {
    (void)state;
    ubi_breakdown *breakdown =
        must_parse_breakdown("{\"by\":\"internalType\",\"then\":" BY("bucket") "}", UBI_COMPAT_NONE);
    ubi_census *census;
    assert_int_equal(ubi_census_take_live(&census, (ubi_node){ &chain_ops, NULL, 0 }, breakdown, NULL), UBI_OK);
    assert_int_equal(ubi_census_node_count(census), N_CHAIN - 1);
    const ubi_report *report = ubi_census_report(census);
    assert_int_equal(ubi_report_entry_count(report), 26);
    uint64_t total = 0;
    for (uint32_t i = 0; i < 26; i++) {
        ubi_report_key key;
        uint64_t n;
        const uint64_t *ids = ubi_report_bucket(ubi_report_entry(report, i, &key), &n);
        for (uint64_t j = 0; j < n; j++)
            assert_int_equal('a' + (ids[j] - 1) % 1000 % 26, key.text.ptr[0]);
        total += n;
    }
    assert_int_equal(total, N_CHAIN - 1);
    ubi_census_free(census);
    ubi_breakdown_unref(breakdown);
}

static bool count_calls(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)total;
    assert_true(done > 0);
    return ++*(int *)payload < 3;
}

static void a_live_census_can_be_cancelled(void **state) {
    (void)state;
    int calls = 0;
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.progress = (ubi_progress){ count_calls, &calls };
    ubi_census *census = NULL;
    assert_int_equal(ubi_census_take_live(&census, (ubi_node){ &chain_ops, NULL, 0 }, NULL, &options), UBI_ECANCELLED);
    assert_null(census);
    assert_int_equal(calls, 3);
}

static void a_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    drawing *d = drawing_new(HEAP);
    ubi_breakdown *breakdown = must_parse_breakdown(breakdowns[N_BREAKDOWNS - 1], UBI_COMPAT_NONE);
    ubi_status status = UBI_ENOMEM;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
        options.allocator = &f.allocator;
        ubi_census *census = NULL;
        status = ubi_census_take_live(&census, drawing_node(d, "r"), breakdown, &options);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        ubi_census_free(census);
        fail_allocator_fini(&f);
    }
    ubi_breakdown_unref(breakdown);
    drawing_free(d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_live_census_equals_the_census_of_the_graph),
        cmocka_unit_test(the_edges_of_a_node_are_walked_once),
        cmocka_unit_test(a_census_can_start_anywhere),
        cmocka_unit_test(what_was_allocated_on_an_empty_stack_has_the_key_null),
        cmocka_unit_test(a_captured_heap_keeps_empty_stacks),
        cmocka_unit_test(what_has_no_known_size_counts_0_bytes),
        cmocka_unit_test(equal_texts_are_one_group_wherever_they_lie),
        cmocka_unit_test(a_live_census_can_be_cancelled),
        cmocka_unit_test(a_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
