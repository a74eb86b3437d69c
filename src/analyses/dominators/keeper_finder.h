/* SPDX-License-Identifier: MIT
 *
 * keeper_finder.h: shared by the two steps of finding keepers: which nodes they are, and what they hold.
 */
#ifndef UBI_DOMINATORS_KEEPER_FINDER_H
#define UBI_DOMINATORS_KEEPER_FINDER_H

#include <ubiheap/core/graph.h>
#include <ubiheap/views/keepers.h>

#include "base/alloc.h"
#include "graph/graph_columns.h"

/* ---- families ----------------------------------------------------------------------------------------------------- */

/** family[kind]: the first kind of equal coarse type and name (descriptive name, else class, else file, else type). */
typedef struct ubi__families {
    uint32_t *family; /* owned family[n_kinds] */
    uint32_t n_kinds;
} ubi__families;

/** The family of a kind is a kind of its own family, at or before it. O(kinds). */
void ubi__families_check(const ubi__families *families);
/** Cost: O(kinds log kinds). Errors: UBI_ENOMEM. */
ubi_status ubi__families_init(ubi__families *out, const ubi_graph *graph, const ubi_allocator *allocator);
void ubi__families_fini(ubi__families *families, const ubi_allocator *allocator);

/* ---- finding ------------------------------------------------------------------------------------------------------ */

/* A large node that is no engine internal. Places in the list of large nodes are 32-bit; UBI_NONE: none. */
typedef struct ubi__large {
    ubi_node_ix node;
    uint32_t above;     /* the nearest large node that dominates it */
    uint32_t counts_at; /* the place that its exclusive bytes count at: its own, or one above */
    uint32_t keeper;    /* place among the keepers that were chosen */
    bool is_structure;  /* top of a list or tree */
    bool is_element;    /* counts for a collection above, as all below it does */
    uint64_t exclusive_bytes;
} ubi__large;

UBI_VEC_DECLARE(ubi__large_list, ubi__large);

typedef struct ubi__keeper_finder {
    const ubi_dominators *dominators;
    const ubi_graph *graph;
    const ubi_allocator *allocator;
    const ubi_progress *progress;
    uint64_t threshold_bytes;
    const bool *is_root_kind; /* or NULL */
    ubi__families families;
    ubi__large_list large; /* by node */
    uint32_t *place; /* place[n_nodes]: 1 + place in `large` of the node or the nearest large one above, 0: unknown */
} ubi__keeper_finder;

/**
 * Large nodes are in file order and known by their place; bytes count at a node that keeps its own, and nowhere twice. O(large
 * nodes).
 */
void ubi__keeper_finder_check(const ubi__keeper_finder *f);

/** The root, or one of its lists of roots. */
static inline bool ubi__keeper_is_root(const ubi__keeper_finder *f, ubi_node_ix node) {
    return node == ubi_dominators_root(f->dominators) || (f->is_root_kind && f->is_root_kind[f->graph->kind.at[node]]);
}
/** Whether a node is part of the engine rather than of a program. */
static inline bool ubi__keeper_is_internal(const ubi__keeper_finder *f, ubi_node_ix node) {
    return ubi_graph_kind(f->graph, f->graph->kind.at[node])->coarse_type == UBI_COARSE_OTHER;
}
static inline uint32_t ubi__keeper_family(const ubi__keeper_finder *f, ubi_node_ix node) {
    return f->families.family[f->graph->kind.at[node]];
}

/** Joins structures and collections: sets `counts_at`, `is_structure` and adds exclusive bytes up. Errors: UBI_ENOMEM. */
ubi_status ubi__keepers_join(ubi__keeper_finder *f);

/** Fills `n_dominated` and `held_*` of keepers[n]. Errors: UBI_ENOMEM, UBI_ECANCELLED. Cost: O(nodes). */
ubi_status ubi__keepers_describe(ubi__keeper_finder *f, ubi_keeper *keepers, uint32_t n);

#endif
