/* SPDX-License-Identifier: MIT
 *
 * timeline_conformance_test.c: the cases TL-1 to TL-18: what a pop gives for what is pending. TL-19 is in waterfall_test.c.
 *
 * Times are given: a marker at 5 is one at 5 ns.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "base/text.h"
#include "marker_lines.h"

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static void add(ubi_timeline_target *target, const char *name, ubi_marker_tracing tracing, uint64_t time_ns) {
    ubi_timeline_consumers_add_marker_for_target_at(ubi_timeline_consumers_get(), target, name, time_ns, tracing,
                                                    UBI_MARKER_STACK);
}

static void S(ubi_timeline_target *target, const char *name, uint64_t time_ns) {
    add(target, name, UBI_MARKER_START, time_ns);
}

static void E(ubi_timeline_target *target, const char *name, uint64_t time_ns) {
    add(target, name, UBI_MARKER_END, time_ns);
}

static void T(ubi_timeline_target *target, const char *name, uint64_t time_ns) {
    add(target, name, UBI_MARKER_TIMESTAMP, time_ns);
}

/* The next pops give these, one after the other; then nothing. */
static void assert_pops(ubi_timeline_target *target, const char *first, const char *second) {
    assert_string_equal(pop_lines(target), first);
    assert_string_equal(pop_lines(target), second);
    ubi_timeline_target_free(target);
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static void tl_1_nested_markers_of_one_name_pair_like_brackets(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "DOMEvent", 1);
    S(t, "DOMEvent", 2);
    E(t, "DOMEvent", 3);
    E(t, "DOMEvent", 4);
    assert_pops(t, "DOMEvent 1 4\nDOMEvent 2 3\n", "");
}

static void tl_2_a_start_without_end_waits_for_the_next_pop(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "A", 1);
    S(t, "A", 2);
    E(t, "A", 3);
    assert_string_equal(pop_lines(t), "A 2 3\n");
    E(t, "A", 9);
    assert_pops(t, "A 1 9\n", "");
}

static void tl_3_an_end_without_start_is_dropped(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    E(t, "A", 1);
    S(t, "B", 2);
    E(t, "B", 3);
    assert_pops(t, "B 2 3\n", "");
}

static void tl_4_markers_of_two_names_may_overlap(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "A", 1);
    S(t, "B", 2);
    E(t, "A", 3);
    E(t, "B", 4);
    assert_pops(t, "A 1 3\nB 2 4\n", "");
}

static void tl_5_rows_are_in_the_order_of_starts(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "A", 1);
    S(t, "B", 2);
    E(t, "B", 3);
    E(t, "A", 4);
    assert_pops(t, "A 1 4\nB 2 3\n", "");
}

static const char *running; /* function of the script that runs */

static bool capture(void *payload, ubi_marker_stack_ref *out) {
    (void)payload;
    *out = (ubi_marker_stack_ref)(unsigned char)running[0];
    return true;
}

static bool frame(void *payload, ubi_marker_stack_ref ref, ubi_marker_frame *out) {
    (void)payload;
    (void)ref;
    out->function_name = (ubi_text){ running, 1 };
    out->source = ubi__text("a.js");
    return true;
}

static void console(ubi_timeline_target *target, const char *label, ubi_marker_tracing tracing, const char *function) {
    running = function;
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), target,
                                                          ubi_console_timeline_marker_new(ubi__text(label), tracing));
}

static void tl_6_console_timers_pair_by_label_and_have_two_stacks(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    ubi_timeline_stack_source source = { .capture = capture, .frame = frame };
    ubi_timeline_markers *m;
    ubi_timeline_set_stack_source(&source);
    console(t, "x", UBI_MARKER_START, "f");
    console(t, "y", UBI_MARKER_START, "g");
    console(t, "x", UBI_MARKER_END, "h");
    console(t, "y", UBI_MARKER_END, "i");
    ubi_timeline_set_stack_source(NULL);
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), 2);
    const char *stacks[2][2] = { { "f", "h" }, { "g", "i" } };
    for (size_t i = 0; i < 2; i++) {
        ubi_timeline_row row = ubi_timeline_markers_row(m, i);
        assert_int_equal(row.detail_count, 1);
        ubi_timeline_detail cause = ubi_timeline_markers_detail(m, i, 0);
        assert_true(ubi__text_equal(row.name, ubi__text("ConsoleTime")));
        assert_true(ubi__text_equal(cause.key, ubi__text("causeName")));
        assert_true(ubi__text_equal(cause.text, ubi__text(i ? "y" : "x")));
        ubi_timeline_frame begun = ubi_timeline_markers_frame(m, row.stack);
        ubi_timeline_frame ended = ubi_timeline_markers_frame(m, row.end_stack);
        assert_true(ubi__text_equal(begun.function_name, ubi__text(stacks[i][0])));
        assert_true(ubi__text_equal(ended.function_name, ubi__text(stacks[i][1])));
    }
    ubi_timeline_markers_free(m);
    assert_pops(t, "", "");
}

