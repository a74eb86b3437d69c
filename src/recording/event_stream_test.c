/* SPDX-License-Identifier: MIT
 *
 * event_stream_test.c: events of a recording in time: frees that were taken back, mappings that were cut, what processes left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "recording/event_stream.h"
#include "small_recording.h"

typedef struct log {
    char text[1024];
} log;

/* "+1:0@5 " is allocation 1 of info 0 at 5 ns. */
static ubi_status event_log(void *payload, const ubi__stream_event *event) {
    log *l = payload;
    snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "%c%llu:%u@%llu ", event->is_free ? '-' : '+',
             (unsigned long long)event->allocation, event->info, (unsigned long long)event->time_ns);
    return UBI_OK;
}

static ubi_status resident_log(void *payload, uint64_t time_ns, uint64_t resident) {
    log *l = payload;
    snprintf(l->text + strlen(l->text), sizeof l->text - strlen(l->text), "rss %llu@%llu ",
             (unsigned long long)resident, (unsigned long long)time_ns);
    return UBI_OK;
}

typedef struct reading {
    const bytes *file;
    size_t n;
    ubi__time_window window;
    bool is_of_all;
    log log;
} reading;

static ubi_status events_read(void *payload, const ubi_allocator *allocator) {
    reading *r = payload;
    const ubi__event_stream stream = {
        .event = event_log, .resident = resident_log, .payload = &r->log, .window = r->window, .is_of_all = r->is_of_all
    };
    ubi__vec_u64 taken_back = { 0 };
    ubi__source source;
    r->log.text[0] = 0;
    ubi__source_open_memory(&source, r->file->at, r->n, allocator);
    ubi_status status = ubi__event_stream_look(&taken_back, &source, 1, NULL, allocator);
    if (status == UBI_OK) {
        assert_true(ubi__source_rewind(&source));
        status = ubi__event_stream_read(&stream, &taken_back, &source, NULL, allocator);
    }
    ubi__vec_u64_fini(&taken_back, allocator);
    ubi__source_close(&source);
    return status;
}

static uint64_t time_now;

static void tick(recording *r) {
    must(ubi__ubirec_write_time(r->w, ++time_now));
}

static void events_make(recording *r, uint64_t *first, uint64_t *second) {
    time_now = 0;
    open_recording(r, 1, 2);
    uint32_t trace = stack(r, "main");
    tick(r);
    *first = allocate(r, r->heap, 10, trace);
    tick(r);
    *second = allocate(r, r->heap, 20, trace);
    tick(r);
}

static void assert_window(recording *r, ubi__time_window window, const char *expected) {
    reading read = { .file = &r->file, .window = window };
    finish_recording(r);
    read.n = r->file.n;
    must(events_read(&read, ubi_allocator_default()));
    assert_string_equal(read.log.text, expected);
    bytes_free(&r->file);
}

static void assert_events(recording *r, const char *expected) {
    assert_window(r, (ubi__time_window){ 0, 0 }, expected);
}

static void a_free_that_was_taken_back_is_no_event(void **state) {
    recording r;
    uint64_t first, second;
    (void)state;
    events_make(&r, &first, &second);
    must(ubi__ubirec_write_free(r.w, first));
    must(ubi__ubirec_write_thread(r.w, 1)); /* what another thread does is not in the way */
    must(ubi__ubirec_write_free(r.w, second));
    must(ubi__ubirec_write_thread(r.w, 0));
    tick(&r);
    must(ubi__ubirec_write_free_undone(r.w, first, 0));
    must(ubi__ubirec_write_rss(r.w, 4096));
    tick(&r);
    must(ubi__ubirec_write_free(r.w, first));
    must(ubi__ubirec_write_free(r.w, first)); /* a second time */
    assert_events(&r, "+1:0@1 +2:1@2 -2:1@3 rss 4096@4 -1:0@5 ");
}

