/* SPDX-License-Identifier: MIT
 *
 * class_scheme.c: the classes that any graph has: kinds of nodes under the best name that they have.
 */
#include <ubiheap/diff.h>

#include "graph/graph_columns.h"

static ubi_str_ix best_name(const ubi_kind *kind) {
    if (kind->descriptive_name != UBI_NONE)
        return kind->descriptive_name;
    if (kind->class_name != UBI_NONE)
        return kind->class_name;
    return kind->script_filename != UBI_NONE ? kind->script_filename : kind->type_name;
}

static void describe(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    const ubi_graph *g = scheme->graph;
    const ubi_kind *kind = ubi_graph_kind(g, class_ix);
    out->coarse_type = kind->coarse_type;
    out->name = ubi_graph_string(g, ubi_graph_canonical_string(g, best_name(kind)));
}

static uint32_t class_of(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi_graph *g = scheme->graph;
    bool counts = ubi__graph_reachable(g, node) && (node != g->root || g->root_visit_rank != UBI_NONE);
    return counts ? g->kind.at[node] : UBI_NONE;
}

ubi_class_scheme ubi_class_scheme_by_name(const ubi_graph *graph) {
    return (ubi_class_scheme){
        .graph = graph,
        .n_classes = ubi_graph_kind_count(graph),
        .describe = describe,
        .class_of = class_of,
    };
}
