/* SPDX-License-Identifier: MIT
 *
 * leak_holdings.h: what an object weighs: its own size, and what it alone holds that has no life of its own.
 *
 * A Set of numbers becomes larger and stays the same object. A text or a buffer cannot: each time there is another one, under
 * the same name, in an object that stays. So of each heap are counted to an object that stays
 * - parts of the engine that it alone refers to, such as the memory of an array buffer;
 * - what it alone holds by a name (a property, a variable) and what will not be there in the other heap: texts, buffers, arrays that
 *   are copied to larger ones. Not what is in a list or a table: that is leaked or not, object by object.
 *
 * `text += line` makes a chain of nodes as long as the loop ran (a rope). It is one text: its outermost node has the sizes of all.
 */
#ifndef UBI_ANALYSES_LEAK_HOLDINGS_H
#define UBI_ANALYSES_LEAK_HOLDINGS_H

#include <ubiheap/core/leaks.h>

#include "graph/graph_columns.h"

typedef struct ubi__leak_holdings {
    const ubi_allocator *allocator;
    const ubi_graph *graph;     /* borrowed */
    const uint64_t *size_bytes; /* borrowed, or rope_bytes */
    uint64_t *rope_bytes; /* owned rope_bytes[n_nodes]: own sizes, but of ropes that of all parts; NULL: no ropes */
    ubi_node_ix *rope_of; /* owned rope_of[n_nodes]: of a part the outermost, else UBI_NONE; NULL: no ropes */
    ubi_node_ix *sole;    /* owned sole[n_nodes]: the only node that refers to it, UBI_NONE or UBI__LEAK_MANY */
    uint8_t *how;         /* owned how[n_nodes] */
    uint8_t *is_held;     /* owned is_held[n_kinds]: programs hold such nodes */
} ubi__leak_holdings;

#define UBI__LEAK_MANY (UBI_NONE - 1)

/**
 * @param size_bytes  size_bytes[n_nodes], or NULL: the graph's.
 * @param options     is_rope, is_value and template_of count; NULL: none of them.
 * Cost: O(nodes + edges), 5 bytes per node, 17 if there are ropes. Errors: UBI_ENOMEM.
 */
ubi_status ubi__leak_holdings_init(ubi__leak_holdings *out, const ubi_graph *graph, const uint64_t *size_bytes,
                                   const ubi_leak_options *options, const ubi_allocator *a);
void ubi__leak_holdings_fini(ubi__leak_holdings *h);

/** Parts of ropes have the outermost text as their rope, which is not a part itself, and no bytes of their own. O(nodes). */
void ubi__leak_holdings_check(const ubi__leak_holdings *h);

/** Whether a node is an object, a string, a node of a document or a value: what a program can hold and drop. O(1). */
static inline bool ubi__leak_is_held(const ubi__leak_holdings *h, ubi_node_ix node) {
    return h->is_held[h->graph->kind.at[node]];
}

/** Whether the engine keeps an object to copy it (ubi_leak_options.template_of), or a value only for such an object. O(1). */
bool ubi__leak_is_template(const ubi__leak_holdings *h, ubi_node_ix node);

/** The rope that a node is a part of; UBI_NONE: none. O(1). */
static inline ubi_node_ix ubi__leak_rope_of(const ubi__leak_holdings *h, ubi_node_ix node) {
    return h->rope_of ? h->rope_of[node] : UBI_NONE;
}

/** Which nodes are in the other heap, too (`stays`), and which are leaked: bits of marks[n_nodes]. Borrowed. */
typedef struct ubi__leak_stays {
    const uint8_t *marks;
    uint8_t stays, leaked;
} ubi__leak_stays;

/**
 * @param weight     weight[n_nodes], caller's; that of nodes that do not stay says nothing.
 * @param counts_to  counts_to[n_nodes], caller's: the object to whose weight a node counts, UBI_NONE: to its own alone. NULL: not asked.
 * Cost: O(nodes). Errors: UBI_ENOMEM.
 */
ubi_status ubi__leak_weigh(uint64_t *weight, ubi_node_ix *counts_to, const ubi__leak_holdings *h,
                           const ubi__leak_stays *stays);
/** What nodes weigh at most, whatever stays. Cost: O(nodes). */
void ubi__leak_weigh_at_most(uint64_t *weight, const ubi__leak_holdings *h);
/** What a node alone holds by names and what does not stay. */
typedef struct ubi__leak_contents {
    uint64_t bytes;   /* of all */
    ubi_node_ix main; /* that with more than half of the bytes that were asked about; UBI_NONE: none has */
} ubi__leak_contents;

/** Cost: O(edges of the node and of these). */
ubi__leak_contents ubi__leak_contents_of(const ubi__leak_holdings *h, const ubi__leak_stays *stays, ubi_node_ix node,
                                         uint64_t bytes);

#endif
