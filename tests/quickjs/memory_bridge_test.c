/* SPDX-License-Identifier: MIT
 *
 * memory_bridge_test.c: the memory of a QuickJS program through a bridge, without a wire: cases MEM-1 to MEM-5 of the memory actor. Those
 * about recordings are in memory_recording_test.c, those about the heap in memory_heap_test.c.
 */
#include "fail_allocator.h"
#include "memory_bridge_for_tests.h"

/* ---- states: MEM-1 to MEM-5 ----------------------------------------------------------------------------------------- */

static void a_bridge_is_attached_and_detached(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    assert_false(ubi_memory_bridge_is_attached(b.bridge));                                 /* MEM-1 */
    assert_wrong_state(ubi_memory_bridge_detach(b.bridge), "detaching from the debugger"); /* MEM-2 */
    assert_false(ubi_memory_bridge_is_attached(b.bridge));
    attach(&b);
    attach(&b); /* MEM-3 */
    assert_true(ubi_memory_bridge_is_attached(b.bridge));
    assert_int_equal(ubi_memory_bridge_detach(b.bridge), UBI_OK); /* MEM-4 */
    assert_false(ubi_memory_bridge_is_attached(b.bridge));
    bridged_close(&b);
}

static void what_needs_attaching_says_so(void **state) {
    (void)state;
    bridged b;
    ubi_census *census = NULL;
    ubi_graph *graph = NULL;
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    ubi_memory_settings settings = UBI_MEMORY_SETTINGS_INIT;
    ubi_memory_measure measure = UBI_MEMORY_MEASURE_INIT;
    ubi_memory_bridge *bridge;
    bridged_open(&b);
    bridge = b.bridge;
    assert_wrong_state(ubi_memory_bridge_census(&census, bridge), "taking census"); /* MEM-5 */
    assert_wrong_state(ubi_memory_bridge_allocations(&a, bridge), "getting allocations");
    assert_wrong_state(ubi_memory_bridge_save_snapshot(bridge, "/nonexistent", UBI_MEMORY_OF_SCOPE, NULL, NULL),
                       "saveHeapSnapshot");
    assert_wrong_state(ubi_memory_bridge_capture(&graph, bridge, UBI_MEMORY_OF_SCOPE), "saveHeapSnapshot");
    assert_wrong_state(ubi_memory_bridge_start_recording(bridge, NULL, NULL), "starting recording allocations");
    assert_wrong_state(ubi_memory_bridge_stop_recording(bridge, NULL), "stopping recording allocations");
    assert_wrong_state(ubi_memory_bridge_settings(&settings, bridge), "getting allocations settings");
    assert_int_equal(ubi_memory_bridge_measure(&measure, bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_collect_garbage(bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_collect_cycles(bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_navigated(bridge), UBI_OK);
    assert_null(census);
    assert_null(graph);
    bridged_close(&b);
}

static void options_of_an_unknown_version_are_refused(void **state) {
    (void)state;
    bridged b;
    ubi_memory_bridge *bridge = NULL;
    ubi_memory_bridge_options options = { .version = UBI_MEMORY_BRIDGE_OPTIONS_VERSION + 1 };
    ubi_memory_recording_options recording = { .version = 0 };
    const ubi_target_ops later = { .version = UBI_TARGET_OPS_VERSION + 1 };
    bridged_open(&b);
    assert_int_equal(ubi_memory_bridge_new(&bridge, ubi_quickjs_target(b.heap.tools), &options), UBI_EINVAL);
    assert_int_equal(ubi_memory_bridge_new(&bridge, (ubi_target){ &later, NULL }, NULL), UBI_EINVAL);
    assert_null(bridge);
    attach(&b);
    assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &recording, NULL), UBI_EINVAL);
    bridged_close(&b);
}

static void a_target_that_cannot_be_observed_stays_detached(void **state) {
    (void)state;
    const ubi_target_ops mute = { .version = 1, .kind = "mute" };
    ubi_memory_bridge *bridge;
    assert_int_equal(ubi_memory_bridge_new(&bridge, (ubi_target){ &mute, NULL }, NULL), UBI_OK);
    assert_int_equal(ubi_memory_bridge_attach(bridge), UBI_ESTATE);
    assert_string_equal(ubi_error_message(), "a target of kind mute cannot be observed");
    assert_false(ubi_memory_bridge_is_attached(bridge));
    ubi_memory_bridge_free(bridge);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

/* Everything once. What could be refused and was has left the bridge as it was: a second attempt with memory succeeds. */
static ubi_status use_bridge(bridged *b, fail_allocator *memory) {
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    ubi_memory_measure measure = UBI_MEMORY_MEASURE_INIT;
    ubi_census *census = NULL;
    ubi_status status = ubi_memory_bridge_start_recording(b->bridge, NULL, NULL);
    quickjs_heap_run(&b->heap, "use.js", "(function f(n) { return n ? [{}, f(n - 1)] : []; })(20);");
    if (status == UBI_OK)
        status = ubi_memory_bridge_allocations(&a, b->bridge);
    if (status == UBI_OK)
        status = ubi_memory_bridge_census(&census, b->bridge);
    if (status == UBI_OK)
        status = ubi_memory_bridge_measure(&measure, b->bridge);
    if (status == UBI_OK)
        status = ubi_memory_bridge_navigated(b->bridge);
    memory->n_allowed = FAIL_ALLOCATOR_NEVER;
    ubi_census_free(census);
    return status;
}

static void without_memory_nothing_is_lost(void **state) {
    (void)state;
    uint64_t n_failed = 0;
    for (uint64_t n = 0, refused = 1; refused; n++) {
        bridged b = { .n_events = 0 };
        fail_allocator memory;
        ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
        quickjs_heap_open(&b.heap, NULL);
        fail_allocator_init(&memory, FAIL_ALLOCATOR_NEVER);
        bridged_open_with(&b, NULL, &memory.allocator);
        attach(&b);
        memory.n_allowed = memory.n_requests + n;
        memory.n_refused = 0;
        ubi_status status = use_bridge(&b, &memory);
        assert_true(status == UBI_OK || status == UBI_ENOMEM);
        refused = memory.n_refused;
        n_failed += status != UBI_OK;
        assert_int_equal(ubi_memory_bridge_allocations(&a, b.bridge), UBI_OK);
        assert_true(a.total_count >= 41 && (status == UBI_OK || !a.has_lost_some));
        ubi_memory_bridge_free(b.bridge);
        quickjs_heap_close(&b.heap);
        fail_allocator_fini(&memory);
    }
    assert_true(n_failed > 10);
}

static ubi_status open_and_free(void *payload, const ubi_allocator *allocator) {
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    ubi_memory_bridge *bridge;
    options.allocator = allocator;
    ubi_status status = ubi_memory_bridge_new(&bridge, ubi_quickjs_target(((bridged *)payload)->heap.tools), &options);
    if (status == UBI_OK)
        ubi_memory_bridge_free(bridge);
    return status;
}

static void without_memory_there_is_no_bridge(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    fail_each_allocation(open_and_free, &b);
    ubi_memory_bridge_free(NULL);
    bridged_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bridge_is_attached_and_detached),
        cmocka_unit_test(what_needs_attaching_says_so),
        cmocka_unit_test(options_of_an_unknown_version_are_refused),
        cmocka_unit_test(a_target_that_cannot_be_observed_stays_detached),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(without_memory_there_is_no_bridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
