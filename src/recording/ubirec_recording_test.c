/* SPDX-License-Identifier: MIT
 *
 * ubirec_recording_test.c: recording files as tables of names, traces and events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "fail_allocator.h"
#include "packing.h"
#include "recording/ubirec_recording.h"
#include "recording/ubirec_writer.h"
#include "ubirec_lines.h"

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

static void must(ubi_status status) {
    if (status != UBI_OK)
        fail_msg("%s", ubi_error_message());
}

static ubi_status read_recording(void *payload, const ubi_allocator *allocator) {
    const bytes *file = payload;
    ubi__source source;
    ubi__recording r;
    ubi__source_open_memory(&source, file->at, file->n, allocator);
    ubi_status status = ubi__recording_read(&r, &source, allocator);
    ubi__source_close(&source);
    if (status == UBI_OK)
        ubi__recording_fini(&r);
    return status;
}

static void assert_stack(const ubi__recording *r, ubi__trace_ix trace, const char *const *names) {
    for (; *names; names++) {
        ubi_text name = ubi__strtab_get(&r->traces.names, r->traces.rows.at[trace].name);
        if (!ubi__text_is(name, *names))
            fail_msg("expected %s, got %.*s", *names, (int)name.len, name.ptr);
        trace = r->traces.rows.at[trace].parent;
    }
    assert_int_equal(trace, UBI__TRACE_ROOT);
}

static void assert_event(const ubi__event *e, bool is_free, uint64_t allocation, uint64_t weight, uint64_t time_ns) {
    assert_int_equal(e->is_free, is_free);
    assert_int_equal(e->allocation, allocation);
    assert_int_equal(e->weight_bytes, weight);
    assert_int_equal(e->time_ns, time_ns);
}

/* Four frames of four types; the native one is known, with a function inlined into it, by a record at the very end. */
static uint32_t make_stack(ubi__ubirec_writer *w, uint32_t *native) {
    static const uint8_t id[] = { 1 };
    const ubi__ubirec_module_about about = { ubi__text("/usr/lib/libx.so.1"), id, 1, 0, 0, 9 };
    uint32_t module, frames[4], trace = UBI__UBIREC_NO_TRACE;
    must(ubi__ubirec_module(w, &module, &about));
    must(ubi__ubirec_label_frame(w, &frames[0], ubi__text("(truncated)")));
    must(ubi__ubirec_script_frame(w, &frames[1], ubi__text("run"), ubi__text("a.js"), 3, 4));
    must(ubi__ubirec_native_frame(w, &frames[2], module, 0x1a2b));
    must(ubi__ubirec_native_frame(w, &frames[3], module, 0x99));
    for (int i = 0; i < 4; i++)
        must(ubi__ubirec_trace(w, &trace, trace, frames[i]));
    *native = frames[2];
    return trace;
}

