/* SPDX-License-Identifier: MIT
 *
 * fxs_save_walk.c: saving a heap while it is walked breadth-first: nodes.
 *
 * A node's edges are enumerated when it is written, by the encoder (fxs_save_edges.c).
 */
#include <time.h>

#include "formats/fxsnapshot/fxs_walk.h"

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
        node.edges = ubi__fxs_walk_edges;
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
