/* SPDX-License-Identifier: MIT
 *
 * v8_code_files.c: which file a piece of V8's code is from.
 *
 * Functions and objects have places in the file's table of locations; what is compiled for them has none. A function's shared
 * info names its script, and what only code of one script leads to belongs to that script.
 * Owners spread as those of sizes do: a node has none at first, then one, then too many; so each is looked at twice at most.
 */
#include "base/assert.h"
#include "lenses/v8/v8_producer.h"

#include <string.h>

#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "graph/graph_columns.h"

#define MANY (UBI_NONE - 1) /* while owners spread: code of more than one script */

typedef struct spread {
    const ubi_graph *graph;
    const ubi_allocator *allocator;
    ubi_node_ix *script;
    uint64_t *fixed; /* a bit per node that names its script itself */
    ubi__vec_u32 waiting;
} spread;

static bool is_code(const ubi_graph *g, ubi_node_ix n) {
    return g->kinds.rows.at[g->kind.at[n]].raw_type == UBI__V8_CODE;
}

static ubi_text name_of(const ubi_graph *g, ubi_node_ix n) {
    return ubi__strtab_get(&g->strings, ubi__graph_node_name(g, n));
}

/* V8's own code, which functions of all scripts share. */
static bool is_builtin(ubi_text name) {
    static const char *const ends[] = { " builtin handle)", "(builtin)" };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ubi__text_ends(name, ends[i]))
            return true;
    return false;
}

static bool is_script_edge(const ubi_graph *g, ubi_edge_ix e) {
    if (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL || g->name.at[e] == UBI_NONE)
        return false;
    ubi_text name = ubi__strtab_get(&g->strings, g->name.at[e]);
    return ubi__text_is(name, "script") || ubi__text_is(name, "script_or_debug_info");
}

static ubi_status script_give(spread *s, ubi_node_ix n, ubi_node_ix script) {
    s->script[n] = script;
    return ubi__vec_u32_push(&s->waiting, s->allocator, n);
}

static ubi_status script_fix(spread *s, ubi_node_ix n, ubi_node_ix script) {
    if (s->fixed[n >> 6] >> (n & 63) & 1)
        return UBI_OK;
    s->fixed[n >> 6] |= UINT64_C(1) << (n & 63);
    return script_give(s, n, script);
}

/* Nodes that name their script, and the scripts. */
static ubi_status find_scripts(spread *s) {
    const ubi_graph *g = s->graph;
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        if (!is_code(g, n))
            continue;
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++)
            if (is_script_edge(g, e) && is_code(g, g->target.at[e])) {
                UBI_TRY(script_fix(s, g->target.at[e], g->target.at[e]));
                UBI_TRY(script_fix(s, n, g->target.at[e]));
            }
    }
    return UBI_OK;
}

static ubi_status script_reach(spread *s, ubi_node_ix n, ubi_node_ix script) {
    ubi_node_ix old = s->script[n];
    bool fixed = s->fixed[n >> 6] >> (n & 63) & 1;
    if (fixed || old == script || old == MANY || !is_code(s->graph, n) || is_builtin(name_of(s->graph, n)))
        return UBI_OK;
    return script_give(s, n, old == UBI_NONE ? script : MANY);
}

static ubi_status spread_scripts(spread *s) {
    const ubi_graph *g = s->graph;
    UBI_TRY(find_scripts(s));
    while (s->waiting.n) {
        ubi_node_ix n = s->waiting.at[--s->waiting.n], script = s->script[n];
        for (ubi_edge_ix e = g->first_edge.at[n]; e < g->first_edge.at[n + 1]; e++)
            if (ubi__graph_edge_kind(g, e) != UBI_EDGE_WEAK)
                UBI_TRY(script_reach(s, g->target.at[e], script));
    }
    for (ubi_node_ix n = 0; n < g->n_nodes; n++)
        if (s->script[n] == MANY)
            s->script[n] = UBI_NONE;
        else
            UBI_ASSERT(s->script[n] == UBI_NONE || s->script[s->script[n]] == s->script[n]);
    return UBI_OK;
}

ubi_status ubi__v8_code_files_init(ubi__code_files *out, const ubi_graph *graph, const ubi_allocator *a) {
    size_t n_words = graph->n_nodes / 64 + 1;
    *out = (ubi__code_files){ ubi__alloc_array(a, graph->n_nodes, sizeof *out->script), graph->n_nodes };
    spread s = { .graph = graph, .allocator = a, .script = out->script };
    s.fixed = ubi__calloc_array(a, n_words, sizeof *s.fixed);
    ubi_status status = out->script && s.fixed ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        memset(s.script, 0xff, graph->n_nodes * sizeof *s.script);
        status = spread_scripts(&s);
    }
    ubi__free_array(a, s.fixed, n_words, sizeof *s.fixed);
    ubi__vec_u32_fini(&s.waiting, a);
    return status;
}

/* Node calls a script by its file; Chromium writes "system / Script / URL", and nothing after the second word for none. */
ubi_text ubi__v8_code_file(const ubi__code_files *files, const ubi_graph *graph, ubi_node_ix node) {
    static const char bare[] = "system / Script", before[] = "system / Script / ";
    const size_t n = sizeof before - 1;
    ubi_text none = { NULL, 0 };
    if (files->script[node] == UBI_NONE)
        return none;
    ubi_text name = name_of(graph, files->script[node]);
    if (name.len >= n && memcmp(name.ptr, before, n) == 0)
        name = (ubi_text){ name.ptr + n, name.len - n };
    return name.len && !ubi__text_is(name, bare) ? name : none;
}
