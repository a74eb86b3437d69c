/* SPDX-License-Identifier: MIT
 *
 * marker_clock.c: see marker_clock.h.
 */
#define _GNU_SOURCE
#include "timeline/marker_clock.h"

#include <time.h>

#include <ubiheap/core/base.h>

/* Points are taken this often, and the one that took the shortest time counts. */
#define TRIES 3
#define RATE_NS UINT64_C(10000000000)

bool ubi__ticks_are_counted;

uint64_t ubi__ticks_asked(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void ubi__ticks_choose(void) {
    ubi__ticks_are_counted = ubi__tick_counter_is_good();
}

ubi__tick_point ubi__tick_point_now(void) {
    ubi__tick_point best = { 0, 0 };
    uint64_t best_length = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = ubi__ticks(), ns = ubi_process_clock_ns(), length = ubi__ticks() - before;
        if (length < best_length) {
            best_length = length;
            best = (ubi__tick_point){ before + length / 2, ns };
        }
    }
    return best;
}

void ubi__tick_rate_learn(ubi__tick_rate *rate, ubi__tick_point now) {
    if (rate->older.ticks == 0 || now.ticks <= rate->older.ticks || now.ns <= rate->older.ns) {
        *rate = (ubi__tick_rate){ now, now, rate->ns_per_tick > 0 ? rate->ns_per_tick : 1 };
        return;
    }
    rate->ns_per_tick = (double)(now.ns - rate->older.ns) / (double)(now.ticks - rate->older.ticks);
    if (now.ns - rate->old.ns >= RATE_NS) {
        rate->older = rate->old;
        rate->old = now;
    }
}
