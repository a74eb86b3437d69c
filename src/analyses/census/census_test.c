/* SPDX-License-Identifier: MIT
 *
 * Tests of censuses of graphs: what is counted, and how the report looks. Expected results are Firefox's unless a test
 * says otherwise.
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

/* One of everything, a root with a self edge, and an unreachable node. */
#define EVERYTHING                                                                                                     \
    "1(size=10 type=root stack=-@a.js:1:2) -> 20 \"a\", 30 \"b\", 10 \"c\", 10 \"dup\", 50 \"s\", 60 \"d\", 1 "        \
    "\"self\";"                                                                                                        \
    "20(size=100 type=JSObject coarse=object class=Array stack=f@a.js:5:2<-@a.js:1:2) -> 40;"                          \
    "30(size=200 type=JSObject coarse=object class=Object stack=f@a.js:5:2<-@a.js:1:2);"                               \
    "10(size=50 type=JSObject coarse=object class=Array); 40(size=7 type=JSString coarse=string);"                     \
    "50(size=9 type=js::BaseScript coarse=script file=x.js);"                                                          \
    "60(size=11 type=nsIDOM coarse=dom desc=div class=HTMLDivElement); 70(size=1000 type=unreach)"

#define BY(kind) "{\"by\":\"" kind "\"}"
#define BUCKET BY("bucket")
#define COUNT "{\"by\":\"count\",\"count\":true,\"bytes\":true}"

static void assert_census(const ubi_graph *graph, const char *json, ubi_compat compat, const char *expected) {
    char *text = census_text(graph, json, compat);
    assert_string_equal(text, expected);
    free(text);
}

/** Both modes agree. */
static void assert_report(const char *heap, const char *json, const char *expected) {
    ubi_graph *graph = graph_from_drawing(heap);
    assert_census(graph, json, UBI_COMPAT_NONE, expected);
    assert_census(graph, json, UBI_COMPAT_FIREFOX, expected);
    ubi_graph_unref(graph);
}

/** They do not. */
static void assert_reports(const char *heap, const char *json, const char *ours, const char *firefoxs) {
    ubi_graph *graph = graph_from_drawing(heap);
    assert_census(graph, json, UBI_COMPAT_NONE, ours);
    assert_census(graph, json, UBI_COMPAT_FIREFOX, firefoxs);
    ubi_graph_unref(graph);
}

static void the_default_breakdown_groups_by_coarse_type(void **state) {
    (void)state;
    assert_report(
        EVERYTHING, NULL,
        "{objects: {Object: 1,200; Array: 2,150; other: 0,0}; scripts: 1,9; strings: 1,7; other: {root: 1,10}; "
        "domNode: {div: 1,11}}");
}

static void a_count_shows_what_was_asked_for(void **state) {
    (void)state;
    assert_report(EVERYTHING, BY("count"), "7,387");
    assert_report(EVERYTHING, "{\"by\":\"count\",\"label\":5,\"count\":false}", "b387\"5\"");
    assert_report(EVERYTHING, "{\"by\":\"count\",\"bytes\":false}", "c7");
    assert_report(EVERYTHING, "{\"by\":\"count\",\"bytes\":false,\"count\":0,\"label\":null}", "-\"null\"");
}

static void a_bucket_lists_ids_in_breadth_first_order(void **state) {
    (void)state;
    assert_report(EVERYTHING, BUCKET, "[20 30 10 50 60 1 40]");
    assert_report("r(id=1) -> c, a; b(id=2); a(id=3) -> b; c(id=4) -> a, r", BUCKET, "[4 3 1 2]");
    assert_report("r(id=1)", BUCKET, "[]");
}

