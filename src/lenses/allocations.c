/* SPDX-License-Identifier: MIT
 *
 * allocations.c: allocations by function and over time.
 *
 * Frames of the graph are places in the tree of calls; a tally belongs to the frame that is the youngest of its stack. Some
 * files say which function a frame is in; elsewhere frames with one function name in one source are one function.
 */
#include "base/assert.h"
#include "base/hash.h"
#include "base/merge_sort.h"
#include "base/table.h"
#include "graph/graph_columns.h"
#include "lenses/allocations_table.h"

#define NODES_PER_REPORT (1 << 16)

/* ---- functions ------------------------------------------------------------------------------------------------------ */

/* The frame table of a graph has one row per frame, so functions are numbered by their first frame. */
static bool same_function(const ubi_graph *g, ubi_frame_ix a, ubi_frame_ix b) {
    const ubi__frame_row *x = &g->frames.rows.at[a], *y = &g->frames.rows.at[b];
    return ubi_graph_canonical_string(g, x->source) == ubi_graph_canonical_string(g, y->source) &&
           ubi_graph_canonical_string(g, x->function_name) == ubi_graph_canonical_string(g, y->function_name);
}

static uint64_t hash_function(const ubi_graph *g, ubi_frame_ix frame) {
    const ubi__frame_row *row = &g->frames.rows.at[frame];
    return ubi__hash_combine(ubi_graph_canonical_string(g, row->source),
                             ubi_graph_canonical_string(g, row->function_name));
}

UBI_ROW_LOOKUP(function, const ubi_graph *, ubi_frame_ix, same_function);

static ubi_status number_by_name(ubi_allocations *a) {
    const ubi_graph *g = a->graph;
    ubi__row_table table = { 0 }; /* first frames of functions */
    ubi_status status = UBI_OK;
    for (ubi_frame_ix frame = 0; status == UBI_OK && frame < a->n_frames; frame++) {
        uint64_t hash = hash_function(g, frame);
        status = ubi__row_table_reserve(&table, a->allocator, 1);
        if (status != UBI_OK)
            break;
        ubi__row_slot *slot = function_place(&table, g, frame, hash);
        if (ubi__row_is_used(slot)) {
            a->frames[frame].function = a->frames[slot->row].function;
        } else {
            ubi__row_table_fill(&table, slot, hash, frame);
            a->frames[frame].function = (ubi_function_ix)a->first_frames.n;
            status = ubi__vec_u32_push(&a->first_frames, a->allocator, frame);
        }
    }
    ubi__row_table_fini(&table, a->allocator);
    return status;
}

static ubi_status number_as_in_file(ubi_allocations *a) {
    size_t n = a->history->function_count(a->graph);
    UBI_TRY(ubi__vec_u32_reserve(&a->first_frames, a->allocator, n));
    a->first_frames.n = n;
    for (ubi_frame_ix frame = 0; frame < a->n_frames; frame++)
        a->frames[frame].function = a->history->frame(a->graph, frame).function;
    return UBI_OK;
}

/* From the last one on, so that a chain ascends. */
static void chain_frames(ubi_allocations *a) {
    for (size_t f = 0; f < a->first_frames.n; f++)
        a->first_frames.at[f] = UBI_NONE;
    for (ubi_frame_ix frame = a->n_frames; frame-- > 0;) {
        uint32_t *first = &a->first_frames.at[a->frames[frame].function];
        a->frames[frame].next = *first;
        *first = frame;
    }
}

void ubi__allocations_check(const ubi_allocations *a) {
    size_t n_chained = 0;
    UBI_ASSERT(a->n_tops <= a->n_tops_room);
    for (size_t f = 0; UBI_CHECKS && f < a->first_frames.n; f++)
        for (ubi_frame_ix frame = a->first_frames.at[f]; frame != UBI_NONE; frame = a->frames[frame].next) {
            UBI_ASSERT(a->frames[frame].function == f);
            UBI_ASSERT(a->frames[frame].next == UBI_NONE || a->frames[frame].next > frame);
            n_chained++;
        }
    UBI_ASSERT(!UBI_CHECKS || n_chained == a->n_frames);
}

