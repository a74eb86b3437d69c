/* SPDX-License-Identifier: MIT
 *
 * path_walk.c: see path_walk.h.
 *
 * The walk takes edges by *turns*: first those of the root, then those of each node by its rank. Where the view has first edges, the others
 * of the root have their turn when what the first ones lead to was walked. A root that some edge leads back to, in a view without first
 * edges, has a second turn. The paths to a target are the first of its edges backwards by turn and place.
 */
#include "analyses/paths/path_walk.h"

#include <stdlib.h>

#include "analyses/paths/path_tree.h"
#include "base/bits.h"
#include "base/merge_sort.h"
#include "base/u64_map.h"

struct ubi__path_walk {
    const ubi_allocator *allocator;
    ubi_view view;
    ubi__path_ranks ranks; /* `before` is not kept: it is the rank of the edge's source */
    uint32_t *rank;        /* [n_nodes] by node; UBI_NONE: not met. The root has one if an edge leads back to it */
    uint32_t n_ahead;
};

/* ---- walking --------------------------------------------------------------------------------------------------------- */

static void ranks_note(ubi__path_walk *w) {
    const ubi_graph *g = w->view.graph;
    memset(w->rank, 0xff, (size_t)g->n_nodes * sizeof *w->rank);
    for (uint32_t r = 1; r < w->ranks.n; r++)
        w->rank[g->target.at[w->ranks.edge[r]]] = r;
}

static ubi_status walk_fill(ubi__path_walk *w, ubi_progress progress) {
    const ubi_graph *g = w->view.graph;
    const ubi_allocator *a = w->allocator;
    ubi__path_ranks found;
    UBI_TRY(ubi__path_ranks_find(&found, &w->n_ahead, &w->view, progress, a));
    w->ranks = (ubi__path_ranks){ .edge = found.edge, .n = found.n };
    ubi__path_ranks_fini(&(ubi__path_ranks){ .before = found.before }, g, a);
    w->rank = ubi__alloc_array(a, g->n_nodes, sizeof *w->rank);
    if (!w->rank)
        return ubi__fail_nomem();
    ranks_note(w);
    return UBI_OK;
}

ubi_status ubi__path_walk_new(ubi__path_walk **out, const ubi_view *view, ubi_progress progress,
                              const ubi_allocator *allocator) {
    ubi__path_walk *walk = UBI_NEW(allocator, ubi__path_walk);
    if (!walk)
        return ubi__fail_nomem();
    walk->allocator = allocator;
    walk->view = *view;
    ubi_graph_ref((ubi_graph *)(uintptr_t)view->graph);
    ubi_status status = walk_fill(walk, progress);
    if (status == UBI_OK)
        *out = walk;
    else
        ubi__path_walk_free(walk);
    return status;
}

void ubi__path_walk_free(ubi__path_walk *walk) {
    if (!walk)
        return;
    ubi_graph *graph = (ubi_graph *)(uintptr_t)walk->view.graph;
    ubi__path_ranks_fini(&walk->ranks, graph, walk->allocator);
    ubi__free_array(walk->allocator, walk->rank, graph->n_nodes, sizeof *walk->rank);
    ubi_graph_unref(graph);
    UBI_DELETE(walk->allocator, walk);
}

/* ---- last steps ------------------------------------------------------------------------------------------------------ */

/* An edge that leads to a target, when the walk takes it. */
typedef struct last_step {
    uint64_t turn;
    ubi_edge_ix edge;
} last_step;

static inline bool comes_before(void *unused, last_step a, last_step b) {
    (void)unused;
    return a.turn != b.turn ? a.turn < b.turn : a.edge < b.edge;
}
UBI_SORT_DEFINE(sort_steps, last_step, void *, comes_before);
UBI_VEC_DECLARE(vec_last_step, last_step);

typedef struct reading {
    const ubi__path_walk *walk;
    const ubi_retainers *retainers;
    const ubi_allocator *allocator;
    uint32_t max_paths;
    vec_last_step steps, spare; /* of one target; the first ones, in order, once they are sorted */
    ubi__path_finds finds;      /* ranks are those of the walk */
    ubi__u64_map places;        /* of ranks on some path: among those */
    ubi__vec_u32 used;          /* these ranks */
} reading;

/* More than are wanted, so that sorting them is rare. */
#define STEPS_LEAST 64

