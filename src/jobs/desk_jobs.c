/* SPDX-License-Identifier: MIT
 *
 * desk_jobs.c: jobs of a desk, and the list of them: who watches one, and when it goes; see desk_inside.h.
 */
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "jobs/desk_inside.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

const char *ubi__desk_state_name(ubi__desk_state state) {
    static const char *const names[] = { "waiting", "running", "done", "failed", "cancelled" };
    return names[UBI_INDEX(state, sizeof names / sizeof *names)];
}

void ubi__desk_check(const ubi__desk *desk) {
    uint64_t last_id = 0;
    for (const ubi__desk_job *job = UBI_CHECKS ? desk->jobs : NULL; job; job = job->next) {
        UBI_ASSERT(job->desk == desk && job->id > last_id && job->id <= desk->last_id);
        UBI_ASSERT(job->watchers || job->is_kept || (job->state == UBI__DESK_RUNNING && atomic_load(&job->must_stop)));
        UBI_ASSERT((job->sessions != NULL) == (job->n_sessions > 0) && (job->sessions || job->errand.perform));
        UBI_ASSERT(!job->use || (job->state == UBI__DESK_DONE && job->watchers));
        UBI_ASSERT(job->state != UBI__DESK_FAILED || job->status != UBI_OK);
        last_id = job->id;
    }
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

void ubi__desk_sequel_release(ubi__desk_job *job) {
    if (job->sequel.release)
        job->sequel.release(job->sequel.payload);
    job->sequel = (ubi__desk_sequel){ NULL, NULL, NULL };
}

void ubi__desk_job_free(ubi__desk_job *job) {
    ubi_session_use_end(job->use);
    ubi__desk_sequel_release(job);
    for (uint32_t i = 0; i < job->n_sessions; i++)
        ubi_session_unref(job->sessions[i]);
    ubi__free_array(memory(), job->sessions, job->n_sessions, sizeof *job->sessions);
    if (job->errand.release)
        job->errand.release(job->errand.payload);
    ubi__vec_u8_fini(&job->key, memory());
    ubi__vec_u8_fini(&job->written, memory());
    UBI_DELETE(memory(), job);
}

void ubi__desk_jobs_free(ubi__desk_job *jobs) {
    while (jobs) {
        ubi__desk_job *next = jobs->next;
        ubi__desk_job_free(jobs);
        jobs = next;
    }
}

ubi__desk_job *ubi__desk_job_new(ubi__desk *desk, const char *title, bool is_kept) {
    ubi__desk_job *job = UBI_NEW(memory(), ubi__desk_job);
    if (!job)
        return NULL;
    job->desk = desk;
    job->title = title;
    job->is_kept = is_kept;
    job->asked_ns = ubi_process_clock_ns();
    atomic_init(&job->stage, "");
    return job;
}

/* ---- the list. With the lock. --------------------------------------------------------------------------------------- */

ubi__desk_job *ubi__desk_job_find(const ubi__desk *desk, uint64_t id) {
    ubi__desk_job *job = desk->jobs;
    while (job && job->id != id)
        job = job->next;
    return job;
}

/* Moves it to *gone. */
static void job_unlink(ubi__desk_job **gone, ubi__desk_job *job) {
    ubi__desk_job **place = &job->desk->jobs;
    while (*place != job)
        place = &(*place)->next;
    *place = job->next;
    job->next = *gone;
    *gone = job;
}

void ubi__desk_job_append(ubi__desk *desk, ubi__desk_job *job) {
    ubi__desk_job **end = &desk->jobs;
    while (*end)
        end = &(*end)->next;
    job->id = ++desk->last_id;
    *end = job;
}

uint32_t ubi__desk_jobs_count(const ubi__desk *desk, ubi__desk_state state) {
    uint32_t n = 0;
    for (const ubi__desk_job *job = desk->jobs; job; job = job->next)
        n += job->state == state;
    return n;
}

void ubi__desk_watchers_wake(const ubi__desk_job *job) {
    for (const ubi__desk_watcher *w = job->watchers; w; w = w->next)
        w->wake(w->payload);
}

void ubi__desk_watcher_add(ubi__desk_job *job, ubi__desk_watcher *watcher) {
    if (!watcher)
        return;
    watcher->next = job->watchers;
    job->watchers = watcher;
}

void ubi__desk_watcher_remove(ubi__desk_job *job, const ubi__desk_watcher *watcher) {
    ubi__desk_watcher **place = &job->watchers;
    while (*place != watcher)
        place = &(*place)->next;
    *place = watcher->next;
}

void ubi__desk_job_give_up(ubi__desk_job **gone, ubi__desk_job *job) {
    if (job->watchers || job->is_kept)
        return;
    if (job->state == UBI__DESK_RUNNING)
        atomic_store(&job->must_stop, true); /* its thread ends it */
    else
        job_unlink(gone, job);
}

void ubi__desk_kept_trim(ubi__desk_job **gone, ubi__desk *desk) {
    uint32_t n = 0;
    for (const ubi__desk_job *job = desk->jobs; job; job = job->next)
        n += job->is_kept && ubi__desk_is_finished(job->state);
    for (ubi__desk_job *job = desk->jobs, *next; job && n > desk->most_kept; job = next) {
        next = job->next;
        if (!job->is_kept || !ubi__desk_is_finished(job->state))
            continue;
        job->is_kept = false;
        ubi__desk_job_give_up(gone, job);
        n--;
    }
}

void ubi__desk_job_end(ubi__desk_job **gone, ubi__desk_job *job, ubi__desk_state state, ubi_status status) {
    job->state = state;
    job->status = status;
    atomic_store(&job->stage, "");
    ubi__desk_watchers_wake(job);
    ubi__desk_job_give_up(gone, job);
}
