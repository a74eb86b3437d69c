/* SPDX-License-Identifier: MIT
 *
 * builder.c: building a graph node by node (builder.h, ubiheap/core/graph.h).
 */
#include "graph/builder.h"

#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "graph/kinds.h"

ubi_status ubi_graph_builder_new(ubi_graph_builder **out, const ubi_allocator *allocator) {
    const ubi_allocator *a = ubi__allocator_or_default(allocator);
    ubi_graph_builder *b = UBI_NEW(a, ubi_graph_builder);
    if (!b)
        return ubi__fail_nomem();
    b->allocator = a;
    b->graph = ubi__graph_new(a);
    if (!b->graph || ubi__vec_u64_reserve(&b->pending, a, UBI__BUILDER_PENDING) != UBI_OK) {
        ubi_graph_builder_free(b);
        return ubi__fail_nomem();
    }
    *out = b;
    return UBI_OK;
}

void ubi_graph_builder_free(ubi_graph_builder *b) {
    if (!b)
        return;
    ubi_graph_unref(b->graph);
    ubi__vec_u64_fini(&b->pending, b->allocator);
    UBI_DELETE(b->allocator, b);
}

void ubi_graph_builder_set_creation_time_us(ubi_graph_builder *b, uint64_t time_us) {
    b->graph->creation_time_us = time_us;
    b->graph->has_creation_time = true;
}

ubi_status ubi_graph_builder_string(ubi_graph_builder *b, ubi_str_ix *out, ubi_text text) {
    return ubi__strtab_append(&b->graph->strings, out, text);
}

void ubi__builder_check(const ubi_graph_builder *b) {
    const ubi_graph *g = b->graph;
    size_t n = g->id.n;
    UBI_ASSERT(g->size_bytes.n == n && g->kind.n == n && g->first_edge.n == n);
    UBI_ASSERT(g->stack.n == 0 || g->stack.n == n);
    UBI_ASSERT(g->node_name.n <= n); /* completed at the end */
    UBI_ASSERT(g->name.n == g->target.n + b->pending.n);
    UBI_ASSERT(g->edge_kind.n <= g->name.n); /* likewise */
    UBI_ASSERT(b->node_edges <= g->name.n);
    UBI_ASSERT(n == 0 || g->first_edge.at[n - 1] <= g->name.n);
    UBI_ASSERT(b->pending.n <= UBI__BUILDER_PENDING && b->pending.cap >= UBI__BUILDER_PENDING);
}

static bool string_known(const ubi_graph *g, ubi_str_ix ix) {
    return ix == UBI_NONE || ix < ubi__strtab_count(&g->strings);
}

ubi_status ubi_graph_builder_frame(ubi_graph_builder *b, ubi_frame_ix *out, const ubi_frame_desc *frame) {
    const ubi_graph *g = b->graph;
    if (frame->parent != UBI_NONE && frame->parent >= ubi__frames_count(&g->frames))
        return ubi__fail(UBI_EINVAL, "a frame's parent must be added before it");
    if (frame->source == UBI_NONE || !string_known(g, frame->source) || !string_known(g, frame->function_name))
        return ubi__fail(UBI_EINVAL, "a frame names a string that was not added");
    ubi__frame_row row = { frame->id,   frame->parent, frame->source,    frame->function_name,
                           frame->line, frame->column, frame->is_system, frame->is_self_hosted };
    return ubi__frames_append(&b->graph->frames, out, &row);
}

/* ---- nodes and edges ---------------------------------------------------------------------------------------------- */

ubi_status ubi__builder_flush(ubi_graph_builder *b) {
    ubi_graph *g = b->graph;
    size_t n = b->pending.n;
    ubi__builder_check(b);
    if (n == 0)
        return UBI_OK;
    if (g->target.n + n > UBI_GRAPH_MAX_EDGES)
        return ubi__fail(UBI_ELIMIT, "more than 2^40 edges");
    UBI_TRY(ubi__vec_u32_reserve(&g->target, b->allocator, n));
    UBI_TRY(ubi__id_index_encode(&g->ids, b->pending.at, n, g->target.at + g->target.n, g->target.at, g->target.n));
    g->target.n += n;
    b->pending.n = 0;
    return UBI_OK;
}

/* The stack column exists only once some node has a stack; then the nodes before it get none. */
static ubi_status push_stack(ubi_graph_builder *b, ubi_frame_ix stack) {
    ubi_graph *g = b->graph;
    size_t n_before = g->id.n;
    if (stack == UBI_NONE && g->stack.n == 0)
        return UBI_OK;
    if (g->stack.n == 0 && n_before > 0) {
        UBI_TRY(ubi__vec_u32_reserve(&g->stack, b->allocator, n_before + 1));
        memset(g->stack.at, 0xff, n_before * sizeof *g->stack.at);
        g->stack.n = n_before;
    }
    return ubi__vec_u32_push(&g->stack, b->allocator, stack);
}

