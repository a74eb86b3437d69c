/* SPDX-License-Identifier: MIT
 *
 * dominators.c: dominator trees (ubiheap/dominators.h). How they are found stands in dom_work.h.
 */
#include <ubiheap/marker.h>

#include "analyses/dominators/dom_work.h"
#include "base/parallel.h"

static ubi_status check_arguments(const ubi_view *view, const ubi_dominators_options *options) {
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_DOMINATORS_OPTIONS_VERSION, "ubi_dominators_options"));
    if (view->root >= view->graph->n_nodes)
        return ubi__fail(UBI_EINVAL, "the root, node %u, is not in the graph of %u nodes", view->root,
                         view->graph->n_nodes);
    if (view->orphans != UBI_ORPHANS_IGNORE && view->orphans != UBI_ORPHANS_ADOPT)
        return ubi__fail(UBI_EINVAL, "unknown orphan policy %d", (int)view->orphans);
    return UBI_OK;
}

void ubi__dominators_check(const ubi_dominators *d, const uint64_t *size_bytes) {
    UBI_ASSERT(d->root < d->n_nodes && d->n_in_tree <= d->n_nodes);
    UBI_ASSERT(d->immediate[d->root] == UBI_NONE);
    if (!UBI_CHECKS)
        return;
    uint32_t n_dominated = 0;
    for (ubi_node_ix node = 0; node < d->n_nodes; node++) {
        UBI_ASSERT(d->immediate[node] == UBI_NONE || d->immediate[node] < d->n_nodes);
        UBI_ASSERT(d->immediate[node] != node);
        n_dominated += d->immediate[node] != UBI_NONE;
    }
    UBI_ASSERT(n_dominated + 1 == d->n_in_tree);
    if (!d->first)
        return;
    UBI_ASSERT(d->first[0] == 0 && d->first[d->n_nodes] == n_dominated);
    for (ubi_node_ix node = 0; node < d->n_nodes; node++) {
        uint64_t retained_bytes = size_bytes[node];
        UBI_ASSERT(d->first[node] <= d->first[node + 1]);
        for (uint32_t i = d->first[node]; i < d->first[node + 1]; i++) {
            UBI_ASSERT(d->immediate[d->dominated[i]] == node);
            retained_bytes += d->retained_bytes[d->dominated[i]];
        }
        UBI_ASSERT(d->retained_bytes[node] == (d->immediate[node] != UBI_NONE || node == d->root ? retained_bytes : 0));
    }
}

void ubi__dom_work_check(const ubi__dom_work *w, ubi__dom_step after) {
    UBI_ASSERT(w->n > 0 && w->n <= w->graph->n_nodes);
    UBI_ASSERT(w->node[0] == w->view->root);
    UBI_ASSERT(!w->finished || (w->n_finished == w->n && w->finished[w->n - 1] == 0)); /* the root's walk ends last */
    if (!UBI_CHECKS)
        return;
    uint64_t n_dominated = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        UBI_ASSERT(w->number[w->node[i]] == i);
        UBI_ASSERT(i == 0 || w->dominator[i] < i);
        UBI_ASSERT(after == UBI__DOM_CLIMB || i == 0 || (w->dominator[i] <= w->parent[i] && w->parent[i] < i));
        n_dominated += after == UBI__DOM_CLIMB ? w->parent[i] : i > 0;
    }
    UBI_ASSERT(n_dominated + 1 == w->n); /* one dominates each of the others */
}

/* ---- working memory -------------------------------------------------------------------------------------------------- */

static size_t block_bytes_per_node(bool with_sets) {
    return UBI__DOM_SCRATCH_BYTES + (with_sets ? 4 : 3) * sizeof(uint32_t);
}

static void work_fini(ubi__dom_work *w) {
    size_t n = w->graph->n_nodes;
    ubi__helper_drop(w->helper, &w->touching);
    ubi__dom_edges_fini(w);
    ubi__free_array(w->allocator, w->number, n, sizeof *w->number);
    ubi__free_array(w->allocator, w->scratch, n, block_bytes_per_node(w->with_sets));
}

/* All but `number`, which stays, is one block: large blocks are cheaper per byte than small ones. */
static ubi_status work_init(ubi__dom_work *w) {
    size_t n = w->graph->n_nodes;
    w->number = ubi__alloc_array(w->allocator, n, sizeof *w->number);
    w->scratch = ubi__alloc_array(w->allocator, n, block_bytes_per_node(w->with_sets));
    if (!w->number || !w->scratch)
        return ubi__fail_nomem();
    w->node = (uint32_t *)((char *)w->scratch + n * UBI__DOM_SCRATCH_BYTES);
    w->parent = w->node + n;
    w->dominator = w->parent + n;
    w->finished = w->with_sets ? w->dominator + n : NULL;
    return ubi__dom_edges_init(w);
}

#define N_SLICES 64 /* of columns that the walk fills side by side */

