/* SPDX-License-Identifier: MIT
 *
 * v8_history.c: allocations that V8 counts itself (producer.h): by trace, a frame of the graph each, and over time. Objects get their ids in the order in which they are allocated, or first seen, and a sample says which was the
 * last id at its time.
 */
#include "formats/v8/v8_facts.h"
#include "graph/graph_columns.h"
#include "lenses/v8/v8_producer.h"

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

/* Source: HeapSnapshot.ts, buildSamples. */
static ubi_status history_samples(ubi_allocation_sample *out, const ubi_look *look, const ubi_progress *progress) {
    const ubi_graph *g = ubi_look_view(look)->graph;
    const ubi__v8_facts *facts = ubi__v8_facts_of(g);
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
        out[span].size_bytes += ubi_look_size_bytes(look, node);
    }
    return UBI_OK;
}

static size_t sample_count(const ubi_graph *graph) {
    return ubi__v8_facts_of(graph)->samples.n;
}

/* ---- functions ------------------------------------------------------------------------------------------------------ */

/* The stacks of a graph need not be V8's own. */
static bool is_there(const ubi_graph *graph) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(graph);
    return facts && facts->traces.n == ubi_graph_frame_count(graph);
}

static size_t function_count(const ubi_graph *graph) {
    return ubi__v8_facts_of(graph)->functions.n;
}

static ubi_text text_or_empty(const ubi_graph *g, ubi_str_ix string) {
    ubi_text text = ubi_graph_string(g, string);
    return text.ptr ? text : (ubi_text){ "", 0 };
}

static void history_function(ubi_allocation_function *out, const ubi_graph *graph, ubi_function_ix index) {
    const ubi__v8_function *f = &ubi__v8_facts_of(graph)->functions.at[index];
    *out = (ubi_allocation_function){ text_or_empty(graph, f->name), text_or_empty(graph, f->script_name), f->line,
                                      f->column };
}

static ubi__frame_history history_frame(const ubi_graph *graph, ubi_frame_ix index) {
    const ubi__v8_trace *trace = &ubi__v8_facts_of(graph)->traces.at[index];
    return (ubi__frame_history){ trace->function, trace->count, trace->size_bytes };
}

const ubi__producer_history ubi__v8_history = {
    .is_there = is_there,
    .function_count = function_count,
    .function = history_function,
    .frame = history_frame,
    .hint_for_lost = "V8 forgets who made an object when a collection moves it: it then counts as gone. To keep all,\n"
                     "start node with --no-compact, Chrome with --js-flags=--no-compact.\n",
    .sample_count = sample_count,
    .samples = history_samples,
};