static void classes_are_followed_by_other(void **state) {
    (void)state;
    assert_report(EVERYTHING, BY("objectClass"), "{HTMLDivElement: 1,11; Object: 1,200; Array: 2,150; other: 3,26}");
    assert_report(EVERYTHING, "{\"by\":\"objectClass\",\"then\":" BUCKET ",\"other\":" BUCKET "}",
                  "{HTMLDivElement: [60]; Object: [30]; Array: [20 10]; other: [50 1 40]}");
    assert_report("r", BY("objectClass"), "{other: 0,0}");
}

static void all_coarse_types_are_reported(void **state) {
    (void)state;
    assert_report(EVERYTHING, BY("coarseType"),
                  "{objects: 3,350; scripts: 1,9; strings: 1,7; other: 1,10; domNode: 1,11}");
    assert_report(EVERYTHING,
                  "{\"by\":\"coarseType\",\"domNode\":{\"by\":\"descriptiveType\",\"then\":" BUCKET
                  "},\"objects\":" BUCKET ",\"scripts\":{\"by\":\"filename\",\"then\":" BUCKET "}}",
                  "{objects: [20 30 10]; scripts: {x.js: [50]; noFilename: 0,0}; strings: 1,7; other: 1,10; "
                  "domNode: {div: [60]}}");
    assert_report("r", NULL, "{objects: {other: 0,0}; scripts: 0,0; strings: 0,0; other: {}; domNode: {}}");
}

static void files_are_followed_by_no_filename(void **state) {
    (void)state;
    assert_report(EVERYTHING, BY("filename"), "{x.js: 1,9; noFilename: 6,378}");
}

static void stacks_are_followed_by_no_stack_if_there_is_any(void **state) {
    (void)state;
    assert_report(EVERYTHING, BY("allocationStack"), "<f@a.js:5:2<-@a.js:1:2: 2,300; -@a.js:1:2: 1,10; noStack: 4,77>");
    assert_report(EVERYTHING, "{\"by\":\"allocationStack\",\"then\":" BUCKET ",\"noStack\":" BUCKET "}",
                  "<f@a.js:5:2<-@a.js:1:2: [20 30]; -@a.js:1:2: [1]; noStack: [10 50 60 40]>");
    assert_report("r -> a; a(stack=f@x:1:1)", BY("allocationStack"), "<f@x:1:1: 1,1>");
    assert_report("r", BY("allocationStack"), "<>");
}

static void breakdowns_nest(void **state) {
    (void)state;
    assert_report(EVERYTHING,
                  "{\"by\":\"objectClass\",\"then\":" BY("allocationStack") ",\"other\":" BY("coarseType") "}",
                  "{HTMLDivElement: <noStack: 1,11>; Object: <f@a.js:5:2<-@a.js:1:2: 1,200>; "
                  "Array: <f@a.js:5:2<-@a.js:1:2: 1,100; noStack: 1,50>; "
                  "other: {objects: 0,0; scripts: 1,9; strings: 1,7; other: 1,10; domNode: 0,0}}");
    assert_report(
        "r -> a, b; a(type=A coarse=script); b(type=B coarse=dom)",
        "{\"by\":\"internalType\",\"then\":{\"by\":\"coarseType\",\"scripts\":{\"by\":\"count\",\"label\":\"s\"}}}",
        "{B: {objects: 0,0; scripts: 0,0\"s\"; strings: 0,0; other: 0,0; domNode: 1,1}; "
        "A: {objects: 0,0; scripts: 1,1\"s\"; strings: 0,0; other: 0,0; domNode: 0,0}}");
}

static void the_root_counts_only_if_an_edge_leads_to_it(void **state) {
    (void)state;
    assert_report("r(size=5) -> a", BY("count"), "1,1");
    assert_report("r(size=5) -> a; a -> r", BY("count"), "2,6");
    assert_report("r(size=5) -> a; u -> r", BY("count"), "1,1"); /* the edge comes from an unreachable node */
}

static void unreachable_nodes_never_count(void **state) {
    (void)state;
    assert_report("r(id=9) -> b; a(id=1) -> b; b(id=2) -> d; c(id=3); d(id=4)", BUCKET, "[2 4]");
}

