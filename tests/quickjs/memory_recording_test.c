/* SPDX-License-Identifier: MIT
 *
 * memory_recording_test.c: what a bridge records of allocations: cases MEM-6 to MEM-9, MEM-12, MEM-13, MEM-18 and MEM-19 of the memory
 * actor. (Those between are about timers and the protocol.)
 */
#include <math.h>
#include <time.h>

#include "memory_bridge_for_tests.h"

/* ---- recording: MEM-6 to MEM-9, MEM-12, MEM-13, MEM-18, MEM-19 -------------------------------------------------------- */

static double epoch_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* MEM-6. */
static void allocations_have_frames_sizes_and_times(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    attach(&b);
    start(&b);
    double before_us = epoch_us();
    quickjs_heap_run(&b.heap, "alloc.js", "function alloc() { return {}; }\nfor (let i = 0; i < 3; i++)\n  alloc();");
    double after_us = epoch_us();
    ubi_memory_allocations a = get_allocations(&b);
    uint32_t n_here = 0;
    assert_true(a.count >= 3);
    for (uint64_t i = 0; i < a.count; i++) {
        assert_true(a.size_bytes[i] > 0 && a.frames[i] < a.frame_count);
        assert_true(i == 0 || a.timestamps_us[i] >= a.timestamps_us[i - 1]);
        assert_true((double)a.timestamps_us[i] >= before_us - 2e4 && (double)a.timestamps_us[i] <= after_us + 2e4);
        n_here += a.frames[i] && ubi__text_is(get_frame(&b, a.frames[i]).function_name, "alloc");
    }
    assert_int_equal(n_here, 3);
    ubi_memory_frame frame;
    assert_int_equal(ubi_memory_bridge_frame(&frame, b.bridge, 0), UBI_ENOTFOUND);
    assert_int_equal(ubi_memory_bridge_frame(&frame, b.bridge, a.frame_count), UBI_ENOTFOUND);
    assert_true(a.total_count == a.count && !a.has_overflowed && !a.has_lost_some && a.lost_count == 0);
    bridged_close(&b);
}

static const char hundred[] = "for (let i = 0; i < 100; i++) ({});";

static void start_with(bridged *b, double probability) {
    ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
    options.has_probability = true;
    options.probability = probability;
    assert_int_equal(ubi_memory_bridge_start_recording(b->bridge, &options, NULL), UBI_OK);
}

/* MEM-7. */
static void the_probability_decides_what_is_recorded(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    attach(&b);
    start_with(&b, 0);
    quickjs_heap_run(&b.heap, "hundred.js", hundred);
    assert_int_equal(get_allocations(&b).count, 0);
    assert_int_equal(get_allocations(&b).frame_count, 1);
    assert_int_equal(ubi_memory_bridge_stop_recording(b.bridge, NULL), UBI_OK);
    start_with(&b, 1);
    quickjs_heap_run(&b.heap, "hundred.js", hundred);
    assert_true(get_allocations(&b).count >= 100);
    bridged_close(&b);
}

/* MEM-8, and the summary. */
static void a_full_log_keeps_the_newest_and_says_so(void **state) {
    (void)state;
    bridged b;
    ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
    bridged_open(&b);
    attach(&b);
    options.has_max_log_length = true;
    options.max_log_length = 1;
    assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &options, NULL), UBI_OK);
    evaluate(&b, "three.js", "({});\n({});\nnewest = new Array(100);\nvar newest;");
    ubi_memory_allocations a = get_allocations(&b);
    assert_true(a.count == 1 && a.has_overflowed && a.has_lost_some && a.lost_count >= 2);
    assert_int_equal(get_frame(&b, a.frames[0]).line, 3);
    assert_int_equal(a.total_count, 1);
    assert_int_equal(a.total_bytes, a.size_bytes[0]);
    uint64_t lost = a.lost_count;
    a = get_allocations(&b);
    assert_true(a.count == 0 && !a.has_overflowed && a.has_lost_some && a.lost_count == lost && a.total_count == 1);
    bridged_close(&b);
}

