/* SPDX-License-Identifier: MIT
 *
 * allocation_callers.c: who called a function when it allocated.
 *
 * All stacks of the function are walked towards their oldest frames at once, level by level. On each level, stacks that came
 * the same way and are in the same function are one row.
 */
#include "lenses/allocations_table.h"

#include "base/merge_sort.h"
#include "graph/graph_columns.h"

/* A stack on its way. */
typedef struct walker {
    ubi_frame_ix top;   /* where it started: what was allocated */
    ubi_frame_ix frame; /* where it is */
    uint32_t row;       /* of that frame's function */
} walker;

UBI_VEC_DECLARE(vec_walker, walker);
UBI_VEC_DECLARE(vec_caller, ubi_allocation_caller);

typedef struct work {
    const ubi_allocations *a;
    vec_walker walkers;
    walker *spare;   /* room for all walkers */
    vec_caller rows; /* level by level */
} work;

static ubi_function_ix function_of(const ubi_allocations *a, ubi_frame_ix frame) {
    return a->frames[frame].function;
}

static ubi_frame_ix parent_of(const ubi_allocations *a, ubi_frame_ix frame) {
    return a->graph->frames.rows.at[frame].parent;
}

/* ---- levels --------------------------------------------------------------------------------------------------------- */

static ubi_status walk_start(work *w, ubi_function_ix function) {
    ubi_allocation_caller row = { .function = function, .parent = UBI_NONE };
    for (ubi_frame_ix frame = w->a->first_frames.at[function], next; frame != UBI_NONE; frame = next) {
        const ubi__allocation_frame *at = &w->a->frames[frame];
        next = at->next;
        if (at->tally.count == 0)
            continue;
        UBI_TRY(vec_walker_push(&w->walkers, w->a->allocator, (walker){ frame, frame, 0 }));
        ubi__allocation_tally_add(&row.tally, &at->tally);
    }
    return vec_caller_push(&w->rows, w->a->allocator, row);
}

static bool walks_before(const ubi_allocations *a, walker x, walker y) {
    if (x.row != y.row)
        return x.row < y.row;
    return function_of(a, x.frame) < function_of(a, y.frame);
}

UBI_SORT_DEFINE(sort_walkers, walker, const ubi_allocations *, walks_before);

/* Moves every stack to its caller; those that have none are done. */
static void walk_step(work *w) {
    size_t n = 0;
    for (size_t i = 0; i < w->walkers.n; i++) {
        walker next = w->walkers.at[i];
        next.frame = parent_of(w->a, next.frame);
        if (next.frame != UBI_NONE)
            w->walkers.at[n++] = next;
    }
    w->walkers.n = n;
    sort_walkers(w->walkers.at, w->spare, n, w->a);
}

static ubi_status make_rows(work *w, uint32_t depth) {
    uint32_t called = UBI_NONE; /* row that the current one called */
    for (size_t i = 0; i < w->walkers.n; i++) {
        walker *at = &w->walkers.at[i];
        ubi_function_ix function = function_of(w->a, at->frame);
        if (at->row != called || w->rows.at[w->rows.n - 1].function != function) {
            called = at->row;
            UBI_TRY(vec_caller_push(&w->rows, w->a->allocator,
                                    (ubi_allocation_caller){ .function = function, .parent = called, .depth = depth }));
        }
        ubi__allocation_tally_add(&w->rows.at[w->rows.n - 1].tally, &w->a->frames[at->top].tally);
        at->row = (uint32_t)(w->rows.n - 1);
    }
    return UBI_OK;
}

