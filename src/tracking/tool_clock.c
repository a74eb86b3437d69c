/* SPDX-License-Identifier: MIT
 *
 * tool_clock.c: see tool_clock.h.
 */
#include "tracking/tool_clock.h"

#include <stdbool.h>

#include <ubiheap/core/base.h>

#include "base/assert.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* ---- the processor's counter ---------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* The counter's speed is known when it was watched for a while; then it is trusted for about a millisecond at a time. */
#define WATCHED_NS 100000
#define TRUSTED_NS 1000000
#define MOMENT_TICKS                                                                                                   \
    (UINT64_C(1) << 16) /* some 20 microseconds: more than a question takes, less than an interruption */
#define MOST_TRIES 8

static bool counter_runs_evenly(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

#define NO_USE UINT64_MAX /* as first_ticks */

static void clock_learn(ubi__tick_clock *c, uint64_t ticks, uint64_t ns) {
    if (c->first_ticks == NO_USE)
        return;
    c->ticks = ticks;
    c->ns = ns;
    if (c->first_ticks == 0 || ticks <= c->first_ticks) { /* the first time, or the counter was set back */
        c->first_ticks = counter_runs_evenly() ? ticks : NO_USE;
        c->first_ns = ns;
        c->trusted_ticks = 0;
        return;
    }
    double passed_ns = (double)(ns - c->first_ns), passed_ticks = (double)(ticks - c->first_ticks);
    if (passed_ns < WATCHED_NS)
        return;
    c->ns_per_tick = (uint64_t)(passed_ns / passed_ticks * 0x1p32);
    c->trusted_ticks = (uint64_t)(passed_ticks / passed_ns * TRUSTED_NS);
    if (c->ns_per_tick >= UINT64_C(1) << 38 || c->trusted_ticks >= UINT64_C(1) << 26) /* no such processor */
        c->trusted_ticks = 0;
}

/* Counter and system are asked one after the other. When a busy machine runs another program in between, they are not of the
 * same moment, and every time until the next question would be wrong: that pair does not count. */
static void clock_compare(ubi__tick_clock *c, uint64_t *ns) {
    uint64_t before, length;
    int tries = 0;
    do {
        before = __rdtsc();
        *ns = ubi_process_clock_ns();
        length = __rdtsc() - before;
    } while (length > MOMENT_TICKS && ++tries < MOST_TRIES);
    clock_learn(c, before + length / 2, *ns);
}

#endif

uint64_t ubi__tick_clock_ask(ubi__tick_clock *c) {
    uint64_t ns;
#if defined(__x86_64__)
    clock_compare(c, &ns);
#else
    ns = ubi_process_clock_ns();
#endif
    UBI_ASSERT(c->trusted_ticks == 0 || c->ns_per_tick != 0);
    return c->last_us = ns / 1000 > c->last_us ? ns / 1000 : c->last_us;
}
