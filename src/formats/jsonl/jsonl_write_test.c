/* SPDX-License-Identifier: MIT
 *
 * jsonl_write_test.c: the lines that a graph becomes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "packing.h"

static bool collect(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return true;
}

static ubi_save_options jsonl_options(void) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = "jsonl";
    options.compression = UBI_COMPRESSION_NONE;
    return options;
}

/* The lines of a graph, which is freed; NUL-terminated, from malloc. */
static char *lines_of(ubi_graph *graph, const ubi_save_options *options) {
    bytes out = { NULL, 0, 0 };
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    assert_int_equal(ubi_graph_save_callback(graph, collect, &out, options, &info), UBI_OK);
    assert_int_equal(info.stream_bytes, out.n);
    assert_int_equal(info.output_bytes, out.n);
    assert_int_equal(info.node_count, ubi_graph_node_count(graph));
    assert_int_equal(info.edge_count, ubi_graph_edge_count(graph));
    ubi_graph_unref(graph);
    bytes_add(&out, "", 1);
    return (char *)out.at;
}

static void expect_lines(const char *drawn, const char *lines) {
    ubi_save_options options = jsonl_options();
    char *got = lines_of(graph_from_drawing(drawn), &options);
    assert_string_equal(got, lines);
    free(got);
}

static void a_node_is_a_line_with_its_edges_in_order(void **state) {
    (void)state;
    expect_lines("7(type=Root size=10) -> 8 \"first\", 9, 8 \"first\"; 8(coarse=object class=Array size=100) -> 7;"
                 "9(coarse=dom desc=DIV);",
                 "{\"schema\":\"ubiheap.jsonl/1\",\"record\":\"header\",\"format\":\"memory\",\"creationTimeUs\":null,"
                 "\"rootId\":7,\"nodeCount\":3,\"edgeCount\":4,\"frameCount\":0}\n"
                 "{\"record\":\"node\",\"id\":7,\"size\":10,\"typeName\":\"Root\",\"coarseType\":\"Other\","
                 "\"edges\":[{\"to\":8,\"name\":\"first\"},{\"to\":9},{\"to\":8,\"name\":\"first\"}]}\n"
                 "{\"record\":\"node\",\"id\":8,\"size\":100,\"typeName\":\"T\",\"coarseType\":\"Object\","
                 "\"className\":\"Array\",\"edges\":[{\"to\":7}]}\n"
                 "{\"record\":\"node\",\"id\":9,\"size\":1,\"typeName\":\"T\",\"coarseType\":\"DOMNode\","
                 "\"descriptiveTypeName\":\"DIV\",\"edges\":[]}\n");
}

static void frames_come_before_nodes_and_parents_before_children(void **state) {
    (void)state;
    expect_lines(
        "1(coarse=script file=a.js stack=f@a.js:5:2<-@a.js:1:1);",
        "{\"schema\":\"ubiheap.jsonl/1\",\"record\":\"header\",\"format\":\"memory\",\"creationTimeUs\":null,"
        "\"rootId\":1,\"nodeCount\":1,\"edgeCount\":0,\"frameCount\":2}\n"
        "{\"record\":\"frame\",\"frame\":0,\"id\":1000,\"source\":\"a.js\",\"line\":1,\"column\":1,"
        "\"isSystem\":false,\"isSelfHosted\":false}\n"
        "{\"record\":\"frame\",\"frame\":1,\"parent\":0,\"id\":1001,\"source\":\"a.js\",\"line\":5,\"column\":2,"
        "\"functionDisplayName\":\"f\",\"isSystem\":false,\"isSelfHosted\":false}\n"
        "{\"record\":\"node\",\"id\":1,\"size\":1,\"typeName\":\"T\",\"coarseType\":\"Script\","
        "\"scriptFilename\":\"a.js\",\"stack\":1,\"edges\":[]}\n");
}

static ubi_graph *graph_of_one(uint64_t id, uint64_t size_bytes, ubi_text type, const uint64_t *time_us) {
    ubi_graph_builder *builder;
    ubi_graph *graph;
    ubi_node_desc node = { id,
                           size_bytes,
                           { .type_name = 0,
                             .class_name = UBI_NONE,
                             .script_filename = UBI_NONE,
                             .descriptive_name = UBI_NONE,
                             .coarse_type = UBI_COARSE_OTHER },
                           UBI_NONE };
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &node.kind.type_name, type), UBI_OK);
    assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(builder, id, node.kind.type_name), UBI_OK);
    if (time_us)
        ubi_graph_builder_set_creation_time_us(builder, *time_us);
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    return graph;
}

static void expect_part(ubi_graph *graph, const char *part) {
    ubi_save_options options = jsonl_options();
    char *got = lines_of(graph, &options);
    if (!strstr(got, part))
        fail_msg("no %s in %s", part, got);
    free(got);
}

