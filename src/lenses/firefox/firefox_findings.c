/* SPDX-License-Identifier: MIT
 *
 * firefox_findings.c: what Firefox tells the rules of findings.
 */
#include "base/text.h"
#include "graph/graph_columns.h"
#include "lenses/firefox/firefox_producer.h"

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    static const struct {
        const char *name;
        ubi__node_role role;
    } known[] = { { "Map", UBI__ROLE_MAP },
                  { "Set", UBI__ROLE_SET },
                  { "Array", UBI__ROLE_ARRAY },
                  { "Object", UBI__ROLE_OBJECT },
                  { "Function", UBI__ROLE_CLOSURE } };
    ubi_text name = ubi_graph_string(g, kind->class_name);
    if (!ubi__text_is(ubi_graph_string(g, kind->type_name), "JSObject") || !name.ptr)
        return UBI__ROLE_NONE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ubi__text_is(name, known[i].name))
            return known[i].role;
    return UBI__ROLE_NONE;
}

static ubi__entries entries_of(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *seen) {
    (void)seen;
    return (ubi__entries){ .node = node, .role = ubi__finding_role(f, node) };
}

/* Keys of maps and sets are both called "HashableValue". */
static bool edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e) {
    ubi_text name = ubi_graph_string(f->graph, f->graph->name.at[e]);
    if (!name.ptr)
        return false;
    switch (at->role) {
    case UBI__ROLE_MAP:
        return ubi__text_is(name, "OrderedHashMapObject value");
    case UBI__ROLE_SET:
        return ubi__text_is(name, "HashableValue");
    case UBI__ROLE_ARRAY:
        return ubi__text_begins(name, "objectElements[");
    default:
        return !ubi__text_is(name, "shape");
    }
}

static bool node_is_data(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_coarse_type type = ubi_graph_kind(f->graph, f->graph->kind.at[node])->coarse_type;
    return type != UBI_COARSE_OTHER && type != UBI_COARSE_SCRIPT && ubi__finding_role(f, node) != UBI__ROLE_CLOSURE;
}

const ubi__producer_findings ubi__firefox_findings = {
    .role_of_kind = role_of,
    .entries = entries_of,
    .edge_is_entry = edge_is_entry,
    .node_is_data = node_is_data,
};
