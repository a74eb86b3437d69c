/* SPDX-License-Identifier: MIT
 *
 * dominators.c: dominator trees (ubiheap/core/dominators.h). dom_work.h says how they are found.
 */
#include <ubiheap/core/marker.h>

#include <string.h>

#include "analyses/dominators/dom_work.h"
#include "base/parallel.h"

/* ==== THE WALK ================================================================================================== */

/*
 * The depth-first walk that numbers nodes.
 *
 * Edges of a node are taken last first, as Firefox does; so the order in which walks of nodes end is Firefox's post-order,
 * which dominated sets are sorted by. The stack is explicit. An edge is looked at once: it finds a node, or is folded
 * into the candidate of its target (forward), or is kept for later (backward).
 */

/* Edges of a new node whose targets are prefetched. */
#define WALK_AHEAD 4

static uint32_t number_node(ubi__dom_work *w, ubi_node_ix node, uint32_t parent) {
    uint32_t number = w->n++;
    w->number[node] = number;
    w->node[number] = node;
    w->parent[number] = parent;
    w->dominator[number] = parent;
    return number;
}

static void finish_number(ubi__dom_work *w, uint32_t number) {
    if (w->finished)
        w->finished[w->n_finished++] = number;
}

/* An edge between two numbers that is no tree edge. */
static void sort_edge(ubi__dom_work *w, uint32_t source, uint32_t target) {
    if (target >= source) {
        if (source < w->dominator[target])
            w->dominator[target] = source;
    } else if (target != 0) { /* the root has no dominator */
        ubi__dom_edges_add(&w->edges, source, target);
    }
}

/* The edges walked next are at random places of the graph: their targets are prefetched while others are explored. */
static inline void fetch_ahead(const ubi__dom_work *w, ubi_edge_ix begin, ubi_edge_ix next) {
    const ubi_graph *g = w->graph;
    if (next - begin > WALK_AHEAD)
        begin = next - WALK_AHEAD;
    while (next-- > begin) {
        __builtin_prefetch(&w->number[g->target.at[next]], 1);
        __builtin_prefetch(&g->first_edge.at[g->target.at[next]]);
    }
}

/* First edge of a node that is walked soon (prefetched). */
static inline void fetch_edges(const ubi_graph *g, ubi_node_ix node) {
    ubi_edge_ix end = g->first_edge.at[node + 1];
    __builtin_prefetch(g->target.at + end - (end > 0));
}

/* Numbers `start`, as a child of number 0 unless it is the first, and all that it reaches. */
static inline __attribute__((always_inline)) ubi_status walk_edges(ubi__dom_work *w, ubi_node_ix start,
                                                                   const ubi_edge_set *set) {
    const ubi_graph *g = w->graph;
    ubi__dom_frame *const frames = ubi__dom_frames(w);
    uint32_t at = number_node(w, start, 0), depth = 0, fuel = UBI__DOM_CHUNK;
    ubi_edge_ix begin = g->first_edge.at[start], next = g->first_edge.at[start + 1];
    for (;;) {
        while (next > begin) {
            ubi_edge_ix edge = --next;
            if (ubi__unlikely(--fuel == 0)) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, w->n));
                fuel = UBI__DOM_CHUNK;
            }
            if (!ubi__edge_set_has(set, edge))
                continue;
            ubi_node_ix target = g->target.at[edge];
            if (w->number[target] != UBI_NONE) {
                sort_edge(w, at, w->number[target]);
                continue;
            }
            frames[depth++] = (ubi__dom_frame){ begin, next };
            if (next > begin)
                fetch_edges(g, g->target.at[next - 1]);
            at = number_node(w, target, at);
            begin = g->first_edge.at[target];
            next = g->first_edge.at[target + 1];
            fetch_ahead(w, begin, next);
        }
        finish_number(w, at);
        if (depth == 0)
            return UBI_OK;
        at = w->parent[at];
        begin = frames[--depth].begin;
        next = frames[depth].next;
    }
}