typedef struct known_frame {
    char source[32], function[32];
    uint32_t line, column, parent;
} known_frame;

static known_frame known_frame_of(const bridged *b, uint32_t index) {
    ubi_memory_frame f = get_frame(b, index);
    known_frame known = { .line = f.line, .column = f.column, .parent = f.parent };
    snprintf(known.source, sizeof known.source, "%.*s", (int)f.source.len, f.source.ptr);
    snprintf(known.function, sizeof known.function, "%.*s", (int)f.function_name.len,
             f.function_name.ptr ? f.function_name.ptr : "");
    return known;
}

static void assert_same_frame(known_frame a, known_frame b) {
    assert_string_equal(a.source, b.source);
    assert_string_equal(a.function, b.function);
    assert_true(a.line == b.line && a.column == b.column && a.parent == b.parent);
}

/* MEM-9: an index means the same frame in all tables of a recording, and no frame is there twice. */
static void frames_keep_their_indices(void **state) {
    (void)state;
    enum { MOST = 40 };
    static known_frame first[MOST];
    bridged b;
    bridged_open(&b);
    attach(&b);
    start(&b);
    quickjs_heap_run(&b.heap, "one.js", "function f() { return [{}, {}]; }\nfunction g() { return f(); }\ng();");
    uint32_t n = get_allocations(&b).frame_count;
    assert_in_range(n, 4, MOST);
    for (uint32_t i = 1; i < n; i++)
        first[i] = known_frame_of(&b, i);
    quickjs_heap_run(&b.heap, "two.js", "for (let i = 0; i < 5; i++) g();\nfunction h() { return {}; }\nh();");
    uint32_t n_later = get_allocations(&b).frame_count;
    assert_true(n_later > n && n_later <= MOST);
    for (uint32_t i = 1; i < n; i++)
        assert_same_frame(first[i], known_frame_of(&b, i));
    for (uint32_t i = 1; i < n_later; i++) {
        known_frame one = known_frame_of(&b, i);
        assert_true(one.parent < i);
        for (uint32_t j = 1; j < i; j++) {
            known_frame other = known_frame_of(&b, j);
            assert_false(strcmp(one.source, other.source) == 0 && strcmp(one.function, other.function) == 0 &&
                         one.line == other.line && one.column == other.column && one.parent == other.parent);
        }
    }
    bridged_close(&b);
}

static void assert_frame(const bridged *b, uint32_t index, const char *function, uint32_t parent) {
    ubi_memory_frame frame = get_frame(b, index);
    assert_true(ubi__text_is(frame.function_name, function));
    assert_int_equal(frame.parent, parent);
}

/* MEM-19; what calls a is the program. */
static void callers_come_before_what_they_called(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    attach(&b);
    quickjs_heap_run(&b.heap, "abcd.js",
                     "function a(f) { return f(); }\nfunction b() { return c(); }\nfunction c() { return {}; }\n"
                     "function d() { return {}; }\nfunction callBoth() { for (const f of functions) a(f); }\n"
                     "var functions = [b, d];");
    start(&b);
    quickjs_heap_run(&b.heap, "call.js", "callBoth()");
    ubi_memory_allocations a = get_allocations(&b);
    uint32_t c_index = 0, d_index = 0;
    for (uint64_t i = 0; i < a.count; i++) {
        ubi_memory_frame frame = a.frames[i] ? get_frame(&b, a.frames[i]) : (ubi_memory_frame){ .line = 0 };
        c_index = ubi__text_is(frame.function_name, "c") ? a.frames[i] : c_index;
        d_index = ubi__text_is(frame.function_name, "d") ? a.frames[i] : d_index;
    }
    assert_true(c_index > 2 && d_index == c_index + 1);
    assert_frame(&b, c_index, "c", c_index - 1);
    assert_frame(&b, c_index - 1, "b", c_index - 2);
    assert_frame(&b, d_index, "d", c_index - 2);
    uint32_t a_index = c_index - 2;
    assert_frame(&b, a_index, "a", get_frame(&b, a_index).parent);
    assert_true(get_frame(&b, a_index).parent < a_index);
    assert_frame(&b, get_frame(&b, a_index).parent, "callBoth", get_frame(&b, get_frame(&b, a_index).parent).parent);
    bridged_close(&b);
}

