/* SPDX-License-Identifier: MIT
 *
 * fxs_save_walk.c: saving a heap while it is walked breadth-first: nodes in their turn, and the edges of each.
 *
 *     heap -> edges, with keys or with texts -> (edge filter) -> encoder
 *                                                         \--> frontier
 *
 * The encoder enumerates a node's edges when it writes the node. The first enumeration hands their referents to the frontier
 * (graph/frontier.h), so the edge filter sees each edge in the order in which nodes are found, and no edge is written whose node
 * will not be. Nearly all edges have names that recur: the fields of recent ones are known and only copied.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/assert.h"
#include "base/bits.h"
#include "formats/fxsnapshot/fxs_encoder.h"
#include "formats/fxsnapshot/fxs_save.h"
#include "graph/frontier.h"

#define UBI__FXS_GROUPS 1024 /* of nodes (ubi_node_group), whose texts are looked up once */

/* What nodes of a group share. */
typedef struct ubi__fxs_group {
    bool is_known;
    ubi_coarse_type coarse_type;
    ubi_str_ix type_name, class_name, script_filename, descriptive_name;
    ubi__fxs_stencil stencil;
} ubi__fxs_group;

/*
 * What distinguishes a name of an edge from others: a key and the heap that gave it, or, of a text of at most 16 bytes, as nearly all
 * have, two words, which overlap, and the length.
 */
typedef struct ubi__fxs_name_key {
    uint64_t first, last, space;
} ubi__fxs_name_key;

/* A recent name, and the edge field made of it (ubi__fxs_name_field). */
typedef struct ubi__fxs_recent_name {
    ubi__fxs_name_key key;
    uint64_t field; /* 0: none */
} ubi__fxs_recent_name;

#define UBI__FXS_NAMES_BITS 10

typedef struct ubi__fxs_walk {
    ubi__fxs_save *save;
    ubi__frontier *frontier;

    /* while the edges of a node are enumerated */
    ubi_node origin;
    ubi__fxs_edge_fn fn;
    void *fn_payload;
    ubi_status status;
    bool is_first; /* not the second enumeration of a large node */

    ubi__fxs_group groups[UBI__FXS_GROUPS];
    ubi__fxs_group alone; /* of the node at hand, if it has none */
    ubi__fxs_recent_name names[1 << UBI__FXS_NAMES_BITS];
} ubi__fxs_walk;

/* ---- names met lately --------------------------------------------------------------------------------------------- */

#define SHORT_BYTES 16