/*
 * First use of memory is a fifth of all that is to be done, and more where a hypervisor has to supply it. So a helper runs ahead
 * of the walk: columns that are filled by number, and of the pool what the result will take; then cells, for the next step.
 */
static void touch_columns(void *payload) {
    ubi__dom_work *w = payload;
    size_t n = w->graph->n_nodes, pool_bytes = 2 * sizeof(uint64_t) * n;
    size_t column_bytes = n * sizeof(uint32_t), slice_bytes = column_bytes / N_SLICES;
    unsigned n_columns = w->with_sets ? 4 : 3;
    if (pool_bytes > w->edges.pool_bytes)
        pool_bytes = w->edges.pool_bytes;
    for (size_t i = 0; i < N_SLICES; i++) {
        for (unsigned k = 0; k < n_columns; k++)
            ubi__touch_pages((char *)w->node + k * column_bytes + i * slice_bytes, slice_bytes);
        ubi__touch_pages((char *)w->edges.pool + i * (pool_bytes / N_SLICES), pool_bytes / N_SLICES);
    }
    ubi__touch_pages(w->scratch, n * sizeof(ubi__dom_cell));
}

static ubi_status dominators_run(ubi_dominators *d, ubi__dom_work *w) {
    UBI_TRY(work_init(w));
    if (w->helper->threaded)
        ubi__helper_give(w->helper, &w->touching, touch_columns, w);
    UBI_TRY(ubi__dom_walk(w));
    ubi__dom_work_check(w, UBI__DOM_WALK);
    UBI_TRY(ubi__dom_find_semi(w));
    ubi__dom_work_check(w, UBI__DOM_SEMI);
    UBI_TRY(ubi__dom_climb(w));
    ubi__dom_work_check(w, UBI__DOM_CLIMB);
    UBI_TRY(ubi__dom_result(d, w));
    ubi__dominators_check(d, w->view->size_bytes ? w->view->size_bytes : w->graph->size_bytes.at);
    return UBI_OK;
}

static ubi_status dominators_find(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                                  ubi__helper *helper, const ubi__dom_tuning *tuning, ubi__dom_counts *counts) {
    UBI_TRY(check_arguments(view, options));
    ubi__dom_work w = { .graph = view->graph, .view = view, .helper = helper };
    w.allocator = ubi__allocator_or_default(options ? options->allocator : NULL);
    w.progress = options ? &options->progress : NULL;
    w.with_sets = !options || !options->without_sets;
    if (tuning)
        w.tuning = *tuning;
    ubi_dominators *d = UBI_NEW(w.allocator, ubi_dominators);
    if (!d)
        return ubi__fail_nomem();
    d->allocator = w.allocator;
    d->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)view->graph);
    d->root = view->root;
    d->n_nodes = view->graph->n_nodes;
    ubi_status status = dominators_run(d, &w);
    work_fini(&w);
    if (counts)
        *counts = w.counts;
    if (status == UBI_OK)
        *out = d;
    else
        ubi_dominators_free(d);
    return status;
}

ubi_status ubi__dominators_new(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                               const ubi__dom_tuning *tuning, ubi__dom_counts *counts) {
    ubi__helper helper;
    ubi__helper_start(&helper, ubi__thread_count(options ? options->threads : 0));
    ubi_status status = dominators_find(out, view, options, &helper, tuning, counts);
    ubi__helper_stop(&helper);
    return status;
}

ubi_status ubi__dominators_helped(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                                  ubi__helper *helper) {
    return dominators_find(out, view, options, helper, NULL, NULL);
}

/* ---- the public face ------------------------------------------------------------------------------------------------- */

ubi_status ubi_dominators_new(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Dominators");
    return ubi__dominators_new(out, view, options, NULL, NULL);
}

void ubi_dominators_free(ubi_dominators *d) {
    if (!d)
        return;
    ubi__free_array(d->allocator, d->immediate, d->n_nodes, sizeof *d->immediate);
    ubi__free_array(d->allocator, d->retained_bytes, d->columns_bytes, 1);
    ubi_graph_unref(d->graph);
    UBI_DELETE(d->allocator, d);
}

ubi_node_ix ubi_dominators_root(const ubi_dominators *d) {
    return d->root;
}
uint32_t ubi_dominators_node_count(const ubi_dominators *d) {
    return d->n_in_tree;
}
ubi_node_ix ubi_dominators_immediate(const ubi_dominators *d, ubi_node_ix node) {
    return d->immediate[UBI_INDEX(node, d->n_nodes)];
}
uint64_t ubi_dominators_retained_bytes(const ubi_dominators *d, ubi_node_ix node) {
    return d->retained_bytes[UBI_INDEX(node, d->n_nodes)];
}

const ubi_node_ix *ubi_dominators_dominated(const ubi_dominators *d, ubi_node_ix node, uint32_t *n) {
    if (!d->first) {
        *n = 0;
        return NULL;
    }
    *n = d->first[UBI_INDEX(node, d->n_nodes) + 1] - d->first[node];
    return d->dominated + d->first[node];
}