static ubi_status walk_from(ubi__dom_work *w, ubi_node_ix start) {
    return w->view->edges ? walk_edges(w, start, w->view->edges) : walk_edges(w, start, NULL);
}

/* ---- nodes that the root does not reach ------------------------------------------------------------------------------ */

static bool is_reached(const ubi__dom_work *w, ubi_node_ix node) {
    return w->number[node] != UBI_NONE;
}

static bool edge_counts(const ubi__dom_work *w, ubi_edge_ix edge) {
    return ubi__edge_set_has(w->view->edges, edge);
}

/* Marks nodes that another one leads to. Only edges of nodes that were not reached matter: the targets of all others were. */
static ubi_status mark_led_to(uint64_t *led_to, const ubi__dom_work *w) {
    const ubi_graph *g = w->graph;
    uint32_t fuel = UBI__DOM_CHUNK;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        ubi_edge_ix end = is_reached(w, node) ? 0 : g->first_edge.at[node + 1];
        for (ubi_edge_ix e = g->first_edge.at[node]; e < end; e++) {
            ubi_node_ix target = g->target.at[e];
            if (target != node && edge_counts(w, e))
                led_to[target >> 6] |= UINT64_C(1) << (target & 63);
            if (--fuel == 0) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, w->n));
                fuel = UBI__DOM_CHUNK;
            }
        }
    }
    return UBI_OK;
}

static ubi_status adopt_heads(ubi__dom_work *w, const uint64_t *led_to) {
    for (ubi_node_ix node = 0; node < w->graph->n_nodes; node++)
        if (!is_reached(w, node) && !(led_to[node >> 6] >> (node & 63) & 1))
            UBI_TRY(walk_from(w, node));
    return UBI_OK;
}

/* Children of the root without a walk: all that they lead to has a number or becomes a child of the root as well. */
static ubi_status adopt_rest(ubi__dom_work *w) {
    const ubi_graph *g = w->graph;
    uint32_t fuel = UBI__DOM_CHUNK;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (is_reached(w, node))
            continue;
        uint32_t at = number_node(w, node, 0);
        finish_number(w, at);
        for (ubi_edge_ix e = g->first_edge.at[node]; e < g->first_edge.at[node + 1]; e++) {
            if (is_reached(w, g->target.at[e]) && edge_counts(w, e))
                sort_edge(w, at, w->number[g->target.at[e]]);
            if (--fuel == 0) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, w->n));
                fuel = UBI__DOM_CHUNK;
            }
        }
    }
    return UBI_OK;
}

static ubi_status adopt_unreached(ubi__dom_work *w) {
    size_t n_words = ((size_t)w->graph->n_nodes + 63) / 64;
    uint64_t *led_to = ubi__calloc_array(w->allocator, n_words, sizeof *led_to);
    if (!led_to)
        return ubi__fail_nomem();
    ubi_status status = mark_led_to(led_to, w);
    if (status == UBI_OK)
        status = adopt_heads(w, led_to);
    ubi__free_array(w->allocator, led_to, n_words, sizeof *led_to);
    return status == UBI_OK ? adopt_rest(w) : status;
}

ubi_status ubi__dom_walk(ubi__dom_work *w) {
    for (ubi_node_ix node = 0, end; node < w->graph->n_nodes; node = end) {
        end = ubi__dom_chunk_end(node, w->graph->n_nodes);
        UBI_TRY(ubi__dom_tick(w, UBI__DOM_WALK, 0));
        for (ubi_node_ix i = node; i < end; i++)
            w->number[i] = UBI_NONE;
    }
    UBI_TRY(walk_from(w, w->view->root));
    if (w->view->orphans != UBI_ORPHANS_ADOPT || w->n == w->graph->n_nodes)
        return UBI_OK;
    if (w->finished)
        w->n_finished--; /* the root ends after all that it adopts */
    UBI_TRY(adopt_unreached(w));
    finish_number(w, 0);
    return UBI_OK;
}

