/* SPDX-License-Identifier: MIT
 *
 * timeline_front_test.c: what start, stop and isRecording answer, which events a pull gives in which order, and what is in them.
 *
 * The host writes a line for each event, so that a test says what it expects as text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include <ubiheap/views/timeline_front.h>

#include "base/status.h"
#include "base/text.h"
#include "fail_allocator.h"

#define LOG_BYTES 4096

typedef struct fixture {
    ubi_timeline_front *front;
    ubi_timeline_target *target, *other;
    char log[LOG_BYTES];
    size_t n_log;
    uint64_t last_time_ns;
    bool has_no_measure, must_reenter;
    ubi_status reentry;
} fixture;

static fixture *fx;

static void UBI_PRINTF(1, 2) note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(fx->log + fx->n_log, LOG_BYTES - fx->n_log, format, arguments);
    va_end(arguments);
    fx->n_log += (size_t)n;
    assert_true(fx->n_log < LOG_BYTES);
}

static void note_marker(const ubi_timeline_front_marker *m) {
    ubi_timeline_row row = ubi_timeline_markers_row(m->markers, m->row);
    note(" %.*s", (int)row.name.len, row.name.ptr);
    if (m->stack || m->end_stack)
        note("(%u,%u)", m->stack, m->end_stack);
    if (row.end_ns == 0)
        note("(open)");
}

static void note_frames(const ubi_timeline_event *e) {
    for (uint32_t i = e->first_frame; i < e->first_frame + e->n_frames; i++) {
        if (i == 0) {
            note(" null");
            continue;
        }
        ubi_timeline_front_frame f = ubi_timeline_front_frame_at(e->front, i);
        note(" %u=%.*s<%u,%u", i, (int)f.function_name.len, f.function_name.ptr, f.parent, f.async_parent);
    }
}

static void take_event(void *payload, const ubi_timeline_event *e) {
    static const char *const names[] = { "doc-loading", "markers", "ticks", "memory", "frames", "pulled", "gc" };
    int64_t ignored;
    assert_ptr_equal(payload, fx);
    note("%s", names[e->type]);
    for (size_t i = 0; i < e->n_markers; i++)
        note_marker(&e->markers[i]);
    for (size_t i = 0; i < e->n_ticks; i++)
        note(" %llu", (unsigned long long)e->ticks[i]);
    if (e->type == UBI_TIMELINE_EVENT_MEMORY)
        note(e->measurement ? " %llu" : " none", e->measurement ? (unsigned long long)e->measurement->total : 0ULL);
    note_frames(e);
    if (e->collection)
        note(" %s %llu", e->collection->reason, (unsigned long long)e->collection->cycle_number);
    note(";");
    assert_true(e->time_ns >= fx->last_time_ns);
    fx->last_time_ns = e->time_ns;
    if (fx->must_reenter)
        fx->reentry = ubi_timeline_front_stop(&ignored, fx->front);
}

static void sample_ticks(void *payload, bool on) {
    (void)payload;
    note(on ? "ticks on;" : "ticks off;");
}

static const uint64_t *give_ticks(void *payload, size_t *n) {
    static const uint64_t ticks[] = { 16, 33 };
    (void)payload;
    *n = 2;
    return ticks;
}

static bool measure(void *payload, ubi_timeline_measurement *out) {
    (void)payload;
    out->total = 1234;
    return !fx->has_no_measure;
}

static void watch_collections(void *payload, bool on) {
    (void)payload;
    note(on ? "gc on;" : "gc off;");
}

static ubi_timeline_front_host host_of(fixture *f) {
    return (ubi_timeline_front_host){ .version = UBI_TIMELINE_FRONT_HOST_VERSION,
                                      .payload = f,
                                      .event = take_event,
                                      .sample_ticks = sample_ticks,
                                      .ticks = give_ticks,
                                      .measure = measure,
                                      .watch_collections = watch_collections };
}

static int set_up(void **state) {
    static fixture f;
    f = (fixture){ 0 };
    fx = &f;
    ubi_timeline_front_host host = host_of(&f);
    assert_int_equal(ubi_timeline_target_new(&f.target, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_target_new(&f.other, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_front_new(&f.front, &host, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_front_add_target(f.front, f.target), UBI_OK);
    *state = &f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    ubi_timeline_front_free(f->front);
    ubi_timeline_target_free(f->target);
    ubi_timeline_target_free(f->other);
    return 0;
}

static void expect(const char *log) {
    assert_string_equal(fx->log, log);
    fx->n_log = 0;
    fx->log[0] = 0;
}

#define OPTIONS(...) (&(ubi_timeline_front_options){ .version = UBI_TIMELINE_FRONT_OPTIONS_VERSION, __VA_ARGS__ })

static int64_t start(const ubi_timeline_front_options *options) {
    int64_t out = -2;
    assert_int_equal(ubi_timeline_front_start(&out, fx->front, options), UBI_OK);
    return out;
}

static int64_t stop(void) {
    int64_t out = -2;
    assert_int_equal(ubi_timeline_front_stop(&out, fx->front), UBI_OK);
    return out;
}

static void pull(void) {
    assert_int_equal(ubi_timeline_front_pull(fx->front), UBI_OK);
}

static void mark(ubi_timeline_target *target, const char *name, ubi_marker_tracing tracing) {
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), target, name, tracing, UBI_MARKER_STACK);
}

static void mark_span(const char *name) {
    mark(fx->target, name, UBI_MARKER_START);
    mark(fx->target, name, UBI_MARKER_END);
}

/* ---- start, stop, isRecording -------------------------------------------------------------------------------------------- */

