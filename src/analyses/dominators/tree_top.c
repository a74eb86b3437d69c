/* SPDX-License-Identifier: MIT
 *
 * tree_top.c: the nodes with the largest retained sizes, wherever they are in the tree.
 *
 * The best so far are a heap with the least of them on top: most nodes are compared with that one and gone.
 */
#include "analyses/dominators/tree_node.h"
#include "graph/graph_columns.h"

typedef struct ranking {
    const ubi_dominators *dominators;
    const ubi_graph *graph;
    ubi_node_ix *heap; /* the caller's array */
    uint32_t n, max;
} ranking;

/* Whether `a` comes before `b` in the result. */
static bool comes_before(const ranking *r, ubi_node_ix a, ubi_node_ix b) {
    uint64_t x = ubi_dominators_retained_bytes(r->dominators, a), y = ubi_dominators_retained_bytes(r->dominators, b);
    return x != y ? x > y : r->graph->id.at[a] < r->graph->id.at[b];
}

static void swap_nodes(ubi_node_ix *a, ubi_node_ix *b) {
    ubi_node_ix kept = *a;
    *a = *b;
    *b = kept;
}

/* Restores the order of heap[0..n) from `at` upwards, or downwards: a parent comes after its children. */
static void sift_up(ranking *r, uint32_t at) {
    for (; at > 0 && comes_before(r, r->heap[(at - 1) / 2], r->heap[at]); at = (at - 1) / 2)
        swap_nodes(&r->heap[(at - 1) / 2], &r->heap[at]);
}

static void sift_down(ranking *r, uint32_t n) {
    for (uint64_t at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && comes_before(r, r->heap[child], r->heap[child + 1]))
            child++;
        if (!comes_before(r, r->heap[at], r->heap[child]))
            return;
        swap_nodes(&r->heap[at], &r->heap[child]);
    }
}

static void offer_node(ranking *r, ubi_node_ix node) {
    if (r->n < r->max) {
        r->heap[r->n] = node;
        sift_up(r, r->n++);
    } else if (r->max && comes_before(r, node, r->heap[0])) {
        r->heap[0] = node;
        sift_down(r, r->n);
    }
}

static void sort_ranking(ranking *r) {
    for (uint32_t n = r->n; n > 1;) {
        swap_nodes(&r->heap[0], &r->heap[--n]);
        sift_down(r, n);
    }
}

#define NODES_PER_STEP (1u << 20)

static ubi_status offer_subtree(ranking *r, ubi__vec_u32 *waiting, ubi_node_ix top, const ubi_allocator *a,
                                const ubi_progress *progress) {
    uint64_t n_offered = 0;
    UBI_TRY(ubi__vec_u32_push(waiting, a, top));
    while (waiting->n) {
        uint32_t n;
        ubi_node_ix node = waiting->at[--waiting->n];
        const ubi_node_ix *children = ubi_dominators_dominated(r->dominators, node, &n);
        if (n_offered++ % NODES_PER_STEP == 0 &&
            !ubi__progress(progress, "ranking", n_offered, ubi_dominators_node_count(r->dominators)))
            return ubi__fail_cancelled();
        offer_node(r, node);
        UBI_TRY(ubi__vec_u32_reserve(waiting, a, n));
        for (uint32_t i = 0; i < n; i++)
            waiting->at[waiting->n++] = children[i];
    }
    return UBI_OK;
}

ubi_status ubi_dominator_tree_top(ubi_node_ix *out, uint32_t *n, const ubi_dominators *dominators,
                                  const ubi_graph *graph, ubi_node_ix node, uint32_t max, const ubi_progress *progress,
                                  const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ranking r = { dominators, graph, out, 0, max };
    ubi__vec_u32 waiting = { 0 };
    if (node >= graph->n_nodes)
        return ubi__fail(UBI_EINVAL, "node %u: the graph has %u nodes", node, graph->n_nodes);
    ubi_status status = offer_subtree(&r, &waiting, node, a, progress);
    ubi__vec_u32_fini(&waiting, a);
    UBI_TRY(status);
    UBI_ASSERT(r.n <= max);
    sort_ranking(&r);
    for (uint32_t i = 1; UBI_CHECKS && i < r.n; i++)
        UBI_ASSERT(comes_before(&r, out[i - 1], out[i]) || !comes_before(&r, out[i], out[i - 1]));
    *n = r.n;
    return UBI_OK;
}
