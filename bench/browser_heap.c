/* SPDX-License-Identifier: MIT
 *
 * browser_heap.c: made-up heaps that look like those of a browser.
 *
 * What nodes there are, and what they lead to, is in browser_model.h. Also after real files: ids are cells of 4 KiB
 * arenas in scattered 1 MiB chunks; about three of 100 edge names occur once; a few nodes have very many retainers.
 *
 * Nodes are written in breadth-first order, which needs no queue: a node is *discovered* by the edge that first leads
 * to it, and the discovered nodes that were not written yet are exactly the indices `written ... discovered-1`. Each
 * edge of the node at hand either discovers the next index or goes to one that is discovered already.
 *
 * Two budgets steer the walk, so that sizes come out exactly. Discovery: kind k may be discovered while fewer than its
 * share of the nodes due by now are; what is due runs ahead of what is written as in real files. Edges: nodes that can
 * have any number get more or fewer when the total strays from what is due.
 *
 * Memory per node: id 8, kind 1, and 4 in the list of its kind.
 */
#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"
#include "browser_model.h"
#include "generator_internal.h"

/* ---- state ------------------------------------------------------------------------------------------------------- */

#define CHUNK_BYTES 0x100000
#define ARENA_BYTES 0x1000
#define FIRST_ARENA 4 /* the chunk's own data comes before */
#define ARENAS_PER_KIND 4
#define OPEN_CHUNKS 2
#define LOCAL_NODES 32 /* latest of a kind */
#define NEAR_NODES 16  /* around the node at hand */
#define FRAME_DEPTH_MAX 40
#define SMALL_NUMBERS 64 /* slot and element names kept as handles */
#define EDGE_SLACK 64

typedef struct arena {
    uint64_t next, end;
} arena;

typedef struct chunk {
    uint64_t base;
    uint32_t next_arena;
} chunk;

typedef struct pending_edge {
    uint64_t referent;
    ubi__name_code name;
} pending_edge;

UBI_VEC_DECLARE(vec_edge, pending_edge);

typedef struct stack_frame {
    uint32_t parent, depth; /* UBI_NONE: oldest */
} stack_frame;

/* An edge of the node of the same kind that was written last, at the same place. Objects that were made by one piece of code
 * come in runs, with the same properties and often the same shape or prototype: that is what makes real files compress. */
typedef struct previous_edge {
    uint64_t referent;
    ubi__name_code name;
    ubi__kind target;
    bool used;
} previous_edge;

#define PREVIOUS_EDGES 16

typedef struct name_pool {
    ubi_str_ix *handles; /* UBI_NONE until used */
    size_t n;
} name_pool;

typedef struct browser_heap {
    ubi__generator *g;
    ubi__random random;
    /* plan */
    uint64_t n_nodes, n_edges; /* of the reachable part */
    uint64_t n_unreachable;
    uint64_t n_root_edges;
    bool scattered_ids, inline_names;
    /* nodes */
    uint64_t *ids; /* by index, while discovered */
    uint8_t *kinds;
    ubi__vec_u32 by_kind[UBI__KIND_COUNT];
    uint64_t discovered, written, edges_written, edges_once;
    /* addresses */
    arena arenas[UBI__KIND_COUNT][ARENAS_PER_KIND];
    uint8_t last_arena[UBI__KIND_COUNT];
    chunk chunks[OPEN_CHUNKS];
    uint64_t n_chunks, n_ids;
    /* strings */
    name_pool pools[UBI__NAME_CLASS_COUNT];
    ubi_str_ix type_names[UBI__KIND_COUNT];
    uint32_t n_classes, n_files;
    /* stacks */
    stack_frame *frames;
    uint32_t n_frames;
    /* the node at hand */
    vec_edge edges;
    ubi__kind kind; /* UBI__KIND_COUNT: the root */
    previous_edge previous[UBI__KIND_COUNT + 1][PREVIOUS_EDGES];
} browser_heap;

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *const words[64] = {
    "active",  "browser", "cache",   "context",   "count",   "current", "data",     "document", "element",  "enabled",
    "entry",   "error",   "event",   "extension", "favicon", "filter",  "focus",    "frame",    "global",   "handler",
    "history", "icon",    "index",   "init",      "item",    "key",     "label",    "last",     "listener", "load",
    "manager", "menu",    "message", "module",    "name",    "node",    "observer", "options",  "origin",   "panel",
    "parent",  "pending", "prefs",   "principal", "process", "promise", "query",    "request",  "result",   "scope",
    "screen",  "search",  "service", "session",   "state",   "style",   "tab",      "target",   "timer",    "title",
    "toolbar", "type",    "update",  "window"
};

