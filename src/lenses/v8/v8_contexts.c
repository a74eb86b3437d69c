/* SPDX-License-Identifier: MIT
 *
 * v8_contexts.c: to which native context nodes belong (ubiheap/views/native_contexts.h).
 *
 * An object leads to its map, maps of one native context share a map of their own, and that leads to the native context. A
 * node with such a way belongs there permanently. From all of these the owner is passed on over edges that are neither weak nor
 * shortcuts; where two owners meet, the node is shared, and shared is passed on in turn. So an owner changes at most twice,
 * and the result does not depend on the order.
 */
#include <ubiheap/views/native_contexts.h>

#include "base/assert.h"
#include "base/bits.h"
#include "lenses/v8/v8_look.h"

UBI_VEC_DECLARE(vec_context, ubi_native_context);

struct ubi_native_contexts {
    const ubi_allocator *allocator;
    ubi_graph *graph; /* reference */
    uint32_t *owner;  /* owner[n_nodes]; NULL: there are no contexts */
    vec_context rows; /* ascending by node */
    uint64_t shared_bytes, unattributed_bytes;
};

/* The native context that the map of maps leads to. */
typedef struct home {
    ubi_node_ix map;
    uint32_t context; /* index in rows */
} home;

UBI_VEC_DECLARE(vec_home, home);

typedef struct work {
    ubi_native_contexts *c;
    const ubi_look *look;
    const ubi_graph *g;
    const ubi_progress *progress;
    ubi_str_ix map_word, context_word; /* canonical names of edges, or UBI_NONE */
    ubi_node_ix *map;                  /* map[n_nodes]; UBI_NONE: none */
    vec_home homes;                    /* ascending by map */
    uint64_t *is_fixed;                /* a bit per node */
    uint64_t *is_name;                 /* a bit per string: it names native contexts */
    uint64_t *is_final;                /* a bit per node: its owner stays */
    ubi__vec_u32 waiting;              /* nodes whose owner is to be passed on */
} work;

static const uint32_t report_mask = 0xffff;

/* ---- native contexts --------------------------------------------------------------------------------------------- */

static bool is_context_name(ubi_text name) {
    static const char plain[] = "system / NativeContext", detached[] = "Detached ";
    size_t n = sizeof plain - 1, skip = sizeof detached - 1;
    if (name.len > skip && memcmp(name.ptr, detached, skip) == 0)
        name = (ubi_text){ name.ptr + skip, name.len - skip };
    if (name.len < n || memcmp(name.ptr, plain, n) != 0)
        return false;
    return name.len == n || (name.len >= n + 3 && memcmp(name.ptr + n, " / ", 3) == 0);
}

/* Names of contexts and of the two edges. */
static void find_words(work *w) {
    for (ubi_str_ix string = 0; string < ubi__strtab_count(&w->g->strings); string++) {
        ubi_text text = ubi__strtab_get(&w->g->strings, string);
        if (is_context_name(text))
            w->is_name[string / 64] |= UINT64_C(1) << (string % 64);
        else if (ubi__text_is(text, "map"))
            w->map_word = ubi__strtab_canonical(&w->g->strings, string);
        else if (ubi__text_is(text, "native_context"))
            w->context_word = ubi__strtab_canonical(&w->g->strings, string);
    }
}

/* The name that counts is the one with "Detached " before it. */
static bool is_context(const work *w, ubi_node_ix node) {
    ubi_str_ix name = ubi__graph_node_name(w->g, node);
    return name != UBI_NONE && (w->is_name[name / 64] >> (name % 64) & 1) &&
           is_context_name(ubi__v8_node_raw_name(w->look, node));
}

static ubi_status find_contexts(work *w) {
    for (ubi_node_ix node = 0; node < w->g->n_nodes; node++) {
        if (!is_context(w, node))
            continue;
        ubi_native_context row = { .node = node, .size_bytes = ubi_look_size_bytes(w->look, node) };
        UBI_TRY(vec_context_push(&w->c->rows, w->c->allocator, row));
    }
    return UBI_OK;
}

