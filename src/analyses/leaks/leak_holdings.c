/* SPDX-License-Identifier: MIT
 *
 * leak_holdings.c: see leak_holdings.h.
 */
#include "analyses/leaks/leak_holdings.h"

#include <string.h>

#include "base/bits.h"
#include "base/text.h"

/* From a node up to the object that it counts to: a buffer's memory, its array buffer, its view, and the holder of that. */
#define MOST_LEVELS 8
/* An object with more that comes and goes is a table with keys. */
#define MOST_CONTENTS 16

/* Bits of how[node]: of some edge to it. */
enum {
    IS_ENTRY = 1, /* numbered or without a name */
    IS_VARIABLE = 2,
    IS_REPEATED = 4, /* there are several */
    IS_ON_WAY = 8,   /* on the way to the outermost of a rope that is being looked for */
    IS_COPIED = 16,  /* of the edge of a node of the engine that keeps it as a template */
    IS_WHOLE = 32    /* it comes from what is no rope */
};

/* ---- who refers to a node alone ----------------------------------------------------------------------------------- */

static void find_held_kinds(ubi__leak_holdings *h, const ubi_leak_options *options) {
    for (size_t i = 0; i < h->graph->kinds.rows.n; i++) {
        const ubi_kind *kind = &h->graph->kinds.rows.at[i];
        bool is_object = kind->coarse_type != UBI_COARSE_OTHER && kind->coarse_type != UBI_COARSE_SCRIPT;
        h->is_held[i] = is_object || (options->is_value && options->is_value(h->graph, kind));
    }
}

static bool is_number(ubi_text text) {
    size_t i = 0;
    while (i < text.len && ubi__is_digit(text.ptr[i]))
        i++;
    return i > 0 && i == text.len;
}

/*
 * Where edges have no kinds, those of elements look like "[3]" or "objectElements[3]". V8 names what the table of a Map or Set
 * holds by its place there: "4099".
 */
static bool is_entry(const ubi_graph *g, ubi_edge_ix e) {
    ubi_str_ix name = ubi__graph_edge_name(g, e);
    if (name == UBI_NONE)
        return true;
    ubi_text text = ubi__strtab_get(&g->strings, name);
    return (text.len && text.ptr[text.len - 1] == ']') || is_number(text);
}

static void meet_edge(ubi__leak_holdings *h, ubi_node_ix source, ubi_edge_ix e) {
    const ubi_graph *g = h->graph;
    ubi_node_ix target = g->target.at[e];
    ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
    if (h->sole[target] == UBI__LEAK_MANY || target == source || kind == UBI_EDGE_WEAK || kind == UBI_EDGE_SHORTCUT)
        return;
    h->how[target] |= h->sole[target] == source ? IS_REPEATED : 0;
    h->sole[target] = h->sole[target] == UBI_NONE || h->sole[target] == source ? source : UBI__LEAK_MANY;
    h->how[target] |= (kind == UBI_EDGE_CONTEXT ? IS_VARIABLE : 0) | (is_entry(g, e) ? IS_ENTRY : 0);
}

static bool has_sole(const ubi__leak_holdings *h, ubi_node_ix node) {
    return h->sole[node] < UBI__LEAK_MANY;
}

/* A node of the engine that one object alone refers to. */
static bool is_part_of_object(const ubi__leak_holdings *h, ubi_node_ix node) {
    return !ubi__leak_is_held(h, node) && has_sole(h, node) && ubi__leak_is_held(h, h->sole[node]);
}

typedef enum edges_met { TO_ENGINE, OF_OBJECTS, OF_PARTS } edges_met;

/*
 * V8 has a property that does not fit into an object twice: as an edge of the object, and as one of its array of properties, which only
 * the object refers to. What an object refers to itself, its parts need not.
 */
static void meet_edges(ubi__leak_holdings *h, edges_met which) {
    const ubi_graph *g = h->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        bool is_part = which != TO_ENGINE && is_part_of_object(h, node);
        if (which != TO_ENGINE && is_part != (which == OF_PARTS))
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (ubi__leak_is_held(h, target) != (which == TO_ENGINE) && !(is_part && h->sole[target] == h->sole[node]))
                meet_edge(h, node, e);
        }
    }
}

/* ---- ropes -------------------------------------------------------------------------------------------------------- */

static bool is_text(const ubi_graph *g, ubi_node_ix node) {
    return g->kinds.rows.at[g->kind.at[node]].coarse_type == UBI_COARSE_STRING;
}

