/* SPDX-License-Identifier: MIT
 *
 * visits.c: see visits.h.
 */
#include "jobs/visits.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include <ubiheap/core/marker.h>

#include "base/alloc.h"

typedef struct visit {
    struct visit *next;
    ubi__visit_fn fn;
    void *payload;
    char name[UBI__VISIT_NAME_BYTES]; /* "": it is no pause that someone asked for */
} visit;

/* What an engine was asked to run at a safe point. */
typedef struct calling {
    struct calling *next, **place; /* of all that are to come */
    ubi__live_target *live;        /* a reference */
} calling;

struct ubi__live_target {
    _Atomic uint32_t n_refs;
    ubi_target target;
    void (*wake)(void *payload);
    void *wake_payload;
    pthread_mutex_t lock; /* guards: */
    pthread_cond_t changed;
    visit *first, **end;
    uint32_t n_calling; /* threads that ask the engine to come */
    bool is_called;     /* it was asked */
    bool is_visited;    /* right now, by: */
    pthread_t visitor;
    bool is_ended;
};

/* So that those that never come are not lost. */
static pthread_mutex_t callings_lock = PTHREAD_MUTEX_INITIALIZER;
static calling *callings;

static _Thread_local const ubi__live_target *called_here; /* by this thread, right now */

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- a target ----------------------------------------------------------------------------------------------------------- */

ubi_status ubi__live_target_new(ubi__live_target **out, ubi_target target, void (*wake)(void *payload), void *payload) {
    if (!target.ops || !(target.ops->capabilities & UBI_TARGET_SAFE_POINT))
        return ubi__fail(UBI_EINVAL, "a live heap that is offered must have safe points");
    ubi__live_target *live = UBI_NEW(memory(), ubi__live_target);
    if (!live)
        return ubi__fail_nomem();
    atomic_init(&live->n_refs, 1);
    live->target = target;
    live->wake = wake;
    live->wake_payload = payload;
    live->end = &live->first;
    pthread_mutex_init(&live->lock, NULL);
    pthread_cond_init(&live->changed, NULL);
    *out = live;
    return UBI_OK;
}

ubi__live_target *ubi__live_target_ref(ubi__live_target *live) {
    atomic_fetch_add(&live->n_refs, 1);
    return live;
}

void ubi__live_target_unref(ubi__live_target *live) {
    if (!live || atomic_fetch_sub(&live->n_refs, 1) > 1)
        return;
    UBI_ASSERT(!live->first);
    pthread_mutex_destroy(&live->lock);
    pthread_cond_destroy(&live->changed);
    UBI_DELETE(memory(), live);
}

bool ubi__live_target_is(const ubi__live_target *live, ubi_target target) {
    return live->target.ops == target.ops && live->target.payload == target.payload;
}

bool ubi__live_target_same(const ubi__live_target *a, const ubi__live_target *b) {
    return ubi__live_target_is(a, b->target);
}

const char *ubi__live_target_kind(const ubi__live_target *live) {
    return live->target.ops->kind;
}

uint32_t ubi__live_target_capabilities(const ubi__live_target *live) {
    return live->target.ops->capabilities;
}

/* ---- visits --------------------------------------------------------------------------------------------------------------- */

/* With the lock. NULL: there is none. */
static visit *live_shift(ubi__live_target *live) {
    visit *v = live->first;
    if (!v)
        return NULL;
    live->first = v->next;
    if (!live->first)
        live->end = &live->first;
    return v;
}

static ubi_status live_call(ubi__live_target *live);

/* With the lock. Visits that wait run within the one that comes now, if its code takes long. */
static void live_call_for_others(ubi__live_target *live) {
    if (live->first && !live->is_called && live_call(live) != UBI_OK)
        live->is_called = false; /* they come after it */
}

static void visit_perform_as_pause(const visit *v, const ubi_target *target) {
    UBI_AUTO_GLOBAL_TIMELINE_MARKER_LABEL("ubiheap::Pause", v->name);
    v->fn(v->payload, target);
}

static void visit_perform(const visit *v, const ubi_target *target) {
    if (target && v->name[0])
        visit_perform_as_pause(v, target);
    else
        v->fn(v->payload, target);
}

/* With the lock, without it while they run. */
static void live_perform_all(ubi__live_target *live, const ubi_target *target) {
    for (visit *v = live_shift(live); v; v = live_shift(live)) {
        if (target)
            live_call_for_others(live);
        pthread_mutex_unlock(&live->lock);
        visit_perform(v, target);
        UBI_DELETE(memory(), v);
        pthread_mutex_lock(&live->lock);
        if (live->is_ended) /* within this visit */
            target = NULL;
    }
}

static void calling_free(calling *c) {
    pthread_mutex_lock(&callings_lock);
    *c->place = c->next;
    if (c->next)
        c->next->place = c->place;
    pthread_mutex_unlock(&callings_lock);
    ubi__live_target_unref(c->live);
    UBI_DELETE(memory(), c);
}

