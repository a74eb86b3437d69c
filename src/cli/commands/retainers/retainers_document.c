/* SPDX-License-Identifier: MIT
 *
 * retainers_document.c: who retains a node, as JSON.
 *
 * Rows are nested as they are in the tree, without recursion: a row is open until its last one below is written.
 */
#include "base/alloc.h"
#include "cli/commands/retainers/retainers_page.h"
#include "render/edge_label.h"
#include "render/result_json.h"

typedef struct document {
    ubi__json json;
    ubi__object_rows rows;
    const ubi__retainers_answer *answer;
    const ubi_graph *graph;
    const ubi_retaining_row *tree; /* tree[n] */
    uint32_t n;
} document;

static void begin_list(document *d, ubi_node_ix node) {
    ubi__json_member_u64(&d->json, "retainerCount", ubi_retaining_count(d->answer->retaining, node));
    ubi__json_member_array(&d->json, "retainers");
}

/* The row without its end. */
static void begin_row(document *d, const ubi_retaining_row *row) {
    char digits[UBI_EDGE_LABEL_BYTES];
    ubi__json_object_begin(&d->json);
    ubi__json_member_text(&d->json, "edge", ubi_graph_edge_label(d->graph, row->retainer.edge, digits));
    ubi__render_edge_kind(&d->json, d->graph, row->retainer.edge);
    ubi__object_json(&d->json, &d->rows, row->retainer.node, ubi__retainers_distance(row->retainer.distance));
    if (row->retainer.is_ignored)
        ubi__json_member_bool(&d->json, "ignored", true);
    if (row->is_circular)
        ubi__json_member_bool(&d->json, "circular", true);
    if (row->is_open)
        begin_list(d, row->retainer.node);
}

static void end_row(document *d, const ubi_retaining_row *row) {
    if (row->is_open)
        ubi__json_array_end(&d->json);
    ubi__json_object_end(&d->json);
}

static bool has_next(const document *d, uint32_t at) {
    uint32_t parent = d->tree[at].parent;
    if (parent == UBI_NONE)
        return at + 1 < ubi_retaining_tree_first_level(d->answer->tree);
    return at + 1 < d->tree[parent].first_child + d->tree[parent].n_children;
}

static void put_rows(document *d) {
    for (uint32_t at = d->n ? 0 : UBI_NONE; at != UBI_NONE && !d->json.failed;) {
        begin_row(d, &d->tree[at]);
        if (d->tree[at].n_children) {
            at = d->tree[at].first_child;
            continue;
        }
        end_row(d, &d->tree[at]);
        while (at != UBI_NONE && !has_next(d, at)) {
            at = d->tree[at].parent;
            if (at != UBI_NONE)
                end_row(d, &d->tree[at]);
        }
        at += at != UBI_NONE;
    }
}

static void put_limits(document *d) {
    ubi_retaining_limits limits = ubi_retaining_tree_limits(d->answer->tree);
    ubi__json_member_object(&d->json, "limitsReached");
    ubi__json_member_bool(&d->json, "depth", limits.depth);
    ubi__json_member_bool(&d->json, "siblings", limits.siblings);
    ubi__json_member_bool(&d->json, "nodes", limits.nodes);
    ubi__json_object_end(&d->json);
}

static void put_ignored(document *d) {
    ubi__json_member_array(&d->json, "ignored");
    for (uint32_t i = 0; i < d->answer->n_ignored; i++)
        ubi__json_node_id(&d->json, ubi_graph_node_id(d->graph, d->answer->ignored[i]));
    ubi__json_array_end(&d->json);
    ubi__json_member_bool(&d->json, "keptAlive",
                          ubi_retaining_distance(d->answer->retaining, d->answer->node) < UBI_RETAINING_UNREACHABLE);
}

static void put_dominators(document *d) {
    ubi_node_ix node = d->answer->node;
    ubi__json_member_array(&d->json, "dominators");
    while ((node = ubi_dominators_immediate(d->rows.dominators, node)) != UBI_NONE && !d->json.failed) {
        ubi__json_object_begin(&d->json);
        ubi__object_json(&d->json, &d->rows, node, d->rows.distances[node]);
        ubi__json_object_end(&d->json);
    }
    ubi__json_array_end(&d->json);
}

static void put_all(document *d) {
    ubi__document_begin(&d->json, d->answer->cli, "ubiheap.retainers/1", d->answer->snapshot->path);
    ubi__object_json(&d->json, &d->rows, d->answer->node, d->rows.distances[d->answer->node]);
    put_ignored(d);
    begin_list(d, d->answer->node);
    put_rows(d);
    ubi__json_array_end(&d->json);
    put_limits(d);
    put_dominators(d);
    ubi__document_end(&d->json);
}

ubi_status ubi__retainers_document(const ubi__retainers_answer *answer) {
    const ubi_allocator *a = ubi_allocator_default();
    size_t n_nodes = ubi_graph_node_count(answer->snapshot->graph);
    document d = { .rows = { .look = answer->snapshot->look, .dominators = answer->dominators },
                   .answer = answer,
                   .graph = answer->snapshot->graph };
    uint32_t *distances = ubi__alloc_array(a, n_nodes, sizeof *distances);
    ubi_status status = distances ? ubi_lens_distances(distances, d.rows.look) : ubi__fail_nomem();
    d.rows.distances = distances;
    d.tree = ubi_retaining_tree_rows(answer->tree, &d.n);
    if (status == UBI_OK)
        put_all(&d);
    ubi__free_array(a, distances, n_nodes, sizeof *distances);
    return status;
}
