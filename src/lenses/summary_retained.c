/* SPDX-License-Identifier: MIT
 *
 * summary_retained.c: what classes retain.
 *
 * One walk down the dominator tree. A class is *open* while the walk is below one of its nodes that counted; nodes of an open
 * class do not count again. Most nodes dominate nothing: they are looked at where they stand in the list of their dominator,
 * and only the others become a step of the walk. What the walk needs of a node is fetched some nodes ahead, since lists of
 * dominated nodes lead anywhere in the columns.
 */
#include "lenses/summary_work.h"

#include "analyses/dominators/dom_work.h"
#include "lenses/lens.h"

#define AHEAD 12 /* nodes */

/* A node on the way from the root. */
typedef struct step {
    uint32_t next, end;    /* places in the list of dominated nodes that have not been looked at */
    ubi_class_ix class_ix; /* that it opened; UBI_NONE: none */
} step;

UBI_VEC_DECLARE(step_list, step);

typedef struct walk {
    ubi_summary *s;
    const ubi_dominators *d;
    const ubi_lens_view *look;
    const ubi_kind_ix *kind;
    ubi_summary_row *rows; /* rows[class] */
    uint8_t *is_open;      /* is_open[class] */
    step_list way;
    uint64_t n_done;
} walk;

static inline ubi_class_ix class_of(const walk *w, ubi_node_ix node) {
    return w->look->class_of_node ? w->look->class_of_node[node] : w->look->class_of_kind[w->kind[node]];
}

static inline void fetch(const walk *w, uint32_t place) {
    ubi_node_ix node = w->d->dominated[place];
    __builtin_prefetch(w->look->class_of_node ? &w->look->class_of_node[node] : &w->kind[node]);
    __builtin_prefetch(&w->d->retained_bytes[node]);
    __builtin_prefetch(&w->d->first[node]);
}

/* The class that the node stands for: UBI_NONE if it is not counted or one above counts. Adds what it retains. */
static inline ubi_class_ix count(walk *w, ubi_node_ix node) {
    if (!ubi__summary_counts(w->s, node))
        return UBI_NONE;
    ubi_class_ix class_ix = class_of(w, node);
    if (w->is_open[class_ix])
        return UBI_NONE;
    w->rows[class_ix].retained_bytes += w->d->retained_bytes[node];
    return class_ix;
}

static ubi_status enter(walk *w, ubi_node_ix node) {
    step s = { w->d->first[node], w->d->first[node + 1], count(w, node) };
    if (s.class_ix != UBI_NONE)
        w->is_open[s.class_ix] = 1;
    uint32_t soon = s.end - s.next < AHEAD ? s.end : s.next + AHEAD;
    for (uint32_t i = s.next; i < soon; i++)
        fetch(w, i);
    return step_list_push(&w->way, w->s->allocator, s);
}

static void leave(walk *w) {
    const step *s = &w->way.at[--w->way.n];
    if (s->class_ix != UBI_NONE)
        w->is_open[s->class_ix] = 0;
}

/* Looks at nodes below the last step up to one that dominates others, which is entered. */
static ubi_status advance(walk *w) {
    step *s = &w->way.at[w->way.n - 1];
    const uint32_t *first = w->d->first;
    while (s->next < s->end) {
        if (s->end - s->next > AHEAD)
            fetch(w, s->next + AHEAD);
        ubi_node_ix node = w->d->dominated[s->next++];
        if (first[node] != first[node + 1])
            return enter(w, node);
        count(w, node);
    }
    leave(w);
    return UBI_OK;
}

static ubi_status walk_down(walk *w, const ubi_progress *progress) {
    UBI_TRY(enter(w, w->d->root));
    while (w->way.n) {
        if ((w->n_done++ & 0xffff) == 0 && !ubi__progress(progress, "summing up", 0, 0))
            return ubi__fail_cancelled();
        UBI_TRY(advance(w));
    }
    return UBI_OK;
}

ubi_status ubi__summary_add_retained(ubi_summary *s, const ubi_progress *progress) {
    walk w = { .s = s, .d = s->dominators, .look = s->look, .kind = s->look->graph->kind.at, .rows = s->rows.at };
    size_t n_classes = s->rows.n;
    if (n_classes == 0)
        return UBI_OK;
    w.is_open = ubi__calloc_array(s->allocator, n_classes, 1);
    ubi_status status = w.is_open ? walk_down(&w, progress) : ubi__fail_nomem();
    step_list_fini(&w.way, s->allocator);
    ubi__free_array(s->allocator, w.is_open, n_classes, 1);
    return status;
}
