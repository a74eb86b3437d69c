/* SPDX-License-Identifier: MIT
 *
 * native_live.c: see native_live.h.
 */
#include "targets/native/native_live.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "targets/native/native_clock.h"

static void modules_fini(ubi__vec_live_module *modules, const ubi_allocator *a) {
    for (size_t i = 0; i < modules->n; i++)
        ubi__free_array(a, modules->at[i].path, modules->at[i].path_bytes + 1, 1);
    ubi__vec_live_module_fini(modules, a);
}

static ubi_status module_push(ubi__vec_live_module *to, const ubi__live_module *module, const ubi_allocator *a) {
    ubi__live_module kept = *module;
    UBI_TRY(ubi__vec_live_module_reserve(to, a, 1));
    kept.path = ubi__alloc_array(a, kept.path_bytes + 1, 1);
    if (!kept.path)
        return ubi__fail_nomem();
    memcpy(kept.path, module->path, kept.path_bytes);
    kept.path[kept.path_bytes] = '\0';
    to->at[to->n++] = kept;
    return UBI_OK;
}

void ubi__native_live_init(ubi__native_live *live, const ubi_allocator *allocator) {
    *live = (ubi__native_live){ .allocator = allocator, .lock = PTHREAD_MUTEX_INITIALIZER };
}

/* The first of the rest. */
static void process_free(ubi__native_live *live, ubi__live_process **at) {
    ubi__live_process *p = *at;
    *at = p->next;
    ubi__live_sums_fini(&p->sums);
    modules_fini(&p->modules, live->allocator);
    UBI_DELETE(live->allocator, p);
}

void ubi__native_live_fini(ubi__native_live *live) {
    while (live->processes)
        process_free(live, &live->processes);
    pthread_mutex_destroy(&live->lock);
}

ubi__live_process *ubi__native_live_begin(ubi__native_live *live, pid_t pid, const char *name, uint64_t period_bytes,
                                          uint64_t began_ns) {
    ubi__live_process *p = UBI_NEW(live->allocator, ubi__live_process);
    pthread_mutex_lock(&live->lock);
    if (p) {
        p->number = ++live->n_processes;
        p->pid = pid;
        snprintf(p->name, sizeof p->name, "%s", name);
        p->period_bytes = period_bytes;
        p->began_ns = began_ns;
        ubi__live_sums_init(&p->sums, live->allocator);
        p->next = live->processes;
        live->processes = p;
    } else
        live->is_short_of_memory = true;
    pthread_mutex_unlock(&live->lock);
    return p;
}

static uint32_t recorded_count(const ubi__native_live *live) {
    uint32_t n = 0;
    for (const ubi__live_process *p = live->processes; p; p = p->next)
        n += p->ended_ns == 0;
    return n;
}

void ubi__native_live_resident(ubi__native_live *live, ubi__live_process *p, uint64_t bytes) {
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    p->resident_bytes = bytes;
    pthread_mutex_unlock(&live->lock);
}

void ubi__native_live_end(ubi__native_live *live, ubi__live_process *p) {
    pthread_mutex_lock(&live->lock);
    p->ended_ns = ubi__native_now_ns();
    if (recorded_count(live) > 0)
        for (ubi__live_process **at = &live->processes; *at; at = &(*at)->next)
            if (*at == p) {
                process_free(live, at);
                break;
            }
    pthread_mutex_unlock(&live->lock);
}

void ubi__native_live_note(ubi__native_live *live, ubi_status status) {
    live->is_short_of_memory |= status != UBI_OK;
}

void ubi__native_live_module(ubi__native_live *live, ubi__live_process *p, const ubi__live_module *module) {
    ubi__native_live_note(live, module_push(&p->modules, module, live->allocator));
}

/* ---- copies --------------------------------------------------------------------------------------------------------- */

void ubi__live_copy_init(ubi__live_copy *copy, const ubi_allocator *allocator) {
    *copy = (ubi__live_copy){ .allocator = allocator };
}

