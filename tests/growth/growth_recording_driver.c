/* SPDX-License-Identifier: MIT
 *
 * growth_recording_driver.c: recordings that are made to hurt, for the tests of growth.
 *
 *     growth_recording_driver SHAPE N FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "recording/ubirec_writer.h"

typedef struct maker {
    ubi__ubirec_writer *w;
    uint32_t n, module, malloc_kind;
} maker;

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "growth_recording_driver: %s\n", ubi_error_message());
    exit(1);
}

static ubi_status write_file(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n ? UBI_OK : UBI_EIO;
}

static const char *numbered(char out[64], const char *format, uint32_t number) {
    snprintf(out, 64, format, number);
    return out;
}

static uint32_t frame_of(const maker *m, uint32_t number) {
    char name[64], file[64];
    uint32_t frame;
    must(ubi__ubirec_native_frame(m->w, &frame, m->module, 16 * (uint64_t)number + 16));
    ubi__ubirec_symbol symbol = { ubi__text(numbered(name, "function_%u", number)),
                                  ubi__text(numbered(file, "/src/file%u.c", number % 100)), number + 1, 0 };
    must(ubi__ubirec_write_symbols(m->w, frame, &symbol, 1));
    return frame;
}

static uint32_t on_top(const maker *m, uint32_t caller, uint32_t frame) {
    uint32_t trace;
    must(ubi__ubirec_trace(m->w, &trace, caller, frame));
    return trace;
}

static uint64_t allocate(const maker *m, uint32_t kind, uint64_t size_bytes, uint32_t trace) {
    uint32_t info;
    uint64_t number;
    must(ubi__ubirec_info(m->w, &info, kind, size_bytes, trace, size_bytes));
    must(ubi__ubirec_write_alloc(m->w, &number, info));
    return number;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* Each allocation has a place of its own. */
static void make_places(const maker *m) {
    uint32_t root = on_top(m, UBI__UBIREC_NO_TRACE, frame_of(m, 0));
    for (uint32_t i = 1; i <= m->n; i++)
        allocate(m, m->malloc_kind, 16 + i % 50, on_top(m, root, frame_of(m, i)));
}

/* One place, called from everywhere: it looks like a wrapper, and so do those that call it. */
static void make_wrapper(const maker *m) {
    uint32_t inner = frame_of(m, 0), outer = frame_of(m, 1);
    for (uint32_t i = 2; i < m->n + 2; i++)
        allocate(m, m->malloc_kind, 16 + i, on_top(m, on_top(m, on_top(m, 0, frame_of(m, i)), outer), inner));
}

/* An allocation at every depth of one stack. */
static void make_deep(const maker *m) {
    uint32_t trace = UBI__UBIREC_NO_TRACE;
    for (uint32_t i = 0; i < m->n; i++) {
        trace = on_top(m, trace, frame_of(m, i));
        allocate(m, m->malloc_kind, 64, trace);
    }
}

/* The same, in two functions that call each other. */
static void make_recursion(const maker *m) {
    uint32_t trace = UBI__UBIREC_NO_TRACE, frames[] = { frame_of(m, 0), frame_of(m, 1) };
    for (uint32_t i = 0; i < m->n; i++) {
        trace = on_top(m, trace, frames[i % 2]);
        allocate(m, m->malloc_kind, 64, trace);
    }
}

static void make_threads(const maker *m) {
    char name[64];
    uint32_t thread, trace = on_top(m, UBI__UBIREC_NO_TRACE, frame_of(m, 0));
    for (uint32_t i = 0; i < m->n; i++) {
        must(ubi__ubirec_thread(m->w, &thread, 5000 + i, ubi__text(numbered(name, "worker %u", i % 100))));
        must(ubi__ubirec_write_thread(m->w, thread));
        must(ubi__ubirec_write_free(m->w, allocate(m, m->malloc_kind, 100, trace)));
        allocate(m, m->malloc_kind, 200, trace);
    }
}

static void make_kinds(const maker *m) {
    char name[64];
    uint32_t kind, trace = on_top(m, UBI__UBIREC_NO_TRACE, frame_of(m, 0));
    for (uint32_t i = 0; i < m->n; i++) {
        must(ubi__ubirec_kind(m->w, &kind, ubi__text(numbered(name, "kind %u", i)),
                              i % 2 ? UBI__UBIREC_HEAP : UBI__UBIREC_MAPPING));
        allocate(m, kind, 100, trace);
    }
}

static void make_modules(const maker *m) {
    char path[64];
    for (uint32_t i = 0; i < m->n; i++) {
        uint64_t bias = (i + UINT64_C(1)) << 32;
        uint32_t module, frame;
        ubi__ubirec_module_about about = {
            ubi__text(numbered(path, "/nowhere/lib%u.so", i)), NULL, 0, bias, bias, bias + 0x100000
        };
        must(ubi__ubirec_module(m->w, &module, &about));
        must(ubi__ubirec_native_frame(m->w, &frame, module, 16));
        allocate(m, m->malloc_kind, 100, on_top(m, UBI__UBIREC_NO_TRACE, frame));
    }
}

