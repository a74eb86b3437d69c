/* SPDX-License-Identifier: MIT
 *
 * memory_packets_test.c: what a memory bridge finds out, as packets.
 */
#include "jobs/memory_packets.h"
#include "quickjs_heap.h"
#include "written_text.h"

/* ---- packets as text ------------------------------------------------------------------------------------------------ */

typedef struct packet {
    text written;
    ubi__json json;
} packet;

static void packet_begin(packet *p) {
    *p = (packet){ .written.room = SIZE_MAX };
    ubi__json_init(&p->json, text_write, &p->written, false);
    ubi__json_object_begin(&p->json);
}

/* 0 behind. */
static const char *packet_end(packet *p) {
    ubi__json_object_end(&p->json);
    assert_int_equal(ubi__json_flush(&p->json), UBI_OK);
    assert_true(text_write(&p->written, "", 1));
    return (const char *)p->written.bytes.at;
}

static void packet_is(packet *p, const char *expected) {
    assert_string_equal(packet_end(p), expected);
    text_fini(&p->written);
}

/* ---- plain values --------------------------------------------------------------------------------------------------- */

static void settings_and_measurements(void **state) {
    (void)state;
    packet p;
    packet_begin(&p);
    ubi__memory_settings_put(&p.json, &(ubi_memory_settings){ .max_log_length = 5000, .probability = .5 });
    packet_is(&p, "{\"maxLogLength\":5000,\"probability\":0.5}");
    packet_begin(&p);
    ubi__memory_measure_put(&p.json, &(ubi_memory_measure){ .total = 21,
                                                            .dom_size = 1,
                                                            .style_size = 2,
                                                            .js_objects_size = 3,
                                                            .js_strings_size = 4,
                                                            .js_other_size = 5,
                                                            .other_size = 6,
                                                            .js_ms = 12.34,
                                                            .non_js_ms = 0 });
    packet_is(&p,
              "{\"total\":21,\"domSize\":1,\"styleSize\":2,\"jsObjectsSize\":3,\"jsStringsSize\":4,\"jsOtherSize\":5,"
              "\"otherSize\":6,\"jsMilliseconds\":\"12.3\",\"nonJSMilliseconds\":\"0.0\"}");
    packet_begin(&p);
    ubi__process_memory_put(&p.json, &(ubi_process_memory){ .resident_bytes = 8192, .unique_bytes = 4096 });
    packet_is(&p, "{\"resident\":8192,\"residentUnique\":4096}");
}

static void collections(void **state) {
    (void)state;
    packet p;
    ubi_collection c = { .reason = "API", .cycle_number = 3, .start_ms = 1.5, .end_ms = 2 };
    packet_begin(&p);
    ubi__memory_collection_put(&p.json, &c);
    packet_is(&p, "{\"nonincrementalReason\":null,\"reason\":\"API\",\"gcCycleNumber\":3,\"collections\":"
                  "[{\"startTimestamp\":1.5,\"endTimestamp\":2}]}");
    c.nonincremental_reason = "GC mode";
    packet_begin(&p);
    ubi__memory_collection_put(&p.json, &c);
    packet_is(&p, "{\"nonincrementalReason\":\"GC mode\",\"reason\":\"API\",\"gcCycleNumber\":3,\"collections\":"
                  "[{\"startTimestamp\":1.5,\"endTimestamp\":2}]}");
}

/* ---- of a program --------------------------------------------------------------------------------------------------- */

