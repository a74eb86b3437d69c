/* SPDX-License-Identifier: MIT
 *
 * fxs_save_graph.c: saving a graph from its columns.
 *
 * The string table of the graph serves as that of the encoder: a handle is the canonical entry, so that equal texts become
 * one. Where that cannot be, because map_text replaces texts or one of them holds a U+0000, texts are interned in the
 * encoder, and the handles of edge names kept by entry. What a kind's four names are is looked up once per kind.
 */
#include <string.h>

#include "formats/fxsnapshot/fxs_save.h"
#include "graph/graph_columns.h"

#define EDGES_AHEAD 8 /* whose target's id is asked for before it is needed */

typedef struct kind_handles {
    ubi_str_ix type_name, class_name, script_filename, descriptive_name;
} kind_handles;

typedef struct graph_save {
    ubi__fxs_save *save;
    const ubi_graph *graph;
    const ubi_str_ix *canonical;
    ubi_str_ix *name_handles; /* by canonical entry, UBI_NONE: not looked up yet; NULL: the entry is the handle */
    kind_handles *kinds;      /* by kind */
    ubi_node_ix node;         /* whose edges are asked for */
} graph_save;

/* ---- handles ------------------------------------------------------------------------------------------------------ */

/* Of a two-byte text that is not an edge name. */
static ubi_status two_byte(graph_save *g, ubi_str_ix *out, ubi_text_role role, ubi_str_ix entry) {
    if (g->name_handles)
        return ubi__fxs_save_text(g->save, out, role, ubi__strtab_get(&g->graph->strings, entry));
    *out = ubi__strtab_canonical(&g->graph->strings, entry);
    return UBI_OK;
}

static ubi_status look_up_kind(graph_save *g, const ubi_kind *kind, kind_handles *out) {
    const ubi__strtab *strings = &g->graph->strings;
    UBI_TRY(two_byte(g, &out->type_name, UBI_TEXT_TYPE_NAME, kind->type_name));
    UBI_TRY(two_byte(g, &out->descriptive_name, UBI_TEXT_DESCRIPTIVE_NAME, kind->descriptive_name));
    UBI_TRY(
        ubi__fxs_save_text(g->save, &out->class_name, UBI_TEXT_CLASS_NAME, ubi__strtab_get(strings, kind->class_name)));
    return ubi__fxs_save_text(g->save, &out->script_filename, UBI_TEXT_SCRIPT_FILENAME,
                              ubi__strtab_get(strings, kind->script_filename));
}

static ubi_status frame_names(void *payload, ubi_stack stack, const ubi_frame *frame, ubi_str_ix *source,
                              ubi_str_ix *function_name) {
    graph_save *g = payload;
    const ubi__frame_row *row = &g->graph->frames.rows.at[stack.ref];
    (void)frame;
    UBI_TRY(two_byte(g, source, UBI_TEXT_FRAME_SOURCE, row->source));
    return two_byte(g, function_name, UBI_TEXT_FRAME_FUNCTION, row->function_name);
}

static ubi_status look_up_name(graph_save *g, ubi_str_ix *out, ubi_str_ix entry) {
    ubi_str_ix *handle = &g->name_handles[entry];
    if (*handle == UBI_NONE)
        UBI_TRY(
            ubi__fxs_save_text_once(g->save, handle, UBI_TEXT_EDGE_NAME, ubi__strtab_get(&g->graph->strings, entry)));
    *out = *handle;
    return UBI_OK;
}

/* ---- nodes and edges ---------------------------------------------------------------------------------------------- */

static ubi_status enumerate(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    graph_save *g = payload;
    const uint64_t *id = g->graph->id.at;
    const ubi_node_ix *target = g->graph->target.at;
    const ubi_str_ix *name = g->graph->name.at;
    ubi_edge_ix end = g->graph->first_edge.at[g->node + 1], last = g->graph->n_edges - 1;
    for (ubi_edge_ix e = g->graph->first_edge.at[g->node]; e < end; e++) {
        __builtin_prefetch(&id[target[e + EDGES_AHEAD < last ? e + EDGES_AHEAD : last]]);
        ubi__fxs_edge edge = { .referent = id[target[e]], .name = UBI_NONE };
        if (name[e] != UBI_NONE) {
            edge.name = g->canonical[name[e]];
            if (g->name_handles)
                UBI_TRY(look_up_name(g, &edge.name, edge.name));
        }
        UBI_TRY(fn(fn_payload, &edge));
    }
    return UBI_OK;
}

