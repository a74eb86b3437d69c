/* SPDX-License-Identifier: MIT
 *
 * live_heap_inside.h: what a kind of live heap implements.
 */
#ifndef UBI_JOBS_LIVE_HEAP_INSIDE_H
#define UBI_JOBS_LIVE_HEAP_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "jobs/live_heap.h"

#define UBI__LIVE_LOG_LIMIT 5000

/** Each does what its function in live_heap.h says. */
typedef struct ubi__live_heap_ops {
    const char *(*kind)(const ubi__live_heap *heap);
    bool (*is)(const ubi__live_heap *heap, ubi_target target);
    void (*state)(ubi__live_state *out, ubi__live_heap *heap);
    ubi_status (*save)(ubi__live_heap *heap, const char *path, const ubi_progress *progress);
    ubi_status (*collect)(ubi__live_heap *heap, const ubi_progress *progress);
    ubi_status (*measure)(ubi__live_heap *heap, ubi_measure_fn fn, void *payload, const ubi_progress *progress);
    ubi_status (*record)(ubi__live_heap *heap, const ubi__live_recording *wanted, const ubi_progress *progress);
    void (*end)(ubi__live_heap *heap);
    void (*free)(ubi__live_heap *heap); /**< after the end */
} ubi__live_heap_ops;

/** The first member of each kind. */
struct ubi__live_heap {
    const ubi__live_heap_ops *ops;
    _Atomic uint32_t n_refs;
    atomic_bool has_ended; /**< its program has, by itself */
    char name[UBI__LIVE_HEAP_NAME_BYTES];
};

void ubi__live_heap_init(ubi__live_heap *heap, const ubi__live_heap_ops *ops, const char *name);

/** As long as it waits for something that others do: sleeps for 50 ms, or until `changed`. With the lock. */
void ubi__live_heap_doze(pthread_cond_t *changed, pthread_mutex_t *lock);

#endif