static void tl_7_a_paint_without_layer_is_no_row(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "Paint", 1);
    E(t, "Paint", 2);
    assert_pops(t, "", "");
}

static void layer(ubi_timeline_target *target, int32_t x, int32_t y, int32_t width, int32_t height) {
    ubi_timeline_rectangle r = { x, y, width, height };
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), target,
                                                          ubi_layer_timeline_marker_new(&r, 1));
}

static void tl_8_a_paint_has_the_rectangles_of_its_layers(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "Paint", 1);
    layer(t, 0, 0, 10, 10);
    layer(t, 5, 5, 1, 1);
    E(t, "Paint", 2);
    assert_pops(t, "Paint 1 2 rectangles=0,0,10,10/5,5,1,1\n", "");
}

static void tl_9_a_layer_does_not_wait(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "Paint", 1);
    layer(t, 0, 0, 10, 10);
    assert_string_equal(pop_lines(t), "");
    E(t, "Paint", 3);
    assert_pops(t, "", "");
}

static void tl_10_a_layer_counts_for_all_paints_around_it(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "Paint", 1);
    S(t, "Paint", 2);
    layer(t, 0, 0, 10, 10);
    E(t, "Paint", 4);
    E(t, "Paint", 5);
    assert_pops(t, "Paint 1 5 rectangles=0,0,10,10\nPaint 2 4 rectangles=0,0,10,10\n", "");
}

/* Markers of other threads, each added by a thread of its own, one after the other. */
typedef struct marker {
    const char *name;
    ubi_marker_tracing tracing;
    uint64_t time_ns;
} marker;

static void *post_to_all(void *payload) {
    const marker *m = payload;
    ubi_timeline_consumers_add_marker_for_all_observed_targets_at(ubi_timeline_consumers_get(), m->name, m->time_ns,
                                                                  m->tracing, UBI_MARKER_STACK);
    return NULL;
}

static void from_thread(marker m) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, post_to_all, &m), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void tl_11_markers_of_other_threads_follow_those_of_the_main_thread(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    from_thread((marker){ "Worker", UBI_MARKER_START, 5 });
    S(t, "A", 10);
    E(t, "A", 20);
    from_thread((marker){ "Worker", UBI_MARKER_END, 6 });
    T(t, "TimeStamp", 30);
    assert_pops(t, "A 10 20\nTimeStamp 30 30\nWorker 5 6\n", "");
}

static void tl_12_markers_pair_whichever_thread_they_are_of(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    from_thread((marker){ "Worker", UBI_MARKER_START, 1 });
    from_thread((marker){ "Worker", UBI_MARKER_START, 2 });
    from_thread((marker){ "Worker", UBI_MARKER_END, 3 });
    from_thread((marker){ "Worker", UBI_MARKER_END, 10 });
    assert_pops(t, "Worker 1 10\nWorker 2 3\n", "");
}

static void tl_13_a_start_that_never_ends_stays(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    S(t, "A", 1);
    T(t, "x", 2);
    assert_string_equal(pop_lines(t), "x 2 2\n");
    S(t, "A", 5);
    E(t, "A", 6);
    assert_string_equal(pop_lines(t), "A 5 6\n");
    E(t, "A", 7);
    assert_pops(t, "A 1 7\n", "");
}

/* A kind that marks, and pops, while it is popped. */
static ubi_timeline_target *popped;
static ubi_status status_of_inner_pop;

static void mark_meanwhile(const ubi_timeline_marker *m, ubi_marker_details *out) {
    ubi_timeline_markers *inner;
    (void)m;
    (void)out;
    T(popped, "meanwhile", 3);
    UBI_TIMELINE_TIMESTAMP("meanwhile too", NULL);
    status_of_inner_pop = ubi_timeline_target_pop_profile_timeline_markers(popped, &inner);
}

