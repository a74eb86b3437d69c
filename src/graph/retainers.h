/* SPDX-License-Identifier: MIT
 *
 * retainers.h: edges by target, and how they are collected: with progress, and for tests that need the wide form or many threads on a
 * small graph.
 */
#ifndef UBI_GRAPH_RETAINERS_H
#define UBI_GRAPH_RETAINERS_H

#include <ubiheap/core/graph.h>

struct ubi__columns;

typedef struct ubi__retainers_how {
    unsigned threads;
    uint64_t grain;               /* edges per thread at least */
    bool is_wide;                 /* edges take 8 bytes each */
    const ubi_progress *progress; /* NULL: none; stage "collecting retainers" */
} ubi__retainers_how;

struct ubi_retainers {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    bool is_wide;
    uint64_t *first; /* n_nodes + 1 */
    void *edges;     /* first[n_nodes]; uint32_t, or uint64_t if `is_wide` */
};

/** Edges lie by target, and of one target in their order. O(edges). */
void ubi__retainers_check(const ubi_retainers *r);
/** How ubi_retainers_new does it. */
ubi__retainers_how ubi__retainers_how_of(const ubi_graph *graph, unsigned threads, const ubi_progress *progress);
/** Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__retainers_new(ubi_retainers **out, const ubi_graph *graph, const ubi_edge_set *set,
                              ubi__retainers_how how, const ubi_allocator *allocator);
/**
 * Passes them as columns (base/column_file.h). Read, *r is new, with a reference to the graph, and untouched on failure. Each edge is one of
 * the graph's; that it leads to its target is for checksums. Errors: those of passing.
 */
ubi_status ubi__retainers_pass(struct ubi__columns *c, ubi_retainers **r, ubi_graph *graph);

#endif
