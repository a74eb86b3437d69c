/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/leaks.h: what grows from snapshot to snapshot, grouped by its holder.
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
 * There may be more heaps between: a series. Leaked is then what was born after the first and is still there in the last two;
 * the others show when it came, and so what grows with each step from what grew once (ubi_leak_cluster.came).
 *
 * Steps, with the newest heap always at hand and at most one more:
 *
 *     ubi_leak_finder_new(&finder, view_of_newest, &classes_of_newest, NULL);
 *     ubi_leak_finder_compare(finder, UBI_LEAK_OLD, &classes_of_old);          then OLD can go
 *     ubi_leak_finder_compare(finder, UBI_LEAK_NEW, &classes_of_new);          only if there are three
 *     ubi_leak_finder_compare(finder, 2, &classes_of_next);                    and so on
 *     ubi_leak_finder_run(&leaks, finder);
 *     if (ubi_leaks_fit(leaks) != UBI_LEAK_FITS) ...                           then it says nothing
 *
 * Limits: node ids must mean the same in all heaps. In V8 an object keeps its id. Ids of Firefox are addresses: an object
 * that the collector moved looks new, and one at the address of a dead one of its class looks old.
 */
#ifndef UBIHEAP_LEAKS_H
#define UBIHEAP_LEAKS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/classes.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/core/paths.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The earlier heaps of a series are numbered from 0, in the order in which they were taken. */
typedef enum ubi_leak_step {
    UBI_LEAK_OLD = 0, /**< what is in it is no leak */
    UBI_LEAK_NEW = 1  /**< of three heaps, the second */
} ubi_leak_step;

typedef struct ubi_leak_finder ubi_leak_finder;

/** Clusters of leaked objects. Immutable: any number of threads may read it. */
typedef struct ubi_leaks ubi_leaks;

/** What a control is compared by: of each cluster, its class and path by their texts, and how many leaked. Immutable. */
typedef struct ubi_leak_control ubi_leak_control;

/** What the numbers of a cluster say. */
typedef enum ubi_leak_verdict {
    /* leaks */
    UBI_LEAK_GREW, /**< new since OLD; two heaps cannot say more */
    UBI_LEAK_STEADY, /**< grew with every step from one heap to the next, or nearly every: of four and more, one in four may not */
    UBI_LEAK_ONCE, /**< grew, and not with the last third of the steps: perhaps something that a program sets up once */
    UBI_LEAK_LARGE, /**< one or two objects that keep much */
    /* probably none */
    /** As a cache of fixed size: new ones came in place of others since NEW; or it is emptied now and then. */
    UBI_LEAK_BOUNDED,
    UBI_LEAK_REPLACED,   /**< of the class, about as many went as came: it did not grow */
    UBI_LEAK_CONTROLLED, /**< grows in the control, too */
    /* a leak again */
    UBI_LEAK_STEPWISE /**< of four heaps and more: grew with some of the steps */
} ubi_leak_verdict;

#define UBI_LEAK_VERDICTS 8
#define UBI_LEAK_VERDICT_BIT(verdict) (UINT32_C(1) << (verdict))

