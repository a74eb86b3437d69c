/* SPDX-License-Identifier: MIT
 *
 * dom_semi.c: semi-dominators, and immediate dominators from them.
 */
#include "analyses/dominators/dom_work.h"

/* Sources whose cells are fetched ahead. */
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
    w->counts.used_jumps = true;
}

ubi_status ubi__dom_climb(ubi__dom_work *w) {
    uint64_t most_steps = w->tuning.no_plain_climbing ? 0 : (uint64_t)w->n * PLAIN_STEPS_PER_NODE;
    uint32_t number = 1;
    w->parent[0] = 0;
    while (number < w->n) {
        uint32_t end = ubi__dom_chunk_end(number, w->n);
        UBI_TRY(ubi__dom_tick(w, UBI__DOM_CLIMB, number));
        for (; number < end && w->counts.n_climb_steps <= most_steps; number++)
            climb_plainly(w, number);
        if (number < end && !w->counts.used_jumps)
            make_jumps(w, number);
        for (; number < end; number++)
            climb_by_jumps(w, number);
    }
    return UBI_OK;
}
