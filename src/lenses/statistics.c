/* SPDX-License-Identifier: MIT
 *
 * statistics.c: of what heaps consist (ubiheap/views/statistics.h). A lens may have an answer of its own; here is that for graphs
 * of which no more is known than coarse types.
 */
#include <ubiheap/views/statistics.h>

#include "base/status.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"

#define NODES_PER_REPORT (UINT32_C(1) << 16)

/* In the order of ubi_coarse_type. */
static const ubi_statistics_part coarse_parts[UBI_COARSE_TYPE_COUNT] = {
    { "other", "Engine internals and others", 0, 0 },
    { "objects", "JavaScript objects", 0, 0 },
    { "scripts", "Scripts and code", 0, 0 },
    { "strings", "Strings", 0, 0 },
    { "domNodes", "DOM nodes", 0, 0 },
};

_Static_assert(UBI_COARSE_TYPE_COUNT <= UBI_STATISTICS_MAX_PARTS, "a part each");

static void add_node(ubi_statistics *s, const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    uint64_t size_bytes = ubi_look_size_bytes(look, node);
    ubi_statistics_part *part = &s->parts[ubi_graph_kind(g, g->kind.at[node])->coarse_type];
    part->size_bytes += size_bytes;
    part->count++;
    s->total_bytes += size_bytes;
}

static ubi_status by_coarse_type(ubi_statistics *s, const ubi_look *look, const ubi_statistics_options *o) {
    const ubi_graph *g = look->graph;
    bool all = look->view.orphans == UBI_ORPHANS_ADOPT;
    s->n_parts = UBI_COARSE_TYPE_COUNT;
    memcpy(s->parts, coarse_parts, sizeof coarse_parts);
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (node % NODES_PER_REPORT == 0 && !ubi__progress(&o->progress, "adding up", node, g->n_nodes))
            return ubi__fail_cancelled();
        if (all || ubi__graph_reachable(g, node))
            add_node(s, look, node);
    }
    s->parts[UBI_COARSE_OTHER].size_bytes += look->outside_bytes;
    s->total_bytes += look->outside_bytes;
    return UBI_OK;
}

ubi_status ubi_statistics_compute(ubi_statistics *out, const ubi_look *look, const ubi_statistics_options *options) {
    static const ubi_statistics_options defaults = UBI_STATISTICS_OPTIONS_INIT;
    ubi_statistics found = { 0 };
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_STATISTICS_OPTIONS_VERSION, "ubi_statistics_options"));
    UBI_TRY(ubi__result_check(&out->struct_bytes, "ubi_statistics"));
    UBI_TRY((look->lens->statistics ? look->lens->statistics : by_coarse_type)(&found, look, options));
    ubi__result_fill(out, &found, sizeof found);
    return UBI_OK;
}