/* UBI_NATIVE_CONTEXT_NONE: not a context. O(log contexts). */
static uint32_t context_at(const ubi_native_contexts *c, ubi_node_ix node) {
    size_t low = 0, high = c->rows.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->rows.at[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->rows.n && c->rows.at[low].node == node ? (uint32_t)low : UBI_NATIVE_CONTEXT_NONE;
}

/* ---- whom nodes belong to permanently ------------------------------------------------------------------------------- */

static ubi_status look_at_edges(work *w, ubi_node_ix node) {
    uint32_t context = UBI_NATIVE_CONTEXT_NONE;
    w->map[node] = UBI_NONE;
    for (ubi_edge_ix e = w->g->first_edge.at[node]; e < w->g->first_edge.at[node + 1]; e++) {
        if (ubi__graph_edge_kind(w->g, e) != UBI_EDGE_INTERNAL)
            continue;
        ubi_str_ix name = w->g->name.at[e];
        if (w->map[node] == UBI_NONE && ubi__v8_is_word(w->g, name, w->map_word))
            w->map[node] = w->g->target.at[e];
        else if (context == UBI_NATIVE_CONTEXT_NONE && ubi__v8_is_word(w->g, name, w->context_word))
            context = context_at(w->c, w->g->target.at[e]);
    }
    return context == UBI_NATIVE_CONTEXT_NONE ? UBI_OK
                                              : vec_home_push(&w->homes, w->c->allocator, (home){ node, context });
}

static uint32_t home_of(const work *w, ubi_node_ix map_of_map) {
    size_t low = 0, high = w->homes.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->homes.at[middle].map < map_of_map)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->homes.n && w->homes.at[low].map == map_of_map ? w->homes.at[low].context : UBI_NATIVE_CONTEXT_NONE;
}

static uint32_t owner_by_map(const work *w, ubi_node_ix node) {
    ubi_node_ix map = w->map[node], map_of_map = map == UBI_NONE ? UBI_NONE : w->map[map];
    return map_of_map == UBI_NONE ? UBI_NATIVE_CONTEXT_NONE : home_of(w, map_of_map);
}

static void owner_fix(work *w, ubi_node_ix node, uint32_t owner) {
    w->c->owner[node] = owner;
    if (owner != UBI_NATIVE_CONTEXT_NONE)
        w->is_fixed[node / 64] |= UINT64_C(1) << (node % 64);
}

static ubi_status fix_owners(work *w) {
    for (ubi_node_ix node = 0; node < w->g->n_nodes; node++) {
        if ((node & report_mask) == 0 && !ubi__progress(w->progress, "finding contexts", node, w->g->n_nodes))
            return ubi__fail_cancelled();
        UBI_TRY(look_at_edges(w, node));
    }
    for (ubi_node_ix node = 0; node < w->g->n_nodes; node++) {
        if ((node & report_mask) == 0 && !ubi__progress(w->progress, "finding contexts", node, w->g->n_nodes))
            return ubi__fail_cancelled();
        owner_fix(w, node, owner_by_map(w, node));
    }
    for (uint32_t i = 0; i < w->c->rows.n; i++)
        owner_fix(w, w->c->rows.at[i].node, i);
    return UBI_OK;
}

/* ---- passing on -------------------------------------------------------------------------------------------------- */

static uint32_t owner_merged(uint32_t owner, uint32_t incoming) {
    return owner == UBI_NATIVE_CONTEXT_NONE || owner == incoming ? incoming : UBI_NATIVE_CONTEXT_SHARED;
}

/* Whether it stays whatever comes: what is shared stays so, and with one context there is no other owner. */
static bool owner_is_final(const work *w, uint32_t owner) {
    return owner == UBI_NATIVE_CONTEXT_SHARED || w->c->rows.n == 1;
}

