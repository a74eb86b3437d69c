/* SPDX-License-Identifier: MIT
 *
 * quickjs_findings.c: what QuickJS tells the rules of findings.
 */
#include <stdio.h>

#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/quickjs/quickjs_producer.h"

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    static const struct {
        const char *name;
        ubi__node_role role;
    } known[] = { { "Map", UBI__ROLE_MAP },
                  { "Set", UBI__ROLE_SET },
                  { "Array", UBI__ROLE_ARRAY },
                  { "Object", UBI__ROLE_OBJECT },
                  { "Promise", UBI__ROLE_PROMISE } };
    ubi_text name = ubi_graph_string(g, kind->class_name);
    if (!ubi__text_is(ubi_graph_string(g, kind->type_name), "JSObject") || !name.ptr)
        return UBI__ROLE_NONE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ubi__text_is(name, known[i].name))
            return known[i].role;
    /* "AsyncFunction", "BoundFunction", "PromiseResolveFunction" */
    return ubi__text_contains(name, ubi__text("Function")) ? UBI__ROLE_CLOSURE : UBI__ROLE_NONE;
}

static ubi__entries entries_of(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *seen) {
    (void)seen;
    return (ubi__entries){ .node = node, .role = ubi__finding_role(f, node) };
}

static bool is_number(ubi_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] < '0' || name.ptr[i] > '9')
            return false;
    return name.len > 0;
}

/* Properties of an array have names, its elements have numbers. */
static bool edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e) {
    ubi_text name = ubi_graph_string(f->graph, f->graph->name.at[e]);
    if (!name.ptr)
        return false;
    switch (at->role) {
    case UBI__ROLE_MAP:
        return ubi__text_is(name, "value");
    case UBI__ROLE_SET:
        return ubi__text_is(name, "key");
    case UBI__ROLE_ARRAY:
        return is_number(name);
    default:
        return !ubi__text_is(name, "shape");
    }
}

static bool node_is_data(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_coarse_type type = ubi_graph_kind(f->graph, f->graph->kind.at[node])->coarse_type;
    return type != UBI_COARSE_OTHER && type != UBI_COARSE_SCRIPT && ubi__finding_role(f, node) != UBI__ROLE_CLOSURE;
}

/* ---- promises ------------------------------------------------------------------------------------------------------- */

/* Target of the first edge of that name; of UBI_NONE, UBI_NONE. */
static ubi_node_ix field_of(const ubi_graph *g, ubi_node_ix node, const char *name) {
    if (node == UBI_NONE)
        return UBI_NONE;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (ubi__text_is(ubi_graph_string(g, g->name.at[e]), name))
            return g->target.at[e];
    return UBI_NONE;
}

/* A promise drops its handlers when it is settled. That of an async function leads to its suspended call. */
static bool promise_awaited(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    if (ubi__finding_role(f, node) != UBI__ROLE_PROMISE)
        return false;
    ubi_node_ix handler = field_of(g, node, "handler"), state = field_of(g, handler, "state");
    ubi_node_ix function = field_of(g, state, "function");
    out->function = function != UBI_NONE ? function : handler;
    out->code = field_of(g, out->function, "bytecode");
    out->result = function != UBI_NONE ? field_of(g, field_of(g, state, "resolve"), "promise") : UBI_NONE;
    return out->code != UBI_NONE;
}

/* Functions have no names in the file, and no lines. */
static void function_words(char out[UBI__FUNCTION_WORDS], const ubi__finding_facts *f, ubi_node_ix function) {
    const ubi_graph *g = f->graph;
    ubi_node_ix code = field_of(g, function, "bytecode");
    ubi_str_ix file = code == UBI_NONE ? UBI_NONE : ubi_graph_kind(g, g->kind.at[code])->script_filename;
    ubi__finding_name name = ubi__finding_cut(file == UBI_NONE ? ubi__text("") : ubi_graph_string(g, file));
    snprintf(out, UBI__FUNCTION_WORDS, "a function%s%s", *name.text ? " of " : "", name.text);
}

const ubi__producer_findings ubi__quickjs_findings = {
    .role_of_kind = role_of,
    .entries = entries_of,
    .edge_is_entry = edge_is_entry,
    .node_is_data = node_is_data,
    .promise_awaited = promise_awaited,
    .function_words = function_words,
};
