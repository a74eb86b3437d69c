/* SPDX-License-Identifier: MIT
 *
 * v8_findings.c: what V8 supplies to the rules of findings, and the table of its own.
 */
#include "lenses/v8/v8_findings.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/text.h"
#include "formats/v8/v8_facts.h"
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

/* ---- collections ------------------------------------------------------------------------------------------------- */

/*
 * Where V8 keeps the entries of collections, and which of them are dead.
 *
 * Maps and sets keep their entries in a table: an array with a header, some slots for buckets, and then three slots per entry
 * of a map (key, value, link) and two of a set. Arrays and objects have an edge per element or property.
 */

/* Slots of a table: all of its memory but the words for its shape and its length. */
static uint64_t slot_count(const ubi__finding_facts *f, ubi_node_ix store) {
    uint64_t words = f->graph->size_bytes.at[store] / f->word_bytes;
    return words > 2 ? words - 2 : 0;
}

/*
 * Header of three numbers, a bucket for two entries, then the entries: with c entries, 3 + c / 2 + 3 c slots in a map and
 * 3 + c / 2 + 2 c in a set.
 */
static ubi__entries entries_of_table(const ubi__finding_facts *f, ubi_node_ix table, ubi__node_role role) {
    uint64_t slots = slot_count(f, table), each = role == UBI__ROLE_MAP ? 3 : 2;
    uint64_t capacity = slots > 3 ? (slots - 3) * 2 / (2 * each + 1) : 0;
    return (ubi__entries){ table, role, (uint32_t)(3 + capacity / 2), (uint32_t)each, role == UBI__ROLE_MAP };
}

/* A table that several maps share is one collection, that of the first. */
ubi__entries ubi__v8_entries_of(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *seen) {
    ubi__node_role role = ubi__finding_role(f, node);
    if (role != UBI__ROLE_MAP && role != UBI__ROLE_SET)
        return (ubi__entries){ .node = node, .role = role };
    ubi_node_ix table = ubi__v8_field(f->fields, node, UBI__FIELD_TABLE);
    return table == UBI_NONE || !ubi__node_bits_add(seen, table) ? (ubi__entries){ .node = UBI_NONE }
                                                                 : entries_of_table(f, table, role);
}

/* Whether an edge leads to the value of an entry. */
bool ubi__v8_edge_is_entry(const ubi__finding_facts *f, const ubi__entries *at, ubi_edge_ix e) {
    const ubi_graph *g = f->graph;
    uint32_t slot;
    ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
    if (at->slots_each)
        return ubi__v8_slot(&slot, g, e) && slot >= at->first_slot &&
               (slot - at->first_slot) % at->slots_each == at->value_slot;
    if (kind == UBI_EDGE_ELEMENT)
        return true;
    return at->role == UBI__ROLE_OBJECT && kind == UBI_EDGE_PROPERTY &&
           !ubi__text_is(ubi_graph_string(g, g->name.at[e]), "__proto__");
}

/* Functions and the engine's own things make prototypes and modules, not collections. */
bool ubi__v8_node_is_data(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(f->graph, f->graph->kind.at[node]);
    return kind->raw_type != UBI__V8_CLOSURE && kind->coarse_type != UBI_COARSE_SCRIPT &&
           (kind->coarse_type != UBI_COARSE_OTHER || kind->raw_type == UBI__V8_NUMBER);
}

/*
 * Tables of the runtime itself, such as Node.js's list of its modules: entries of a class of the runtime in a collection that
 * nothing but a function of the runtime holds. Sockets in a map of the program are another thing.
 */