/* Most edges lead to nodes whose owner is final: their bits stay in the cache, owners do not. */
static ubi_status pass_on(work *w, ubi_node_ix node) {
    uint32_t *owner = w->c->owner;
    const ubi_node_ix *target_of = w->g->target.at;
    ubi_edge_ix end = w->g->first_edge.at[node + 1];
    for (ubi_edge_ix e = w->g->first_edge.at[node]; e < end; e++) {
        ubi_node_ix target = target_of[e];
        if (ubi__has_bit(w->is_final, target))
            continue;
        ubi_edge_kind kind = ubi__graph_edge_kind(w->g, e);
        uint32_t now = owner_merged(owner[target], owner[node]);
        if (kind == UBI_EDGE_SHORTCUT || kind == UBI_EDGE_WEAK || now == owner[target])
            continue;
        UBI_ASSERT(owner[target] == UBI_NATIVE_CONTEXT_NONE || now == UBI_NATIVE_CONTEXT_SHARED); /* so it ends */
        owner[target] = now;
        if (owner_is_final(w, now))
            ubi__put_bit(w->is_final, target);
        UBI_TRY(ubi__vec_u32_push(&w->waiting, w->c->allocator, target));
    }
    return UBI_OK;
}

static ubi_status pass_on_from(work *w, ubi_node_ix node) {
    uint64_t n_done = 0;
    UBI_ASSERT(w->waiting.n == 0 && w->c->owner[node] < w->c->rows.n);
    UBI_TRY(pass_on(w, node));
    while (w->waiting.n) {
        UBI_TRY(pass_on(w, w->waiting.at[--w->waiting.n]));
        if ((++n_done & report_mask) == 0 && !ubi__progress(w->progress, "finding contexts", node, w->g->n_nodes))
            return ubi__fail_cancelled();
    }
    return UBI_OK;
}

