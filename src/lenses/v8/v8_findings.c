/* SPDX-License-Identifier: MIT
 *
 * v8_findings.c: what V8 tells the rules of findings, and the table of its own.
 */
#include "lenses/v8/v8_findings.h"

#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_producer.h"

static bool apply(const ubi_graph *graph) {
    return ubi__v8_facts_of(graph) != NULL;
}

static ubi__node_role role_of_object(ubi_text name) {
    static const struct {
        const char *name;
        ubi__node_role role;
    } known[] = { { "Map", UBI__ROLE_MAP },         { "Set", UBI__ROLE_SET },
                  { "Array", UBI__ROLE_ARRAY },     { "Promise", UBI__ROLE_PROMISE },
                  { "FiberNode", UBI__ROLE_FIBER }, { "FiberRootNode", UBI__ROLE_FIBER_ROOT },
                  { "Timeout", UBI__ROLE_TIMER },   { "Immediate", UBI__ROLE_TIMER } };
    if (ubi__text_is(name, "system / Context") || ubi__text_begins(name, "system / Context / "))
        return UBI__ROLE_CONTEXT;
    if (ubi__text_begins(name, "system / "))
        return UBI__ROLE_NONE;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ubi__text_is(name, known[i].name))
            return known[i].role;
    return UBI__ROLE_OBJECT;
}

static bool is_reaction(ubi_text name) {
    return ubi__text_is(name, "system / PromiseReaction");
}

static ubi__node_role role_of(const ubi_graph *g, const ubi_kind *kind) {
    ubi_text type_name = ubi_graph_string(g, kind->type_name);
    switch (kind->raw_type) {
    case UBI__V8_OBJECT:
        if (is_reaction(ubi_graph_string(g, kind->class_name)))
            return UBI__ROLE_REACTION;
        return role_of_object(ubi_graph_string(g, kind->class_name));
    case UBI__V8_CLOSURE:
        return UBI__ROLE_CLOSURE;
    case UBI__V8_ARRAY:
        return ubi__text_is(type_name, "(object elements)") || ubi__text_is(type_name, "(object properties)")
                   ? UBI__ROLE_STORE
                   : UBI__ROLE_NONE;
    case UBI__V8_HIDDEN: /* contexts of older versions */
        if (is_reaction(type_name))
            return UBI__ROLE_REACTION;
        return ubi__text_begins(type_name, "system / Context") ? UBI__ROLE_CONTEXT : UBI__ROLE_NONE;
    case UBI__V8_NATIVE:
        if (ubi__text_is(type_name, "V8EventListener"))
            return UBI__ROLE_LISTENER;
        return ubi__text_is(type_name, "system / JSArrayBufferData") ? UBI__ROLE_BUFFER : UBI__ROLE_NONE;
    default:
        return UBI__ROLE_NONE;
    }
}

/* ---- files of code -------------------------------------------------------------------------------------------------- */

/* The text of a path that a module has. Parts of other strings have no text of their own. */
static ubi_text module_file(const ubi__finding_facts *f, ubi_node_ix module) {
    ubi_node_ix name = ubi__v8_field(f->fields, module, UBI__FIELD_FILENAME);
    ubi_text path = name == UBI_NONE ? ubi__text("") : ubi_graph_string(f->graph, ubi__graph_node_name(f->graph, name));
    bool is_path = path.len > 2 && (path.ptr[0] == '/' || path.ptr[1] == ':');
    return is_path ? path : ubi__text("");
}

static ubi_text file_of_code(const ubi__finding_facts *f, const ubi__code_files *files, ubi_node_ix node) {
    static const char runtime[] = "node:";
    const ubi_graph *g = f->graph;
    const ubi_kind *kind = ubi_graph_kind(g, g->kind.at[node]);
    ubi_text class_name;
    switch (kind->raw_type) {
    case UBI__V8_CODE:
        return ubi__v8_code_file(files, g, node);
    case UBI__V8_CLOSURE:
        node = ubi__v8_field(f->fields, node, UBI__FIELD_SHARED);
        return node == UBI_NONE ? ubi__text("") : ubi__v8_code_file(files, g, node);
    case UBI__V8_OBJECT:
        class_name = ubi_graph_string(g, kind->class_name);
        if (ubi__text_is(class_name, "Module"))
            return module_file(f, node);
        return ubi__text(ubi__text_is(class_name, "BuiltinModule") ? runtime : "");
    default:
        return ubi__text("");
    }
}

/* A scope is that of the functions in it. What a module exports may be what another one made: then both claim it. */
static bool edge_is_of_file(const ubi__finding_facts *f, ubi_node_ix source, ubi_edge_ix e) {
    const ubi_graph *g = f->graph;
    ubi__node_role role = ubi__finding_role(f, g->target.at[e]);
    if (ubi__finding_role(f, source) == UBI__ROLE_CLOSURE)
        return role == UBI__ROLE_CONTEXT && ubi__v8_edge_is(g, e, UBI_EDGE_INTERNAL, "context");
    return role != UBI__ROLE_NONE && ubi__v8_edge_is(g, e, UBI_EDGE_PROPERTY, "exports");
}

static void function_words(char out[UBI__FUNCTION_WORDS], const ubi__finding_facts *f, ubi_node_ix function) {
    ubi__v8_function_words(out, ubi__v8_facts_of(f->graph), f->fields, function);
}

static ubi_node_ix scope_of(const ubi__finding_facts *f, ubi_node_ix node) {
    bool is_closure = ubi__finding_role(f, node) == UBI__ROLE_CLOSURE;
    return ubi__v8_field(f->fields, node, is_closure ? UBI__FIELD_CONTEXT : UBI__FIELD_PREVIOUS);
}

static const ubi__finding_entry rules[] = {
    { "sparseStorage", ubi__finding_v8_stores },
    { "emptyCollections", ubi__finding_v8_empties },
    { "detachedDom", ubi__finding_detached },
    { "closureContext", ubi__finding_closures },
    { "timers", ubi__finding_v8_timers },
    { "eventListeners", ubi__finding_v8_listeners },
    { "emitterListeners", ubi__finding_v8_emitters },
    { "arrayBuffers", ubi__finding_buffers },
    { "unmountedFibers", ubi__finding_v8_fibers },
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
    .file_of_code = file_of_code,
    .edge_is_of_file = edge_is_of_file,
    .file_is_of_runtime = ubi__v8_file_is_of_runtime,
    .promise_awaited = ubi__v8_promise_awaited,
    .scope_of = scope_of,
    .variable_is_unread = ubi__v8_variable_is_unread,
    .function_words = function_words,
    .has_large_tables = true,
    .document_class = "HTMLDocument",
};
