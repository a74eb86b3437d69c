/* SPDX-License-Identifier: MIT
 *
 * desk_ask.c: handing in: a question joins the job that is about to answer it, is answered by what the session has, or waits.
 */
#include <string.h>

#include "base/assert.h"
#include "base/status.h"
#include "jobs/desk_inside.h"

static const ubi_allocator *memory(void) {
    return ubi_allocator_default();
}

/* ---- handing in ------------------------------------------------------------------------------------------------------ */

/* With the lock. */
static ubi_status desk_accept(const ubi__desk *desk) {
    uint32_t n_waiting = ubi__desk_jobs_count(desk, UBI__DESK_WAITING);
    if (desk->is_stopping)
        return ubi__fail(UBI_ESTATE, "no more is taken: this is being stopped");
    if (n_waiting >= desk->most_waiting)
        return ubi__fail(UBI_EBUSY, "%u requests wait already, and no more may", n_waiting);
    return UBI_OK;
}

/* With the lock: takes the job unless it fails. */
static ubi_status job_enter(ubi__desk *desk, ubi__desk_job *job, ubi__desk_watcher *watcher) {
    if (job->state == UBI__DESK_WAITING)
        UBI_TRY(desk_accept(desk));
    UBI_ASSERT(watcher || job->is_kept);
    ubi__desk_job_append(desk, job);
    ubi__desk_watcher_add(job, watcher);
    if (job->state == UBI__DESK_WAITING)
        pthread_cond_signal(&desk->given);
    return UBI_OK;
}

static bool is_on_its_way(const ubi__desk_job *job, const ubi__desk_job *other) {
    return !ubi__desk_is_finished(job->state) && !atomic_load(&job->must_stop) && job->sessions &&
           job->sessions[0] == other->sessions[0] &&
           strcmp((const char *)job->key.at, (const char *)other->key.at) == 0;
}

/* With the lock; NULL: there is none. */
static ubi__desk_job *job_join(ubi__desk *desk, const ubi__desk_job *new_job, ubi__desk_watcher *watcher) {
    ubi__desk_job *job = desk->jobs;
    while (job && !is_on_its_way(job, new_job))
        job = job->next;
    if (!job || desk->is_stopping)
        return NULL;
    job->is_kept |= new_job->is_kept;
    ubi__desk_watcher_add(job, watcher);
    return job;
}

/* It is finished before it begins where the session has the answer. */
static ubi_status present_take(ubi__desk_job *job) {
    ubi_session_use *use;
    ubi_text answer;
    UBI_TRY(ubi_session_use_begin(&use, job->sessions[0], NULL));
    ubi_status status = ubi__answer_if_present(&answer, use, (const char *)job->key.at);
    if (status != UBI_OK || !answer.ptr) {
        ubi_session_use_end(use);
        return status;
    }
    job->state = UBI__DESK_DONE;
    job->answer = answer;
    job->use = use;
    return UBI_OK;
}

/* Takes the job, and what follows it unless it fails. */
static ubi_status question_hand_in(ubi__desk_job **out, uint64_t *id, ubi__desk_job *job, ubi__desk_watcher *watcher) {
    ubi__desk *desk = job->desk;
    ubi__desk_job *gone = NULL, *joined;
    ubi_status status = watcher ? present_take(job) : UBI_OK; /* what no one watches holds no answer */
    pthread_mutex_lock(&desk->lock);
    joined = status == UBI_OK && job->state == UBI__DESK_WAITING ? job_join(desk, job, watcher) : NULL;
    if (status == UBI_OK && !joined)
        status = job_enter(desk, job, watcher);
    if (status == UBI_OK) {
        *out = joined ? joined : job;
        *id = (*out)->id;
        ubi__desk_kept_trim(&gone, desk);
    }
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    ubi__desk_jobs_free(gone);
    if (status != UBI_OK)
        job->sequel = (ubi__desk_sequel){ NULL, NULL, NULL };
    if (status != UBI_OK || joined)
        ubi__desk_job_free(job);
    return status;
}

