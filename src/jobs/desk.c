/* SPDX-License-Identifier: MIT
 *
 * desk.c: desks, and their threads, which perform what waits; see desk.h.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "base/status.h"
#include "jobs/desk_inside.h"

#define WAKE_EVERY_NS UINT64_C(100000000)

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- performing ------------------------------------------------------------------------------------------------------ */

static bool job_progress(void *payload, const char *stage, uint64_t done, uint64_t total) {
    ubi__desk_job *job = payload;
    uint64_t now_ns = ubi_process_clock_ns();
    atomic_store_explicit(&job->stage, stage, memory_order_relaxed);
    atomic_store_explicit(&job->done, done, memory_order_relaxed);
    atomic_store_explicit(&job->total, total, memory_order_relaxed);
    if (now_ns - job->woken_ns >= WAKE_EVERY_NS) {
        job->woken_ns = now_ns;
        pthread_mutex_lock(&job->desk->lock);
        ubi__desk_watchers_wake(job);
        pthread_mutex_unlock(&job->desk->lock);
    }
    return !atomic_load_explicit(&job->must_stop, memory_order_relaxed);
}

/* What was computed is the session's; the use holds it. */
static ubi_status question_perform(ubi_text *answer, ubi_session_use **use, ubi__desk_job *job,
                                   const ubi_progress *progress) {
    ubi_session_use_options options = UBI_SESSION_USE_OPTIONS_INIT;
    options.progress = *progress;
    UBI_TRY(ubi_session_use_begin(use, job->sessions[0], &options));
    UBI_TRY(ubi__answer_get(answer, *use, (const char *)job->key.at));
    if (job->sequel.begin)
        job->sequel.begin(job->sequel.payload);
    ubi__desk_sequel_release(job);
    return UBI_OK;
}

static ubi_status errand_perform(ubi_text *answer, ubi__desk_job *job, const ubi_progress *progress) {
    UBI_TRY(job->errand.perform(&job->written, job->errand.payload, progress));
    *answer = (ubi_text){ job->written.at ? (const char *)job->written.at : "", job->written.n };
    return UBI_OK;
}

static ubi_status job_perform(ubi_text *answer, ubi_session_use **use, ubi__desk_job *job) {
    const ubi_progress progress = { job_progress, job };
    if (atomic_load(&job->must_stop))
        return ubi__fail_cancelled();
    return job->sessions ? question_perform(answer, use, job, &progress) : errand_perform(answer, job, &progress);
}

/* An answer that no one watches is left to the session. */
static void job_finish(ubi__desk_job *job, ubi_status status, ubi_text answer, ubi_session_use *use) {
    ubi__desk *desk = job->desk;
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    if (status != UBI_OK)
        snprintf(job->message, sizeof job->message, "%s", ubi_error_message());
    if (status == UBI_OK && (job->watchers || !job->sessions)) {
        job->answer = answer;
        job->use = use;
        use = NULL;
    }
    ubi__desk_job_end(&gone, job,
                      status == UBI_OK           ? UBI__DESK_DONE
                      : status == UBI_ECANCELLED ? UBI__DESK_CANCELLED
                                                 : UBI__DESK_FAILED,
                      status);
    ubi__desk_kept_trim(&gone, desk);
    pthread_cond_broadcast(&desk->ended);
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi_session_use_end(use);
    ubi__desk_jobs_free(gone);
}

static ubi__desk_job *waiting_first(const ubi__desk *desk) {
    ubi__desk_job *job = desk->jobs;
    while (job && job->state != UBI__DESK_WAITING)
        job = job->next;
    return job;
}

static void *desk_thread(void *payload) {
    ubi__desk *desk = payload;
    pthread_mutex_lock(&desk->lock);
    while (!desk->is_closing) {
        ubi__desk_job *job = waiting_first(desk);
        if (!job) {
            pthread_cond_wait(&desk->given, &desk->lock);
            continue;
        }
        ubi_text answer = { NULL, 0 };
        ubi_session_use *use = NULL;
        job->state = UBI__DESK_RUNNING;
        ubi__desk_watchers_wake(job);
        pthread_mutex_unlock(&desk->lock);
        ubi_status status = job_perform(&answer, &use, job);
        job_finish(job, status, answer, use);
        pthread_mutex_lock(&desk->lock);
    }
    pthread_mutex_unlock(&desk->lock);
    return NULL;
}

/* ---- desks ----------------------------------------------------------------------------------------------------------- */

void ubi__desk_stop(ubi__desk *desk) {
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    desk->is_stopping = true;
    for (ubi__desk_job *job = desk->jobs, *next; job; job = next) {
        next = job->next;
        job->is_kept = false;
        if (!ubi__desk_is_finished(job->state))
            ubi__desk_job_cancel(&gone, job);
        else
            ubi__desk_job_give_up(&gone, job);
    }
    ubi__desk_check(desk);
    while (ubi__desk_jobs_count(desk, UBI__DESK_RUNNING) > 0)
        pthread_cond_wait(&desk->ended, &desk->lock);
    pthread_mutex_unlock(&desk->lock);
    ubi__desk_jobs_free(gone);
}

static void threads_join(ubi__desk *desk) {
    pthread_mutex_lock(&desk->lock);
    desk->is_closing = true;
    pthread_cond_broadcast(&desk->given);
    pthread_mutex_unlock(&desk->lock);
    for (unsigned i = 0; i < desk->n_started; i++)
        pthread_join(desk->threads[i], NULL);
}

void ubi__desk_free(ubi__desk *desk) {
    if (!desk)
        return;
    ubi__desk_stop(desk);
    threads_join(desk);
    UBI_ASSERT(!desk->jobs);
    pthread_cond_destroy(&desk->ended);
    pthread_cond_destroy(&desk->given);
    pthread_mutex_destroy(&desk->lock);
    ubi__free_array(memory(), desk->threads, desk->n_threads, sizeof *desk->threads);
    UBI_DELETE(memory(), desk);
}

/* One is enough. */
static ubi_status threads_start(ubi__desk *desk) {
    int error = 0;
    if (!desk->threads)
        return ubi__fail_nomem();
    while (desk->n_started < desk->n_threads &&
           (error = pthread_create(&desk->threads[desk->n_started], NULL, desk_thread, desk)) == 0)
        desk->n_started++;
    return desk->n_started ? UBI_OK : ubi__fail_errno(error, "cannot start a thread for requests");
}

ubi_status ubi__desk_new(ubi__desk **out, const ubi__desk_options *options) {
    static const ubi__desk_options standard = { 0 };
    const ubi__desk_options *o = options ? options : &standard;
    ubi__desk *desk = UBI_NEW(memory(), ubi__desk);
    if (!desk)
        return ubi__fail_nomem();
    desk->most_waiting = o->most_waiting ? o->most_waiting : UBI__DESK_MOST_WAITING;
    desk->most_kept = o->most_kept ? o->most_kept : UBI__DESK_MOST_KEPT;
    desk->n_threads = o->threads ? o->threads : ubi__thread_count(0) + 2;
    desk->threads = ubi__calloc_array(memory(), desk->n_threads, sizeof *desk->threads);
    pthread_mutex_init(&desk->lock, NULL);
    pthread_cond_init(&desk->given, NULL);
    pthread_cond_init(&desk->ended, NULL);
    ubi_status status = threads_start(desk);
    if (status == UBI_OK)
        *out = desk;
    else
        ubi__desk_free(desk);
    return status;
}
