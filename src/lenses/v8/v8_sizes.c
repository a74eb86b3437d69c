/* SPDX-License-Identifier: MIT
 *
 * v8_sizes.c: shallow sizes as DevTools show them.
 *
 * Hidden nodes and arrays are parts that the engine makes objects of. Where all ways to such a part lead through one object,
 * that object owns it, and has its bytes: so the size of a Map is that of its table, too. Snapshots without globals are made
 * to see the engine's internals; there sizes stay as they are.
 */
#include "base/assert.h"
#include "lenses/v8/v8_look.h"

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
        if (ubi__unlikely(node % UBI__V8_CHUNK == 0) && opening->stop)
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

static void move_sizes(ubi__v8_look *own, const sharing *s) {
    const ubi_graph *g = s->g;
    memcpy(own->size_bytes, g->size_bytes.at, (size_t)g->n_nodes * sizeof *own->size_bytes);
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (!is_open(s, node))
            continue;
        ubi_node_ix owner = s->owner[node];
        if (owner >= MANY_OWNERS || owner == g->root || ubi__v8_type_at(own, g, owner) == UBI__V8_SYNTHETIC)
            continue;
        own->size_bytes[owner] += g->size_bytes.at[node];
        own->size_bytes[node] = 0;
    }
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

static void find_parts(sharing *s, const ubi__v8_look *own) {
    for (ubi_node_ix node = 0; node < s->g->n_nodes; node++)
        if (own->traits[node] & UBI__V8_PART)
            s->is_open[node / 64] |= UINT64_C(1) << (node % 64);
}

ubi_status ubi__v8_redistribute_sizes(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    const ubi_allocator *a = opening->allocator;
    size_t n = g->n_nodes, n_words = n / 64 + 1;
    if (!own->user_root_edges.n)
        return UBI_OK;
    sharing s = { g, ubi__calloc_array(a, n_words, sizeof *s.is_open), ubi__alloc_array(a, n, sizeof *s.owner), { 0 } };
    own->size_bytes = ubi__alloc_array(a, n, sizeof *own->size_bytes);
    ubi_status status = s.is_open && s.owner && own->size_bytes ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        memset(s.owner, 0xff, n * sizeof *s.owner);
        find_parts(&s, own);
        status = find_owners(&s, own, opening);
    }
    if (status == UBI_OK) {
        move_sizes(own, &s);
        sizes_check(own, g);
    }
    ubi__free_array(a, s.is_open, n_words, sizeof *s.is_open);
    ubi__free_array(a, s.owner, n, sizeof *s.owner);
    ubi__vec_u32_fini(&s.stack, a);
    return status;
}
