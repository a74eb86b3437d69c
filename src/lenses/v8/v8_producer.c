/* SPDX-License-Identifier: MIT
 *
 * v8_producer.c: how heaps of V8 speak (producer.h): those of Node.js, Chrome, and other embedders; which file a
 * piece of code is from, and the allocations that a file counts.
 */
#include "lenses/v8/v8_producer.h"

#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/v8/v8_facts.h"
#include "formats/v8/v8_types.h"
#include "graph/graph_columns.h"
#include "lenses/v8/v8_fields.h"
#include "lenses/v8/v8_look.h"

/* ---- who made it ---------------------------------------------------------------------------------------------------- */

/* A graph that was built in memory speaks as V8 does if it has V8's types. */
static bool v8_made(const ubi_graph *g) {
    const char *format = ubi_graph_format_name(g);
    return strcmp(format, "heapsnapshot") == 0 ||
           (strcmp(format, "memory") == 0 && g->kinds.rows.at[g->kind.at[g->root]].raw_type != UBI__V8_NONE);
}

typedef enum embedder { SOME_EMBEDDER, NODE_JS, CHROME, BUN } embedder;

/* Node.js has roots of its own, Chrome nodes of Blink's, and Bun, which writes this format too, those of JavaScriptCore. */
static embedder embedder_of(const ubi_graph *g) {
    for (ubi_edge_ix e = g->first_edge.at[g->root]; e < g->first_edge.at[g->root + 1]; e++)
        if (ubi__text_begins(ubi_graph_string(g, ubi__graph_node_name(g, g->target.at[e])), "Node / "))
            return NODE_JS;
    for (ubi_kind_ix k = 0; k < ubi_graph_kind_count(g); k++)
        if (ubi__text_begins(ubi_graph_string(g, ubi_graph_kind(g, k)->type_name), "blink::"))
            return CHROME;
        else if (ubi__text_is(ubi_graph_string(g, ubi_graph_kind(g, k)->type_name), "FunctionRareData"))
            return BUN;
    return SOME_EMBEDDER;
}

static const char *node_title(const ubi_graph *g) {
    static const char *const titles[] = { [SOME_EMBEDDER] = "V8",
                                          [NODE_JS] = "Node.js (V8)",
                                          [CHROME] = "Chrome (V8)",
                                          [BUN] = "Bun (JavaScriptCore), in V8's form" };
    return titles[embedder_of(g)];
}

/* As in JavaScriptCore's own form. */
static const char *without_size(const ubi_graph *g) {
    return embedder_of(g) == BUN ? "elements of arrays and most properties of large objects" : NULL;
}

static bool kind_is_value(const ubi_graph *graph, const ubi_kind *kind) {
    (void)graph;
    return kind->raw_type == UBI__V8_BIGINT || kind->raw_type == UBI__V8_NUMBER || kind->raw_type == UBI__V8_SYMBOL;
}

/* The first time that an object literal is evaluated makes an object of the site in the code; all later ones are copies of it. */
static ubi_node_ix literal_template_of(const ubi_graph *graph, ubi_node_ix node) {
    const ubi_kind *kind = &graph->kinds.rows.at[graph->kind.at[node]];
    bool is_site = kind->raw_type == UBI__V8_CODE &&
                   ubi__text_is(ubi_graph_string(graph, ubi_graph_node_name(graph, node)), "system / AllocationSite");
    return is_site ? ubi__target_named(graph, node, UBI_EDGE_INTERNAL, "transition_info") : UBI_NONE;
}

/* DevTools, and programs that drive a page by their protocol, hold the objects that they know. */
static bool edge_is_of_console(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    const ubi_kind *kind = &graph->kinds.rows.at[graph->kind.at[source]];
    ubi_str_ix name = ubi__graph_edge_name(graph, edge);
    return kind->raw_type == UBI__V8_SYNTHETIC && name != UBI_NONE &&
           ubi__text_ends(ubi_graph_string(graph, name), UBI__V8_CONSOLE_ENDING);
}

static const char *how_to_record_stacks(const ubi_graph *g) {
    if (embedder_of(g) == BUN)
        return ", and Bun has no way to";
    return embedder_of(g) == NODE_JS
               ? ": node's inspector records it; see tracked.js in docs/how-to/take-a-v8-snapshot.md"
               : ": DevTools do with \"Allocations on timeline\" and stack traces";
}

/* ---- code ----------------------------------------------------------------------------------------------------------- */

