/* SPDX-License-Identifier: MIT
 *
 * timeline_write_test.c: what a front reports is what the reader finds in the file, also when the program was killed, and a file or
 * memory that gives out is reported at the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "formats/timeline/timeline_read.h"
#include "formats/timeline/timeline_write.h"

static char path[] = "/tmp/ubiheap-timeline-XXXXXX";
static const ubi__timeline_about about = { .program = "te\"st.js" };

static int make_path(void **state) {
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    return 0;
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

/* ---- a host --------------------------------------------------------------------------------------------------------------- */

static bool measure(void *payload, ubi_timeline_measurement *out) {
    (void)payload;
    *out = (ubi_timeline_measurement){ .total = 30, .js_objects_size = 20, .js_strings_size = 10 };
    return true;
}

/* Stack 2 is frame "inner", which "outer" led to by a timer. */
static bool capture_stack(void *payload, ubi_marker_stack_ref *out) {
    (void)payload;
    *out = 2;
    return true;
}

static bool report_frame(void *payload, ubi_marker_stack_ref stack, ubi_marker_frame *out) {
    (void)payload;
    *out = (ubi_marker_frame){ .source = ubi__text("a.js"),
                               .function_name = stack == 2 ? ubi__text("inner") : (ubi_text){ NULL, 0 },
                               .line = (uint32_t)stack,
                               .parent = stack == 2 ? 1 : UBI_MARKER_NO_STACK_REF,
                               .is_parent_async = stack == 2,
                               .async_cause = ubi__text(stack == 2 ? "timer" : "") };
    return true;
}

static const ubi_timeline_stack_source stacks = { .capture = capture_stack, .frame = report_frame };

typedef struct session {
    ubi__timeline_writer *writer;
    ubi_timeline_front *front;
    ubi_timeline_target *target;
} session;

static ubi_status begin(session *s, const ubi_allocator *allocator) {
    ubi_timeline_front_options options = UBI_TIMELINE_FRONT_OPTIONS_INIT;
    int64_t started;
    *s = (session){ 0 };
    options.with_markers = options.with_frames = options.with_memory = options.with_gc_events = true;
    UBI_TRY(ubi__timeline_writer_open(&s->writer, path, &about, allocator));
    ubi_timeline_front_host host = { .version = UBI_TIMELINE_FRONT_HOST_VERSION,
                                     .payload = s->writer,
                                     .event = ubi__timeline_writer_event,
                                     .measure = measure };
    ubi_timeline_set_stack_source(&stacks);
    assert_int_equal(ubi_timeline_target_new(&s->target, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_front_new(&s->front, &host, NULL), UBI_OK);
    assert_int_equal(ubi_timeline_front_add_target(s->front, s->target), UBI_OK);
    assert_int_equal(ubi_timeline_front_start(&started, s->front, &options), UBI_OK);
    return UBI_OK;
}

static void mark(const session *s, ubi_timeline_marker *marker) {
    ubi_timeline_consumers_add_existing_marker_for_target(ubi_timeline_consumers_get(), s->target, marker);
}

static void mark_a_little(const session *s) {
    const ubi_timeline_rectangle rectangles[] = { { -1, 2, 3, 4 } };
    mark(s, ubi_console_timeline_marker_new(ubi__text("load\x1b"), UBI_MARKER_START));
    mark(s, ubi_event_timeline_marker_new(ubi__text("click"), 2, UBI_MARKER_START));
    mark(s, ubi_event_timeline_marker_new(ubi__text("click"), 2, UBI_MARKER_END));
    mark(s, ubi_restyle_timeline_marker_new(true, UBI_MARKER_START));
    mark(s, ubi_restyle_timeline_marker_new(true, UBI_MARKER_END));
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), s->target, "Paint", UBI_MARKER_START,
                                                 UBI_MARKER_NO_STACK);
    mark(s, ubi_layer_timeline_marker_new(rectangles, 1));
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), s->target, "Paint", UBI_MARKER_END,
                                                 UBI_MARKER_NO_STACK);
    mark(s, ubi_timestamp_timeline_marker_new(ubi__text("now")));
    mark(s, ubi_console_timeline_marker_new(ubi__text("load\x1b"), UBI_MARKER_END));
    ubi_timeline_consumers_add_marker_for_target(ubi_timeline_consumers_get(), s->target, "Open", UBI_MARKER_START,
                                                 UBI_MARKER_STACK);
}

static void collect_garbage(const session *s) {
    static const struct ubi_timeline_slice slices[] = { { 1000000, 2500000 }, { 3000000, 3000001 } };
    static const ubi_timeline_collection collection = { "API", NULL, 9, slices, 2 };
    assert_int_equal(ubi_timeline_front_collection(s->front, &collection), UBI_OK);
}

static void stop(const session *s) {
    int64_t stopped;
    assert_int_equal(ubi_timeline_front_stop(&stopped, s->front), UBI_OK);
}

static void drop(const session *s) {
    ubi_timeline_front_free(s->front);
    ubi_timeline_target_free(s->target);
    ubi_timeline_set_stack_source(NULL);
}

static ubi__timeline_file read_back(void) {
    ubi__timeline_file file;
    ubi__source source;
    assert_int_equal(ubi__source_open_path(&source, path, ubi_allocator_default()), UBI_OK);
    assert_int_equal(ubi__timeline_read(&file, &source, NULL, NULL), UBI_OK);
    ubi__source_close(&source);
    assert_string_equal(file.fault, "");
    return file;
}

static const ubi__timeline_row *find(const ubi__timeline_file *file, const char *name) {
    for (size_t i = 0; i < file->data.rows.n; i++)
        if (ubi__text_is(ubi__timeline_text(&file->data, file->data.rows.at[i].name), name))
            return &file->data.rows.at[i];
    return NULL;
}

