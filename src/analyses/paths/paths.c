/* SPDX-License-Identifier: MIT
 *
 * paths.c: shortest paths to many targets in one breadth-first walk, and what is kept of it (ubiheap/core/paths.h).
 *
 * The queue of the walk is also its tree: nodes by order of discovery, each with the edge that first led to it and the rank
 * of that edge's source. The node itself is the edge's target and need not be kept.
 *
 * Most edges of a heap lead to nodes that are known already and are no targets; of those there is nothing to learn. One bit
 * per node, `settled`, marks them: set when the node was met, or, for a target, when it has all its paths. So the inner loop
 * reads a column of targets in order and a bitmap that fits a cache, and writes two columns in order. A bit per node and a
 * count per 64 find the number of a target.
 */
#include <string.h>

#include <ubiheap/core/marker.h>

#include "analyses/paths/path_tree.h"
#include "base/bits.h"

/* ==== THE TREE OF PATHS ========================================================================================= */

/*
 * What is kept of a walk, and paths read from it (path_tree.h).
 *
 * A step's rank is above that of the step before it. Hence one pass in order of rank can renumber the steps that some path
 * uses: the new place of a step is written where its reference to the step before was, which is no longer needed.
 */

/* Marks every step that is on a path. Ways are followed only up to the first mark, so each step costs once. */
static uint32_t mark_used(uint64_t *marks, const ubi__path_ranks *ranks, const ubi__path_finds *finds) {
    uint32_t n = 0;
    memset(marks, 0, ((size_t)ranks->n + 63) / 64 * sizeof *marks);
    for (size_t i = 0; i < finds->n; i++)
        for (uint32_t r = finds->at[i].rank; r != 0 && !ubi__has_bit(marks, r); r = ranks->before[r]) {
            marks[r >> 6] |= UINT64_C(1) << (r & 63);
            n++;
        }
    return n;
}

/* A step after the one of rank `before`, which has its new place already. */
static ubi__path_end end_behind(const ubi_paths *paths, const ubi__path_ranks *ranks, ubi_edge_ix edge,
                                uint32_t before) {
    if (before == 0)
        return (ubi__path_end){ edge, UBI_NONE, 1 };
    uint32_t place = ranks->before[before];
    return (ubi__path_end){ edge, place, paths->tree[place].length + 1 };
}

static void fill_tree(ubi_paths *paths, ubi__path_ranks *ranks, const uint64_t *marks) {
    uint32_t n = 0;
    for (size_t w = 0; w < ((size_t)ranks->n + 63) / 64; w++)
        for (uint64_t left = marks[w]; left; left &= left - 1) {
            uint32_t r = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
            paths->tree[n] = end_behind(paths, ranks, ranks->edge[r], ranks->before[r]);
            ranks->before[r] = n++;
        }
}

/* Sorts finds by target, keeping their order: first_path[t + 1] counts, then points, and ends as what it is called. */
static void fill_paths(ubi_paths *paths, const ubi__path_ranks *ranks, const ubi__path_finds *finds) {
    uint64_t *next = paths->first_path + 1;
    memset(paths->first_path, 0, ((size_t)paths->n_targets + 1) * sizeof *paths->first_path);
    for (size_t i = 0; i < finds->n; i++)
        next[finds->at[i].target]++;
    uint64_t sum = 0;
    for (uint32_t t = 0; t < paths->n_targets; t++) {
        uint64_t n = next[t];
        next[t] = sum;
        sum += n;
    }
    for (size_t i = 0; i < finds->n; i++) {
        const ubi__path_find *find = &finds->at[i];
        paths->paths[next[find->target]++] = end_behind(paths, ranks, find->edge, find->rank);
    }
}

