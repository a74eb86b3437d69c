/* SPDX-License-Identifier: MIT
 *
 * plain_producer.c: heaps whose producer we do not know: everything is as it is in the file.
 */
#include "base/text.h"
#include "lenses/producer.h"

static ubi_status plain_open(ubi_look *look, const ubi_look_options *options, int filter) {
    (void)options, (void)filter;
    return ubi__lens_classes_by_label(look);
}

static const char *const census_presets[] = { "treeMap", "objectClass", "internalType", "allocationStack", NULL };

static const ubi_lens plain_lens = {
    .name = "plain",
    .title = "Any heap",
    .displays = UBI__LENS_DISPLAYS(census_presets),
    .reuses_ids = true,
    .open = plain_open,
};

/* ---- the producer --------------------------------------------------------------------------------------------------- */

/* Objects have properties; what other edges are called are words of the engine. */
static ubi__edge_words edge_words(const ubi_graph *graph, ubi_node_ix source, ubi_edge_ix edge) {
    const ubi_kind *kind = ubi_graph_kind(graph, ubi_graph_node_kind(graph, source));
    ubi_text name = ubi_graph_string(graph, ubi_graph_edge_name(graph, edge));
    uint32_t index;
    if (ubi_graph_edge_number(&index, graph, edge))
        return (ubi__edge_words){ .how = UBI__EDGE_INDEX, .index = index };
    if (!name.len)
        return ubi__edge_told(NULL);
    if (kind->coarse_type != UBI_COARSE_OBJECT)
        return ubi__edge_says(UBI__EDGE_TOLD, NULL, name);
    return ubi__edge_says(ubi__text_is_identifier(name) ? UBI__EDGE_PROPERTY : UBI__EDGE_QUOTED, NULL, name);
}

static bool node_is_engine(const ubi_graph *graph, ubi_node_ix node) {
    (void)graph, (void)node;
    return false;
}

/* No node is the engine's, so there is no run of such nodes. */
static ubi__edge_words run_words(const ubi_graph *graph, const ubi__engine_run *run) {
    (void)graph, (void)run;
    return ubi__edge_told(NULL);
}

static const ubi__producer_words plain_words = {
    .edge = edge_words,
    .node_is_engine = node_is_engine,
    .engine_run = run_words,
};

const ubi__producer ubi__producer_plain = {
    .name = "plain",
    .lens = &plain_lens,
    .words = &plain_words,
};
