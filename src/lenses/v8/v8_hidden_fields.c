/* SPDX-License-Identifier: MIT
 *
 * v8_hidden_fields.c: fields of an object that hold what is no node: small integers, and values such as true and null.
 *
 * The names of all fields are in the descriptors of the object's map: an entry of three for each, its name first. Maps share
 * descriptors with those that follow them, which have more fields; the last of them has as many as there are names.
 */
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_fields.h"
#include "lenses/v8/v8_producer.h"

/* More edges than this are not looked at. */
#define MOST_EDGES 32
#define ENTRY_SIZE 3

static bool is_narrow(const ubi_graph *g, ubi_node_ix node) {
    return node != UBI_NONE && g->first_edge.at[node + 1] - g->first_edge.at[node] <= MOST_EDGES;
}

/* Whether a map with more fields may follow. */
static bool has_transitions(const ubi_graph *g, ubi_node_ix map) {
    for (ubi_edge_ix e = g->first_edge.at[map]; e < g->first_edge.at[map + 1]; e++) {
        ubi_text name = ubi_graph_string(g, ubi__graph_edge_name(g, e));
        if (ubi__text_is(name, "transition") || ubi__text_is(name, "transitions"))
            return true;
    }
    return false;
}

/* The place of an entry's name in the descriptors: 0, 3, 6. */
static bool is_name_of_entry(ubi_text label) {
    unsigned place = 0;
    for (size_t i = 0; i < label.len; i++) {
        if (!ubi__is_digit(label.ptr[i]) || i == 4)
            return false;
        place = place * 10 + (unsigned)(label.ptr[i] - '0');
    }
    return label.len && place % ENTRY_SIZE == 0;
}

/* Of a field, or of an accessor: "get name". */
static bool is_label_of(ubi_text label, ubi_text field) {
    bool is_accessor = ubi__text_begins(label, "get ") || ubi__text_begins(label, "set ");
    return ubi__text_equal(label, field) ||
           (is_accessor && ubi__text_equal((ubi_text){ label.ptr + 4, label.len - 4 }, field));
}

static bool has_edge(const ubi_graph *g, ubi_node_ix node, ubi_text field) {
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi_graph_edge_kind(g, e) == UBI_EDGE_PROPERTY &&
            is_label_of(ubi_graph_string(g, ubi__graph_edge_name(g, e)), field))
            return true;
    return false;
}

size_t ubi__v8_fields_without_edges(ubi_text out[UBI__MOST_FIELDS_WITHOUT_EDGES], const ubi_graph *g,
                                    ubi_node_ix node) {
    size_t n = 0;
    ubi_node_ix map = is_narrow(g, node) ? ubi__target_named(g, node, UBI_EDGE_INTERNAL, "map") : UBI_NONE;
    if (!is_narrow(g, map) || has_transitions(g, map))
        return 0;
    ubi_node_ix descriptors = ubi__target_named(g, map, UBI_EDGE_INTERNAL, "descriptors");
    if (!is_narrow(g, descriptors))
        return 0;
    for (ubi_edge_ix e = g->first_edge.at[descriptors]; e < g->first_edge.at[descriptors + 1]; e++) {
        ubi_node_ix key = g->target.at[e];
        ubi_text field = ubi_graph_string(g, ubi__graph_node_name(g, key));
        bool is_string = ubi_graph_kind(g, ubi_graph_node_kind(g, key))->raw_type == UBI__V8_STRING;
        if (is_string && field.len && n < UBI__MOST_FIELDS_WITHOUT_EDGES &&
            is_name_of_entry(ubi_graph_string(g, ubi__graph_edge_name(g, e))) && !has_edge(g, node, field))
            out[n++] = field;
    }
    return n;
}
