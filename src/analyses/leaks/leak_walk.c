/* SPDX-License-Identifier: MIT
 *
 * leak_walk.c: one breadth-first walk that enters candidates last.
 *
 * First half: from the view's first edges, then from its root, around everything new that programs hold; then through what of
 * this is no candidate, such as objects that came after NEW. Candidates are met but wait. Second half: from those that wait, in
 * the order in which they were met. What is met there can be reached through candidates only.
 *
 * Weak tables of the engine are met and not entered: what nothing else holds is about to go.
 */
#include "analyses/leaks/leak_finder.h"

/* Edges of a node beyond these are not followed: their place would not fit the column. */
#define MOST_EDGES UINT32_MAX

typedef struct walk {
    ubi_leak_finder *f;
    const ubi_graph *g;
    ubi_node_ix *waiting; /* waiting[n_waiting]; the end of the order's array, backwards */
    uint32_t n_waiting;
    uint32_t n_done;   /* order[0 .. n_done) were expanded */
    bool defers;       /* candidates wait */
    bool defers_young; /* other new objects do, too, in `young` */
    ubi__vec_u32 young;
    bool defers_passing; /* roots for the moment do, too, in `passing` */
    ubi__vec_u32 passing;
    ubi_status status;
    uint64_t n_edges, next_report;
} walk;

static bool is_young(const ubi_leak_finder *f, ubi_node_ix node) {
    return !(f->flags[node] & UBI__LEAK_WAS_OLD) && ubi__leak_is_held_by_program(f, node);
}

static void meet_target(walk *w, ubi_node_ix source, uint64_t i) {
    ubi_leak_finder *f = w->f;
    ubi_node_ix target = w->g->target.at[w->g->first_edge.at[source] + i];
    if (f->parent[target] != UBI_NONE)
        return;
    f->parent[target] = source;
    f->edge[target] = (uint32_t)i;
    if (w->defers && f->flags[target] & UBI__LEAK_CANDIDATE)
        f->order[f->graph->n_nodes - ++w->n_waiting] = target;
    else if (w->defers_young && is_young(f, target))
        w->status = w->status == UBI_OK ? ubi__vec_u32_push(&w->young, f->allocator, target) : w->status;
    else if (w->defers_passing && f->flags[target] & UBI__LEAK_PASSING)
        w->status = w->status == UBI_OK ? ubi__vec_u32_push(&w->passing, f->allocator, target) : w->status;
    else
        f->order[f->n_met++] = target;
}

static void expand_node(walk *w, ubi_node_ix node) {
    if (w->f->flags[node] & UBI__LEAK_WEAK_TABLE)
        return;
    uint64_t first = w->g->first_edge.at[node], n = w->g->first_edge.at[node + 1] - first;
    n = n < MOST_EDGES ? n : MOST_EDGES;
    for (uint64_t i = 0; i < n; i++)
        if (ubi__edge_set_has(w->f->view.edges, first + i))
            meet_target(w, node, i);
    w->n_edges += n;
}

static ubi_status expand_all(walk *w) {
    while (w->n_done < w->f->n_met && w->status == UBI_OK) {
        expand_node(w, w->f->order[w->n_done++]);
        if (w->n_edges < w->next_report)
            continue;
        w->next_report = w->n_edges + UBI__LEAK_STEP;
        if (!ubi__progress(&w->f->options.progress, "finding leaks", w->n_edges, w->g->n_edges))
            return ubi__fail_cancelled();
    }
    return w->status;
}

static void admit_nodes(walk *w, const ubi__vec_u32 *nodes) {
    if (nodes->n)
        memcpy(w->f->order + w->f->n_met, nodes->at, nodes->n * sizeof *nodes->at);
    w->f->n_met += (uint32_t)nodes->n;
}

/*
 * From what people think of as roots, then from everything else that the root leads to, and at last from what is a root for the moment:
 * a variable of the function that takes the snapshot says nothing of who holds an object for good.
 */
