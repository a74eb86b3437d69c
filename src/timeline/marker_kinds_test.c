/* SPDX-License-Identifier: MIT
 *
 * marker_kinds_test.c: what each kind of marker says, stacks, and a kind that is made outside the module.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ubiheap/core/timeline.h>

#include "base/text.h"
#include "marker_lines.h"

/* Rows as text, without their times. Static until the next call. */
static const char *rows(ubi_timeline_target *target) {
    static char out[8192];
    ubi_timeline_markers *markers;
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(target, &markers), UBI_OK);
    const char *lines = marker_lines(markers, true);
    size_t n = 0;
    for (int field = 0; *lines; lines++) {
        if (*lines == ' ' || *lines == '\n')
            field = *lines == '\n' ? 0 : field + 1;
        if (field == 0 || field > 2 || *lines == '\n')
            out[n++] = *lines;
        assert_true(n < sizeof out);
    }
    out[n] = 0;
    ubi_timeline_markers_free(markers);
    return out;
}

static void add(ubi_timeline_target *target, ubi_timeline_marker *marker) {
    assert_non_null(marker);
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), target, marker);
}

static void add_plain(ubi_timeline_target *target, const char *name, ubi_marker_tracing tracing) {
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), target, name, tracing, UBI_MARKER_STACK);
}

/* ---- scripts that are made up: a stack is a number, its frames those numbers with a digit less ------------------- */

static ubi_marker_stack_ref running;
static unsigned n_captures, n_frames;

static bool capture(void *payload, ubi_marker_stack_ref *out) {
    (void)payload;
    n_captures++;
    *out = running;
    return running != 0;
}

/* Function f<digit>, called by that of the digits before; 9 has no caller, but 12 led to it. */
static bool frame(void *payload, ubi_marker_stack_ref ref, ubi_marker_frame *out) {
    static char name[2];
    (void)payload;
    n_frames++;
    name[0] = 'f';
    name[1] = (char)('0' + ref % 10);
    out->function_name = (ubi_text){ name, 2 };
    out->source = ubi__text("a.js");
    out->line = (uint32_t)ref;
    if (ref / 10)
        out->parent = ref / 10;
    if (ref % 10 == 9) {
        out->parent = 12;
        out->is_parent_async = true;
        out->async_cause = ubi__text("setTimeout handler");
    }
    return true;
}

static ubi_timeline_stack_source source = { .capture = capture, .frame = frame };

static void run(ubi_marker_stack_ref stack) {
    running = stack;
    n_captures = n_frames = 0;
    ubi_timeline_set_stack_source(&source);
}

static int stop_running(void **state) {
    (void)state;
    ubi_timeline_set_stack_source(NULL);
    source.generation++;
    return 0;
}

/* ---- what kinds say ---------------------------------------------------------------------------------------------- */

#define BASE " processType=0 isOffMainThread=0"

static void a_plain_marker_has_its_base_and_the_stack_of_its_start(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    run(12);
    add_plain(t, "Reflow", UBI_MARKER_START);
    run(13);
    add_plain(t, "Reflow", UBI_MARKER_END);
    assert_int_equal(n_captures, 0);
    assert_string_equal(rows(t), "Reflow" BASE " stack=f2<f1\n");
    add_plain(t, "moment", UBI_MARKER_TIMESTAMP);
    assert_string_equal(rows(t), "moment stack=f3<f1\n");
    ubi_timeline_target_free(t);
}

static void no_stack_is_taken_that_is_not_wanted_or_cannot_be_taken(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    run(12);
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), t, "A", UBI_MARKER_TIMESTAMP,
                                                 UBI_MARKER_NO_STACK);
    assert_int_equal(n_captures, 0);
    run(0);
    add_plain(t, "B", UBI_MARKER_TIMESTAMP);
    assert_int_equal(n_captures, 1);
    assert_string_equal(rows(t), "A\nB\n");
    ubi_timeline_target_free(t);
}

