/* SPDX-License-Identifier: MIT
 *
 * remote_graph.c: see remote_graph.h.
 *
 * `pipe` is all that the two threads share. Bytes are in it from `n_read` to `n_written`, counted from the first that came; the place of byte
 * i is i modulo the size. Either side ends it: the connection with its last byte or a failure, the reader when it has what it wants.
 */
#include "session/remote_graph.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/status.h"

#define BUFFER_BYTES ((size_t)4 << 20)
/* Between two reports while one side waits for the other. */
#define REPORT_NS 50000000

typedef enum pipe_end { PIPE_OPEN, PIPE_COMPLETE, PIPE_BROKEN } pipe_end;

typedef struct graph_pipe {
    const ubi_read_options *options; /* with the reader's progress */
    const ubi__remote_copy *copy;    /* or NULL */
    uint8_t *bytes;                  /* bytes[BUFFER_BYTES], owned */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* guarded by `lock`: */
    uint64_t n_written, n_read;
    pipe_end end;      /* of what is written */
    bool is_over;      /* nothing more is read */
    bool must_stop;    /* the reader */
    const char *stage; /* that it reported last; NULL: none */
    uint64_t done, total;
    /* The reader's, until it is over: */
    ubi_graph *graph;
    ubi_read_info info;
    ubi_status status;
    char message[512];
} graph_pipe;

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* With the lock. */
static void pipe_check(const graph_pipe *p) {
    (void)p;
    UBI_ASSERT(p->n_read <= p->n_written && p->n_written - p->n_read <= BUFFER_BYTES);
}

/* With the lock, which is given up meanwhile: until something changes, or it is time for a report. */
static void pipe_doze(graph_pipe *p) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += REPORT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

/* ---- the reader's side ---------------------------------------------------------------------------------------------- */

/* What is there of it, up to the buffer's end. */
static ptrdiff_t pipe_read(void *payload, void *buffer, size_t size) {
    graph_pipe *p = payload;
    pthread_mutex_lock(&p->lock);
    while (p->n_read == p->n_written && p->end == PIPE_OPEN)
        pthread_cond_wait(&p->changed, &p->lock);
    size_t at = (size_t)(p->n_read % BUFFER_BYTES), n = (size_t)(p->n_written - p->n_read);
    bool is_broken = p->end == PIPE_BROKEN;
    pthread_mutex_unlock(&p->lock);
    if (is_broken) {
        errno = EPIPE;
        return -1;
    }
    n = n < size ? n : size;
    n = n < BUFFER_BYTES - at ? n : BUFFER_BYTES - at;
    memcpy(buffer, p->bytes + at, n); /* the connection writes elsewhere */
    pthread_mutex_lock(&p->lock);
    p->n_read += n;
    pipe_check(p);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return (ptrdiff_t)n;
}

static bool stage_note(void *payload, const char *stage, uint64_t done, uint64_t total) {
    graph_pipe *p = payload;
    pthread_mutex_lock(&p->lock);
    p->stage = stage;
    p->done = done;
    p->total = total;
    bool is_wanted = !p->must_stop;
    pthread_mutex_unlock(&p->lock);
    return is_wanted;
}