/* ==== SEMI-DOMINATORS AND DOMINATORS ============================================================================ */

/* Semi-dominators, and immediate dominators from them. */

/* Sources whose cells are prefetched. */
#define AHEAD 16

/* ---- semi-dominators ------------------------------------------------------------------------------------------------- */

/*
 * Least semi-dominator on the tree path from `source` up to the first number that is not above `target`, that one left
 * out. All numbers above `target` have their cells. The path is compressed: every cell on it then leads to its upper end
 * at once, which makes a sequence of m calls cost O(m log n).
 */
static uint32_t least_on_path(ubi__dom_cell *cells, uint32_t *path, uint32_t source, uint32_t target,
                              uint64_t *n_steps) {
    uint32_t n = 0, at = source;
    while (cells[at].path.ancestor > target) {
        path[n++] = at;
        at = cells[at].path.ancestor;
    }
    ubi__dom_cell top = cells[at];
    *n_steps += n;
    while (n > 0) {
        at = path[--n];
        if (cells[at].path.least < top.path.least)
            top.path.least = cells[at].path.least;
        cells[at] = top;
    }
    return top.path.least;
}

/* Semi-dominators of the targets of a range, from the last to the first. */
static ubi_status find_in_range(ubi__dom_work *w, const ubi__dom_range *range) {
    ubi__dom_cell *cells = ubi__dom_cells(w);
    uint32_t *path = ubi__dom_path(w);
    const uint32_t *source = range->source;
    uint32_t at = range->first[range->end - range->begin], fuel = UBI__DOM_CHUNK;
    for (uint32_t target = range->end; target-- > range->begin;) {
        uint32_t semi = w->dominator[target];
        for (uint32_t end = range->first[target - range->begin]; at > end; fuel--) {
            at--;
            if (at >= AHEAD)
                __builtin_prefetch(&cells[source[at - AHEAD]], 1);
            if (semi > 0) { /* else nothing is less */
                uint32_t least = least_on_path(cells, path, source[at], target, &w->counts.n_path_steps);
                semi = least < semi ? least : semi;
            }
            if (ubi__unlikely(fuel == 0)) {
                UBI_TRY(ubi__dom_tick(w, UBI__DOM_SEMI, w->n - target));
                fuel = UBI__DOM_CHUNK;
            }
        }
        w->dominator[target] = semi;
        cells[target].path.ancestor = w->parent[target];
        cells[target].path.least = semi;
    }
    return UBI_OK;
}

ubi_status ubi__dom_find_semi(ubi__dom_work *w) {
    UBI_TRY(ubi__dom_edges_begin(w));
    while (w->edges.next > 0) {
        ubi__dom_range range;
        UBI_TRY(ubi__dom_edges_next(&range, w));
        ubi__dom_range_check(&range, w->n);
        UBI_TRY(ubi__dom_tick(w, UBI__DOM_SEMI, w->n - range.end));
        UBI_TRY(find_in_range(w, &range));
    }
    return UBI_OK;
}

/* ---- immediate dominators -------------------------------------------------------------------------------------------- */

/* Numbers below this one were handled: their places in `parent` count what they dominate. Now so does this one's. */
static inline uint32_t take_parent(ubi__dom_work *w, uint32_t number) {
    uint32_t parent = w->parent[number];
    w->parent[number] = 0;
    return parent;
}

/*
 * Plain climbing passes one dominator after the other. It is short on real heaps, but a long chain whose tail shares its
 * targets with the root makes every target climb all of the chain. So after this many steps per node, jump pointers are
 * made (Myers, An applicative random-access stack, 1983), with which a climb takes O(log n) steps.
 */
#define PLAIN_STEPS_PER_NODE 4

