/* SPDX-License-Identifier: MIT
 *
 * v8_save.c: heapsnapshot as a format to save in: the file as a whole, nodes and edges.
 *
 * Numbers come first and strings last, as V8 writes them; so nothing is held but the numbers of strings. There is no white
 * space but a line break between sections, as in today's V8.
 */
#include "formats/v8/v8_saver.h"

#include "base/assert.h"
#include "base/text.h"
#include "formats/save_format.h"

/* ---- the file ----------------------------------------------------------------------------------------------------- */

/*
 * Numbers come first and strings last, as V8 writes them; so nothing is held but the numbers of strings. There is no white
 * space but a line break between sections, as in today's V8.
 */

#define NODES_PER_PROGRESS 4096                            /* power of two */
#define OTHER_EDGES (UBI_EDGE_WEAK - UBI_EDGE_CONTEXT + 1) /* their type in the file */
#define MAX_NODE_FIELDS 7

/* ---- invariants -------------------------------------------------------------------------------------------------- */

static __attribute__((unused)) uint32_t type_count(const ubi__v8_save *s) {
    return (uint32_t)(UBI__V8_WASM_OBJECT - UBI__V8_HIDDEN) + s->has_wasm_objects + (uint32_t)s->extra_types.n;
}

void ubi__v8_save_check(const ubi__v8_save *s) {
    const ubi_graph *g = s->graph;
    UBI_ASSERT(!s->facts || (!s->is_root_moved && !s->has_outer_root));
    UBI_ASSERT(s->stride == 5U + s->has_traces + s->has_detachedness);
    UBI_ASSERT(s->facts || ubi__v8_save_position(s, g->root) == (uint64_t)s->has_outer_root * s->stride);
    UBI_ASSERT(!s->has_script_nodes || s->facts);
    UBI_ASSERT(!s->keeps_entries || (s->facts && !s->options->map_text && ubi__strtab_count(&s->texts) == 0));
    UBI_ASSERT(s->facts || s->functions.n <= g->frames.rows.n);
    if (!UBI_CHECKS)
        return;
    for (size_t i = 0; i < g->kinds.rows.n; i++)
        UBI_ASSERT(s->kinds[i].type < type_count(s));
    for (size_t i = 0; !s->facts && i < g->frames.rows.n; i++)
        UBI_ASSERT(s->frame_function[i] >= 1 && s->frame_function[i] <= s->functions.n);
}

/* Nodes take about a quarter of the time, edges the rest. */
static ubi_status report_progress(const ubi__v8_save *s, ubi_node_ix n, unsigned quarters, uint64_t done) {
    if ((n & (NODES_PER_PROGRESS - 1)) == 0 &&
        !ubi__progress(&s->options->progress, "writing", (done + (uint64_t)n * quarters) / 4, s->graph->n_nodes))
        return ubi__fail_cancelled();
    return UBI_OK;
}

/* ---- header ------------------------------------------------------------------------------------------------------ */

static ubi_status write_types(ubi__v8_save *s) {
    ubi__v8_out *out = &s->out;
    int end = s->has_wasm_objects ? UBI__V8_OTHER : UBI__V8_WASM_OBJECT;
    for (int type = UBI__V8_HIDDEN; type < end; type++) {
        if (type > UBI__V8_HIDDEN)
            UBI_TRY(ubi__v8_out_text(out, ","));
        UBI_TRY(ubi__v8_out_string(out, ubi__text(ubi__v8_type_name((ubi__v8_type)type))));
    }
    for (size_t i = 0; i < s->extra_types.n; i++) {
        ubi_text name;
        UBI_TRY(ubi__v8_save_map(s, &name, UBI_TEXT_TYPE_NAME,
                                 ubi__strtab_get(&s->graph->strings, s->extra_types.at[i].name)));
        UBI_TRY(ubi__v8_out_text(out, ","));
        UBI_TRY(ubi__v8_out_string(out, name));
    }
    return UBI_OK;
}