/* An edge of the node that the step before leads to, one step longer. */
static void assert_follows(const ubi_paths *paths, const ubi__path_end *step, uint32_t place) {
    const uint64_t *first_edge = paths->graph->first_edge.at;
    UBI_ASSERT(step->before == UBI_NONE || step->before < place);
    UBI_ASSERT(step->length == (step->before == UBI_NONE ? 1 : paths->tree[step->before].length + 1));
    ubi_node_ix source = ubi__path_source(paths, step);
    UBI_ASSERT(step->edge >= first_edge[source] && step->edge < first_edge[source + 1]);
}

void ubi__paths_check(const ubi_paths *paths, bool shortest_first) {
    UBI_ASSERT(paths->first_path[0] == 0);
    if (!UBI_CHECKS)
        return;
    for (uint32_t i = 0; i < paths->n_tree; i++)
        assert_follows(paths, &paths->tree[i], i);
    for (uint32_t t = 0; t < paths->n_targets; t++) {
        const uint64_t *first = &paths->first_path[t];
        UBI_ASSERT(first[0] <= first[1]);
        for (uint64_t i = first[0]; i < first[1]; i++) {
            assert_follows(paths, &paths->paths[i], paths->n_tree);
            UBI_ASSERT(paths->graph->target.at[paths->paths[i].edge] == paths->targets[t]);
            UBI_ASSERT(!shortest_first || paths->paths[first[0]].length <= paths->paths[i].length);
        }
    }
}

ubi_status ubi__path_tree_build(ubi_paths *paths, ubi__path_ranks *ranks, uint64_t *marks,
                                const ubi__path_finds *finds) {
    const ubi_allocator *a = paths->allocator;
    uint32_t n_tree = mark_used(marks, ranks, finds);
    paths->tree = ubi__alloc_array(a, n_tree, sizeof *paths->tree);
    if (n_tree && !paths->tree)
        return ubi__fail_nomem();
    paths->n_tree = n_tree;
    paths->paths = ubi__alloc_array(a, finds->n, sizeof *paths->paths);
    if (finds->n && !paths->paths)
        return ubi__fail_nomem();
    fill_tree(paths, ranks, marks);
    fill_paths(paths, ranks, finds);
    UBI_ASSERT(paths->first_path[paths->n_targets] == finds->n);
    return UBI_OK;
}

void ubi_paths_free(ubi_paths *paths) {
    if (!paths)
        return;
    const ubi_allocator *a = paths->allocator;
    /* The count of paths is known once they are there; else first_path may hold nothing yet. */
    size_t n_paths = paths->paths ? (size_t)paths->first_path[paths->n_targets] : 0;
    ubi__free_array(a, paths->paths, n_paths, sizeof *paths->paths);
    ubi__free_array(a, paths->tree, paths->n_tree, sizeof *paths->tree);
    ubi__free_array(a, paths->first_path, (size_t)paths->n_targets + 1, sizeof *paths->first_path);
    ubi__free_array(a, paths->targets, paths->n_targets, sizeof *paths->targets);
    ubi_graph_unref(paths->graph);
    UBI_DELETE(a, paths);
}

ubi_node_ix ubi_paths_start(const ubi_paths *paths) {
    return paths->start;
}
uint32_t ubi_paths_target_count(const ubi_paths *paths) {
    return paths->n_targets;
}
ubi_node_ix ubi_paths_target(const ubi_paths *paths, uint32_t target) {
    return paths->targets[UBI_INDEX(target, paths->n_targets)];
}
uint32_t ubi_paths_count(const ubi_paths *paths, uint32_t target) {
    return (uint32_t)(paths->first_path[target + 1] - paths->first_path[target]);
}
uint32_t ubi_paths_length(const ubi_paths *paths, uint32_t target, uint32_t path) {
    return paths->paths[paths->first_path[target] + path].length;
}

/* The step of a path that is `length` steps from the start. */
static const ubi__path_end *step_at(const ubi_paths *paths, const ubi__path_end *end, uint32_t length) {
    while (end->length > length)
        end = &paths->tree[end->before];
    return end;
}

