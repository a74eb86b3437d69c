/* SPDX-License-Identifier: MIT
 *
 * export_test.c: what a save gets from a lens: the view, files of code, elements outside of their document.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/views/export.h>

#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "formats/v8/v8_facts.h"
#include "random_v8.h"

/* ---- a heap of V8, node by node ---------------------------------------------------------------------------------- */

typedef struct maker {
    ubi_graph_builder *builder;
    ubi_str_ix type;
} maker;

static maker start(void) {
    maker m;
    assert_int_equal(ubi_graph_builder_new(&m.builder, NULL), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(m.builder, &m.type, ubi__text("code")), UBI_OK);
    return m;
}

static void node(maker *m, uint64_t id, ubi__v8_type type, const char *name) {
    ubi_str_ix name_ix;
    ubi_node_desc desc = { .id = id, .size_bytes = 8, .stack = UBI_NONE };
    ubi_coarse_type coarse = type == UBI__V8_CODE ? UBI_COARSE_SCRIPT : UBI_COARSE_OTHER;
    desc.kind = (ubi_kind){ m->type, UBI_NONE, UBI_NONE, UBI_NONE, coarse, (uint8_t)type, 0 };
    assert_int_equal(ubi_graph_builder_node(m->builder, &desc), UBI_OK);
    assert_int_equal(ubi_graph_builder_string(m->builder, &name_ix, ubi__text(name)), UBI_OK);
    assert_int_equal(ubi_graph_builder_node_name(m->builder, name_ix), UBI_OK);
}

static void edge(maker *m, ubi_edge_kind kind, const char *name, uint64_t to) {
    ubi_str_ix ix;
    assert_int_equal(ubi_graph_builder_string(m->builder, &ix, ubi__text(name)), UBI_OK);
    assert_int_equal(ubi_graph_builder_edge_of(m->builder, to, kind, ix), UBI_OK);
}

static ubi_graph *finish(maker *m) {
    ubi_graph *graph;
    assert_int_equal(ubi_graph_builder_finish(&graph, m->builder), UBI_OK);
    ubi_graph_builder_free(m->builder);
    graph->format = "heapsnapshot";
    graph->facts = ubi__v8_facts_new(ubi_allocator_default());
    graph->free_facts = ubi__v8_facts_free;
    return graph;
}

/*
 * 2 and 3 are functions' shared infos, of the scripts 4 and 5; 6 is bytecode of the first, 7 its constants; 8 is code of both; 9
 * is V8's own; 10 is held weakly by the first.
 */
static ubi_graph *two_scripts(void) {
    maker m = start();
    node(&m, 1, UBI__V8_SYNTHETIC, "");
    edge(&m, UBI_EDGE_PROPERTY, "a", 2);
    edge(&m, UBI_EDGE_PROPERTY, "b", 3);
    node(&m, 2, UBI__V8_CODE, "f");
    edge(&m, UBI_EDGE_INTERNAL, "script", 4);
    edge(&m, UBI_EDGE_INTERNAL, "function_data", 6);
    edge(&m, UBI_EDGE_INTERNAL, "code", 8);
    edge(&m, UBI_EDGE_INTERNAL, "builtin", 9);
    edge(&m, UBI_EDGE_WEAK, "next", 10);
    node(&m, 3, UBI__V8_CODE, "g");
    edge(&m, UBI_EDGE_INTERNAL, "script_or_debug_info", 5);
    edge(&m, UBI_EDGE_INTERNAL, "code", 8);
    node(&m, 4, UBI__V8_CODE, "/srv/a.js");
    node(&m, 5, UBI__V8_CODE, "system / Script / https://b.example/b.js");
    node(&m, 6, UBI__V8_CODE, "system / BytecodeArray");
    edge(&m, UBI_EDGE_INTERNAL, "constant_pool", 7);
    edge(&m, UBI_EDGE_INTERNAL, "back", 6);
    node(&m, 7, UBI__V8_CODE, "(constant pool)");
    node(&m, 8, UBI__V8_CODE, "shared");
    node(&m, 9, UBI__V8_CODE, "(CompileLazy builtin handle)");
    node(&m, 10, UBI__V8_CODE, "weak");
    return finish(&m);
}

static ubi_look *look_at(ubi_graph *graph) {
    ubi_look *look;
    assert_int_equal(ubi_look_open(&look, NULL, graph, NULL), UBI_OK);
    return look;
}

