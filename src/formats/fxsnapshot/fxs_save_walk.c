/* SPDX-License-Identifier: MIT
 *
 * fxs_save_walk.c: saving a heap while it is walked breadth-first.
 *
 * A node's edges are enumerated when it is written, by the encoder, and the same enumeration takes their referents
 * (graph/frontier.h); so the edge filter sees each edge in the order in which nodes are found, and no edge is written whose
 * node will not be.
 */
#include <time.h>

#include "formats/fxsnapshot/fxs_encoder.h"
#include "formats/fxsnapshot/fxs_save.h"
#include "graph/frontier.h"

#define GROUPS 1024 /* of nodes (ubi_node_group), whose texts are looked up once */

/* What nodes of a group share. */
typedef struct group {
    bool is_known;
    ubi_coarse_type coarse_type;
    ubi_str_ix type_name, class_name, script_filename, descriptive_name;
} group;

/*
 * A name of an edge that was met lately, if it has at most 16 bytes, as nearly all have: then two words, which overlap, and
 * the length say all of it. And the field of the edge that it became.
 */
typedef struct recent_name {
    uint64_t first, last;
    uint32_t len;
    uint32_t field_bytes; /* 0: empty */
    uint64_t field;
} recent_name;

#define NAMES_BITS 10
#define NAME_BYTES 16

typedef struct walk {
    ubi__fxs_save *save;
    ubi__frontier *frontier;

    /* while the edges of a node are enumerated */
    ubi_node origin;
    ubi__fxs_edge_fn fn;
    void *fn_payload;
    ubi_status status;
    bool is_first; /* not the second enumeration of a large node */

    group groups[GROUPS];
    recent_name names[1 << NAMES_BITS];
} walk;

/* ---- names of edges ----------------------------------------------------------------------------------------------- */

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

static inline recent_name words_of(ubi_text name) {
    const uint8_t *p = (const uint8_t *)name.ptr;
    recent_name n = { .len = (uint32_t)name.len };
    if (name.len >= 8) {
        n.first = eight_at(p);
        n.last = eight_at(p + name.len - 8);
    } else if (name.len >= 4) {
        n.first = four_at(p);
        n.last = four_at(p + name.len - 4);
    } else if (name.len) {
        n.first = p[0] | (uint64_t)p[name.len / 2] << 8;
        n.last = p[name.len - 1];
    }
    return n;
}

static inline recent_name *recent_place(walk *w, const recent_name *n) {
    uint64_t hash = (n->first ^ (n->last << 1 | n->last >> 63) * UINT64_C(0xbf58476d1ce4e5b9)) + n->len;
    return &w->names[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - NAMES_BITS)];
}

static inline bool is_short(ubi_text name) {
    return name.ptr && name.len <= NAME_BYTES;
}

/* NULL: not met lately. */
static inline const recent_name *find_recent(walk *w, ubi_text name) {
    if (!is_short(name))
        return NULL;
    recent_name wanted = words_of(name), *recent = recent_place(w, &wanted);
    bool found = recent->first == wanted.first && recent->last == wanted.last && recent->len == wanted.len;
    return found && recent->field_bytes ? recent : NULL;
}

static void remember(walk *w, ubi_text name, ubi_str_ix handle) {
    const ubi__fxs_encoder *e = w->save->encoder;
    if (!is_short(name) || handle == UBI_NONE || !ubi__fxs_is_known(&e->two_byte, handle))
        return;
    recent_name n = words_of(name);
    n.field = ubi__fxs_name_field(e, handle, &n.field_bytes);
    *recent_place(w, &n) = n;
}

/* ---- edges -------------------------------------------------------------------------------------------------------- */

/* Gives an edge to the encoder. */
static ubi_status give_edge(walk *w, uint64_t referent, ubi_text name) {
    ubi__fxs_edge edge = { .referent = referent };
    UBI_TRY(ubi__fxs_save_edge_name(w->save, &edge, name));
    UBI_TRY(w->fn(w->fn_payload, &edge));
    remember(w, name, edge.name);
    return UBI_OK;
}

static ubi_edge_verdict verdict_on(const walk *w, ubi_node referent) {
    const ubi_save_options *o = w->save->options;
    return o->edge_filter ? o->edge_filter(o->edge_filter_payload, w->origin, referent) : UBI_EDGE_FOLLOW;
}