typedef struct ubi_leak_options {
    uint32_t version; /**< UBI_LEAK_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stages "comparing" and "finding leaks" */
    unsigned threads;      /**< 0: one per core */
    /** Ids may go to other nodes later: then a node is the same only if its class is, too. */
    bool may_reuse_ids;
    /** Leaks can be anything; else what a program can hold: objects, strings, nodes of documents (ubi_coarse_type) and values. */
    bool with_engine;
    /** A bit per node of the newest heap: the others are not leaked. Borrowed until the run is over. NULL: any may be. */
    const uint64_t *chosen;
    /**
     * What leaked in a run of the same program without the suspected action. Clusters that grew there too, at least half as
     * much, are no leaks. Borrowed until the run is over. NULL: none.
     */
    const ubi_leak_control *control;
    /**
     * What distinguishes nodes of one class beside their place, such as the name of a function: an entry of the newest graph's
     * strings, or UBI_NONE. NULL: nothing does.
     */
    ubi_str_ix (*name_of)(const void *payload, ubi_node_ix node);
    const void *name_payload;
    /* From version 2 on: */
    uint32_t verdicts; /**< UBI_LEAK_VERDICT_BIT of each whose clusters count; 0: those of ubi_leak_verdict_is_leak */
    /*     * The largest id assigned when a heap was taken, if ids are assigned in increasing order: heaps of one process are
     * ordered by this (ubi_lens_id_mark). 0: unknown. NULL: unknown for all heaps; then creation times decide, if available.
     */
    uint64_t (*id_mark_of)(const ubi_graph *graph);
    /* From version 3 on: */
    /**
     * Where in the program's code a node of the newest heap belongs, such as the place of a function; called with name_payload, for
     * leaked objects. Equal numbers are equal places; 0: unknown. It groups nothing: a cluster says whether it is about one place
     * (ubi_leak_cluster.n_elsewhere). NULL: unknown.
     */
    uint64_t (*site_of)(const void *payload, ubi_node_ix node);
    /* From version 4 on: */
    /**
     * Whether a node of any of the heaps is a text that is put together of others, as V8 makes one for `a + b`: a *rope*. A text that only
     * a rope refers to is a part of it and no object; the outermost rope stands for all, and weighs what all do. It is the same as
     * the rope or text of an earlier heap that is now among its parts: one that grew. NULL: no node is.
     */
    bool (*is_rope)(const ubi_graph *graph, ubi_node_ix node);
    /* From version 5 on: */
    /**
     * Whether nodes of a kind are values of the language that are no objects, such as V8's bigints, symbols and boxed numbers: a program holds
     * them as it does strings, and they can leak. NULL: of no kind are.
     */
    bool (*is_value)(const ubi_graph *graph, const ubi_kind *kind);
    /* From version 6 on: */
    /**
     * Of three heaps: something was done before NEW and undone after it. So all that came with NEW and is still there is leaked, whatever
     * else came and went meanwhile: the verdict is UBI_LEAK_GREW or UBI_LEAK_LARGE, as of two heaps.
     */
    bool is_round_trip;
    /**
     * Of a node of the engine the object that it keeps only to copy it, as V8 does with the object literals of a function: no program holds
     * it, and it comes when the code runs, however often. UBI_NONE: it keeps none. NULL: none does.
     */
    ubi_node_ix (*template_of)(const ubi_graph *graph, ubi_node_ix node);
    /**
     * Whether an edge holds for the moment only, as by what looks at the program: a way without it is taken where there is one. Asked of
     * edges of nodes that are two edges from the root, or one. NULL: none does.
     */
    bool (*is_passing_edge)(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge);
} ubi_leak_options;

#define UBI_LEAK_OPTIONS_VERSION 6
#define UBI_LEAK_OPTIONS_INIT                                                                                          \
    { .version = UBI_LEAK_OPTIONS_VERSION }

/**
 * @param view     of the newest heap; its graph is referenced, and what else it points to borrowed as long as the finder and
 *                 its leaks live.
 * @param classes  of the same graph; borrowed likewise. Nodes in no class are not leaked.
 * Errors: UBI_ENOMEM, UBI_EINVAL. Cost: O(nodes + edges), and memory of 8 bytes per node, for a moment 16.
 */
UBI_API ubi_status ubi_leak_finder_new(ubi_leak_finder **out, const ubi_view *view, const ubi_class_scheme *classes,
                                       const ubi_leak_options *options);
UBI_API void ubi_leak_finder_free(ubi_leak_finder *finder); /**< NULL is fine */

