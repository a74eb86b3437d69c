/* SPDX-License-Identifier: MIT
 *
 * v8_statistics.c: of what heaps of V8 consist, as DevTools' Statistics have it.
 *
 * Nodes are sorted by type. The elements of an array are a node of their own: its size counts for the array if no other edge
 * leads there. Three bits per node find that out: whether it is the store of an array, and whether one or more edges lead to
 * it.
 */
#include <ubiheap/views/statistics.h>

#include "base/assert.h"
#include "base/bits.h"
#include "lenses/v8/v8_look.h"

#define NODES_PER_REPORT (UINT32_C(1) << 16)
#define EDGES_PER_REPORT (UINT64_C(1) << 20)

/* As DevTools list them. */
typedef enum statistics_part { CODE, STRINGS, ARRAYS, TYPED_ARRAYS, SYSTEM, OTHER_JS, OTHER, N_PARTS } statistics_part;

static const ubi_statistics_part parts[N_PARTS] = {
    [CODE] = { "code", "Code", 0, 0 },
    [STRINGS] = { "strings", "Strings", 0, 0 },
    [ARRAYS] = { "jsArrays", "JS arrays", 0, 0 },
    [TYPED_ARRAYS] = { "typedArrays", "Typed arrays", 0, 0 },
    [SYSTEM] = { "system", "System objects", 0, 0 },
    [OTHER_JS] = { "otherJS", "Other JS objects", 0, 0 },
    [OTHER] = { "otherNonJS", "Other non-JS objects (such as HTML and CSS)", 0, 0 },
};

_Static_assert((int)N_PARTS <= UBI_STATISTICS_MAX_PARTS, "there is room");

typedef struct work {
    ubi_statistics *s;
    const ubi_look *look;
    const ubi__v8_look *own;
    const ubi_graph *g;
    const ubi_progress *progress;
    ubi_str_ix array, elements, buffer_data; /* canonical entries of names, or UBI_NONE */
    uint64_t *is_store, *once, *again;       /* a bit per node each, one block */
    uint64_t sum_bytes[N_PARTS];
    uint64_t count[N_PARTS]; /* of nodes with a size */
} work;

