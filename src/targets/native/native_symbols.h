/* SPDX-License-Identifier: MIT
 *
 * native_symbols.h: a thread that looks up the symbols of recordings that have ended, one after the other.
 *
 * The first look into a library with debug information takes a tenth of a second. The thread that records must not stand
 * still for so long: processes wait for it to be let in, and their clocks go wrong.
 *
 * A session belongs to this thread from _add until its `is_done`. Those that wait keep what their files are made of in
 * memory, so their number is limited: further ones get no symbols, and `ubiheap report` looks them up.
 */
#ifndef UBI_TARGETS_NATIVE_SYMBOLS_H
#define UBI_TARGETS_NATIVE_SYMBOLS_H

#include <pthread.h>

#include "targets/native/native_session.h"

typedef struct ubi__native_symbols {
    ubi__symbolizer *symbolizer;
    pthread_t thread;
    pthread_mutex_t lock; /* of the queue */
    pthread_cond_t changed;
    ubi__native_session *first, **last; /* the queue, linked by next_in_queue; not the one at work */
    size_t n_waiting;
    bool is_over;
    _Atomic bool is_in_a_hurry;
    int done; /* an eventfd: a session is done */
} ubi__native_symbols;

/** As many wait as are in the queue, whose end is where the next one goes; all have ended. Call with the lock. */
void ubi__native_symbols_check(const ubi__native_symbols *symbols);
/** Errors: UBI_ENOMEM, UBI_EIO. */
ubi_status ubi__native_symbols_start(ubi__native_symbols *symbols, bool debuginfod, const ubi_allocator *allocator);
/** No session is here any more. */
void ubi__native_symbols_stop(ubi__native_symbols *symbols);
/** Looks up the symbols of a session that has ended, and finishes it; `done` says when. */
void ubi__native_symbols_add(ubi__native_symbols *symbols, ubi__native_session *session);
/** All are finished without more symbols. */
void ubi__native_symbols_hurry(ubi__native_symbols *symbols);
/** `done` is not ready until another session is. */
void ubi__native_symbols_note(ubi__native_symbols *symbols);

#endif
