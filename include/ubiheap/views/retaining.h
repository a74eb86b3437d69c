/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/retaining.h: retainers of a node, as Chrome's DevTools show them, for any heap.
 *
 *     ubi_retaining *retaining;
 *     ubi_retaining_new(&retaining, look, NULL);
 *     ubi_retaining_first(list, &n, retaining, node, 10);         the ten retainers nearest to the root
 *     ubi_retaining_ignore(retaining, &cache, 1);                 and now, were the cache not there?
 *
 * A *retainer* of a node is an edge that leads to it. Through V8's lens, weak edges are none, and neither are those of the
 * root; through other lenses every edge of the view is one. Retainers are sorted by the distance of the node that they
 * leave, as the lens counts (ubi_look_distances), then by that node's id, then by the edge's name.
 *
 * A node can be *ignored*: distances are counted again without entering it, and what only it kept within reach goes to the
 * end of each list, UBI_RETAINING_UNREACHABLE further away than before. Ignoring a node that should have let go shows what
 * else holds on. Of the two edges to the value of a WeakMap, from its key and from its table, both count as unreachable as
 * soon as one of them is.
 *
 * Source: chrome-devtools-frontend front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.ts (retainers view, ignored nodes).
 */
#ifndef UBIHEAP_RETAINING_H
#define UBIHEAP_RETAINING_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