static void a_mapping_that_was_cut_is_a_smaller_one(void **state) {
    recording r;
    uint64_t number;
    uint32_t small;
    (void)state;
    time_now = 0;
    open_recording(&r, 1, 1);
    uint32_t trace = stack(&r, "main");
    number = allocate(&r, r.mapping, 8192, trace);
    must(ubi__ubirec_info(r.w, &small, r.mapping, 4096, trace, 4096));
    tick(&r);
    must(ubi__ubirec_write_free(r.w, number));
    must(ubi__ubirec_write_free_undone(r.w, number, small));
    assert_events(&r, "+1:0@0 -1:0@1 +1:1@1 ");
}

static void what_a_process_left_was_not_freed(void **state) {
    recording r;
    uint64_t first, second;
    (void)state;
    events_make(&r, &first, &second);
    must(ubi__ubirec_write_left(r.w, first));
    must(ubi__ubirec_write_free(r.w, second));
    assert_events(&r, "+1:0@1 +2:1@2 -2:1@3 ");
}

static void of_all_what_a_process_left_ends(void **state) {
    recording r;
    uint64_t first, second;
    (void)state;
    events_make(&r, &first, &second);
    must(ubi__ubirec_write_left(r.w, first));
    finish_recording(&r);
    reading read = { .file = &r.file, .n = r.file.n, .is_of_all = true };
    must(events_read(&read, ubi_allocator_default()));
    assert_string_equal(read.log.text, "+1:0@1 +2:1@2 -1:0@3 ");
    bytes_free(&r.file);
}

static void a_window_has_what_was_allocated_in_it(void **state) {
    recording r;
    uint64_t first, second, third;
    (void)state;
    events_make(&r, &first, &second);         /* at 1 and 2 */
    must(ubi__ubirec_write_free(r.w, first)); /* at 3; it is older */
    must(ubi__ubirec_write_rss(r.w, 4096));
    third = allocate(&r, r.heap, 30, 0);
    tick(&r);
    must(ubi__ubirec_write_free(r.w, third)); /* at 4, but taken back */
    must(ubi__ubirec_write_free_undone(r.w, third, 2));
    must(ubi__ubirec_write_free(r.w, second));
    tick(&r);
    must(ubi__ubirec_write_free(r.w, third)); /* at 5, later */
    must(ubi__ubirec_write_rss(r.w, 8192));
    allocate(&r, r.heap, 40, 0);
    assert_window(&r, (ubi__time_window){ 2, 5 }, "+2:1@2 rss 4096@3 +3:2@3 -2:1@4 ");
}

static void what_comes_before_damage_counts(void **state) {
    recording r;
    uint64_t first, second;
    (void)state;
    events_make(&r, &first, &second);
    finish_recording(&r);
    for (size_t n = 16; n < r.file.n; n++) {
        reading read = { .file = &r.file, .n = n };
        ubi_status status = events_read(&read, ubi_allocator_default());
        assert_true(status == UBI_OK || status == UBI_EFORMAT);
        assert_string_equal(read.log.text, "");
    }
    bytes_free(&r.file);
}

static void without_memory_nothing_is_left(void **state) {
    recording r;
    uint64_t first, second;
    (void)state;
    events_make(&r, &first, &second);
    must(ubi__ubirec_write_free(r.w, first));
    must(ubi__ubirec_write_free_undone(r.w, first, 0));
    finish_recording(&r);
    reading read = { .file = &r.file, .n = r.file.n };
    assert_true(fail_each_allocation(events_read, &read) > 3);
    bytes_free(&r.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_that_was_taken_back_is_no_event),
        cmocka_unit_test(a_mapping_that_was_cut_is_a_smaller_one),
        cmocka_unit_test(what_a_process_left_was_not_freed),
        cmocka_unit_test(of_all_what_a_process_left_ends),
        cmocka_unit_test(a_window_has_what_was_allocated_in_it),
        cmocka_unit_test(what_comes_before_damage_counts),
        cmocka_unit_test(without_memory_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