static void groups_are_in_descending_order_of_their_smallest_id(void **state) {
    (void)state;
    assert_report("r(id=1) -> a, b, c, d; a(id=10 class=A); b(id=5 class=B); c(id=7 class=C); d(id=2 class=A)",
                  BY("objectClass"), "{C: 1,1; B: 1,1; A: 2,2; other: 0,0}");
}

static void array_indices_come_first_among_keys(void **state) {
    (void)state;
    assert_report(
        "r -> a, b, c, d, e, f, g; a(id=2 class=zeta); b(id=3 class=7); c(id=4 class=07); d(id=5 class=__proto__);"
        "e(id=6 class=3); f(id=7 class=4294967294); g(id=8 class=4294967295)",
        BY("objectClass"),
        "{3: 1,1; 7: 1,1; 4294967294: 1,1; 4294967295: 1,1; __proto__: 1,1; 07: 1,1; zeta: 1,1; other: 0,0}");
    assert_report("r -> a, b, c; a(id=2 file=x.js); b(id=3 file=10); c(id=4 file=9)", BY("filename"),
                  "{9: 1,1; 10: 1,1; x.js: 1,1; noFilename: 0,0}");
}

static void sums_wrap_at_64_bits(void **state) {
    (void)state;
    assert_report("r -> a, b; a(size=9223372036854775808); b(size=9223372036854775813)", BY("count"), "2,5");
}

/* ---- where Firefox loses nodes ----------------------------------------------------------------------------------- */

static void a_class_called_other_joins_the_others(void **state) {
    (void)state;
    assert_reports("r -> a, b, c, d, e; a(id=2 class=zeta); b(id=3 class=7); c(id=4 class=other size=10);"
                   "d(id=5 class=__proto__); e(id=6 class=3)",
                   BY("objectClass"), "{3: 1,1; 7: 1,1; __proto__: 1,1; zeta: 1,1; other: 1,10}",
                   "{3: 1,1; 7: 1,1; __proto__: 1,1; other: 0,0; zeta: 1,1}");
    assert_reports("r -> a, b; a(class=other size=10); b(size=3)",
                   "{\"by\":\"objectClass\",\"then\":" BUCKET ",\"other\":" BUCKET "}", "{other: [2 3]}",
                   "{other: [3]}");
}

static void a_file_called_no_filename_joins_those_without(void **state) {
    (void)state;
    assert_reports("r -> a, b, c; a(id=2 file=a.js); b(id=3 file=noFilename size=10); c(id=4)", BY("filename"),
                   "{a.js: 1,1; noFilename: 2,11}", "{noFilename: 1,1; a.js: 1,1}");
}

static void a_type_that_the_file_names_twice_is_one_type(void **state) {
    (void)state;
    /* Each mention in a drawing is a string of its own, as in a file that spells out all names. */
    assert_reports("r -> a, b, c; a(id=20 size=100 type=JSObject); b(id=30 size=200 type=JSObject); c(id=10 size=50 "
                   "type=JSObject)",
                   BY("internalType"), "{JSObject: 3,350}", "{JSObject: 1,50}");
    assert_reports("r -> a, b, c; a(id=20 type=A); b(id=15 type=B); c(id=10 type=A size=5)", BY("internalType"),
                   "{B: 1,1; A: 2,6}", "{A: 1,5; B: 1,1}");
}

static ubi_str_ix string(ubi_graph_builder *b, const char *text) {
    ubi_str_ix ix;
    assert_int_equal(ubi_graph_builder_string(b, &ix, ubi__text(text)), UBI_OK);
    return ix;
}

