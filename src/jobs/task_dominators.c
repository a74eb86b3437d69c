/* SPDX-License-Identifier: MIT
 *
 * task_dominators.c: what dominator trees are asked for: their rows, each with its retaining paths, and individuals of a census.
 *
 * Source: mozilla-central devtools/shared/heapsnapshot/DominatorTreeNode.js.
 */
#include <inttypes.h>

#include <ubiheap/core/dominator_tree.h>
#include <ubiheap/core/labels.h>
#include <ubiheap/core/paths.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/merge_sort.h"
#include "base/status.h"
#include "jobs/task_call.h"
#include "render/result_json.h"
#include "session/part.h"

/* ---- rows of dominator trees with paths ---------------------------------------------------------------------------------- */

#define MAX_PATHS 5

/* What rows are made of. */
typedef struct row_sources {
    ubi__task_call *call;
    ubi_session_use *use;
    const ubi_look *look;
    const ubi_graph *graph;
    const ubi_dominators *dominators;
    ubi_labels *labels; /* owned */
    ubi_paths *paths;   /* owned: to all rows */
} row_sources;

static ubi_status labels_make(row_sources *s, const char *member) {
    const ubi_allocator *a = ubi_session_use_allocator(s->use);
    ubi_labels_options options = UBI_LABELS_OPTIONS_INIT;
    ubi__json_value json = ubi__task_member(s->call->data, member);
    ubi_breakdown *breakdown = NULL;
    ubi_compat compat = s->call->client->worker->compat;
    if (ubi__task_is_given(&json))
        UBI_TRY(ubi__task_fail_census(s->call, ubi_breakdown_parse(&breakdown, json.raw, compat, a)));
    options.allocator = a;
    options.compat = compat;
    options.size_bytes = ubi_look_view(s->look)->size_bytes;
    ubi_status status = ubi_labels_new(&s->labels, s->graph, breakdown, &options);
    ubi_breakdown_unref(breakdown);
    return status;
}

static ubi_status row_sources_open(row_sources *s, ubi__task_call *call, ubi_session *session, const char *breakdown) {
    *s = (row_sources){ .call = call };
    UBI_TRY(ubi__task_use_begin(&s->use, call, session));
    UBI_TRY(ubi_session_look(&s->look, s->use));
    s->graph = ubi_look_view(s->look)->graph;
    UBI_TRY(ubi_session_dominators(&s->dominators, s->use, true));
    return labels_make(s, breakdown);
}

static void row_sources_close(row_sources *s) {
    ubi_paths_free(s->paths);
    ubi_labels_unref(s->labels);
    ubi_session_use_end(s->use);
}

static ubi_status paths_to(row_sources *s, const ubi__vec_u32 *nodes) {
    ubi_paths_options options = UBI_PATHS_OPTIONS_INIT;
    UBI_TRY(ubi__task_u32(&options.max_paths, s->call, "maxRetainingPaths", MAX_PATHS));
    options.allocator = ubi_session_use_allocator(s->use);
    options.progress = s->call->progress;
    return ubi__session_paths(&s->paths, s->use, nodes->at, (uint32_t)nodes->n, &options);
}

static ubi_status path_node_write(ubi__json *json, const row_sources *s, ubi_node_ix node) {
    const ubi_label *label;
    UBI_TRY(ubi_labels_get(&label, s->labels, node));
    ubi__json_object_begin(json);
    ubi__json_member_node_id(json, "id", ubi_graph_node_id(s->graph, node));
    ubi__json_key(json, "label");
    ubi__render_label(json, label);
    ubi__json_object_end(json);
    return UBI_OK;
}

static void path_edge_write(ubi__json *json, const row_sources *s, const ubi_path_edge *edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(json);
    ubi__json_member_node_id(json, "from", ubi_graph_node_id(s->graph, edge->from));
    ubi__json_member_node_id(json, "to", ubi_graph_node_id(s->graph, edge->to));
    ubi__json_member_text(json, "name", ubi_graph_edge_label(s->graph, edge->edge, digits));
    ubi__json_object_end(json);
}