/* At a safe point, on the target's thread. The target cannot go meanwhile: it is ended by this thread, or after this. */
static void calling_perform(void *payload) {
    calling *c = payload;
    ubi__live_target *live = c->live;
    pthread_mutex_lock(&live->lock);
    live->is_called = false;
    if (!live->is_ended) {
        bool was_visited = live->is_visited; /* a visit runs code, which comes to a safe point within it */
        live->is_visited = true;
        live->visitor = pthread_self();
        live_perform_all(live, &live->target);
        live->is_visited = was_visited;
        pthread_cond_broadcast(&live->changed);
    }
    pthread_mutex_unlock(&live->lock);
    calling_free(c);
}

static calling *calling_new(ubi__live_target *live) {
    calling *c = UBI_NEW(memory(), calling);
    if (!c)
        return NULL;
    c->live = ubi__live_target_ref(live);
    pthread_mutex_lock(&callings_lock);
    c->next = callings;
    c->place = &callings;
    if (c->next)
        c->next->place = &c->next;
    callings = c;
    pthread_mutex_unlock(&callings_lock);
    return c;
}

/* Without the lock: it may be performed at once. */
static ubi_status engine_call(ubi__live_target *live) {
    calling *c = calling_new(live);
    if (!c)
        return ubi__fail_nomem();
    ubi_status status = ubi_target_run_at_safe_point(live->target, calling_perform, c);
    if (status != UBI_OK)
        calling_free(c);
    else if (live->wake)
        live->wake(live->wake_payload);
    return status;
}

/* With the lock, without it during the call. The target does not go meanwhile. */
static ubi_status live_call(ubi__live_target *live) {
    const ubi__live_target *before = called_here;
    live->is_called = true;
    live->n_calling++;
    pthread_mutex_unlock(&live->lock);
    called_here = live;
    ubi_status status = engine_call(live);
    called_here = before;
    pthread_mutex_lock(&live->lock);
    live->n_calling--;
    pthread_cond_broadcast(&live->changed);
    return status;
}

/* With the lock. */
static void live_append(ubi__live_target *live, visit *v) {
    *live->end = v;
    live->end = &v->next;
}

/* With the lock. NULL: it is not there any more. */
static visit *live_find(ubi__live_target *live, ubi__visit_fn fn, const void *payload) {
    visit **place = &live->first;
    while (*place && ((*place)->fn != fn || (*place)->payload != payload))
        place = &(*place)->next;
    visit *found = *place;
    if (found)
        *place = found->next;
    if (!*place)
        live->end = place;
    return found;
}

/* With the lock. An engine that did not take the call: those that relied on it run without the target. */
static ubi_status live_call_failed(ubi__live_target *live, ubi_status status, ubi__visit_fn fn, const void *payload) {
    visit *mine = live_find(live, fn, payload);
    live->is_called = false;
    live_perform_all(live, NULL);
    if (!mine) /* another call brought it */
        return UBI_OK;
    UBI_DELETE(memory(), mine);
    return status;
}

ubi_status ubi__live_visit(ubi__live_target *live, ubi__visit_fn fn, void *payload) {
    return ubi__live_visit_named(live, "", fn, payload);
}

ubi_status ubi__live_visit_named(ubi__live_target *live, const char *name, ubi__visit_fn fn, void *payload) {
    ubi_status status = UBI_OK;
    visit *v = UBI_NEW(memory(), visit);
    if (!v)
        return ubi__fail_nomem();
    *v = (visit){ .fn = fn, .payload = payload };
    snprintf(v->name, sizeof v->name, "%s", name);
    pthread_mutex_lock(&live->lock);
    live_append(live, v);
    if (live->is_ended)
        live_perform_all(live, NULL);
    else if (!live->is_called)
        status = live_call(live);
    if (status != UBI_OK)
        status = live_call_failed(live, status, fn, payload);
    pthread_mutex_unlock(&live->lock);
    return status;
}

bool ubi__live_visit_withdraw(ubi__live_target *live, ubi__visit_fn fn, void *payload) {
    pthread_mutex_lock(&live->lock);
    visit *found = live_find(live, fn, payload);
    pthread_mutex_unlock(&live->lock);
    if (found)
        UBI_DELETE(memory(), found);
    return found != NULL;
}

/* With the lock: whether another thread uses the target. */
static bool live_is_used(const ubi__live_target *live) {
    bool is_visited = live->is_visited && !pthread_equal(live->visitor, pthread_self());
    return is_visited || live->n_calling > (called_here == live ? 1U : 0U);
}

void ubi__live_end(ubi__live_target *live) {
    pthread_mutex_lock(&live->lock);
    live->is_ended = true;
    while (live_is_used(live))
        pthread_cond_wait(&live->changed, &live->lock);
    live_perform_all(live, NULL);
    pthread_mutex_unlock(&live->lock);
}