/** Two frames of equal content and different ids, with a node each. */
static ubi_graph *graph_with_equal_frames(void) {
    ubi_graph_builder *b;
    ubi_graph *graph;
    ubi_frame_ix frames[2];
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    ubi_frame_desc frame = { .parent = UBI_NONE, .source = string(b, "a.js"), .function_name = UBI_NONE, .line = 1 };
    ubi_node_desc node = { .id = 1, .size_bytes = 1, .stack = UBI_NONE };
    node.kind = (ubi_kind){ .type_name = string(b, "T"),
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = UBI_COARSE_OTHER };
    for (uint64_t i = 0; i < 2; i++) {
        frame.id = 100 + i;
        assert_int_equal(ubi_graph_builder_frame(b, &frames[i], &frame), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(b, 2, UBI_NONE), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(b, 3, UBI_NONE), UBI_OK);
    for (uint32_t i = 0; i < 2; i++) {
        node.id = 2 + i;
        node.size_bytes = 10 * (1 + i);
        node.stack = frames[i];
        assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
    }
    assert_int_equal(ubi_graph_builder_finish(&graph, b), UBI_OK);
    ubi_graph_builder_free(b);
    return graph;
}

static void stacks_of_equal_content_are_one_stack(void **state) {
    (void)state;
    ubi_graph *graph = graph_with_equal_frames();
    assert_census(graph, BY("allocationStack"), UBI_COMPAT_NONE, "<-@a.js:1:0: 2,30>");
    assert_census(graph, BY("allocationStack"), UBI_COMPAT_FIREFOX, "<-@a.js:1:0: 1,10>");
    assert_census(graph, "{\"by\":\"allocationStack\",\"then\":" BUCKET "}", UBI_COMPAT_NONE, "<-@a.js:1:0: [2 3]>");
    assert_census(graph, "{\"by\":\"allocationStack\",\"then\":" BUCKET "}", UBI_COMPAT_FIREFOX, "<-@a.js:1:0: [2]>");
    ubi_graph_unref(graph);
}

static void sizes_may_be_those_of_a_lens(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("r(size=1) -> a, b; a(size=10); b(size=100)");
    static const uint64_t sizes[] = { 5, 6, 7 };
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census *census;
    options.size_bytes = sizes;
    assert_int_equal(ubi_census_take(&census, graph, NULL, &options), UBI_OK);
    assert_int_equal(ubi_census_size_bytes(census), 13);
    ubi_census_free(census);
    assert_int_equal(ubi_census_describe(&census, graph, ubi_graph_node_id(graph, 2), NULL, &options), UBI_OK);
    assert_int_equal(ubi_census_size_bytes(census), 7);
    ubi_census_free(census);
    ubi_graph_unref(graph);
}

static void arrays_count_every_node_in_every_member(void **state) {
    (void)state;
    ubi_graph *graph =
        graph_from_drawing("r -> a, b, c; a(id=2 class=A size=3); b(id=3 class=B); c(id=4 coarse=string)");
    assert_census(graph, "[]", UBI_COMPAT_NONE, "()");
    assert_census(graph, "[" BY("count") "," BY("objectClass") "," BUCKET "," BUCKET "]", UBI_COMPAT_NONE,
                  "(3,5 | {B: 1,1; A: 1,3; other: 1,1} | [2 3 4] | [2 3 4])");
    assert_census(graph, "{\"by\":\"coarseType\",\"strings\":[" BY("internalType") ",[" BUCKET "]]}", UBI_COMPAT_NONE,
                  "{objects: 0,0; scripts: 0,0; strings: ({T: 1,1} | ([4])); other: 2,4; domNode: 0,0}");
    ubi_graph_unref(graph);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static void descriptive_type_groups_nodes_without_a_name_by_type_and_only_firefox_refuses_them(void **state) {
    (void)state;
    assert_reports(
        "r -> a, b; a(id=5 type=A desc=div); b(id=4 type=Bee)", BY("descriptiveType"), "{div: 1,1; Bee: 1,1}",
        "! descriptiveType needs a descriptive name, and node 4 (Bee) has none: use it only as the domNode part "
        "of coarseType");
    assert_reports(
        "r -> a, b, c; a(coarse=dom type=A desc=div); b(coarse=dom type=div); c(coarse=dom type=nsText)", NULL,
        "{objects: {other: 0,0}; scripts: 0,0; strings: 0,0; other: {}; domNode: {nsText: 1,1; div: 2,2}}",
        "! descriptiveType needs a descriptive name, and node 3 (div) has none: use it only as the domNode part "
        "of coarseType");
    assert_report("r -> a, b; a(id=5 desc=div); b(id=4 desc=p)", BY("descriptiveType"), "{div: 1,1; p: 1,1}");
    assert_report("r", BY("descriptiveType"), "{}");
    /* Also in a group that Firefox does not report in the end. */
    assert_reports(
        "r -> a, b; a(class=other type=A); b(desc=x)", "{\"by\":\"objectClass\",\"then\":" BY("descriptiveType") "}",
        "{other: 2,2}",
        "! descriptiveType needs a descriptive name, and node 2 (A) has none: use it only as the domNode part of "
        "coarseType");
}

static void a_file_name_that_is_not_utf8_fails_only_firefox(void **state) {
    (void)state;
    assert_reports("r -> a; a(file=ab\xff"
                   "c)",
                   BY("filename"),
                   "{ab\xff"
                   "c: 1,1; noFilename: 0,0}",
                   "! malformed UTF-8 character sequence at offset 2");
    assert_report("r -> a; a(file=ab\xff)", BY("count"), "1,1"); /* not asked for */
    assert_report("r -> a; a(file=\xc3\xa9)", BY("filename"), "{\xc3\xa9: 1,1; noFilename: 0,0}");
}

static void wrong_options_are_refused(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("r");
    ubi_census *census = NULL;
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.version = 99;
    assert_int_equal(ubi_census_take(&census, graph, NULL, &options), UBI_EINVAL);
    assert_null(census);
    ubi_graph_unref(graph);
}

static bool refuse(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    ++*(int *)payload;
    return false;
}

static void a_census_can_be_cancelled(void **state) {
    (void)state;
    int calls = 0;
    ubi_graph *graph = graph_from_drawing(EVERYTHING);
    ubi_census *census = NULL;
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    options.progress = (ubi_progress){ refuse, &calls };
    assert_int_equal(ubi_census_take(&census, graph, NULL, &options), UBI_ECANCELLED);
    assert_null(census);
    assert_int_equal(calls, 1);
    ubi_graph_unref(graph);
}

/* ---- descriptions, individuals, and what a census keeps ---------------------------------------------------------- */

static char *describe(const ubi_graph *graph, uint64_t id, const char *json) {
    ubi_breakdown *breakdown = must_parse_breakdown(json, UBI_COMPAT_NONE);
    ubi_census *census;
    assert_int_equal(ubi_census_describe(&census, graph, id, breakdown, NULL), UBI_OK);
    char *text = report_text(ubi_census_report(census));
    ubi_census_free(census);
    ubi_breakdown_unref(breakdown);
    return text;
}

static void assert_description(const ubi_graph *graph, uint64_t id, const char *json, const char *expected) {
    char *text = describe(graph, id, json);
    assert_string_equal(text, expected);
    free(text);
}

static void a_description_is_the_census_of_one_node(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing(EVERYTHING);
    ubi_census *census;
    assert_description(graph, 20, "{\"by\":\"coarseType\",\"objects\":" BY("objectClass") "}",
                       "{objects: {Array: 1,100; other: 0,0}; scripts: 0,0; strings: 0,0; other: 0,0; domNode: 0,0}");
    assert_description(graph, 1, BY("count"), "1,10");
    assert_description(graph, 70, BY("internalType"), "{unreach: 1,1000}");
    assert_description(graph, 30, "{\"by\":\"allocationStack\",\"then\":" BUCKET "}", "<f@a.js:5:2<-@a.js:1:2: [30]>");
    assert_description(graph, 70, "{\"by\":\"allocationStack\",\"noStack\":" BUCKET "}", "<noStack: [70]>");
    assert_int_equal(ubi_census_describe(&census, graph, 71, NULL, NULL), UBI_ENOTFOUND);
    ubi_graph_unref(graph);
}

static void assert_individuals(const ubi_graph *graph, const char *json, const uint32_t *leaves, uint32_t n_leaves,
                               const uint64_t *expected, uint64_t n_expected) {
    ubi_breakdown *breakdown = must_parse_breakdown(json, UBI_COMPAT_NONE);
    uint64_t *ids, n;
    assert_int_equal(ubi_census_individuals(&ids, &n, graph, breakdown, leaves, n_leaves, NULL), UBI_OK);
    assert_int_equal(n, n_expected);
    if (n)
        assert_memory_equal(ids, expected, n * sizeof *ids);
    ubi_individuals_free(ids, n, NULL);
    ubi_breakdown_unref(breakdown);
}

static void individuals_are_the_nodes_behind_leaves(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing(EVERYTHING);
    /* leaves of objectClass: 0 the report, 1 HTMLDivElement, 2 Object, 3 Array, 4 other */
    assert_individuals(graph, BY("objectClass"), (uint32_t[]){ 3 }, 1, (uint64_t[]){ 20, 10 }, 2);
    assert_individuals(graph, BY("objectClass"), (uint32_t[]){ 4, 1, 4 }, 3, (uint64_t[]){ 60, 50, 1, 40 }, 4);
    assert_individuals(graph, BY("count"), (uint32_t[]){ 0 }, 1, (uint64_t[]){ 20, 30, 10, 50, 60, 1, 40 }, 7);
    assert_individuals(graph, BY("count"), NULL, 0, NULL, 0);
    assert_individuals(graph, "[" BY("objectClass") "," BY("count") "]", (uint32_t[]){ 2 }, 1, (uint64_t[]){ 60 }, 1);
    ubi_graph_unref(graph);
}

static void individuals_of_what_is_no_leaf_are_not_found(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing(EVERYTHING);
    ubi_breakdown *breakdown = must_parse_breakdown(BY("objectClass"), UBI_COMPAT_NONE);
    uint64_t *ids = NULL, n = 77;
    assert_int_equal(ubi_census_individuals(&ids, &n, graph, breakdown, (uint32_t[]){ 0 }, 1, NULL), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "0 is a group of the report, not a leaf");
    assert_int_equal(ubi_census_individuals(&ids, &n, graph, breakdown, (uint32_t[]){ 1, 5 }, 2, NULL), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "the report has no leaf 5, its last index is 4");
    assert_true(ids == NULL && n == 77);
    ubi_breakdown_unref(breakdown);
    ubi_graph_unref(graph);
}

static void a_census_keeps_what_it_needs(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing(EVERYTHING);
    ubi_breakdown *breakdown = must_parse_breakdown(BY("objectClass"), UBI_COMPAT_NONE);
    ubi_census *census;
    assert_int_equal(ubi_census_take(&census, graph, breakdown, NULL), UBI_OK);
    ubi_breakdown_unref(breakdown);
    ubi_graph_unref(graph);
    assert_int_equal(ubi_census_node_count(census), 7);
    assert_int_equal(ubi_census_size_bytes(census), 387);
    assert_int_equal(ubi_breakdown_kind(ubi_census_breakdown(census)), UBI_BY_OBJECT_CLASS);
    char *text = report_text(ubi_census_report(census));
    assert_string_equal(text, "{HTMLDivElement: 1,11; Object: 1,200; Array: 2,150; other: 3,26}");
    free(text);
    ubi_census_free(census);
    ubi_census_free(NULL);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct work {
    const ubi_graph *graph;
    const ubi_breakdown *breakdown;
    ubi_compat compat;
} work;

static ubi_status everything(const work *w, const ubi_allocator *allocator) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    ubi_census_tree_options tree_options = UBI_CENSUS_TREE_OPTIONS_INIT;
    options.allocator = allocator;
    options.compat = w->compat;
    tree_options.is_inverted = tree_options.has_filter = true;
    tree_options.filter = ubi__text("");
    ubi_census *census;
    ubi_census_tree *tree;
    uint64_t *ids, n;
    ubi_status status = ubi_census_take(&census, w->graph, w->breakdown, &options);
    if (status != UBI_OK)
        return status;
    status = ubi_census_tree_new(&tree, census, &tree_options);
    if (status == UBI_OK)
        ubi_census_tree_free(tree);
    ubi_census_free(census);
    if (status != UBI_OK)
        return status;
    status = ubi_census_individuals(&ids, &n, w->graph, w->breakdown, (uint32_t[]){ 2 }, 1, &options);
    if (status == UBI_OK)
        ubi_individuals_free(ids, n, allocator);
    return status;
}

static void refuse_each_allocation(const char *json, ubi_compat compat) {
    work w = { graph_from_drawing(EVERYTHING), must_parse_breakdown(json, compat), compat };
    ubi_status status = UBI_ENOMEM;
    for (uint64_t n = 0; status != UBI_OK; n++) {
        fail_allocator f;
        fail_allocator_init(&f, n);
        status = everything(&w, &f.allocator);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        fail_allocator_fini(&f);
    }
    ubi_breakdown_unref((ubi_breakdown *)w.breakdown);
    ubi_graph_unref((ubi_graph *)w.graph);
}

static void a_refused_allocation_leaves_nothing_behind(void **state) {
    (void)state;
    refuse_each_allocation("[" BY("bucket") "," BY("count") "," BY("allocationStack") "]", UBI_COMPAT_NONE);
    refuse_each_allocation("[" BY("objectClass") "," BY("objectClass") "]", UBI_COMPAT_NONE);
    refuse_each_allocation("{\"by\":\"allocationStack\",\"then\":" COUNT ",\"noStack\":" COUNT "}", UBI_COMPAT_FIREFOX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_breakdown_groups_by_coarse_type),
        cmocka_unit_test(a_count_shows_what_was_asked_for),
        cmocka_unit_test(a_bucket_lists_ids_in_breadth_first_order),
        cmocka_unit_test(classes_are_followed_by_other),
        cmocka_unit_test(all_coarse_types_are_reported),
        cmocka_unit_test(files_are_followed_by_no_filename),
        cmocka_unit_test(stacks_are_followed_by_no_stack_if_there_is_any),
        cmocka_unit_test(breakdowns_nest),
        cmocka_unit_test(the_root_counts_only_if_an_edge_leads_to_it),
        cmocka_unit_test(unreachable_nodes_never_count),
        cmocka_unit_test(groups_are_in_descending_order_of_their_smallest_id),
        cmocka_unit_test(array_indices_come_first_among_keys),
        cmocka_unit_test(sums_wrap_at_64_bits),
        cmocka_unit_test(a_class_called_other_joins_the_others),
        cmocka_unit_test(a_file_called_no_filename_joins_those_without),
        cmocka_unit_test(a_type_that_the_file_names_twice_is_one_type),
        cmocka_unit_test(stacks_of_equal_content_are_one_stack),
        cmocka_unit_test(sizes_may_be_those_of_a_lens),
        cmocka_unit_test(arrays_count_every_node_in_every_member),
        cmocka_unit_test(descriptive_type_groups_nodes_without_a_name_by_type_and_only_firefox_refuses_them),
        cmocka_unit_test(a_file_name_that_is_not_utf8_fails_only_firefox),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(a_census_can_be_cancelled),
        cmocka_unit_test(a_description_is_the_census_of_one_node),
        cmocka_unit_test(individuals_are_the_nodes_behind_leaves),
        cmocka_unit_test(individuals_of_what_is_no_leaf_are_not_found),
        cmocka_unit_test(a_census_keeps_what_it_needs),
        cmocka_unit_test(a_refused_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
