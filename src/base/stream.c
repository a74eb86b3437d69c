/* SPDX-License-Identifier: MIT
 *
 * stream.c: chunks of inflated input (stream.h).
 *
 * With a helper thread the buffers form a ring: `made` counts chunks produced, `taken` chunks the reader is done with. Both
 * only grow, under `lock`; chunk i lies in buffer i % N_BUFFERS, which is the helper's to fill while i - taken < N_BUFFERS
 * and the reader's once made > i. The inflater is the helper's alone from its start until it has announced the end. Before,
 * the reader fills the first buffer itself, so that reading only the beginning never waits for a helper that waits for a pipe.
 */
#include "base/stream.h"

#include <pthread.h>
#include <string.h>

#define N_BUFFERS 4
#define BUFFER_BYTES (UBI__STREAM_HEADROOM + UBI__STREAM_CHUNK_BYTES + UBI__STREAM_PADDING)

struct ubi__stream {
    const ubi_allocator *allocator;
    ubi__inflater *inflater;
    uint8_t *buffers[N_BUFFERS];
    size_t filled[N_BUFFERS];
    unsigned n_buffers;

    bool holding; /* the reader has chunk `taken` */
    bool ended;   /* the reader saw the end */
    uint8_t *end; /* what it was given then */

    bool threaded;
    pthread_t helper;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by `lock` when threaded */
    uint64_t made, taken;
    bool stop;
    ubi_status status; /* of the helper; its message is in `message` */
    char message[256];
    uint64_t input_bytes;
};

static ubi_status fill_buffer(ubi__stream *s, unsigned i) {
    uint8_t *chunk = s->buffers[i] + UBI__STREAM_HEADROOM;
    UBI_TRY(ubi__inflater_fill(s->inflater, chunk, UBI__STREAM_CHUNK_BYTES, &s->filled[i]));
    UBI_ASSERT(s->filled[i] <= UBI__STREAM_CHUNK_BYTES);
    memset(chunk + s->filled[i], 0, UBI__STREAM_PADDING);
    return UBI_OK;
}

static bool wait_for_room(ubi__stream *s) {
    pthread_mutex_lock(&s->lock);
    while (!s->stop && s->made - s->taken >= N_BUFFERS)
        pthread_cond_wait(&s->changed, &s->lock);
    bool go_on = !s->stop;
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

static void announce_chunk(ubi__stream *s, ubi_status status) {
    pthread_mutex_lock(&s->lock);
    UBI_ASSERT(s->taken <= s->made && s->made - s->taken < N_BUFFERS);
    s->made++;
    s->status = status;
    if (status != UBI_OK)
        strncpy(s->message, ubi_error_message(), sizeof s->message - 1);
    s->input_bytes = ubi__inflater_input_bytes(s->inflater);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static void *run_helper(void *payload) {
    ubi__stream *s = payload;
    /* `made` is written by this thread alone, so it may be read here without the lock. */
    while (wait_for_room(s)) {
        unsigned i = (unsigned)(s->made % N_BUFFERS);
        ubi_status status = fill_buffer(s, i);
        bool last = status != UBI_OK || s->filled[i] == 0;
        announce_chunk(s, status);
        if (last)
            break;
    }
    return NULL;
}

void ubi__stream_run_ahead(ubi__stream *s) {
    if (s->threaded || s->ended || s->n_buffers == 1)
        return;
    s->made = s->holding; /* a chunk that the reader has is the first of the ring */
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->threaded = pthread_create(&s->helper, NULL, run_helper, s) == 0;
    if (!s->threaded) { /* no thread started: do without */
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->changed);
    }
}

static ubi_status open_stream(ubi__stream *s, ubi__source *source, unsigned threads, bool exact) {
    UBI_TRY(ubi__inflater_new(&s->inflater, source, exact, s->allocator));
    s->n_buffers = threads > 1 ? N_BUFFERS : 1;
    for (unsigned i = 0; i < s->n_buffers; i++) {
        s->buffers[i] = ubi__alloc_array(s->allocator, BUFFER_BYTES, 1);
        if (!s->buffers[i])
            return ubi__fail_nomem();
    }
    return UBI_OK;
}

ubi_status ubi__stream_new(ubi__stream **out, ubi__source *source, unsigned threads, bool exact,
                           const ubi_allocator *a) {
    ubi__stream *s = UBI_NEW(a, ubi__stream);
    if (!s)
        return ubi__fail_nomem();
    s->allocator = a;
    ubi_status status = open_stream(s, source, threads, exact);
    if (status != UBI_OK) {
        ubi__stream_free(s);
        return status;
    }
    *out = s;
    return UBI_OK;
}

void ubi__stream_free(ubi__stream *s) {
    if (!s)
        return;
    if (s->threaded) {
        pthread_mutex_lock(&s->lock);
        s->stop = true;
        pthread_cond_signal(&s->changed);
        pthread_mutex_unlock(&s->lock);
        pthread_join(s->helper, NULL);
        pthread_mutex_destroy(&s->lock);
        pthread_cond_destroy(&s->changed);
    }
    const ubi_allocator *a = s->allocator;
    for (unsigned i = 0; i < s->n_buffers; i++)
        ubi__free_array(a, s->buffers[i], BUFFER_BYTES, 1);
    ubi__inflater_free(s->inflater);
    UBI_DELETE(a, s);
}

/* Gives back the chunk of the last call and waits for the next one. */
static ubi_status next_threaded(ubi__stream *s, unsigned *index) {
    ubi_status status = UBI_OK;
    pthread_mutex_lock(&s->lock);
    if (s->holding) {
        s->taken++;
        pthread_cond_signal(&s->changed);
    }
    while (s->made == s->taken)
        pthread_cond_wait(&s->changed, &s->lock);
    if (s->status != UBI_OK && s->made == s->taken + 1)
        status = ubi__fail(s->status, "%s", s->message);
    UBI_ASSERT(s->taken < s->made && s->made - s->taken <= N_BUFFERS);
    *index = (unsigned)(s->taken % N_BUFFERS);
    pthread_mutex_unlock(&s->lock);
    return status;
}

ubi_status ubi__stream_next(ubi__stream *s, uint8_t **data, size_t *n) {
    unsigned i = 0;
    *n = 0;
    if (s->ended) {
        *data = s->end;
        return UBI_OK;
    }
    if (s->threaded) {
        UBI_TRY(next_threaded(s, &i));
        s->holding = true;
    } else {
        UBI_TRY(fill_buffer(s, 0));
        s->holding = true;
        s->input_bytes = ubi__inflater_input_bytes(s->inflater);
    }
    *data = s->buffers[i] + UBI__STREAM_HEADROOM;
    *n = s->filled[i];
    s->ended = *n == 0;
    s->end = *data;
    return UBI_OK;
}

const char *ubi__stream_compression(const ubi__stream *s) {
    return ubi__inflater_compression(s->inflater);
}
bool ubi__stream_is_exact(const ubi__stream *s) {
    return ubi__inflater_is_exact(s->inflater);
}
ubi__stream_end ubi__stream_end_of(const ubi__stream *s) {
    return s->ended ? ubi__inflater_end(s->inflater) : UBI__END_NOT_YET;
}
const char *ubi__stream_note(const ubi__stream *s) {
    return s->ended ? ubi__inflater_note(s->inflater) : "";
}
uint64_t ubi__stream_input_bytes(ubi__stream *s) {
    if (!s->threaded)
        return s->input_bytes;
    pthread_mutex_lock(&s->lock);
    uint64_t n = s->input_bytes;
    pthread_mutex_unlock(&s->lock);
    return n;
}
