/* SPDX-License-Identifier: MIT
 *
 * node_columns.c: the table of columns. A new column is one row and, if it is not there yet, one small function.
 */
#include "cli/commands/nodes/node_columns.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/suggest.h"
#include "base/text.h"
#include "graph/graph_columns.h"
#include "render/node_label.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool get_id(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->graph->id.at[node];
    return true;
}

static bool get_ordinal(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    (void)t;
    *out = node;
    return true;
}

static bool get_size(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->graph->size_bytes.at[node];
    return true;
}

static bool get_edge_count(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->graph->first_edge.at[node + 1] - t->graph->first_edge.at[node];
    return true;
}

static bool get_distance(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->distances[node];
    return t->distances[node] != UBI_NONE;
}

static bool get_retainer_count(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = t->retainers[node];
    return true;
}

/* Nodes that cannot be reached keep nothing alive: 0. */
static bool get_retained_size(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    *out = ubi_dominators_retained_bytes(t->dominators, node);
    return true;
}

static bool get_dominator(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    ubi_node_ix dominator = ubi_dominators_immediate(t->dominators, node);
    if (dominator == UBI_NONE)
        return false;
    *out = t->graph->id.at[dominator];
    return true;
}

static bool get_dominator_ordinal(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    ubi_node_ix dominator = ubi_dominators_immediate(t->dominators, node);
    bool is_root = node == ubi_dominators_root(t->dominators);
    *out = is_root ? 0 : dominator;
    return is_root || dominator != UBI_NONE;
}

/* No format read today says whether a node is detached from its document: 0 means unknown, as in DevTools. */
static bool get_detachedness(uint64_t *out, const ubi__node_table *t, ubi_node_ix node) {
    (void)t, (void)node;
    *out = 0;
    return true;
}

/* ---- what numbers need ------------------------------------------------------------------------------------------ */

static ubi_status allocate(uint32_t **out, const ubi__node_table *t) {
    *out = ubi__alloc_array(ubi_allocator_default(), t->graph->n_nodes, sizeof **out);
    return *out ? UBI_OK : ubi__fail_nomem();
}

static ubi_status prepare_distances(ubi__node_table *t) {
    if (t->distances)
        return UBI_OK;
    UBI_TRY(allocate(&t->distances, t));
    return ubi_graph_distances(t->distances, t->graph, NULL, t->graph->root);
}

static ubi_status prepare_retainers(ubi__node_table *t) {
    if (t->retainers)
        return UBI_OK;
    UBI_TRY(allocate(&t->retainers, t));
    ubi_graph_retainer_counts(t->retainers, t->graph);
    return UBI_OK;
}

static ubi_status prepare_dominators(ubi__node_table *t) {
    if (t->dominators)
        return UBI_OK;
    ubi_dominators_options options = UBI_DOMINATORS_OPTIONS_INIT;
    ubi_view view = t->view ? *t->view : ubi_view_of(t->graph);
    options.progress = t->progress;
    options.without_sets = true;
    return ubi_dominators_new(&t->dominators, &view, &options);
}

void ubi__node_table_fini(ubi__node_table *table) {
    uint32_t n = table->graph->n_nodes;
    ubi__free_array(ubi_allocator_default(), table->distances, n, sizeof *table->distances);
    ubi__free_array(ubi_allocator_default(), table->retainers, n, sizeof *table->retainers);
    ubi_dominators_free(table->dominators);
    table->distances = table->retainers = NULL;
    table->dominators = NULL;
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

/* ---- the table -------------------------------------------------------------------------------------------------- */

#define PLAIN UBI__NUMBER_PLAIN
#define BYTES UBI__NUMBER_BYTES
#define NODE_ID UBI__NUMBER_NODE_ID
#define NUMBER(name, help, prepare, get, style)                                                                        \
    { name, help, prepare, get, style, NULL }
#define TEXT(name, help, get)                                                                                          \
    { name, help, NULL, NULL, PLAIN, get }

const ubi__node_column ubi__node_columns[] = {
    NUMBER("id", "the node's id in the file", NULL, get_id, NODE_ID),
    NUMBER("ordinal", "its place in the file, from 0", NULL, get_ordinal, PLAIN),
    TEXT("typeName", "the engine's name of its type", get_type_name),
    TEXT("coarseType", "Object, Script, String, DOMNode or Other", get_coarse_type),
    TEXT("className", "JavaScript class", get_class_name),
    TEXT("name", "descriptive name, else class", ubi__kind_name),
    TEXT("displayName", "the best label there is: name, else script file, else type", ubi__kind_label),
    NUMBER("rawSize", "its own size in bytes, as the file says", NULL, get_size, BYTES),
    NUMBER("selfSize", "its own size in bytes; here the same as rawSize", NULL, get_size, BYTES),
    NUMBER("retainedSize", "bytes that only it keeps alive, itself included; 0 if unreachable", prepare_dominators,
           get_retained_size, BYTES),
    NUMBER("dominator", "id of the nearest node without which it could not be reached", prepare_dominators,
           get_dominator, NODE_ID),
    NUMBER("dominatorOrdinal", "ordinal of that node; 0 for the root", prepare_dominators, get_dominator_ordinal,
           PLAIN),
    NUMBER("distance", "edges on the shortest way from the root; none if unreachable", prepare_distances, get_distance,
           PLAIN),
    NUMBER("detachedness", "0: not known", NULL, get_detachedness, PLAIN),
    NUMBER("edgeCount", "edges that leave it", NULL, get_edge_count, PLAIN),
    NUMBER("retainerCount", "edges that lead to it", prepare_retainers, get_retainer_count, PLAIN),
    TEXT("scriptFilename", "source file of a script", get_script_filename),
    TEXT("descriptiveTypeName", "such as the node name of a DOM node", get_descriptive_name),
    { NULL, NULL, NULL, NULL, PLAIN, NULL },
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
