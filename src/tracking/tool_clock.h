/* SPDX-License-Identifier: MIT
 *
 * tool_clock.h: the time since the process started.
 *
 * At one entry of a log per object, asking the system for the time would cost more than all else. Where the processor has a
 * counter that runs evenly, the system is asked once per millisecond and the counter in between: ubi__tick_clock.
 */
#ifndef UBI_TRACKING_TOOL_CLOCK_H
#define UBI_TRACKING_TOOL_CLOCK_H

#include <stdint.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/** Time between two questions to the system. All zero is a good start. One thread at a time. */
typedef struct ubi__tick_clock {
    uint64_t ticks, ns;             /* of the last question */
    uint64_t first_ticks, first_ns; /* of the first, for the speed of the counter */
    uint64_t ns_per_tick;           /* times 2^32 */
    uint64_t trusted_ticks;         /* how long the counter alone is good enough; 0: not yet known, or it is no use */
    uint64_t last_us;               /* never goes back */
} ubi__tick_clock;

uint64_t ubi__tick_clock_ask(ubi__tick_clock *c);

/** Microseconds since the start of the process; of one clock they never decrease. */
static inline uint64_t ubi__tick_clock_us(ubi__tick_clock *c) {
#if defined(__x86_64__)
    uint64_t passed = __rdtsc() - c->ticks;
    if (passed < c->trusted_ticks) {
        uint64_t us = (c->ns + (passed * c->ns_per_tick >> 32)) / 1000;
        return c->last_us = us > c->last_us ? us : c->last_us;
    }
#endif
    return ubi__tick_clock_ask(c);
}

#endif