static void find_names(work *w) {
    struct {
        const char *text;
        ubi_str_ix *out;
    } names[] = { { "Array", &w->array },
                  { "elements", &w->elements },
                  { "system / JSArrayBufferData", &w->buffer_data } };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        *names[i].out = UBI_NONE;
    for (ubi_str_ix string = 0; string < ubi__strtab_count(&w->g->strings); string++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (ubi__text_is(ubi__strtab_get(&w->g->strings, string), names[i].text))
                *names[i].out = ubi__strtab_canonical(&w->g->strings, string);
}

static bool has_name(const work *w, ubi_node_ix node, ubi_str_ix name) {
    return ubi__v8_is_word(w->g, ubi__graph_node_name(w->g, node), name) && !ubi__v8_is_renamed(w->own, w->g, node);
}

static statistics_part part_of(const work *w, ubi_node_ix node) {
    switch (ubi__v8_type_at(w->own, w->g, node)) {
    case UBI__V8_HIDDEN:
        return SYSTEM;
    case UBI__V8_NATIVE:
        return has_name(w, node, w->buffer_data) ? TYPED_ARRAYS : OTHER;
    case UBI__V8_CODE:
        return CODE;
    case UBI__V8_STRING:
    case UBI__V8_CONS_STRING:
    case UBI__V8_SLICED_STRING:
        return STRINGS;
    default:
        return has_name(w, node, w->array) ? ARRAYS : OTHER_JS;
    }
}

/* ---- stores of arrays -------------------------------------------------------------------------------------------- */

static void mark_store(work *w, ubi_node_ix array) {
    for (ubi_edge_ix e = w->g->first_edge.at[array]; e < w->g->first_edge.at[array + 1]; e++)
        if (ubi__graph_edge_kind(w->g, e) == UBI_EDGE_INTERNAL &&
            ubi__v8_is_word(w->g, w->g->name.at[e], w->elements)) {
            ubi__put_bit(w->is_store, w->g->target.at[e]);
            return;
        }
}

static ubi_status count_retainers(work *w) {
    for (ubi_edge_ix e = 0; e < w->g->n_edges; e++) {
        ubi_node_ix target = w->g->target.at[e];
        if (e % EDGES_PER_REPORT == 0 && !ubi__progress(w->progress, "adding up", e, w->g->n_edges))
            return ubi__fail_cancelled();
        if (ubi__has_bit(w->is_store, target))
            ubi__put_bit(ubi__has_bit(w->once, target) ? w->again : w->once, target);
    }
    return UBI_OK;
}

/* Moves what a store has to the arrays. Of two arrays with one store, neither has it. */
static ubi_status add_stores(work *w) {
    UBI_TRY(count_retainers(w));
    for (size_t i = 0; UBI_CHECKS && i <= w->g->n_nodes / 64; i++) {
        UBI_ASSERT(!(w->again[i] & ~w->once[i]));
        UBI_ASSERT(!(w->is_store[i] & ~w->once[i])); /* an edge made it a store */
    }
    for (ubi_node_ix node = 0; node < w->g->n_nodes; node++) {
        if (!ubi__has_bit(w->is_store, node) || ubi__has_bit(w->again, node))
            continue;
        uint64_t size_bytes = ubi_look_size_bytes(w->look, node);
        w->sum_bytes[ARRAYS] += size_bytes;
        w->count[part_of(w, node)] -= size_bytes != 0;
        w->count[ARRAYS] += size_bytes != 0;
    }
    return UBI_OK;
}

/* ---- adding up --------------------------------------------------------------------------------------------------- */

static ubi_status add_nodes(work *w) {
    for (ubi_node_ix node = 0; node < w->g->n_nodes; node++) {
        if (node % NODES_PER_REPORT == 0 && !ubi__progress(w->progress, "adding up", node, w->g->n_nodes))
            return ubi__fail_cancelled();
        statistics_part p = part_of(w, node);
        uint64_t size_bytes = ubi_look_size_bytes(w->look, node);
        w->sum_bytes[p] += size_bytes;
        w->count[p] += size_bytes != 0;
        w->s->total_bytes += size_bytes;
        if (p == ARRAYS)
            mark_store(w, node);
    }
    return UBI_OK;
}

static void parts_give(work *w) {
    uint64_t rest = w->s->total_bytes + w->look->outside_bytes;
    w->s->total_bytes = rest;
    w->sum_bytes[OTHER] += w->look->outside_bytes;
    w->s->native_bytes = w->sum_bytes[OTHER] + w->sum_bytes[TYPED_ARRAYS];
    memcpy(w->s->parts, parts, sizeof parts);
    w->s->n_parts = N_PARTS;
    for (statistics_part p = 0; p < N_PARTS; p++) {
        w->s->parts[p].count = w->count[p];
        if (p == OTHER_JS)
            continue;
        w->s->parts[p].size_bytes = w->sum_bytes[p];
        rest -= w->sum_bytes[p] < rest ? w->sum_bytes[p] : rest;
    }
    w->s->parts[OTHER_JS].size_bytes = rest;
}

static ubi_status parts_compute(work *w) {
    find_names(w);
    UBI_TRY(add_nodes(w));
    UBI_TRY(add_stores(w));
    parts_give(w);
    return UBI_OK;
}

ubi_status ubi__v8_statistics(ubi_statistics *out, const ubi_look *look, const ubi_statistics_options *options) {
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    work w = { .s = out, .look = look, .own = ubi__v8_look_of(look), .g = look->graph };
    size_t n_words = look->graph->n_nodes / 64 + 1;
    uint64_t *bits = ubi__calloc_array(a, 3 * n_words, sizeof *bits);
    if (!bits)
        return ubi__fail_nomem();
    w.progress = &options->progress;
    w.is_store = bits;
    w.once = bits + n_words;
    w.again = bits + 2 * n_words;
    ubi_status status = parts_compute(&w);
    ubi__free_array(a, bits, 3 * n_words, sizeof *bits);
    return status;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/*
 * Shallow sizes as DevTools show them.
 *
 * Hidden nodes and arrays are parts that the engine makes objects of. Where all ways to such a part lead through one object,
 * that object owns it, and has its bytes: so the size of a Map is that of its table, too. Snapshots without globals are made
 * to see the engine's internals; there sizes stay as they are.
 */

#define NO_OWNER UINT32_MAX
#define MANY_OWNERS (UINT32_MAX - 1)

typedef struct sharing {
    const ubi_graph *g;
    uint64_t *is_open;  /* a bit per part that does not have MANY_OWNERS: few edges lead to those */
    ubi_node_ix *owner; /* owner[n_nodes] of parts: a node that is no part, NO_OWNER or MANY_OWNERS */
    ubi__vec_u32 stack; /* parts whose owner has changed */
} sharing;

static bool is_open(const sharing *s, ubi_node_ix node) {
    return s->is_open[node / 64] >> (node % 64) & 1;
}

/* Gives an owner to the parts that a node refers to. */
static ubi_status share_owner(sharing *s, ubi_node_ix node, ubi_node_ix owner, const ubi_allocator *a) {
    const ubi_node_ix *target = s->g->target.at;
    ubi_edge_ix end = s->g->first_edge.at[node + 1];
    for (ubi_edge_ix e = s->g->first_edge.at[node]; e < end; e++) {
        ubi_node_ix part = target[e];
        if (!is_open(s, part) || s->owner[part] == owner || ubi__graph_edge_kind(s->g, e) == UBI_EDGE_WEAK)
            continue;
        if (s->owner[part] == NO_OWNER && owner != MANY_OWNERS) {
            s->owner[part] = owner;
        } else {
            s->owner[part] = MANY_OWNERS;
            s->is_open[part / 64] &= ~(UINT64_C(1) << (part % 64));
        }
        UBI_TRY(ubi__vec_u32_push(&s->stack, a, part));
    }
    return UBI_OK;
}

static ubi_status find_owners(sharing *s, const ubi__v8_look *own, ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    for (ubi_node_ix node = 0; node < s->g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, node, s->g->n_nodes))
            return ubi__fail_cancelled();
        if (!(own->traits[node] & UBI__V8_PART))
            UBI_TRY(share_owner(s, node, node, a));
        while (s->stack.n) {
            ubi_node_ix part = s->stack.at[--s->stack.n];
            UBI_ASSERT(s->owner[part] != NO_OWNER && (own->traits[part] & UBI__V8_PART));
            UBI_TRY(share_owner(s, part, s->owner[part], a));
        }
    }
    return UBI_OK;
}

