/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/census.h: counts and sizes of a heap by breakdown, and their trees.
 *
 * A *breakdown* says how to group nodes: by coarse type, class, allocation stack and so on, nested as deep as one likes.
 * A *census* counts every node that can be reached from the root and groups it; its *report* is a tree of the breakdown's
 * shape. A *census tree* is the same numbers arranged for people: totals, sorted, invertible, filterable.
 *
 *     { "by": "coarseType", "objects": { "by": "objectClass" }, ... }       breakdown
 *         -> { "objects": { "Array": { "count": 2, "bytes": 150 } }, ... }   report
 *         -> (root) 387 bytes -> objects 350 -> Array 150                   tree
 *
 * The semantics are those of Firefox's HeapSnapshot.takeCensus and CensusUtils, with three improvements that
 * UBI_COMPAT_FIREFOX turns off: a breakdown may be an array, groups whose names are equal are added, never lost, and the
 * numbers of inverted trees add up.
 *
 * All results are immutable and hold references to what they need; each belongs to the caller.
 */
#ifndef UBIHEAP_CENSUS_H
#define UBIHEAP_CENSUS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- breakdowns -------------------------------------------------------------------------------------------------- */

typedef enum ubi_breakdown_by {
    UBI_BY_COUNT,
    UBI_BY_BUCKET,
    UBI_BY_COARSE_TYPE,
    UBI_BY_OBJECT_CLASS,
    UBI_BY_INTERNAL_TYPE,
    UBI_BY_DESCRIPTIVE_TYPE,
    UBI_BY_ALLOCATION_STACK,
    UBI_BY_FILENAME,
    UBI_BY_ARRAY /**< [b, ...]: every node is counted in every member */
} ubi_breakdown_by;

/** A parsed breakdown: immutable, reference-counted, shareable between threads. */
typedef struct ubi_breakdown ubi_breakdown;

/** Deepest nesting that the parser accepts; only arrays can nest without end. */
#define UBI_BREAKDOWN_MAX_DEPTH 64

/**
 * Parses a breakdown from JSON text. `json.ptr` NULL gives the default breakdown (by coarse type, objects by class, other
 * by internal type, DOM nodes by descriptive type).
 *
 * Errors: UBI_EINVAL with Firefox's own words where it has some, such as
 * `unrecognized 'by' value in takeCensus breakdown: "nope"`, and when it is nested too deeply; UBI_ENOMEM.
 * Source: mozilla-central js/src/vm/UbiNodeCensus.cpp, ParseBreakdown.
 */
UBI_API ubi_status ubi_breakdown_parse(ubi_breakdown **out, ubi_text json, ubi_compat compat,
                                       const ubi_allocator *allocator);

/** A display that Firefox's memory panel offers, as a named breakdown. */
typedef struct ubi_breakdown_preset {
    const char *name;  /**< such as "invertedAllocationStack" */
    const char *title; /**< such as "Inverted Call Stack" */
    const char *help;  /**< one line */
    const char *json;  /**< the breakdown */
    bool is_inverted;  /**< show its tree inverted */
} ubi_breakdown_preset;

/** The presets, ended by an entry whose name is NULL. Static. */
UBI_API const ubi_breakdown_preset *ubi_breakdown_presets(void);
/** By name; NULL when there is none. */
UBI_API const ubi_breakdown_preset *ubi_breakdown_preset_find(const char *name);

/** One reference more; returns its argument. Any thread. */
UBI_API ubi_breakdown *ubi_breakdown_ref(ubi_breakdown *breakdown);
/** One reference less; frees with the last. NULL is fine. Any thread. */
UBI_API void ubi_breakdown_unref(ubi_breakdown *breakdown);
/** What the outermost breakdown groups by. */
UBI_API ubi_breakdown_by ubi_breakdown_kind(const ubi_breakdown *breakdown);

/* ---- census ------------------------------------------------------------------------------------------------------ */

typedef struct ubi_census ubi_census;

typedef struct ubi_census_options {
    uint32_t version; /**< UBI_CENSUS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    ubi_compat compat;
    /** Sizes as a lens sees them (ubi_view), in place of the graph's own; NULL: those. Not for live heaps. Borrowed. */
    const uint64_t *size_bytes;     /**< size_bytes[n_nodes] */
    ubi_edge_filter_fn edge_filter; /**< the boundaries of a live heap's walk; NULL: follow all. Not for graphs */
    void *edge_filter_payload;
    bool
        must_have_names; /**< descriptiveType fails at a node without descriptive name, as it does with compat FIREFOX */
} ubi_census_options;

#define UBI_CENSUS_OPTIONS_VERSION 1
#define UBI_CENSUS_OPTIONS_INIT                                                                                        \
    { .version = UBI_CENSUS_OPTIONS_VERSION }

