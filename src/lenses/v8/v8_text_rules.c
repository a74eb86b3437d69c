/* SPDX-License-Identifier: MIT
 *
 * v8_text_rules.c: how files of V8 write strings (string_keys.h).
 */
#include "lenses/v8/v8_look.h"
#include "lenses/v8/v8_producer.h"

static ubi__string_part part_of_kind(const ubi_graph *graph, const ubi_kind *kind) {
    if (!ubi__v8_facts_of(graph) || kind->raw_type == UBI__V8_STRING)
        return UBI__STRING_TEXT;
    if (kind->raw_type == UBI__V8_CONS_STRING)
        return UBI__STRING_ROPE;
    return kind->raw_type == UBI__V8_SLICED_STRING ? UBI__STRING_SLICE : UBI__STRING_TEXTLESS;
}

/* ---- strings that were cut ------------------------------------------------------------------------------------------ */

static bool has_cut_strings(const ubi_look *look) {
    return ubi__v8_look_of(look)->words.truncated != UBI_NONE;
}

/* Target of the first internal edge of that name, or UBI_NONE. */
static ubi_node_ix internal_field(const ubi_graph *g, ubi_node_ix node, const char *name) {
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi__graph_edge_kind(g, e) == UBI_EDGE_INTERNAL && ubi__text_is(ubi_graph_string(g, g->name.at[e]), name))
            return g->target.at[e];
    return UBI_NONE;
}

/* What a number or a truth value says: the name of the string that its field `value` leads to. */
static ubi_str_ix said_by(const ubi_graph *g, ubi_node_ix number) {
    ubi_node_ix value = number == UBI_NONE ? UBI_NONE : internal_field(g, number, "value");
    return value == UBI_NONE ? UBI_NONE : ubi_graph_canonical_string(g, ubi__graph_node_name(g, value));
}

/* Numbers of both say which text it was, hashed with a seed of the process. */
static bool string_cut(ubi__string_cut *out, const ubi_graph *g, ubi_node_ix node) {
    ubi_str_ix said = said_by(g, internal_field(g, node, "truncated"));
    if (said == UBI_NONE || !ubi__text_is(ubi_graph_string(g, said), "true"))
        return false;
    *out =
        (ubi__string_cut){ said_by(g, internal_field(g, node, "length")), said_by(g, internal_field(g, node, "hash")) };
    return true;
}

const ubi__string_rules ubi__v8_string_rules = {
    .part_of_kind = part_of_kind,
    .has_cut_strings = has_cut_strings,
    .string_cut = string_cut,
    .unknown_part = "(sliced string)",
};
