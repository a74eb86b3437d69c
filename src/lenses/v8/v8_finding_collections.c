/* SPDX-License-Identifier: MIT
 *
 * v8_finding_collections.c: collections that look as if nothing ever left them.
 *
 * Maps and sets keep their entries in a table: an array with a header, some slots for buckets, and then three slots per entry
 * of a map (key, value, link) and two of a set. Arrays and objects have an edge per element or property.
 */
#include <stdio.h>

#include "base/human.h"
#include "lenses/v8/v8_findings.h"

#define LEAST_ENTRIES 200
#define LEAST_BYTES (64 * 1024)
/* Entries of one class, of all: three of four. */
#define MOST_PARTS 4
#define MOST_OF_PARTS 3

/* Edges of one node that lead to entries. */
typedef struct entries {
    ubi_node_ix node; /* that has the edges */
    ubi__node_role role;
    uint32_t first_slot, slots_each, value_slot; /* maps and sets */
} entries;

static uint64_t edge_count(const ubi_graph *g, ubi_node_ix node) {
    return g->first_edge.at[node + 1] - g->first_edge.at[node];
}

/* Slots of a table: all of its memory but the words for its shape and its length. */
static uint64_t slot_count(const ubi__finding_facts *f, ubi_node_ix store) {
    uint64_t words = f->graph->size_bytes.at[store] / f->word_bytes;
    return words > 2 ? words - 2 : 0;
}

/*
 * Header of three numbers, a bucket for two entries, then the entries: with c entries, 3 + c / 2 + 3 c slots in a map and
 * 3 + c / 2 + 2 c in a set.
 */
static entries entries_of_table(const ubi__finding_facts *f, ubi_node_ix table, ubi__node_role role) {
    uint64_t slots = slot_count(f, table), each = role == UBI__ROLE_MAP ? 3 : 2;
    uint64_t capacity = slots > 3 ? (slots - 3) * 2 / (2 * each + 1) : 0;
    return (entries){ table, role, (uint32_t)(3 + capacity / 2), (uint32_t)each, role == UBI__ROLE_MAP };
}

/* A table that several maps share is one collection, that of the first. */
static entries entries_of(const ubi__finding_facts *f, ubi_node_ix node, ubi__node_bits *tables) {
    ubi__node_role role = ubi__finding_role(f, node);
    if (role != UBI__ROLE_MAP && role != UBI__ROLE_SET)
        return (entries){ .node = node, .role = role };
    ubi_node_ix table = ubi__v8_field(f->fields, node, UBI__FIELD_TABLE);
    return table == UBI_NONE || !ubi__node_bits_add(tables, table) ? (entries){ .node = UBI_NONE }
                                                                   : entries_of_table(f, table, role);
}

