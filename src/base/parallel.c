/* SPDX-License-Identifier: MIT
 *
 * parallel.c: static partition of a range over short-lived threads, and a helper thread with a queue of chores.
 */
#define _GNU_SOURCE
#include "base/parallel.h"

#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"

typedef struct range {
    ubi__range_fn fn;
    void *payload;
    uint64_t begin, end;
    unsigned part;
    pthread_t thread;
    bool was_started;
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
        ranges[i].was_started = pthread_create(&ranges[i].thread, NULL, run_range, &ranges[i]) == 0;
    for (unsigned i = 0; i < n_parts; i++)
        if (!ranges[i].was_started)
            run_range(&ranges[i]);
    for (unsigned i = 1; i < n_parts; i++)
        if (ranges[i].was_started)
            pthread_join(ranges[i].thread, NULL);
}

/* ---- in pieces ---------------------------------------------------------------------------------------------------- */

typedef struct pieces {
    ubi__pulse *pulse;
    const char *stage;
    uint64_t n_in_piece;
    ubi__range_fn fn;
    void *payload;
} pieces;

static void pieces_run(void *payload, uint64_t begin, uint64_t end, unsigned part) {
    const pieces *p = payload;
    for (uint64_t at = begin; at < end;) {
        uint64_t next = end - at > p->n_in_piece ? at + p->n_in_piece : end;
        if (!ubi__pulse_at(p->pulse, p->stage, at - begin, end - begin))
            return;
        p->fn(p->payload, at, next, part);
        at = next;
    }
}

ubi_status ubi__parallel_pieces(ubi__crew crew, const char *stage, uint64_t n, uint64_t grain, ubi__range_fn fn,
                                void *payload) {
    uint64_t n_grains = UBI__PULSE_EDGES / grain;
    pieces p = { crew.pulse, stage, n_grains ? n_grains * grain : grain, fn, payload };
    ubi__parallel_ranges(crew.threads, n, grain, pieces_run, &p);
    return ubi__pulse_is_stopped(crew.pulse) ? ubi__fail_cancelled() : UBI_OK;
}

/* ---- a helper ----------------------------------------------------------------------------------------------------- */

void ubi__helper_check(const ubi__helper *h) {
    const ubi__chore *last = NULL;
    for (const ubi__chore *c = h->first; UBI_CHECKS && c; c = c->next) {
        UBI_ASSERT(c->state == UBI__CHORE_GIVEN);
        last = c;
    }
    UBI_ASSERT(!UBI_CHECKS || last == h->last);
    UBI_ASSERT(h->is_threaded || !h->first);
}

/* Takes a chore off the list. Lists are short: callers give few chores before they wait. */
static void take_chore(ubi__helper *h, ubi__chore *chore) {
    ubi__chore *before = NULL;
    ubi__helper_check(h);
    for (ubi__chore *at = h->first; at != chore; at = at->next)
        before = at;
    if (before)
        before->next = chore->next;
    else
        h->first = chore->next;
    if (h->last == chore)
        h->last = before;
    chore->next = NULL;
}

static void *run_thread(void *payload) {
    ubi__helper *h = payload;
    pthread_mutex_lock(&h->lock);
    for (;;) {
        while (!h->first && !h->must_stop)
            pthread_cond_wait(&h->given, &h->lock);
        if (h->must_stop)
            break;
        ubi__chore *chore = h->first;
        take_chore(h, chore);
        chore->state = UBI__CHORE_BEGUN;
        pthread_mutex_unlock(&h->lock);
        chore->fn(chore->payload);
        pthread_mutex_lock(&h->lock);
        chore->state = UBI__CHORE_NONE;
        pthread_cond_signal(&h->ended);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

void ubi__helper_start(ubi__helper *h, unsigned threads) {
    memset(h, 0, sizeof *h);
    if (threads < 2)
        return;
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->given, NULL);
    pthread_cond_init(&h->ended, NULL);
    h->is_threaded = pthread_create(&h->thread, NULL, run_thread, h) == 0;
}

void ubi__helper_stop(ubi__helper *h) {
    if (!h->is_threaded)
        return;
    pthread_mutex_lock(&h->lock);
    h->must_stop = true;
    pthread_cond_signal(&h->given);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->given);
    pthread_cond_destroy(&h->ended);
    h->is_threaded = false;
}

static void append_chore(ubi__helper *h, ubi__chore *chore) {
    if (h->last)
        h->last->next = chore;
    else
        h->first = chore;
    h->last = chore;
    ubi__helper_check(h);
}

void ubi__helper_give(ubi__helper *h, ubi__chore *chore, void (*fn)(void *payload), void *payload) {
    *chore = (ubi__chore){ fn, payload, NULL, UBI__CHORE_GIVEN };
    if (!h->is_threaded)
        return; /* it is found by its state */
    pthread_mutex_lock(&h->lock);
    append_chore(h, chore);
    pthread_cond_signal(&h->given);
    pthread_mutex_unlock(&h->lock);
}

/* Whether the chore has not been begun; then it is the caller's. */
static bool claim_chore(ubi__helper *h, ubi__chore *chore) {
    bool mine = chore->state == UBI__CHORE_GIVEN;
    if (mine && h->is_threaded)
        take_chore(h, chore);
    if (mine)
        chore->state = UBI__CHORE_NONE;
    return mine;
}

/* How long a caller may wait for the answer to its cancelling. */
#define NS_BETWEEN_PULSES 5000000
#define NS_PER_SECOND 1000000000

/* With the lock, which is given back meanwhile. */
static void wait_a_while(ubi__helper *h, ubi__pulse *pulse) {
    struct timespec until;
    if (!pulse) {
        pthread_cond_wait(&h->ended, &h->lock);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += NS_BETWEEN_PULSES;
    until.tv_sec += until.tv_nsec / NS_PER_SECOND;
    until.tv_nsec %= NS_PER_SECOND;
    if (pthread_cond_clockwait(&h->ended, &h->lock, CLOCK_MONOTONIC, &until) == 0)
        return;
    pthread_mutex_unlock(&h->lock);
    (void)ubi__pulse_again(pulse);
    pthread_mutex_lock(&h->lock);
}

/* The same, or waits until it is done. */
static bool claim_or_wait(ubi__helper *h, ubi__chore *chore, ubi__pulse *pulse) {
    if (!h->is_threaded)
        return claim_chore(h, chore);
    pthread_mutex_lock(&h->lock);
    bool mine = claim_chore(h, chore);
    while (!mine && chore->state == UBI__CHORE_BEGUN)
        wait_a_while(h, pulse);
    pthread_mutex_unlock(&h->lock);
    return mine;
}

void ubi__helper_drop(ubi__helper *h, ubi__chore *chore) {
    (void)claim_or_wait(h, chore, NULL);
}

void ubi__helper_wait(ubi__helper *h, ubi__chore *chore, ubi__pulse *pulse) {
    if (claim_or_wait(h, chore, pulse))
        chore->fn(chore->payload);
}