/**
 * Counts the nodes that can be reached from the root; the root itself only if an edge leads to it.
 *
 * @param breakdown  keeps a reference; NULL: the default.
 * Under descriptiveType, a node without descriptive name is in the group of its type's name.
 * Errors: UBI_EINVAL (compat FIREFOX: malformed UTF-8 in a script file name, and, also with must_have_names, descriptiveType
 * met a node without descriptive name), UBI_ENOMEM, UBI_ECANCELLED.
 * Cost: O(nodes) time without touching an edge; memory by the number of groups, plus 8 bytes per node in buckets.
 * Source: mozilla-central js/src/vm/UbiNodeCensus.cpp.
 */
UBI_API ubi_status ubi_census_take(ubi_census **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                                   const ubi_census_options *options);

/**
 * The same over any heap, walking it breadth-first from `root` without keeping edges: at most 16 bytes per node (24 when
 * nodes belong to more than one `heap`).
 */
UBI_API ubi_status ubi_census_take_live(ubi_census **out, ubi_node root, const ubi_breakdown *breakdown,
                                        const ubi_census_options *options);

/** The census of one single node, reachable or not (describeNode). Errors: also UBI_ENOTFOUND. */
UBI_API ubi_status ubi_census_describe(ubi_census **out, const ubi_graph *graph, uint64_t node_id,
                                       const ubi_breakdown *breakdown, const ubi_census_options *options);

/** Frees the census with its reports and ids; the graph and breakdown lose a reference. NULL is fine. */
UBI_API void ubi_census_free(ubi_census *census);

/* ---- reports ----------------------------------------------------------------------------------------------------- */

/** One report of a census; borrowed from it. */
typedef struct ubi_report ubi_report;

typedef enum ubi_report_shape {
    UBI_REPORT_COUNT,  /**< numbers */
    UBI_REPORT_BUCKET, /**< node ids */
    UBI_REPORT_OBJECT, /**< entries with text keys, in JavaScript's property order */
    UBI_REPORT_MAP,    /**< entries with stack keys, in insertion order */
    UBI_REPORT_ARRAY   /**< entries with index keys */
} ubi_report_shape;

typedef enum ubi_key_type {
    UBI_KEY_TEXT,
    UBI_KEY_STACK,      /**< `stack` */
    UBI_KEY_NULL_STACK, /**< allocated while no frame was on the stack (live heaps only) */
    UBI_KEY_NO_STACK,   /**< "noStack" */
    UBI_KEY_INDEX       /**< `index` */
} ubi_key_type;

typedef struct ubi_report_key {
    ubi_key_type type;
    ubi_text text;   /**< TEXT: the key; NO_STACK: "noStack" */
    ubi_stack stack; /**< STACK */
    uint32_t index;  /**< INDEX */
} ubi_report_key;

typedef struct ubi_report_count {
    bool has_count, has_bytes, has_label; /**< what the breakdown asked for */
    uint64_t count;
    uint64_t bytes; /**< modulo 2^64 */
    ubi_text label;
} ubi_report_count;

/** The outermost report. Borrowed from the census. */
UBI_API const ubi_report *ubi_census_report(const ubi_census *census);
/** The breakdown that the census was taken with. Borrowed from the census. */
UBI_API const ubi_breakdown *ubi_census_breakdown(const ubi_census *census);
/** Nodes counted, and the sum of their sizes, whatever the breakdown shows. */
UBI_API uint64_t ubi_census_node_count(const ubi_census *census);
UBI_API uint64_t ubi_census_size_bytes(const ubi_census *census);

/** Which of the functions below apply. */
UBI_API ubi_report_shape ubi_report_shape_of(const ubi_report *report);
/** The part of the census's breakdown that gave this report. Borrowed from the census. */
UBI_API const ubi_breakdown *ubi_report_breakdown(const ubi_report *report);
UBI_API void ubi_report_get_count(const ubi_report *report, ubi_report_count *out); /**< shape COUNT */
/** Shape BUCKET: ids in breadth-first order. Borrowed. */
UBI_API const uint64_t *ubi_report_bucket(const ubi_report *report, uint64_t *n);
/** Shapes OBJECT, MAP, ARRAY. */
UBI_API uint32_t ubi_report_entry_count(const ubi_report *report);
UBI_API const ubi_report *ubi_report_entry(const ubi_report *report, uint32_t index, ubi_report_key *key);

/* ---- census trees ------------------------------------------------------------------------------------------------ */

typedef uint32_t ubi_census_node_ix;
typedef struct ubi_census_tree ubi_census_tree;

typedef struct ubi_census_tree_options {
    uint32_t version; /**< UBI_CENSUS_TREE_OPTIONS_VERSION */
    bool is_inverted;
    bool has_filter; /**< apply `filter`, also when it is empty */
    ubi_text filter; /**< case-sensitive substring of a name, or of a frame's source or function */
} ubi_census_tree_options;