/* Everything lives until the end, then is freed in another order; time and memory go on. */
static void make_live(const maker *m) {
    uint32_t trace = on_top(m, UBI__UBIREC_NO_TRACE, frame_of(m, 0));
    for (uint32_t i = 0; i < m->n; i++) {
        allocate(m, m->malloc_kind, 16 + i, trace);
        must(ubi__ubirec_write_time(m->w, (i + UINT64_C(1)) * 1000000));
        must(ubi__ubirec_write_rss(m->w, (i + UINT64_C(1)) << 12));
    }
    for (uint32_t i = 0; i < m->n; i += 2)
        must(ubi__ubirec_write_free(m->w, i));
    for (uint32_t i = m->n; i-- > 0;)
        if (i % 2)
            must(ubi__ubirec_write_free(m->w, i));
}

static void mark(const maker *m, const char *name, ubi__ubirec_marker_type type, uint64_t time_ns, uint32_t trace) {
    must(ubi__ubirec_write_time(m->w, time_ns));
    must(ubi__ubirec_write_marker(
        m->w, &(ubi__ubirec_marker){ .name = ubi__text(name), .time_ns = time_ns, .type = type, .trace = trace }));
}

/* Markers within markers, each of a name of its own, with an allocation in each. */
static void make_nested_markers(const maker *m) {
    char name[64];
    uint32_t trace = on_top(m, UBI__UBIREC_NO_TRACE, frame_of(m, 0));
    for (uint32_t i = 0; i < m->n; i++) {
        mark(m, numbered(name, "step %u", i), UBI__UBIREC_MARKER_START, (i + UINT64_C(1)) * 1000, trace);
        allocate(m, m->malloc_kind, 100, trace);
    }
    for (uint32_t i = m->n; i-- > 0;)
        mark(m, numbered(name, "step %u", i), UBI__UBIREC_MARKER_END, (2 * m->n - i + UINT64_C(1)) * 1000, 0);
}

/* Markers that never end, all of one name; and others that begin and end within. */
static void make_open_markers(const maker *m) {
    uint32_t trace = on_top(m, UBI__UBIREC_NO_TRACE, frame_of(m, 0));
    for (uint32_t i = 0; i < m->n; i++) {
        uint64_t time_ns = (i + UINT64_C(1)) * 3000;
        mark(m, "never ends", UBI__UBIREC_MARKER_START, time_ns, trace);
        mark(m, "ends", UBI__UBIREC_MARKER_START, time_ns + 1000, trace);
        allocate(m, m->malloc_kind, 100, trace);
        mark(m, "ends", UBI__UBIREC_MARKER_END, time_ns + 2000, trace);
    }
}

static const struct {
    const char *name;
    void (*make)(const maker *m);
} shapes[] = {
    { "places", make_places },
    { "wrapper", make_wrapper },
    { "deep", make_deep },
    { "recursion", make_recursion },
    { "threads", make_threads },
    { "kinds", make_kinds },
    { "modules", make_modules },
    { "live", make_live },
    { "nested_markers", make_nested_markers },
    { "open_markers", make_open_markers },
};

static void make(const char *shape, uint32_t n, FILE *file) {
    maker m = { .n = n };
    uint32_t thread;
    must(ubi__ubirec_writer_new(&m.w, write_file, file, NULL));
    ubi__ubirec_about about = {
        .program = ubi__text("/opt/demo/server"), .pid = 4711, .period_bytes = 1, .page_bytes = 4096
    };
    ubi__ubirec_module_about module = { ubi__text("/opt/demo/server"), NULL, 0, 0, 0, UINT64_C(1) << 30 };
    must(ubi__ubirec_write_about(m.w, &about));
    must(ubi__ubirec_thread(m.w, &thread, 4711, ubi__text("server")));
    must(ubi__ubirec_module(m.w, &m.module, &module));
    must(ubi__ubirec_kind(m.w, &m.malloc_kind, ubi__text("malloc"), UBI__UBIREC_HEAP));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].name, shape) == 0)
            shapes[i].make(&m);
    must(ubi__ubirec_write_end(m.w, &(ubi__ubirec_end){ UBI__UBIREC_EXITED, 0 }));
    must(ubi__ubirec_flush(m.w));
    ubi__ubirec_writer_free(m.w);
}

int main(int argc, char **argv) {
    FILE *file = argc == 4 ? fopen(argv[3], "wb") : NULL;
    if (!file) {
        fputs("usage: growth_recording_driver SHAPE N FILE\n", stderr);
        return 2;
    }
    make(argv[1], (uint32_t)strtoul(argv[2], NULL, 10), file);
    return fclose(file) == 0 ? 0 : 1;
}
