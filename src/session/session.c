/* SPDX-License-Identifier: MIT
 *
 * session.c: pools, sessions, uses, and how a part comes to be; see session_inside.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory_limits.h"
#include "base/status.h"
#include "formats/recognize.h"
#include "session/recording_parts.h"
#include "session/session_inside.h"

/* How long a caller that waits for another thread's work goes without asking whether it still wants it. */
#define WAIT_NS 5000000

/* ==== THE POOL: the memory limit, and what is dropped at it ======================================================== */

void ubi__session_pool_check(const ubi_session_pool *pool) {
    for (const ubi_session *s = UBI_CHECKS ? pool->sessions : NULL; s; s = s->next) {
        UBI_ASSERT(s->pool == pool);
        UBI_ASSERT(0 < s->number && s->number <= pool->n_numbers && (!s->next || s->next->number < s->number));
        for (const ubi__session_slot *slot = s->slots; slot; slot = slot->next) {
            bool is_ready = slot->state == UBI__SLOT_READY;
            UBI_ASSERT(slot->session == s && slot->memory.pool == pool);
            UBI_ASSERT((slot->value != NULL) == is_ready && (slot->parts != NULL) == is_ready);
            UBI_ASSERT(slot->state != UBI__SLOT_BUILDING || slot->n_holders > 0);
            UBI_ASSERT(slot->used_at <= pool->clock);
            UBI_ASSERT(slot->like <= pool->n_numbers && slot->like != s->number);
            UBI_ASSERT(!slot->like || !slot->type->is_of_graph);
            UBI_ASSERT(!is_ready || !slot->parts->like);
            for (size_t i = 0; is_ready && i < slot->parts->held.n; i++)
                UBI_ASSERT(slot->parts->held.at[i]->state == UBI__SLOT_READY && slot->parts->held.at[i]->n_holders > 0);
        }
    }
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static void peak_note(ubi_session_pool *pool, uint64_t held_bytes) {
    uint64_t peak_bytes = atomic_load(&pool->peak_bytes);
    while (held_bytes > peak_bytes && !atomic_compare_exchange_weak(&pool->peak_bytes, &peak_bytes, held_bytes))
        ;
}

/* Above the limit whatever is not in use is dropped. What is in use may take a tenth more. */
static bool pool_charge(ubi_session_pool *pool, uint64_t n_bytes) {
    uint64_t most_bytes = pool->limit_bytes + pool->limit_bytes / 10, held_bytes = atomic_load(&pool->held_bytes);
    for (;;) {
        uint64_t after_bytes;
        if (__builtin_add_overflow(held_bytes, n_bytes, &after_bytes))
            return false;
        if (after_bytes > pool->limit_bytes && ubi__session_pool_drop_one(pool, 0)) {
            held_bytes = atomic_load(&pool->held_bytes);
            continue;
        }
        if (after_bytes > most_bytes)
            return false;
        if (atomic_compare_exchange_weak(&pool->held_bytes, &held_bytes, after_bytes)) {
            peak_note(pool, after_bytes);
            return true;
        }
    }
}

static bool memory_charge(ubi__part_memory *m, size_t n_bytes) {
    if (!pool_charge(m->pool, n_bytes))
        return false;
    atomic_fetch_add(&m->held_bytes, n_bytes);
    return true;
}

static void memory_discharge(ubi__part_memory *m, size_t n_bytes) {
    atomic_fetch_sub(&m->held_bytes, n_bytes);
    atomic_fetch_sub(&m->pool->held_bytes, n_bytes);
}

static void *memory_alloc(void *ctx, size_t n_bytes) {
    ubi__part_memory *m = ctx;
    const ubi_allocator *a = m->pool->allocator;
    if (!memory_charge(m, n_bytes))
        return NULL;
    void *p = a->alloc(a->ctx, n_bytes);
    if (!p)
        memory_discharge(m, n_bytes);
    return p;
}

static void *memory_resize(void *ctx, void *p, size_t old_bytes, size_t new_bytes) {
    ubi__part_memory *m = ctx;
    const ubi_allocator *a = m->pool->allocator;
    if (new_bytes > old_bytes && !memory_charge(m, new_bytes - old_bytes))
        return NULL;
    void *resized = a->resize(a->ctx, p, old_bytes, new_bytes);
    if (!resized && new_bytes > old_bytes)
        memory_discharge(m, new_bytes - old_bytes);
    else if (resized && new_bytes < old_bytes)
        memory_discharge(m, old_bytes - new_bytes);
    return resized;
}

static void memory_free(void *ctx, void *p, size_t n_bytes) {
    ubi__part_memory *m = ctx;
    const ubi_allocator *a = m->pool->allocator;
    if (!p)
        return;
    a->free(a->ctx, p, n_bytes);
    memory_discharge(m, n_bytes);
}

void ubi__part_memory_init(ubi__part_memory *memory, ubi_session_pool *pool) {
    memory->allocator = (ubi_allocator){ memory_alloc, memory_resize, memory_free, memory };
    memory->pool = pool;
    atomic_init(&memory->held_bytes, 0);
}

/* ---- dropping ------------------------------------------------------------------------------------------------------ */

static bool slot_is_droppable(const ubi__session_slot *slot, uint64_t like) {
    return slot->state == UBI__SLOT_READY && slot->n_holders == 0 && (!like || slot->like == like);
}

static ubi__session_slot *slot_least_used(const ubi_session_pool *pool, uint64_t like) {
    ubi__session_slot *least = NULL;
    for (ubi_session *s = pool->sessions; s; s = s->next)
        for (ubi__session_slot *slot = s->slots; slot; slot = slot->next)
            if (slot_is_droppable(slot, like) && (!least || slot->used_at < least->used_at))
                least = slot;
    return least;
}

/* With the lock, which it gives back. */
static void slot_drop(ubi__session_slot *slot) {
    ubi__session_slot *forgotten = NULL;
    ubi_session *session = slot->session;
    ubi_session_pool *pool = session->pool;
    void *value = slot->value;
    ubi_session_use *parts = slot->parts;
    session->n_refs++; /* it must not go while its part is freed */
    slot->n_holders++; /* nor the slot, which counts what is freed */
    slot->state = UBI__SLOT_ABSENT;
    slot->value = NULL;
    slot->parts = NULL;
    pthread_mutex_unlock(&pool->lock);

    slot->type->free(value, &slot->memory.allocator);
    ubi_session_use_end(parts);
    pthread_mutex_lock(&pool->lock);
    slot->n_holders--;
    ubi__session_slot_forget(&forgotten, slot);
    pthread_mutex_unlock(&pool->lock);
    ubi__session_slots_free(forgotten);
    ubi_session_unref(session);
}

bool ubi__session_pool_drop_one(ubi_session_pool *pool, uint64_t like) {
    pthread_mutex_lock(&pool->lock);
    ubi__session_pool_check(pool);
    ubi__session_slot *slot = slot_least_used(pool, like);
    if (slot)
        slot_drop(slot);
    else
        pthread_mutex_unlock(&pool->lock);
    return slot != NULL;
}

/* NULL: there are no more than `most`, or all are in use. */
static ubi__session_slot *slot_beyond(const ubi_session *session, const ubi__part_type *type, size_t most) {
    ubi__session_slot *least = NULL;
    size_t n = 0;
    for (ubi__session_slot *slot = session->slots; slot; slot = slot->next) {
        if (slot->type != type || slot->state != UBI__SLOT_READY)
            continue;
        n++;
        if (slot_is_droppable(slot, 0) && (!least || slot->used_at < least->used_at))
            least = slot;
    }
    return n > most ? least : NULL;
}

void ubi__session_part_trim(ubi_session *session, const ubi__part_type *type, size_t most) {
    ubi__session_slot *slot;
    do {
        pthread_mutex_lock(&session->pool->lock);
        slot = slot_beyond(session, type, most);
        if (slot)
            slot_drop(slot);
        else
            pthread_mutex_unlock(&session->pool->lock);
    } while (slot);
}

void ubi__session_slot_forget(ubi__session_slot **forgotten, ubi__session_slot *slot) {
    bool is_common = !slot->key[0] && !slot->like;
    if (is_common || slot->state != UBI__SLOT_ABSENT || slot->n_holders > 0)
        return;
    ubi__session_slot **place = &slot->session->slots;
    while (*place != slot)
        place = &(*place)->next;
    *place = slot->next;
    slot->next = *forgotten;
    *forgotten = slot;
}

void ubi__session_slots_free(ubi__session_slot *slots) {
    while (slots) {
        ubi__session_slot *next = slots->next;
        const ubi_allocator *a = slots->memory.pool->allocator;
        UBI_ASSERT(slots->state == UBI__SLOT_ABSENT && slots->n_holders == 0);
        UBI_ASSERT(atomic_load(&slots->memory.held_bytes) == 0);
        a->free(a->ctx, slots, sizeof *slots + slots->key_bytes);
        slots = next;
    }
}

/* ---- pools --------------------------------------------------------------------------------------------------------- */

uint64_t ubi__session_clock_us(void) {
    return ubi_process_clock_ns() / 1000;
}

static uint64_t default_limit_bytes(void) {
    uint64_t all_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    ubi__memory_limit limit = ubi__memory_limit_read(0);
    if (limit.name && limit.limit_bytes < all_bytes)
        all_bytes = limit.limit_bytes;
    return all_bytes / 2;
}

ubi_status ubi_session_pool_new(ubi_session_pool **out, const ubi_session_pool_options *options) {
    static const ubi_session_pool_options standard = UBI_SESSION_POOL_OPTIONS_INIT;
    const ubi_session_pool_options *o = options ? options : &standard;
    pthread_condattr_t monotonic;
    UBI_TRY(ubi__version_check(o->version, UBI_SESSION_POOL_OPTIONS_VERSION, "ubi_session_pool_options"));
    const ubi_allocator *allocator = ubi__allocator_or_default(o->allocator);
    ubi_session_pool *pool = UBI_NEW(allocator, ubi_session_pool);
    if (!pool)
        return ubi__fail_nomem();
    pool->allocator = allocator;
    pool->limit_bytes = o->limit_bytes ? o->limit_bytes : default_limit_bytes();
    pool->n_refs = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    *out = pool;
    return UBI_OK;
}

ubi_session_pool *ubi__session_pool_ref(ubi_session_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->n_refs++;
    pthread_mutex_unlock(&pool->lock);
    return pool;
}

void ubi_session_pool_unref(ubi_session_pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    bool is_last = --pool->n_refs == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!is_last)
        return;
    UBI_ASSERT(!pool->sessions && atomic_load(&pool->held_bytes) == 0);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
    const ubi_allocator *a = pool->allocator;
    UBI_DELETE(a, pool);
}

