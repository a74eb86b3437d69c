/* SPDX-License-Identifier: MIT
 *
 * dominated_groups.h: the nodes that one node dominates immediately, by class. What they retain is disjoint, so sizes may be added.
 */
#ifndef UBI_QUESTIONS_DOMINATORS_DOMINATED_GROUPS_H
#define UBI_QUESTIONS_DOMINATORS_DOMINATED_GROUPS_H

#include <ubiheap/core/dominators.h>
#include <ubiheap/views/lens.h>

#include "base/alloc.h"
#include "base/strtab.h"
#include "questions/question.h"

typedef struct ubi__dominated_group {
    ubi_coarse_type coarse_type;
    ubi_str_ix name;     /* in the names of the list */
    bool is_of_type;     /* the name is that of the engine's type, for nodes without a class */
    ubi_node_ix largest; /* that retains most of them; of equal ones the first */
    uint64_t count, shallow_bytes, retained_bytes;
} ubi__dominated_group;

UBI_VEC_DECLARE(ubi__vec_dominated_group, ubi__dominated_group);

/** What retains most first. */
typedef struct ubi__dominated_groups {
    const ubi_allocator *allocator;
    ubi__strtab names;
    ubi__vec_dominated_group list;
} ubi__dominated_groups;

/**
 * @param dominators  with dominated sets, of the look's view. @param node  whose dominated nodes are grouped.
 * Errors: UBI_ENOMEM; nothing is to be freed then. Cost: O(dominated nodes), and sorting the groups.
 */
ubi_status ubi__dominated_groups_find(ubi__dominated_groups *out, const ubi_dominators *dominators,
                                      const ubi_look *look, ubi_node_ix node, const ubi_allocator *allocator);
/**
 * Adds all nodes of a node's own group: those of its class that its dominator dominates, in the order of dominated sets. None of the root.
 * @param out  the caller's, of the allocator. Errors: UBI_ENOMEM. Cost: O(what the dominator dominates).
 */
ubi_status ubi__dominated_group_members(ubi__vec_u32 *out, const ubi_dominators *dominators, const ubi_look *look,
                                        ubi_node_ix like, const ubi_allocator *allocator);
/** An array of the first `most` of them, as the value of an open key. */
void ubi__dominated_groups_put(ubi__json *json, const ubi__dominated_groups *groups, const ubi_graph *graph,
                               uint64_t most);
/** A table of them. @param node_bytes  what the node retains. */
void ubi__dominated_groups_write(const ubi__page *page, const ubi__dominated_groups *groups, uint64_t most,
                                 uint64_t node_bytes);
void ubi__dominated_groups_fini(ubi__dominated_groups *groups);

#endif
