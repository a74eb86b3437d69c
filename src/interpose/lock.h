/* SPDX-License-Identifier: MIT
 *
 * lock.h: a lock for rare moments (a sampled block, a mapping), which neither allocates nor needs the thread library.
 *
 * Signals wait while it is held: a handler that allocates must not wait for the code that it interrupted, and one
 * that jumps out (siglongjmp) must not leave it held.
 */
#ifndef UBI_INTERPOSE_LOCK_H
#define UBI_INTERPOSE_LOCK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/assert.h"
#include "interpose/system_calls.h"

/** 0: free, 1: held, 2: held, and a thread waits. */
typedef _Atomic uint32_t ubi__lock;

#define UBI__LOCK_TRIES 100000u
_Static_assert(sizeof(ubi__lock) == 4, "a futex");

/** Which signals were blocked before; as the kernel has it. */
typedef uint64_t ubi__signals;
_Static_assert(8 * sizeof(ubi__signals) >= 64, "one bit for each signal of the kernel");

static inline ubi__signals ubi__signals_block(void) {
    static const ubi__signals all = UINT64_MAX;
    ubi__signals before = 0;
    (void)ubi__system(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&before, sizeof all, 0, 0);
    return before;
}

static inline void ubi__signals_restore(ubi__signals before) {
    (void)ubi__system(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, sizeof before, 0, 0);
}

/**
 * @return false: not taken. Only where the program has forbidden system calls (sealing.h): we cannot wait then, and the
 * holder may be the code that this signal handler interrupted.
 */
static inline bool ubi__lock_take(ubi__lock *lock, ubi__signals *before) {
    *before = ubi__signals_block();
    uint32_t seen = 0, tries = 0;
    if (atomic_compare_exchange_strong_explicit(lock, &seen, 1, memory_order_acquire, memory_order_relaxed))
        return true;
    while (atomic_exchange_explicit(lock, 2, memory_order_acquire) != 0)
        if (ubi__cannot_wait(ubi__futex_wait((const void *)lock, 2, false, NULL)) && ++tries > UBI__LOCK_TRIES) {
            ubi__signals_restore(*before);
            return false;
        }
    return true;
}

static inline void ubi__lock_give(ubi__lock *lock, ubi__signals before) {
    UBI_ASSERT(atomic_load_explicit(lock, memory_order_relaxed) != 0); /* it is held */
    if (atomic_exchange_explicit(lock, 0, memory_order_release) == 2)
        ubi__futex_wake((const void *)lock, 1);
    ubi__signals_restore(before);
}

#endif
