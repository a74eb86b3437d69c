/* SPDX-License-Identifier: MIT
 *
 * fxs_save_test.c: what saved snapshots hold, read back: of fake heaps while they are walked, and of graphs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "drawing.h"
#include "graph/graph_columns.h"
#include "graph_equal.h"
#include "saving.h"

static const char heap_text[] = "root(size=10 type=Root) -> a \"first\", b, a \"\", c \"first\";"
                                "a(class=Array coarse=object size=100 stack=f@a.js:5:2<main@a.js:1:2) -> root, a, c;"
                                "b(coarse=script file=caf\xc3\xa9.js type=JSScript) -> c \"\xf0\x9f\x98\x80\";"
                                "c(coarse=dom desc=div stack=g@a.js:7:2<main@a.js:1:2 size=18446744073709551615);"
                                "lost(class=\xc3\xa9t\xc3\xa9 size=0) -> lost \"self\", a";

static ubi_save_options with_time(uint64_t time_us) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.has_time = true;
    options.time_us = time_us;
    return options;
}

/** The first node of a graph that has this id. */
static const ubi_kind *kind_of_id(const ubi_graph *g, uint64_t id) {
    ubi_node_ix n;
    assert_int_equal(ubi_graph_find(&n, g, id), UBI_OK);
    return ubi_graph_kind(g, ubi_graph_node_kind(g, n));
}

static void assert_text(const ubi_graph *g, ubi_str_ix string, const char *expected) {
    ubi_text text = ubi_graph_string(g, string);
    assert_true(ubi__text_is(text, expected));
}

/* ---- walks -------------------------------------------------------------------------------------------------------- */

static void a_walk_writes_what_capturing_it_would_give(void **state) {
    drawing *d = drawing_new(heap_text);
    ubi_graph *captured;
    ubi_node root = drawing_node(d, "root");
    ubi_save_options options = with_time(0);
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    (void)state;
    assert_int_equal(ubi_graph_capture(&captured, root, NULL), UBI_OK);
    captured->has_creation_time = true; /* 0 */
    bytes file = saved_walk(root, &options, &info);
    ubi_graph *again = graph_of_bytes(&file);
    assert_graphs_equal(captured, again);
    assert_int_equal(ubi_graph_node_count(again), 4); /* not the lost one */
    assert_int_equal(info.node_count, 4);
    assert_int_equal(info.edge_count, 8);
    assert_int_equal(info.frame_count, 3);
    assert_int_equal(info.output_bytes, file.n);
    ubi_graph_unref(captured);
    ubi_graph_unref(again);
    bytes_free(&file);
    drawing_free(d);
}

static void edges_of_a_small_node_are_enumerated_once(void **state) {
    drawing *d = drawing_new("root -> a, b; a -> root; b -> b");
    (void)state;
    bytes file = saved_walk(drawing_node(d, "root"), NULL, NULL);
    assert_int_equal(drawing_edge_calls(d), 3);
    bytes_free(&file);
    drawing_free(d);
}

/* time() may say the second before for a moment, so the clock is asked itself. */
static uint64_t unix_time_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static void a_walk_is_stamped_with_the_present(void **state) {
    drawing *d = drawing_new("root");
    uint64_t before_us = unix_time_us(), saved_us = 0;
    (void)state;
    ubi_graph *g = walk_round_trip(drawing_node(d, "root"), NULL);
    uint64_t after_us = unix_time_us();
    assert_true(ubi_graph_creation_time_us(g, &saved_us));
    assert_in_range(saved_us, before_us, after_us);
    ubi_graph_unref(g);
    drawing_free(d);
}

/** A heap of 70000 nodes whose root leads to all of them, in two `heap`s; names are made in one buffer. */
typedef struct wide_heap {
    char name[32];
    void *halves[2];
} wide_heap;

enum { WIDE = 70000 };
static wide_heap wide;