static void start_and_stop_answer_minus_one_without_a_target(void **state) {
    fixture *f = *state;
    ubi_timeline_front_remove_target(f->front, f->target);
    assert_int_equal(start(OPTIONS(.with_markers = true)), -1);
    assert_false(ubi_timeline_front_is_recording(f->front));
    assert_int_equal(stop(), -1);
    expect("");
}

static void start_answers_now_and_pulls_at_once(void **state) {
    fixture *f = *state;
    int64_t before = (int64_t)ubi_process_clock_ns();
    int64_t started = start(OPTIONS(.with_memory = true));
    assert_true(started >= before && started <= (int64_t)ubi_process_clock_ns());
    assert_true(ubi_timeline_front_is_recording(f->front));
    expect("memory 1234;pulled;");
}

static void start_while_recording_answers_now_and_changes_nothing(void **state) {
    int64_t first = start(OPTIONS(.with_markers = true));
    (void)state;
    assert_true(start(OPTIONS(.with_memory = true, .with_ticks = true)) >= first);
    expect("pulled;");
    pull();
    expect("pulled;");
}

static void stop_without_recording_answers_now(void **state) {
    (void)state;
    assert_true(stop() > 0);
    expect("");
}

static void stop_pulls_a_last_time_with_what_is_open(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_markers = true));
    mark_span("A");
    mark(f->target, "B", UBI_MARKER_START);
    expect("pulled;");
    assert_true(stop() > 0);
    expect("markers A B(open);pulled;");
    assert_false(ubi_timeline_front_is_recording(f->front));
    assert_true(ubi_timeline_front_next_pull_ns(f->front) == UINT64_MAX);
    pull();
    expect("");
}

static void wrong_versions_are_refused(void **state) {
    fixture *f = *state;
    int64_t out = -2;
    ubi_timeline_front_options options = UBI_TIMELINE_FRONT_OPTIONS_INIT;
    ubi_timeline_front_host host = host_of(f);
    ubi_timeline_front *front = NULL;
    options.version = 77;
    assert_int_equal(ubi_timeline_front_start(&out, f->front, &options), UBI_EINVAL);
    assert_int_equal(out, -2);
    host.version = 77;
    assert_int_equal(ubi_timeline_front_new(&front, &host, NULL), UBI_EINVAL);
    host.version = UBI_TIMELINE_FRONT_HOST_VERSION;
    host.event = NULL;
    assert_int_equal(ubi_timeline_front_new(&front, &host, NULL), UBI_EINVAL);
}

/* ---- targets ---------------------------------------------------------------------------------------------------------------- */

static void targets_are_observed_only_while_markers_are_asked_for(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_memory = true));
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->target));
    assert_int_equal(ubi_timeline_front_add_target(f->front, f->other), UBI_OK);
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->other));
    stop();
    start(OPTIONS(.with_doc_loading_events = true));
    assert_true(ubi_timeline_target_record_profile_timeline_markers(f->target));
    assert_true(ubi_timeline_target_record_profile_timeline_markers(f->other));
    stop();
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->target));
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->other));
}

static void targets_come_and_go_while_it_records(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_markers = true));
    assert_int_equal(ubi_timeline_front_add_target(f->front, f->other), UBI_OK);
    assert_int_equal(ubi_timeline_front_add_target(f->front, f->other), UBI_EINVAL);
    mark(f->other, "Late", UBI_MARKER_TIMESTAMP);
    mark(f->target, "First", UBI_MARKER_TIMESTAMP);
    pull();
    expect("pulled;markers First Late;pulled;");
    ubi_timeline_front_remove_target(f->front, f->other);
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->other));
    mark(f->other, "Lost", UBI_MARKER_TIMESTAMP);
    pull();
    expect("pulled;");
}

