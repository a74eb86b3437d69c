/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all through the fxsnapshot reader. Promises checked (docs/security.md):
 *
 *   - a graph that is handed out passes ubi_graph_check; a refusal has a message and hands out nothing
 *   - how the bytes arrive does not matter: memory, short reads, a second thread
 *   - Firefox's rules accept nothing that the default rules refuse
 *   - all memory is given back, and there is never more of it than the inflated bytes justify
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ubiheap/core/formats.h>

#include "fail_allocator.h"
#include "fuzz_pieces.h"

/* Buffers of the loader, decompressor included, and what a byte of the stream can turn into at most. */
#define FIXED_BYTES (UINT64_C(16) << 20)
#define BYTES_PER_BYTE 64

typedef struct outcome {
    ubi_status status;
    uint32_t n_nodes, n_strings, n_frames;
    uint64_t n_edges;
    char message[256];
} outcome;

static outcome finish(ubi_status status, ubi_graph *g) {
    outcome o = { .status = status };
    require((status == UBI_OK) == (g != NULL), "a graph on failure, or none on success");
    if (!g) {
        snprintf(o.message, sizeof o.message, "%s", ubi_error_message());
        require(o.message[0] && !strchr(o.message, '\n'), "message is not one line");
        return o;
    }
    if (ubi_graph_check(g) != UBI_OK) {
        fprintf(stderr, "fxsnapshot_fuzz: broken graph: %s\n", ubi_error_message());
        abort();
    }
    o.n_nodes = ubi_graph_node_count(g);
    o.n_edges = ubi_graph_edge_count(g);
    o.n_strings = ubi_graph_string_count(g);
    o.n_frames = ubi_graph_frame_count(g);
    ubi_graph_unref(g);
    return o;
}

static bool same(const outcome *a, const outcome *b) {
    return a->status == b->status && a->n_nodes == b->n_nodes && a->n_edges == b->n_edges &&
           a->n_strings == b->n_strings && a->n_frames == b->n_frames && strcmp(a->message, b->message) == 0;
}

static outcome read_memory(const uint8_t *data, size_t size, unsigned threads, ubi_compat compat) {
    fail_allocator f;
    fail_allocator_init(&f, FAIL_ALLOCATOR_NEVER);
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.allocator = &f.allocator;
    options.threads = threads;
    options.compat = compat;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL;
    ubi_status status = ubi_graph_read_memory(&g, data, size, &options, &info);
    outcome o = finish(status, g);
    uint64_t present = info.inflated_bytes > size ? info.inflated_bytes : size;
    if (status == UBI_OK)
        require(f.peak_bytes <= FIXED_BYTES + present * BYTES_PER_BYTE, "more memory than the bytes justify");
    fail_allocator_fini(&f);
    return o;
}

static outcome read_pieces(const uint8_t *data, size_t size) {
    feeder f = { data, size };
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    options.threads = 1;
    ubi_graph *g = NULL;
    ubi_status status = ubi_graph_read_callback(&g, feed, &f, &options, NULL);
    return finish(status, g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    outcome plain = read_memory(data, size, 1, UBI_COMPAT_NONE);
    require(plain.status == UBI_OK || plain.status == UBI_EFORMAT, "neither accepted nor bad input");
    outcome firefox = read_memory(data, size, 1, UBI_COMPAT_FIREFOX);
    require(firefox.status != UBI_OK || same(&firefox, &plain), "Firefox's rules give another graph");
    outcome pieces = read_pieces(data, size);
    require(same(&pieces, &plain), "short reads give another result");
    /* Threads are slow to start: one input in sixteen, chosen by content so that it is the same one each time. */
    if (size && (data[size / 2] & 15) == 0) {
        outcome threaded = read_memory(data, size, 2, UBI_COMPAT_NONE);
        require(same(&threaded, &plain), "a second thread gives another result");
    }
    return 0;
}