/** "tabHandler", "tabHandler17": different for every number. */
static int write_identifier(char *out, size_t size, uint64_t number) {
    const char *first = words[number % 64], *second = words[number / 64 % 64];
    if (number < 4096)
        return snprintf(out, size, "%s%c%s", first, second[0] - 'a' + 'A', second + 1);
    return snprintf(out, size, "%s%c%s%llu", first, second[0] - 'a' + 'A', second + 1,
                    (unsigned long long)(number / 4096));
}

#define TEXT_MAX 96

static ubi_text name_text(ubi__name_code code, char out[TEXT_MAX]) {
    unsigned number = UBI__NAME_NUMBER(code);
    int n = 0;
    switch (UBI__NAME_CLASS(code)) {
    case UBI__NAME_FIXED:
        return ubi__text(ubi__fixed_names[number]);
    case UBI__NAME_SLOT:
        n = snprintf(out, TEXT_MAX, "**UNKNOWN SLOT %u**", number);
        break;
    case UBI__NAME_ELEMENT:
        n = snprintf(out, TEXT_MAX, "objectElements[%u]", number);
        break;
    case UBI__NAME_PROPERTY:
        n = write_identifier(out, TEXT_MAX, number);
        break;
    default:
        n = write_identifier(out, TEXT_MAX, number % 4096);
        n += snprintf(out + n, TEXT_MAX - (size_t)n, " 0x%llx", (unsigned long long)ubi__scattered_id(0, number));
    }
    return (ubi_text){ out, (size_t)n };
}

/** Handle of a name; UBI_NONE for one that occurs once or shall be spelled out. */
static ubi_status name_handle(browser_heap *b, ubi_str_ix *out, ubi__name_code code, ubi_text text) {
    const name_pool *pool = &b->pools[UBI__NAME_CLASS(code)];
    uint32_t number = UBI__NAME_NUMBER(code);
    *out = UBI_NONE;
    if (b->inline_names || UBI__NAME_CLASS(code) == UBI__NAME_ONCE)
        return UBI_OK;
    if (number >= pool->n)
        return ubi__fxs_encode_string(b->g->encoder, out, text);
    if (pool->handles[number] == UBI_NONE)
        UBI_TRY(ubi__fxs_encode_string(b->g->encoder, &pool->handles[number], text));
    *out = pool->handles[number];
    return UBI_OK;
}

