/* SPDX-License-Identifier: MIT
 *
 * trace_tree.h: numbers of stacks: a node is a caller and a return address in it.
 *
 * Nodes lie in the order of their numbers, so a stack that was met at once lies at once, and each remembers the child
 * that was asked for last: most steps are found without the table, close to where the step before was. The table
 * (open addressing by caller and address, at most 2/3 full) has numbers alone. Both grow, for a table of one size is
 * too small for a compiler and too large for the cache of anything else. 22 to 28 bytes a node. One context's, so no
 * locks.
 */
#ifndef UBI_INTERPOSE_TRACE_TREE_H
#define UBI_INTERPOSE_TRACE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** In the place of a caller, for what has none but must not be taken for an outermost frame. */
#define UBI__TRACE_NO_CALLER_1 UINT32_MAX
#define UBI__TRACE_NO_CALLER_2 (UINT32_MAX - 1)

typedef struct ubi__trace_node {
    uint64_t pc;
    uint32_t caller;
    uint32_t child; /* the last one that was asked for; 0: none yet */
} ubi__trace_node;

typedef struct ubi__trace_tree {
    ubi__trace_node *nodes; /* nodes[1..n]; nodes[0] is the caller of outermost frames */
    uint32_t *table;        /* table[n_slots]: numbers; 0: empty */
    size_t capacity;        /* of nodes */
    size_t n_slots;         /* a power of two */
    unsigned shift;         /* 64 - log2(n_slots) */
    uint32_t n;
} ubi__trace_tree;

/** @return false: no memory. */
bool ubi__trace_tree_init(ubi__trace_tree *t);
void ubi__trace_tree_fini(ubi__trace_tree *t);
/** Takes out everything. */
void ubi__trace_tree_clear(ubi__trace_tree *t);
/** A new node, n + 1. @return 0: no memory, or no numbers left. */
uint32_t ubi__trace_tree_add(ubi__trace_tree *t, uint32_t caller, uint64_t pc);

/** The slot of a node, or the empty one for it. There is always one. */
static inline uint32_t *ubi__trace_tree_slot(const ubi__trace_tree *t, uint32_t caller, uint64_t pc) {
    uint64_t hash = (pc ^ (uint64_t)caller << 40 ^ caller) * UINT64_C(0x9e3779b97f4a7c15);
    size_t i = (size_t)(hash >> t->shift);
    while (t->table[i] && !(t->nodes[t->table[i]].pc == pc && t->nodes[t->table[i]].caller == caller))
        i = (i + 1) & (t->n_slots - 1);
    return &t->table[i];
}

/** The node; 0: there is none yet. */
static inline uint32_t ubi__trace_tree_find(ubi__trace_tree *t, uint32_t caller, uint64_t pc) {
    if (caller > t->n) /* none */
        return *ubi__trace_tree_slot(t, caller, pc);
    uint32_t child = t->nodes[caller].child;
    if (child && t->nodes[child].pc == pc)
        return child;
    uint32_t number = *ubi__trace_tree_slot(t, caller, pc);
    t->nodes[caller].child = number;
    return number;
}

#endif
