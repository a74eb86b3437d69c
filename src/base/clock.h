/* SPDX-License-Identifier: MIT
 *
 * clock.h: the processor's counter, the cheapest clock there is, of an unknown rate; and the clock of this process.
 *
 * A leaf: it is read inside of other programs, too, which learn from the ubiheap process whether the counter is good.
 */
#ifndef UBI_BASE_CLOCK_H
#define UBI_BASE_CLOCK_H

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

/* ---- time of this process ----------------------------------------------------------------------------------------- */

/** What ubi_process_clock_ns said when CLOCK_MONOTONIC was at `monotonic_ns`; 0 for a time before the process started. */
uint64_t ubi__process_clock_of(uint64_t monotonic_ns);

#endif
