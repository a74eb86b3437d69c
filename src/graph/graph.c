/* SPDX-License-Identifier: MIT
 *
 * graph.c: a graph's lifetime and accessors (ubiheap/core/graph.h).
 */
#include <stdio.h>

#include <string.h>

#include "base/status.h"
#include "graph/graph_columns.h"

/* ==== GRAPHS ==================================================================================================== */

ubi_graph *ubi__graph_new(const ubi_allocator *a) {
    ubi_graph *g = UBI_NEW(a, ubi_graph);
    if (!g)
        return NULL;
    atomic_init(&g->references, 1);
    g->allocator = a;
    g->format = "memory";
    g->root_visit_rank = UBI_NONE;
    ubi__strtab_init(&g->strings, a);
    ubi__kinds_init(&g->kinds, a);
    ubi__frames_init(&g->frames, a);
    ubi__id_index_init(&g->ids, a);
    return g;
}

static void destroy_graph(ubi_graph *g) {
    const ubi_allocator *a = g->allocator;
    ubi__vec_u64_fini(&g->id, a);
    ubi__vec_u64_fini(&g->size_bytes, a);
    ubi__vec_u32_fini(&g->kind, a);
    ubi__vec_u32_fini(&g->stack, a);
    ubi__vec_u64_fini(&g->first_edge, a);
    ubi__vec_u32_fini(&g->target, a);
    ubi__vec_u32_fini(&g->name, a);
    ubi__vec_u8_fini(&g->edge_kind, a);
    ubi__vec_u32_fini(&g->node_name, a);
    ubi__strtab_fini(&g->strings);
    ubi__kinds_fini(&g->kinds);
    ubi__frames_fini(&g->frames);
    ubi__id_index_fini(&g->ids);
    ubi__vec_u64_fini(&g->reachable, a);
    if (g->facts)
        g->free_facts(g->facts, a);
    UBI_DELETE(a, g);
}

ubi_graph *ubi_graph_ref(ubi_graph *g) {
    atomic_fetch_add_explicit(&g->references, 1, memory_order_relaxed);
    return g;
}

void ubi_graph_unref(ubi_graph *g) {
    UBI_ASSERT(!g || atomic_load_explicit(&g->references, memory_order_relaxed) > 0);
    if (g && atomic_fetch_sub_explicit(&g->references, 1, memory_order_acq_rel) == 1)
        destroy_graph(g);
}

/* ---- accessors ---------------------------------------------------------------------------------------------------- */

uint32_t ubi_graph_node_count(const ubi_graph *g) {
    return g->n_nodes;
}
uint64_t ubi_graph_edge_count(const ubi_graph *g) {
    return g->n_edges;
}
uint32_t ubi_graph_kind_count(const ubi_graph *g) {
    return (uint32_t)g->kinds.rows.n;
}
uint32_t ubi_graph_string_count(const ubi_graph *g) {
    return ubi__strtab_count(&g->strings);
}
uint32_t ubi_graph_frame_count(const ubi_graph *g) {
    return ubi__frames_count(&g->frames);
}
ubi_node_ix ubi_graph_root(const ubi_graph *g) {
    return g->root;
}
bool ubi_graph_creation_time_us(const ubi_graph *g, uint64_t *out) {
    if (g->has_creation_time)
        *out = g->creation_time_us;
    return g->has_creation_time;
}
const char *ubi_graph_format_name(const ubi_graph *g) {
    return g->format;
}
uint64_t ubi_graph_node_id(const ubi_graph *g, ubi_node_ix node) {
    return g->id.at[UBI_INDEX(node, g->n_nodes)];
}
uint64_t ubi_graph_node_size_bytes(const ubi_graph *g, ubi_node_ix node) {
    return g->size_bytes.at[UBI_INDEX(node, g->n_nodes)];
}
ubi_kind_ix ubi_graph_node_kind(const ubi_graph *g, ubi_node_ix node) {
    return g->kind.at[UBI_INDEX(node, g->n_nodes)];
}
const ubi_kind *ubi_graph_kind(const ubi_graph *g, ubi_kind_ix kind) {
    return &g->kinds.rows.at[UBI_INDEX(kind, g->kinds.rows.n)];
}
ubi_frame_ix ubi_graph_node_stack(const ubi_graph *g, ubi_node_ix node) {
    return ubi__graph_youngest(g, node);
}
bool ubi_graph_node_stack_is_empty(const ubi_graph *g, ubi_node_ix node) {
    return ubi__graph_stack(g, node) == UBI__STACK_EMPTY;
}
ubi_edge_ix ubi_graph_first_edge(const ubi_graph *g, ubi_node_ix node) {
    return g->first_edge.at[UBI_INDEX(node, g->n_nodes + UINT64_C(1))];
}
ubi_node_ix ubi_graph_edge_target(const ubi_graph *g, ubi_edge_ix edge) {
    return g->target.at[UBI_INDEX(edge, g->n_edges)];
}
ubi_str_ix ubi_graph_edge_name(const ubi_graph *g, ubi_edge_ix edge) {
    return ubi__graph_edge_name(g, edge);
}
ubi_edge_kind ubi_graph_edge_kind(const ubi_graph *g, ubi_edge_ix edge) {
    return ubi__graph_edge_kind(g, edge);
}
bool ubi_graph_edge_number(uint32_t *out, const ubi_graph *g, ubi_edge_ix edge) {
    if (!ubi__edge_kind_is_numbered(ubi__graph_edge_kind(g, edge)))
        return false;
    *out = g->name.at[edge];
    return true;
}
ubi_text ubi_graph_edge_label(const ubi_graph *g, ubi_edge_ix edge, char buffer[UBI_EDGE_LABEL_BYTES]) {
    uint32_t number;
    if (!ubi_graph_edge_number(&number, g, edge))
        return ubi__strtab_get(&g->strings, g->name.at[edge]);
    int n = snprintf(buffer, UBI_EDGE_LABEL_BYTES, "%u", number);
    return (ubi_text){ buffer, (size_t)n };
}
ubi_str_ix ubi_graph_node_name(const ubi_graph *g, ubi_node_ix node) {
    return ubi__graph_node_name(g, node);
}
ubi_text ubi_graph_string(const ubi_graph *g, ubi_str_ix string) {
    return ubi__strtab_get(&g->strings, string);
}
ubi_str_ix ubi_graph_canonical_string(const ubi_graph *g, ubi_str_ix string) {
    return ubi__strtab_canonical(&g->strings, string);
}
void ubi_graph_frame(const ubi_graph *g, ubi_frame_ix frame, ubi_frame *out) {
    ubi__frames_get(&g->frames, &g->strings, frame, out);
}
ubi_frame_ix ubi_graph_frame_parent(const ubi_graph *g, ubi_frame_ix frame) {
    return g->frames.rows.at[UBI_INDEX(frame, g->frames.rows.n)].parent;
}
ubi_frame_ix ubi_graph_canonical_frame(const ubi_graph *g, ubi_frame_ix frame) {
    return g->frames.canonical.at[UBI_INDEX(frame, g->frames.canonical.n)];
}

