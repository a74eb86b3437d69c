/* SPDX-License-Identifier: MIT
 *
 * lttng_pairs.c: what timeline_bench.c measures, with LTTng-UST: a pair of events with a name, while a session records them.
 *
 * Built and run by bench/timeline.sh where LTTng is installed. Writes {"row":"lttngPair","threads":1,"nsPerPair":[each turn]}.
 */
#define _GNU_SOURCE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_pairs_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAIRS = 100000 };

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double turn_ns(void) {
    double before_ns = cpu_ns();
    for (int i = 0; i < PAIRS; i++) {
        lttng_ust_tracepoint(ubiheap_bench, start, "some work");
        lttng_ust_tracepoint(ubiheap_bench, end, "some work");
    }
    return (cpu_ns() - before_ns) / PAIRS;
}

int main(int argc, char **argv) {
    unsigned turns = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 25;
    const struct timespec pause = { .tv_nsec = 50000000 }; /* for the daemon to take away what is in the buffers */
    if (!lttng_ust_tracepoint_enabled(ubiheap_bench, start)) {
        fprintf(stderr, "lttng_pairs: no session records the events\n");
        return 3;
    }
    turn_ns();
    printf("{\"row\":\"lttngPair\",\"threads\":1,\"nsPerPair\":[");
    for (unsigned turn = 0; turn < turns; turn++) {
        nanosleep(&pause, NULL);
        printf("%s%.2f", turn ? "," : "", turn_ns());
    }
    printf("]}\n");
    return 0;
}
