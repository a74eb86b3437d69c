/* SPDX-License-Identifier: MIT
 *
 * heap_facts.h: single numbers of a heap, for conditions; measured only on demand.
 *
 * `count` and `bytes` are those of a census: everything that can be reached from the root, the root itself only if an edge leads to
 * it. A label is what a report calls a kind of nodes (ubi__kind_label); of V8's heaps, the name of a class as its lens gives it, and
 * everything counts as reachable: the root adopts what it does not reach.
 */
#ifndef UBI_CLI_HEAP_FACTS_H
#define UBI_CLI_HEAP_FACTS_H

#include <ubiheap/core/dominators.h>

#include "lenses/heap_summary.h"

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