ubi_status ubi_graph_find(ubi_node_ix *out, const ubi_graph *g, uint64_t node_id) {
    ubi_node_ix node = ubi__id_index_find(&g->ids, g->id.at, node_id);
    if (node == UBI_NONE)
        return ubi__fail(UBI_ENOTFOUND, "no node has id %llu", (unsigned long long)node_id);
    *out = node;
    return UBI_OK;
}

void ubi_graph_memory_use(const ubi_graph *g, ubi_graph_memory *out) {
    ubi_graph_memory full = {
        .nodes_bytes = (g->id.cap + g->size_bytes.cap + g->first_edge.cap) * 8 +
                       (g->kind.cap + g->stack.cap + g->node_name.cap) * 4,
        .edges_bytes = (g->target.cap + g->name.cap) * 4 + g->edge_kind.cap,
        .index_bytes = ubi__id_index_bytes(&g->ids) + g->reachable.cap * 8,
        .strings_bytes = g->strings.bytes.cap + g->strings.end.cap * 8 + g->strings.canonical.cap * 4 +
                         g->kinds.rows.cap * sizeof(ubi_kind),
        .stacks_bytes = g->frames.rows.cap * sizeof(ubi__frame_row) + g->frames.canonical.cap * 4,
    };
    ubi__result_fill(out, &full, sizeof full);
}

/* ---- the graph as a heap of ubi_nodes ----------------------------------------------------------------------------- */

static const ubi_graph *graph_of(ubi_node node) {
    return node.heap;
}
static const ubi_kind *kind_of(ubi_node node) {
    const ubi_graph *g = graph_of(node);
    return &g->kinds.rows.at[g->kind.at[node.ref]];
}
static ubi_text string_of(ubi_node node, ubi_str_ix string) {
    return ubi__strtab_get(&graph_of(node)->strings, string);
}
static uint64_t view_id(ubi_node node) {
    return graph_of(node)->id.at[node.ref];
}
static ubi_text view_type_name(ubi_node node) {
    return string_of(node, kind_of(node)->type_name);
}
static ubi_coarse_type view_coarse_type(ubi_node node) {
    return kind_of(node)->coarse_type;
}
static uint64_t view_size_bytes(ubi_node node) {
    return graph_of(node)->size_bytes.at[node.ref];
}
static ubi_text view_class_name(ubi_node node) {
    return string_of(node, kind_of(node)->class_name);
}
static ubi_text view_descriptive_name(ubi_node node) {
    return string_of(node, kind_of(node)->descriptive_name);
}
static ubi_text view_script_filename(ubi_node node) {
    return string_of(node, kind_of(node)->script_filename);
}
static bool view_is_live(ubi_node node) {
    (void)node;
    return false;
}
static bool view_stack(ubi_node node, ubi_stack *out) {
    ubi_frame_ix stack = ubi__graph_stack(graph_of(node), (ubi_node_ix)node.ref);
    if (stack == UBI_NONE)
        return false;
    *out = stack == UBI__STACK_EMPTY ? (ubi_stack){ 0 } : ubi__graph_stack_view(graph_of(node), stack);
    return true;
}
static bool view_edges(ubi_node node, bool want_names, ubi_edge_fn fn, void *payload) {
    const ubi_graph *g = graph_of(node);
    (void)want_names; /* names cost nothing here, and numbers little */
    for (uint64_t e = g->first_edge.at[node.ref]; e < g->first_edge.at[node.ref + 1]; e++) {
        char digits[UBI_EDGE_LABEL_BYTES];
        ubi_text label = ubi_graph_edge_label(g, e, digits);
        if (!fn(payload, ubi_graph_as_node(g, g->target.at[e]), label))
            return false;
    }
    return true;
}

