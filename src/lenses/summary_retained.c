/* SPDX-License-Identifier: MIT
 *
 * summary_retained.c: what classes retain.
 *
 * A walk down the dominator tree. A class is *open* while the walk is below one of its nodes that counted; nodes of an open
 * class do not count again. Most nodes dominate nothing: they are looked at where they are in the list of their dominator,
 * and only the others become a step of the walk. What the walk needs of a node is fetched some nodes ahead, since lists of
 * dominated nodes lead anywhere in the columns.
 *
 * Two walkers share the tree. One that has nothing to do says so, and the other gives away half of what is left of the list
 * nearest to the root, with the classes that are open there. Each has sums of its own, so the result does not depend on who
 * walked where.
 */
#include <stdatomic.h>

#include "lenses/summary_work.h"

#include "analyses/dominators/dom_work.h"
#include "lenses/lens.h"

#define AHEAD 12 /* nodes */

/* A part is given away only from near the root, and not too often: so that giving costs nothing on any tree. */
#define MOST_SHARED_STEPS 256
#define MOST_PARTS 256

/* A node on the way from the root. */
typedef struct step {
    uint32_t next, end;    /* places in the list of dominated nodes that have not been looked at */
    ubi_class_ix class_ix; /* that it opened; UBI_NONE: none */
} step;

UBI_VEC_DECLARE(step_list, step);

/* Places in a list of dominated nodes, and what is open there. */
typedef struct part {
    uint32_t next, end;
    uint32_t n_open;
    ubi_class_ix open[MOST_SHARED_STEPS];
} part;

typedef enum call_kind { CALL_NONE, CALL_WANTED, CALL_ENDED } call_kind;

typedef struct sharing {
    _Atomic call_kind call; /* read while walking: a caller waits for a part, or all is done */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by `lock`, as all changes of `call` */
    unsigned n_walkers, n_waiting, n_parts;
    bool is_offered;
    part offer;
} sharing;

typedef struct walk {
    ubi_summary *s;
    const ubi_dominators *d;
    const ubi_look *look;
    const ubi_kind_ix *kind;
    const ubi_progress *progress; /* NULL: of the helper */
    uint64_t *retained_bytes;     /* retained_bytes[class] */
    uint8_t *is_open;             /* is_open[class] */
    step_list way;
    size_t n_given; /* steps of the way, from the root on, that have no part to give */
    part part;      /* that is walked; the first walker's has no list */
    sharing *sharing;
    uint64_t n_done;
    ubi_status status;
    ubi__chore chore;
} walk;

/* ---- walking ----------------------------------------------------------------------------------------------------- */

static inline ubi_class_ix class_of(const walk *w, ubi_node_ix node) {
    return w->look->class_of_node ? w->look->class_of_node[node] : w->look->class_of_kind[w->kind[node]];
}

static inline void class_fetch(const walk *w, uint32_t place) {
    ubi_node_ix node = w->d->dominated[place];
    __builtin_prefetch(w->look->class_of_node ? &w->look->class_of_node[node] : &w->kind[node]);
    __builtin_prefetch(&w->d->retained_bytes[node]);
    __builtin_prefetch(&w->d->first[node]);
}

/* The class that the node stands for: UBI_NONE if it is not counted or one above counts. Adds what it retains. */
static inline ubi_class_ix retained_count(walk *w, ubi_node_ix node) {
    if (!ubi__summary_counts(w->s, node))
        return UBI_NONE;
    ubi_class_ix class_ix = class_of(w, node);
    if (w->is_open[class_ix])
        return UBI_NONE;
    w->retained_bytes[class_ix] += w->d->retained_bytes[node];
    return class_ix;
}

static ubi_status push_step(walk *w, uint32_t next, uint32_t end, ubi_class_ix class_ix) {
    if (class_ix != UBI_NONE)
        w->is_open[class_ix] = 1;
    uint32_t soon = end - next < AHEAD ? end : next + AHEAD;
    for (uint32_t i = next; i < soon; i++)
        class_fetch(w, i);
    return step_list_push(&w->way, w->s->allocator, (step){ next, end, class_ix });
}

static ubi_status node_enter(walk *w, ubi_node_ix node) {
    return push_step(w, w->d->first[node], w->d->first[node + 1], retained_count(w, node));
}

static void node_leave(walk *w) {
    const step *s = &w->way.at[--w->way.n];
    if (s->class_ix != UBI_NONE)
        w->is_open[s->class_ix] = 0;
    if (w->n_given > w->way.n)
        w->n_given = w->way.n;
}