static ubi_status walk_callers(work *w, ubi_function_ix function, uint32_t max_depth) {
    UBI_TRY(walk_start(w, function));
    w->spare = ubi__alloc_array(w->a->allocator, w->walkers.n + 1, sizeof *w->spare);
    if (!w->spare)
        return ubi__fail_nomem();
    size_t n_spare = w->walkers.n + 1;
    ubi_status status = UBI_OK;
    for (uint32_t depth = 1; status == UBI_OK && depth <= max_depth && w->walkers.n; depth++) {
        walk_step(w);
        status = make_rows(w, depth);
    }
    ubi__free_array(w->a->allocator, w->spare, n_spare, sizeof *w->spare);
    return status;
}

/* ---- order ---------------------------------------------------------------------------------------------------------- */

/* Of one parent, the largest last, so that a stack gives the largest first. */
static bool pushed_before(const ubi_allocation_caller *rows, uint32_t x, uint32_t y) {
    const ubi_allocation_caller *a = &rows[x], *b = &rows[y];
    if (a->parent != b->parent)
        return a->parent < b->parent;
    return a->tally.size_bytes != b->tally.size_bytes ? a->tally.size_bytes < b->tally.size_bytes : x > y;
}

UBI_SORT_DEFINE(sort_rows, uint32_t, const ubi_allocation_caller *, pushed_before);

/* Arrays that put rows into depth-first order; n numbers each. */
typedef struct ordering {
    uint32_t *sorted, *spare, *first_child, *place;
} ordering;

static void callers_arrange(ubi_allocation_caller *out, const vec_caller *rows, ordering o) {
    uint32_t n = (uint32_t)rows->n, done = 0, waiting = 0;
    uint32_t *stack = o.spare;
    for (uint32_t i = 0; i < n; i++)
        o.sorted[i] = i;
    sort_rows(o.sorted, o.spare, n, rows->at);
    for (uint32_t i = 0; i < n; i++)
        o.first_child[i] = UBI_NONE;
    for (uint32_t i = n; i-- > 0;)
        if (rows->at[o.sorted[i]].parent != UBI_NONE)
            o.first_child[rows->at[o.sorted[i]].parent] = i;
    stack[waiting++] = 0;
    while (waiting) {
        uint32_t row = stack[--waiting];
        out[done] = rows->at[row];
        out[done].parent = out[done].parent == UBI_NONE ? UBI_NONE : o.place[out[done].parent];
        o.place[row] = done++;
        for (uint32_t i = o.first_child[row]; i != UBI_NONE && i < n && rows->at[o.sorted[i]].parent == row; i++)
            stack[waiting++] = o.sorted[i];
    }
}

static ubi_status callers_arranged(ubi_allocation_caller **out, uint32_t *n, const work *w) {
    const ubi_allocator *a = w->a->allocator;
    size_t n_rows = w->rows.n;
    ubi_allocation_caller *rows = ubi__alloc_array(a, n_rows, sizeof *rows);
    uint32_t *room = ubi__alloc_array(a, 4 * n_rows, sizeof *room);
    bool is_done = rows && room;
    if (is_done) {
        callers_arrange(rows, &w->rows, (ordering){ room, room + n_rows, room + 2 * n_rows, room + 3 * n_rows });
        *out = rows;
        *n = (uint32_t)n_rows;
    } else {
        ubi__free_array(a, rows, n_rows, sizeof *rows);
    }
    ubi__free_array(a, room, 4 * n_rows, sizeof *room);
    return is_done ? UBI_OK : ubi__fail_nomem();
}

ubi_status ubi_allocations_callers(ubi_allocation_caller **rows, uint32_t *n, const ubi_allocations *a,
                                   ubi_function_ix function, uint32_t max_depth) {
    work w = { .a = a };
    ubi_status status = walk_callers(&w, function, max_depth);
    if (status == UBI_OK)
        status = callers_arranged(rows, n, &w);
    vec_walker_fini(&w.walkers, a->allocator);
    vec_caller_fini(&w.rows, a->allocator);
    return status;
}

void ubi_allocations_callers_free(const ubi_allocations *a, ubi_allocation_caller *rows, uint32_t n) {
    ubi__free_array(a->allocator, rows, n, sizeof *rows);
}
