/* SPDX-License-Identifier: MIT
 *
 * v8_save_test.c: the .heapsnapshot files that graphs become, to the byte; failures while writing.
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
#include "random_v8.h"
#include "saving.h"

static ubi_save_options plain(void) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = "heapsnapshot";
    options.compression = UBI_COMPRESSION_NONE;
    options.threads = 1;
    return options;
}

/* The file of a graph, which is freed; NUL-terminated, from malloc. */
static char *file_of(ubi_graph *graph, const ubi_save_options *options) {
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    bytes file = saved_graph(graph, options, &info);
    assert_int_equal(info.stream_bytes, file.n);
    assert_int_equal(info.output_bytes, file.n);
    assert_in_range(info.node_count - ubi_graph_node_count(graph), 0, 1); /* perhaps a root above the root */
    assert_int_equal(info.edge_count - ubi_graph_edge_count(graph), info.node_count - ubi_graph_node_count(graph));
    ubi_graph_unref(graph);
    bytes_add(&file, "", 1);
    return (char *)file.at;
}

#define META(fields, numbers)                                                                                          \
    "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\"" fields           \
    "],\"node_types\":[[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\","        \
    "\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\",\"bigint\",\"object shape\"],"      \
    "\"string\",\"number\",\"number\",\"number\"" numbers "],\"edge_fields\":[\"type\",\"name_or_index\","             \
    "\"to_node\"],\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\","         \
    "\"weak\"],\"string_or_number\",\"node\"],\"trace_function_info_fields\":[\"function_id\",\"name\","               \
    "\"script_name\",\"script_id\",\"line\",\"column\"],\"trace_node_fields\":[\"id\",\"function_info_index\","        \
    "\"count\",\"size\",\"children\"],\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"                      \
    "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},"

static void expect_file(const char *drawn, const char *expected) {
    ubi_save_options options = plain();
    char *got = file_of(graph_from_drawing(drawn), &options);
    assert_string_equal(got, expected);
    free(got);
}

/* ---- heaps of other producers ------------------------------------------------------------------------------------ */

static void a_heap_of_another_producer_is_put_into_the_words_of_v8(void **state) {
    (void)state;
    expect_file(
        "7(type=JS::ubi::RootList size=10) -> 8 \"first\", 9, 10 \"objectElements[12]\";"
        "8(type=JSObject coarse=object class=Array size=100) -> 7; 9(type=nsINode coarse=dom desc=DIV);"
        "10(type=nsINode coarse=dom desc=#text); 11(type=JSString coarse=string);"
        "12(type=js::BaseScript coarse=script file=a.js); 13(type=JS::Symbol); 14(type=js::Shape);"
        "15(type=mozilla::Other);",
        META("", "") "\"node_count\":10,\"edge_count\":5,\"trace_function_count\":0},\n"
                     "\"nodes\":[9,1,1,0,1,9,2,7,10,3,3,3,8,100,1,8,4,9,1,0,8,5,10,1,0,2,6,11,1,0,4,7,12,1,0,12,8,"
                     "13,1,0,14,9,14,1,0,8,10,15,1,0],\n"
                     "\"edges\":[1,1,5,2,11,10,4,1,15,1,12,20,4,0,5],\n"
                     "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n"
                     "\"strings\":[\"<dummy>\",\"\",\"JS::ubi::RootList\",\"Array\",\"<DIV>\",\"Text\","
                     "\"JSString\",\"a.js\",\"JS::Symbol\",\"js::Shape\",\"mozilla::Other\",\"first\"]}");
}

/* QuickJS says what made an object beside its class; V8 has no name for it but that. */
static void objects_are_called_by_their_constructor(void **state) {
    (void)state;
    expect_file("1(type=synthetic) -> 2, 3; 2(type=JSObject coarse=object class=Object desc=Session);"
                "3(type=JSObject coarse=object class=Object);",
                META("", "") "\"node_count\":3,\"edge_count\":2,\"trace_function_count\":0},\n"
                             "\"nodes\":[9,1,1,1,2,3,2,2,1,0,3,3,3,1,0],\n"
                             "\"edges\":[4,0,5,4,1,10],\n"
                             "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n"
                             "\"strings\":[\"<dummy>\",\"\",\"Session\",\"Object\"]}");
}

/* DevTools make classes of the properties of plain objects, so fields of an engine are none. */
static void edges_that_no_property_is_called_like_are_fields_of_the_engine(void **state) {
    (void)state;
    expect_file("1(type=synthetic) -> 2 \"shape\", 3 \"JSFunction script\", 4 \"shapes\"; 2(); 3(); 4();",
                META("", "") "\"node_count\":4,\"edge_count\":3,\"trace_function_count\":0},\n"
                             "\"nodes\":[9,1,1,1,3,8,2,2,1,0,8,2,3,1,0,8,2,4,1,0],\n"
                             "\"edges\":[3,3,5,3,4,10,2,5,15],\n"
                             "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n"
                             "\"strings\":[\"<dummy>\",\"\",\"T\",\"shape\",\"JSFunction script\",\"shapes\"]}");
}