static ubi_status number_functions(ubi_allocations *a) {
    UBI_TRY(a->history ? number_as_in_file(a) : number_by_name(a));
    chain_frames(a);
    return UBI_OK;
}

static size_t function_count(const ubi_allocations *a) {
    return a->first_frames.n;
}

/* ---- tallies -------------------------------------------------------------------------------------------------------- */

void ubi__allocation_tally_add(ubi_allocation_tally *to, const ubi_allocation_tally *from) {
    to->count += from->count;
    to->size_bytes += from->size_bytes;
    to->live_count += from->live_count;
    to->live_size_bytes += from->live_size_bytes;
}

static ubi_status tally_nodes(ubi_allocations *a, const ubi_look *look, const ubi_progress *progress) {
    const ubi_graph *g = a->graph;
    bool all = ubi_look_view(look)->orphans == UBI_ORPHANS_ADOPT;
    for (ubi_node_ix node = 0; node < g->n_nodes; node++) {
        if (node % NODES_PER_REPORT == 0 && !ubi__progress(progress, "adding up allocations", node, g->n_nodes))
            return ubi__fail_cancelled();
        ubi_frame_ix frame = ubi__graph_youngest(g, node);
        if (frame == UBI_NONE || !(all || ubi__graph_reachable(g, node)))
            continue;
        a->frames[frame].tally.live_count++;
        a->frames[frame].tally.live_size_bytes += ubi_look_size_bytes(look, node);
    }
    return UBI_OK;
}

/* What was ever allocated: what the file says, else what lives. */
static void tally_history(ubi_allocations *a) {
    for (ubi_frame_ix frame = 0; frame < a->n_frames; frame++) {
        ubi_allocation_tally *tally = &a->frames[frame].tally;
        ubi__frame_history all = { 0, tally->live_count, tally->live_size_bytes };
        if (a->history)
            all = a->history->frame(a->graph, frame);
        tally->count = all.count;
        tally->size_bytes = all.size_bytes;
    }
}

static bool larger_top(int unused, ubi_allocation_top a, ubi_allocation_top b) {
    (void)unused;
    return a.tally.size_bytes > b.tally.size_bytes;
}

UBI_SORT_DEFINE(sort_tops, ubi_allocation_top, int, larger_top);

/* A stack at which nothing was allocated counts for nothing, whatever nodes say. */
static void fill_tops(ubi_allocations *a, ubi_allocation_top *all) {
    for (size_t f = 0; f < a->n_tops_room; f++)
        all[f].function = (ubi_function_ix)f;
    for (ubi_frame_ix frame = 0; frame < a->n_frames; frame++)
        if (a->frames[frame].tally.count)
            ubi__allocation_tally_add(&all[a->frames[frame].function].tally, &a->frames[frame].tally);
    for (size_t f = 0; f < a->n_tops_room; f++)
        if (all[f].tally.count)
            all[a->n_tops++] = all[f];
}

static ubi_status make_tops(ubi_allocations *a) {
    a->n_tops_room = function_count(a);
    if (a->n_tops_room == 0)
        return UBI_OK;
    a->tops = ubi__calloc_array(a->allocator, a->n_tops_room, sizeof *a->tops);
    ubi_allocation_top *spare = ubi__alloc_array(a->allocator, a->n_tops_room, sizeof *spare);
    if (a->tops && spare) {
        fill_tops(a, a->tops);
        sort_tops(a->tops, spare, a->n_tops, 0);
    }
    bool is_done = a->tops && spare;
    ubi__free_array(a->allocator, spare, a->n_tops_room, sizeof *spare);
    return is_done ? UBI_OK : ubi__fail_nomem();
}