static uint64_t wide_id(ubi_node node) {
    return node.ref;
}
static ubi_text wide_type(ubi_node node) {
    (void)node;
    return ubi__text("T");
}
static bool wide_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    assert_true(want_names);
    for (uint64_t i = 1; node.ref == 0 && i < WIDE; i++) {
        ubi_node referent = { node.ops, wide.halves + i % 2, i };
        snprintf(wide.name, sizeof wide.name, "name %05u", (unsigned)(i % 4000));
        if (!fn(payload, referent, ubi__text(wide.name)))
            return false;
    }
    return true;
}

static void a_name_made_in_one_buffer_and_a_node_with_many_edges_are_written_right(void **state) {
    static const ubi_node_ops ops = {
        .version = UBI_NODE_OPS_VERSION, .id = wide_id, .type_name = wide_type, .edges = wide_edges
    };
    (void)state;
    ubi_graph *g = walk_round_trip((ubi_node){ &ops, wide.halves, 0 }, NULL);
    assert_int_equal(ubi_graph_node_count(g), WIDE);
    for (ubi_edge_ix e = 0; e < WIDE - 1; e++) {
        char name[32];
        snprintf(name, sizeof name, "name %05u", (unsigned)((e + 1) % 4000));
        assert_text(g, ubi_graph_edge_name(g, e), name);
        assert_int_equal(ubi_graph_node_id(g, ubi_graph_edge_target(g, e)), e + 1);
    }
    ubi_graph_unref(g);
}

/* ---- graphs ------------------------------------------------------------------------------------------------------- */