/**
 * Notes what of the newest heap was in an earlier one. Each step once, 0 to n - 1 for n earlier heaps; best in their order.
 * @param step  UBI_LEAK_OLD, UBI_LEAK_NEW, 2, ...
 * @param past  borrowed during the call.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED, UBI_EINVAL (a step twice), UBI_ELIMIT (more than 65,535).
 * Cost: O(nodes of both), a lookup of an id each, shared by the threads, and O(edges) of the earlier heap. Memory: 16 bytes per
 * class, 8 per object of the newest heap that weighs 256 bytes or more, and during the call 15 per node of the earlier one,
 * and if there are ropes 12 more, and 4 per node of the newest.
 */
UBI_API ubi_status ubi_leak_finder_compare(ubi_leak_finder *finder, uint32_t step, const ubi_class_scheme *past);

/**
 * Finds the clusters; the finder is useless afterwards but must be freed.
 * Cost: O((nodes + edges) + c log c) for c clusters, expected; one walk over the edges, one thread. Memory: 44 bytes per
 * node, 56 if there are ropes, 9 of which stay, 4 per string, some 100 for each different place, 16 for each class and heap, and 17 for each cluster and
 * heap. Errors: UBI_ENOMEM, UBI_ECANCELLED, UBI_EINVAL (no OLD, or a step is missing).
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
    ubi_leak_tally heap[3];  /**< in classes: of OLD, NEW (the last but one) and the newest; of two heaps, [1] is [2] */
    bool has_three_heaps;    /**< there is a NEW beside the newest: there are three heaps or more */
    ubi_leak_tally leaked;   /**< leaked objects in clusters that are leaks */
    uint64_t retained_bytes; /**< that they keep: the sum of these clusters */
    uint64_t largest_bytes;  /**< of these, that of the largest */
    uint32_t n_clusters;     /**< that are leaks; they come first */
    uint64_t n_common, n_common_same; /**< those of OLD (ubi_leak_heap) */
    uint64_t n_not_chosen;            /**< objects that came and stayed, but are not among ubi_leak_options.chosen */
} ubi_leak_summary;

/** Whether a heap can be compared with the others of its series. */
typedef enum ubi_leak_fit {
    UBI_LEAK_FITS,
    UBI_LEAK_OUT_OF_ORDER, /**< of the process of the newest heap, and taken before one that precedes it, or after one that follows */
    UBI_LEAK_SAME_HEAP,    /**< another one of the series is the same heap */
    UBI_LEAK_OTHER_PROCESS /**< ids that it shares with the newest heap belong to other things */
} ubi_leak_fit;

/** A heap of the series; counts are of nodes in classes. */
typedef struct ubi_leak_heap {
    ubi_leak_tally tally;
    uint64_t time_us;       /**< of creation, since 1970; 0: unknown */
    uint64_t id_mark;       /**< the largest id assigned; 0: unknown */
    uint64_t n_common;      /**< nodes whose ids the newest heap has, too */
    uint64_t n_common_same; /**< of these, in an equal class, and strings that are strings in both */
    uint64_t n_types_same; /**< of these, of an equal type; all but a few in one process whose objects keep their ids */
    uint64_t n_texts,
        n_texts_same; /**< of these, strings whose texts are known in both, and those of equal text: all but a few in one process */
    uint32_t
        rank; /**< place among the heaps of the newest one's process, in time: as ids show, or times of creation, or as given */
    ubi_leak_fit fit;
    uint64_t
        n_words; /**< beside n_texts, strings whose texts differ, and were anonymized in one of the heaps at least */
    uint64_t n_words_same; /**< of n_texts_same, those that were anonymized, with one key */
} ubi_leak_heap;

/** How many heaps there are, and each of them; the newest is the last. Borrowed. O(1). */
UBI_API uint32_t ubi_leaks_heap_count(const ubi_leaks *leaks);
UBI_API const ubi_leak_heap *ubi_leaks_heap(const ubi_leaks *leaks, uint32_t index);
/* * Whether ids or creation times show in which order the heaps were taken; if not, the order is as given. For several processes it
 * is unknown. O(1).
 */
