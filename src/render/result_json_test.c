/* SPDX-License-Identifier: MIT
 *
 * result_json_test.c: reports and census trees as JSON, compared with texts written by hand from the conformance graph.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/views/render.h>

#include "base/text.h"
#include "drawing.h"
#include "render/capture_test.h"

/* Graph C of the census conformance cases. */
static const char drawn[] =
    "1(type=root size=10 stack=-@a.js:1:2) -> 20 \"a\", 30 \"b\", 10 \"c\", 10 \"dup\", 50 \"s\", 60 \"d\", 1 \"self\";"
    "20(type=JSObject size=100 coarse=object class=Array stack=f@a.js:5:2<-@a.js:1:2) -> 40;"
    "30(type=JSObject size=200 coarse=object class=Object stack=f@a.js:5:2<-@a.js:1:2);"
    "10(type=JSObject size=50 coarse=object class=Array);"
    "40(type=JSString size=7 coarse=string);"
    "50(type=js::BaseScript size=9 coarse=script file=x.js);"
    "60(type=nsIDOM size=11 coarse=dom desc=div class=HTMLDivElement);";

static capture got;
static ubi_graph *graph;

static int load(void **state) {
    (void)state;
    graph = graph_from_drawing(drawn);
    return graph ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    ubi_graph_unref(graph);
    return 0;
}

static ubi_census *census_by(const char *json) {
    ubi_breakdown *breakdown;
    ubi_census *census;
    assert_int_equal(ubi_breakdown_parse(&breakdown, ubi__text(json), UBI_COMPAT_NONE, NULL), UBI_OK);
    assert_int_equal(ubi_census_take(&census, graph, breakdown, NULL), UBI_OK);
    ubi_breakdown_unref(breakdown);
    return census;
}

static void assert_report(const char *breakdown, const char *expected) {
    ubi_census *census = census_by(breakdown);
    capture_start(&got);
    assert_int_equal(ubi_render_report_json(capture_take, &got, ubi_census_report(census)), UBI_OK);
    assert_string_equal(got.data, expected);
    ubi_census_free(census);
}

static void counts_show_what_was_asked_for(void **state) {
    (void)state;
    assert_report("{\"by\":\"count\"}", "{\"count\":7,\"bytes\":387}");
    assert_report("{\"by\":\"count\",\"label\":5,\"count\":false}", "{\"bytes\":387,\"label\":\"5\"}");
    assert_report("{\"by\":\"count\",\"bytes\":false,\"count\":false}", "{}");
}

static void buckets_are_lists_of_ids(void **state) {
    (void)state;
    assert_report("{\"by\":\"bucket\"}", "[20,30,10,50,60,1,40]");
}

static void nested_groups_are_nested_objects(void **state) {
    (void)state;
    assert_report("{\"by\":\"coarseType\",\"objects\":{\"by\":\"objectClass\",\"then\":{\"by\":\"bucket\"}}}",
                  "{\"objects\":{\"Object\":[30],\"Array\":[20,10],\"other\":{\"count\":0,\"bytes\":0}},"
                  "\"scripts\":{\"count\":1,\"bytes\":9},\"strings\":{\"count\":1,\"bytes\":7},"
                  "\"other\":{\"count\":1,\"bytes\":10},\"domNode\":{\"count\":1,\"bytes\":11}}");
}

static void stacks_become_lists_of_entries(void **state) {
    (void)state;
    assert_report("{\"by\":\"allocationStack\"}",
                  "[{\"stack\":[{\"source\":\"a.js\",\"line\":5,\"column\":2,\"functionDisplayName\":\"f\"},"
                  "{\"source\":\"a.js\",\"line\":1,\"column\":2,\"functionDisplayName\":null}],"
                  "\"report\":{\"count\":2,\"bytes\":300}},"
                  "{\"stack\":[{\"source\":\"a.js\",\"line\":1,\"column\":2,\"functionDisplayName\":null}],"
                  "\"report\":{\"count\":1,\"bytes\":10}},"
                  "{\"stack\":\"noStack\",\"report\":{\"count\":4,\"bytes\":77}}]");
}

static void groups_below_stacks_close_in_the_right_order(void **state) {
    (void)state;
    assert_report("{\"by\":\"allocationStack\",\"then\":{\"by\":\"filename\"},\"noStack\":{\"by\":\"bucket\"}}",
                  "[{\"stack\":[{\"source\":\"a.js\",\"line\":5,\"column\":2,\"functionDisplayName\":\"f\"},"
                  "{\"source\":\"a.js\",\"line\":1,\"column\":2,\"functionDisplayName\":null}],"
                  "\"report\":{\"noFilename\":{\"count\":2,\"bytes\":300}}},"
                  "{\"stack\":[{\"source\":\"a.js\",\"line\":1,\"column\":2,\"functionDisplayName\":null}],"
                  "\"report\":{\"noFilename\":{\"count\":1,\"bytes\":10}}},"
                  "{\"stack\":\"noStack\",\"report\":[10,50,60,40]}]");
}

