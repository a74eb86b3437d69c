/* SPDX-License-Identifier: MIT
 *
 * node_facts.c: gathering what `ubiheap show` reports.
 */
#include "questions/show/node_facts.h"

#include "analyses/paths/paths_outside.h"
#include "base/assert.h"
#include "base/merge_sort.h"
#include "graph/graph_columns.h"
#include "render/path_words.h"

#define RANK_BEFORE(ctx, a, b) ((a).rank < (b).rank)
UBI_SORT_DEFINE(sort_edges, ubi__ranked_edge, void *, RANK_BEFORE);

static ubi_status edges_sort(ubi__ranked_edges *edges, const ubi_allocator *a) {
    if (edges->n < 2)
        return UBI_OK;
    ubi__ranked_edge *spare = ubi__alloc_array(a, edges->n, sizeof *spare);
    if (!spare)
        return ubi__fail_nomem();
    sort_edges(edges->at, spare, edges->n, NULL);
    ubi__free_array(a, spare, edges->n, sizeof *spare);
    return UBI_OK;
}

static ubi_status collect_edges(ubi__node_facts *f) {
    const ubi_graph *g = f->graph;
    for (ubi_edge_ix e = g->first_edge.at[f->node]; e < g->first_edge.at[f->node + 1]; e++) {
        uint64_t retained = ubi_dominators_retained_bytes(f->dominators, g->target.at[e]);
        UBI_TRY(ubi__ranked_edges_push(&f->edges, f->memory, (ubi__ranked_edge){ ~retained, e }));
    }
    return edges_sort(&f->edges, f->memory);
}

#define EDGES_PER_STEP (1u << 22)

/* For one node, reading all targets beats turning all edges round. */
static ubi_status collect_retainers(ubi__node_facts *f, ubi_progress progress) {
    const ubi_graph *g = f->graph;
    for (ubi_edge_ix e = 0; e < g->n_edges; e++) {
        if (e % EDGES_PER_STEP == 0 && !ubi__progress(&progress, "looking for retainers", e, g->n_edges))
            return ubi__fail_cancelled();
        if (ubi__likely(g->target.at[e] != f->node))
            continue;
        uint32_t distance = f->distances[ubi_graph_edge_source(g, e)];
        UBI_TRY(ubi__ranked_edges_push(&f->retainers, f->memory, (ubi__ranked_edge){ distance, e }));
    }
    return edges_sort(&f->retainers, f->memory);
}

static ubi_status path_copy(ubi__node_facts *f, const ubi_paths *paths) {
    uint32_t n = ubi_paths_count(paths, 0) ? ubi_paths_length(paths, 0, 0) : 0;
    UBI_TRY(ubi__path_steps_reserve(&f->path, f->memory, n));
    if (n)
        ubi_paths_steps(f->path.at, paths, 0, 0);
    f->path.n = n;
    return UBI_OK;
}

static ubi_status find_path(ubi__node_facts *f, ubi_progress progress) {
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_paths *paths, *outside = NULL;
    if (f->node == f->view->root)
        return UBI_OK;
    options.progress = progress;
    options.allocator = f->memory;
    options.max_paths = 1;
    UBI_TRY(ubi_paths_find(&paths, f->view, &f->node, 1, &options));
    ubi_status status = ubi__paths_find_outside(&outside, paths, f->view, &options);
    if (status == UBI_OK)
        status = path_copy(f, outside ? outside : paths);
    ubi_paths_free(paths);
    ubi_paths_free(outside);
    return status;
}

static ubi_status count_retained(ubi__node_facts *f) {
    const ubi_allocator *a = f->memory;
    ubi__vec_u32 waiting = { 0 };
    ubi_status status = ubi__vec_u32_push(&waiting, a, f->node);
    while (status == UBI_OK && waiting.n) {
        uint32_t n;
        const ubi_node_ix *children = ubi_dominators_dominated(f->dominators, waiting.at[--waiting.n], &n);
        f->n_retained += n;
        status = ubi__vec_u32_reserve(&waiting, a, n);
        for (uint32_t i = 0; status == UBI_OK && i < n; i++)
            waiting.at[waiting.n++] = children[i];
    }
    ubi__vec_u32_fini(&waiting, a);
    return status;
}

static bool edges_are_sorted(const ubi__ranked_edges *edges) {
    for (size_t i = 1; i < edges->n; i++)
        if (edges->at[i - 1].rank > edges->at[i].rank)
            return false;
    return true;
}

void ubi__node_facts_check(const ubi__node_facts *f) {
    const ubi_graph *g = f->graph;
    UBI_ASSERT(f->edges.n == g->first_edge.at[f->node + 1] - g->first_edge.at[f->node]);
    UBI_ASSERT(edges_are_sorted(&f->edges) && edges_are_sorted(&f->retainers));
    for (size_t i = 0; UBI_CHECKS && i < f->edges.n; i++)
        UBI_ASSERT(f->edges.at[i].edge - g->first_edge.at[f->node] < f->edges.n);
    for (size_t i = 0; UBI_CHECKS && i < f->retainers.n; i++)
        UBI_ASSERT(g->target.at[f->retainers.at[i].edge] == f->node);
    if (UBI_CHECKS && f->path.n) {
        ubi__path_view path = { g, f->path.at, (uint32_t)f->path.n, f->node, f->look };
        ubi__path_view_check(&path);
    }
    UBI_ASSERT(f->path.n == 0 || f->path.at[0].predecessor == f->view->root);
    UBI_ASSERT(f->n_dominated <= f->n_retained && !f->n_dominated == !f->n_retained);
}

ubi_status ubi__node_facts_init(ubi__node_facts *f, ubi_session_use *heap, ubi_node_ix node) {
    const ubi_look *look;
    ubi_progress progress = *ubi_session_use_progress(heap);
    UBI_TRY(ubi_session_look(&look, heap));
    const ubi_view *view = ubi_look_view(look);
    *f = (ubi__node_facts){
        .memory = ubi_session_use_allocator(heap), .graph = view->graph, .view = view, .look = look, .node = node
    };
    f->kind = ubi_graph_kind(f->graph, ubi_graph_node_kind(f->graph, node));
    UBI_TRY(ubi_session_dominators(&f->dominators, heap, true));
    UBI_TRY(ubi_session_distances(&f->distances, heap));
    ubi_dominators_dominated(f->dominators, node, &f->n_dominated);
    UBI_TRY(collect_edges(f));
    UBI_TRY(collect_retainers(f, progress));
    UBI_TRY(find_path(f, progress));
    UBI_TRY(count_retained(f));
    ubi__node_facts_check(f);
    return UBI_OK;
}

void ubi__node_facts_fini(ubi__node_facts *f) {
    const ubi_allocator *a = f->memory;
    if (!a) /* it did not come to that */
        return;
    ubi__path_steps_fini(&f->path, a);
    ubi__ranked_edges_fini(&f->retainers, a);
    ubi__ranked_edges_fini(&f->edges, a);
}
