/* SPDX-License-Identifier: MIT
 *
 * fxsnapshot_alloc_test.c: loading under pressure. Memory that runs out at any point, input in tiny pieces
 * or ending right before an unreadable page, and callers that change their mind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ubiheap/core/formats.h>

#include "fail_allocator.h"

typedef struct input {
    uint8_t *bytes;
    size_t size;
} input;

/** A file below tests/data/fx. Free `bytes`. */
static input load(const char *name) {
    const char *source_dir = getenv("UBI_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/fx/%s.fxsnapshot", source_dir ? source_dir : ".", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    input in = { malloc(1 << 20), 0 };
    assert_non_null(in.bytes);
    in.size = fread(in.bytes, 1, 1 << 20, file);
    fclose(file);
    return in;
}

/* Files that between them reach every part of the reader: stacks, both tables, all orders, several members. */
static const char *const small_files[] = {
    "crafted/frame-string-order",        "crafted/frame-depth-90",    "crafted/fields-reordered",
    "crafted/domnode-with-desc",         "crafted/script-with-file",  "crafted/unknown-group",
    "crafted/gzip-two-members-boundary", "crafted/zlib-not-gzip",     "crafted/duplicate-node",
    "crafted/missing-referent",          "crafted/frame-ref-unknown", "crafted/gzip-bad-crc",
    "crafted/not-gzip-raw-stream"
};
#define N_SMALL_FILES (sizeof small_files / sizeof *small_files)

static void assert_same_graph(const ubi_graph *a, const ubi_graph *b) {
    assert_int_equal(ubi_graph_node_count(a), ubi_graph_node_count(b));
    assert_true(ubi_graph_edge_count(a) == ubi_graph_edge_count(b));
    assert_int_equal(ubi_graph_string_count(a), ubi_graph_string_count(b));
    assert_int_equal(ubi_graph_frame_count(a), ubi_graph_frame_count(b));
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(a); n++) {
        assert_true(ubi_graph_node_id(a, n) == ubi_graph_node_id(b, n));
        assert_true(ubi_graph_node_size_bytes(a, n) == ubi_graph_node_size_bytes(b, n));
        assert_int_equal(ubi_graph_node_stack(a, n), ubi_graph_node_stack(b, n));
    }
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(a); e++) {
        assert_int_equal(ubi_graph_edge_target(a, e), ubi_graph_edge_target(b, e));
        assert_int_equal(ubi_graph_edge_name(a, e), ubi_graph_edge_name(b, e));
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/** Reads with `n_allowed` allocations; the status. Nothing may be left, and a refusal must be reported as one. */
static ubi_status read_with(const input *in, uint64_t n_allowed, unsigned threads, uint64_t *n_requests) {
    fail_allocator f;
    fail_allocator_init(&f, n_allowed);
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.allocator = &f.allocator;
    options.threads = threads;
    ubi_graph *const untouched = (ubi_graph *)&f;
    ubi_graph *g = untouched;
    ubi_status status = ubi_graph_read_memory(&g, in->bytes, in->size, &options, NULL);
    *n_requests = f.n_requests;
    f.n_allowed = FAIL_ALLOCATOR_NEVER; /* the check needs memory too */
    if (status == UBI_OK) {
        assert_int_equal(ubi_graph_check(g), UBI_OK);
        ubi_graph_unref(g);
    } else {
        assert_ptr_equal(g, untouched);
        assert_true(ubi_error_message()[0] != '\0');
    }
    fail_allocator_fini(&f);
    return status;
}

/** Refuses the n-th allocation for every n (every `step`-th), until none is refused. */
static void try_every_failure(const char *name, unsigned threads, uint64_t step) {
    input in = load(name);
    uint64_t n_requests, ignored;
    ubi_status whole = read_with(&in, FAIL_ALLOCATOR_NEVER, threads, &n_requests);
    assert_true(n_requests > 0);
    for (uint64_t n = 0; n < n_requests; n += step * FAIL_ALLOCATOR_STEP) {
        ubi_status status = read_with(&in, n, threads, &ignored);
        if (status != UBI_ENOMEM && status != whole)
            fail_msg("%s with %llu allocations: status %d, \"%s\"", name, (unsigned long long)n, (int)status,
                     ubi_error_message());
    }
    assert_int_equal(read_with(&in, n_requests, 1, &ignored), whole);
    free(in.bytes);
}

static void running_out_of_memory_anywhere_is_reported_and_leaves_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SMALL_FILES; i++)
        try_every_failure(small_files[i], 1, 1);
}

