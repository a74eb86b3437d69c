/* SPDX-License-Identifier: MIT
 *
 * dominators.c: dominator tree by plain iteration (interim).
 */
#include <ubiheap/dominators.h>

#include "base/alloc.h"
#include "graph/graph_columns.h"

struct ubi_dominators {
    const ubi_allocator *allocator;
    ubi_graph *graph;
    ubi_node_ix root;
    uint32_t n, n_in;
    uint32_t *idom;       /* per node */
    uint64_t *retained;   /* per node */
    uint32_t *first;      /* n + 1: place in children */
    uint32_t *children;
};

static uint32_t intersect(const uint32_t *dom, uint32_t a, uint32_t b) {
    while (a != b) {
        while (a > b)
            a = dom[a];
        while (b > a)
            b = dom[b];
    }
    return a;
}

ubi_status ubi_dominators_new(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options) {
    const ubi_graph *g = view->graph;
    const ubi_allocator *a = ubi__allocator_or_default(options ? options->allocator : NULL);
    uint32_t n = g->n_nodes;
    ubi_dominators *d = UBI_NEW(a, ubi_dominators);
    uint32_t *post = ubi__alloc_array(a, n, 4), *order = ubi__alloc_array(a, n, 4), *stack = ubi__alloc_array(a, n, 4);
    uint64_t *cursor = ubi__alloc_array(a, n, 8);
    uint32_t *dom = ubi__alloc_array(a, n, 4);
    d->allocator = a;
    d->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)g);
    d->root = view->root;
    d->n = n;
    d->idom = ubi__alloc_array(a, n, 4);
    d->retained = ubi__calloc_array(a, n, 8);
    d->first = ubi__calloc_array(a, (size_t)n + 1, 4);
    d->children = ubi__alloc_array(a, n, 4);
    for (uint32_t i = 0; i < n; i++) {
        post[i] = UBI_NONE;
        dom[i] = UBI_NONE;
        d->idom[i] = UBI_NONE;
        cursor[i] = UINT64_MAX;
    }
    uint32_t depth = 0, m = 0;
    stack[depth++] = view->root;
    cursor[view->root] = g->first_edge.at[view->root + 1];
    while (depth) {
        uint32_t v = stack[depth - 1];
        if (cursor[v] == g->first_edge.at[v]) {
            order[m] = v;
            post[v] = m++;
            depth--;
            continue;
        }
        uint64_t e = --cursor[v];
        uint32_t t = g->target.at[e];
        if (cursor[t] != UINT64_MAX || (view->edges && !ubi_edge_set_has(view->edges, e)))
            continue;
        cursor[t] = g->first_edge.at[t + 1];
        stack[depth++] = t;
    }
    d->n_in = m;
    dom[m - 1] = 0; /* as m - 1 - post: the root is 0 */
    dom[0] = 0;
    for (uint32_t i = 1; i < m; i++)
        dom[i] = UBI_NONE;
    /* numbers r = m - 1 - post: ascending from the root; relax along edges until nothing changes */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t r = 0; r < m; r++) {
            uint32_t v = order[m - 1 - r];
            if (dom[r] == UBI_NONE)
                continue;
            for (uint64_t e = g->first_edge.at[v]; e < g->first_edge.at[v + 1]; e++) {
                if (view->edges && !ubi_edge_set_has(view->edges, e))
                    continue;
                uint32_t t = m - 1 - post[g->target.at[e]];
                uint32_t now = dom[t] == UBI_NONE ? r : intersect(dom, dom[t], r);
                if (t && now != dom[t]) {
                    dom[t] = now;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < m; i++)
        d->retained[order[i]] = view->size_bytes ? view->size_bytes[order[i]] : g->size_bytes.at[order[i]];
    for (uint32_t r = m - 1; r > 0; r--) {
        uint32_t v = order[m - 1 - r], p = order[m - 1 - dom[r]];
        d->idom[v] = p;
        d->retained[p] += d->retained[v];
        d->first[p + 1]++;
    }
    for (uint32_t i = 0; i < n; i++)
        d->first[i + 1] += d->first[i];
    for (uint32_t i = 0; i < n; i++)
        stack[i] = d->first[i];
    for (uint32_t r = 1; r < m; r++) {
        uint32_t v = order[m - 1 - r];
        d->children[stack[d->idom[v]]++] = v;
    }
    ubi__free_array(a, post, n, 4);
    ubi__free_array(a, order, n, 4);
    ubi__free_array(a, stack, n, 4);
    ubi__free_array(a, cursor, n, 8);
    ubi__free_array(a, dom, n, 4);
    *out = d;
    return UBI_OK;
}

void ubi_dominators_free(ubi_dominators *d) {
    if (!d)
        return;
    ubi__free_array(d->allocator, d->idom, d->n, 4);
    ubi__free_array(d->allocator, d->retained, d->n, 8);
    ubi__free_array(d->allocator, d->first, (size_t)d->n + 1, 4);
    ubi__free_array(d->allocator, d->children, d->n, 4);
    ubi_graph_unref(d->graph);
    UBI_DELETE(d->allocator, d);
}

ubi_node_ix ubi_dominators_root(const ubi_dominators *d) {
    return d->root;
}
uint32_t ubi_dominators_node_count(const ubi_dominators *d) {
    return d->n_in;
}
ubi_node_ix ubi_dominators_immediate(const ubi_dominators *d, ubi_node_ix node) {
    return d->idom[node];
}
uint64_t ubi_dominators_retained_bytes(const ubi_dominators *d, ubi_node_ix node) {
    return d->retained[node];
}
const ubi_node_ix *ubi_dominators_dominated(const ubi_dominators *d, ubi_node_ix node, uint32_t *n) {
    *n = d->first[node + 1] - d->first[node];
    return d->children + d->first[node];
}
ubi_status ubi_dominators_largest(ubi_node_ix *out, uint32_t *n, const ubi_dominators *d, ubi_node_ix node,
                                  uint32_t max) {
    uint32_t count, stored = 0;
    const ubi_node_ix *c = ubi_dominators_dominated(d, node, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = stored;
        while (at > 0 && d->retained[out[at - 1]] < d->retained[c[i]])
            at--;
        if (at >= max)
            continue;
        uint32_t last = stored < max ? stored++ : max - 1;
        for (; last > at; last--)
            out[last] = out[last - 1];
        out[at] = c[i];
    }
    *n = stored;
    return UBI_OK;
}
