/* SPDX-License-Identifier: MIT
 *
 * tick_counter.h: the processor's counter, as a clock: the cheapest there is, of an unknown rate.
 *
 * A leaf: it is read inside of other programs, too, which are told by the ubiheap process whether it is good.
 */
#ifndef UBI_BASE_TICK_COUNTER_H
#define UBI_BASE_TICK_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/** 0 where there is none. Cost: some 20 cycles. */
static inline uint64_t ubi__tick_counter(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/** Whether the counter runs evenly on all processors, also while they sleep, and the system itself trusts it. Not for hooks. */
bool ubi__tick_counter_is_good(void);
/** A number of ticks that takes at most a quarter of a millisecond at any rate. */
uint64_t ubi__tick_counter_quarter_ms(void);

#endif
