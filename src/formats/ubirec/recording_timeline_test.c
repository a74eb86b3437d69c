/* SPDX-License-Identifier: MIT
 *
 * Tests of recording_timeline.c: what the markers of a recording become, of well-made files and of others.
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
#include "formats/ubirec/recording_timeline.h"
#include "random_numbers.h"
#include "small_recording.h"
#include "ubirec_lines.h"

/* ---- files and what they become ----------------------------------------------------------------------------------- */

static void mark(recording *r, const char *name, ubi__ubirec_marker_type type, uint32_t thread, uint64_t time_ns,
                 uint32_t trace, const char *details) {
    const ubi__ubirec_marker marker = { .name = ubi__text(name),
                                        .time_ns = time_ns,
                                        .type = type,
                                        .is_off_main_thread = thread != 0,
                                        .thread = thread,
                                        .trace = trace,
                                        .details = ubi__text(details) };
    must(ubi__ubirec_write_marker(r->w, &marker));
}

static void start(recording *r, const char *name, uint64_t time_ns) {
    mark(r, name, UBI__UBIREC_MARKER_START, 0, time_ns, 0, "");
}

static void end(recording *r, const char *name, uint64_t time_ns) {
    mark(r, name, UBI__UBIREC_MARKER_END, 0, time_ns, 0, "");
}

typedef struct world {
    ubi__timeline_data data;
    char fault[UBI__RECORDING_FAULT_BYTES];
    char told[4096];
    size_t n;
} world;

static void tell(world *w, const char *format, ...) {
    va_list more;
    va_start(more, format);
    int n = vsnprintf(w->told + w->n, sizeof w->told - w->n, format, more);
    va_end(more);
    assert_true(n >= 0 && (size_t)n < sizeof w->told - w->n);
    w->n += (size_t)n;
}

static void report_text(world *w, ubi_str_ix ix) {
    ubi_text text = ix == UBI_NONE ? ubi__text("-") : ubi__timeline_text(&w->data, ix);
    tell(w, "%.*s", (int)text.len, text.ptr);
}

static void report_stack(world *w, uint32_t frame) {
    for (; frame != UBI_NONE; frame = w->data.frames.at[frame].parent) {
        const ubi__timeline_frame *f = &w->data.frames.at[frame];
        tell(w, " <");
        report_text(w, f->function);
        if (f->line)
            tell(w, ":%u", f->line);
    }
}

static void report_detail(world *w, const ubi__timeline_detail *d) {
    tell(w, " ");
    report_text(w, d->key);
    if (d->type == UBI__TIMELINE_TEXT) {
        tell(w, "='");
        report_text(w, d->as.text);
        tell(w, "'");
    } else if (d->type == UBI__TIMELINE_NUMBER) {
        tell(w, "=%g", d->as.number);
    } else {
        tell(w, d->as.is_true ? "=yes" : "=no");
    }
}

/* A line per row: "name start-end thread details stack". No end: open. */
static void report_rows(world *w) {
    for (size_t i = 0; i < w->data.rows.n; i++) {
        const ubi__timeline_row *row = &w->data.rows.at[i];
        report_text(w, row->name);
        tell(w, " %d-", (int)row->start_ns);
        if (row->flags & UBI__TIMELINE_HAS_END)
            tell(w, "%d", (int)row->end_ns);
        tell(w, " %d%s", (int)w->data.threads.at[row->thread].id, row->flags & UBI__TIMELINE_OFF_THREAD ? "*" : "");
        for (unsigned k = 0; k < row->n_details; k++)
            report_detail(w, &w->data.details.at[row->first_detail + k]);
        report_stack(w, row->stack);
        tell(w, "\n");
    }
}

