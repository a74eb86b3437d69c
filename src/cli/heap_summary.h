/* SPDX-License-Identifier: MIT
 *
 * heap_summary.h: the numbers that `info` and `report` show, from one sweep over a graph, and single numbers of a heap, measured only
 * on demand.
 *
 * Unlike a census, a summary counts the root as well: "reachable" means what the root keeps alive and the root itself.
 *
 * Of facts, `count` and `bytes` are those of a census: everything that can be reached from the root, the root itself only if an edge
 * leads to it. A label is what a report calls a kind of nodes (ubi__kind_label); of V8's heaps, the name of a class as its
 * lens gives it, and everything counts as reachable: the root adopts what it does not reach.
 */
#ifndef UBI_CLI_HEAP_SUMMARY_H
#define UBI_CLI_HEAP_SUMMARY_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/core/graph.h>
#include <ubiheap/views/lens.h>

/* ---- a summary -------------------------------------------------------------------------------------------------- */

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

/** Cost: O(nodes), and O(edges) if no edge has a name. Errors: UBI_ENOMEM. */
ubi_status ubi__heap_summary_init(ubi__heap_summary *out, const ubi_graph *graph);
/** The same in a lens's numbers: its sizes, and nodes that it adopts count as reachable. */
ubi_status ubi__heap_summary_of(ubi__heap_summary *out, const ubi_look *look);
void ubi__heap_summary_fini(ubi__heap_summary *summary);

/** A group of nodes with something in common. */
typedef struct ubi__group {
    ubi_coarse_type coarse_type;
    ubi_text label;  /**< borrowed from the graph or the look */
    ubi_frame frame; /**< groups by function: the site in it with the most bytes; texts borrowed */
    ubi__tally tally;
} ubi__group;

typedef struct ubi__groups {
    ubi__group *at; /**< at[n], most bytes first, then most nodes, then by label */
    size_t n;
    size_t capacity;
} ubi__groups;

/** They are sorted, and none is empty. O(groups). */
void ubi__groups_check(const ubi__groups *groups);

/** Reachable nodes by the lens's classes; of a summary of a look. Cost: O(nodes). Errors: UBI_ENOMEM. */
ubi_status ubi__groups_by_class(ubi__groups *out, const ubi__heap_summary *summary);
/** Reachable nodes by the function that allocated them; those without a stack are left out. Errors: UBI_ENOMEM. */
ubi_status ubi__groups_by_function(ubi__groups *out, const ubi__heap_summary *summary);
void ubi__groups_fini(ubi__groups *groups);

/* ---- single numbers --------------------------------------------------------------------------------------------- */

typedef enum ubi__quantity {
    UBI__QUANTITY_COUNT, /**< of a label, or of all */
    UBI__QUANTITY_BYTES,
    UBI__QUANTITY_RETAINED, /**< what nodes of a label keep alive together, themselves included */
    UBI__QUANTITY_NODES,
    UBI__QUANTITY_EDGES,
    UBI__QUANTITY_UNREACHABLE,
    UBI__QUANTITY_UNREACHABLE_BYTES,
    UBI__QUANTITY_LARGEST, /**< own size of the largest reachable node */
    UBI__QUANTITY_MATCHES  /**< not of a heap: how many nodes a command selected */
} ubi__quantity;

typedef struct ubi__heap_facts {
    const ubi_graph *graph; /* NULL: not there, or not begun */
    const ubi_view *view;   /* for dominators; borrowed; NULL: ubi_view_of */
    const ubi_look *look;   /* for sizes and, of V8 heaps, classes; borrowed; NULL: those of the graph */
    ubi__heap_summary summary;
    const ubi_dominators *dominators; /* borrowed, or NULL */
    ubi_dominators *own_dominators;   /* made here, or NULL */
} ubi__heap_facts;

/**
 * @param view        for dominators; borrowed; NULL: ubi_view_of.
 * @param dominators  by that view; borrowed; NULL: made when needed.
 * Errors: UBI_ENOMEM. Cost: O(nodes).
 */
ubi_status ubi__heap_facts_init(ubi__heap_facts *out, const ubi_graph *graph, const ubi_view *view,
                                const ubi_dominators *dominators);
/** The same as the lens sees it. @param look  borrowed. */
ubi_status ubi__heap_facts_of(ubi__heap_facts *out, const ubi_look *look, const ubi_dominators *dominators);
/** All zeroes is fine. */
void ubi__heap_facts_fini(ubi__heap_facts *facts);

/**
 * @param label  NULL text: all.
 * Cost: O(kinds); RETAINED O(nodes), the first without given dominators as much as ubi_dominators_new.
 * Errors: UBI_ENOMEM, UBI_ECANCELLED.
 */
ubi_status ubi__heap_facts_measure(uint64_t *out, ubi__heap_facts *facts, ubi__quantity quantity, ubi_text label,
                                   ubi_progress progress);

/** The labels that nodes may have; some are equal. */
uint32_t ubi__heap_facts_label_count(const ubi__heap_facts *facts);
ubi_text ubi__heap_facts_label(const ubi__heap_facts *facts, uint32_t i);

/** What 100% of a quantity is: the same of everything, or what it is a part of. */
uint64_t ubi__heap_facts_whole(const ubi__heap_facts *facts, ubi__quantity quantity);

#endif
