/* SPDX-License-Identifier: MIT
 *
 * recording_window_test.c: what a recording amounts to in a part of its time: what is older, what is taken back across its ends, what
 * ended processes left, markers that were open. (Sums over random recordings: tests/recording/windows_test.py.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "small_recording.h"

#define WINDOW                                                                                                         \
    { 100, 200 }

static void at(recording *r, uint64_t time_ns) {
    must(ubi__ubirec_write_time(r->w, time_ns));
}

static ubi_status window_read(ubi__recording_summary *s, const bytes *file, ubi__time_window window, bool is_by_thread,
                              const ubi_allocator *allocator) {
    ubi__source source;
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    const ubi__summary_choice choice = { .window = window, .is_by_thread = is_by_thread };
    ubi_status status = ubi__recording_summary_read_choice(s, &source, &choice, NULL, allocator);
    ubi__source_close(&source);
    return status;
}

/* Closes the recording. */
static void window_of(ubi__recording_summary *s, recording *r, ubi__time_window window) {
    finish_recording(r);
    must(window_read(s, &r->file, window, false, NULL));
    bytes_free(&r->file);
}

static void assert_bytes(const ubi__recording_summary *s, ubi__measure measure, double expected) {
    ubi__estimate e = ubi__class_estimate(s, UBI__UBIREC_HEAP, measure);
    assert_true(e.bytes == expected);
}

static void what_is_older_lives_and_was_not_allocated(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t old = allocate(&r, r.heap, 1, 0), kept = allocate(&r, r.heap, 2, 0);
    must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, 4096, 0))); /* the peak of the whole */
    at(&r, 100);
    must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, 4, 0))); /* the peak of the window */
    must(ubi__ubirec_write_free(r.w, old));
    allocate(&r, r.heap, 8, 0);
    at(&r, 199);
    must(ubi__ubirec_write_free(r.w, allocate(&r, r.heap, 0, 0)));
    at(&r, 200);
    allocate(&r, r.heap, 512, 0);
    must(ubi__ubirec_write_free(r.w, kept));
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_bytes(&s, UBI__MEASURE_TOTAL, 4 + 8);
    assert_bytes(&s, UBI__MEASURE_LEAKED, 8);
    assert_bytes(&s, UBI__MEASURE_LIVE, 2 + 8);
    assert_bytes(&s, UBI__MEASURE_PEAK, 2 + 8); /* 1 + 2 + 4 is less */
    assert_int_equal(ubi__class_estimate(&s, UBI__UBIREC_HEAP, UBI__MEASURE_TEMPORARY).samples, 2);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].peak_time_ns, 100);
    assert_int_equal(s.time_ns, 200);
    assert_true(s.is_over);
    ubi__recording_summary_fini(&s);
}

static void a_window_begins_with_its_peak(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t large = allocate(&r, r.heap, 1000, 0);
    at(&r, 150);
    must(ubi__ubirec_write_free(r.w, large));
    allocate(&r, r.heap, 1, 0);
    window_of(&s, &r, (ubi__time_window){ 100, 0 });
    assert_bytes(&s, UBI__MEASURE_PEAK, 1000);
    assert_int_equal(s.classes[UBI__UBIREC_HEAP].peak_time_ns, 100);
    assert_int_equal(s.n_curve, 1);
    assert_int_equal(s.curve[0].live_bytes, 1000);
    assert_int_equal(ubi__curve_time_ns(&s, 0), 100);
    assert_false(s.is_over);
    ubi__recording_summary_fini(&s);
}

static void a_window_after_the_end_has_what_lives(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    allocate(&r, r.heap, 7, 0);
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_bytes(&s, UBI__MEASURE_LIVE, 7);
    assert_bytes(&s, UBI__MEASURE_PEAK, 7);
    assert_bytes(&s, UBI__MEASURE_TOTAL, 0);
    ubi__recording_summary_fini(&s);
}

static void frees_that_are_taken_back_never_were(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 2);
    uint64_t before = allocate(&r, r.heap, 1, 0), old = allocate(&r, r.heap, 2, 0);
    must(ubi__ubirec_write_free(r.w, before)); /* taken back when the window has begun */
    at(&r, 100);
    must(ubi__ubirec_write_free_undone(r.w, before, 0));
    must(ubi__ubirec_write_free(r.w, old)); /* taken back in it */
    must(ubi__ubirec_write_free_undone(r.w, old, 1));
    uint64_t fresh = allocate(&r, r.heap, 4, 0);
    must(ubi__ubirec_write_free(r.w, fresh)); /* taken back when it is over */
    must(ubi__ubirec_write_thread(r.w, 1));
    must(ubi__ubirec_write_free(r.w, old));
    at(&r, 200);
    must(ubi__ubirec_write_free_undone(r.w, old, 1));
    must(ubi__ubirec_write_thread(r.w, 0));
    must(ubi__ubirec_write_free_undone(r.w, fresh, 2));
    uint64_t late = allocate(&r, r.heap, 8, 0); /* and what is later never lived in it */
    must(ubi__ubirec_write_free(r.w, late));
    must(ubi__ubirec_write_free_undone(r.w, late, 3));
    must(ubi__ubirec_write_free(r.w, fresh));
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_bytes(&s, UBI__MEASURE_LIVE, 1 + 2 + 4);
    assert_bytes(&s, UBI__MEASURE_LEAKED, 4);
    assert_bytes(&s, UBI__MEASURE_PEAK, 1 + 2 + 4);
    assert_bytes(&s, UBI__MEASURE_TOTAL, 4);
    assert_bytes(&s, UBI__MEASURE_TEMPORARY, 0);
    ubi__recording_summary_fini(&s);
}

