/* SPDX-License-Identifier: MIT
 *
 * flame_tree.h: stacks of a recording as a tree of functions, from the outermost in: what flame graphs and collapsed stacks are
 * written from.
 *
 * Functions of one name called by the same function are one node, whatever their lines. A function without a name is its module and
 * address; one of a script without a name has its position.
 *
 * Memory: 40 bytes per node and 12 to 16 for finding it, the text of each name once; while it is built 12 per trace.
 */
#ifndef UBI_RECORDING_FLAME_TREE_H
#define UBI_RECORDING_FLAME_TREE_H

#include <assert.h>

#include "base/strtab.h"
#include "recording/stack_values.h"

typedef uint32_t ubi__flame_ix;

typedef struct ubi__flame_node {
    ubi__flame_ix parent; /* a smaller number; of the root itself */
    ubi_str_ix name;
    ubi__flame_ix first_child, next_sibling; /* the largest first; 0: none */
    uint64_t self;                           /* what was asked for there */
    uint64_t all;                            /* with what it called; not more than 2^63 - 1 */
    uint32_t depth;                          /* of the root 0 */
    uint32_t unused;                         /* 0 */
} ubi__flame_node;
static_assert(sizeof(ubi__flame_node) == 40, "40 bytes per node");

UBI_VEC_DECLARE(ubi__vec_flame_node, ubi__flame_node);

/** What a node has in the older of two recordings. */
typedef struct ubi__flame_past {
    uint64_t self, all;
} ubi__flame_past;

typedef struct ubi__flame_tree {
    const ubi_allocator *allocator;
    ubi__strtab names;
    ubi__vec_flame_node nodes; /* node 0 is the whole; what has no stack is its own */
    uint32_t depth;            /* of the deepest node */
    ubi__flame_past
        *past; /* past[node], of a tree of two recordings: nodes then have what both have together. NULL: one */
} ubi__flame_tree;

/** Children have their parents, in order, and make up what these have beside their own. */
void ubi__flame_tree_check(const ubi__flame_tree *tree);
/**
 * Stacks that have anything of a measure. @param is_inverted  from the place that asks for memory out to its callers, whose own is what
 * stacks end with. Errors: UBI_ENOMEM, UBI_ELIMIT (2^32 - 2 nodes); nothing is left.
 * Cost: O(infos + traces), inverted O(infos + frames of all stacks), and sorting the children of each node.
 */
ubi_status ubi__flame_tree_init(ubi__flame_tree *tree, const ubi__stack_choice *choice, ubi__stack_measure measure,
                                bool is_inverted, const ubi_allocator *allocator);
void ubi__flame_tree_fini(ubi__flame_tree *tree);
/** Nodes that have parents, names and their own get what they have with what they called, and children in order. Errors: UBI_ENOMEM. */
ubi_status ubi__flame_tree_finish(ubi__flame_tree *tree);

static inline ubi_text ubi__flame_name(const ubi__flame_tree *tree, ubi__flame_ix node) {
    return ubi__strtab_get(&tree->names, tree->nodes.at[UBI_INDEX(node, tree->nodes.n)].name);
}

/** What a node has with what it called in the newer of two recordings. */
static inline uint64_t ubi__flame_now(const ubi__flame_tree *tree, ubi__flame_ix node) {
    return tree->nodes.at[UBI_INDEX(node, tree->nodes.n)].all - tree->past[node].all;
}

/** How a node changed: 1: the older recording does not have it; -1: the newer one does not; 0: both have as much. */
static inline double ubi__flame_change(const ubi__flame_tree *tree, ubi__flame_ix node) {
    double both = (double)tree->nodes.at[UBI_INDEX(node, tree->nodes.n)].all;
    return both > 0 ? (both - 2 * (double)tree->past[node].all) / both : 0;
}

#endif