static ubi_status walk_around(walk *w) {
    ubi_leak_finder *f = w->f;
    ubi_node_ix root = f->view.root;
    uint64_t first = w->g->first_edge.at[root];
    f->parent[root] = root;
    for (uint32_t i = 0; i < f->view.n_first_edges; i++)
        if (f->view.first_edges[i] - first < MOST_EDGES)
            meet_target(w, root, f->view.first_edges[i] - first);
    UBI_TRY(expand_all(w));
    f->order[f->n_met++] = root;
    UBI_TRY(expand_all(w));
    w->defers_passing = false;
    admit_nodes(w, &w->passing);
    UBI_TRY(expand_all(w));
    w->defers_young = false;
    f->n_old = f->n_met;
    f->n_young = (uint32_t)w->young.n;
    admit_nodes(w, &w->young);
    return expand_all(w);
}

/* They were put down backwards from the end of the array; what was met since is at its front. */
static void admit_waiting(walk *w) {
    ubi_node_ix *end = w->f->order + w->g->n_nodes, *from = end - w->n_waiting;
    for (ubi_node_ix *low = from, *high = end - 1; low < high; low++, high--) {
        ubi_node_ix node = *low;
        *low = *high;
        *high = node;
    }
    memmove(w->f->order + w->f->n_met, from, w->n_waiting * sizeof *from);
    w->f->n_met += w->n_waiting;
}

static ubi_status walk_all(walk *w) {
    ubi_leak_finder *f = w->f;
    UBI_TRY(walk_around(w));
    f->n_around = f->n_met;
    f->n_heads = w->n_waiting;
    w->defers = false;
    admit_waiting(w);
    return expand_all(w);
}

void ubi__leak_finder_check(const ubi_leak_finder *f) {
    UBI_ASSERT(f->n_old + f->n_young <= f->n_around);
    UBI_ASSERT((uint64_t)f->n_around + f->n_heads <= f->n_met && f->n_met <= f->graph->n_nodes);
    UBI_ASSERT(f->parent[f->view.root] == f->view.root);
    uint32_t n_met = 0;
    for (ubi_node_ix node = 0; UBI_CHECKS && node < f->graph->n_nodes; node++)
        n_met += f->parent[node] != UBI_NONE;
    UBI_ASSERT(!UBI_CHECKS || n_met == f->n_met);
    for (uint32_t i = 0; UBI_CHECKS && i < f->n_met; i++) {
        ubi_node_ix node = f->order[i];
        UBI_ASSERT(f->parent[node] != UBI_NONE);
        UBI_ASSERT(node == f->view.root || f->graph->target.at[ubi__leak_edge_to(f, node)] == node);
        UBI_ASSERT(i >= f->n_around || !(f->flags[node] & UBI__LEAK_CANDIDATE));
        UBI_ASSERT(!ubi__leak_is_head(f, i) || f->flags[node] & UBI__LEAK_CANDIDATE);
    }
}

ubi_status ubi__leak_walk(ubi_leak_finder *f) {
    const ubi_allocator *a = f->allocator;
    size_t n = f->graph->n_nodes;
    walk w = { .f = f, .g = f->graph, .defers = true, .defers_young = true, .defers_passing = true };
    f->parent = ubi__alloc_array(a, n, sizeof *f->parent);
    f->edge = ubi__calloc_array(a, n, sizeof *f->edge);
    f->order = ubi__alloc_array(a, n, sizeof *f->order);
    if (!f->parent || !f->edge || !f->order)
        return ubi__fail_nomem();
    memset(f->parent, 0xff, n * sizeof *f->parent);
    for (uint32_t i = 0; i < f->view.n_weak_tables; i++)
        f->flags[f->view.weak_tables[i]] |= UBI__LEAK_WEAK_TABLE;
    for (uint32_t i = 0; i < f->view.n_passing_roots; i++)
        f->flags[f->view.passing_roots[i]] |= UBI__LEAK_PASSING;
    ubi_status status = walk_all(&w);
    if (status == UBI_OK)
        ubi__leak_finder_check(f);
    ubi__vec_u32_fini(&w.young, a);
    ubi__vec_u32_fini(&w.passing, a);
    return status;
}