/* Whether an edge leads to the value of an entry. */
static bool is_entry(const ubi_graph *g, const entries *at, ubi_edge_ix e) {
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
static bool is_data(const ubi__finding_facts *f, ubi_node_ix node) {
    const ubi_kind *kind = ubi_graph_kind(f->graph, f->graph->kind.at[node]);
    return kind->raw_type != UBI__V8_CLOSURE && kind->coarse_type != UBI_COARSE_SCRIPT &&
           (kind->coarse_type != UBI_COARSE_OTHER || kind->raw_type == UBI__V8_NUMBER);
}

typedef struct majority {
    ubi_node_ix example; /* of the class; UBI_NONE: there is no majority */
    uint64_t n_entries, n_members;
} majority;

/* Finds the only class that more than half of the entries may have, then counts. */
static majority find_majority(const ubi__finding_facts *f, const entries *at) {
    const ubi_graph *g = f->graph;
    majority out = { UBI_NONE, 0, 0 };
    uint64_t lead = 0;
    ubi_edge_ix first = g->first_edge.at[at->node], end = g->first_edge.at[at->node + 1];
    for (ubi_edge_ix e = first; e < end; e++) {
        if (!is_entry(g, at, e))
            continue;
        out.n_entries++;
        if (lead == 0)
            out.example = g->target.at[e];
        lead +=
            ubi_lens_class_of(f->look, g->target.at[e]) == ubi_lens_class_of(f->look, out.example) ? 1 : (uint64_t)-1;
    }
    if (out.example == UBI_NONE)
        return out;
    for (ubi_edge_ix e = first; e < end; e++)
        out.n_members += is_entry(g, at, e) &&
                         ubi_lens_class_of(f->look, g->target.at[e]) == ubi_lens_class_of(f->look, out.example);
    return out;
}

/*
 * Tables of the runtime itself, such as Node.js's list of its modules: entries of a class of the runtime in a collection that
 * nothing but a function of the runtime holds. Sockets in a map of the program are another thing.
 */
static bool belongs_to_runtime(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix example) {
    ubi_node_ix holder = ubi_dominators_immediate(f->dominators, node);
    ubi_node_ix prototype = ubi__v8_field(f->fields, example, UBI__FIELD_PROTOTYPE);
    ubi_node_ix constructor = ubi__v8_field(f->fields, prototype, UBI__FIELD_CONSTRUCTOR);
    return holder != UBI_NONE && ubi__finding_role(f, holder) == UBI__ROLE_CLOSURE && constructor != UBI_NONE &&
           ubi__v8_is_of_runtime(f->fields, holder) && ubi__v8_is_of_runtime(f->fields, constructor);
}

typedef struct collection {
    ubi_node_ix node;
    uint64_t retained_bytes;
    majority majority;
} collection;

#define REPORTED 3

typedef struct best {
    collection at[REPORTED];
    uint32_t n;
} best;

static void offer(best *b, const collection *c) {
    uint32_t at = b->n;
    while (at > 0 && c->retained_bytes > b->at[at - 1].retained_bytes)
        at--;
    if (at == REPORTED)
        return;
    b->n += b->n < REPORTED;
    for (uint32_t i = b->n - 1; i > at; i--)
        b->at[i] = b->at[i - 1];
    b->at[at] = *c;
}

static bool looks_unbounded(const ubi__finding_facts *f, const majority *m) {
    return m->n_entries >= LEAST_ENTRIES && m->n_members >= m->n_entries / MOST_PARTS * MOST_OF_PARTS &&
           is_data(f, m->example);
}

static void judge(best *b, const ubi__finding_facts *f, ubi_node_ix node, uint64_t least_bytes,
                  ubi__node_bits *tables) {
    ubi__node_role role = ubi__finding_role(f, node);
    if (role != UBI__ROLE_MAP && role != UBI__ROLE_SET && role != UBI__ROLE_ARRAY && role != UBI__ROLE_OBJECT)
        return;
    if (node == f->graph->root || ubi__finding_retained(f, node) < least_bytes)
        return;
    entries at = entries_of(f, node, tables);
    if (at.node == UBI_NONE || edge_count(f->graph, at.node) < LEAST_ENTRIES)
        return;
    collection c = { node, ubi__finding_retained(f, node), find_majority(f, &at) };
    if (looks_unbounded(f, &c.majority) && !belongs_to_runtime(f, node, c.majority.example))
        offer(b, &c);
}

static ubi_status tell(ubi__finding_list *out, const ubi__finding_facts *f, const collection *c) {
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT];
    ubi_finding finding = { .bytes = c->retained_bytes, .count = c->majority.n_entries };
    ubi__finding_name name = ubi__finding_class_name(f, c->node),
                      held = ubi__finding_class_name(f, c->majority.example);
    ubi__finding_example(&finding, c->node);
    ubi__finding_example(&finding, c->majority.example);
    ubi__finding_call(&finding, "one %s with %s entries", name.text, ubi__human_count(count, finding.count));
    ubi__finding_say(
        &finding, "One %s holds %s entries, nearly all %s, and keeps %s alive: does anything ever leave it?", name.text,
        ubi__human_count(count, finding.count), held.text, ubi__human_size(size, c->retained_bytes));
    return ubi__finding_add(out, &finding);
}

ubi_status ubi__finding_v8_collections(ubi__finding_list *out, const ubi__finding_facts *f) {
    best b = { .n = 0 };
    ubi__node_bits tables;
    uint64_t least_bytes = ubi__finding_worth(f, LEAST_BYTES);
    UBI_TRY(ubi__node_bits_new(&tables, f));
    for (ubi_node_ix node = 0; node < f->graph->n_nodes; node++)
        judge(&b, f, node, least_bytes, &tables);
    ubi__node_bits_free(&tables, f);
    for (uint32_t i = 0; i < b.n; i++)
        UBI_TRY(tell(out, f, &b.at[i]));
    return UBI_OK;
}
