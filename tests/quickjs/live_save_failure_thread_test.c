/* SPDX-License-Identifier: MIT
 *
 * Saving a heap that lives, when it cannot be done: without memory, without a place to write to, or because nobody wants it
 * any more. Then the heap is as it was and goes on, and so is what lies on the disk. And how much memory it takes.
 */
#include <sys/stat.h>
#include <unistd.h>

#include <ubiheap/core/formats.h>

#include "base/sanitizers.h"
#include "fail_allocator.h"
#include "quickjs_heap.h"
#include "saving.h"

typedef struct subject {
    fail_allocator memory; /* of the tools, and of saving */
    quickjs_heap heap;
    char *folder, path[300];
} subject;

static const char program[] =
    "globalThis.kept = []; for (let i = 0; i < 50; i++) kept.push({ i, name: 'item ' + i, '\\u00e9': [i], f: () => i "
    "});\n"
    "kept.push(new Map([[kept, 1]]), 2n ** 99n, Symbol('s'), (function* () { yield kept; })());";

static void open_subject(subject *s, const char *code) {
    fail_allocator_init(&s->memory, FAIL_ALLOCATOR_NEVER);
    quickjs_heap_open(&s->heap, &s->memory.allocator);
    quickjs_heap_run(&s->heap, "program.js", code);
    JS_RunGC(s->heap.runtime);
    s->folder = new_directory();
    snprintf(s->path, sizeof s->path, "%s/saved.fxsnapshot", s->folder);
}

static void close_subject(subject *s) {
    quickjs_heap_close(&s->heap);
    fail_allocator_fini(&s->memory);
    remove_directory(s->folder);
}

static ubi_status save_to(subject *s, const char *path, unsigned threads) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.allocator = &s->memory.allocator;
    options.threads = threads;
    return ubi_target_save(ubi_quickjs_target(s->heap.tools), NULL, path, &options, NULL);
}

/* What the engine counts, and what the tools hold. */
typedef struct condition {
    JSMemoryUsage engine;
    uint64_t tool_blocks, tool_bytes;
} condition;

static condition condition_of(const subject *s) {
    condition c;
    memset(&c, 0, sizeof c);
    JS_ComputeMemoryUsage(s->heap.runtime, &c.engine);
    c.tool_blocks = s->memory.live_blocks;
    c.tool_bytes = s->memory.live_bytes;
    return c;
}

static void assert_untouched(const subject *s, const condition *before) {
    condition now = condition_of(s);
    assert_memory_equal(&now, before, sizeof now);
    assert_false(JS_IsJobPending(s->heap.runtime));
}

/* It can still run, be walked and be saved. */
static void assert_continues(subject *s) {
    ubi_quickjs_coverage c;
    ubi_graph *graph;
    quickjs_heap_run(&s->heap, "after.js", "kept.push([kept.length]); kept.pop();");
    JS_RunGC(s->heap.runtime);
    assert_int_equal(ubi_quickjs_measure_coverage(s->heap.tools, &c), UBI_OK);
    assert_int_equal(c.overcounts, 0);
    assert_int_equal(c.unreachable_count, 0);
    assert_int_equal(save_to(s, s->path, 1), UBI_OK);
    assert_int_equal(ubi_graph_read_path(&graph, s->path, NULL, NULL), UBI_OK);
    assert_int_equal(ubi_graph_node_count(graph), c.node_count + 1); /* the root list */
    ubi_graph_unref(graph);
    unlink(s->path);
}

/* ---- memory --------------------------------------------------------------------------------------------------------- */

/* Refuses the n-th request from here, and all after it or not. False: there was none such. */
static bool save_with_refusal(subject *s, uint64_t n, bool once, unsigned threads) {
    condition before = condition_of(s);
    s->memory.n_allowed = s->memory.n_requests + n;
    s->memory.n_refused = 0;
    s->memory.once = once;
    ubi_status status = save_to(s, s->path, threads);
    s->memory.n_allowed = FAIL_ALLOCATOR_NEVER;
    bool refused = s->memory.n_refused > 0;
    /* A name of an edge that finds no memory is left out, which is all. */
    if (status == UBI_OK)
        unlink(s->path);
    else
        assert_int_equal(status, UBI_ENOMEM);
    assert_true(refused || status == UBI_OK);
    assert_int_equal(count_files(s->folder), 0);
    assert_untouched(s, &before);
    return refused;
}