/* Only the first ones stay. */
static ubi_status steps_cut(reading *r) {
    UBI_TRY(vec_last_step_reserve(&r->spare, r->allocator, r->steps.n));
    sort_steps(r->steps.at, r->spare.at, r->steps.n, NULL);
    r->steps.n = r->steps.n < r->max_paths ? r->steps.n : r->max_paths;
    return UBI_OK;
}

static ubi_status step_offer(reading *r, last_step step, last_step *worst) {
    if (!comes_before(NULL, step, *worst))
        return UBI_OK;
    UBI_TRY(vec_last_step_push(&r->steps, r->allocator, step));
    if (r->steps.n < STEPS_LEAST || r->steps.n / 2 < r->max_paths)
        return UBI_OK;
    UBI_TRY(steps_cut(r));
    *worst = r->steps.at[r->steps.n - 1];
    return UBI_OK;
}

static int edges_compare(const void *a_, const void *b_) {
    ubi_edge_ix a = *(const ubi_edge_ix *)a_, b = *(const ubi_edge_ix *)b_;
    return (a > b) - (a < b);
}

/* The turn of an edge of the root. */
static uint64_t root_turn(const ubi__path_walk *w, ubi_edge_ix edge) {
    const ubi_view *v = &w->view;
    if (v->n_first_edges == 0 || bsearch(&edge, v->first_edges, v->n_first_edges, sizeof edge, edges_compare))
        return 0;
    return (uint64_t)w->n_ahead * 2 - 1;
}

static ubi_status root_edge_offer(reading *r, ubi_edge_ix edge, last_step *worst) {
    const ubi__path_walk *w = r->walk;
    uint32_t again = w->rank[w->view.root];
    UBI_TRY(step_offer(r, (last_step){ root_turn(w, edge), edge }, worst));
    if (again == UBI_NONE || w->view.n_first_edges)
        return UBI_OK;
    return step_offer(r, (last_step){ (uint64_t)again * 2, edge }, worst);
}

/* The first steps that lead to a node. */
static ubi_status steps_find(reading *r, ubi_node_ix target) {
    const ubi__path_walk *w = r->walk;
    last_step worst = { UINT64_MAX, UINT64_MAX };
    r->steps.n = 0;
    for (uint64_t i = 0, n = ubi_retainers_count(r->retainers, target); i < n; i++) {
        ubi_edge_ix edge = ubi_retainers_edge(r->retainers, target, i);
        if (!ubi__edge_set_has(w->view.edges, edge))
            continue;
        ubi_node_ix source = ubi_graph_edge_source(w->view.graph, edge);
        if (source == w->view.root)
            UBI_TRY(root_edge_offer(r, edge, &worst));
        else if (w->rank[source] != UBI_NONE)
            UBI_TRY(step_offer(r, (last_step){ (uint64_t)w->rank[source] * 2, edge }, &worst));
    }
    return steps_cut(r);
}

/* ---- the way up to them ---------------------------------------------------------------------------------------------- */

/* The rank of an edge's source; 0: the root. */
static uint32_t source_rank(const ubi__path_walk *w, ubi_edge_ix edge) {
    ubi_node_ix source = ubi_graph_edge_source(w->view.graph, edge);
    return source == w->view.root ? 0 : w->rank[source];
}

/* Notes the ranks from one up to the root, as far as they are not noted. */
static ubi_status way_note(reading *r, uint32_t rank) {
    for (; rank != 0 && ubi__u64_map_get(&r->places, rank) == UBI_NONE;
         rank = source_rank(r->walk, r->walk->ranks.edge[rank])) {
        UBI_TRY(ubi__u64_map_put(&r->places, rank, 0));
        UBI_TRY(ubi__vec_u32_push(&r->used, r->allocator, rank));
    }
    return UBI_OK;
}

static ubi_status target_read(reading *r, ubi_node_ix target, uint32_t number) {
    UBI_TRY(steps_find(r, target));
    for (size_t i = 0; i < r->steps.n; i++) {
        uint32_t rank = source_rank(r->walk, r->steps.at[i].edge);
        UBI_TRY(way_note(r, rank));
        UBI_TRY(ubi__path_finds_push(&r->finds, r->allocator, (ubi__path_find){ r->steps.at[i].edge, rank, number }));
    }
    return UBI_OK;
}

static int ranks_compare(const void *a_, const void *b_) {
    uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;
    return (a > b) - (a < b);
}

/* The place of a rank among those that are used, from 1 on; 0: the root. */
static uint32_t place_of(const reading *r, uint32_t rank) {
    return rank == 0 ? 0 : ubi__u64_map_get(&r->places, rank);
}

