/* SPDX-License-Identifier: MIT
 *
 * leak_finder.h: the state of a search for leaks, for the files of this folder.
 *
 *     leak_marks.c     what of the newest heap was in earlier ones, which of its objects took the place of another one, and
 *                      which of its texts are earlier ones that others were added to           flags, first_seen
 *     leak_places.c    one breadth-first walk: around leaked objects first, then through them  order, parent, edge;
 *                      the place of each node on a way to a leaked object                      place_of
 *     leak_engine_heads.c  what roots of the engine hold belongs to what leaked objects of the program hold, where these lead to it
 *     leak_clusters.c  which places make a cluster, who holds it, and what is in it
 *     leak_verdicts.c  when it came, and what that means                                       leaks
 *     leak_grown.c     whether the heaps are of one process, and in which order; what was there in OLD and has become
 *                      larger, by what it weighs (leak_holdings.c); many of one sort are reported as one
 *     leak_weights.c   what heavy nodes weighed in an earlier heap; leak_record.h: what may be left of one
 *     leak_unlisted.c  what else came and stayed or became larger: the bytes that no cluster keeps and no such object has
 *
 * OLD is the first heap of the series, NEW the one before the newest; between them may be any number of others.
 * A *candidate* may be leaked: it is new since OLD, was there in NEW, and is of a sort that programs hold. The walk does not
 * enter candidates until everything that can be reached around them is known. So a candidate met in its first half (a *head*)
 * is held by something that is not leaked, and nodes met in the second half only by leaked ones.
 */
#ifndef UBI_ANALYSES_LEAK_FINDER_H
#define UBI_ANALYSES_LEAK_FINDER_H

#include <ubiheap/core/leaks.h>

#include "analyses/class_rows.h"
#include "analyses/leaks/leak_holdings.h"
#include "analyses/leaks/leak_places.h"
#include "base/u64_map.h"
#include "graph/graph_columns.h"

/* Bits of flags[node]. */
enum {
    UBI__LEAK_WAS_OLD = 1, /* in OLD */
    UBI__LEAK_WAS_NEW = 2, /* in NEW */
    UBI__LEAK_CANDIDATE = 4,
    UBI__LEAK_ON_WAY = 8,      /* a candidate that was met, or on the way to one */
    UBI__LEAK_REPLACES = 16,   /* what held it alone held something else by the same name in an earlier heap */
    UBI__LEAK_WEAK_TABLE = 32, /* of the view's */
    UBI__LEAK_THERE = 64,      /* in the heap that is compared */
    UBI__LEAK_PASSING = 128    /* of the view's passing roots */
};

/** Nodes of a class in the newest heap, by row. */
typedef struct ubi__leak_row {
    ubi_leak_tally newest;
    uint64_t survivors[2]; /* those that were in OLD and NEW */
    bool has_held;         /* programs hold some of them */
} ubi__leak_row;
UBI_VEC_DECLARE(ubi__vec_leak_row, ubi__leak_row);

/** A heap of the series. Of the newest one there are no rows. */
typedef struct ubi__leak_step {
    bool was_compared;
    ubi_leak_heap heap;
    uint64_t content;       /* of ids and sizes; equal heaps have equal ones */
    ubi_leak_tally *of_row; /* owned of_row[n_rows]: nodes of each class that was known by then */
    size_t n_rows;
    uint64_t *weights;   /* owned weights[n_weights]: of the finder's heavy nodes; UBI__LEAK_ABSENT: it is not there */
    uint64_t *own_bytes; /* owned own_bytes[n_weights]: their own sizes then; UBI__LEAK_ABSENT as well */
    size_t n_weights;
    uint64_t light_growth_bytes; /* by which nodes that are not heavy became larger since */
} ubi__leak_step;
UBI_VEC_DECLARE(ubi__vec_leak_step, ubi__leak_step);

