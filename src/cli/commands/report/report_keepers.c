/* SPDX-License-Identifier: MIT
 *
 * report_keepers.c: who holds the heap, for the report.
 */
#include "cli/commands/report/report_keepers.h"

#include "base/alloc.h"
#include "formats/v8/v8_types.h"

/* V8's lists of roots, such as "(GC roots)", keep nothing that somebody could let go. */
static void mark_root_kinds(bool *out, const ubi_graph *graph) {
    for (ubi_kind_ix kind = 0; kind < ubi_graph_kind_count(graph); kind++)
        out[kind] = ubi_graph_kind(graph, kind)->raw_type == UBI__V8_SYNTHETIC;
}

ubi_status ubi__report_keepers_init(ubi__report_keepers *out, const ubi_dominators *dominators, const ubi_graph *graph,
                                    ubi_progress progress) {
    ubi_keepers_options options = UBI_KEEPERS_OPTIONS_INIT;
    uint32_t n_kinds = ubi_graph_kind_count(graph);
    bool *root_kinds = ubi__alloc_array(ubi_allocator_default(), n_kinds, sizeof *root_kinds);
    *out = (ubi__report_keepers){ .n = 0 };
    if (!root_kinds)
        return ubi__fail_nomem();
    mark_root_kinds(root_kinds, graph);
    options.progress = progress;
    options.is_root_kind = root_kinds;
    ubi_status status = ubi_keepers_find(out->at, &out->n, UBI__REPORT_KEEPERS, dominators, graph, &options);
    ubi__free_array(ubi_allocator_default(), root_kinds, n_kinds, sizeof *root_kinds);
    return status;
}

ubi__holding ubi__report_holding(const ubi_lens_view *look, const ubi_keeper *keeper) {
    uint64_t own_bytes = ubi_lens_size_bytes(look, keeper->node);
    if (own_bytes >= keeper->exclusive_bytes / 2)
        return UBI__HOLDS_ITSELF;
    if (keeper->held_kind != UBI_NONE && keeper->held_bytes >= keeper->exclusive_bytes / 3)
        return UBI__HOLDS_KIND;
    return UBI__HOLDS_VARIOUS;
}