/* The first time, when the node is planned: nearly all edges have names that are met again and again. */
static bool on_edge(void *payload, ubi_node referent, ubi_text name) {
    walk *w = payload;
    ubi_edge_verdict verdict = verdict_on(w, referent);
    if (verdict == UBI_EDGE_SKIP)
        return true;
    uint64_t id = referent.ops->id(referent);
    ubi__fxs_encoder *e = w->save->encoder;
    const recent_name *recent = e->node.edges_kept ? find_recent(w, name) : NULL;
    if (ubi__likely(recent != NULL))
        ubi__fxs_keep_edge(e, id, recent->field, recent->field_bytes);
    else
        w->status = give_edge(w, id, name);
    if (w->status == UBI_OK)
        w->status = ubi__frontier_take(w->frontier, referent, verdict == UBI_EDGE_ABANDON);
    return w->status == UBI_OK;
}

/* The second time, when a large node is written. */
static bool on_edge_again(void *payload, ubi_node referent, ubi_text name) {
    walk *w = payload;
    if (verdict_on(w, referent) != UBI_EDGE_SKIP)
        w->status = give_edge(w, ubi_node_id(referent), name);
    return w->status == UBI_OK;
}

static ubi_status enumerate(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    walk *w = payload;
    w->fn = fn;
    w->fn_payload = fn_payload;
    w->status = UBI_OK;
    ubi_node_edges(w->origin, true, w->is_first ? on_edge : on_edge_again, w);
    w->is_first = false;
    return w->status;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

static ubi_status read_group(ubi__fxs_save *s, group *out, ubi_node node) {
    group g = { .is_known = true, .coarse_type = ubi_node_coarse_type(node) };
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

static ubi_status describe(walk *w, ubi_node node, ubi__fxs_node *out) {
    uint32_t number = group_of(node);
    group alone = { .is_known = false }, *g = number < GROUPS ? &w->groups[number] : &alone;
    if (!g->is_known)
        UBI_TRY(read_group(w->save, g, node));
    *out = (ubi__fxs_node){ .id = node.ops->id(node),
                            .size_bytes = size_of(node),
                            .coarse_type = g->coarse_type,
                            .type_name = g->type_name,
                            .class_name = g->class_name,
                            .script_filename = g->script_filename,
                            .descriptive_name = g->descriptive_name };
    return UBI_OK;
}

static ubi_status write_node(walk *w, bool has_edges) {
    ubi__fxs_node node;
    ubi_stack stack;
    UBI_TRY(describe(w, w->origin, &node));
    if (stack_of(w->origin, &stack)) {
        node.stack = stack.ops ? &stack : NULL;
        node.has_empty_stack = !stack.ops;
    }
    if (has_edges) {
        node.edges = enumerate;
        node.edges_payload = w;
        w->is_first = true;
    }
    return ubi__fxs_save_node(w->save, &node);
}

static ubi_status frame_names(void *payload, ubi_stack stack, const ubi_frame *frame, ubi_str_ix *source,
                              ubi_str_ix *function_name) {
    (void)stack;
    UBI_TRY(ubi__fxs_save_text(payload, source, UBI_TEXT_FRAME_SOURCE, frame->source));
    return ubi__fxs_save_text(payload, function_name, UBI_TEXT_FRAME_FUNCTION, frame->function_name);
}

static ubi_status run(walk *w, ubi_node root) {
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
    walk *w = UBI_NEW(s->allocator, walk); /* tens of kilobytes: not for the stack of an unknown thread */
    if (!w)
        return ubi__fail_nomem();
    w->save = s;
    w->frontier = ubi__frontier_new(s->allocator, NULL, NULL);
    uint32_t max_frames = s->options->max_stack_frames;
    ubi__fxs_encode_set_frame_names(s->encoder, frame_names, s);
    ubi__fxs_encode_limit_stacks(s->encoder, max_frames ? max_frames : UBI_STACK_SAVED_DEPTH);
    ubi_status status = w->frontier ? run(w, root) : UBI_ENOMEM;
    ubi__frontier_free(w->frontier);
    UBI_DELETE(s->allocator, w);
    return status;
}