static ubi_status write_meta(ubi__v8_save *s) {
    ubi__v8_out *out = &s->out;
    UBI_TRY(ubi__v8_out_text(out, "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
                                  "\"edge_count\""));
    UBI_TRY(ubi__v8_out_text(out, s->has_traces ? ",\"trace_node_id\"" : ""));
    UBI_TRY(ubi__v8_out_text(out, s->has_detachedness ? ",\"detachedness\"" : ""));
    UBI_TRY(ubi__v8_out_text(out, "],\"node_types\":[["));
    UBI_TRY(write_types(s));
    UBI_TRY(ubi__v8_out_text(out, "],\"string\",\"number\",\"number\",\"number\""));
    for (uint32_t i = 5; i < s->stride; i++)
        UBI_TRY(ubi__v8_out_text(out, ",\"number\""));
    UBI_TRY(ubi__v8_out_text(
        out, "],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"context\",\"element\","
             "\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\""));
    UBI_TRY(ubi__v8_out_text(out, s->has_other_edges ? ",\"reference\"" : ""));
    UBI_TRY(ubi__v8_out_text(
        out, "],\"string_or_number\",\"node\"],"
             "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\","
             "\"column\"],\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\",\"children\"],"
             "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],\"location_fields\":[\"object_index\","
             "\"script_id\","));
    UBI_TRY(ubi__v8_out_text(out, s->has_script_nodes ? "\"script_object_index\"," : ""));
    UBI_TRY(ubi__v8_out_text(out, "\"line\",\"column\"]"));
    if (!s->facts || !s->facts->scopes.n)
        return UBI_OK;
    return ubi__v8_out_text(out, ",\"scope_fields\":[\"script_node_index\",\"scope_id\",\"depth\","
                                 "\"scope_context_vars_count\",\"scope_uses_count\"],\"scope_context_var_fields\":["
                                 "\"name\"],\"scope_use_fields\":[\"declaring_scope_id\",\"slot_index\"]");
}

static ubi_status write_count(ubi__v8_save *s, const char *key, uint64_t value) {
    UBI_TRY(ubi__v8_out_text(&s->out, key));
    UBI_TRY(ubi__v8_out_reserve(&s->out, UBI__V8_RECORD_BYTES));
    ubi__v8_out_number(&s->out, value);
    return UBI_OK;
}