static ubi_status write_node(graph_save *g, ubi_node_ix n) {
    const ubi_graph *graph = g->graph;
    const kind_handles *handles = &g->kinds[graph->kind.at[n]];
    ubi__fxs_node node = { .id = graph->id.at[n],
                           .size_bytes = graph->size_bytes.at[n],
                           .coarse_type = graph->kinds.rows.at[graph->kind.at[n]].coarse_type,
                           .type_name = handles->type_name,
                           .descriptive_name = handles->descriptive_name,
                           .class_name = handles->class_name,
                           .script_filename = handles->script_filename };
    ubi_frame_ix frame = ubi__graph_stack(graph, n);
    ubi_stack stack;
    if (frame != UBI_NONE) {
        stack = ubi__graph_stack_view(graph, frame);
        node.stack = &stack;
    }
    if (graph->first_edge.at[n] < graph->first_edge.at[n + 1]) {
        g->node = n;
        node.edges = enumerate;
        node.edges_payload = g;
    }
    return ubi__fxs_save_node(g->save, &node);
}

static ubi_status write_nodes(graph_save *g) {
    const ubi_graph *graph = g->graph;
    UBI_TRY(write_node(g, graph->root));
    for (ubi_node_ix n = 0; n < graph->n_nodes; n++)
        if (n != graph->root)
            UBI_TRY(write_node(g, n));
    return UBI_OK;
}

/* ---- setting up --------------------------------------------------------------------------------------------------- */

static bool holds_nul(const ubi__strtab *strings) {
    return strings->bytes.n && memchr(strings->bytes.at, 0, strings->bytes.n);
}

static ubi_status choose_handles(graph_save *g) {
    const ubi__strtab *strings = &g->graph->strings;
    if (!g->save->options->map_text && !holds_nul(strings))
        return ubi__fxs_encode_borrow_strings(g->save->encoder, strings);
    size_t n = ubi__strtab_count(strings);
    g->name_handles = ubi__alloc_array(g->save->allocator, n, sizeof *g->name_handles);
    if (!g->name_handles)
        return ubi__fail_nomem();
    memset(g->name_handles, 0xff, n * sizeof *g->name_handles);
    return UBI_OK;
}

static ubi_status look_up_kinds(graph_save *g) {
    const ubi__kinds *kinds = &g->graph->kinds;
    g->kinds = ubi__alloc_array(g->save->allocator, kinds->rows.n, sizeof *g->kinds);
    if (!g->kinds)
        return ubi__fail_nomem();
    for (size_t i = 0; i < kinds->rows.n; i++)
        UBI_TRY(look_up_kind(g, &kinds->rows.at[i], &g->kinds[i]));
    return UBI_OK;
}

static ubi_status run(graph_save *g) {
    const ubi_graph *graph = g->graph;
    UBI_TRY(choose_handles(g));
    UBI_TRY(look_up_kinds(g));
    UBI_TRY(ubi__fxs_save_begin(g->save, graph->has_creation_time ? &graph->creation_time_us : NULL));
    return write_nodes(g);
}

ubi_status ubi__fxs_save_graph(ubi__fxs_save *s, const ubi_graph *graph) {
    graph_save g = { .save = s, .graph = graph, .canonical = graph->strings.canonical.at };
    s->n_total = graph->n_nodes;
    ubi__fxs_encode_set_frame_names(s->encoder, frame_names, &g);
    ubi__fxs_encode_limit_stacks(s->encoder, s->options->max_stack_frames);
    ubi_status status = run(&g);
    if (g.name_handles)
        ubi__free_array(s->allocator, g.name_handles, ubi__strtab_count(&graph->strings), sizeof *g.name_handles);
    ubi__free_array(s->allocator, g.kinds, graph->kinds.rows.n, sizeof *g.kinds);
    return status;
}