static void every_kind_says_what_the_specification_lists(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    struct {
        ubi_timeline_marker *start, *end;
        const char *row;
    } cases[] = {
        { ubi_console_timeline_marker_new(ubi__text("load"), UBI_MARKER_START),
          ubi_console_timeline_marker_new(ubi__text("load"), UBI_MARKER_END), "ConsoleTime" BASE " causeName=load\n" },
        { ubi_event_timeline_marker_new(ubi__text("click"), 3, UBI_MARKER_START),
          ubi_event_timeline_marker_new(ubi__text("click"), 3, UBI_MARKER_END),
          "DOMEvent" BASE " type=click eventPhase=3\n" },
        { ubi_restyle_timeline_marker_new(true, UBI_MARKER_START),
          ubi_restyle_timeline_marker_new(true, UBI_MARKER_END), "Styles" BASE " isAnimationOnly=true\n" },
        { ubi_composite_timeline_marker_new(5, UBI_MARKER_START), ubi_composite_timeline_marker_new(6, UBI_MARKER_END),
          "Composite processType=0 isOffMainThread=1\n" },
        { ubi_worker_timeline_marker_new(UBI_WORKER_SERIALIZE_OFF_MAIN_THREAD, UBI_MARKER_START),
          ubi_worker_timeline_marker_new(UBI_WORKER_SERIALIZE_OFF_MAIN_THREAD, UBI_MARKER_END),
          "Worker" BASE " workerOperation=serializeDataOffMainThread\n" },
        { ubi_worker_timeline_marker_new(UBI_WORKER_DESERIALIZE_ON_MAIN_THREAD, UBI_MARKER_START),
          ubi_worker_timeline_marker_new(UBI_WORKER_DESERIALIZE_ON_MAIN_THREAD, UBI_MARKER_END),
          "Worker" BASE " workerOperation=deserializeDataOnMainThread\n" },
        { ubi_message_port_timeline_marker_new(UBI_MESSAGE_PORT_DESERIALIZE, UBI_MARKER_START),
          ubi_message_port_timeline_marker_new(UBI_MESSAGE_PORT_DESERIALIZE, UBI_MARKER_END),
          "MessagePort" BASE " messagePortOperation=deserializeData\n" },
        { ubi_minor_gc_timeline_marker_new(ubi__text("FULL_STORE_BUFFER"), UBI_MARKER_START),
          ubi_minor_gc_timeline_marker_new(ubi__text("FULL_STORE_BUFFER"), UBI_MARKER_END),
          "MinorGC" BASE " causeName=FULL_STORE_BUFFER\n" },
        { ubi_timestamp_timeline_marker_new(ubi__text("here")), NULL, "TimeStamp causeName=here\n" },
        { ubi_timestamp_timeline_marker_new(ubi__text("")), NULL, "TimeStamp\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add(t, cases[i].start);
        if (cases[i].end)
            add(t, cases[i].end);
        assert_string_equal(rows(t), cases[i].row);
    }
    ubi_timeline_target_free(t);
}

static void a_document_says_when_it_was_loaded(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    ubi_timeline_markers *m;
    add(t, ubi_doc_loading_timeline_marker_new("document::Load"));
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    assert_true(ubi_timeline_markers_row(m, 0).is_timestamp);
    ubi_timeline_detail detail = ubi_timeline_markers_detail(m, 0, 0);
    assert_true(ubi__text_equal(detail.key, ubi__text("unixTime")));
    assert_true(detail.number > 1.6e15 && detail.number < 1e17); /* microseconds, after 2020 */
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
}

static void two_stacks_of_console_timers_and_their_async_parents(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    run(12);
    add(t, ubi_console_timeline_marker_new(ubi__text("x"), UBI_MARKER_START));
    run(95);
    add(t, ubi_console_timeline_marker_new(ubi__text("x"), UBI_MARKER_END));
    assert_string_equal(rows(t),
                        "ConsoleTime" BASE " causeName=x stack=f2<f1 endStack=f5<f9<setTimeout handler<f2<f1\n");
    ubi_timeline_target_free(t);
}

static void a_script_entry_is_a_frame_with_an_async_parent(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    ubi_timeline_markers *m;
    ubi_javascript_entry entry = { .reason = ubi__text("promise callback"),
                                   .function_name = ubi__text("then"),
                                   .source = ubi__text("b.js"),
                                   .line = 7,
                                   .async_stack = 12,
                                   .async_cause = ubi__text("promise callback") };
    run(99);
    add(t, ubi_javascript_timeline_marker_new(&entry));
    assert_int_equal(n_captures, 0);
    add_plain(t, "Javascript", UBI_MARKER_END);
    assert_int_equal(ubi_timeline_target_pop_profile_timeline_markers(t, &m), UBI_OK);
    ubi_timeline_frame f = ubi_timeline_markers_frame(m, ubi_timeline_markers_row(m, 0).stack);
    assert_true(ubi__text_equal(f.function_name, ubi__text("then")));
    assert_true(ubi__text_equal(f.source, ubi__text("b.js")));
    assert_int_equal(f.line, 7);
    assert_int_equal(f.column, 0);
    assert_int_equal(f.parent, UBI_NONE);
    f = ubi_timeline_markers_frame(m, f.async_parent);
    assert_true(ubi__text_equal(f.function_name, ubi__text("f2")));
    assert_true(ubi__text_equal(f.async_cause, ubi__text("promise callback")));
    assert_int_equal(f.line, 12);
    assert_true(f.parent != UBI_NONE);
    ubi_timeline_markers_free(m);
    ubi_timeline_target_free(t);
}

static void an_entry_of_which_nothing_is_known_has_no_stack(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    ubi_javascript_entry entry = { .reason = ubi__text("<script> element"), .async_stack = 12 };
    run(12);
    add(t, ubi_javascript_timeline_marker_new(&entry));
    add_plain(t, "Javascript", UBI_MARKER_END);
    assert_string_equal(rows(t), "Javascript" BASE " causeName=<script> element\n");
    ubi_timeline_target_free(t);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static void a_source_is_asked_for_a_frame_once(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    run(123);
    add_plain(t, "A", UBI_MARKER_TIMESTAMP);
    assert_int_equal(n_frames, 3);
    add_plain(t, "A", UBI_MARKER_TIMESTAMP);
    assert_int_equal(n_frames, 3);
    running = 1234;
    add_plain(t, "A", UBI_MARKER_TIMESTAMP);
    assert_int_equal(n_frames, 4);
    source.generation++;
    add_plain(t, "A", UBI_MARKER_TIMESTAMP);
    assert_int_equal(n_frames, 8);
    assert_string_equal(rows(t), "A stack=f3<f2<f1\nA stack=f3<f2<f1\nA stack=f4<f3<f2<f1\nA stack=f4<f3<f2<f1\n");
    ubi_timeline_target_free(t);
}

static void setting_a_source_returns_the_former(void **state) {
    (void)state;
    ubi_timeline_stack_source other = { .capture = capture, .frame = frame };
    assert_null(ubi_timeline_set_stack_source(&source));
    assert_ptr_equal(ubi_timeline_set_stack_source(&other), &source);
    assert_ptr_equal(ubi_timeline_set_stack_source(NULL), &other);
}

static void stacks_of_markers_that_wait_stay(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    run(12);
    add_plain(t, "A", UBI_MARKER_START);
    add(t, ubi_event_timeline_marker_new(ubi__text("click"), 2, UBI_MARKER_START));
    for (int i = 0; i < 3; i++)
        assert_string_equal(rows(t), "");
    source.generation++;
    run(34);
    add(t, ubi_event_timeline_marker_new(ubi__text("click"), 2, UBI_MARKER_END));
    add_plain(t, "A", UBI_MARKER_END);
    assert_string_equal(rows(t), "A" BASE " stack=f2<f1\nDOMEvent" BASE " type=click eventPhase=2 stack=f2<f1\n");
    ubi_timeline_target_free(t);
}

/* ---- a kind from outside ----------------------------------------------------------------------------------------- */

static unsigned n_live; /* payloads */

static int *new_step(int step) {
    int *payload = malloc(sizeof *payload);
    assert_non_null(payload);
    *payload = step;
    n_live++;
    return payload;
}

static void *clone_step(const void *payload) {
    return new_step(*(const int *)payload);
}

static void free_step(void *payload) {
    free(payload);
    n_live--;
}

/* An END ends the step before it. */
static bool step_equals(const ubi_timeline_marker *start, const ubi_timeline_marker *other) {
    const int *n = ubi_timeline_marker_payload(other);
    return n && *n == *(const int *)ubi_timeline_marker_payload(start) + 1;
}

static void step_details(const ubi_timeline_marker *marker, ubi_marker_details *out) {
    const int *step = ubi_timeline_marker_payload(marker);
    ubi_marker_details_number(out, "step", *step);
    ubi_marker_details_bool(out, "isLate", *step > 1);
    if (ubi_timeline_marker_tracing(marker) == UBI_MARKER_START)
        ubi_marker_details_text(out, "first", ubi__text("yes"));
}

static const ubi_marker_kind step_kind = { .version = UBI_MARKER_KIND_VERSION,
                                           .clone = clone_step,
                                           .free = free_step,
                                           .equals = step_equals,
                                           .add_details = step_details };

static ubi_timeline_marker *step(int number, ubi_marker_tracing tracing) {
    ubi_marker_make make = { .name = "Step", .tracing = tracing, .kind = &step_kind, .payload = new_step(number) };
    return ubi_timeline_marker_new(&make);
}

static void a_kind_from_outside_has_its_own_way(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target(), *other = observed_target();
    add(t, step(1, UBI_MARKER_START));
    add(t, step(7, UBI_MARKER_END));
    add(t, step(2, UBI_MARKER_END));
    assert_string_equal(rows(t), "Step step=2 isLate=true first=yes\n");
    ubi_timeline_marker *original = step(4, UBI_MARKER_START);
    assert_ptr_equal(ubi_timeline_marker_kind(original), &step_kind);
    assert_false(ubi_timeline_marker_has_stack(original));
    ubi_timeline_consumers_add_existing_marker_for_all_observed_targets(ubi_timeline_consumers_get(), original);
    ubi_timeline_marker_free(original);
    assert_string_equal(rows(t), "");
    add(t, step(5, UBI_MARKER_END));
    assert_string_equal(rows(t), "Step step=5 isLate=true first=yes\n");
    assert_string_equal(rows(other), "");
    ubi_timeline_target_free(t);
    ubi_timeline_target_free(other);
    assert_int_equal(n_live, 0);
}

static void markers_without_observers_are_freed(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    add(t, step(1, UBI_MARKER_START));
    rows(t); /* it waits */
    add(t, step(3, UBI_MARKER_START));
    ubi_markers_storage_clear_markers(ubi_timeline_target_storage(t));
    assert_int_equal(n_live, 0);
    add(t, step(1, UBI_MARKER_START));
    assert_int_equal(ubi_timeline_target_set_record_profile_timeline_markers(t, false), UBI_OK);
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), t, step(1, UBI_MARKER_START));
    assert_int_equal(n_live, 0);
    ubi_timeline_target_free(t);
}