uint32_t ubi_paths_shared(const ubi_paths *paths, uint32_t target, uint32_t path, uint32_t other) {
    const ubi__path_end *a = &paths->paths[paths->first_path[target] + path];
    const ubi__path_end *b = &paths->paths[paths->first_path[target] + other];
    uint32_t length = a->length < b->length ? a->length : b->length;
    a = step_at(paths, a, length);
    b = step_at(paths, b, length);
    /* Where two steps are the same edge, so are the ways to them. */
    while (a->edge != b->edge && a->before != UBI_NONE) {
        a = &paths->tree[a->before];
        b = &paths->tree[b->before];
    }
    return a->edge == b->edge ? a->length : 0;
}

void ubi_paths_steps(ubi_path_step *out, const ubi_paths *paths, uint32_t target, uint32_t path) {
    const ubi__path_end *step = &paths->paths[paths->first_path[target] + path];
    uint32_t i = step->length;
    for (;;) {
        out[--i] = (ubi_path_step){ ubi__path_source(paths, step), step->edge };
        if (i == 0)
            return;
        step = &paths->tree[step->before];
    }
}

/* ==== THE WALK ================================================================================================== */

#define EDGES_PER_REPORT (UINT64_C(1) << 20)

typedef struct walk {
    const ubi_graph *graph;
    const ubi_edge_set *edges;
    const ubi_allocator *allocator;
    ubi_progress progress;
    ubi_node_ix start;
    const ubi_edge_ix *first_edges; /* first_edges[n_first_edges] of the start, ascending */
    uint32_t n_first_edges;
    uint32_t max_paths;
    size_t n_words; /* of each bitmap: a bit per node, and one more */
    uint64_t *settled;
    uint64_t *is_target;
    uint32_t *targets_before; /* per word of is_target: targets in the words before it */
    uint32_t *target_at;      /* targets by node index -> their place in the order given */
    uint32_t *n_found;        /* paths found, per target in the order given */
    uint32_t n_targets, n_wanting;
    uint32_t n_ahead; /* ranks, once first edges are walked to their end */
    ubi__path_ranks ranks;
    ubi__path_finds finds;
} walk;

/* ---- targets ------------------------------------------------------------------------------------------------------ */

/* Number of a target in the order of nodes. */
static uint32_t rank_of_target(const walk *w, ubi_node_ix node) {
    uint64_t below = w->is_target[node >> 6] & ((UINT64_C(1) << (node & 63)) - 1);
    return w->targets_before[node >> 6] + (uint32_t)__builtin_popcountll(below);
}

static void mark_targets(walk *w, const ubi_node_ix *targets, uint32_t n) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        ubi__put_bit(w->is_target, targets[i]);
    for (size_t i = 0; i < w->n_words; i++) {
        w->targets_before[i] = sum;
        sum += (uint32_t)__builtin_popcountll(w->is_target[i]);
    }
    w->n_targets = w->n_wanting = sum;
}

/* Keeps the first of each, in the order given. */
static void number_targets(walk *w, ubi_node_ix *kept, const ubi_node_ix *targets, uint32_t n) {
    uint32_t n_kept = 0;
    memset(w->target_at, 0xff, w->n_targets * sizeof *w->target_at);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *at = &w->target_at[rank_of_target(w, targets[i])];
        if (*at != UBI_NONE)
            continue;
        *at = n_kept;
        kept[n_kept++] = targets[i];
    }
    UBI_ASSERT(n_kept == w->n_targets);
}

/* ---- walk --------------------------------------------------------------------------------------------------------- */

static void discover_node(walk *w, ubi_edge_ix edge, uint32_t rank) {
    UBI_ASSERT(rank < w->ranks.n && w->ranks.n <= w->graph->n_nodes);
    w->ranks.edge[w->ranks.n] = edge;
    w->ranks.before[w->ranks.n] = rank;
    w->ranks.n++;
}