static void climb_plainly(ubi__dom_work *w, uint32_t number) {
    uint32_t *dominator = w->dominator, semi = dominator[number], at = take_parent(w, number);
    uint64_t n_steps = 0;
    for (; at > semi; n_steps++)
        at = dominator[at];
    dominator[number] = at;
    w->parent[at]++;
    w->counts.n_climb_steps += n_steps;
}

static void make_jump(ubi__dom_cell *cells, uint32_t number, uint32_t dominator) {
    uint32_t far = cells[dominator].climb.jump, further = cells[far].climb.jump;
    uint32_t depth = cells[dominator].climb.depth;
    bool join = depth - cells[far].climb.depth == cells[far].climb.depth - cells[further].climb.depth;
    cells[number].climb.jump = join ? further : dominator;
    cells[number].climb.depth = depth + 1;
}

static void climb_by_jumps(ubi__dom_work *w, uint32_t number) {
    ubi__dom_cell *cells = ubi__dom_cells(w);
    uint32_t semi = w->dominator[number], at = take_parent(w, number);
    uint64_t n_steps = 0;
    for (; at > semi; n_steps++)
        at = cells[at].climb.jump > semi ? cells[at].climb.jump : w->dominator[at];
    w->dominator[number] = at;
    w->parent[at]++;
    w->counts.n_climb_steps += n_steps;
    make_jump(cells, number, at);
}

/* Jump pointers of the numbers below `end`, whose dominators are known. */
static void make_jumps(ubi__dom_work *w, uint32_t end) {
    ubi__dom_cell *cells = ubi__dom_cells(w);
    cells[0].climb.jump = 0;
    cells[0].climb.depth = 0;
    for (uint32_t number = 1; number < end; number++)
        make_jump(cells, number, w->dominator[number]);
    w->counts.has_used_jumps = true;
}

ubi_status ubi__dom_climb(ubi__dom_work *w) {
    uint64_t most_steps = w->tuning.with_jumps_only ? 0 : (uint64_t)w->n * PLAIN_STEPS_PER_NODE;
    uint32_t number = 1;
    w->parent[0] = 0;
    while (number < w->n) {
        uint32_t end = ubi__dom_chunk_end(number, w->n);
        UBI_TRY(ubi__dom_tick(w, UBI__DOM_CLIMB, number));
        for (; number < end && w->counts.n_climb_steps <= most_steps; number++)
            climb_plainly(w, number);
        if (number < end && !w->counts.has_used_jumps)
            make_jumps(w, number);
        for (; number < end; number++)
            climb_by_jumps(w, number);
    }
    return UBI_OK;
}

/* ==== THE RESULT ================================================================================================ */

/*
 * From dominators by number to the columns that are kept.
 *
 * Sums run over numbers, where a dominator is usually close to what it dominates; every node's place in the file is
 * touched once per column.
 */

static const uint64_t *sizes_of(const ubi__dom_work *w) {
    return w->view->size_bytes ? w->view->size_bytes : w->graph->size_bytes.at;
}

static ubi_status gather_sizes(ubi__dom_work *w) {
    ubi__dom_cell *cells = ubi__dom_cells(w);
    const uint64_t *size_bytes = sizes_of(w);
    for (uint32_t number = 0, end; number < w->n; number = end) {
        end = ubi__dom_chunk_end(number, w->n);
        UBI_TRY(ubi__dom_tick(w, UBI__DOM_RESULT, number / 4));
        for (uint32_t i = number; i < end; i++)
            cells[i].retained_bytes = size_bytes[w->node[i]];
    }
    return UBI_OK;
}

