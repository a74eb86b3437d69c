/* SPDX-License-Identifier: MIT
 *
 * small_recording.c: see small_recording.h.
 */
#include "small_recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static ubi_status keep(void *payload, const void *data, size_t n) {
    bytes_add(payload, data, n);
    return UBI_OK;
}

void must(ubi_status status) {
    if (status != UBI_OK)
        fail_msg("%s", ubi_error_message());
}

void open_recording(recording *r, uint64_t period_bytes, unsigned n_threads) {
    ubi__ubirec_about about = { .period_bytes = period_bytes };
    uint32_t thread;
    *r = (recording){ .heap = 0 };
    must(ubi__ubirec_writer_new(&r->w, keep, &r->file, NULL));
    must(ubi__ubirec_write_about(r->w, &about));
    for (unsigned i = 0; i < n_threads; i++)
        must(ubi__ubirec_thread(r->w, &thread, 100 + i, ubi__text("")));
    must(ubi__ubirec_kind(r->w, &r->heap, ubi__text("malloc"), UBI__UBIREC_HEAP));
    must(ubi__ubirec_kind(r->w, &r->mapping, ubi__text("mmap"), UBI__UBIREC_MAPPING));
}

void finish_recording(recording *r) {
    must(ubi__ubirec_flush(r->w));
    ubi__ubirec_writer_free(r->w);
}

void close_recording(recording *r, ubi__recording_summary *s) {
    ubi__source source;
    finish_recording(r);
    ubi__source_open_memory(&source, r->file.at, r->file.n, ubi_allocator_default());
    must(ubi__recording_summary_read(s, &source, NULL, NULL));
    ubi__source_close(&source);
    bytes_free(&r->file);
}

uint32_t stack(recording *r, const char *labels) {
    uint32_t trace = UBI__UBIREC_NO_TRACE;
    while (*labels) {
        size_t n = strcspn(labels, " ");
        uint32_t frame;
        must(ubi__ubirec_label_frame(r->w, &frame, (ubi_text){ labels, n }));
        must(ubi__ubirec_trace(r->w, &trace, trace, frame));
        labels += n + (labels[n] == ' ');
    }
    return trace;
}

uint64_t allocate(recording *r, uint32_t kind, uint64_t size_bytes, uint32_t trace) {
    uint32_t info;
    uint64_t number;
    must(ubi__ubirec_info(r->w, &info, kind, size_bytes, trace, size_bytes));
    must(ubi__ubirec_write_alloc(r->w, &number, info));
    return number;
}

static ubi_status file_keep(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n ? UBI_OK : UBI_EIO;
}

void write_process_recording(const char *path, uint64_t pid, uint64_t size_bytes) {
    const ubi__ubirec_about about = { .pid = pid,
                                      .period_bytes = 1,
                                      .recording = 77,
                                      .start_unix_ns = pid * 1000000000,
                                      .program = ubi__text("/bin/worker") };
    const ubi__ubirec_end end = { .reason = UBI__UBIREC_EXITED };
    recording r = { .heap = 0 };
    uint32_t thread;
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    must(ubi__ubirec_writer_new(&r.w, file_keep, to, NULL));
    must(ubi__ubirec_write_about(r.w, &about));
    must(ubi__ubirec_thread(r.w, &thread, 1, ubi__text("")));
    must(ubi__ubirec_kind(r.w, &r.heap, ubi__text("malloc"), UBI__UBIREC_HEAP));
    allocate(&r, r.heap, size_bytes, stack(&r, "main"));
    must(ubi__ubirec_write_end(r.w, &end));
    must(ubi__ubirec_flush(r.w));
    ubi__ubirec_writer_free(r.w);
    fclose(to);
}
