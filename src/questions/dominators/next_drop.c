/* SPDX-License-Identifier: MIT
 *
 * next_drop.c: see next_drop.h.
 *
 * Nodes that wait on the stack are in no other's subtree and retain a thousandth of the heap each: there are a thousand at most,
 * however deep the tree is.
 */
#include "questions/dominators/next_drop.h"

#include "base/alloc.h"
#include "base/status.h"

#define LEAST_PARTS 1000 /* of the heap */

typedef struct drop_search {
    const ubi_dominators *dominators;
    const ubi_allocator *allocator;
    uint64_t least_bytes;
    ubi__vec_u32 path;    /* from the last node that is entered up to below the root */
    ubi__vec_u32 waiting; /* next ones at the end */
} drop_search;

static uint64_t bytes_of(const drop_search *s, ubi_node_ix node) {
    return ubi_dominators_retained_bytes(s->dominators, node);
}

static bool is_drop(const drop_search *s, ubi_node_ix node) {
    uint32_t n;
    const ubi_node_ix *children = ubi_dominators_dominated(s->dominators, node, &n);
    ubi_node_ix parent = ubi_dominators_immediate(s->dominators, node);
    uint64_t half = bytes_of(s, node) / 2 + bytes_of(s, node) % 2;
    if (n == 0)
        return parent == UBI_NONE || bytes_of(s, node) >= bytes_of(s, parent) / 2;
    for (uint32_t i = 0; i < n; i++)
        if (bytes_of(s, children[i]) >= half)
            return false;
    return true;
}

/* The children of a node that are large enough wait, the largest at the end. */
static ubi_status children_wait(drop_search *s, ubi_node_ix node) {
    uint32_t n, n_large = 0;
    const ubi_node_ix *children = ubi_dominators_dominated(s->dominators, node, &n);
    for (uint32_t i = 0; i < n; i++)
        n_large += bytes_of(s, children[i]) >= s->least_bytes;
    if (n_large == 0)
        return UBI_OK;
    ubi_node_ix *large = ubi__alloc_array(s->allocator, n_large, sizeof *large);
    if (!large)
        return ubi__fail_nomem();
    uint32_t n_found = 0;
    ubi_status status = ubi_dominators_largest(large, &n_found, s->dominators, node, n_large);
    for (uint32_t i = n_found; i-- > 0 && status == UBI_OK;)
        status = ubi__vec_u32_push(&s->waiting, s->allocator, large[i]);
    ubi__free_array(s->allocator, large, n_large, sizeof *large);
    return status;
}

/* As if the walk had come to the node: what waits is what comes after it, and what it dominates. */
static ubi_status walk_to(drop_search *s, ubi_node_ix after) {
    ubi_node_ix root = ubi_dominators_root(s->dominators), node = after;
    while (node != root && bytes_of(s, node) < s->least_bytes)
        node = ubi_dominators_immediate(s->dominators, node);
    bool is_entered = node == after;
    for (; node != root; node = ubi_dominators_immediate(s->dominators, node))
        UBI_TRY(ubi__vec_u32_push(&s->path, s->allocator, node));
    ubi_node_ix at = root;
    for (size_t i = s->path.n; i-- > 0;) {
        UBI_TRY(children_wait(s, at));
        at = s->path.at[i];
        while (s->waiting.n > 0 && s->waiting.at[--s->waiting.n] != at) {
        }
    }
    return is_entered ? children_wait(s, at) : UBI_OK;
}

static ubi_status drop_find(ubi_node_ix *out, drop_search *s) {
    *out = UBI_NONE;
    while (s->waiting.n > 0) {
        ubi_node_ix node = s->waiting.at[--s->waiting.n];
        if (is_drop(s, node)) {
            *out = node;
            return UBI_OK;
        }
        UBI_TRY(children_wait(s, node));
    }
    return UBI_OK;
}

ubi_status ubi__next_drop_find(ubi_node_ix *out, const ubi_dominators *dominators, ubi_node_ix after,
                               const ubi_allocator *allocator) {
    ubi_node_ix root = ubi_dominators_root(dominators), found = UBI_NONE;
    uint64_t whole_bytes = ubi_dominators_retained_bytes(dominators, root);
    drop_search s = { .dominators = dominators,
                      .allocator = allocator,
                      .least_bytes = whole_bytes < LEAST_PARTS ? 1 : whole_bytes / LEAST_PARTS };
    bool is_in_tree = after == root || ubi_dominators_immediate(dominators, after) != UBI_NONE;
    ubi_status status = walk_to(&s, is_in_tree ? after : root);
    if (status == UBI_OK)
        status = drop_find(&found, &s);
    ubi__vec_u32_fini(&s.path, allocator);
    ubi__vec_u32_fini(&s.waiting, allocator);
    if (status == UBI_OK)
        *out = found;
    return status;
}
