/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/dominator_tree.h: the dominator tree as rows, a part at a time.
 *
 * A tree of a million nodes is never shown whole. One starts with a few levels from the root (ubi_dominator_tree_partial),
 * fetches more children of a row as pages (ubi_dominator_page_new) and puts them in (ubi_dominator_tree_insert):
 *
 *     #100 { #200 { #300, #301, ... } , #201, ... }     partial: "..." is has_more_children
 *     page of #200 from its third child on: [#302, #303], path [100, 200]
 *     insert: #100' { #200' { #300, #301, #302, #303 }, #201, ... }
 *
 * Rows are immutable and reference-counted. An insertion copies the rows on the path and shares all others, so a caller can
 * see by address what has changed.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/DominatorTreeNode.js and HeapAnalyses.worker.js.
 */
#ifndef UBIHEAP_DOMINATOR_TREE_H
#define UBIHEAP_DOMINATOR_TREE_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/labels.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A row and, perhaps, rows below it. Holds a reference to its labels and to each child. Any thread may read it. */
typedef struct ubi_dominator_node ubi_dominator_node;

/**
 * What a row says. Pointers are borrowed from the row.
 *
 * | has_children | has_more_children | |
 * |---|---|---|
 * | true | true | some of the children are there |
 * | true | false | all are |
 * | false | true | there are children, none is loaded |
 * | false | false | a leaf |
 */
typedef struct ubi_dominator_row {
    ubi_node_ix node;
    uint64_t node_id;
    const ubi_label *label;
    uint64_t shallow_bytes; /**< own size; 0 if the label is not sized */
    uint64_t retained_bytes;
    bool has_parent;    /**< false: the root, and rows that were made alone */
    uint64_t parent_id; /**< id of the immediate dominator */
    bool has_children;  /**< a list of children exists */
    uint32_t n_children;
    ubi_dominator_node *const *children; /**< children[n_children], greatest retained size first */
    bool has_more_children;
    uint32_t n_dominated; /**< nodes that it dominates immediately, loaded or not */
} ubi_dominator_row;

/** What the row shows. `out` borrows from the node. O(1). */
UBI_API void ubi_dominator_node_get(const ubi_dominator_node *node, ubi_dominator_row *out);
/** One reference more; returns its argument. Any thread. */
UBI_API ubi_dominator_node *ubi_dominator_node_ref(ubi_dominator_node *node);
/** One reference less; frees with the last, and what only it referred to. NULL is fine. No recursion. Any thread. */
UBI_API void ubi_dominator_node_unref(ubi_dominator_node *node);

typedef struct ubi_dominator_tree_options {
    uint32_t version; /**< UBI_DOMINATOR_TREE_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    ubi_node_ix start;     /**< the row at the top; UBI_NONE: the root */
    uint32_t max_depth;    /**< levels, the top row's included; 0 and 1: that row alone */
    uint32_t max_siblings; /**< children per row; 0: none, as if a row were at the last level */
} ubi_dominator_tree_options;

#define UBI_DOMINATOR_TREE_OPTIONS_VERSION 1
#define UBI_DOMINATOR_TREE_DEPTH 4
#define UBI_DOMINATOR_TREE_SIBLINGS 15
#define UBI_DOMINATOR_TREE_OPTIONS_INIT                                                                                \
    {                                                                                                                  \
        UBI_DOMINATOR_TREE_OPTIONS_VERSION, NULL, { NULL, NULL }, UBI_NONE, UBI_DOMINATOR_TREE_DEPTH,                  \
            UBI_DOMINATOR_TREE_SIBLINGS                                                                                \
    }

/** Rows of one tree. More end with UBI_ELIMIT. */
#define UBI_DOMINATOR_TREE_MAX_ROWS (UINT32_C(1) << 24)

