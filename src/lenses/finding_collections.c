/* SPDX-License-Identifier: MIT
 *
 * finding_collections.c: collections that look as if nothing ever left them; and those most entries of which are dead.
 *
 * The producer says which edges lead to entries.
 */
#include <stdio.h>

#include "base/assert.h"
#include "base/human.h"
#include "lenses/finding_facts.h"

#define LEAST_ENTRIES 200
#define LEAST_BYTES (64 * 1024)
/* Entries of one class, of all: three of four. */
#define MOST_PARTS 4
#define MOST_OF_PARTS 3

static uint64_t edge_count(const ubi_graph *g, ubi_node_ix node) {
    return g->first_edge.at[node + 1] - g->first_edge.at[node];
}

/* Of a collection that keeps enough alive; else there are none. */
static ubi__entries entries_of(const ubi__finding_facts *f, ubi_node_ix node, uint64_t least_bytes,
                               ubi__node_bits *tables) {
    ubi__node_role role = ubi__finding_role(f, node);
    bool is_collection =
        role == UBI__ROLE_MAP || role == UBI__ROLE_SET || role == UBI__ROLE_ARRAY || role == UBI__ROLE_OBJECT;
    if (!is_collection || node == f->graph->root || ubi__finding_retained(f, node) < least_bytes)
        return (ubi__entries){ .node = UBI_NONE };
    return f->producer->entries(f, node, tables);
}

typedef struct majority {
    ubi_node_ix example; /* of the class; UBI_NONE: there is no majority */
    uint64_t n_entries, n_members;
} majority;

/* Finds the only class that more than half of the entries may have, then counts. */
static majority find_majority(const ubi__finding_facts *f, const ubi__entries *at) {
    const ubi_graph *g = f->graph;
    majority out = { UBI_NONE, 0, 0 };
    uint64_t lead = 0;
    ubi_edge_ix first = g->first_edge.at[at->node], end = g->first_edge.at[at->node + 1];
    for (ubi_edge_ix e = first; e < end; e++) {
        if (!f->producer->edge_is_entry(f, at, e))
            continue;
        out.n_entries++;
        if (lead == 0)
            out.example = g->target.at[e];
        lead +=
            ubi_look_class_of(f->look, g->target.at[e]) == ubi_look_class_of(f->look, out.example) ? 1 : (uint64_t)-1;
    }
    if (out.example == UBI_NONE)
        return out;
    for (ubi_edge_ix e = first; e < end; e++)
        out.n_members += f->producer->edge_is_entry(f, at, e) &&
                         ubi_look_class_of(f->look, g->target.at[e]) == ubi_look_class_of(f->look, out.example);
    return out;
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
           f->producer->node_is_data(f, m->example);
}

static bool is_of_runtime(const ubi__finding_facts *f, ubi_node_ix node, ubi_node_ix example) {
    return f->producer->collection_is_of_runtime && f->producer->collection_is_of_runtime(f, node, example);
}

static void judge(best *b, const ubi__finding_facts *f, ubi_node_ix node, uint64_t least_bytes,
                  ubi__node_bits *tables) {
    ubi__entries at = entries_of(f, node, least_bytes, tables);
    if (at.node == UBI_NONE || edge_count(f->graph, at.node) < LEAST_ENTRIES)
        return;
    collection c = { node, ubi__finding_retained(f, node), find_majority(f, &at) };
    UBI_ASSERT(c.majority.n_members <= c.majority.n_entries && c.majority.n_entries <= edge_count(f->graph, at.node));
    if (looks_unbounded(f, &c.majority) && !is_of_runtime(f, node, c.majority.example))
        offer(b, &c);
}

static ubi_status collection_finding_add(ubi__finding_list *out, const ubi__finding_facts *f, const collection *c) {
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

ubi_status ubi__finding_collections(ubi__finding_list *out, const ubi__finding_facts *f) {
    best b = { .n = 0 };
    ubi__node_bits tables;
    uint64_t least_bytes = ubi__finding_worth(f, LEAST_BYTES);
    if (!f->producer || !f->producer->entries)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&tables, f));
    for (ubi_node_ix node = 0; ubi__finding_has_node(f, node); node++)
        judge(&b, f, node, least_bytes, &tables);
    ubi__node_bits_free(&tables, f);
    for (uint32_t i = 0; i < b.n; i++)
        UBI_TRY(collection_finding_add(out, f, &b.at[i]));
    return UBI_OK;
}

/* ---- entries that are dead ------------------------------------------------------------------------------------------ */

#define LEAST_DEAD 100
#define LEAST_DEAD_BYTES (16 * 1024)
/* From a collection it is a step to its table, one to an entry. */
#define MOST_STEPS 3

typedef struct dying {
    ubi_node_ix node;
    uint64_t n_entries, n_dead, n[UBI__DEAD_COUNT];
    uint64_t bytes; /* of what is dead and nothing else holds */
    ubi_node_ix example[UBI__DEAD_COUNT];
} dying;

static ubi__dead node_is_dead(const ubi__finding_facts *f, ubi_node_ix node) {
    if (ubi_look_detachedness(f->look, node) == UBI_DETACHED)
        return UBI__DEAD_ELEMENT;
    return f->producer->node_is_dead ? f->producer->node_is_dead(f, node) : UBI__NOT_DEAD;
}