static void tl_14_a_marker_that_is_added_by_popping_is_dropped(void **state) {
    static const ubi_marker_kind kind = { .version = UBI_MARKER_KIND_VERSION, .add_details = mark_meanwhile };
    (void)state;
    ubi_timeline_target *t = popped = observed_target(), *other = observed_target();
    ubi_marker_make make = {
        .name = "A", .tracing = UBI_MARKER_TIMESTAMP, .kind = &kind, .time_ns = 1, .has_time = true
    };
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), t,
                                                          ubi_timeline_marker_new(&make));
    assert_pops(t, "A 1 1\n", "");
    assert_int_equal(status_of_inner_pop, UBI_ESTATE);
    ubi_timeline_markers *m; /* another target that is observed sees what was marked for all, as ever */
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(other, &m), UBI_OK);
    assert_int_equal(ubi_timeline_markers_count(m), 1);
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(other);
}

static void tl_15_what_was_added_before_is_not_seen(void **state) {
    (void)state;
    ubi_timeline_target *t, *earlier = observed_target();
    assert_int_equal(ubi_timeline_target_new(&t, NULL), UBI_OK);
    T(t, "A", 1);
    UBI_TIMELINE_TIMESTAMP("B", NULL);
    assert_string_equal(pop_lines(t), "");
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, true), UBI_OK);
    assert_pops(t, "", "");
    ubi_timeline_target_free(earlier);
}

static void tl_16_what_is_pending_goes_with_the_consumer(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target(), *other = observed_target();
    S(t, "A", 1);
    E(t, "A", 2);
    UBI_TIMELINE_TIMESTAMP("B", NULL);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, false), UBI_OK);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, true), UBI_OK);
    assert_pops(t, "", "");
    ubi_timeline_target_free(other);
}

static void count_change(void *payload, bool is_recording) {
    int *counts = payload;
    counts[is_recording]++;
}

static void tl_17_the_switch_does_not_count(void **state) {
    (void)state;
    int changes[2] = { 0, 0 };
    ubi_timeline_target_options options = UBI_TIMELINE_TARGET_OPTIONS_INIT;
    options.recording_changed = count_change;
    options.payload = changes;
    ubi_timeline_target *t;
    assert_int_equal(ubi_timeline_target_new(&t, &options), UBI_OK);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, true), UBI_OK);
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, true), UBI_OK);
    assert_true(ubi_timeline_target_record_profile_timeline_markers(t));
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, false), UBI_OK);
    assert_false(ubi_timeline_target_record_profile_timeline_markers(t));
    assert_true(ubi_timeline_consumers_is_empty(ubi_timeline_consumers_get()));
    assert_int_equal(changes[true], 1);
    assert_int_equal(changes[false], 1);
    ubi_timeline_target_free(t);
}

static void tl_18_a_marker_for_all_is_in_each_target(void **state) {
    (void)state;
    ubi_timeline_target *a = observed_target(), *b = observed_target();
    ubi_timeline_consumers *c = ubi_timeline_consumers_get();
    ubi_timeline_consumers_add_marker_for_all_observed_targets_at(c, "A", 7, UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK);
    ubi_timeline_marker *original = ubi_worker_timeline_marker_new(UBI_WORKER_SERIALIZE_ON_MAIN_THREAD, UBI_MARKER_END);
    ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(c, original);
    ubi_timeline_marker_free(original);
    assert_pops(a, "A 7 7\n", "");
    assert_pops(b, "A 7 7\n", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tl_1_nested_markers_of_one_name_pair_like_brackets),
        cmocka_unit_test(tl_2_a_start_without_end_waits_for_the_next_pop),
        cmocka_unit_test(tl_3_an_end_without_start_is_dropped),
        cmocka_unit_test(tl_4_markers_of_two_names_may_overlap),
        cmocka_unit_test(tl_5_rows_are_in_the_order_of_starts),
        cmocka_unit_test(tl_6_console_timers_pair_by_label_and_have_two_stacks),
        cmocka_unit_test(tl_7_a_paint_without_layer_is_no_row),
        cmocka_unit_test(tl_8_a_paint_has_the_rectangles_of_its_layers),
        cmocka_unit_test(tl_9_a_layer_does_not_wait),
        cmocka_unit_test(tl_10_a_layer_counts_for_all_paints_around_it),
        cmocka_unit_test(tl_11_markers_of_other_threads_follow_those_of_the_main_thread),
        cmocka_unit_test(tl_12_markers_pair_whichever_thread_they_are_of),
        cmocka_unit_test(tl_13_a_start_that_never_ends_stays),
        cmocka_unit_test(tl_14_a_marker_that_is_added_by_popping_is_dropped),
        cmocka_unit_test(tl_15_what_was_added_before_is_not_seen),
        cmocka_unit_test(tl_16_what_is_pending_goes_with_the_consumer),
        cmocka_unit_test(tl_17_the_switch_does_not_count),
        cmocka_unit_test(tl_18_a_marker_for_all_is_in_each_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
