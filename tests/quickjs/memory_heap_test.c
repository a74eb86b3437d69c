/* SPDX-License-Identifier: MIT
 *
 * memory_heap_test.c: collections, counts, sizes and snapshots through a bridge: cases MEM-14 and MEM-15 of the memory actor.
 */
#include "memory_bridge_for_tests.h"
#include "saving.h"

/* ---- collections: MEM-14 -------------------------------------------------------------------------------------------- */

static void collections_are_reported_while_it_is_attached(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    assert_int_equal(ubi_memory_bridge_collect_garbage(b.bridge), UBI_OK);
    ubi_quickjs_safe_point(b.heap.tools);
    assert_int_equal(b.n_events, 0);
    attach(&b);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ubi_memory_bridge_collect_garbage(b.bridge), UBI_OK);
    assert_int_equal(b.n_events, 0); /* at the next safe point */
    ubi_quickjs_safe_point(b.heap.tools);
    assert_int_equal(ubi_memory_bridge_collect_cycles(b.bridge), UBI_OK);
    ubi_quickjs_safe_point(b.heap.tools);
    assert_int_equal(b.n_events, 4);
    for (uint32_t i = 1; i < b.n_events; i++)
        assert_true(b.cycles[i] > b.cycles[i - 1]);
    assert_int_equal(ubi_memory_bridge_navigated(b.bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_collect_garbage(b.bridge), UBI_OK);
    ubi_quickjs_safe_point(b.heap.tools);
    assert_int_equal(b.n_events, 5);
    assert_int_equal(ubi_memory_bridge_detach(b.bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_collect_garbage(b.bridge), UBI_OK);
    ubi_quickjs_safe_point(b.heap.tools);
    assert_int_equal(b.n_events, 5);
    bridged_close(&b);
}

/* ---- the heap: census, measure (MEM-15), snapshots ------------------------------------------------------------------ */

static void a_census_counts_by_the_default_breakdown(void **state) {
    (void)state;
    bridged b;
    ubi_census *census;
    ubi_report_key key;
    bridged_open(&b);
    attach(&b);
    assert_int_equal(ubi_memory_bridge_census(&census, b.bridge), UBI_OK);
    const ubi_report *report = ubi_census_report(census);
    assert_int_equal(ubi_report_entry_count(report), 5);
    ubi_report_entry(report, 0, &key);
    assert_true(ubi__text_is(key.text, "objects"));
    assert_true(ubi_census_node_count(census) > 300);
    ubi_census_free(census);
    bridged_close(&b);
}

static ubi_memory_measure get_measure(ubi_memory_bridge *bridge) {
    ubi_memory_measure m = UBI_MEMORY_MEASURE_INIT;
    assert_int_equal(ubi_memory_bridge_measure(&m, bridge), UBI_OK);
    assert_int_equal(m.total, m.dom_size + m.style_size + m.js_objects_size + m.js_strings_size + m.js_other_size +
                                  m.other_size);
    assert_true(m.js_objects_size > 0 && m.js_strings_size > 0 && m.js_other_size > 0);
    assert_true(m.js_ms > 0 && m.non_js_ms >= 0);
    return m;
}

static void a_measure_of_everything_is_what_the_engine_holds(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    quickjs_heap_run(&b.heap, "big.js", "var big = 'x'.repeat(1 << 20);");
    ubi_memory_measure m = get_measure(b.bridge);
    assert_true(m.js_strings_size > 1 << 20);
    assert_int_equal(m.dom_size + m.style_size, 0);
    uint64_t heap_bytes = ubi_quickjs_heap_bytes(b.heap.tools);
    assert_in_range(m.total, heap_bytes / 10 * 9, heap_bytes / 10 * 11);
    bridged_close(&b);
}

/* A scope is a realm: what other realms hold is not its own. */
static void a_measure_of_a_scope_leaves_out_other_realms(void **state) {
    (void)state;
    bridged b = { .n_events = 0 };
    ubi_quickjs_scope *scope;
    quickjs_heap_open(&b.heap, NULL);
    JSContext *other = JS_NewContext(b.heap.runtime);
    assert_int_equal(ubi_quickjs_scope_new(&scope, b.heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, other), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    bridged_open_with(&b, &part, NULL);
    ubi_memory_measure before = get_measure(b.bridge);
    quickjs_heap_run(&b.heap, "big.js", "var big = 'x'.repeat(1 << 20);");
    ubi_memory_measure after = get_measure(b.bridge);
    assert_true(after.total < before.total + (1 << 16) && after.other_size == 0);
    JS_FreeValue(other, JS_Eval(other, "var big = 'x'.repeat(1 << 20);", 30, "o.js", JS_EVAL_TYPE_GLOBAL));
    assert_true(get_measure(b.bridge).js_strings_size > before.js_strings_size + (1 << 20) - 1);
    ubi_memory_bridge_free(b.bridge);
    ubi_quickjs_scope_free(scope);
    JS_FreeContext(other);
    quickjs_heap_close(&b.heap);
}

static uint64_t save_nodes(ubi_memory_bridge *bridge, const char *folder, ubi_memory_boundaries boundaries) {
    char path[300];
    unsigned char begin[2];
    ubi_save_info info = UBI_SAVE_INFO_INIT;
    snprintf(path, sizeof path, "%s/saved.fxsnapshot", folder);
    assert_int_equal(ubi_memory_bridge_save_snapshot(bridge, path, boundaries, NULL, &info), UBI_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(begin, 1, 2, file), 2);
    assert_true(begin[0] == 0x1f && begin[1] == 0x8b); /* gzip */
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftell(file), info.output_bytes);
    fclose(file);
    return info.node_count;
}

static uint64_t capture_nodes(ubi_memory_bridge *bridge, ubi_memory_boundaries boundaries) {
    ubi_graph *graph = NULL;
    assert_int_equal(ubi_memory_bridge_capture(&graph, bridge, boundaries), UBI_OK);
    uint64_t n = ubi_graph_node_count(graph);
    ubi_graph_unref(graph);
    return n;
}

static void a_snapshot_is_of_the_scope_or_of_everything(void **state) {
    (void)state;
    bridged b = { .n_events = 0 };
    ubi_quickjs_scope *scope;
    char *folder = new_directory();
    quickjs_heap_open(&b.heap, NULL);
    quickjs_heap_run(&b.heap, "many.js", "var many = []; for (let i = 0; i < 10000; i++) many.push({ i });");
    JSContext *other = JS_NewContext(b.heap.runtime);
    assert_int_equal(ubi_quickjs_scope_new(&scope, b.heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, other), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    bridged_open_with(&b, &part, NULL);
    attach(&b);
    uint64_t of_scope = save_nodes(b.bridge, folder, UBI_MEMORY_OF_SCOPE);
    assert_true(of_scope > 100);
    uint64_t of_runtime = save_nodes(b.bridge, folder, UBI_MEMORY_OF_RUNTIME);
    assert_true(of_runtime > of_scope + 10000);
    assert_int_equal(capture_nodes(b.bridge, UBI_MEMORY_OF_SCOPE), of_scope);
    assert_int_equal(capture_nodes(b.bridge, UBI_MEMORY_OF_RUNTIME), of_runtime);
    ubi_graph *none = NULL;
    assert_int_equal(ubi_memory_bridge_capture(&none, b.bridge, (ubi_memory_boundaries)7), UBI_EINVAL);
    assert_int_equal(ubi_memory_bridge_save_snapshot(b.bridge, "x", (ubi_memory_boundaries)7, NULL, NULL), UBI_EINVAL);
    ubi_memory_bridge_free(b.bridge);
    ubi_quickjs_scope_free(scope);
    JS_FreeContext(other);
    quickjs_heap_close(&b.heap);
    remove_directory(folder);
}

static void the_process_has_memory_of_its_own(void **state) {
    (void)state;
    ubi_process_memory memory = UBI_PROCESS_MEMORY_INIT;
    assert_int_equal(ubi_process_memory_read(&memory), UBI_OK);
    assert_true(memory.unique_bytes > 0 && memory.unique_bytes <= memory.resident_bytes);
    uint64_t before = memory.unique_bytes;
    size_t n = 32u << 20;
    char *own = malloc(n);
    assert_non_null(own);
    memset(own, 1, n);
    assert_int_equal(ubi_process_memory_read(&memory), UBI_OK);
    assert_true(own[n / 2] == 1 && memory.unique_bytes > before + n / 2);
    free(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collections_are_reported_while_it_is_attached),
        cmocka_unit_test(a_census_counts_by_the_default_breakdown),
        cmocka_unit_test(a_measure_of_everything_is_what_the_engine_holds),
        cmocka_unit_test(a_measure_of_a_scope_leaves_out_other_realms),
        cmocka_unit_test(a_snapshot_is_of_the_scope_or_of_everything),
        cmocka_unit_test(the_process_has_memory_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
