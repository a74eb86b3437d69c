/* SPDX-License-Identifier: MIT
 *
 * v8_essential.c: the edges that count for dominators ("essential" ones).
 *
 * All but: weak ones; those from a node to itself; of the two edges to a value of a WeakMap the one from the table;
 * shortcuts, which duplicate other edges, except those of the root; and those by which something outside the page refers
 * to the page: what is held by the globals, which the root has shortcuts to.
 *
 *   step   over     does
 *   sort   edges    leaves out weak edges, shortcuts, those to the node itself; notes nodes with special edges
 *   count  nodes    distances (v8_distances.c); what they reach from the globals is most of the page
 *   drop   nodes    leaves out edges from outside to the page, and those from tables of WeakMaps
 */
#include <endian.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/parallel.h"
#include "lenses/v8/v8_look.h"

static bool is_document_trees(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    return ubi__v8_type_at(own, g, node) == UBI__V8_SYNTHETIC &&
           ubi__v8_is_word(g, ubi__graph_node_name(g, node), own->words.document_trees);
}

bool ubi__v8_is_user_root(const ubi__v8_look *own, const ubi_graph *g, ubi_node_ix node) {
    return ubi__v8_type_at(own, g, node) != UBI__V8_SYNTHETIC || is_document_trees(own, g, node);
}

/* ---- what the page owns ------------------------------------------------------------------------------------------ */

typedef struct marking {
    ubi__v8_look *own;
    const ubi_graph *g;
    ubi__v8_opening *opening;
    uint64_t *special; /* a bit per node of which some edges do not count for distances, or shortcuts do */
    uint64_t *page;    /* a bit per node that the page owns; NULL: it owns nothing */
    size_t n_words;
} marking;

/* Whether an edge of the root leads to something of the page. */
static bool leads_to_page(const marking *m, ubi_edge_ix e) {
    ubi_edge_kind kind = ubi__graph_edge_kind(m->g, e);
    return kind == UBI_EDGE_SHORTCUT ||
           (kind == UBI_EDGE_ELEMENT && is_document_trees(m->own, m->g, m->g->target.at[e]));
}

/* Where the page begins; false: nowhere. */
static bool mark_seeds(marking *m) {
    const ubi_graph *g = m->g;
    bool any = false;
    for (ubi_edge_ix e = g->first_edge.at[g->root]; e < g->first_edge.at[g->root + 1]; e++)
        if (leads_to_page(m, e)) {
            ubi__put_bit(m->page, g->target.at[e]);
            any = true;
        }
    return any;
}

static bool user_roots_are_seeds(const marking *m) {
    for (size_t i = 0; i < m->own->user_root_edges.n; i++)
        if (!ubi__has_bit(m->page, m->g->target.at[m->own->user_root_edges.at[i]]))
            return false;
    return true;
}

static ubi_status spread_page(marking *m, ubi_node_ix *stack) {
    const ubi_graph *g = m->g;
    size_t n = 0;
    uint64_t n_done = 0;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (ubi__has_bit(m->page, node))
            stack[n++] = node;
    while (n) {
        ubi_node_ix node = stack[--n];
        if (ubi__unlikely(n_done++ % UBI__PULSE_NODES == 0) && !ubi__v8_go_on(m->opening, n_done, g->n_nodes))
            return ubi__fail_cancelled();
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (!ubi__has_bit(m->page, target) && ubi__graph_edge_kind(g, e) != UBI_EDGE_WEAK) {
                ubi__put_bit(m->page, target);
                stack[n++] = target;
            }
        }
    }
    return UBI_OK;
}

static ubi_status spread_alone(marking *m) {
    const ubi_allocator *a = m->opening->allocator;
    ubi_node_ix *stack = ubi__alloc_array(a, m->g->n_nodes, sizeof *stack);
    if (!stack)
        return ubi__fail_nomem();
    ubi_status status = spread_page(m, stack);
    ubi__free_array(a, stack, m->g->n_nodes, sizeof *stack);
    return status;
}

/* Distances, and with them the page if it begins where they do. */
static ubi_status count_distances(marking *m) {
    uint64_t *page = m->page && user_roots_are_seeds(m) ? m->page : NULL;
    m->own->distance = ubi__alloc_array(m->opening->allocator, m->g->n_nodes, sizeof *m->own->distance);
    if (!m->own->distance)
        return ubi__fail_nomem();
    UBI_TRY(ubi__v8_count_distances(m->own->distance, page, m->special, m->own, m->g, m->opening));
    return m->page && !page ? spread_alone(m) : UBI_OK;
}

/* ---- sorting ----------------------------------------------------------------------------------------------------- */

