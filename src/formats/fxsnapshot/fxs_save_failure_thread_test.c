/* SPDX-License-Identifier: MIT
 *
 * fxs_save_failure_thread_test.c: saves that fail, at every allocation, write and progress call, or are killed; and how much
 * memory they take.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/status.h"
#include "base/text.h"
#include "drawing.h"
#include "fail_allocator.h"
#include "graph_equal.h"
#include "saving.h"

/** Every kind of text, stacks that share and repeat frames, a name above U+00FF. */
static const char small_heap[] =
    "root(type=Root) -> a \"one\", b \"two\", c;"
    "a(class=\xc4\x80 coarse=object stack=f@a.js:5:2<main@a.js:1:2) -> b \"one\";"
    "b(coarse=script file=b.js) -> a; c(coarse=dom desc=div stack=g@a.js:7:2<main@a.js:1:2)";

/** A tree of N nodes with names that differ; node i leads to 3i+1 ... 3i+3. Nothing is in memory. */
enum { TREE = 100000 };

static uint64_t tree_id(ubi_node node) {
    return node.ref * 8 + 8;
}
static ubi_text tree_type(ubi_node node) {
    static const char *const names[] = { "Shape", "JSString", "JSObject" };
    return ubi__text(names[node.ref % 3]);
}
static bool tree_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    static const char *const names[] = { "left", "middle", "right" };
    (void)want_names;
    for (uint64_t i = 0; i < 3; i++) {
        uint64_t child = 3 * node.ref + 1 + i;
        if (child < TREE && !fn(payload, (ubi_node){ node.ops, NULL, child }, ubi__text(names[i])))
            return false;
    }
    return true;
}

static ubi_node tree_root(void) {
    static const ubi_node_ops ops = {
        .version = UBI_NODE_OPS_VERSION, .id = tree_id, .type_name = tree_type, .edges = tree_edges
    };
    return (ubi_node){ &ops, NULL, 0 };
}

static ubi_save_options with_threads(unsigned threads) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.threads = threads;
    return options;
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

#define BUFFERS_BYTES ((1 << 20) + (1 << 16))

static void a_walk_takes_at_most_sixteen_bytes_per_node(void **state) {
    fail_allocator f;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    (void)state;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    options.allocator = &f.allocator;
    options.threads = 2;
    bytes file = saved_walk(tree_root(), &options, NULL);
    assert_true(f.peak_bytes <= 16 * TREE + BUFFERS_BYTES);
    fail_allocator_fini(&f);
    bytes_free(&file);
}

static void a_graph_takes_nothing_per_node(void **state) {
    ubi_graph *g;
    fail_allocator f;
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    (void)state;
    assert_int_equal(ubi_graph_capture(&g, tree_root(), NULL), UBI_OK);
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    options.allocator = &f.allocator;
    options.threads = 2;
    bytes file = saved_graph(g, &options, NULL);
    ubi_graph *again = graph_of_bytes(&file);
    assert_graphs_equal(g, again);
    assert_true(f.peak_bytes <= BUFFERS_BYTES);
    fail_allocator_fini(&f);
    bytes_free(&file);
    ubi_graph_unref(g);
    ubi_graph_unref(again);
}

static void a_second_thread_does_not_change_a_byte(void **state) {
    ubi_save_options options = with_threads(1);
    (void)state;
    options.has_time = true;
    bytes alone = saved_walk(tree_root(), &options, NULL);
    options.threads = 2;
    bytes helped = saved_walk(tree_root(), &options, NULL);
    assert_int_equal(alone.n, helped.n);
    assert_memory_equal(alone.at, helped.at, alone.n);
    bytes_free(&alone);
    bytes_free(&helped);
}

/* ---- allocations -------------------------------------------------------------------------------------------------- */

static ubi_status keep_text(void *payload, ubi_text_role role, ubi_text text, ubi_text *out) {
    (void)payload, (void)role;
    *out = text;
    return UBI_OK;
}