static ubi_memory_bridge *bridge_recording(quickjs_heap *heap, int32_t max_log_length) {
    ubi_memory_bridge *bridge;
    ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
    options.has_max_log_length = true;
    options.max_log_length = max_log_length;
    quickjs_heap_open(heap, NULL);
    assert_int_equal(ubi_memory_bridge_new(&bridge, ubi_quickjs_target(heap->tools), NULL), UBI_OK);
    assert_int_equal(ubi_memory_bridge_attach(bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_start_recording(bridge, &options, NULL), UBI_OK);
    return bridge;
}

static ubi_memory_allocations packet_of_allocations(packet *p, ubi_memory_bridge *bridge) {
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    assert_int_equal(ubi_memory_bridge_allocations(&a, bridge), UBI_OK);
    packet_begin(p);
    ubi__memory_allocations_put(&p->json, &a, bridge);
    return a;
}

static void a_packet_without_allocations(void **state) {
    (void)state;
    packet p;
    quickjs_heap heap;
    ubi_memory_bridge *bridge = bridge_recording(&heap, 100);
    packet_of_allocations(&p, bridge);
    packet_is(&p, "{\"allocations\":[],\"allocationsTimestamps\":[],\"allocationSizes\":[],\"frames\":[null],"
                  "\"summary\":{\"count\":0,\"bytes\":0,\"overflowed\":false,\"lost\":0}}");
    ubi_memory_bridge_free(bridge);
    quickjs_heap_close(&heap);
}

static void a_packet_with_one_allocation(void **state) {
    (void)state;
    packet p;
    quickjs_heap heap;
    char expected[1000];
    ubi_memory_frame inner, outer;
    ubi_memory_bridge *bridge = bridge_recording(&heap, 1);
    const char *code = "function alloc() {\n  return {};\n}\nalloc();";
    JS_FreeValue(heap.realm, JS_Eval(heap.realm, code, strlen(code), "alloc.js", JS_EVAL_TYPE_GLOBAL));
    ubi_memory_allocations a = packet_of_allocations(&p, bridge);
    assert_true(a.count == 1 && a.frame_count == 3 && a.lost_count > 0);
    assert_int_equal(ubi_memory_bridge_frame(&outer, bridge, 1), UBI_OK);
    assert_int_equal(ubi_memory_bridge_frame(&inner, bridge, 2), UBI_OK);
    assert_true(outer.line == 4 && !outer.function_name.ptr && inner.line == 2);
    snprintf(expected, sizeof expected,
             "{\"allocations\":[2],\"allocationsTimestamps\":[%llu],\"allocationSizes\":[%llu],\"frames\":[null,"
             "{\"line\":4,\"column\":%u,\"source\":\"alloc.js\",\"functionDisplayName\":null,\"parent\":0,"
             "\"asyncParent\":0,\"asyncCause\":null},"
             "{\"line\":2,\"column\":%u,\"source\":\"alloc.js\",\"functionDisplayName\":\"alloc\",\"parent\":1,"
             "\"asyncParent\":0,\"asyncCause\":null}],"
             "\"summary\":{\"count\":1,\"bytes\":%llu,\"overflowed\":true,\"lost\":%llu},\"overflowed\":true}",
             (unsigned long long)a.timestamps_us[0], (unsigned long long)a.size_bytes[0], outer.column, inner.column,
             (unsigned long long)a.size_bytes[0], (unsigned long long)a.lost_count);
    packet_is(&p, expected);
    ubi_memory_bridge_free(bridge);
    quickjs_heap_close(&heap);
}

static void a_census_has_the_coarse_types_as_members(void **state) {
    (void)state;
    packet p;
    quickjs_heap heap;
    ubi_census *census;
    ubi_memory_bridge *bridge = bridge_recording(&heap, 1);
    assert_int_equal(ubi_memory_bridge_census(&census, bridge), UBI_OK);
    packet_begin(&p);
    assert_int_equal(ubi__memory_census_put(&p.json, census), UBI_OK);
    const char *written = packet_end(&p), *at = written;
    static const char *const members[] = { "{\"objects\":{",
                                           "\"Function\":{\"count\":",
                                           ",\"scripts\":{\"count\":",
                                           ",\"strings\":{\"count\":",
                                           ",\"other\":{",
                                           ",\"domNode\":{" };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        at = strstr(at, members[i]);
        if (!at)
            fail_msg("%s is not in order in %s", members[i], written);
    }
    text_fini(&p.written);
    ubi_census_free(census);
    ubi_memory_bridge_free(bridge);
    quickjs_heap_close(&heap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_and_measurements),
        cmocka_unit_test(collections),
        cmocka_unit_test(a_packet_without_allocations),
        cmocka_unit_test(a_packet_with_one_allocation),
        cmocka_unit_test(a_census_has_the_coarse_types_as_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