#define UBI_CENSUS_TREE_OPTIONS_VERSION 1
#define UBI_CENSUS_TREE_OPTIONS_INIT                                                                                   \
    {                                                                                                                  \
        UBI_CENSUS_TREE_OPTIONS_VERSION, false, false, {                                                               \
            NULL, 0                                                                                                    \
        }                                                                                                              \
    }

typedef enum ubi_census_name_type {
    UBI_CENSUS_NAME_NULL,
    UBI_CENSUS_NAME_TEXT,
    UBI_CENSUS_NAME_FRAME
} ubi_census_name_type;

/** A row of a census tree. Signed, because the tree of a diff has negative numbers. */
typedef struct ubi_census_node {
    ubi_census_name_type name_type;
    ubi_text name;   /**< TEXT */
    ubi_stack frame; /**< FRAME: the frame alone matters, not its parents */
    int64_t bytes, total_bytes;
    int64_t count, total_count;
    uint32_t id;                        /**< from 1, as Firefox numbers them */
    uint32_t parent;                    /**< id; 0: none */
    bool has_children;                  /**< a children list exists, perhaps empty */
    const ubi_census_node_ix *children; /**< children[n_children], sorted */
    uint32_t n_children;
    const uint32_t *leaf_indices; /**< leaf_indices[n_leaf_indices]: which report leaves it shows */
    uint32_t n_leaf_indices;
} ubi_census_node;

/**
 * Arranges a report as a tree, by Firefox's rules: rows that are empty are left out; a stack becomes a path of rows, one
 * per frame, oldest first, and paths share their beginnings; siblings are sorted by what they hold. Numbers beyond 2^63-1
 * saturate. Members of an array breakdown are children called "[0]", "[1]", ..., of which totals take the first only.
 *
 * Inverted, the path from the root to each row with numbers of its own, a leaf or not, is the other way round, equal
 * beginnings are merged, and a row's totals are the sums of what came along the paths through it:
 *
 *     main 0/160 -> { f 100/150 -> g 50/50, g 10/10 }        own/total
 *         -> { f 100/100 -> main 0/100 -> root, g 60/60 -> { f 0/50 -> main -> root, main 0/10 -> root } }
 *
 * So the first level adds up to everything counted (to once that for each member of an array breakdown, whose paths are
 * not merged), and so do the children of every row to its totals. Own numbers and leaf indices are on the first level only.
 * A filter changes no number: it leaves out rows.
 *
 * Under UBI_COMPAT_FIREFOX (taken from the census) every part of the breakdown must have been written out, and what is
 * lost there is lost: the first of two stacks that look equal in a tree; what is called by a stack that was pruned;
 * inverted, the place on the first level of rows with children, and all totals of merged rows but the first's; after a
 * filter, the truth about rows with several children, whose own numbers are added once per path.
 *
 * @param census  borrowed; must outlive the tree.
 * Errors: UBI_EINVAL, UBI_ENOMEM, UBI_ELIMIT (more rows than 2^20 and 64 for each name in the report, or than 2^24; or
 * 2^28 rows on all paths of an inversion, and of Firefox's filter, merged ones counted each time). Cost: O(n log n) in these;
 * up to 300 bytes per row while it is made, and 100 then.
 * Source: mozilla-central devtools/shared/heapsnapshot/census-tree-node.js.
 */
UBI_API ubi_status ubi_census_tree_new(ubi_census_tree **out, const ubi_census *census,
                                       const ubi_census_tree_options *options);
UBI_API void ubi_census_tree_free(ubi_census_tree *tree);
UBI_API ubi_census_node_ix ubi_census_tree_root(const ubi_census_tree *tree);
UBI_API void ubi_census_tree_node(const ubi_census_tree *tree, ubi_census_node_ix node, ubi_census_node *out);
/** The row of an id, into *out. False: the tree has no such row; untouched then. O(1). */
UBI_API bool ubi_census_tree_find(ubi_census_node_ix *out, const ubi_census_tree *tree, uint32_t id);

/**
 * Ids of the nodes that were counted in some leaves of a report.
 *
 * @param out     owned ids[*n]; free with ubi_individuals_free.
 * @param leaves  leaves[n_leaves], from ubi_census_node.leaf_indices.
 * Order: leaf by leaf in report order, breadth-first within a leaf.
 * Errors: UBI_ENOTFOUND (no such leaf), UBI_ENOMEM. Cost: one census.
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, getCensusIndividuals.
 */
UBI_API ubi_status ubi_census_individuals(uint64_t **out, uint64_t *n, const ubi_graph *graph,
                                          const ubi_breakdown *breakdown, const uint32_t *leaves, uint32_t n_leaves,
                                          const ubi_census_options *options);
UBI_API void ubi_individuals_free(uint64_t *ids, uint64_t n, const ubi_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
