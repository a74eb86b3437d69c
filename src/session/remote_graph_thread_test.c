/* SPDX-License-Identifier: MIT
 *
 * remote_graph_thread_test.c: a snapshot that comes in parts of any size becomes the graph of its file; what fails on either side is said.
 *
 * The other side is a snapshot operation that has a file in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/status.h"
#include "session/remote_graph.h"

#define HEAP "tests/data/v8/node20-before.heapsnapshot.gz"

struct ubi__remote {
    const uint8_t *bytes;
    size_t n_bytes, part_bytes;
    size_t n_sent_at_most; /* then the connection breaks; SIZE_MAX: it does not */
    ubi_status fault;      /* what its end is called */
    bool was_refused;
};

static ubi_status parts_send(ubi__remote *r, ubi_write_fn write, void *payload, uint64_t *pause_us) {
    *pause_us = 7;
    for (size_t at = 0; at < r->n_bytes; at += r->part_bytes) {
        size_t n = r->n_bytes - at < r->part_bytes ? r->n_bytes - at : r->part_bytes;
        if (at >= r->n_sent_at_most)
            return ubi__fail(r->fault, "the other side is gone");
        if (!write(payload, r->bytes + at, n)) {
            r->was_refused = true;
            return ubi__fail(UBI_EIO, "cannot write what is transferred");
        }
    }
    return UBI_OK;
}

static const ubi__remote_ops ops = { .snapshot = parts_send };

static uint8_t *file_read(size_t *n) {
    FILE *file = fopen(HEAP, "rbe");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *n = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*n);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *n, file), *n);
    fclose(file);
    return bytes;
}

static ubi_status graph_take(ubi__remote_graph *out, ubi__remote *remote, ubi_progress progress) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.progress = progress;
    options.threads = 2;
    return ubi__remote_graph_take(out, remote, &ops, NULL, &options);
}

static void parts_of_any_size_are_the_file(void **state) {
    static const size_t parts[] = { 1, 1000, (size_t)100 << 20 };
    ubi__remote remote = { .n_sent_at_most = SIZE_MAX };
    ubi_graph *expected;
    (void)state;
    uint8_t *bytes = file_read(&remote.n_bytes);
    remote.bytes = bytes;
    assert_int_equal(ubi_graph_read_path(&expected, HEAP, NULL, NULL), UBI_OK);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ubi__remote_graph heap;
        remote.part_bytes = parts[i];
        assert_int_equal(graph_take(&heap, &remote, (ubi_progress){ NULL, NULL }), UBI_OK);
        assert_int_equal(ubi_graph_node_count(heap.graph), ubi_graph_node_count(expected));
        assert_int_equal(ubi_graph_edge_count(heap.graph), ubi_graph_edge_count(expected));
        assert_string_equal(heap.info.format, "heapsnapshot");
        assert_int_equal(heap.size_bytes, remote.n_bytes);
        assert_int_equal(heap.pause_us, 7);
        ubi_graph_unref(heap.graph);
    }
    ubi_graph_unref(expected);
    free(bytes);
}

static void a_connection_that_breaks_is_what_failed(void **state) {
    static const size_t ends[] = { 0, 1, 70000 };
    ubi__remote remote = { .part_bytes = 1000 };
    ubi__remote_graph heap = { .graph = NULL };
    (void)state;
    uint8_t *bytes = file_read(&remote.n_bytes);
    remote.bytes = bytes;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        for (size_t k = 0; k < 2; k++) {
            remote.n_sent_at_most = ends[i];
            remote.fault = k ? UBI_ECANCELLED : UBI_EIO;
            assert_int_equal(graph_take(&heap, &remote, (ubi_progress){ NULL, NULL }), remote.fault);
            assert_string_equal(ubi_error_message(), "the other side is gone");
            assert_null(heap.graph);
        }
    free(bytes);
}

/* More than the buffer holds, so that it is refused while it comes. */
static void what_is_not_a_snapshot_is_refused_while_it_comes(void **state) {
    ubi__remote remote = { .part_bytes = 100000, .n_bytes = (size_t)16 << 20, .n_sent_at_most = SIZE_MAX };
    ubi__remote_graph heap = { .graph = NULL };
    (void)state;
    uint8_t *bytes = malloc(remote.n_bytes);
    assert_non_null(bytes);
    memset(bytes, '{', remote.n_bytes);
    remote.bytes = bytes;
    assert_int_equal(graph_take(&heap, &remote, (ubi_progress){ NULL, NULL }), UBI_EFORMAT);
    assert_true(remote.was_refused);
    assert_null(heap.graph);
    free(bytes);
}

static void an_empty_snapshot_is_none(void **state) {
    ubi__remote remote = { .part_bytes = 1, .n_sent_at_most = SIZE_MAX };
    ubi__remote_graph heap = { .graph = NULL };
    (void)state;
    assert_int_equal(graph_take(&heap, &remote, (ubi_progress){ NULL, NULL }), UBI_EFORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_any_size_are_the_file),
        cmocka_unit_test(a_connection_that_breaks_is_what_failed),
        cmocka_unit_test(what_is_not_a_snapshot_is_refused_while_it_comes),
        cmocka_unit_test(an_empty_snapshot_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