/* Looks at nodes below the last step up to one that dominates others, which is entered. */
static ubi_status walk_advance(walk *w) {
    step *s = &w->way.at[w->way.n - 1];
    const uint32_t *first = w->d->first;
    while (s->next < s->end) {
        if (s->end - s->next > AHEAD)
            class_fetch(w, s->next + AHEAD);
        ubi_node_ix node = w->d->dominated[s->next++];
        if (first[node] != first[node + 1])
            return node_enter(w, node);
        retained_count(w, node);
    }
    node_leave(w);
    return UBI_OK;
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

static void open_of_part(walk *w, uint8_t open) {
    for (uint32_t i = 0; i < w->part.n_open; i++)
        w->is_open[w->part.open[i]] = open;
}

/* Offers the second half of what a step has left. */
static void node_offer(const walk *w, step *from, size_t n_steps) {
    part *half = &w->sharing->offer;
    *half = w->part;
    for (size_t i = 0; i < n_steps; i++)
        if (w->way.at[i].class_ix != UBI_NONE)
            half->open[half->n_open++] = w->way.at[i].class_ix;
    half->end = from->end;
    from->end = half->next = from->next + (from->end - from->next) / 2;
    w->sharing->is_offered = true;
    w->sharing->n_parts++;
    pthread_cond_broadcast(&w->sharing->changed);
}

static void give_part(walk *w) {
    while (w->n_given < w->way.n && w->way.at[w->n_given].end - w->way.at[w->n_given].next < 2)
        w->n_given++;
    if (w->n_given == w->way.n || w->n_given + 1 + w->part.n_open > MOST_SHARED_STEPS)
        return;
    pthread_mutex_lock(&w->sharing->lock);
    if (w->sharing->call == CALL_WANTED && w->sharing->n_parts < MOST_PARTS)
        node_offer(w, &w->way.at[w->n_given], w->n_given + 1);
    if (w->sharing->call == CALL_WANTED)
        w->sharing->call = CALL_NONE; /* there is one, or there will be no more */
    pthread_mutex_unlock(&w->sharing->lock);
}

/* Waits for a part, unless all walkers do. */
static bool take_part(walk *w) {
    sharing *with = w->sharing;
    pthread_mutex_lock(&with->lock);
    with->n_waiting++;
    while (!with->is_offered && with->call != CALL_ENDED) {
        with->call = with->n_waiting == with->n_walkers ? CALL_ENDED : CALL_WANTED;
        if (with->call == CALL_ENDED)
            pthread_cond_broadcast(&with->changed);
        else
            pthread_cond_wait(&with->changed, &with->lock);
    }
    with->n_waiting--;
    bool took = with->call != CALL_ENDED;
    open_of_part(w, 0);
    w->part = with->offer;
    with->is_offered = false;
    pthread_mutex_unlock(&with->lock);
    return took;
}

static void end_sharing(sharing *all) {
    pthread_mutex_lock(&all->lock);
    all->call = CALL_ENDED;
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static ubi_status walk_down(walk *w) {
    while (w->way.n) {
        call_kind call = atomic_load_explicit(&w->sharing->call, memory_order_relaxed);
        if (ubi__unlikely(call == CALL_ENDED))
            return UBI_ECANCELLED; /* the other one failed */
        if (ubi__unlikely(call == CALL_WANTED))
            give_part(w);
        if ((w->n_done++ & 0xffff) == 0 && w->progress && !ubi__progress(w->progress, "summing up", 0, 0))
            return ubi__fail_cancelled();
        UBI_TRY(walk_advance(w));
    }
    return UBI_OK;
}

static ubi_status walk_parts(walk *w) {
    UBI_TRY(walk_down(w));
    while (take_part(w)) {
        open_of_part(w, 1);
        UBI_TRY(push_step(w, w->part.next, w->part.end, UBI_NONE));
        UBI_TRY(walk_down(w));
    }
    return UBI_OK;
}

static void walk_aside(void *payload) {
    walk *w = payload;
    pthread_mutex_lock(&w->sharing->lock);
    bool joins = w->sharing->call != CALL_ENDED;
    w->sharing->n_walkers += joins;
    pthread_mutex_unlock(&w->sharing->lock);
    w->status = joins ? walk_parts(w) : UBI_OK;
    if (w->status != UBI_OK)
        end_sharing(w->sharing);
}

static ubi_status walk_start(walk *w, ubi_summary *s, sharing *all, const ubi_progress *progress) {
    *w = (walk){ .s = s, .d = s->dominators, .look = s->look, .kind = s->look->graph->kind.at, .progress = progress };
    w->sharing = all;
    w->is_open = ubi__calloc_array(s->allocator, s->rows.n, sizeof *w->is_open);
    w->retained_bytes = ubi__calloc_array(s->allocator, s->rows.n, sizeof *w->retained_bytes);
    return w->is_open && w->retained_bytes ? UBI_OK : ubi__fail_nomem();
}

static void walk_finish(walk *w) {
    const ubi_allocator *a = w->s->allocator;
    size_t n_classes = w->s->rows.n;
    for (size_t i = 0; w->retained_bytes && i < n_classes; i++)
        w->s->rows.at[i].retained_bytes += w->retained_bytes[i];
    step_list_fini(&w->way, a);
    ubi__free_array(a, w->is_open, n_classes, sizeof *w->is_open);
    ubi__free_array(a, w->retained_bytes, n_classes, sizeof *w->retained_bytes);
}

static ubi_status walk_together(walk *first, walk *second, ubi__helper *helper) {
    if (helper->is_threaded)
        ubi__helper_give(helper, &second->chore, walk_aside, second);
    ubi_status status = node_enter(first, first->d->root);
    if (status == UBI_OK)
        status = walk_parts(first);
    end_sharing(first->sharing);
    ubi__helper_drop(helper, &second->chore);
    /* Whichever failed stopped the other one; all that can go wrong with the second is memory. */
    return second->status == UBI_ENOMEM ? ubi__fail_nomem() : status;
}

ubi_status ubi__summary_add_retained(ubi_summary *s, const ubi_progress *progress, ubi__helper *helper) {
    sharing all = { .n_walkers = 1 };
    walk first, second = { .status = UBI_OK };
    if (s->rows.n == 0)
        return UBI_OK;
    pthread_mutex_init(&all.lock, NULL);
    pthread_cond_init(&all.changed, NULL);
    ubi_status status = walk_start(&first, s, &all, progress);
    if (status == UBI_OK && helper->is_threaded)
        status = walk_start(&second, s, &all, NULL);
    if (status == UBI_OK)
        status = walk_together(&first, &second, helper);
    walk_finish(&first);
    if (second.s)
        walk_finish(&second);
    pthread_cond_destroy(&all.changed);
    pthread_mutex_destroy(&all.lock);
    return status;
}