/** `graph` or `root`, in one of the four ways; the file goes to `path`. */
static ubi_status save_somehow(const ubi_graph *graph, ubi_node root, const char *path, int how,
                               const ubi_allocator *a) {
    ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
    options.allocator = a;
    options.threads = how & 1 ? 2 : 1;
    options.map_text = how & 2 ? keep_text : NULL;
    options.compression = how & 4 ? UBI_COMPRESSION_SMALL : UBI_COMPRESSION_DEFAULT;
    return graph ? ubi_graph_save_path(graph, path, &options, NULL) : ubi_save_path(root, path, &options, NULL);
}

static void every_refused_allocation_is_out_of_memory_and_leaves_nothing(void **state) {
    drawing *d = drawing_new(small_heap);
    ubi_graph *g = graph_from_drawing(small_heap);
    char *directory = new_directory(), path[200];
    (void)state;
    snprintf(path, sizeof path, "%s/file", directory);
    for (int how = 0; how < 16; how++) {
        ubi_status status = UBI_ENOMEM;
        for (uint64_t n = 0; status != UBI_OK; n += FAIL_ALLOCATOR_STEP) {
            fail_allocator f;
            fail_allocator_init(&f, n);
            status = save_somehow(how & 8 ? g : NULL, drawing_node(d, "root"), path, how, &f.allocator);
            fail_allocator_fini(&f);
            assert_true(status == UBI_OK || status == UBI_ENOMEM);
            assert_int_equal(count_files(directory), status == UBI_OK);
        }
        assert_int_equal(unlink(path), 0);
    }
    ubi_graph_unref(g);
    drawing_free(d);
    remove_directory(directory);
}

/* ---- writes, progress --------------------------------------------------------------------------------------------- */

static bool write_n_times(void *payload, const void *data, size_t n) {
    (void)data, (void)n;
    return (*(unsigned *)payload)-- > 0;
}

static void every_refused_write_is_reported(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        ubi_status status = UBI_EIO;
        unsigned n_writes = 0;
        for (; status != UBI_OK; n_writes++) {
            ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
            unsigned n_left = n_writes;
            options.threads = threads;
            status = ubi_save_callback(tree_root(), write_n_times, &n_left, &options, NULL);
            assert_true(status == UBI_OK || status == UBI_EIO);
        }
        assert_true(n_writes > 5);
    }
}

typedef struct watch {
    unsigned n_left;
    uint64_t last, total;
} watch;

static bool watch_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    watch *w = payload;
    assert_string_equal(stage, "writing");
    assert_true(done > w->last);
    w->last = done;
    w->total = total;
    return w->n_left-- > 0;
}

static void cancelling_at_any_time_leaves_the_old_file(void **state) {
    char *directory = new_directory(), path[200];
    ubi_status status = UBI_ECANCELLED;
    unsigned n_reports = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/file", directory);
    ubi_graph *old = graph_from_drawing("old"), *now;
    assert_int_equal(ubi_graph_save_path(old, path, NULL, NULL), UBI_OK);
    for (; status != UBI_OK; n_reports++) {
        watch w = { .n_left = n_reports };
        ubi_save_options options = UBI_SAVE_OPTIONS_INIT;
        options.progress = (ubi_progress){ watch_progress, &w };
        status = ubi_save_path(tree_root(), path, &options, NULL);
        assert_int_equal(count_files(directory), 1);
        assert_int_equal(w.total, 0);
        if (status == UBI_OK)
            break;
        assert_int_equal(status, UBI_ECANCELLED);
        assert_int_equal(ubi_graph_read_path(&now, path, NULL, NULL), UBI_OK);
        assert_graphs_equal(old, now);
        ubi_graph_unref(now);
    }
    assert_true(n_reports > 10);
    ubi_graph_unref(old);
    remove_directory(directory);
}