static void a_graph_comes_back_equal_with_what_is_out_of_reach(void **state) {
    ubi_graph *g = graph_from_drawing(heap_text);
    (void)state;
    ubi_graph *again = graph_round_trip(g, NULL);
    assert_int_equal(ubi_graph_node_count(again), 5);
    assert_int_equal(ubi_graph_reachable_count(again), 4);
    assert_graphs_equal(g, again);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

static void a_graph_without_time_stays_so_and_can_be_given_one(void **state) {
    ubi_graph *g = graph_from_drawing("root");
    ubi_save_options options = with_time(UINT64_C(1700000000123456));
    uint64_t time_us = 1;
    (void)state;
    ubi_graph *again = graph_round_trip(g, NULL), *stamped = graph_round_trip(g, &options);
    assert_false(ubi_graph_creation_time_us(again, &time_us));
    assert_true(ubi_graph_creation_time_us(stamped, &time_us));
    assert_int_equal(time_us, UINT64_C(1700000000123456));
    ubi_graph *second = graph_round_trip(stamped, NULL);
    assert_graphs_equal(stamped, second);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
    ubi_graph_unref(stamped);
    ubi_graph_unref(second);
}

static void the_root_is_written_first_wherever_it_stands(void **state) {
    ubi_graph *g = graph_from_drawing("a -> b; b -> c; c -> a");
    (void)state;
    g->root = 2; /* no builder makes one, but the format of another may */
    ubi_graph *again = graph_round_trip(g, NULL);
    assert_int_equal(ubi_graph_root(again), 0);
    assert_int_equal(ubi_graph_node_id(again, 0), 3);
    assert_int_equal(ubi_graph_node_id(again, 1), 1);
    assert_int_equal(ubi_graph_node_id(again, 2), 2);
    g->root = 0;
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

static void equal_strings_become_one_entry(void **state) {
    ubi_graph *g = graph_from_drawing("root(type=T) -> a \"T\", b \"n\"; a(type=T) -> b \"n\"; b(type=n)");
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    (void)state;
    bytes file = saved_graph(g, NULL, &info);
    ubi_graph *again = graph_of_bytes(&file);
    assert_int_equal(ubi_graph_string_count(g), 6);
    assert_int_equal(ubi_graph_string_count(again), 2);
    assert_int_equal(info.string_count, 2);
    assert_graphs_equal(g, again);
    bytes_free(&file);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

/** One node of one class, through the builder, because drawings have no such names. */
static ubi_graph *graph_of_class(ubi_text class_name, ubi_text type_name) {
    ubi_graph_builder *b;
    ubi_graph *g;
    ubi_node_desc node = { .id = 1, .stack = UBI_NONE };
    node.kind = (ubi_kind){ .type_name = UBI_NONE,
                            .class_name = UBI_NONE,
                            .script_filename = UBI_NONE,
                            .descriptive_name = UBI_NONE,
                            .coarse_type = UBI_COARSE_OBJECT };
    assert_int_equal(ubi_graph_builder_new(&b, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &node.kind.type_name, type_name), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(b, &node.kind.class_name, class_name), UBI_OK);
    assert_int_equal(ubi_graph_builder_node(b, &node), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge(b, 1, node.kind.type_name), UBI_OK);
    assert_int_equal(ubi_graph_builder_finish(&g, b), UBI_OK);
    ubi_graph_builder_free(b);
    return g;
}

static void class_names_are_latin1_and_anything_else_is_spelled_out(void **state) {
    static const struct {
        const char *before, *after;
    } cases[] = {
        { "Array", "Array" },
        { "", "" },
        { "\xc3\xbf", "\xc3\xbf" },                             /* U+00FF is the last */
        { "\xc4\x80-\xf0\x9f\x98\x80", "\\u{100}-\\u{1F600}" }, /* U+0100, U+1F600 */
        { "\xed\xa0\x80", "\\u{D800}" },                        /* a lone surrogate */
        { "\xff\xc3", "\xc3\xbf\xc3\x83" },                     /* bytes that are no text */
        { "A\\u{100}", "A\\u{100}" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ubi_graph *g = graph_of_class(ubi__text(cases[i].before), ubi__text("T"));
        ubi_graph *again = graph_round_trip(g, NULL);
        ubi_graph *walked = walk_round_trip(ubi_graph_as_node(g, 0), NULL);
        assert_text(again, kind_of_id(again, 1)->class_name, cases[i].after);
        assert_text(walked, kind_of_id(walked, 1)->class_name, cases[i].after);
        ubi_graph_unref(g);
        ubi_graph_unref(again);
        ubi_graph_unref(walked);
    }
}

static void texts_are_cut_at_a_nul_and_one_with_what_precedes_it(void **state) {
    ubi_graph *g = graph_of_class((ubi_text){ "C\0x", 3 }, (ubi_text){ "ab\0c", 4 });
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    (void)state;
    bytes file = saved_graph(g, NULL, &info);
    ubi_graph *again = graph_of_bytes(&file);
    assert_text(again, kind_of_id(again, 1)->type_name, "ab");
    assert_text(again, kind_of_id(again, 1)->class_name, "C");
    assert_text(again, ubi_graph_edge_name(again, 0), "ab");
    assert_int_equal(info.string_count, 2);
    bytes_free(&file);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

/* ---- options ------------------------------------------------------------------------------------------------------ */

static void the_writer_is_named_in_the_file(void **state) {
    ubi_graph *g = graph_from_drawing("root");
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    static const struct {
        const char *writer, *read;
    } cases[] = { { NULL, "ubiheap " UBI_VERSION_STRING },
                  { "", "ubiheap " UBI_VERSION_STRING },
                  { "my tool", "my tool" },
                  { "a writer's name of more bytes than the 63 that a reader of the file keeps", "" } };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        ubi_read_info info = UBI_READ_INFO_INIT;
        ubi_graph *again;
        options.writer = cases[i].writer;
        bytes file = saved_graph(g, &options, NULL);
        assert_int_equal(ubi_graph_read_memory(&again, file.at, file.n, NULL, &info), UBI_OK);
        assert_string_equal(info.writer, cases[i].read);
        ubi_graph_unref(again);
        bytes_free(&file);
    }
    ubi_graph_unref(g);
}

static void every_compression_gives_the_same_stream(void **state) {
    ubi_graph *g = graph_from_drawing(heap_text);
    (void)state;
    for (int how = UBI_COMPRESSION_DEFAULT; how <= UBI_COMPRESSION_NONE; how++)
        for (unsigned threads = 1; threads <= 2; threads++) {
            ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
            ubi_save_info info = UBI_SAVE_INFO_INIT;
            ubi_read_info read = UBI_READ_INFO_INIT;
            ubi_graph *again;
            options.compression = (ubi_compression)how;
            options.threads = threads;
            bytes file = saved_graph(g, &options, &info);
            assert_int_equal(ubi_graph_read_memory(&again, file.at, file.n, NULL, &read), UBI_OK);
            assert_string_equal(read.compression, how == UBI_COMPRESSION_NONE ? "none" : "gzip");
            assert_int_equal(read.inflated_bytes, info.stream_bytes);
            assert_int_equal(info.output_bytes, file.n);
            assert_graphs_equal(g, again);
            ubi_graph_unref(again);
            bytes_free(&file);
        }
    ubi_graph_unref(g);
}

static void equal_graphs_give_equal_bytes(void **state) {
    ubi_graph *g = graph_from_drawing(heap_text);
    (void)state;
    bytes first = saved_graph(g, NULL, NULL), second = saved_graph(g, NULL, NULL);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.at, second.at, first.n);
    bytes_free(&first);
    bytes_free(&second);
    ubi_graph_unref(g);
}

static void wrong_options_are_refused_before_anything_is_written(void **state) {
    ubi_graph *g = graph_from_drawing("root");
    bytes file = { NULL, 0, 0 };
    (void)state;
    for (int i = 0; i < 3; i++) {
        ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
        if (i == 0)
            options.version = 2;
        if (i == 1)
            options.compression = (ubi_compression)9;
        if (i == 2)
            options.edge_filter = (ubi_edge_filter_fn)abort;
        assert_int_equal(ubi_graph_save_callback(g, write_to_bytes, &file, &options, NULL), UBI_EINVAL);
    }
    assert_int_equal(ubi_save_callback((ubi_node){ NULL, NULL, 0 }, write_to_bytes, &file, NULL, NULL), UBI_EINVAL);
    assert_int_equal(file.n, 0);
    ubi_graph_unref(g);
}

/* ---- map_text ----------------------------------------------------------------------------------------------------- */

/** Upper case and the role's number; counts calls. */
typedef struct shout {
    char text[64];
    unsigned n_calls;
} shout;

static ubi_status shout_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    shout *s = payload;
    s->n_calls++;
    for (size_t i = 0; i < text.len; i++)
        s->text[i] = (char)(text.ptr[i] >= 'a' && text.ptr[i] <= 'z' ? text.ptr[i] - 32 : text.ptr[i]);
    s->text[text.len] = (char)('0' + role);
    *out = (ubi_text){ s->text, text.len + 1 };
    return UBI_OK;
}

static void map_text_sees_every_text_once_with_its_role(void **state) {
    static const char text[] = "root(type=x) -> a \"x\", b \"x\", a \"y\"; a(class=x coarse=object type=x);"
                               "b(file=x coarse=script desc=x stack=x@x:1:1)";
    drawing *d = drawing_new(text);
    ubi_graph *g = graph_from_drawing(text);
    shout s = { .n_calls = 0 };
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    (void)state;
    options.map_text = shout_text;
    options.map_text_payload = &s;
    ubi_graph *expected = graph_from_drawing("root(type=X0) -> a \"X1\", b \"X1\", a \"Y1\";"
                                             "a(class=X2 coarse=object type=X0);"
                                             "b(file=X4 coarse=script desc=X3 stack=X6@X5:1:1 type=T0)");
    ubi_graph *mapped = graph_round_trip(g, &options);
    assert_graphs_equal(expected, mapped);
    assert_int_equal(s.n_calls, 9); /* types x and T, names x and y, and one of each other role */
    options.has_time = true;
    ubi_graph *walked = walk_round_trip(drawing_node(d, "root"), &options);
    walked->has_creation_time = false;
    assert_graphs_equal(expected, walked);
    assert_int_equal(s.n_calls, 18);
    ubi_graph_unref(g);
    ubi_graph_unref(expected);
    ubi_graph_unref(mapped);
    ubi_graph_unref(walked);
    drawing_free(d);
}

static ubi_status refuse_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    (void)role, (void)text, (void)out;
    return payload ? ubi__fail(UBI_ENOTFOUND, "no word for it") : UBI_OK;
}

static void what_map_text_says_ends_the_save(void **state) {
    ubi_graph *g = graph_from_drawing("root");
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    bytes file = { NULL, 0, 0 };
    (void)state;
    options.map_text = refuse_text;
    assert_int_equal(ubi_graph_save_callback(g, write_to_bytes, &file, &options, NULL), UBI_EINVAL);
    options.map_text_payload = g;
    assert_int_equal(ubi_graph_save_callback(g, write_to_bytes, &file, &options, NULL), UBI_ENOTFOUND);
    assert_string_equal(ubi_error_message(), "no word for it");
    bytes_free(&file);
    ubi_graph_unref(g);
}

/* ---- paths -------------------------------------------------------------------------------------------------------- */

/** Case 50 of the conformance list. */
static void a_path_may_be_any_utf8(void **state) {
    ubi_graph *g = graph_from_drawing(heap_text), *again;
    drawing *d = drawing_new(heap_text);
    char *directory = new_directory(), path[200];
    (void)state;
    snprintf(path, sizeof path, "%s/\xe5\xa0\x86 \xc3\xa9 \xf0\x9f\x98\x80.fxsnapshot", directory);
    assert_int_equal(ubi_graph_save_path(g, path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_read_path(&again, path, NULL, NULL), UBI_OK);
    assert_graphs_equal(g, again);
    ubi_graph_unref(again);
    assert_int_equal(ubi_save_path(drawing_node(d, "root"), path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_read_path(&again, path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_node_count(again), 4);
    assert_int_equal(count_files(directory), 1);
    ubi_graph_unref(again);
    ubi_graph_unref(g);
    drawing_free(d);
    remove_directory(directory);
}

static void a_descriptor_is_written_from_where_it_stands_and_stays_open(void **state) {
    ubi_graph *g = graph_from_drawing(heap_text), *again;
    FILE *file = tmpfile();
    (void)state;
    assert_int_equal(write(fileno(file), "before", 6), 6);
    assert_int_equal(ubi_graph_save_fd(g, fileno(file), NULL, NULL), UBI_OK);
    assert_int_equal(lseek(fileno(file), 6, SEEK_SET), 6);
    assert_int_equal(ubi_graph_read_fd(&again, fileno(file), NULL, NULL), UBI_OK);
    assert_graphs_equal(g, again);
    ubi_graph_unref(again);
    ubi_graph_unref(g);
    fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_writes_what_capturing_it_would_give),
        cmocka_unit_test(edges_of_a_small_node_are_enumerated_once),
        cmocka_unit_test(a_walk_is_stamped_with_the_present),
        cmocka_unit_test(a_name_made_in_one_buffer_and_a_node_with_many_edges_are_written_right),
        cmocka_unit_test(a_graph_comes_back_equal_with_what_is_out_of_reach),
        cmocka_unit_test(a_graph_without_time_stays_so_and_can_be_given_one),
        cmocka_unit_test(the_root_is_written_first_wherever_it_stands),
        cmocka_unit_test(equal_strings_become_one_entry),
        cmocka_unit_test(class_names_are_latin1_and_anything_else_is_spelled_out),
        cmocka_unit_test(texts_are_cut_at_a_nul_and_one_with_what_precedes_it),
        cmocka_unit_test(the_writer_is_named_in_the_file),
        cmocka_unit_test(every_compression_gives_the_same_stream),
        cmocka_unit_test(equal_graphs_give_equal_bytes),
        cmocka_unit_test(wrong_options_are_refused_before_anything_is_written),
        cmocka_unit_test(map_text_sees_every_text_once_with_its_role),
        cmocka_unit_test(what_map_text_says_ends_the_save),
        cmocka_unit_test(a_path_may_be_any_utf8),
        cmocka_unit_test(a_descriptor_is_written_from_where_it_stands_and_stays_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
