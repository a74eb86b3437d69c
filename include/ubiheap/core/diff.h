/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/diff.h: what changed between two heaps.
 *
 * Two views. The *census diff* subtracts two censuses that were taken with the same breakdown; its *deltas* have the shape
 * of their reports, and signed numbers:
 *
 *     { "Array": { "count": 1 }, "Map": { "count": 2 } }  ->  { "Map": { "count": 5 }, "Set": { "count": 4 } }
 *         = { "Array": { "count": -1 }, "Map": { "count": 3 }, "Set": { "count": 4 } }
 *
 * The *class diff* compares node by node: of each class, how many nodes are new, deleted and still there, which a
 * difference of sums cannot show.
 *
 *     ubi_census_diff *diff;
 *     ubi_status status = ubi_census_diff_new(&diff, census_before, census_after);
 *
 * The older heap is the *start*, the newer one the *end*. All results are immutable and belong to the caller.
 */
#ifndef UBIHEAP_DIFF_H
#define UBIHEAP_DIFF_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/classes.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- by breakdown ------------------------------------------------------------------------------------------------ */

typedef struct ubi_census_diff ubi_census_diff;

/**
 * Subtracts `start` from `end`. Entries correspond when their keys do: texts by text, members of an array by place, stacks
 * by content (source, line, column, function, isSystem, and the caller likewise), so the censuses may be of different files
 * or of a live heap.
 *
 * Order: the entries of the start in its order, then those that only the end has, in its order; keys that JavaScript takes
 * for array indices ("0", "7") go first, ascending, as in every report.
 *
 * Under UBI_COMPAT_FIREFOX (taken from the censuses) every part of the breakdown that is met must have been written out;
 * numbers are subtracted as doubles; leaves of the start show only numbers whose option was written out, and no label; and
 * a class or file called "__proto__" is lost.
 *
 * @param start, end  borrowed; must outlive the diff.
 * Errors: UBI_EMISMATCH (different breakdowns, or censuses of different compatibility), UBI_EINVAL, UBI_ENOMEM,
 * UBI_ELIMIT (2^32-1 entries). Cost: O(n log n) in the entries of both reports and the frames of their stacks, O(n) when
 * no key is an array index.
 * Source: mozilla-central devtools/shared/heapsnapshot/CensusUtils.js, diff.
 */
UBI_API ubi_status ubi_census_diff_new(ubi_census_diff **out, const ubi_census *start, const ubi_census *end);
/** NULL is fine. */
UBI_API void ubi_census_diff_free(ubi_census_diff *diff);

/**
 * Totals of the start over its count leaves: 0 for numbers that the breakdown does not show. Of an array breakdown, only
 * the first member counts. Saturating at 2^63-1.
 */
UBI_API int64_t ubi_census_diff_basis_count(const ubi_census_diff *diff);
UBI_API int64_t ubi_census_diff_basis_bytes(const ubi_census_diff *diff);

/** The difference of two reports, or of a report and nothing; borrowed from the diff. */
typedef struct ubi_delta ubi_delta;

typedef struct ubi_delta_count {
    bool has_count, has_bytes, has_label;
    int64_t count, bytes; /**< end - start; beyond 2^63-1 they saturate */
    ubi_text label;
} ubi_delta_count;

/** The outermost delta. */
UBI_API const ubi_delta *ubi_census_diff_delta(const ubi_census_diff *diff);
/** As of a report. */
UBI_API ubi_report_shape ubi_delta_shape_of(const ubi_delta *delta);
UBI_API const ubi_breakdown *ubi_delta_breakdown(const ubi_delta *delta);
/** Shape COUNT. */
UBI_API void ubi_delta_get_count(const ubi_delta *delta, ubi_delta_count *out);
/** Shapes OBJECT, MAP, ARRAY. */
UBI_API uint32_t ubi_delta_entry_count(const ubi_delta *delta);
UBI_API const ubi_delta *ubi_delta_entry(const ubi_delta *delta, uint32_t index, ubi_report_key *key);
/** The reports behind a delta; NULL when that side has none. One of them is there. Borrowed from its census. */
UBI_API const ubi_report *ubi_delta_start(const ubi_delta *delta);
UBI_API const ubi_report *ubi_delta_end(const ubi_delta *delta);

