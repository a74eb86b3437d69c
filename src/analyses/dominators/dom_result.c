/* SPDX-License-Identifier: MIT
 *
 * dom_result.c: from dominators by number to the columns that are kept.
 *
 * Sums run over numbers, where a dominator is usually close to what it dominates; every node's place in the file is
 * touched once per column.
 */
#include <string.h>

#include "analyses/dominators/dom_work.h"

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
    bool reports; /* progress: the helper must not */
    ubi_status status;
} set_maker;

static ubi_status tick_sets(const set_maker *m, uint64_t done) {
    return m->reports ? ubi__dom_tick(m->w, UBI__DOM_RESULT, done) : UBI_OK;
}

/* Ends of the sets in file order. */
static ubi_status place_sets(const set_maker *m) {
    ubi_dominators *d = m->d;
    const ubi__dom_work *w = m->w;
    const uint32_t *count = w->parent;
    uint32_t sum = 0;
    UBI_TRY(tick_sets(m, w->n / 2));
    for (uint32_t number = 0; number < w->n; number++)
        d->first[w->node[number]] = count[number];
    UBI_TRY(tick_sets(m, w->n / 2 + w->n / 8));
    for (ubi_node_ix node = 0; node < d->n_nodes; node++)
        d->first[node] = sum += d->first[node];
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

ubi_status ubi__dom_result(ubi_dominators *d, ubi__dom_work *w) {
    ubi__helper_drop(w->helper, &w->touching);
    UBI_TRY(make_columns(d, w));
    d->n_in_tree = w->n;
    d->immediate = w->number;
    w->number = NULL;
    set_maker sets = { d, w, !w->helper->threaded, UBI_OK };
    if (w->with_sets)
        ubi__helper_give(w->helper, &w->sets, make_sets, &sets);
    ubi_status status = gather_sizes(w);
    if (status == UBI_OK)
        status = sum_up(d, w);
    if (status == UBI_OK)
        ubi__helper_wait(w->helper, &w->sets);
    else
        ubi__helper_drop(w->helper, &w->sets);
    return status == UBI_OK ? sets.status : status;
}
