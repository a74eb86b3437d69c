/* SPDX-License-Identifier: MIT
 *
 * recorder.c: see recorder.h.
 */
#include "recording/recorder.h"

#include <stdlib.h>

#include "base/assert.h"

/* Each entry is of an allocation. */
static void check_live(const ubi__recorder *r, const ubi__live_table *table) {
    for (size_t i = 0; UBI_CHECKS && i < table->table.n_slots; i++) {
        const ubi__live *live = &table->table.slots[i];
        UBI_ASSERT(!ubi__live_is_used(live) || live->event < r->recording.events.n);
        UBI_ASSERT(!ubi__live_is_used(live) || !r->recording.events.at[live->event].is_free);
    }
}

void ubi__recorder_check(const ubi__recorder *r) {
    const ubi__vec_event *events = &r->recording.events;
    UBI_ASSERT(r->is_marking || r->newer.table.n == 0);
    UBI_ASSERT(r->live.table.n + r->young.table.n + r->newer.table.n <= r->allocation_count);
    UBI_ASSERT(r->allocation_count <= events->n);
    if (!UBI_CHECKS)
        return;
    ubi__recording_check(&r->recording);
    check_live(r, &r->live);
    check_live(r, &r->young);
    check_live(r, &r->newer);
    uint64_t n = 0;
    for (size_t i = 0; i < events->n; i++) {
        UBI_ASSERT(events->at[i].is_free ? events->at[i].allocation <= n : events->at[i].allocation == n + 1);
        n += !events->at[i].is_free;
    }
    UBI_ASSERT(n == r->allocation_count);
}

ubi_status ubi__recorder_init(ubi__recorder *r, uint64_t period_bytes, const ubi__recorder_source *source,
                              const ubi_allocator *allocator) {
    *r = (ubi__recorder){ .source = *source };
    UBI_TRY(ubi__recording_init(&r->recording, period_bytes, allocator));
    ubi__byte_sampler_init(&r->sampler, period_bytes, source->random, source->payload);
    ubi__live_table_init(&r->live, r->recording.allocator);
    ubi__live_table_init(&r->young, r->recording.allocator);
    ubi__live_table_init(&r->newer, r->recording.allocator);
    return UBI_OK;
}

void ubi__recorder_fini(ubi__recorder *r) {
    ubi__recorder_check(r);
    ubi__recording_fini(&r->recording);
    ubi__live_table_fini(&r->live);
    ubi__live_table_fini(&r->young);
    ubi__live_table_fini(&r->newer);
}

/* Whether the call may proceed; then `leave` ends it. */
static bool recorder_enter(ubi__recorder *r) {
    if (r->depth) {
        r->inner_count++;
        return false;
    }
    r->depth++;
    UBI_ASSERT(r->is_marking || r->newer.table.n == 0);
    return true;
}

