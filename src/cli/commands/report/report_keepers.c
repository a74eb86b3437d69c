/* SPDX-License-Identifier: MIT
 *
 * report_keepers.c: who holds the heap, for the report.
 */
#include "cli/commands/report/report_keepers.h"

#include "base/alloc.h"

static ubi_status find_keepers(ubi__report_keepers *out, const ubi_view *view, ubi_progress progress) {
    ubi_dominators_options dominator_options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_keepers_options keeper_options = UBI_KEEPERS_OPTIONS_INIT;
    ubi_keeper found[UBI__REPORT_KEEPERS];
    ubi_dominators *dominators;
    dominator_options.progress = keeper_options.progress = progress;
    UBI_TRY(ubi_dominators_new(&dominators, view, &dominator_options));
    ubi_status status = ubi_keepers_find(found, &out->n, UBI__REPORT_KEEPERS, dominators, view->graph, &keeper_options);
    ubi_dominators_free(dominators);
    for (uint32_t i = 0; status == UBI_OK && i < out->n; i++)
        out->at[i].keeper = found[i];
    return status;
}

static ubi_status copy_steps(ubi__report_keeper *keeper, const ubi_paths *paths, uint32_t target) {
    uint32_t n = ubi_paths_length(paths, target, 0);
    keeper->steps = ubi__alloc_array(ubi_allocator_default(), n, sizeof *keeper->steps);
    if (!keeper->steps)
        return ubi__fail_nomem();
    keeper->n_steps = n;
    ubi_paths_steps(keeper->steps, paths, target, 0);
    return UBI_OK;
}

/* All keepers are reachable and none is the root, so that each has a path. */
static ubi_status find_paths(ubi__report_keepers *out, const ubi_view *view, ubi_progress progress) {
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    ubi_node_ix targets[UBI__REPORT_KEEPERS];
    ubi_paths *paths;
    if (out->n == 0)
        return UBI_OK;
    for (uint32_t i = 0; i < out->n; i++)
        targets[i] = out->at[i].keeper.node;
    options.progress = progress;
    options.max_paths = 1;
    UBI_TRY(ubi_paths_find(&paths, view, targets, out->n, &options));
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; status == UBI_OK && i < out->n; i++)
        status = copy_steps(&out->at[i], paths, i);
    ubi_paths_free(paths);
    return status;
}

ubi_status ubi__report_keepers_init(ubi__report_keepers *out, const ubi_view *view, ubi_progress progress) {
    *out = (ubi__report_keepers){ .n = 0 };
    UBI_TRY(find_keepers(out, view, progress));
    return find_paths(out, view, progress);
}

void ubi__report_keepers_fini(ubi__report_keepers *keepers) {
    for (uint32_t i = 0; i < keepers->n; i++)
        ubi__free_array(ubi_allocator_default(), keepers->at[i].steps, keepers->at[i].n_steps,
                        sizeof *keepers->at[i].steps);
    keepers->n = 0;
}

ubi__holding ubi__report_holding(const ubi_graph *graph, const ubi_keeper *keeper) {
    uint64_t own_bytes = ubi_graph_node_size_bytes(graph, keeper->node);
    if (own_bytes >= keeper->exclusive_bytes / 2)
        return UBI__HOLDS_ITSELF;
    if (keeper->held_kind != UBI_NONE && keeper->held_bytes >= keeper->exclusive_bytes / 3)
        return UBI__HOLDS_KIND;
    return UBI__HOLDS_VARIOUS;
}
