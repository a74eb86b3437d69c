/* SPDX-License-Identifier: MIT
 *
 * ubiheap/leaks.h: what a program holds on to between snapshots, grouped by who holds it.
 *
 * The method needs two heaps of one run of a program, OLD and NEW, and is far better with three. What was born after OLD
 * and is still there in the newest heap, and with three heaps was there in NEW already, is *leaked* until proven otherwise:
 * work of the moment is gone by then.
 *
 * Most of that is not what a person looks for: an object that leaks keeps its strings, its lists and their entries. So
 * leaked objects that are alive only through others stand under these, and those that are left are gathered into *clusters*:
 * objects of one class in one sort of place, such as the values of one map. A place is the path from the root, of which
 * array indices, keys and other numbers do not count.
 *
 *     cluster      300 LeakedThing, which keep 55 KiB (300 Array, 300 Object, 300 string, ...)
 *     holder       the Map that they are in: it was there in OLD, so it grew
 *
 * Steps, with the newest heap always at hand and at most one more:
 *
 *     ubi_leak_finder_new(&finder, view_of_newest, &classes_of_newest, NULL);
 *     ubi_leak_finder_compare(finder, UBI_LEAK_OLD, &classes_of_old);          then OLD can go
 *     ubi_leak_finder_compare(finder, UBI_LEAK_NEW, &classes_of_new);          only if there are three
 *     ubi_leak_finder_run(&leaks, finder);
 *
 * Limits: node ids must mean the same in all heaps. V8 numbers its objects for good. Ids of Firefox are addresses: an object
 * that the collector moved looks new, and one at the address of a dead one of its class looks old.
 */
#ifndef UBIHEAP_LEAKS_H
#define UBIHEAP_LEAKS_H

#include <ubiheap/base.h>
#include <ubiheap/classes.h>
#include <ubiheap/graph.h>
#include <ubiheap/paths.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One of the earlier heaps. */
typedef enum ubi_leak_step {
    UBI_LEAK_OLD = 0, /**< what is in it is no leak */
    UBI_LEAK_NEW = 1  /**< of three heaps, the second: what is not in it is too young to tell */
} ubi_leak_step;

typedef struct ubi_leak_finder ubi_leak_finder;

/** Clusters of leaked objects. Immutable: any number of threads may read it. */
typedef struct ubi_leaks ubi_leaks;

/** What a control is compared by: of each cluster, its class and path by their texts, and how many leaked. Immutable. */
typedef struct ubi_leak_control ubi_leak_control;

typedef struct ubi_leak_options {
    uint32_t version; /**< UBI_LEAK_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stages "comparing" and "finding leaks" */
    unsigned threads;      /**< 0: one per core */
    /** Ids may go to other nodes later: then a node is the same only if its class is, too. */
    bool reuses_ids;
    /** Leaks can be anything; else objects, strings and nodes of documents (ubi_coarse_type), what a program can hold. */
    bool engine;
    /** A bit per node of the newest heap: the others are not leaked. Borrowed until the run is over. NULL: any may be. */
    const uint64_t *chosen;
    /**
     * What leaked in a run of the same program without the suspected action. Clusters that grew there too, at least half as
     * much, are no leaks. Borrowed until the run is over. NULL: none.
     */
    const ubi_leak_control *control;
    /**
     * What tells nodes of one class apart beside their place, such as the name of a function: an entry of the newest graph's
     * strings, or UBI_NONE. NULL: nothing does.
     */
    ubi_str_ix (*name_of)(const void *payload, ubi_node_ix node);
    const void *name_payload;
} ubi_leak_options;

#define UBI_LEAK_OPTIONS_VERSION 1
#define UBI_LEAK_OPTIONS_INIT                                                                                          \
    { .version = UBI_LEAK_OPTIONS_VERSION }

/**
 * @param view     of the newest heap; its graph is referenced, and what else it points to borrowed as long as the finder and
 *                 its leaks live.
 * @param classes  of the same graph; borrowed likewise. Nodes in no class are not leaked.
 * Errors: UBI_ENOMEM, UBI_EINVAL. Cost: O(classes), and memory of a byte per node.
 */
UBI_API ubi_status ubi_leak_finder_new(ubi_leak_finder **out, const ubi_view *view, const ubi_class_scheme *classes,
                                       const ubi_leak_options *options);
UBI_API void ubi_leak_finder_free(ubi_leak_finder *finder); /**< NULL is fine */

/**
 * Notes what of the newest heap was in an earlier one. Each step once; OLD must be there.
 * @param past  borrowed during the call.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED, UBI_EINVAL (a step twice).
 * Cost: O(nodes of both), a lookup of an id each, shared by the threads. Memory: by the number of classes.
 */
UBI_API ubi_status ubi_leak_finder_compare(ubi_leak_finder *finder, ubi_leak_step step, const ubi_class_scheme *past);

/**
 * Finds the clusters; the finder is of no use afterwards but must be freed.
 * Cost: O((nodes + edges) + c log c) for c clusters, expected; one walk over the edges, one thread. Memory: 29 bytes per
 * node, 9 of which stay, 4 per string, and some 100 for each different place. Errors: UBI_ENOMEM, UBI_ECANCELLED, UBI_EINVAL (no
 * OLD).
 */
UBI_API ubi_status ubi_leak_finder_run(ubi_leaks **out, ubi_leak_finder *finder);
UBI_API void ubi_leaks_free(ubi_leaks *leaks); /**< NULL is fine */

/** The leaks of a control; they may be freed afterwards. Errors: UBI_ENOMEM. Cost: O(clusters), some 30 bytes each. */
UBI_API ubi_status ubi_leak_control_new(ubi_leak_control **out, const ubi_leaks *leaks);
UBI_API void ubi_leak_control_free(ubi_leak_control *control); /**< NULL is fine */

