/* SPDX-License-Identifier: MIT
 *
 * parallel.h: the same work over ranges of an array on several threads, and one task in parallel to another.
 */
#ifndef UBI_BASE_PARALLEL_H
#define UBI_BASE_PARALLEL_H

#include <pthread.h>

#include <ubiheap/core/base.h>

#define UBI__MAX_THREADS 64

/** Cores this process may use, at least 1. */
unsigned ubi__core_count(void);
/** 0 means one per core; never more than UBI__MAX_THREADS. */
unsigned ubi__thread_count(unsigned asked);

typedef void (*ubi__range_fn)(void *payload, uint64_t begin, uint64_t end, unsigned part);

/**
 * Cuts [0, n) into at most `threads` ranges (0 counts as 1) whose borders are multiples of `grain`, calls `fn` once for
 * each and waits. The caller's thread does one of them; if no thread starts, it does more. Parts are numbered from 0.
 */
void ubi__parallel_ranges(unsigned threads, uint64_t n, uint64_t grain, ubi__range_fn fn, void *payload);

/** One call on a thread of its own. */
typedef struct ubi__task {
    void (*fn)(void *payload);
    void *payload;
    pthread_t thread;
    bool started;
} ubi__task;

/** Starts `fn(payload)` when `threads` allows a second one; else ubi__task_wait does the work. */
void ubi__task_start(ubi__task *task, unsigned threads, void (*fn)(void *payload), void *payload);
/** Returns when the call is done; its effects are visible then. */
void ubi__task_wait(ubi__task *task);

#endif