/* Of texts with one source. Where they have more, a rope may have the same part twice, such as a number that was written twice. */
static void find_parts(ubi__leak_holdings *h, const ubi_leak_options *options) {
    const ubi_graph *g = h->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        bool is_part = has_sole(h, node) && is_text(g, node) && options->is_rope(g, h->sole[node]);
        h->rope_of[node] = is_part ? h->sole[node] : UBI_NONE;
    }
}

static void mark_texts_of_others(ubi__leak_holdings *h, const ubi_leak_options *options) {
    const ubi_graph *g = h->graph;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (is_text(g, node) && options->is_rope(g, node))
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_edge_kind kind = ubi__graph_edge_kind(g, e);
            if (h->sole[g->target.at[e]] == UBI__LEAK_MANY && kind != UBI_EDGE_WEAK && kind != UBI_EDGE_SHORTCUT)
                h->how[g->target.at[e]] |= IS_WHOLE;
        }
    }
}

/* The first of its ropes has a text that only ropes have. */
static void find_shared_parts(ubi__leak_holdings *h, const ubi_leak_options *options) {
    const ubi_graph *g = h->graph;
    mark_texts_of_others(h, options);
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (!is_text(g, node) || !options->is_rope(g, node))
            continue;
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            ubi_node_ix part = g->target.at[e];
            if (h->sole[part] == UBI__LEAK_MANY && !(h->how[part] & IS_WHOLE) && h->rope_of[part] == UBI_NONE &&
                is_text(g, part) && part != node)
                h->rope_of[part] = node;
        }
    }
}

/* Up to and without `end`, nodes get the outermost in place of what is around them. */
static void set_outermost(ubi__leak_holdings *h, ubi_node_ix from, ubi_node_ix end, ubi_node_ix outermost) {
    while (from != end) {
        ubi_node_ix around = h->rope_of[from];
        h->how[from] &= (uint8_t)~IS_ON_WAY;
        h->rope_of[from] = outermost;
        from = around;
    }
}

/*
 * From a part up to what no rope is around. Each way is gone once, since all on it get the outermost. Texts that are parts of each other, as
 * no program makes them, are a ring: there the first that comes again is the outermost.
 */
static void find_outermost(ubi__leak_holdings *h, ubi_node_ix node) {
    ubi_node_ix top = node;
    while (h->rope_of[top] != UBI_NONE && !(h->how[top] & IS_ON_WAY)) {
        h->how[top] |= IS_ON_WAY;
        top = h->rope_of[top];
    }
    ubi_node_ix around = h->rope_of[top];
    set_outermost(h, node, top, top);
    if (around != UBI_NONE)
        set_outermost(h, around, top, top);
    h->how[top] &= (uint8_t)~IS_ON_WAY;
    h->rope_of[top] = UBI_NONE;
}

static void add_parts(ubi__leak_holdings *h) {
    memcpy(h->rope_bytes, h->size_bytes, h->graph->n_nodes * sizeof *h->rope_bytes);
    for (ubi_node_ix node = 0; node < h->graph->n_nodes; node++) {
        ubi_node_ix top = h->rope_of[node];
        if (top == UBI_NONE)
            continue;
        h->rope_bytes[top] = ubi__add_u64(h->rope_bytes[top], h->size_bytes[node]);
        h->rope_bytes[node] = 0;
    }
    h->size_bytes = h->rope_bytes;
}

static bool has_ropes(const ubi_graph *g, const ubi_leak_options *options) {
    for (ubi_node_ix node = 0; node < g->n_nodes; node++)
        if (is_text(g, node) && options->is_rope(g, node))
            return true;
    return false;
}

static ubi_status find_ropes(ubi__leak_holdings *h, const ubi_leak_options *options) {
    size_t n = h->graph->n_nodes;
    if (!has_ropes(h->graph, options))
        return UBI_OK;
    h->rope_of = ubi__alloc_array(h->allocator, n, sizeof *h->rope_of);
    h->rope_bytes = ubi__alloc_array(h->allocator, n, sizeof *h->rope_bytes);
    if (!h->rope_of || !h->rope_bytes)
        return ubi__fail_nomem();
    find_parts(h, options);
    find_shared_parts(h, options);
    for (ubi_node_ix node = 0; node < n; node++)
        if (h->rope_of[node] != UBI_NONE)
            find_outermost(h, node);
    add_parts(h);
    return UBI_OK;
}