static void arrays_and_empty_arrays_are_arrays(void **state) {
    (void)state;
    assert_report("[{\"by\":\"count\"},[],{\"by\":\"count\",\"bytes\":false}]",
                  "[{\"count\":7,\"bytes\":387},[],{\"count\":7}]");
}

static void assert_tree(const char *breakdown, bool invert, const char *expected) {
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census *census = census_by(breakdown);
    ubi_census_tree *tree;
    options.is_inverted = invert;
    assert_int_equal(ubi_census_tree_new(&tree, census, &options), UBI_OK);
    capture_start(&got);
    assert_int_equal(ubi_render_census_tree_json(capture_take, &got, tree), UBI_OK);
    assert_string_equal(got.data, expected);
    ubi_census_tree_free(tree);
    ubi_census_free(census);
}

static void a_tree_without_children_has_no_children_key(void **state) {
    (void)state;
    assert_tree(
        "{\"by\":\"count\"}", false,
        "{\"name\":null,\"bytes\":387,\"totalBytes\":387,\"count\":7,\"totalCount\":7,\"id\":1,\"reportLeafIndex\":0}");
}

static void a_tree_nests_children_and_names_frames(void **state) {
    (void)state;
    assert_tree(
        "{\"by\":\"allocationStack\"}", false,
        "{\"name\":null,\"bytes\":0,\"totalBytes\":387,\"count\":0,\"totalCount\":7,\"id\":1,\"children\":["
        "{\"name\":{\"source\":\"a.js\",\"line\":1,\"column\":2,\"functionDisplayName\":null},\"bytes\":10,"
        "\"totalBytes\":310,\"count\":1,\"totalCount\":3,\"id\":2,\"parent\":1,\"reportLeafIndex\":2,\"children\":["
        "{\"name\":{\"source\":\"a.js\",\"line\":5,\"column\":2,\"functionDisplayName\":\"f\"},\"bytes\":300,"
        "\"totalBytes\":300,\"count\":2,\"totalCount\":2,\"id\":3,\"parent\":2,\"reportLeafIndex\":1}]},"
        "{\"name\":\"noStack\",\"bytes\":77,\"totalBytes\":77,\"count\":4,\"totalCount\":4,\"id\":4,\"parent\":1,"
        "\"reportLeafIndex\":3}]}");
}

static void merged_leaves_have_a_list_of_indices(void **state) {
    (void)state;
    ubi_census *census =
        census_by("{\"by\":\"objectClass\",\"then\":{\"by\":\"internalType\"},\"other\":{\"by\":\"internalType\"}}");
    ubi_census_tree_options options = UBI_CENSUS_TREE_OPTIONS_INIT;
    ubi_census_tree *tree;
    options.is_inverted = true;
    assert_int_equal(ubi_census_tree_new(&tree, census, &options), UBI_OK);
    capture_start(&got);
    assert_int_equal(ubi_render_census_tree_json(capture_take, &got, tree), UBI_OK);
    /* JSObject is a leaf below Object and below Array. */
    assert_non_null(strstr(got.data, "\"reportLeafIndex\":[4,6]"));
    ubi_census_tree_free(tree);
    ubi_census_free(census);
}

static bool refuse(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return false;
}

static void a_refused_write_is_an_io_error(void **state) {
    (void)state;
    ubi_census *census = census_by("{\"by\":\"objectClass\"}");
    assert_int_equal(ubi_render_report_json(refuse, NULL, ubi_census_report(census)), UBI_EIO);
    ubi_census_free(census);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_show_what_was_asked_for),
        cmocka_unit_test(buckets_are_lists_of_ids),
        cmocka_unit_test(nested_groups_are_nested_objects),
        cmocka_unit_test(stacks_become_lists_of_entries),
        cmocka_unit_test(groups_below_stacks_close_in_the_right_order),
        cmocka_unit_test(arrays_and_empty_arrays_are_arrays),
        cmocka_unit_test(a_tree_without_children_has_no_children_key),
        cmocka_unit_test(a_tree_nests_children_and_names_frames),
        cmocka_unit_test(merged_leaves_have_a_list_of_indices),
        cmocka_unit_test(a_refused_write_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
