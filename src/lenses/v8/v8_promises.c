/* SPDX-License-Identifier: MIT
 *
 * v8_promises.c: promises that are pending, and what waits for them.
 *
 * The field of a promise that has its result refers to its reactions while it is pending: V8 does not write whether it is, so
 * those without reactions are left out. A reaction has two handlers, functions without a script where an async function waits:
 * their scope refers to the suspended call, and that to the function and to the promise that it will settle.
 */
#include "lenses/v8/v8_findings.h"

static bool is_promise(const ubi__finding_facts *f, ubi_node_ix node) {
    return ubi__finding_role(f, node) == UBI__ROLE_PROMISE;
}

static ubi_node_ix result_of(const ubi__finding_facts *f, ubi_node_ix suspended) {
    const ubi_graph *g = f->graph;
    for (ubi_edge_ix e = g->first_edge.at[suspended]; e < g->first_edge.at[suspended + 1]; e++)
        if (ubi__graph_edge_kind(g, e) == UBI_EDGE_HIDDEN && is_promise(f, g->target.at[e]))
            return g->target.at[e];
    return UBI_NONE;
}

static bool handler_awaits(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix handler) {
    ubi_node_ix context = ubi__v8_field(f->fields, handler, UBI__FIELD_CONTEXT);
    ubi_node_ix suspended = ubi__v8_field(f->fields, context, UBI__FIELD_EXTENSION);
    ubi_node_ix function = ubi__v8_field(f->fields, suspended, UBI__FIELD_FUNCTION);
    bool has_script = ubi__v8_script_of(f->fields, handler) != UBI_NONE;
    out->function = has_script ? handler : function;
    if (out->function == UBI_NONE || ubi__finding_role(f, out->function) != UBI__ROLE_CLOSURE)
        return false;
    out->code = ubi__v8_field(f->fields, out->function, UBI__FIELD_SHARED);
    out->result = has_script ? UBI_NONE : result_of(f, suspended);
    return out->code != UBI_NONE;
}

bool ubi__v8_promise_awaited(ubi__awaited *out, const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_graph *g = f->graph;
    if (ubi__finding_role(f, node) != UBI__ROLE_PROMISE)
        return false;
    ubi_node_ix reaction = ubi__v8_field(f->fields, node, UBI__FIELD_REACTIONS);
    if (reaction == UBI_NONE || ubi__finding_role(f, reaction) != UBI__ROLE_REACTION)
        return false;
    for (ubi_edge_ix e = g->first_edge.at[reaction]; e < g->first_edge.at[reaction + 1]; e++)
        if (ubi__finding_role(f, g->target.at[e]) == UBI__ROLE_CLOSURE && handler_awaits(out, f, g->target.at[e]))
            return true;
    return false;
}
