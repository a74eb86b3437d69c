/* SPDX-License-Identifier: MIT
 *
 * keeper_holdings.c: what the keepers that were chosen hold.
 *
 * Each keeper's part of the dominator tree is walked once: the walk stops at other keepers, whose counts are added
 * afterwards, so that keepers within each other cost no more than the whole tree once.
 *
 *     keeper -> (internal) -> Point -> ...          held: Point, with what it retains; what is below is only counted
 *            -> Point -> ...
 *            -> another keeper                      not held: it speaks for itself
 */
#include "analyses/dominators/keeper_finder.h"

typedef struct holding {
    uint64_t bytes;
    uint32_t count;
} holding;

/* A node that waits for its turn. */
typedef struct visit {
    ubi_node_ix node;
    bool is_held; /* nothing but internals between it and the keeper */
} visit;

UBI_VEC_DECLARE(visit_list, visit);

typedef struct walker {
    ubi__keeper_finder *finder;
    ubi_keeper *keepers;
    uint32_t n_keepers;
    visit_list waiting;
    holding *holdings;    /* by family; zero between keepers */
    ubi__vec_u32 touched; /* families that are not */
    uint64_t n_visited;
} walker;

static bool is_keeper(const walker *w, ubi_node_ix node) {
    uint32_t place = w->finder->place[node];
    return place && w->finder->large.at[place - 1].node == node && w->finder->large.at[place - 1].keeper != UBI_NONE;
}

static ubi_status add_holding(walker *w, ubi_node_ix node, uint64_t bytes) {
    uint32_t family = ubi__keeper_family(w->finder, node);
    if (w->holdings[family].count == 0)
        UBI_TRY(ubi__vec_u32_push(&w->touched, w->finder->allocator, family));
    w->holdings[family].count++;
    w->holdings[family].bytes += bytes;
    return UBI_OK;
}

static ubi_status visit_children(walker *w, visit from) {
    uint32_t n;
    const ubi_node_ix *children = ubi_dominators_dominated(w->finder->dominators, from.node, &n);
    UBI_TRY(visit_list_reserve(&w->waiting, w->finder->allocator, n));
    for (uint32_t i = 0; i < n; i++)
        w->waiting.at[w->waiting.n++] = (visit){ children[i], from.is_held };
    return UBI_OK;
}

static bool counts_for(const walker *w, const ubi_keeper *keeper, bool of_structure, visit v) {
    if (of_structure)
        return ubi__keeper_family(w->finder, v.node) == ubi__keeper_family(w->finder, keeper->node);
    return v.is_held && !ubi__keeper_is_internal(w->finder, v.node);
}

#define NODES_PER_STEP (1u << 20)

/* Everything below a keeper down to the next keepers. */
static ubi_status walk_keeper(walker *w, ubi_keeper *keeper, bool of_structure) {
    const ubi__keeper_finder *f = w->finder;
    UBI_TRY(visit_children(w, (visit){ keeper->node, true }));
    while (w->waiting.n) {
        visit v = w->waiting.at[--w->waiting.n];
        if (++w->n_visited % NODES_PER_STEP == 0 &&
            !ubi__progress(f->progress, "looking at keepers", w->n_visited, f->graph->n_nodes))
            return ubi__fail_cancelled();
        keeper->n_dominated++;
        if (is_keeper(w, v.node))
            continue;
        if (counts_for(w, keeper, of_structure, v)) {
            UBI_TRY(add_holding(w, v.node, ubi_dominators_retained_bytes(f->dominators, v.node)));
            v.is_held = false;
        }
        UBI_TRY(visit_children(w, v));
    }
    return UBI_OK;
}

/* The family with the most bytes, and a clean table for the next keeper. */
static void take_greatest(walker *w, ubi_keeper *keeper) {
    for (size_t i = 0; i < w->touched.n; i++) {
        uint32_t family = w->touched.at[i];
        holding h = w->holdings[family];
        if (h.bytes > keeper->held_bytes || (h.bytes == keeper->held_bytes && h.count > keeper->n_held)) {
            keeper->held_kind = family;
            keeper->n_held = h.count;
            keeper->held_bytes = h.bytes;
        }
        w->holdings[family] = (holding){ 0 };
    }
    w->touched.n = 0;
}

static ubi_status describe_keeper(walker *w, ubi_keeper *keeper) {
    const ubi__keeper_finder *f = w->finder;
    bool of_structure = f->large.at[f->place[keeper->node] - 1].is_structure;
    UBI_TRY(walk_keeper(w, keeper, of_structure));
    take_greatest(w, keeper);
    if (of_structure)
        keeper->held_bytes = keeper->exclusive_bytes;
    return UBI_OK;
}

static ubi_status describe_all(walker *w) {
    ubi__large_list *large = &w->finder->large;
    for (uint32_t i = 0; i < w->n_keepers; i++)
        large->at[w->finder->place[w->keepers[i].node] - 1].keeper = i;
    for (uint32_t i = 0; i < w->n_keepers; i++)
        UBI_TRY(describe_keeper(w, &w->keepers[i]));
    return UBI_OK;
}

/* What was counted up to other keepers is also below all keepers above. */
static ubi_status add_counts_below(walker *w) {
    const ubi__keeper_finder *f = w->finder;
    uint32_t *own = ubi__alloc_array(f->allocator, w->n_keepers, sizeof *own);
    if (!own)
        return ubi__fail_nomem();
    for (uint32_t i = 0; i < w->n_keepers; i++)
        own[i] = w->keepers[i].n_dominated;
    for (uint32_t i = 0; i < w->n_keepers; i++) {
        uint32_t place = f->place[w->keepers[i].node] - 1;
        while ((place = f->large.at[place].above) != UBI_NONE)
            if (f->large.at[place].keeper != UBI_NONE)
                w->keepers[f->large.at[place].keeper].n_dominated += own[i];
    }
    ubi__free_array(f->allocator, own, w->n_keepers, sizeof *own);
    return UBI_OK;
}

ubi_status ubi__keepers_describe(ubi__keeper_finder *f, ubi_keeper *keepers, uint32_t n) {
    walker w = { .finder = f, .keepers = keepers, .n_keepers = n };
    if (n == 0)
        return UBI_OK;
    w.holdings = ubi__calloc_array(f->allocator, f->families.n_kinds, sizeof *w.holdings);
    if (!w.holdings)
        return ubi__fail_nomem();
    ubi_status status = describe_all(&w);
    if (status == UBI_OK)
        status = add_counts_below(&w);
    for (uint32_t i = 0; UBI_CHECKS && status == UBI_OK && i < n; i++)
        UBI_ASSERT(keepers[i].n_dominated < f->graph->n_nodes);
    for (uint32_t i = 0; UBI_CHECKS && status == UBI_OK && i < f->families.n_kinds; i++)
        UBI_ASSERT(w.holdings[i].count == 0 && w.holdings[i].bytes == 0);
    visit_list_fini(&w.waiting, f->allocator);
    ubi__vec_u32_fini(&w.touched, f->allocator);
    ubi__free_array(f->allocator, w.holdings, f->families.n_kinds, sizeof *w.holdings);
    return status;
}
