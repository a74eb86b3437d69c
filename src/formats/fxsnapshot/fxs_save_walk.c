/* SPDX-License-Identifier: MIT
 *
 * fxs_save_walk.c: saving a heap while it is walked breadth-first.
 *
 * The set of nodes seen is the queue (graph/node_set.h). A node's edges are enumerated when it is written, by the encoder,
 * and the same enumeration brings their referents into the set; so the edge filter sees each edge in the order in which
 * nodes are found, and no edge is written whose node will not be. Most edges lead to a few popular nodes, which a small cache
 * keeps away from the set.
 */
#include <time.h>

#include "formats/fxsnapshot/fxs_save.h"
#include "graph/node_set.h"

#define RECENT_BITS 10 /* 24 KiB */

typedef struct walk {
    ubi__fxs_save *save;
    ubi__node_set seen;
    ubi__vec_u32 abandoned; /* numbers of nodes to be written without edges, ascending */
    size_t next_abandoned;

    /* while the edges of a node are enumerated */
    ubi_node origin;
    ubi__fxs_edge_fn fn;
    void *fn_payload;
    ubi_status status;
    bool is_first; /* not the second enumeration of a large node */
    ubi_node referents[UBI__NODE_SET_BATCH];
    bool abandon[UBI__NODE_SET_BATCH];
    uint32_t n_referents;
    ubi_node recent[1 << RECENT_BITS]; /* referents taken lately, by hash */
} walk;

/* ---- edges -------------------------------------------------------------------------------------------------------- */

/*
 * Takes the referents of the last edges into the set. The more at once the better; there is time until the batch is full or
 * the queue empty.
 */
static ubi_status visit_referents(walk *w) {
    bool added[UBI__NODE_SET_BATCH];
    uint32_t number = w->seen.n;
    UBI_TRY(ubi__node_set_add_all(&w->seen, w->referents, w->n_referents, added));
    for (uint32_t i = 0; i < w->n_referents; i++) {
        if (added[i] && w->abandon[i])
            UBI_TRY(ubi__vec_u32_push(&w->abandoned, w->save->allocator, number));
        number += added[i];
    }
    w->n_referents = 0;
    return UBI_OK;
}

/* Whether the node was taken before, as far as can be told without the set; if not, it counts as taken now. */
static bool is_recent(walk *w, ubi_node node) {
    uint64_t hash = (node.ref ^ (uint64_t)(uintptr_t)node.heap) * UINT64_C(0x9e3779b97f4a7c15);
    ubi_node *recent = &w->recent[hash >> (64 - RECENT_BITS)];
    if (recent->ops && ubi_node_equal(*recent, node))
        return true;
    *recent = node;
    return false;
}

static ubi_status take_edge(walk *w, ubi_node referent, ubi_text name) {
    const ubi_save_options *o = w->save->options;
    ubi_edge_verdict verdict =
        o->edge_filter ? o->edge_filter(o->edge_filter_payload, w->origin, referent) : UBI_EDGE_FOLLOW;
    if (verdict == UBI_EDGE_SKIP)
        return UBI_OK;
    ubi__fxs_edge edge = { .referent = ubi_node_id(referent) };
    UBI_TRY(ubi__fxs_save_text(w->save, &edge.name, UBI_TEXT_EDGE_NAME, name));
    UBI_TRY(w->fn(w->fn_payload, &edge));
    if (!w->is_first || is_recent(w, referent))
        return UBI_OK;
    w->referents[w->n_referents] = referent;
    w->abandon[w->n_referents++] = verdict == UBI_EDGE_ABANDON;
    return w->n_referents == UBI__NODE_SET_BATCH ? visit_referents(w) : UBI_OK;
}

static bool on_edge(void *payload, ubi_node referent, ubi_text name) {
    walk *w = payload;
    w->status = take_edge(w, referent, name);
    return w->status == UBI_OK;
}

static ubi_status enumerate(void *payload, ubi__fxs_edge_fn fn, void *fn_payload) {
    walk *w = payload;
    w->fn = fn;
    w->fn_payload = fn_payload;
    w->status = UBI_OK;
    ubi_node_edges(w->origin, true, on_edge, w);
    w->is_first = false;
    return w->status;
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

static ubi_status describe(ubi__fxs_save *s, ubi_node node, ubi__fxs_node *out) {
    *out = (ubi__fxs_node){ .id = ubi_node_id(node),
                            .size_bytes = ubi_node_size_bytes(node),
                            .coarse_type = ubi_node_coarse_type(node) };
    UBI_TRY(ubi__fxs_save_text(s, &out->type_name, UBI_TEXT_TYPE_NAME, ubi_node_type_name(node)));
    UBI_TRY(ubi__fxs_save_text(s, &out->class_name, UBI_TEXT_CLASS_NAME, ubi_node_class_name(node)));
    UBI_TRY(ubi__fxs_save_text(s, &out->script_filename, UBI_TEXT_SCRIPT_FILENAME, ubi_node_script_filename(node)));
    return ubi__fxs_save_text(s, &out->descriptive_name, UBI_TEXT_DESCRIPTIVE_NAME, ubi_node_descriptive_name(node));
}

static bool is_abandoned(walk *w, uint32_t number) {
    if (w->next_abandoned == w->abandoned.n || w->abandoned.at[w->next_abandoned] != number)
        return false;
    w->next_abandoned++;
    return true;
}

static ubi_status write_node(walk *w, uint32_t number) {
    ubi__fxs_node node;
    ubi_stack stack;
    w->origin = ubi__node_set_at(&w->seen, number);
    UBI_TRY(describe(w->save, w->origin, &node));
    if (ubi_node_allocation_stack(w->origin, &stack) && stack.ops) /* the format cannot tell an empty stack from none */
        node.stack = &stack;
    if (!is_abandoned(w, number)) {
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
    w->referents[w->n_referents++] = root;
    UBI_TRY(visit_referents(w));
    for (uint32_t i = 0; i < w->seen.n; i++) {
        UBI_TRY(write_node(w, i));
        if (i + 1 == w->seen.n)
            UBI_TRY(visit_referents(w));
    }
    return UBI_OK;
}

ubi_status ubi__fxs_save_walk(ubi__fxs_save *s, ubi_node root) {
    walk w = { .save = s };
    uint32_t max_frames = s->options->max_stack_frames;
    ubi__node_set_init(&w.seen, s->allocator);
    ubi__fxs_encode_set_frame_names(s->encoder, frame_names, s);
    ubi__fxs_encode_limit_stacks(s->encoder, max_frames ? max_frames : UBI_STACK_SAVED_DEPTH);
    ubi_status status = run(&w, root);
    ubi__node_set_fini(&w.seen);
    ubi__vec_u32_fini(&w.abandoned, s->allocator);
    return status;
}
