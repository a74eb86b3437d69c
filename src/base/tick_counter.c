/* SPDX-License-Identifier: MIT
 *
 * tick_counter.c: see tick_counter.h.
 */
#include "base/tick_counter.h"

#include <stdio.h>
#include <string.h>

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
