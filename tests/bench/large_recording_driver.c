/* SPDX-License-Identifier: MIT
 *
 * large_recording_driver.c: a recording as large as that of a C++ compiler at work, for tests and measurements.
 *
 *     large_recording_driver FILE
 *
 * 968,000 stacks, 3.7 million allocations of over two million kinds of (size, stack), and half a million that live at a time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "random_numbers.h"
#include "recording/ubirec_writer.h"

#define STACKS 968000u
#define FRAMES 60000u
#define ALLOCATIONS 3700000u
#define HELD 500000u

static void must(ubi_status status) {
    if (status == UBI_OK)
        return;
    fprintf(stderr, "large_recording_driver: %s\n", ubi_error_message());
    exit(1);
}

static ubi_status write_file(void *payload, const void *data, size_t n) {
    return fwrite(data, 1, n, payload) == n ? UBI_OK : UBI_EIO;
}

static uint32_t make_frames(ubi__ubirec_writer *w) {
    ubi__ubirec_module_about about = { ubi__text("/opt/demo/compiler"), NULL, 0, 0, 0, 1u << 30 };
    uint32_t module, frame = 0;
    char name[64];
    must(ubi__ubirec_module(w, &module, &about));
    for (uint32_t i = 0; i < FRAMES; i++) {
        must(ubi__ubirec_native_frame(w, &frame, module, 16 * (uint64_t)i));
        snprintf(name, sizeof name, "compile_function_%u(tree_node*)", i / 4);
        ubi__ubirec_symbol symbol = { ubi__text(name), ubi__text("/src/compiler/file.cc"), i, 0 };
        must(ubi__ubirec_write_symbols(w, frame, &symbol, 1));
    }
    return frame;
}

/* On top of one of the last few, so that stacks grow deep, but sometimes far below. */
static uint32_t make_stack(ubi__ubirec_writer *w, uint32_t n) {
    uint32_t back = random_below(8) ? 1 + random_below(12) : 1 + random_below(20000), trace;
    uint32_t caller = n > back && n % 64 ? n - back : n / 64;
    must(ubi__ubirec_trace(w, &trace, caller, random_below(FRAMES)));
    return trace;
}

static void make_events(ubi__ubirec_writer *w) {
    uint64_t *held = calloc(HELD, sizeof *held);
    uint32_t kind, n_stacks = 0, info;
    if (!held)
        exit(1);
    must(ubi__ubirec_kind(w, &kind, ubi__text("malloc"), UBI__UBIREC_HEAP));
    for (uint32_t i = 0; i < ALLOCATIONS; i++) {
        uint64_t size = 16 * (1 + random_below(random_below(4) ? 3 : 100)), number;
        bool is_new = n_stacks < STACKS && i % 3 == 0;
        if (is_new)
            n_stacks = make_stack(w, n_stacks);
        uint32_t trace = is_new ? n_stacks : 1 + random_below(n_stacks);
        must(ubi__ubirec_info(w, &info, kind, size, trace, size));
        must(ubi__ubirec_write_alloc(w, &number, info));
        uint64_t *place = &held[random_below(HELD)];
        if (*place)
            must(ubi__ubirec_write_free(w, *place - 1));
        *place = number + 1;
        if (i % 1000 == 0)
            must(ubi__ubirec_write_time(w, (uint64_t)i * 1000));
    }
    free(held);
}

int main(int argc, char **argv) {
    ubi__ubirec_about about = { .program = ubi__text("/opt/demo/compiler"), .period_bytes = 1 };
    ubi__ubirec_end end = { UBI__UBIREC_EXITED, 0 };
    ubi__ubirec_writer *w;
    uint32_t thread;
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (!file)
        return 2;
    random_start(1);
    must(ubi__ubirec_writer_new(&w, write_file, file, NULL));
    must(ubi__ubirec_write_about(w, &about));
    must(ubi__ubirec_thread(w, &thread, 1, ubi__text("compiler")));
    make_frames(w);
    make_events(w);
    must(ubi__ubirec_write_end(w, &end));
    must(ubi__ubirec_flush(w));
    ubi__ubirec_writer_free(w);
    return fclose(file) == 0 ? 0 : 1;
}