static void running_out_of_memory_on_two_threads_leaves_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SMALL_FILES; i++)
        try_every_failure(small_files[i], 2, 1);
}

static void running_out_of_memory_in_real_files_leaves_nothing(void **state) {
    (void)state;
    try_every_failure("unreachable", 1, 1);
    try_every_failure("tiny-before", 2, 3);
}

static void memory_of_a_loaded_graph_stays_near_what_it_reports(void **state) {
    (void)state;
    input in = load("tiny-before");
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.allocator = &f.allocator;
    ubi_graph *g = NULL;
    assert_int_equal(ubi_graph_read_memory(&g, in.bytes, in.size, &options, NULL), UBI_OK);
    ubi_graph_memory use = UBI_GRAPH_MEMORY_INIT;
    ubi_graph_memory_use(g, &use);
    uint64_t reported = use.nodes_bytes + use.edges_bytes + use.index_bytes + use.strings_bytes + use.stacks_bytes;
    assert_in_range(f.live_bytes, reported, reported + reported / 20 + 4096);
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    free(in.bytes);
}

/* ---- input ------------------------------------------------------------------------------------------------------- */

typedef struct feeder {
    const input *in;
    size_t at;
    size_t step;    /* bytes per call at most; 0: 1, 2, 3, ... in turn */
    size_t fail_at; /* an error once this many bytes were given */
    unsigned n_calls;
} feeder;

static ptrdiff_t feed(void *payload, void *buffer, size_t size) {
    feeder *f = payload;
    size_t n = f->step ? f->step : ++f->n_calls % 251 + 1;
    if (n > size)
        n = size;
    if (n > f->in->size - f->at)
        n = f->in->size - f->at;
    if (f->at + n > f->fail_at) {
        errno = EIO;
        return -1;
    }
    memcpy(buffer, f->in->bytes + f->at, n);
    f->at += n;
    return (ptrdiff_t)n;
}

static void pieces_of_any_size_give_the_same_graph(void **state) {
    (void)state;
    static const char *const files[] = { "crafted/frame-string-order", "crafted/gzip-two-members-boundary",
                                         "crafted/not-gzip-raw-stream", "unreachable", "tiny-before" };
    static const size_t steps[] = { 0, 1, 2, 3, 7, 4096 };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        input in = load(files[i]);
        ubi_graph *whole = NULL;
        assert_int_equal(ubi_graph_read_memory(&whole, in.bytes, in.size, NULL, NULL), UBI_OK);
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            feeder f = { &in, 0, steps[k], SIZE_MAX, 0 };
            ubi_graph *g = NULL;
            assert_int_equal(ubi_graph_read_callback(&g, feed, &f, NULL, NULL), UBI_OK);
            assert_same_graph(g, whole);
            ubi_graph_unref(g);
        }
        ubi_graph_unref(whole);
        free(in.bytes);
    }
}

static void a_read_error_anywhere_is_reported(void **state) {
    (void)state;
    input in = load("unreachable");
    for (size_t at = 0; at < in.size; at += at < 40 ? 1 : 997) {
        for (unsigned threads = 1; threads <= 2; threads++) {
            feeder f = { &in, 0, 64, at, 0 };
            ubi_read_options options = UBI_READ_OPTIONS_INIT;
            options.threads = threads;
            ubi_graph *g = NULL;
            assert_int_equal(ubi_graph_read_callback(&g, feed, &f, &options, NULL), UBI_EIO);
            assert_null(g);
        }
    }
    free(in.bytes);
}

