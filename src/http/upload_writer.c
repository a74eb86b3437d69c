/* SPDX-License-Identifier: MIT
 *
 * upload_writer.c: a thread that does what uploads need a disk for: making their files, writing to them, closing and deleting them. A disk
 * that is slow delays uploads, and nothing else.
 *
 * An upload is *busy* from when it is given to the writer until that is done with it: its file and its block are the writer's then, and its
 * connection is suspended as soon as more bytes come. So each upload has one block, and what waits here is bounded by the connections.
 * What its exchange has left goes when it is not busy.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/status.h"
#include "http/http.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

static ubi_status fail_storing(void) {
    return ubi__fail_errno(errno, "an upload cannot be stored");
}

static ubi_status file_make(ubi__upload *u) {
    u->fd = open(u->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    u->has_file = u->fd >= 0;
    return u->has_file ? UBI_OK : fail_storing();
}

static ubi_status block_write(ubi__upload *u) {
    for (size_t at = 0; at < u->block.n;) {
        ssize_t n = write(u->fd, u->block.at + at, u->block.n - at);
        if (n < 0 && errno != EINTR)
            return fail_storing();
        at += n > 0 ? (size_t)n : 0;
    }
    u->block.n = 0;
    return UBI_OK;
}

static ubi_status file_close(ubi__upload *u) {
    int result = close(u->fd);
    u->fd = -1;
    return result == 0 || errno == EINTR ? UBI_OK : fail_storing();
}

static ubi_status upload_store(ubi__upload *u) {
    if (!u->has_file)
        UBI_TRY(file_make(u));
    UBI_TRY(block_write(u));
    return u->is_whole ? file_close(u) : UBI_OK;
}

static void file_delete(ubi__upload *u) {
    if (u->fd >= 0)
        (void)close(u->fd);
    if (u->has_file)
        (void)unlink(u->path);
    u->fd = -1;
    u->has_file = false;
}

void ubi__upload_fail(ubi__upload *u, ubi_status status) {
    u->status = status;
    snprintf(u->message, sizeof u->message, "%s", ubi_error_message());
}

static void upload_free(ubi__upload *u) {
    file_delete(u);
    ubi__vec_u8_fini(&u->block, memory());
    UBI_DELETE(memory(), u);
}

/* ---- the queue --------------------------------------------------------------------------------------------------------------- */

static void upload_perform(ubi__upload *u) {
    ubi_status status = u->status == UBI_OK ? upload_store(u) : UBI_OK;
    if (status != UBI_OK)
        ubi__upload_fail(u, status);
    if (u->status != UBI_OK)
        file_delete(u); /* the file goes now, and the message later */
}

/* Its exchange may have left it, or leaves it as soon as it is not busy. */
static void upload_finish(ubi__upload_writer *w, ubi__upload *u) {
    ubi__exchange *e = u->exchange;
    pthread_mutex_lock(&w->lock);
    bool was_left = u->was_left;
    u->is_busy = false;
    pthread_mutex_unlock(&w->lock);
    if (was_left)
        upload_free(u);
    if (!e)
        return;
    ubi__exchange_wake(e);
    ubi__exchange_unref(e);
}

/* NULL: the writer stops, and nothing waits. */
static ubi__upload *upload_take(ubi__upload_writer *w) {
    pthread_mutex_lock(&w->lock);
    while (!w->first && !w->must_stop)
        pthread_cond_wait(&w->given, &w->lock);
    ubi__upload *u = w->first;
    w->first = u ? u->next : NULL;
    bool was_left = u && u->was_left;
    pthread_mutex_unlock(&w->lock);
    if (u && !was_left)
        upload_perform(u);
    return u;
}

static void *writer_thread(void *payload) {
    ubi__upload_writer *w = payload;
    for (ubi__upload *u; (u = upload_take(w)) != NULL;)
        upload_finish(w, u);
    return NULL;
}

/* With the lock: at the end. False: there is no thread any more. */
static bool upload_append(ubi__upload_writer *w, ubi__upload *u) {
    ubi__upload **end = &w->first;
    UBI_ASSERT(!u->is_busy);
    if (w->must_stop)
        return false;
    while (*end)
        end = &(*end)->next;
    u->next = NULL;
    u->is_busy = true;
    *end = u;
    pthread_cond_signal(&w->given);
    return true;
}

void ubi__upload_give(ubi__upload_writer *w, ubi__upload *u, ubi__exchange *e) {
    atomic_fetch_add(&e->n_refs, 1);
    pthread_mutex_lock(&w->lock);
    u->exchange = e;
    bool was_taken = upload_append(w, u);
    pthread_mutex_unlock(&w->lock);
    if (was_taken)
        return;
    upload_perform(u);
    ubi__exchange_unref(e);
}

bool ubi__upload_is_busy(ubi__upload_writer *w, const ubi__upload *u) {
    pthread_mutex_lock(&w->lock);
    bool is_busy = u->is_busy;
    pthread_mutex_unlock(&w->lock);
    return is_busy;
}

void ubi__upload_leave(ubi__upload_writer *w, ubi__upload *u) {
    pthread_mutex_lock(&w->lock);
    bool is_busy = u->is_busy;
    u->was_left = true;
    if (!is_busy && u->has_file) {
        u->exchange = NULL;
        is_busy = upload_append(w, u);
    }
    pthread_mutex_unlock(&w->lock);
    if (!is_busy)
        upload_free(u);
}

/* ---- start and stop ---------------------------------------------------------------------------------------------------------- */

ubi_status ubi__upload_writer_start(ubi__upload_writer *w) {
    int error = pthread_create(&w->thread, NULL, writer_thread, w);
    w->is_running = error == 0;
    return error == 0 ? UBI_OK : ubi__fail_errno(error, "cannot start a thread");
}

void ubi__upload_writer_stop(ubi__upload_writer *w) {
    pthread_mutex_lock(&w->lock);
    w->must_stop = true;
    pthread_cond_signal(&w->given);
    pthread_mutex_unlock(&w->lock);
    if (w->is_running)
        pthread_join(w->thread, NULL);
    w->is_running = false;
}
