/* SPDX-License-Identifier: MIT
 *
 * capture.c: any heap, walked breadth-first and kept as a graph (ubi_graph_capture).
 *
 * Each node is described when its turn in the queue comes, followed by its edges, which is the order the builder wants.
 * Texts are interned. A frame is known by where its heap keeps it, since a file may use one id for several.
 */
#include "graph/builder.h"
#include "graph/node_map.h"

UBI_VEC_DECLARE(vec_queue, ubi_node);
UBI_VEC_DECLARE(vec_stack, ubi_stack);

typedef struct capture {
    const ubi_allocator *allocator;
    ubi_graph_builder *builder;
    ubi__node_map seen;
    ubi__node_map frames; /* (owner, ref) of a stack -> index of its frame */
    vec_queue queue;
    vec_stack new_frames; /* of the stack at hand, youngest first */
    ubi_status status;
} capture;

static ubi_status intern(capture *c, ubi_text text, ubi_str_ix *out) {
    *out = UBI_NONE;
    return text.ptr ? ubi__strtab_intern(&c->builder->graph->strings, out, text) : UBI_OK;
}

/* A stack as a key of `frames`. */
static ubi_node frame_key(ubi_stack stack) {
    return (ubi_node){ NULL, stack.owner, stack.ref };
}

static ubi_status add_frame(capture *c, ubi_stack stack, ubi_frame_ix parent, ubi_frame_ix *out) {
    ubi_frame frame;
    ubi_stack_frame(stack, &frame);
    ubi__frame_row row = { .id = frame.id,
                           .parent = parent,
                           .line = frame.line,
                           .column = frame.column,
                           .is_system = frame.is_system,
                           .is_self_hosted = frame.is_self_hosted };
    UBI_TRY(intern(c, frame.source, &row.source));
    UBI_TRY(intern(c, frame.function_name, &row.function_name));
    UBI_TRY(ubi__frames_append(&c->builder->graph->frames, out, &row));
    return ubi__node_map_put(&c->frames, frame_key(stack), *out);
}

/* Goes from the youngest frame up to the first one that is known, then adds the new ones oldest first. */
static ubi_status add_stack(capture *c, ubi_stack stack, ubi_frame_ix *out) {
    const uint64_t *known = NULL;
    bool more = true;
    c->new_frames.n = 0;
    while (more && !(known = ubi__node_map_get(&c->frames, frame_key(stack)))) {
        UBI_TRY(vec_stack_push(&c->new_frames, c->allocator, stack));
        more = ubi_stack_parent(stack, &stack);
    }
    ubi_frame_ix at = known ? (ubi_frame_ix)*known : UBI_NONE;
    while (c->new_frames.n > 0)
        UBI_TRY(add_frame(c, c->new_frames.at[--c->new_frames.n], at, &at));
    *out = at;
    return UBI_OK;
}

static ubi_status describe(capture *c, ubi_node node) {
    ubi_node_desc desc = { .id = ubi_node_id(node), .size_bytes = ubi_node_size_bytes(node), .stack = UBI_NONE };
    ubi_stack stack;
    desc.kind.coarse_type = ubi_node_coarse_type(node);
    UBI_TRY(intern(c, ubi_node_type_name(node), &desc.kind.type_name));
    UBI_TRY(intern(c, ubi_node_class_name(node), &desc.kind.class_name));
    UBI_TRY(intern(c, ubi_node_script_filename(node), &desc.kind.script_filename));
    UBI_TRY(intern(c, ubi_node_descriptive_name(node), &desc.kind.descriptive_name));
    if (ubi_node_allocation_stack(node, &stack) && stack.ops) /* a graph cannot tell an empty stack from none */
        UBI_TRY(add_stack(c, stack, &desc.stack));
    return ubi_graph_builder_node(c->builder, &desc);
}

static ubi_status enqueue(capture *c, ubi_node node) {
    if (ubi__node_map_get(&c->seen, node))
        return UBI_OK;
    UBI_TRY(ubi__node_map_put(&c->seen, node, 0));
    return vec_queue_push(&c->queue, c->allocator, node);
}

static ubi_status add_edge(capture *c, ubi_node referent, ubi_text name) {
    ubi_str_ix name_ix;
    UBI_TRY(intern(c, name, &name_ix));
    UBI_TRY(ubi_graph_builder_edge(c->builder, ubi_node_id(referent), name_ix));
    return enqueue(c, referent);
}

static bool on_edge(void *payload, ubi_node referent, ubi_text name) {
    capture *c = payload;
    c->status = add_edge(c, referent, name);
    return c->status == UBI_OK;
}

static ubi_status walk(capture *c, ubi_node root) {
    UBI_TRY(enqueue(c, root));
    for (size_t i = 0; i < c->queue.n; i++) {
        UBI_TRY(describe(c, c->queue.at[i]));
        ubi_node_edges(c->queue.at[i], true, on_edge, c);
        UBI_TRY(c->status);
    }
    return UBI_OK;
}

ubi_status ubi_graph_capture(ubi_graph **out, ubi_node root, const ubi_allocator *allocator) {
    capture c = { .allocator = ubi__allocator_or_default(allocator), .status = UBI_OK };
    UBI_TRY(ubi_graph_builder_new(&c.builder, c.allocator));
    ubi__node_map_init(&c.seen, c.allocator);
    ubi__node_map_init(&c.frames, c.allocator);
    ubi_status status = walk(&c, root);
    if (status == UBI_OK)
        status = ubi_graph_builder_finish(out, c.builder);
    ubi_graph_builder_free(c.builder);
    ubi__node_map_fini(&c.seen);
    ubi__node_map_fini(&c.frames);
    vec_queue_fini(&c.queue, c.allocator);
    vec_stack_fini(&c.new_frames, c.allocator);
    return status;
}