static ubi_status read_bytes(world *w, const bytes *file, const ubi_allocator *allocator) {
    ubi__source source;
    memset(w, 0, sizeof *w);
    ubi__timeline_data_init(&w->data, allocator);
    ubi__source_open_memory(&source, file->at, file->n, ubi_allocator_default());
    ubi_status status = ubi__recording_timeline_read(&w->data, w->fault, &source, NULL, NULL, allocator);
    ubi__source_close(&source);
    if (status != UBI_OK)
        ubi__timeline_data_fini(&w->data);
    return status;
}

static void read_recording(world *w, recording *r) {
    finish_recording(r);
    must(read_bytes(w, &r->file, NULL));
    bytes_free(&r->file);
    report_rows(w);
}

static void assert_reported(const world *w, const char *expected) {
    assert_string_equal(w->told, expected);
    assert_string_equal(w->fault, "");
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static void ends_belong_to_starts_of_their_thread(void **state) {
    (void)state;
    recording r;
    world w;
    open_recording(&r, 1, 2);
    start(&r, "load", 10);
    mark(&r, "load", UBI__UBIREC_MARKER_START, 1, 11, 0, "");
    mark(&r, "now", UBI__UBIREC_MARKER_TIMESTAMP, 1, 12, 0, "");
    end(&r, "load", 13); /* of thread 0, though the other began later */
    mark(&r, "load", UBI__UBIREC_MARKER_END, 1, 20, 0, "");
    mark(&r, "helper", UBI__UBIREC_MARKER_HELPER_EVENT, 0, 21, 0, "");
    end(&r, "never began", 22);
    start(&r, "never ends", 23);
    read_recording(&w, &r);
    assert_reported(&w, "load 10-13 100\nload 11-20 101*\nnow 12-12 101\nnever ends 23- 100\n");
    ubi__timeline_data_fini(&w.data);
}

static void details_are_what_the_json_says(void **state) {
    (void)state;
    recording r;
    world w;
    open_recording(&r, 1, 1);
    mark(&r, "a", UBI__UBIREC_MARKER_TIMESTAMP, 0, 1, 0,
         "{\"causeName\":\"\\u00e4 \\\"b\\\"\",\"n\":-2.5,\"yes\":true,\"no\":false,\"null\":null,\"deep\":{\"x\":[1]},"
         "\"la\\u0073t\":7}");
    mark(&r, "b", UBI__UBIREC_MARKER_START, 0, 2, 0, "{\"first\":1}");
    mark(&r, "b", UBI__UBIREC_MARKER_END, 0, 3, 0, "{\"second\":2}");
    mark(&r, "broken", UBI__UBIREC_MARKER_TIMESTAMP, 0, 4, 0, "{\"good\":1,\"bad");
    mark(&r, "no object", UBI__UBIREC_MARKER_TIMESTAMP, 0, 5, 0, "17");
    mark(&r, "no JSON", UBI__UBIREC_MARKER_TIMESTAMP, 0, 6, 0, "\xff{");
    read_recording(&w, &r);
    assert_reported(&w, "a 1-1 100 causeName='\xc3\xa4 \"b\"' n=-2.5 yes=yes no=no last=7\nb 2-3 100 first=1 second=2\n"
                        "broken 4-4 100 good=1\nno object 5-5 100\nno JSON 6-6 100\n");
    ubi__timeline_data_fini(&w.data);
}

static void console_timers_pair_by_their_label_too(void **state) {
    (void)state;
    recording r;
    world w;
    open_recording(&r, 1, 1);
    mark(&r, "ConsoleTime", UBI__UBIREC_MARKER_START, 0, 1, 0, "{\"causeName\":\"x\"}");
    mark(&r, "ConsoleTime", UBI__UBIREC_MARKER_START, 0, 2, 0, "{\"causeName\":\"y\"}");
    mark(&r, "ConsoleTime", UBI__UBIREC_MARKER_END, 0, 3, 0, "{\"causeName\":\"x\"}");
    mark(&r, "ConsoleTime", UBI__UBIREC_MARKER_END, 0, 4, 0, "{\"causeName\":\"y\"}");
    read_recording(&w, &r);
    assert_non_null(strstr(w.told, "ConsoleTime 1-3 100 causeName='x'"));
    assert_non_null(strstr(w.told, "ConsoleTime 2-4 100 causeName='y'"));
    ubi__timeline_data_fini(&w.data);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------- */

static void stacks_begin_where_the_program_marks(void **state) {
    (void)state;
    const ubi__ubirec_symbol inlined[] = {
        { ubi__text("ubi_marker_emit"), ubi__text("marker.h"), 300, 0 },
        { ubi__text("ubi__marker_open"), ubi__text("marker.h"), 310, 0 },
        { ubi__text("load(char const*)"), ubi__text("load.cc"), 12, 3 },
        { ubi__text("begin"), ubi__text("load.cc"), 20, 0 },
    };
    recording r;
    world w;
    uint32_t module, marks, plain, raw, script, trace;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_module(r.w, &module,
                            &(ubi__ubirec_module_about){ .path = ubi__text("/opt/lib/libx.so"), .end = 1 << 20 }));
    must(ubi__ubirec_native_frame(r.w, &marks, module, 0x1000));
    must(ubi__ubirec_native_frame(r.w, &plain, module, 0x2ab0));
    must(ubi__ubirec_raw_frame(r.w, &raw, 0xdeadbeef));
    must(ubi__ubirec_script_frame(r.w, &script, ubi__text("onload"), ubi__text("a.js"), 5, 2));
    must(ubi__ubirec_trace(r.w, &trace, stack(&r, "(truncated)"), raw));
    must(ubi__ubirec_trace(r.w, &trace, trace, script));
    must(ubi__ubirec_trace(r.w, &trace, trace, plain));
    uint32_t caller = trace;
    must(ubi__ubirec_trace(r.w, &trace, trace, marks));
    mark(&r, "a", UBI__UBIREC_MARKER_TIMESTAMP, 0, 1, trace, "");
    mark(&r, "b", UBI__UBIREC_MARKER_TIMESTAMP, 0, 2, caller, ""); /* a part of the first one */
    must(ubi__ubirec_write_symbols(r.w, marks, inlined, 4));       /* after everything */
    read_recording(&w, &r);
    assert_reported(&w, "a 1-1 100 <load(char const*):12 <begin:20 <libx.so+0x2ab0 <onload:5 <0xdeadbeef <(truncated)\n"
                        "b 2-2 100 <libx.so+0x2ab0 <onload:5 <0xdeadbeef <(truncated)\n");
    assert_int_equal(w.data.frames.n, 6);
    ubi__timeline_data_fini(&w.data);
}

/* ---- the rest of the file ----------------------------------------------------------------------------------------- */

static double sample(const world *w, const char *name, uint64_t time_ns) {
    double value = -1;
    for (size_t i = 0; i < w->data.samples.n; i++) {
        const ubi__timeline_sample *s = &w->data.samples.at[i];
        if (s->time_ns <= time_ns && ubi__text_is(ubi__timeline_text(&w->data, s->name), name))
            value = s->value;
    }
    return value;
}

static void memory_over_time_comes_along(void **state) {
    (void)state;
    recording r;
    world w;
    open_recording(&r, 1, 1);
    must(ubi__ubirec_write_time(r.w, 3000000));
    uint64_t a = allocate(&r, r.heap, 1000, 0);
    must(ubi__ubirec_write_time(r.w, 5000000));
    must(ubi__ubirec_write_rss(r.w, 777));
    must(ubi__ubirec_write_time(r.w, 9000000));
    must(ubi__ubirec_write_free(r.w, a));
    must(ubi__ubirec_write_time(r.w, 20000000));
    must(ubi__ubirec_write_counter(r.w, UBI__UBIREC_LOST_MARKERS, 5));
    read_recording(&w, &r);
    assert_true(sample(&w, "heapLive", 0) == 0);
    assert_true(sample(&w, "heapLive", 3000000) == 1000);
    assert_true(sample(&w, "heapLive", 8000000) == 1000);
    assert_true(sample(&w, "heapLive", 20000000) == 0);
    assert_true(sample(&w, "resident", 4000000) == -1);
    assert_true(sample(&w, "resident", 5000000) == 777);
    assert_int_equal(w.data.n_lost, 5);
    ubi__timeline_data_fini(&w.data);
}

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

/* Names and details of any bytes, and many kinds of stacks. */
static bytes any_recording(uint64_t seed) {
    bytes file = { 0 };
    random_start(seed);
    must(random_ubirec(seed, 3000, keep, &file, NULL, NULL));
    return file;
}

static void whatever_a_recording_has_becomes_rows(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        bytes file = any_recording(seed);
        world w;
        must(read_bytes(&w, &file, NULL));
        assert_true(w.data.rows.n > 0 && w.data.frames.n > 0);
        assert_string_equal(w.fault, "");
        ubi__timeline_data_fini(&w.data);
        bytes_free(&file);
    }
}