static void a_target_that_others_observe_stays_observed(void **state) {
    fixture *f = *state;
    ubi_timeline_target_set_record_profile_timeline_markers(f->target, true);
    start(OPTIONS(.with_markers = true));
    stop();
    assert_true(ubi_timeline_target_record_profile_timeline_markers(f->target));
}

static void free_while_recording_ends_it_without_a_pull(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_markers = true, .with_gc_events = true));
    expect("gc on;pulled;");
    mark_span("A");
    ubi_timeline_front_free(f->front);
    f->front = NULL;
    expect("gc off;");
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->target));
}

/* ---- events of a pull ---------------------------------------------------------------------------------------------------------- */

static void nothing_new_gives_no_markers(void **state) {
    (void)state;
    start(OPTIONS(.with_markers = true));
    pull();
    expect("pulled;pulled;");
}

static void ticks_and_memory_come_with_every_pull(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_ticks = true, .with_memory = true));
    f->has_no_measure = true;
    pull();
    stop();
    expect("ticks on;ticks 16 33;memory 1234;pulled;ticks 16 33;memory none;pulled;"
           "ticks 16 33;memory none;pulled;ticks off;");
}

static void documents_are_reported_before_the_markers_that_they_are_part_of(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_markers = true, .with_doc_loading_events = true));
    mark_span("A");
    mark(f->target, "document::DOMContentLoaded", UBI_MARKER_TIMESTAMP);
    mark(f->target, "document::Load", UBI_MARKER_TIMESTAMP);
    pull();
    expect("pulled;doc-loading document::DOMContentLoaded;doc-loading document::Load;"
           "markers A document::DOMContentLoaded document::Load;pulled;");
}

static void documents_alone_are_reported_without_markers(void **state) {
    fixture *f = *state;
    start(OPTIONS(.with_doc_loading_events = true));
    mark_span("A");
    mark(f->target, "document::Load", UBI_MARKER_TIMESTAMP);
    pull();
    expect("pulled;doc-loading document::Load;pulled;");
}

static void pulls_are_due_200_ms_after_the_last_one_ended(void **state) {
    fixture *f = *state;
    assert_true(ubi_timeline_front_next_pull_ns(f->front) == UINT64_MAX);
    start(OPTIONS(.with_markers = true));
    uint64_t due = ubi_timeline_front_next_pull_ns(f->front);
    assert_true(due >= fx->last_time_ns + UBI_TIMELINE_PULL_NS);
    assert_true(due <= ubi_process_clock_ns() + UBI_TIMELINE_PULL_NS);
}

static void the_host_cannot_change_the_front_from_an_event(void **state) {
    fixture *f = *state;
    f->must_reenter = true;
    start(OPTIONS(.with_memory = true));
    assert_int_equal(f->reentry, UBI_ESTATE);
    f->must_reenter = false;
    assert_true(ubi_timeline_front_is_recording(f->front));
}

/* ---- collections ------------------------------------------------------------------------------------------------------------------ */

static const struct ubi_timeline_slice slices[] = { { 10, 20 }, { 30, 40 } };
static const ubi_timeline_collection collection = { "API", NULL, 7, slices, 2 };

static void collections_are_reported_at_once_and_only_when_asked_for(void **state) {
    fixture *f = *state;
    assert_int_equal(ubi_timeline_front_collection(f->front, &collection), UBI_OK);
    start(OPTIONS(.with_memory = true));
    assert_int_equal(ubi_timeline_front_collection(f->front, &collection), UBI_OK);
    stop();
    expect("memory 1234;pulled;memory 1234;pulled;");
    start(OPTIONS(.with_gc_events = true));
    assert_int_equal(ubi_timeline_front_collection(f->front, &collection), UBI_OK);
    stop();
    expect("gc on;pulled;gc API 7;pulled;gc off;");
}

static void a_collection_is_not_reported_twice(void **state) {
    (void)state;
    start(OPTIONS(.with_markers = true, .with_gc_events = true));
    mark_span("GarbageCollection");
    mark_span("A");
    stop();
    expect("gc on;pulled;markers A;pulled;gc off;");
    start(OPTIONS(.with_markers = true));
    mark_span("GarbageCollection");
    stop();
    expect("pulled;markers GarbageCollection;pulled;");
}

/* ---- frames -------------------------------------------------------------------------------------------------------------------------- */

/* Stack i is frame "f<i>"; i - 1 called it, but stack 4 was led to by 2. */
static uint64_t running = UBI_MARKER_NO_STACK_REF;

static bool capture_stack(void *payload, ubi_marker_stack_ref *out) {
    (void)payload;
    *out = running;
    return running != UBI_MARKER_NO_STACK_REF;
}