static void stacks_become_functions_and_a_tree_below_one_root(void **state) {
    (void)state;
    expect_file(
        "1(type=R) -> 2, 3, 4; 2(size=5 stack=f@a.js:5:2<-@a.js:1:1); 3(size=7 stack=-@a.js:1:1);"
        "4(size=9 stack=f@a.js:5:2<g@b.js:9:9<-@a.js:1:1);",
        META(",\"trace_node_id\"",
             ",\"number\"") "\"node_count\":5,\"edge_count\":4,\"trace_function_count\":4},\n"
                            "\"nodes\":[9,1,5,0,1,0,9,2,1,1,3,0,8,3,2,5,0,3,8,3,3,7,0,2,8,3,4,9,0,5],\n"
                            "\"edges\":[1,1,6,4,0,12,4,1,18,4,2,24],\n"
                            "\"trace_function_infos\":[0,4,1,0,0,0,1,5,6,0,5,2,2,7,8,0,9,9,3,1,6,0,1,1],\n"
                            "\"trace_tree\":[1,0,0,0,[2,3,1,7,[3,1,1,5,[],4,2,0,0,[5,1,1,9,[]]]]],\n"
                            "\"samples\":[],\n\"locations\":[],\n"
                            "\"strings\":[\"<dummy>\",\"\",\"R\",\"T\",\"(root)\",\"f\",\"a.js\",\"g\",\"b.js\"]}");
}