static void a_file_becomes_names_traces_and_events(void **state) {
    static const char *const expected[] = { "libx.so.1+0x99", "inner (/src/x.c:7)", "outer (/src/x.c)",
                                            "run (a.js:3:4)", "(truncated)",        NULL };
    bytes file = { 0 };
    ubi__ubirec_writer *w;
    ubi__ubirec_about about = { .period_bytes = 4096 };
    ubi__source source;
    ubi__recording r;
    uint32_t thread, native, kind, mapping, info, mapped;
    uint64_t a, b;
    (void)state;
    must(ubi__ubirec_writer_new(&w, keep, &file, NULL));
    must(ubi__ubirec_write_about(w, &about));
    must(ubi__ubirec_thread(w, &thread, 77, ubi__text("")));
    uint32_t trace = make_stack(w, &native);
    must(ubi__ubirec_kind(w, &mapping, ubi__text("mmap"), UBI__UBIREC_MAPPING));
    must(ubi__ubirec_kind(w, &kind, ubi__text("malloc"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_info(w, &info, kind, 10, trace, 4101));
    must(ubi__ubirec_info(w, &mapped, mapping, 10, trace, 4101));
    must(ubi__ubirec_write_time(w, 5));
    must(ubi__ubirec_write_alloc(w, &a, mapped));
    must(ubi__ubirec_write_alloc(w, &b, info));
    must(ubi__ubirec_write_time(w, 9));
    must(ubi__ubirec_write_free(w, b));
    must(ubi__ubirec_write_free_undone(w, b, info));
    must(ubi__ubirec_write_free(w, b));
    must(ubi__ubirec_write_free(w, a));
    const ubi__ubirec_symbol symbols[] = { { ubi__text("inner"), ubi__text("/src/x.c"), 7, 0 },
                                           { ubi__text("outer"), ubi__text("/src/x.c"), 0, 0 } };
    must(ubi__ubirec_write_symbols(w, native, symbols, 2));
    must(ubi__ubirec_flush(w));
    ubi__ubirec_writer_free(w);
    ubi__source_open_memory(&source, file.at, file.n, ubi_allocator_default());
    must(ubi__recording_read(&r, &source, NULL));
    ubi__source_close(&source);
    assert_int_equal(r.period_bytes, 4096);
    assert_int_equal(r.events.n, 3);
    assert_event(&r.events.at[0], false, 2, 4101, 5);
    assert_event(&r.events.at[1], true, 2, 0, 9); /* withdrawn */
    assert_event(&r.events.at[2], true, 2, 4101, 9);
    assert_int_equal(r.events.at[2].thread, 77);
    assert_true(ubi__text_is(ubi__strtab_get(&r.kinds, r.events.at[0].kind), "malloc"));
    assert_stack(&r, r.events.at[0].trace, expected);
    ubi__recording_fini(&r);
    bytes_free(&file);
}

static void every_free_repeats_its_allocation(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        bytes file = { 0 };
        ubi__source source;
        ubi__recording r;
        must(random_ubirec(seed, 2000, keep, &file, NULL, NULL));
        ubi__source_open_memory(&source, file.at, file.n, ubi_allocator_default());
        must(ubi__recording_read(&r, &source, NULL));
        ubi__source_close(&source);
        size_t n_frees = 0;
        for (size_t i = 0, k; i < r.events.n; i++) {
            const ubi__event *e = &r.events.at[i];
            assert_true(e->trace < r.traces.rows.n && e->kind < ubi__strtab_count(&r.kinds));
            if (!e->is_free)
                continue;
            for (k = 0; r.events.at[k].is_free || r.events.at[k].allocation != e->allocation; k++)
                assert_true(k < i);
            assert_true(e->weight_bytes == 0 || e->weight_bytes == r.events.at[k].weight_bytes);
            assert_int_equal(e->trace, r.events.at[k].trace);
            n_frees++;
        }
        assert_true(n_frees > 50);
        ubi__recording_fini(&r);
        bytes_free(&file);
    }
}

static void no_refused_memory_is_missed(void **state) {
    bytes file = { 0 };
    (void)state;
    must(random_ubirec(3, 600, keep, &file, NULL, NULL));
    assert_true(fail_each_allocation(read_recording, &file) > 20);
    bytes_free(&file);
}

static void programs_open_files(void **state) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096];
    ubi_recording *recording = NULL;
    int64_t live_bytes = 0, all_bytes = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/ubirec/server.ubirec", source_dir ? source_dir : ".");
    must(ubi_recording_open(&recording, path, NULL));
    assert_true(ubi__text_is(ubi_recording_name(recording, 0), "(unknown)"));
    assert_int_equal(ubi_recording_period_bytes(recording), 1);
    for (uint64_t i = 0; i < ubi_recording_event_count(recording); i++) {
        ubi_recorded_event event = ubi_recording_event(recording, i);
        int64_t bytes_of = (int64_t)event.weight_bytes;
        live_bytes += event.is_free ? -bytes_of : bytes_of;
        all_bytes += event.is_free ? 0 : bytes_of;
        assert_true(event.trace < ubi_recording_trace_count(recording));
    }
    assert_int_equal(live_bytes, 1343488 + 56); /* of the report: heap and objects */
    assert_int_equal(all_bytes, 4123837 + 1802240 + 56);
    ubi_recording_free(recording);
    snprintf(path, sizeof path, "%s/README.md", source_dir ? source_dir : ".");
    assert_int_equal(ubi_recording_open(&recording, path, NULL), UBI_EFORMAT);
    assert_int_equal(ubi_recording_open(&recording, "no/such/file", NULL), UBI_EIO);
}

static ubi_status file_open(void *path, const ubi_allocator *allocator) {
    ubi_recording *recording;
    UBI_TRY(ubi_recording_open(&recording, path, allocator));
    ubi_recording_free(recording);
    return UBI_OK;
}

static void no_refused_memory_of_a_file_is_missed(void **state) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s/tests/data/ubirec/few.ubirec", source_dir ? source_dir : ".");
    assert_true(fail_each_allocation(file_open, path) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_becomes_names_traces_and_events),
        cmocka_unit_test(every_free_repeats_its_allocation),
        cmocka_unit_test(no_refused_memory_is_missed),
        cmocka_unit_test(programs_open_files),
        cmocka_unit_test(no_refused_memory_of_a_file_is_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
