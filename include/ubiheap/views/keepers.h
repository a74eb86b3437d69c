/* SPDX-License-Identifier: MIT
 *
 * ubiheap/views/keepers.h: the few nodes that retain most of a heap.
 *
 * The largest retained sizes of a heap are of little use by themselves: they are those of the root, the window, the one
 * object in the window, its one property, and so on down a single chain. A *keeper* is where such a chain comes apart: the
 * list that holds thousands of small things, the object with a large block of memory.
 *
 *     Window 290 MB -> app 280 MB -> cache 270 MB -> 3,000 entries of 90 KB       the keeper is `cache`
 *
 * Source: the accumulation points of Eclipse Memory Analyzer, with rules for lists, trees and engine internals of our own.
 */
#ifndef UBIHEAP_KEEPERS_H
#define UBIHEAP_KEEPERS_H

#include <ubiheap/core/base.h>
#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ubi_keeper {
    ubi_node_ix node;
    uint64_t retained_bytes;
    uint64_t exclusive_bytes; /**< of those, what no keeper or other large node below it explains; modulo 2^64 */
    uint32_t n_dominated;     /**< nodes that it keeps alive, itself not counted */
    /**
     * What most of it is: nodes of one kind, of those it dominates with nothing but engine internals between and that are no
     * keepers; in a list or a tree, all nodes of the structure's kind. UBI_NONE: nothing but itself.
     */
    ubi_kind_ix held_kind;
    uint32_t n_held;
    uint64_t held_bytes; /**< that these retain; of a list or a tree, `exclusive_bytes` */
} ubi_keeper;

typedef struct ubi_keepers_options {
    uint32_t version; /**< UBI_KEEPERS_OPTIONS_VERSION */
    const ubi_allocator *allocator;
    ubi_progress progress;
    uint64_t least_bytes; /**< smaller ones are left out, as is what holds less than 1 % of everything */
    /**
     * Which kinds are lists of roots, such as V8's "(GC roots)": like the root, they are not keepers, and what only they
     * hold counts as held by the root. NULL: none. Borrowed during the call.
     */
    const bool *is_root_kind; /**< is_root_kind[kind count] */
} ubi_keepers_options;

#define UBI_KEEPERS_OPTIONS_VERSION 1
#define UBI_KEEPERS_LEAST_BYTES 4096
#define UBI_KEEPERS_OPTIONS_INIT                                                                                       \
    { UBI_KEEPERS_OPTIONS_VERSION, NULL, { NULL, NULL }, UBI_KEEPERS_LEAST_BYTES, NULL }

/**
 * Finds the keepers with the most exclusive bytes; never the root.
 *
 * A node is *large* from 1 % of everything and `least_bytes` on. A large node has for itself (exclusively) what it retains
 * less what large nodes below it do. So that the answer names things that a programmer knows,
 * - engine internals (coarse type Other) count for the nearest node above that is not, unless that is the root;
 * - large nodes of one kind that dominate each other, at most one other node between, are one structure (a list, a tree) if
  *   four or more are nested, and count for its top;
 * - four or more large nodes of one kind under one node, by edges whose names differ only in digits, are a collection
 *   and count for that node, with all below them;
 * - neither, if a single part has half of it.
 *
 * @param out  out[max], caller's; most exclusive bytes first, then smaller node index.
 * @param n    how many there are.
 * @param dominators  of `graph`, with dominated sets. Borrowed, as is `options`; NULL: the defaults.
 * Errors: UBI_EINVAL (options), UBI_ENOMEM, UBI_ECANCELLED. Cost: O(nodes + large nodes * log); 4 bytes per node, untouched
 * for all that is not large, and 100 per large node.
 */
UBI_API ubi_status ubi_keepers_find(ubi_keeper *out, uint32_t *n, uint32_t max, const ubi_dominators *dominators,
                                    const ubi_graph *graph, const ubi_keepers_options *options);

#ifdef __cplusplus
}
#endif
#endif
