/* SPDX-License-Identifier: MIT
 *
 * name_scheme.c: see name_scheme.h.
 */
#include "name_scheme.h"

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
    *out = (ubi_class){ kind->coarse_type, ubi_graph_string(g, best_name(kind)), { NULL, 0 } };
}

static uint32_t class_of(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi_graph *g = scheme->graph;
    bool counts = ubi_graph_is_reachable(g, node) && (node != ubi_graph_root(g) || ubi_graph_root_has_retainer(g));
    return counts ? ubi_graph_node_kind(g, node) : UBI_NONE;
}

ubi_class_scheme name_scheme(const ubi_graph *graph) {
    return (ubi_class_scheme){
        .graph = graph,
        .n_classes = ubi_graph_kind_count(graph),
        .describe = describe,
        .class_of = class_of,
    };
}