/* A node is complete when all with higher numbers have been added to their dominators. */
static ubi_status sum_up(ubi_dominators *d, ubi__dom_work *w) {
    ubi__dom_cell *cells = ubi__dom_cells(w);
    for (uint32_t number = w->n; number > 1;) {
        uint32_t end = number - 1 < UBI__DOM_CHUNK ? 1 : number - UBI__DOM_CHUNK;
        UBI_TRY(ubi__dom_tick(w, UBI__DOM_RESULT, w->n / 4 + (w->n - number) / 4));
        while (number-- > end) {
            uint32_t dominator = w->dominator[number];
            ubi_node_ix node = w->node[number];
            cells[dominator].retained_bytes += cells[number].retained_bytes;
            d->retained_bytes[node] = cells[number].retained_bytes;
            d->immediate[node] = w->node[dominator];
        }
        number++;
    }
    d->retained_bytes[d->root] = cells[0].retained_bytes;
    d->immediate[d->root] = UBI_NONE;
    return UBI_OK;
}

/* ---- dominated sets -------------------------------------------------------------------------------------------------- */

typedef struct set_maker {
    ubi_dominators *d;
    const ubi__dom_work *w;
    ubi_status status;
} set_maker;

static ubi_status tick_sets(const set_maker *m, uint64_t done) {
    return ubi__dom_tick(m->w, UBI__DOM_RESULT, done);
}

/* Ends of the sets in file order. */
static ubi_status place_sets(const set_maker *m) {
    ubi_dominators *d = m->d;
    const ubi__dom_work *w = m->w;
    const uint32_t *count = w->parent;
    uint32_t sum = 0;
    for (uint32_t i = 0, end; i < w->n; i = end) {
        end = ubi__dom_chunk_end(i, w->n);
        UBI_TRY(tick_sets(m, w->n / 2 + i / 8));
        for (uint32_t number = i; number < end; number++)
            d->first[w->node[number]] = count[number];
    }
    for (ubi_node_ix i = 0, end; i < d->n_nodes; i = end) {
        end = ubi__dom_chunk_end(i, d->n_nodes);
        UBI_TRY(tick_sets(m, w->n / 2 + w->n / 8));
        for (ubi_node_ix node = i; node < end; node++)
            d->first[node] = sum += d->first[node];
    }
    d->first[d->n_nodes] = sum;
    return UBI_OK;
}

/* Descending post-order within a set: each is filled from its end, in ascending order. */
static ubi_status fill_sets(const set_maker *m) {
    ubi_dominators *d = m->d;
    const ubi__dom_work *w = m->w;
    uint32_t n = w->n - 1; /* the root ends last and belongs to no set */
    for (uint32_t i = 0, end; i < n; i = end) {
        end = ubi__dom_chunk_end(i, n);
        UBI_TRY(tick_sets(m, w->n / 4 * 3 + i / 4));
        for (uint32_t k = i; k < end; k++) {
            uint32_t number = w->finished[k];
            d->dominated[--d->first[w->node[w->dominator[number]]]] = w->node[number];
        }
    }
    return UBI_OK;
}