static ubi_status path_graph_write(ubi__json *json, const row_sources *s, const ubi_path_graph *paths) {
    uint32_t n_nodes;
    uint64_t n_edges;
    const ubi_node_ix *nodes = ubi_path_graph_nodes(paths, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(paths, &n_edges);
    ubi__json_member_object(json, "shortestPaths");
    ubi__json_member_array(json, "nodes");
    for (uint32_t i = 0; i < n_nodes; i++)
        UBI_TRY(path_node_write(json, s, nodes[i]));
    ubi__json_array_end(json);
    ubi__json_member_array(json, "edges");
    for (uint64_t i = 0; i < n_edges; i++)
        path_edge_write(json, s, &edges[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

typedef struct row_writer {
    const row_sources *sources;
    uint32_t next; /* of the targets, which are the rows in the order in which they are written */
} row_writer;

static ubi_status row_paths_write(void *payload, ubi__json *json, const ubi_dominator_row *row) {
    row_writer *w = payload;
    ubi_path_graph *paths;
    uint32_t target = w->next++;
    UBI_ASSERT(ubi_paths_target(w->sources->paths, target) == row->node);
    (void)row;
    UBI_TRY(ubi_path_graph_new(&paths, w->sources->paths, target, ubi_session_use_allocator(w->sources->use)));
    ubi_status status = path_graph_write(json, w->sources, paths);
    ubi_path_graph_free(paths);
    return status;
}

/* ---- computeDominatorTree, getDominatorTree ------------------------------------------------------------------------------- */

ubi_status ubi__task_compute_dominator_tree(ubi__task_call *call) {
    const ubi_allocator *a = call->client->worker->allocator;
    ubi__client_snapshot *snapshot;
    ubi_session_use *use;
    const ubi_dominators *dominators;
    UBI_TRY(ubi__task_snapshot_of_data(&snapshot, call));
    UBI_TRY(ubi__task_use_begin(&use, call, snapshot->session));
    ubi_status status = ubi_session_dominators(&dominators, use, true);
    ubi_session_use_end(use);
    UBI_TRY(status);
    ubi__client_trees *trees = &call->client->trees;
    UBI_TRY(ubi__client_trees_reserve(trees, a, 1));
    trees->at[trees->n++] = (ubi__client_tree){ ubi_session_ref(snapshot->session), snapshot->reading };
    ubi__json_u64(call->out, trees->n - 1);
    return UBI_OK;
}

UBI_VEC_DECLARE(dominator_row_list, const ubi_dominator_node *);

static ubi_status rows_visit(ubi__vec_u32 *out, dominator_row_list *waiting, const ubi_dominator_node *tree) {
    UBI_TRY(dominator_row_list_push(waiting, ubi_allocator_default(), tree));
    while (waiting->n) {
        ubi_dominator_row row;
        ubi_dominator_node_get(waiting->at[--waiting->n], &row);
        UBI_TRY(ubi__vec_u32_push(out, ubi_allocator_default(), row.node));
        UBI_TRY(dominator_row_list_reserve(waiting, ubi_allocator_default(), row.n_children));
        for (uint32_t i = row.n_children; i-- > 0;)
            waiting->at[waiting->n++] = row.children[i];
    }
    return UBI_OK;
}

/* The nodes of all rows, each before those below it: in the order in which they are written. */
static ubi_status rows_list(ubi__vec_u32 *out, const ubi_dominator_node *tree) {
    dominator_row_list waiting = { 0 };
    ubi_status status = rows_visit(out, &waiting, tree);
    dominator_row_list_fini(&waiting, ubi_allocator_default());
    return status;
}

static ubi_status dominator_tree_write(row_sources *s, const ubi_dominator_node *tree) {
    ubi__vec_u32 nodes = { 0 };
    row_writer w = { s, 0 };
    ubi_status status = rows_list(&nodes, tree);
    if (status == UBI_OK)
        status = paths_to(s, &nodes);
    if (status == UBI_OK)
        status = ubi__render_dominator_tree_with(s->call->out, tree, row_paths_write, &w);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    return status;
}

static ubi_status dominator_tree_show(row_sources *s) {
    ubi_dominator_tree_options options = UBI_DOMINATOR_TREE_OPTIONS_INIT;
    ubi_dominator_node *tree;
    UBI_TRY(ubi__task_u32(&options.max_depth, s->call, "maxDepth", UBI_DOMINATOR_TREE_DEPTH));
    UBI_TRY(ubi__task_u32(&options.max_siblings, s->call, "maxSiblings", UBI_DOMINATOR_TREE_SIBLINGS));
    options.allocator = ubi_session_use_allocator(s->use);
    options.progress = s->call->progress;
    UBI_TRY(ubi_dominator_tree_partial(&tree, s->dominators, s->labels, &options));
    ubi_status status = dominator_tree_write(s, tree);
    ubi_dominator_node_unref(tree);
    return status;
}

ubi_status ubi__task_get_dominator_tree(ubi__task_call *call) {
    ubi__client_tree *tree;
    row_sources s;
    UBI_TRY(ubi__task_tree(&tree, call, false));
    ubi_status status = row_sources_open(&s, call, tree->session, "breakdown");
    if (status == UBI_OK)
        status = dominator_tree_show(&s);
    row_sources_close(&s);
    return status;
}

/* ---- getImmediatelyDominated ----------------------------------------------------------------------------------------------- */

#define MAX_COUNT 50

static ubi_status node_get(ubi_node_ix *out, const row_sources *s) {
    ubi__json_value id = ubi__task_member(s->call->data, "nodeId");
    uint64_t number;
    if (ubi__json_value_u64(&number, &id) && ubi_graph_find(out, s->graph, number) == UBI_OK &&
        (*out == ubi_dominators_root(s->dominators) || ubi_dominators_immediate(s->dominators, *out) != UBI_NONE))
        return UBI_OK;
    s->call->error = UBI__TASK_ERROR;
    return ubi__fail(UBI_ENOTFOUND, "%.*s is not a node id in the dominator tree",
                     (int)(id.raw.len < 100 ? id.raw.len : 100), id.raw.ptr ? id.raw.ptr : "undefined");
}

static ubi_status rows_write(row_sources *s, ubi_dominator_node *const *rows, uint32_t n_rows) {
    ubi__vec_u32 nodes = { 0 };
    row_writer w = { s, 0 };
    ubi_status status = UBI_OK;
    ubi__json *json = s->call->out;
    for (uint32_t i = 0; status == UBI_OK && i < n_rows; i++)
        status = rows_list(&nodes, rows[i]);
    if (status == UBI_OK)
        status = paths_to(s, &nodes);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    ubi__json_member_array(json, "nodes");
    for (uint32_t i = 0; status == UBI_OK && i < n_rows; i++)
        status = ubi__render_dominator_tree_with(json, rows[i], row_paths_write, &w);
    ubi__json_array_end(json);
    return status;
}

static ubi_status page_write(row_sources *s, const ubi_dominator_page *page) {
    ubi__json *json = s->call->out;
    ubi__json_object_begin(json);
    UBI_TRY(rows_write(s, page->nodes, page->n_nodes));
    ubi__json_member_bool(json, "moreChildrenAvailable", page->has_more_children);
    ubi__json_member_array(json, "path");
    for (uint32_t i = 0; i < page->n_path; i++)
        ubi__json_node_id(json, page->path[i]);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    return UBI_OK;
}

static ubi_status dominated_show(row_sources *s) {
    ubi_dominator_page *page;
    ubi_node_ix node;
    uint32_t start, count;
    UBI_TRY(node_get(&node, s));
    UBI_TRY(ubi__task_u32(&start, s->call, "startIndex", 0));
    UBI_TRY(ubi__task_u32(&count, s->call, "maxCount", MAX_COUNT));
    UBI_TRY(ubi_dominator_page_new(&page, s->dominators, s->labels, node, start, count ? count : MAX_COUNT,
                                   ubi_session_use_allocator(s->use)));
    ubi_status status = page->n_nodes ? page_write(s, page)
                                      : ubi__fail(UBI_EINVAL, "NS_ERROR_ILLEGAL_VALUE: it dominates no more nodes");
    ubi_dominator_page_free(page);
    return status;
}

ubi_status ubi__task_get_immediately_dominated(ubi__task_call *call) {
    ubi__client_tree *tree;
    row_sources s;
    UBI_TRY(ubi__task_tree(&tree, call, true));
    ubi_status status = row_sources_open(&s, call, tree->session, "breakdown");
    if (status == UBI_OK)
        status = dominated_show(&s);
    row_sources_close(&s);
    return status;
}

/* ---- getCensusIndividuals --------------------------------------------------------------------------------------------------- */

static ubi_status indices_get(ubi__vec_u32 *out, ubi__task_call *call) {
    ubi__json_value list = ubi__task_member(call->data, "indices"), value;
    ubi__json_cursor c;
    if (list.type != UBI__JSON_ARRAY)
        return ubi__task_fail_type(call, "indices", "an array of leaf indices");
    ubi__json_cursor_open(&c, list.raw, UBI__JSON_ARRAY);
    while (ubi__json_cursor_next_element(&c, &value)) {
        uint64_t index;
        if (!ubi__json_value_u64(&index, &value))
            return ubi__task_fail_type(call, "indices", "an array of leaf indices");
        if (index < UBI_NONE) /* others are in no report */
            UBI_TRY(ubi__vec_u32_push(out, ubi_allocator_default(), (uint32_t)index));
    }
    return UBI_OK;
}

/* More retained first; equal ones stay in the order of the census. */
typedef struct individual {
    ubi_node_ix node;
    uint64_t retained_bytes;
} individual;

UBI_VEC_DECLARE(individual_list, individual);

#define RETAINS_MORE(unused, a, b) ((a).retained_bytes > (b).retained_bytes)
UBI_SORT_DEFINE(individuals_sort, individual, int, RETAINS_MORE);

/* A node that was counted in several leaves, as an array breakdown does, is listed once. */
static ubi_status individuals_list(individual_list *out, const row_sources *s, const uint64_t *ids, uint64_t n) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n_words = (size_t)ubi_graph_node_count(s->graph) / 64 + 1;
    uint64_t *is_listed = ubi__calloc_array(a, n_words, sizeof *is_listed);
    ubi_status status = is_listed ? individual_list_reserve(out, a, n) : ubi__fail_nomem();
    for (uint64_t i = 0; status == UBI_OK && i < n; i++) {
        ubi_node_ix node;
        if (ubi_graph_find(&node, s->graph, ids[i]) != UBI_OK || ubi__has_bit(is_listed, node))
            continue;
        ubi__put_bit(is_listed, node);
        out->at[out->n++] = (individual){ node, ubi_dominators_retained_bytes(s->dominators, node) };
    }
    ubi__free_array(a, is_listed, n_words, sizeof *is_listed);
    return status;
}

static ubi_status individuals_order(individual_list *out) {
    const ubi_allocator *a = ubi_allocator_default();
    individual_list spare = { 0 };
    UBI_TRY(individual_list_reserve(&spare, a, out->n));
    if (out->n)
        individuals_sort(out->at, spare.at, out->n, 0);
    individual_list_fini(&spare, a);
    return UBI_OK;
}

/* The nodes that were counted in some leaves of a census. */
static ubi_status individuals_find(individual_list *out, row_sources *s, const ubi_breakdown *breakdown,
                                   const ubi__vec_u32 *leaves) {
    ubi_census_options options = UBI_CENSUS_OPTIONS_INIT;
    uint64_t *ids, n;
    options.allocator = ubi_session_use_allocator(s->use);
    options.progress = s->call->progress;
    options.compat = s->call->client->worker->compat;
    UBI_TRY(ubi_census_individuals(&ids, &n, s->graph, breakdown, leaves->at, (uint32_t)leaves->n, &options));
    ubi_status status = individuals_list(out, s, ids, n);
    if (status == UBI_OK)
        status = individuals_order(out);
    ubi_individuals_free(ids, n, options.allocator);
    return status;
}

static ubi_status individual_write(row_sources *s, ubi_node_ix node, row_writer *w) {
    ubi_dominator_node *alone;
    ubi_dominator_row row;
    UBI_TRY(ubi_dominator_node_new(&alone, s->dominators, s->labels, node, ubi_session_use_allocator(s->use)));
    ubi_dominator_node_get(alone, &row);
    row.has_more_children = false; /* a list has no levels */
    ubi__render_dominator_row(s->call->out, &row);
    ubi_status status = row_paths_write(w, s->call->out, &row);
    ubi__json_object_end(s->call->out);
    ubi_dominator_node_unref(alone);
    return status;
}

/* Each is a target of its own: no node is listed twice. */
static ubi_status individuals_write(row_sources *s, const individual_list *individuals, uint32_t max) {
    ubi__vec_u32 nodes = { 0 };
    row_writer w = { s, 0 };
    ubi__json *json = s->call->out;
    ubi_status status = UBI_OK;
    for (size_t i = 0; status == UBI_OK && i < individuals->n && i < max; i++)
        status = ubi__vec_u32_push(&nodes, ubi_allocator_default(), individuals->at[i].node);
    if (status == UBI_OK)
        status = nodes.n ? paths_to(s, &nodes)
                         : ubi__fail(UBI_EINVAL, "NS_ERROR_ILLEGAL_VALUE: no nodes were counted there");
    ubi__json_object_begin(json);
    ubi__json_member_array(json, "nodes");
    for (size_t i = 0; status == UBI_OK && i < nodes.n; i++)
        status = individual_write(s, nodes.at[i], &w);
    ubi__json_array_end(json);
    ubi__json_object_end(json);
    ubi__vec_u32_fini(&nodes, ubi_allocator_default());
    return status;
}

static ubi_status individuals_show(row_sources *s, const ubi_breakdown *breakdown, const ubi__vec_u32 *leaves) {
    individual_list individuals = { 0 };
    uint32_t max;
    ubi_status status = ubi__task_u32(&max, s->call, "maxIndividuals", UINT32_MAX);
    if (status == UBI_OK && leaves->n)
        status = individuals_find(&individuals, s, breakdown, leaves);
    if (status == UBI_OK)
        status = individuals_write(s, &individuals, max);
    individual_list_fini(&individuals, ubi_allocator_default());
    return status;
}

static ubi_status individuals_of_leaves(row_sources *s, const ubi__vec_u32 *leaves) {
    ubi__json_value json = ubi__task_member(s->call->data, "censusBreakdown");
    ubi_breakdown *breakdown;
    ubi_text text = ubi__task_is_given(&json) ? json.raw : (ubi_text){ NULL, 0 };
    UBI_TRY(
        ubi__task_fail_census(s->call, ubi_breakdown_parse(&breakdown, text, s->call->client->worker->compat, NULL)));
    ubi_status status = individuals_show(s, breakdown, leaves);
    ubi_breakdown_unref(breakdown);
    return status;
}

ubi_status ubi__task_get_census_individuals(ubi__task_call *call) {
    ubi__client_tree *tree;
    ubi__vec_u32 leaves = { 0 };
    row_sources s = { .call = call };
    UBI_TRY(ubi__task_tree(&tree, call, true));
    ubi_status status = indices_get(&leaves, call);
    if (status == UBI_OK)
        status = row_sources_open(&s, call, tree->session, "labelBreakdown");
    if (status == UBI_OK)
        status = individuals_of_leaves(&s, &leaves);
    row_sources_close(&s);
    ubi__vec_u32_fini(&leaves, ubi_allocator_default());
    return status;
}