_Static_assert((UBI_EDGE_SHORTCUT & 6) == 6 && (UBI_EDGE_WEAK & 6) == 6 && UBI_EDGE_INTERNAL == 4 &&
                   UBI_EDGE_KIND_COUNT == 8,
               "what the bits of kinds mean below");

/* Sets of up to 64 edges by kind. */
typedef struct kind_bits {
    uint64_t strong, shortcut, internal;
} kind_bits;

/* The lowest bits of eight bytes, as the bits of one. */
static uint64_t gather_bits(uint64_t bytes) {
    return (bytes & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56;
}

static void add_kinds(kind_bits *out, uint64_t kinds, unsigned place) {
    uint64_t both = kinds >> 1 & kinds >> 2;
    out->strong |= gather_bits(~both) << place;
    out->shortcut |= gather_bits(both & ~kinds) << place;
    out->internal |= gather_bits(kinds >> 2 & ~(kinds >> 1) & ~kinds) << place;
}

/* Of the n edges from `e` on. */
static kind_bits kinds_at(const ubi_graph *g, ubi_edge_ix e, unsigned n) {
    kind_bits out = { 0, 0, 0 };
    uint8_t last[8] = { 0 };
    uint64_t kinds;
    if (!g->edge_kind.n) {
        out.strong = UINT64_MAX >> (64 - n);
        return out;
    }
    for (unsigned i = 0; i + 8 <= n; i += 8) {
        memcpy(&kinds, &g->edge_kind.at[e + i], sizeof kinds);
        add_kinds(&out, le64toh(kinds), i);
    }
    if (n % 8) {
        memcpy(last, &g->edge_kind.at[e + n - n % 8], n % 8);
        memcpy(&kinds, last, sizeof kinds);
        add_kinds(&out, le64toh(kinds), n - n % 8);
        out.strong &= UINT64_MAX >> (64 - n);
    }
    return out;
}

/* The edges among `internal` that are named after an entry of a WeakMap. */
static uint64_t ephemerons_at(const marking *m, ubi_edge_ix e, uint64_t internal) {
    const uint64_t *is_ephemeron = m->own->is_ephemeron;
    uint64_t out = 0;
    if (!is_ephemeron)
        return 0;
    for (; internal; internal &= internal - 1) {
        unsigned i = (unsigned)__builtin_ctzll(internal);
        ubi_str_ix name = m->g->name.at[e + i];
        if (name != UBI_NONE)
            out |= (is_ephemeron[name / 64] >> (name % 64) & 1) << i;
    }
    return out;
}

/* Edges [begin, end); begin is a multiple of 64. Nodes at the border of a range belong to two threads. */
static void sort_range(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    const marking *m = payload;
    const ubi_graph *g = m->g;
    const ubi_node_ix *target = g->target.at;
    ubi_node_ix node = ubi_graph_edge_source(g, begin);
    (void)part;
    for (ubi_edge_ix e = begin; e < end;) {
        ubi_edge_ix base = e, stop = end - e < 64 ? end : e + 64;
        kind_bits kinds = kinds_at(g, e, (unsigned)(stop - e));
        uint64_t to_itself = 0, special = kinds.shortcut | ephemerons_at(m, e, kinds.internal);
        for (;; node++) {
            ubi_edge_ix node_end = g->first_edge.at[node + 1] < stop ? g->first_edge.at[node + 1] : stop;
            if (ubi__unlikely(special) && e < node_end &&
                (special >> (e - base) << (64 - (node_end - e)))) /* any among [e, node_end) */
                __atomic_fetch_or(&m->special[node / 64], UINT64_C(1) << (node % 64), __ATOMIC_RELAXED);
            for (; e < node_end; e++)
                to_itself |= (uint64_t)(target[e] == node) << (e - base);
            if (e == stop)
                break;
        }
        m->own->essential->words[base / 64] = kinds.strong & ~to_itself;
    }
}

static ubi_status note_special_nodes(marking *m) {
    for (ubi_node_ix node = 0; node < m->g->n_nodes; node++) {
        if (ubi__unlikely(node % UBI__PULSE_EDGES == 0) && !ubi__v8_go_on(m->opening, node, m->g->n_nodes))
            return ubi__fail_cancelled();
        if (m->own->traits[node] & UBI__V8_SPECIAL)
            ubi__put_bit(m->special, node);
    }
    return UBI_OK;
}

/* ---- dropping ---------------------------------------------------------------------------------------------------- */

/* Edges by which nodes outside of the page refer to it. */
static ubi_status drop_edges_to_page(const marking *m) {
    const ubi_graph *g = m->g;
    for (size_t word = 0; word < m->n_words; word++) {
        if (ubi__unlikely(word % (UBI__PULSE_NODES / 64) == 0) && !ubi__v8_go_on(m->opening, word * 64, g->n_nodes))
            return ubi__fail_cancelled();
        for (uint64_t outside = ~m->page[word]; outside; outside &= outside - 1) {
            size_t node = word * 64 + (size_t)__builtin_ctzll(outside);
            if (node >= g->n_nodes || node == g->root)
                continue;
            for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
                if (ubi__has_bit(m->page, g->target.at[e]))
                    m->own->essential->words[e / 64] &= ~(UINT64_C(1) << (e % 64));
        }
    }
    return UBI_OK;
}

/* Shortcuts of the root count. */
static void put_shortcuts(const marking *m) {
    const ubi_graph *g = m->g;
    for (ubi_edge_ix e = g->first_edge.at[g->root]; e < g->first_edge.at[g->root + 1]; e++)
        if (ubi__graph_edge_kind(g, e) == UBI_EDGE_SHORTCUT && g->target.at[e] != g->root)
            ubi_edge_set_put(m->own->essential, e, true);
}

static void drop_edges_of_table(const marking *m, ubi_node_ix table) {
    const ubi_graph *g = m->g;
    for (ubi_edge_ix e = g->first_edge.at[table]; e < g->first_edge.at[table + 1]; e++) {
        if (ubi__graph_edge_kind(g, e) != UBI_EDGE_INTERNAL)
            continue;
        const ubi__v8_ephemeron *ephemeron = ubi__v8_ephemeron_named(m->own, g->name.at[e]);
        if (ephemeron && ephemeron->table_id == g->id.at[table])
            ubi_edge_set_put(m->own->essential, e, false);
    }
}

#define LOOKUPS_PER_PULSE 4096 /* each a few misses of the cache, and the edges of a table */

/* Edges by which tables of WeakMaps refer to values. `special` has done its work and marks the tables that are done. */
static ubi_status drop_table_edges(const marking *m) {
    memset(m->special, 0, m->n_words * sizeof *m->special);
    for (size_t i = 0; i < m->own->ephemerons.n; i++) {
        ubi_node_ix table;
        if (ubi__unlikely(i % LOOKUPS_PER_PULSE == 0) && !ubi__v8_go_on(m->opening, m->g->n_nodes, m->g->n_nodes))
            return ubi__fail_cancelled();
        if (ubi_graph_find(&table, m->g, m->own->ephemerons.at[i].table_id) != UBI_OK ||
            ubi__has_bit(m->special, table))
            continue;
        ubi__put_bit(m->special, table);
        drop_edges_of_table(m, table);
    }
    return UBI_OK;
}

static void edges_check(const marking *m) {
    const ubi_graph *g = m->g;
    for (ubi_node_ix node = 0; UBI_CHECKS && node < g->n_nodes; node++)
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            if (!ubi__edge_set_has(m->own->essential, e))
                continue;
            UBI_ASSERT(ubi__graph_edge_kind(g, e) != UBI_EDGE_WEAK && g->target.at[e] != node);
            UBI_ASSERT(ubi__graph_edge_kind(g, e) != UBI_EDGE_SHORTCUT || node == g->root);
            UBI_ASSERT(!m->page || node == g->root || ubi__has_bit(m->page, node) ||
                       !ubi__has_bit(m->page, g->target.at[e]));
        }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static ubi_status find_edges(marking *m) {
    const ubi_allocator *a = m->opening->allocator;
    UBI_TRY(ubi_edge_set_new(&m->own->essential, m->g, false));
    m->special = ubi__calloc_array(a, m->n_words, sizeof *m->special);
    m->page = ubi__calloc_array(a, m->n_words, sizeof *m->page);
    if (!m->special || !m->page)
        return ubi__fail_nomem();
    UBI_TRY(note_special_nodes(m));
    ubi__crew crew = { m->opening->threads, &m->opening->pulse };
    UBI_TRY(ubi__parallel_pieces(crew, "looking at edges", m->g->n_edges, UBI__V8_CHUNK, sort_range, m));
    if (!mark_seeds(m)) {
        ubi__free_array(a, m->page, m->n_words, sizeof *m->page);
        m->page = NULL;
    }
    UBI_TRY(count_distances(m));
    if (m->page)
        UBI_TRY(drop_edges_to_page(m));
    put_shortcuts(m);
    UBI_TRY(drop_table_edges(m));
    edges_check(m);
    return UBI_OK;
}

ubi_status ubi__v8_find_essential_edges(ubi__v8_look *own, const ubi_graph *g, ubi__v8_opening *opening) {
    marking m = { own, g, opening, NULL, NULL, g->n_nodes / 64 + 1 };
    ubi_status status = find_edges(&m);
    ubi__free_array(opening->allocator, m.special, m.n_words, sizeof *m.special);
    ubi__free_array(opening->allocator, m.page, m.n_words, sizeof *m.page);
    return status;
}