static ubi_status recorder_leave(ubi__recorder *r, ubi_status status) {
    UBI_ASSERT(r->depth == 1);
    r->depth--;
    r->lost_count += status != UBI_OK;
    return status;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

/* All that may fail comes first: then there is an event and its address is known, or neither. */
static ubi_status add_allocation(ubi__recorder *r, const ubi__allocation *a, uint64_t n, ubi__live_table *into) {
    ubi__recording *recording = &r->recording;
    ubi__event event = { .size_bytes = a->size_bytes, .thread = a->thread };
    UBI_TRY(ubi__vec_event_reserve(&recording->events, recording->allocator, 1));
    UBI_TRY(ubi__live_table_reserve(into, 1));
    UBI_TRY(ubi__strtab_intern(&recording->kinds, &event.kind, a->kind));
    UBI_TRY(r->source.stack(r->source.payload, &recording->traces, &event.trace));
    UBI_ASSERT(n > 0 && a->address != 0 && event.trace < r->recording.traces.rows.n);
    event.allocation = ++r->allocation_count;
    event.weight_bytes = ubi__sample_weight_bytes(a->size_bytes, recording->period_bytes, n);
    event.time_ns = r->source.now_ns(r->source.payload);
    ubi__live_table_put(into, a->address, recording->events.n);
    recording->events.at[recording->events.n++] = event;
    return UBI_OK;
}

static ubi_status allocated_into(ubi__recorder *r, const ubi__allocation *a, ubi__live_table *into) {
    bool is_exact = ubi__byte_sampler_is_exact(&r->sampler);
    uint64_t n = is_exact ? 1 : ubi__byte_sampler_add(&r->sampler, a->size_bytes);
    if (n == 0)
        return UBI_OK;
    return add_allocation(r, a, n, into);
}

/* The event of a free; there is room. One whose allocation was withdrawn has no weight either. */
static void put_free(ubi__recorder *r, ubi__event_ix of, uint64_t time_ns, uint32_t thread) {
    ubi__vec_event *events = &r->recording.events;
    ubi__event event = events->at[UBI_INDEX(of, events->n)];
    UBI_ASSERT(!event.is_free && events->n < events->cap);
    event.is_free = true;
    event.time_ns = time_ns;
    event.thread = thread;
    events->at[events->n++] = event;
}

static ubi_status reserve_frees(ubi__recorder *r, size_t n) {
    return ubi__vec_event_reserve(&r->recording.events, r->recording.allocator, n);
}

/* ---- heaps that free as things die -------------------------------------------------------------------------------- */

/* The allocation at this address, if there is one, does not count: its bytes are reported elsewhere. */
static void withdraw_from(ubi__recorder *r, ubi__live_table *table, uint64_t address) {
    ubi__live *live = ubi__live_table_find(table, address);
    if (!live)
        return;
    r->recording.events.at[live->event].weight_bytes = 0;
    ubi__live_table_remove(table, live);
}

/* What lives, among what is not judged while marking. */
static ubi__live_table *settled_table(ubi__recorder *r) {
    return r->is_marking ? &r->newer : &r->live;
}

ubi_status ubi__recorder_allocated(ubi__recorder *r, const ubi__allocation *a) {
    if (!recorder_enter(r))
        return UBI_OK;
    return recorder_leave(r, allocated_into(r, a, settled_table(r)));
}

ubi_status ubi__recorder_sampled(ubi__recorder *r, const ubi__allocation *a, uint64_t n) {
    if (!recorder_enter(r))
        return UBI_OK;
    return recorder_leave(r, add_allocation(r, a, n, settled_table(r)));
}

void ubi__recorder_withdraw(ubi__recorder *r, uint64_t address) {
    ubi__live_table *tables[] = { &r->live, &r->newer };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        withdraw_from(r, tables[i], address);
}

static ubi_status freed_in(ubi__recorder *r, ubi__live_table *table, ubi__live *live, uint32_t thread) {
    UBI_TRY(reserve_frees(r, 1));
    put_free(r, live->event, r->source.now_ns(r->source.payload), thread);
    ubi__live_table_remove(table, live);
    return UBI_OK;
}

ubi_status ubi__recorder_freed(ubi__recorder *r, uint64_t address, uint32_t thread) {
    ubi__live_table *tables[] = { &r->live, &r->newer };
    if (!recorder_enter(r))
        return UBI_OK;
    ubi_status status = UBI_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && status == UBI_OK; i++) {
        ubi__live *live = ubi__live_table_find(tables[i], address);
        if (live)
            status = freed_in(r, tables[i], live, thread);
    }
    return recorder_leave(r, status);
}

/* ---- collectors --------------------------------------------------------------------------------------------------- */

ubi_status ubi__recorder_allocated_young(ubi__recorder *r, const ubi__allocation *a) {
    if (!recorder_enter(r))
        return UBI_OK;
    return recorder_leave(r, allocated_into(r, a, &r->young));
}

static ubi_status promote_young(ubi__recorder *r, ubi__live *young, uint64_t address) {
    ubi__event_ix event = young->event;
    ubi__live_table *tables[] = { &r->live, &r->newer };
    UBI_TRY(ubi__live_table_reserve(settled_table(r), 1));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        withdraw_from(r, tables[i], address);
    ubi__live_table_put(settled_table(r), address, event);
    ubi__live_table_remove(&r->young, young);
    return UBI_OK;
}

ubi_status ubi__recorder_promoted(ubi__recorder *r, uint64_t young_address, uint64_t address) {
    if (!recorder_enter(r))
        return UBI_OK;
    ubi__live *young = ubi__live_table_find(&r->young, young_address);
    return recorder_leave(r, young ? promote_young(r, young, address) : UBI_OK);
}