bool ubi__v8_collection_is_of_runtime(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix example) {
    ubi_node_ix holder = ubi_dominators_immediate(f->dominators, node);
    ubi_node_ix prototype = ubi__v8_field(f->fields, example, UBI__FIELD_PROTOTYPE);
    ubi_node_ix constructor = ubi__v8_field(f->fields, prototype, UBI__FIELD_CONSTRUCTOR);
    return holder != UBI_NONE && ubi__finding_role(f, holder) == UBI__ROLE_CLOSURE && constructor != UBI_NONE &&
           ubi__v8_is_of_runtime(f->fields, holder) && ubi__v8_is_of_runtime(f->fields, constructor);
}

/* ---- entries that are dead ------------------------------------------------------------------------------------------ */

/*
 * V8 writes an edge to the object of a WeakRef as long as there is one. The prototype is called so, too, and so may be a class of
 * the program: its constructor has a script.
 */
static bool is_cleared_reference(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_node_ix prototype = ubi__v8_field(f->fields, node, UBI__FIELD_PROTOTYPE);
    ubi_node_ix constructor = ubi__v8_field(f->fields, prototype, UBI__FIELD_CONSTRUCTOR);
    return ubi__v8_field(f->fields, node, UBI__FIELD_WEAK_TARGET) == UBI_NONE &&
           ubi__v8_field(f->fields, node, UBI__FIELD_CONSTRUCTOR) == UBI_NONE && constructor != UBI_NONE &&
           ubi__v8_script_of(f->fields, constructor) == UBI_NONE;
}

/* A socket of Node.js has a handle from when it begins to connect until it is closed. */
static bool is_closed_socket(const ubi__finding_facts *f, ubi_node_ix node) {
    ubi_node_ix handle = ubi__v8_field(f->fields, node, UBI__FIELD_SOCKET_HANDLE);
    return handle != UBI_NONE && ubi_graph_kind(f->graph, f->graph->kind.at[handle])->raw_type == UBI__V8_HIDDEN;
}

ubi__dead ubi__v8_node_is_dead(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(f->graph, f->graph->kind.at[node]);
    if (kind->raw_type != UBI__V8_OBJECT)
        return UBI__NOT_DEAD;
    ubi_text name = ubi_graph_string(f->graph, kind->class_name);
    if (ubi__text_is(name, "WeakRef"))
        return is_cleared_reference(f, node) ? UBI__DEAD_REFERENCE : UBI__NOT_DEAD;
    if (ubi__text_is(name, "Socket") || ubi__text_is(name, "TLSSocket"))
        return is_closed_socket(f, node) ? UBI__DEAD_SOCKET : UBI__NOT_DEAD;
    return UBI__NOT_DEAD;
}

/* ---- promises ---------------------------------------------------------------------------------------------------- */

/*
 * Promises that are pending, and what waits for them.
 *
 * The field of a promise that has its result refers to its reactions while it is pending: V8 does not write whether it is, so
 * those without reactions are left out. A reaction has two handlers, functions without a script where an async function waits:
 * their scope refers to the suspended call, and that to the function and to the promise that it will settle.
 */

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

/* ---- variables that nothing reads -------------------------------------------------------------------------------- */

/*
 * Whether a variable that functions captured is still read by anything (files of Chromium 156 and later).
 *
 * A file with scopes says of every scope which variables of which scopes its code uses. A function that lives can run its own
 * code and that of functions within it, so a variable of a context is in use if a live function that reaches that context is
 * a scope that uses the variable, or encloses one.
 *
 * Scopes are in the order of their code, parents before children, each with its depth. One pass with the number of live
 * scopes that enclose the current one is enough: a stack of depths becomes a single mark, the depth of the outermost live one.
 */

/* Scopes of functions that are alive and reach one context. Ascending. */
UBI_VEC_DECLARE(vec_scope_id, int64_t);

/* A variable of a context. */
typedef struct scope_variable {
    ubi_node_ix script; /* where its scope is */
    int64_t scope_id;
    ubi_str_ix name;
} scope_variable;

