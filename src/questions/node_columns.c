/* SPDX-License-Identifier: MIT
 *
 * node_columns.c: the table of columns. A new column is one row and, if it is not there yet, one small function.
 */
#include "questions/node_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "base/status.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/lens.h"
#include "render/heap_labels.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static int get_id(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->graph->id.at[node];
    return UBI_QUERY_PRESENT;
}

static int get_ordinal(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    (void)t;
    *out = node;
    return UBI_QUERY_PRESENT;
}

static int get_raw_size(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->graph->size_bytes.at[node];
    return UBI_QUERY_PRESENT;
}

static int get_self_size(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->look ? ubi_look_size_bytes(t->look, node) : t->graph->size_bytes.at[node];
    return UBI_QUERY_PRESENT;
}

static int get_edge_count(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->graph->first_edge.at[node + 1] - t->graph->first_edge.at[node];
    return UBI_QUERY_PRESENT;
}

/* Tools of some producers give unreachable nodes a negative distance. */
static int get_distance(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->distances[node];
    if (t->distances[node] != UBI_NONE)
        return UBI_QUERY_PRESENT;
    *out = t->look ? ubi_look_lens(t->look)->unreachable_distance : 0;
    return *out ? UBI_QUERY_NEGATIVE : UBI_QUERY_MISSING;
}

static int get_retainer_count(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->retainers[node];
    return UBI_QUERY_PRESENT;
}

/* Nodes that cannot be reached keep nothing alive: 0. */
static int get_retained_size(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = ubi_dominators_retained_bytes(t->dominators, node);
    return UBI_QUERY_PRESENT;
}

static int get_dominator(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    ubi_node_ix dominator = ubi_dominators_immediate(t->dominators, node);
    if (dominator == UBI_NONE)
        return UBI_QUERY_MISSING;
    *out = t->graph->id.at[dominator];
    return UBI_QUERY_PRESENT;
}

static int get_dominator_ordinal(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    ubi_node_ix dominator = ubi_dominators_immediate(t->dominators, node);
    bool is_root = node == ubi_dominators_root(t->dominators);
    *out = is_root ? 0 : dominator;
    return is_root || dominator != UBI_NONE ? UBI_QUERY_PRESENT : UBI_QUERY_MISSING;
}

static int get_detachedness(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->look ? (uint64_t)ubi_look_detachedness(t->look, node) : UBI_DETACHEDNESS_UNKNOWN;
    return UBI_QUERY_PRESENT;
}

/* ---- what numbers need ------------------------------------------------------------------------------------------ */

const ubi_allocator *ubi__node_table_memory(const ubi__node_table *table) {
    return table->memory ? table->memory : ubi_allocator_default();
}

static ubi_status column_allocate(uint32_t **out, const ubi__node_table *t) {
    *out = ubi__alloc_array(ubi__node_table_memory(t), t->graph->n_nodes, sizeof **out);
    return *out ? UBI_OK : ubi__fail_nomem();
}

static ubi_status prepare_distances(ubi__node_table *t) {
    if (t->distances)
        return UBI_OK;
    if (t->heap)
        return ubi_session_distances(&t->distances, t->heap);
    UBI_TRY(column_allocate(&t->own_distances, t));
    t->distances = t->own_distances;
    if (t->look)
        return ubi_look_distances(t->own_distances, t->look);
    return ubi_graph_distances(t->own_distances, t->graph, NULL, t->graph->root);
}

static ubi_status prepare_retainers(ubi__node_table *t) {
    if (t->retainers)
        return UBI_OK;
    UBI_TRY(column_allocate(&t->retainers, t));
    ubi_graph_retainer_counts(t->retainers, t->graph);
    return UBI_OK;
}

static ubi_status prepare_dominators(ubi__node_table *t) {
    if (t->dominators)
        return UBI_OK;
    if (t->heap)
        return ubi_session_dominators(&t->dominators, t->heap, false);
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_view view = t->view ? *t->view : ubi_view_of(t->graph);
    options.progress = t->progress;
    options.has_no_sets = true;
    options.threads = 1;
    UBI_TRY(ubi_dominators_new(&t->own_dominators, &view, &options));
    t->dominators = t->own_dominators;
    return UBI_OK;
}