static inline uint64_t eight_at(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}
static inline uint64_t four_at(const uint8_t *p) {
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Of a short text. */
static inline ubi__fxs_name_key key_of_text(ubi_text name) {
    const uint8_t *p = (const uint8_t *)name.ptr;
    ubi__fxs_name_key key = { .space = name.len };
    if (name.len >= 8) {
        key.first = eight_at(p);
        key.last = eight_at(p + name.len - 8);
    } else if (name.len >= 4) {
        key.first = four_at(p);
        key.last = four_at(p + name.len - 4);
    } else if (name.len) {
        key.first = p[0] | (uint64_t)p[name.len / 2] << 8;
        key.last = p[name.len - 1];
    }
    return key;
}

static inline ubi__fxs_name_key key_of_edge(const ubi__fxs_walk *w, const ubi_keyed_edge *edge) {
    return (ubi__fxs_name_key){ edge->name.base, edge->name.number, (uintptr_t)w->origin.heap };
}

static inline ubi__fxs_recent_name *place_of(ubi__fxs_walk *w, const ubi__fxs_name_key *key) {
    uint64_t hash = (key->first ^ (key->last << 29 | key->last >> 35)) + key->space;
    return &w->names[ubi__cache_place(hash, UBI__FXS_NAMES_BITS)];
}

/* The field of an edge with this name; 0: unknown. */
static inline uint64_t find_field(ubi__fxs_walk *w, const ubi__fxs_name_key *key) {
    const ubi__fxs_recent_name *recent = place_of(w, key);
    uint64_t differs =
        (recent->key.first ^ key->first) | (recent->key.last ^ key->last) | (recent->key.space ^ key->space);
    return differs ? 0 : recent->field;
}

static void name_remember(ubi__fxs_walk *w, const ubi__fxs_name_key *key, const ubi__fxs_edge *edge) {
    const ubi__fxs_encoder *e = w->save->encoder;
    if (edge->name != UBI_NONE && ubi__fxs_is_known(&e->two_byte, edge->name))
        *place_of(w, key) = (ubi__fxs_recent_name){ *key, ubi__fxs_name_field(e, edge->name) };
}

/* ---- edges -------------------------------------------------------------------------------------------------------- */

static inline ubi_edge_verdict verdict_on(const ubi__fxs_walk *w, ubi_node referent) {
    const ubi_save_options *o = w->save->options;
    return o->edge_filter ? o->edge_filter(o->edge_filter_payload, w->origin, referent) : UBI_EDGE_FOLLOW;
}

/* Gives an edge to the encoder in full. *edge then says what became of its name. */
static ubi_status give_edge(ubi__fxs_walk *w, ubi__fxs_edge *edge, uint64_t referent, ubi_text name) {
    edge->referent = referent;
    UBI_TRY(ubi__fxs_save_edge_name(w->save, edge, name));
    return w->fn(w->fn_payload, edge);
}

/* ---- edges with texts --------------------------------------------------------------------------------------------- */

static ubi_status give_texted_edge(ubi__fxs_walk *w, uint64_t referent, ubi_text name) {
    ubi__fxs_encoder *e = w->save->encoder;
    ubi__fxs_edge edge;
    if (!name.ptr || name.len > SHORT_BYTES)
        return give_edge(w, &edge, referent, name);
    ubi__fxs_name_key key = key_of_text(name);
    uint64_t field = e->node.keeps_edges ? find_field(w, &key) : 0;
    if (ubi__likely(field != 0)) {
        ubi__fxs_keep_edge(e, referent, field);
        return UBI_OK;
    }
    UBI_TRY(give_edge(w, &edge, referent, name));
    name_remember(w, &key, &edge);
    return UBI_OK;
}

static bool on_edge(void *payload, ubi_node referent, ubi_text name) {
    ubi__fxs_walk *w = payload;
    ubi_edge_verdict verdict = verdict_on(w, referent);
    if (verdict == UBI_EDGE_SKIP)
        return true;
    w->status = give_texted_edge(w, referent.ops->id(referent), name);
    if (w->status == UBI_OK)
        w->status = ubi__frontier_take(w->frontier, referent, verdict == UBI_EDGE_ABANDON);
    return w->status == UBI_OK;
}

/* The second time, when a large node is written. */
static bool on_edge_again(void *payload, ubi_node referent, ubi_text name) {
    ubi__fxs_walk *w = payload;
    ubi__fxs_edge edge;
    if (verdict_on(w, referent) != UBI_EDGE_SKIP)
        w->status = give_edge(w, &edge, ubi_node_id(referent), name);
    return w->status == UBI_OK;
}

/* ---- edges with keys ---------------------------------------------------------------------------------------------- */

/* Whether the name is a number that is not remembered: then the encoder takes it as it is. */
static inline bool is_far_element(ubi_edge_key key) {
    return key.base == UBI_EDGE_KEY_NUMBER && key.number >= UBI__FXS_NUMBERS && key.number <= UINT32_MAX;
}

/* UBI_NONE: the number is too large to be remembered, or has not been a name before. */
static inline ubi_str_ix handle_of_number(const ubi__fxs_walk *w, uint64_t number) {
    const ubi__vec_u32 *handles = &w->save->handle_of_number;
    return number < handles->n ? handles->at[number] : UBI_NONE;
}

static ubi_status give_number(ubi__fxs_walk *w, ubi__fxs_edge *edge, uint64_t referent, uint64_t number) {
    char digits[24];
    *edge = (ubi__fxs_edge){ .referent = referent, .name = handle_of_number(w, number) };
    if (edge->name != UBI_NONE)
        return w->fn(w->fn_payload, edge);
    int n = snprintf(digits, sizeof digits, "%" PRIu64, number);
    return give_edge(w, edge, referent, (ubi_text){ digits, (size_t)n });
}

static ubi_status give_edge_of_key(ubi__fxs_walk *w, ubi__fxs_edge *edge, const ubi_keyed_edge *keyed) {
    if (keyed->name.base == UBI_EDGE_KEY_NUMBER)
        return give_number(w, edge, keyed->id, keyed->name.number);
    return give_edge(w, edge, keyed->id, w->origin.ops->edge_name(w->origin.heap, keyed->name));
}

static ubi_status give_new_edge(ubi__fxs_walk *w, const ubi_keyed_edge *keyed) {
    ubi__fxs_name_key key = key_of_edge(w, keyed);
    ubi__fxs_edge edge;
    UBI_TRY(give_edge_of_key(w, &edge, keyed));
    if (keyed->name.base != UBI_EDGE_KEY_NUMBER)
        name_remember(w, &key, &edge);
    return UBI_OK;
}

/* The field of a number that has been a name before; 0: none. */
static inline uint64_t field_of_number(const ubi__fxs_walk *w, uint64_t number) {
    const ubi__fxs_encoder *e = w->save->encoder;
    ubi_str_ix handle = handle_of_number(w, number);
    return handle != UBI_NONE && ubi__fxs_is_known(&e->two_byte, handle) ? ubi__fxs_name_field(e, handle) : 0;
}

/* Gives an edge whose name is in the file, as that of nearly every edge is. False: not done. */
static inline bool keep_known(ubi__fxs_walk *w, const ubi_keyed_edge *keyed) {
    ubi__fxs_encoder *e = w->save->encoder;
    ubi__fxs_name_key key = key_of_edge(w, keyed);
    if (ubi__unlikely(!e->node.keeps_edges))
        return false;
    uint64_t field =
        keyed->name.base == UBI_EDGE_KEY_NUMBER ? field_of_number(w, keyed->name.number) : find_field(w, &key);
    UBI_ASSERT(field >> 8 * UBI__FXS_FIELD_BYTES <= UBI__FXS_FIELD_BYTES); /* its length */
    if (ubi__likely(field != 0))
        ubi__fxs_keep_edge(e, keyed->id, field);
    return field != 0;
}

static ubi_status give_unknown(ubi__fxs_walk *w, const ubi_keyed_edge *keyed) {
    if (is_far_element(keyed->name))
        return ubi__fxs_plan_element(w->save->encoder, keyed->id, (uint32_t)keyed->name.number);
    return give_new_edge(w, keyed);
}

static bool on_keyed_edges(void *payload, const ubi_keyed_edge *edges, uint32_t n) {
    ubi__fxs_walk *w = payload;
    bool has_filter = w->save->options->edge_filter != NULL;
    ubi_node referent = w->origin;
    for (uint32_t i = 0; i < n; i++) {
        ubi_status status = UBI_OK;
        referent.ref = edges[i].ref;
        ubi_edge_verdict verdict = ubi__unlikely(has_filter) ? verdict_on(w, referent) : UBI_EDGE_FOLLOW;
        if (verdict == UBI_EDGE_SKIP)
            continue;
        if (ubi__unlikely(!keep_known(w, &edges[i])))
            status = give_unknown(w, &edges[i]);
        if (ubi__likely(status == UBI_OK))
            status = ubi__frontier_take(w->frontier, referent, verdict == UBI_EDGE_ABANDON);
        if (ubi__unlikely(status != UBI_OK)) {
            w->status = status;
            return false;
        }
    }
    return true;
}

static bool on_keyed_edges_again(void *payload, const ubi_keyed_edge *edges, uint32_t n) {
    ubi__fxs_walk *w = payload;
    ubi__fxs_edge edge;
    for (uint32_t i = 0; i < n && w->status == UBI_OK; i++) {
        ubi_node referent = { w->origin.ops, w->origin.heap, edges[i].ref };
        if (verdict_on(w, referent) == UBI_EDGE_SKIP)
            continue;
        w->status = is_far_element(edges[i].name)
                        ? ubi__fxs_write_element(w->save->encoder, edges[i].id, (uint32_t)edges[i].name.number)
                        : give_edge_of_key(w, &edge, &edges[i]);
    }
    return w->status == UBI_OK;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

/* The edges of w->origin (ubi__fxs_edges_fn). The first time the frontier takes their referents. */
static ubi_status walk_edges(void *walk, ubi__fxs_edge_fn fn, void *fn_payload) {
    ubi__fxs_walk *w = walk;
    const ubi_node_ops *ops = w->origin.ops;
    w->fn = fn;
    w->fn_payload = fn_payload;
    w->status = UBI_OK;
    if (ops->keyed_edges && !w->save->options->map_text)
        ops->keyed_edges(w->origin, w->is_first ? on_keyed_edges : on_keyed_edges_again, w);
    else
        ubi_node_edges(w->origin, true, w->is_first ? on_edge : on_edge_again, w);
    w->is_first = false;
    return w->status;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

static ubi_status read_group(ubi__fxs_save *s, ubi__fxs_group *out, ubi_node node) {
    ubi__fxs_group g = { .is_known = true, .coarse_type = ubi_node_coarse_type(node) };
    UBI_TRY(ubi__fxs_save_text(s, &g.type_name, UBI_TEXT_TYPE_NAME, ubi_node_type_name(node)));
    UBI_TRY(ubi__fxs_save_text(s, &g.class_name, UBI_TEXT_CLASS_NAME, ubi_node_class_name(node)));
    UBI_TRY(ubi__fxs_save_text(s, &g.script_filename, UBI_TEXT_SCRIPT_FILENAME, ubi_node_script_filename(node)));
    UBI_TRY(ubi__fxs_save_text(s, &g.descriptive_name, UBI_TEXT_DESCRIPTIVE_NAME, ubi_node_descriptive_name(node)));
    *out = g;
    return UBI_OK;
}

/* What ubi_node_id and the others do, without a call that does nothing but call. */
static inline uint64_t size_of(ubi_node node) {
    return node.ops->size_bytes ? node.ops->size_bytes(node) : 1;
}
static inline uint32_t group_of(ubi_node node) {
    return node.ops->group ? node.ops->group(node) : UBI_NONE;
}
static inline bool stack_of(ubi_node node, ubi_stack *out) {
    return node.ops->allocation_stack && node.ops->allocation_stack(node, out);
}

static ubi_status find_group(ubi__fxs_walk *w, ubi__fxs_group **out, ubi_node node) {
    uint32_t number = group_of(node);
    ubi__fxs_group *g = number < UBI__FXS_GROUPS ? &w->groups[number] : &w->alone;
    if (g == &w->alone)
        g->is_known = false;
    if (!g->is_known)
        UBI_TRY(read_group(w->save, g, node));
    *out = g;
    return UBI_OK;
}

static ubi_status write_node(ubi__fxs_walk *w, bool has_edges) {
    ubi_node origin = w->origin;
    ubi__fxs_group *g;
    ubi_stack stack;
    UBI_TRY(find_group(w, &g, origin));
    ubi__fxs_node node = { .id = origin.ops->id(origin),
                           .size_bytes = size_of(origin),
                           .coarse_type = g->coarse_type,
                           .type_name = g->type_name,
                           .class_name = g->class_name,
                           .script_filename = g->script_filename,
                           .descriptive_name = g->descriptive_name,
                           .stencil = &g->stencil };
    if (stack_of(origin, &stack)) {
        node.stack = stack.ops ? &stack : NULL;
        node.has_empty_stack = !stack.ops;
    }
    if (has_edges) {
        node.edges = walk_edges;
        node.edges_payload = w;
        w->is_first = true;
    }
    UBI_TRY(ubi__fxs_save_node(w->save, &node));
    if (ubi__unlikely(!g->stencil.n_front) && g != &w->alone)
        ubi__fxs_make_stencil(w->save->encoder, &node, &g->stencil);
    return UBI_OK;
}

static ubi_status frame_names(void *payload, ubi_stack stack, const ubi_frame *frame, ubi_str_ix *source,
                              ubi_str_ix *function_name) {
    (void)stack;
    UBI_TRY(ubi__fxs_save_text(payload, source, UBI_TEXT_FRAME_SOURCE, frame->source));
    return ubi__fxs_save_text(payload, function_name, UBI_TEXT_FRAME_FUNCTION, frame->function_name);
}

static ubi_status walk_heap(ubi__fxs_walk *w, ubi_node root) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t now_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
    UBI_TRY(ubi__fxs_save_begin(w->save, &now_us));
    UBI_TRY(ubi__frontier_take(w->frontier, root, false));
    for (;;) {
        bool has_edges, more;
        UBI_TRY(ubi__frontier_next(w->frontier, &w->origin, &has_edges, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(write_node(w, has_edges));
    }
}

ubi_status ubi__fxs_save_walk(ubi__fxs_save *s, ubi_node root) {
    ubi__fxs_walk *w =
        UBI_NEW(s->allocator, ubi__fxs_walk); /* tens of kilobytes: not for the stack of an unknown thread */
    if (!w)
        return ubi__fail_nomem();
    w->save = s;
    w->frontier = ubi__frontier_new(s->allocator, NULL, NULL);
    uint32_t max_frames = s->options->max_stack_frames;
    ubi__fxs_encode_set_frame_names(s->encoder, frame_names, s);
    ubi__fxs_encode_limit_stacks(s->encoder, max_frames ? max_frames : UBI_STACK_SAVED_DEPTH);
    ubi_status status = w->frontier ? walk_heap(w, root) : UBI_ENOMEM;
    ubi__frontier_free(w->frontier);
    UBI_DELETE(s->allocator, w);
    return status;
}
