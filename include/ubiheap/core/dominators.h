/* SPDX-License-Identifier: MIT
 *
 * ubiheap/core/dominators.h: immediate dominators and retained sizes.
 *
 * Node d *dominates* node n when every way from the root to n passes d: were d gone, n would be gone too. The nearest such d
 * is n's *immediate dominator*, and these make a tree. The *retained size* of a node is its own size and that of everything
 * it dominates: what would be freed with it.
 */
#ifndef UBIHEAP_DOMINATORS_H
#define UBIHEAP_DOMINATORS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A dominator tree with retained sizes. Immutable: any number of threads may read it. Keeps a reference to the graph, but
 * to nothing else of the view that it was made from.
 */
typedef struct ubi_dominators ubi_dominators;

typedef struct ubi_dominators_options {
    uint32_t version; /**< UBI_DOMINATORS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress; /**< stage "finding dominators" */
    bool has_no_sets;      /**< immediate dominators and retained sizes only: 8 bytes per node less */
    unsigned threads;      /**< 0: one per core; two are used */
} ubi_dominators_options;

#define UBI_DOMINATORS_OPTIONS_VERSION 1
#define UBI_DOMINATORS_OPTIONS_INIT                                                                                    \
    { UBI_DOMINATORS_OPTIONS_VERSION, NULL, { NULL, NULL }, false, 0 }

/**
 * Computes the dominator tree of what the view reaches from its root, and all retained sizes (modulo 2^64).
 *
 * Orphans that are adopted (ubi_orphans) become children of the root; in its dominated set they come first, the last
 * adopted before the others. An edge from a node to itself does not keep that node from being adopted with all that it
 * reaches. Edges from orphans to nodes that the root reaches count like all others: what both reach is retained by neither.
 *
 * @param out  owned; untouched on failure.
 * @param view  borrowed during the call.
 * @param options  NULL: the defaults.
 * Cost: O((nodes + edges) log nodes) time on any graph, near linear on real ones; no recursion. The result takes 12 bytes
 * per node, 20 with dominated sets. While computing, at most 60 more per node (where a node has more than 52 edges on
 * average, 32 per node and half a byte per edge), and 64 KiB. A second thread takes about a sixth of the
 * time off.
 * Errors: UBI_EINVAL (bad root, orphan policy or options), UBI_ENOMEM, UBI_ECANCELLED.
 * Source: L. Georgiadis, Linear-Time Algorithms for Dominators and Related Problems, 2005 (semi-NCA); for the orders,
 * mozilla-central js/public/UbiNodeDominatorTree.h.
 */
UBI_API ubi_status ubi_dominators_new(ubi_dominators **out, const ubi_view *view,
                                      const ubi_dominators_options *options);
UBI_API void ubi_dominators_free(ubi_dominators *dominators); /**< NULL is fine */

/* ---- nodes. `node` must be below the graph's node count. O(1), no allocation. ------------------------------------ */

/** The view's root. */
UBI_API ubi_node_ix ubi_dominators_root(const ubi_dominators *dominators);
/** Nodes in the tree, the root included: all that the view reaches or adopts. */
UBI_API uint32_t ubi_dominators_node_count(const ubi_dominators *dominators);
/** UBI_NONE for the root and for nodes that are not in the tree. */
UBI_API ubi_node_ix ubi_dominators_immediate(const ubi_dominators *dominators, ubi_node_ix node);
/** Own size and everything dominated, bytes, modulo 2^64; 0 for nodes that are not in the tree. */
UBI_API uint64_t ubi_dominators_retained_bytes(const ubi_dominators *dominators, ubi_node_ix node);
/**
 * The nodes whose immediate dominator is `node`, in descending post-order of a depth-first walk that takes last edges first
 * (the order in which Firefox collects them). Empty for nodes outside the tree, and without sets.
 *
 * @param n  how many there are.
 * @return nodes[*n], borrowed; may be NULL when there are none.
 */
UBI_API const ubi_node_ix *ubi_dominators_dominated(const ubi_dominators *dominators, ubi_node_ix node, uint32_t *n);

/**
 * The same, greatest retained size first; equal sizes in the order above.
 *
 * @param out  out[min(max, count)], caller's; the first min(max, count) are stored.
 * @param n    how many that is.
 * Cost: O(count) time on average and O(count log max) at worst; 64 bytes for each that is stored, freed again.
 * Errors: UBI_ENOMEM; then `out` and `n` are untouched.
 */
UBI_API ubi_status ubi_dominators_largest(ubi_node_ix *out, uint32_t *n, const ubi_dominators *dominators,
                                          ubi_node_ix node, uint32_t max);
/** The same of nodes[count], any nodes, of which each is looked at once for each time that it is there. */
UBI_API ubi_status ubi_dominators_largest_of(ubi_node_ix *out, uint32_t *n, const ubi_dominators *dominators,
                                             const ubi_node_ix *nodes, uint32_t count, uint32_t max);

#ifdef __cplusplus
}
#endif
#endif