struct ubi_leak_finder {
    const ubi_allocator *allocator;
    ubi_leak_options options;
    ubi_view view;
    ubi_graph *graph; /* reference */
    ubi_class_scheme classes;
    ubi__vec_leak_step steps; /* the past, as far as it was compared */
    bool has_run;

    ubi__class_rows rows;
    size_t n_rows;          /* classes of the newest heap come first: texts of the others are gone with their heaps */
    uint32_t *row_of_class; /* row_of_class[classes.n_classes] */
    ubi__vec_leak_row tallies; /* by row */
    uint64_t n_not_chosen;     /* objects that would be candidates without options.chosen */

    ubi__leak_holdings holdings; /* of the newest heap */
    ubi__vec_u32 heavy;          /* nodes of it that may weigh so much that it is worth reporting whether they grew */

    uint8_t *flags;       /* flags[n_nodes] */
    uint16_t *first_seen; /* first_seen[n_nodes]: the first step that has the node; UBI__LEAK_NEVER: none has */
    ubi_node_ix *parent;  /* parent[n_nodes]; UBI_NONE: not met; the root: itself */
    uint32_t *edge;       /* edge[n_nodes]: place among the edges of the parent */
    ubi_node_ix *order;   /* order[n_met] */
    uint32_t n_met;
    uint32_t n_old; /* order[0 .. n_old) were met around all that is new; what is young follows */
    uint32_t n_young;
    uint32_t n_around; /* order[0 .. n_around) were met around candidates; the heads follow */
    uint32_t n_heads;
    ubi__leak_place_ix *place_of; /* place_of[n_nodes]; UBI_NONE: none */
    ubi__leak_places places;
};

/**
 * After the walk: nodes were met once each, after the one that led to them, and heads are candidates that follow everything met
 * around them. O(nodes).
 */
void ubi__leak_finder_check(const ubi_leak_finder *f);
/** Sums and curves are those of the clusters. O(clusters + classes). */
void ubi__leaks_check(const ubi_leaks *leaks);

#define UBI__LEAK_ABSENT UINT64_MAX

/** The first step in which no node can be. */
#define UBI__LEAK_NEVER UINT16_MAX

