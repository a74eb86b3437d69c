/* SPDX-License-Identifier: MIT
 *
 * live_heap.c: see live_heap.h.
 */
#include <stdio.h>
#include <time.h>

#include "jobs/live_heap_inside.h"

#define DOZE_NS 50000000

const char *ubi__live_link_name(ubi__live_link link) {
    static const char *const names[] = { "here", "ended", "idle", "connected", "lost" };
    return names[link];
}

void ubi__live_heap_init(ubi__live_heap *heap, const ubi__live_heap_ops *ops, const char *name) {
    heap->ops = ops;
    atomic_init(&heap->n_refs, 1);
    atomic_init(&heap->has_ended, false);
    snprintf(heap->name, sizeof heap->name, "%s", name);
}

void ubi__live_heap_doze(pthread_cond_t *changed, pthread_mutex_t *lock) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += DOZE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(changed, lock, &until);
}

ubi__live_heap *ubi__live_heap_ref(ubi__live_heap *heap) {
    atomic_fetch_add(&heap->n_refs, 1);
    return heap;
}

void ubi__live_heap_unref(ubi__live_heap *heap) {
    if (heap && atomic_fetch_sub(&heap->n_refs, 1) == 1)
        heap->ops->free(heap);
}

void ubi__live_heap_end(ubi__live_heap *heap) {
    heap->ops->end(heap);
}

void ubi__live_heap_note_end(ubi__live_heap *heap) {
    atomic_store(&heap->has_ended, true);
}

const char *ubi__live_heap_name(const ubi__live_heap *heap) {
    return heap->name;
}

const char *ubi__live_heap_kind(const ubi__live_heap *heap) {
    return heap->ops->kind(heap);
}

bool ubi__live_heap_is(const ubi__live_heap *heap, ubi_target target) {
    return heap->ops->is(heap, target);
}

void ubi__live_heap_state(ubi__live_state *out, ubi__live_heap *heap) {
    heap->ops->state(out, heap);
    if (out->link == UBI__LIVE_HERE && atomic_load(&heap->has_ended))
        out->link = UBI__LIVE_ENDED;
}

ubi_status ubi__live_heap_save(ubi__live_heap *heap, const char *path, const ubi_progress *progress) {
    return heap->ops->save(heap, path, progress);
}

ubi_status ubi__live_heap_collect(ubi__live_heap *heap, const ubi_progress *progress) {
    return heap->ops->collect(heap, progress);
}

ubi_status ubi__live_heap_measure(ubi__live_heap *heap, ubi_measure_fn fn, void *payload,
                                  const ubi_progress *progress) {
    return heap->ops->measure(heap, fn, payload, progress);
}

ubi_status ubi__live_heap_record(ubi__live_heap *heap, const ubi__live_recording *wanted,
                                 const ubi_progress *progress) {
    return heap->ops->record(heap, wanted, progress);
}
