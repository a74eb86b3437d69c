/* SPDX-License-Identifier: MIT
 *
 * fxs_save_graph.c: a graph from its columns, and the format as save.c sees it (fxs_save.h).
 */
#include "formats/fxsnapshot/fxs_save.h"

#include <stdio.h>
#include <string.h>

#include "formats/fxsnapshot/fxs_encoder.h"
#include "formats/save_format.h"
#include "formats/text_roles.h"
#include "graph/adopt.h"

/*
 * The string table of the graph serves as that of the encoder: a handle is the canonical entry, so that equal texts become
 * one. Where it cannot be, because map_text replaces texts or one of them holds a U+0000, texts are interned in the
 * encoder, and the handles of edge names kept by entry. The same goes for a graph whose edges have numbers, which
 * become text, or one seen through a view. A kind's four names are looked up once per kind.
 */

#define EDGES_AHEAD 8       /* whose target's id is asked for before it is needed */
#define KEPT_NUMBERS 65536U /* numbers of edges below this have their handles kept */
#define ORPHAN_EDGE "(orphan)"

typedef struct kind_handles {
    ubi_str_ix type_name, class_name, script_filename, descriptive_name;
} kind_handles;

typedef struct graph_save {
    ubi__fxs_save *save;
    const ubi_graph *graph;
    const ubi_str_ix *canonical;
    ubi_str_ix *name_handles;   /* by canonical entry, UBI_NONE: not looked up yet; NULL: the entry is the handle */
    ubi_str_ix *field_handles;  /* the same for fields of an engine; NULL: no edge has a kind */
    ubi_str_ix *number_handles; /* [KEPT_NUMBERS], the same for numbers */
    kind_handles *kinds;        /* by kind */
    ubi_node_ix node;           /* whose edges are asked for */
    const ubi_view *view;       /* NULL: all of the graph */
    ubi_node_ix root;
    ubi__vec_u32 adopted; /* nodes below the root without an edge of the graph */
    ubi_str_ix orphan_name;
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
    /* In another producer's words, a function without a name is one with an empty name; Firefox would take it for none. */
    bool nameless = g->view && ubi__strtab_get(&g->graph->strings, row->function_name).len == 0;
    return two_byte(g, function_name, UBI_TEXT_FRAME_FUNCTION, nameless ? UBI_NONE : row->function_name);
}

static ubi_status look_up_name(graph_save *g, ubi_str_ix *out, ubi_str_ix *handle, ubi_text_role role,
                               ubi_str_ix entry) {
    if (*handle == UBI_NONE)
        UBI_TRY(ubi__fxs_save_text_once(g->save, handle, role, ubi__strtab_get(&g->graph->strings, entry)));
    *out = *handle;
    return UBI_OK;
}

/* A text of ours, which map_text does not see. */
static ubi_status own_text(graph_save *g, ubi_str_ix *out, const char *text, size_t n) {
    return ubi__fxs_encode_string(g->save->encoder, out, (ubi_text){ text, n });
}

static ubi_status look_up_number(graph_save *g, ubi_str_ix *out, uint32_t number) {
    char digits[UBI_EDGE_LABEL_BYTES];
    bool kept = number < KEPT_NUMBERS;
    if (kept && g->number_handles[number] != UBI_NONE) {
        *out = g->number_handles[number];
        return UBI_OK;
    }
    UBI_TRY(own_text(g, out, digits, (size_t)snprintf(digits, sizeof digits, "%u", number)));
    if (kept)
        g->number_handles[number] = *out;
    return UBI_OK;
}

/* ---- nodes and edges ---------------------------------------------------------------------------------------------- */

/* The handle of an edge of a graph whose edges have kinds, or whose texts are replaced. */
static ubi_status edge_handle(graph_save *g, ubi_str_ix *out, ubi_edge_ix e) {
    ubi_edge_kind kind = ubi__graph_edge_kind(g->graph, e);
    ubi_str_ix name = g->graph->name.at[e];
    if (ubi__edge_kind_is_numbered(kind))
        return look_up_number(g, out, name);
    *out = UBI_NONE;
    if (name == UBI_NONE)
        return UBI_OK;
    ubi_text_role role = ubi__edge_name_role(kind);
    ubi_str_ix canonical = g->canonical[name];
    ubi_str_ix *handles = role == UBI_TEXT_FIELD_NAME ? g->field_handles : g->name_handles;
    return look_up_name(g, out, &handles[canonical], role, canonical);
}