static ubi_status meet_target(walk *w, ubi_node_ix node, ubi_edge_ix edge, uint32_t rank) {
    uint32_t t = w->target_at[rank_of_target(w, node)];
    UBI_TRY(ubi__path_finds_push(&w->finds, w->allocator, (ubi__path_find){ edge, rank, t }));
    if (w->n_found[t]++ == 0)
        discover_node(w, edge, rank);
    if (w->n_found[t] == w->max_paths) {
        ubi__put_bit(w->settled, node);
        w->n_wanting--;
    }
    return UBI_OK;
}

/* Takes edges [begin, end); compiled once for all edges and once for a set of them. */
static inline __attribute__((always_inline)) ubi_status take_range(walk *w, ubi_edge_ix begin, ubi_edge_ix end,
                                                                   uint32_t rank, const ubi_edge_set *edges) {
    const ubi_node_ix *target = w->graph->target.at;
    for (ubi_edge_ix e = begin; e < end; e++) {
        ubi_node_ix t = target[e];
        if (ubi__has_bit(w->settled, t) || !ubi__edge_set_has(edges, e))
            continue;
        if (ubi__unlikely(ubi__has_bit(w->is_target, t))) {
            UBI_TRY(meet_target(w, t, e, rank));
            if (w->n_wanting == 0)
                return UBI_OK;
            continue;
        }
        ubi__put_bit(w->settled, t);
        discover_node(w, e, rank);
    }
    return UBI_OK;
}

static ubi_status take_edges(walk *w, ubi_edge_ix begin, ubi_edge_ix end, uint32_t rank) {
    return w->edges ? take_range(w, begin, end, rank, w->edges) : take_range(w, begin, end, rank, NULL);
}

static uint64_t edge_count(const walk *w, ubi_node_ix node) {
    return w->graph->first_edge.at[node + 1] - w->graph->first_edge.at[node];
}

/* Walks on from the nodes of ranks *at and up. */
static ubi_status follow_ranks(walk *w, uint32_t *at, uint64_t *n_edges) {
    uint64_t next_report = *n_edges + EDGES_PER_REPORT;
    for (; *at < w->ranks.n && w->n_wanting; ++*at) {
        ubi_node_ix node = w->graph->target.at[w->ranks.edge[*at]];
        const ubi_edge_ix *edges = &w->graph->first_edge.at[node];
        if (node == w->start && w->n_first_edges)
            continue; /* its edges have their turns */
        UBI_TRY(take_edges(w, edges[0], edges[1], node == w->start ? 0 : *at));
        *n_edges += edge_count(w, node);
        if (*n_edges < next_report)
            continue;
        if (!ubi__progress(&w->progress, "finding paths", *n_edges, w->graph->n_edges))
            return ubi__fail_cancelled();
        next_report = *n_edges + EDGES_PER_REPORT;
    }
    return UBI_OK;
}

/*
 * Rank 0 is the start, not yet met: what leads back to it discovers it like any node, and its edges are taken again. First
 * edges are walked to their end before the others.
 */