/**
 * The top levels of the tree. One reference.
 *
 * @param dominators  with dominated sets, of the graph that `labels` describes. Borrowed during the call, as is `options`;
 *                    NULL: the defaults.
 * Errors: UBI_EINVAL (options, start), UBI_ELIMIT, UBI_ENOMEM, UBI_ECANCELLED, those of
 * ubi_labels_get. Cost: of each row with children that of ubi_dominators_largest; about 100 bytes per row.
 */
UBI_API ubi_status ubi_dominator_tree_partial(ubi_dominator_node **out, const ubi_dominators *dominators,
                                              ubi_labels *labels, const ubi_dominator_tree_options *options);

/**
 * One row of its own: no parent, no list of children, has_more_children if it dominates anything. For lists of nodes
 * from elsewhere, such as the individuals of a census. Errors: as above.
 */
UBI_API ubi_status ubi_dominator_node_new(ubi_dominator_node **out, const ubi_dominators *dominators,
                                          ubi_labels *labels, ubi_node_ix node, const ubi_allocator *allocator);

/** Some children of one node: `count` of them from the `start`-th on. */
typedef struct ubi_dominator_page {
    const ubi_allocator *allocator;
    ubi_dominator_node *
        *nodes; /**< nodes[n_nodes], a reference to each; none: the node dominates nothing from there on */
    uint32_t n_nodes;
    bool has_more_children; /**< there are others behind these */
    uint64_t *path;         /**< path[n_path]: ids from the root to the node, both included */
    uint32_t n_path;
} ubi_dominator_page;

/**
 * Owned; free with ubi_dominator_page_free. The rows have no lists of children.
 * Errors: UBI_EINVAL (no such node), UBI_ENOMEM, those of ubi_labels_get.
 * Cost: that of ubi_dominators_largest for start + count nodes, and the length of the path.
 */
UBI_API ubi_status ubi_dominator_page_new(ubi_dominator_page **out, const ubi_dominators *dominators,
                                          ubi_labels *labels, ubi_node_ix node, uint32_t start, uint32_t count,
                                          const ubi_allocator *allocator);
UBI_API void ubi_dominator_page_free(ubi_dominator_page *page);

/**
 * The tree with children added to the row at the end of `path`. One reference.
 *
 * @param path  path[n_path], ids from the top row on. A step at which no row has the id ends the search, and nothing is
 *              added; the rows before it that have children are copied even so, unless it is the first: then the result is
 *              `tree` itself.
 * @param children  children[n_children], put behind those that are there; each gains a reference. Their parent_id stays.
 * @param more_children_available  has_more_children of the changed row.
 * Errors: UBI_ENOMEM; the tree is as it was. Cost: O(rows on the path and their children).
 */
UBI_API ubi_status ubi_dominator_tree_insert(ubi_dominator_node **out, ubi_dominator_node *tree, const uint64_t *path,
                                             uint32_t n_path, ubi_dominator_node *const *children, uint32_t n_children,
                                             bool more_children_available, const ubi_allocator *allocator);

/** The row of a node on `path`, which starts at the top row; NULL when it is not on it. Borrowed from the tree. */
UBI_API const ubi_dominator_node *ubi_dominator_tree_find(const ubi_dominator_node *tree, uint64_t node_id,
                                                          const uint64_t *path, uint32_t n_path);

/**
 * The nodes with the largest retained sizes among a node and all that it dominates, itself included: greatest first, equal
 * ones by ascending id.
 *
 * @param out  out[max], caller's; all of it may be written to, also on failure.
 * @param n    how many there are: max, or all.
 * @param progress  or NULL. Errors: UBI_EINVAL (no such node), UBI_ENOMEM, UBI_ECANCELLED.
 * Cost: O(dominated nodes * log max) at worst, O(dominated nodes) usually.
 */
UBI_API ubi_status ubi_dominator_tree_top(ubi_node_ix *out, uint32_t *n, const ubi_dominators *dominators,
                                          const ubi_graph *graph, ubi_node_ix node, uint32_t max,
                                          const ubi_progress *progress, const ubi_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