static inline uint32_t ubi__leak_past_count(const ubi_leak_finder *f) {
    return (uint32_t)f->steps.n;
}
static inline bool ubi__leak_three(const ubi_leak_finder *f) {
    return f->steps.n > 1;
}
/** Nodes of a class in an earlier heap. */
static inline ubi_leak_tally ubi__leak_past_tally(const ubi_leak_finder *f, uint32_t step, uint32_t row) {
    const ubi__leak_step *s = &f->steps.at[step];
    return row < s->n_rows ? s->of_row[row] : (ubi_leak_tally){ 0, 0 };
}
/** Of the steps from one heap to the next, that with which a node of the newest heap came; it was not there in OLD. */
static inline uint32_t ubi__leak_step_of(const ubi_leak_finder *f, ubi_node_ix node) {
    uint32_t first = f->first_seen[node], n = ubi__leak_past_count(f);
    return (first < n ? first : n) - 1;
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
/** Whether the options let a node be reported. */
static inline bool ubi__leak_is_chosen(const ubi_leak_finder *f, ubi_node_ix node) {
    return !f->options.chosen || (f->options.chosen[node / 64] >> (node % 64) & 1);
}
/** What a program can hold and drop; parts of a rope and templates are not. */
static inline bool ubi__leak_is_held_by_program(const ubi_leak_finder *f, ubi_node_ix node) {
    return ubi__leak_is_held(&f->holdings, node) && ubi__leak_rope_of(&f->holdings, node) == UBI_NONE &&
           !ubi__leak_is_template(&f->holdings, node);
}
static inline bool ubi__leak_is_rope_at(const ubi_leak_finder *f, ubi_node_ix node) {
    return f->options.is_rope && f->options.is_rope(f->graph, node);
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

/** Progress is reported, and cancelling possible, each time this many nodes or edges are done. */
#define UBI__LEAK_STEP (UINT64_C(1) << 20)

ubi_status ubi__leak_find_candidates(ubi_leak_finder *f);
/** What is known about a heap of the series before it is compared. */
void ubi__leak_describe(ubi__leak_step *out, const ubi_leak_finder *f, const ubi_class_scheme *scheme);
/** Judges the heaps: `rank` and `fit` of each. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_judge_series(ubi_leaks *leaks, ubi_leak_finder *f);
ubi_status ubi__leak_walk(ubi_leak_finder *f);
/**
 * Of the candidates that wait at the end of f->order, those that only roots of the engine hold wait no more if the others lead to them: they
 * were not met. O(nodes + edges). Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__leak_sift_engine_heads(ubi_leak_finder *f, uint32_t *n_waiting);
/** Gives a place to every node on the way to a candidate that was met, and to all that is met through candidates; counts. */
ubi_status ubi__leak_find_places(ubi_leak_finder *f);
ubi_status ubi__leak_find_clusters(ubi_leaks *leaks, ubi_leak_finder *f);
/** Of the newest heap: holdings and heavy nodes. */
ubi_status ubi__leak_find_heavy(ubi_leak_finder *f);
/** Marks new objects in whose place there was another one in an earlier heap (UBI__LEAK_REPLACES). */
void ubi__leak_mark_replacing(ubi_leak_finder *f, const ubi__leak_holdings *past);
/**
 * Ropes that grew since an earlier heap: they are marked as nodes that were there.
 * @param out  owned by the caller, out[n_nodes of the newest]: of such a rope what it was in the earlier heap, else UBI_NONE. NULL: no
 *             heap has ropes. Errors: UBI_ENOMEM. Cost: O(nodes of the newest).
 */
ubi_status ubi__leak_find_grown_ropes(ubi_node_ix **out, ubi_leak_finder *f, uint32_t step, bool is_last,
                                      const ubi__leak_holdings *past);
/** Of an earlier heap, with the sizes of its scheme: weights of the heavy nodes. `marks`: 1 for nodes that the newest heap has, too. */
ubi_status ubi__leak_weigh_step(ubi__leak_step *step, const ubi_leak_finder *f, const ubi__leak_holdings *past,
                                const uint64_t *scheme_bytes, const uint8_t *marks, const ubi_node_ix *was_rope);
/** The same of a heap that only a record is left of: none has a weight. */
ubi_status ubi__leak_weigh_record(ubi__leak_step *step, const ubi_leak_finder *f, const ubi__leak_holdings *past,
                                  const ubi_node_ix *was_rope);
/** Of a search for what became larger, for leak_unlisted.c. */
typedef struct ubi__leak_growth {
    ubi_leaks *leaks;
    ubi_leak_finder *f;
    uint64_t *weight;       /* weight[n_nodes] of the newest heap */
    ubi_node_ix *counts_to; /* counts_to[n_nodes]: to which node's weight, UBI_NONE: to its own alone */
    uint8_t *is_listed;     /* is_listed[n_nodes]: it is among leaks->growing */
    ubi__leak_stays stays;
    uint32_t n_steps;
} ubi__leak_growth;

/** With all that grew, before any is dropped: the bytes that neither these nor clusters account for. O(nodes * heaps). */
ubi_status ubi__leak_sum_unlisted(ubi__leak_growth *w);
/** Rows that were too small to report are unlisted, too: `sign` 1 adds the bytes of all rows, -1 subtracts them. */
void ubi__leak_add_rows_to_unlisted(ubi__leak_growth *w, int sign);
/** Judges the sum. */
void ubi__leak_judge_unlisted(ubi__leak_growth *w);
/** The verdict on bytes that became more. */
ubi_leak_verdict ubi__leak_judge_bytes(ubi_leak_grown *o, uint8_t *grew, const ubi_leak_finder *f);
/** The fingerprint of what no row lists; no cluster has it. */
#define UBI__LEAK_UNLISTED_FINGERPRINT UINT64_C(0x756e6c6973746564)

/** What became larger; after the clusters, which may be held by it. */
ubi_status ubi__leak_find_grown(ubi_leaks *leaks, ubi_leak_finder *f);
/** Whether a verdict counts, as the options have it. */
bool ubi__leak_verdict_counts(const ubi_leak_finder *f, ubi_leak_verdict verdict);
/** Whether what a step brought is growth beside the most that one did. */
bool ubi__leak_is_growth(uint64_t came, uint64_t most, uint32_t n_steps);
/** How many of the last steps brought none. */
uint32_t ubi__leak_quiet_steps(const uint8_t *grew, uint32_t n_steps);
/** Label of the edge to a node that the walk met. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_label_to(uint32_t *out, ubi_leak_finder *f, ubi_node_ix node);

typedef struct ubi__leak_found {
    ubi_leak_cluster cluster;
    uint32_t row;
    uint64_t
        n_heads; /* of the leaked objects, those that no leaked one holds; 0 if the cluster is about what is in one of these */
    uint64_t fingerprint; /* of its class and path by their texts, to know it again in a control */
    uint64_t n_replacing; /* of the leaked objects, those that took the places of others */
} ubi__leak_found;
UBI_VEC_DECLARE(ubi__vec_leak_found, ubi__leak_found);

typedef struct ubi__leak_growing {
    ubi_leak_grown grown;
    uint64_t fingerprint; /* of its class and the end of its path by their texts */
    uint64_t by_keys;     /* the same, without names that may be keys */
    uint64_t most_bytes;  /* by which the one that grew most did */
    uint64_t *bytes;      /* what grown.bytes points to */
    uint8_t *grew;        /* and grown.grew */
} ubi__leak_growing;
UBI_VEC_DECLARE(ubi__vec_leak_growing, ubi__leak_growing);
/** Objects that grew are joined where many are of one sort, and dropped where one by itself is too small. Errors: UBI_ENOMEM. */
ubi_status ubi__leak_join_alike(ubi__vec_leak_growing *rows, uint32_t n_heaps, const ubi_allocator *a);
UBI_VEC_DECLARE(ubi__vec_leak_tally, ubi_leak_tally);

struct ubi_leak_control {
    const ubi_allocator *allocator;
    ubi__u64_map place_of; /* fingerprint -> place in `counts` */
    ubi__vec_u64 counts;   /* leaked objects, or bytes of what became larger */
};

/** How many objects the control has in the cluster of this fingerprint, or bytes by which that grew. NULL: none. */
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
    ubi_leak_sums of_verdict[UBI_LEAK_VERDICTS];
    ubi__vec_leak_step steps;          /* all heaps, the newest last, without their rows */
    ubi__vec_u64 curves;               /* of all clusters: what their `came` and `class_counts` point to */
    ubi__vec_u8 grew;                  /* of all clusters: what their `grew` points to */
    ubi__vec_leak_tally class_tallies; /* [class * n_heaps + heap] of the rows of the newest heap */
    ubi__vec_u32 trends;               /* rows of classes that grew, in order */
    ubi__vec_leak_growing growing;     /* what became larger, in order */
    ubi__vec_u64 sizes;                /* of all these: what their `bytes` point to */
    ubi__vec_u8 sizes_grew;            /* and their `grew` */
    ubi_leak_unlisted unlisted;
    uint64_t *
        unlisted_bytes; /* owned unlisted_bytes[n_heaps], by the steps.n of the results: what unlisted.bytes_at points to */
    uint8_t *unlisted_grew; /* owned unlisted_grew[n_heaps] */
    uint8_t *flags;
    ubi_node_ix *parent;
    uint32_t *edge;
    bool is_order_known;
};

#endif
