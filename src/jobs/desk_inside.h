/* SPDX-License-Identifier: MIT
 *
 * desk_inside.h: the insides of a desk; see desk.h.
 *
 * All jobs are in one list, in the order of their ids: few wait, few run, and few are kept. A job goes when it is finished, unwatched and
 * not kept. What it holds is released without the lock, by the thread that took it off the list.
 */
#ifndef UBI_JOBS_DESK_INSIDE_H
#define UBI_JOBS_DESK_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "jobs/desk.h"

struct ubi__desk_job {
    ubi__desk_job *next;
    ubi__desk *desk;
    uint64_t id, asked_ns;
    ubi__desk_state state;
    bool is_kept;
    ubi__desk_watcher *watchers;
    ubi_status status; /* finished */
    char message[UBI__DESK_MESSAGE_BYTES];
    const char *title;
    /* A question: */
    ubi_session **sessions; /* sessions[n_sessions], references; NULL: an errand */
    uint32_t n_sessions;
    ubi__vec_u8 key;
    bool is_page;
    ubi_session_use *use; /* of a finished one that is watched: holds the answer */
    ubi__desk_sequel sequel;
    /* Or an errand: */
    ubi__desk_errand errand;
    ubi__vec_u8 written;
    ubi_text answer; /* in either */
    /* What its thread reports. */
    _Atomic bool must_stop;
    _Atomic(const char *) stage;
    _Atomic uint64_t done, total;
    uint64_t woken_ns; /* its thread's */
};

struct ubi__desk {
    pthread_mutex_t lock;
    pthread_cond_t given; /* a job waits, or the threads stop */
    pthread_cond_t ended; /* a job ran */
    ubi__desk_job *jobs;
    uint64_t last_id;
    uint32_t most_waiting, most_kept;
    bool is_stopping; /* nothing new is taken */
    bool is_closing;  /* threads end */
    unsigned n_threads, n_started;
    pthread_t *threads;
};

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

/** NULL: no memory. It waits, and is on no list. */
ubi__desk_job *ubi__desk_job_new(ubi__desk *desk, const char *title, bool is_kept);
/** Once. */
void ubi__desk_sequel_release(ubi__desk_job *job);
/** Without the lock, off the list. */
void ubi__desk_job_free(ubi__desk_job *job);
/** The same for a list of jobs that are gone. */
void ubi__desk_jobs_free(ubi__desk_job *jobs);

/* ---- the list. With the lock. --------------------------------------------------------------------------------------- */

/** NULL: there is none. */
ubi__desk_job *ubi__desk_job_find(const ubi__desk *desk, uint64_t id);
/** At the end, with the next id. */
void ubi__desk_job_append(ubi__desk *desk, ubi__desk_job *job);
uint32_t ubi__desk_jobs_count(const ubi__desk *desk, ubi__desk_state state);
void ubi__desk_watchers_wake(const ubi__desk_job *job);
/** @param watcher  NULL: none. */
void ubi__desk_watcher_add(ubi__desk_job *job, ubi__desk_watcher *watcher);
void ubi__desk_watcher_remove(ubi__desk_job *job, const ubi__desk_watcher *watcher);
/** Where no one waits for it or can ask about it, it is stopped if it runs, else moved to *gone. */
void ubi__desk_job_give_up(ubi__desk_job **gone, ubi__desk_job *job);
/** The oldest that are kept make room. */
void ubi__desk_kept_trim(ubi__desk_job **gone, ubi__desk *desk);
void ubi__desk_job_end(ubi__desk_job **gone, ubi__desk_job *job, ubi__desk_state state, ubi_status status);
/** One that waits ends; one that runs is stopped; one that is finished is not kept any longer. */
void ubi__desk_job_cancel(ubi__desk_job **gone, ubi__desk_job *job);

#endif