void ubi__leak_holdings_check(const ubi__leak_holdings *h) {
    UBI_ASSERT((h->rope_of == NULL) == (h->rope_bytes == NULL));
    UBI_ASSERT(!h->rope_bytes || h->size_bytes == h->rope_bytes);
    for (ubi_node_ix node = 0; UBI_CHECKS && node < h->graph->n_nodes; node++) {
        UBI_ASSERT(h->sole[node] < h->graph->n_nodes || h->sole[node] >= UBI__LEAK_MANY);
        UBI_ASSERT(h->sole[node] != node && !(h->how[node] & IS_ON_WAY));
        if (!h->rope_of || h->rope_of[node] == UBI_NONE)
            continue;
        UBI_ASSERT(h->rope_of[h->rope_of[node]] == UBI_NONE);
        UBI_ASSERT(h->rope_bytes[node] == 0);
    }
}

/* ---- templates ---------------------------------------------------------------------------------------------------- */

static void find_templates(ubi__leak_holdings *h, const ubi_leak_options *options) {
    for (ubi_node_ix node = 0; node < h->graph->n_nodes; node++) {
        ubi_node_ix copied = ubi__leak_is_held(h, node) ? UBI_NONE : options->template_of(h->graph, node);
        if (copied != UBI_NONE)
            h->how[copied] |= IS_COPIED;
    }
}

bool ubi__leak_is_template(const ubi__leak_holdings *h, ubi_node_ix node) {
    return h->how[node] & IS_COPIED || (has_sole(h, node) && h->how[h->sole[node]] & IS_COPIED);
}

/* ---- whole -------------------------------------------------------------------------------------------------------- */

ubi_status ubi__leak_holdings_init(ubi__leak_holdings *out, const ubi_graph *g, const uint64_t *size_bytes,
                                   const ubi_leak_options *options, const ubi_allocator *a) {
    static const ubi_leak_options defaults = UBI_LEAK_OPTIONS_INIT;
    size_t n = g->n_nodes;
    *out = (ubi__leak_holdings){ .allocator = a, .graph = g };
    out->size_bytes = size_bytes ? size_bytes : g->size_bytes.at;
    out->sole = ubi__alloc_array(a, n, sizeof *out->sole);
    out->how = ubi__calloc_array(a, n, sizeof *out->how);
    out->is_held = ubi__calloc_array(a, g->kinds.rows.n, sizeof *out->is_held);
    if (!out->sole || !out->how || !out->is_held) {
        ubi__leak_holdings_fini(out);
        return ubi__fail_nomem();
    }
    options = options ? options : &defaults;
    find_held_kinds(out, options);
    memset(out->sole, 0xff, n * sizeof *out->sole); /* UBI_NONE */
    meet_edges(out, TO_ENGINE);
    meet_edges(out, OF_OBJECTS);
    meet_edges(out, OF_PARTS);
    if (options->template_of)
        find_templates(out, options);
    ubi_status status = options->is_rope ? find_ropes(out, options) : UBI_OK;
    if (status == UBI_OK)
        ubi__leak_holdings_check(out);
    else
        ubi__leak_holdings_fini(out);
    return status;
}

void ubi__leak_holdings_fini(ubi__leak_holdings *h) {
    if (!h->allocator)
        return;
    ubi__free_array(h->allocator, h->sole, h->graph->n_nodes, sizeof *h->sole);
    ubi__free_array(h->allocator, h->how, h->graph->n_nodes, sizeof *h->how);
    ubi__free_array(h->allocator, h->is_held, h->graph->kinds.rows.n, sizeof *h->is_held);
    ubi__free_array(h->allocator, h->rope_of, h->graph->n_nodes, sizeof *h->rope_of);
    ubi__free_array(h->allocator, h->rope_bytes, h->graph->n_nodes, sizeof *h->rope_bytes);
    *h = (ubi__leak_holdings){ .allocator = NULL };
}

/* ---- weighing ----------------------------------------------------------------------------------------------------- */

/** The object that a node counts to, and what this holds on the way to the node. */
typedef struct counted {
    ubi_node_ix to; /* UBI_NONE: itself alone */
    ubi_node_ix top;
} counted;

static counted count_to(const ubi__leak_holdings *h, const ubi__leak_stays *s, ubi_node_ix node) {
    const counted nobody = { UBI_NONE, UBI_NONE };
    bool is_part = !ubi__leak_is_held(h, node), stays = s->marks[node] & s->stays;
    ubi_node_ix at = node;
    if (stays && !is_part)
        return nobody;
    for (unsigned i = 0; i < MOST_LEVELS && has_sole(h, at) && !(s->marks[at] & s->leaked); i++) {
        ubi_node_ix holder = h->sole[at];
        bool is_object = ubi__leak_is_held(h, holder);
        if (!is_part && h->how[at] & IS_ENTRY)
            return nobody;
        if (s->marks[holder] & s->stays && (is_object || h->how[at] & IS_VARIABLE))
            return (counted){ holder, at };
        if (s->marks[holder] & s->stays && !is_part)
            return nobody;
        at = holder;
    }
    return nobody;
}