static void numbers_are_those_of_javascript_and_ids_that_it_lacks_are_strings(void **state) {
    (void)state;
    expect_part(graph_of_one(UINT64_C(1) << 53, UINT64_MAX, ubi__text("T"), NULL),
                "\"id\":9007199254740992,\"size\":18446744073709552000,");
    expect_part(graph_of_one((UINT64_C(1) << 53) + 1, 0, ubi__text("T"), NULL),
                "\"id\":\"9007199254740993\",\"size\":0,");
    expect_part(graph_of_one((UINT64_C(1) << 53) + 1, 0, ubi__text("T"), NULL), "[{\"to\":\"9007199254740993\",");
}

static void texts_are_those_of_our_json_writer(void **state) {
    (void)state;
    expect_part(graph_of_one(1, 1, ubi__text("quote \" \xed\xa0\xbd \xff \n"), NULL),
                "\"typeName\":\"quote \\\" \\ud83d \\\\xff \\n\"");
    expect_part(graph_of_one(1, 1, ubi__text(""), NULL), "\"typeName\":\"\",");
    expect_part(graph_of_one(1, 1, ubi__text(""), NULL), "\"name\":\"\"}");
}

static void a_text_larger_than_every_buffer_comes_out_whole(void **state) {
    enum { N = 300000 };
    char *text = malloc(N + 1);
    (void)state;
    memset(text, 'x', N);
    text[N] = 0;
    expect_part(graph_of_one(1, 1, ubi__text(text), NULL), text);
    free(text);
}

static void the_time_is_that_of_the_graph_unless_one_is_given(void **state) {
    const uint64_t time_us = 1700000000123456;
    ubi_save_options options = jsonl_options();
    (void)state;
    expect_part(graph_of_one(1, 1, ubi__text("T"), &time_us), "\"creationTimeUs\":1700000000123456,");
    options.has_time = true;
    options.time_us = 5;
    char *got = lines_of(graph_of_one(1, 1, ubi__text("T"), &time_us), &options);
    assert_non_null(strstr(got, "\"creationTimeUs\":5,"));
    free(got);
}

/* "<role:text>" */
static ubi_status tag_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    static char tagged[256];
    (*(int *)payload)++;
    *out =
        (ubi_text){ tagged, (size_t)snprintf(tagged, sizeof tagged, "<%d:%.*s>", (int)role, (int)text.len, text.ptr) };
    return UBI_OK;
}

static void every_text_goes_through_the_map_once(void **state) {
    static const char *const expected[] = { "\"typeName\":\"<0:T>\"",           "\"name\":\"<1:e>\"",
                                            "\"className\":\"<2:C>\"",          "\"descriptiveTypeName\":\"<3:D>\"",
                                            "\"scriptFilename\":\"<4:F>\"",     "\"source\":\"<5:s.js>\"",
                                            "\"functionDisplayName\":\"<6:f>\"" };
    ubi_save_options options = jsonl_options();
    int n_calls = 0;
    (void)state;
    options.map_text = tag_text;
    options.map_text_payload = &n_calls;
    char *got = lines_of(graph_from_drawing("1(class=C desc=D file=F stack=f@s.js:1:1) -> 1 \"e\";"), &options);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_non_null(strstr(got, expected[i]));
    assert_int_equal(n_calls, 7);
    free(got);
}

/* What V8 says beside what others say. The caller's. */
static ubi_graph *graph_with_kinds_of_edges(const ubi_allocator *allocator) {
    ubi_graph_builder *builder;
    ubi_graph *graph = NULL;
    ubi_str_ix name;
    ubi_node_desc node = { .id = 1, .stack = UBI_NONE };
    node.kind = (ubi_kind){ 0, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, 1, UBI_DETACHED };
    assert_int_equal(ubi_graph_builder_new(&builder, allocator), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &name, ubi__text("map")), UBI_OK);
    assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_node_name(builder, name), UBI_OK);
    for (int kind = UBI_EDGE_CONTEXT; kind < UBI_EDGE_KIND_COUNT; kind++)
        if (kind == UBI_EDGE_ELEMENT || kind == UBI_EDGE_HIDDEN)
            assert_int_equal(ubi_graph_builder_numbered_edge(builder, 1, (ubi_edge_kind)kind, UINT32_MAX), UBI_OK);
        else
            assert_int_equal(ubi_graph_builder_edge_of(builder, 1, (ubi_edge_kind)kind, name), UBI_OK);
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    return graph;
}

static const char kinds_of_edges[] =
    "{\"record\":\"node\",\"id\":1,\"size\":0,\"typeName\":\"map\",\"coarseType\":\"Other\","
    "\"detachedness\":\"detached\",\"name\":\"map\",\"edges\":[{\"to\":1,\"kind\":\"context\",\"name\":\"map\"},"
    "{\"to\":1,\"kind\":\"element\",\"index\":4294967295},{\"to\":1,\"kind\":\"property\",\"name\":\"map\"},"
    "{\"to\":1,\"kind\":\"internal\",\"name\":\"map\"},{\"to\":1,\"kind\":\"hidden\",\"index\":4294967295},"
    "{\"to\":1,\"kind\":\"shortcut\",\"name\":\"map\"},{\"to\":1,\"kind\":\"weak\",\"name\":\"map\"}]}\n";

