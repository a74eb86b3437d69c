/* SPDX-License-Identifier: MIT
 *
 * helper.h: a second thread that does chores beside its owner.
 *
 * Chores are done in the order in which they are given. The owner waits for each that it needs; one that has not been begun by
 * then it does itself. So nothing ever waits for a thread that is busy with something else, and where no second thread may
 * be had, the same code runs on one. A chore must not wait for another one, and what it reads must have been there when it
 * was given.
 */
#ifndef UBI_BASE_HELPER_H
#define UBI_BASE_HELPER_H

#include <pthread.h>

#include <ubiheap/core/base.h>

typedef struct ubi__chore {
    void (*fn)(void *payload);
    void *payload;
    struct ubi__chore *next; /* that was given after it */
    enum { UBI__CHORE_NONE, UBI__CHORE_GIVEN, UBI__CHORE_BEGUN } state;
} ubi__chore;

typedef struct ubi__helper {
    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t given, ended;
    /* guarded by `lock` when threaded */
    ubi__chore *first, *last; /* given and not begun */
    bool stop;
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
/** Returns when the chore is done; its effects are visible then. One that was not given, or is done, is not waited for. */
void ubi__helper_wait(ubi__helper *helper, ubi__chore *chore);

#endif