/* Edges as they are, entries serving as handles: nothing is looked up. */
static ubi_status enumerate_plain(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    graph_save *g = payload;
    const uint64_t *id = g->graph->id.at;
    const ubi_node_ix *target = g->graph->target.at;
    const ubi_str_ix *name = g->graph->name.at;
    ubi_edge_ix end = g->graph->first_edge.at[g->node + 1], last = g->graph->n_edges - 1;
    for (ubi_edge_ix e = g->graph->first_edge.at[g->node]; e < end; e++) {
        __builtin_prefetch(&id[target[e + EDGES_AHEAD < last ? e + EDGES_AHEAD : last]]);
        ubi__fxs_edge edge = { .referent = id[target[e]], .name = UBI_NONE };
        if (name[e] != UBI_NONE)
            edge.name = g->canonical[name[e]];
        UBI_TRY(fn(fn_payload, &edge));
    }
    return UBI_OK;
}

static ubi_status enumerate_adopted(graph_save *g, ubi__fxs_edge_fn fn, void *fn_payload) {
    for (size_t i = 0; i < g->adopted.n; i++) {
        ubi__fxs_edge edge = { .referent = g->graph->id.at[g->adopted.at[i]], .name = g->orphan_name };
        UBI_TRY(fn(fn_payload, &edge));
    }
    return UBI_OK;
}

static ubi_status enumerate_edges(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    graph_save *g = payload;
    const ubi_edge_set *set = g->view ? g->view->edges : NULL;
    ubi_edge_ix end = g->graph->first_edge.at[g->node + 1];
    for (ubi_edge_ix e = g->graph->first_edge.at[g->node]; e < end; e++) {
        ubi__fxs_edge edge = { .referent = g->graph->id.at[g->graph->target.at[e]] };
        if (!ubi__edge_set_has(set, e))
            continue;
        UBI_TRY(edge_handle(g, &edge.name, e));
        UBI_TRY(fn(fn_payload, &edge));
    }
    return g->node == g->root ? enumerate_adopted(g, fn, fn_payload) : UBI_OK;
}

/* Words of a node, in place of those of its kind. */
static ubi_status look_up_words(graph_save *g, ubi__fxs_node *node, ubi_node_ix n) {
    const ubi_save_options *o = g->save->options;
    ubi_node_words words = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    UBI_TRY(o->words_of_node(o->words_of_node_payload, n, &words));
    if (words.class_name.ptr)
        UBI_TRY(ubi__fxs_save_text(g->save, &node->class_name, UBI_TEXT_CLASS_NAME, words.class_name));
    if (words.script_filename.ptr)
        UBI_TRY(ubi__fxs_save_text(g->save, &node->script_filename, UBI_TEXT_SCRIPT_FILENAME, words.script_filename));
    if (words.descriptive_name.ptr)
        UBI_TRY(
            ubi__fxs_save_text(g->save, &node->descriptive_name, UBI_TEXT_DESCRIPTIVE_NAME, words.descriptive_name));
    return UBI_OK;
}

/* V8's files name nodes by their place and may use an id twice; here it is what edges refer to. */
static ubi_status check_id(const graph_save *g, ubi_node_ix n) {
    uint64_t id = g->graph->id.at[n];
    if (!g->field_handles || ubi__id_index_find(&g->graph->ids, g->graph->id.at, id) == n)
        return UBI_OK;
    return ubi__fail(UBI_EINVAL, "node id %llu is used twice, which fxsnapshot does not allow", (unsigned long long)id);
}

static ubi_status write_node(graph_save *g, ubi_node_ix n) {
    const ubi_graph *graph = g->graph;
    UBI_TRY(check_id(g, n));
    const kind_handles *handles = &g->kinds[graph->kind.at[n]];
    ubi__fxs_node node = { .id = graph->id.at[n],
                           .size_bytes =
                               g->view && g->view->size_bytes ? g->view->size_bytes[n] : graph->size_bytes.at[n],
                           .coarse_type = graph->kinds.rows.at[graph->kind.at[n]].coarse_type,
                           .type_name = handles->type_name,
                           .descriptive_name = handles->descriptive_name,
                           .class_name = handles->class_name,
                           .script_filename = handles->script_filename };
    ubi_frame_ix frame = ubi__graph_stack(graph, n);
    ubi_stack stack;
    node.has_empty_stack = frame == UBI__STACK_EMPTY;
    if (frame != UBI_NONE && frame != UBI__STACK_EMPTY) {
        stack = ubi__graph_stack_view(graph, frame);
        node.stack = &stack;
    }
    if (g->save->options->words_of_node)
        UBI_TRY(look_up_words(g, &node, n));
    if (graph->first_edge.at[n] < graph->first_edge.at[n + 1] || (n == g->root && g->adopted.n)) {
        g->node = n;
        node.edges = g->name_handles ? enumerate_edges : enumerate_plain;
        node.edges_payload = g;
    }
    return ubi__fxs_save_node(g->save, &node);
}

static ubi_status write_nodes(graph_save *g) {
    const ubi_graph *graph = g->graph;
    UBI_TRY(write_node(g, g->root));
    for (ubi_node_ix n = 0; n < graph->n_nodes; n++)
        if (n != g->root)
            UBI_TRY(write_node(g, n));
    return UBI_OK;
}