static void make_sets(void *payload) {
    set_maker *m = payload;
    m->status = place_sets(m);
    if (m->status == UBI_OK)
        m->status = fill_sets(m);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------- */

/* The columns take over the pool of backward edges: memory that was touched before costs nothing to touch again. */
static ubi_status make_columns(ubi_dominators *d, ubi__dom_work *w) {
    const ubi_allocator *a = d->allocator;
    size_t n = d->n_nodes, n_bytes = n * sizeof *d->retained_bytes;
    if (w->with_sets)
        n_bytes += (n + 1) * sizeof *d->first + n * sizeof *d->dominated;
    void *columns = a->resize(a->ctx, w->edges.pool, w->edges.pool_bytes, n_bytes);
    if (!columns)
        return ubi__fail_nomem();
    w->edges.pool = NULL;
    d->retained_bytes = columns;
    d->columns_bytes = n_bytes;
    if (w->with_sets) {
        d->first = (uint32_t *)(d->retained_bytes + n);
        d->dominated = d->first + n + 1;
    }
    if (w->n < n) /* else every node's place is written */
        memset(columns, 0, n_bytes);
    return UBI_OK;
}

/* At the next slice: a caller that cancels does not wait for memory that is not used. */
static void touching_end(ubi__dom_work *w) {
    atomic_store_explicit(&w->is_touched_enough, true, memory_order_relaxed);
    ubi__helper_drop(w->helper, &w->touching);
}

ubi_status ubi__dom_result(ubi_dominators *d, ubi__dom_work *w) {
    touching_end(w);
    UBI_TRY(make_columns(d, w));
    d->n_in_tree = w->n;
    d->immediate = w->number;
    w->number = NULL;
    set_maker sets = { d, w, UBI_OK };
    if (w->with_sets)
        ubi__helper_give(w->helper, &w->sets, make_sets, &sets);
    ubi_status status = gather_sizes(w);
    if (status == UBI_OK)
        status = sum_up(d, w);
    if (status == UBI_OK)
        ubi__helper_wait(w->helper, &w->sets, w->pulse);
    else
        ubi__helper_drop(w->helper, &w->sets);
    if (status == UBI_OK && ubi__pulse_is_stopped(w->pulse))
        return ubi__fail_cancelled(); /* also while it waited for the helper */
    return status == UBI_OK ? sets.status : status;
}

/* ==== THE WHOLE ================================================================================================= */

static ubi_status check_arguments(const ubi_view *view, const ubi_dominators_options *options) {
    if (options)
        UBI_TRY(ubi__version_check(options->version, UBI_DOMINATORS_OPTIONS_VERSION, "ubi_dominators_options"));
    if (view->root >= view->graph->n_nodes)
        return ubi__fail(UBI_EINVAL, "the root, node %u, is not in the graph of %u nodes", view->root,
                         view->graph->n_nodes);
    if (view->orphans != UBI_ORPHANS_IGNORE && view->orphans != UBI_ORPHANS_ADOPT)
        return ubi__fail(UBI_EINVAL, "unknown orphan policy %d", (int)view->orphans);
    return UBI_OK;
}

void ubi__dominators_check(const ubi_dominators *d, const uint64_t *size_bytes) {
    UBI_ASSERT(d->root < d->n_nodes && d->n_in_tree <= d->n_nodes);
    UBI_ASSERT(d->immediate[d->root] == UBI_NONE);
    if (!UBI_CHECKS)
        return;
    uint32_t n_dominated = 0;
    for (ubi_node_ix node = 0; node < d->n_nodes; node++) {
        UBI_ASSERT(d->immediate[node] == UBI_NONE || d->immediate[node] < d->n_nodes);
        UBI_ASSERT(d->immediate[node] != node);
        n_dominated += d->immediate[node] != UBI_NONE;
    }
    UBI_ASSERT(n_dominated + 1 == d->n_in_tree);
    if (!d->first)
        return;
    UBI_ASSERT(d->first[0] == 0 && d->first[d->n_nodes] == n_dominated);
    for (ubi_node_ix node = 0; node < d->n_nodes; node++) {
        uint64_t retained_bytes = size_bytes[node];
        UBI_ASSERT(d->first[node] <= d->first[node + 1]);
        for (uint32_t i = d->first[node]; i < d->first[node + 1]; i++) {
            UBI_ASSERT(d->immediate[d->dominated[i]] == node);
            retained_bytes += d->retained_bytes[d->dominated[i]];
        }
        UBI_ASSERT(d->retained_bytes[node] == (d->immediate[node] != UBI_NONE || node == d->root ? retained_bytes : 0));
    }
}

void ubi__dom_work_check(const ubi__dom_work *w, ubi__dom_step after) {
    UBI_ASSERT(w->n > 0 && w->n <= w->graph->n_nodes);
    UBI_ASSERT(w->node[0] == w->view->root);
    UBI_ASSERT(!w->finished || (w->n_finished == w->n && w->finished[w->n - 1] == 0)); /* the root's walk ends last */
    if (!UBI_CHECKS)
        return;
    uint64_t n_dominated = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        UBI_ASSERT(w->number[w->node[i]] == i);
        UBI_ASSERT(i == 0 || w->dominator[i] < i);
        UBI_ASSERT(after == UBI__DOM_CLIMB || i == 0 || (w->dominator[i] <= w->parent[i] && w->parent[i] < i));
        n_dominated += after == UBI__DOM_CLIMB ? w->parent[i] : i > 0;
    }
    UBI_ASSERT(n_dominated + 1 == w->n); /* one dominates each of the others */
}