static ubi_memory_settings get_settings(bridged *b) {
    ubi_memory_settings settings = UBI_MEMORY_SETTINGS_INIT;
    assert_int_equal(ubi_memory_bridge_settings(&settings, b->bridge), UBI_OK);
    return settings;
}

/* MEM-12, MEM-13. */
static void settings_last_as_they_should(void **state) {
    (void)state;
    bridged b;
    double started_ms = 0, again_ms = 0, stopped_ms = 0;
    ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT, others;
    bridged_open(&b);
    attach(&b);
    assert_true(get_settings(&b).probability == 1 && get_settings(&b).max_log_length == 5000);
    options.has_probability = options.has_max_log_length = true;
    options.probability = .5;
    options.max_log_length = 7;
    assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &options, &started_ms), UBI_OK);
    assert_true(ubi_memory_bridge_is_recording(b.bridge));
    assert_true(get_settings(&b).probability == .5 && get_settings(&b).max_log_length == 7);
    others = options;
    others.max_log_length = -1; /* not looked at while it records */
    assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &others, &again_ms), UBI_OK);
    assert_true(again_ms >= started_ms && started_ms > 0);
    assert_true(get_settings(&b).probability == .5 && get_settings(&b).max_log_length == 7);
    assert_int_equal(ubi_memory_bridge_stop_recording(b.bridge, &stopped_ms), UBI_OK);
    assert_int_equal(ubi_memory_bridge_stop_recording(b.bridge, &stopped_ms), UBI_OK);
    assert_true(stopped_ms >= again_ms && stopped_ms <= (double)ubi_process_clock_ns() / 1e6 + 20);
    start(&b);
    assert_true(get_settings(&b).probability == 1 && get_settings(&b).max_log_length == 7);
    assert_int_equal(ubi_memory_bridge_detach(b.bridge), UBI_OK);
    assert_false(ubi_memory_bridge_is_recording(b.bridge));
    attach(&b);
    assert_int_equal(get_settings(&b).max_log_length, 5000);
    bridged_close(&b);
}

static void options_out_of_range_start_nothing(void **state) {
    (void)state;
    static const double probabilities[] = { -1, 2, NAN };
    static const int32_t lengths[] = { 0, -1 };
    bridged b;
    bridged_open(&b);
    attach(&b);
    for (size_t i = 0; i < 3; i++) {
        ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
        options.has_probability = true;
        options.probability = probabilities[i];
        assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &options, NULL), UBI_EINVAL);
        assert_string_equal(ubi_error_message(),
                            "(set allocationSamplingProbability)'s parameter is not a number between 0 and 1");
    }
    for (size_t i = 0; i < 2; i++) {
        ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
        options.has_max_log_length = true;
        options.max_log_length = lengths[i];
        assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &options, NULL), UBI_EINVAL);
        assert_string_equal(ubi_error_message(), "(set maxAllocationsLogLength)'s parameter is not a positive integer");
    }
    assert_false(ubi_memory_bridge_is_recording(b.bridge));
    assert_int_equal(get_settings(&b).max_log_length, 5000);
    bridged_close(&b);
}

/* MEM-18. */
static void nothing_is_handed_over_unless_it_records(void **state) {
    (void)state;
    bridged b;
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    bridged_open(&b);
    attach(&b);
    assert_int_equal(ubi_memory_bridge_allocations(&a, b.bridge), UBI_ESTATE);
    assert_string_equal(ubi_error_message(),
                        "Cannot call drainAllocationsLog without setting trackingAllocationSites to true");
    start(&b);
    assert_int_equal(ubi_memory_bridge_allocations(&a, b.bridge), UBI_OK);
    bridged_close(&b);
}

