/* SPDX-License-Identifier: MIT
 *
 * tool_clock.c: CLOCK_MONOTONIC, from the moment that the system notes as the start of this process.
 *
 * That moment is known to a hundredth of a second. Where it cannot be read, time starts with the first question.
 */
#include "engines/quickjs/tool_clock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static uint64_t started_ns; /* on CLOCK_MONOTONIC; set once */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The 22nd field of the process's stat file: the start in ticks since boot. The second, a name, may hold anything. */
static uint64_t start_since_boot_ns(void) {
    char text[1024];
    FILE *file = fopen("/proc/self/stat", "re");
    if (!file)
        return UINT64_MAX;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = 0;
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    unsigned long long ticks;
    long per_second = sysconf(_SC_CLK_TCK);
    if (!at || per_second <= 0 || sscanf(at, "%llu", &ticks) != 1)
        return UINT64_MAX;
    return (uint64_t)ticks * (1000000000 / (uint64_t)per_second);
}

static void find_start(void) {
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), since_boot_ns = clock_ns(CLOCK_BOOTTIME);
    uint64_t start_ns = start_since_boot_ns();
    uint64_t age_ns = start_ns < since_boot_ns ? since_boot_ns - start_ns : 0;
    started_ns = age_ns < now_ns ? now_ns - age_ns : 0;
}

uint64_t ubi__process_clock_ns(void) {
    pthread_once(&once, find_start);
    return clock_ns(CLOCK_MONOTONIC) - started_ns;
}

/* ---- the processor's counter ---------------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* The counter's speed is known when it was watched for a while; then it is trusted for about a millisecond at a time. */
#define WATCHED_NS 100000
#define TRUSTED_NS 1000000

static bool counter_runs_evenly(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

#define NO_USE UINT64_MAX /* as first_ticks */

static void learn(ubi__tick_clock *c, uint64_t ticks, uint64_t ns) {
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

#endif

uint64_t ubi__tick_clock_ask(ubi__tick_clock *c) {
    uint64_t ns = ubi__process_clock_ns();
#if defined(__x86_64__)
    learn(c, __rdtsc(), ns);
#endif
    return c->last_us = ns / 1000 > c->last_us ? ns / 1000 : c->last_us;
}