#ifdef __cplusplus
extern "C" {
#endif

/** All edges of a heap backwards, with distances, and what is ignored. */
typedef struct ubi_retaining ubi_retaining;

typedef struct ubi_retaining_options {
    uint32_t version; /**< UBI_RETAINING_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    unsigned threads; /**< 0: one per core */
} ubi_retaining_options;

#define UBI_RETAINING_OPTIONS_VERSION 1
#define UBI_RETAINING_OPTIONS_INIT                                                                                     \
    { .version = UBI_RETAINING_OPTIONS_VERSION }

/**
 * @param out   owned; no node is ignored yet.
 * @param look  borrowed as long as it lives.
 * @param options  NULL: the defaults.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED. Cost: that of ubi_retainers_new and ubi_look_distances; 4 bytes
 * per edge (8 from 2^32 edges on) and 12 per node.
 */
UBI_API ubi_status ubi_retaining_new(ubi_retaining **out, const ubi_look *look, const ubi_retaining_options *options);
UBI_API void ubi_retaining_free(ubi_retaining *retaining); /**< NULL is fine */

/**
 * Ignores just these nodes from now on, none with n = 0.
 *
 * @param nodes  nodes[n], in any order.
 * Errors: UBI_EINVAL (a node that is not in the graph), UBI_ENOMEM; then it is as before.
 * Cost: O(nodes + edges), with n = 0 O(1). Memory: 4 bytes more per node and a bit. Threads: no other thread may read meanwhile.
 */
UBI_API ubi_status ubi_retaining_ignore(ubi_retaining *retaining, const ubi_node_ix *nodes, uint32_t n);
UBI_API bool ubi_retaining_is_ignored(const ubi_retaining *retaining, ubi_node_ix node); /**< O(1) */

/** From here on a distance means: not within reach, with what is ignored. */
#define UBI_RETAINING_UNREACHABLE UINT64_C(200000000)

/** Distance of a node as retainers are sorted by it: that of the lens, or UBI_RETAINING_UNREACHABLE more. O(1). */
UBI_API uint64_t ubi_retaining_distance(const ubi_retaining *retaining, ubi_node_ix node);

/** One edge that leads to a node. */
typedef struct ubi_retainer {
    ubi_edge_ix edge;
    ubi_node_ix node; /**< that it leaves */
    uint64_t
        distance; /**< of that node; of an edge that keeps nothing because its partner is missing, UBI_RETAINING_UNREACHABLE */
    bool is_ignored; /**< the node is */
} ubi_retainer;

/** How many retainers a node has. Cost: O(edges that lead to it). */
UBI_API uint64_t ubi_retaining_count(const ubi_retaining *retaining, ubi_node_ix node);

/**
 * The first retainers of a node, in order.
 *
 * @param out  out[max], caller's.
 * @param n    how many there are: max, or all.
 * Errors: UBI_ENOMEM; then `n` is untouched. Cost: O(k log k) for k edges that lead to the node, and as much memory, 32 bytes
 * each, freed again.
 */
UBI_API ubi_status ubi_retaining_first(ubi_retainer *out, uint32_t *n, const ubi_retaining *retaining, ubi_node_ix node,
                                       uint32_t max);

/* * The shortest path from a node up to the start of distances: each step takes the retainer with the smallest distance, of those
 * the one whose node comes first in the file, of those the first edge. It ends at a distance of 1 or 0, at a node without
 * retainers within reach, or after `max` steps.
 *
 * @param out  out[max], caller's; out[0] leads to `node`.
 * @return how many steps there are; 0: nothing retains the node, or it is where distances begin.
 * Cost: O(edges that lead to the nodes on the way).
 */
UBI_API uint32_t ubi_retaining_shortest(ubi_retainer *out, const ubi_retaining *retaining, ubi_node_ix node,
                                        uint32_t max);

/* ---- trees of retainers ------------------------------------------------------------------------------------------ */

typedef struct ubi_retaining_tree_options {
    uint32_t version; /**< UBI_RETAINING_TREE_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    uint32_t max_depth;    /**< levels of retainers */
    uint32_t max_nodes;    /**< rows, all together */
    uint32_t max_siblings; /**< retainers of one row */
    uint32_t end_distance; /**< rows of this distance or less have no rows below them */
    bool
        with_first_only; /**< rows below the first row of a level only that closes no circle, as DevTools open the view at first */
} ubi_retaining_tree_options;

#define UBI_RETAINING_TREE_OPTIONS_VERSION 1
/** Every path upwards, with DevTools' limits. */
#define UBI_RETAINING_TREE_OPTIONS_INIT                                                                                \
    { UBI_RETAINING_TREE_OPTIONS_VERSION, NULL, 30, 5000, 100, 2, false }

/** One row of a tree: a retainer of the row above it, or of the node that the tree is about. */
typedef struct ubi_retaining_row {
    ubi_retainer retainer;
    uint32_t depth;       /**< from 1 */
    uint32_t parent;      /**< place of the row above, UBI_NONE: the node itself */
    uint32_t first_child; /**< place of the first row below; they follow each other */
    uint32_t n_children;
    bool is_open; /**< its retainers were looked for: no rows below it means that nothing is left to show */
    /** Its node stands further down on its way, or is what the tree is about: it holds what holds it. Has no rows below. */
    bool is_circular;
} ubi_retaining_row;

/** A tree of retainers. Immutable; needs the retaining no more. */
typedef struct ubi_retaining_tree ubi_retaining_tree;

/**
 * Retainers of retainers: paths upwards from a node, the nearest to the root first. A row whose node is on its own way
 * down already closes a circle, and a path ends there (is_circular); so does one for an edge of the node to itself. Levels
 * are filled one after the other: where max_nodes ends a tree, it is the far ends that are missing.
 *
 * @param options  NULL: the defaults.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM. Cost: that of ubi_retaining_first once for each different node whose row is open
 * or would be without max_depth, and O(rows * max_depth) at worst; 56 bytes per row, and while it grows 32 for each retainer
 * looked at.
 */
UBI_API ubi_status ubi_retaining_tree_new(ubi_retaining_tree **out, const ubi_retaining *retaining, ubi_node_ix node,
                                          const ubi_retaining_tree_options *options);
UBI_API void ubi_retaining_tree_free(ubi_retaining_tree *tree); /**< NULL is fine */
/** rows[*n], borrowed, level by level; those of the node itself come first. O(1). */
UBI_API const ubi_retaining_row *ubi_retaining_tree_rows(const ubi_retaining_tree *tree, uint32_t *n);
/** How many of the rows are the node's own retainers. O(1). */
UBI_API uint32_t ubi_retaining_tree_first_level(const ubi_retaining_tree *tree);

/** Which limits left something out: depth, that a row at the last level has retainers. */
typedef struct ubi_retaining_limits {
    bool has_more_levels, has_more_nodes, has_more_siblings;
} ubi_retaining_limits;
UBI_API ubi_retaining_limits ubi_retaining_tree_limits(const ubi_retaining_tree *tree); /**< O(1) */

/* ---- dominators -------------------------------------------------------------------------------------------------- */

/**
 * A node, its immediate dominator, that one's, and so on up to the root: whom the node cannot live without.
 *
 * @param out  out[max], caller's; the first is `node` itself.
 * @return how long the chain is, more than `max` perhaps; 1 for the root and for nodes that are not in the tree.
 * Cost: O(length), no allocation.
 */
UBI_API uint32_t ubi_retaining_dominators(ubi_node_ix *out, uint32_t max, const ubi_dominators *dominators,
                                          ubi_node_ix node);

#ifdef __cplusplus
}
#endif
#endif