static void *reader_run(void *payload) {
    graph_pipe *p = payload;
    ubi_read_options options = *p->options;
    options.progress = (ubi_progress){ stage_note, p };
    ubi_status status = ubi_graph_read_callback(&p->graph, pipe_read, p, &options, &p->info);
    p->status = status;
    if (status != UBI_OK)
        snprintf(p->message, sizeof p->message, "%s", ubi_error_message());
    pthread_mutex_lock(&p->lock);
    p->is_over = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the connection's side ------------------------------------------------------------------------------------------ */

/* Copies what there is room for. False: the reader wants no more. */
static bool pipe_put(graph_pipe *p, const uint8_t **data, size_t *n_left) {
    pthread_mutex_lock(&p->lock);
    while (p->n_written - p->n_read == BUFFER_BYTES && !p->is_over)
        pthread_cond_wait(&p->changed, &p->lock);
    size_t at = (size_t)(p->n_written % BUFFER_BYTES), n = BUFFER_BYTES - (size_t)(p->n_written - p->n_read);
    bool is_over = p->is_over;
    pthread_mutex_unlock(&p->lock);
    if (is_over)
        return false;
    n = n < *n_left ? n : *n_left;
    n = n < BUFFER_BYTES - at ? n : BUFFER_BYTES - at;
    memcpy(p->bytes + at, *data, n); /* the reader reads elsewhere */
    *data += n;
    *n_left -= n;
    pthread_mutex_lock(&p->lock);
    p->n_written += n;
    pipe_check(p);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return true;
}

/* What a reader does not want that has all it needs goes to the copy alone. */
static bool pipe_write(void *payload, const void *data, size_t n) {
    graph_pipe *p = payload;
    const uint8_t *at = data;
    if (p->copy && p->copy->write && !p->copy->write(p->copy->payload, data, n))
        return false;
    while (n > 0)
        if (!pipe_put(p, &at, &n))
            return p->status == UBI_OK;
    return true;
}

static void pipe_finish(graph_pipe *p, pipe_end end) {
    pthread_mutex_lock(&p->lock);
    p->end = end;
    p->must_stop = p->must_stop || end == PIPE_BROKEN;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

/* Reports what the reader does, until it is over. */
static void reader_await(graph_pipe *p, const ubi_progress *progress) {
    pthread_mutex_lock(&p->lock);
    while (!p->is_over) {
        pipe_doze(p);
        const char *stage = p->stage;
        uint64_t done = p->done, total = p->total;
        if (!stage || p->must_stop)
            continue;
        pthread_mutex_unlock(&p->lock);
        bool is_wanted = ubi__progress(progress, stage, done, total);
        pthread_mutex_lock(&p->lock);
        p->must_stop = !is_wanted;
    }
    pthread_mutex_unlock(&p->lock);
}

/* ---- both ----------------------------------------------------------------------------------------------------------- */

static ubi_status pipe_open(graph_pipe **out, const ubi__remote_copy *copy, const ubi_read_options *options) {
    pthread_condattr_t clock;
    graph_pipe *p = UBI_NEW(memory(), graph_pipe);
    if (!p)
        return ubi__fail_nomem();
    p->options = options;
    p->copy = copy;
    p->info = (ubi_read_info)UBI_READ_INFO_INIT;
    p->bytes = ubi__alloc_array(memory(), BUFFER_BYTES, 1);
    if (!p->bytes) {
        UBI_DELETE(memory(), p);
        return ubi__fail_nomem();
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &clock);
    pthread_condattr_destroy(&clock);
    *out = p;
    return UBI_OK;
}

static void pipe_close(graph_pipe *p) {
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    ubi_graph_unref(p->graph);
    ubi__free_array(memory(), p->bytes, BUFFER_BYTES, 1);
    UBI_DELETE(memory(), p);
}

static ubi_status pipe_run(ubi__remote_graph *out, graph_pipe *p, ubi__remote *remote, const ubi__remote_ops *ops) {
    pthread_t reader;
    uint64_t pause_us = 0;
    int error = pthread_create(&reader, NULL, reader_run, p);
    if (error)
        return ubi__fail_errno(error, "cannot start a thread");
    ubi_status status = ops->snapshot(remote, pipe_write, p, &pause_us);
    pipe_finish(p, status == UBI_OK ? PIPE_COMPLETE : PIPE_BROKEN);
    reader_await(p, &p->options->progress);
    pthread_join(reader, NULL);
    bool was_refused = p->status != UBI_OK && p->status != UBI_EIO; /* EIO: by the pipe that broke */
    if (status != UBI_OK && !(status == UBI_EIO && was_refused && p->status != UBI_ECANCELLED))
        return status;
    if (p->status != UBI_OK)
        return ubi__fail(p->status, "%s", p->message);
    *out = (ubi__remote_graph){ .graph = p->graph, .info = p->info, .size_bytes = p->n_written, .pause_us = pause_us };
    p->graph = NULL;
    return UBI_OK;
}

ubi_status ubi__remote_graph_take(ubi__remote_graph *out, ubi__remote *remote, const ubi__remote_ops *ops,
                                  const ubi__remote_copy *copy, const ubi_read_options *options) {
    graph_pipe *p = NULL; /* for gcc 12 */
    UBI_TRY(pipe_open(&p, copy, options));
    ubi_status status = pipe_run(out, p, remote, ops);
    pipe_close(p);
    return status;
}

ubi_status ubi__remote_graph_fetch(ubi__remote_graph *out, const ubi__remote_address *address, const char *path,
                                   const ubi__remote_witness *witness, const ubi__remote_copy *copy,
                                   const ubi_read_options *options) {
    const ubi__remote_ops *ops = address->scheme->ops;
    ubi__remote *remote;
    UBI_TRY(ops->open(&remote, address, &options->progress, NULL));
    ubi_status status = ops->attach(remote);
    if (status == UBI_OK)
        status = ubi__remote_graph_take(out, remote, ops, copy, options);
    if (status == UBI_OK && witness->see)
        witness->see(witness->payload, path, remote, ops);
    ops->close(remote);
    return status;
}