static void a_full_disk_leaves_the_old_file(void **state) {
    char *directory = new_directory(), path[200];
    struct rlimit limit, small;
    (void)state;
    snprintf(path, sizeof path, "%s/file", directory);
    ubi_graph *old = graph_from_drawing("old"), *now;
    assert_int_equal(ubi_graph_save_path(old, path, NULL, NULL), UBI_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    for (rlim_t size = 0; size < 200000; size += 33333) {
        small = (struct rlimit){ size, limit.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        ubi_status status = ubi_save_path(tree_root(), path, NULL, NULL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        assert_int_equal(status, UBI_EIO);
        assert_string_equal(ubi_error_message(), "cannot write: File too large");
        assert_int_equal(count_files(directory), 1);
        assert_int_equal(ubi_graph_read_path(&now, path, NULL, NULL), UBI_OK);
        assert_graphs_equal(old, now);
        ubi_graph_unref(now);
    }
    ubi_graph_unref(old);
    remove_directory(directory);
}

/** A child that saves again and again is killed at some time; what is there can always be read. */
static void a_killed_save_leaves_the_old_file_or_the_new_one(void **state) {
    char *directory = new_directory(), path[200];
    ubi_graph *now;
    (void)state;
    snprintf(path, sizeof path, "%s/file", directory);
    for (unsigned i = 0; i < 12; i++) {
        pid_t child = fork();
        if (child == 0)
            while (ubi_save_path(tree_root(), path, NULL, NULL) == UBI_OK) {
            }
        while (access(path, F_OK) != 0) {
            int status;
            assert_int_equal(waitpid(child, &status, WNOHANG), 0); /* it does not end by itself */
            usleep(1000);
        }
        usleep(i * 3700);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        assert_int_equal(ubi_graph_read_path(&now, path, NULL, NULL), UBI_OK);
        assert_int_equal(ubi_graph_node_count(now), TREE);
        ubi_graph_unref(now);
    }
    assert_int_equal(ubi_save_path(tree_root(), path, NULL, NULL), UBI_OK); /* strays do not matter */
    remove_directory(directory);
}

/* ---- heaps that break the rules ----------------------------------------------------------------------------------- */

/** Fewer edges when asked a second time. */
typedef struct liar {
    unsigned n_calls;
} liar;

static uint64_t liar_id(ubi_node node) {
    return node.ref;
}
static bool liar_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    liar *l = node.heap;
    unsigned n = l->n_calls++ ? 9999 : 10000;
    (void)want_names;
    for (unsigned i = 0; i < n; i++)
        if (!fn(payload, node, (ubi_text){ NULL, 0 }))
            return false;
    return true;
}
static ubi_text no_type(ubi_node node) {
    (void)node;
    return (ubi_text){ NULL, 0 };
}

static void a_heap_that_breaks_the_rules_gives_an_error_and_no_file(void **state) {
    char *directory = new_directory(), path[200];
    static const ubi_node_ops changing = { .id = liar_id, .type_name = tree_type, .edges = liar_edges },
                              untyped = { .id = liar_id, .type_name = no_type, .edges = liar_edges };
    liar l = { 0 };
    (void)state;
    snprintf(path, sizeof path, "%s/file", directory);
    assert_int_equal(ubi_save_path((ubi_node){ &changing, &l, 1 }, path, NULL, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "the edges of a node changed while it was written");
    assert_int_equal(ubi_save_path((ubi_node){ &untyped, &l, 1 }, path, NULL, NULL), UBI_EINVAL);
    assert_string_equal(ubi_error_message(), "node id 1: no type name");
    assert_int_equal(ubi_save_path((ubi_node){ &changing, &l, UINT64_MAX }, path, NULL, NULL), UBI_EINVAL);
    assert_int_equal(count_files(directory), 0);
    remove_directory(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_walk_takes_at_most_sixteen_bytes_per_node),
        cmocka_unit_test(a_graph_takes_nothing_per_node),
        cmocka_unit_test(a_second_thread_does_not_change_a_byte),
        cmocka_unit_test(every_refused_allocation_is_out_of_memory_and_leaves_nothing),
        cmocka_unit_test(every_refused_write_is_reported),
        cmocka_unit_test(cancelling_at_any_time_leaves_the_old_file),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(a_killed_save_leaves_the_old_file_or_the_new_one),
        cmocka_unit_test(a_heap_that_breaks_the_rules_gives_an_error_and_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
