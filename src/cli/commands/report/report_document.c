/* SPDX-License-Identifier: MIT
 *
 * report_document.c: the report as JSON.
 */
#include "cli/commands/report/report_page.h"
#include "render/node_label.h"
#include "render/result_json.h"

/* Groups in the document; the rest is one sum away. */
#define GROUPS_WRITTEN 20

static void put_tally(ubi__json *j, const ubi__tally *tally) {
    ubi__document_u64(j, "count", tally->count);
    ubi__document_u64(j, "bytes", tally->bytes);
}

static void put_heap(ubi__json *j, const ubi__report_facts *f) {
    uint64_t time_us;
    ubi__document_string(j, "producer", ubi__guess_producer(f->graph));
    ubi__json_key(j, "creationTimeUs");
    if (ubi_graph_creation_time_us(f->graph, &time_us))
        ubi__json_u64(j, time_us);
    else
        ubi__json_null(j);
    ubi__document_u64(j, "nodeCount", ubi_graph_node_count(f->graph));
    ubi__document_u64(j, "edgeCount", ubi_graph_edge_count(f->graph));
    ubi__json_key(j, "reachable");
    ubi__json_object_begin(j);
    put_tally(j, &f->summary.reachable);
    ubi__json_object_end(j);
    ubi__document_u64(j, "nodesWithStack", f->summary.n_with_stack);
}

static void put_coarse(ubi__json *j, const ubi__report_facts *f) {
    static const struct {
        const char *key;
        ubi_coarse_type type;
    } order[] = { { "objects", UBI_COARSE_OBJECT },
                  { "scripts", UBI_COARSE_SCRIPT },
                  { "strings", UBI_COARSE_STRING },
                  { "other", UBI_COARSE_OTHER },
                  { "domNode", UBI_COARSE_DOM_NODE } };
    ubi__json_key(j, "coarseTypes");
    ubi__json_object_begin(j);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        ubi__json_key(j, order[i].key);
        ubi__json_object_begin(j);
        put_tally(j, &f->summary.coarse[order[i].type]);
        ubi__json_object_end(j);
    }
    ubi__json_object_end(j);
}

static void put_kinds(ubi__json *j, const ubi__groups *groups) {
    ubi__json_key(j, "kinds");
    ubi__json_array_begin(j);
    for (size_t i = 0; i < groups->n && i < GROUPS_WRITTEN; i++) {
        ubi__json_object_begin(j);
        ubi__document_string(j, "coarseType", ubi_coarse_type_name(groups->at[i].coarse_type));
        ubi__json_key(j, "displayName");
        ubi__json_text(j, groups->at[i].label);
        put_tally(j, &groups->at[i].tally);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_kind_names(ubi__json *j, const ubi_graph *g, ubi_kind_ix k) {
    const ubi_kind *kind = ubi_graph_kind(g, k);
    ubi__document_string(j, "coarseType", ubi_coarse_type_name(kind->coarse_type));
    ubi__json_key(j, "displayName");
    ubi__json_text(j, ubi__kind_label(g, kind));
}

static void put_held(ubi__json *j, const ubi_graph *g, const ubi_keeper *keeper) {
    ubi__json_key(j, "held");
    if (keeper->held_kind == UBI_NONE) {
        ubi__json_null(j);
        return;
    }
    ubi__json_object_begin(j);
    put_kind_names(j, g, keeper->held_kind);
    ubi__document_u64(j, "count", keeper->n_held);
    ubi__document_u64(j, "retainedSize", keeper->held_bytes);
    ubi__json_object_end(j);
}

static void put_path(ubi__json *j, const ubi_graph *g, const ubi__report_keeper *k) {
    ubi__json_key(j, "path");
    ubi__json_array_begin(j);
    for (uint32_t i = 0; i < k->n_steps && !j->failed; i++) {
        ubi__json_object_begin(j);
        ubi__json_key(j, "predecessor");
        ubi__json_node_id(j, ubi_graph_node_id(g, k->steps[i].predecessor));
        ubi__json_key(j, "edge");
        ubi__json_text(j, ubi_graph_string(g, ubi_graph_edge_name(g, k->steps[i].edge)));
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_keepers(ubi__json *j, const ubi__report_facts *f) {
    const ubi_graph *g = f->graph;
    ubi__json_key(j, "keepers");
    ubi__json_array_begin(j);
    for (uint32_t i = 0; i < f->keepers.n; i++) {
        const ubi__report_keeper *k = &f->keepers.at[i];
        ubi__json_object_begin(j);
        ubi__json_key(j, "nodeId");
        ubi__json_node_id(j, ubi_graph_node_id(g, k->keeper.node));
        put_kind_names(j, g, ubi_graph_node_kind(g, k->keeper.node));
        ubi__document_u64(j, "shallowSize", ubi_graph_node_size_bytes(g, k->keeper.node));
        ubi__document_u64(j, "retainedSize", k->keeper.retained_bytes);
        ubi__document_u64(j, "exclusiveSize", k->keeper.exclusive_bytes);
        ubi__document_u64(j, "retainedCount", k->keeper.n_dominated);
        put_held(j, g, &k->keeper);
        put_path(j, g, k);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_functions(ubi__json *j, const ubi__groups *groups) {
    ubi__json_key(j, "allocatedBy");
    ubi__json_array_begin(j);
    for (size_t i = 0; i < groups->n && i < GROUPS_WRITTEN; i++) {
        ubi__json_object_begin(j);
        ubi__json_key(j, "frame");
        ubi__render_frame(j, &groups->at[i].frame);
        put_tally(j, &groups->at[i].tally);
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

static void put_findings(ubi__json *j, const ubi__report_facts *f) {
    ubi__findings findings;
    ubi__findings_collect(&findings, f);
    ubi__json_key(j, "findings");
    ubi__json_array_begin(j);
    for (size_t i = 0; i < findings.n; i++) {
        const ubi__finding *finding = &findings.at[i];
        ubi__json_object_begin(j);
        ubi__document_string(j, "rule", finding->rule);
        ubi__document_string(j, "text", finding->text);
        if (finding->has_node) {
            ubi__json_key(j, "nodeId");
            ubi__json_node_id(j, finding->node_id);
        }
        ubi__json_object_end(j);
    }
    ubi__json_array_end(j);
}

void ubi__report_document(ubi__cli *cli, const ubi__snapshot *snapshot, const ubi__report_facts *facts) {
    ubi__json j;
    ubi__document_begin(&j, cli, "ubiheap.report/1", snapshot->path);
    put_heap(&j, facts);
    put_coarse(&j, facts);
    put_kinds(&j, &facts->labels);
    put_keepers(&j, facts);
    put_functions(&j, &facts->functions);
    put_findings(&j, facts);
    ubi__document_end(&j);
}
