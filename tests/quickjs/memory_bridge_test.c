/* SPDX-License-Identifier: MIT
 *
 * memory_bridge_test.c: the memory of a QuickJS program through a bridge, without a wire: cases MEM-1 to MEM-9, MEM-12 to MEM-15, MEM-18 and
 * MEM-19 of the memory actor. (Those between and after them are about timers and the protocol.)
 */
#include <math.h>
#include <time.h>

#include <ubiheap/server/memory_bridge.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "quickjs_heap.h"
#include "saving.h"

/* ---- a program and a bridge ----------------------------------------------------------------------------------------- */

enum { MOST_EVENTS = 64 };

typedef struct bridged {
    quickjs_heap heap;
    ubi_memory_bridge *bridge;
    uint32_t n_events;
    uint64_t cycles[MOST_EVENTS];
} bridged;

static void note_collection(void *payload, const ubi_collection *c) {
    bridged *b = payload;
    assert_true(b->n_events < MOST_EVENTS && c->start_ms <= c->end_ms && c->reason);
    b->cycles[b->n_events++] = c->cycle_number;
}

static void bridged_open_with(bridged *b, const ubi_target_scope *scope, const ubi_allocator *allocator) {
    ubi_memory_bridge_options options = UBI_MEMORY_BRIDGE_OPTIONS_INIT;
    options.scope = scope;
    options.allocator = allocator;
    options.on_collection = note_collection;
    options.payload = b;
    assert_int_equal(ubi_memory_bridge_new(&b->bridge, ubi_quickjs_target(b->heap.tools), &options), UBI_OK);
}

static void bridged_open(bridged *b) {
    *b = (bridged){ .n_events = 0 };
    quickjs_heap_open(&b->heap, NULL);
    bridged_open_with(b, NULL, NULL);
}

static void bridged_close(bridged *b) {
    ubi_memory_bridge_free(b->bridge);
    quickjs_heap_close(&b->heap);
}

static void attach(bridged *b) {
    assert_int_equal(ubi_memory_bridge_attach(b->bridge), UBI_OK);
}

/* Without the turns of a loop after it, which allocate. */
static void evaluate(bridged *b, const char *name, const char *code) {
    JSValue value = JS_Eval(b->heap.realm, code, strlen(code), name, JS_EVAL_TYPE_GLOBAL);
    assert_false(JS_IsException(value));
    JS_FreeValue(b->heap.realm, value);
}

static void start(bridged *b) {
    assert_int_equal(ubi_memory_bridge_start_recording(b->bridge, NULL, NULL), UBI_OK);
}

static ubi_memory_allocations get_allocations(bridged *b) {
    ubi_memory_allocations a = UBI_MEMORY_ALLOCATIONS_INIT;
    assert_int_equal(ubi_memory_bridge_allocations(&a, b->bridge), UBI_OK);
    return a;
}

static ubi_memory_frame get_frame(const bridged *b, uint32_t index) {
    ubi_memory_frame frame;
    assert_int_equal(ubi_memory_bridge_frame(&frame, b->bridge, index), UBI_OK);
    return frame;
}

static void assert_wrong_state(ubi_status status, const char *activity) {
    char message[200];
    snprintf(message, sizeof message, "Wrong state while %s:Expected 'attached', but current state is 'detached'.",
             activity);
    assert_int_equal(status, UBI_ESTATE);
    assert_string_equal(ubi_error_message(), message);
}

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
    assert_wrong_state(ubi_memory_bridge_start_recording(bridge, NULL, NULL), "starting recording allocations");
    assert_wrong_state(ubi_memory_bridge_stop_recording(bridge, NULL), "stopping recording allocations");
    assert_wrong_state(ubi_memory_bridge_settings(&settings, bridge), "getting allocations settings");
    assert_int_equal(ubi_memory_bridge_measure(&measure, bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_collect_garbage(bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_collect_cycles(bridge), UBI_OK);
    assert_int_equal(ubi_memory_bridge_navigated(bridge), UBI_OK);
    assert_null(census);
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
    assert_true(save_nodes(b.bridge, folder, UBI_MEMORY_OF_RUNTIME) > of_scope + 10000);
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
        cmocka_unit_test(collections_are_reported_while_it_is_attached),
        cmocka_unit_test(a_census_counts_by_the_default_breakdown),
        cmocka_unit_test(a_measure_of_everything_is_what_the_engine_holds),
        cmocka_unit_test(a_measure_of_a_scope_leaves_out_other_realms),
        cmocka_unit_test(a_snapshot_is_of_the_scope_or_of_everything),
        cmocka_unit_test(the_process_has_memory_of_its_own),
        cmocka_unit_test(without_memory_nothing_is_lost),
        cmocka_unit_test(without_memory_there_is_no_bridge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
