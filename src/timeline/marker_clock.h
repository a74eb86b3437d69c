/* SPDX-License-Identifier: MIT
 *
 * marker_clock.h: time that costs little to read, in ticks, and what it is on the clock of the process.
 *
 * A tick is one step of the processor's counter where that runs evenly and the system itself trusts it, else a nanosecond of
 * CLOCK_MONOTONIC. Ticks are compared over threads. Logs note a *point*, the same moment on both clocks, every tenth of a
 * second, so that what is converted is never far from a point: the rate need not be exact, and it may change.
 */
#ifndef UBI_TIMELINE_MARKER_CLOCK_H
#define UBI_TIMELINE_MARKER_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

/** A moment on both clocks. */
typedef struct ubi__tick_point {
    uint64_t ticks, ns;
} ubi__tick_point;

/** A point may be this old: a tenth of a second for a counter of 2.7 GHz. */
#define UBI__TICKS_BETWEEN_POINTS (UINT64_C(1) << 28)

/** Whether ticks are those of the counter; set by ubi__ticks_choose. */
extern bool ubi__ticks_are_counted;
/** Decides what a tick is. Before any tick is read, once; again does no harm. */
void ubi__ticks_choose(void);

/** Nanoseconds of CLOCK_MONOTONIC. */
uint64_t ubi__ticks_asked(void);

static inline uint64_t ubi__ticks(void) {
    return __builtin_expect(ubi__ticks_are_counted, 1) ? ubi__tick_counter() : ubi__ticks_asked();
}

/** Now. Cost: some hundred nanoseconds. */
ubi__tick_point ubi__tick_point_now(void);

/** How fast ticks are. All zero at first. Guard it with a lock. */
typedef struct ubi__tick_rate {
    ubi__tick_point older,
        old; /* the rate is measured from `older` to now, which is 10 to 20 seconds once that time has passed */
    double ns_per_tick;
} ubi__tick_rate;

/** Gives it the time. The first call starts the measurement; make it well before the rate is needed. */
void ubi__tick_rate_learn(ubi__tick_rate *rate, ubi__tick_point now);
/** What `ticks` was, seen from a point that is near. */
static inline uint64_t ubi__tick_ns(double ns_per_tick, ubi__tick_point near, uint64_t ticks) {
    double passed_ns = (double)(int64_t)(ticks - near.ticks) * ns_per_tick;
    return passed_ns < 0 && -passed_ns > (double)near.ns ? 0 : near.ns + (uint64_t)(int64_t)passed_ns;
}

#endif
