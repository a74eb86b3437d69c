/* SPDX-License-Identifier: MIT
 *
 * v8_distances.c: distances as DevTools count them.
 *
 * First from the globals, which are at 1; what these do not reach is the system's and counted from UBI_LOOK_SYSTEM_DISTANCE,
 * the root's. Without globals the root is at 0. Weak edges do not count, nor a few that would give a shorter way than there
 * is: that of a context to its map of sloppy functions, those of tables of descriptors that may be out of date, and of the
 * two edges to a value of a WeakMap the one that is met first.
 *
 * Which nodes were reached is also a bit for each: the bits of all nodes stay in the cache, their distances do not.
 */
#include <math.h>

#include "base/assert.h"
#include "base/bits.h"
#include "lenses/v8/v8_look.h"

/* Places in the queue whose edges are fetched ahead. */
#define AHEAD 16
/* Bytes that are looked at for a number. */
#define MOST_DIGITS 1024

typedef struct counting {
    const ubi__v8_look *own;
    const ubi_graph *g;
    uint32_t *distance;
    const uint64_t *strong; /* a bit per edge; of nodes that are not special */
    const uint64_t
        *special;      /* a bit per node of which some edges do not count for other reasons; NULL: all may be such */
    uint64_t *reached; /* a bit per node */
    const uint64_t *ignored; /* a bit per node that is not entered; NULL: none */
    uint64_t *refused;       /* a bit per node that an edge leads to which does not count; NULL: not asked for */
    ubi_node_ix *queue;      /* queue[n_nodes] */
    size_t n_queued;
    uint64_t *pending; /* a bit per pair of edges: one of them was met */
    ubi__v8_opening *opening;
} counting;

bool ubi__v8_parse_int(double *out, ubi_text text) {
    static const char spaces[] = " \t\n\v\f\r";
    size_t i = 0;
    if (text.len > MOST_DIGITS)
        text.len = MOST_DIGITS;
    while (i < text.len && memchr(spaces, text.ptr[i], sizeof spaces - 1))
        i++;
    bool negative = i < text.len && text.ptr[i] == '-';
    i += i < text.len && (negative || text.ptr[i] == '+');
    size_t start = i;
    double value = 0;
    for (; i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++)
        value = value * 10 + (text.ptr[i] - '0');
    *out = negative ? -value : value;
    return i > start;
}

/* ---- special nodes ----------------------------------------------------------------------------------------------- */

/* Whether an edge of a table of descriptors counts. */
static bool counts_of_descriptors(const ubi_graph *g, ubi_edge_ix e) {
    double index;
    if (ubi__edge_kind_is_numbered(ubi__graph_edge_kind(g, e)))
        return g->name.at[e] < 2 || g->name.at[e] % 3 != 1;
    if (!ubi__v8_parse_int(&index, ubi__strtab_get(&g->strings, ubi__graph_edge_name(g, e))))
        return true;
    return index < 2 || fmod(index, 3) != 1;
}

/* Whether an edge to a value of a WeakMap counts: every second one of a pair does. */
static bool counts_of_pair(counting *c, ubi_edge_ix e) {
    const ubi__v8_ephemeron *ephemeron = ubi__v8_ephemeron_named(c->own, c->g->name.at[e]);
    if (!ephemeron)
        return true;
    UBI_ASSERT(ephemeron->pair < c->own->n_pairs);
    uint64_t *word = &c->pending[ephemeron->pair / 64], bit = UINT64_C(1) << (ephemeron->pair % 64);
    bool was_met = *word & bit;
    *word ^= bit;
    return was_met;
}

/* `traits`: of the node that the edge leaves. */
static bool edge_counts(counting *c, uint8_t traits, ubi_edge_ix e) {
    if (traits & UBI__V8_SPECIAL) {
        if ((traits & UBI__V8_TYPE_BITS) == UBI__V8_ARRAY)
            return counts_of_descriptors(c->g, e);
        if (ubi__v8_is_word(c->g, ubi__graph_edge_name(c->g, e), c->own->words.sloppy_function_map))
            return false;
    }
    return ubi__graph_edge_kind(c->g, e) != UBI_EDGE_INTERNAL || counts_of_pair(c, e);
}

static inline void node_reach(counting *c, ubi_node_ix target, uint32_t distance) {
    UBI_ASSERT(c->n_queued < c->g->n_nodes && !ubi__has_bit(c->reached, target));
    ubi__put_bit(c->reached, target);
    c->distance[target] = distance;
    c->queue[c->n_queued++] = target;
}

static void count_from_special(counting *c, ubi_node_ix node) {
    const ubi_graph *g = c->g;
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
        ubi_node_ix target = g->target.at[e];
        if (ubi__has_bit(c->reached, target) || ubi__graph_edge_kind(g, e) == UBI_EDGE_WEAK)
            continue;
        if (edge_counts(c, c->own->traits[node], e))
            node_reach(c, target, c->distance[node] + 1);
        else if (c->refused)
            ubi__put_bit(c->refused, target);
    }
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

/* The edges of the nodes that come soon are at random places. */
static void fetch_ahead(const counting *c, size_t i) {
    const ubi_graph *g = c->g;
    if (i + 2 * AHEAD < c->n_queued)
        __builtin_prefetch(&g->first_edge.at[c->queue[i + 2 * AHEAD]]);
    if (i + AHEAD < c->n_queued)
        __builtin_prefetch(&g->target.at[g->first_edge.at[c->queue[i + AHEAD]]]);
}

static void count_from(counting *c, ubi_node_ix node) {
    const ubi_node_ix *target = c->g->target.at;
    const uint64_t *strong = c->strong, *reached = c->reached;
    ubi_edge_ix end = c->g->first_edge.at[node + 1];
    uint32_t distance = c->distance[node] + 1;
    for (ubi_edge_ix e = c->g->first_edge.at[node]; e < end; e++)
        if (!ubi__has_bit(reached, target[e]) && (strong[e / 64] >> (e % 64) & 1))
            node_reach(c, target[e], distance);
}