static void a_new_recording_begins_with_an_empty_table(void **state) {
    (void)state;
    bridged b;
    bridged_open(&b);
    attach(&b);
    start(&b);
    quickjs_heap_run(&b.heap, "first.js", "function first() { return {}; }\nfirst();");
    uint32_t n_frames = get_allocations(&b).frame_count;
    assert_true(n_frames > 2);
    quickjs_heap_run(&b.heap, "first.js", "first();"); /* never asked for */
    assert_int_equal(ubi_memory_bridge_stop_recording(b.bridge, NULL), UBI_OK);
    assert_int_equal(ubi_memory_bridge_frame(&(ubi_memory_frame){ .line = 0 }, b.bridge, 1), UBI_OK);
    start(&b);
    ubi_memory_allocations a = get_allocations(&b);
    assert_true(a.frame_count == 1 && a.count == 0 && a.total_count == 0 && a.total_bytes == 0 && !a.has_lost_some);
    quickjs_heap_run(&b.heap, "second.js", "first();");
    a = get_allocations(&b);
    assert_true(a.frame_count > 1 && a.total_count == a.count);
    bridged_close(&b);
}

/* ---- navigation ----------------------------------------------------------------------------------------------------- */

static void after_a_navigation_frames_begin_again(void **state) {
    (void)state;
    bridged b;
    ubi_memory_recording_options options = UBI_MEMORY_RECORDING_OPTIONS_INIT;
    bridged_open(&b);
    attach(&b);
    options.has_max_log_length = true;
    options.max_log_length = 500;
    assert_int_equal(ubi_memory_bridge_start_recording(b.bridge, &options, NULL), UBI_OK);
    quickjs_heap_run(&b.heap, "before.js", "(function before() { return {}; })();");
    ubi_memory_allocations a = get_allocations(&b);
    uint64_t total = a.total_count;
    quickjs_heap_run(&b.heap, "before.js", "(function before() { return {}; })();");
    assert_int_equal(ubi_memory_bridge_navigated(b.bridge), UBI_OK);
    assert_true(ubi_memory_bridge_is_recording(b.bridge) && get_settings(&b).max_log_length == 500);
    quickjs_heap_run(&b.heap, "after.js", "(function after() { return {}; })();");
    a = get_allocations(&b);
    assert_true(a.count > 0 && a.total_count == total + a.count && a.has_lost_some && a.lost_count > 0);
    for (uint32_t i = 1; i < a.frame_count; i++)
        assert_string_equal(known_frame_of(&b, i).source, "after.js");
    bridged_close(&b);
}

/* To a part of another runtime. */
static void after_a_navigation_that_fails_it_is_detached(void **state) {
    (void)state;
    bridged b, other;
    ubi_quickjs_scope *scope;
    bridged_open(&b);
    bridged_open(&other);
    attach(&b);
    start(&b);
    assert_int_equal(ubi_quickjs_scope_new(&scope, other.heap.tools), UBI_OK);
    assert_int_equal(ubi_quickjs_scope_add(scope, other.heap.realm), UBI_OK);
    const ubi_target_scope part = ubi_quickjs_scope_get(scope);
    assert_int_equal(ubi_memory_bridge_navigated_to(b.bridge, &part), UBI_EMISMATCH);
    assert_false(ubi_memory_bridge_is_attached(b.bridge) || ubi_memory_bridge_is_recording(b.bridge));
    assert_int_equal(ubi_memory_bridge_navigated_to(b.bridge, NULL), UBI_OK); /* detached: nothing to look at */
    attach(&b);
    ubi_quickjs_scope_free(scope);
    bridged_close(&other);
    bridged_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_have_frames_sizes_and_times),
        cmocka_unit_test(the_probability_decides_what_is_recorded),
        cmocka_unit_test(a_full_log_keeps_the_newest_and_says_so),
        cmocka_unit_test(frames_keep_their_indices),
        cmocka_unit_test(callers_come_before_what_they_called),
        cmocka_unit_test(settings_last_as_they_should),
        cmocka_unit_test(options_out_of_range_start_nothing),
        cmocka_unit_test(nothing_is_handed_over_unless_it_records),
        cmocka_unit_test(a_new_recording_begins_with_an_empty_table),
        cmocka_unit_test(after_a_navigation_frames_begin_again),
        cmocka_unit_test(after_a_navigation_that_fails_it_is_detached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
