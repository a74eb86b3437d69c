/* SPDX-License-Identifier: MIT
 *
 * session_use.c: uses of sessions, and how a part comes to be that one asks for; see session_inside.h.
 */
#include <string.h>

#include "base/status.h"
#include "session/session_inside.h"

/* How long a caller that waits for another thread's work goes without asking whether it still wants it. */
#define WAIT_NS 5000000

/* ---- slots. With the lock. ----------------------------------------------------------------------------------------- */

/* What the look is like on which a part of this type depends. */
static uint64_t use_like_number(const ubi_session_use *use, const ubi__part_type *type) {
    return use->like && !type->is_of_graph ? use->like->number : 0;
}

static ubi__session_slot *slot_find(const ubi_session_use *use, const ubi__part_type *type, const char *key) {
    uint64_t like = use_like_number(use, type);
    for (ubi__session_slot *slot = use->session->slots; slot; slot = slot->next)
        if (slot->type == type && slot->like == like && strcmp(slot->key, key) == 0)
            return slot;
    return NULL;
}

/* At the end, so that ubi_session_part_at numbers them in the order in which they came. NULL: no memory. */
static ubi__session_slot *slot_new(const ubi_session_use *use, const ubi__part_type *type, const char *key) {
    ubi_session *session = use->session;
    const ubi_allocator *a = session->pool->allocator;
    size_t key_bytes = strlen(key) + 1;
    ubi__session_slot **end = &session->slots, *slot = a->alloc(a->ctx, sizeof *slot + key_bytes);
    if (!slot)
        return NULL;
    memset(slot, 0, sizeof *slot);
    slot->type = type;
    slot->session = session;
    slot->like = use_like_number(use, type);
    ubi__part_memory_init(&slot->memory, session->pool);
    slot->key_bytes = key_bytes;
    memcpy(slot->key, key, key_bytes);
    while (*end)
        end = &(*end)->next;
    return *end = slot;
}

static void slot_release(ubi__session_slot **forgotten, ubi__session_slot *slot) {
    UBI_ASSERT(slot->n_holders > 0);
    slot->n_holders--;
    slot->used_at = ++slot->session->pool->clock;
    ubi__session_slot_forget(forgotten, slot);
}

/* ---- building ------------------------------------------------------------------------------------------------------ */

typedef struct slot_work {
    ubi__session_slot *slot;
    const ubi_progress *asker; /* who gets the reports, and may cancel */
    void *value;               /* what was built */
    ubi_session_use *parts;    /* of it */
    uint64_t time_us;
} slot_work;

static bool slot_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    slot_work *work = payload;
    atomic_store_explicit(&work->slot->stage, stage, memory_order_relaxed);
    atomic_store_explicit(&work->slot->done, done, memory_order_relaxed);
    atomic_store_explicit(&work->slot->total, total, memory_order_relaxed);
    return ubi__progress(work->asker, stage, done, total);
}

/* Gives back all that it holds. Without the lock. */
static void use_release(ubi_session_use *use) {
    ubi_session_pool *pool = use->session->pool;
    ubi__session_slot *forgotten = NULL;
    pthread_mutex_lock(&pool->lock);
    for (size_t i = use->held.n; i-- > 0;) /* what was asked for last was made of what came before, and goes first */
        slot_release(&forgotten, use->held.at[i]);
    use->held.n = 0;
    pthread_mutex_unlock(&pool->lock);
    ubi__session_slots_free(forgotten);
}

/* Without the lock. */
static ubi_status value_build(slot_work *work, const ubi_session_use *asker) {
    ubi__session_slot *slot = work->slot;
    ubi_progress progress = { slot_progress, work };
    uint64_t started_us = ubi__session_clock_us();
    ubi_session *like = slot->like ? asker->like : NULL;
    ubi_session_use *parts = ubi__session_use_new(slot->session, like, &progress, asker->threads, true);
    if (!parts)
        return ubi__fail_nomem();
    ubi_status status = slot->type->build(&work->value, parts, slot->key, &slot->memory.allocator);
    work->time_us = ubi__session_clock_us() - started_us - parts->waited_us;
    parts->progress = (ubi_progress){ NULL, NULL };
    parts->like = NULL; /* it may go before the value does */
    if (status == UBI_OK && slot->type->is_self_contained)
        use_release(parts);
    if (status == UBI_OK)
        work->parts = parts;
    else
        ubi_session_use_end(parts);
    return status;
}

static ubi_status slot_build(ubi__session_slot *slot, const ubi_session_use *asker) {
    ubi_session_pool *pool = slot->session->pool;
    slot_work work = { .slot = slot, .asker = &asker->progress };
    slot->state = UBI__SLOT_BUILDING;
    slot->builder = pthread_self();
    pthread_mutex_unlock(&pool->lock);
    ubi_status status = value_build(&work, asker);
    pthread_mutex_lock(&pool->lock);
    slot->state = status == UBI_OK ? UBI__SLOT_READY : UBI__SLOT_ABSENT;
    if (status == UBI_OK) {
        slot->value = work.value;
        slot->parts = work.parts;
        slot->time_us = work.time_us;
        slot->n_builds++;
    }
    pthread_cond_broadcast(&pool->changed);
    return status;
}