static void names_of_nodes_and_kinds_of_edges_are_reported_where_the_producer_says_them(void **state) {
    (void)state;
    expect_part(graph_with_kinds_of_edges(NULL), kinds_of_edges);
}

/* The role in front of the text. */
static ubi_status name_role(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    static char buffer[64];
    (void)payload;
    *out = (ubi_text){ buffer, (size_t)snprintf(buffer, sizeof buffer, "%d:%.*s", (int)role, (int)text.len, text.ptr) };
    return UBI_OK;
}

static void fields_of_an_engine_and_properties_have_different_roles(void **state) {
    ubi_save_options options = jsonl_options();
    (void)state;
    options.map_text = name_role;
    char *got = lines_of(graph_with_kinds_of_edges(NULL), &options);
    assert_non_null(strstr(got, "\"typeName\":\"0:map\""));
    assert_non_null(strstr(got, "\"name\":\"8:map\",\"edges\":[{\"to\":1,\"kind\":\"context\",\"name\":\"1:map\"}"));
    assert_non_null(strstr(got, "\"kind\":\"property\",\"name\":\"1:map\"}"));
    assert_non_null(strstr(got, "\"kind\":\"internal\",\"name\":\"9:map\"}"));
    assert_non_null(strstr(got, "\"kind\":\"shortcut\",\"name\":\"9:map\"}"));
    assert_non_null(strstr(got, "\"kind\":\"weak\",\"name\":\"9:map\"}"));
    free(got);
}

static bool refuse(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return false;
}

static bool no(void *payload, const char *stage, uint64_t done, uint64_t total) {
    (void)payload, (void)done, (void)total;
    assert_string_equal(stage, "writing");
    return false;
}

static void refused_output_and_cancelling_end_the_save(void **state) {
    ubi_graph *graph = graph_from_drawing("1 -> 1;");
    ubi_save_options options = jsonl_options();
    bytes out = { NULL, 0, 0 };
    (void)state;
    assert_int_equal(ubi_graph_save_callback(graph, refuse, NULL, &options, NULL), UBI_EIO);
    options.progress.fn = no;
    assert_int_equal(ubi_graph_save_callback(graph, collect, &out, &options, NULL), UBI_ECANCELLED);
    assert_int_equal(out.n, 0);
    bytes_free(&out);
    ubi_graph_unref(graph);
}

static void a_live_heap_and_an_unknown_format_are_refused(void **state) {
    ubi_graph *graph = graph_from_drawing("1 -> 1;");
    ubi_save_options options = jsonl_options();
    bytes out = { NULL, 0, 0 };
    (void)state;
    assert_int_equal(ubi_save_callback(ubi_graph_as_node(graph, 0), collect, &out, &options, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "jsonl takes graphs only; capture the heap first");
    options.format = "xml";
    assert_int_equal(ubi_graph_save_callback(graph, collect, &out, &options, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "'xml' is no format to save in");
    assert_int_equal(out.n, 0);
    ubi_graph_unref(graph);
}

static void refuse_each_allocation(ubi_graph *graph) {
    for (uint64_t n = 0;; n++) {
        fail_allocator f;
        bytes out = { NULL, 0, 0 };
        ubi_save_options options = jsonl_options();
        fail_allocator_init(&f, n);
        options.allocator = &f.allocator;
        ubi_status status = ubi_graph_save_callback(graph, collect, &out, &options, NULL);
        assert_int_equal(status, f.n_refused ? UBI_ENOMEM : UBI_OK);
        fail_allocator_fini(&f);
        bytes_free(&out);
        if (status == UBI_OK)
            break;
    }
    ubi_graph_unref(graph);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    refuse_each_allocation(
        graph_from_drawing("1(class=C stack=f@s.js:1:1<g@s.js:2:2) -> 1 \"e\", 2 \"f\"; 2(desc=D);"));
    refuse_each_allocation(graph_with_kinds_of_edges(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_is_a_line_with_its_edges_in_order),
        cmocka_unit_test(frames_come_before_nodes_and_parents_before_children),
        cmocka_unit_test(numbers_are_those_of_javascript_and_ids_that_it_lacks_are_strings),
        cmocka_unit_test(texts_are_those_of_our_json_writer),
        cmocka_unit_test(a_text_larger_than_every_buffer_comes_out_whole),
        cmocka_unit_test(the_time_is_that_of_the_graph_unless_one_is_given),
        cmocka_unit_test(every_text_goes_through_the_map_once),
        cmocka_unit_test(names_of_nodes_and_kinds_of_edges_are_reported_where_the_producer_says_them),
        cmocka_unit_test(fields_of_an_engine_and_properties_have_different_roles),
        cmocka_unit_test(refused_output_and_cancelling_end_the_save),
        cmocka_unit_test(a_live_heap_and_an_unknown_format_are_refused),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
