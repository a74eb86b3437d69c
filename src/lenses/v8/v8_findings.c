/* SPDX-License-Identifier: MIT
 *
 * v8_findings.c: what V8 tells the rules of findings, and the table of its own.
 */
#include "lenses/v8/v8_findings.h"

#include "base/text.h"
#include "base/text_parts.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_producer.h"

static bool apply(const ubi_graph *graph) {
    return ubi__v8_facts_of(graph) != NULL;
}

static ubi__node_role role_of_object(ubi_text name) {
    static const struct {
        const char *name;
        ubi__node_role role;
    } known[] = { { "Map", UBI__ROLE_MAP },
                  { "Set", UBI__ROLE_SET },
                  { "Array", UBI__ROLE_ARRAY },
                  { "Timeout", UBI__ROLE_TIMER },
                  { "Immediate", UBI__ROLE_TIMER } };
    if (ubi__text_is(name, "system / Context") || ubi__text_begins(name, "system / Context / "))
        return UBI__ROLE_CONTEXT;
    if (ubi__text_begins(name, "system / "))
        return UBI__ROLE_NONE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ubi__text_is(name, known[i].name))
            return known[i].role;
    return UBI__ROLE_OBJECT;
}

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    ubi_text type_name = ubi_graph_string(g, kind->type_name);
    switch (kind->raw_type) {
    case UBI__V8_OBJECT:
        return role_of_object(ubi_graph_string(g, kind->class_name));
    case UBI__V8_CLOSURE:
        return UBI__ROLE_CLOSURE;
    case UBI__V8_ARRAY:
        return ubi__text_is(type_name, "(object elements)") || ubi__text_is(type_name, "(object properties)")
                   ? UBI__ROLE_STORE
                   : UBI__ROLE_NONE;
    case UBI__V8_HIDDEN: /* contexts of older versions */
        return ubi__text_begins(type_name, "system / Context") ? UBI__ROLE_CONTEXT : UBI__ROLE_NONE;
    case UBI__V8_NATIVE:
        if (ubi__text_is(type_name, "V8EventListener"))
            return UBI__ROLE_LISTENER;
        return ubi__text_is(type_name, "system / JSArrayBufferData") ? UBI__ROLE_BUFFER : UBI__ROLE_NONE;
    default:
        return UBI__ROLE_NONE;
    }
}

static const ubi__finding_entry rules[] = {
    { "sparseStorage", ubi__finding_v8_stores },
    { "emptyCollections", ubi__finding_v8_empties },
    { "detachedDom", ubi__finding_v8_detached },
    { "closureContext", ubi__finding_v8_closures },
    { "timers", ubi__finding_v8_timers },
    { "eventListeners", ubi__finding_v8_listeners },
    { "emitterListeners", ubi__finding_v8_emitters },
    { "arrayBuffers", ubi__finding_v8_buffers },
    { NULL, NULL },
};

const ubi__producer_findings ubi__v8_findings = {
    .apply = apply,
    .role_of_kind = role_of,
    .rules = rules,
    .entries = ubi__v8_entries_of,
    .edge_is_entry = ubi__v8_edge_is_entry,
    .node_is_data = ubi__v8_node_is_data,
    .collection_is_of_runtime = ubi__v8_collection_is_of_runtime,
    .node_is_dead = ubi__v8_node_is_dead,
    .has_large_tables = true,
    .document_class = "HTMLDocument",
};
