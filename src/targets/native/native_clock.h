/* SPDX-License-Identifier: MIT
 *
 * native_clock.h: a thread that moves the clocks of recorded programs every millisecond.
 *
 * The clock is also our sign of life, so it keeps moving while the recording process writes to a slow disk or looks
 * for symbols.
 */
#ifndef UBI_TARGETS_NATIVE_CLOCK_H
#define UBI_TARGETS_NATIVE_CLOCK_H

#include <pthread.h>

#include "base/alloc.h"
#include "recording/preload_area.h"

/** One clock. Its owner has it from _add to _remove, at one place. */
typedef struct ubi__native_clock_face {
    ubi__preload_area *area;
    uint64_t zero_ns; /* of the monotonic clock, when it showed 0 */
    struct ubi__native_clock_face *next, *previous;
} ubi__native_clock_face;

typedef struct ubi__native_clock {
    pthread_t thread;
    pthread_mutex_t lock; /* of the list */
    pthread_cond_t changed;
    ubi__native_clock_face *first;
    bool is_over;
} ubi__native_clock;

/** Of CLOCK_MONOTONIC. */
uint64_t ubi__native_now_ns(void);

/** The list is the same in both directions. Call with the lock. */
void ubi__native_clock_check(const ubi__native_clock *clock);
/** Errors: UBI_EIO: no thread. */
ubi_status ubi__native_clock_start(ubi__native_clock *clock);
void ubi__native_clock_stop(ubi__native_clock *clock);
/** `face->area` and `face->zero_ns` are set. */
void ubi__native_clock_add(ubi__native_clock *clock, ubi__native_clock_face *face);
/** Once it returns, the area is not touched any more. */
void ubi__native_clock_remove(ubi__native_clock *clock, ubi__native_clock_face *face);

#endif