ubi_status ubi__builder_push_node(ubi_graph_builder *b, uint64_t id, uint64_t size_bytes, ubi_kind_ix kind,
                                  ubi_frame_ix stack) {
    ubi_graph *g = b->graph;
    const ubi_allocator *a = b->allocator;
    if (ubi__unlikely(g->id.n >= UBI_GRAPH_MAX_NODES))
        return ubi__fail(UBI_ELIMIT, "more than 2^32-2 nodes");
    UBI_TRY(ubi__vec_u64_reserve(&g->size_bytes, a, 1));
    UBI_TRY(ubi__vec_u32_reserve(&g->kind, a, 1));
    UBI_TRY(ubi__vec_u64_reserve(&g->first_edge, a, 1));
    UBI_TRY(ubi__vec_u64_reserve(&g->id, a, 1));
    UBI_TRY(push_stack(b, stack));
    g->size_bytes.at[g->size_bytes.n++] = size_bytes;
    g->kind.at[g->kind.n++] = kind;
    g->first_edge.at[g->first_edge.n++] = b->node_edges;
    g->id.at[g->id.n++] = id;
    b->node_edges = g->name.n;
    return UBI_OK;
}

ubi_status ubi_graph_builder_node(ubi_graph_builder *b, const ubi_node_desc *node) {
    ubi_graph *g = b->graph;
    const ubi_kind *k = &node->kind;
    ubi_kind_ix kind;
    if (k->type_name == UBI_NONE || !string_known(g, k->type_name) || !string_known(g, k->class_name) ||
        !string_known(g, k->script_filename) || !string_known(g, k->descriptive_name))
        return ubi__fail(UBI_EINVAL, "a node names a string that was not added");
    if ((unsigned)k->coarse_type >= UBI_COARSE_TYPE_COUNT)
        return ubi__fail(UBI_EINVAL, "coarse type %d is not in 0..4", (int)k->coarse_type);
    if (node->stack != UBI_NONE && node->stack != UBI__STACK_EMPTY && node->stack >= ubi__frames_count(&g->frames))
        return ubi__fail(UBI_EINVAL, "a node's stack names a frame that was not added");
    UBI_TRY(ubi__kinds_intern(&g->kinds, &kind, k));
    b->node_edges = g->name.n; /* here edges follow their node */
    return ubi__builder_push_node(b, node->id, node->size_bytes, kind, node->stack);
}

ubi_status ubi_graph_builder_edge(ubi_graph_builder *b, uint64_t target_id, ubi_str_ix name) {
    if (b->graph->id.n == 0)
        return ubi__fail(UBI_EINVAL, "an edge was added before any node");
    if (!string_known(b->graph, name))
        return ubi__fail(UBI_EINVAL, "an edge names a string that was not added");
    UBI_TRY(ubi__builder_reserve_edges(b, 1));
    return ubi__builder_push_edge(b, target_id, name);
}

/* Columns exist only once some row has a value; the rows before it get none. */
static ubi_status fill_u32(ubi__vec_u32 *v, const ubi_allocator *a, size_t n) {
    UBI_TRY(ubi__vec_u32_reserve(v, a, n - v->n));
    memset(v->at + v->n, 0xff, (n - v->n) * sizeof *v->at);
    v->n = n;
    return UBI_OK;
}

static ubi_status fill_u8(ubi__vec_u8 *v, const ubi_allocator *a, size_t n) {
    UBI_TRY(ubi__vec_u8_reserve(v, a, n - v->n));
    memset(v->at + v->n, 0, n - v->n);
    v->n = n;
    return UBI_OK;
}

/* The edge added last has this kind. */
static ubi_status set_edge_kind(ubi_graph_builder *b, ubi_edge_kind kind) {
    ubi__vec_u8 *kinds = &b->graph->edge_kind;
    if (kind == UBI_EDGE_REFERENCE && kinds->n == 0)
        return UBI_OK;
    UBI_TRY(fill_u8(kinds, b->allocator, b->graph->name.n));
    kinds->at[kinds->n - 1] = (uint8_t)kind;
    return UBI_OK;
}

ubi_status ubi_graph_builder_edge_of(ubi_graph_builder *b, uint64_t target_id, ubi_edge_kind kind, ubi_str_ix name) {
    if ((unsigned)kind >= UBI_EDGE_KIND_COUNT || ubi__edge_kind_is_numbered(kind))
        return ubi__fail(UBI_EINVAL, "edge kind %d has no names", (int)kind);
    UBI_TRY(ubi_graph_builder_edge(b, target_id, name));
    return set_edge_kind(b, kind);
}

ubi_status ubi_graph_builder_numbered_edge(ubi_graph_builder *b, uint64_t target_id, ubi_edge_kind kind,
                                           uint32_t number) {
    if (!ubi__edge_kind_is_numbered(kind))
        return ubi__fail(UBI_EINVAL, "edge kind %d has no numbers", (int)kind);
    UBI_TRY(ubi_graph_builder_edge(b, target_id, UBI_NONE));
    b->graph->name.at[b->graph->name.n - 1] = number;
    return set_edge_kind(b, kind);
}

