/* SPDX-License-Identifier: MIT
 *
 * v8_timeline.c: objects get their ids in the order in which they are allocated, or first seen, and a sample says which was the
 * last id at its time.
 */
#include "lenses/v8/v8_timeline.h"

#include "graph/graph_columns.h"

#define NODES_PER_REPORT (1 << 16)

/* The first sample whose last id is not below `id`; `n`: none. */
static size_t span_of(const ubi_allocation_sample *samples, size_t n, uint64_t id) {
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (samples[middle].last_id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

ubi_status ubi__v8_timeline(ubi_allocation_sample *out, const ubi__v8_facts *facts, const ubi_lens_view *look,
                            const ubi_progress *progress) {
    const ubi_graph *g = ubi_lens_graph_view(look)->graph;
    size_t n = facts->samples.n;
    for (size_t i = 0; i < n; i++)
        out[i] = (ubi_allocation_sample){ facts->samples.at[i].time_us, facts->samples.at[i].last_id, 0, 0 };
    for (ubi_node_ix node = 0; n && node < g->n_nodes; node++) {
        if (node % NODES_PER_REPORT == 0 && !ubi__progress(progress, "placing objects in time", node, g->n_nodes))
            return ubi__fail_cancelled();
        if (g->id.at[node] % 2 == 0) /* not of the JavaScript heap */
            continue;
        size_t span = span_of(out, n, g->id.at[node]);
        if (span == n)
            continue;
        out[span].live_count++;
        out[span].size_bytes += ubi_lens_size_bytes(look, node);
    }
    return UBI_OK;
}
