/* SPDX-License-Identifier: MIT
 *
 * coverage.h: how complete a walk is, by what the engine itself counts.
 */
#ifndef UBI_QUICKJS_COVERAGE_H
#define UBI_QUICKJS_COVERAGE_H

#include "engines/quickjs/adapter/node_ops.h"

typedef struct ubi__reach {
    uint64_t *seen;   /* a bit per node */
    uint32_t *queue;  /* nodes whose edges wait */
    uint32_t n_queue; /* ends at the number of nodes: each enters once */
    uint64_t edges;
} ubi__reach;

static bool ubi__reach_node(void *payload, ubi_node referent, ubi_text name) {
    ubi__reach *reach = payload;
    uint64_t bit = UINT64_C(1) << (referent.ref & 63);
    reach->edges++;
    if (!(reach->seen[referent.ref >> 6] & bit)) {
        reach->seen[referent.ref >> 6] |= bit;
        reach->queue[reach->n_queue++] = (uint32_t)referent.ref;
    }
    return true;
}

static void ubi__sum_up(ubi_quickjs *tools, const ubi__reach *reach, ubi_quickjs_coverage *out) {
    const ubi__walk_state *walk = &tools->walk;
    out->node_count = walk->index.n_nodes;
    out->malloc_bytes = ubi__used_heap_bytes(tools->runtime);
    out->overcounts = walk->overcounts;
    out->root_count = walk->n_roots;
    for (uint32_t i = 0; i < walk->index.n_nodes; i++) {
        uint64_t bytes =
            ubi__shallow_bytes(tools->runtime, ubi__index_address(&walk->index, i), ubi__index_kind(&walk->index, i));
        out->size_bytes += bytes;
        if (!(reach->seen[i >> 6] >> (i & 63) & 1)) {
            out->unreachable_count++;
            out->unreachable_bytes += bytes;
        }
    }
}

/* The heap is frozen. Edges of what is not reached are counted, too, without reaching anything. */
static bool ubi__count_edge_only(void *payload, ubi_node referent, ubi_text name) {
    ++*(uint64_t *)payload;
    return true;
}

static ubi_status ubi__cover(ubi_quickjs *tools, ubi_node root, ubi_quickjs_coverage *out) {
    const ubi_allocator *a = tools->allocator;
    uint32_t n = tools->walk.index.n_nodes, n_words = n / 64 + 1;
    ubi__reach reach = { ubi__tool_calloc(a, n_words, sizeof *reach.seen), ubi__tool_calloc(a, n, sizeof *reach.queue),
                         0, 0 };
    if (reach.seen && reach.queue) {
        ubi_node_edges(root, false, ubi__reach_node, &reach);
        reach.edges = 0; /* those of the root list are ours */
        for (uint32_t i = 0; i < reach.n_queue; i++)
            ubi__node_edges((ubi_node){ &ubi__node_ops, tools, reach.queue[i] }, false, ubi__reach_node, &reach);
        ubi__sum_up(tools, &reach, out);
        for (uint32_t i = 0; i < n; i++)
            if (!(reach.seen[i >> 6] >> (i & 63) & 1))
                ubi__node_edges((ubi_node){ &ubi__node_ops, tools, i }, false, ubi__count_edge_only, &reach.edges);
        out->edge_count = reach.edges;
    }
    bool ok = reach.seen && reach.queue;
    ubi__tool_free(a, reach.seen, n_words, sizeof *reach.seen);
    ubi__tool_free(a, reach.queue, n, sizeof *reach.queue);
    return ok ? UBI_OK : ubi_error(UBI_ENOMEM, "no memory to walk the heap of a QuickJS runtime");
}

ubi_status ubi_quickjs_measure_coverage(ubi_quickjs *tools, ubi_quickjs_coverage *out) {
    ubi_frozen_heap heap;
    ubi_quickjs_coverage coverage = { 0 };
    ubi_status status = ubi__freeze(tools, NULL, &heap);
    if (status != UBI_OK)
        return status;
    status = ubi__cover(tools, heap.root, &coverage);
    ubi_status thawed = ubi__thaw(tools);
    if (status == UBI_OK && thawed == UBI_OK)
        *out = coverage;
    return status != UBI_OK ? status : thawed;
}

#endif
