/* SPDX-License-Identifier: MIT
 *
 * pop_cost_driver.c BEFORE POPS: marks and pops BEFORE markers, then one marker for each of POPS pops.
 *
 * It has a clock of its own, for what a log does depends on the time that passes: it notes the time now and then.
 */
#include <stdio.h>
#include <stdlib.h>

#include <time.h>

#include <ubiheap/core/timeline.h>

#include "timeline/marker_clock.h"

/* In the place of the C library's: a microsecond later at each look. */
int clock_gettime(clockid_t clock, struct timespec *out) {
    static long now_us = 1000000;
    (void)clock;
    now_us++;
    *out = (struct timespec){ now_us / 1000000, now_us % 1000000 * 1000 };
    return 0;
}

static void mark(uint64_t n) {
    for (uint64_t i = 0; i < n; i++)
        ubi_marker_emit("A", UBI_MARKER_FLAGS(UBI_MARKER_TIMESTAMP, UBI_MARKER_STACK), NULL);
}

static void pop(ubi_timeline_target *t, size_t n_rows) {
    ubi_timeline_markers *m;
    if (ubi_timeline_target_pop_profile_timeline_markers(t, &m) != UBI_OK || ubi_timeline_markers_count(m) != n_rows)
        exit(EXIT_FAILURE);
    ubi_timeline_markers_free(m);
}

int main(int argc, char **argv) {
    ubi_timeline_target *t;
    uint64_t n_before = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, n_pops = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (!n_pops || ubi_timeline_target_new(&t, NULL) != UBI_OK ||
        ubi_timeline_target_set_record_profile_timeline_markers(t, true) != UBI_OK)
        return EXIT_FAILURE;
    ubi__ticks_are_counted = false; /* the processor's counter: the clock is looked at instead */
    mark(n_before);
    pop(t, n_before);
    for (uint64_t i = 0; i < n_pops; i++) {
        mark(1);
        pop(t, 1);
    }
    ubi_timeline_target_free(t);
    return EXIT_SUCCESS;
}
