/* SPDX-License-Identifier: MIT
 *
 * helper.c: a second thread that does chores beside its owner (helper.h).
 */
#include "base/helper.h"

#include <string.h>

#include "base/assert.h"

void ubi__helper_check(const ubi__helper *h) {
    const ubi__chore *last = NULL;
    for (const ubi__chore *c = h->first; UBI_CHECKS && c; c = c->next) {
        UBI_ASSERT(c->state == UBI__CHORE_GIVEN);
        last = c;
    }
    UBI_ASSERT(!UBI_CHECKS || last == h->last);
    UBI_ASSERT(h->threaded || !h->first);
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
        while (!h->first && !h->stop)
            pthread_cond_wait(&h->given, &h->lock);
        if (h->stop)
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
    h->threaded = pthread_create(&h->thread, NULL, run_thread, h) == 0;
}

void ubi__helper_stop(ubi__helper *h) {
    if (!h->threaded)
        return;
    pthread_mutex_lock(&h->lock);
    h->stop = true;
    pthread_cond_signal(&h->given);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->given);
    pthread_cond_destroy(&h->ended);
    h->threaded = false;
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
    if (!h->threaded)
        return; /* it is found by its state */
    pthread_mutex_lock(&h->lock);
    append_chore(h, chore);
    pthread_cond_signal(&h->given);
    pthread_mutex_unlock(&h->lock);
}

/* Whether the chore has not been begun; then it is the caller's. */
static bool claim_chore(ubi__helper *h, ubi__chore *chore) {
    bool mine = chore->state == UBI__CHORE_GIVEN;
    if (mine && h->threaded)
        take_chore(h, chore);
    if (mine)
        chore->state = UBI__CHORE_NONE;
    return mine;
}

/* The same, or waits until it is done. */
static bool claim_or_wait(ubi__helper *h, ubi__chore *chore) {
    if (!h->threaded)
        return claim_chore(h, chore);
    pthread_mutex_lock(&h->lock);
    bool mine = claim_chore(h, chore);
    while (!mine && chore->state == UBI__CHORE_BEGUN)
        pthread_cond_wait(&h->ended, &h->lock);
    pthread_mutex_unlock(&h->lock);
    return mine;
}

void ubi__helper_drop(ubi__helper *h, ubi__chore *chore) {
    (void)claim_or_wait(h, chore);
}

void ubi__helper_wait(ubi__helper *h, ubi__chore *chore) {
    if (claim_or_wait(h, chore))
        chore->fn(chore->payload);
}