static void what_processes_left_is_leaked_if_it_is_of_the_window(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t old = allocate(&r, r.heap, 1, 0), kept = allocate(&r, r.heap, 2, 0);
    at(&r, 100);
    uint64_t fresh = allocate(&r, r.heap, 4, 0);
    must(ubi__ubirec_write_left(r.w, old));
    must(ubi__ubirec_write_left(r.w, fresh));
    at(&r, 200);
    must(ubi__ubirec_write_left(r.w, kept));
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_bytes(&s, UBI__MEASURE_LEAKED, 4);
    assert_bytes(&s, UBI__MEASURE_LIVE, 2);
    assert_bytes(&s, UBI__MEASURE_PEAK, 7);
    ubi__recording_summary_fini(&s);
}

static void lifetimes_sizes_and_threads_are_those_of_the_window(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    uint64_t old = allocate(&r, r.heap, 1, 0);
    at(&r, 100);
    uint64_t fresh = allocate(&r, r.heap, 4, 0);
    must(ubi__ubirec_write_free(r.w, old));
    must(ubi__ubirec_write_free(r.w, fresh));
    at(&r, 200);
    allocate(&r, r.heap, 4, 0);
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_int_equal(s.lifetimes[0].samples, 1);
    assert_int_equal(s.sizes[1].samples, 0);
    assert_int_equal(s.sizes[3].samples, 1);
    assert_int_equal(s.threads.at[0].allocated.samples, 1);
    assert_int_equal(s.threads.at[0].freed.samples, 2); /* whatever they were */
    ubi__recording_summary_fini(&s);
}

static void mark(recording *r, const char *name, ubi__ubirec_marker_type type, uint64_t time_ns) {
    const ubi__ubirec_marker marker = {
        .name = ubi__text(name), .time_ns = time_ns, .type = type, .details = ubi__text("")
    };
    must(ubi__ubirec_write_marker(r->w, &marker));
}

static void markers_that_were_open_are_in_the_window_too(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    mark(&r, "done", UBI__UBIREC_MARKER_TIMESTAMP, 1);
    mark(&r, "open", UBI__UBIREC_MARKER_START, 10);
    uint64_t old = allocate(&r, r.heap, 1, 0);
    at(&r, 100);
    must(ubi__ubirec_write_free(r.w, old));
    allocate(&r, r.heap, 2, 0);
    mark(&r, "open", UBI__UBIREC_MARKER_END, 150);
    at(&r, 200);
    mark(&r, "late", UBI__UBIREC_MARKER_START, 201);
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_int_equal(s.markers.groups.n, 2);
    assert_int_equal(s.markers.groups.at[0].count, 0);
    const ubi__marker_group *open = &s.markers.groups.at[1];
    assert_int_equal(open->count, 1);
    assert_int_equal(open->n_ended, 1);
    assert_int_equal(open->total_ns, 50);
    assert_true(open->allocated.bytes == 2 && open->live.bytes == 2);
    ubi__recording_summary_fini(&s);
}

static void resident_memory_is_that_of_the_window(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_write_rss(r.w, 9000));
    must(ubi__ubirec_write_rss(r.w, 3000));
    at(&r, 150);
    must(ubi__ubirec_write_rss(r.w, 4000));
    at(&r, 250);
    must(ubi__ubirec_write_rss(r.w, 8000));
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_int_equal(s.rss_peak_bytes, 4000);
    assert_int_equal(s.rss_peak_time_ns, 150);
    assert_int_equal(s.rss_last_bytes, 4000);
    ubi__recording_summary_fini(&s);
}