static ubi_status walk_paths(walk *w) {
    uint64_t n_edges = edge_count(w, w->start);
    ubi_edge_ix begin = w->graph->first_edge.at[w->start], end = w->graph->first_edge.at[w->start + 1];
    uint32_t at = 1;
    w->ranks.n = 1;
    for (uint32_t i = 0; i < w->n_first_edges && w->n_wanting; i++)
        UBI_TRY(take_edges(w, w->first_edges[i], w->first_edges[i] + 1, 0));
    UBI_TRY(follow_ranks(w, &at, &n_edges));
    w->n_ahead = w->ranks.n;
    for (uint32_t i = 0; i < w->n_first_edges && w->n_wanting; i++) {
        UBI_TRY(take_edges(w, begin, w->first_edges[i], 0));
        begin = w->first_edges[i] + 1;
    }
    if (w->n_wanting)
        UBI_TRY(take_edges(w, begin, end, 0));
    return follow_ranks(w, &at, &n_edges);
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static void walk_fini(walk *w) {
    const ubi_allocator *a = w->allocator;
    size_t n_ranks = (size_t)w->graph->n_nodes + 1;
    ubi__free_array(a, w->settled, w->n_words, sizeof *w->settled);
    ubi__free_array(a, w->is_target, w->n_words, sizeof *w->is_target);
    ubi__free_array(a, w->targets_before, w->n_words, sizeof *w->targets_before);
    ubi__free_array(a, w->target_at, w->n_targets, sizeof *w->target_at);
    ubi__free_array(a, w->n_found, w->n_targets, sizeof *w->n_found);
    ubi__free_array(a, w->ranks.edge, n_ranks, sizeof *w->ranks.edge);
    ubi__free_array(a, w->ranks.before, n_ranks, sizeof *w->ranks.before);
    ubi__path_finds_fini(&w->finds, a);
}

static ubi_status reserve_bits(walk *w) {
    const ubi_allocator *a = w->allocator;
    w->n_words = ((size_t)w->graph->n_nodes + 1) / 64 + 1;
    w->settled = ubi__calloc_array(a, w->n_words, sizeof *w->settled);
    w->is_target = ubi__calloc_array(a, w->n_words, sizeof *w->is_target);
    w->targets_before = ubi__alloc_array(a, w->n_words, sizeof *w->targets_before);
    return w->settled && w->is_target && w->targets_before ? UBI_OK : ubi__fail_nomem();
}

static ubi_status reserve_targets(walk *w) {
    const ubi_allocator *a = w->allocator;
    w->target_at = ubi__alloc_array(a, w->n_targets, sizeof *w->target_at);
    w->n_found = ubi__calloc_array(a, w->n_targets, sizeof *w->n_found);
    return w->target_at && w->n_found ? UBI_OK : ubi__fail_nomem();
}

static ubi_status reserve_ranks(walk *w) {
    const ubi_allocator *a = w->allocator;
    size_t n_ranks = (size_t)w->graph->n_nodes + 1;
    w->ranks.edge = ubi__alloc_array(a, n_ranks, sizeof *w->ranks.edge);
    w->ranks.before = ubi__alloc_array(a, n_ranks, sizeof *w->ranks.before);
    return w->ranks.edge && w->ranks.before ? UBI_OK : ubi__fail_nomem();
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

ubi_status ubi__paths_check_arguments(const ubi_view *view, const ubi_node_ix *targets, uint32_t n_targets,
                                      const ubi_paths_options *options, ubi_node_ix start) {
    uint32_t n_nodes = view->graph->n_nodes;
    UBI_TRY(ubi__version_check(options->version, UBI_PATHS_OPTIONS_VERSION, "ubi_paths_options"));
    if (options->max_paths == 0)
        return ubi__fail(UBI_EINVAL, "at most 0 paths per target were asked for, expected 1 or more");
    if (n_targets == 0)
        return ubi__fail(UBI_EINVAL, "no target to find paths to");
    if (start >= n_nodes)
        return ubi__fail(UBI_EINVAL, "start node %u is not in the graph of %u nodes", start, n_nodes);
    for (uint32_t i = 0; i < n_targets; i++)
        if (targets[i] >= n_nodes)
            return ubi__fail(UBI_EINVAL, "target node %u is not in the graph of %u nodes", targets[i], n_nodes);
    return UBI_OK;
}

ubi_status ubi__paths_new(ubi_paths **out, const ubi_graph *graph, ubi_node_ix start, uint32_t n_targets,
                          const ubi_allocator *a) {
    ubi_paths *paths = UBI_NEW(a, ubi_paths);
    if (!paths)
        return ubi__fail_nomem();
    paths->allocator = a;
    paths->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)graph);
    paths->start = start;
    paths->n_targets = n_targets;
    paths->targets = ubi__alloc_array(a, n_targets, sizeof *paths->targets);
    paths->first_path = ubi__alloc_array(a, (size_t)n_targets + 1, sizeof *paths->first_path);
    if (paths->targets && paths->first_path) {
        *out = paths;
        return UBI_OK;
    }
    ubi_paths_free(paths);
    return ubi__fail_nomem();
}