static void names_of_v8_that_came_through_another_format_are_themselves_again(void **state) {
    (void)state;
    expect_file("1(type=synthetic) -> 2, 3, 4; 2(type=closure coarse=object class=Function);"
                "3(type=native coarse=dom desc=Text); 4(type=synthetic);",
                META("", "") "\"node_count\":4,\"edge_count\":3,\"trace_function_count\":0},\n"
                             "\"nodes\":[9,1,1,1,3,5,2,2,1,0,8,3,3,1,0,9,4,4,1,0],\n"
                             "\"edges\":[4,0,5,4,1,10,4,2,15],\n"
                             "\"trace_function_infos\":[],\n\"trace_tree\":[],\n\"samples\":[],\n\"locations\":[],\n"
                             "\"strings\":[\"<dummy>\",\"\",\"Function\",\"Text\",\"synthetic\"]}");
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* The last string of the file is the name of the only edge. */
static void expect_escaped(const char *text, size_t n, const char *escaped) {
    ubi_graph_builder *builder;
    ubi_graph *graph;
    ubi_str_ix name;
    ubi_save_options options = plain();
    ubi_node_desc node = { .id = 1, .stack = UBI_NONE };
    node.kind = (ubi_kind){ 0, UBI_NONE, UBI_NONE, UBI_NONE, UBI_COARSE_OTHER, 0, 0 };
    assert_int_equal(ubi_graph_builder_new(&builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(builder, &name, (ubi_text){ text, n }), UBI_OK);
    assert_int_equal(ubi_graph_builder_node(builder, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(builder, 1, name), UBI_OK);
    assert_int_equal(ubi_graph_builder_finish(&graph, builder), UBI_OK);
    ubi_graph_builder_free(builder);
    char *got = file_of(graph, &options), *last = strstr(got, "\"<dummy>\",\"\",");
    assert_non_null(last);
    assert_int_equal(strlen(last + 13), strlen(escaped) + 2);
    assert_memory_equal(last + 13, escaped, strlen(escaped));
    free(got);
}

static void texts_are_ascii_with_the_escapes_of_v8(void **state) {
    (void)state;
    expect_escaped("a\"b\\c/d", 7, "\"a\\\"b\\\\c/d\"");
    expect_escaped("\b\f\n\r\t\0\x01\x1f\x7f", 9, "\"\\b\\f\\n\\r\\t\\u0000\\u0001\\u001F\x7f\"");
    expect_escaped("\xc3\xa9\xe4\xb8\xad", 5, "\"\\u00E9\\u4E2D\"");
    expect_escaped("\xf0\x9f\x98\x80", 4, "\"\\uD83D\\uDE00\"");
    expect_escaped("\xed\xb0\x80", 3, "\"\\uDC00\"");
    expect_escaped("a\xff\xc3", 3, "\"a\\\\xFF\\\\xC3\"");
}

static void a_text_larger_than_every_buffer_comes_out_whole(void **state) {
    enum { N = 300000 };
    char *text = malloc(N), *escaped = malloc(2 * N + 3), *p = escaped;
    (void)state;
    *p++ = '"';
    for (size_t i = 0; i < N; i++) {
        text[i] = i % 7 ? 'a' : '\n';
        p += sprintf(p, "%s", i % 7 ? "a" : "\\n");
    }
    strcpy(p, "\"");
    expect_escaped(text, N, escaped);
    free(escaped);
    free(text);
}

/* ---- map_text ---------------------------------------------------------------------------------------------------- */

/* The role in front of the text, of which little is kept. */
static ubi_status name_role(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    static char buffer[64];
    int n = text.len < 40 ? (int)text.len : 40;
    (void)payload;
    *out = (ubi_text){ buffer, (size_t)snprintf(buffer, sizeof buffer, "%d:%.*s", (int)role, n, text.ptr) };
    return UBI_OK;
}

static void every_text_goes_through_the_map_in_its_role(void **state) {
    ubi_save_options options = plain();
    (void)state;
    options.map_text = name_role;
    char *got = file_of(graph_from_drawing("1(type=R) -> 2 \"e\"; 2(type=JSObject coarse=object class=C "
                                           "stack=f@a.js:5:2) -> 3 \"C\"; 3(coarse=dom desc=DIV) -> 4 \"e\";"
                                           "4(coarse=script file=s.js);"),
                        &options);
    assert_non_null(
        strstr(got, "\"strings\":[\"<dummy>\",\"\",\"0:R\",\"2:C\",\"<3:DIV>\",\"4:s.js\",\"1:e\",\"1:C\",\"(root)\","
                    "\"6:f\",\"5:a.js\"]}"));
    free(got);
}

static ubi_status refuse_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    (void)payload, (void)role, (void)text, (void)out;
    return UBI_ELIMIT;
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static bool refuse(void *payload, const void *data, size_t n) {
    size_t *room = payload;
    (void)data;
    if (n > *room)
        return false;
    *room -= n;
    return true;
}

static bool stop_after(void *payload, const char *stage, uint64_t done, uint64_t total) {
    assert_string_equal(stage, "writing");
    assert_true(done <= total);
    return (*(unsigned *)payload)-- > 0;
}

static void refused_output_texts_and_cancelling_end_the_save(void **state) {
    (void)state;
    random_start(5);
    ubi_graph *graph = random_v8_graph();
    ubi_save_options options = plain();
    bytes whole = saved_graph(graph, &options, NULL);
    for (size_t room = 0; room < whole.n; room += 1 + whole.n / 7) {
        size_t left = room;
        assert_int_equal(ubi_graph_save_callback(graph, refuse, &left, &options, NULL), UBI_EIO);
    }
    options.progress = (ubi_progress){ stop_after, NULL };
    for (unsigned n = 0; n < 3; n++) {
        unsigned left = n;
        options.progress.payload = &left;
        assert_int_equal(ubi_graph_save_callback(graph, refuse, &(size_t){ SIZE_MAX }, &options, NULL), UBI_ECANCELLED);
    }
    options = plain();
    options.map_text = refuse_text;
    assert_int_equal(ubi_graph_save_callback(graph, refuse, &(size_t){ SIZE_MAX }, &options, NULL), UBI_ELIMIT);
    bytes_free(&whole);
    ubi_graph_unref(graph);
}

static void a_live_heap_is_refused(void **state) {
    ubi_graph *graph = graph_from_drawing("1 -> 1;");
    ubi_save_options options = plain();
    (void)state;
    assert_int_equal(ubi_save_callback(ubi_graph_as_node(graph, 0), refuse, &(size_t){ SIZE_MAX }, &options, NULL),
                     UBI_EINVAL);
    ubi_graph_unref(graph);
}

typedef struct attempt {
    const ubi_graph *graph;
    ubi_text_map_fn map_text;
} attempt;

static ubi_status save_once(void *payload, const ubi_allocator *allocator) {
    const attempt *what = payload;
    ubi_save_options options = plain();
    options.allocator = allocator;
    options.map_text = what->map_text;
    return ubi_graph_save_callback(what->graph, refuse, &(size_t){ SIZE_MAX }, &options, NULL);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    ubi_graph *drawn = graph_from_drawing("1(class=C stack=f@s.js:1:1<g@s.js:2:2) -> 1 \"e\", 2 \"f\"; 2(desc=D);");
    fail_each_allocation(save_once, &(attempt){ drawn, NULL });
    ubi_graph_unref(drawn);
    random_start(11);
    for (int i = 0; i < 20; i++) {
        ubi_graph *graph = random_v8_graph();
        fail_each_allocation(save_once, &(attempt){ graph, NULL });
        fail_each_allocation(save_once, &(attempt){ graph, name_role });
        ubi_graph_unref(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_of_another_producer_is_put_into_the_words_of_v8),
        cmocka_unit_test(objects_are_called_by_their_constructor),
        cmocka_unit_test(edges_that_no_property_is_called_like_are_fields_of_the_engine),
        cmocka_unit_test(stacks_become_functions_and_a_tree_below_one_root),
        cmocka_unit_test(names_of_v8_that_came_through_another_format_are_themselves_again),
        cmocka_unit_test(texts_are_ascii_with_the_escapes_of_v8),
        cmocka_unit_test(a_text_larger_than_every_buffer_comes_out_whole),
        cmocka_unit_test(every_text_goes_through_the_map_in_its_role),
        cmocka_unit_test(refused_output_texts_and_cancelling_end_the_save),
        cmocka_unit_test(a_live_heap_is_refused),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