static bool is_live(const vec_scope_id *live, int64_t id) {
    size_t low = 0, high = live->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (live->at[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < live->n && live->at[low] == id;
}

/* The slot of the variable in the scope that declares it; false: it is not there. */
static bool find_slot(uint32_t *out, const ubi__v8_facts *facts, const ubi_graph *g, const scope_variable *v) {
    ubi_text name = ubi_graph_string(g, v->name);
    for (size_t i = 0; i < facts->scopes.n; i++) {
        const ubi__v8_scope *s = &facts->scopes.at[i];
        if (s->script != v->script || s->scope_id != v->scope_id)
            continue;
        for (uint32_t k = 0; k < s->n_variables; k++)
            if (ubi__text_equal(ubi_graph_string(g, facts->scope_variables.at[s->first_variable + k]), name)) {
                *out = k;
                return true;
            }
    }
    return false;
}

static bool scope_has_use(const ubi__v8_facts *facts, const ubi__v8_scope *s, int64_t scope_id, uint32_t slot) {
    for (uint32_t i = 0; i < s->n_uses; i++) {
        const ubi__v8_scope_use *use = &facts->scope_uses.at[s->first_use + i];
        if (use->scope_id == scope_id && use->slot == slot)
            return true;
    }
    return false;
}

/* False also if the file does not have the variable. Cost: O(scopes of the file * log live + uses). */
static bool variable_is_unread(const ubi__v8_facts *facts, const ubi_graph *g, const scope_variable *v,
                               const vec_scope_id *live) {
    uint32_t slot, live_depth = UINT32_MAX; /* of the outermost live scope around the current one */
    for (size_t i = 1; UBI_CHECKS && i < live->n; i++)
        UBI_ASSERT(live->at[i - 1] <= live->at[i]);
    if (!find_slot(&slot, facts, g, v))
        return false;
    for (size_t i = 0; i < facts->scopes.n; i++) {
        const ubi__v8_scope *s = &facts->scopes.at[i];
        if (s->script != v->script)
            continue;
        if (s->depth <= live_depth)
            live_depth = is_live(live, s->scope_id) ? s->depth : UINT32_MAX;
        if (live_depth != UINT32_MAX && scope_has_use(facts, s, v->scope_id, slot))
            return false;
    }
    return true;
}

static int compare_scope_ids(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static ubi_status find_live_scopes(vec_scope_id *live, const ubi__finding_facts *f, const ubi__captured *variable) {
    int64_t scope_id;
    for (size_t i = 0; i < variable->n_live; i++) {
        ubi_node_ix shared = ubi__v8_field(f->fields, variable->live[i], UBI__FIELD_SHARED);
        if (shared != UBI_NONE && ubi__v8_number_field(&scope_id, f->fields, shared, UBI__FIELD_SCOPE_ID))
            UBI_TRY(vec_scope_id_push(live, f->allocator, scope_id));
    }
    if (live->n)
        qsort(live->at, live->n, sizeof *live->at, compare_scope_ids);
    return UBI_OK;
}

ubi_status ubi__v8_variable_is_unread(bool *out, const ubi__finding_facts *f, const ubi__captured *variable) {
    const ubi__v8_facts *facts = ubi__v8_facts_of(f->graph);
    scope_variable v = { .script = ubi__v8_script_of(f->fields, variable->closure), .name = variable->name };
    ubi_node_ix scope_info = ubi__v8_field(f->fields, variable->context, UBI__FIELD_SCOPE_INFO);
    vec_scope_id live = { .n = 0 };
    *out = false;
    if (facts->scopes.n == 0 || scope_info == UBI_NONE || v.script == UBI_NONE ||
        !ubi__v8_number_field(&v.scope_id, f->fields, scope_info, UBI__FIELD_SCOPE_ID))
        return UBI_OK;
    ubi_status status = find_live_scopes(&live, f, variable);
    if (status == UBI_OK)
        *out = variable_is_unread(facts, f->graph, &v, &live);
    vec_scope_id_fini(&live, f->allocator);
    return status;
}