static void a_marker_does_not_change_and_says_what_it_is(void **state) {
    (void)state;
    assert_int_equal(ubi_timeline_configure(&(ubi_timeline_options){ UBI_TIMELINE_OPTIONS_VERSION, 2, 1 << 20, NULL }),
                     UBI_OK);
    char name[] = "name";
    uint64_t before_ns = ubi_process_clock_ns();
    ubi_timeline_marker *m = ubi_timeline_marker_new(&(ubi_marker_make){ .name = name, .tracing = UBI_MARKER_END });
    uint64_t after_ns = ubi_process_clock_ns();
    name[0] = 'X';
    assert_true(ubi__text_equal(ubi_timeline_marker_name(m), ubi__text("name")));
    assert_int_equal(ubi_timeline_marker_tracing(m), UBI_MARKER_END);
    assert_int_equal(ubi_timeline_marker_process_type(m), 2);
    assert_null(ubi_timeline_marker_kind(m));
    assert_null(ubi_timeline_marker_payload(m));
    assert_in_range(ubi_timeline_marker_time_ns(m), before_ns - 20000, after_ns + 20000);
    ubi_timeline_marker_free(m);
    m = ubi_timeline_marker_new(&(ubi_marker_make){ .name = "at", .has_time = true, .time_ns = 5 });
    assert_int_equal(ubi_timeline_marker_time_ns(m), 5);
    ubi_timeline_marker_free(m);
    assert_int_equal(ubi_timeline_configure(NULL), UBI_OK);
}