static void a_pipe_gives_the_same_graph(void **state) {
    (void)state;
    input in = load("crafted/frame-string-order");
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], in.bytes, in.size), (int)in.size); /* fits in the pipe's buffer */
    close(ends[1]);
    ubi_graph *piped = NULL, *whole = NULL;
    assert_int_equal(ubi_graph_read_fd(&piped, ends[0], NULL, NULL), UBI_OK);
    assert_int_equal(fcntl(ends[0], F_GETFD), 0); /* still open */
    close(ends[0]);
    assert_int_equal(ubi_graph_read_memory(&whole, in.bytes, in.size, NULL, NULL), UBI_OK);
    assert_same_graph(piped, whole);
    ubi_graph_unref(piped);
    ubi_graph_unref(whole);
    free(in.bytes);
}

/** Places the file so that its last byte is the last one that may be read. */
static void read_before_guard_page(const char *name) {
    input in = load(name);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (in.size + page - 1) / page * page;
    uint8_t *area = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    assert_int_equal(mprotect(area + room, page, PROT_NONE), 0);
    uint8_t *bytes = area + room - in.size;
    memcpy(bytes, in.bytes, in.size);
    for (size_t size = in.size; size + 24 > in.size && size > 0; size--) { /* cut at the front: ends at the guard */
        ubi_graph *g = NULL;
        if (ubi_graph_read_memory(&g, bytes + (in.size - size), size, NULL, NULL) == UBI_OK)
            ubi_graph_unref(g);
    }
    ubi_graph *g = NULL;
    if (ubi_graph_read_memory(&g, bytes, in.size, NULL, NULL) == UBI_OK)
        ubi_graph_unref(g);
    munmap(area, room + page);
    free(in.bytes);
}

static void nothing_behind_the_input_is_read(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SMALL_FILES; i++)
        read_before_guard_page(small_files[i]);
    read_before_guard_page("crafted/length-past-end");
    read_before_guard_page("crafted/length-varint-cut");
    read_before_guard_page("crafted/gzip-header-only");
    read_before_guard_page("unreachable");
}

/* ---- cancelling -------------------------------------------------------------------------------------------------- */

typedef struct patience {
    uint64_t calls_left;
    uint64_t n_calls;
} patience;

static bool count_down(void *payload, const char *stage, uint64_t done, uint64_t total) {
    patience *p = payload;
    assert_non_null(stage);
    assert_true(total == 0 || done <= total);
    p->n_calls++;
    return p->calls_left-- != 0;
}

static ubi_status read_patiently(const input *in, patience *p, unsigned threads) {
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.allocator = &f.allocator;
    options.threads = threads;
    options.progress = (ubi_progress){ count_down, p };
    ubi_graph *g = NULL;
    ubi_status status = ubi_graph_read_memory(&g, in->bytes, in->size, &options, NULL);
    assert_int_equal(status == UBI_OK, g != NULL);
    ubi_graph_unref(g);
    fail_allocator_fini(&f);
    return status;
}

static void every_progress_call_can_cancel(void **state) {
    (void)state;
    input in = load("tiny-before");
    for (unsigned threads = 1; threads <= 2; threads++) {
        patience all = { UINT64_MAX, 0 };
        assert_int_equal(read_patiently(&in, &all, threads), UBI_OK);
        assert_true(all.n_calls > 0);
        for (uint64_t n = 0; n < all.n_calls; n++) {
            patience p = { n, 0 };
            ubi_status status = read_patiently(&in, &p, threads);
            if (threads > 1 && status == UBI_OK) { /* a helper did more of the work this time: it reports nothing */
                assert_true(n > 0 && p.n_calls <= n);
                continue;
            }
            assert_int_equal(status, UBI_ECANCELLED);
            assert_int_equal(p.n_calls, n + 1); /* not asked again */
        }
    }
    free(in.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_anywhere_is_reported_and_leaves_nothing),
        cmocka_unit_test(running_out_of_memory_on_two_threads_leaves_nothing),
        cmocka_unit_test(running_out_of_memory_in_real_files_leaves_nothing),
        cmocka_unit_test(memory_of_a_loaded_graph_stays_near_what_it_reports),
        cmocka_unit_test(pieces_of_any_size_give_the_same_graph),
        cmocka_unit_test(a_read_error_anywhere_is_reported),
        cmocka_unit_test(a_pipe_gives_the_same_graph),
        cmocka_unit_test(nothing_behind_the_input_is_read),
        cmocka_unit_test(every_progress_call_can_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
