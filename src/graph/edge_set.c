/* SPDX-License-Identifier: MIT
 *
 * edge_set.c: a subset of a graph's edges, one bit each (ubiheap/graph.h).
 */
#include <string.h>

#include "graph/graph_columns.h"

ubi_status ubi_edge_set_new(ubi_edge_set **out, const ubi_graph *graph, bool all) {
    const ubi_allocator *a = graph->allocator;
    ubi_edge_set *set = UBI_NEW(a, ubi_edge_set);
    if (!set)
        return ubi__fail_nomem();
    set->n_words = (size_t)(graph->n_edges / 64 + 1);
    set->words = ubi__calloc_array(a, set->n_words, sizeof *set->words);
    if (!set->words) {
        UBI_DELETE(a, set);
        return ubi__fail_nomem();
    }
    if (all) {
        memset(set->words, 0xff, set->n_words * sizeof *set->words);
        set->words[set->n_words - 1] = (UINT64_C(1) << (graph->n_edges % 64)) - 1;
    }
    set->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)graph);
    *out = set;
    return UBI_OK;
}

void ubi__edge_set_check(const ubi_edge_set *set) {
    uint64_t n_edges = set->graph->n_edges;
    UBI_ASSERT(set->n_words == n_edges / 64 + 1);
    UBI_ASSERT(set->words[set->n_words - 1] >> (n_edges % 64) == 0);
}

void ubi_edge_set_free(ubi_edge_set *set) {
    if (!set)
        return;
    ubi_graph *graph = set->graph;
    const ubi_allocator *a = graph->allocator;
    ubi__free_array(a, set->words, set->n_words, sizeof *set->words);
    UBI_DELETE(a, set);
    ubi_graph_unref(graph);
}

void ubi_edge_set_put(ubi_edge_set *set, ubi_edge_ix edge, bool member) {
    uint64_t bit = UINT64_C(1) << (edge & 63);
    UBI_ASSERT(edge < set->graph->n_edges);
    if (member)
        set->words[edge >> 6] |= bit;
    else
        set->words[edge >> 6] &= ~bit;
}

bool ubi_edge_set_has(const ubi_edge_set *set, ubi_edge_ix edge) {
    return ubi__edge_set_has(set, edge);
}

uint64_t ubi_edge_set_count(const ubi_edge_set *set) {
    uint64_t n = 0;
    ubi__edge_set_check(set);
    for (size_t i = 0; i < set->n_words; i++)
        n += (uint64_t)__builtin_popcountll(set->words[i]);
    return n;
}

ubi_view ubi_view_of(const ubi_graph *graph) {
    return (ubi_view){ .graph = graph, .root = graph->root };
}
