/* SPDX-License-Identifier: MIT
 *
 * capture.c: any heap, walked breadth-first and kept as a graph (ubi_graph_capture).
 *
 * Each node is described when its turn in the queue comes, followed by its edges, which is the order the builder wants.
 * Texts are interned. A frame is known by where its heap keeps it, since a file may use one id for several.
 */
#include "graph/builder.h"
#include "graph/frontier.h"
#include "graph/node_map.h"

#define PROGRESS_NODES 4096
#define GROUPS 1024 /* of nodes (ubi_node_group), whose texts are interned once */

UBI_VEC_DECLARE(vec_stack, ubi_stack);

typedef struct capture {
    const ubi_allocator *allocator;
    ubi_graph_builder *builder;
    const ubi_capture_options *options;
    ubi__frontier *frontier;
    ubi_node origin;
    ubi__node_map frames; /* (owner, ref) of a stack -> index of its frame */
    vec_stack new_frames; /* of the stack at hand, youngest first */
    ubi_status status;
    ubi_kind kind_of_group[GROUPS]; /* type_name UBI_NONE: not yet known */
} capture;

static ubi_status intern_or_none(capture *c, ubi_text text, ubi_str_ix *out) {
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
    UBI_TRY(intern_or_none(c, frame.source, &row.source));
    UBI_TRY(intern_or_none(c, frame.function_name, &row.function_name));
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

static ubi_status read_kind(capture *c, ubi_kind *out, ubi_node node) {
    ubi_kind kind = { .coarse_type = ubi_node_coarse_type(node) };
    UBI_TRY(intern_or_none(c, ubi_node_type_name(node), &kind.type_name));
    UBI_TRY(intern_or_none(c, ubi_node_class_name(node), &kind.class_name));
    UBI_TRY(intern_or_none(c, ubi_node_script_filename(node), &kind.script_filename));
    UBI_TRY(intern_or_none(c, ubi_node_descriptive_name(node), &kind.descriptive_name));
    *out = kind;
    return UBI_OK;
}

static ubi_status kind_of(capture *c, ubi_kind *out, ubi_node node) {
    uint32_t group = ubi_node_group(node);
    if (group >= GROUPS)
        return read_kind(c, out, node);
    if (c->kind_of_group[group].type_name == UBI_NONE)
        UBI_TRY(read_kind(c, &c->kind_of_group[group], node));
    *out = c->kind_of_group[group];
    return UBI_OK;
}

static ubi_status describe_node(capture *c, ubi_node node) {
    ubi_node_desc desc = { .id = ubi_node_id(node), .size_bytes = ubi_node_size_bytes(node), .stack = UBI_NONE };
    ubi_stack stack;
    UBI_TRY(kind_of(c, &desc.kind, node));
    if (ubi_node_allocation_stack(node, &stack)) {
        desc.stack = UBI__STACK_EMPTY;
        if (stack.ops)
            UBI_TRY(add_stack(c, stack, &desc.stack));
    }
    return ubi_graph_builder_node(c->builder, &desc);
}

static ubi_status add_edge(capture *c, ubi_node referent, ubi_text name) {
    const ubi_capture_options *o = c->options;
    ubi_edge_verdict verdict =
        o->edge_filter ? o->edge_filter(o->edge_filter_payload, c->origin, referent) : UBI_EDGE_FOLLOW;
    if (verdict == UBI_EDGE_SKIP)
        return UBI_OK;
    ubi_str_ix name_ix;
    UBI_TRY(intern_or_none(c, name, &name_ix));
    UBI_TRY(ubi_graph_builder_edge(c->builder, ubi_node_id(referent), name_ix));
    return ubi__frontier_take(c->frontier, referent, verdict == UBI_EDGE_ABANDON);
}

static bool on_edge(void *payload, ubi_node referent, ubi_text name) {
    capture *c = payload;
    c->status = add_edge(c, referent, name);
    return c->status == UBI_OK;
}

static ubi_status capture_walk(capture *c, ubi_node root) {
    UBI_TRY(ubi__frontier_take(c->frontier, root, false));
    for (uint64_t n_done = 0;; n_done++) {
        bool has_edges, more;
        UBI_TRY(ubi__frontier_next(c->frontier, &c->origin, &has_edges, &more));
        if (!more)
            return UBI_OK;
        UBI_TRY(describe_node(c, c->origin));
        if (has_edges)
            ubi_node_edges(c->origin, true, on_edge, c);
        UBI_TRY(c->status);
        if (n_done % PROGRESS_NODES == 0 && !ubi__progress(&c->options->progress, "capturing", n_done, 0))
            return ubi__fail_cancelled();
    }
}

static ubi_status capture_run(ubi_graph **out, capture *c, ubi_node root) {
    UBI_TRY(ubi_graph_builder_new(&c->builder, c->allocator));
    c->frontier = ubi__frontier_new(c->allocator, NULL, NULL);
    UBI_TRY(c->frontier ? UBI_OK : UBI_ENOMEM);
    UBI_TRY(capture_walk(c, root));
    return ubi_graph_builder_finish(out, c->builder);
}

ubi_status ubi_graph_capture(ubi_graph **out, ubi_node root, const ubi_capture_options *options) {
    static const ubi_capture_options defaults = UBI_CAPTURE_OPTIONS_INIT;
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_CAPTURE_OPTIONS_VERSION, "ubi_capture_options"));
    const ubi_allocator *a = ubi__allocator_or_default(options ? options->allocator : NULL);
    capture *c = UBI_NEW(a, capture); /* tens of kilobytes: not for the stack of an unknown thread */
    if (!c)
        return ubi__fail_nomem();
    c->options = options ? options : &defaults;
    c->allocator = a;
    c->status = UBI_OK;
    for (size_t i = 0; i < GROUPS; i++)
        c->kind_of_group[i].type_name = UBI_NONE;
    ubi__node_map_init(&c->frames, a);
    ubi_status status = capture_run(out, c, root);
    ubi_graph_builder_free(c->builder);
    ubi__frontier_free(c->frontier);
    ubi__node_map_fini(&c->frames);
    vec_stack_fini(&c->new_frames, a);
    UBI_DELETE(a, c);
    return status;
}