/* ---- working memory -------------------------------------------------------------------------------------------------- */

static size_t block_bytes_per_node(bool with_sets) {
    return UBI__DOM_SCRATCH_BYTES + (with_sets ? 4 : 3) * sizeof(uint32_t);
}

static void work_fini(ubi__dom_work *w) {
    size_t n = w->graph->n_nodes;
    touching_end(w);
    ubi__dom_edges_fini(w);
    ubi__free_array(w->allocator, w->number, n, sizeof *w->number);
    ubi__free_array(w->allocator, w->scratch, n, block_bytes_per_node(w->with_sets));
}

/* All but `number`, which stays, is one block: large blocks are cheaper per byte than small ones. */
static ubi_status work_init(ubi__dom_work *w) {
    size_t n = w->graph->n_nodes;
    w->number = ubi__alloc_array(w->allocator, n, sizeof *w->number);
    w->scratch = ubi__alloc_array(w->allocator, n, block_bytes_per_node(w->with_sets));
    if (!w->number || !w->scratch)
        return ubi__fail_nomem();
    w->node = (uint32_t *)((char *)w->scratch + n * UBI__DOM_SCRATCH_BYTES);
    w->parent = w->node + n;
    w->dominator = w->parent + n;
    w->finished = w->with_sets ? w->dominator + n : NULL;
    return ubi__dom_edges_init(w);
}

#define N_SLICES 64 /* of columns that the walk fills side by side */

static bool is_touched_enough(const ubi__dom_work *w) {
    return atomic_load_explicit(&w->is_touched_enough, memory_order_relaxed);
}

/*
 * First use of memory is a fifth of all that is to be done, and more where a hypervisor has to supply it. So a helper runs ahead
 * of the walk: columns that are filled by number, and of the pool what the result will take; then cells, for the next step.
 */
static void touch_columns(void *payload) {
    ubi__dom_work *w = payload;
    size_t n = w->graph->n_nodes, pool_bytes = 2 * sizeof(uint64_t) * n;
    size_t column_bytes = n * sizeof(uint32_t), slice_bytes = column_bytes / N_SLICES;
    unsigned n_columns = w->with_sets ? 4 : 3;
    if (pool_bytes > w->edges.pool_bytes)
        pool_bytes = w->edges.pool_bytes;
    size_t cells_bytes = n * sizeof(ubi__dom_cell) / N_SLICES;
    for (size_t i = 0; i < N_SLICES && !is_touched_enough(w); i++) {
        for (unsigned k = 0; k < n_columns; k++)
            ubi__touch_pages((char *)w->node + k * column_bytes + i * slice_bytes, slice_bytes);
        ubi__touch_pages((char *)w->edges.pool + i * (pool_bytes / N_SLICES), pool_bytes / N_SLICES);
    }
    for (size_t i = 0; i < N_SLICES && !is_touched_enough(w); i++)
        ubi__touch_pages((char *)w->scratch + i * cells_bytes, cells_bytes);
}