static ubi_status write_header(ubi__v8_save *s) {
    UBI_TRY(write_meta(s));
    UBI_TRY(write_count(s, "},\"node_count\":", s->graph->n_nodes + (uint64_t)s->has_outer_root));
    UBI_TRY(write_count(s, ",\"edge_count\":", s->graph->n_edges + s->has_outer_root));
    UBI_TRY(write_count(s, ",\"trace_function_count\":", ubi__v8_save_function_count(s)));
    if (s->facts && s->facts->has_extra_native_bytes)
        UBI_TRY(write_count(s, ",\"extra_native_bytes\":", s->facts->extra_native_bytes));
    if (ubi__v8_save_position(s, s->graph->root) && !s->has_outer_root)
        UBI_TRY(write_count(s, ",\"root_index\":", ubi__v8_save_position(s, s->graph->root)));
    return ubi__v8_out_text(&s->out, "}");
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static ubi_status write_node(ubi__v8_save *s, ubi_node_ix n, bool first) {
    const ubi_graph *g = s->graph;
    ubi_kind_ix kind = g->kind.at[n];
    ubi_str_ix own_name = ubi__graph_node_name(g, n);
    uint32_t name;
    uint64_t fields[MAX_NODE_FIELDS];
    size_t n_fields = 5;
    /* DevTools knows a root by its type, and distinguishes user roots from the engine's by theirs. */
    bool foreign_root = n == g->root && !ubi__v8_save_raw_type(s, &g->kinds.rows.at[kind]);
    bool nameless = foreign_root && !s->has_outer_root;
    if (own_name == UBI_NONE && !nameless)
        UBI_TRY(ubi__v8_save_kind_name(s, &name, kind));
    else
        UBI_TRY(ubi__v8_save_string(s, &name, s->kinds[kind].role, own_name));
    fields[0] = foreign_root ? UBI__V8_SYNTHETIC - UBI__V8_HIDDEN : s->kinds[kind].type;
    fields[1] = name;
    fields[2] = g->id.at[n];
    fields[3] = g->size_bytes.at[n];
    fields[4] = g->first_edge.at[n + 1] - g->first_edge.at[n];
    if (s->has_traces)
        fields[n_fields++] = ubi__v8_save_trace_id(s, ubi__graph_youngest(g, n));
    if (s->has_detachedness)
        fields[n_fields++] = g->kinds.rows.at[kind].detachedness;
    UBI_ASSERT(n_fields == s->stride);
    return ubi__v8_save_record(s, first, fields, n_fields);
}

/* The least id that no node has. */
static uint64_t free_id(const ubi_graph *g) {
    ubi_node_ix ignored;
    uint64_t id = 1;
    while (ubi_graph_find(&ignored, g, id) == UBI_OK)
        id++;
    return id;
}

static ubi_status write_outer_root(ubi__v8_save *s) {
    uint32_t name;
    UBI_TRY(ubi__v8_save_own_string(s, &name, (ubi_text){ "", 0 }));
    uint64_t fields[MAX_NODE_FIELDS] = { UBI__V8_SYNTHETIC - UBI__V8_HIDDEN, name, free_id(s->graph), 0, 1, 0, 0 };
    return ubi__v8_save_record(s, true, fields, s->stride);
}

static ubi_status write_nodes(ubi__v8_save *s) {
    const ubi_graph *g = s->graph;
    UBI_TRY(ubi__v8_save_section(s, "nodes"));
    if (s->has_outer_root)
        UBI_TRY(write_outer_root(s));
    if (s->is_root_moved)
        UBI_TRY(write_node(s, g->root, !s->has_outer_root));
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        UBI_TRY(report_progress(s, n, 1, 0));
        if (!s->is_root_moved || n != g->root)
            UBI_TRY(write_node(s, n, n == 0 && !s->is_root_moved && !s->has_outer_root));
    }
    return ubi__v8_out_text(&s->out, "]");
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

static ubi_status write_node_edges(ubi__v8_save *s, ubi_node_ix n, bool *first) {
    const ubi_graph *g = s->graph;
    ubi_edge_ix start = g->first_edge.at[n], end = g->first_edge.at[n + 1];
    for (ubi_edge_ix e = start; e < end; e++) {
        ubi__v8_save_edge edge;
        UBI_TRY(ubi__v8_save_label(s, &edge, e, e - start));
        uint64_t kind = edge.kind == UBI_EDGE_REFERENCE ? OTHER_EDGES : (uint64_t)edge.kind - UBI_EDGE_CONTEXT;
        uint64_t fields[3] = { kind, edge.label, ubi__v8_save_position(s, g->target.at[e]) };
        UBI_TRY(ubi__v8_save_record(s, *first, fields, 3));
        *first = false;
    }
    return UBI_OK;
}

static ubi_status write_edges(ubi__v8_save *s) {
    const ubi_graph *g = s->graph;
    bool first = true;
    const uint64_t to_root[3] = { UBI_EDGE_ELEMENT - UBI_EDGE_CONTEXT, 1, s->stride };
    UBI_TRY(ubi__v8_save_section(s, "edges"));
    if (s->has_outer_root) {
        UBI_TRY(ubi__v8_save_record(s, true, to_root, 3));
        first = false;
    }
    if (s->is_root_moved)
        UBI_TRY(write_node_edges(s, g->root, &first));
    for (ubi_node_ix n = 0; n < g->n_nodes; n++) {
        UBI_TRY(report_progress(s, n, 3, g->n_nodes));
        if (!s->is_root_moved || n != g->root)
            UBI_TRY(write_node_edges(s, n, &first));
    }
    return ubi__v8_out_text(&s->out, "]");
}

/* ---- the format -------------------------------------------------------------------------------------------------- */

static bool any_script_node(const ubi__v8_facts *facts) {
    for (size_t i = 0; i < facts->locations.n; i++)
        if (facts->locations.at[i].script != UBI_NONE)
            return true;
    return false;
}

static bool any_reference(const ubi_graph *g) {
    if (g->edge_kind.n == 0)
        return g->n_edges != 0;
    return memchr(g->edge_kind.at, UBI_EDGE_REFERENCE, g->edge_kind.n) != NULL;
}

static bool any_detachedness(const ubi_graph *g) {
    for (size_t i = 0; i < g->kinds.rows.n; i++)
        if (g->kinds.rows.at[i].detachedness)
            return true;
    return false;
}

/* Whether the root leads to itself or to some node twice. Cost: its edges, a bit per node. */
static ubi_status root_repeats(bool *out, const ubi_graph *g, const ubi_allocator *a) {
    size_t n_words = g->n_nodes / 64 + 1;
    uint64_t *seen = ubi__calloc_array(a, n_words, sizeof *seen);
    if (!seen)
        return ubi__fail_nomem();
    seen[g->root >> 6] |= UINT64_C(1) << (g->root & 63);
    *out = false;
    for (ubi_edge_ix e = g->first_edge.at[g->root]; e < g->first_edge.at[g->root + 1] && !*out; e++) {
        ubi_node_ix target = g->target.at[e];
        *out = seen[target >> 6] >> (target & 63) & 1;
        seen[target >> 6] |= UINT64_C(1) << (target & 63);
    }
    ubi__free_array(a, seen, n_words, sizeof *seen);
    return UBI_OK;
}

/* The root of a V8 heap that came through another format is one already. */
static ubi_status choose_root(ubi__v8_save *s) {
    const ubi_graph *g = s->graph;
    const ubi_kind *kind = &g->kinds.rows.at[g->kind.at[g->root]];
    const char *synthetic = ubi__v8_type_name(UBI__V8_SYNTHETIC);
    bool repeats = false;
    if (s->facts)
        return UBI_OK;
    s->is_root_moved = g->root != 0;
    UBI_TRY(root_repeats(&repeats, g, s->allocator));
    s->has_outer_root = repeats || !ubi__text_is(ubi__strtab_get(&g->strings, kind->type_name), synthetic);
    return UBI_OK;
}

static void choose_fields(ubi__v8_save *s) {
    const ubi__v8_facts *facts = s->facts;
    const ubi_graph *g = s->graph;
    s->has_traces = g->stack.n || (facts && facts->has_trace_ids);
    s->has_detachedness = any_detachedness(g) || (facts && facts->has_detachedness);
    s->has_script_nodes = facts && any_script_node(facts);
    s->has_other_edges = facts && any_reference(g);
    s->edge_names = ubi__edge_names_of_references();
    s->stride = 5 + s->has_traces + s->has_detachedness;
}

static ubi_status write_file(ubi__v8_save *s) {
    UBI_TRY(choose_root(s));
    choose_fields(s);
    UBI_TRY(ubi__v8_save_find_kinds(s));
    UBI_TRY(ubi__v8_save_number_strings(s));
    UBI_TRY(ubi__v8_save_find_functions(s));
    ubi__v8_save_check(s);
    UBI_TRY(write_header(s));
    UBI_TRY(write_nodes(s));
    UBI_TRY(write_edges(s));
    UBI_TRY(ubi__v8_save_write_traces(s));
    UBI_TRY(ubi__v8_save_write_facts(s));
    UBI_TRY(ubi__v8_save_write_strings(s));
    UBI_TRY(ubi__v8_out_text(&s->out, "}"));
    return ubi__v8_out_flush(&s->out);
}

static void free_save(ubi__v8_save *s) {
    const ubi_allocator *a = s->allocator;
    ubi__v8_save_free_strings(s);
    ubi__free_array(a, s->kinds, s->graph->kinds.rows.n, sizeof *s->kinds);
    ubi__free_array(a, s->frame_function, s->graph->frames.rows.n, sizeof *s->frame_function);
    ubi__vec_v8_save_type_fini(&s->extra_types, a);
    ubi__vec_u32_fini(&s->functions, a);
    ubi__v8_out_fini(&s->out);
}

static ubi_status save_v8(const ubi__save_subject *what, const ubi_save_options *options, ubi__write_fn write,
                          void *payload, ubi_save_info *info) {
    const ubi_graph *g = what->graph;
    ubi__v8_save s = { .graph = g,
                       .facts = ubi__v8_facts_of(g),
                       .options = options,
                       .allocator = ubi__allocator_or_default(options->allocator) };
    ubi__strtab_init(&s.texts, s.allocator);
    ubi_status status = ubi__v8_out_init(&s.out, write, payload, s.allocator);
    if (status == UBI_OK)
        status = write_file(&s);
    *info = (ubi_save_info){ .stream_bytes = s.out.n_written,
                             .node_count = g->n_nodes + (uint64_t)s.has_outer_root,
                             .edge_count = g->n_edges + s.has_outer_root,
                             .string_count = ubi__v8_save_string_count(&s),
                             .frame_count = ubi_graph_frame_count(g) };
    free_save(&s);
    return status;
}

const ubi__save_format ubi__save_format_heapsnapshot = {
    .about = { "heapsnapshot", ".heapsnapshot", "V8's format: for Chrome's DevTools, Node.js tools and ubiheap" },
    .save = save_v8,
};
