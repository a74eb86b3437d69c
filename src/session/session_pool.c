/* SPDX-License-Identifier: MIT
 *
 * session_pool.c: pools: memory that counts, the limit, and what is dropped at it; see session_inside.h.
 */
#include <string.h>
#include <unistd.h>

#include "base/memory_limits.h"
#include "base/status.h"
#include "session/session_inside.h"

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

/* What is quickly made again, and then what was not used for longer. */
static bool slot_goes_before(const ubi__session_slot *a, const ubi__session_slot *b) {
    if (a->type->is_quickly_made != b->type->is_quickly_made)
        return a->type->is_quickly_made;
    return a->used_at < b->used_at;
}

static ubi__session_slot *slot_least_used(const ubi_session_pool *pool, uint64_t like) {
    ubi__session_slot *least = NULL;
    for (ubi_session *s = pool->sessions; s; s = s->next)
        for (ubi__session_slot *slot = s->slots; slot; slot = slot->next)
            if (slot_is_droppable(slot, like) && (!least || slot_goes_before(slot, least)))
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
    ubi__part_memory_init(&pool->answers, pool);
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

const ubi_allocator *ubi__session_pool_allocator(const ubi_session_pool *pool) {
    return &pool->answers.allocator;
}

void ubi__session_pool_set_namer(ubi_session_pool *pool, ubi__recording_namer *namer) {
    pool->namer = namer;
}

void ubi__session_pool_set_remotes(ubi_session_pool *pool, const ubi__remote_scheme *const *schemes) {
    pool->remotes = schemes;
}

void ubi__session_pool_set_witness(ubi_session_pool *pool, ubi__remote_witness witness) {
    pool->witness = witness;
}

bool ubi__session_pool_is_address(const ubi_session_pool *pool, const char *path) {
    return ubi__remote_is_address(path, pool->remotes);
}

void ubi_session_pool_drop_unused(ubi_session_pool *pool) {
    while (ubi__session_pool_drop_one(pool, 0))
        ;
}
