/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all through the .heapsnapshot reader. Promises checked (docs/security.md):
 *
 *   - a graph that is handed out passes ubi_graph_check; a refusal has a message of one line and hands out nothing
 *   - how the bytes arrive does not matter: memory, short reads, a second thread
 *   - what the plain reader accepts is accepted, and gives the same graph
 *   - all memory is given back, and there is never more of it than the inflated bytes justify
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/formats.h>

#include "fail_allocator.h"
#include "fuzz_pieces.h"
#include "plain_v8.h"
#include "v8_equal.h"

/* Buffers of the loader, decompressor included, and what a byte of the stream can turn into at most. */
#define FIXED_BYTES (UINT64_C(16) << 20)
#define BYTES_PER_BYTE 64

typedef struct outcome {
    ubi_status status;
    ubi_graph *graph;
    ubi_read_info info;
    char message[512];
} outcome;

static outcome finish(ubi_status status, ubi_graph *g, const ubi_read_info *info) {
    outcome o = { .status = status, .graph = g, .info = *info };
    require((status == UBI_OK) == (g != NULL), "a graph on failure, or none on success");
    if (g)
        require(ubi_graph_check(g) == UBI_OK, "broken graph");
    else
        snprintf(o.message, sizeof o.message, "%s", ubi_error_message());
    require(g || (o.message[0] && !strchr(o.message, '\n')), "message is not one line");
    return o;
}

static outcome read_memory(const uint8_t *data, size_t size, unsigned threads, const ubi_allocator *a) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL;
    options.allocator = a;
    options.threads = threads;
    ubi_status status = ubi_graph_read_memory(&g, data, size, &options, &info);
    return finish(status, g, &info);
}

static outcome read_pieces(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL;
    options.threads = 1;
    ubi_status status = ubi_graph_read_callback(&g, feed, &f, &options, &info);
    return finish(status, g, &info);
}

static void require_same(const outcome *a, outcome b, const char *what) {
    require(a->status == b.status && strcmp(a->message, b.message) == 0, what);
    if (a->graph && strcmp(a->info.format, "heapsnapshot") == 0)
        require(v8_graphs_differ(a->graph, b.graph) == NULL, what);
    ubi_graph_unref(b.graph);
}

/* -0 is a whole number to the plain reader alone. */
static bool has_minus_zero(const uint8_t *data, size_t size) {
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == '-' && data[i + 1] == '0')
            return true;
    return false;
}

static void compare_plainly(const outcome *o, const uint8_t *data, size_t size) {
    ubi_graph *g = NULL;
    if (has_minus_zero(data, size) || plain_v8_read(&g, data, size) != UBI_OK)
        return;
    require(o->status == UBI_OK, "the plain reader accepts this");
    const char *why = v8_graphs_differ(o->graph, g);
    if (why)
        fprintf(stderr, "v8_fuzz: %s\n", why);
    require(!why, "the plain reader has another graph");
    ubi_graph_unref(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    outcome o = read_memory(data, size, 1, &f.allocator);
    uint64_t present = o.info.inflated_bytes > size ? o.info.inflated_bytes : size;
    if (o.status == UBI_OK)
        require(f.peak_bytes <= FIXED_BYTES + present * BYTES_PER_BYTE, "more memory than the bytes justify");
    require_same(&o, read_pieces(data, size), "short reads give another result");
    /* Threads are slow to start: one input in sixteen, chosen by content so that it is the same one each time. */
    if (size && (data[size / 2] & 15) == 0)
        require_same(&o, read_memory(data, size, 2, NULL), "a second thread gives another result");
    compare_plainly(&o, data, size);
    ubi_graph_unref(o.graph);
    fail_allocator_fini(&f);
    return 0;
}
