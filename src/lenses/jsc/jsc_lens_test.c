/* SPDX-License-Identifier: MIT
 *
 * jsc_lens_test.c: how we look at a heap of JavaScriptCore: what adopts what, which ids are reused, and memory that runs out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <ubiheap/core/formats.h>
#include <ubiheap/views/lens.h>
#include <ubiheap/views/strings.h>

#include "fail_allocator.h"
#include "lenses/producer.h"

/* 2 is a global object, 4 a function that nothing refers to, 5 a scope of its own. */
#define INSPECTOR                                                                                                      \
    "{\"version\":3,\"type\":\"Inspector\",\"nodes\":[0,0,0,0,2,64,1,0,3,16,2,0,4,32,3,0,5,24,4,0],"                   \
    "\"nodeClassNames\":[\"<root>\",\"GlobalObject\",\"string\",\"Function\",\"JSLexicalEnvironment\"],"               \
    "\"edges\":[0,2,0,0,2,3,1,0,4,5,0,0,5,3,3,1],"                                                                     \
    "\"edgeTypes\":[\"Internal\",\"Property\",\"Index\",\"Variable\"],\"edgeNames\":[\"title\",\"text\"]}"

#define DEBUGGING                                                                                                      \
    "{\"version\":3,\"type\":\"GCDebugging\",\"nodes\":[0,0,0,0,0,\"0x0\",\"0x0\",4,32,1,0,1,\"0x7f10\",\"0x99\"],"    \
    "\"nodeClassNames\":[\"<root>\",\"Function\"],\"edges\":[0,4,0,0],\"edgeTypes\":[\"Internal\"],\"edgeNames\":[],"  \
    "\"roots\":[4,2,3],\"labels\":[\"\",\"add\",\"StrongHandles\",\"opaque\"]}"

static ubi_graph *read_text(const char *text) {
    ubi_graph *g = NULL;
    assert_int_equal(ubi_graph_read_memory(&g, text, strlen(text), NULL, NULL), UBI_OK);
    assert_string_equal(ubi__producer_of(g)->name, "jsc");
    return g;
}

static ubi_look *look_at(ubi_graph *g) {
    ubi_look *look = NULL;
    assert_int_equal(ubi_look_open(&look, ubi_lens_find("jsc"), g, NULL), UBI_OK);
    return look;
}

static void ids_are_reused_where_they_are_addresses(void **state) {
    static const char *const texts[] = { INSPECTOR, DEBUGGING };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        ubi_graph *g = read_text(texts[i]);
        ubi_look *look = look_at(g);
        assert_int_equal(ubi_look_reuses_ids(look), i == 1);
        assert_true(ubi_lens_id_mark(g) == (i == 0 ? 5 : 0));
        assert_false(ubi_strings_known(g));
        ubi_look_close(look);
        ubi_graph_unref(g);
    }
}

static void paths_may_begin_at_global_objects(void **state) {
    ubi_graph *g = read_text(INSPECTOR);
    ubi_look *look = look_at(g);
    (void)state;
    assert_int_equal(look->view.n_first_edges, 1);
    assert_true(look->view.first_edges[0] == 0);
    assert_int_equal(look->view.orphans, UBI_ORPHANS_ADOPT);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static void nodes_and_edges_say_what_files_have(void **state) {
    ubi_graph *g = read_text(DEBUGGING);
    ubi_look *look = look_at(g);
    ubi_look_name_buffer buffer;
    ubi__further_fact facts[UBI__MOST_FURTHER_FACTS];
    (void)state;
    ubi_text name = ubi_look_display_name(look, 1, &buffer);
    assert_int_equal(name.len, 5);
    assert_memory_equal(name.ptr, "add()", 5);
    ubi__edge_words words = ubi__producer_of(g)->words->edge(g, 0, 0);
    assert_int_equal(words.how, UBI__EDGE_NAMED);
    assert_int_equal(words.text.len, 13);
    assert_int_equal(ubi__further_facts_of(facts, g, 1, &buffer), 3);
    assert_string_equal(facts[0].key, "rootReason");
    assert_string_equal(facts[1].key, "opaqueRootReason");
    assert_int_equal(facts[2].text.len, 4);
    assert_memory_equal(facts[2].text.ptr, "0x99", 4);
    assert_int_equal(ubi__further_facts_of(facts, g, 0, &buffer), 0);
    ubi_look_close(look);
    ubi_graph_unref(g);
}

static ubi_status open_filtered(void *payload, const ubi_allocator *a) {
    ubi_look_options options = UBI_LOOK_OPTIONS_INIT;
    ubi_look *look = NULL;
    options.allocator = a;
    options.filter = "allocated";
    options.id_above = 3;
    options.id_upto = 5;
    UBI_TRY(ubi_look_open(&look, ubi_lens_find("jsc"), payload, &options));
    assert_true(look->shown[0] == 0x18);
    ubi_look_close(look);
    return UBI_OK;
}

static void memory_that_runs_out_is_reported_and_leaves_nothing(void **state) {
    ubi_graph *g = read_text(INSPECTOR);
    (void)state;
    assert_true(fail_each_allocation(open_filtered, g) > 3);
    ubi_graph_unref(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_reused_where_they_are_addresses),
        cmocka_unit_test(paths_may_begin_at_global_objects),
        cmocka_unit_test(nodes_and_edges_say_what_files_have),
        cmocka_unit_test(memory_that_runs_out_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
