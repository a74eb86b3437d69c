/* SPDX-License-Identifier: MIT
 *
 * path_graph.c: all paths to a target laid over each other (ubiheap/core/paths.h).
 *
 * Firefox inserts the edges of each path into a Map of Maps of Sets and reads them out again. Here, too, there are tables,
 * each of pairs of numbers in order of insertion: nodes that edges leave, pairs of such a node and one it leads to, and
 * labels of such a pair. A label is itself a pair: kind of edge, and name or number. Found paths are followed from their ends only up to a step that another path has brought along,
 * so beginnings in common cost once.
 */
#include "analyses/paths/path_tree.h"
#include "base/hash.h"
#include "base/table.h"

/* ---- tables of pairs ---------------------------------------------------------------------------------------------- */

typedef struct pair {
    uint32_t a, b;
} pair;

UBI_VEC_DECLARE(vec_pair, pair);

typedef struct pair_table {
    vec_pair rows; /* different, in order of insertion */
    ubi__row_table table;
} pair_table;

#define MAX_ROWS (UBI_NONE - 1)

static void table_fini(pair_table *t, const ubi_allocator *a) {
    vec_pair_fini(&t->rows, a);
    ubi__row_table_fini(&t->table, a);
}

static uint64_t pair_hash(pair key) {
    return ubi__hash_u64((uint64_t)key.a << 32 | key.b);
}

static bool is_pair(const pair_table *t, uint32_t row, pair key) {
    return t->rows.at[row].a == key.a && t->rows.at[row].b == key.b;
}
UBI_ROW_LOOKUP(pair, const pair_table *, pair, is_pair);

static bool table_has(const pair_table *t, pair key) {
    return pair_find(&t->table, t, key, pair_hash(key)) != UBI_NONE;
}

/* Index of `key`, which is added if it is new. */
static ubi_status table_put(uint32_t *index, pair_table *t, pair key, const ubi_allocator *a) {
    uint64_t hash = pair_hash(key);
    UBI_TRY(ubi__row_table_reserve(&t->table, a, 1));
    ubi__row_slot *slot = pair_place(&t->table, t, key, hash);
    if (!ubi__row_is_used(slot)) {
        if (t->rows.n == MAX_ROWS)
            return ubi__fail(UBI_ELIMIT, "more than %u edges on the paths to one target", MAX_ROWS);
        UBI_TRY(vec_pair_push(&t->rows, a, key));
        ubi__row_table_fill(&t->table, slot, hash, (uint32_t)(t->rows.n - 1));
    }
    *index = slot->row;
    return UBI_OK;
}

/* ---- building ----------------------------------------------------------------------------------------------------- */

struct ubi_path_graph {
    const ubi_allocator *allocator;
    uint32_t n_nodes;
    uint64_t n_edges;
    ubi_node_ix *nodes;
    ubi_path_edge *edges;
};

typedef struct builder {
    const ubi_graph *graph;
    const ubi_allocator *allocator;
    ubi_node_ix target;
    pair_table froms;   /* (node, 0): nodes that edges leave */
    pair_table links;   /* (index into froms, node) */
    pair_table labels;  /* (kind of edge, canonical name or number) */
    pair_table marked;  /* (index into links, index into labels): the edges */
    ubi__vec_u64 edges; /* for each of them, the first that was met: ubi_edge_ix */
    pair_table seen;    /* for found paths (step, whether its way passes the target), else (node, path) */
    ubi__vec_u32 way;   /* steps of the current path that were not met before, last first */
} builder;

static pair label_of(const ubi_graph *g, ubi_edge_ix edge) {
    ubi_edge_kind kind = ubi__graph_edge_kind(g, edge);
    uint32_t value = g->name.at[edge];
    if (!ubi__edge_kind_is_numbered(kind) && value != UBI_NONE)
        value = ubi_graph_canonical_string(g, value);
    return (pair){ (uint32_t)kind, value };
}

static ubi_status insert_edge(builder *b, ubi_node_ix from, ubi_node_ix to, ubi_edge_ix edge) {
    const ubi_allocator *a = b->allocator;
    uint32_t from_index, link, label, index;
    UBI_TRY(table_put(&from_index, &b->froms, (pair){ from, 0 }, a));
    UBI_TRY(table_put(&link, &b->links, (pair){ from_index, to }, a));
    UBI_TRY(table_put(&label, &b->labels, label_of(b->graph, edge), a));
    UBI_TRY(table_put(&index, &b->marked, (pair){ link, label }, a));
    return index < b->edges.n ? UBI_OK : ubi__vec_u64_push(&b->edges, a, edge);
}

