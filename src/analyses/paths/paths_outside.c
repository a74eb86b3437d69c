/* SPDX-License-Identifier: MIT
 *
 * paths_outside.c: see paths_outside.h.
 */
#include "analyses/paths/paths_outside.h"

#include "base/status.h"
#include "graph/outside_view.h"

/* What a weak table lists is held by others, or by nothing: its edges stay as the view has them. */
static void weak_tables_restore(ubi_edge_set *set, const ubi_view *view) {
    const uint64_t *first = view->graph->first_edge.at;
    for (uint32_t i = 0; i < view->n_weak_tables; i++)
        for (ubi_edge_ix e = first[view->weak_tables[i]]; e < first[view->weak_tables[i] + 1]; e++)
            ubi_edge_set_put(set, e, ubi__edge_set_has(view->edges, e));
}

static ubi_status edges_widen(ubi_edge_set **out, const ubi_view *view) {
    UBI_TRY(ubi_edge_set_new(out, view->graph, true));
    for (ubi_edge_ix e = 0; e < view->graph->n_edges; e++)
        if (!ubi__edge_set_has(view->edges, e) && !ubi__edge_is_outside_view(view, e))
            ubi_edge_set_put(*out, e, false);
    weak_tables_restore(*out, view);
    return UBI_OK;
}

static ubi_status targets_choose(ubi__vec_u32 *out, const ubi_paths *of, const ubi_allocator *allocator) {
    for (uint32_t t = 0; t < ubi_paths_target_count(of); t++)
        if (ubi_paths_count(of, t) == 0)
            UBI_TRY(ubi__vec_u32_push(out, allocator, ubi_paths_target(of, t)));
    return UBI_OK;
}

static ubi_status chosen_find(ubi_paths **out, const ubi__vec_u32 *targets, const ubi_view *view,
                              const ubi_paths_options *options) {
    ubi_view wide = *view;
    ubi_edge_set *edges;
    UBI_TRY(edges_widen(&edges, view));
    wide.edges = edges;
    ubi_status status = ubi_paths_find(out, &wide, targets->at, (uint32_t)targets->n, options);
    ubi_edge_set_free(edges);
    return status;
}

ubi_status ubi__paths_find_outside(ubi_paths **out, const ubi_paths *of, const ubi_view *view,
                                   const ubi_paths_options *options) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi__vec_u32 targets = { 0 };
    *out = NULL;
    if (!view->edges)
        return UBI_OK;
    ubi_status status = targets_choose(&targets, of, a);
    if (status == UBI_OK && targets.n)
        status = chosen_find(out, &targets, view, options);
    ubi__vec_u32_fini(&targets, a);
    return status;
}