static ubi_status paths_find(ubi_paths **out, walk *w, const ubi_node_ix *targets, uint32_t n_targets) {
    UBI_TRY(reserve_bits(w));
    mark_targets(w, targets, n_targets);
    UBI_TRY(reserve_targets(w));
    UBI_TRY(reserve_ranks(w));
    UBI_TRY(ubi__paths_new(out, w->graph, w->start, w->n_targets, w->allocator));
    number_targets(w, (*out)->targets, targets, n_targets);
    UBI_TRY(walk_paths(w));
    UBI_TRY(ubi__path_tree_build(*out, &w->ranks, w->settled, &w->finds));
    ubi__paths_check(*out, w->n_first_edges == 0);
    return UBI_OK;
}

ubi_status ubi_paths_find(ubi_paths **out, const ubi_view *view, const ubi_node_ix *targets, uint32_t n_targets,
                          const ubi_paths_options *options) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Paths");
    static const ubi_paths_options defaults = UBI_PATHS_OPTIONS_INIT;
    const ubi_paths_options *o = options ? options : &defaults;
    ubi_node_ix start = o->start == UBI_NONE ? view->root : o->start;
    UBI_TRY(ubi__paths_check_arguments(view, targets, n_targets, o, start));
    bool from_root = start == view->root;
    ubi_paths *paths = NULL;
    walk w = { .graph = view->graph,
               .edges = view->edges,
               .allocator = ubi__allocator_or_default(o->allocator),
               .progress = o->progress,
               .start = start,
               .first_edges = from_root ? view->first_edges : NULL,
               .n_first_edges = from_root ? view->n_first_edges : 0,
               .max_paths = o->max_paths };
    ubi_status status = paths_find(&paths, &w, targets, n_targets);
    walk_fini(&w);
    if (status != UBI_OK) {
        ubi_paths_free(paths);
        return status;
    }
    *out = paths;
    return UBI_OK;
}

/* ---- without targets ---------------------------------------------------------------------------------------------- */

/* What is found is the caller's from now on. */
static void ranks_give(ubi__path_ranks *out, walk *w) {
    *out = w->ranks;
    w->ranks = (ubi__path_ranks){ .n = 0 };
}

ubi_status ubi__path_ranks_find(ubi__path_ranks *out, uint32_t *n_ahead, const ubi_view *view, ubi_progress progress,
                                const ubi_allocator *allocator) {
    walk w = { .graph = view->graph,
               .edges = view->edges,
               .allocator = allocator,
               .progress = progress,
               .start = view->root,
               .first_edges = view->first_edges,
               .n_first_edges = view->n_first_edges };
    ubi_status status = reserve_bits(&w);
    if (status == UBI_OK)
        status = reserve_ranks(&w);
    w.n_wanting = 1; /* of no target, so that it never ends early */
    if (status == UBI_OK)
        status = walk_paths(&w);
    *n_ahead = w.n_ahead;
    if (status == UBI_OK)
        ranks_give(out, &w);
    walk_fini(&w);
    return status;
}

void ubi__path_ranks_fini(ubi__path_ranks *ranks, const ubi_graph *graph, const ubi_allocator *allocator) {
    size_t n_ranks = (size_t)graph->n_nodes + 1;
    ubi__free_array(allocator, ranks->edge, n_ranks, sizeof *ranks->edge);
    ubi__free_array(allocator, ranks->before, n_ranks, sizeof *ranks->before);
}