/* How many things each object that stays holds by names; more than MOST_CONTENTS are all the same. */
static void count_contents(uint8_t *n_contents, const ubi__leak_holdings *h, const ubi__leak_stays *s) {
    for (ubi_node_ix node = 0; node < h->graph->n_nodes; node++) {
        counted c = ubi__leak_is_held(h, node) ? count_to(h, s, node) : (counted){ UBI_NONE, UBI_NONE };
        if (c.to != UBI_NONE && c.top == node && n_contents[c.to] <= MOST_CONTENTS)
            n_contents[c.to]++;
    }
}

ubi_status ubi__leak_weigh(uint64_t *weight, ubi_node_ix *counts_to, const ubi__leak_holdings *h,
                           const ubi__leak_stays *s) {
    size_t n = h->graph->n_nodes;
    uint8_t *n_contents = ubi__calloc_array(h->allocator, n, sizeof *n_contents);
    if (!n_contents)
        return ubi__fail_nomem();
    count_contents(n_contents, h, s);
    memcpy(weight, h->size_bytes, n * sizeof *weight);
    for (ubi_node_ix node = 0; node < n; node++) {
        counted c = h->size_bytes[node] ? count_to(h, s, node) : (counted){ UBI_NONE, UBI_NONE };
        bool is_table = c.to != UBI_NONE && n_contents[c.to] > MOST_CONTENTS;
        if (is_table && ubi__leak_is_held(h, c.top))
            c.to = UBI_NONE;
        if (c.to != UBI_NONE)
            weight[c.to] = ubi__add_u64(weight[c.to], h->size_bytes[node]);
        if (counts_to)
            counts_to[node] = c.to;
    }
    ubi__free_array(h->allocator, n_contents, n, sizeof *n_contents);
    return UBI_OK;
}

void ubi__leak_weigh_at_most(uint64_t *weight, const ubi__leak_holdings *h) {
    size_t n = h->graph->n_nodes;
    memcpy(weight, h->size_bytes, n * sizeof *weight);
    for (ubi_node_ix node = 0; node < n; node++) {
        ubi_node_ix at = node;
        for (unsigned i = 0; i < MOST_LEVELS && h->size_bytes[node] && has_sole(h, at); i++) {
            at = h->sole[at];
            weight[at] = ubi__add_u64(weight[at], h->size_bytes[node]);
        }
    }
}

/* ---- contents ----------------------------------------------------------------------------------------------------- */

/* What one edge leads to and no other. So nothing is looked at twice. */
static bool is_only_edge(const ubi__leak_holdings *h, ubi_node_ix source, ubi_node_ix target) {
    return h->sole[target] == source && !(h->how[target] & IS_REPEATED);
}

static bool is_content(const ubi__leak_holdings *h, const ubi__leak_stays *s, ubi_node_ix holder, ubi_node_ix node) {
    return is_only_edge(h, holder, node) && !(s->marks[node] & (s->stays | s->leaked)) && ubi__leak_is_held(h, node) &&
           !(h->how[node] & IS_ENTRY);
}

static uint64_t bytes_of_inner(const ubi__leak_holdings *h, ubi_node_ix node) {
    const ubi_graph *g = h->graph;
    uint64_t sum = h->size_bytes[node];
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (is_only_edge(h, node, g->target.at[e]))
            sum = ubi__add_u64(sum, h->size_bytes[g->target.at[e]]);
    return sum;
}

/* With what it alone holds itself, two levels deep: an array buffer and its memory. */
static uint64_t bytes_of(const ubi__leak_holdings *h, ubi_node_ix node) {
    const ubi_graph *g = h->graph;
    uint64_t sum = h->size_bytes[node];
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++)
        if (is_only_edge(h, node, g->target.at[e]))
            sum = ubi__add_u64(sum, bytes_of_inner(h, g->target.at[e]));
    return sum;
}

ubi__leak_contents ubi__leak_contents_of(const ubi__leak_holdings *h, const ubi__leak_stays *s, ubi_node_ix node,
                                         uint64_t bytes) {
    const ubi_graph *g = h->graph;
    ubi__leak_contents out = { 0, UBI_NONE };
    for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
        if (!is_content(h, s, node, g->target.at[e]))
            continue;
        uint64_t content_bytes = bytes_of(h, g->target.at[e]);
        out.bytes = ubi__add_u64(out.bytes, content_bytes);
        out.main = content_bytes > bytes / 2 ? g->target.at[e] : out.main;
    }
    return out;
}