/* ---- setting up --------------------------------------------------------------------------------------------------- */

static bool holds_nul(const ubi__strtab *strings) {
    return strings->bytes.n && memchr(strings->bytes.at, 0, strings->bytes.n);
}

static ubi_status new_handles(graph_save *g, ubi_str_ix **out, size_t n) {
    *out = ubi__alloc_array(g->save->allocator, n, sizeof **out);
    if (!*out)
        return ubi__fail_nomem();
    memset(*out, 0xff, n * sizeof **out);
    return UBI_OK;
}

static ubi_status choose_handles(graph_save *g) {
    const ubi__strtab *strings = &g->graph->strings;
    const ubi_save_options *o = g->save->options;
    bool has_kinds = g->graph->edge_kind.n != 0;
    if (!o->map_text && !o->words_of_node && !g->view && !has_kinds && !holds_nul(strings))
        return ubi__fxs_encode_borrow_strings(g->save->encoder, strings);
    UBI_TRY(new_handles(g, &g->name_handles, ubi__strtab_count(strings)));
    if (!has_kinds)
        return UBI_OK;
    UBI_TRY(new_handles(g, &g->field_handles, ubi__strtab_count(strings)));
    return new_handles(g, &g->number_handles, KEPT_NUMBERS);
}

static ubi_status find_adopted(graph_save *g) {
    if (!g->view || g->view->orphans != UBI_ORPHANS_ADOPT)
        return UBI_OK;
    UBI_TRY(own_text(g, &g->orphan_name, ORPHAN_EDGE, sizeof ORPHAN_EDGE - 1));
    return ubi__view_adopted(&g->adopted, g->view, g->save->allocator);
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

static ubi_status save_all(graph_save *g) {
    const ubi_graph *graph = g->graph;
    UBI_TRY(choose_handles(g));
    UBI_TRY(look_up_kinds(g));
    UBI_TRY(find_adopted(g));
    UBI_TRY(ubi__fxs_save_begin(g->save, graph->has_creation_time ? &graph->creation_time_us : NULL));
    return write_nodes(g);
}

static void free_handles(const graph_save *g) {
    const ubi_allocator *a = g->save->allocator;
    size_t n = ubi__strtab_count(&g->graph->strings);
    ubi__free_array(a, g->name_handles, n, sizeof *g->name_handles);
    ubi__free_array(a, g->field_handles, n, sizeof *g->field_handles);
    ubi__free_array(a, g->number_handles, KEPT_NUMBERS, sizeof *g->number_handles);
    ubi__free_array(a, g->kinds, g->graph->kinds.rows.n, sizeof *g->kinds);
}

static ubi_status save_graph(ubi__fxs_save *s, const ubi_graph *graph) {
    const ubi_view *view = s->options->view;
    graph_save g = { .save = s, .graph = graph, .canonical = graph->strings.canonical.at, .view = view };
    g.root = view ? view->root : graph->root;
    s->n_total = graph->n_nodes;
    ubi__fxs_encode_set_frame_names(s->encoder, frame_names, &g);
    ubi__fxs_encode_limit_stacks(s->encoder, s->options->max_stack_frames);
    ubi_status status = save_all(&g);
    free_handles(&g);
    ubi__vec_u32_fini(&g.adopted, s->allocator);
    return status;
}

/* ---- the format ---------------------------------------------------------------------------------------------------- */

static void save_info_fill(ubi_save_info *info, const ubi__fxs_encoder *encoder) {
    ubi__fxs_totals totals = ubi__fxs_encode_totals(encoder);
    *info = (ubi_save_info){ .stream_bytes = totals.stream_bytes,
                             .node_count = totals.nodes,
                             .edge_count = totals.edges,
                             .string_count = totals.strings,
                             .frame_count = totals.frames,
                             .cut_stacks = totals.cut_stacks };
}

static ubi_status save_fxsnapshot(const ubi__save_subject *what, const ubi_save_options *options, ubi__write_fn write,
                                  void *payload, ubi_save_info *info) {
    ubi__fxs_save s;
    ubi__fxs_save_init(&s, options);
    ubi_status status = ubi__fxs_encode_new(&s.encoder, write, payload, s.allocator);
    if (status == UBI_OK)
        status = what->graph ? save_graph(&s, what->graph) : ubi__fxs_save_walk(&s, what->root);
    if (status == UBI_OK)
        status = ubi__fxs_encode_end(s.encoder);
    if (status == UBI_OK)
        save_info_fill(info, s.encoder);
    ubi__fxs_save_fini(&s);
    return status;
}

const ubi__save_format ubi__save_format_fxsnapshot = {
    .about = { "fxsnapshot", ".fxsnapshot", "Firefox's format: everything, for Firefox and for ubiheap" },
    .can_save_walks = true,
    .can_save_views = true,
    .save = save_fxsnapshot,
};