static ubi_status move_sizes(ubi__v8_look *own, const sharing *s, ubi__v8_opening *opening) {
    const ubi_graph *g = s->g;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, node, g->n_nodes))
            return ubi__fail_cancelled();
        own->size_bytes[node] = g->size_bytes.at[node];
    }
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, node, g->n_nodes))
            return ubi__fail_cancelled();
        if (!is_open(s, node))
            continue;
        ubi_node_ix owner = s->owner[node];
        if (owner >= MANY_OWNERS || owner == g->root || ubi__v8_type_at(own, g, owner) == UBI__V8_SYNTHETIC)
            continue;
        own->size_bytes[owner] += g->size_bytes.at[node];
        own->size_bytes[node] = 0;
    }
    return UBI_OK;
}

/* Nothing is lost: what an owner gets, its part no longer has. */
static void sizes_check(const ubi__v8_look *own, const ubi_graph *g) {
    uint64_t moved = 0;
    for (ubi_node_ix node = 0; UBI_CHECKS && node < g->n_nodes; node++) {
        moved += own->size_bytes[node] - g->size_bytes.at[node];
        UBI_ASSERT(own->size_bytes[node] == g->size_bytes.at[node] || own->size_bytes[node] == 0 ||
                   !(own->traits[node] & UBI__V8_PART));
    }
    UBI_ASSERT(moved == 0);
}

/* No part has an owner yet. */
static ubi_status find_parts(sharing *s, const ubi__v8_look *own, ubi__v8_opening *opening) {
    for (ubi_node_ix node = 0; node < s->g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(opening, node, s->g->n_nodes))
            return ubi__fail_cancelled();
        s->owner[node] = NO_OWNER;
        if (own->traits[node] & UBI__V8_PART)
            s->is_open[node / 64] |= UINT64_C(1) << (node % 64);
    }
    return UBI_OK;
}

ubi_status ubi__v8_redistribute_sizes(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    size_t n = g->n_nodes, n_words = n / 64 + 1;
    if (!own->user_root_edges.n)
        return UBI_OK;
    sharing s = { g, ubi__calloc_array(a, n_words, sizeof *s.is_open), ubi__alloc_array(a, n, sizeof *s.owner), { 0 } };
    own->size_bytes = ubi__alloc_array(a, n, sizeof *own->size_bytes);
    ubi_status status = s.is_open && s.owner && own->size_bytes ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK)
        status = find_parts(&s, own, opening);
    if (status == UBI_OK)
        status = find_owners(&s, own, opening);
    if (status == UBI_OK)
        status = move_sizes(own, &s, opening);
    if (status == UBI_OK)
        sizes_check(own, g);
    ubi__free_array(a, s.is_open, n_words, sizeof *s.is_open);
    ubi__free_array(a, s.owner, n, sizeof *s.owner);
    ubi__vec_u32_fini(&s.stack, a);
    return status;
}
