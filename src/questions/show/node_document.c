/* SPDX-License-Identifier: MIT
 *
 * node_document.c: everything about one node, as JSON.
 */
#include "graph/graph_columns.h"
#include "lenses/producer.h"
#include "questions/node_rows.h"
#include "questions/show/node_card.h"
#include "render/heap_labels.h"
#include "render/path_words.h"
#include "render/result_json.h"

static void put_id(ubi__json *j, const char *key, const ubi_graph *g, ubi_node_ix node) {
    ubi__json_member_node_id(j, key, ubi_graph_node_id(g, node));
}

/* A number, or null for UBI_NONE. */
static void put_distance(ubi__json *j, uint32_t distance) {
    ubi__json_member_u64_or_null(j, "distance", distance != UBI_NONE, distance);
}

static void put_names(ubi__json *j, const ubi__node_facts *f, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(f->graph, ubi_graph_node_kind(f->graph, node));
    ubi_look_name_buffer buffer;
    ubi__json_member_string(j, "coarseType", ubi_coarse_type_name(kind->coarse_type));
    ubi__json_member_text(j, "displayName", ubi_look_display_name(f->look, node, &buffer));
    ubi__node_title_put(j, f->look, node);
}

/* Where a function is defined, or an object's constructor. Lines and columns count from 1. */
static void put_location(ubi__json *j, const ubi__node_facts *f) {
    ubi__code_place at;
    if (!ubi__code_place_of(&at, f->graph, f->node))
        return;
    ubi__json_member_object(j, "location");
    ubi__json_member_u64(j, "scriptId", at.script_id);
    ubi__json_member_u64(j, "line", at.line);
    ubi__json_member_u64(j, "column", at.column);
    ubi__json_object_end(j);
}

static void put_further_facts(ubi__json *j, const ubi__node_facts *f) {
    ubi__further_fact further[UBI__MOST_FURTHER_FACTS];
    ubi_look_name_buffer buffer;
    size_t n = ubi__further_facts_of(further, f->graph, f->node, &buffer);
    if (n == 0)
        return;
    ubi__json_member_object(j, "further");
    for (size_t i = 0; i < n; i++)
        ubi__json_member_text(j, further[i].key, further[i].text);
    ubi__json_object_end(j);
}

static void put_kind(ubi__json *j, const ubi__node_facts *f) {
    const ubi_graph *g = f->graph;
    bool names_nodes = ubi_look_lens(f->look)->has_node_names;
    put_id(j, "nodeId", g, f->node);
    ubi__json_member_u64(j, "ordinal", f->node);
    put_names(j, f, f->node);
    ubi__json_member_text(j, "typeName", ubi_graph_string(g, f->kind->type_name));
    ubi__json_member_text(
        j, "className", names_nodes ? ubi_look_node_name(f->look, f->node) : ubi_graph_string(g, f->kind->class_name));
    ubi__json_member_text(j, "descriptiveTypeName", ubi_graph_string(g, f->kind->descriptive_name));
    ubi__json_member_text(j, "scriptFilename", ubi_graph_string(g, f->kind->script_filename));
    put_location(j, f);
    if (names_nodes)
        ubi__json_member_u64(j, "detachedness", ubi_look_detachedness(f->look, f->node));
    put_further_facts(j, f);
}

static void put_sizes(ubi__json *j, const ubi__node_facts *f) {
    ubi__json_member_u64(j, "shallowSize", ubi_look_size_bytes(f->look, f->node));
    ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(f->dominators, f->node));
    ubi__json_member_u64(j, "retainedCount", f->n_retained);
    ubi__json_member_u64(j, "dominatedCount", f->n_dominated);
    put_distance(j, f->distances[f->node]);
}

