/* SPDX-License-Identifier: MIT
 *
 * parallel.h: the same work over ranges of an array on several threads, and a helper: a second thread that does chores beside its
 * owner.
 */
#ifndef UBI_BASE_PARALLEL_H
#define UBI_BASE_PARALLEL_H

#include <pthread.h>

#include <ubiheap/core/base.h>

#include "base/pulse.h"
#include "base/server_api.h"

#define UBI__MAX_THREADS 64

/** Cores this process may use, at least 1. */
unsigned ubi__core_count(void);
/** 0 means one per core; never more than UBI__MAX_THREADS. */
UBI__SERVER_API unsigned ubi__thread_count(unsigned asked);

typedef void (*ubi__range_fn)(void *payload, uint64_t begin, uint64_t end, unsigned part);

/**
 * Cuts [0, n) into at most `threads` ranges (0 counts as 1) whose borders are multiples of `grain`, calls `fn` once for
 * each and waits. The caller's thread does one of them; if no thread starts, it does more. Parts are numbered from 0.
 */
void ubi__parallel_ranges(unsigned threads, uint64_t n, uint64_t grain, ubi__range_fn fn, void *payload);

/** Who does a piece of work, and what ends it early. */
typedef struct ubi__crew {
    unsigned threads;
    ubi__pulse *pulse; /* NULL: it is always wanted */
} ubi__crew;

/**
 * The same in pieces: each range is done by one call after the other, from its begin on, and the pulse is asked before each.
 * Borders of pieces are multiples of `grain`, too. Errors: UBI_ECANCELLED.
 */
ubi_status ubi__parallel_pieces(ubi__crew crew, const char *stage, uint64_t n, uint64_t grain, ubi__range_fn fn,
                                void *payload);

/* ---- a helper ----------------------------------------------------------------------------------------------------- */

/*
 * Chores are done in the order in which they are given. The owner waits for each that it needs; one that has not been begun by
 * then it does itself. So nothing ever waits for a thread that is busy with something else, and where no second thread may
 * be had, the same code runs on one. A chore must not wait for another one, and what it reads must have been there when it
 * was given.
 */

typedef struct ubi__chore {
    void (*fn)(void *payload);
    void *payload;
    struct ubi__chore *next; /* that was given after it */
    enum { UBI__CHORE_NONE, UBI__CHORE_GIVEN, UBI__CHORE_BEGUN } state;
} ubi__chore;

typedef struct ubi__helper {
    bool is_threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t given, ended;
    /* guarded by `lock` when threaded */
    ubi__chore *first, *last; /* given and not begun */
    bool must_stop;
} ubi__helper;

/** With the lock: what waits was given and not begun, and `last` is the end of it. O(chores that wait). */
void ubi__helper_check(const ubi__helper *helper);
/** The thread is started if `threads` is 2 or more and the system has one. */
void ubi__helper_start(ubi__helper *helper, unsigned threads);
/** Gives up what has not been begun, and waits for what has. May be called again. */
void ubi__helper_stop(ubi__helper *helper);

/** Gives `chore`, which is new, all zero or waited for, and must stay where it is until it is done or the helper stopped. */
void ubi__helper_give(ubi__helper *helper, ubi__chore *chore, void (*fn)(void *payload), void *payload);
/** Gives up a chore that has not been begun, and waits for one that has. One that was not given, or is done, is let be. */
void ubi__helper_drop(ubi__helper *helper, ubi__chore *chore);
/**
 * Returns when the chore is done; its effects are visible then. One that was not given, or is done, is not waited for.
 * @param pulse  is asked again while the helper works, which repeats its last report. A chore that asks the pulse ends soon when it says
 * stop. NULL: none.
 */
void ubi__helper_wait(ubi__helper *helper, ubi__chore *chore, ubi__pulse *pulse);

#endif