void ubi__node_table_fini(ubi__node_table *table) {
    uint32_t n = table->graph->n_nodes;
    ubi__free_array(ubi__node_table_memory(table), table->own_distances, n, sizeof *table->own_distances);
    ubi__free_array(ubi__node_table_memory(table), table->retainers, n, sizeof *table->retainers);
    ubi_dominators_free(table->own_dominators);
    table->distances = NULL;
    table->retainers = table->own_distances = NULL;
    table->dominators = table->own_dominators = NULL;
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static ubi_text get_type_name(const ubi_graph *g, const ubi_kind *kind) {
    return ubi_graph_string(g, kind->type_name);
}

static ubi_text get_coarse_type(const ubi_graph *g, const ubi_kind *kind) {
    (void)g;
    return ubi__text(ubi_coarse_type_name(kind->coarse_type));
}

static ubi_text get_class_name(const ubi_graph *g, const ubi_kind *kind) {
    return ubi_graph_string(g, kind->class_name);
}

static ubi_text get_script_filename(const ubi_graph *g, const ubi_kind *kind) {
    return ubi_graph_string(g, kind->script_filename);
}

static ubi_text get_descriptive_name(const ubi_graph *g, const ubi_kind *kind) {
    return ubi_graph_string(g, kind->descriptive_name);
}

/* ---- texts of single nodes, where the lens has them -------------------------------------------------------------- */

static ubi_text class_of_node(const ubi__node_table *t, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    (void)buffer;
    return ubi_look_node_name(t->look, node);
}

static ubi_text name_of_node(const ubi__node_table *t, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    (void)buffer;
    return ubi_look_lens(t->look)->raw_name(t->look, node);
}

static ubi_text display_name_of_node(const ubi__node_table *t, ubi_node_ix node, ubi_look_name_buffer *buffer) {
    return ubi_look_display_name(t->look, node, buffer);
}

bool ubi__node_column_is_by_node(const ubi__node_column *column, const ubi__node_table *table) {
    return column->node_text && table->look && ubi_look_lens(table->look)->has_node_names;
}

ubi_text ubi__node_column_text(const ubi__node_column *column, const ubi__node_table *table, ubi_node_ix node,
                               ubi_look_name_buffer *buffer) {
    const ubi_graph *g = table->graph;
    if (ubi__node_column_is_by_node(column, table))
        return column->node_text(table, node, buffer);
    return column->text(g, ubi_graph_kind(g, ubi_graph_node_kind(g, node)));
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define PLAIN UBI__NUMBER_PLAIN
#define BYTES UBI__NUMBER_BYTES
#define NODE_ID UBI__NUMBER_NODE_ID
#define NUMBER(name, help, prepare, get, style)                                                                        \
    { name, help, prepare, get, style, NULL, NULL }
#define TEXT(name, help, get, of_node)                                                                                 \
    { name, help, NULL, NULL, PLAIN, get, of_node }

const ubi__node_column ubi__node_columns[] = {
    NUMBER("id", "the node's id in the file", NULL, get_id, NODE_ID),
    NUMBER("ordinal", "its place in the file, from 0", NULL, get_ordinal, PLAIN),
    TEXT("typeName", "the engine's name of its type", get_type_name, NULL),
    TEXT("coarseType", "Object, Script, String, DOMNode or Other", get_coarse_type, NULL),
    TEXT("className", "JavaScript class; V8: as DevTools group", get_class_name, class_of_node),
    TEXT("name", "descriptive name, else class; V8: as the file says", ubi__kind_name, name_of_node),
    TEXT("displayName", "the best label there is: name, else script file, else type; V8: as DevTools show",
         ubi__kind_label, display_name_of_node),
    NUMBER("rawSize", "its own size in bytes, as the file says", NULL, get_raw_size, BYTES),
    NUMBER("selfSize", "its own size in bytes; V8: with what only it owns inside of the engine", NULL, get_self_size,
           BYTES),
    NUMBER("retainedSize", "bytes that only it keeps alive, itself included; 0 if unreachable", prepare_dominators,
           get_retained_size, BYTES),
    NUMBER("dominator", "id of the nearest node without which it could not be reached", prepare_dominators,
           get_dominator, NODE_ID),
    NUMBER("dominatorOrdinal", "ordinal of that node; 0 for the root", prepare_dominators, get_dominator_ordinal,
           PLAIN),
    NUMBER("distance", "edges on the shortest way from the root; none if unreachable; V8: as DevTools count",
           prepare_distances, get_distance, UBI__NUMBER_DISTANCE),
    NUMBER("detachedness", "1: in a document, 2: detached from it, 0: unknown", NULL, get_detachedness, PLAIN),
    NUMBER("edgeCount", "edges that leave it", NULL, get_edge_count, PLAIN),
    NUMBER("retainerCount", "edges that lead to it", prepare_retainers, get_retainer_count, PLAIN),
    TEXT("scriptFilename", "source file of a script; V8: of a function, or of an object's constructor",
         get_script_filename, NULL),
    TEXT("descriptiveTypeName", "node name of a DOM node; QuickJS: constructor of an object", get_descriptive_name,
         NULL),
    { NULL, NULL, NULL, NULL, PLAIN, NULL, NULL },
};

ubi_status ubi__node_column_find(const ubi__node_column **out, const char *name, size_t n) {
    char typed[40];
    snprintf(typed, sizeof typed, "%.*s", (int)(n < sizeof typed ? n : sizeof typed - 1), name);
    ubi__suggestion best = ubi__suggestion_for(typed);
    for (const ubi__node_column *c = ubi__node_columns; c->name; c++) {
        if (strlen(c->name) == n && memcmp(c->name, name, n) == 0) {
            *out = c;
            return UBI_OK;
        }
        ubi__suggestion_try(&best, c->name);
    }
    if (best.word)
        return ubi__fail(UBI_EINVAL, "unknown column '%s'; did you mean '%s'?", typed, best.word);
    return ubi__fail(UBI_EINVAL, "unknown column '%s'; see 'ubiheap help nodes'", typed);
}