static uint64_t view_ref_limit(void *heap) {
    return ubi_graph_node_count(heap);
}
static uint32_t view_group(ubi_node node) {
    return graph_of(node)->kind.at[node.ref];
}

ubi_node ubi_graph_as_node(const ubi_graph *g, ubi_node_ix node) {
    static const ubi_node_ops ops = {
        .version = UBI_NODE_OPS_VERSION,
        .id = view_id,
        .type_name = view_type_name,
        .coarse_type = view_coarse_type,
        .size_bytes = view_size_bytes,
        .class_name = view_class_name,
        .descriptive_name = view_descriptive_name,
        .script_filename = view_script_filename,
        .allocation_stack = view_stack,
        .is_live = view_is_live,
        .edges = view_edges,
        .ref_limit = view_ref_limit,
        .group = view_group,
    };
    return (ubi_node){ &ops, (void *)(uintptr_t)g, node };
}

static void frame_view(ubi_stack stack, ubi_frame *out) {
    ubi_graph_frame(stack.owner, (ubi_frame_ix)stack.ref, out);
}
static bool parent_view(ubi_stack stack, ubi_stack *out) {
    ubi_frame_ix parent = ubi_graph_frame_parent(stack.owner, (ubi_frame_ix)stack.ref);
    if (parent == UBI_NONE)
        return false;
    *out = (ubi_stack){ stack.ops, stack.owner, parent };
    return true;
}

ubi_stack ubi__graph_stack_view(const ubi_graph *g, ubi_frame_ix frame) {
    static const ubi_stack_ops ops = { frame_view, parent_view };
    return (ubi_stack){ &ops, (void *)(uintptr_t)g, frame };
}

/* ==== SETS OF EDGES ============================================================================================= */

/* A subset of a graph's edges, one bit each (ubiheap/core/graph.h). */

ubi_status ubi_edge_set_new(ubi_edge_set **out, const ubi_graph *graph, bool all) {
    const ubi_allocator *a = graph->allocator;
    ubi_edge_set *set = UBI_NEW(a, ubi_edge_set);
    if (!set)
        return ubi__fail_nomem();
    set->n_words = (size_t)(graph->n_edges / 64 + 1);
    set->words = ubi__calloc_array(a, set->n_words, sizeof *set->words);
    if (!set->words) {
        UBI_DELETE(a, set);
        return ubi__fail_nomem();
    }
    if (all) {
        memset(set->words, 0xff, set->n_words * sizeof *set->words);
        set->words[set->n_words - 1] = (UINT64_C(1) << (graph->n_edges % 64)) - 1;
    }
    set->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)graph);
    *out = set;
    return UBI_OK;
}

void ubi__edge_set_check(const ubi_edge_set *set) {
    uint64_t n_edges = set->graph->n_edges;
    UBI_ASSERT(set->n_words == n_edges / 64 + 1);
    UBI_ASSERT(set->words[set->n_words - 1] >> (n_edges % 64) == 0);
}

void ubi_edge_set_free(ubi_edge_set *set) {
    if (!set)
        return;
    ubi_graph *graph = set->graph;
    const ubi_allocator *a = graph->allocator;
    ubi__free_array(a, set->words, set->n_words, sizeof *set->words);
    UBI_DELETE(a, set);
    ubi_graph_unref(graph);
}

void ubi_edge_set_put(ubi_edge_set *set, ubi_edge_ix edge, bool member) {
    uint64_t bit = UINT64_C(1) << (edge & 63);
    UBI_ASSERT(edge < set->graph->n_edges);
    if (member)
        set->words[edge >> 6] |= bit;
    else
        set->words[edge >> 6] &= ~bit;
}

bool ubi_edge_set_has(const ubi_edge_set *set, ubi_edge_ix edge) {
    return ubi__edge_set_has(set, edge);
}

uint64_t ubi_edge_set_count(const ubi_edge_set *set) {
    uint64_t n = 0;
    ubi__edge_set_check(set);
    for (size_t i = 0; i < set->n_words; i++)
        n += (uint64_t)__builtin_popcountll(set->words[i]);
    return n;
}

ubi_view ubi_view_of(const ubi_graph *graph) {
    return (ubi_view){ .graph = graph, .root = graph->root };
}