static void values_of_ports_are_details(void **state) {
    (void)state;
    ubi_timeline_target *t = observed_target();
    ubi_marker_value values[] = { { "causeName", UBI_MARKER_TEXT, 0, 0, "a" },
                                  { "n", UBI_MARKER_NUMBER, 0, 2.5, NULL },
                                  { "flag", UBI_MARKER_BOOL, 1, 0, NULL },
                                  { "none", UBI_MARKER_TEXT, 0, 0, NULL },
                                  { "later", 77, 0, 0, NULL } };
    ubi_marker_extra extra = { 0, values, 5 };
    ubi_marker_emit("A", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), &extra);
    assert_string_equal(rows(t), "A causeName=a n=2.5 flag=true\n");
    extra = (ubi_marker_extra){ 1, NULL, 0 }; /* before the process was there */
    ubi_marker_emit("B", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), &extra);
    assert_string_equal(pop_lines(t), "B 0 0\n");
    ubi_timeline_target_free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_plain_marker_has_its_base_and_the_stack_of_its_start, stop_running),
        cmocka_unit_test_teardown(no_stack_is_taken_that_is_not_wanted_or_cannot_be_taken, stop_running),
        cmocka_unit_test(every_kind_says_what_the_specification_lists),
        cmocka_unit_test(a_document_says_when_it_was_loaded),
        cmocka_unit_test_teardown(two_stacks_of_console_timers_and_their_async_parents, stop_running),
        cmocka_unit_test_teardown(a_script_entry_is_a_frame_with_an_async_parent, stop_running),
        cmocka_unit_test_teardown(an_entry_of_which_nothing_is_known_has_no_stack, stop_running),
        cmocka_unit_test_teardown(a_source_is_asked_for_a_frame_once, stop_running),
        cmocka_unit_test(setting_a_source_returns_the_former),
        cmocka_unit_test_teardown(stacks_of_markers_that_wait_stay, stop_running),
        cmocka_unit_test(a_kind_from_outside_has_its_own_way),
        cmocka_unit_test(markers_without_observers_are_freed),
        cmocka_unit_test(a_marker_does_not_change_and_says_what_it_is),
        cmocka_unit_test(values_of_ports_are_details),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
