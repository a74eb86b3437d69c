/* SPDX-License-Identifier: MIT
 *
 * lens_scheme.c: the classes of a lens as analyses take them.
 */
#include "graph/graph_columns.h"
#include "lenses/producer.h"

static void scheme_describe(const ubi_class_scheme *scheme, uint32_t class_ix, ubi_class *out) {
    const ubi_look *look = scheme->payload;
    const ubi_look_class *class = &look->classes.at[class_ix];
    *out = (ubi_class){ class->coarse_type, class->name, class->place };
}

static uint32_t class_of_sized(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi_look *look = scheme->payload;
    bool counts = ubi_look_size_bytes(look, node) != 0 && ubi_look_shows(look, node);
    return counts ? ubi_look_class_of(look, node) : UBI_NONE;
}

static uint32_t class_of_reachable(const ubi_class_scheme *scheme, ubi_node_ix node) {
    const ubi_look *look = scheme->payload;
    const ubi_graph *g = scheme->graph;
    bool counts = ubi__graph_reachable(g, node) && (node != g->root || g->root_visit_rank != UBI_NONE);
    return counts && ubi_look_shows(look, node) ? ubi_look_class_of(look, node) : UBI_NONE;
}

ubi_class_scheme ubi_look_class_scheme(const ubi_look *look) {
    return (ubi_class_scheme){
        .graph = look->graph,
        .size_bytes = look->view.size_bytes,
        .n_classes = (uint32_t)look->classes.n,
        .mixes_coarse_types = look->lens->mixes_coarse_types,
        .describe = scheme_describe,
        .class_of = look->lens->counts_by_size ? class_of_sized : class_of_reachable,
        .payload = look,
    };
}

ubi_str_ix ubi_look_node_role(const ubi_look *look, ubi_node_ix node) {
    const ubi_graph *g = look->graph;
    ubi_str_ix name = ubi__graph_node_name(g, node);
    bool is_function = ubi__kind_is_function(g, &g->kinds.rows.at[g->kind.at[node]]);
    return is_function && name != UBI_NONE && ubi__strtab_get(&g->strings, name).len ? name : UBI_NONE;
}

uint64_t ubi_lens_id_mark(const ubi_graph *graph) {
    const ubi_lens *lens = ubi_lens_for(graph);
    return lens->id_mark ? lens->id_mark(graph) : 0;
}

bool ubi_look_reuses_ids(const ubi_look *look) {
    return look->reuses_ids;
}
