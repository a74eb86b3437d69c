/* SPDX-License-Identifier: MIT
 *
 * v8_collections.c: where V8 keeps the entries of collections, and which of them are dead.
 *
 * Maps and sets keep their entries in a table: an array with a header, some slots for buckets, and then three slots per entry
 * of a map (key, value, link) and two of a set. Arrays and objects have an edge per element or property.
 */
#include "base/text.h"
#include "formats/v8/v8_types.h"
#include "lenses/v8/v8_findings.h"

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