static ubi_status sessions_ref(ubi__desk_job *job, ubi_session *const *sessions, uint32_t n) {
    job->sessions = ubi__calloc_array(memory(), n, sizeof *job->sessions);
    if (!job->sessions)
        return ubi__fail_nomem();
    job->n_sessions = n;
    for (uint32_t i = 0; i < n; i++)
        job->sessions[i] = ubi_session_ref(sessions[i]);
    return UBI_OK;
}

ubi_status ubi__desk_ask(ubi__desk_job **out, uint64_t *id, ubi__desk *desk, const ubi__desk_request *r,
                         ubi__desk_watcher *watcher) {
    UBI_TRY(ubi__answer_check(&r->terms, r->sessions, r->n));
    ubi__desk_job *job = ubi__desk_job_new(desk, r->terms.question->usage->name, r->is_kept);
    if (!job)
        return ubi__fail_nomem();
    job->is_page = r->terms.is_page;
    ubi_status status = sessions_ref(job, r->sessions, r->n);
    if (status == UBI_OK)
        status = ubi__answer_key(&job->key, &r->terms, r->sessions, r->n);
    if (status == UBI_OK)
        job->sequel = r->sequel;
    if (status == UBI_OK)
        return question_hand_in(out, id, job, watcher);
    ubi__desk_job_free(job);
    return status;
}

ubi_status ubi__desk_run(ubi__desk_job **out, uint64_t *id, ubi__desk *desk, const ubi__desk_errand *errand,
                         bool is_kept, ubi__desk_watcher *watcher) {
    ubi__desk_job *job = ubi__desk_job_new(desk, errand->title, is_kept);
    if (!job)
        return ubi__fail_nomem();
    job->errand.perform = errand->perform;
    job->errand.payload = errand->payload;
    pthread_mutex_lock(&desk->lock);
    ubi_status status = job_enter(desk, job, watcher);
    if (status == UBI_OK) {
        job->errand.release = errand->release;
        *out = job;
        *id = job->id;
    }
    ubi__desk_check(desk);
    pthread_mutex_unlock(&desk->lock);
    if (status != UBI_OK)
        ubi__desk_job_free(job);
    return status;
}

/* ---- answers of jobs that are kept ------------------------------------------------------------------------------------ */

/* A job that asks the same again. */
static ubi_status job_repeat(ubi__desk_job **out, const ubi__desk_job *job, ubi__desk_watcher *watcher) {
    uint64_t id;
    ubi__desk_job *again = ubi__desk_job_new(job->desk, job->title, false);
    if (!again)
        return ubi__fail_nomem();
    ubi_status status = sessions_ref(again, job->sessions, job->n_sessions);
    if (status == UBI_OK)
        status = ubi__vec_u8_reserve(&again->key, memory(), job->key.n);
    if (status != UBI_OK) {
        ubi__desk_job_free(again);
        return status;
    }
    again->is_page = job->is_page;
    memcpy(again->key.at, job->key.at, job->key.n);
    again->key.n = job->key.n;
    return question_hand_in(out, &id, again, watcher);
}

static void wake_nothing(void *payload) {
    (void)payload;
}

ubi_status ubi__desk_answer(ubi__desk_job **out, ubi__desk *desk, uint64_t id, ubi__desk_watcher *watcher) {
    ubi__desk_watcher holder = { wake_nothing, NULL, NULL }; /* the job stays while it is asked again */
    ubi__desk_report report;
    ubi__desk_job *job = NULL; /* for gcc 12 */
    UBI_TRY(ubi__desk_watch(&job, desk, id, &holder));
    ubi__desk_look(&report, job);
    ubi_status status = report.state == UBI__DESK_DONE && !report.answer.ptr ? job_repeat(out, job, watcher)
                                                                             : ubi__desk_watch(out, desk, id, watcher);
    ubi__desk_leave(job, &holder);
    return status;
}
