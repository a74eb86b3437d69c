/* SPDX-License-Identifier: MIT
 *
 * frontier.h: the nodes that a breadth-first walk within boundaries has reached and not yet left.
 *
 * Saving, the live census and capture walk the same way: nodes in the order in which they are reached, each once, some
 * without their edges (UBI_EDGE_ABANDON).
 *
 *     take(root);  while (next(&node, &has_edges)) { ... for each edge that is not skipped: take(referent) ... }
 *
 * Nodes are known by numbers in the order in which they were reached. There are two ways to tell which were:
 *
 * - dense: all nodes belong to one heap that says how large its refs can be (ubi_node_ref_limit). A bit per ref says
 *   whether the node was reached, and a list of refs is the queue.
 * - else a set of nodes that is its own queue (above). Referents are gathered and added many at once, which hides cache
 *   misses; most edges lead to a few popular nodes, which a small cache keeps away from the set.
 *
 * A walk begins dense if its first node's heap allows it, and changes over when it meets another heap.
 *
 * Memory: dense 4.2 bytes per ref below the limit; else that of the node set, at most 15.2 bytes per node (more when nodes
 * belong to several heaps). And 32 KiB.
 */
#ifndef UBI_GRAPH_FRONTIER_H
#define UBI_GRAPH_FRONTIER_H

#include <ubiheap/core/node.h>

#include "base/alloc.h"
#include "base/table.h"

/* ---- sets of nodes ------------------------------------------------------------------------------------------------ */

/*
 * That order makes one structure of what a breadth-first walk otherwise keeps twice, the nodes visited and the queue:
 *
 *     add(root);  for (i = 0; i < set.n; i++) { node = at(set, i); ... add(each referent) ... }
 *
 * A node is known by its number. The `ref` of node i lies in a chunk of refs; what all nodes of a heap share, (ops, heap),
 * is one "space"; a table of 32-bit slots finds numbers by hash, and a slot's spare bits hold a part of the hash, so that
 * refs are compared only when they are very likely equal.
 *
 * Memory: 8 bytes per node for the ref and 5.3 to 7.2 for slots, also while it grows: at most 15.2 bytes. 4 to 8 more
 * per node when there is more than one space. (Slots of base/table.h have 8 bytes instead of 4, and there are two tables while
 * one grows.)
 */

UBI_VEC_DECLARE(ubi__vec_refs, uint64_t *);
UBI_VEC_DECLARE(ubi__vec_space, ubi_node); /* ref unused */

#define UBI__NODE_SET_CHUNK_BITS 12
#define UBI__NODE_SET_BATCH 64 /**< nodes that ubi__node_set_add_all takes at once */

typedef struct ubi__node_set {
    const ubi_allocator *allocator;
    uint32_t n;
    ubi__vec_refs chunks; /* 2^UBI__NODE_SET_CHUNK_BITS refs each */
    uint32_t *slots;      /* slots[n_slots] */
    size_t n_slots;
    unsigned index_bits; /* of a slot; numbers are below 2^index_bits - 1 */
    ubi__vec_space spaces;
    ubi__row_table space_table;
    uint32_t last_space;   /* found last */
    ubi__vec_u32 space_of; /* by number; empty while there is one space */
} ubi__node_set;

void ubi__node_set_init(ubi__node_set *s, const ubi_allocator *a);
void ubi__node_set_fini(ubi__node_set *s);
/** Numbers fit their slots and their chunks, the table has empty slots, and every node says its space if there are two. O(1). */
void ubi__node_set_check(const ubi__node_set *s);
/** Adds nodes[0..n), n <= UBI__NODE_SET_BATCH, in order; added[i]: it was not there. Many at once hide cache misses. */
ubi_status ubi__node_set_add_all(ubi__node_set *s, const ubi_node *nodes, uint32_t n, bool *added);
/** The i-th node; i < s->n. */
ubi_node ubi__node_set_at(const ubi__node_set *s, uint32_t i);

/* ---- frontier ----------------------------------------------------------------------------------------------------- */