static void threads_have_what_lives_of_what_they_allocated(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 2);
    uint64_t old = allocate(&r, r.heap, 1, 0);
    at(&r, 100);
    uint64_t freed = allocate(&r, r.heap, 2, 0); /* info 1, of both threads */
    must(ubi__ubirec_write_thread(r.w, 1));
    allocate(&r, r.heap, 2, 0);
    must(ubi__ubirec_write_free(r.w, freed)); /* of the other one */
    must(ubi__ubirec_write_free(r.w, old));
    must(ubi__ubirec_write_free_undone(r.w, old, 0));
    allocate(&r, r.mapping, 4096, 0);
    finish_recording(&r);
    must(window_read(&s, &r.file, (ubi__time_window)WINDOW, true, NULL));
    bytes_free(&r.file);
    const ubi__thread_sums *first = &s.threads.at[0], *second = &s.threads.at[1];
    assert_true(first->by[UBI__MEASURE_TOTAL].bytes == 2 && second->by[UBI__MEASURE_TOTAL].bytes == 2);
    assert_true(first->by[UBI__MEASURE_LEAKED].bytes == 0 && second->by[UBI__MEASURE_LEAKED].bytes == 2);
    assert_true(first->by[UBI__MEASURE_LIVE].bytes == 1); /* the other thread freed it and took that back */
    assert_true(first->by[UBI__MEASURE_PEAK].bytes == 3 && second->by[UBI__MEASURE_PEAK].bytes == 2);
    assert_bytes(&s, UBI__MEASURE_PEAK, 5);
    assert_int_equal(second->freed.samples, 2); /* also what it took back */
    ubi__recording_summary_fini(&s);
}

static void write_action(recording *r, ubi__ubirec_action what, uint64_t time_ns) {
    must(ubi__ubirec_write_action(r->w, what, time_ns));
}

static void pauses_are_known_by_their_times(void **state) {
    recording r;
    ubi__recording_summary s;
    (void)state;
    open_recording(&r, 1, 1);
    write_action(&r, UBI__UBIREC_ACTION_START, 50); /* so it began paused */
    write_action(&r, UBI__UBIREC_ACTION_START, 60);
    write_action(&r, UBI__UBIREC_ACTION_STOP, 40); /* before what it ends */
    write_action(&r, UBI__UBIREC_ACTION_RESET, 70);
    write_action(&r, UBI__UBIREC_ACTION_STOP, 80);
    write_action(&r, UBI__UBIREC_ACTION_START, 100);
    write_action(&r, UBI__UBIREC_ACTION_STOP, 300);
    allocate(&r, r.heap, 1, 0);
    window_of(&s, &r, (ubi__time_window)WINDOW);
    assert_int_equal(s.tables.pauses.n, 3);
    static const ubi__pause expected[] = { { 0, 50 }, { 50, 100 }, { 300, UINT64_MAX } };
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s.tables.pauses.at[i].from_ns, expected[i].from_ns);
        assert_int_equal(s.tables.pauses.at[i].to_ns, expected[i].to_ns);
    }
    ubi__recording_summary_fini(&s);
}

static void what_happened_may_be_later_than_it_says(void **state) {
    const ubi__pause pause = { 1000000, 2000000 }, to_the_end = { 1000000, UINT64_MAX };
    static const struct {
        ubi__time_window window;
        bool is_met, is_met_to_the_end;
    } cases[] = {
        { { 0, 0 }, true, true },
        { { 0, 700000 }, false, false },
        { { 0, 800000 }, true, true },
        { { 1500000, 1500001 }, true, true },
        { { 2200000, 0 }, true, true },
        { { 2250000, 0 }, false, true },
        { { UINT64_MAX - 1, UINT64_MAX }, false, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ubi__window_meets_pause(&cases[i].window, &pause), cases[i].is_met);
        assert_int_equal(ubi__window_meets_pause(&cases[i].window, &to_the_end), cases[i].is_met_to_the_end);
    }
}

static ubi_status summarize(void *payload, const ubi_allocator *allocator) {
    ubi__recording_summary s;
    ubi_status status = window_read(&s, payload, (ubi__time_window)WINDOW, true, allocator);
    if (status == UBI_OK)
        ubi__recording_summary_fini(&s);
    return status;
}

static void no_refused_memory_is_missed(void **state) {
    recording r;
    (void)state;
    open_recording(&r, 1, 2);
    uint32_t trace = stack(&r, "main f g");
    write_action(&r, UBI__UBIREC_ACTION_START, 1);
    for (int i = 0; i < 300; i++) {
        at(&r, (uint64_t)i);
        uint64_t number = allocate(&r, r.heap, (uint64_t)i, trace);
        if (i % 3 == 0)
            must(ubi__ubirec_write_free(r.w, number));
    }
    finish_recording(&r);
    assert_true(fail_each_allocation(summarize, &r.file) > 10);
    bytes_free(&r.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_older_lives_and_was_not_allocated),
        cmocka_unit_test(a_window_begins_with_its_peak),
        cmocka_unit_test(a_window_after_the_end_has_what_lives),
        cmocka_unit_test(frees_that_are_taken_back_never_were),
        cmocka_unit_test(what_processes_left_is_leaked_if_it_is_of_the_window),
        cmocka_unit_test(lifetimes_sizes_and_threads_are_those_of_the_window),
        cmocka_unit_test(markers_that_were_open_are_in_the_window_too),
        cmocka_unit_test(resident_memory_is_that_of_the_window),
        cmocka_unit_test(threads_have_what_lives_of_what_they_allocated),
        cmocka_unit_test(pauses_are_known_by_their_times),
        cmocka_unit_test(what_happened_may_be_later_than_it_says),
        cmocka_unit_test(no_refused_memory_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