/**
 * Arranges a delta as a tree, by the rules of ubi_census_tree_new: what did not change is left out, siblings are sorted by
 * how much they changed, up or down. The totals of the root are those of the start (the basis), to take shares of.
 *
 * @param diff  borrowed; must outlive the tree. Errors and cost: as ubi_census_tree_new.
 * Source: mozilla-central devtools/shared/heapsnapshot/census-tree-node.js.
 */
UBI_API ubi_status ubi_census_diff_tree_new(ubi_census_tree **out, const ubi_census_diff *diff,
                                            const ubi_census_tree_options *options);

/* ---- by class ---------------------------------------------------------------------------------------------------- */

typedef struct ubi_tally {
    uint64_t count;
    uint64_t bytes; /**< modulo 2^64 */
} ubi_tally;

/**
 * A class, or all of them. `end` is `start` + `created` - `deleted` in counts; in bytes, what survived may have changed
 * its size besides.
 */
typedef struct ubi_class_change {
    ubi_class name;    /**< of a total: name.ptr NULL; texts borrowed from what the schemes describe */
    ubi_tally start;   /**< in the older heap */
    ubi_tally end;     /**< in the newer heap */
    ubi_tally created; /**< in the newer heap alone, sizes of the newer */
    ubi_tally deleted; /**< in the older heap alone, sizes of the older */
} ubi_class_change;

typedef struct ubi_class_diff ubi_class_diff;

/** Which rows come first; equal ones stand by place and name. */
typedef enum ubi_class_order {
    UBI_CLASS_ORDER_CHANGE = 0, /**< most changed, `end` less `start`: by bytes, by count, by what came and went */
    UBI_CLASS_ORDER_NET,        /**< the same of `created` less `deleted` */
    UBI_CLASS_ORDER_GROWTH      /**< bytes of `created` less those of `deleted`, signed: what shrank comes last */
} ubi_class_order;

typedef struct ubi_class_diff_options {
    uint32_t version; /**< UBI_CLASS_DIFF_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    ubi_class_order order;
} ubi_class_diff_options;

#define UBI_CLASS_DIFF_OPTIONS_VERSION 1
#define UBI_CLASS_DIFF_OPTIONS_INIT                                                                                    \
    { .version = UBI_CLASS_DIFF_OPTIONS_VERSION }

/**
 * Compares two heaps node by node. A node is in both when both have its id and put it in equal classes; an id that changed
 * its class was deleted and created.
 *
 * So ids must mean the same in both. In V8 an object keeps the id that it is born with. Those of Firefox's snapshots are
 * addresses: they do within one run of the program, but an address can be used again, and a moved object has a new one.
 * Between two runs they mean nothing: ubi_class_diff_is_same_process.
 *
 * Keeps references to both graphs; what else the descriptions of the schemes borrow from must outlive the diff. Errors:
 * UBI_ENOMEM, UBI_ECANCELLED, UBI_EINVAL. Cost: O(n) in the nodes of both, one lookup of an id each, and O(c log c) in the
 * classes; memory by the number of classes alone.
 */
UBI_API ubi_status ubi_class_diff_new(ubi_class_diff **out, const ubi_class_scheme *start, const ubi_class_scheme *end,
                                      const ubi_class_diff_options *options);
/** NULL is fine. */
UBI_API void ubi_class_diff_free(ubi_class_diff *diff);
/** Classes that either heap has nodes of, in the order asked for. */
UBI_API uint32_t ubi_class_diff_count(const ubi_class_diff *diff);
UBI_API const ubi_class_change *ubi_class_diff_row(const ubi_class_diff *diff, uint32_t index);
/** The sum of all rows. */
UBI_API const ubi_class_change *ubi_class_diff_total(const ubi_class_diff *diff);
/** Ids that nodes of both heaps have, in equal classes or not. */
UBI_API uint64_t ubi_class_diff_common_count(const ubi_class_diff *diff);
/** Of these, strings whose texts are known. @param n_equal  out: those of equal text. O(1). */
UBI_API uint64_t ubi_class_diff_text_count(uint64_t *n_equal, const ubi_class_diff *diff);
/**
 * Whether the heaps are of one process, as ubi_leaks_fit judges it: of what has equal ids, nearly all is of equal class and text.
 * @param reuses_ids  ids are addresses, which are used again: then there only have to be enough of them. O(1).
 */
UBI_API bool ubi_class_diff_is_same_process(const ubi_class_diff *diff, bool reuses_ids);

#ifdef __cplusplus
}
#endif
#endif
