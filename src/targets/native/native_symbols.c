/* SPDX-License-Identifier: MIT
 *
 * native_symbols.c: see native_symbols.h.
 */
#include "targets/native/native_symbols.h"

#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assert.h"

/* Some hundred kilobytes each, and a descriptor. */
#define MOST_WAITING 500
/* What is recorded goes before this. */
#define NICENESS 10

void ubi__native_symbols_check(const ubi__native_symbols *symbols) {
    ubi__native_session *const *end = &symbols->first;
    size_t n = 0;
    if (!UBI_CHECKS)
        return;
    for (; *end; end = &(*end)->next_in_queue, n++)
        UBI_ASSERT((*end)->has_ended && !(*end)->is_done);
    UBI_ASSERT(end == symbols->last);
    UBI_ASSERT(n == symbols->n_waiting && n <= MOST_WAITING);
}

static ubi__native_session *take_first(ubi__native_symbols *symbols) {
    ubi__native_session *s = symbols->first;
    symbols->first = s->next_in_queue;
    if (!symbols->first)
        symbols->last = &symbols->first;
    symbols->n_waiting--;
    ubi__native_symbols_check(symbols);
    return s;
}

static void finish_session(ubi__native_symbols *symbols, ubi__native_session *s) {
    uint64_t one = 1;
    while (!atomic_load_explicit(&symbols->is_in_a_hurry, memory_order_relaxed) &&
           ubi__native_session_symbolize(s, symbols->symbolizer)) {
    }
    ubi__native_session_finish(s);
    /* Afterwards it is not ours. */
    atomic_store_explicit(&s->is_done, true, memory_order_release);
    (void)!write(symbols->done, &one, sizeof one); /* fails only when it is ready already */
}

static void *symbols_run(void *payload) {
    ubi__native_symbols *symbols = payload;
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
    pthread_mutex_lock(&symbols->lock);
    while (symbols->first || !symbols->is_over) {
        if (!symbols->first) {
            pthread_cond_wait(&symbols->changed, &symbols->lock);
            continue;
        }
        ubi__native_session *s = take_first(symbols);
        pthread_mutex_unlock(&symbols->lock);
        finish_session(symbols, s);
        pthread_mutex_lock(&symbols->lock);
    }
    pthread_mutex_unlock(&symbols->lock);
    return NULL;
}

/* Signals are for the thread that waits for them. */
static ubi_status start_thread(ubi__native_symbols *symbols) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int error = pthread_create(&symbols->thread, NULL, symbols_run, symbols);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error ? ubi__fail_errno(error, "cannot start a thread") : UBI_OK;
}

ubi_status ubi__native_symbols_start(ubi__native_symbols *symbols, bool debuginfod, const ubi_allocator *allocator) {
    const ubi__symbolizer_options options = { .with_debuginfod = debuginfod };
    *symbols = (ubi__native_symbols){ .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    symbols->last = &symbols->first;
    symbols->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (symbols->done < 0)
        return ubi__fail_errno(errno, "cannot start a thread");
    ubi_status status = ubi__symbolizer_new(&symbols->symbolizer, &options, allocator);
    if (status == UBI_OK && (status = start_thread(symbols)) != UBI_OK)
        ubi__symbolizer_free(symbols->symbolizer);
    if (status != UBI_OK)
        close(symbols->done);
    return status;
}

void ubi__native_symbols_stop(ubi__native_symbols *symbols) {
    pthread_mutex_lock(&symbols->lock);
    symbols->is_over = true;
    pthread_cond_signal(&symbols->changed);
    pthread_mutex_unlock(&symbols->lock);
    pthread_join(symbols->thread, NULL);
    ubi__symbolizer_free(symbols->symbolizer);
    close(symbols->done);
}

void ubi__native_symbols_add(ubi__native_symbols *symbols, ubi__native_session *session) {
    pthread_mutex_lock(&symbols->lock);
    bool has_room = symbols->n_waiting < MOST_WAITING;
    if (has_room) {
        session->next_in_queue = NULL;
        *symbols->last = session;
        symbols->last = &session->next_in_queue;
        symbols->n_waiting++;
        ubi__native_symbols_check(symbols);
        pthread_cond_signal(&symbols->changed);
    }
    pthread_mutex_unlock(&symbols->lock);
    if (has_room)
        return;
    ubi__native_session_finish(session);
    session->is_done = true;
}

void ubi__native_symbols_hurry(ubi__native_symbols *symbols) {
    atomic_store_explicit(&symbols->is_in_a_hurry, true, memory_order_relaxed);
}

void ubi__native_symbols_note(ubi__native_symbols *symbols) {
    uint64_t n;
    (void)!read(symbols->done, &n, sizeof n);
}