static ubi_status make_samples(ubi_allocations *a, const ubi_look *look, const ubi_progress *progress) {
    a->n_samples = a->history ? a->history->sample_count(a->graph) : 0;
    if (a->n_samples == 0)
        return UBI_OK;
    a->samples = ubi__alloc_array(a->allocator, a->n_samples, sizeof *a->samples);
    if (!a->samples)
        return ubi__fail_nomem();
    return a->history->samples(a->samples, look, progress);
}

static ubi_status table_fill(ubi_allocations *a, const ubi_look *look, const ubi_progress *progress) {
    a->n_frames = ubi_graph_frame_count(a->graph);
    a->history = ubi__producer_of(a->graph)->history;
    if (a->history && !a->history->is_there(a->graph))
        a->history = NULL;
    if (a->n_frames) {
        a->frames = ubi__calloc_array(a->allocator, a->n_frames, sizeof *a->frames);
        if (!a->frames)
            return ubi__fail_nomem();
        UBI_TRY(number_functions(a));
        UBI_TRY(tally_nodes(a, look, progress));
        tally_history(a);
        UBI_TRY(make_tops(a));
    }
    return make_samples(a, look, progress);
}

/* ---- public --------------------------------------------------------------------------------------------------------- */

ubi_status ubi_allocations_new(ubi_allocations **out, const ubi_look *look, const ubi_allocations_options *options) {
    static const ubi_allocations_options defaults = UBI_ALLOCATIONS_OPTIONS_INIT;
    options = options ? options : &defaults;
    UBI_TRY(ubi__version_check(options->version, UBI_ALLOCATIONS_OPTIONS_VERSION, "ubi_allocations_options"));
    const ubi_allocator *allocator = ubi__allocator_or_default(options->allocator);
    ubi_allocations *a = UBI_NEW(allocator, ubi_allocations);
    if (!a)
        return ubi__fail_nomem();
    a->allocator = allocator;
    a->graph = ubi_graph_ref((ubi_graph *)(uintptr_t)ubi_look_view(look)->graph);
    ubi_status status = table_fill(a, look, &options->progress);
    if (status == UBI_OK) {
        ubi__allocations_check(a);
        *out = a;
    } else {
        ubi_allocations_free(a);
    }
    return status;
}

void ubi_allocations_free(ubi_allocations *a) {
    if (!a)
        return;
    ubi__free_array(a->allocator, a->frames, a->n_frames, sizeof *a->frames);
    ubi__free_array(a->allocator, a->tops, a->n_tops_room, sizeof *a->tops);
    ubi__free_array(a->allocator, a->samples, a->n_samples, sizeof *a->samples);
    ubi__vec_u32_fini(&a->first_frames, a->allocator);
    ubi_graph_unref(a->graph);
    UBI_DELETE(a->allocator, a);
}

bool ubi_allocations_has_history(const ubi_allocations *a) {
    return a->history && a->n_frames > 0;
}

const ubi_allocation_top *ubi_allocations_tops(const ubi_allocations *a, uint32_t *n) {
    *n = (uint32_t)a->n_tops;
    return a->tops;
}

const ubi_allocation_sample *ubi_allocations_samples(const ubi_allocations *a, uint32_t *n) {
    *n = (uint32_t)a->n_samples;
    return a->samples;
}

static ubi_text text_or_empty(const ubi_graph *g, ubi_str_ix string) {
    ubi_text text = ubi_graph_string(g, string);
    return text.ptr ? text : (ubi_text){ "", 0 };
}

void ubi_allocations_function(const ubi_allocations *a, ubi_function_ix function, ubi_allocation_function *out) {
    if (a->history) {
        a->history->function(out, a->graph, function);
        return;
    }
    const ubi__frame_row *row = &a->graph->frames.rows.at[a->first_frames.at[function]];
    *out = (ubi_allocation_function){ text_or_empty(a->graph, row->function_name), text_or_empty(a->graph, row->source),
                                      row->line, row->column };
}

/* ---- callers ----------------------------------------------------------------------------------------------------- */

/*
 * Who called a function when it allocated.
 *
 * All stacks of the function are walked towards their oldest frames at once, level by level. On each level, stacks that came
 * the same way and are in the same function are one row.
 */

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