static void a_refused_allocation_leaves_heap_and_disk_as_they_were(void **state) {
    subject s;
    (void)state;
    open_subject(&s, program);
    for (unsigned threads = 1; threads <= 2; threads++)
        for (int once = 0; once < 2; once++) {
            uint64_t n = 0;
            while (save_with_refusal(&s, n, once, threads))
                n++;
            assert_true(n > 30);
            assert_continues(&s);
        }
    close_subject(&s);
}

static void memory_is_at_most_24_bytes_per_node(void **state) {
    /* Buffers, and tables of 64 KiB for the ranges of addresses: how many the heap lies in is up to the kernel. */
    enum { BUFFERS_BYTES = (1 << 20) + (4 << 16) };
    subject s;
    ubi_quickjs_coverage c;
    (void)state;
    open_subject(&s,
                 "globalThis.kept = []; for (let i = 0; i < 20000; i++) kept.push({ i, name: 'n' + i, list: [i] });");
    assert_int_equal(ubi_quickjs_measure_coverage(s.heap.tools, &c), UBI_OK);
    assert_true(c.node_count > 60000);
    uint64_t before = s.memory.live_bytes;
    s.memory.peak_bytes = before;
    assert_int_equal(save_to(&s, s.path, 2), UBI_OK);
    print_message("%.1f bytes for each of %llu nodes\n", (double)(s.memory.peak_bytes - before) / (double)c.node_count,
                  (unsigned long long)c.node_count);
    /* Sanitizers put blocks far apart, and a walk has a table for each page of addresses. */
    assert_true(UBI_IS_SANITIZED || s.memory.peak_bytes - before <= 24 * c.node_count + BUFFERS_BYTES);
    assert_int_equal(s.memory.live_bytes, before);
    close_subject(&s);
}

/* ---- writing -------------------------------------------------------------------------------------------------------- */

static void what_cannot_be_written_leaves_the_heap_as_it_was(void **state) {
    static const char *const places[] = { "/dev/null/file", "/dev/full", "/" };
    subject s;
    (void)state;
    open_subject(&s, program);
    condition before = condition_of(&s);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        assert_int_equal(save_to(&s, places[i], 1 + (unsigned)i % 2), UBI_EIO);
        assert_untouched(&s, &before);
    }
    assert_continues(&s);
    close_subject(&s);
}

static bool stop_soon(void *payload, const char *stage, uint64_t done, uint64_t total) {
    unsigned *calls = payload;
    (void)stage, (void)done, (void)total;
    return (*calls)-- > 0;
}

static void who_cancels_keeps_the_older_file(void **state) {
    subject s;
    (void)state;
    open_subject(&s, program);
    assert_int_equal(save_to(&s, s.path, 1), UBI_OK);
    struct stat older, now;
    assert_int_equal(stat(s.path, &older), 0);
    condition before = condition_of(&s);
    unsigned turn = 0, calls = 0;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.progress = (ubi_progress){ stop_soon, &calls };
    options.allocator = &s.memory.allocator;
    for (; turn < 1000; turn++) {
        calls = turn;
        if (ubi_target_save(ubi_quickjs_target(s.heap.tools), NULL, s.path, &options, NULL) != UBI_ECANCELLED)
            break;
        assert_int_equal(stat(s.path, &now), 0);
        assert_true(now.st_ino == older.st_ino && now.st_size == older.st_size);
        assert_int_equal(count_files(s.folder), 1);
        assert_untouched(&s, &before);
    }
    assert_true(turn > 0 && turn < 1000);
    assert_continues(&s);
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_allocation_leaves_heap_and_disk_as_they_were),
        cmocka_unit_test(memory_is_at_most_24_bytes_per_node),
        cmocka_unit_test(what_cannot_be_written_leaves_the_heap_as_it_was),
        cmocka_unit_test(who_cancels_keeps_the_older_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
