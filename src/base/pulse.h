/* SPDX-License-Identifier: MIT
 *
 * pulse.h: whether long work is still wanted, asked by any of the threads that do it.
 *
 * A caller's progress function may be called on the caller's thread alone, but a helper can do most of the work. All ask the one
 * pulse: on the caller's thread that reports, on others it only looks whether a report was answered with a no.
 *
 *     ubi__pulse pulse = ubi__pulse_of(progress);
 *     for (node ...)
 *         if (ubi__unlikely(node % UBI__PULSE_NODES == 0) && !ubi__pulse_at(&pulse, "looking at nodes", node, n_nodes))
 *             return ubi__fail_cancelled();
 */
#ifndef UBI_BASE_PULSE_H
#define UBI_BASE_PULSE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/status.h"

/** Between two questions: a few milliseconds, even where each node and edge is a cache miss, and memory is fresh. */
#define UBI__PULSE_NODES 8192
#define UBI__PULSE_EDGES 32768

typedef struct ubi__pulse {
    const ubi_progress *progress; /* NULL: none */
    pthread_t caller;
    _Atomic bool must_stop; /* cancelled, or another part of the work failed */
    /* Of the caller's thread: what it reported last. */
    const char *stage;
    uint64_t done, total;
} ubi__pulse;

/** For work that the calling thread was asked for. */
ubi__pulse ubi__pulse_of(const ubi_progress *progress);
/** False: the work is no longer wanted. @param pulse  NULL: it always is. */
bool ubi__pulse_at(ubi__pulse *pulse, const char *stage, uint64_t done, uint64_t total);
/** The same where nothing new was done: the last report is repeated. */
bool ubi__pulse_again(ubi__pulse *pulse);
/** memset in steps: large memory that is fresh takes its time, for the system makes its pages. False: as above. */
bool ubi__pulse_fill(ubi__pulse *pulse, void *at, int byte, size_t n_bytes);
/** Whether any answer was a no. */
static inline bool ubi__pulse_is_stopped(ubi__pulse *pulse) {
    return pulse && atomic_load_explicit(&pulse->must_stop, memory_order_relaxed);
}
/** Ends the work of all threads that ask. */
static inline void ubi__pulse_stop(ubi__pulse *pulse) {
    atomic_store_explicit(&pulse->must_stop, true, memory_order_relaxed);
}

#endif