/* ---- the whole -------------------------------------------------------------------------------------------------- */

typedef struct ubi_leak_tally {
    uint64_t count;
    uint64_t bytes; /**< own sizes */
} ubi_leak_tally;

typedef struct ubi_leak_summary {
    ubi_leak_tally heap[3];  /**< in classes: of OLD, NEW and the newest; of two heaps, [1] is [2] */
    bool three;              /**< there is a NEW beside the newest */
    ubi_leak_tally leaked;   /**< leaked objects in clusters that are leaks */
    uint64_t retained_bytes; /**< that they keep: the sum of these clusters */
    uint64_t largest_bytes;  /**< of these, that of the largest */
    uint32_t n_clusters;     /**< that are leaks; they come first */
    /**
     * Ids that OLD and the newest heap have in common, and those whose nodes are in equal classes. Few of either, compared
     * with the nodes of OLD and with the former, mean that the heaps are of different runs, and all of this worth nothing.
     */
    uint64_t n_common, n_common_same;
} ubi_leak_summary;

/** Borrowed. O(1). */
UBI_API const ubi_leak_summary *ubi_leaks_summary(const ubi_leaks *leaks);
/** Leaked objects of classes of this name, in clusters that are leaks. Cost: O(classes). */
UBI_API ubi_leak_tally ubi_leaks_of_class(const ubi_leaks *leaks, ubi_text name);
/** Bytes that clusters of classes of this name keep, of those that are leaks. Cost: O(clusters). */
UBI_API uint64_t ubi_leaks_retained_by_class(const ubi_leaks *leaks, ubi_text name);

/* ---- clusters --------------------------------------------------------------------------------------------------- */

typedef enum ubi_leak_verdict {
    /* leaks */
    UBI_LEAK_GREW,   /**< new since OLD; two heaps cannot say more */
    UBI_LEAK_STEADY, /**< grew from OLD to NEW, and from there to NEWER */
    UBI_LEAK_ONCE,   /**< grew from OLD to NEW and not since: perhaps something that a program sets up once */
    UBI_LEAK_LARGE,  /**< one or two objects that keep much */
    /* probably none */
    UBI_LEAK_BOUNDED,   /**< as a cache of fixed size: new ones came in place of others since NEW */
    UBI_LEAK_REPLACED,  /**< of the class, about as many went as came: it did not grow */
    UBI_LEAK_CONTROLLED /**< grows in the control, too */
} ubi_leak_verdict;

/** Other leaked objects of a class that a cluster keeps. */
typedef struct ubi_leak_part {
    ubi_class name;
    ubi_leak_tally tally;
} ubi_leak_part;

#define UBI_LEAK_PARTS 3

typedef struct ubi_leak_cluster {
    ubi_class class_name; /**< texts borrowed from what the scheme of the newest heap describes */
    ubi_text name;        /**< what `name_of` told; NULL text: nothing. Borrowed from the graph */
    ubi_leak_verdict verdict;
    ubi_leak_tally leaked; /**< leaked objects of the class in the cluster: those in the place and of those they keep */
    /** Own sizes of everything born after OLD, leaked or not, that is alive through leaked objects of the cluster alone. */
    uint64_t retained_bytes;
    uint64_t n_retained;     /**< how many nodes that is */
    uint32_t n_older;        /**< others of the class in the same place that were there in OLD */
    uint32_t n_younger;      /**< and that came after NEW; of two heaps 0 */
    uint64_t class_count[3]; /**< nodes of the class in OLD, NEW and the newest heap; of two, [1] is [2] */
    uint64_t class_gone;     /**< nodes of the class in OLD that are not in the newest heap */
    uint64_t n_control;      /**< how many the control has in this cluster */
    ubi_node_ix example;     /**< one of them, with a shortest path */
    /**
     * Who grew: the nearest object of another class on the example's path that was there in OLD; or, where what leaked hangs on
     * one new object (holder_is_new), such as the map of a new cache, that one. UBI_NONE: there is none but engine internals
     * and the root.
     */
    ubi_node_ix holder;
    bool holder_is_new;
    uint32_t n_holders; /**< different holders of the leaked objects; that of the example is one */
    uint32_t n_parts;
    ubi_leak_part parts[UBI_LEAK_PARTS]; /**< those with a place first, then most bytes first */
} ubi_leak_cluster;

/** Whether clusters of this verdict count as leaks. */
UBI_API bool ubi_leak_verdict_is_leak(ubi_leak_verdict verdict);
/** "grew", "steady", "once", "large", "bounded", "replaced", "controlled". Static. */
UBI_API const char *ubi_leak_verdict_name(ubi_leak_verdict verdict);

/** All of them: leaks first; most retained first, then most objects, then by class. */
UBI_API uint32_t ubi_leaks_count(const ubi_leaks *leaks);
UBI_API const ubi_leak_cluster *ubi_leaks_cluster(const ubi_leaks *leaks, uint32_t index);

/**
 * The path from the root to a node that the walk met, such as a cluster's example: its steps, as in paths.h. It is a
 * shortest one of those that avoid leaked objects, if there are any, and prefers the view's first edges.
 * @return how many steps; 0: the root, or not met. Cost: O(length).
 */
UBI_API uint32_t ubi_leaks_path_length(const ubi_leaks *leaks, ubi_node_ix node);
/** @param out  out[ubi_leaks_path_length(leaks, node)], caller's. */
UBI_API void ubi_leaks_path(ubi_path_step *out, const ubi_leaks *leaks, ubi_node_ix node);
/** Whether a node of the newest heap was there in OLD. O(1). */
UBI_API bool ubi_leaks_was_there(const ubi_leaks *leaks, ubi_node_ix node);

#ifdef __cplusplus
}
#endif
#endif