#define UBI__FRONTIER_RECENT_BITS 10 /* 24 KiB */
#define UBI__FRONTIER_AHEAD 8        /* nodes that are prefetched before their turn */

/** Called for each node when it is reached, in that order. Any status but UBI_OK ends the walk. */
typedef ubi_status (*ubi__reached_fn)(void *payload, ubi_node node);

typedef struct ubi__frontier {
    const ubi_allocator *allocator;
    ubi__vec_u32 abandoned; /* numbers of nodes to be left without edges, ascending */
    size_t next_abandoned;
    uint32_t next; /* number */
    ubi__reached_fn reached;
    void *reached_payload;

    /* dense */
    ubi_node space;     /* what all nodes share; ref unused */
    uint64_t ref_limit; /* 0: not dense */
    uint64_t *bits;     /* one per ref */
    uint32_t *refs;     /* refs[n_refs] of ref_limit, by number */
    uint32_t n_refs;

    /* else */
    ubi__node_set seen;
    uint32_t n_referents;
    ubi_node referents[UBI__NODE_SET_BATCH]; /* taken, not yet in the set */
    bool must_abandon[UBI__NODE_SET_BATCH];
    ubi_node recent[1 << UBI__FRONTIER_RECENT_BITS]; /* taken lately, by hash */
} ubi__frontier;

/** Tens of kilobytes: for the heap. NULL: no memory, with the message set. `reached` may be NULL. */
ubi__frontier *ubi__frontier_new(const ubi_allocator *allocator, ubi__reached_fn reached, void *reached_payload);
void ubi__frontier_free(ubi__frontier *f);

/** Turns are within what was reached, and nodes without edges wait in the order of their numbers. O(1). */
void ubi__frontier_check(const ubi__frontier *f);
/** Afterwards all nodes that were taken are reached. */
ubi_status ubi__frontier_flush(ubi__frontier *f);

/** Takes the first node of a walk, or any that is not dense. */
ubi_status ubi__frontier_take_other(ubi__frontier *f, ubi_node node, bool abandon);

/** An edge leads to `node`: if it is the first, the node will have its turn, without edges when `abandon`. */
static inline ubi_status ubi__frontier_take(ubi__frontier *f, ubi_node node, bool abandon) {
    if (node.ref >= f->ref_limit || node.heap != f->space.heap)
        return ubi__frontier_take_other(f, node, abandon);
    uint64_t bit = UINT64_C(1) << (node.ref & 63), *word = &f->bits[node.ref >> 6];
    if (*word & bit)
        return UBI_OK;
    *word |= bit;
    if (abandon)
        UBI_TRY(ubi__vec_u32_push(&f->abandoned, f->allocator, f->n_refs));
    UBI_ASSERT(f->n_refs < f->ref_limit);
    f->refs[f->n_refs++] = (uint32_t)node.ref;
    return f->reached ? f->reached(f->reached_payload, node) : UBI_OK;
}

/** ubi__frontier_next of any walk. */
ubi_status ubi__frontier_next_other(ubi__frontier *f, ubi_node *node, bool *has_edges, bool *more);

/* What lies in memory in the order of its birth is reached in another order: waiting for it takes much of a walk's time. */
static inline void ubi__frontier_prefetch(const ubi__frontier *f) {
    ubi_node soon = f->space;
    if (!soon.ops->prefetch || f->n_refs - f->next <= UBI__FRONTIER_AHEAD)
        return;
    soon.ref = f->refs[f->next + UBI__FRONTIER_AHEAD];
    soon.ops->prefetch(soon);
}

/** The next node in its turn; *more false: all had it. *has_edges false: its edges are not walked. */
static inline ubi_status ubi__frontier_next(ubi__frontier *f, ubi_node *node, bool *has_edges, bool *more) {
    if (!f->ref_limit || f->next == f->n_refs || f->next_abandoned != f->abandoned.n)
        return ubi__frontier_next_other(f, node, has_edges, more);
    *node = f->space;
    node->ref = f->refs[f->next];
    *has_edges = *more = true;
    ubi__frontier_prefetch(f);
    f->next++;
    return UBI_OK;
}

#endif