/* How many rows the first `n` bytes have; 0 when they are no recording yet. */
static size_t rows_of_prefix(const bytes *file, size_t n) {
    bytes prefix = *file;
    world w;
    prefix.n = n;
    if (read_bytes(&w, &prefix, NULL) != UBI_OK)
        return 0;
    size_t rows = w.data.rows.n;
    ubi__timeline_data_fini(&w.data);
    return rows;
}

static void what_precedes_a_fault_is_kept(void **state) {
    (void)state;
    bytes file = any_recording(3);
    size_t faults = 0, cut = 0;
    for (size_t at = 0; at < file.n; at += 1 + file.n / 200) {
        world w;
        size_t rows_before = rows_of_prefix(&file, at);
        cut += rows_before > 0;
        file.at[at] ^= 0x10;
        if (read_bytes(&w, &file, NULL) == UBI_OK) {
            faults += w.fault[0] != '\0';
            assert_true(w.data.rows.n >= rows_before);
            ubi__timeline_data_fini(&w.data);
        }
        file.at[at] ^= 0x10;
    }
    assert_true(cut > 10 && faults > 10);
    bytes_free(&file);
}

/* @return requests that were refused. What gives memory back may be refused with no harm. */
static uint64_t read_with(const bytes *file, uint64_t n_allowed) {
    fail_allocator f;
    world w;
    fail_allocator_init(&f, n_allowed);
    ubi_status status = read_bytes(&w, file, &f.allocator);
    assert_true(status == UBI_OK || (status == UBI_ENOMEM && f.n_refused > 0));
    if (status == UBI_OK)
        ubi__timeline_data_fini(&w.data);
    uint64_t n_refused = f.n_refused;
    fail_allocator_fini(&f);
    return n_refused;
}

static void a_refused_allocation_ends_it_cleanly(void **state) {
    (void)state;
    recording r;
    open_recording(&r, 1, 2);
    for (uint64_t i = 0; i < 40; i++) {
        mark(&r, i % 3 ? "a" : "b", (ubi__ubirec_marker_type)(i % 3), (uint32_t)(i % 2), i,
             stack(&r, i % 5 ? "x y z" : "q"), i % 2 ? "{\"causeName\":\"\\u00e4\"}" : "");
        allocate(&r, r.heap, 10 + i, 0);
    }
    finish_recording(&r);
    uint64_t n = 0;
    while (read_with(&r.file, n) > 0)
        n++;
    assert_true(n > 30);
    bytes_free(&r.file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_belong_to_starts_of_their_thread),
        cmocka_unit_test(details_are_what_the_json_says),
        cmocka_unit_test(console_timers_pair_by_their_label_too),
        cmocka_unit_test(stacks_begin_where_the_program_marks),
        cmocka_unit_test(memory_over_time_comes_along),
        cmocka_unit_test(whatever_a_recording_has_becomes_rows),
        cmocka_unit_test(what_precedes_a_fault_is_kept),
        cmocka_unit_test(a_refused_allocation_ends_it_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