static void code_is_of_the_file_whose_functions_alone_lead_to_it(void **state) {
    static const char *const files[] = { NULL,
                                         "/srv/a.js",
                                         "https://b.example/b.js",
                                         "/srv/a.js",
                                         "https://b.example/b.js",
                                         "/srv/a.js",
                                         "/srv/a.js",
                                         NULL,
                                         NULL,
                                         NULL };
    (void)state;
    ubi_graph *graph = two_scripts();
    ubi_look *look = look_at(graph);
    ubi_export *e;
    ubi_save_options save = UBI_SAVE_OPTIONS_INIT;
    assert_int_equal(ubi_export_new(&e, look, NULL), UBI_OK);
    ubi_export_apply(e, &save);
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(graph); n++) {
        ubi_node_words words = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
        assert_int_equal(save.words_of_node(save.words_of_node_payload, n, &words), UBI_OK);
        assert_null(words.class_name.ptr);
        if (files[n])
            assert_true(ubi__text_is(words.script_filename, files[n]));
        else
            assert_null(words.script_filename.ptr);
    }
    ubi_export_free(e);
    ubi_look_close(look);
    ubi_graph_unref(graph);
}

static void the_view_is_the_lens_s_unless_all_is_asked_for(void **state) {
    (void)state;
    ubi_graph *graph = two_scripts();
    ubi_look *look = look_at(graph);
    const ubi_view *view = ubi_look_view(look);
    ubi_export *e;
    ubi_save_options save = UBI_SAVE_OPTIONS_INIT;
    ubi_export_options options = UBI_EXPORT_OPTIONS_INIT;
    assert_int_equal(ubi_export_new(&e, look, NULL), UBI_OK);
    ubi_export_apply(e, &save);
    assert_ptr_equal(save.view->edges, view->edges);
    assert_ptr_equal(save.view->size_bytes, view->size_bytes);
    assert_int_equal(save.view->orphans, UBI_ORPHANS_ADOPT);
    ubi_export_free(e);
    options.with_all_edges = options.with_raw_sizes = true;
    assert_int_equal(ubi_export_new(&e, look, &options), UBI_OK);
    ubi_export_apply(e, &save);
    assert_null(save.view->edges);
    assert_null(save.view->size_bytes);
    assert_int_equal(save.view->orphans, UBI_ORPHANS_IGNORE);
    ubi_export_free(e);
    options.version = 7;
    assert_int_equal(ubi_export_new(&e, look, &options), UBI_EINVAL);
    ubi_look_close(look);
    ubi_graph_unref(graph);
}

static void heaps_of_other_producers_have_no_words_to_add(void **state) {
    (void)state;
    ubi_graph *graph = graph_from_drawing("1 -> 2; 2(coarse=script file=a.js); 3(coarse=dom desc=DIV);");
    ubi_look *look = look_at(graph);
    ubi_export *e;
    ubi_save_options save = UBI_SAVE_OPTIONS_INIT;
    assert_int_equal(ubi_export_new(&e, look, NULL), UBI_OK);
    ubi_export_apply(e, &save);
    for (ubi_node_ix n = 0; n < 3; n++) {
        ubi_node_words words = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
        assert_int_equal(save.words_of_node(save.words_of_node_payload, n, &words), UBI_OK);
        assert_true(!words.class_name.ptr && !words.script_filename.ptr && !words.descriptive_name.ptr);
    }
    ubi_export_free(e);
    ubi_export_free(NULL);
    ubi_look_close(look);
    ubi_graph_unref(graph);
}

static ubi_status export_once(void *payload, const ubi_allocator *allocator) {
    ubi_export *e = NULL;
    ubi_export_options options = UBI_EXPORT_OPTIONS_INIT;
    options.allocator = allocator;
    ubi_status status = ubi_export_new(&e, payload, &options);
    ubi_export_free(e);
    return status;
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    ubi_graph *graph = two_scripts();
    ubi_look *look = look_at(graph);
    fail_each_allocation(export_once, look);
    ubi_look_close(look);
    ubi_graph_unref(graph);
    random_start(6);
    for (int i = 0; i < 50; i++) { /* any graph will do */
        graph = random_v8_graph();
        look = look_at(graph);
        assert_int_equal(export_once(look, NULL), UBI_OK);
        ubi_look_close(look);
        ubi_graph_unref(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_of_the_file_whose_functions_alone_lead_to_it),
        cmocka_unit_test(the_view_is_the_lens_s_unless_all_is_asked_for),
        cmocka_unit_test(heaps_of_other_producers_have_no_words_to_add),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
