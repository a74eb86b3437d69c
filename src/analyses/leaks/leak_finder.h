/* SPDX-License-Identifier: MIT
 *
 * leak_finder.h: the state of a search for leaks, for the files of this folder.
 *
 *     leak_marks.c     what of the newest heap was in OLD and NEW                              flags
 *     leak_walk.c      one breadth-first walk: around leaked objects first, then through them  order, parent, edge
 *     leak_places.c    the place of each node on a way to a leaked object                      place_of
 *     leak_drafts.c    which places make a cluster, and who holds it
 *     leak_clusters.c  what is in each, leak_verdicts.c what that means                        leaks
 *
 * A *candidate* may be leaked: it is new since OLD, was there in NEW, and is of a sort that programs hold. The walk does not
 * enter candidates until everything that can be reached around them is known. So a candidate met in its first half (a *head*)
 * is held by something that is not leaked, and nodes met in the second half only by leaked ones.
 */
#ifndef UBI_ANALYSES_LEAK_FINDER_H
#define UBI_ANALYSES_LEAK_FINDER_H

#include <ubiheap/leaks.h>

#include "analyses/class_rows.h"
#include "analyses/leaks/leak_places.h"
#include "base/u64_map.h"
#include "graph/graph_columns.h"

/* Bits of flags[node]. */
enum {
    UBI__LEAK_WAS_OLD = 1, /* in OLD */
    UBI__LEAK_WAS_NEW = 2, /* in NEW */
    UBI__LEAK_CANDIDATE = 4,
    UBI__LEAK_ON_WAY = 8,      /* a candidate that was met, or on the way to one */
    UBI__LEAK_HAS_ENTRIES = 16 /* some of its children were given the label "any" */
};

/** Nodes of a class, by row. */
typedef struct ubi__leak_row {
    uint64_t count[2]; /* in OLD and NEW; [1] of three heaps only */
    uint64_t bytes[2];
    uint64_t newest;       /* in the newest heap */
    uint64_t survivors[2]; /* of the newest, those that were in OLD and NEW */
} ubi__leak_row;
UBI_VEC_DECLARE(ubi__vec_leak_row, ubi__leak_row);

struct ubi_leak_finder {
    const ubi_allocator *allocator;
    ubi_leak_options options;
    ubi_view view;
    ubi_graph *graph; /* reference */
    ubi_class_scheme classes;
    bool compared[2], ran;

    ubi__class_rows rows;
    size_t n_rows;          /* classes of the newest heap come first: texts of the others are gone with their heaps */
    uint32_t *row_of_class; /* row_of_class[classes.n_classes] */
    ubi__vec_leak_row tallies;
    uint64_t n_common, n_common_same;
    ubi_leak_tally heap[2];

    uint8_t *flags;      /* flags[n_nodes] */
    ubi_node_ix *parent; /* parent[n_nodes]; UBI_NONE: not met; the root: itself */
    uint32_t *edge;      /* edge[n_nodes]: place among the edges of the parent */
    ubi_node_ix *order;  /* order[n_met] */
    uint32_t n_met;
    uint32_t n_old; /* order[0 .. n_old) were met around all that is new; what is young follows */
    uint32_t n_young;
    uint32_t n_around; /* order[0 .. n_around) were met around candidates; the heads follow */
    uint32_t n_heads;
    ubi__leak_place_ix *place_of; /* place_of[n_nodes]; UBI_NONE: none */
    ubi__leak_places places;
};

static inline bool ubi__leak_three(const ubi_leak_finder *f) {
    return f->compared[UBI_LEAK_NEW];
}
static inline uint64_t ubi__leak_size(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->view.size_bytes ? f->view.size_bytes[node] : f->graph->size_bytes.at[node];
}
/** Row of the class of a node; UBI_NONE: it is in none. */
static inline uint32_t ubi__leak_row_of(const ubi_leak_finder *f, ubi_node_ix node) {
    uint32_t class_ix = f->classes.class_of(&f->classes, node);
    return class_ix == UBI_NONE ? UBI_NONE : f->row_of_class[class_ix];
}
/**
 * Whether a program defines itself what this node of a class is: the class has a place in the code, or the object has a name
 * of its own, which is that of its constructor.
 */
static inline bool ubi__leak_is_defined(const ubi_leak_finder *f, ubi_node_ix node, const ubi_class *class) {
    const ubi_kind *kind = &f->graph->kinds.rows.at[f->graph->kind.at[node]];
    return class->place.len || (kind->coarse_type == UBI_COARSE_OBJECT && kind->descriptive_name != UBI_NONE);
}
/** Objects, strings and nodes of documents: what a program can hold and drop. */
static inline bool ubi__leak_is_held_by_program(const ubi_leak_finder *f, ubi_node_ix node) {
    ubi_coarse_type type = f->graph->kinds.rows.at[f->graph->kind.at[node]].coarse_type;
    return type != UBI_COARSE_OTHER && type != UBI_COARSE_SCRIPT;
}
static inline bool ubi__leak_is_head(const ubi_leak_finder *f, uint32_t i) {
    return i >= f->n_around && i - f->n_around < f->n_heads;
}
static inline ubi_str_ix ubi__leak_name_of(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->options.name_of ? f->options.name_of(f->options.name_payload, node) : UBI_NONE;
}
static inline ubi_edge_ix ubi__leak_edge_to(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->graph->first_edge.at[f->parent[node]] + f->edge[node];
}

/** Progress is reported, and cancelling possible, after so many nodes or edges. */
#define UBI__LEAK_STEP (UINT64_C(1) << 20)

void ubi__leak_find_candidates(ubi_leak_finder *f);
ubi_status ubi__leak_walk(ubi_leak_finder *f);
/** Gives a place to every node on the way to a candidate that was met, and to all that is met through candidates; counts. */
ubi_status ubi__leak_find_places(ubi_leak_finder *f);
ubi_status ubi__leak_find_clusters(ubi_leaks *leaks, ubi_leak_finder *f);

typedef struct ubi__leak_found {
    ubi_leak_cluster cluster;
    uint32_t row;
    uint64_t fingerprint; /* of its class and path by their texts, to know it again in a control */
} ubi__leak_found;
UBI_VEC_DECLARE(ubi__vec_leak_found, ubi__leak_found);
UBI_VEC_DECLARE(ubi__vec_leak_tally, ubi_leak_tally);

struct ubi_leak_control {
    const ubi_allocator *allocator;
    ubi__u64_map place_of; /* fingerprint -> place in `counts` */
    ubi__vec_u64 counts;   /* leaked objects */
};

/** How many objects the control has in the cluster of this fingerprint. NULL: none. */
uint64_t ubi__leak_count_in_control(const ubi_leak_control *control, uint64_t fingerprint);

struct ubi_leaks {
    const ubi_allocator *allocator;
    ubi_graph *graph; /* reference */
    ubi_node_ix root;
    uint32_t n_nodes;
    ubi_leak_summary summary;
    ubi__vec_leak_found clusters;
    ubi__class_rows rows;
    ubi__vec_leak_tally leaked; /* by row: leaked objects in clusters that are leaks */
    uint8_t *flags;
    ubi_node_ix *parent;
    uint32_t *edge;
};

#endif