/* The walk as if it had met nothing but what is on the paths. */
static ubi_status ranks_shorten(ubi__path_ranks *out, reading *r) {
    if (r->used.n)
        qsort(r->used.at, r->used.n, sizeof *r->used.at, ranks_compare);
    for (size_t i = 0; i < r->used.n; i++)
        UBI_TRY(ubi__u64_map_put(&r->places, r->used.at[i], (uint32_t)i + 1));
    for (size_t i = 0; i < r->used.n; i++) {
        out->edge[i + 1] = r->walk->ranks.edge[r->used.at[i]];
        out->before[i + 1] = place_of(r, source_rank(r->walk, out->edge[i + 1]));
    }
    for (size_t i = 0; i < r->finds.n; i++)
        r->finds.at[i].rank = place_of(r, r->finds.at[i].rank);
    return UBI_OK;
}

static ubi_status tree_build(ubi_paths *paths, reading *r) {
    const ubi_allocator *a = r->allocator;
    uint32_t n = (uint32_t)r->used.n + 1;
    ubi__path_ranks ranks = { .edge = ubi__alloc_array(a, n, sizeof *ranks.edge),
                              .before = ubi__alloc_array(a, n, sizeof *ranks.before),
                              .n = n };
    uint64_t *marks = ubi__alloc_array(a, n / 64 + 1, sizeof *marks);
    ubi_status status = ranks.edge && ranks.before && marks ? ranks_shorten(&ranks, r) : ubi__fail_nomem();
    if (status == UBI_OK)
        status = ubi__path_tree_build(paths, &ranks, marks, &r->finds);
    ubi__free_array(a, ranks.edge, n, sizeof *ranks.edge);
    ubi__free_array(a, ranks.before, n, sizeof *ranks.before);
    ubi__free_array(a, marks, n / 64 + 1, sizeof *marks);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

/* Of targets that are given twice the first counts. */
static ubi_status targets_distinguish(ubi__vec_u32 *out, const reading *r, const ubi_node_ix *targets, uint32_t n) {
    ubi__u64_map known;
    ubi_status status = UBI_OK;
    ubi__u64_map_init(&known, r->allocator);
    for (uint32_t i = 0; i < n && status == UBI_OK; i++) {
        if (ubi__u64_map_get(&known, targets[i]) != UBI_NONE)
            continue;
        status = ubi__u64_map_put(&known, targets[i], i);
        if (status == UBI_OK)
            status = ubi__vec_u32_push(out, r->allocator, targets[i]);
    }
    ubi__u64_map_fini(&known);
    return status;
}

static ubi_status targets_read(ubi_paths **out, reading *r, const ubi__vec_u32 *targets) {
    const ubi_view *view = &r->walk->view;
    UBI_TRY(ubi__paths_new(out, view->graph, view->root, (uint32_t)targets->n, r->allocator));
    memcpy((*out)->targets, targets->at, targets->n * sizeof *targets->at);
    for (uint32_t t = 0; t < targets->n; t++)
        UBI_TRY(target_read(r, targets->at[t], t));
    UBI_TRY(tree_build(*out, r));
    ubi__paths_check(*out, view->n_first_edges == 0);
    return UBI_OK;
}

static void reading_fini(reading *r) {
    vec_last_step_fini(&r->steps, r->allocator);
    vec_last_step_fini(&r->spare, r->allocator);
    ubi__path_finds_fini(&r->finds, r->allocator);
    ubi__u64_map_fini(&r->places);
    ubi__vec_u32_fini(&r->used, r->allocator);
}

ubi_status ubi__path_walk_read(ubi_paths **out, const ubi__path_walk *walk, const ubi_retainers *retainers,
                               const ubi_node_ix *targets, uint32_t n_targets, const ubi_paths_options *options) {
    ubi_paths *paths = NULL;
    ubi__vec_u32 different = { 0 };
    UBI_TRY(ubi__paths_check_arguments(&walk->view, targets, n_targets, options, walk->view.root));
    reading r = { .walk = walk,
                  .retainers = retainers,
                  .allocator = ubi__allocator_or_default(options->allocator),
                  .max_paths = options->max_paths };
    ubi__u64_map_init(&r.places, r.allocator);
    ubi_status status = targets_distinguish(&different, &r, targets, n_targets);
    if (status == UBI_OK)
        status = targets_read(&paths, &r, &different);
    ubi__vec_u32_fini(&different, r.allocator);
    reading_fini(&r);
    if (status == UBI_OK)
        *out = paths;
    else
        ubi_paths_free(paths);
    return status;
}