/* ---- tests ------------------------------------------------------------------------------------------------------------------ */

static void assert_stack(const ubi__timeline_file *file, uint32_t stack) {
    const ubi__timeline_frame *inner = &file->data.frames.at[stack], *outer;
    assert_true(ubi__text_is(ubi__timeline_text(&file->data, inner->function), "inner"));
    assert_int_equal(inner->line, 2);
    assert_int_equal(inner->parent, UBI_NONE);
    outer = &file->data.frames.at[inner->async_parent];
    assert_int_equal(outer->function, UBI_NONE);
    assert_true(ubi__text_is(ubi__timeline_text(&file->data, outer->source), "a.js"));
}

static void what_was_reported_is_in_the_file(void **state) {
    session s;
    (void)state;
    assert_int_equal(begin(&s, NULL), UBI_OK);
    mark_a_little(&s);
    collect_garbage(&s);
    ubi__timeline_writer_figure(s.writer, "resident", 77);
    stop(&s);
    drop(&s);
    assert_int_equal(ubi__timeline_writer_close(s.writer, true), UBI_OK);
    ubi__timeline_file file = read_back();
    const ubi__timeline_data *d = &file.data;
    assert_true(ubi__text_is(ubi__timeline_text(d, d->program), "te\"st.js"));
    assert_int_equal(d->pid, getpid());
    assert_true(d->start_unix_us > UINT64_C(1600000000000000));
    assert_true(file.has_end);
    assert_int_equal(d->rows.n, 8);

    const ubi__timeline_row *timer = find(&file, "ConsoleTime");
    assert_true(ubi__text_is(ubi__timeline_detail_text(d, timer, "causeName"), "load\x1b"));
    assert_stack(&file, timer->stack);
    assert_stack(&file, timer->end_stack);
    assert_true(timer->end_ns > timer->start_ns);
    assert_true(timer->flags & UBI__TIMELINE_HAS_ORIGIN && timer->flags & UBI__TIMELINE_HAS_THREAD);
    assert_true(ubi__timeline_detail_of(d, find(&file, "DOMEvent"), "eventPhase")->as.number == 2);
    assert_true(ubi__timeline_detail_of(d, find(&file, "Styles"), "isAnimationOnly")->as.is_true);
    const ubi__timeline_detail *r = ubi__timeline_detail_of(d, find(&file, "Paint"), "rectangles");
    assert_true(d->rectangles.at[r->as.rectangles.first].x == -1);
    const ubi__timeline_row *stamp = find(&file, "TimeStamp");
    assert_true(stamp->start_ns == stamp->end_ns && !(stamp->flags & UBI__TIMELINE_HAS_ORIGIN));
    assert_false(find(&file, "Open")->flags & UBI__TIMELINE_HAS_END);

    const ubi__timeline_row *slice = find(&file, "GarbageCollection");
    assert_true(slice->start_ns == 1000000 && slice->end_ns == 2500000);
    assert_int_equal(ubi__timeline_detail_of(d, slice, "nonincrementalReason")->type, UBI__TIMELINE_NULL);
    assert_true(ubi__timeline_detail_of(d, slice, "cycle")->as.number == 9);
    assert_int_equal(d->samples.n, 2 * 7 + 1);
    assert_true(d->samples.at[0].value == 30);
    ubi__timeline_file_fini(&file);
}

static void a_program_that_is_killed_leaves_what_was_pulled(void **state) {
    session s;
    (void)state;
    assert_int_equal(begin(&s, NULL), UBI_OK);
    mark_a_little(&s);
    assert_int_equal(ubi_timeline_front_pull(s.front), UBI_OK);
    ubi__timeline_file file = read_back(); /* the writer still has it open */
    assert_int_equal(file.data.rows.n, 5);
    assert_false(file.has_end);
    assert_stack(&file, find(&file, "ConsoleTime")->stack);
    ubi__timeline_file_fini(&file);
    drop(&s);
    assert_int_equal(ubi__timeline_writer_close(s.writer, false), UBI_OK);
    file = read_back();
    assert_false(file.has_end);
    ubi__timeline_file_fini(&file);
}

static void a_file_that_cannot_be_made_or_written_is_reported(void **state) {
    ubi__timeline_writer *writer;
    (void)state;
    assert_int_equal(ubi__timeline_writer_open(&writer, "/nowhere/at/all", &about, NULL), UBI_EIO);
    assert_non_null(strstr(ubi_error_message(), "/nowhere/at/all"));
    assert_int_equal(ubi__timeline_writer_open(&writer, "/dev/full", &about, NULL), UBI_EIO);
}

static ubi_status record_all(void *payload, const ubi_allocator *allocator) {
    session s;
    (void)payload;
    UBI_TRY(begin(&s, allocator));
    mark_a_little(&s);
    collect_garbage(&s);
    stop(&s);
    drop(&s);
    ubi_status status = ubi__timeline_writer_close(s.writer, true);
    ubi__timeline_file file = read_back(); /* whole lines, whatever is missing */
    ubi__timeline_file_fini(&file);
    return status;
}

static void a_refused_allocation_is_reported_at_the_end(void **state) {
    (void)state;
    assert_true(fail_each_allocation(record_all, NULL) >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_reported_is_in_the_file),
        cmocka_unit_test(a_program_that_is_killed_leaves_what_was_pulled),
        cmocka_unit_test(a_file_that_cannot_be_made_or_written_is_reported),
        cmocka_unit_test(a_refused_allocation_is_reported_at_the_end),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