void ubi__live_copy_fini(ubi__live_copy *copy) {
    ubi__vec_live_trace_fini(&copy->traces, copy->allocator);
    ubi__vec_live_frame_fini(&copy->frames, copy->allocator);
    modules_fini(&copy->modules, copy->allocator);
}

/* The one that is wanted. Else: one that is recorded before one that has ended; then the one with most; then the first. */
static const ubi__live_process *process_choose(const ubi__native_live *live, uint32_t wanted) {
    const ubi__live_process *best = NULL;
    for (const ubi__live_process *p = live->processes; p; p = p->next) {
        if (p->number == wanted && !p->ended_ns)
            return p;
        bool is_better =
            !best || (best->ended_ns && !p->ended_ns) ||
            ((best->ended_ns == 0) == (p->ended_ns == 0) && p->sums.totals.live_bytes >= best->sums.totals.live_bytes);
        if (is_better)
            best = p;
    }
    return best;
}

/* Stacks and frames keep their numbers, and only their sums change: but that is most of them. */
static ubi_status tables_copy(ubi__live_copy *copy, const ubi__live_process *p) {
    const ubi_allocator *a = copy->allocator;
    if (p->number != copy->number) {
        modules_fini(&copy->modules, a);
        copy->traces.n = copy->frames.n = 0;
    }
    copy->traces.n = 0;
    UBI_TRY(ubi__vec_live_trace_reserve(&copy->traces, a, p->sums.traces.n));
    UBI_TRY(ubi__vec_live_frame_reserve(&copy->frames, a, p->sums.frames.n - copy->frames.n));
    while (copy->modules.n < p->modules.n)
        UBI_TRY(module_push(&copy->modules, &p->modules.at[copy->modules.n], a));
    if (p->sums.traces.n)
        memcpy(copy->traces.at, p->sums.traces.at, p->sums.traces.n * sizeof *copy->traces.at);
    if (p->sums.frames.n)
        memcpy(copy->frames.at, p->sums.frames.at, p->sums.frames.n * sizeof *copy->frames.at);
    copy->traces.n = p->sums.traces.n;
    copy->frames.n = p->sums.frames.n;
    return UBI_OK;
}

static ubi_status process_copy(ubi__live_copy *copy, const ubi__live_process *p) {
    uint64_t now_ns = p->ended_ns ? p->ended_ns : ubi__native_now_ns();
    UBI_TRY(tables_copy(copy, p));
    copy->number = p->number;
    copy->pid = p->pid;
    memcpy(copy->name, p->name, sizeof copy->name);
    copy->period_bytes = p->period_bytes;
    copy->resident_bytes = p->resident_bytes;
    copy->duration_us = now_ns > p->began_ns ? (now_ns - p->began_ns) / 1000 : 0;
    copy->has_ended = p->ended_ns != 0;
    copy->totals = p->sums.totals;
    copy->curve = p->sums.curve;
    ubi__live_curve_note(&copy->curve, copy->duration_us, copy->totals.live_bytes);
    return UBI_OK;
}

ubi_status ubi__native_live_copy(ubi__native_live *live, ubi__live_copy *copy) {
    pthread_mutex_lock(&live->lock);
    const ubi__live_process *p = process_choose(live, copy->wanted);
    if (p && p->number != copy->wanted) /* it is over */
        copy->wanted = 0;
    ubi_status status = p ? process_copy(copy, p) : UBI_OK;
    copy->n_processes = live->n_processes;
    copy->n_recorded = recorded_count(live);
    copy->is_short_of_memory = live->is_short_of_memory;
    pthread_mutex_unlock(&live->lock);
    return status;
}

void ubi__native_live_want_next(ubi__native_live *live, ubi__live_copy *copy) {
    uint32_t from = copy->wanted, next = 0;
    pthread_mutex_lock(&live->lock);
    for (const ubi__live_process *p = live->processes; p; p = p->next)
        if (!p->ended_ns && p->number > from && (next == 0 || p->number < next))
            next = p->number;
    pthread_mutex_unlock(&live->lock);
    copy->wanted = next;
}