/* ---- result ------------------------------------------------------------------------------------------------------- */

/* Turns counts into where each begins. */
static void make_room(uint64_t *place, size_t n) {
    uint64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t count = place[i];
        place[i] = at;
        at += count;
    }
}

/* Edges by `from`, links of one `from` and labels of one link in order of insertion. Both arrays are zero at first. */
static void place_edges(ubi_path_graph *graph, const builder *b, uint64_t *from_place, uint64_t *link_place) {
    const pair *links = b->links.rows.at, *marked = b->marked.rows.at;
    for (size_t i = 0; i < b->marked.rows.n; i++) {
        link_place[marked[i].a]++;
        from_place[links[marked[i].a].a]++;
    }
    make_room(from_place, b->froms.rows.n);
    for (size_t i = 0; i < b->links.rows.n; i++) {
        uint64_t count = link_place[i];
        link_place[i] = from_place[links[i].a];
        from_place[links[i].a] += count;
    }
    for (size_t i = 0; i < b->marked.rows.n; i++) {
        pair link = links[marked[i].a];
        graph->edges[link_place[marked[i].a]++] = (ubi_path_edge){ b->froms.rows.at[link.a].a, link.b, b->edges.at[i] };
    }
}

static ubi_status fill_edges(ubi_path_graph *graph, const builder *b) {
    const ubi_allocator *a = b->allocator;
    size_t n_froms = b->froms.rows.n, n_links = b->links.rows.n;
    UBI_ASSERT(b->edges.n == b->marked.rows.n); /* an edge for each that is marked */
    graph->n_edges = b->marked.rows.n;
    if (graph->n_edges == 0)
        return UBI_OK;
    graph->edges = ubi__alloc_array(a, graph->n_edges, sizeof *graph->edges);
    uint64_t *from_place = ubi__calloc_array(a, n_froms, sizeof *from_place);
    uint64_t *link_place = ubi__calloc_array(a, n_links, sizeof *link_place);
    bool ready = graph->edges && from_place && link_place;
    if (ready)
        place_edges(graph, b, from_place, link_place);
    ubi__free_array(a, from_place, n_froms, sizeof *from_place);
    ubi__free_array(a, link_place, n_links, sizeof *link_place);
    return ready ? UBI_OK : ubi__fail_nomem();
}

static ubi_status fill_graph(ubi_path_graph *graph, const builder *b) {
    graph->n_nodes = (uint32_t)b->froms.rows.n + 1;
    graph->nodes = ubi__alloc_array(b->allocator, graph->n_nodes, sizeof *graph->nodes);
    if (!graph->nodes)
        return ubi__fail_nomem();
    graph->nodes[0] = b->target;
    for (size_t i = 0; i < b->froms.rows.n; i++)
        graph->nodes[i + 1] = b->froms.rows.at[i].a;
    return fill_edges(graph, b);
}

static void builder_fini(builder *b) {
    table_fini(&b->froms, b->allocator);
    table_fini(&b->links, b->allocator);
    table_fini(&b->labels, b->allocator);
    table_fini(&b->marked, b->allocator);
    ubi__vec_u64_fini(&b->edges, b->allocator);
    table_fini(&b->seen, b->allocator);
    ubi__vec_u32_fini(&b->way, b->allocator);
}

/* The graph of what was inserted, unless `status` says that inserting failed. Ends the builder. */
static ubi_status finish_graph(ubi_path_graph **out, builder *b, ubi_status status) {
    ubi_path_graph *graph = NULL;
    if (status == UBI_OK) {
        graph = UBI_NEW(b->allocator, ubi_path_graph);
        status = graph ? UBI_OK : ubi__fail_nomem();
    }
    if (status == UBI_OK) {
        graph->allocator = b->allocator;
        status = fill_graph(graph, b);
    }
    builder_fini(b);
    if (status == UBI_OK)
        *out = graph;
    else
        ubi_path_graph_free(graph);
    return status;
}

/* ---- from found paths --------------------------------------------------------------------------------------------- */

enum { CLEAN = 0, PASSES = 1 };