static ubi_status count_all(counting *c) {
    for (size_t i = 0; i < c->n_queued; i++) {
        ubi_node_ix node = c->queue[i];
        if (ubi__unlikely(i % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(c->opening, i, c->g->n_nodes))
            return ubi__fail_cancelled();
        UBI_ASSERT(i == 0 || c->distance[c->queue[i - 1]] <= c->distance[node]);
        fetch_ahead(c, i);
        if (ubi__unlikely(!c->special || ubi__has_bit(c->special, node)))
            count_from_special(c, node);
        else
            count_from(c, node);
    }
    return UBI_OK;
}

/* What is ignored counts as reached before it is; globals cannot be ignored. */
static void ignore_nodes(counting *c) {
    memcpy(c->reached, c->ignored, (c->g->n_nodes / 64 + (size_t)1) * sizeof *c->reached);
    for (size_t i = 0; i < c->own->user_root_edges.n; i++) {
        ubi_node_ix target = c->g->target.at[c->own->user_root_edges.at[i]];
        c->reached[target / 64] &= ~(UINT64_C(1) << (target % 64));
    }
}

static void start_at_user_roots(counting *c) {
    for (size_t i = 0; i < c->own->user_root_edges.n; i++) {
        ubi_node_ix target = c->g->target.at[c->own->user_root_edges.at[i]];
        if (!ubi__has_bit(c->reached, target))
            node_reach(c, target, 1);
    }
}

/* Adds to the page what was reached, and what can be reached from its nodes over any edge but weak ones. */
static ubi_status spread_page(counting *c, uint64_t *page) {
    const ubi_graph *g = c->g;
    size_t n = 0;
    for (size_t word = 0; word <= (g->n_nodes - 1) / 64; word++) {
        for (uint64_t fresh = page[word] & ~c->reached[word]; fresh; fresh &= fresh - 1)
            c->queue[n++] = (ubi_node_ix)(word * 64 + (size_t)__builtin_ctzll(fresh));
        page[word] |= c->reached[word];
    }
    for (size_t n_steps = 0; n; n_steps++) {
        ubi_node_ix node = c->queue[--n];
        if (ubi__unlikely(n_steps % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(c->opening, n_steps, g->n_nodes))
            return ubi__fail_cancelled();
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (!ubi__has_bit(page, target) && ubi__graph_edge_kind(g, e) != UBI_EDGE_WEAK) {
                UBI_ASSERT(n < g->n_nodes);
                ubi__put_bit(page, target);
                c->queue[n++] = target;
            }
        }
    }
    return UBI_OK;
}

static ubi_status count_twice(counting *c, uint64_t *page) {
    ubi_node_ix root = c->g->root;
    if (!ubi__pulse_fill(c->opening ? &c->opening->pulse : NULL, c->distance, 0xff,
                         (size_t)c->g->n_nodes * sizeof *c->distance))
        return ubi__fail_cancelled();
    start_at_user_roots(c);
    bool has_user_roots = c->n_queued != 0;
    c->refused = page;
    UBI_TRY(count_all(c));
    if (page)
        UBI_TRY(spread_page(c, page));
    c->refused = NULL;
    ubi__put_bit(c->reached, root);
    c->distance[root] = has_user_roots ? UBI_LOOK_SYSTEM_DISTANCE : 0;
    c->queue[0] = root;
    c->n_queued = 1;
    return count_all(c);
}

static ubi_status count_distances(counting *c, uint64_t *page, const ubi_allocator *a) {
    size_t n_words = c->own->n_pairs / 64 + 1, n_nodes = c->g->n_nodes;
    c->queue = ubi__alloc_array(a, n_nodes, sizeof *c->queue);
    c->reached = ubi__calloc_array(a, n_nodes / 64 + 1, sizeof *c->reached);
    c->pending = ubi__calloc_array(a, n_words, sizeof *c->pending);
    if (c->ignored && c->reached)
        ignore_nodes(c);
    ubi_status status = c->queue && c->reached && c->pending ? count_twice(c, page) : ubi__fail_nomem();
    ubi__free_array(a, c->queue, n_nodes, sizeof *c->queue);
    ubi__free_array(a, c->reached, n_nodes / 64 + 1, sizeof *c->reached);
    ubi__free_array(a, c->pending, n_words, sizeof *c->pending);
    return status;
}

ubi_status ubi__v8_count_distances(uint32_t *out, uint64_t *page, const uint64_t *special, const ubi__v8_look *own,
                                   const ubi_graph *g, ubi__v8_opening *opening) {
    counting c = { .own = own, .g = g, .distance = out, .special = special, .opening = opening };
    c.strong = own->essential->words;
    return count_distances(&c, page, opening->allocator);
}

ubi_status ubi__v8_distances(uint32_t *out, const ubi_look *look) {
    memcpy(out, ubi__v8_look_of(look)->distance, (size_t)look->graph->n_nodes * sizeof *out);
    return UBI_OK;
}

/*
 * The bits of strong edges and of special nodes are gone by now: `essential` lacks edges that count here. So every node is
 * treated as special, which reads a byte per edge where opening reads a bit: about half as long again. That is once per
 * choice of nodes to ignore; keeping the bits would cost every look a bit per edge.
 */
ubi_status ubi__v8_distances_without(uint32_t *out, const ubi_look *look, const uint64_t *ignored) {
    counting c = { .own = ubi__v8_look_of(look), .g = look->graph, .distance = out, .ignored = ignored };
    return count_distances(&c, NULL, look->allocator);
}
