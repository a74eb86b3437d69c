/* SPDX-License-Identifier: MIT
 *
 * write_behind.c: a ring of blocks between two threads (write_behind.h).
 *
 * `made` counts blocks handed over, `taken` blocks written. Both only grow, under `lock`; block i lies in blocks[i % N_BLOCKS],
 * which is the producer's while i == made < taken + N_BLOCKS and the helper's once made > i.
 */
#include "base/write_behind.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define N_BLOCKS 8
#define WAKE_AT 4 /* blocks that wait before the helper is woken: each wake-up costs two context switches */

struct ubi__write_behind {
    const ubi_allocator *allocator;
    ubi__write_fn write;
    void *payload;
    uint8_t *blocks[N_BLOCKS];
    size_t filled[N_BLOCKS];

    bool threaded;
    pthread_t helper;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by `lock` when threaded */
    uint64_t made, taken;
    bool ended; /* no more blocks will come */
    bool stop;  /* and those waiting are not written */
    ubi_status status;
    char message[256]; /* of `status` */
};

/* ---- helper ------------------------------------------------------------------------------------------------------- */

static bool wait_for_block(ubi__write_behind *w) {
    pthread_mutex_lock(&w->lock);
    while (w->made == w->taken && !w->ended && !w->stop)
        pthread_cond_wait(&w->changed, &w->lock);
    bool go_on = w->made > w->taken && !w->stop;
    pthread_mutex_unlock(&w->lock);
    return go_on;
}

static void announce_block(ubi__write_behind *w, ubi_status status) {
    pthread_mutex_lock(&w->lock);
    UBI_ASSERT(w->taken < w->made && w->made - w->taken <= N_BLOCKS);
    w->taken++;
    w->status = status;
    if (status != UBI_OK)
        snprintf(w->message, sizeof w->message, "%s", ubi_error_message());
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void *run_helper(void *payload) {
    ubi__write_behind *w = payload;
    ubi_status status = UBI_OK;
    /* `taken` is written by this thread alone, so it may be read here without the lock. */
    while (status == UBI_OK && wait_for_block(w)) {
        size_t i = w->taken % N_BLOCKS;
        status = w->write(w->payload, w->blocks[i], w->filled[i]);
        announce_block(w, status);
    }
    return NULL;
}

/* ---- producer ----------------------------------------------------------------------------------------------------- */

static void start_helper(ubi__write_behind *w) {
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    w->threaded = pthread_create(&w->helper, NULL, run_helper, w) == 0;
    if (!w->threaded) { /* no thread started: do without */
        pthread_mutex_destroy(&w->lock);
        pthread_cond_destroy(&w->changed);
    }
}

static void end_helper(ubi__write_behind *w, bool stop) {
    if (!w->threaded)
        return;
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    w->stop = stop;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->helper, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->changed);
    w->threaded = false;
}

ubi_status ubi__write_behind_new(ubi__write_behind **out, ubi__write_fn write, void *payload, const ubi_allocator *a) {
    ubi__write_behind *w = UBI_NEW(a, ubi__write_behind);
    if (!w)
        return ubi__fail_nomem();
    w->allocator = a;
    w->write = write;
    w->payload = payload;
    for (size_t i = 0; i < N_BLOCKS; i++) {
        w->blocks[i] = ubi__alloc_array(a, UBI__WRITE_BEHIND_BLOCK_BYTES, 1);
        if (!w->blocks[i]) {
            ubi__write_behind_free(w);
            return ubi__fail_nomem();
        }
    }
    start_helper(w);
    *out = w;
    return UBI_OK;
}

void ubi__write_behind_free(ubi__write_behind *w) {
    if (!w)
        return;
    end_helper(w, true);
    for (size_t i = 0; i < N_BLOCKS; i++)
        ubi__free_array(w->allocator, w->blocks[i], UBI__WRITE_BEHIND_BLOCK_BYTES, 1);
    UBI_DELETE(w->allocator, w);
}

/* Waits until block `made` is free to be filled. */
static ubi_status wait_for_room(ubi__write_behind *w) {
    pthread_mutex_lock(&w->lock);
    while (w->made - w->taken == N_BLOCKS && w->status == UBI_OK)
        pthread_cond_wait(&w->changed, &w->lock);
    ubi_status status = w->status;
    pthread_mutex_unlock(&w->lock);
    return status == UBI_OK ? UBI_OK : ubi__fail(status, "%s", w->message);
}

static void hand_over(ubi__write_behind *w, const void *data, size_t n) {
    size_t i = w->made % N_BLOCKS;
    UBI_ASSERT(n <= UBI__WRITE_BEHIND_BLOCK_BYTES);
    memcpy(w->blocks[i], data, n);
    w->filled[i] = n;
    pthread_mutex_lock(&w->lock);
    UBI_ASSERT(w->made - w->taken < N_BLOCKS && !w->ended);
    w->made++;
    bool wake = w->made - w->taken >= WAKE_AT;
    pthread_mutex_unlock(&w->lock);
    if (wake)
        pthread_cond_signal(&w->changed);
}

ubi_status ubi__write_behind_write(void *behind, const void *data, size_t n_bytes) {
    ubi__write_behind *w = behind;
    if (!w->threaded)
        return w->write(w->payload, data, n_bytes);
    for (const uint8_t *p = data; n_bytes;) {
        size_t piece = n_bytes < UBI__WRITE_BEHIND_BLOCK_BYTES ? n_bytes : UBI__WRITE_BEHIND_BLOCK_BYTES;
        UBI_TRY(wait_for_room(w));
        hand_over(w, p, piece);
        p += piece;
        n_bytes -= piece;
    }
    return UBI_OK;
}

ubi_status ubi__write_behind_finish(ubi__write_behind *w) {
    end_helper(w, false);
    return w->status == UBI_OK ? UBI_OK : ubi__fail(w->status, "%s", w->message);
}
