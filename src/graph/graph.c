/* SPDX-License-Identifier: MIT
 *
 * graph.c: a graph's lifetime and accessors (ubiheap/core/graph.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
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

/* The last node whose edges begin at or before `edge`: nodes without edges begin where the next one does. */
ubi_node_ix ubi_graph_edge_source(const ubi_graph *g, ubi_edge_ix edge) {
    uint32_t low = 0, high = g->n_nodes;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (g->first_edge.at[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void ubi__view_check(const ubi_view *view) {
    const ubi_graph *g = view->graph;
    UBI_ASSERT(!view->edges || view->edges->graph == g);
    UBI_ASSERT(view->root < g->n_nodes && g->first_edge.n == g->n_nodes + (size_t)1);
    for (uint32_t i = 0; UBI_CHECKS && i < view->n_first_edges; i++) {
        UBI_ASSERT(i == 0 || view->first_edges[i - 1] < view->first_edges[i]);
        UBI_ASSERT(ubi_graph_edge_source(g, view->first_edges[i]) == view->root);
    }
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

/* ---- ubi_graph_check: every invariant, checked the slow and obvious way ------------------------------------------- */

static ubi_status fail_broken(const char *what, uint64_t at) {
    return ubi__fail(UBI_EFORMAT, "graph invariant broken: %s, at %llu", what, (unsigned long long)at);
}

static ubi_status check_lengths(const ubi_graph *g) {
    size_t n = g->n_nodes;
    if (n == 0 || g->root >= n)
        return fail_broken("there is a root", g->root);
    if (g->id.n != n || g->size_bytes.n != n || g->kind.n != n || g->first_edge.n != n + 1)
        return fail_broken("node columns have one entry per node", n);
    if (g->stack.n != 0 && g->stack.n != n)
        return fail_broken("the stack column is empty or has one entry per node", g->stack.n);
    if (g->target.n != g->n_edges || g->name.n != g->n_edges)
        return fail_broken("edge columns have one entry per edge", g->n_edges);
    if (g->edge_kind.n != 0 && g->edge_kind.n != g->n_edges)
        return fail_broken("the column of edge kinds is empty or has one entry per edge", g->edge_kind.n);
    if (g->node_name.n != 0 && g->node_name.n != n)
        return fail_broken("the column of node names is empty or has one entry per node", g->node_name.n);
    if (g->first_edge.at[0] != 0 || g->first_edge.at[n] != g->n_edges)
        return fail_broken("edge ranges cover all edges", g->n_edges);
    if (g->reachable.n != 0 && g->reachable.n != (n + 63) / 64)
        return fail_broken("reachability is empty or has one bit per node", g->reachable.n);
    return UBI_OK;
}

static bool string_ok(const ubi_graph *g, ubi_str_ix ix) {
    return ix == UBI_NONE || ix < ubi__strtab_count(&g->strings);
}

/* Whether a canonical column equals one that was just computed. */
static ubi_status compare_canonical(const ubi__vec_u32 *stored, const ubi__vec_u32 *computed, const char *what) {
    for (size_t i = 0; i < stored->n; i++)
        if (stored->at[i] != computed->at[i])
            return fail_broken(what, i);
    return UBI_OK;
}

static ubi_status check_strings(const ubi_graph *g) {
    const ubi__strtab *t = &g->strings;
    if (t->canonical.n != t->end.n)
        return fail_broken("each string has a canonical entry", t->canonical.n);
    for (uint32_t i = 0; i < ubi__strtab_count(t); i++)
        if (t->end.at[i] > t->bytes.n || (i && t->end.at[i] < t->end.at[i - 1]))
            return fail_broken("string offsets ascend within the arena", i);
    ubi__strtab again = *t;
    again.canonical = (ubi__vec_u32){ NULL, 0, 0 };
    ubi_status status = ubi__strtab_canonicalize(&again, NULL);
    if (status == UBI_OK)
        status = compare_canonical(&t->canonical, &again.canonical, "a canonical string is the first of equal text");
    ubi__vec_u32_fini(&again.canonical, t->allocator);
    return status;
}

static ubi_status check_kinds(const ubi_graph *g) {
    for (size_t i = 0; i < g->kinds.rows.n; i++) {
        const ubi_kind *k = &g->kinds.rows.at[i];
        if (k->type_name == UBI_NONE || !string_ok(g, k->type_name) || !string_ok(g, k->class_name) ||
            !string_ok(g, k->script_filename) || !string_ok(g, k->descriptive_name))
            return fail_broken("a kind's strings exist", i);
        if ((unsigned)k->coarse_type >= UBI_COARSE_TYPE_COUNT)
            return fail_broken("a kind's coarse type is in 0..4", i);
    }
    return UBI_OK;
}

static ubi_status check_frames(const ubi_graph *g) {
    const ubi__frames *f = &g->frames;
    if (f->canonical.n != f->rows.n)
        return fail_broken("each frame has a canonical entry", f->canonical.n);
    for (size_t i = 0; i < f->rows.n; i++) {
        const ubi__frame_row *row = &f->rows.at[i];
        if (row->parent != UBI_NONE && row->parent >= i)
            return fail_broken("a frame's parent comes before it", i);
        if (row->source == UBI_NONE || !string_ok(g, row->source) || !string_ok(g, row->function_name))
            return fail_broken("a frame's strings exist", i);
    }
    ubi__frames again = *f;
    again.canonical = (ubi__vec_u32){ NULL, 0, 0 };
    ubi_status status = ubi__frames_canonicalize(&again, &g->strings);
    if (status == UBI_OK)
        status = compare_canonical(&f->canonical, &again.canonical, "a canonical frame is the first of equal content");
    ubi__vec_u32_fini(&again.canonical, f->allocator);
    return status;
}

/* Where ids repeat, the first node of an id is the one to be found. */
static bool index_finds(const ubi_graph *g, ubi_node_ix n) {
    ubi_node_ix found = ubi__id_index_find(&g->ids, g->id.at, g->id.at[n]);
    return found == n || (g->has_repeated_ids && found < n && g->id.at[found] == g->id.at[n]);
}

static ubi_status check_nodes(const ubi_graph *g) {
    for (uint32_t n = 0; n < g->n_nodes; n++) {
        if (g->kind.at[n] >= g->kinds.rows.n)
            return fail_broken("a node's kind exists", n);
        if (g->stack.n && ubi__graph_youngest(g, n) != UBI_NONE && g->stack.at[n] >= g->frames.rows.n)
            return fail_broken("a node's stack exists", n);
        if (g->first_edge.at[n] > g->first_edge.at[n + 1])
            return fail_broken("edge ranges ascend", n);
        if (!string_ok(g, ubi__graph_node_name(g, (ubi_node_ix)n)))
            return fail_broken("a node's name exists", n);
        if (!index_finds(g, n))
            return fail_broken("the id index finds each node", n);
    }
    return UBI_OK;
}

static ubi_status check_edges(const ubi_graph *g) {
    for (uint64_t e = 0; e < g->n_edges; e++) {
        if (g->target.at[e] >= g->n_nodes)
            return fail_broken("an edge leads to a node", e);
        if ((unsigned)ubi__graph_edge_kind(g, e) >= UBI_EDGE_KIND_COUNT)
            return fail_broken("an edge's kind exists", e);
        if (!string_ok(g, ubi__graph_edge_name(g, e)))
            return fail_broken("an edge's name exists", e);
    }
    return UBI_OK;
}

/* The plainest walk there is: what a breadth-first walk reports as first, in this order. The root starts unseen. */
static uint32_t plain_walk(const ubi_graph *g, uint8_t *seen, ubi_node_ix *order) {
    uint32_t n = 0;
    for (uint32_t i = 0; i <= n; i++) {
        ubi_node_ix origin = i == 0 ? g->root : order[i - 1];
        for (uint64_t e = g->first_edge.at[origin]; e < g->first_edge.at[origin + 1]; e++) {
            ubi_node_ix target = g->target.at[e];
            if (!seen[target]) {
                seen[target] = 1;
                order[n++] = target;
            }
        }
    }
    return n;
}

static bool is_file_order(const ubi_graph *g, const ubi_node_ix *order, uint32_t n) {
    ubi_node_ix next = 1;
    for (uint32_t i = 0; i < n; i++)
        if (order[i] != g->root && order[i] != next++)
            return false;
    return g->root == 0 && next == g->n_nodes;
}

/* Compares what loading found out with a walk that met order[0..n). */
static ubi_status compare_walk(const ubi_graph *g, const uint8_t *seen, const ubi_node_ix *order, uint32_t n) {
    uint32_t root_rank = UBI_NONE;
    for (uint32_t i = 0; i < n; i++)
        if (order[i] == g->root)
            root_rank = i;
    if (root_rank != g->root_visit_rank)
        return fail_broken("the root's place in visit order is right", g->root_visit_rank);
    if (n + !seen[g->root] != g->n_reachable)
        return fail_broken("the count of reachable nodes is right", g->n_reachable);
    for (ubi_node_ix i = 0; i < g->n_nodes; i++)
        if (ubi__graph_reachable(g, i) != (seen[i] || i == g->root))
            return fail_broken("reachability bits equal a walk's result", i);
    if (g->is_breadth_first != is_file_order(g, order, n))
        return fail_broken("whether the file is in breadth-first order is right", g->is_breadth_first);
    return UBI_OK;
}

static ubi_status check_reachable(const ubi_graph *g) {
    const ubi_allocator *a = g->allocator;
    uint8_t *seen = ubi__calloc_array(a, g->n_nodes, 1);
    ubi_node_ix *order = ubi__alloc_array(a, g->n_nodes, sizeof *order);
    ubi_status status = seen && order ? UBI_OK : ubi__fail_nomem();
    if (status == UBI_OK) {
        uint32_t n = plain_walk(g, seen, order);
        status = compare_walk(g, seen, order, n);
    }
    ubi__free_array(a, seen, g->n_nodes, 1);
    ubi__free_array(a, order, g->n_nodes, sizeof *order);
    return status;
}

ubi_status ubi_graph_check(const ubi_graph *g) {
    UBI_TRY(check_lengths(g));
    UBI_TRY(check_strings(g));
    UBI_TRY(check_kinds(g));
    UBI_TRY(check_frames(g));
    UBI_TRY(check_nodes(g));
    UBI_TRY(check_edges(g));
    return check_reachable(g);
}

/* ---- kinds -------------------------------------------------------------------------------------------------------- */

void ubi__kinds_init(ubi__kinds *k, const ubi_allocator *a) {
    memset(k, 0, sizeof *k);
    k->allocator = a;
    k->factor[0] = ubi__hash_u64(0) | 1;
    k->factor[1] = ubi__hash_u64(1) | 1;
}

void ubi__kinds_fini(ubi__kinds *k) {
    ubi__row_table_fini(&k->table, k->allocator);
    ubi__vec_kind_fini(&k->rows, k->allocator);
}

/* Multiply-shift with two secret odd factors: two multiplications, since this runs once per node of a file. */
static uint64_t kind_hash(const ubi__kinds *k, const ubi_kind *kind) {
    uint64_t a = (uint64_t)kind->type_name << 32 | kind->class_name;
    uint64_t b = ((uint64_t)kind->script_filename << 32 | kind->descriptive_name) + ((uint64_t)kind->coarse_type << 29);
    return a * k->factor[0] + b * k->factor[1];
}

static bool is_kind(const ubi__kinds *k, ubi_kind_ix row, const ubi_kind *kind) {
    return ubi__kind_equal(&k->rows.at[row], kind);
}
UBI_ROW_LOOKUP(kind, const ubi__kinds *, const ubi_kind *, is_kind);

ubi_status ubi__kinds_intern(ubi__kinds *k, ubi_kind_ix *out, const ubi_kind *kind) {
    uint64_t hash = kind_hash(k, kind);
    UBI_TRY(ubi__row_table_reserve(&k->table, k->allocator, 1));
    ubi__row_slot *slot = kind_place(&k->table, k, kind, hash);
    if (!ubi__row_is_used(slot)) {
        UBI_TRY(ubi__vec_kind_push(&k->rows, k->allocator, *kind));
        ubi__row_table_fill(&k->table, slot, hash, (ubi_kind_ix)(k->rows.n - 1));
        if (UBI_CHECKS && (k->rows.n & (k->rows.n - 1)) == 0) /* now and then: it looks at all */
            ubi__kinds_check(k);
    }
    *out = slot->row;
    return UBI_OK;
}

void ubi__kinds_check(const ubi__kinds *k) {
    UBI_ASSERT(k->factor[0] & k->factor[1] & 1);
    UBI_ASSERT(k->table.n == (k->table.slots ? k->rows.n : 0));
    for (ubi_kind_ix row = 0; UBI_CHECKS && k->table.slots && row < k->rows.n; row++)
        UBI_ASSERT(kind_find(&k->table, k, &k->rows.at[row], kind_hash(k, &k->rows.at[row])) == row);
}

void ubi__kinds_trim(ubi__kinds *k) {
    ubi__row_table_fini(&k->table, k->allocator);
    ubi__vec_kind_trim(&k->rows, k->allocator);
}
