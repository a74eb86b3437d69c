/* SPDX-License-Identifier: MIT
 *
 * graph_columns.h: the columns of a graph, for the modules whose loops run over all of it.
 *
 * Layout, per node: id 8, size 8, kind 4, first_edge 8, stack 4 and name 4 (only when some node has one); per edge:
 * target 4, name 4, kind 1 (only when some edge has one). Beside it the id index and, unless the file itself is in
 * breadth-first order, a bit of reachability per node.
 */
#ifndef UBI_GRAPH_COLUMNS_H
#define UBI_GRAPH_COLUMNS_H

#include <stdatomic.h>

#include <ubiheap/core/graph.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/pulse.h"
#include "base/strtab.h"
#include "graph/id_index.h"
#include "graph/kinds.h"
#include "stacks/frames.h"

/** Who made a graph, once it was looked up (lenses/producer.h). */
typedef _Atomic(const struct ubi__producer *) ubi__graph_memo;

struct ubi_graph {
    _Atomic uint32_t references;
    ubi__graph_memo producer; /* NULL: not asked yet */
    const ubi_allocator *allocator;
    const char *format; /* static */
    uint64_t creation_time_us;
    bool has_creation_time;

    uint32_t n_nodes;
    uint64_t n_edges;
    ubi_node_ix root;

    /* per node */
    ubi__vec_u64 id;
    ubi__vec_u64 size_bytes;
    ubi__vec_u32 kind;       /* ubi_kind_ix */
    ubi__vec_u32 stack;      /* ubi_frame_ix, UBI_NONE, UBI__STACK_EMPTY; no entries: no node has a stack */
    ubi__vec_u64 first_edge; /* n_nodes + 1 */
    ubi__vec_u32 node_name;  /* ubi_str_ix, an entry; empty: no node has a name of its own */
    /* per edge */
    ubi__vec_u32 target;   /* ubi_node_ix */
    ubi__vec_u32 name;     /* ubi_str_ix, an entry; of numbered kinds, the number: see ubi__edge_kind_is_numbered */
    ubi__vec_u8 edge_kind; /* ubi_edge_kind; empty: all are UBI_EDGE_REFERENCE */

    ubi__strtab strings;
    ubi__kinds kinds;
    ubi__frames frames;
    ubi__id_index ids;
    bool
        has_repeated_ids; /* some nodes share an id, which then means the first of them; only formats that allow it set this */

    /* Reachability from the root. `reachable` is empty when all nodes are. */
    ubi__vec_u64 reachable;
    uint32_t n_reachable;
    bool is_breadth_first;    /* file order is discovery order and every node is reachable */
    uint32_t root_visit_rank; /* place of the root in visit order; UBI_NONE: no edge of a reachable node leads to it */

    /* Whether the names of such strings are their texts; else they are put together of others. NULL: those of all are. */
    bool (*string_has_text)(const ubi_kind *kind);

    /* What else the format's reader found: known to that format and to the lens of its producer. NULL: nothing. */
    void *facts;
    void (*free_facts)(void *facts, const ubi_allocator *a);
};

/** Kinds whose edges have a number in the column of names. */
static inline bool ubi__edge_kind_is_numbered(ubi_edge_kind kind) {
    return kind == UBI_EDGE_ELEMENT || kind == UBI_EDGE_HIDDEN;
}
static inline ubi_edge_kind ubi__graph_edge_kind(const ubi_graph *g, ubi_edge_ix e) {
    UBI_ASSERT(e < g->n_edges);
    return g->edge_kind.n ? (ubi_edge_kind)g->edge_kind.at[e] : UBI_EDGE_REFERENCE;
}
/** UBI_NONE for numbered edges. */
static inline ubi_str_ix ubi__graph_edge_name(const ubi_graph *g, ubi_edge_ix e) {
    return ubi__edge_kind_is_numbered(ubi__graph_edge_kind(g, e)) ? UBI_NONE : g->name.at[e];
}
static inline ubi_str_ix ubi__graph_node_name(const ubi_graph *g, ubi_node_ix n) {
    return g->node_name.n ? g->node_name.at[n] : UBI_NONE;
}

struct ubi_edge_set {
    ubi_graph *graph;
    size_t n_words;
    uint64_t *words; /* bits beyond the edge count stay clear */
};

/** Bits beyond the edge count are clear. O(1). */
void ubi__edge_set_check(const ubi_edge_set *set);
/** ubi_edge_set_has for loops over edges; every edge is in NULL. */
static inline bool ubi__edge_set_has(const ubi_edge_set *set, ubi_edge_ix e) {
    return !set || (set->words[e >> 6] >> (e & 63) & 1);
}

static inline bool ubi__graph_reachable(const ubi_graph *g, ubi_node_ix n) {
    return g->reachable.n == 0 || (g->reachable.at[n >> 6] >> (n & 63) & 1);
}
/** A frame, UBI_NONE or UBI__STACK_EMPTY. */
static inline ubi_frame_ix ubi__graph_stack(const ubi_graph *g, ubi_node_ix n) {
    UBI_ASSERT(n < g->n_nodes);
    return g->stack.n ? g->stack.at[n] : UBI_NONE;
}
/** The youngest frame; UBI_NONE also when it is known that there was none. */
static inline ubi_frame_ix ubi__graph_youngest(const ubi_graph *g, ubi_node_ix n) {
    ubi_frame_ix stack = ubi__graph_stack(g, n);
    return stack == UBI__STACK_EMPTY ? UBI_NONE : stack;
}

/** A view is of one graph: its edges, its root, and the edges of the root that come first. O(those edges). */
void ubi__view_check(const ubi_view *view);
/** An empty graph without nodes, to be filled by the builder; NULL when out of memory. */
ubi_graph *ubi__graph_new(const ubi_allocator *a);
/** Finds what can be reached from the root: fills the last group of fields. Errors: UBI_ENOMEM, UBI_ECANCELLED. */
ubi_status ubi__graph_find_reachable(ubi_graph *g, ubi__pulse *pulse);
/** What is reached is what edges lead to from the root, no more and no less than is counted. O(nodes + edges). */
void ubi__reachable_check(const ubi_graph *g);
/** Each node is one step from one that is nearer, and none is nearer than that. `out` as ubi__graph_distances fills it. O(nodes + edges). */
void ubi__distances_check(const uint32_t *out, const ubi_graph *g, const ubi_edge_set *set, ubi_node_ix start);
/** ubi_graph_distances with progress, stage "counting distances". Errors: also UBI_ECANCELLED. */
ubi_status ubi__graph_distances(uint32_t *out, const ubi_graph *g, const ubi_edge_set *set, ubi_node_ix start,
                                const ubi_progress *progress);

struct ubi__columns;
/**
 * Passes everything of a graph but its format, and what only that knows (base/column_file.h). Read, `g` is new, of a
 * ubi__column_memory; after a failure it is to be freed. Errors: those of passing. Cost: O(nodes + edges) of checking.
 */
ubi_status ubi__graph_pass(struct ubi__columns *c, ubi_graph *g);

/** A stack of the graph's frame table as an abstract one. `frame` is not UBI_NONE. */
ubi_stack ubi__graph_stack_view(const ubi_graph *g, ubi_frame_ix frame);

#endif
