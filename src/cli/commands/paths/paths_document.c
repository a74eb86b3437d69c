/* SPDX-License-Identifier: MIT
 *
 * paths_document.c: the answers of `ubiheap paths` as JSON: paths and de-duplicated graphs in Firefox's shape.
 */
#include "base/alloc.h"
#include "cli/commands/paths/paths_page.h"
#include "render/node_label.h"
#include "render/result_json.h"

UBI_VEC_DECLARE(vec_step, ubi_path_step);

typedef struct document {
    ubi__json json;
    const ubi_graph *graph;
    const ubi_lens_view *look;
    const ubi_paths *paths;
    const ubi__out *out;
    vec_step steps;
} document;

static void put_id(document *d, const char *key, ubi_node_ix node) {
    ubi__json_member_node_id(&d->json, key, ubi_graph_node_id(d->graph, node));
}

static void put_edge_label(document *d, const char *key, ubi_edge_ix edge) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_member_text(&d->json, key, ubi_graph_edge_label(d->graph, edge, digits));
    ubi__render_edge_kind(&d->json, d->graph, edge);
}

static void put_name(document *d, ubi_node_ix node) {
    ubi_lens_name_buffer buffer;
    ubi__json_text(&d->json, ubi_lens_display_name(d->look, node, &buffer));
}

static ubi_status put_path(document *d, uint32_t target, uint32_t path) {
    uint32_t length = ubi_paths_length(d->paths, target, path);
    d->steps.n = 0;
    UBI_TRY(vec_step_reserve(&d->steps, ubi_allocator_default(), length));
    ubi_paths_steps(d->steps.at, d->paths, target, path);
    ubi__json_array_begin(&d->json);
    for (uint32_t i = 0; i < length && !d->out->failed; i++) {
        ubi__json_object_begin(&d->json);
        put_id(d, "predecessor", d->steps.at[i].predecessor);
        put_edge_label(d, "edge", d->steps.at[i].edge);
        ubi__json_object_end(&d->json);
    }
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

static ubi_status put_paths(document *d, uint32_t target) {
    ubi__json_member_array(&d->json, "paths");
    for (uint32_t i = 0; i < ubi_paths_count(d->paths, target) && !d->out->failed; i++)
        UBI_TRY(put_path(d, target, i));
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

static void put_edge(document *d, const ubi_path_edge *edge) {
    ubi__json_object_begin(&d->json);
    put_id(d, "from", edge->from);
    put_id(d, "to", edge->to);
    put_edge_label(d, "name", edge->edge);
    ubi__json_object_end(&d->json);
}

/* The graph in Firefox's shape, and beside it a name for each of its nodes. */
static void put_graph(document *d, const ubi_path_graph *path_graph) {
    uint32_t n_nodes;
    uint64_t n_edges;
    const ubi_node_ix *nodes = ubi_path_graph_nodes(path_graph, &n_nodes);
    const ubi_path_edge *edges = ubi_path_graph_edges(path_graph, &n_edges);
    ubi__json_member_object(&d->json, "deduplicated");
    ubi__json_member_array(&d->json, "nodes");
    for (uint32_t i = 0; i < n_nodes; i++)
        ubi__json_node_id(&d->json, ubi_graph_node_id(d->graph, nodes[i]));
    ubi__json_array_end(&d->json);
    ubi__json_member_array(&d->json, "edges");
    for (uint64_t i = 0; i < n_edges && !d->out->failed; i++)
        put_edge(d, &edges[i]);
    ubi__json_array_end(&d->json);
    ubi__json_object_end(&d->json);
    ubi__json_member_array(&d->json, "displayNames");
    for (uint32_t i = 0; i < n_nodes; i++)
        put_name(d, nodes[i]);
    ubi__json_array_end(&d->json);
}

static ubi_status put_target(document *d, uint32_t target) {
    ubi_node_ix node = ubi_paths_target(d->paths, target);
    ubi_path_graph *path_graph;
    ubi__json_object_begin(&d->json);
    put_id(d, "target", node);
    ubi__json_key(&d->json, "displayName");
    put_name(d, node);
    ubi__json_member_u64(&d->json, "rawSize", ubi_graph_node_size_bytes(d->graph, node));
    ubi__json_member_bool(&d->json, "reachable", ubi_graph_is_reachable(d->graph, node));
    UBI_TRY(put_paths(d, target));
    UBI_TRY(ubi_path_graph_new(&path_graph, d->paths, target, NULL));
    put_graph(d, path_graph);
    ubi_path_graph_free(path_graph);
    ubi__json_object_end(&d->json);
    return UBI_OK;
}

static ubi_status put_targets(document *d) {
    ubi__json_member_array(&d->json, "targets");
    for (uint32_t t = 0; t < ubi_paths_target_count(d->paths) && !d->out->failed; t++)
        UBI_TRY(put_target(d, t));
    ubi__json_array_end(&d->json);
    return UBI_OK;
}

ubi_status ubi__paths_document(const ubi__paths_answer *answer) {
    document d = { .graph = answer->snapshot->graph,
                   .look = answer->snapshot->look,
                   .paths = answer->paths,
                   .out = &answer->cli->output->out };
    ubi__document_begin(&d.json, answer->cli, "ubiheap.paths/1", answer->snapshot->path);
    put_id(&d, "start", ubi_paths_start(d.paths));
    ubi__json_member_u64(&d.json, "maxPaths", answer->max_paths);
    ubi_status status = put_targets(&d);
    if (status == UBI_OK)
        ubi__document_end(&d.json);
    vec_step_fini(&d.steps, ubi_allocator_default());
    return status;
}