static ubi_status move_live(ubi__live_table *table, ubi__live *live, uint64_t address) {
    ubi__event_ix event = live->event;
    bool marked = live->is_marked;
    ubi__live_table_remove(table, live);
    ubi__live_table_put(table, address, event); /* as many as before: there is room */
    ubi__live_table_find(table, address)->is_marked = marked;
    return UBI_OK;
}

ubi_status ubi__recorder_moved(ubi__recorder *r, uint64_t old_address, uint64_t address) {
    ubi__live_table *tables[] = { &r->live, &r->newer };
    if (!recorder_enter(r))
        return UBI_OK;
    ubi_status status = UBI_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        ubi__live *live = ubi__live_table_find(tables[i], old_address);
        if (live)
            status = move_live(tables[i], live, address);
    }
    return recorder_leave(r, status);
}

/* Frees for all of a table that are not marked. They go by the order of their allocations, not by their addresses. */
static int by_event(const void *a, const void *b) {
    ubi__event_ix x = *(const ubi__event_ix *)a, y = *(const ubi__event_ix *)b;
    return x < y ? -1 : x > y;
}

static ubi_status free_unmarked(ubi__recorder *r, const ubi__live_table *table, uint32_t thread) {
    const ubi_allocator *allocator = r->recording.allocator;
    size_t n = 0;
    if (table->table.n == 0)
        return UBI_OK;
    ubi__event_ix *dead = ubi__alloc_array(allocator, table->table.n, sizeof *dead);
    if (!dead)
        return ubi__fail_nomem();
    for (size_t i = 0; i < table->table.n_slots; i++) {
        const ubi__live *live = &table->table.slots[i];
        if (ubi__live_is_used(live) && !live->is_marked)
            dead[n++] = live->event;
    }
    ubi_status status = reserve_frees(r, n);
    if (status == UBI_OK && n) {
        uint64_t now_ns = r->source.now_ns(r->source.payload);
        qsort(dead, n, sizeof *dead, by_event);
        for (size_t i = 0; i < n; i++)
            put_free(r, dead[i], now_ns, thread);
    }
    ubi__free_array(allocator, dead, table->table.n, sizeof *dead);
    return status;
}

ubi_status ubi__recorder_young_swept(ubi__recorder *r, uint32_t thread) {
    if (!recorder_enter(r))
        return UBI_OK;
    ubi_status status = free_unmarked(r, &r->young, thread);
    ubi__live_table_clear(&r->young);
    check_live(r, &r->live);
    return recorder_leave(r, status);
}

void ubi__recorder_marking_begins(ubi__recorder *r) {
    r->is_marking = true;
}

void ubi__recorder_marked(ubi__recorder *r, uint64_t address) {
    ubi__live *live = r->is_marking ? ubi__live_table_find(&r->live, address) : NULL;
    if (live)
        live->is_marked = true;
}

/* What was marked stays, with what came meanwhile. */
static ubi_status keep_survivors(ubi__recorder *r) {
    const ubi__live_slots *old = &r->live.table;
    size_t n = 0;
    for (size_t i = 0; i < old->n_slots; i++)
        n += old->slots[i].is_marked;
    /* All at once: entries come in the order of their hashes, which fills a table that grows from one end (base/table.h). */
    UBI_TRY(ubi__live_table_reserve(&r->newer, n));
    for (size_t i = 0; i < old->n_slots; i++)
        if (old->slots[i].is_marked)
            ubi__live_table_put(&r->newer, old->slots[i].address, old->slots[i].event);
    return UBI_OK;
}

ubi_status ubi__recorder_swept(ubi__recorder *r, uint32_t thread) {
    if (!r->is_marking || !recorder_enter(r))
        return UBI_OK;
    ubi_status status = free_unmarked(r, &r->live, thread);
    if (status == UBI_OK)
        status = keep_survivors(r);
    ubi__live_table swept = r->live;
    r->live = r->newer;
    r->newer = swept;
    ubi__live_table_clear(&r->newer);
    r->is_marking = false;
    check_live(r, &r->live);
    return recorder_leave(r, status);
}
