/* SPDX-License-Identifier: MIT
 *
 * clock.c: the processor's counter, and CLOCK_MONOTONIC from the start of this process on.
 */
#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ubiheap/core/base.h>

#if defined(__x86_64__)

#include <cpuid.h>

/* Counters run at the processor's nominal rate, and none of those that have an even one is slower than this. */
#define SLOWEST_HZ UINT64_C(1000000000)

/* The system compares the counters of all processors, and takes another clock when they differ. */
static bool system_trusts_counter(void) {
    char name[16] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!file)
        return false;
    bool is_read = fgets(name, sizeof name, file) != NULL;
    fclose(file);
    return is_read && strcmp(name, "tsc\n") == 0;
}

bool ubi__tick_counter_is_good(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) && system_trusts_counter();
}

uint64_t ubi__tick_counter_quarter_ms(void) {
    return SLOWEST_HZ / 4000;
}

#elif defined(__aarch64__)

bool ubi__tick_counter_is_good(void) {
    return true; /* by the architecture */
}

uint64_t ubi__tick_counter_quarter_ms(void) {
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz / 4000;
}

#else

bool ubi__tick_counter_is_good(void) {
    return false;
}

uint64_t ubi__tick_counter_quarter_ms(void) {
    return 0;
}

#endif

/* ---- time of this process ----------------------------------------------------------------------------------------- */

/*
 * That moment is known to a hundredth of a second. Where it cannot be read, time starts with the first question.
 */

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
