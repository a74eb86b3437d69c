/* SPDX-License-Identifier: MIT
 *
 * native_clock.c: see native_clock.h.
 */
#include "targets/native/native_clock.h"

#include <signal.h>
#include <time.h>

#include "base/assert.h"

#define TICK_NS 1000000
/* It calls next to nothing. */
#define STACK_BYTES ((size_t)256 << 10)
#define NS_PER_S UINT64_C(1000000000)

uint64_t ubi__native_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Under the lock. */
void ubi__native_clock_check(const ubi__native_clock *clock) {
    UBI_ASSERT(!clock->first || !clock->first->previous);
    for (const ubi__native_clock_face *f = clock->first; UBI_CHECKS && f; f = f->next) {
        UBI_ASSERT(!f->next || f->next->previous == f);
        UBI_ASSERT(f->area);
    }
}

static void clock_tick(const ubi__native_clock *clock) {
    uint64_t now = ubi__native_now_ns();
    for (ubi__native_clock_face *f = clock->first; f; f = f->next)
        ubi__preload_area_tick(f->area, now > f->zero_ns ? (now - f->zero_ns) / 1000 : 0);
}

static void *clock_run(void *payload) {
    ubi__native_clock *clock = payload;
    const struct timespec pause = { .tv_nsec = TICK_NS };
    pthread_mutex_lock(&clock->lock);
    while (!clock->is_over) {
        if (!clock->first) { /* no clock to move */
            pthread_cond_wait(&clock->changed, &clock->lock);
            continue;
        }
        clock_tick(clock);
        pthread_mutex_unlock(&clock->lock);
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&clock->lock);
    }
    pthread_mutex_unlock(&clock->lock);
    return NULL;
}

/* Signals are for the thread that waits for them. */
ubi_status ubi__native_clock_start(ubi__native_clock *clock) {
    sigset_t all, before;
    pthread_attr_t small;
    *clock = (ubi__native_clock){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    int error = pthread_create(&clock->thread, &small, clock_run, clock);
    pthread_attr_destroy(&small);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? ubi__fail_errno(error, "cannot start a thread") : UBI_OK;
}

void ubi__native_clock_stop(ubi__native_clock *clock) {
    pthread_mutex_lock(&clock->lock);
    clock->is_over = true;
    pthread_cond_signal(&clock->changed);
    pthread_mutex_unlock(&clock->lock);
    pthread_join(clock->thread, NULL);
}

void ubi__native_clock_add(ubi__native_clock *clock, ubi__native_clock_face *face) {
    pthread_mutex_lock(&clock->lock);
    face->previous = NULL;
    face->next = clock->first;
    if (clock->first)
        clock->first->previous = face;
    clock->first = face;
    ubi__native_clock_check(clock);
    pthread_cond_signal(&clock->changed);
    pthread_mutex_unlock(&clock->lock);
}

void ubi__native_clock_remove(ubi__native_clock *clock, ubi__native_clock_face *face) {
    pthread_mutex_lock(&clock->lock);
    UBI_ASSERT(face->previous ? face->previous->next == face : clock->first == face);
    if (face->previous)
        face->previous->next = face->next;
    else
        clock->first = face->next;
    if (face->next)
        face->next->previous = face->previous;
    ubi__native_clock_check(clock);
    pthread_mutex_unlock(&clock->lock);
}