/* Follows a path from its last step to where it is known, collecting steps. True when it passes the target on the way. */
static ubi_status collect_way(bool *passes, builder *b, const ubi_paths *paths, const ubi__path_end *last) {
    b->way.n = 0;
    *passes = false;
    for (uint32_t s = last->before; s != UBI_NONE; s = paths->tree[s].before) {
        if (table_has(&b->seen, (pair){ s, CLEAN }))
            return UBI_OK;
        *passes = table_has(&b->seen, (pair){ s, PASSES });
        if (*passes)
            return UBI_OK;
        UBI_TRY(ubi__vec_u32_push(&b->way, b->allocator, s));
        *passes = b->graph->target.at[paths->tree[s].edge] == b->target;
        if (*passes)
            return UBI_OK;
    }
    return UBI_OK;
}

static ubi_status insert_step(builder *b, const ubi_paths *paths, const ubi__path_end *step) {
    return insert_edge(b, ubi__path_source(paths, step), b->graph->target.at[step->edge], step->edge);
}

static ubi_status insert_found(builder *b, const ubi_paths *paths, const ubi__path_end *last) {
    bool passes;
    uint32_t index;
    UBI_TRY(collect_way(&passes, b, paths, last));
    for (size_t i = b->way.n; i-- > 0;) {
        uint32_t s = b->way.at[i];
        UBI_TRY(table_put(&index, &b->seen, (pair){ s, passes ? PASSES : CLEAN }, b->allocator));
        if (!passes)
            UBI_TRY(insert_step(b, paths, &paths->tree[s]));
    }
    return passes ? UBI_OK : insert_step(b, paths, last);
}

ubi_status ubi_path_graph_new(ubi_path_graph **out, const ubi_paths *paths, uint32_t target,
                              const ubi_allocator *allocator) {
    builder b = { .graph = paths->graph,
                  .allocator = ubi__allocator_or_default(allocator),
                  .target = paths->targets[target] };
    ubi_status status = UBI_OK;
    if (b.target != paths->start) /* else every path has it among its nodes */
        for (uint64_t i = paths->first_path[target]; i < paths->first_path[target + 1] && status == UBI_OK; i++)
            status = insert_found(&b, paths, &paths->paths[i]);
    return finish_graph(out, &b, status);
}

/* ---- from any paths ----------------------------------------------------------------------------------------------- */

/* Whether the path meets the target before its end, or a node twice. */
static ubi_status has_loop(bool *out, builder *b, const ubi_path_step *steps, uint32_t n, uint32_t path) {
    uint32_t index;
    *out = false;
    for (uint32_t i = 0; i < n; i++) {
        pair key = { steps[i].predecessor, path };
        *out |= key.a == b->target || table_has(&b->seen, key);
        UBI_TRY(table_put(&index, &b->seen, key, b->allocator));
    }
    return UBI_OK;
}

static ubi_status insert_steps(builder *b, const ubi_path_step *steps, uint32_t n, uint32_t path) {
    bool loops;
    if (n == 0)
        return ubi__fail(UBI_EINVAL, "path %u has no step", path);
    UBI_TRY(has_loop(&loops, b, steps, n, path));
    for (uint32_t i = 0; i < n && !loops; i++)
        UBI_TRY(insert_edge(b, steps[i].predecessor, i + 1 < n ? steps[i + 1].predecessor : b->target, steps[i].edge));
    return UBI_OK;
}

ubi_status ubi_path_graph_from_steps(ubi_path_graph **out, const ubi_graph *graph, ubi_node_ix target,
                                     const ubi_path_step *steps, const uint32_t *lengths, uint32_t n_paths,
                                     const ubi_allocator *allocator) {
    builder b = { .graph = graph, .allocator = ubi__allocator_or_default(allocator), .target = target };
    ubi_status status = UBI_OK;
    for (uint32_t i = 0; i < n_paths && status == UBI_OK; i++) {
        status = insert_steps(&b, steps, lengths[i], i);
        steps += lengths[i];
    }
    return finish_graph(out, &b, status);
}

/* ---- access ------------------------------------------------------------------------------------------------------- */

void ubi_path_graph_free(ubi_path_graph *graph) {
    if (!graph)
        return;
    ubi__free_array(graph->allocator, graph->nodes, graph->n_nodes, sizeof *graph->nodes);
    ubi__free_array(graph->allocator, graph->edges, graph->n_edges, sizeof *graph->edges);
    UBI_DELETE(graph->allocator, graph);
}

const ubi_node_ix *ubi_path_graph_nodes(const ubi_path_graph *graph, uint32_t *n) {
    *n = graph->n_nodes;
    return graph->nodes;
}
const ubi_path_edge *ubi_path_graph_edges(const ubi_path_graph *graph, uint64_t *n) {
    *n = graph->n_edges;
    return graph->edges;
}