uint64_t ubi_session_pool_limit_bytes(const ubi_session_pool *pool) {
    return pool->limit_bytes;
}

uint64_t ubi_session_pool_held_bytes(const ubi_session_pool *pool) {
    return atomic_load(&pool->held_bytes);
}

uint64_t ubi_session_pool_peak_bytes(const ubi_session_pool *pool) {
    return atomic_load(&pool->peak_bytes);
}

void ubi__session_pool_set_namer(ubi_session_pool *pool, ubi__recording_namer *namer) {
    pool->namer = namer;
}

void ubi_session_pool_drop_unused(ubi_session_pool *pool) {
    while (ubi__session_pool_drop_one(pool, 0))
        ;
}

/* ==== SESSIONS, USES, AND HOW A PART COMES TO BE ================================================================= */

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

static ubi_session_use *use_new(ubi_session *session, ubi_session *like, const ubi_progress *progress, unsigned threads,
                                bool is_of_part) {
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
    ubi_session_use *parts = use_new(slot->session, like, &progress, asker->threads, true);
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

ubi_status ubi_session_use_begin(ubi_session_use **out, ubi_session *session, const ubi_session_use_options *options) {
    static const ubi_session_use_options standard = UBI_SESSION_USE_OPTIONS_INIT;
    const ubi_session_use_options *o = options ? options : &standard;
    UBI_TRY(ubi__version_check(o->version, UBI_SESSION_USE_OPTIONS_VERSION, "ubi_session_use_options"));
    ubi_session *like = o->version >= 2 && o->like != session ? o->like : NULL;
    if (like && like->pool != session->pool)
        return ubi__fail(UBI_EINVAL, "%s cannot be looked at like %s: they are sessions of different pools",
                         ubi_session_name(session), ubi_session_name(like));
    ubi_session_use *use = use_new(session, like, &o->progress, o->threads ? o->threads : session->threads, false);
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

/* ---- files --------------------------------------------------------------------------------------------------------- */

static ubi__file_identity identity_of(const struct stat *about) {
    return (ubi__file_identity){ true, about->st_dev, about->st_ino, about->st_size, about->st_mtim };
}

ubi__file_identity ubi__file_identify(const char *path) {
    struct stat about;
    if (strcmp(path, "-") == 0 || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return (ubi__file_identity){ .is_known = false };
    return identity_of(&about);
}

void ubi__session_pin_file(ubi_session *session, const struct stat *about) {
    pthread_mutex_lock(&session->pool->lock);
    session->file = identity_of(about);
    session->was_pinned = true;
    pthread_mutex_unlock(&session->pool->lock);
}

static bool file_is_same(const ubi__file_identity *a, const ubi__file_identity *b) {
    return a->is_known && b->is_known && a->device == b->device && a->inode == b->inode &&
           a->size_bytes == b->size_bytes && a->changed.tv_sec == b->changed.tv_sec &&
           a->changed.tv_nsec == b->changed.tv_nsec;
}

ubi_status ubi__session_file_check(ubi__file_identity *out, const ubi_session *session, uint64_t others_identity) {
    struct stat about;
    ubi__file_identity now = ubi__file_identify(session->name);
    pthread_mutex_lock(&session->pool->lock);
    bool was_read = session->was_read, is_same = file_is_same(&session->file, &now);
    bool is_known = was_read || session->was_pinned;
    bool are_others_same = session->others_identity == others_identity;
    pthread_mutex_unlock(&session->pool->lock);
    if (is_known && !is_same) {
        if (stat(session->name, &about) != 0)
            return ubi__fail_errno(errno, "%s must be read again, and cannot be", ubi_session_name(session));
        return ubi__fail(UBI_EMISMATCH, "%s has changed since it was opened", ubi_session_name(session));
    }
    if (was_read && !are_others_same)
        return ubi__fail(UBI_EMISMATCH,
                         "files of processes that were recorded with %s have changed since it was opened",
                         ubi_session_name(session));
    *out = now;
    return UBI_OK;
}

void ubi__session_file_note(ubi_session *session, const ubi__file_identity *file, uint64_t others_identity) {
    pthread_mutex_lock(&session->pool->lock);
    session->file = *file;
    session->others_identity = others_identity;
    session->was_read = true;
    pthread_mutex_unlock(&session->pool->lock);
}

static void read_note(ubi_session *session, const ubi__file_identity *file, const ubi_read_info *info) {
    session->info = *info; /* before was_read says that it is there */
    ubi__session_file_note(session, file, 0);
}

ubi_status ubi__session_read(ubi_graph **out, ubi_session_use *use, const ubi_allocator *allocator) {
    ubi_session *session = use->session;
    ubi_read_options options = UBI_READ_OPTIONS_INIT;
    ubi_read_info info = UBI_READ_INFO_INIT;
    ubi__file_identity file;
    bool is_first = !session->was_read; /* one thread reads at a time */
    if (session->kind != UBI_SESSION_HEAP)
        return ubi__session_refuse(session, "heap snapshot");
    UBI_TRY(ubi__session_file_check(&file, session, 0));
    options.allocator = allocator;
    options.progress = use->progress;
    options.threads = use->threads;
    options.compat = session->compat;
    UBI_TRY(ubi_graph_read_path(out, session->name, &options, &info));
    if (is_first)
        read_note(session, &file, &info);
    return UBI_OK;
}

ubi_status ubi__session_note_read(ubi_session *session, const ubi__file_identity *file, const ubi_read_info *info) {
    ubi__file_identity now;
    if (session->was_read || session->was_pinned)
        UBI_TRY(ubi__session_file_check(&now, session, 0));
    if (session->was_read)
        return UBI_OK;
    read_note(session, file, info);
    return UBI_OK;
}

bool ubi__session_is_current(const ubi_session *session) {
    ubi__file_identity now = ubi__file_identify(session->name);
    pthread_mutex_lock(&session->pool->lock);
    bool is_current = !(session->was_read || session->was_pinned) || file_is_same(&session->file, &now);
    pthread_mutex_unlock(&session->pool->lock);
    return is_current;
}

bool ubi__session_identity(uint64_t out[UBI__SESSION_IDENTITY_WORDS], const ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    const ubi__file_identity *file = &session->file;
    const uint64_t words[UBI__SESSION_IDENTITY_WORDS] = {
        (uint64_t)file->device,         (uint64_t)file->inode,           (uint64_t)file->size_bytes,
        (uint64_t)file->changed.tv_sec, (uint64_t)file->changed.tv_nsec, session->others_identity
    };
    bool is_known = file->is_known;
    pthread_mutex_unlock(&session->pool->lock);
    memcpy(out, words, sizeof words);
    return is_known;
}

uint32_t ubi__session_ref_count(const ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    uint32_t n = session->n_refs;
    pthread_mutex_unlock(&session->pool->lock);
    return n;
}

ubi_graph *ubi__session_given_graph(const ubi_session *session) {
    return session->given;
}

ubi_status ubi__session_refuse(const ubi_session *session, const char *wanted) {
    return session->given ? ubi__fail(UBI_EFORMAT, "this is a heap, and no %s", wanted)
                          : ubi__file_refuse_path(session->name, wanted);
}

/* ---- sessions ------------------------------------------------------------------------------------------------------ */

static ubi_status session_new(ubi_session **out, ubi_session_pool *pool, const char *name, ubi_session_kind kind,
                              const ubi_session_options *options) {
    const ubi_allocator *a = pool->allocator;
    const char *folder = options->version >= 2 ? options->cache_folder : NULL;
    size_t name_only = strlen(name) + 1, folder_bytes = folder ? strlen(folder) + 1 : 0;
    size_t name_bytes = name_only + folder_bytes;
    ubi_session *session = a->alloc(a->ctx, sizeof *session + name_bytes);
    if (!session)
        return ubi__fail_nomem();
    memset(session, 0, sizeof *session);
    session->pool = pool;
    session->n_refs = 1;
    session->kind = kind;
    session->threads = options->threads;
    session->compat = options->compat;
    session->index_place = options->version >= 2 ? options->index : UBI_SESSION_INDEX_NONE;
    session->info = (ubi_read_info)UBI_READ_INFO_INIT;
    ubi__part_memory_init(&session->answers, pool);
    session->name_bytes = name_bytes;
    memcpy(session->name, name, name_only);
    if (folder)
        session->cache_folder = memcpy(session->name + name_only, folder, folder_bytes);
    pthread_mutex_lock(&pool->lock);
    pool->n_refs++;
    session->number = ++pool->n_numbers;
    session->next = pool->sessions;
    pool->sessions = session;
    pthread_mutex_unlock(&pool->lock);
    *out = session;
    return UBI_OK;
}

/* What is read of the file, and all else is made of. */
static ubi_status base_part_get(ubi_session_use *use) {
    ubi_graph *graph;
    const ubi__session_timeline *timeline;
    const ubi__session_recording *recording;
    const ubi__recording_choice all = { .with_symbols = true };
    switch (use->session->kind) {
    case UBI_SESSION_TIMELINE:
        return ubi__session_timeline_get(&timeline, use);
    case UBI_SESSION_RECORDING:
        return ubi__session_recording_get(&recording, use, &all);
    case UBI_SESSION_HEAP:
        break;
    }
    return ubi_session_graph(&graph, use);
}

/* Reads the file. A use that never ends holds what was read if that cannot be done twice. */
static ubi_status session_load(ubi_session *session, const ubi_progress *progress) {
    ubi_session_use *use = use_new(session, NULL, progress, session->threads, true);
    if (!use)
        return ubi__fail_nomem();
    ubi_status status = base_part_get(use);
    use->progress = (ubi_progress){ NULL, NULL };
    if (status == UBI_OK && !session->file.is_known)
        session->permanent = use;
    else
        ubi_session_use_end(use);
    return status;
}

static ubi_status session_begin(ubi_session **out, ubi_session_pool *pool, const char *name, ubi_session_kind kind,
                                const ubi_session_options *options) {
    static const ubi_session_options standard = UBI_SESSION_OPTIONS_INIT;
    const ubi_session_options *o = options ? options : &standard;
    UBI_TRY(ubi__version_check(o->version, UBI_SESSION_OPTIONS_VERSION, "ubi_session_options"));
    return session_new(out, pool, name, kind, o);
}

ubi_status ubi__session_open_unread(ubi_session **out, ubi_session_pool *pool, const char *path,
                                    ubi_session_kind otherwise, const ubi_session_options *options) {
    ubi__file_use use = ubi__file_use_peek(path);
    ubi_session_kind kind = use == UBI__FILE_RECORDING  ? UBI_SESSION_RECORDING
                            : use == UBI__FILE_TIMELINE ? UBI_SESSION_TIMELINE
                                                        : otherwise;
    return session_begin(out, pool, path, kind, options);
}

/* The first bytes of a compressed timeline are those of a compressed heap. */
static bool is_packed_timeline(const ubi_session *session) {
    const ubi__file_type *type = NULL;
    return !session->given && session->kind == UBI_SESSION_HEAP && strcmp(session->name, "-") != 0 &&
           ubi__file_recognize_path(&type, session->name) == UBI_OK && type && type->use == UBI__FILE_TIMELINE;
}

/* Takes the reference. */
static ubi_status session_finish(ubi_session **out, ubi_session *session, const ubi_session_options *options) {
    static const ubi_progress silent = { NULL, NULL };
    const ubi_progress *progress = options ? &options->progress : &silent;
    ubi_status status = session_load(session, progress);
    if (status == UBI_EFORMAT && is_packed_timeline(session)) {
        session->kind = UBI_SESSION_TIMELINE;
        status = session_load(session, progress);
    }
    if (status == UBI_OK)
        *out = session;
    else
        ubi_session_unref(session);
    return status;
}

ubi_status ubi_session_open_path(ubi_session **out, ubi_session_pool *pool, const char *path,
                                 const ubi_session_options *options) {
    ubi_session *session = NULL; /* for gcc 12 */
    UBI_TRY(ubi__session_open_unread(&session, pool, path, UBI_SESSION_HEAP, options));
    return session_finish(out, session, options);
}

ubi_status ubi_session_open_graph(ubi_session **out, ubi_session_pool *pool, ubi_graph *graph, const char *name,
                                  const ubi_session_options *options) {
    ubi_session *session = NULL;
    UBI_TRY(session_begin(&session, pool, name, UBI_SESSION_HEAP, options));
    session->given = ubi_graph_ref(graph);
    return session_finish(out, session, options);
}

ubi_session *ubi_session_ref(ubi_session *session) {
    pthread_mutex_lock(&session->pool->lock);
    session->n_refs++;
    pthread_mutex_unlock(&session->pool->lock);
    return session;
}

/* No one else has the session: parts go in the order in which they do not need each other. */
static void session_empty(ubi_session *session) {
    bool is_something_dropped;
    ubi_session_use_end(session->permanent);
    do {
        is_something_dropped = false;
        for (ubi__session_slot *slot = session->slots, *next; slot; slot = next) {
            next = slot->next;
            if (slot->state != UBI__SLOT_READY || slot->n_holders > 0)
                continue;
            ubi_session_use *parts = slot->parts;
            slot->type->free(slot->value, &slot->memory.allocator);
            slot->state = UBI__SLOT_ABSENT;
            slot->value = NULL;
            slot->parts = NULL;
            is_something_dropped = true;
            ubi_session_use_end(parts);
        }
    } while (is_something_dropped);
}

void ubi_session_unref(ubi_session *session) {
    if (!session)
        return;
    ubi_session_pool *pool = session->pool;
    const ubi_allocator *a = pool->allocator;
    pthread_mutex_lock(&pool->lock);
    bool is_last = --session->n_refs == 0;
    ubi_session **place = &pool->sessions;
    while (is_last && *place != session)
        place = &(*place)->next;
    if (is_last)
        *place = session->next;
    pthread_mutex_unlock(&pool->lock);
    if (!is_last)
        return;
    while (ubi__session_pool_drop_one(pool, session->number))
        ;
    session_empty(session);
    ubi__session_slots_free(session->slots);
    ubi_graph_unref(session->given);
    UBI_ASSERT(atomic_load(&session->answers.held_bytes) == 0);
    if (session->label)
        a->free(a->ctx, session->label, strlen(session->label) + 1);
    a->free(a->ctx, session, sizeof *session + session->name_bytes);
    ubi_session_pool_unref(pool);
}

ubi_session_kind ubi_session_kind_of(const ubi_session *session) {
    return session->kind;
}

bool ubi__session_is_repeatable(const ubi_session *session) {
    return session->given || session->permanent || strcmp(session->name, "-") != 0;
}

uint64_t ubi__session_number(const ubi_session *session) {
    return session->number;
}

ubi_session *ubi__session_numbered(ubi_session_pool *pool, uint64_t number) {
    pthread_mutex_lock(&pool->lock);
    ubi_session *session = pool->sessions;
    while (session && session->number != number)
        session = session->next;
    if (session)
        session->n_refs++;
    pthread_mutex_unlock(&pool->lock);
    return session;
}

ubi_session_pool *ubi__session_pool_of(const ubi_session *session) {
    return session->pool;
}

const char *ubi_session_name(const ubi_session *session) {
    return session->label ? session->label : session->name;
}

ubi_status ubi__session_call(ubi_session *session, const char *label) {
    const ubi_allocator *a = session->pool->allocator;
    size_t n_bytes = strlen(label) + 1;
    UBI_ASSERT(!session->label);
    session->label = a->alloc(a->ctx, n_bytes);
    if (!session->label)
        return ubi__fail_nomem();
    memcpy(session->label, label, n_bytes);
    return UBI_OK;
}

const ubi_read_info *ubi_session_read_info(const ubi_session *session) {
    return &session->info;
}

/* What a part was computed for. With the lock. */
static void slot_key_show(char *out, size_t n, const ubi__session_slot *slot) {
    const ubi_session *like = slot->session->pool->sessions;
    while (like && like->number != slot->like)
        like = like->next;
    if (like)
        snprintf(out, n, "%s%slike %s", slot->key, slot->key[0] ? ", " : "", like->name);
    else
        snprintf(out, n, "%s", slot->key);
}

bool ubi_session_part_at(ubi_session_part_row *out, ubi_session *session, size_t i) {
    pthread_mutex_lock(&session->pool->lock);
    const ubi__session_slot *slot = session->slots;
    for (; slot && i > 0; i--)
        slot = slot->next;
    if (slot) {
        *out = (ubi_session_part_row){ .name = slot->type->name,
                                       .is_present = slot->state == UBI__SLOT_READY,
                                       .is_in_use = slot->n_holders > 0,
                                       .bytes = atomic_load(&slot->memory.held_bytes),
                                       .time_us = slot->time_us,
                                       .n_builds = slot->n_builds };
        slot_key_show(out->key, sizeof out->key, slot);
    }
    pthread_mutex_unlock(&session->pool->lock);
    return slot != NULL;
}
