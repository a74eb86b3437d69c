/* SPDX-License-Identifier: MIT
 *
 * process_clock.c: CLOCK_MONOTONIC, from the moment that the system notes as the start of this process.
 *
 * That moment is known to a hundredth of a second. Where it cannot be read, time starts with the first question.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/core/base.h>

#include "base/process_clock.h"

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

uint64_t ubi_process_clock_ns(void) {
    pthread_once(&once, find_start);
    return clock_ns(CLOCK_MONOTONIC) - started_ns;
}

uint64_t ubi__process_clock_of(uint64_t monotonic_ns) {
    pthread_once(&once, find_start);
    return monotonic_ns > started_ns ? monotonic_ns - started_ns : 0;
}
