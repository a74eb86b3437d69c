/* SPDX-License-Identifier: MIT
 *
 * heap_summary.h: the numbers that `info` and `report` show, from one sweep over a graph.
 *
 * Unlike a census, a summary counts the root as well: "reachable" means what the root keeps alive and the root itself.
 */
#ifndef UBI_LENSES_HEAP_SUMMARY_H
#define UBI_LENSES_HEAP_SUMMARY_H

#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

/** How many, and how much. */
typedef struct ubi__tally {
    uint64_t count;
    uint64_t bytes; /**< modulo 2^64 */
} ubi__tally;

/** Different names that nodes of a file have. */
typedef struct ubi__name_counts {
    uint32_t classes;      /**< of objects, as the engine calls them */
    uint32_t constructors; /**< of objects, as programs call them */
    uint32_t dom;
    uint32_t scripts; /**< their files */
} ubi__name_counts;

#define UBI__SUMMARY_LARGEST 5

typedef struct ubi__heap_summary {
    const ubi_graph *graph; /**< borrowed */
    const ubi_look *look;   /**< borrowed; NULL: sizes and reach as in the graph */
    const ubi_allocator *allocator;
    ubi__tally reachable, unreachable;
    ubi__tally coarse[UBI_COARSE_TYPE_COUNT];  /**< of reachable nodes */
    ubi__tally *kinds;                         /**< kinds[kind count], of reachable nodes; owned */
    uint64_t n_with_stack;                     /**< reachable or not */
    ubi_node_ix largest[UBI__SUMMARY_LARGEST]; /**< reachable nodes, largest first */
    uint32_t n_largest;
    ubi_node_ix widest; /**< the node with the most edges, the root apart; UBI_NONE: there is only a root */
    ubi__name_counts names;
    bool has_edge_names;
} ubi__heap_summary;

/** Nodes are in one of the two tallies, the largest are sorted, and the coarse types add up. O(kinds). */
void ubi__heap_summary_check(const ubi__heap_summary *summary);

/** Cost: O(nodes), and O(edges) if no edge has a name. Errors: UBI_ENOMEM; nothing is left to free then. */
ubi_status ubi__heap_summary_init(ubi__heap_summary *out, const ubi_graph *graph, const ubi_allocator *allocator);
/** The same in a lens's numbers: its sizes, and nodes that it adopts count as reachable. */
ubi_status ubi__heap_summary_of(ubi__heap_summary *out, const ubi_look *look, const ubi_allocator *allocator);
/** All zeroes is fine. */
void ubi__heap_summary_fini(ubi__heap_summary *summary);

/** A group of nodes with something in common. */
typedef struct ubi__group {
    ubi_coarse_type coarse_type;
    ubi_text label;  /**< borrowed from the graph or the look */
    ubi_frame frame; /**< groups by function: the site in it with the most bytes; texts borrowed */
    ubi__tally tally;
} ubi__group;

typedef struct ubi__groups {
    const ubi_allocator *allocator;
    ubi__group *at; /**< at[n], most bytes first, then most nodes, then by label */
    size_t n;
    size_t capacity;
} ubi__groups;

/** They are sorted, and none is empty. O(groups). */
void ubi__groups_check(const ubi__groups *groups);

/** Reachable nodes by the lens's classes; of a summary of a look. Its allocator. Cost: O(nodes). Errors: UBI_ENOMEM. */
ubi_status ubi__groups_by_class(ubi__groups *out, const ubi__heap_summary *summary);
/** Reachable nodes by the function that allocated them; those without a stack are left out. Errors: UBI_ENOMEM. */
ubi_status ubi__groups_by_function(ubi__groups *out, const ubi__heap_summary *summary);
/** All zeroes is fine. */
void ubi__groups_fini(ubi__groups *groups);

#endif