ubi_status ubi_graph_builder_node_name(ubi_graph_builder *b, ubi_str_ix name) {
    ubi_graph *g = b->graph;
    if (g->id.n == 0)
        return ubi__fail(UBI_EINVAL, "a name was added before any node");
    if (!string_known(g, name))
        return ubi__fail(UBI_EINVAL, "a node's name is a string that was not added");
    UBI_TRY(fill_u32(&g->node_name, b->allocator, g->id.n));
    g->node_name.at[g->id.n - 1] = name;
    return UBI_OK;
}

/* Rows after the last that had a value. */
static ubi_status complete_columns(ubi_graph_builder *b) {
    ubi_graph *g = b->graph;
    if (g->node_name.n)
        UBI_TRY(fill_u32(&g->node_name, b->allocator, g->id.n));
    return g->edge_kind.n ? fill_u8(&g->edge_kind, b->allocator, g->name.n) : UBI_OK;
}

/* ---- finishing ---------------------------------------------------------------------------------------------------- */

static void trim_columns(ubi_graph *g) {
    ubi__vec_u64_trim(&g->id, g->allocator);
    ubi__vec_u64_trim(&g->size_bytes, g->allocator);
    ubi__vec_u32_trim(&g->kind, g->allocator);
    ubi__vec_u32_trim(&g->stack, g->allocator);
    ubi__vec_u64_trim(&g->first_edge, g->allocator);
    ubi__vec_u32_trim(&g->target, g->allocator);
    ubi__vec_u32_trim(&g->name, g->allocator);
    ubi__vec_u8_trim(&g->edge_kind, g->allocator);
    ubi__vec_u32_trim(&g->node_name, g->allocator);
    ubi__strtab_trim(&g->strings);
    ubi__kinds_trim(&g->kinds);
    ubi__frames_trim(&g->frames);
}

static ubi_status close_columns(ubi_graph_builder *b) {
    ubi_graph *g = b->graph;
    if (g->id.n == 0)
        return ubi__fail(UBI_EFORMAT, "a graph needs at least one node, its root");
    UBI_TRY(ubi__builder_flush(b));
    UBI_TRY(complete_columns(b));
    UBI_TRY(ubi__vec_u64_push(&g->first_edge, b->allocator, g->name.n));
    g->n_nodes = (uint32_t)g->id.n;
    g->n_edges = g->name.n;
    g->root = 0;
    trim_columns(g); /* before the index is made, so that the peak stays low */
    return UBI_OK;
}

/* Finding equal strings and frames touches nothing that resolving ids does, so the two run side by side. */
typedef struct canonical_job {
    ubi_graph *graph;
    ubi__pulse *pulse;
    ubi_status status;
} canonical_job;

static void find_equal_entries(void *payload) {
    canonical_job *job = payload;
    ubi_graph *g = job->graph;
    job->status = ubi__strtab_canonicalize(&g->strings, job->pulse);
    if (job->status == UBI_OK)
        job->status = ubi__frames_canonicalize(&g->frames, &g->strings);
}

static ubi_status resolve_targets(ubi_graph *g, ubi__crew crew, ubi__id_fault *fault) {
    canonical_job job = { g, crew.pulse, UBI_OK };
    ubi__helper helper;
    ubi__chore chore;
    ubi__helper_start(&helper, crew.threads);
    ubi__helper_give(&helper, &chore, find_equal_entries, &job);
    ubi_status status = ubi__id_index_resolve(&g->ids, g->id.at, g->n_nodes, g->target.at, g->n_edges, crew, fault);
    if (status == UBI_OK)
        ubi__helper_wait(&helper, &chore, crew.pulse);
    ubi__helper_stop(&helper);
    if (status != UBI_OK || job.status == UBI_OK)
        return status;
    /* The other thread's message stayed there. */
    return job.status == UBI_ECANCELLED ? ubi__fail_cancelled() : ubi__fail_nomem();
}

ubi_status ubi__builder_finish(ubi_graph **out, ubi_graph_builder *b, ubi__crew crew, ubi__id_fault *fault) {
    ubi_graph *g = b->graph;
    UBI_TRY(close_columns(b));
    UBI_TRY(resolve_targets(g, crew, fault));
    UBI_TRY(ubi__graph_find_reachable(g, crew.pulse));
    UBI_ASSERT(g->target.n == g->n_edges && g->first_edge.n == (size_t)g->n_nodes + 1);
    UBI_ASSERT(g->first_edge.at[g->n_nodes] == g->n_edges && g->root < g->n_nodes);
    UBI_ASSERT((g->edge_kind.n == 0 || g->edge_kind.n == g->n_edges) && g->kind.n == g->n_nodes);
    *out = g;
    b->graph = NULL;
    return UBI_OK;
}

ubi_status ubi_graph_builder_finish(ubi_graph **out, ubi_graph_builder *b) {
    ubi__id_fault fault;
    return ubi__builder_finish(out, b, (ubi__crew){ 1, NULL }, &fault);
}
