/* SPDX-License-Identifier: MIT
 *
 * v8_line_facts_test.c: JSON lines of heaps of V8 when something fails. What they say, tests/v8/v8_lines_test.py compares with
 * files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/formats.h>

#include "fail_allocator.h"
#include "formats/v8/v8_facts.h"
#include "random_v8.h"
#include "saving.h"

static ubi_save_options lines(void) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.format = "jsonl";
    options.compression = UBI_COMPRESSION_NONE;
    options.threads = 1;
    return options;
}

static bool discard(void *payload, const void *data, size_t n) {
    (void)payload, (void)data, (void)n;
    return true;
}

static ubi_status save_once(void *payload, const ubi_allocator *allocator) {
    ubi_save_options options = lines();
    options.allocator = allocator;
    return ubi_graph_save_callback(payload, discard, NULL, &options, NULL);
}

static void every_refused_allocation_is_out_of_memory_without_a_leak(void **state) {
    (void)state;
    random_start(11);
    for (int i = 0; i < 20; i++) {
        ubi_graph *graph = random_v8_graph();
        fail_each_allocation(save_once, graph);
        ubi_graph_unref(graph);
    }
}

/* Refuses names of edges, which those of captured variables are. */
static ubi_status refuse_variables(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    *out = text;
    (*(int *)payload)++;
    return role == UBI_TEXT_EDGE_NAME ? UBI_ELIMIT : UBI_OK;
}

static void a_variable_that_the_map_refuses_ends_the_save(void **state) {
    ubi_save_options options = lines();
    int n_calls = 0, n_refused = 0;
    (void)state;
    random_start(12);
    options.map_text = refuse_variables;
    options.map_text_payload = &n_calls;
    for (int i = 0; i < 50; i++) {
        ubi_graph *graph = random_v8_graph();
        if (ubi__v8_facts_of(graph)->scope_variables.n) {
            assert_int_equal(ubi_graph_save_callback(graph, discard, NULL, &options, NULL), UBI_ELIMIT);
            n_refused++;
        }
        ubi_graph_unref(graph);
    }
    assert_true(n_refused > 5);
}

static void a_heap_without_v8s_facts_has_none_of_their_keys(void **state) {
    static const char *const keys[] = { "v8Type", "location", "allocationCount", "extraNativeBytes", "sampleCount" };
    (void)state;
    random_start(13);
    ubi_graph *graph = random_v8_graph();
    void *facts = graph->facts;
    ubi_save_options options = lines();
    graph->facts = NULL;
    bytes without = saved_graph(graph, &options, NULL);
    graph->facts = facts;
    bytes_add(&without, "", 1);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_null(strstr((const char *)without.at, keys[i]));
    bytes_free(&without);
    ubi_graph_unref(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_without_a_leak),
        cmocka_unit_test(a_variable_that_the_map_refuses_ends_the_save),
        cmocka_unit_test(a_heap_without_v8s_facts_has_none_of_their_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
