/* SPDX-License-Identifier: MIT
 *
 * desk_watch.c: looking at jobs, watching and leaving them, and cancelling.
 */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "jobs/desk_inside.h"

/* ---- watching -------------------------------------------------------------------------------------------------------- */

/* With the lock. */
static void report_fill(ubi__desk_report *out, const ubi__desk_job *job) {
    uint64_t done = atomic_load_explicit(&job->done, memory_order_relaxed);
    uint64_t total = atomic_load_explicit(&job->total, memory_order_relaxed);
    *out = (ubi__desk_report){ .id = job->id,
                               .state = job->state,
                               .is_kept = job->is_kept,
                               .is_errand = !job->sessions,
                               .is_page = job->is_page,
                               .title = job->title,
                               .stage = atomic_load_explicit(&job->stage, memory_order_relaxed),
                               .fraction = -1,
                               .age_us = (ubi_process_clock_ns() - job->asked_ns) / 1000,
                               .status = job->status };
    if (job->state == UBI__DESK_RUNNING && total)
        out->fraction = (double)(done < total ? done : total) / (double)total;
    memcpy(out->message, job->message, sizeof out->message);
}

void ubi__desk_look(ubi__desk_report *out, ubi__desk_job *job) {
    pthread_mutex_lock(&job->desk->lock);
    report_fill(out, job);
    out->answer = job->answer;
    pthread_mutex_unlock(&job->desk->lock);
}

static ubi_status fail_no_job(uint64_t id) {
    return ubi__fail(UBI_ENOTFOUND, "there is no job %llu", (unsigned long long)id);
}

ubi_status ubi__desk_watch(ubi__desk_job **out, ubi__desk *desk, uint64_t id, ubi__desk_watcher *watcher) {
    pthread_mutex_lock(&desk->lock);
    ubi__desk_job *job = ubi__desk_job_find(desk, id);
    if (job)
        ubi__desk_watcher_add(job, watcher);
    pthread_mutex_unlock(&desk->lock);
    if (!job)
        return fail_no_job(id);
    *out = job;
    return UBI_OK;
}

/* With the lock: what an unwatched job holds of its session. */
static ubi_session_use *use_take(ubi__desk_job *job) {
    ubi_session_use *use = job->watchers ? NULL : job->use;
    if (use) {
        job->use = NULL;
        job->answer = (ubi_text){ NULL, 0 };
    }
    return use;
}

void ubi__desk_leave(ubi__desk_job *job, ubi__desk_watcher *watcher) {
    ubi__desk *desk = job->desk;
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    ubi__desk_watcher_remove(job, watcher);
    ubi_session_use *use = use_take(job);
    ubi__desk_job_give_up(&gone, job);
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi_session_use_end(use);
    ubi__desk_jobs_free(gone);
}

void ubi__desk_job_cancel(ubi__desk_job **gone, ubi__desk_job *job) {
    if (job->state == UBI__DESK_RUNNING) {
        atomic_store(&job->must_stop, true);
    } else if (job->state == UBI__DESK_WAITING) {
        (void)ubi__fail_cancelled();
        snprintf(job->message, sizeof job->message, "%s", ubi_error_message());
        ubi__desk_job_end(gone, job, UBI__DESK_CANCELLED, UBI_ECANCELLED);
    } else {
        job->is_kept = false;
        ubi__desk_job_give_up(gone, job);
    }
}

ubi_status ubi__desk_cancel(ubi__desk *desk, uint64_t id) {
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    ubi__desk_job *job = ubi__desk_job_find(desk, id);
    if (job)
        ubi__desk_job_cancel(&gone, job);
    ubi__desk_kept_trim(&gone, desk);
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi__desk_jobs_free(gone);
    return job ? UBI_OK : fail_no_job(id);
}

bool ubi__desk_next(ubi__desk_report *out, ubi__desk *desk, uint64_t id) {
    pthread_mutex_lock(&desk->lock);
    const ubi__desk_job *job = desk->jobs;
    while (job && job->id <= id)
        job = job->next;
    if (job)
        report_fill(out, job);
    pthread_mutex_unlock(&desk->lock);
    return job != NULL;
}

static bool is_about(const ubi__desk_job *job, const ubi_session *session) {
    for (uint32_t i = 0; i < job->n_sessions; i++)
        if (job->sessions[i] == session)
            return true;
    return false;
}

void ubi__desk_forget(ubi__desk *desk, const ubi_session *session) {
    ubi__desk_job *gone = NULL;
    pthread_mutex_lock(&desk->lock);
    for (ubi__desk_job *job = desk->jobs, *next; job; job = next) {
        next = job->next;
        if (!is_about(job, session))
            continue;
        job->is_kept = false;
        ubi__desk_job_give_up(&gone, job);
    }
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi__desk_jobs_free(gone);
}
