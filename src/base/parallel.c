/* SPDX-License-Identifier: MIT
 *
 * parallel.c: static partition of a range over short-lived threads (parallel.h).
 */
#define _GNU_SOURCE
#include "base/parallel.h"

#include <sched.h>

#include "base/assert.h"

typedef struct range {
    ubi__range_fn fn;
    void *payload;
    uint64_t begin, end;
    unsigned part;
    pthread_t thread;
    bool started;
} range;

unsigned ubi__core_count(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int n = CPU_COUNT(&set);
    return n < 1 ? 1 : (unsigned)n;
}

unsigned ubi__thread_count(unsigned asked) {
    unsigned n = asked ? asked : ubi__core_count();
    return n > UBI__MAX_THREADS ? UBI__MAX_THREADS : n;
}

static void *run_range(void *payload) {
    range *r = payload;
    r->fn(r->payload, r->begin, r->end, r->part);
    return NULL;
}

void ubi__parallel_ranges(unsigned threads, uint64_t n, uint64_t grain, ubi__range_fn fn, void *payload) {
    range ranges[UBI__MAX_THREADS];
    uint64_t n_grains = (n + grain - 1) / grain;
    unsigned n_parts = threads > UBI__MAX_THREADS ? UBI__MAX_THREADS : threads ? threads : 1;
    if (n_parts > n_grains)
        n_parts = (unsigned)n_grains;
    for (unsigned i = 0; i < n_parts; i++) {
        uint64_t begin = n_grains * i / n_parts * grain, end = n_grains * (i + 1) / n_parts * grain;
        ranges[i] = (range){ fn, payload, begin, end < n ? end : n, i, 0, false };
    }
    for (unsigned i = 0; UBI_CHECKS && i < n_parts; i++)
        UBI_ASSERT(ranges[i].begin == (i ? ranges[i - 1].end : 0) && ranges[i].begin <= ranges[i].end);
    UBI_ASSERT(n_parts == 0 ? n == 0 : ranges[n_parts - 1].end == n); /* every row is in one range */
    for (unsigned i = 1; i < n_parts; i++)
        ranges[i].started = pthread_create(&ranges[i].thread, NULL, run_range, &ranges[i]) == 0;
    for (unsigned i = 0; i < n_parts; i++)
        if (!ranges[i].started)
            run_range(&ranges[i]);
    for (unsigned i = 1; i < n_parts; i++)
        if (ranges[i].started)
            pthread_join(ranges[i].thread, NULL);
}

static void *run_task(void *payload) {
    ubi__task *task = payload;
    task->fn(task->payload);
    return NULL;
}

void ubi__task_start(ubi__task *task, unsigned threads, void (*fn)(void *payload), void *payload) {
    *task = (ubi__task){ .fn = fn, .payload = payload };
    task->started = threads > 1 && pthread_create(&task->thread, NULL, run_task, task) == 0;
}

void ubi__task_wait(ubi__task *task) {
    if (task->started)
        pthread_join(task->thread, NULL);
    else
        run_task(task);
}
