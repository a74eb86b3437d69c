/* SPDX-License-Identifier: MIT
 *
 * v8_producer.c: how heaps of V8 speak (producer.h): those of Node.js, Chrome, and other embedders.
 */
#include "lenses/v8/v8_producer.h"

#include <string.h>

#include "base/text.h"
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
              .site = ubi__v8_code_site },
    .strings = &ubi__v8_string_rules,
    .history = &ubi__v8_history,
    .findings = &ubi__v8_findings,
    .grammar = &ubi__v8_grammar,
    .node_is_rope = ubi__v8_is_rope,
    .carried = words_carried,
};