UBI_API bool ubi_leaks_order_is_known(const ubi_leaks *leaks);
/** The worst fit of all heaps: what follows from them is worth something if it is UBI_LEAK_FITS. Cost: O(heaps). */
UBI_API ubi_leak_fit ubi_leaks_fit(const ubi_leaks *leaks);
/** The time from the first heap to the newest; false: unknown. O(1). */
UBI_API bool ubi_leaks_elapsed_us(uint64_t *out, const ubi_leaks *leaks);

/** A class over the whole series. Borrowed. */
typedef struct ubi_leak_trend {
    ubi_class class_name;
    const ubi_leak_tally *at_heap; /**< at_heap[ubi_leaks_heap_count]: its nodes in each heap */
    uint32_t n_rises;              /**< steps with which they became more */
} ubi_leak_trend;

/** Classes that have more nodes in the newest heap than in OLD, leaked or not; those first that grew by most bytes. O(1), O(heaps). */
UBI_API uint32_t ubi_leaks_trend_count(const ubi_leaks *leaks);
UBI_API void ubi_leaks_trend(ubi_leak_trend *out, const ubi_leaks *leaks, uint32_t index);

/**
 * An object that was there in OLD and has become larger: a Set of numbers, an array, a resizable buffer; or that holds another, larger
 * text or buffer under the same name. It weighs its own size, that of parts of the engine which it alone refers to, and that of
 * what it alone holds by a name and what was not there in OLD (of an earlier heap: is not there in the newest); leaked objects are not
 * among these. Listed are objects of 4 KiB and more that grew by 1 KiB or more. Where more than three objects of one class that are held in
 * one way grew, or more than 16 under names that may be keys by less than 64 KiB each, they are listed as one, together: then of 256 bytes
 * and more, by 32 or more. Borrowed.
 */
typedef struct ubi_leak_grown {
    ubi_class class_name; /**< of `node` */
    ubi_node_ix node;     /**< of several, that which grew most */
    bool is_by_contents;  /**< most of it is what the node holds by names, and what is new */
    ubi_node_ix content;  /**< most of it is this one of these; UBI_NONE: none of them alone */
    ubi_leak_verdict
        verdict; /**< GREW, STEADY, ONCE, STEPWISE; no leaks: BOUNDED (it also became smaller), CONTROLLED */
    bool is_counted;
    const uint64_t *bytes; /**< bytes[ubi_leaks_heap_count]: what it weighed in each heap, or all of them together */
    uint64_t grown_bytes;  /**< from OLD to the newest */
    const uint8_t *grew;   /**< grew[ubi_leaks_heap_count - 1]: 1 for steps with which it grew, as of clusters */
    uint32_t n_grew;
    uint64_t control_bytes; /**< by which the same grew in the control */
    bool is_cluster_holder; /**< it is the holder of a cluster that counts: its table grew with that */
    bool is_rope;           /**< it, or its content, is a text that others were added to (ubi_leak_options.is_rope) */
    uint32_t n_objects;     /**< how many grew: 1, or several of one class that are held in one way */
} ubi_leak_grown;

/** Those that are leaks first; then those that grew most. O(1). */
UBI_API uint32_t ubi_leaks_grown_count(const ubi_leaks *leaks);
UBI_API const ubi_leak_grown *ubi_leaks_grown(const ubi_leaks *leaks, uint32_t index);

/** Of some clusters. */
typedef struct ubi_leak_sums {
    ubi_leak_tally leaked; /**< leaked objects in them, those that others keep included */
    uint64_t retained_bytes, largest_bytes;
    uint32_t n_clusters;
} ubi_leak_sums;