/* Another thread builds it. */
static ubi_status slot_wait(ubi__session_slot *slot, const ubi_progress *progress) {
    ubi_session_pool *pool = slot->session->pool;
    struct timespec until;
    UBI_ASSERT(!pthread_equal(slot->builder, pthread_self())); /* parts depend on each other without circles */
    if (!progress->fn) {
        pthread_cond_wait(&pool->changed, &pool->lock);
        return UBI_OK;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
    const char *stage = atomic_load_explicit(&slot->stage, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(&slot->done, memory_order_relaxed);
    uint64_t total = atomic_load_explicit(&slot->total, memory_order_relaxed);
    pthread_mutex_unlock(&pool->lock);
    bool is_wanted = progress->fn(progress->payload, stage ? stage : slot->type->name, done, total);
    pthread_mutex_lock(&pool->lock);
    return is_wanted ? UBI_OK : ubi__fail_cancelled();
}

static ubi_status slot_await(ubi__session_slot *slot, const ubi_session_use *asker) {
    ubi_status status = UBI_OK;
    while (status == UBI_OK && slot->state != UBI__SLOT_READY)
        status = slot->state == UBI__SLOT_ABSENT ? slot_build(slot, asker) : slot_wait(slot, &asker->progress);
    return status;
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

static ubi__session_slot *use_slot(const ubi_session_use *use, const ubi__part_type *type, const char *key) {
    for (size_t i = 0; i < use->held.n; i++)
        if (use->held.at[i]->type == type && strcmp(use->held.at[i]->key, key) == 0)
            return use->held.at[i];
    return NULL;
}

/* With the lock. `slot` gets one holder more, or none after a failure. */
static ubi_status use_add(ubi_session_use *use, ubi__session_slot *slot, ubi__session_slot **forgotten) {
    slot->n_holders++;
    ubi_status status = slot_await(slot, use);
    if (status != UBI_OK) {
        slot_release(forgotten, slot);
        return status;
    }
    slot->used_at = ++slot->session->pool->clock;
    use->held.at[use->held.n++] = slot; /* room was made */
    return UBI_OK;
}

static ubi_status use_get(void **out, ubi_session_use *use, const ubi__part_type *type, const char *key,
                          bool if_present) {
    ubi_session_pool *pool = use->session->pool;
    ubi__session_slot *forgotten = NULL, *held = use_slot(use, type, key);
    ubi_status status = UBI_OK;
    if (held) {
        *out = held->value;
        return UBI_OK;
    }
    UBI_TRY(ubi__slot_list_reserve(&use->held, pool->allocator, 1));
    pthread_mutex_lock(&pool->lock);
    ubi__session_slot *slot = slot_find(use, type, key);
    if (if_present && (!slot || slot->state != UBI__SLOT_READY)) {
        pthread_mutex_unlock(&pool->lock);
        *out = NULL;
        return UBI_OK;
    }
    if (!slot)
        slot = slot_new(use, type, key);
    status = slot ? use_add(use, slot, &forgotten) : ubi__fail_nomem();
    if (status == UBI_OK)
        *out = slot->value;
    ubi__session_pool_check(pool);
    pthread_mutex_unlock(&pool->lock);
    ubi__session_slots_free(forgotten);
    return status;
}

ubi_status ubi__session_part(void **out, ubi_session_use *use, const ubi__part_type *type, const char *key) {
    uint64_t started_us = ubi__session_clock_us();
    ubi_status status = use_get(out, use, type, key, false);
    use->waited_us += ubi__session_clock_us() - started_us;
    return status;
}

ubi_status ubi__session_part_if_present(void **out, ubi_session_use *use, const ubi__part_type *type, const char *key) {
    return use_get(out, use, type, key, true);
}

/* ---- uses ---------------------------------------------------------------------------------------------------------- */

ubi_session_use *ubi__session_use_new(ubi_session *session, ubi_session *like, const ubi_progress *progress,
                                      unsigned threads, bool is_of_part) {
    ubi_session_use *use = UBI_NEW(session->pool->allocator, ubi_session_use);
    if (!use)
        return NULL;
    use->session = session;
    use->like = like;
    use->is_of_part = is_of_part;
    use->progress = *progress;
    use->threads = threads;
    return use;
}

ubi_status ubi_session_use_begin(ubi_session_use **out, ubi_session *session, const ubi_session_use_options *options) {
    static const ubi_session_use_options standard = UBI_SESSION_USE_OPTIONS_INIT;
    const ubi_session_use_options *o = options ? options : &standard;
    UBI_TRY(ubi__version_check(o->version, UBI_SESSION_USE_OPTIONS_VERSION, "ubi_session_use_options"));
    ubi_session *like = o->version >= 2 && o->like != session ? o->like : NULL;
    if (like && like->pool != session->pool)
        return ubi__fail(UBI_EINVAL, "%s cannot be looked at like %s: they are sessions of different pools",
                         ubi_session_name(session), ubi_session_name(like));
    ubi_session_use *use =
        ubi__session_use_new(session, like, &o->progress, o->threads ? o->threads : session->threads, false);
    if (!use)
        return ubi__fail_nomem();
    ubi_session_ref(session);
    if (like)
        ubi_session_ref(like);
    *out = use;
    return UBI_OK;
}

void ubi_session_use_end(ubi_session_use *use) {
    if (!use)
        return;
    ubi_session *session = use->session, *like = use->like;
    ubi_session_pool *pool = session->pool;
    bool is_of_part = use->is_of_part;
    use_release(use);
    ubi__slot_list_fini(&use->held, pool->allocator);
    UBI_DELETE(pool->allocator, use);
    if (is_of_part)
        return;
    ubi_session_unref(like);
    ubi_session_unref(session);
}

ubi_session *ubi_session_use_session(const ubi_session_use *use) {
    return use->session;
}

const ubi_allocator *ubi_session_use_allocator(const ubi_session_use *use) {
    return &use->session->answers.allocator;
}

const ubi_progress *ubi_session_use_progress(const ubi_session_use *use) {
    return &use->progress;
}

unsigned ubi_session_use_threads(const ubi_session_use *use) {
    return use->threads;
}
