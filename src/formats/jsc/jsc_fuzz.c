/* SPDX-License-Identifier: MIT
 *
 * Any bytes at all through the reader of JavaScriptCore's heap snapshots. Promises checked (docs/security.md):
 *
 *   - a graph that is handed out passes ubi_graph_check; a refusal has a message of one line and hands out nothing
 *   - short reads give the same result
 *   - all memory is given back, and there is never more of it than the inflated bytes justify
 */
#include <stdio.h>
#include <string.h>

#include <ubiheap/core/formats.h>

#include "fail_allocator.h"
#include "fuzz_pieces.h"

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

static void require_same(const outcome *a, const outcome *b) {
    require(a->status == b->status && strcmp(a->message, b->message) == 0, "short reads give another result");
    if (!a->graph)
        return;
    require(ubi_graph_node_count(a->graph) == ubi_graph_node_count(b->graph), "short reads give other nodes");
    require(ubi_graph_edge_count(a->graph) == ubi_graph_edge_count(b->graph), "short reads give other edges");
    for (ubi_node_ix n = 0; n < ubi_graph_node_count(a->graph); n++)
        require(ubi_graph_node_id(a->graph, n) == ubi_graph_node_id(b->graph, n), "short reads give other ids");
    for (ubi_edge_ix e = 0; e < ubi_graph_edge_count(a->graph); e++)
        require(ubi_graph_edge_target(a->graph, e) == ubi_graph_edge_target(b->graph, e), "other targets");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT, short_info = UBI_READ_INFO_INIT;
    ubi_graph *g = NULL, *again = NULL;
    feeder f = { data, size };
    fail_allocator counted;
    fail_allocator_init(&counted, FAIL_ALLOCATOR_NEVER);
    options.threads = 1;
    options.allocator = &counted.allocator;
    ubi_status status = ubi_graph_read_memory(&g, data, size, &options, &info);
    outcome o = finish(status, g, &info);
    uint64_t present = info.inflated_bytes > size ? info.inflated_bytes : size;
    if (o.status == UBI_OK)
        require(counted.peak_bytes <= FIXED_BYTES + present * BYTES_PER_BYTE, "more memory than the bytes justify");
    options.allocator = NULL;
    status = ubi_graph_read_callback(&again, feed, &f, &options, &short_info);
    outcome pieces = finish(status, again, &short_info);
    require_same(&o, &pieces);
    ubi_graph_unref(pieces.graph);
    ubi_graph_unref(o.graph);
    fail_allocator_fini(&counted);
    return 0;
}