static ubi_status pass_all_on(work *w) {
    memcpy(w->is_final, w->is_fixed, (w->g->n_nodes / 64 + (size_t)1) * sizeof *w->is_final);
    for (ubi_node_ix node = 0; node < w->g->n_nodes; node++) {
        if ((node & report_mask) == 0 && !ubi__progress(w->progress, "finding contexts", node, w->g->n_nodes))
            return ubi__fail_cancelled();
        if (w->is_fixed[node / 64] >> (node % 64) & 1)
            UBI_TRY(pass_on_from(w, node));
    }
    return UBI_OK;
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static void add_sizes(ubi_native_contexts *c, const ubi_look *look, const ubi_dominators *dominators) {
    for (ubi_node_ix node = 0; node < c->graph->n_nodes; node++) {
        uint32_t owner = ubi_native_contexts_of(c, node);
        uint64_t size_bytes = ubi_look_size_bytes(look, node);
        if (owner == UBI_NATIVE_CONTEXT_NONE)
            c->unattributed_bytes += size_bytes;
        else if (owner == UBI_NATIVE_CONTEXT_SHARED)
            c->shared_bytes += size_bytes;
        else
            c->rows.at[owner].attributed_bytes += size_bytes;
    }
    for (size_t i = 1; UBI_CHECKS && i < c->rows.n; i++)
        UBI_ASSERT(c->rows.at[i - 1].node < c->rows.at[i].node);
    for (size_t i = 0; dominators && i < c->rows.n; i++)
        c->rows.at[i].retained_bytes = ubi_dominators_retained_bytes(dominators, c->rows.at[i].node);
}

static ubi_status attribute_nodes(work *w) {
    const ubi_allocator *a = w->c->allocator;
    size_t n = w->g->n_nodes;
    find_words(w);
    UBI_TRY(find_contexts(w));
    if (w->c->rows.n == 0)
        return UBI_OK;
    w->c->owner = ubi__alloc_array(a, n, sizeof *w->c->owner);
    w->map = ubi__alloc_array(a, n, sizeof *w->map);
    w->is_fixed = ubi__calloc_array(a, n / 64 + 1, sizeof *w->is_fixed);
    w->is_final = ubi__alloc_array(a, n / 64 + 1, sizeof *w->is_final);
    if (!w->c->owner || !w->map || !w->is_fixed || !w->is_final)
        return ubi__fail_nomem();
    UBI_TRY(fix_owners(w));
    UBI_TRY(pass_all_on(w));
    UBI_ASSERT(w->waiting.n == 0);
    for (uint32_t i = 0; UBI_CHECKS && i < w->c->rows.n; i++)
        UBI_ASSERT(w->c->owner[w->c->rows.at[i].node] == i); /* a context belongs to itself */
    return UBI_OK;
}

static ubi_status attribute_v8(ubi_native_contexts *c, const ubi_look *look, const ubi_progress *progress) {
    work w = { .c = c, .look = look, .g = c->graph, .progress = progress };
    size_t n_nodes = c->graph->n_nodes, n_string_words = ubi__strtab_count(&c->graph->strings) / 64 + 1;
    w.map_word = w.context_word = UBI_NONE;
    w.is_name = ubi__calloc_array(c->allocator, n_string_words, sizeof *w.is_name);
    ubi_status status = w.is_name ? attribute_nodes(&w) : ubi__fail_nomem();
    ubi__free_array(c->allocator, w.is_name, n_string_words, sizeof *w.is_name);
    ubi__free_array(c->allocator, w.map, n_nodes, sizeof *w.map);
    ubi__free_array(c->allocator, w.is_fixed, n_nodes / 64 + 1, sizeof *w.is_fixed);
    vec_home_fini(&w.homes, c->allocator);
    ubi__free_array(c->allocator, w.is_final, n_nodes / 64 + 1, sizeof *w.is_final);
    ubi__vec_u32_fini(&w.waiting, c->allocator);
    return status;
}

static ubi_status contexts_make(ubi_native_contexts *c, const ubi_look *look, const ubi_dominators *dominators,
                                const ubi_progress *progress) {
    if (look->lens == &ubi__lens_v8)
        UBI_TRY(attribute_v8(c, look, progress));
    add_sizes(c, look, dominators);
    return UBI_OK;
}

/* ---- public ------------------------------------------------------------------------------------------------------ */

ubi_status ubi_native_contexts_new(ubi_native_contexts **out, const ubi_look *look, const ubi_dominators *dominators,
                                   const ubi_native_contexts_options *options) {
    static const ubi_native_contexts_options defaults = UBI_NATIVE_CONTEXTS_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_NATIVE_CONTEXTS_OPTIONS_VERSION, "ubi_native_contexts_options"));
    const ubi_allocator *a = ubi__allocator_or_default(options->allocator);
    ubi_native_contexts *c = UBI_NEW(a, ubi_native_contexts);
    if (!c)
        return ubi__fail_nomem();
    c->allocator = a;
    c->graph = ubi_graph_ref(look->graph);
    ubi_status status = contexts_make(c, look, dominators, &options->progress);
    if (status == UBI_OK)
        *out = c;
    else
        ubi_native_contexts_free(c);
    return status;
}

void ubi_native_contexts_free(ubi_native_contexts *c) {
    if (!c)
        return;
    ubi__free_array(c->allocator, c->owner, c->graph->n_nodes, sizeof *c->owner);
    vec_context_fini(&c->rows, c->allocator);
    ubi_graph_unref(c->graph);
    UBI_DELETE(c->allocator, c);
}

uint32_t ubi_native_contexts_count(const ubi_native_contexts *c) {
    return (uint32_t)c->rows.n;
}

const ubi_native_context *ubi_native_contexts_at(const ubi_native_contexts *c, uint32_t index) {
    return &c->rows.at[index];
}

uint32_t ubi_native_contexts_of(const ubi_native_contexts *c, ubi_node_ix node) {
    return c->owner ? c->owner[node] : UBI_NATIVE_CONTEXT_NONE;
}

uint64_t ubi_native_contexts_shared_bytes(const ubi_native_contexts *c) {
    return c->shared_bytes;
}

uint64_t ubi_native_contexts_unattributed_bytes(const ubi_native_contexts *c) {
    return c->unattributed_bytes;
}