static bool report_frame(void *payload, ubi_marker_stack_ref stack, ubi_marker_frame *out) {
    static char name[8];
    (void)payload;
    snprintf(name, sizeof name, "f%u", (unsigned)stack);
    *out = (ubi_marker_frame){ .source = ubi__text("a.js"),
                               .function_name = ubi__text(name),
                               .line = (uint32_t)stack,
                               .parent = stack == 1   ? UBI_MARKER_NO_STACK_REF
                                         : stack == 4 ? 2
                                                      : stack - 1,
                               .is_parent_async = stack == 4 };
    return true;
}

static const ubi_timeline_stack_source stacks = { .capture = capture_stack, .frame = report_frame };

static void mark_on(uint64_t stack, const char *name) {
    running = stack;
    mark_span(name);
}

static void stacks_become_indices_and_new_frames_are_reported_once(void **state) {
    (void)state;
    ubi_timeline_set_stack_source(&stacks);
    start(OPTIONS(.with_markers = true, .with_frames = true));
    mark_on(2, "A");
    mark_on(UBI_MARKER_NO_STACK_REF, "B");
    pull();
    expect("pulled;markers A(2,0) B;frames null 1=f1<0,0 2=f2<1,0;pulled;");
    mark_on(1, "C");
    pull();
    expect("markers C(1,0);pulled;");
    mark_on(4, "D");
    mark_on(3, "E");
    pull();
    expect("markers D(3,0) E(4,0);frames 3=f4<0,2 4=f3<2,0;pulled;");
    stop();
    start(OPTIONS(.with_markers = true, .with_frames = true));
    mark_on(1, "F");
    stop();
    expect("pulled;pulled;markers F(1,0);frames null 1=f1<0,0;pulled;");
    ubi_timeline_set_stack_source(NULL);
}

static void frames_without_markers_do_nothing(void **state) {
    fixture *f = *state;
    ubi_timeline_set_stack_source(&stacks);
    start(OPTIONS(.with_frames = true, .with_doc_loading_events = true));
    running = 2;
    mark(f->target, "document::Load", UBI_MARKER_TIMESTAMP);
    stop();
    expect("pulled;doc-loading document::Load;pulled;");
    ubi_timeline_set_stack_source(NULL);
}

/* ---- memory -------------------------------------------------------------------------------------------------------------------------- */

static ubi_status record_a_little(void *payload, const ubi_allocator *allocator) {
    (void)payload;
    ubi_timeline_front_host host = host_of(fx);
    ubi_timeline_front *front;
    int64_t out;
    fx->n_log = 0;
    UBI_TRY(ubi_timeline_front_new(&front, &host, allocator));
    ubi_status status = ubi_timeline_front_add_target(front, fx->target);
    if (status == UBI_OK)
        status = ubi_timeline_front_start(&out, front, OPTIONS(.with_markers = true, .with_frames = true));
    if (status == UBI_OK) {
        mark_on(3, "A");
        status = ubi_timeline_front_stop(&out, front);
    }
    assert_false(ubi_timeline_front_is_recording(front));
    ubi_timeline_front_free(front);
    return status;
}

static void a_refused_allocation_is_reported_and_leaves_nothing(void **state) {
    fixture *f = *state;
    ubi_timeline_front_remove_target(f->front, f->target);
    ubi_timeline_set_stack_source(&stacks);
    assert_true(fail_each_allocation(record_a_little, NULL) > 5);
    ubi_timeline_set_stack_source(NULL);
    assert_false(ubi_timeline_target_record_profile_timeline_markers(f->target));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(start_and_stop_answer_minus_one_without_a_target),
        TEST(start_answers_now_and_pulls_at_once),
        TEST(start_while_recording_answers_now_and_changes_nothing),
        TEST(stop_without_recording_answers_now),
        TEST(stop_pulls_a_last_time_with_what_is_open),
        TEST(wrong_versions_are_refused),
        TEST(targets_are_observed_only_while_markers_are_asked_for),
        TEST(targets_come_and_go_while_it_records),
        TEST(a_target_that_others_observe_stays_observed),
        TEST(free_while_recording_ends_it_without_a_pull),
        TEST(nothing_new_gives_no_markers),
        TEST(ticks_and_memory_come_with_every_pull),
        TEST(documents_are_reported_before_the_markers_that_they_are_part_of),
        TEST(documents_alone_are_reported_without_markers),
        TEST(pulls_are_due_200_ms_after_the_last_one_ended),
        TEST(the_host_cannot_change_the_front_from_an_event),
        TEST(collections_are_reported_at_once_and_only_when_asked_for),
        TEST(a_collection_is_not_reported_twice),
        TEST(stacks_become_indices_and_new_frames_are_reported_once),
        TEST(frames_without_markers_do_nothing),
        TEST(a_refused_allocation_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