static void put_dominator(ubi__json *j, const ubi__node_facts *f) {
    ubi_node_ix dominator = ubi_dominators_immediate(f->dominators, f->node);
    ubi__json_key(j, "dominator");
    if (dominator == UBI_NONE) {
        ubi__json_null(j);
        return;
    }
    ubi__json_object_begin(j);
    put_id(j, "nodeId", f->graph, dominator);
    put_names(j, f, dominator);
    ubi__json_object_end(j);
}

static void put_edge_label(ubi__json *j, const ubi_graph *g, ubi_edge_ix edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_member_text(j, "edge", ubi_graph_edge_label(g, edge, digits));
    ubi__render_edge_kind(j, g, edge);
}

static void put_edge(ubi__json *j, const ubi__node_facts *f, ubi_edge_ix edge, ubi_node_ix other, bool outgoing) {
    const ubi_graph *g = f->graph;
    ubi__json_object_begin(j);
    put_edge_label(j, g, edge);
    put_id(j, "nodeId", g, other);
    put_names(j, f, other);
    if (outgoing) {
        ubi__json_member_u64(j, "shallowSize", ubi_look_size_bytes(f->look, other));
        ubi__json_member_u64(j, "retainedSize", ubi_dominators_retained_bytes(f->dominators, other));
    } else {
        put_distance(j, f->distances[other]);
    }
    ubi__json_object_end(j);
}

static void put_edges(ubi__json *j, const ubi__node_facts *f, uint64_t limit, bool outgoing) {
    const ubi__ranked_edges *edges = outgoing ? &f->edges : &f->retainers;
    ubi__json_member_u64(j, outgoing ? "edgeCount" : "retainerCount", edges->n);
    ubi__json_member_array(j, outgoing ? "edges" : "retainers");
    for (size_t i = 0; i < edges->n && (limit == 0 || i < limit) && !j->has_failed; i++) {
        ubi_edge_ix e = edges->at[i].edge;
        put_edge(j, f, e, outgoing ? ubi_graph_edge_target(f->graph, e) : ubi_graph_edge_source(f->graph, e), outgoing);
    }
    ubi__json_array_end(j);
}

static void put_stack(ubi__json *j, const ubi__node_facts *f) {
    ubi_frame_ix frame = ubi_graph_node_stack(f->graph, f->node);
    ubi__json_key(j, "allocationStack");
    if (frame == UBI_NONE)
        ubi__json_null(j);
    else
        ubi__render_stack(j, ubi__graph_stack_view(f->graph, frame));
}

static void put_path(ubi__json *j, const ubi__node_facts *f) {
    const ubi_graph *g = f->graph;
    ubi__json_key(j, "path");
    if (f->path.n == 0 && !ubi__node_is_reachable(f)) {
        ubi__json_null(j);
        return;
    }
    ubi__json_array_begin(j);
    for (size_t i = 0; i < f->path.n && !j->has_failed; i++) {
        ubi__json_object_begin(j);
        put_id(j, "predecessor", g, f->path.at[i].predecessor);
        put_edge_label(j, g, f->path.at[i].edge);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

/* The same in words. */
static void put_path_text(ubi__json *j, const ubi__node_facts *f) {
    char words[UBI__PATH_LINE_BYTES];
    const ubi__path_view view = { f->graph, f->path.at, (uint32_t)f->path.n, f->node, f->look };
    ubi__path_line(words, &view, UBI__PATH_LINE_COLUMNS);
    if (*words)
        ubi__json_member_string(j, "pathText", words);
}

ubi_status ubi__node_document(ubi__json *j, const ubi__node_facts *facts, const ubi_census *description,
                              uint64_t limit) {
    put_kind(j, facts);
    put_sizes(j, facts);
    put_dominator(j, facts);
    put_path_text(j, facts);
    put_path(j, facts);
    put_stack(j, facts);
    put_edges(j, facts, limit, true);
    put_edges(j, facts, limit, false);
    if (description) {
        ubi__json_key(j, "report");
        UBI_TRY(ubi__render_report(j, ubi_census_report(description)));
    }
    return UBI_OK;
}