static ubi_status dominators_run(ubi_dominators *d, ubi__dom_work *w) {
    UBI_TRY(work_init(w));
    if (w->helper->is_threaded)
        ubi__helper_give(w->helper, &w->touching, touch_columns, w);
    UBI_TRY(ubi__dom_walk(w));
    ubi__dom_work_check(w, UBI__DOM_WALK);
    UBI_TRY(ubi__dom_find_semi(w));
    ubi__dom_work_check(w, UBI__DOM_SEMI);
    UBI_TRY(ubi__dom_climb(w));
    ubi__dom_work_check(w, UBI__DOM_CLIMB);
    UBI_TRY(ubi__dom_result(d, w));
    ubi__dominators_check(d, w->view->size_bytes ? w->view->size_bytes : w->graph->size_bytes.at);
    return UBI_OK;
}

static ubi_status dominators_find(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                                  ubi__helper *helper, const ubi__dom_tuning *tuning, ubi__dom_counts *counts) {
    UBI_TRY(check_arguments(view, options));
    ubi__view_check(view);
    ubi__dom_work w = { .graph = view->graph, .view = view, .helper = helper };
    w.allocator = ubi__allocator_or_default(options ? options->allocator : NULL);
    ubi__pulse pulse = ubi__pulse_of(options ? &options->progress : NULL);
    w.pulse = &pulse;
    w.with_sets = !options || !options->has_no_sets;
    if (tuning)
        w.tuning = *tuning;
    ubi_dominators *d = UBI_NEW(w.allocator, ubi_dominators);
    if (!d)
        return ubi__fail_nomem();
    d->allocator = w.allocator;
    d->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)view->graph);
    d->root = view->root;
    d->n_nodes = view->graph->n_nodes;
    ubi_status status = dominators_run(d, &w);
    work_fini(&w);
    if (counts)
        *counts = w.counts;
    if (status == UBI_OK)
        *out = d;
    else
        ubi_dominators_free(d);
    return status;
}

ubi_status ubi__dominators_new(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                               const ubi__dom_tuning *tuning, ubi__dom_counts *counts) {
    ubi__helper helper;
    ubi__helper_start(&helper, ubi__thread_count(options ? options->threads : 0));
    ubi_status status = dominators_find(out, view, options, &helper, tuning, counts);
    ubi__helper_stop(&helper);
    return status;
}

ubi_status ubi__dominators_helped(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options,
                                  ubi__helper *helper) {
    return dominators_find(out, view, options, helper, NULL, NULL);
}

/* ---- the public face ------------------------------------------------------------------------------------------------- */

ubi_status ubi_dominators_new(ubi_dominators **out, const ubi_view *view, const ubi_dominators_options *options) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER("ubiheap::Dominators");
    return ubi__dominators_new(out, view, options, NULL, NULL);
}

void ubi_dominators_free(ubi_dominators *d) {
    if (!d)
        return;
    ubi__free_array(d->allocator, d->immediate, d->n_nodes, sizeof *d->immediate);
    ubi__free_array(d->allocator, d->retained_bytes, d->columns_bytes, 1);
    ubi_graph_unref(d->graph);
    UBI_DELETE(d->allocator, d);
}

ubi_node_ix ubi_dominators_root(const ubi_dominators *d) {
    return d->root;
}
uint32_t ubi_dominators_node_count(const ubi_dominators *d) {
    return d->n_in_tree;
}
ubi_node_ix ubi_dominators_immediate(const ubi_dominators *d, ubi_node_ix node) {
    return d->immediate[UBI_INDEX(node, d->n_nodes)];
}
uint64_t ubi_dominators_retained_bytes(const ubi_dominators *d, ubi_node_ix node) {
    return d->retained_bytes[UBI_INDEX(node, d->n_nodes)];
}

const ubi_node_ix *ubi_dominators_dominated(const ubi_dominators *d, ubi_node_ix node, uint32_t *n) {
    if (!d->first) {
        *n = 0;
        return NULL;
    }
    *n = d->first[UBI_INDEX(node, d->n_nodes) + 1] - d->first[node];
    return d->dominated + d->first[node];
}
