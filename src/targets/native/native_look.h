/* SPDX-License-Identifier: MIT
 *
 * native_look.h: a thread that looks now and then what the resident memory of recorded processes is used for.
 *
 * A look takes milliseconds to seconds (memory_use.h), for which the thread that records must not stand still.
 *
 *     look = ubi__native_look_new(looks, pid);
 *     ubi__native_look_ask(look)                      from time to time
 *     if (ubi__native_look_take(look, &table, ...))   what was found since; the taker's
 *     ubi__native_look_free(look)                     also while the thread is at it
 */
#ifndef UBI_TARGETS_NATIVE_NATIVE_LOOK_H
#define UBI_TARGETS_NATIVE_NATIVE_LOOK_H

#include <pthread.h>
#include <sys/types.h>

#include "recording/residence.h"

typedef struct ubi__native_look ubi__native_look;

typedef struct ubi__native_looks {
    const ubi_allocator *allocator;
    pthread_t thread;
    pthread_mutex_t lock; /* of the queue, and of what looks have found */
    pthread_cond_t changed;
    ubi__native_look *first, **last; /* those that are asked for */
    bool is_over;
} ubi__native_looks;

/** Errors: UBI_EIO. */
ubi_status ubi__native_looks_start(ubi__native_looks *looks, const ubi_allocator *allocator);
/** All looks have been freed, those apart that the thread is at. */
void ubi__native_looks_stop(ubi__native_looks *looks);

/** NULL: no memory, or the process is gone. */
ubi__native_look *ubi__native_look_new(ubi__native_looks *looks, pid_t pid);
/** NULL is fine. */
void ubi__native_look_free(ubi__native_look *look);
/** Nothing, when it was asked for already, or what was found is still here. */
void ubi__native_look_ask(ubi__native_look *look);
/**
 * @param at_ns    out: when, by the monotonic clock. @param took_ns  out: processor time that it took.
 * @return whether `out` is the caller's now. Each look that is asked for gives one, unless nothing could be seen: then none.
 */
bool ubi__native_look_take(ubi__native_look *look, ubi__residence *out, uint64_t *at_ns, uint64_t *took_ns);

#endif