static ubi_status each_edge(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    browser_heap *b = payload;
    for (size_t i = 0; i < b->edges.n; i++) {
        char text_buffer[TEXT_MAX];
        ubi__name_code code = b->edges.at[i].name;
        ubi__fxs_edge edge = { .referent = b->edges.at[i].referent };
        const name_pool *pool = &b->pools[UBI__NAME_CLASS(code)];
        if (!b->inline_names && UBI__NAME_NUMBER(code) < pool->n && pool->handles[UBI__NAME_NUMBER(code)] != UBI_NONE) {
            edge.name = pool->handles[UBI__NAME_NUMBER(code)]; /* the common case makes no text */
        } else {
            ubi_text text = name_text(code, text_buffer);
            UBI_TRY(name_handle(b, &edge.name, code, text));
            if (edge.name == UBI_NONE)
                edge.own_name = text;
        }
        UBI_TRY(fn(fn_payload, &edge));
    }
    return UBI_OK;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static uint64_t new_chunk_base(browser_heap *b) {
    return (UINT64_C(0x2000000) + ubi__scattered_id(b->g->options->seed, b->n_chunks++) % 0x2000000) * CHUNK_BYTES;
}

static void open_arena(browser_heap *b, arena *a) {
    chunk *c = &b->chunks[ubi__random_chance(&b->random, 1, 8)]; /* the second one is filled more slowly */
    if (c->next_arena == CHUNK_BYTES / ARENA_BYTES || c->base == 0)
        *c = (chunk){ new_chunk_base(b), FIRST_ARENA };
    a->next = c->base + (uint64_t)c->next_arena++ * ARENA_BYTES;
    a->end = a->next + ARENA_BYTES;
}

/** Cells are taken in order from one of a few arenas of the kind, mostly the one used last. */
static uint64_t new_id(browser_heap *b, ubi__kind k) {
    uint64_t cell_bytes = ubi__kind_models[k].cell_bytes < ARENA_BYTES ? ubi__kind_models[k].cell_bytes : ARENA_BYTES;
    b->n_ids++;
    if (b->scattered_ids)
        return ubi__scattered_id(b->g->options->seed, b->n_ids);
    if (ubi__random_chance(&b->random, 1, 12))
        b->last_arena[k] = (uint8_t)ubi__random_below(&b->random, ARENAS_PER_KIND);
    arena *a = &b->arenas[k][b->last_arena[k]];
    if (a->end - a->next < cell_bytes)
        open_arena(b, a);
    uint64_t id = a->next;
    a->next += cell_bytes;
    return id;
}

/* ---- discovery --------------------------------------------------------------------------------------------------- */

/** Nodes that should be discovered by now: ahead of `written`, most in the middle. */
static uint64_t discovered_due(const browser_heap *b) {
    uint64_t i = b->written, left = b->n_nodes - i;
    uint64_t due = 1 + b->n_root_edges * 7 / 10 + i + (uint64_t)((unsigned __int128)i * left * 7 / 10 / b->n_nodes);
    return due < b->n_nodes ? due : b->n_nodes;
}

static int64_t lacking(const browser_heap *b, ubi__kind k, uint64_t due) {
    return (int64_t)(due * ubi__kind_models[k].share / UBI__SHARES) - (int64_t)b->by_kind[k].n;
}

static ubi_status discover(browser_heap *b, ubi__kind k, uint64_t *id) {
    UBI_TRY(ubi__vec_u32_push(&b->by_kind[k], b->g->allocator, (uint32_t)b->discovered));
    b->kinds[b->discovered] = (uint8_t)k;
    *id = b->ids[b->discovered] = new_id(b, k);
    b->discovered++;
    return UBI_OK;
}

/** A node of this kind close to the one at hand, or none (0). */
static uint64_t near_node_of(browser_heap *b, ubi__kind k) {
    for (int i = 0; i < 4; i++) {
        uint64_t back = ubi__random_below(&b->random, NEAR_NODES);
        if (back < b->written && b->kinds[b->written - back] == k)
            return b->written - back;
    }
    return 0;
}

static uint64_t old_node_of(browser_heap *b, ubi__kind k) {
    const ubi__vec_u32 *list = &b->by_kind[k];
    uint64_t roll = ubi__random_below(&b->random, 100), at;
    if (roll < ubi__reuse_models[k].hot) {
        at = list->n;
        for (int i = 0; i < 7; i++) /* a product of uniform numbers: near 0 most of the time */
            at = ubi__random_below(&b->random, at + 1);
    } else if (roll < ubi__reuse_models[k].hot + ubi__reuse_models[k].local) {
        uint64_t near = near_node_of(b, k);
        if (near)
            return b->ids[near];
        near = list->n < LOCAL_NODES ? list->n : LOCAL_NODES;
        at = list->n - 1 - ubi__random_below(&b->random, near);
    } else {
        at = ubi__random_below(&b->random, list->n);
    }
    return b->ids[list->at[at < list->n ? at : list->n - 1]];
}

static uint64_t any_old_node(browser_heap *b) {
    return b->ids[b->discovered == 1 ? 0 : 1 + ubi__random_below(&b->random, b->discovered - 1)];
}

static uint64_t edges_due(const browser_heap *b) {
    uint64_t body = b->n_edges - b->n_root_edges;
    uint64_t due = (uint64_t)((unsigned __int128)body * b->written / b->n_nodes);
    return b->n_root_edges + (due > EDGE_SLACK ? due - EDGE_SLACK : 0);
}

static bool edges_are_short(const browser_heap *b) {
    return b->edges_written + b->edges.n >= edges_due(b) + EDGE_SLACK;
}

/* ---- the edges of a node ----------------------------------------------------------------------------------------- */

/** The previous node's edge at the place of the next one, if it is to be repeated; else NULL. */
static const previous_edge *repeated_edge(browser_heap *b, uint64_t chance_percent) {
    if (b->edges.n >= PREVIOUS_EDGES || !ubi__random_chance(&b->random, chance_percent, 100))
        return NULL;
    const previous_edge *previous = &b->previous[b->kind][b->edges.n];
    return previous->used ? previous : NULL;
}

static ubi__name_code draw_name(browser_heap *b, ubi__name_code name) {
    if (UBI__NAME_NUMBER(name) != UBI__NAME_DRAWN)
        return name;
    uint64_t n = b->pools[UBI__NAME_PROPERTY].n;
    switch (UBI__NAME_CLASS(name)) {
    case UBI__NAME_SLOT:
        return UBI__NAME(UBI__NAME_SLOT, ubi__random_below(&b->random, 12));
    case UBI__NAME_ELEMENT:
        return UBI__NAME(UBI__NAME_ELEMENT, b->edges.n);
    case UBI__NAME_PROPERTY: {
        const previous_edge *previous = repeated_edge(b, 80);
        if (previous && UBI__NAME_CLASS(previous->name) == UBI__NAME_PROPERTY)
            return previous->name;
        if (!ubi__random_chance(&b->random, 1, 7)) {
            for (int i = 0; i < 3; i++)
                n = 1 + ubi__random_below(&b->random, n);
            return UBI__NAME(UBI__NAME_PROPERTY, n - 1);
        }
        break;
    }
    }
    return UBI__NAME(UBI__NAME_ONCE, b->edges_once++ % UBI__NAME_DRAWN);
}

static ubi_status add_edge(browser_heap *b, uint64_t referent, ubi__name_code name) {
    pending_edge edge = { referent, draw_name(b, name) };
    return vec_edge_push(&b->edges, b->g->allocator, edge);
}

static void remember_edge(browser_heap *b, ubi__kind target) {
    size_t at = b->edges.n - 1;
    if (at < PREVIOUS_EDGES)
        b->previous[b->kind][at] = (previous_edge){ b->edges.at[at].referent, b->edges.at[at].name, target, true };
}

/** A node of this kind that was discovered before. */
static uint64_t known_node_of(browser_heap *b, ubi__kind k) {
    const previous_edge *previous = repeated_edge(b, 50);
    if (previous && previous->target == k)
        return previous->referent;
    return b->by_kind[k].n ? old_node_of(b, k) : any_old_node(b);
}

/** An edge to a node of a kind, a new one if its kind is due. */
static ubi_status add_edge_to_kind(browser_heap *b, const ubi__edge_rule *rule, uint64_t due) {
    uint64_t id;
    if (b->discovered < b->n_nodes && lacking(b, rule->target, due) > 0)
        UBI_TRY(discover(b, rule->target, &id));
    else if (edges_are_short(b))
        return UBI_OK;
    else
        id = known_node_of(b, rule->target);
    UBI_TRY(add_edge(b, id, rule->name));
    remember_edge(b, rule->target);
    return UBI_OK;
}

static const ubi__edge_rule *draw_rule(browser_heap *b, const ubi__edge_rule *rules, size_t max) {
    uint64_t sum = 0;
    for (size_t i = 0; i < max && rules[i].weight; i++)
        sum += rules[i].weight;
    uint64_t roll = ubi__random_below(&b->random, sum);
    while (roll >= rules->weight)
        roll -= rules++->weight;
    return rules;
}

/** Geometric with the model's mean, and more when the file has too few edges. */
static uint64_t fill_count(browser_heap *b, const ubi__kind_model *m) {
    uint64_t n = 0, planned = b->edges_written + b->edges.n, due = edges_due(b);
    while (n < 1000 && ubi__random_chance(&b->random, m->mean_fill_tenths, m->mean_fill_tenths + 10u))
        n++;
    return planned + n < due ? due - planned : n;
}

/** Keeps the walk alive and ends it with the right number of edges. */
static ubi_status add_missing_edges(browser_heap *b) {
    if (b->discovered == b->written + 1 && b->discovered < b->n_nodes) {
        ubi__kind best = UBI__KIND_STRING;
        for (ubi__kind k = 0; k < UBI__KIND_COUNT; k++)
            if (lacking(b, k, b->n_nodes) > lacking(b, best, b->n_nodes))
                best = k;
        uint64_t id;
        UBI_TRY(discover(b, best, &id));
        UBI_TRY(add_edge(b, id, UBI__N_VALUE));
    }
    bool last = b->written + 1 == b->n_nodes;
    while (last && b->edges_written + b->edges.n < b->n_edges)
        UBI_TRY(add_edge(b, any_old_node(b), UBI__NAME(UBI__NAME_ELEMENT, UBI__NAME_DRAWN)));
    return UBI_OK;
}

static ubi_status make_edges(browser_heap *b, const ubi__kind_model *m) {
    uint64_t due = discovered_due(b);
    for (size_t i = 0; i < UBI__ALWAYS_MAX && m->always[i].weight; i++)
        if (ubi__random_chance(&b->random, m->always[i].weight, 1000))
            UBI_TRY(add_edge_to_kind(b, &m->always[i], due));
    if (m->fill[0].weight)
        for (uint64_t n = fill_count(b, m); n; n--)
            UBI_TRY(add_edge_to_kind(b, draw_rule(b, m->fill, UBI__FILL_MAX), due));
    return add_missing_edges(b);
}

static ubi_status make_root_edges(browser_heap *b) {
    uint64_t due = discovered_due(b);
    for (uint64_t i = 0; i < b->n_root_edges; i++) {
        const ubi__edge_rule *rule = draw_rule(b, ubi__root_rules, sizeof ubi__root_rules / sizeof *ubi__root_rules);
        uint64_t id;
        if (b->discovered < b->n_nodes && lacking(b, rule->target, due * 3) > 0)
            UBI_TRY(discover(b, rule->target, &id));
        else
            id = any_old_node(b);
        UBI_TRY(add_edge(b, id, rule->name));
    }
    return add_missing_edges(b);
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static ubi_status make_frames(browser_heap *b) {
    if (!b->g->options->stack_percent)
        return UBI_OK;
    b->n_frames = (uint32_t)(50 + b->n_nodes / 500);
    if (!(b->frames = ubi__alloc_array(b->g->allocator, b->n_frames, sizeof *b->frames)))
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < b->n_frames; i++) {
        uint32_t parent = i < 8 ? UBI_NONE : (uint32_t)ubi__random_below(&b->random, i);
        while (parent != UBI_NONE && b->frames[parent].depth == FRAME_DEPTH_MAX)
            parent = b->frames[parent].parent;
        b->frames[i] = (stack_frame){ parent, parent == UBI_NONE ? 1 : b->frames[parent].depth + 1 };
    }
    return UBI_OK;
}

/** The texts live until the next call on this thread, as long as the encoder needs them. */
static void describe_frame(ubi_stack stack, ubi_frame *out) {
    static _Thread_local char source[TEXT_MAX], function[TEXT_MAX];
    uint64_t n = stack.ref;
    int source_len = snprintf(source, TEXT_MAX, "https://example.test/js/module-%llu.js", (unsigned long long)(n % 37));
    int function_len = write_identifier(function, TEXT_MAX, n);
    *out = (ubi_frame){ .id = UINT64_C(0x3b0000000000) + n * 64,
                        .source = { source, (size_t)source_len },
                        .function_name = { n % 9 ? function : NULL, n % 9 ? (size_t)function_len : 0 },
                        .line = (uint32_t)(1 + n % 4001),
                        .column = (uint32_t)(1 + n % 89) };
}

static bool parent_of_frame(ubi_stack stack, ubi_stack *out) {
    const browser_heap *b = stack.owner;
    uint32_t parent = b->frames[stack.ref].parent;
    *out = (ubi_stack){ stack.ops, stack.owner, parent };
    return parent != UBI_NONE;
}

static const ubi_stack_ops frame_ops = { describe_frame, parent_of_frame };

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static uint64_t draw_size(browser_heap *b, const ubi__kind_model *m) {
    uint64_t size = m->cell_bytes;
    if (!ubi__random_chance(&b->random, m->malloc_percent, 100))
        return size;
    do
        size += 16;
    while (size < 65536 && ubi__random_chance(&b->random, 2, 3));
    return ubi__random_chance(&b->random, 1, 2000) ? size * 50 : size;
}

/** A low number more often than a high one. */
static uint64_t draw_favourite(browser_heap *b, uint64_t n) {
    uint64_t at = ubi__random_below(&b->random, n);
    for (int i = 0; i < 2; i++)
        at = ubi__random_below(&b->random, at + 1);
    return at;
}

static ubi_status set_class(browser_heap *b, ubi__fxs_node *node, const ubi__kind_model *m) {
    static const char *const known[] = { "Promise", "LexicalEnvironment", "Map", "Set", "ScriptSource", "XULElement" };
    char text[TEXT_MAX];
    if (!m->class_name)
        return UBI_OK;
    if (m->class_name[0])
        return ubi__fxs_encode_byte_string(b->g->encoder, &node->class_name, ubi__text(m->class_name));
    uint64_t n = draw_favourite(b, b->n_classes);
    if (n < sizeof known / sizeof *known)
        return ubi__fxs_encode_byte_string(b->g->encoder, &node->class_name, ubi__text(known[n]));
    write_identifier(text, sizeof text, n * 7 % 4096);
    text[0] = (char)(text[0] - 'a' + 'A');
    return ubi__fxs_encode_byte_string(b->g->encoder, &node->class_name, ubi__text(text));
}

static ubi_status set_names(browser_heap *b, ubi__fxs_node *node, ubi__kind k) {
    static const char *const tags[] = { "#text",    "menuitem",      "label", "image",
                                        "#comment", "toolbarbutton", "div",   "span" };
    char text[TEXT_MAX];
    UBI_TRY(set_class(b, node, &ubi__kind_models[k]));
    if (k == UBI__KIND_SCRIPT) {
        int n = snprintf(text, sizeof text, "resource://gre/modules/");
        n += write_identifier(text + n, sizeof text - (size_t)n, draw_favourite(b, b->n_files));
        snprintf(text + n, sizeof text - (size_t)n, ".sys.mjs");
        return ubi__fxs_encode_byte_string(b->g->encoder, &node->script_filename, ubi__text(text));
    }
    if (ubi__kind_models[k].coarse_type != UBI_COARSE_DOM_NODE)
        return UBI_OK;
    const char *tag = k == UBI__KIND_DOCUMENT ? "#document" : tags[draw_favourite(b, sizeof tags / sizeof *tags)];
    return ubi__fxs_encode_string(b->g->encoder, &node->descriptive_name, ubi__text(tag));
}

static ubi_status write_node(browser_heap *b, uint64_t id, ubi__kind k) {
    const ubi__kind_model *m = &ubi__kind_models[k];
    ubi__fxs_node node = { .id = id,
                           .size_bytes = draw_size(b, m),
                           .coarse_type = m->coarse_type,
                           .type_name = b->type_names[k],
                           .descriptive_name = UBI_NONE,
                           .class_name = UBI_NONE,
                           .script_filename = UBI_NONE,
                           .edges = each_edge,
                           .edges_payload = b };
    ubi_stack stack = { &frame_ops, b, 0 };
    if (m->class_name && ubi__random_chance(&b->random, b->g->options->stack_percent, 100)) {
        stack.ref = draw_favourite(b, b->n_frames);
        node.stack = &stack;
    }
    UBI_TRY(set_names(b, &node, k));
    return ubi__generator_node(b->g, &node, b->edges.n);
}

static ubi_status write_root(browser_heap *b) {
    ubi__fxs_node root = { .id = b->ids[0],
                           .size_bytes = 1,
                           .descriptive_name = UBI_NONE,
                           .class_name = UBI_NONE,
                           .script_filename = UBI_NONE,
                           .edges = each_edge,
                           .edges_payload = b };
    UBI_TRY(ubi__fxs_encode_string(b->g->encoder, &root.type_name, ubi__text("JS::ubi::RootList")));
    b->kind = UBI__KIND_COUNT;
    UBI_TRY(make_root_edges(b));
    return ubi__generator_node(b->g, &root, b->edges.n);
}

/** Nodes that lead to the one before and to reachable ones, and that nobody leads to from there. */
static ubi_status write_unreachable(browser_heap *b, uint64_t *previous, uint64_t n_due) {
    for (; b->g->result.n_nodes - b->written < n_due;) {
        b->edges.n = 0;
        if (*previous)
            UBI_TRY(add_edge(b, *previous, UBI__N_NEXT));
        while (b->edges.n < 3)
            UBI_TRY(add_edge(b, any_old_node(b), UBI__NAME(UBI__NAME_PROPERTY, UBI__NAME_DRAWN)));
        *previous = new_id(b, UBI__KIND_OBJECT);
        UBI_TRY(write_node(b, *previous, UBI__KIND_OBJECT));
    }
    return UBI_OK;
}

static ubi_status write_heap(browser_heap *b) {
    uint64_t last_unreachable = 0;
    b->ids[0] = b->scattered_ids ? ubi__scattered_id(b->g->options->seed, 0) : UINT64_C(0x7ffc5f3e8a40);
    b->discovered = 1;
    for (; b->written < b->n_nodes;) {
        uint64_t i = b->written;
        b->edges.n = 0;
        if (i == 0) {
            UBI_TRY(write_root(b));
        } else {
            b->kind = b->kinds[i];
            UBI_TRY(make_edges(b, &ubi__kind_models[b->kind]));
            UBI_TRY(write_node(b, b->ids[i], b->kind));
        }
        b->edges_written += b->edges.n;
        b->written++;
        uint64_t n_due = (uint64_t)((unsigned __int128)b->n_unreachable * b->written / b->n_nodes);
        UBI_TRY(write_unreachable(b, &last_unreachable, n_due));
    }
    b->g->result.n_reachable = b->n_nodes;
    return UBI_OK;
}

/* ---- sizes and memory -------------------------------------------------------------------------------------------- */

static ubi_status plan(browser_heap *b) {
    const ubi__generator_options *o = b->g->options;
    uint64_t n_nodes = o->n_nodes ? o->n_nodes : o->n_edges * 100 / 312;
    uint64_t n_edges = o->n_edges ? o->n_edges : o->n_nodes * 312 / 100;
    if (n_nodes < 100 || n_nodes > UINT32_MAX - 1 || n_edges < n_nodes * 2)
        return ubi__fail(UBI_EINVAL,
                         "the shape %s cannot have %llu nodes and %llu edges: at least 100 and twice as many",
                         ubi__shape_name(o->shape), (unsigned long long)n_nodes, (unsigned long long)n_edges);
    b->scattered_ids = o->shape == UBI__SHAPE_RANDOM_IDS;
    b->inline_names = o->shape == UBI__SHAPE_INLINE_NAMES;
    b->n_unreachable = o->shape == UBI__SHAPE_UNREACHABLE ? n_nodes * 3 / 10 : 0;
    b->n_nodes = n_nodes - b->n_unreachable;
    b->n_edges = n_edges - 3 * b->n_unreachable;
    b->n_root_edges = b->n_nodes / 30 < 10794 ? b->n_nodes / 30 : 10794;
    b->n_classes = 356;
    b->n_files = (uint32_t)(8 + (b->n_nodes / 500 < 4000 ? b->n_nodes / 500 : 4000));
    return UBI_OK;
}

static ubi_status make_pool(browser_heap *b, unsigned class, size_t n) {
    name_pool *pool = &b->pools[class];
    if (!(pool->handles = ubi__alloc_array(b->g->allocator, n, sizeof *pool->handles)))
        return ubi__fail_nomem();
    pool->n = n;
    memset(pool->handles, 0xff, n * sizeof *pool->handles);
    return UBI_OK;
}

static ubi_status make_tables(browser_heap *b) {
    uint64_t n_properties = 200 + (b->n_nodes / 48 < 60000 ? b->n_nodes / 48 : 60000);
    UBI_TRY(make_pool(b, UBI__NAME_FIXED, UBI__FIXED_NAME_COUNT));
    UBI_TRY(make_pool(b, UBI__NAME_SLOT, SMALL_NUMBERS));
    UBI_TRY(make_pool(b, UBI__NAME_ELEMENT, SMALL_NUMBERS));
    UBI_TRY(make_pool(b, UBI__NAME_PROPERTY, n_properties));
    b->ids = ubi__alloc_array(b->g->allocator, b->n_nodes, sizeof *b->ids);
    b->kinds = ubi__alloc_array(b->g->allocator, b->n_nodes, sizeof *b->kinds);
    if (!b->ids || !b->kinds)
        return ubi__fail_nomem();
    for (ubi__kind k = 0; k < UBI__KIND_COUNT; k++)
        UBI_TRY(ubi__fxs_encode_string(b->g->encoder, &b->type_names[k], ubi__text(ubi__kind_models[k].type_name)));
    return make_frames(b);
}

static void free_tables(browser_heap *b) {
    const ubi_allocator *a = b->g->allocator;
    for (unsigned i = 0; i < UBI__NAME_CLASS_COUNT; i++)
        ubi__free_array(a, b->pools[i].handles, b->pools[i].n, sizeof *b->pools[i].handles);
    for (ubi__kind k = 0; k < UBI__KIND_COUNT; k++)
        ubi__vec_u32_fini(&b->by_kind[k], a);
    ubi__free_array(a, b->ids, b->n_nodes, sizeof *b->ids);
    ubi__free_array(a, b->kinds, b->n_nodes, sizeof *b->kinds);
    ubi__free_array(a, b->frames, b->n_frames, sizeof *b->frames);
    vec_edge_fini(&b->edges, a);
}

ubi_status ubi__generate_browser(ubi__generator *g) {
    browser_heap *b = UBI_NEW(g->allocator, browser_heap);
    if (!b)
        return ubi__fail_nomem();
    b->g = g;
    b->random = g->random;
    ubi_status status = plan(b);
    if (status == UBI_OK)
        status = make_tables(b);
    if (status == UBI_OK)
        status = write_heap(b);
    free_tables(b);
    UBI_DELETE(g->allocator, b);
    return status;
}
