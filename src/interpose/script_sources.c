/* SPDX-License-Identifier: MIT
 *
 * script_sources.c: see script_sources.h.
 *
 * A source is read by the thread alone that runs its scripts, for nothing else keeps them still: a slot says which. Its owner may
 * leave on another thread meanwhile, so it waits until that is over.
 */
#include "interpose/script_sources.h"

#include "interpose/system_calls.h"

#define SLOTS 64u

typedef struct ubi__source_slot {
    _Atomic(const ubi__script_source *) source; /* NULL: free */
    _Atomic uintptr_t thread;                   /* written by the source's owner */
    _Atomic uint32_t is_read;                   /* by that thread */
} slot;

static slot slots[SLOTS];
static _Atomic uint32_t slots_met; /* no other was ever taken */
static ubi__lock slots_lock;
static _Atomic(const ubi__script_source *) source_for_all;
static ubi__script_renew_fn *renew_for_all; /* of that */

/* ---- who shows frames --------------------------------------------------------------------------------------------- */

static void say_that_there_are(void) {
    atomic_fetch_or_explicit(&ubi__module_generation, UBI__SCRIPTS_THERE, memory_order_release);
}

void ubi__scripts_add_for_all(const ubi__script_source *source, ubi__script_renew_fn *renew) {
    renew_for_all = renew;
    atomic_store_explicit(&source_for_all, source, memory_order_release);
    say_that_there_are();
}

UBI__HOOK unsigned char *ubi_recorder_script_blocks(void) {
    return &ubi__this_thread.is_for_scripts;
}

void ubi__scripts_note(ubi__wire_scripts why) {
    ubi__wire_header *area = ubi__process_state.area;
    if (area)
        atomic_store_explicit(&area->scripts, (uint32_t)why, memory_order_relaxed);
}

UBI__HOOK _Atomic uintptr_t *ubi_recorder_join_scripts(const ubi__script_source *source) {
    ubi__signals before;
    slot *taken = NULL;
    (void)ubi__start();
    if (source->version != UBI__SCRIPT_SOURCE_VERSION || !ubi__process_state.is_on ||
        !ubi__lock_take(&slots_lock, &before))
        return NULL;
    for (size_t i = 0; i < SLOTS && !taken; i++)
        if (!atomic_load_explicit(&slots[i].source, memory_order_relaxed))
            taken = &slots[i];
    if (taken) {
        uint32_t n = (uint32_t)(taken - slots) + 1, met = atomic_load_explicit(&slots_met, memory_order_relaxed);
        atomic_store(&slots_met, n > met ? n : met);
        atomic_store_explicit(&taken->thread, ubi__script_thread(), memory_order_relaxed);
        atomic_store(&taken->source, source);
    }
    ubi__lock_give(&slots_lock, before);
    if (!taken)
        return NULL;
    say_that_there_are();
    return &taken->thread;
}

UBI__HOOK void ubi_recorder_leave_scripts(const ubi__script_source *source) {
    for (size_t i = 0; i < SLOTS; i++) {
        slot *s = &slots[i];
        if (atomic_load_explicit(&s->source, memory_order_relaxed) != source)
            continue;
        bool is_ours = atomic_load_explicit(&s->thread, memory_order_relaxed) == ubi__script_thread();
        atomic_store_explicit(&s->thread, 0, memory_order_relaxed);
        atomic_store(&s->source, NULL);
        while (!is_ours && atomic_load(&s->is_read))
            (void)ubi__system(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
}

void ubi__scripts_after_fork(void) {
    slots_lock = 0;
    for (size_t i = 0; i < SLOTS; i++)
        atomic_store_explicit(&slots[i].is_read, 0, memory_order_relaxed);
}

/* ---- who asks for them -------------------------------------------------------------------------------------------- */

bool ubi__script_sources_hold(ubi__held_sources *held) {
    uintptr_t thread = ubi__script_thread();
    held->n_slots = held->n = 0;
    size_t n_slots = atomic_load_explicit(&slots_met, memory_order_relaxed);
    for (size_t i = 0; i < n_slots && held->n_slots < UBI__SOURCES_OF_THREAD - 1; i++) {
        if (atomic_load_explicit(&slots[i].thread, memory_order_relaxed) != thread)
            continue;
        atomic_store(&slots[i].is_read, 1);
        held->slots[held->n_slots++] = &slots[i];
        const ubi__script_source *source = atomic_load(&slots[i].source);
        if (source && source->frames(source, NULL, 0, NULL, 0))
            held->sources[held->n++] = source;
    }
    const ubi__script_source *all = atomic_load_explicit(&source_for_all, memory_order_acquire);
    if (all && all->frames(all, NULL, 0, NULL, 0))
        held->sources[held->n++] = all;
    return held->n > 0;
}

const ubi__script_source *ubi__script_source_alone(ubi__script_renew_fn **renew) {
    const ubi__script_source *all = atomic_load_explicit(&source_for_all, memory_order_acquire);
    *renew = renew_for_all;
    return atomic_load_explicit(&slots_met, memory_order_relaxed) == 0 ? all : NULL;
}

void ubi__script_sources_release(ubi__held_sources *held) {
    for (size_t i = 0; i < held->n_slots; i++)
        atomic_store_explicit(&held->slots[i]->is_read, 0, memory_order_release);
    held->n_slots = 0;
}