/** Borrowed. O(1). */
UBI_API const ubi_leak_summary *ubi_leaks_summary(const ubi_leaks *leaks);
/** Leaked objects of classes of this name, in clusters that are leaks. Cost: O(classes). */
UBI_API ubi_leak_tally ubi_leaks_of_class(const ubi_leaks *leaks, ubi_text name);
/** Sums over all clusters of a verdict, whether it counts or not. Borrowed. O(1). */
UBI_API const ubi_leak_sums *ubi_leaks_of_verdict(const ubi_leaks *leaks, ubi_leak_verdict verdict);
/** Bytes that clusters of classes of this name keep, of those that are leaks. Cost: O(clusters). */
UBI_API uint64_t ubi_leaks_retained_by_class(const ubi_leaks *leaks, ubi_text name);

/* ---- clusters --------------------------------------------------------------------------------------------------- */

/** Other leaked objects of a class that a cluster keeps, with what the engine has for them alone, such as the elements of an array. */
typedef struct ubi_leak_part {
    ubi_class name;
    ubi_leak_tally tally;
} ubi_leak_part;

#define UBI_LEAK_PARTS 3

typedef struct ubi_leak_cluster {
    ubi_class class_name; /**< texts borrowed from what the scheme of the newest heap describes */
    ubi_text name;        /**< what `name_of` returned; NULL text: nothing. Borrowed from the graph */
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
     * Who grew: the nearest object of another class on the example's path that was there in OLD; or, where one new object holds what
     * leaked (is_holder_new), such as the map of a new cache, that one. UBI_NONE: there is none but engine internals
     * and the root.
     */
    ubi_node_ix holder;
    bool is_holder_new;
    uint32_t n_holders; /**< different holders of the leaked objects; that of the example is one */
    uint32_t n_parts;
    ubi_leak_part parts[UBI_LEAK_PARTS]; /**< those with a place first, then most bytes first */
    bool is_counted;                     /**< its verdict is one that counts: it is in the sums of the whole */
    /**
     * For each step from one heap to the next: how many came with it that are still there. Of three heaps and more, what came
     * with the last step is not leaked yet: `n_younger`, or of trees, whose place has their roots alone, all of the class.
     */
    const uint64_t *came;         /**< came[ubi_leaks_heap_count - 1]; borrowed */
    const uint64_t *class_counts; /**< class_counts[ubi_leaks_heap_count]: nodes of the class in each heap; borrowed */
    const uint8_t *
        grew; /**< grew[ubi_leaks_heap_count - 1]: 1 for steps with a tenth of the most, of three heaps a third, or more */
    uint32_t n_grew; /**< how many these are */
    uint64_t
        n_elsewhere; /**< leaked objects of another place in the code than the example (ubi_leak_options.site_of) */
} ubi_leak_cluster;

/**
 * What else came after OLD and stayed, or became larger, in bytes: things of the engine that no leaked object holds, and what grew too little
 * to be among what grew. It is what a gate asks for in addition to the lists.
 */
typedef struct ubi_leak_unlisted {
    uint64_t stayed_bytes;    /**< came by NEW and still there in the newest; of two heaps, in NEW */
    uint64_t grown_bytes;     /**< all of it in the newest */
    const uint64_t *bytes_at; /**< bytes_at[heaps]: how much of it was there in each; 0 in OLD */
    ubi_leak_verdict verdict; /**< of its sum, as that of one object */
    bool is_counted;          /**< as clusters do */
} ubi_leak_unlisted;

/** Borrowed. O(1). */
UBI_API const ubi_leak_unlisted *ubi_leaks_unlisted(const ubi_leaks *leaks);

/** Whether clusters of this verdict count as leaks, unless the options choose verdicts. */
UBI_API bool ubi_leak_verdict_is_leak(ubi_leak_verdict verdict);
/** The verdict of this name. False: there is none. */
UBI_API bool ubi_leak_verdict_named(ubi_leak_verdict *out, ubi_text name);
/** Whether n_heaps heaps (two or more), with a control or without, can have this verdict. */
UBI_API bool ubi_leak_verdict_is_possible(ubi_leak_verdict verdict, uint32_t n_heaps, bool has_control);
/** "grew", "steady", "once", "large", "bounded", "replaced", "controlled", "stepwise". Static. */
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
