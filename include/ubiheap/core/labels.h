/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/labels.h: the label of one node under a breakdown.
 *
 * A label is the way through a census of one node to the place where the node was counted:
 *
 *     { "scripts": { "js::BaseScript": { "app.js": { "count": 1, "bytes": 336 } } }, "strings": { ... 0 }, ... }
 *         -> ["scripts", "js::BaseScript", "app.js"]
 *
 * Nodes of one kind and one allocation stack have one label, so labels are made once and kept: a tree of thousands of rows
 * asks for a few dozen.
 */
#ifndef UBIHEAP_LABELS_H
#define UBIHEAP_LABELS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/census.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One word of a label: a text, or a whole allocation stack. */
typedef struct ubi_label_part {
    bool is_stack;
    ubi_text text;   /**< NULL text in stacks */
    ubi_stack stack; /**< youngest frame */
} ubi_label_part;

/** Never changes once made. Borrowed from its ubi_labels. */
typedef struct ubi_label {
    bool is_defined;             /**< false: the breakdown counted the node nowhere */
    bool is_sized;               /**< a tree shows the node's own size beside it; false: 0 */
    const ubi_label_part *parts; /**< parts[n_parts] */
    uint32_t n_parts;            /**< 0: undefined, or a census that does not group */
} ubi_label;

/** The labels of a graph by one breakdown. Keeps references to both. */
typedef struct ubi_labels ubi_labels;

typedef struct ubi_labels_options {
    uint32_t version; /**< UBI_LABELS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_compat compat;
    /** Sizes as a lens sees them (ubi_view), in place of the graph's own; NULL: those. Borrowed as long as the labels live. */
    const uint64_t *size_bytes; /**< size_bytes[n_nodes] */
} ubi_labels_options;

#define UBI_LABELS_OPTIONS_VERSION 1
#define UBI_LABELS_OPTIONS_INIT                                                                                        \
    { UBI_LABELS_OPTIONS_VERSION, NULL, UBI_COMPAT_NONE, NULL }

/**
 * No label is made yet. One reference.
 * @param breakdown  NULL: the preset "label", that of Firefox's memory panel.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM.
 */
UBI_API ubi_status ubi_labels_new(ubi_labels **out, const ubi_graph *graph, const ubi_breakdown *breakdown,
                                  const ubi_labels_options *options);
/** One reference more; returns its argument. Any thread. */
UBI_API ubi_labels *ubi_labels_ref(ubi_labels *labels);
/** One reference less; frees with the last. NULL is fine. Any thread. */
UBI_API void ubi_labels_unref(ubi_labels *labels);
/** The graph whose nodes they describe. Borrowed. */
UBI_API const ubi_graph *ubi_labels_graph(const ubi_labels *labels);
/** A node's own size, as the options say; what a sized label is shown with. O(1). */
UBI_API uint64_t ubi_labels_size_bytes(const ubi_labels *labels, ubi_node_ix node);

/**
 * The label of a node, reachable or not. Borrowed from `labels`.
 *
 * Firefox's rules: empty texts are left out. Under UBI_COMPAT_FIREFOX a leaf counts unless its report says `"count": 0`, so
 * a breakdown with `count: false` matches every leaf, and a second leaf that matches takes the label away. By default the
 * first leaf that the node was counted in gives the label, and a node that the breakdown refuses (descriptiveType, without a
 * descriptive name) is called by its type.
 *
 * Errors: UBI_ENOMEM; UBI_COMPAT_FIREFOX: UBI_EINVAL (a part of the breakdown is not written out, or refuses the node).
 * Cost: O(1) expected; the first of its kind and stack a census of one node. Threads: one at a time, though labels got
 * before may be read by any.
 * Source: mozilla-central devtools/shared/heapsnapshot/DominatorTreeNode.js, getLabelAndShallowSize.
 */
UBI_API ubi_status ubi_labels_get(const ubi_label **out, ubi_labels *labels, ubi_node_ix node);

#ifdef __cplusplus
}
#endif
#endif