static bool edge_is_of_runtime(const ubi_graph *graph, ubi_edge_ix edge) {
    static const char symbol[] = "<symbol node:";
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    return ubi_graph_edge_kind(graph, edge) == UBI_EDGE_PROPERTY && name.len > sizeof symbol - 1 &&
           ubi__text_begins(name, symbol);
}

static bool kind_is_module(const ubi_graph *graph, const ubi_kind *kind) {
    return kind->raw_type == UBI__V8_OBJECT && ubi__text_is(ubi_graph_string(graph, kind->class_name), "Module");
}

static bool node_place(ubi__code_place *out, const ubi_graph *graph, ubi_node_ix node) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(graph);
    const ubi__v8_location *at = facts ? ubi__v8_location_of(facts, node) : NULL;
    if (!at)
        return false;
    bool is_function = ubi_graph_kind(graph, ubi_graph_node_kind(graph, node))->raw_type == UBI__V8_CLOSURE;
    *out = (ubi__code_place){ at->script_id, (uint64_t)at->line + 1, (uint64_t)at->column + 1, is_function };
    return true;
}

static void place_words(char out[UBI__FUNCTION_WORDS], const ubi_graph *graph, ubi_node_ix function) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(graph);
    ubi__fields fields;
    *out = 0;
    if (!facts || ubi_graph_kind(graph, ubi_graph_node_kind(graph, function))->raw_type != UBI__V8_CLOSURE)
        return;
    ubi__fields_init(&fields, graph, ubi_allocator_default());
    ubi__v8_function_place(out, facts, &fields, function);
    ubi__fields_fini(&fields);
}

/* ---- what a file carries --------------------------------------------------------------------------------------------- */

static size_t words_carried(ubi__carried out[UBI__MOST_CARRIED], const ubi_graph *graph) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(graph);
    if (!facts)
        return 0;
    out[0] = (ubi__carried){ "locations", "places in the code", facts->locations.n > 0 };
    out[1] = (ubi__carried){ "allocationCounts", "allocation counts", facts->traces.n > 0 };
    out[2] = (ubi__carried){ "samples", "samples over time", facts->samples.n > 0 };
    out[3] = (ubi__carried){ "scopes", "scopes", facts->scopes.n > 0 };
    out[4] = (ubi__carried){ "detachedness", "detachedness of DOM nodes", facts->has_detachedness };
    out[5] = (ubi__carried){ "nativeBytes", "native memory beside the nodes", facts->has_extra_native_bytes };
    return 6;
}

const ubi__producer ubi__producer_v8 = {
    .name = "v8",
    .made = v8_made,
    .title = node_title,
    .how_to_record_stacks = how_to_record_stacks,
    .lens = &ubi__lens_v8,
    .words = &ubi__v8_producer_words,
    .code = { .function_type = UBI__V8_CLOSURE,
              .function_is_of_runtime = ubi__v8_is_of_runtime,
              .edge_is_of_runtime = edge_is_of_runtime,
              .kind_is_module = kind_is_module,
              .place = node_place,
              .place_words = place_words,
              .files_init = ubi__v8_code_files_init,
              .file_of = ubi__v8_code_file,
              .code_of = ubi__v8_code_of,
              .site = ubi__v8_code_site,
              .scopes_init = ubi__v8_scopes_init,
              .scope_words = ubi__v8_scope_words },
    .strings = &ubi__v8_string_rules,
    .history = &ubi__v8_history,
    .findings = &ubi__v8_findings,
    .grammar = &ubi__v8_grammar,
    .node_is_rope = ubi__v8_is_rope,
    .kind_is_value = kind_is_value,
    .template_of = literal_template_of,
    .fields_without_edges = ubi__v8_fields_without_edges,
    .edge_is_passing = edge_is_of_console,
    .without_size = without_size,
    .carried = words_carried,
};

/* ---- allocations that the file counts ---------------------------------------------------------------------------- */

/*
 * Allocations that V8 counts itself (producer.h): by trace, a frame of the graph each, and over time. Objects get their ids in the order in which they are allocated, or first seen, and a sample says which was the
 * last id at its time.
 */

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
    .hint_for_lost =
        "V8 loses the function that allocated an object when a collection moves it: the object then\n"
        "counts as freed. To keep all, start node with --no-compact, Chrome with --js-flags=--no-compact.\n",
    .sample_count = sample_count,
    .samples = history_samples,
};