static bool keeps(const ubi__finding_facts *f, ubi_node_ix holder, ubi_node_ix node) {
    for (int step = 0; node != UBI_NONE && node != holder && step < MOST_STEPS; step++)
        node = ubi_dominators_immediate(f->dominators, node);
    return node == holder;
}

/* `counted`: an entry may be in a collection twice, but only one collection can keep it alone. */
static void dying_count(dying *d, const ubi__finding_facts *f, const ubi__entries *at, ubi__node_bits *counted) {
    const ubi_graph *g = f->graph;
    for (ubi_edge_ix e = g->first_edge.at[at->node]; e < g->first_edge.at[at->node + 1]; e++) {
        ubi_node_ix entry = g->target.at[e];
        if (!f->producer->edge_is_entry(f, at, e))
            continue;
        d->n_entries++;
        ubi__dead dead = node_is_dead(f, entry);
        if (dead == UBI__NOT_DEAD)
            continue;
        if (d->n[dead]++ == 0)
            d->example[dead] = entry;
        d->n_dead++;
        if (keeps(f, d->node, entry) && ubi__node_bits_add(counted, entry))
            d->bytes += ubi__finding_retained(f, entry);
    }
    UBI_ASSERT(d->n_dead <= d->n_entries);
    UBI_ASSERT(d->n[UBI__NOT_DEAD] == 0);
    UBI_ASSERT(d->n[UBI__DEAD_REFERENCE] + d->n[UBI__DEAD_SOCKET] + d->n[UBI__DEAD_ELEMENT] == d->n_dead);
    if (d->n_dead == d->n_entries)
        d->bytes = ubi__finding_retained(f, d->node);
}

static ubi_status dying_report(ubi__finding_list *out, const ubi__finding_facts *f, const dying *d) {
    static const char *const words[] = { [UBI__NOT_DEAD] = "",
                                         [UBI__DEAD_REFERENCE] = "WeakRefs whose object is gone",
                                         [UBI__DEAD_SOCKET] = "sockets that are closed",
                                         [UBI__DEAD_ELEMENT] = "detached DOM nodes" };
    char count[UBI__HUMAN_TEXT], size[UBI__HUMAN_TEXT], n_dead[UBI__HUMAN_TEXT];
    ubi_finding finding = { .bytes = d->bytes, .count = d->n_dead };
    ubi__finding_name name = ubi__finding_class_name(f, d->node);
    ubi__dead most = UBI__DEAD_REFERENCE;
    for (ubi__dead i = UBI__DEAD_REFERENCE; i < UBI__DEAD_COUNT; i++)
        most = d->n[i] > d->n[most] ? i : most;
    ubi__finding_example(&finding, d->node);
    ubi__finding_example(&finding, d->example[most]);
    ubi__finding_call(&finding, "dead entries of one %s", name.text);
    ubi__finding_say(&finding, "One %s holds %s entries. %s of them are %s%s, and keep %s alive: what removes them?",
                     name.text, ubi__human_count(count, d->n_entries),
                     d->n_dead == d->n_entries ? "All" : ubi__human_count(n_dead, d->n_dead), words[most],
                     d->n[most] < d->n_dead ? ", or as dead" : "", ubi__human_size(size, d->bytes));
    return ubi__finding_add(out, &finding);
}

static bool is_mostly_dead(const dying *d, uint64_t least_bytes) {
    return d->n_dead >= LEAST_DEAD && 2 * d->n_dead >= d->n_entries && d->bytes >= least_bytes;
}

static void dying_offer(dying worst[REPORTED], uint32_t *n, const dying *d) {
    uint32_t at = *n;
    while (at > 0 && d->bytes > worst[at - 1].bytes)
        at--;
    if (at == REPORTED)
        return;
    *n += *n < REPORTED;
    for (uint32_t i = *n - 1; i > at; i--)
        worst[i] = worst[i - 1];
    worst[at] = *d;
}

ubi_status ubi__finding_dead_entries(ubi__finding_list *out, const ubi__finding_facts *f) {
    dying worst[REPORTED];
    uint32_t n = 0;
    ubi__node_bits tables, counted = { NULL, 0 };
    uint64_t least_bytes = ubi__finding_worth(f, LEAST_DEAD_BYTES);
    if (!f->producer || !f->producer->entries)
        return UBI_OK;
    UBI_TRY(ubi__node_bits_new(&tables, f));
    ubi_status status = ubi__node_bits_new(&counted, f);
    for (ubi_node_ix node = 0; status == UBI_OK && ubi__finding_has_node(f, node); node++) {
        dying d = { .node = node };
        ubi__entries at = entries_of(f, node, least_bytes, &tables);
        if (at.node == UBI_NONE || edge_count(f->graph, at.node) < LEAST_DEAD)
            continue;
        dying_count(&d, f, &at, &counted);
        UBI_ASSERT(d.n_dead <= d.n_entries && d.n[UBI__NOT_DEAD] == 0);
        if (is_mostly_dead(&d, least_bytes))
            dying_offer(worst, &n, &d);
    }
    ubi__node_bits_free(&counted, f);
    ubi__node_bits_free(&tables, f);
    for (uint32_t i = 0; status == UBI_OK && i < n; i++)
        status = dying_report(out, f, &worst[i]);
    return status;
}
